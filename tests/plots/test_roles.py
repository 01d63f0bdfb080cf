import numpy as np
import pytest
from matplotlib.colors import to_hex

from tutorial_book import plots
from tutorial_lib.geometry.heads import PATTERNS


def test_the_census_has_one_scale_and_a_panel_for_each_kind_of_key():
    masses = {name: np.random.default_rng(0).random((6, 12)) for name in ("[CLS]", "[SEP]", "next", "self")}
    figure = plots.roles.census(masses)
    panels = [ax for ax in figure.axes if ax.images]
    assert [ax.get_title() for ax in panels] == list(masses)
    for ax, values in zip(panels, masses.values(), strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), values)
        assert ax.images[0].get_clim() == (0, 1)
        assert ax.images[0].norm(0.04) == pytest.approx(0.2)
    assert [bool(ax.get_ylabel()) for ax in panels] == [True, False, False, True]
    assert [bool(ax.get_xlabel()) for ax in panels] == [False, True, True, True]


def test_each_map_is_drawn_on_its_own_scale():
    axes = plots.roles.maps({"even": np.full((4, 4), 0.25), "diagonal": np.eye(4)})
    assert [ax.images[0].get_clim() for ax in axes] == [(0, 0.25), (0, 1)]


def test_every_pattern_has_a_letter_and_a_color_of_its_own():
    assert tuple(plots.roles.PATTERNS) == PATTERNS
    assert len({color for color, _ in plots.roles.PATTERNS.values()}) == 5
    ax = plots.roles.pattern_grid([list(PATTERNS)], [[True, True, False, True, True]])
    assert [text.get_text() for text in ax.texts] == ["V", "D", "(VD)", "B", "·"]
    cells = [(patch.get_xy(), to_hex(patch.get_facecolor()).upper()) for patch in ax.patches]
    assert cells == [((i - 0.5, -0.5), color) for i, (color, _) in enumerate(plots.roles.PATTERNS.values())]
    legend = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert legend == ["V vertical", "D diagonal", "VD vertical + diagonal", "B block", "· heterogeneous"]


def test_roles_stand_from_top_to_bottom_with_their_interval():
    ax = plots.roles.found_again({"one": (0.9, 0.8, 1.0, 0.5), "two": (0.4, 0.3, 0.5, 0.6)})
    head, offset = ax.lines[-2:]
    assert head.get_xdata().tolist() == [0.9, 0.4] and offset.get_xdata().tolist() == [0.5, 0.6]
    assert head.get_ydata().tolist() == [1, 0]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["one", "two"]
    spans = ax.collections[0].get_segments()
    assert [[x for x, _ in span] for span in spans] == [[0.8, 1.0], [0.3, 0.5]]
    assert head.get_marker() != offset.get_marker()


def test_the_head_that_is_missed_most_has_its_number():
    first, second = plots.roles.missed({"a": np.eye(2, 12) + np.eye(2, 12, k=3) * 2, "b": [[0.2, 0.1]]})
    assert [text.get_text() for text in first.texts] == ["2.00"] and first.texts[0].get_position() == (3, 0)
    assert [text.get_text() for text in second.texts] == ["0.20"]
    assert first.images[0].get_clim() == (0, 2) and second.images[0].get_clim() == (0, 0.2)
