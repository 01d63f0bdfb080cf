import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.training import Settings


def test_the_loss_of_each_step_stands_beside_levels_and_what_was_not_read():
    ax = plots.learning.loss_curve([7.0, 6.0, 4.0, 3.0], {"unigrams": 5.2, "bigrams": 2.8}, [(2, 6.5), (4, 3.5)])
    batch, *levels, held_out = ax.lines
    assert batch.get_xdata().tolist() == [1, 2, 3, 4] and batch.get_ydata().tolist() == [7, 6, 4, 3]
    assert held_out.get_xydata().tolist() == [[2, 6.5], [4, 3.5]]
    assert [line.get_ydata()[0] for line in levels] == [5.2, 2.8]
    said = {text.get_text(): text.xy[1] for text in ax.texts}
    assert said == {"unigrams": 5.2, "bigrams": 2.8, "3.50": 3.5, "stories not read": 6.5, "batch of the step": 7}
    assert ax.get_xscale() == "log"
    assert ax.get_ylim()[0] == 0


def test_each_kind_of_word_has_a_curve_and_its_name_at_the_end():
    curves = {"new names": [5, 4, 3.6], "verbs": [4, 3, 0.7], "nouns": [4, 3, 0.8]}
    left, right = plots.learning.losses_by_kind([1, 2, 3], curves, ("small", {"verbs": 1.0}), ("by lot", 3.45))
    assert [line.get_ydata().tolist() for line in left.lines[:3]] == list(curves.values())
    assert len({line.get_marker() for line in left.lines[:3]}) == 3
    said = [text.get_text() for text in left.texts]
    assert said == ["verbs, nouns:\n0.70 to 0.80", "new names: 3.60", "by lot"]  # grays share a line
    assert [text.get_text() for text in right.texts] == ["verbs: 1.00"] and left.lines[-1].get_ydata()[0] == 3.45


def test_a_text_is_as_many_questions_as_it_has_tokens_but_the_first():
    ax = plots.learning.questions(["(start)", "Mia", "had", "a"])
    asked = [text.get_text() for text in ax.texts if text.get_weight() == "bold"]
    assert asked == ["Mia", "had", "a"] and len(ax.texts) == 2 + 3 + 4


def test_the_mean_of_the_prices_is_dotted():
    axes = plots.learning.prices(["a", "b"], {"one": [1.0, 3.0], "two": [0.0, 1.0]})
    for ax, values in zip(axes, ([1, 3], [0, 1]), strict=True):
        assert [bar.get_height() for bar in ax.patches] == values
        assert set(ax.lines[0].get_ydata()) == {np.mean(values)}


def test_a_doubt_has_as_many_squares_as_its_perplexity():
    axes = plots.learning.doubts({"nothing": np.log(200), "pairs": np.log(16)})
    assert [len(ax.collections[0].get_offsets()) for ax in axes] == [200, 16]
    assert axes[0].get_xlim() == axes[1].get_xlim()  # squares of one size


def test_the_pushes_are_one_less_p_and_minus_p():
    before, pushed, after = plots.learning.push(["x", "y", "z"], 1, [0.5, 0.3, 0.2], [0.4, 0.5, 0.1])
    assert [text.get_text() for text in pushed.texts if text.get_text()] == ["−0.50", "+0.70", "−0.20"]
    assert [bar.get_width() for bar in before.patches] == [0.5, 0.3, 0.2]
    assert [bar.get_width() for bar in after.patches] == [0.4, 0.5, 0.1]


def test_two_plans_have_their_names_at_their_ends():
    ax = plots.learning.two_plans({"slow": [7, 6, 5], "fast": [7, 9, 8]}, ("unigrams", 5.2))
    assert {text.get_text(): text.xy for text in ax.texts} == {"slow": (3, 5), "fast": (3, 8), "unigrams": (1, 5.2)}
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()


def test_each_age_says_its_likeliest_tokens():
    axes = plots.learning.next_by_age({"young": (["."], [0.001]), "old": (["kite"], [0.5])}, mark="kite")
    assert [[text.get_text() for text in ax.texts] for ax in axes] == [[".", "<0.01"], ["kite", "0.50"]]
    assert axes[0].patches[0].get_facecolor() != axes[1].patches[0].get_facecolor()


def test_the_largest_head_s_number_is_bold():
    ax = plots.learning.heads_beside_chance([0.1, 0.02, 0.4, 0.05], 0.06, n_heads=2)
    assert [bar.get_height() for bar in ax.patches] == [0.1, 0.02, 0.4, 0.05]
    assert [text.get_text() for text in ax.texts if text.get_weight() == "bold"] == ["40"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["layer 0", "layer 1"]


def test_intervals_stand_on_the_bars_of_good_stories():
    one, both = plots.learning.good_stories({"one": {"m": 0.5}, "both": {"m": (0.4, 0.3, 0.45)}})
    assert not one.lines and list(both.lines[0].get_xdata()) == [0.3, 0.45] and both.patches[0].get_width() == 0.4


def test_a_fault_is_crossed_and_says_why():
    ax = plots.learning.judged_story([("Mia ran.", True, ""), ("Mia flew.", False, "fits no form")])
    assert [text.get_text() for text in ax.texts] == ["✓", "Mia ran.", "×", "Mia flew.", "fits no form"]


def test_the_learning_rate_is_that_of_the_settings():
    plans = {"warmup": Settings(50, lr=0.01, warmup=10), "none": Settings(50, lr=0.02, warmup=0)}
    ax = plots.learning.learning_rates(plans)
    for line, plan in zip(ax.lines, plans.values(), strict=True):
        assert line.get_ydata() == pytest.approx([plan.rate(step) for step in range(50)])
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()


def test_maps_of_attention_share_a_scale_and_leave_what_comes_later_blank():
    before, after = np.full((3, 3), 0.2), np.eye(3)
    axes = plots.learning.attention_maps({"before": before, "after": after}, ["Mia", "lost", "it"])
    for ax, weights in zip(axes, (before, after), strict=True):
        drawn = np.ma.filled(np.ma.masked_invalid(ax.images[0].get_array()), np.nan)
        assert np.isnan(drawn[0, 1:]).all() and np.allclose(drawn[2], weights[2])
        assert ax.images[0].get_clim() == (0, 1)
    assert [ax.get_title() for ax in axes] == ["before", "after"]
