"""Our TwoNN against scikit-dimension's, and its search of neighbors against FAISS's exact one on the same points.

Ours and scikit-dimension compute in float64. FAISS searches in float32, and nothing is computed again in float64.
"""

import sys

import faiss
import numpy as np
import skdim
import torch
from harness import Bench

from tutorial_lib.geometry import intrinsic_dimension

N, D = 10_000, 384


def points(kind):
    """N vectors: of a round Gaussian, or of a Gaussian in 12 dimensions with a little noise."""
    rng = np.random.default_rng(0)
    if kind == "round":
        return rng.normal(size=(N, D))
    return rng.normal(size=(N, 12)) @ rng.normal(size=(12, D)) + 0.1 * rng.normal(size=(N, D))


def neighbors(X):
    """Each point's distances to itself and its two nearest neighbors, by FAISS's exact search."""
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    return np.sqrt(index.search(X, 3)[0])


def main():
    bench = Bench("two_nn")
    faiss.omp_set_num_threads(torch.get_num_threads())
    for kind in ("round", "12-d"):
        X = points(kind)
        short = X.astype(np.float32)
        name = f"TwoNN, {kind}"
        bench.report(f"dimension of {kind} points by ours", intrinsic_dimension(X), f"from {N:,} x {D}")
        theirs = skdim.id.TwoNN().fit(X).dimension_
        bench.report(f"dimension of {kind} points by scikit-dimension", theirs, f"from {N:,} x {D}")
        bench.compare(name, lambda X=X: intrinsic_dimension(X), "scikit-dimension",
                      lambda X=X: skdim.id.TwoNN().fit(X), 0.25, seconds=20)  # fmt: skip
        bench.compare(name, lambda X=X: intrinsic_dimension(X), "FAISS, exact search",
                      lambda short=short: neighbors(short), 1.2, seconds=15)  # fmt: skip
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
