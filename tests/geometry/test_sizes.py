"""Vectors of any size: unitless results stay the same, others scale, and undecidable cases are rejected."""

import numpy as np
import pytest

from tests.geometry.clouds import gaussian
from tutorial_lib import geometry as g
from tutorial_lib.geometry.contextuality import self_similarity, sentence_similarity

X, Y = gaussian(40, 5), gaussian(40, 2, seed=1)
LABELS = np.repeat([0, 1], 20)
LARGE_AND_SMALL = [2.0**300, 2.0**-300]
HUGE_AND_TINY = [2.0**1000, 2.0**-1000, 2.0**340, 2.0**-340]
WITHOUT_UNIT = {
    "silhouette": lambda X: g.silhouette(X, LABELS),
    "silhouette by cosine": lambda X: g.silhouette(X, LABELS, "cosine"),
    "neighbor_purity": lambda X: g.neighbor_purity(X, LABELS, 3),
    "linear_accuracy": lambda X: g.linear_accuracy(X, LABELS),
    "group_test": lambda X: g.group_test(X, LABELS, n_permutations=20).p,
    "projection_quality": lambda X: list(vars(g.projection_quality(X, Y, 5)).values()),
    "variance_seen": lambda X: g.variance_seen(X, np.eye(5)[:, :2]),
    "pca": lambda X: g.pca(X, 2).shares,
    "outlier_coordinates": lambda X: g.outlier_coordinates(X, 1.01),
    "average_cosine": g.average_cosine,
    "cosine_matrix": g.cosine_matrix,
    "intrinsic_dimension": g.intrinsic_dimension,
    "self_similarity": lambda X: self_similarity(X, LABELS),
    "sentence_similarity": lambda X: sentence_similarity(X, LABELS),
}
IN_UNITS = {
    "distance_matrix": g.distance_matrix,
    "nearest_neighbors": lambda X: g.nearest_neighbors(X, 3)[0],
    "pca": lambda X: g.pca(X, 2).coordinates,
    "persistence": lambda X: g.persistence(X)[1],
}


@pytest.mark.parametrize("size", LARGE_AND_SMALL)
@pytest.mark.parametrize("name", WITHOUT_UNIT)
def test_measures_without_a_unit_ignore_the_size(name, size):
    measure = WITHOUT_UNIT[name]
    np.testing.assert_allclose(measure(X * size), measure(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("size", LARGE_AND_SMALL)
@pytest.mark.parametrize("name", IN_UNITS)
def test_measures_in_units_scale_with_the_size(name, size):
    if name == "persistence":
        pytest.importorskip("ripser")
        size = 2.0 ** np.sign(np.log(size))  # ripser computes in float32
    measure = IN_UNITS[name]
    np.testing.assert_allclose(measure(X * size) / size, measure(X), rtol=1e-12)


@pytest.mark.parametrize("size", HUGE_AND_TINY)
@pytest.mark.parametrize("measure", [g.tsne, g.umap, g.to_mean, *WITHOUT_UNIT.values(), *IN_UNITS.values()])
def test_undecidable_sizes_are_rejected(measure, size):
    with pytest.raises(ValueError, match="X must have its largest number in"):
        measure(X * size)


def test_a_cloud_far_from_zero_keeps_its_neighbors():
    far = np.round(X * 1000) + 1e8
    found = g.projection_quality(far, far, 2)
    assert (found.trustworthiness, found.recall) == (1, 1) and found.rank_correlation == pytest.approx(1)


@pytest.mark.parametrize(
    "labels, says",
    [
        ([None, *LABELS[1:]], "got None or NaN"),
        ([np.nan, *LABELS[1:]], "got None or NaN"),
        (np.array(["a", 3, *["b"] * 38], dtype=object), "(labels|words) must be all texts or all numbers"),
    ],
)
@pytest.mark.parametrize("measure", [g.silhouette, g.neighbor_purity, self_similarity])
def test_labels_that_name_no_group_are_rejected(measure, labels, says):
    with pytest.raises((ValueError, TypeError), match=says):
        measure(X, labels)


@pytest.mark.parametrize("seed", [None, -1, 0.5, "0"])
def test_a_seed_is_a_number(seed):
    for call in (
        lambda: g.cubes(5, seed),
        lambda: g.linear_accuracy(X, LABELS, seed),
        lambda: g.distributions(X, 5, seed),
        lambda: g.tsne(X, 5, seed),
        lambda: g.umap(X, 5, seed=seed),
        lambda: g.random_subspace(5, 2, seed),
        lambda: g.group_test(X, LABELS, n_permutations=5, seed=seed),
    ):
        with pytest.raises(ValueError, match="seed must be a seed"):
            call()


def test_masked_values_are_rejected():
    masked = np.ma.masked_greater(X, 1.0)
    for call in (lambda: g.average_cosine(masked), lambda: g.silhouette(X, np.ma.masked_equal(LABELS, 1))):
        with pytest.raises(ValueError, match="must have no masked values, got"):
            call()
    assert g.average_cosine(np.ma.masked_greater(X, 100)) == g.average_cosine(X)  # nothing is masked
