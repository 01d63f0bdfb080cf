import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from tutorial_book import plots
from tutorial_book.plots.base import (
    COLORS,
    DARK,
    GROUP_MARKERS,
    GROUPS,
    ON_DEEP_CELL,
    ON_PALE_CELL,
    ROLES,
    TINTS,
    as_array,
)
from tutorial_lib import views


def test_a_heatmap_holds_the_matrix_its_numbers_and_its_labels():
    ax = plots.heatmap(torch.tensor([[0.25, 1.0, 0.0]]), rows=["the"], columns=["a", "b", "c"], digits=2, label="share")
    assert ax.images[0].get_array().tolist() == [[0.25, 1.0, 0.0]]
    assert [text.get_text() for text in ax.texts] == ["0.25", "1.00", "0.00"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b", "c"]
    assert ax.figure.axes[1].get_ylabel() == "share"


def test_dark_cells_have_white_numbers_and_light_cells_black_ones():
    ax = plots.heatmap([[0.0, 1.0]], digits=0)  # from paper to deep blue
    assert [text.get_color() for text in ax.texts] == [ON_PALE_CELL, ON_DEEP_CELL]


@pytest.mark.parametrize(
    ("matrix", "options", "limits"),
    [
        ([[-1.0, 3.0]], {}, (-3, 3)),  # both signs: zero is in the middle
        ([[-1.0, 3.0]], {"diverging": False}, (-1, 3)),
        ([[0.5, -np.inf]], {}, (0, 0.5)),  # a mask's minus infinity sets no scale
        ([[0.5, 0.7]], {"limits": (0, 2)}, (0, 2)),
    ],
)
def test_the_scale_of_colors(matrix, options, limits):
    assert plots.heatmap(matrix, **options).images[0].get_clim() == limits


def test_it_draws_into_the_axes_that_it_is_given():
    _, ax = plt.subplots()
    assert plots.heatmap([[1.0]], ax=ax) is ax


@pytest.mark.parametrize(
    ("matrix", "labels", "says"),
    [
        ([1.0, 2.0], {}, r"matrix must have 2 axes \(rows, columns\), got shape \(2,\)"),
        ([[1.0, 2.0]], {"columns": ["a"]}, "columns must hold 2 labels, one for each of the matrix's columns, got 1"),
    ],
)
def test_what_does_not_fit_is_refused(matrix, labels, says):
    with pytest.raises(ValueError, match=says):
        plots.heatmap(matrix, **labels)


def test_arrays_lists_and_tensors_with_gradients_become_numpy():
    for values in ([1, 2], np.array([1, 2]), torch.tensor([1.0, 2.0], requires_grad=True)):
        assert as_array(values).dtype == float and as_array(values).tolist() == [1, 2]


def test_the_style_sets_the_palette():
    with plt.rc_context():
        plots.use_style()
        assert plt.rcParams["axes.prop_cycle"].by_key()["color"] == plots.COLORS


def contrast(one, other):
    """The contrast of two colors, as WCAG defines it."""
    levels = []
    for color in (one, other):
        parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        levels.append(linear @ [0.2126, 0.7152, 0.0722])
    return (max(levels) + 0.05) / (min(levels) + 0.05)


def test_each_color_is_seen_on_the_page_in_either_theme():
    lines = [color for color in COLORS if color not in (ROLES["feed forward"], ROLES["embeddings"])]  # these fill areas
    assert min(contrast(color, "#FFFFFF") for color in lines) >= 3
    assert min(contrast(DARK[color], DARK["#FFFFFF"]) for color in COLORS) >= 4.5


def test_text_can_be_read_on_each_tint_in_either_theme():
    assert min(contrast(tint, "#000000") for tint in TINTS.values()) >= 4.5
    dark = [DARK[tint] for tint in TINTS.values() if tint in DARK]  # a gray turns round by itself
    assert len(dark) >= 6 and min(contrast(tint, DARK["#000000"]) for tint in dark) >= 4.5


def test_views_have_the_colors_of_the_figures():
    sheet = (Path(views.__file__).parent / "js" / "view.css").read_text(encoding="utf-8")
    light, dark = (re.findall(r"--([abcd]):(#[0-9a-f]{6})", part) for part in sheet.split("}")[:2])
    assert [color.upper() for _, color in light] == COLORS[:4]
    assert [color.upper() for _, color in dark] == [DARK[color] for color in COLORS[:4]]
    named = dict(re.findall(r"--(query|key|value|attention):var\(--(\w)\)", sheet))
    assert named == {role: "abcd"[COLORS.index(ROLES[role])] for role in named} and len(named) == 4


def test_a_group_of_points_has_the_color_in_figures_that_it_has_in_views():
    folder = Path(views.__file__).parent / "js"
    kinds = re.findall(r"tl-kind\d\{--p:var\(--(\w+)\)", (folder / "point_cloud.css").read_text(encoding="utf-8"))
    assert len(kinds) == len(GROUPS) == len(GROUP_MARKERS) == 6 and kinds == [*"abcd", "ink", "soft"]
    ink, soft = re.findall(r"--(?:ink|soft):(#\w+)", (folder / "view.css").read_text(encoding="utf-8"))[:2]
    for ours, theirs in zip(GROUPS, [*COLORS[:4], ink, soft], strict=True):
        assert contrast(ours, theirs.upper()) < 1.25 and contrast(ours, "#FFFFFF") >= 3


def test_the_written_grammar_is_the_one_that_is_used():
    table = (Path(plots.__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+?) \| [^|]+ \| `(#\w+)` \|$", table, re.M)
    written = {name.split(";")[0]: color for name, color in rows}
    assert written == {role: color for role, color in ROLES.items() if not role.endswith("text")}
