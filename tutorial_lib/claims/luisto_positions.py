"""L 3.2.4: positional encodings, recomputed."""

from tutorial_lib.claims.claim import FAILS, claim


def encodings_as_printed(n, d_model):
    """L's formula: coordinate k of position n is sin (k even) or cos (k odd) of n / 10000^(2k / d_model)."""
    import torch

    k = torch.arange(d_model)
    angles = torch.arange(n, dtype=torch.float64)[:, None] / 10000 ** (2 * k / d_model)  # (n, d_model)
    return torch.where(k % 2 == 0, angles.sin(), angles.cos())


@claim(
    "L-3.2.4-largest-divisor",
    "positions",
    "The last coordinate (k = 511) is the cosine of n / 10000^(2k/512), so n is divided by",
    96_466_162,
    verdict=FAILS,
    note="Vaswani et al. write 2i for the coordinate itself: sine and cosine 2i and 2i + 1 share "
    "10000^(2i/512), which ends at 9,647. L's 2k doubles every exponent, so that over half the coordinates "
    "hardly move within 128 positions.",
)
def _():
    from math import pi

    from tutorial_lib.positions import wavelengths

    return round(wavelengths(512)[-1].item() / (2 * pi))


@claim(
    "L-3.2.4-relative",
    "positions",
    "The formula is the original transformer's, where a linear map leads from each position to the next (R "
    "3.5); the largest error of the best map is",
    0.0,
    tolerance=1e-6,
    verdict=FAILS,
    note="With L's formula a sine and the cosine beside it turn at different speeds, and sin(a + b) needs "
    "both at the same speed: the best linear map misses by 0.86 (2,000 positions, d_model = 16). The cosine "
    "between two positions then depends on where they stand, not only on their distance.",
)
def _():
    import torch

    PE = encodings_as_printed(2001, 16)
    M = torch.linalg.lstsq(PE[:-1], PE[1:], driver="gelsd").solution
    return (PE[:-1] @ M - PE[1:]).abs().max()


@claim(
    "L-3.2.4-differ",
    "positions",
    "The encodings can be told from one another.",
    True,
    note="With L's formula too.",
)
def _():
    import torch

    PE = encodings_as_printed(512, 512)
    return (torch.cdist(PE, PE) + 99 * torch.eye(512)).min() > 0.1


@claim("L-3.2.4-figure-6", "positions", "Figure 6 shows 128 positions of dimension 512.", [128, 512])
def _():
    from tutorial_lib.positions import sinusoidal

    return list(sinusoidal(128, 512).shape)
