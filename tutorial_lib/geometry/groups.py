"""Do vectors form groups? Two numbers for what a picture suggests, and a test.

Source: L 4.4.1, which has the picture.
"""

import numpy as np

from tutorial_lib.arguments import check_has, check_seed, whole_number
from tutorial_lib.geometry.arrays import as_labels, as_vectors
from tutorial_lib.geometry.similarity import distance_matrix
from tutorial_lib.geometry.statistics import PermutationTest, permutation_p


def silhouette(X, labels, metric="euclidean"):
    """Return how much nearer a point is to its own group than to the nearest other: -1 to 1.

    The average over all points. For a point, a is its mean distance to the others of its group and b the smallest of
    its mean distances to another group; its silhouette is (b - a) / max(a, b), or 0 if it is alone in its group. 1:
    groups are tight and far apart; 0: they lie on top of each other. X: (n, d), or (n, n) distances with
    metric="precomputed". Raises ValueError if there are not 2 to n - 1 groups. Source: Rousseeuw 1987.

    >>> round(silhouette([[0.0], [1.0], [10.0], [11.0]], ["a", "a", "b", "b"]), 3)
    0.9
    """
    D = distance_matrix(X, metric)
    groups, index = _groups(labels, len(D))
    if len(groups) == len(D):
        raise ValueError(f"labels must put two vectors or more into one group, got {len(D)} groups of one")
    member = np.eye(len(groups))[index]  # (n, n_groups)
    sizes = member.sum(axis=0)
    sums = D @ member  # (n, n_groups)
    points = np.arange(len(D))
    own = sums[points, index] / np.maximum(sizes[index] - 1, 1)
    means = sums / sizes
    means[points, index] = np.inf
    other = means.min(axis=1)
    larger = np.maximum(own, other)
    scores = np.divide(other - own, larger, out=np.zeros(len(D)), where=larger > 0)
    return float(np.where(sizes[index] > 1, scores, 0).mean())


def neighbor_purity(X, labels, k=1, metric="euclidean"):
    """Return the share of the k nearest neighbors in a point's own group, averaged over all points: 0 to 1.

    Neighbors that are equally far share the remaining places, so that the order of the rows does not matter. Labels
    drawn at random give the average of (size of the group - 1) / (n - 1). Raises ValueError for k
    outside 1 .. n - 1 or for a single group.

    >>> neighbor_purity([[0.0], [1.0], [10.0], [12.0], [2.5]], ["a", "a", "b", "b", "b"])
    0.8
    """
    D = distance_matrix(X, metric).copy()
    _, index = _groups(labels, len(D))
    k = whole_number("k", k, 1, f"a number of neighbors from 1 to {len(D) - 1}, all others", len(D) - 1)
    np.fill_diagonal(D, np.inf)
    same = index[:, None] == index[None, :]
    last = np.partition(D, k - 1, axis=1)[:, k - 1 : k]  # (n, 1), the distance of the k-th neighbor
    nearer = last * (1 - 1e-9) > D
    tied = (last * (1 + 1e-9) >= D) & ~nearer
    places = k - nearer.sum(axis=1)
    shared = (same & tied).sum(axis=1) / tied.sum(axis=1)
    return float((((same & nearer).sum(axis=1) + places * shared) / k).mean())


def linear_accuracy(X, labels, seed=0):
    """Return the share of unseen points that a linear classifier labels correctly, by five-fold cross-validation.

    Logistic regression on standardized coordinates; seed: of the split. X: (n, d). Raises ValueError if a label has
    fewer than five points.

    >>> linear_accuracy([[float(i)] for i in range(20)], [0] * 10 + [1] * 10) > 0.9
    True
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = as_vectors("X", X)
    _, index = _groups(labels, len(X))
    fewest = np.bincount(index).min()
    if fewest < 5:
        raise ValueError(f"labels must give each group five vectors or more, got one of {fewest}")
    check_seed("seed", seed)
    classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    parts = StratifiedKFold(5, shuffle=True, random_state=seed)
    return float(cross_val_score(classifier, X, index, cv=parts).mean())


def group_test(X, labels, statistic=silhouette, n_permutations=999, seed=0):
    """Run a permutation test: could shuffled labels give the same statistic, or a larger one?

    `statistic(X, labels)` is a number that grows with separation. The labels are shuffled n_permutations times; the
    vectors stay fixed. The null hypothesis says that labels and vectors are unrelated; rejecting it does not say why
    they are related. X may be (n, n) distances if the statistic takes them. Returns a `PermutationTest` with
    .observed, .p (see `permutation_p`) and .null, (n_permutations,).

    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> group_test(X, list("aaaabbbb"), n_permutations=199)
    PermutationTest(observed=0.981, p=0.035, n=199)
    """
    X = as_vectors("X", X, least=2)
    _, index = _groups(labels, len(X))
    n = whole_number("n_permutations", n_permutations, 1, "an int, 1 or more")
    rng = np.random.default_rng(check_seed("seed", seed))
    check_has("statistic", statistic, "a function of vectors and labels", "__call__")
    observed = float(statistic(X, index))
    null = np.array([float(statistic(X, rng.permutation(index))) for _ in range(n)])
    return PermutationTest(observed, permutation_p(observed, null), null)


def _groups(labels, n):
    """Return the distinct labels, and for each row the number of its label, (n,)."""
    groups, index = as_labels("labels", labels, n)
    if len(groups) < 2:
        raise ValueError(f"labels must name two groups or more, got {len(groups)}")
    return groups, index
