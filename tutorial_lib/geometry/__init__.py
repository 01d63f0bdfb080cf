"""Measurements on clouds of vectors: how alike they are, what shape they have, what a picture of them keeps.

Everything here works on plain arrays, NumPy's or torch's, and knows no model.
"""

from tutorial_lib.geometry.curves import (
    Turn,
    clock_hands,
    correlation_dimension,
    lag_distances,
    local_dimension,
    turn_period,
)
from tutorial_lib.geometry.directions import contrast_cosines, difference_vectors
from tutorial_lib.geometry.gender_bias import sign_flip_test, swap_test
from tutorial_lib.geometry.groups import group_test, neighbor_purity, silhouette
from tutorial_lib.geometry.links import crossings, linking_number
from tutorial_lib.geometry.neighbors import nearest_neighbors
from tutorial_lib.geometry.pairs import ExtremePairs, extreme_pairs
from tutorial_lib.geometry.paths import GroupDistances, Steps, group_distances, random_walks, step_alignment, steps
from tutorial_lib.geometry.projection import (
    PCA,
    ProjectionQuality,
    cubes,
    hopf_link,
    pca,
    projection_quality,
    tsne,
    umap,
)
from tutorial_lib.geometry.shape import anisotropy, participation_ratio, pca_dimension, spectrum
from tutorial_lib.geometry.similarity import (
    Distributions,
    ToMean,
    average_cosine,
    cosine,
    cosine_matrix,
    distance_matrix,
    distributions,
    to_mean,
)
from tutorial_lib.geometry.statistics import PermutationTest, bootstrap_interval, holm, permutation_p
from tutorial_lib.geometry.two_nn import distinct, intrinsic_dimension, neighbor_ratios

__all__ = [
    "Distributions", "ExtremePairs", "GroupDistances", "PCA", "ProjectionQuality", "Steps", "PermutationTest",
    "ToMean", "Turn", "anisotropy", "average_cosine", "bootstrap_interval", "clock_hands", "contrast_cosines",
    "correlation_dimension", "cosine", "cosine_matrix", "crossings", "cubes", "difference_vectors",
    "distance_matrix", "distinct", "distributions", "extreme_pairs", "group_distances", "group_test", "holm",
    "hopf_link", "intrinsic_dimension", "lag_distances", "linking_number", "local_dimension", "nearest_neighbors",
    "neighbor_purity", "neighbor_ratios", "participation_ratio", "pca", "pca_dimension", "permutation_p",
    "projection_quality", "random_walks", "sign_flip_test", "silhouette", "spectrum", "step_alignment", "steps",
    "swap_test", "to_mean", "tsne", "turn_period", "umap",
]
