"""R 7: scores and scaling, recomputed.

R's chain of numbers breaks at its first link (5.4), so there are two kinds of claims here: does a step follow from the
step that R prints before it, and does it follow from R's matrices?
"""

from tutorial_lib.claims.claim import FAILS, claim
from tutorial_lib.claims.tools import bert_base, ranking, toy_attention

TOKENS = ["[CLS]", "The", "artist", "painted", "the", "portrait", "[SEP]"]
Q_PAINTED, K_ARTIST = [1.41, 1.53, 1.65, 1.77], [1.26, 1.38, 1.50, 1.62]
SCORES = [5.432, 6.123, 9.230, 10.156, 6.891, 8.745, 5.678]
SCALED = [2.716, 3.062, 4.615, 5.078, 3.446, 4.373, 2.839]

# --- R 7.1-7.2 Why scale -------------------------------------------------------------------------------------------


@claim("R-7.1-e-10", "attention", "e^10.", 22026, tolerance=0.5)
def _():
    from math import exp

    return exp(10)


@claim("R-7.1-e-20", "attention", "e^20.", 485_165_195, tolerance=0.5)
def _():
    from math import exp

    return exp(20)


@claim(
    "R-7.1-peaked",
    "attention",
    "With scores 20 and 10, the first gets nearly all the weight.",
    True,
    note="0.99995. After division by √4 it would be 0.9933.",
)
def _():
    import torch

    from tutorial_lib.attention import softmax

    return softmax(torch.tensor([20.0, 10.0]))[0] > 0.999


@claim(
    "R-7.1-gradient",
    "attention",
    "There, the gradient of softmax is extremely small.",
    True,
    note="0.000045.",
)
def _():
    import torch

    from tutorial_lib.attention import softmax

    z = torch.tensor([20.0, 10.0], dtype=torch.float64, requires_grad=True)
    with torch.enable_grad():
        softmax(z)[0].backward()
    return z.grad.abs().max() < 1e-4


def dot_products(d_k):
    """All dot products of vectors with coordinates ±1, which have mean 0 and variance 1: no sampling needed."""
    from itertools import product

    vectors = list(product((-1, 1), repeat=d_k))
    return [sum(a * b for a, b in zip(q, k)) for q in vectors for k in vectors]


@claim("R-7.2-product", "attention", "A product of two such numbers has mean 0 and variance 1.", [0, 1])
def _():
    from statistics import fmean, pvariance

    return [fmean(dot_products(1)), pvariance(dot_products(1))]


@claim("R-7.2-variance-4", "attention", "A dot product in 4 dimensions has variance 4.", 4)
def _():
    from statistics import pvariance

    return pvariance(dot_products(4))


@claim(
    "R-7.2-variance-bert",
    "attention",
    "In BERT's 768-dimensional space, dot products have variance 768.",
    768,
    verdict=FAILS,
    note="Queries and keys live in a head's d_k = 64 dimensions (R 5.3 and 9.2 say so), so the variance is "
    "64 and BERT divides by 8.",
)
def _():
    return bert_base().layer[0].attention.d_k


@claim("R-7.2-back-to-1", "attention", "Division by √d_k brings the variance back to 1.", 1)
def _():
    from statistics import pvariance

    return pvariance([product / 4**0.5 for product in dot_products(4)])


# --- R 7.3 Attention scores ----------------------------------------------------------------------------------------


@claim(
    "R-7.3-terms",
    "attention",
    "The four terms of q · k, from the printed vectors.",
    [1.777, 2.111, 2.475, 2.867],
)
def _():
    return [q * k for q, k in zip(Q_PAINTED, K_ARTIST)]


@claim(
    "R-7.3-sum",
    "attention",
    "The score of “artist”, from the printed vectors.",
    9.230,
    tolerance=0.0005,
    note="The arithmetic is right, the vectors are not (5.4, 5.5).",
)
def _():
    return sum(q * k for q, k in zip(Q_PAINTED, K_ARTIST))


@claim(
    "R-7.3-score-artist",
    "attention",
    "The score of “artist”, from the matrices.",
    9.230,
    tolerance=0.0005,
    verdict=FAILS,
    note="11.2032. The printed score is right for the printed vectors only.",
)
def _():
    toy = toy_attention()
    return toy.scores[toy.tokens.index("artist")]


@claim(
    "R-7.3-scores",
    "attention",
    "The scores of all tokens for “painted”.",
    SCORES,
    verdict=FAILS,
    note="They follow neither from the matrices nor from the printed query (whose score with the true key "
    "of “painted” would be 12.764).",
)
def _():
    return toy_attention().scores


@claim(
    "R-7.3-ranking",
    "attention",
    "The order of the tokens, highest score first.",
    ranking(SCORES, TOKENS),
    verdict=FAILS,
    note="“The” is second: the story of a verb that looks at its subject and object is not in these "
    "numbers. Every one of the seven queries gives this same order, since queries differ little and the "
    "longest keys win.",
)
def _():
    toy = toy_attention()
    return ranking(toy.scores, toy.tokens)


@claim("R-7.3-highest", "attention", "“painted” scores highest with itself.", "painted")
def _():
    toy = toy_attention()
    return ranking(toy.scores, toy.tokens)[0]


@claim(
    "R-7.3-second",
    "attention",
    "The second highest score is with the subject.",
    "artist",
    verdict=FAILS,
    note="11.9632 with “The”, 11.2032 with “artist”.",
)
def _():
    toy = toy_attention()
    return ranking(toy.scores, toy.tokens)[1]


@claim(
    "R-7.3-third",
    "attention",
    "The third highest score is with the object.",
    "portrait",
    verdict=FAILS,
    note="“portrait” is fourth, with 10.8592.",
)
def _():
    toy = toy_attention()
    return ranking(toy.scores, toy.tokens)[2]


@claim("R-7.3-lowest", "attention", "[CLS] scores lowest.", "[CLS]")
def _():
    toy = toy_attention()
    return ranking(toy.scores, toy.tokens)[-1]


# --- R 7.4 Scaling -------------------------------------------------------------------------------------------------


@claim("R-7.4-root", "attention", "√4 = 2.", 2)
def _():
    from math import sqrt

    return sqrt(toy_attention().Q.shape[-1])


@claim("R-7.4-halves", "attention", "Half of each printed score.", SCALED)
def _():
    return [score / 2 for score in SCORES]


@claim(
    "R-7.4-scaled",
    "attention",
    "The scaled scores.",
    SCALED,
    verdict=FAILS,
    note="See 7.3: the scores differ.",
)
def _():
    return toy_attention().scores / 2


@claim("R-7.4-order", "attention", "Scaling keeps the order.", True)
def _():
    toy = toy_attention()
    return ranking(toy.scores / 2, toy.tokens) == ranking(toy.scores, toy.tokens)


@claim(
    "R-7.4-smoother",
    "attention",
    "Scaled scores give a smoother distribution.",
    True,
    note="The largest weight falls from 0.868 to 0.546.",
)
def _():
    from tutorial_lib.attention import softmax

    scores = toy_attention().scores
    return softmax(scores / 2).max() < softmax(scores).max()
