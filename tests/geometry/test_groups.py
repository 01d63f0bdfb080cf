import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_score

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import distance_matrix, group_test, linear_accuracy, neighbor_purity, silhouette

X = gaussian(40, 6) + 3
LABELS = np.random.default_rng(0).integers(4, size=40)
FAR = np.array([[0.0], [1.0], [100.0], [101.0]])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_silhouette_is_scikit_learns(metric):
    for labels in (LABELS, [*LABELS[:-1], 9]):  # the last point alone in its group
        expected = silhouette_score(X, labels, metric=metric)
        assert silhouette(X, labels, metric) == pytest.approx(expected, abs=1e-12)


def test_a_table_of_distances_will_do():
    D = distance_matrix(X)
    assert silhouette(D, LABELS, "precomputed") == pytest.approx(silhouette(X, LABELS), abs=1e-12)
    assert neighbor_purity(D, LABELS, 3, "precomputed") == neighbor_purity(X, LABELS, 3)
    np.testing.assert_array_equal(D, distance_matrix(X))  # neither writes to it


def test_silhouettes_of_known_points():
    a, b = 1.0, np.array([100.5, 99.5])
    assert silhouette(FAR, ["x", "x", "y", "y"]) == pytest.approx(((b - a) / b).mean())
    assert silhouette(np.ones((4, 2)), [0, 0, 1, 1]) == 0


@pytest.mark.parametrize("k", [1, 4, 39])
def test_purity_is_what_two_loops_count(k):
    order = cdist(X, X).argsort(axis=1)[:, 1 : k + 1]
    assert neighbor_purity(X, LABELS, k) == pytest.approx((LABELS[order] == LABELS[:, None]).mean())


def test_purity_of_known_points():
    assert neighbor_purity(FAR, [0, 0, 1, 1]) == 1
    assert neighbor_purity(FAR, [0, 1, 0, 1]) == 0
    chance = (3 * 2 / 7 + 5 * 4 / 7) / 8
    assert neighbor_purity(np.ones((8, 2)), [0] * 3 + [1] * 5, k=2) == pytest.approx(chance)
    lattice = 0.1 * np.arange(8)[:, None]  # neighbors on both sides are equally far, except for rounding
    assert neighbor_purity(lattice, [0, 1] * 4, k=1) == 0
    assert neighbor_purity(lattice, [0, 0, 0, 0, 1, 1, 1, 1], k=1) == pytest.approx((6 + 2 * 0.5) / 8)


@given(arrays(np.int8, (9, 2), elements=st.integers(0, 2)), st.permutations(range(9)), st.integers(1, 8))
def test_the_order_of_rows_does_not_matter(points, order, k):
    labels = np.arange(9) % 3
    order = list(order)
    assert neighbor_purity(points[order], labels[order], k) == pytest.approx(neighbor_purity(points, labels, k))
    assert silhouette(points[order], labels[order]) == pytest.approx(silhouette(points, labels))


def test_the_group_test_is_scipys():
    labels = np.repeat([0, 1], 20)
    x = X[:, :1] + 0.4 * labels[:, None]

    def difference(a, b, axis=-1):
        return b.mean(axis) - a.mean(axis)

    peer = stats.permutation_test(
        (x[:20, 0], x[20:, 0]), difference, n_resamples=2000, alternative="greater", rng=1, vectorized=True
    )
    ours = group_test(x, labels, lambda x, labels: difference(x[labels == 0], x[labels == 1], None), 2000)
    assert ours.observed == pytest.approx(peer.statistic)
    assert ours.p == pytest.approx(peer.pvalue, abs=0.03)


def test_groups_are_found_and_the_seed_decides():
    labels = np.arange(40) % 2
    found, again, other = (group_test(X + 2 * labels[:, None], labels, n_permutations=49, seed=s) for s in (0, 0, 1))
    assert found.p == 1 / 50
    assert (found.null == again.null).all() and (found.null != other.null).any()


def test_linear_accuracy_sees_a_plane_and_no_more():
    labels = np.repeat([0, 1], 50)
    Z = gaussian(100, 5, seed=1)
    assert 0.3 < linear_accuracy(Z, labels) < 0.7
    assert linear_accuracy(Z, labels) != linear_accuracy(Z, labels, seed=1)
    Z[:, 2] += 6 * labels
    assert linear_accuracy(Z, labels) > 0.98
    assert linear_accuracy(Z * [1, 1, 1e-6, 1, 1], labels) > 0.98  # whatever the scale
    assert linear_accuracy(Z[45:55], labels[45:55]) > 0.8  # five of each will do
