"""Sinusoidal positions, and the matrix that shifts them by an offset.

Sources: R 3.4-3.6, L 3.2.4.
"""

import math
from numbers import Real

import torch

from tutorial_lib.arguments import whole_number


def wavelengths(d_model):
    """How many positions each sine-cosine pair needs for one full turn: 2 pi 10000^(2i / d_model), (d_model / 2,).

    A geometric progression that starts at 2 pi and ends one step short of 10000 * 2 pi. Source: R 3.4.

    >>> wavelengths(4)
    tensor([  6.2832, 628.3185], dtype=torch.float64)
    """
    d_model = _check_width(d_model)
    i = torch.arange(d_model // 2, dtype=torch.float64)
    return 2 * math.pi * 10000 ** (2 * i / d_model)


def sinusoidal(n, d_model):
    """Sinusoidal encodings of positions 0..n-1, (n, d_model) in float32.

    PE[pos, 2i] = sin(pos / 10000^(2i / d_model)) and PE[pos, 2i+1] = cos of the same angle, with
    i = 0 .. d_model/2 - 1: i counts the pairs, not the coordinates. Source: R 3.4 (definition 3.1).

    >>> sinusoidal(2, 6)[1]
    tensor([0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000])
    """
    d_model = _check_width(d_model)
    n = whole_number("n", n, 0, "a number of positions (an int, 0 to 10 million)", 10**7)
    pos = torch.arange(n, dtype=torch.float64)
    angles = pos[:, None] * 2 * math.pi / wavelengths(d_model)  # (n, d_model / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).float()  # (n, d_model)


def shift_matrix(k, d_model):
    """The matrix M_k with PE(pos + k) = M_k PE(pos) for every position, (d_model, d_model) in float64.

    Along the diagonal stands one 2 x 2 rotation for each pair, by the angle that this pair turns in k positions.
    So a shift is a rotation: lengths and angles stay, M_(-k) is the transpose, and M_j M_k = M_(j+k).
    Negative and fractional k are fine. Source: R 3.5 (theorem 3.1).

    >>> PE = sinusoidal(10, 4).double()
    >>> torch.allclose(shift_matrix(3, 4) @ PE[5], PE[8], atol=1e-6)
    True
    """
    if not isinstance(k, Real) or not abs(k) < 2**53:  # beyond, a float does not tell neighbors apart
        raise ValueError(f"k must be a finite number of positions, got {k!r:.60}")
    angles = float(k) * 2 * math.pi / wavelengths(d_model)
    rotations = [torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]], dtype=torch.float64) for a in angles]
    return torch.block_diag(*rotations)


def _check_width(d_model):
    allowed = "an even number, 2 or more (a sine and a cosine per pair)"
    width = whole_number("d_model", d_model, 2, allowed, 2**20)
    if width % 2:
        raise ValueError(f"d_model must be {allowed}, got {d_model!r}")
    return width
