"""How all functions are called: invalid input is rejected with the argument's name, and defaults are known.

`tests/test_bad_calls.py` calls the same functions with arguments that are not arrays.
"""

from importlib import import_module
from operator import attrgetter

import numpy as np
import pytest

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import Cloud, TokenPlane, anisotropy, average_cosine, cone_index, silhouette

X, Y = gaussian(9, 6), gaussian(7, 6, seed=1)
EQUAL = np.full((9, 6), 0.1)
HOLE = X * (np.arange(9) != 2)[:, None]  # a row of zeros
LABELS = [0, 0, 0, 1, 1, 1, 2, 2, 2]
PATHS = gaussian(3, 4, 5)
UP, ZERO = np.eye(6)[0], np.zeros(6)
PLANE = TokenPlane(np.eye(2, 6), np.eye(2))
HELIX = np.stack([np.cos(np.arange(100)), np.sin(np.arange(100)), np.arange(100) / 50], axis=1)

# A function, and calls: the rule in the error, and the arguments.
REFUSED = [
    ("contextuality.self_similarity", ("words", X[:3], list("aab"))),
    ("contextuality.explainable_variance", ("words", X[:3], list("aab"))),
    ("contextuality.sentence_similarity", ("sentences", X, LABELS[1:])),
    ("contextuality.center_groups", ("labels", X, LABELS[1:])),
    ("contrasts.difference_vectors", ("first and second", X, Y)),
    ("contrasts.contrast_cosines", ("a and b", {"a": X, "b": [[1]]}), ("b", {"b": [UP, -UP]}), ("differences", {})),
    ("contrasts.contrast_cosines", ("b", {"b": [[0.1], [0.2], [-0.3]]})),
    ("controls.cosine_parts", ("X", X[:1]), ("X", HOLE)),
    ("controls.remove_main", ("n", X, 7), ("X", EQUAL, 1)),
    ("controls.whiten", ("n", X[:4], 4), ("n", X, 0), ("X", EQUAL)),
    ("controls.norm_shares", ("X", HOLE)),
    ("controls.distance_shares", ("X", EQUAL)),
    ("controls.standardize", ("X", EQUAL)),
    ("curves.turn_period", ("n_components", HELIX, 1), ("segments", HELIX, 3, 1), ("curve", HELIX, 3, 100)),
    ("curves.turn_period", ("level", HELIX, 3, 20, 1.5), ("curve", np.outer(np.arange(50), [1, 2, 3]))),
    ("curves.turn_period", ("curve", np.ones((50, 3)))),
    ("curves.circle_center", ("points", [[0, 0], [1, 1]])),
    ("curves.local_dimension", ("window", HELIX, 2), ("window", HELIX, 101)),
    ("curves.lag_distances", ("lags", HELIX, [1, 100]), ("lags", HELIX, [0])),
    ("curves.correlation_dimension", ("radii", X, [1.0]), ("radii", X, [1.0, 1.0]), ("radii", X, [0.0, 1.0])),
    ("curves.correlation_dimension", ("apart", X, [1.0, 2.0], 0)),
    ("curves.nearest_rotation", ("X and Y", np.eye(2), np.ones((3, 2)))),
    ("directions.logit_lens", ("states", [], np.array, np.array), ("states", [X, X[:2]], np.array, np.array)),
    ("directions.logit_lens", ("scores", [X], lambda x: x * np.nan, np.array)),
    ("directions.layer_agreement", ("scores", [1.0, 2.0]), ("scores", np.zeros((2, 0, 3)))),
    ("directions.nearest_by_measure", ("k", X, Y, 8), ("k", Y, X, 9, range(7)), ("leave_out", Y, X, 2, range(6))),
    ("directions.nearest_by_measure", ("leave_out", Y, X, 2, np.arange(7) + 0.5), ("leave_out", Y, X, 2, range(3, 10))),
    ("directions.nearest_by_measure", ("leave_out", Y, X, 2, range(-1, 6)), ("rows", X, Y[:, :5])),
    ("directions.nearest_by_measure", ("rows", X, HOLE, 2)),
    ("directions.inverse_unembedding", ("kind", X, "inverse"), ("E", HOLE, "normalized transpose")),
    ("directions.token_plane", ("a and b", UP, X), ("a and b", [1.0], [2.0]), ("a and b", X[0], -3 * X[0])),
    ("directions.token_plane", ("a and b", ZERO, UP), ("a and b", UP, ZERO)),
    ("directions.plane_path", ("plane", np.eye(3), X), ("states", PLANE, X[:, :5]), ("states", PLANE, HOLE)),
    ("directions.best_probability", ("scores", 1.0, [1]), ("scales", [1, 2], [1, -1]), ("scales", [1, 2], 1)),
    ("directions.best_probability", ("scales", [1, 2], [])),
    ("directions.top_tokens", ("unembedding", X, Y[:, :5])),
    ("directions.own_scores", ("unembedding", X, X[:4])),
    ("directions.measure_overlap", ("near", [1, 2, 3])),
    ("gates.gate_scores", ("A", np.eye(2)), ("A", np.ones((3, 4)) / 4), ("A", np.ones((3, 3)))),
    ("gates.gate_scores", ("A", [[2, -1, 0], [1, 0, 0], [1, 0, 0]])),
    ("gates.gate_of", ("scores", [0.5])),
    ("gates.gate_example", ("n", "open", 5), ("gate", "half-open", 8)),
    ("gates.without_tokens", ("places", np.eye(3)[[0, 0, 0]], [0]), ("places", np.eye(3), [0, 1, 2])),
    ("gates.without_tokens", ("places", np.eye(3), [3])),
    ("analogy_tests.sign_flip_test", ("n_permutations", X, Y, 0), ("first and second", X, Y[:, :3])),
    ("analogy_tests.swap_test", ("words", UP, X[0], X[:1]), ("direction, difference and words", UP, X[0, :3], X)),
    ("analogy_tests.swap_test", ("direction", ZERO, UP, X)),
    ("groups.silhouette", ("labels", X, range(9)), ("labels", X, np.zeros(9)), ("labels", X, LABELS[1:])),
    ("groups.silhouette", ("labels", X, [[0], [1, 2]]), ("X", HOLE, LABELS, "cosine")),
    ("groups.neighbor_purity", ("k", X, LABELS, 9), ("k", X, LABELS, 0)),
    ("groups.linear_accuracy", ("labels", X, [0] * 4 + [1] * 5)),
    ("groups.group_test", ("labels", X, np.zeros(9)), ("n_permutations", X, LABELS, min, 0)),
    ("heads.head_statistics", ("weights", np.ones((2, 2)), ["a", "b"]), ("tokens", np.eye(3), ["a", "b"])),
    ("heads.head_statistics", ("weights", np.full((2, 3), 1 / 3), ["a", "b"])),
    ("heads.head_statistics", ("tokens", np.eye(2), ["[CLS]", "[SEP]"])),
    ("heads.hits", ("weights", [0.5, 0.5], [(0, 1)]), ("pairs", np.eye(3), [0, 1])),
    ("heads.offset_hits", ("pairs", [(0, 1, 2)], [1]), ("offsets", [(0, 1)], 1)),
    ("heads.sign_test", ("other", [0, 1], [0, 1, 1]), ("one", [0, 2], [0, 1])),
    ("heads.weighted_norms", ("weights, values, up", np.eye(5), np.ones((5, 4)), np.ones((3, 8)))),
    ("heads.weighted_norms", ("weights, values, up", np.eye(5), X, X.T)),
    ("heads.word_weights", ("word_of", np.eye(4), [0, 1], 2)),
    ("homology.persistence", ("X", EQUAL)),
    ("links.linking_number", ("first", np.eye(3)[:, :2], np.eye(3)), ("first and second", np.eye(3), np.eye(3))),
    ("links.crossings", ("second", np.eye(3)[:, :2], np.eye(3)), ("first", np.eye(2), np.eye(3)[:, :2])),
    ("neighbors.nearest_neighbors", ("k", X, 0), ("X", X, 9)),
    ("pairs.extreme_pairs", ("k", np.eye(4), 7), ("k", np.eye(4), 4, [0]), ("k", np.eye(4), 0)),
    ("pairs.extreme_pairs", ("X", np.ones((4, 0)), 1), ("X", np.array([[1.0, np.inf], [2.0, 1.0]]), 1)),
    ("pairs.extreme_pairs", ("X", np.eye(4)[[3, 0, 1]] * [0, 1, 1, 1], 1, [0]), ("exclude", np.eye(4), 1, [4])),
    ("pairs.extreme_pairs", ("exclude", np.eye(4), 1, [-1]), ("exclude", np.eye(4), 1, [True])),
    ("paths.steps", ("paths", np.ones(2)), ("paths", HOLE)),
    ("paths.step_alignment", ("paths", PATHS[0]), ("X", PATHS[:, :1]), ("X", np.ones((3, 2, 4)))),
    ("paths.random_walks", ("shared", PATHS, 1.1), ("shared", PATHS, -0.1)),
    ("paths.group_distances", ("labels", PATHS, [0, 0, 0, 0]), ("labels", PATHS, [0, 0, 0, 1])),
    ("paths.group_distances", ("labels", PATHS, [0, 1])),
    ("projection.pca", ("n", X, 0), ("n", X, 7), ("X", EQUAL)),
    ("projection.tsne", ("perplexity", X, 9), ("perplexity", X, 0), ("X", X[:, :1], 5), ("start", X, 5, 0, "umap")),
    ("projection.tsne", ("X", EQUAL, 3)),
    ("projection.umap", ("n_neighbors", X, 9), ("n_neighbors", X, 1), ("min_dist", X, 4, 2), ("min_dist", X, 4, -0.1)),
    ("projection.umap", ("X", X[:3], 2), ("X", EQUAL, 3)),
    ("projection.hopf_link", ("n", 2)),
    ("projection.projection_quality", ("Y", X, X[1:]), ("k", X, X, 5), ("X", EQUAL, X, 2), ("Y", X, EQUAL, 2)),
    ("scales.dimension_by_scale", ("X", X, [5]), ("scales", X, [0])),
    ("scales.doubling_dimension", ("k", [2.0, 3.0], 0), ("ratios", [2.0]), ("ratios", [1.0, 1.0])),
    ("scales.doubling_dimension", ("ratios", [0.9, 2.0])),
    ("shape.pca_dimension", ("share", X, 0), ("share", X, 1.1)),
    ("shape.outlier_coordinates", ("times", X, 1)),
    ("shape.entropy", ("shares", [0.5, 0.4]), ("shares", [1.5, -0.5]), ("shares", 1.0)),
    ("shape.value_entropy", ("A", [0.5, 0.5]), ("bins", X, 0)),
    ("shape.spectrum", ("X", EQUAL)),
    ("similarity.distance_matrix", ("metric", X, "l1"), ("X", X, "precomputed"), ("X", np.ones((2, 2)), "precomputed")),
    ("similarity.distance_matrix", ("X", [[0, 1], [2, 0]], "precomputed")),
    ("similarity.distance_matrix", ("X", -np.ones((2, 2)) + np.eye(2), "precomputed")),
    ("similarity.average_cosine", ("X", X[:1]), ("X", HOLE)),
    ("similarity.distributions", ("X", X[:1]), ("n_pairs", X, 0), ("X", HOLE)),
    ("similarity.to_mean", ("X", [UP, -UP]), ("X", HOLE)),
    ("similarity.unit", ("Y", np.array(1.0), "Y")),
    ("similarity.cosine", ("Y", X, HOLE)),
    ("similarity.cosine_matrix", ("Y", X, HOLE), ("Y", X, np.ones((3, 2)))),
    ("similarity.cone_index", ("X", HOLE)),
    ("statistics.permutation_p", ("null", 1.0, []), ("observed", np.nan, [1.0]), ("observed", [1.0, 2.0], [1.0])),
    ("statistics.mean_interval", ("values", [1.0]), ("level", [1.0, 2.0], 1)),
    ("statistics.bootstrap_interval", ("samples", np.mean, []), ("samples", np.mean, [1.0], 2.0), ("samples", np.mean)),
    ("statistics.bootstrap_interval", ("what statistic returns", np.mean, [1.0, np.nan])),
    ("statistics.jackknife_interval", ("groups", np.mean, range(5), 6), ("groups", np.mean, range(5), 1)),
    ("statistics.holm", ("p_values", []), ("p_values", [1.5]), ("p_values", [-0.1]), ("p_values", [[0.5]])),
    ("streaming.Cloud", ("without", 3, [3]), ("without", 2, [0, 1]), ("d", 0)),
    ("streaming.Cloud.add", ("X", Cloud(3), np.ones((2, 4))), ("X", Cloud(3), np.ones(3)), ("X", Cloud(1), [["a"]])),
    ("streaming.Cloud.add", ("X", Cloud(1), [[1j]])),
    ("streaming.Cloud.merge", ("other", Cloud(3), Cloud(4)), ("other", Cloud(3), Cloud(3, [1]))),
    ("streaming.Cloud.of", ("arrays", Cloud(2).arrays() | {"scatter": np.eye(3)}), ("arrays", {"mean": np.zeros(2)})),
    ("subspaces.product_svd", ("down and up", X, np.ones((3, 4))), ("down and up", np.ones((2, 3)), np.ones((3, 4)))),
    ("subspaces.effective_rank", ("s", [0.0, 0.0])),
    ("subspaces.principal_angles", ("U", np.ones((4, 2)), np.eye(4)), ("V", np.eye(4), gaussian(4, 5))),
    ("subspaces.random_subspace", ("k", 3, 4)),
    ("subspaces.variance_seen", ("U", X, np.eye(4)), ("X", EQUAL, X.T)),
    ("two_nn.intrinsic_dimension", ("X", [[0.0], [1.0], [1.0]]), ("method", X, "ml"), ("discard", X, "mle", 1)),
    ("two_nn.intrinsic_dimension", ("discard", X, "mle", -0.1), ("discard", X, "mle", 0.9)),
    ("two_nn.ratio_dimension", ("discard", [2.0]), ("ratios", [0.5, 2, 3]), ("X", [1, 1, 1, 1])),
    ("two_nn.sampled_ratios", ("X", EQUAL), ("X", np.ones(5)), ("X", [[1.0]]), ("X", np.vstack([X, X[:1] * np.inf]))),
    ("two_nn.sampled_ratios", ("n", X, 1)),
]
DEFAULTS = {
    "contextuality.explainable_variance": (False,), "curves.turn_period": (3, 20, 0.95, 0),
    "curves.clock_hands": (20, 0.95, 0), "curves.correlation_dimension": (1,),
    "directions.nearest_by_measure": (10, None), "gates.gate_example": (0,),
    "analogy_tests.sign_flip_test": (4999, 0), "groups.neighbor_purity": (1, "euclidean"),
    "groups.group_test": (silhouette, 999, 0), "neighbors.nearest_neighbors": (2,),
    "paths.random_walks": (0, 0), "projection.pca": (2,), "projection.tsne": (30, 0, "pca"),
    "projection.umap": (15, 0.1, 0), "projection.hopf_link": (100,), "projection.cubes": (1000, 0),
    "projection.projection_quality": (10,), "scales.dimension_by_scale": ((1, 2, 4, 8, 16),),
    "scales.doubling_dimension": (1,), "shape.pca_dimension": (0.9,), "shape.outlier_coordinates": (5,),
    "shape.value_entropy": (20,), "similarity.distributions": (200_000, 0), "statistics.mean_interval": (0.95,),
    "statistics.bootstrap_interval": (1000, 0.95, 0), "groups.linear_accuracy": (0,), "subspaces.random_subspace": (0,),
    "statistics.jackknife_interval": (20, 0.95), "two_nn.intrinsic_dimension": ("linear", 0.1),
    "two_nn.ratio_dimension": ("linear", 0.1), "two_nn.sampled_ratios": (10_000, 0),
}  # fmt: skip


def find(name):
    """A function of `tutorial_lib.geometry` by its module and name."""
    module, _, rest = name.partition(".")
    return attrgetter(rest)(import_module(f"tutorial_lib.geometry.{module}"))


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row[0])
def test_invalid_input_is_rejected(row):
    name, *calls = row
    for what, *arguments in calls:
        with pytest.raises((TypeError, ValueError), match=f"^{what} must"):
            find(name)(*arguments)


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_part_of_the_result(name):
    function = find(name)
    assert (function.__defaults__ or tuple(function.__kwdefaults__.values())) == DEFAULTS[name]


@pytest.mark.parametrize("measure", [average_cosine, cone_index])
def test_a_streamed_cloud_rejects_the_same(measure):
    for cloud in (Cloud(6).add(HOLE), Cloud(6, without=[0]).add(HOLE).rest):
        with pytest.raises(ValueError, match="X must have no row of zeros, which has no cosine, got 1"):
            measure(cloud)
    for measure, says in ((anisotropy, "two different"), (average_cosine, "2 or more"), (lambda X: X.covariance, "2")):
        with pytest.raises(ValueError, match=f"{says}.* vectors, got 1"):
            measure(Cloud(6).add(X[:1]))
