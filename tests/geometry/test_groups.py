import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_score

from tutorial_lib.geometry import distance_matrix, group_test, linear_accuracy, neighbor_purity, silhouette

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6)) + 3
LABELS = RNG.integers(4, size=40)
FAR = np.array([[0.0], [1.0], [100.0], [101.0]])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_distances_and_silhouette_are_scipys_and_scikit_learns(metric):
    assert np.allclose(distance_matrix(X, metric), cdist(X, X, metric), atol=1e-12)
    assert silhouette(X, LABELS, metric) == pytest.approx(silhouette_score(X, LABELS, metric=metric), abs=1e-12)


def test_a_table_of_distances_will_do():
    D = distance_matrix(X)
    assert silhouette(D, LABELS, "precomputed") == pytest.approx(silhouette(X, LABELS), abs=1e-12)
    assert neighbor_purity(D, LABELS, 3, "precomputed") == neighbor_purity(X, LABELS, 3)


def test_equal_rows_are_at_distance_zero_even_far_from_the_origin():
    rows = RNG.normal(size=(1, 384)).repeat(3, axis=0) + 1e4
    for metric in ("euclidean", "cosine"):
        assert not distance_matrix(rows, metric).any()


def test_silhouette_of_a_case_done_by_hand():
    a, b = 1.0, np.array([100.5, 99.5])
    assert silhouette(FAR, ["x", "x", "y", "y"]) == pytest.approx(((b - a) / b).mean())


def test_a_point_alone_in_its_group_counts_as_zero():
    labels = [0, 0, 0, 1, 2]
    points = X[:5]
    assert silhouette(points, labels) == pytest.approx(silhouette_score(points, labels), abs=1e-12)


def test_points_that_all_coincide_have_silhouette_zero():
    assert silhouette(np.ones((4, 2)), [0, 0, 1, 1]) == 0


@pytest.mark.parametrize("k", [1, 4, 39])
def test_purity_is_what_two_loops_count(k):
    share = []
    for i, x in enumerate(X):
        others = sorted((np.linalg.norm(x - y), j) for j, y in enumerate(X) if j != i)
        share.append(np.mean([LABELS[j] == LABELS[i] for _, j in others[:k]]))
    assert neighbor_purity(X, LABELS, k) == pytest.approx(np.mean(share))


def test_purity_of_groups_far_apart_is_one():
    assert neighbor_purity(FAR, [0, 0, 1, 1]) == 1
    assert neighbor_purity(FAR, [0, 1, 0, 1]) == 0


def test_purity_of_points_that_all_coincide_is_that_of_chance():
    labels = [0] * 3 + [1] * 5
    assert neighbor_purity(np.ones((8, 2)), labels, k=2) == pytest.approx((3 * 2 / 7 + 5 * 4 / 7) / 8)


@given(arrays(np.int8, (9, 2), elements=st.integers(0, 2)), st.permutations(range(9)), st.integers(1, 8))
def test_the_order_of_the_rows_does_not_matter(points, order, k):
    labels = np.arange(9) % 3
    order = list(order)
    assert neighbor_purity(points[order], labels[order], k) == pytest.approx(neighbor_purity(points, labels, k))
    assert silhouette(points[order], labels[order]) == pytest.approx(silhouette(points, labels))


@given(st.floats(0.1, 100), st.floats(-50, 50))
def test_moving_and_scaling_the_cloud_does_not_matter(scale, shift):
    assert silhouette(X * scale + shift, LABELS) == pytest.approx(silhouette(X, LABELS))
    assert neighbor_purity(X * scale + shift, LABELS, 3) == pytest.approx(neighbor_purity(X, LABELS, 3))


def test_torch_comes_in_and_plain_numbers_come_out():
    value = silhouette(torch.tensor(X, requires_grad=True), LABELS)
    assert type(value) is float and value == silhouette(X, LABELS)
    assert type(neighbor_purity(torch.tensor(X), torch.tensor(LABELS))) is float


def test_the_group_test_is_scipys():
    labels = np.repeat([0, 1], 20)
    x = X[:, :1] + 0.4 * labels[:, None]

    def statistic(a, b, axis=-1):
        return b.mean(axis) - a.mean(axis)

    peer = stats.permutation_test(
        (x[:20, 0], x[20:, 0]), statistic, n_resamples=2000, alternative="greater", rng=1, vectorized=True
    )
    ours = group_test(x, labels, lambda x, labels: x[labels == 1].mean() - x[labels == 0].mean(), n_permutations=2000)
    assert ours.observed == pytest.approx(peer.statistic)
    assert ours.p == pytest.approx(peer.pvalue, abs=0.03)


def test_its_p_values_are_uniform_when_labels_mean_nothing():
    rng = np.random.default_rng(0)
    p = []
    for seed in range(150):
        points, labels = rng.normal(size=(24, 3)), rng.permutation(np.arange(24) % 3)
        p.append(group_test(points, labels, silhouette, 99, seed).p)
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_groups_that_are_there_are_found_and_the_seed_alone_decides():
    labels = np.arange(40) % 2
    found = group_test(X + 2 * labels[:, None], labels, neighbor_purity, 199)
    again = group_test(X + 2 * labels[:, None], labels, neighbor_purity, 199)
    assert found.p == 1 / 200 and (found.null == again.null).all()
    assert found.null.max() < found.observed


@pytest.mark.parametrize("function", [silhouette, neighbor_purity, group_test])
def test_all_refuse_bad_groups_and_bad_vectors(function):
    bad = {
        "labels must name two groups or more, got 1": (X, np.zeros(40)),
        "labels must be one for each of the 40 vectors": (X, LABELS[:-1]),
        "X must be finite, got 1 values": (np.where(X == X[3, 3], np.nan, X), LABELS),
        r"X must be a matrix of \d or more vectors": (X[0], LABELS),
    }
    for says, arguments in bad.items():
        with pytest.raises(ValueError, match=says):
            function(*arguments)
    with pytest.raises(TypeError, match="X must be an array of real numbers, got"):
        function([["a", "b"]], [0])


def test_refusals_of_one_function_alone():
    with pytest.raises(ValueError, match="k must be a number of neighbors from 1 to 39, all others, got 40"):
        neighbor_purity(X, LABELS, k=40)
    with pytest.raises(ValueError, match="k must be a number of neighbors"):
        neighbor_purity(X, LABELS, k=0)
    with pytest.raises(ValueError, match="two vectors or more into one group, got 40 groups of one"):
        silhouette(X, range(40))
    with pytest.raises(ValueError, match="metric must be euclidean, cosine or precomputed, got 'l1'"):
        silhouette(X, LABELS, "l1")
    with pytest.raises(ValueError, match="no row of zeros, which has no cosine, got 1, at row 2"):
        silhouette(np.eye(4)[[0, 1, 0, 2]] * [[1], [1], [0], [1]], [0, 0, 1, 1], "cosine")
    with pytest.raises(ValueError, match="symmetric table of distances"):
        silhouette(X, LABELS, "precomputed")
    with pytest.raises(ValueError, match="n_permutations must be an int, 1 or more"):
        group_test(X, LABELS, n_permutations=0)


def test_linear_accuracy_sees_a_plane_and_no_more():
    labels = np.repeat([0, 1], 50)
    Z = np.random.default_rng(1).normal(size=(100, 5))
    chance = np.mean([linear_accuracy(Z, labels, seed) for seed in range(5)])
    assert 0.3 < chance < 0.7
    Z[:, 2] += 6 * labels
    assert linear_accuracy(Z, labels) > 0.98 < linear_accuracy(Z * [1, 1, 1e-6, 1, 1], labels)  # whatever the scale
    with pytest.raises(ValueError, match="five vectors or more, got one of 4"):
        linear_accuracy(Z[:20], [0] * 4 + [1] * 16)
