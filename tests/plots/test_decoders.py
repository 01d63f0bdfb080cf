import numpy as np
import pytest
from matplotlib.colors import to_hex

from tutorial_book import plots
from tutorial_book.plots.base import ROLES


def test_what_moves_nothing_stays_empty_and_the_scale_is_that_of_shares():
    moved = np.tril([[0.5, 0, 0], [0.1, 0.2, 0], [0.3, 0.4, 1.0]])
    ax = plots.decoders.reach(moved, [" a", " b", " c"])
    [image] = ax.images
    shown = np.ma.filled(image.get_array().astype(float), np.nan)
    assert np.isnan(shown[np.triu_indices(3, 1)]).all() and np.allclose(np.tril(np.nan_to_num(shown)), moved)
    assert image.get_clim() == (0, 1)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b", "c"]


def test_a_matrix_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"moved must be \(2, 2\), one row for each token, got \(3, 3\)"):
        plots.decoders.reach(np.eye(3), ["a", "b"])


def test_each_step_computes_all_rows_or_with_a_cache_the_last_one():
    plain, cached = plots.decoders.steps(4, 8)
    blue = ROLES["query"].lower()
    for ax, rows in ((plain, [4, 5, 6, 7, 8, 9, 10, 11]), (cached, [4] + 7 * [1])):
        computed = [patch for patch in ax.patches if to_hex(patch.get_facecolor()) == blue]
        by_step = np.bincount([round(patch.get_y() + 0.42) for patch in computed])
        assert by_step.tolist() == rows and f"{sum(rows)} rows" in ax.get_title()
        assert len(ax.patches) == sum(range(4, 12))
    read = [patch for patch in cached.patches if to_hex(patch.get_facecolor()) != blue]
    assert all(patch.get_hatch() for patch in read)  # not color alone


def test_no_prompt_and_no_step_are_refused():
    for sizes in ((0, 3), (3, 0)):
        with pytest.raises(ValueError, match="n_prompt and n_new must be 1 or more"):
            plots.decoders.steps(*sizes)


def test_savings_are_drawn_on_logarithmic_axes_with_their_names_at_the_ends():
    ax = plots.decoders.savings([8, 32, 112], {"multiplications": [6, 19, 57], "time": [2, 3, 6]})
    assert ax.get_xscale() == ax.get_yscale() == "log"
    assert [line.get_ydata().tolist() for line in ax.lines[:2]] == [[6, 19, 57], [2, 3, 6]]
    assert {text.get_text(): text.xy for text in ax.texts} == {"multiplications": (112, 57), "time": (112, 6)}
    assert [text.get_text() for text in ax.get_xticklabels()] == ["8", "32", "112"]


def test_a_token_that_is_left_out_is_crossed_out():
    panels = {"all": [0.5, 0.3, 0.2], "top-k 2": [0.625, 0.375, 0.0], "three": [1, 0, 0]}
    axes = plots.decoders.choices([" park", " field", " garden"], panels)
    assert [ax.get_title() for ax in axes] == list(panels)
    for ax, values in zip(axes, panels.values(), strict=True):
        assert [bar.get_width() for bar in ax.patches] == values
        assert [text.get_text() for text in ax.texts] == [f"{value:.2f}" if value else "×" for value in values]
    assert [text.get_text() for text in axes[0].get_yticklabels()] == ["park", "field", "garden"]


def test_shares_are_drawn_against_the_temperature_one_line_for_each_rule():
    curves = {"all tokens": [0.9, 0.4], "top-p 0.9": [0.9, 0.7]}
    axes = plots.decoders.quality([0.5, 1.5], {"without an error": curves, "varied": curves})
    for ax in axes:
        assert [line.get_ydata().tolist() for line in ax.lines] == list(curves.values())
        assert len({line.get_linestyle() for line in ax.lines}) == 2
    [legend] = axes[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(curves)
