"""The colors of all figures, and the parts that figures are made of."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from tests.plots.held import names, said
from tutorial_book import plots
from tutorial_book.plots import charts, parts
from tutorial_book.plots.base import COLORS, DARK, GROUP_MARKERS, GROUPS, ON_DEEP_CELL, ON_PALE_CELL, ROLES, TINTS
from tutorial_lib import views

SCRIPTS = Path(views.__file__).parent / "js"
PAGE, INK = "#FFFFFF", "#000000"
SCALES = [
    ([[-1.0, 3.0]], {}, (-3, 3)),  # both signs: zero is in the middle
    ([[-1.0, 3.0]], {"diverging": False}, (-1, 3)),
    ([[0.5, -np.inf]], {}, (0, 0.5)),  # a mask's minus infinity sets no scale
    ([[0.5, 0.7]], {"limits": (0, 2)}, (0, 2)),
]


@pytest.mark.parametrize("matrix, options, limits", SCALES)
def test_the_scale_of_colors_is_known(matrix, options, limits):
    assert plots.heatmap(matrix, **options).images[0].get_clim() == limits


def test_a_heatmap_writes_into_its_cells():
    _, ax = plt.subplots()
    values = torch.tensor([[0.25, 1.0, 0.0]], requires_grad=True)
    assert plots.heatmap(values, ["the"], ["a", "b", "c"], ax, digits=2, label="share") is ax
    assert (said(ax), names(ax.xaxis), names(ax.yaxis)) == (["0.25", "1.00", "0.00"], ["a", "b", "c"], ["the"])
    assert [text.get_color() for text in ax.texts] == [ON_PALE_CELL, ON_DEEP_CELL, ON_PALE_CELL]
    assert ax.images[0].get_array().tolist() == [[0.25, 1.0, 0.0]] and ax.figure.axes[1].get_ylabel() == "share"


def contrast(one, other):
    """The contrast of two colors, as WCAG defines it."""
    parts = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in (one, other)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    low, high = sorted(linear @ [0.2126, 0.7152, 0.0722])
    return (high + 0.05) / (low + 0.05)


def test_colors_are_seen_in_either_theme():
    lines = [color for color in COLORS if color not in (ROLES["feed forward"], ROLES["embeddings"])]  # these fill areas
    assert min(contrast(color, PAGE) for color in lines) >= 3
    assert min(contrast(DARK[color], DARK[PAGE]) for color in COLORS) >= 4.5
    assert min(contrast(tint, INK) for tint in TINTS.values()) >= 4.5
    dark = [DARK[tint] for tint in TINTS.values() if tint in DARK]  # a gray is inverted automatically
    assert len(dark) >= 6 and min(contrast(tint, DARK[INK]) for tint in dark) >= 4.5


def test_views_have_the_colors_of_the_figures():
    sheet = (SCRIPTS / "view.css").read_text(encoding="utf-8")
    light, dark = (re.findall(r"--[abcd]:(#[0-9a-f]{6})", part) for part in sheet.split("}")[:2])
    assert [color.upper() for color in light] == COLORS[:4]
    assert [color.upper() for color in dark] == [DARK[color] for color in COLORS[:4]]
    named = dict(re.findall(r"--(query|key|value|attention):var\(--(\w)\)", sheet))
    assert named == {role: "abcd"[COLORS.index(ROLES[role])] for role in ("query", "key", "value", "attention")}
    kinds = re.findall(r"tl-kind\d\{--p:var\(--(\w+)\)", (SCRIPTS / "point_cloud.css").read_text(encoding="utf-8"))
    assert len(kinds) == len(GROUPS) == len(GROUP_MARKERS) == 6 and kinds == [*"abcd", "ink", "soft"]
    for ours, theirs in zip(GROUPS, [*COLORS[:4], *re.findall(r"--(?:ink|soft):(#\w+)", sheet)[:2]], strict=True):
        assert contrast(ours, theirs.upper()) < 1.25 and contrast(ours, PAGE) >= 3


def test_the_written_grammar_is_the_one_used():
    table = (Path(plots.__file__).parents[2] / "docs" / "figures.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+?) \| [^|]+ \| `(#\w+)` \|$", table, re.M)
    written = {name.split(";")[0]: color for name, color in rows}
    assert written == {role: color for role, color in ROLES.items() if not role.endswith("text")}


def test_panels_fill_their_rows():
    figure, axes = parts.panel_grid(5, 3, size=(1, 2), each=(2, 3), xlabel="x", ylabel="y")
    assert len(axes) == 5 and len(figure.axes) == 6 and not figure.axes[5].axison
    assert figure.get_size_inches().tolist() == [7, 8]
    assert [ax.get_xlabel() for ax in axes] == ["", "", "x", "x", "x"]  # panels with nothing below
    assert [ax.get_ylabel() for ax in axes] == ["y", "", "", "y", ""]


def test_an_outline_has_area_1():
    [ax] = charts.outlines({"x": {"a": [0.1, 0.2, 0.7], "nothing": []}}, bins=2)
    [outline] = ax.patches  # empty panels have none
    assert outline.get_path().vertices[:, 1].max() == pytest.approx(2 / 3 / 0.3)  # two of three in half of 0.1 to 0.7
