import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.geometry import mean_interval, pca


def test_profiles_share_a_scale_from_0_that_holds_all_curves():
    panels = {"long": {"all": [0.1, 0.2], "rest": [0.1, 0.1]}, "short": {"all": [0.3, 0.6], "rest": [0.1, 0.2]}}
    axes = plots.shape_of_learning.profiles(panels, "anisotropy", names=["0", "norm"])
    assert [ax.get_title() for ax in axes] == ["long", "short"]
    for ax in axes:
        low, high = ax.get_ylim()
        assert low == 0 and high > 0.6
        assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "norm"]
    assert axes[1].lines[1].get_ydata().tolist() == [0.1, 0.2]
    assert [text.get_text() for text in axes[0].figure.legends[0].get_texts()] == ["all", "rest"]


def test_seeds_become_a_mean_and_its_interval():
    values = np.random.default_rng(0).random((5, 3))
    [ax] = plots.shape_of_learning.along_training({"dimension": {"a kind": values}}, [0, 10, 1600])
    mean, low, high = mean_interval(values)
    assert np.allclose(ax.lines[0].get_ydata(), mean)
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.min() == pytest.approx(low.min()) and band.max() == pytest.approx(high.max())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "10", "1,600"]


def test_a_kind_looks_the_same_in_all_panels_and_each_panel_has_its_own_scale():
    panels = {"anisotropy": {"one": [0.1, 0.2], "two": [0.2, 0.1]}, "dimension": {"two": [9, 8]}}
    first, second = plots.shape_of_learning.along_training(panels, [0, 10])
    assert first.lines[1].get_color() == second.lines[0].get_color() != first.lines[0].get_color()
    assert first.lines[1].get_linestyle() != first.lines[0].get_linestyle()
    assert first.get_ylim()[1] < 1 < 9 < second.get_ylim()[1]


def test_a_cloud_stands_in_its_own_principal_components_and_groups_have_shapes():
    X = np.random.default_rng(0).normal(size=(6, 4))
    groups = np.array(["other", "stop"] * 3)
    ax = plots.shape_of_learning.cloud(X, groups, "step 20")
    expected = pca(X).coordinates
    other, stop = ax.lines
    assert np.allclose(stop.get_xydata(), expected[groups == "stop"]) and stop.get_marker() != other.get_marker()
    assert ax.get_title() == "step 20"
