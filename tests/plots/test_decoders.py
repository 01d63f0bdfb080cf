import numpy as np
import pytest
from matplotlib.colors import to_hex

from tutorial_book import plots
from tutorial_book.plots.base import ROLES


def test_what_moves_nothing_is_hatched_and_the_scale_is_that_of_shares():
    moved = np.tril([[0.5, 0, 0], [0.1, 0.2, 0], [0.3, 0.4, 1.0]])
    ax = plots.decoders.reach(moved, [" a", " b", " c"])
    [image] = ax.images
    shown = np.ma.filled(image.get_array().astype(float), np.nan)
    assert np.isnan(shown[np.triu_indices(3, 1)]).all() and np.allclose(np.tril(np.nan_to_num(shown)), moved)
    assert len(ax.patches) == 3 and all(patch.get_hatch() for patch in ax.patches)
    assert image.get_clim() == (0, 1)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b", "c"]


def test_a_matrix_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"moved must be \(2, 2\), one row for each token, got \(3, 3\)"):
        plots.decoders.reach(np.eye(3), ["a", "b"])


def test_each_step_computes_all_rows_or_with_a_cache_the_last_one():
    plain, cached = plots.decoders.steps(list("abcdefghijk"), 4)
    blue = ROLES["query"].lower()
    for ax, rows in ((plain, [4, 5, 6, 7, 8, 9, 10, 11]), (cached, [4] + 7 * [1])):
        computed = [patch for patch in ax.patches if to_hex(patch.get_facecolor()) == blue]
        by_step = np.bincount([round(patch.get_y() + 0.42) for patch in computed])
        assert by_step.tolist() == rows and f"{sum(rows)} rows" in ax.get_title()
        assert len(ax.patches) == sum(range(4, 12)) and len(ax.texts) == sum(rows)
    read = [patch for patch in cached.patches if to_hex(patch.get_facecolor()) != blue]
    assert all(patch.get_hatch() for patch in read)  # not color alone


def test_no_prompt_and_more_than_the_tokens_are_refused():
    for n_prompt in (0, 3):
        with pytest.raises(ValueError, match="n_prompt must be between 1 and the 2 tokens"):
            plots.decoders.steps(["a", "b"], n_prompt)


def test_a_pass_writes_what_is_likeliest_and_what_came():
    ax = plots.decoders.one_pass(["a", "b"], [("layers", "attention")], [("c", 0.5), ("d", 0.25)], [("b", 0.1)])
    said = [text.get_text() for text in ax.texts if text.get_text()]
    assert said == ["layers", "a", "b", "reads", "c", "0.50", "d", "0.25", "likeliest next", "b", "0.10", "what came"]


def test_masked_scores_are_minus_infinity_and_their_weights_0():
    scores, weights = [[1.0, -np.inf], [0.5, -0.04]], [[1.0, 0.0], [0.63, 0.37]]
    left, right = plots.decoders.masked(scores, weights, ["a", "b"])
    assert [text.get_text() for text in left.texts] == ["1.0", "−∞", "0.5", "0.0"]
    assert [text.get_text() for text in right.texts] == ["1.00", "0", "0.63", "0.37"]


def test_rows_that_change_are_hatched_and_the_new_one_stands_last():
    one, two = plots.decoders.stay({"one": [[True, True]], "two": [[True, False]]}, ["layer 0"])
    assert [bool(patch.get_hatch()) for patch in one.patches] == [False] * 3
    assert [bool(patch.get_hatch()) for patch in two.patches] == [False, True, False]


def test_top_p_keeps_as_many_as_reach_it():
    axes = plots.decoders.top_p({"a": ("x", [0.95, 0.05]), "b": ("y", [0.5, 0.3, 0.15, 0.05])})
    assert [ax.texts[1].get_text() for ax in axes] == ["1 kept", "3 kept"]
    blue = [to_hex(bar.get_facecolor()) == ROLES["query"].lower() for bar in axes[1].patches]
    assert blue == [True, True, True, False]


def test_the_drawn_layers_are_those_of_the_classes():
    """LayerNorm stands on the way in BERT alone, and only a decoder's half of the small matrix is filled."""
    bert, gpt = plots.decoders.layers_side_by_side()
    said = [[text.get_text() for text in ax.texts if text.get_text()] for ax in (bert, gpt)]
    assert [each.count("LayerNorm") for each in said] == [2, 2]
    assert said[0].index("+") < said[0].index("LayerNorm") and said[1].index("LayerNorm") < said[1].index("+")
    pink = ROLES["attention"].lower()
    assert [sum(to_hex(p.get_facecolor()) == pink for p in ax.patches) for ax in (bert, gpt)] == [16, 10]


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
