"""Pictures of high dimensions: PCA, t-SNE, UMAP, two clouds to try them on, and how much of a cloud a picture keeps.

Sources: L 2.3 (Figures 1-3).
"""

import warnings
from dataclasses import dataclass

import numpy as np

from tutorial_lib.arguments import check_seed, needed, one_of, positive, real_number, whole_number
from tutorial_lib.geometry.arrays import as_cloud, check_float32
from tutorial_lib.geometry.neighbors import nearest_neighbors


@dataclass(frozen=True)
class PCA:
    """The result of `pca`.

    coordinates   (N, n) the points in the picture: (X - mean) @ components.T
    components    (n, d) the directions, orthonormal rows, the one with the largest variance first
    mean          (d,)   the center of the cloud
    shares        (n,)   the share of the total variance along each direction
    """

    coordinates: np.ndarray
    components: np.ndarray
    mean: np.ndarray
    shares: np.ndarray


def pca(X, n=2):
    """Compute the principal components: the n directions in which the points vary most, and the points along them.

    With the centered points as rows of Xc = U S V^T (singular value decomposition), the directions are the first n rows
    of V^T and their variances are S^2 / (N - 1). A direction's sign is arbitrary; here, its entry of largest size is
    positive. If two variances are equal, any rotation of the two directions is as good.

    X: (N, d), array or tensor of finite numbers with at least two different points. n: at most min(N, d).
    Raises ValueError or TypeError, by name, for invalid arguments. Source: L 2.3.1.

    >>> picture = pca([[0, 0], [1, 1], [2, 2], [3, 3.5]], n=1)
    >>> picture.components.round(2), picture.shares.round(3)
    (array([[0.65, 0.76]]), array([0.997]))
    """
    X = as_cloud("X", X)
    n = whole_number("n", n, 1, f"a number of directions from 1 to min(N, d) = {min(X.shape)}", min(X.shape))
    mean = X.mean(0)
    _, S, Vh = np.linalg.svd(X - mean, full_matrices=False)
    largest = np.abs(Vh[:n]).round(8).argmax(1)  # of equal entries the first, whatever their rounding
    components = Vh[:n] * np.sign(Vh[range(n), largest])[:, None]  # (n, d)
    return PCA((X - mean) @ components.T, components, mean, S[:n] ** 2 / (S**2).sum())


def tsne(X, perplexity=30, seed=0, start="pca"):
    """Place points in the plane so that near neighbors stay near (t-SNE), (N, 2). Sizes and gaps mean nothing.

    Each point gets a Gaussian over the others, wide enough that `perplexity` of them count; the picture's own
    probabilities, with Student's t in place of the Gaussian, are fitted to those. Uses scikit-learn. start: "pca"
    begins at the first two principal components, so X needs two columns; "random" begins where the seed decides. On
    one machine the same call gives the same picture.

    Raises ValueError or TypeError, by name; perplexity must be above 0 and below N. Source: L 2.3.1.

    >>> tsne([[0, 0], [0, 1], [9, 9], [9, 8]], perplexity=2).shape
    (4, 2)
    """
    perplexity = positive("perplexity", perplexity)
    X = as_cloud("X", X)
    if one_of("start", start, ("pca", "random")) == "pca" and X.shape[1] < 2:
        raise ValueError(f"X must have at least 2 columns to start from PCA, got shape {X.shape}")
    if perplexity >= len(X):
        raise ValueError(f"perplexity must be above 0 and below the number of points {len(X)}, got {perplexity!r:.60}")
    check_float32("X", X)
    check_seed("seed", seed)
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    model = TSNE(2, perplexity=perplexity, init=start, learning_rate="auto", random_state=seed)
    with threadpool_limits(1):  # waiting threads take 30 times as long on a busy machine
        return model.fit_transform(X).astype(np.float64)


def umap(X, n_neighbors=15, min_dist=0.1, seed=0):
    """Place points in the plane so that the graph of nearest neighbors stays (UMAP), (N, 2). Gaps mean little.

    n_neighbors: how many make a neighborhood, including the point itself: small for detail, large for the whole.
    min_dist: how tightly points may be packed in the picture, from 0 to 1. Uses umap-learn on one thread, so that a
    seed gives one picture on one machine. The first call on a machine compiles for half a minute.

    Raises ValueError or TypeError, by name: 2 <= n_neighbors < N, and N >= 4. Source: L 2.3.1.
    """
    X = as_cloud("X", X, least=4)
    allowed = f"from 2 to {len(X) - 1}, for {len(X)} points"
    n_neighbors = whole_number("n_neighbors", n_neighbors, 2, allowed, len(X) - 1)
    min_dist = real_number("min_dist", min_dist, "from 0 to 1", 0, 1)
    check_float32("X", X)
    check_seed("seed", seed)
    from threadpoolctl import threadpool_limits

    # numba raises the number of threads for torch and scikit-learn as well; leaving this block restores it.
    with threadpool_limits(1), warnings.catch_warnings():  # warnings: threads, small clouds, unconnected graphs
        warnings.simplefilter("ignore")
        with needed("umap-learn", "UMAP"):
            from umap import UMAP, umap_, utils

        for function in (utils.fast_knn_indices, umap_.smooth_knn_dist, umap_.compute_membership_strengths):
            function.enable_caching()  # on disk, as umap-learn does with others: they take ten seconds
        model = UMAP(n_neighbors=n_neighbors, min_dist=min_dist, random_state=seed, n_jobs=1)
        return model.fit_transform(X.astype(np.float32)).astype(np.float64)


def hopf_link(n=100):
    """Return two linked circles: points (2 n, 3), n evenly spaced on each, and the number of each point's circle.

    Circle 0 lies flat around the origin; circle 1 is upright and passes through the center of circle 0.
    Source: L 2.3.1 (Figure 1).

    >>> points, circle = hopf_link(4)
    >>> points[circle == 1].round(1) + 0.0
    array([[ 2.,  0.,  0.],
           [ 1.,  0.,  1.],
           [ 0.,  0.,  0.],
           [ 1.,  0., -1.]])
    """
    n = whole_number("n", n, 3, "a number of points on each circle (an int, 3 or more)")
    t = 2 * np.pi * np.arange(n) / n
    flat = np.stack([np.cos(t), np.sin(t), 0 * t], axis=1)
    upright = np.stack([1 + np.cos(t), 0 * t, np.sin(t)], axis=1)
    return np.concatenate([flat, upright]), np.repeat([0, 1], n)


def cubes(n=1000, seed=0):
    """Return three solid cubes of dimension 7, 8 and 9 in 10 dimensions: points (3 n, 10), and their cubes, 0 to 2.

    Points are uniform in [0,1]^7 x {0}^3 shifted by (2, ..., 2); in [0,1]^8 x {0}^2 turned at random; in
    [0,1]^9 x {0}. Source: L 2.3.2 (Figure 3).

    >>> points, cube = cubes(5)
    >>> points[cube == 0, 7:].tolist()[0], points[cube == 2, 9].tolist()
    ([2.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0, 0.0])
    """
    n = whole_number("n", n, 1, "a number of points in each cube (an int, 1 or more)")
    rng = np.random.default_rng(check_seed("seed", seed))
    solid = [np.pad(rng.random((n, k)), ((0, 0), (0, 10 - k))) for k in (7, 8, 9)]  # three of (n, 10)
    Q, R = np.linalg.qr(rng.normal(size=(10, 10)))
    turn = Q * np.sign(np.diag(R))  # uniform among all rotations and reflections
    return np.concatenate([solid[0] + 2, solid[1] @ turn.T, solid[2]]), np.repeat([0, 1, 2], n)


@dataclass(frozen=True)
class ProjectionQuality:
    """Trustworthiness and recall of the k nearest neighbors, and the rank correlation of all distances."""

    trustworthiness: float
    recall: float
    rank_correlation: float


def projection_quality(X, Y, k=10):
    """Measure how much of the geometry of X its picture Y keeps; three numbers, each 1 for a perfect picture.

    recall: the share of a point's k nearest neighbors in X that are among its k nearest in Y. Chance gives k / (N - 1).
    trustworthiness: 1 - 2 / (N k (2N - 3k - 1)) * sum of (rank in X - k) over the k nearest in Y that are not among the
    k nearest in X: 1 if there are no false neighbors, about 0.5 by chance. rank_correlation: Spearman's, between all
    distances in X and in Y; 0 by chance, nan if all distances of one of them are equal.

    X: (N, d), Y: (N, m), k: below N / 2. Uses N x N matrices.

    >>> projection_quality([[0, 0], [1, 0], [3, 0], [7, 1]], [[0], [1], [3], [7]], k=1)
    ProjectionQuality(trustworthiness=1.0, recall=1.0, rank_correlation=1.0)
    """
    from scipy.spatial.distance import pdist, squareform
    from scipy.stats import spearmanr
    from sklearn.manifold import trustworthiness

    X, Y = as_cloud("X", X), as_cloud("Y", Y)
    N = len(X)
    if len(Y) != N:
        raise ValueError(f"Y must contain one point per row of X, {N}, got {len(Y)}")
    k = whole_number("k", k, 1, f"a number of neighbors below half the number of points, {N / 2:g}", (N - 1) // 2)
    pairs = zip(nearest_neighbors(X, k)[1], nearest_neighbors(Y, k)[1])
    recall = np.mean([np.isin(near_in_X, near_in_Y).mean() for near_in_X, near_in_Y in pairs])
    D_X, D_Y = pdist(X), pdist(Y)  # (N (N - 1) / 2,)
    varies = np.ptp(D_X) > 0 and np.ptp(D_Y) > 0  # else scipy warns
    correlation = spearmanr(D_X, D_Y).statistic if varies else np.nan
    # Our distances of X: far from 0, sklearn's, which come from squared lengths, are lost in rounding.
    trust = trustworthiness(squareform(D_X), Y, n_neighbors=k, metric="precomputed")
    return ProjectionQuality(float(trust), float(recall), float(correlation))
