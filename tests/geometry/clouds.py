"""Clouds that tests measure."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


def gaussian(*shape, seed=0):
    """Independent standard normal numbers."""
    return np.random.default_rng(seed).normal(size=shape)


def turn(d, seed=0):
    """A random orthogonal matrix."""
    return np.linalg.qr(gaussian(d, d, seed=seed))[0]


# Small whole numbers, so that copies, opposites and right angles are frequent. No row is zero.
WHOLE = arrays(np.float64, st.tuples(st.integers(2, 10), st.integers(1, 4)), elements=st.integers(-4, 4)).filter(
    lambda X: X.any(axis=1).all()
)
