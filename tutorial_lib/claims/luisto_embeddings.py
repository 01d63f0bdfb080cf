"""L 4.2 and 4.2.3: sizes and statistics of the embeddings before the encoder, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.quotes import CASED
from tutorial_lib.claims.tools import bert, cased, count

# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------


@claim(
    "L-4.2-vocabulary",
    "embeddings",
    "BERT's vocabulary has 30k tokens.",
    30_000,
    tolerance=5_000,
    note="28,996 (cased).",
)
def _():
    return CASED


@claim(
    "L-4.2-input-values",
    "embeddings",
    "The matrix of all input embeddings has around 23M values.",
    23e6,
    tolerance=0.5e6,
    verdict=FAILS,
    note="22,268,928, so 22M, as L 3.2.3 says. The 23M come from rounding the vocabulary to 30k before "
    "multiplying.",
)
def _():
    return count(cased().embeddings.tokens)


@claim(
    "L-4.2-position-values",
    "positions",
    "512 positional vectors of length 768 make around 39k values.",
    39_000,
    tolerance=500,
    verdict=FAILS,
    note="A zero was lost: 512 · 768 = 393,216, about 390k.",
)
def _():
    return count(cased().embeddings.positions)


@claim(
    "L-4.2-similarities",
    "embeddings",
    "The cosine similarities of all pairs of input embeddings are a matrix of 900M values.",
    900e6,
    tolerance=50e6,
    verdict=FAILS,
    note="28,996² = 840,768,016; with 30k rounded first it is 900M.",
)
def _():
    return CASED**2


@claim(
    "L-4.2-gigabytes",
    "embeddings",
    "As a NumPy matrix, these take around 3.5 Gb.",
    3.5,
    tolerance=0.25,
    note="4 bytes each, in float32: 3.36 GB. In float64, NumPy's own default, it would be twice that.",
)
def _():
    return 4 * CASED**2 / 1e9


@claim(
    "L-4.2-segment-dot",
    "position-vectors",
    "Norms 0.70, 0.72 and cosine −0.065 of the two segment vectors give the dot product",
    -0.033,
)
def _():
    return 0.70 * 0.72 * -0.065


@claim("L-4.2-segment-distance", "position-vectors", "and the Euclidean distance", 1.04)
def _():
    return (0.70**2 + 0.72**2 - 2 * 0.70 * 0.72 * -0.065) ** 0.5


def segments():
    return bert("bert-base-cased").embeddings.segments.weight.detach()


claim(
    "L-4.2-segment-norms",
    "position-vectors",
    "The two segment vectors have norms 0.70 and 0.72.",
    [0.70, 0.72],
    tolerance=0.005,
    needs="bert-base-cased",
    verdict=OPEN,
)(lambda: segments().norm(dim=1))


@claim(
    "L-4.2-segment-cosine",
    "position-vectors",
    "Their cosine similarity.",
    -0.065,
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    first, second = segments()
    return (first @ second) / (first.norm() * second.norm())


@claim(
    "L-4.2-position-norms",
    "positions",
    "The positional vectors' norms are concentrated just below 0.5; their median is",
    0.45,
    tolerance=0.05,
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    return bert("bert-base-cased").embeddings.positions.weight.norm(dim=1).median().detach()


@claim(
    "L-4.2-input-norms",
    "embeddings",
    "The input embeddings' norms lie between 1.0 and 1.75 (here: the share of them that does).",
    1.0,
    tolerance=0.05,
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    norms = bert("bert-base-cased").embeddings.tokens.weight.norm(dim=1)
    return ((norms > 1.0) & (norms < 1.75)).double().mean()


# --- L 4.2.3 The positional encoding vectors -----------------------------------------------------------------------


@claim("L-4.2.3-384", "positions", "384 = 256 + 128 = 768 / 2.", [384, 384])
def _():
    return [256 + 128, 768 // 2]


@claim("L-4.2.3-last-128", "positions", "Positions 384 to 511 are 128.", 128)
def _():
    return len(range(384, 512))


@claim(
    "L-4.2.3-509",
    "position-vectors",
    "A projection to 3 dimensions ignores 509 of the 512 that 512 vectors can span.",
    509,
    note="For all 512. Figure 19 shows 383 of them, which span 382 dimensions around their mean: there it "
    "ignores 379.",
)
def _():
    return 512 - 3


@claim(
    "L-4.2.3-30-percent",
    "position-vectors",
    "The three leading principal components hold around 30 % of the positions' variance.",
    0.30,
    tolerance=0.05,
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    import torch

    P = bert("bert-base-cased").embeddings.positions.weight.detach()
    variances = torch.linalg.svdvals(P - P.mean(0)) ** 2
    return variances[:3].sum() / variances.sum()


@claim(
    "L-4.2.3-22-tokens",
    "position-vectors",
    "The helix of positions 1 to 383 goes round about once in 22 positions.",
    22,
    tolerance=2,
    needs="bert-base-cased",
    verdict=OPEN,
    note="The default model's positions turn faster, once in 5.9.",
)
def _():
    from tutorial_lib.geometry import turn_period

    return turn_period(bert("bert-base-cased").embeddings.positions.weight[1:384]).period
