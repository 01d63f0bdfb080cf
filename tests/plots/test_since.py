import numpy as np
import pytest

from tutorial_book import plots


def test_losses_stand_at_the_middle_of_their_places_with_a_band():
    losses = {"one": [[1.0, 2.0], [1.2, 2.4]], "two": [[1.0, 1.0], [1.0, 1.0]]}
    axes = plots.since.by_place({"whole": losses, "window": losses}, 16, 16)
    assert [ax.get_title() for ax in axes] == ["whole", "window"]
    assert axes[0].lines[0].get_xydata().tolist() == [[8, 1.1], [24, 2.2]] and len(axes[0].collections) == 2
    assert axes[0].lines[2].get_xdata()[0] == 16
    assert [text.get_text() for text in axes[0].texts] == ["trained"]


def test_each_seed_is_a_dot_beside_the_mean():
    ax = plots.since.costs({"a": [0.1, 0.3], "b": [-0.1, 0.1]}, "loss")
    dots, line, mean = ax.lines[:3]
    assert dots.get_xdata().tolist() == [0.1, 0.3] and mean.get_xdata()[0] == pytest.approx(0.2)
    assert line.get_xdata()[0] < 0.1 < 0.3 < line.get_xdata()[1]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]


def test_pairs_are_dots_for_heads_and_curves_for_losses():
    rng = np.random.default_rng(0)
    trained, untrained = rng.random((2, 3, 4)), rng.random((2, 3, 4))
    without = {"turning": np.ones((2, 4)), "meaning": np.zeros((2, 4))}
    left, right = plots.since.rotary_pairs(trained, untrained, without)
    null, dots = left.lines
    assert sorted(dots.get_ydata()) == pytest.approx(sorted(trained.ravel()))
    assert sorted(null.get_ydata()) == pytest.approx(sorted(untrained.ravel()))
    at_2 = dots.get_ydata()[np.round(dots.get_xdata()) == 2]
    assert sorted(at_2) == pytest.approx(sorted(trained[..., 2].ravel()))
    assert [line.get_label() for line in right.lines[:2]] == ["turning", "meaning"]


def test_a_mask_is_drawn_for_each_layer():
    axes = plots.since.masks({"all": np.ones((4, 4)), "near": np.eye(4)})
    assert axes[1].images[0].get_array().data.tolist() == (0.5 * np.eye(4)).tolist()


def test_work_is_on_log_scales():
    ax = plots.since.work([128, 512], {"all": [1, 16], "near": [1, 4]}, "multiplications")
    assert ax.lines[0].get_xydata().tolist() == [[128, 1], [512, 16]] and ax.get_xscale() == ax.get_yscale() == "log"
