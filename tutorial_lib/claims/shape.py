"""A 2 and 4: anisotropy and intrinsic dimension, recomputed."""

from functools import lru_cache
from math import log

import numpy as np

from tutorial_lib.claims.claim import FAILS, claims_of
from tutorial_lib.geometry import anisotropy, neighbor_ratios

claim = claims_of("shape")

# --- A 2.1, 2.2: what was measured ---------------------------------------------------------------------------------

claim("A-2.1-enwik8", "The texts are enwik8, 100 million bytes; cleaned, they have 205 distinct characters.", 205,
      needs="enwik8", note="These texts are not at hand here.")

# --- A 2.3: anisotropy ---------------------------------------------------------------------------------------------


@lru_cache
def cloud():
    """500 points in 6 dimensions of unequal variance, centered."""
    X = np.random.default_rng(0).normal(size=(500, 6)) * [3, 2, 1, 1, 1, 0.5]
    return X - X.mean(0)


def eigenvalues():
    """Those of C = X^T X / (n - 1), the largest first."""
    X = cloud()
    return np.linalg.eigvalsh(X.T @ X / (len(X) - 1))[::-1]


claim("A-2.3-eigenvalues", "The eigenvalues of the covariance matrix XᵀX / (n − 1) are σ₁², …, σₖ², the squared "
      "singular values of X (here: the ratio of the two, for 500 points).", [1] * 6,
      lambda: eigenvalues() / np.linalg.svd(cloud(), compute_uv=False) ** 2, tolerance=1e-9, verdict=FAILS,
      note="They are σᵢ² / (n − 1). The factor is the same for all of them, so the anisotropy does not feel it.")

claim("A-2.3-equivalent", "The anisotropy from singular values and the one from eigenvalues of the covariance matrix "
      "are the same (here: their ratio).", 1, lambda: anisotropy(cloud()) / (eigenvalues()[0] / eigenvalues().sum()),
      tolerance=1e-6)

# --- A 2.4: intrinsic dimension ------------------------------------------------------------------------------------


@lru_cache
def plane():
    """TwoNN's ratios of 2,000 points of a plane, ascending, and their empirical distribution function."""
    mu = neighbor_ratios(np.random.default_rng(0).normal(size=(2000, 2)))
    return mu, np.arange(1, len(mu) + 1) / len(mu)


@claim("A-2.4-distribution", "The ratios μ = r₂ / r₁ have the distribution function F(μ) = 1 − μ^(−d) for μ ≥ 1 (here: "
       "the largest difference to it, for 2,000 points of a plane, d = 2).", 0, tolerance=0.03,
       note="1.36 / √2000 = 0.030 would be exceeded by chance in 5 of 100 samples.")
def _():
    mu, F = plane()
    return float(np.abs(F - (1 - mu**-2.0)).max())


@claim("A-2.4-sign", "From F(μ) = 1 − μ^(−d) follows log(1 − F(μ)) / log(μ) = d (here: for μ = 2, d = 3).", 3,
       tolerance=1e-9, verdict=FAILS, note="A minus sign is missing: 1 − F = μ^(−d), so the quotient is −d.")
def _():
    mu, d = 2, 3
    F = 1 - mu**-d
    return log(1 - F) / log(mu)


@claim("A-2.4-regression", "The slope of the regression y = kx with xᵢ = log(μᵢ) and yᵢ = 1 − F_emp(μᵢ) is the "
       "dimension (here: of a plane).", 2, tolerance=0.2, verdict=FAILS,
       note="The logarithm is missing: with yᵢ = −log(1 − F_emp(μᵢ)), as Facco et al. have it, the slope is 2.0. As "
            "printed, it comes out as an eighth of the dimension.")
def _():
    mu, F = plane()
    x, y = np.log(mu), 1 - F
    return float(x @ y / (x @ x))


# --- A 4: results --------------------------------------------------------------------------------------------------

RESULTS = {
    "A-4.1-encoders": (
        "Encoders have anisotropies that stay relatively consistent.",
        "the encoders of A's Figure 1",
        "No numbers are printed. The default model's anisotropy is level up to its last layer but one, and so is that "
        "of a network without training.",
    ),
    "A-4.1-decoders": (
        "Decoders have a bell-shaped profile: anisotropy is highest in the middle layers.",
        "the decoders of A's Figure 1",
        "No numbers are printed.",
    ),
    "A-4.2-training": (
        "Through training, the anisotropy of decoders grows and then stays.",
        "the checkpoints of A's Figures 3 and 4",
        "No numbers are printed.",
    ),
    "A-4.3-training": (
        "Through training, the intrinsic dimension averaged over layers first rises and then falls.",
        "the checkpoints of A's Figure 2",
        "No numbers are printed.",
    ),
}

for id, (statement, models, note) in RESULTS.items():
    claim(id, statement, True, needs=models, note=note)
