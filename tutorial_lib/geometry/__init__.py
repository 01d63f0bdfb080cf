"""Measurements on clouds of vectors: how alike they are, what shape they have, what a picture of them keeps.

Everything here works on plain arrays, NumPy's or torch's, and knows no model.
"""

from tutorial_lib.geometry.contrasts import (
    SwapTest,
    consistency,
    contrast_cosines,
    difference_vectors,
    sign_flip_test,
    swap_test,
)
from tutorial_lib.geometry.curves import (
    Turn,
    clock_hands,
    correlation_dimension,
    lag_distances,
    local_dimension,
    turn_period,
)
from tutorial_lib.geometry.groups import GroupTest, group_test, neighbor_purity, silhouette
from tutorial_lib.geometry.links import crossings, linking_number
from tutorial_lib.geometry.pairs import ExtremePairs, extreme_pairs
from tutorial_lib.geometry.paths import Parting, Steps, parting, random_walks, steps, togetherness
from tutorial_lib.geometry.projection import PCA, Kept, cubes, hopf_link, kept, pca, tsne, umap
from tutorial_lib.geometry.shape import (
    anisotropy,
    distinct,
    intrinsic_dimension,
    nearest_neighbors,
    neighbor_ratios,
    pca_dimension,
    spectrum,
)
from tutorial_lib.geometry.similarity import (
    Distributions,
    ToMean,
    average_cosine,
    cosine_matrix,
    distributions,
    to_mean,
)
from tutorial_lib.geometry.statistics import bootstrap_interval, holm, permutation_p

__all__ = [
    "Distributions",
    "ExtremePairs",
    "GroupTest",
    "Kept",
    "PCA",
    "Parting",
    "Steps",
    "SwapTest",
    "ToMean",
    "Turn",
    "anisotropy",
    "average_cosine",
    "bootstrap_interval",
    "clock_hands",
    "consistency",
    "contrast_cosines",
    "correlation_dimension",
    "cosine_matrix",
    "crossings",
    "cubes",
    "difference_vectors",
    "distinct",
    "distributions",
    "extreme_pairs",
    "group_test",
    "holm",
    "hopf_link",
    "intrinsic_dimension",
    "kept",
    "lag_distances",
    "linking_number",
    "local_dimension",
    "nearest_neighbors",
    "neighbor_purity",
    "neighbor_ratios",
    "parting",
    "pca",
    "pca_dimension",
    "permutation_p",
    "random_walks",
    "sign_flip_test",
    "silhouette",
    "spectrum",
    "steps",
    "swap_test",
    "to_mean",
    "togetherness",
    "tsne",
    "turn_period",
    "umap",
]
