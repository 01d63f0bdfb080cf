"""What is drawn is what was given: both balls reach to their neighbors, and each kind of curve looks the same."""

import numpy as np
import pytest

from tutorial_book import plots

POINTS = np.array([[0, 0], [1, 0], [0, 2], [3, 0], [0, 4.5]])
SCALES = [(1, 1.2, 2.0), (2, 0.9, 3.0)]


@pytest.mark.parametrize("k, near, far, growth", [(1, 1, 2, 100), (2, 2, 4.5, 125)])
def test_both_balls_reach_to_their_neighbors(k, near, far, growth):
    left, right = plots.dimension.seen_from(POINTS, k, SCALES)
    balls = [ball.radius for ball in left.patches]
    assert balls == [far, near] and left.get_title() == f"radius grows by {growth} %"
    assert left.get_xlim() == pytest.approx((-1.35 * far, 1.35 * far))
    curve, mark = right.lines
    assert curve.get_ydata().tolist() == [1.2, 0.9] and mark.get_xdata()[0] == k
    assert [text.get_text() for text in right.texts] == [f"{SCALES[k - 1][1]:.1f}"]


def test_each_scale_has_its_panel_with_the_same_dimensions():
    curves = {"few": ([1, 2], [2.0, 1.5]), "many": ([1, 2], [1.9, 1.0])}
    left, right = plots.dimension.by_scale({"neighbors k": curves, "distance": curves})
    assert (left.get_xlabel(), right.get_xlabel(), left.get_ylabel()) == ("neighbors k", "distance", "dimension")
    assert [line.get_ydata().tolist() for line in right.lines] == [[2.0, 1.5], [1.9, 1.0]]
    assert len({(line.get_linestyle(), line.get_marker()) for line in left.lines}) == 2


def test_shares_and_dimensions_stand_side_by_side():
    left, right = plots.dimension.groups([1, 2, 4], {"same type": [0.6, 0.5, 0.4]}, {"by lot": [8, 9, 10]})
    assert left.lines[0].get_xdata().tolist() == [1, 2, 4] and left.get_ylim()[0] == 0
    assert right.lines[0].get_ydata().tolist() == [8, 9, 10]


def test_shuffled_is_dashed_and_what_learned_nothing_is_gray():
    names = ["as it is", "words shuffled", "untrained", "untrained, words shuffled"]
    [ax] = plots.dimension.profiles({"k = 1": {name: [[1.0, 2.0], [3.0, 4.0]] for name in names}}, first=1)
    gray = plots.base.ROLES["the rest"]
    assert [line.get_color() for line in ax.lines] == [*plots.COLORS[:2], gray, gray]
    assert [line.get_linestyle() for line in ax.lines] == ["-", "--", "-", "--"]
    assert ax.lines[0].get_xdata().tolist() == [1, 2] and ax.lines[0].get_ydata().tolist() == [2, 3]
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == 1 and band[:, 1].max() == 4
