"""The charts of the live views have their lines at their numbers: known answers, drawn by js/chart.js."""

import json
import re

import pytest

from tutorial_book.page.live.asking import JS as LIVE
from tutorial_lib.views import still
from tutorial_lib.views.base import JS

pytest.importorskip("py_mini_racer")
SCRIPTS = [JS / "common.js", JS / "number.js", LIVE / "chart.js"]
DRAW = "function draw(view) { view.picture.append.apply(view.picture, drawn(view.data)); }"


def chart(**given):
    """The HTML of a chart."""
    script = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    return still.drawn(f"{script}\n{DRAW}", json.dumps(given))[0]


def curve(html, css):
    """The points of a path of this class."""
    [d] = re.findall(rf'<path class="{css}" d="([^"]*)"', html)
    return [tuple(map(float, point)) for point in re.findall(r"[ML]([\d.]+) ([\d.]+)", d)]


def test_bar_reaches_from_zero_to_its_value():
    html = chart(kind="bars", rows=[["a", 0.5], ["b", -0.5]], low=-1, band=[[-0.1, 0.1], [0, 0.2]])
    assert re.findall(r'<i style="left:([\d.]+)%;width:([\d.]+)%"', html) == [("50.0", "25.0"), ("25.0", "25.0")]
    assert re.findall(r'<u style="left:([\d.]+)%;width:([\d.]+)%"', html) == [("45.0", "10.0"), ("50.0", "10.0")]
    assert "0.50" in html and "chance \u22120.10 to 0.10" in re.sub("<[^>]*>", "", html)


@pytest.mark.parametrize("log, values", [(False, [0, 5, 10]), (True, [1, 10, 100])])
def test_curve_rises_with_its_values(log, values):
    html = chart(kind="lines", curves=[["a", values]], x=["0", "1", "2"], axis="layer", unit="cosine", log=log)
    assert curve(html, "tl-curve-0") == [(110, 190), (238, 100), (366, 10)]  # of a frame from 46 to 430 and 190 to 10


def test_path_keeps_its_shape():
    html = chart(kind="paths", paths=[["a", [[0, 0], [4, 0], [4, 2]]]])
    (x0, y0), (x1, y1), (x2, y2) = curve(html, "tl-curve-0")
    assert y0 == y1 and x1 == x2 and x1 - x0 == 2 * (y1 - y2) > 100


def test_histogram_is_as_high_as_its_counts():
    html = chart(kind="histogram", counts=[1, 4, 2], low=0, high=3, axis="cosine", marks=[["here", 1.5]])
    [hill] = re.findall(r'class="tl-hill" d="M46 190(.*?)V190Z"', html)
    steps = [tuple(map(float, step)) for step in re.findall(r"V([\d.]+)H([\d.]+)", hill)]
    heights = [190 - up for up, _ in steps]
    assert [height / heights[1] for height in heights] == pytest.approx([0.25, 1, 0.5], abs=1e-3) and heights[1] == 164
    assert [across for _, across in steps] == [174, 302, 430]
    assert re.findall(r'class="tl-mark" d="M([\d.]+) ', html) == ["238.0"]


def test_cell_of_the_grid_is_as_strong_as_its_value():
    html = chart(kind="grid", rows=[[["x", 0.25], ["y", 2]]], unit="weight")
    assert re.findall(r"--strength:(\d+)%", html) == ["25", "100"]
