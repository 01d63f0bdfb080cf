"""The figures of the chapter on seeing high dimensions draw what they are given."""

import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.geometry import crossings, cubes, hopf_link, pca


def outline(patch):
    """The bins' edges and heights of a histogram's outline."""
    x, y = patch.get_path().vertices.T
    return x, y


def test_lengths_and_cosines_have_one_outline_of_area_1_for_each_cloud():
    rng = np.random.default_rng(0)
    clouds = {"d = 3": rng.normal(size=(50, 3)), "d = 300": rng.normal(size=(50, 300))}
    left, right = plots.seeing.concentration(clouds)
    assert [text.get_text() for text in left.get_legend().get_texts()] == list(clouds)
    for ax in (left, right):
        assert len(ax.patches) == 2
        narrow = [np.ptp(x[y > 0]) for x, y in map(outline, ax.patches)]
        assert narrow[1] < narrow[0] / 2


def test_pictures_have_a_panel_for_each_cloud_and_a_color_for_each_group():
    clouds = {"one": np.arange(8).reshape(4, 2), "two": np.zeros((4, 2))}
    axes = plots.seeing.grouped_points(clouds, [0, 1, 1, 0], names=["a", "b"])
    assert [ax.get_title() for ax in axes] == ["one", "two"]
    first, second = axes[0].collections
    np.testing.assert_array_equal(first.get_offsets(), [[0, 1], [6, 7]])
    np.testing.assert_array_equal(second.get_offsets(), [[2, 3], [4, 5]])
    assert not (first.get_facecolor() == second.get_facecolor()).all()
    assert len(first.get_paths()[0].vertices) != len(second.get_paths()[0].vertices)  # another shape
    assert list(axes[0].get_xticks()) == []  # such coordinates mean nothing


def test_pictures_with_axes_name_them_and_joined_ones_close_each_group():
    [ax] = plots.seeing.grouped_points({"one": [[0, 0], [1, 0], [1, 1]]}, [0, 0, 0], axes=("PC 1", "PC 2"), joined=True)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("PC 1", "PC 2")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[0, 0], [1, 0], [1, 1], [0, 0]])


def test_a_picture_has_one_point_in_the_plane_for_each_group():
    with pytest.raises(ValueError, match="one point in the plane for each of 3 groups"):
        plots.seeing.grouped_points({"one": np.zeros((2, 2))}, [0, 0, 1])


def test_curves_of_shares_add_up():
    points, cube = cubes(100)
    shares = pca(points[cube == 1], n=10).shares
    ax = plots.seeing.explained_variance({"cube": shares})
    np.testing.assert_allclose(ax.lines[0].get_ydata(), 100 * np.cumsum(shares))
    assert ax.lines[0].get_ydata()[7] == pytest.approx(100)
    assert list(ax.lines[0].get_xdata()) == list(range(1, 11))


def test_by_hand_draws_each_foot_on_the_first_direction_and_the_variance_of_all():
    X = np.array([[0, 0], [2, 1], [1, 2], [3, 3]])
    left, right = plots.seeing.by_hand(X)
    feet = np.array([line.get_xydata()[0] for line in left.lines if line.get_markersize() == 5])
    np.testing.assert_allclose(feet, [[0, 0], [1.5, 1.5], [1.5, 1.5], [3, 3]], atol=1e-12)
    degrees, variances = right.lines[0].get_xydata().T
    direct = [np.var(X @ [np.cos(a), np.sin(a)], ddof=1) for a in np.radians(degrees)]
    np.testing.assert_allclose(variances, direct)
    assert (degrees[variances.argmax()], degrees[variances.argmin()]) == (45, 135)


def test_a_ring_stands_around_each_crossing():
    points, circle = hopf_link(60)
    plane, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 2)))
    [ax] = plots.seeing.crossed({"a shadow": points @ plane}, circle, ["a", "b"])
    rings = ax.collections[-1].get_offsets()
    assert len(rings) == crossings(*(points[circle == group] @ plane for group in (0, 1)))
    for group in (0, 1):  # each on both curves, which are polygons of 60 edges
        own = points[circle == group] @ plane
        assert all(np.linalg.norm(own - ring, axis=1).min() < 0.1 for ring in rings)


def test_gaps_join_the_centers_of_the_groups():
    Y = np.array([[0, 0], [0, 2], [3, 1], [3, 1], [0, 9], [0, 9]])
    [ax] = plots.seeing.group_gaps({"three": Y}, [0, 0, 1, 1, 2, 2], ["a", "b", "c"])
    np.testing.assert_array_equal([line.get_xydata() for line in ax.lines], [[[0, 1], [3, 1]], [[0, 1], [0, 9]]])
    assert [text.get_text() for text in ax.texts] == ["3.0", "8.0"]


def test_a_hub_is_joined_to_its_followers():
    Y = np.arange(8).reshape(4, 2)
    [ax] = plots.seeing.hubs({"four": Y}, {"four": (2, [0, 3])})
    np.testing.assert_array_equal(ax.collections[0].get_segments(), [[Y[2], Y[0]], [Y[2], Y[3]]])


def test_qualities_have_a_bar_for_each_picture():
    axes = plots.seeing.qualities({"one": [0.25, 2], "two": [0.5, 0]}, ["recall", "crossings"])
    assert [[bar.get_width() for bar in ax.patches] for ax in axes] == [[0.25, 0.5], [2, 0]]
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["one", "two"]
