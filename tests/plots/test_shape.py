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


def test_the_point_in_the_middle_and_its_two_nearest_neighbors_are_shown():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, -1.5], [-4.0, 0.2], [3.0, 1.3]])
    ax, last = plots.shape.two_neighbors({"five": X}, {1: [1.5, 2.0, 3.0], 10: [1.1]})
    assert sorted(circle.radius for circle in ax.patches) == [1, 1.5] and ax.get_title() == "five: μ = 1.5"
    tips = [text.xy for text in ax.texts if getattr(text, "arrow_patch", None)]
    assert [list(tip) for tip in tips] == [[1, 0], [0, -1.5]]
    mu, share = last.lines[0].get_data()
    np.testing.assert_allclose(share, 1 - 1 / mu)  # the law in one dimension
    assert last.lines[1].get_xdata().tolist() == [1.5, 2, 3]


def test_a_sketch_shows_every_point_once():
    X = cloud(40, 3)
    [ax] = plots.shape.sketches({"ball": (X, X[:, 0])})
    assert len(ax.collections[0].get_offsets()) == 40


def test_known_dimensions_mark_what_they_are_told():
    ax = plots.shape.known_dimensions({"helix": [1, 3, 1.01, 1.0, 1.02], "cube": [10, 10, 8.6, 8.5, 8.7]})
    assert [line.get_xdata().tolist() for line in ax.lines] == [[1, 10], [3, 10], [1.01, 8.6]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["helix", "cube"]


def test_a_labeled_curve_has_its_label_at_its_end():
    ax = plots.shape.labeled_curves({"a": [0.1, 0.4], "b": [0.3, 0.2]}, "share")
    assert {text.get_text(): text.xy for text in ax.texts} == {"a": (1, 0.4), "b": (1, 0.2)}


def test_the_largest_of_what_coordinates_add_has_its_number():
    left, right = plots.shape.one_coordinate([0.01, 0.1, 0.02], {"all": [0.1, 0.2, 0.1]}, layer=1)
    assert [text.get_text() for text in left.texts] == ["coordinate 1: 0.10"]
    assert right.lines[0].get_ydata().tolist() == [0.1, 0.2, 0.1]
