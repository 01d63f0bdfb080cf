import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.training import Settings


def test_the_loss_of_each_step_stands_beside_levels_and_what_was_not_read():
    ax = plots.learning.loss_curve([7.0, 6.0, 4.0, 3.0], {"unigrams": 5.2, "bigrams": 2.8}, [(2, 6.5), (4, 3.5)])
    batch, held_out, *levels = ax.lines
    assert batch.get_xdata().tolist() == [1, 2, 3, 4] and batch.get_ydata().tolist() == [7, 6, 4, 3]
    assert held_out.get_xydata().tolist() == [[2, 6.5], [4, 3.5]]
    assert [line.get_ydata()[0] for line in levels] == [5.2, 2.8]
    assert [text.get_text() for text in ax.texts] == ["unigrams", "bigrams"]
    assert [text.xy[1] for text in ax.texts] == [5.2, 2.8] and ax.get_xscale() == "log"
    assert ax.get_ylim()[0] == 0


def test_each_kind_of_token_has_a_curve_of_its_own_color_and_marker():
    ax = plots.learning.losses_by_kind([1, 2, 3], {"names": [5, 4, 3], "verbs": [4, 3, 2]})
    assert [line.get_ydata().tolist() for line in ax.lines] == [[5, 4, 3], [4, 3, 2]]
    first, second = ax.lines
    assert first.get_color() != second.get_color() and first.get_marker() != second.get_marker()
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["names", "verbs"]


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
