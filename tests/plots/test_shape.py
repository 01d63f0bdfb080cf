import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.geometry import anisotropy, average_cosine, intrinsic_dimension, neighbor_ratios


def cloud(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_each_flat_cloud_has_its_numbers_above_it_and_one_scale():
    clouds = {"round": cloud(50, 2), "off center": cloud(50, 2) * [3, 1] + 5}
    axes = plots.shape.flat_clouds(clouds)
    for ax, (title, X) in zip(axes, clouds.items(), strict=True):
        above = [title, f"anisotropy {anisotropy(X):.2f}", f"average cosine {average_cosine(X):.2f}"]
        assert ax.get_title().replace("-0.00", "0.00").splitlines() == [s.replace("-0.00", "0.00") for s in above]
        np.testing.assert_array_equal(np.column_stack(ax.lines[0].get_data()), X)
    assert axes[0].get_xlim() == axes[1].get_xlim() and axes[0].get_aspect() == 1


def test_the_line_drawn_has_the_slope_that_the_library_gives():
    X = cloud(300, 4)
    ax = plots.shape.ratio_lines({"four": X}, discard=0.2)
    kept, rest, line = ax.lines
    log_mu = np.log(neighbor_ratios(X))
    np.testing.assert_allclose(np.r_[kept.get_xdata(), rest.get_xdata()], log_mu[:-1])
    assert len(kept.get_xdata()) == 240
    np.testing.assert_allclose(np.exp(-np.r_[kept.get_ydata(), rest.get_ydata()]), 1 - np.arange(1, 300) / 300)
    (x0, x1), (y0, y1) = line.get_data()
    assert (x0, y0) == (0, 0) and y1 / x1 == pytest.approx(intrinsic_dimension(X, discard=0.2))


def test_repeats_are_drawn_as_mean_and_range():
    curves = {"a": [[1, 2, 3], [3, 4, 5]], "b": [1, 1, 1]}
    ax = plots.shape.dimension_curves([1, 10, 100], curves, "n", levels={"true": 2})
    assert [line.get_label() for line in ax.lines] == ["a", "b", "true"]
    assert ax.lines[0].get_ydata().tolist() == [2, 3, 4] and len(ax.collections) == 1
    edges = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (edges.min(), edges.max()) == (1, 5)
    assert ax.get_xscale() == "log" and [t.get_text() for t in ax.get_xticklabels()] == ["1", "10", "100"]


def test_profiles_of_models_of_different_depth_share_an_axis():
    lines = {"six": np.arange(7.0), "two": np.arange(3.0)}
    plain, relative = (plots.shape.layer_profiles({"a": lines}, relative=on)[0] for on in (False, True))
    assert [line.get_xdata()[-1] for line in plain.lines] == [6, 2]
    assert [line.get_xdata()[-1] for line in relative.lines] == [1, 1]
    assert [text.get_text() for text in relative.figure.legends[0].get_texts()] == ["six", "two"]


def test_each_measure_has_a_panel():
    axes = plots.shape.layer_profiles({"a": {"x": [1, 2]}, "b": {"x": [[3, 4], [5, 6]]}})
    assert [ax.get_title() for ax in axes] == ["a", "b"]
    assert axes[1].lines[0].get_ydata().tolist() == [4, 5]
