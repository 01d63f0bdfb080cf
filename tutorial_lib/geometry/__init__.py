"""Measurements on clouds of vectors: how alike they are, what shape they have, what a picture of them keeps.

Everything here works on plain arrays, NumPy's or torch's, and knows no model.
"""

from tutorial_lib.geometry.groups import GroupTest, group_test, neighbor_purity, silhouette
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
    "GroupTest",
    "ToMean",
    "average_cosine",
    "bootstrap_interval",
    "cosine_matrix",
    "distributions",
    "group_test",
    "holm",
    "neighbor_purity",
    "permutation_p",
    "silhouette",
    "to_mean",
]
