"""The cloud of points: where Python and the page put them, how it turns, who can use it."""

import math

import numpy as np
import pytest
import torch

from tutorial_lib.views import cloud, point_cloud

HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a & b", '" onload="alert(3)']
MARKS = """root => [...root.querySelectorAll('.tl-stage path')].flatMap(p => p.getAttribute('d').split('M').slice(1)
  .map(m => m.match(/[-\\d.]+/g).slice(0, 2).map(Number)))"""
SIZE = "root => { const b = root.querySelector('.tl-stage svg').viewBox.baseVal; return [b.width, b.height]; }"


def helix(n=512):
    t = np.linspace(0, 40, n)
    return np.stack([np.cos(t), np.sin(t), t / 8], axis=1)


def unit(points):
    center = (points.min(0) + points.max(0)) / 2
    return (points - center) / np.linalg.norm(points - center, axis=1).max()


def sorted_places(places):
    return np.array(sorted(map(tuple, np.round(np.asarray(places, dtype=float)[:, :2], 1).tolist())))


def assert_shows(tab, points, turn, tilt):
    """The page's marks stand where `project` puts them, but for rounding and the 16 bits of a coordinate."""
    tab.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    root = tab.locator(".tl-view")
    expected = cloud.project(unit(points), turn, tilt, *root.evaluate(SIZE))[:, :2]
    marks = np.array(root.evaluate(MARKS))
    distances = np.linalg.norm(marks[:, None] - expected[None], axis=2)
    assert len(marks) == len(points)
    assert distances.min(0).max() < 0.15 and distances.min(1).max() < 0.15


def test_turning_keeps_distances_to_the_middle():
    points = np.random.default_rng(0).normal(size=(50, 3))
    middle = np.array([200, 150])
    flat = cloud.project(points * 1e-6, 0, 0, 400, 300)  # so near the middle that perspective plays no part
    scale = 0.44 * 300 * 1e-6
    for turn, tilt in ((0, 0), (70, 0), (200, -35), (10, 90)):
        places = cloud.project(points * 1e-6, turn, tilt, 400, 300)
        lengths = np.hypot(np.linalg.norm((places[:, :2] - middle) / scale, axis=1), places[:, 2] / 1e-6)
        np.testing.assert_allclose(lengths, np.linalg.norm(points, axis=1), rtol=1e-4)
    assert not np.allclose(places, flat)


def test_a_quarter_turn_brings_the_third_axis_to_the_right_and_a_tilt_shows_the_top():
    z, y = np.array([[0, 0, 0.5]]), np.array([[0, 0.5, 0]])
    assert cloud.project(z, 90, 0, 400, 300)[0, 0] > 250
    assert cloud.project(y, 0, 0, 400, 300)[0, 1] < 100
    assert cloud.project(y, 0, 90, 400, 300)[0, 2] == pytest.approx(0.5)


def test_every_point_stays_inside_the_picture_however_it_turns():
    points = unit(helix())
    for turn in range(0, 360, 30):
        for tilt in range(-90, 91, 30):
            x, y, _ = cloud.project(points, turn, tilt, 420, 340).T
            assert 0 <= x.min() and x.max() <= 420 and 0 <= y.min() and y.max() <= 340


def test_the_page_puts_every_point_where_python_does(open_view):
    points = helix(100)
    tab = open_view(point_cloud(points, path=True))
    assert_shows(tab, points, 25, 15)
    root = tab.locator(".tl-view")
    for name, value in (("Turn", 200), ("Tilt", -40)):
        root.get_by_role("slider", name=name).fill(str(value))
    assert_shows(tab, points, 200, -40)
    assert len(root.locator(".tl-path").get_attribute("points").split()) == 100


def test_it_turns_by_keys_and_by_dragging_and_leaves_other_keys_alone(open_view):
    points = helix(60)
    tab = open_view(point_cloud(points))
    root, stage = tab.locator(".tl-view"), tab.locator(".tl-stage")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Tab"):
        stage.press(key)
    assert_shows(tab, points, 35, 20)
    assert not stage.evaluate("e => e === document.activeElement")
    box = stage.locator("svg").bounding_box()
    tab.mouse.move(box["x"] + 20, box["y"] + 20)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 70, box["y"] + 20)
    tab.mouse.up()
    assert int(root.get_by_role("slider", name="Turn").input_value()) == 35 + 30
    assert_shows(tab, points, 65, 20)
    stage.press("+")
    assert root.get_by_role("slider", name="Zoom").input_value() == "1.25"


@pytest.mark.parametrize("stroke, turned", [((10, 60), 25), ((50, 20), 25 + 30)])
def test_a_finger_turns_sideways_and_never_tilts(open_view, stroke, turned):
    """A stroke that is more down than across scrolls the page."""
    root = open_view(point_cloud(helix(60))).locator(".tl-view")
    root.locator(".tl-stage svg").evaluate(
        """(svg, [dx, dy]) => {
          svg.setPointerCapture = () => {};
          for (const [type, x, y] of [["down", 40, 40], ["move", 40 + dx, 40 + dy], ["up", 40 + dx, 40 + dy]])
            svg.dispatchEvent(new PointerEvent("pointer" + type, {pointerType: "touch", clientX: x, clientY: y}));
        }""",
        stroke,
    )
    assert [int(root.get_by_role("slider", name=name).input_value()) for name in ("Turn", "Tilt")] == [turned, 15]


def test_the_wheel_scrolls_the_page(open_view):
    tab = open_view(*[point_cloud(helix(60))] * 3)
    box = tab.locator(".tl-stage svg").first.bounding_box()
    tab.mouse.move(box["x"] + 50, box["y"] + 50)
    tab.mouse.wheel(0, 200)
    tab.wait_for_function("scrollY > 0")


def test_the_slider_names_each_point_with_its_numbers(open_view):
    points = helix(60)
    view = point_cloud(points, labels=[f"word {i}" for i in range(60)], axes=("a", "b", "c"))
    root = open_view(view).locator(".tl-view")
    which = root.get_by_role("slider", name="Point")
    which.fill("17")
    assert which.get_attribute("aria-valuetext") == "word 17"
    name, numbers = root.locator(".tl-say").inner_text().split(": ")
    values = [float(part.split()[1]) for part in numbers.split(", ")]
    assert name == "word 17" and [part.split()[0] for part in numbers.split(", ")] == ["a", "b", "c"]
    np.testing.assert_allclose(values, points[17], atol=0.006)
    root.locator(".tl-tip").wait_for()
    assert root.locator(".tl-tip").text_content() == "word 17"


def test_the_mouse_names_the_nearest_point_and_a_click_keeps_it(open_view):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    tab = open_view(point_cloud(points, labels=list("abcd")))
    svg = tab.locator(".tl-stage svg")
    box, size = svg.bounding_box(), tab.locator(".tl-view").evaluate(SIZE)
    x, y, _ = cloud.project(unit(points), 25, 15, *size)[1]
    tab.mouse.move(box["x"] + x + 5, box["y"] + y + 4)
    tab.locator(".tl-tip").wait_for()
    assert tab.locator(".tl-tip").text_content() == "b"
    tab.mouse.click(box["x"] + x + 5, box["y"] + y + 4)
    tab.mouse.move(box["x"] + 2, box["y"] + 2)
    assert tab.get_by_role("slider", name="Point").input_value() == "1"
    assert tab.locator(".tl-say").inner_text().startswith("b: x 1, y 0, z 0")


def test_nothing_moves_until_play_is_pressed_and_pause_stops_it(open_view):
    tab = open_view(point_cloud(helix(60)))
    turn = tab.get_by_role("slider", name="Turn")
    tab.wait_for_timeout(200)
    assert turn.input_value() == "25"
    tab.get_by_role("button", name="Play").press("Enter")
    tab.wait_for_function("Number(document.querySelector('input[type=range]').value) > 26")
    tab.get_by_role("button", name="Pause").press("Enter")
    stopped = turn.input_value()
    tab.wait_for_timeout(200)
    assert turn.input_value() == stopped


def test_readers_who_asked_for_less_motion_get_no_play_button(open_view):
    tab = open_view(point_cloud(helix(60)))
    tab.emulate_media(reduced_motion="reduce")
    tab.reload()
    assert tab.get_by_role("button").count() == 0
    assert tab.get_by_role("slider", name="Turn").count() == 1


def test_groups_differ_by_shape_and_the_legend_and_the_text_name_them(open_view):
    names = ["a", "b", "c", "d", "e", "f"]
    view = point_cloud(helix(60), groups=[names[i % 6] for i in range(60)])
    assert view.say == ("60 points in 3 dimensions; a: 10 (circles), b: 10 (squares), c: 10 (triangles), "
                        "d: 10 (diamonds), e: 10 (pluses), f: 10 (crosses).")  # fmt: skip
    for javascript in (True, False):
        root = open_view(view, javascript=javascript).locator(".tl-view")
        for shape in cloud.SHAPES:
            assert root.locator(f".tl-stage path.tl-{shape}").count() >= 1
            assert root.locator(f".tl-legend path.tl-{shape}").count() == 1
        assert [text.strip() for text in root.locator(".tl-legend span").all_inner_texts()] == names


def test_colors_step_from_the_lowest_to_the_highest_value(open_view):
    view = point_cloud(helix(70), colors=torch.arange(70), color_name="position")
    assert view.say == "70 points in 3 dimensions; color tells position, from 0 to 69."
    root = open_view(view).locator(".tl-view")
    assert root.locator(".tl-legend path").count() == cloud.COLOR_STEPS
    stroke = "e => getComputedStyle(e).stroke"
    first, last = (root.locator(f".tl-stage .tl-step{i}").first.evaluate(stroke) for i in (0, 6))
    assert first != last


def test_without_javascript_the_first_look_and_the_numbers_are_there(open_view):
    points = helix(60)
    root = open_view(point_cloud(points, alt="A helix."), javascript=False).locator(".tl-view")
    assert root.get_by_role("img", name="A helix.").count() == 1
    assert len(root.evaluate(MARKS)) == 60
    root.locator("summary").click()
    assert root.locator("summary").inner_text() == "Table of the first 50 of 60 points"
    rows = root.locator("tbody tr")
    assert rows.count() == 50
    shown = [float(text) for text in rows.nth(3).locator("td").all_inner_texts()]
    np.testing.assert_allclose(shown, points[3], rtol=0, atol=0.006)


def test_a_flat_cloud_starts_seen_from_the_front(open_view):
    points = helix(40)[:, :2]
    tab = open_view(point_cloud(points))
    assert_shows(tab, np.pad(points, ((0, 0), (0, 1))), 0, 0)
    assert tab.locator(".tl-name").all_text_contents() == ["x", "y"]


def test_a_single_point_and_equal_points_stand_in_the_middle():
    for points in ([[3.0, 4.0, 5.0]], [[1, 1, 1]] * 3):
        view = point_cloud(points, colors=[2] * len(points))
        assert "nan" not in view.default and view.data["radius"] == 1


def test_five_hundred_points_stay_small_and_five_thousand_possible():
    assert len(point_cloud(helix(), path=True)._repr_html_()) < 60_000
    assert len(point_cloud(helix(5000), groups=[str(i % 6) for i in range(5000)])._repr_html_()) < 250_000


def test_hostile_texts_are_shown_not_run(open_view):
    view = point_cloud(helix(4), labels=HOSTILE, groups=HOSTILE, axes=HOSTILE[:3], label=HOSTILE[0], alt=HOSTILE[3])
    root = open_view(view).locator(".tl-view")
    root.get_by_role("slider", name="Point").fill("1")
    root.locator(".tl-tip").wait_for()
    assert root.locator(".tl-tip").text_content() == HOSTILE[1]
    assert [text.strip() for text in root.locator(".tl-legend span").all_inner_texts()] == HOSTILE
    assert root.locator(".tl-stage svg").get_attribute("aria-label") == HOSTILE[3]
    assert point_cloud(helix(4), colors=range(4), color_name=HOSTILE[0]).default.count("<img") == 0


def test_it_is_accessible_and_fits_a_phone(assert_accessible):
    words = [f"a long label {i}" for i in range(60)]
    assert_accessible(point_cloud(helix(60), labels=words, groups=["first", "second"] * 30, path=True))
    assert_accessible(point_cloud(helix(60), colors=range(60)))


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"points": "abc"}, (TypeError, ValueError), "points must"),
        ({"points": [["a", "b", "c"]]}, TypeError, "points must be an array of numbers"),
        ({"points": np.zeros((2, 4))}, ValueError, r"points must have shape \(n, 3\) or \(n, 2\), got \(2, 4\)"),
        ({"points": np.zeros((0, 3))}, ValueError, "points must be from 1 to 5,000, got 0"),
        ({"points": np.zeros((5001, 3))}, ValueError, "points must be from 1 to 5,000, got 5,001"),
        ({"points": [[0, 0, math.nan]] * 2}, ValueError, "points must be finite numbers, got nan"),
        ({"labels": ["a"]}, ValueError, "labels must hold 2 texts, got 1"),
        ({"labels": "ab"}, TypeError, "labels must be a list of texts"),
        ({"groups": ["a"]}, ValueError, "groups must hold 2 texts, got 1"),
        ({"colors": [1]}, ValueError, "colors must be 2 finite numbers"),
        ({"colors": [1, math.inf]}, ValueError, "colors must be 2 finite numbers"),
        ({"colors": [1, 2], "groups": ["a", "b"]}, ValueError, "groups and colors cannot both be given"),
        ({"axes": ("x", "y")}, ValueError, "axes must hold 3 texts, got 2"),
        ({"points": np.zeros((7, 3)), "groups": list("abcdefg")}, ValueError, "groups must have at most 6 different"),
    ],
)
def test_bad_input_is_refused_by_name(change, error, message):
    with pytest.raises(error, match=message):
        point_cloud(**{"points": np.eye(3)[:2]} | change)


def test_a_point_that_rounding_puts_behind_the_ball_is_drawn(open_view):
    ends = np.array([[0, np.sin(np.radians(9)), np.cos(np.radians(9))]])
    tab = open_view(point_cloud(np.concatenate([ends, -ends])))
    tab.get_by_role("slider", name="Turn").fill("0")
    tab.get_by_role("slider", name="Tilt").fill(str(9))
    tab.wait_for_timeout(100)
    drawn = tab.evaluate("[...document.querySelectorAll('.tl-stage path')].map(p => p.getAttribute('d')).join('')")
    assert drawn.count("M") == 2 and "undefined" not in drawn
