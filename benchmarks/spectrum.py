"""Anisotropy of 100,000 x 384 against the singular value decomposition that defines it, complete or only the values.

Both compute in float64. Ours takes the eigenvalues of the 384 x 384 matrix of covariances.
"""

import sys

import numpy as np
from harness import Bench

from tutorial_lib.geometry import anisotropy

N, D, LIMIT = 100_000, 384, 0.1


def main():
    bench = Bench("spectrum")
    X = np.random.default_rng(0).normal(size=(N, D)) * np.linspace(1, 3, D) + 5

    def theirs(vectors):
        Xc = X - X.mean(0)
        s = np.linalg.svd(Xc, full_matrices=False)[1] if vectors else np.linalg.svd(Xc, compute_uv=False)
        return float(s[0] ** 2 / (s**2).sum())

    bench.report("largest difference of the two anisotropies", abs(anisotropy(X) - theirs(vectors=False)), "")
    name = f"anisotropy, {N:,} x {D}"
    bench.compare(name, lambda: anisotropy(X), "full SVD", lambda: theirs(vectors=True), LIMIT, seconds=30, least=3)
    bench.compare(name, lambda: anisotropy(X), "singular values", lambda: theirs(vectors=False), seconds=15, least=3)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
