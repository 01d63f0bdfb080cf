"""A 2 and 4: anisotropy and intrinsic dimension, recomputed."""

from functools import lru_cache
from math import log

import numpy as np

from tutorial_book.claims.claim import ARITHMETIC, FAILS, claims_of
from tutorial_book.claims.tools import encoder_profile, token_cloud
from tutorial_lib.geometry import anisotropy, average_cosine, distance_matrix, intrinsic_dimension, neighbor_ratios

claim = claims_of("shape")

# --- A 2.3: anisotropy ---------------------------------------------------------------------------------------------


@lru_cache
def cloud():
    """Return 500 points in 6 dimensions of unequal variance, centered."""
    X = np.random.default_rng(0).normal(size=(500, 6)) * [3, 2, 1, 1, 1, 0.5]
    return X - X.mean(0)


def eigenvalues():
    """Return the eigenvalues of C = X^T X / (n - 1), the largest first."""
    X = cloud()
    return np.linalg.eigvalsh(X.T @ X / (len(X) - 1))[::-1]


def squares():
    """Return the squared singular values, the largest first."""
    return np.linalg.svd(cloud(), compute_uv=False) ** 2


claim("A-2.3-eigenvalues", "The eigenvalues of the covariance matrix XᵀX / (n − 1) are σ₁², …, σₖ², the squared "
      "singular values of X (here: the ratio of the two, for 500 points).", True, lambda: eigenvalues() / squares(),
      expected=[1] * 6, tolerance=1e-9, kind=ARITHMETIC, verdict=FAILS,
      note="They are σᵢ² / (n − 1). The factor is the same for all of them, so the anisotropy does not change.")

# --- A 2.4: intrinsic dimension ------------------------------------------------------------------------------------


@lru_cache
def plane():
    """Return TwoNN's ratios of 2,000 points of a plane, ascending, and their empirical distribution function."""
    mu = neighbor_ratios(np.random.default_rng(0).normal(size=(2000, 2)))
    return mu, np.arange(1, len(mu) + 1) / len(mu)


claim("A-2.4-distribution", "The ratios have the distribution function F(μ) = 1 − μ^(−d) for μ ≥ 1 (here: the largest "
      "difference to it, for 2,000 points of a plane, d = 2).", True,
      lambda: np.abs(plane()[1] - (1 - plane()[0] ** -2.0)).max(), expected=0, tolerance=0.03,
      note="1.36 / √2000 = 0.030 would be exceeded by chance in 5 of 100 samples.")

claim("A-2.4-sign", "From F(μ) follows log(1 − F(μ)) / log(μ) = d (here: for μ = 2, d = 3).", True,
      lambda: log(1 - (1 - 2**-3)) / log(2), expected=3, tolerance=1e-9, kind=ARITHMETIC, verdict=FAILS,
      note="A minus sign is missing: 1 − F = μ^(−d), so the quotient is −d.")


@claim("A-2.4-regression", "The slope of the regression y = kx with xᵢ = log(μᵢ) and yᵢ = 1 − F_emp(μᵢ) is the "
       "dimension (here: of a plane).", True, expected=2, tolerance=0.2, verdict=FAILS,
       note="The logarithm is missing: with yᵢ = −log(1 − F_emp(μᵢ)), as Facco et al. have it, the slope is 2.0. As "
            "printed, it comes out as an eighth of the dimension.")
def _():
    mu, F = plane()
    x, y = np.log(mu), 1 - F
    return float(x @ y / (x @ x))


# --- A 3: what others found ------------------------------------------------------------------------------------------

claim("A-3.1-global", "Global anisotropy is common to all transformers (here, in the default model: the average cosine "
      "of its tokens' vectors is above 0.1 after each layer but the last).", True,
      lambda: min(encoder_profile(None, average_cosine)[1:-1]) > 0.1,
      note="0.13 to 0.24, part of it from a few outlier coordinates; 0.04 after the last. It needs no training: with "
           "random weights it is about 0.4.")


@claim("A-3.1-local", "Isotropy prevails within local subspaces (here, in the default model: among the 50 nearest "
       "neighbors of a vector after layer 3, one direction holds no more of the variance than in normal clouds of as "
       "many dimensions as TwoNN finds).", True,
       note="0.18, where 50 points in nine dimensions have 0.20. The measure needs this comparison: any 50 of these "
            "vectors have 0.10, since they lie in more dimensions.")
def _():
    X, rng = token_cloud(), np.random.default_rng(0)
    neighbors = distance_matrix(X).argsort(1)[:200, 1:51]
    dimension = round(intrinsic_dimension(X))
    even = [anisotropy(rng.normal(size=(50, dimension))) for _ in neighbors]
    return bool(np.mean([anisotropy(X[rows]) for rows in neighbors]) <= np.mean(even))
