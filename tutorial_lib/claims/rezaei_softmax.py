"""R 8: softmax and the weighted sum, recomputed from the printed scores and from R's matrices."""

from tutorial_lib.claims.claim import FAILS, claim
from tutorial_lib.claims.rezaei_scores import SCALED, TOKENS
from tutorial_lib.claims.tools import toy_attention

EXPONENTIALS = [15.130, 21.384, 101.019, 160.588, 31.346, 79.315, 17.087]
WEIGHTS = [0.0355, 0.0502, 0.2372, 0.3770, 0.0736, 0.1862, 0.0401]




@claim("R-8.1-properties", "attention", "Softmax gives positive numbers below 1 that sum to 1.", True)
def _():
    weights = toy_attention().weights
    return bool((weights > 0).all() and (weights < 1).all() and abs(weights.sum() - 1) < 1e-12)


@claim("R-8.1-ratio", "attention", "The ratio of two weights is e to the difference of their scores.", True)
def _():
    toy = toy_attention()
    scaled = toy.scores / 2
    return abs(toy.weights[3] / toy.weights[2] - (scaled[3] - scaled[2]).exp()) < 1e-9


@claim(
    "R-8.2-exponentials",
    "attention",
    "The exponentials of the printed scaled scores.",
    EXPONENTIALS,
    verdict=FAILS,
    note="All seven are off, by 0.01 to 0.14: five too large, two too small.",
)
def _():
    from math import exp

    return [exp(z) for z in SCALED]


@claim(
    "R-8.2-less-than-twice",
    "attention",
    "The largest scaled score is less than twice the smallest.",
    True,
)
def _():
    return max(SCALED) < 2 * min(SCALED)


@claim(
    "R-8.2-ten-times",
    "attention",
    "Its exponential is more than ten times the smallest one.",
    True,
    note="10.6 times.",
)
def _():
    from math import exp

    return exp(max(SCALED)) > 10 * exp(min(SCALED))


@claim("R-8.2-sum", "attention", "The sum of the printed exponentials.", 425.869)
def _():
    return sum(EXPONENTIALS)


@claim(
    "R-8.2-sum-of-true-exponentials",
    "attention",
    "The normalization constant of the printed scaled scores.",
    425.869,
    verdict=FAILS,
    note="The addition is right, the exponentials are not.",
)
def _():
    from math import exp

    return sum(exp(z) for z in SCALED)


@claim(
    "R-8.2-divisions",
    "attention",
    "Each printed exponential divided by 425.869.",
    WEIGHTS,
    verdict=FAILS,
    note="160.588 / 425.869 = 0.37708, which rounds to 0.3771. The other six are right.",
)
def _():
    return [e / 425.869 for e in EXPONENTIALS]


@claim(
    "R-8.2-softmax",
    "attention",
    "The softmax of the printed scaled scores.",
    WEIGHTS,
    verdict=FAILS,
    note="Three round differently: 0.3769 (painted), 0.0737 (the), 0.0402 ([SEP]).",
)
def _():
    import torch

    from tutorial_lib.attention import softmax

    return softmax(torch.tensor(SCALED, dtype=torch.float64))


@claim(
    "R-8.2-weights",
    "attention",
    "The attention weights of “painted”.",
    WEIGHTS,
    verdict=FAILS,
    note="From R's matrices “painted” keeps more than half for itself, and “The” comes next.",
)
def _():
    return toy_attention().weights


@claim("R-8.2-sum-to-1", "attention", "The sum of the seven printed weights.", 0.9998)
def _():
    return sum(WEIGHTS)


@claim(
    "R-8.3-rounded",
    "attention",
    "The printed weights of painted, artist, portrait, the in percent.",
    [37.7, 23.7, 18.6, 7.4],
)
def _():
    return [100 * WEIGHTS[TOKENS.index(token)] for token in ("painted", "artist", "portrait", "the")]


@claim(
    "R-8.3-percent",
    "attention",
    "“painted” gives this share to painted, artist, portrait, the.",
    [37.7, 23.7, 18.6, 7.4],
    verdict=FAILS,
    note="And 14.8 % to “The”, 5.5 % to [SEP], 1.5 % to [CLS].",
)
def _():
    toy = toy_attention()
    return [100 * toy.weights[toy.tokens.index(token)] for token in ("painted", "artist", "portrait", "the")]


@claim(
    "R-8.4-coefficients",
    "attention",
    "The output of “painted” is the sum of the values with these coefficients.",
    WEIGHTS,
    verdict=FAILS,
    note="R stops before the number. From its matrices the output is [1.6789, 1.8498, 2.0207, 2.1915]; R's "
    "coefficients on the true values would give [1.577, 1.740, 1.902, 2.064].",
)
def _():
    return toy_attention().weights
