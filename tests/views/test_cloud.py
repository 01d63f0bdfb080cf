"""The cloud of points: where they are in the picture, and how it turns."""

import numpy as np
import pytest
import torch

from tests.views.examples import helix
from tutorial_lib.views import cloud, point_cloud

MARKS = """root => [...root.querySelectorAll('.tl-stage path')].flatMap(p => p.getAttribute('d').split('M').slice(1)
  .map(m => m.match(/[-\\d.]+/g).slice(0, 2).map(Number)))"""
SIZE = "root => { const b = root.querySelector('.tl-stage svg').viewBox.baseVal; return [b.width, b.height]; }"
STROKE = """(svg, [dx, dy]) => {
  svg.setPointerCapture = () => {};
  for (const [type, x, y] of [["down", 40, 40], ["move", 40 + dx, 40 + dy], ["up", 40 + dx, 40 + dy]])
    svg.dispatchEvent(new PointerEvent("pointer" + type, {pointerType: "touch", clientX: x, clientY: y}));
}"""


def project(unit, turn, tilt, width, height):
    """Return where points of the unit ball appear in the picture, seen from 3 radii away: (n, 3) -> (n, 2)."""
    a, t = np.radians([turn, tilt])
    x, y, z = unit.T
    right, back = x * np.cos(a) + z * np.sin(a), z * np.cos(a) - x * np.sin(a)
    up, near = y * np.cos(t) - back * np.sin(t), y * np.sin(t) + back * np.cos(t)
    scale = 0.44 * min(width, height) * 3 / (3 - near)
    return np.stack([width / 2 + scale * right, height / 2 - scale * up], axis=1)


def unit(points):
    center = (points.min(0) + points.max(0)) / 2
    return (points - center) / np.linalg.norm(points - center, axis=1).max()


def assert_shows(tab, points, turn, tilt):
    """The page's marks are at the positions of `project`, except for rounding and the 16 bits of a coordinate."""
    tab.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    root = tab.locator(".tl-view")
    expected = project(unit(points), turn, tilt, *root.evaluate(SIZE))
    marks = np.array(root.evaluate(MARKS))
    distances = np.linalg.norm(marks[:, None] - expected[None], axis=2)
    assert len(marks) == len(points)
    assert distances.min(0).max() < 0.15 and distances.min(1).max() < 0.15
    assert turned(tab) == [turn, tilt]


def slider(tab, name):
    return tab.get_by_role("slider", name=name)


def turned(tab):
    return [int(slider(tab, name).input_value()) for name in ("Turn", "Tilt")]


def test_points_turn(open_view):
    """By sliders, keys, mouse and finger; a stroke that is more down than across scrolls the page."""
    points = helix(60)
    tab = open_view(point_cloud(points, path=True))
    stage = tab.locator(".tl-stage")
    assert_shows(tab, points, 25, 15)
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Tab"):
        stage.press(key)
    assert_shows(tab, points, 35, 20)
    assert not stage.evaluate("e => e === document.activeElement")  # Tab goes on
    box = stage.locator("svg").bounding_box()
    tab.mouse.move(box["x"] + 20, box["y"] + 20)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 70, box["y"] + 20)
    tab.mouse.up()
    assert_shows(tab, points, 35 + 30, 20)
    stage.locator("svg").evaluate(STROKE, [10, 60])
    assert_shows(tab, points, 65, 20)
    stage.locator("svg").evaluate(STROKE, [50, 20])
    assert_shows(tab, points, 65 + 30, 20)
    slider(tab, "Turn").fill("200")
    slider(tab, "Tilt").fill("-40")
    assert_shows(tab, points, 200, -40)
    assert len(tab.locator(".tl-path").get_attribute("points").split()) == 60
    stage.press("+")
    assert slider(tab, "Zoom").input_value() == "1.25"


def test_wheel_scrolls_the_page(open_view):
    tab = open_view(*[point_cloud(helix(60))] * 3)
    tab.locator(".tl-stage svg").first.hover()
    tab.mouse.wheel(0, 200)
    tab.wait_for_function("scrollY > 0")


def test_points_are_named_by_slider_and_mouse(open_view):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    tab = open_view(point_cloud(points, labels=list("abcd"), axes=("i", "j", "k")))
    which, tip, say = slider(tab, "Point"), tab.locator(".tl-tip"), tab.locator(".tl-say")
    which.fill("2")
    tip.wait_for()
    assert which.get_attribute("aria-valuetext") == tip.text_content() == "c"
    assert say.inner_text().startswith("c: i 0, j 1, k 0")
    box, size = tab.locator(".tl-stage svg").bounding_box(), tab.locator(".tl-view").evaluate(SIZE)
    x, y = project(unit(points), 25, 15, *size)[1]
    tab.mouse.click(box["x"] + x + 5, box["y"] + y + 4)  # the nearest one
    tab.mouse.move(box["x"] + 2, box["y"] + 2)
    assert which.input_value() == "1" and tip.text_content() == "b"
    assert say.inner_text().startswith("b: i 1, j 0, k 0")


def test_cloud_moves_only_when_asked(open_view):
    tab = open_view(point_cloud(helix(60)))
    turn = slider(tab, "Turn")
    tab.wait_for_timeout(100)
    assert turn.input_value() == "25"
    tab.get_by_role("button", name="Play").press("Enter")
    tab.wait_for_function("Number(document.querySelector('input[type=range]').value) > 26")
    tab.get_by_role("button", name="Pause").press("Enter")
    stopped = turn.input_value()
    tab.wait_for_timeout(100)
    assert turn.input_value() == stopped
    tab.emulate_media(reduced_motion="reduce")
    tab.reload()
    assert tab.get_by_role("button").count() == 0 and turn.count() == 1


def test_groups_and_values_are_distinguished(open_view):
    """Groups by shape, values by seven colors, in the picture, in its legend and in words; without a script, too."""
    groups = point_cloud(helix(60), groups=["abcdef"[i % 6] for i in range(60)])
    values = point_cloud(helix(70), colors=torch.arange(70), color_name="position")
    assert groups.say == ("60 points in 3 dimensions; a: 10 (circles), b: 10 (squares), c: 10 (triangles), "
                          "d: 10 (diamonds), e: 10 (pluses), f: 10 (crosses).")  # fmt: skip
    assert values.say == "70 points in 3 dimensions; color shows position, from 0 to 69."
    for javascript in (True, False):
        one, other = open_view(groups, values, javascript=javascript).locator(".tl-view").all()
        for shape in ("circle", "square", "triangle", "diamond", "plus", "cross"):
            assert one.locator(f".tl-stage path.tl-{shape}").count() >= 1
            assert one.locator(f".tl-legend path.tl-{shape}").count() == 1
        assert other.locator(".tl-legend path").count() == cloud.COLOR_STEPS
        stroke = "e => getComputedStyle(e).stroke"
        assert len({other.locator(f".tl-stage .tl-step{i}").first.evaluate(stroke) for i in range(7)}) == 7


def test_table_shows_numbers_without_a_script(open_view):
    points = helix(60)
    root = open_view(point_cloud(points, alt="A helix."), javascript=False).locator(".tl-view")
    assert root.get_by_role("img", name="A helix.").count() == 1
    marks, expected = np.array(root.evaluate(MARKS)), project(unit(points), 25, 15, *root.evaluate(SIZE))
    assert len(marks) == 60 and sorted(marks[:, 0]) == pytest.approx(sorted(expected[:, 0]), abs=0.06)
    root.locator("summary").click()
    assert root.locator("summary").inner_text() == "Table of the first 50 of 60 points"
    assert root.locator("tbody tr").count() == 50
    shown = [float(text) for text in root.locator("tbody tr").nth(3).locator("td").all_inner_texts()]
    np.testing.assert_allclose(shown, points[3], rtol=0, atol=0.006)


def test_flat_cloud_is_seen_from_the_front(open_view):
    points = helix(40) * [1, 1, 0]
    tab = open_view(point_cloud(points[:, :2]))
    assert_shows(tab, points, 0, 0)
    assert tab.locator(".tl-name").all_text_contents() == ["x", "y"]


def test_points_without_extent_have_finite_places():
    view = point_cloud([[3.0, 4.0, 5.0]] * 3, colors=[2] * 3)
    assert "NaN" not in view.default and view.data["radius"] == 1


def test_rounding_drops_no_point(open_view):
    """The 16 bits of a coordinate may move a point slightly behind the ball."""
    ends = np.array([[0, np.sin(np.radians(9)), np.cos(np.radians(9))]])
    tab = open_view(point_cloud(np.concatenate([ends, -ends])))
    slider(tab, "Turn").fill("0")
    slider(tab, "Tilt").fill("9")
    tab.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    drawn = tab.evaluate("[...document.querySelectorAll('.tl-stage path')].map(p => p.getAttribute('d')).join('')")
    assert drawn.count("M") == 2 and "undefined" not in drawn
