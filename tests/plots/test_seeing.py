"""The figures of the chapter on seeing high dimensions draw what they are given."""

import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.geometry import cubes, pca


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
