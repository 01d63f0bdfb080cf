"""Positions: sines and cosines, the matrix that shifts them by an offset, and rotary positions, built from that matrix.

Sources: R 3.4-3.6, L 3.2.4; Su et al. (2021).
"""

import math
from dataclasses import dataclass
from numbers import Real

import torch

from tutorial_lib.arguments import check_config, check_tensors, even_width, positive, whole_number


def wavelengths(d_model):
    """Return how many positions each sine-cosine pair needs for a full turn: 2 pi 10000^(2i / d_model), (d_model / 2,).

    A geometric progression that starts at 2 pi and ends one step short of 10000 * 2 pi. Source: R 3.4.

    >>> wavelengths(4)
    tensor([  6.2832, 628.3185], dtype=torch.float64)
    """
    d_model = even_width("d_model", d_model)
    i = torch.arange(d_model // 2, dtype=torch.float64)
    return 2 * math.pi * 10000 ** (2 * i / d_model)


def sinusoidal(n, d_model):
    """Return sinusoidal encodings of positions 0..n-1, (n, d_model) in float32.

    PE[pos, 2i] = sin(pos / 10000^(2i / d_model)) and PE[pos, 2i+1] = cos of the same angle, with
    i = 0 .. d_model/2 - 1: i counts the pairs, not the coordinates. Source: R 3.4 (definition 3.1).

    >>> sinusoidal(2, 6)[1]
    tensor([0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000])
    """
    d_model = even_width("d_model", d_model)
    n = whole_number("n", n, 0, "a number of positions (an int, 0 to 10 million)", 10**7)
    pos = torch.arange(n, dtype=torch.float64)
    angles = pos[:, None] * 2 * math.pi / wavelengths(d_model)  # (n, d_model / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).float()  # (n, d_model)


def shift_matrix(k, d_model):
    """Return the matrix M_k with PE(pos + k) = M_k PE(pos) for every position, (d_model, d_model) in float64.

    The diagonal consists of one 2 x 2 rotation for each pair, by the angle that this pair turns in k positions. So a
    shift is a rotation: lengths and angles stay, M_(-k) is the transpose, and M_j M_k = M_(j+k).
    Negative and fractional k are allowed. Source: R 3.5 (theorem 3.1).

    >>> PE = sinusoidal(10, 4).double()
    >>> torch.allclose(shift_matrix(3, 4) @ PE[5], PE[8], atol=1e-6)
    True
    """
    if not isinstance(k, Real) or not abs(k) < 2**53:  # beyond this, a float does not distinguish neighbors
        raise ValueError(f"k must be a finite number of positions, got {k!r:.60}")
    angles = float(k) * 2 * math.pi / wavelengths(d_model)
    rotations = [torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]], dtype=torch.float64) for a in angles]
    return torch.block_diag(*rotations)


@dataclass(frozen=True)
class Rope:
    """How fast rotary positions ("RoPE") turn each pair of coordinates, in radians per position: base^(-2i / d_k).

    With factor, a model that was trained on short texts reads longer ones: all frequencies are divided by it, as if
    positions were closer together ("linear"; Chen et al., 2023). With low, high and n_trained not all of them are
    divided ("llama3"; Grattafiori et al., 2024): a pair that makes `high` turns or more in n_trained positions keeps
    its frequency, which distinguishes neighbors; one that makes `low` or fewer gets the whole factor; between them the
    two are mixed.

    Raises ValueError if a number is out of range, or if only some of low, high and n_trained are given.
    Source: Su et al. (2021), section 3.2.2.

    >>> Rope().frequencies(4)
    tensor([1.0000, 0.0100])
    >>> Rope(factor=2.0).frequencies(4)
    tensor([0.5000, 0.0050])
    """

    base: float = 10_000.0
    factor: float = 1.0
    low: float | None = None
    high: float | None = None
    n_trained: int | None = None

    def __post_init__(self):
        positive("base", self.base)
        positive("factor", self.factor)
        check_config(self)
        mixed = self.low, self.high, self.n_trained
        if mixed != (None, None, None) and (None in mixed or not self.low < self.high):
            raise ValueError(f"low, high and n_trained must be given together, with low below high, got {mixed}")

    def frequencies(self, d_k):
        """Return radians per position for each of the d_k / 2 pairs, in float32, as models are trained."""
        d_k = even_width("d_k", d_k)
        pure = 1.0 / self.base ** (torch.arange(0, d_k, 2, dtype=torch.float32) / d_k)  # (d_k / 2,)
        if self.n_trained is None:
            return pure / self.factor
        n_turns = self.n_trained / (2 * math.pi / pure)  # in all positions of the training
        kept = ((n_turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return (1 - kept) * pure / self.factor + kept * pure

    def angles(self, places, d_k):
        """Return how far each pair has turned at these positions, a tensor (...): (..., d_k / 2), for `rotary`.

        >>> Rope().angles(torch.tensor([0, 1, 2]), 4)
        tensor([[0.0000, 0.0000],
                [1.0000, 0.0100],
                [2.0000, 0.0200]])
        """
        if not torch.is_tensor(places):
            raise TypeError(f"places must be a tensor of positions, got {type(places).__name__}")
        return places[..., None] * self.frequencies(d_k).to(places.device)


def rotary(X, angles):
    """Turn queries or keys by their positions: pair i of each vector by its angle. The shape (..., n, d_k) stays.

    The two coordinates of pair i are i and i + d_k / 2, as in the models of Hugging Face. Su et al. (2021) use 2i and
    2i + 1, as `sinusoidal` does, which only reorders the coordinates: the pair (x[i + d_k / 2], x[i]) is turned by the
    2 x 2 block of `shift_matrix`. Since M_j M_k = M_(j+k), the dot product of a query at m and a key at n depends only
    on n - m.

    angles: `Rope.angles` of the positions, (..., n, d_k / 2), which broadcasts; its sines and cosines are computed in
    its precision, then used in X's. Raises ValueError if the shapes do not fit.

    >>> X = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    >>> rotary(X, torch.tensor([[0.0], [math.pi / 2], [math.pi]])).round()
    tensor([[ 1.,  0.],
            [-0.,  1.],
            [-1., -0.]])
    """
    check_tensors(X=X, angles=angles)
    _check_angles(X, angles)
    cos = angles.cos().to(X.dtype)
    sin = angles.sin().to(X.dtype)
    first, second = X.chunk(2, dim=-1)  # (..., n, d_k / 2) each
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def _check_angles(X, angles):
    """Check that X has two coordinates for each angle, and angles one row for each vector or for all."""
    axes = zip(angles.shape[-2::-1], X.shape[-2::-1], strict=False)
    if 2 * angles.shape[-1] != X.shape[-1] or angles.ndim > X.ndim or any(a not in (1, b) for a, b in axes):
        shapes = f"{tuple(X.shape)} and {tuple(angles.shape)}"
        raise ValueError(f"X must be (..., n, d_k) and angles (..., n, d_k / 2), got {shapes}")
