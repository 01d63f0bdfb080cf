"""R 4-8, L 2.1 and 3.2.5: dot products, softmax and attention, recomputed.

R's chain of numbers breaks at its first link (5.4), so there are two kinds of claims here: does a step follow from the
step that R prints before it, and does it follow from R's matrices?
"""

from functools import lru_cache
from itertools import product
from math import atan2, cos, exp, hypot, isclose, nan, radians
from statistics import fmean, pvariance
from types import SimpleNamespace

import torch

from tutorial_book.claims import tools
from tutorial_book.claims.claim import ARITHMETIC, FAILS, claims_of
from tutorial_book.experiments import attention as toy
from tutorial_lib.attention import attention, scores, softmax
from tutorial_lib.geometry import cosine, distance_matrix, pca

claim = claims_of("attention")


@lru_cache
def worked():
    """R 5-8 in full: Q, K, V, raw scores, weights and outputs of all seven tokens; the row of "painted"."""
    Q, K, V = toy.X @ toy.W_Q, toy.X @ toy.W_K, toy.X @ toy.W_V  # (7, 4)
    output, weights = attention(Q, K, V)  # (7, 4), (7, 7)
    return SimpleNamespace(Q=Q, K=K, V=V, scores=Q[PAINTED] @ K.T, weights=weights[PAINTED], output=output[PAINTED])


CLS, THE, ARTIST, PAINTED, OF_PORTRAIT, PORTRAIT, SEP = range(7)  # the rows of R's tokens; its article is “the”


def ranking(scores):
    """R's seven tokens, highest score first."""
    return [toy.TOKENS[i] for i in sorted(range(7), key=lambda i: -scores[i])]


# --- R 4-5 From embeddings to queries, keys and values -------------------------------------------------------------

STUDIO = "The artist painted the portrait in the studio."

claim("R-1-all-others", "Self-attention lets each word consider all other words, before and after it (here: every "
      "weight of the default model's first layer on the bear sentence is above 0).", True,
      lambda: bool((tools.bear_trace()["layer.0.attention.weights"] > 0).all()))

claim("R-4.1-the", "The word “the” appears twice in “The artist painted the portrait in the studio.”", 2,
      lambda: tools.tokenizer().tokenize(STUDIO).count("the"), verdict=FAILS,
      note="Three times: The, the, the. R's model lower-cases its text, so all three are one token, id 1996.")


@claim("R-4.1-degrees", "“painted” is strongly connected with “artist” and “portrait”, less with “studio”, least with "
       "“the” (here: the order of the cosines of the default model's token embeddings, the first two as a pair).", True,
       expected=[["artist", "portrait"], "studio", "the"],
       note="Of all tokens, artist is the 45th nearest to “painted”, portrait the 133rd; studio comes after 3,368 "
            "others, “the” after 11,945.")
def _():
    words = sorted(["artist", "portrait", "studio", "the"], key=tools.nearest("painted").index)
    return [sorted(words[:2]), *words[2:]]


@claim("R-4.2-equation-1",
       "Q = X W^Q, K = X W^K, V = X W^V: n × d_model times d_model × d_k (here: for a head of BERT and 7 tokens).",
       True, expected=3 * [[7, 64]])
def _():
    attention = tools.bert_attention()
    X = torch.zeros(7, 768, device="meta")
    return [list(attention.split(W(X))[0].shape) for W in (attention.W_Q, attention.W_K, attention.W_V)]


@claim("R-4.4-decoupled", "Which words attend to which is decided by W^Q and W^K alone, apart from what W^V passes on.",
       True)
def _():
    Q, K, V = torch.randn(3, 7, 4)
    (output, weights), (other_output, same_weights) = attention(Q, K, V), attention(Q, K, V + 1)
    return torch.equal(weights, same_weights) and not torch.allclose(output, other_output)


claim("R-5.1-tokens", "[CLS] The artist painted the portrait [SEP] are 7 tokens.", 7,
      lambda: len(tools.tokenizer().encode("The artist painted the portrait").tokens))

claim("R-5.2-majority", "The first two principal components hold the majority of the variance.", True,
      lambda: bool(pca(toy.X).shares.sum() > 0.5), note="47.5 % + 29.6 % = 77.2 %.")


@claim("R-5.2-painter", "“artist” is very close to “painter”, and “computer” is far away (here, in the default model: "
       "among the 10 nearest tokens, and not among the 1,000 nearest).", True, expected=[True, True],
       note="Not R's X. “painter” is the 2nd nearest token to “artist” by cosine (0.48), “computer” only the 1,289th "
            "(0.12).")
def _():
    others = tools.nearest("artist")
    return [others.index("painter") < 10, others.index("computer") >= 1000]


claim("R-5.2-painted-portrait", "In the plane of the first two components, “painted” lies close to “portrait” (here: "
      "the nearest to it but itself).", "portrait",
      lambda: ranking(-distance_matrix(pca(toy.X).coordinates)[PAINTED])[1], verdict=FAILS,
      note="Its neighbors are [SEP] (0.46) and The (0.46); portrait is 0.58 away, the 8th closest of the 21 pairs. The "
           "closest pairs are [CLS] [SEP], artist portrait, The the. R says that the numbers are invented, so the "
           "picture shows no meaning.")


@claim("R-5.3-shared", "The same W^Q is used for all positions, so that sequences may have any length (here: a token's "
       "query is the same alone and among 20).", True)
def _():
    mha, X = tools.random_attention(20)
    return torch.allclose(mha.split(mha.W_Q(X))[:, 5], mha.split(mha.W_Q(X[5:6]))[:, 0], atol=1e-12)


@claim("R-5.3-bert-matrix", "In BERT, each head's matrices are 768 × 64 (here: the shapes of the heads' parts of W^Q, "
       "W^K and W^V).", [768, 64], expected=[[768, 64]])
def _():
    part = tools.bert_attention()
    of_heads = [W.weight.T.chunk(part.n_heads, dim=1) for W in (part.W_Q, part.W_K, part.W_V)]
    return [list(shape) for shape in {matrix.shape for matrices in of_heads for matrix in matrices}]


claim("R-5.3-twelve-heads", "12 heads of 64 coordinates make 768 again.", 768,
      lambda: sum(len(tools.bert_attention().value_map(i)[1]) for i in range(12)))

claim("R-5.4-q-painted", "The query of “painted” is x W^Q.", [1.41, 1.53, 1.65, 1.77], lambda: worked().Q[PAINTED],
      kind=ARITHMETIC, verdict=FAILS,
      note="Each column of W^Q is the one before plus 0.1, so the query must rise by 0.1 times the sum of x: 0.18 a "
           "step. The printed steps are 0.12.")

claim("R-5.5-k-artist", "The key of “artist” is x W^K.", [1.26, 1.38, 1.50, 1.62], lambda: worked().K[ARTIST],
      kind=ARITHMETIC, verdict=FAILS,
      note="The sum of x is 1.4, so the key must rise by 0.14 a step; the printed steps are 0.12.")

claim("R-5.6-v-artist", "The value of “artist” is x W^V.", [1.10, 1.22, 1.34, 1.46], lambda: worked().V[ARTIST],
      kind=ARITHMETIC, verdict=FAILS,
      note="W^V is W^K plus 0.1 everywhere, so the value is the key plus 0.14. Printed, it is smaller than the key.")

# --- R 6 Why dot products measure similarity -----------------------------------------------------------------------


@claim("R-6.1-geometric-form", "a · b = |a| |b| cos θ.", True, kind=ARITHMETIC)
def _():
    pairs = [((3, 4), (5, -12)), ((1, 0), (-2, 7)), ((-1, -1), (2, 2))]
    return all(
        isclose(a[0] * b[0] + a[1] * b[1], hypot(*a) * hypot(*b) * cos(atan2(*a) - atan2(*b))) for a, b in pairs
    )


claim("R-6.1-cosines", "The cosines of 0, 90 and 180 degrees.", [1, 0, -1],
      lambda: [cos(radians(angle)) for angle in (0, 90, 180)], tolerance=1e-12, kind=ARITHMETIC)

claim("R-6.1-direction", "A high dot product of query and key means similar directions (here: of the seven keys, the "
      "one with the highest score, that of “painted”, points most along the query).", True,
      lambda: ranking(worked().scores / worked().K.norm(dim=1))[0], expected="painted", kind=ARITHMETIC, verdict=FAILS,
      note="A dot product mixes direction and length. All seven keys point almost the same way as this query (cosine "
           "at least 0.9978), so length decides: “painted” has the longest key. The best aligned is that of “the”, "
           "whose score is the second lowest.")

claim("R-6.2-content-words", "“painted” scores high with “artist” and “portrait”, and low with “the”.", True,
      lambda: bool(worked().scores[[THE, OF_PORTRAIT]].max() < worked().scores[[ARTIST, PORTRAIT]].min()),
      kind=ARITHMETIC, verdict=FAILS,
      note="“The” comes second (11.96), above artist (11.20) and portrait (10.86); “the” is sixth (9.76). These "
           "matrices know no grammar.")

# What R prints: a query, a key, the scores of all seven tokens, and half of them
Q_PAINTED, K_ARTIST = [1.41, 1.53, 1.65, 1.77], [1.26, 1.38, 1.50, 1.62]
SCORES = [5.432, 6.123, 9.230, 10.156, 6.891, 8.745, 5.678]
SCALED = [2.716, 3.062, 4.615, 5.078, 3.446, 4.373, 2.839]

# --- R 7.1-7.2 Why scale -------------------------------------------------------------------------------------------


def follows_the_formula(Q, K, V):
    """Whether the library's attention is softmax(Q K^T / √d_k) V, written out: R's formula and L's."""
    z = (Q @ K.T / Q.shape[1] ** 0.5).exp()
    return torch.allclose(z / z.sum(1, keepdim=True) @ V, attention(Q, K, V)[0], atol=1e-12)


claim("R-7.1-formula", "Attention(Q, K, V) = softmax(Q K^T / √d_k) V (here: for R's own matrices).", True,
      lambda: follows_the_formula(worked().Q, worked().K, worked().V))

claim("R-7.1-e-10", "e^10.", 22026, lambda: exp(10), tolerance=0.5, kind=ARITHMETIC)

claim("R-7.1-e-20", "e^20.", 485_165_195, lambda: exp(20), tolerance=0.5, kind=ARITHMETIC)

claim("R-7.1-peaked", "With scores 20 and 10, the first gets nearly all the weight.", True,
      lambda: softmax(torch.tensor([20.0, 10.0]))[0] > 0.999, note="0.99995. After division by √4 it would be 0.9933.")


@claim("R-7.1-gradient", "There, the gradient of softmax is extremely small.", True, note="0.000045.")
def _():
    z = torch.tensor([20.0, 10.0], dtype=torch.float64, requires_grad=True)
    with torch.enable_grad():
        softmax(z)[0].backward()
    return z.grad.abs().max() < 1e-4


def dot_products(d_k):
    """All dot products of vectors with coordinates ±1, which have mean 0 and variance 1: no sampling needed."""
    vectors = list(product((-1, 1), repeat=d_k))
    return [sum(a * b for a, b in zip(q, k)) for q in vectors for k in vectors]


claim("R-7.2-product", "A product of two such numbers has mean 0 and variance 1.", [0, 1],
      lambda: [fmean(dot_products(1)), pvariance(dot_products(1))], kind=ARITHMETIC)

claim("R-7.2-variance-4", "A dot product in 4 dimensions has variance 4.", 4, lambda: pvariance(dot_products(4)),
      kind=ARITHMETIC)

claim("R-7.2-variance-bert", "In BERT's 768-dimensional space, dot products have variance 768 (here: of 20,000 queries "
      "and keys as long as those of a head of BERT).", 768,
      lambda: torch.randn(2, 20_000, tools.bert_attention().d_k).prod(0).sum(1).var(), tolerance=10, verdict=FAILS,
      note="Queries and keys live in a head's d_k = 64 dimensions (R 5.3 and 9.2 say so), so the variance is 64 and "
           "BERT divides by 8.")

claim("R-7.2-back-to-1", "Division by √d_k brings the variance back to 1 (here: of all vectors with coordinates "
      "±1, d_k = 4).", 1,
      lambda: pvariance([product / 4**0.5 for product in dot_products(4)]), kind=ARITHMETIC)

# --- R 7.3 Attention scores ----------------------------------------------------------------------------------------

claim("R-7.3-terms", "The four terms of q · k, from the printed vectors.", [1.777, 2.111, 2.475, 2.867],
      lambda: [q * k for q, k in zip(Q_PAINTED, K_ARTIST)], kind=ARITHMETIC)

claim("R-7.3-sum", "The score of “artist”, from the printed vectors.", 9.230,
      lambda: sum(q * k for q, k in zip(Q_PAINTED, K_ARTIST)), tolerance=0.0005, kind=ARITHMETIC,
      note="The arithmetic is right, the vectors are not (5.4, 5.5).")

claim("R-7.3-score-artist", "The score of “artist”, from the matrices.", 9.230, lambda: worked().scores[ARTIST],
      tolerance=0.0005, kind=ARITHMETIC, verdict=FAILS,
      note="11.2032. The printed score is right for the printed vectors only.")

claim("R-7.3-scores", "The scores of all tokens for “painted”.", SCORES, lambda: worked().scores, kind=ARITHMETIC,
      verdict=FAILS,
      note="They follow neither from the matrices nor from the printed query (whose score with the true key of "
           "“painted” would be 12.764).")

claim("R-7.3-ranking", "The order of the tokens, highest score first.", ranking(SCORES),
      lambda: ranking(worked().scores), kind=ARITHMETIC, verdict=FAILS,
      note="“The” is second: the story of a verb that looks at its subject and object is not in these numbers. Every "
           "one of the seven queries gives this same order, since queries differ little and the longest keys win.")

claim("R-7.3-highest", "“painted” scores highest with itself.", "painted", lambda: ranking(worked().scores)[0],
      kind=ARITHMETIC)

claim("R-7.3-second", "The second highest score is with the subject.", "artist", lambda: ranking(worked().scores)[1],
      kind=ARITHMETIC, verdict=FAILS, note="11.9632 with “The”, 11.2032 with “artist”.")

claim("R-7.3-third", "The third highest score is with the object.", "portrait", lambda: ranking(worked().scores)[2],
      kind=ARITHMETIC, verdict=FAILS, note="“portrait” is fourth, with 10.8592.")

claim("R-7.3-lowest", "[CLS] scores lowest.", "[CLS]", lambda: ranking(worked().scores)[-1], kind=ARITHMETIC)

claim("R-7.3-medium", "“the” has a medium score (here: as printed, the 4th of seven).", True,
      lambda: 1 + ranking(worked().scores).index("the"), expected=4, kind=ARITHMETIC, verdict=FAILS,
      note="From its matrices “the” is sixth of seven, and “The”, whose role is the same, second.")

# --- R 7.4 Scaling -------------------------------------------------------------------------------------------------

claim("R-7.4-halves", "Half of each printed score.", SCALED, lambda: [score / 2 for score in SCORES], kind=ARITHMETIC)

claim("R-7.4-scaled", "The scaled scores.", SCALED, lambda: worked().scores / 2, kind=ARITHMETIC, verdict=FAILS,
      note="See 7.3: the scores differ.")

claim("R-7.4-smoother", "Scaled scores give a smoother distribution.", True,
      lambda: softmax(worked().scores / 2).max() < softmax(worked().scores).max(),
      note="The largest weight falls from 0.868 to 0.546.")

# --- R 8 Softmax and the weighted sum ------------------------------------------------------------------------------

EXPONENTIALS = [15.130, 21.384, 101.019, 160.588, 31.346, 79.315, 17.087]
WEIGHTS = [0.0355, 0.0502, 0.2372, 0.3770, 0.0736, 0.1862, 0.0401]


@claim("R-8.1-formula", "softmax(z_i) = e^(z_i) / Σ_j e^(z_j).", True)
def _():
    z = worked().scores / 2
    return torch.allclose(softmax(z), z.exp() / z.exp().sum(), atol=1e-12)


claim("R-8.1-logistic",
      "Softmax generalizes the logistic function: of z and 0, it gives z the weight 1 / (1 + e^(−z)).", True,
      lambda: all(isclose(softmax(torch.tensor([z, 0.0]))[0], 1 / (1 + exp(-z)), rel_tol=1e-5) for z in (-3, 0.5, 2)))


@claim("R-8.1-order", "The exponential keeps the order and amplifies differences (here: the weights are ordered as the "
       "scores, and the largest is further above the second than its score was, as a ratio).", True)
def _():
    z = worked().scores / 2
    (first, second), (A, B) = z.topk(2).values, softmax(z).topk(2).values
    return torch.equal(z.argsort(), softmax(z).argsort()) and bool(A / B > first / second)


@claim("R-8.1-properties", "Softmax gives positive numbers below 1 that sum to 1.", True)
def _():
    weights = worked().weights
    return bool((weights > 0).all() and (weights < 1).all() and abs(weights.sum() - 1) < 1e-12)


@claim("R-8.1-ratio", "The ratio of two weights is e to the difference of their scores.", True)
def _():
    weights = worked().weights
    z = worked().scores / 2
    return isclose(weights[PAINTED] / weights[ARTIST], exp(z[PAINTED] - z[ARTIST]), rel_tol=1e-9)


claim("R-8.2-exponentials", "The exponentials of the printed scaled scores.", EXPONENTIALS,
      lambda: [exp(z) for z in SCALED], kind=ARITHMETIC, verdict=FAILS,
      note="All seven are off, by 0.01 to 0.14: five too large, two too small.")

claim("R-8.2-less-than-twice", "The largest scaled score is less than twice the smallest.", True,
      lambda: max(SCALED) < 2 * min(SCALED), kind=ARITHMETIC)

claim("R-8.2-ten-times", "Its exponential is more than ten times the smallest one.", True,
      lambda: exp(max(SCALED)) > 10 * exp(min(SCALED)), kind=ARITHMETIC, note="10.6 times.")

claim("R-8.2-sum", "The sum of the printed exponentials.", 425.869, lambda: sum(EXPONENTIALS), kind=ARITHMETIC)

claim("R-8.2-sum-of-true-exponentials", "The normalization constant of the printed scaled scores.", 425.869,
      lambda: sum(exp(z) for z in SCALED), kind=ARITHMETIC, verdict=FAILS,
      note="The addition is right, the exponentials are not.")

claim("R-8.2-divisions", "Each printed exponential divided by 425.869.", WEIGHTS,
      lambda: [e / 425.869 for e in EXPONENTIALS], kind=ARITHMETIC, verdict=FAILS,
      note="160.588 / 425.869 = 0.37708, which rounds to 0.3771. The other six are right.")

claim("R-8.2-softmax", "The softmax of the printed scaled scores.", WEIGHTS,
      lambda: softmax(torch.tensor(SCALED, dtype=torch.float64)), verdict=FAILS,
      note="Three round differently: 0.3769 (painted), 0.0737 (the), 0.0402 ([SEP]).")

claim("R-8.2-weights", "The attention weights of “painted”.", WEIGHTS, lambda: worked().weights, verdict=FAILS,
      note="From R's matrices “painted” keeps more than half for itself, and “The” comes next.")

claim("R-8.2-sum-to-1", "The sum of the seven printed weights.", 0.9998, lambda: sum(WEIGHTS), kind=ARITHMETIC)

MOST = [PAINTED, ARTIST, PORTRAIT, OF_PORTRAIT]  # in the order of R's sentence on them

claim("R-8.3-rounded", "The printed weights of painted, artist, portrait, the in percent.", [37.7, 23.7, 18.6, 7.4],
      lambda: [100 * WEIGHTS[i] for i in MOST], kind=ARITHMETIC)

claim("R-8.3-percent", "“painted” gives this share to painted, artist, portrait, the.", [37.7, 23.7, 18.6, 7.4],
      lambda: 100 * worked().weights[MOST], verdict=FAILS,
      note="And 14.8 % to “The”, 5.5 % to [SEP], 1.5 % to [CLS].")

claim("R-8.3-others", "The other tokens, The, [SEP] and [CLS], get smaller amounts than “the”.", True,
      lambda: bool(worked().weights[[CLS, THE, SEP]].max() < worked().weights[OF_PORTRAIT]), verdict=FAILS,
      note="“The” gets 14.8 %, [SEP] 5.5 %, “the” 4.9 %.")

claim("R-8.4-coefficients", "The output of “painted” is the sum of the values with these coefficients.", WEIGHTS,
      lambda: worked().weights, verdict=FAILS,
      note="R stops before the number. From its matrices the output is [1.6789, 1.8498, 2.0207, 2.1915]; R's "
           "coefficients on the true values would give [1.577, 1.740, 1.902, 2.064].")

claim("R-8.4-weighted-sum", "The output is o = Σ_i α_i v_i.", True,
      lambda: torch.allclose(worked().output, sum(a * v for a, v in zip(worked().weights, worked().V)), atol=1e-12))


@claim("R-8.5-context", "The output for “painted” depends on the other tokens, such as “artist” and “portrait”, not on "
       "“painted” alone (here: it changes when one of the six others does).", True)
def _():
    mha, X = tools.random_attention()
    changed = [X.index_fill(0, torch.tensor(i), 1.0) for i in (0, 1, 2, 4, 5, 6)]
    return not any(torch.allclose(mha(X)[0][3], mha(other)[0][3]) for other in changed)


# --- L 2.1 Cosine similarity ---------------------------------------------------------------------------------------

claim("L-2.1-definition", "cs(v, w) = ⟨v, w⟩ / (∥v∥ ∥w∥).", True,
      lambda: isclose(cosine([1, 2, 3], [-2, 5, 1]), 11 / (14**0.5 * 30**0.5)))

claim("L-2.1-directions", "0 means orthogonality and 1 means the same direction.", [0, 1],
      lambda: [cosine([3, 4], [-8, 6]), cosine([3, 4], [6, 8])], tolerance=1e-12)

claim("L-2.1-orthogonal", "Orthogonal vectors have cosine similarity 0 (here: the columns of a random rotation).", 0,
      lambda: abs(cosine(*torch.linalg.qr(torch.randn(5, 2).double()).Q.T)), tolerance=1e-12)

claim("L-2.1-self", "The cosine similarity of a vector with itself is always 1.", 1,
      lambda: [nan if tools.refuses(cosine, v, v) else cosine(v, v) for v in ([3.0, 4.0], [-2.0, 7.0], [0.0, 0.0])],
      expected=3 * [1], tolerance=1e-12, verdict=FAILS,
      note="True of every vector but zero, the third one here: there the formula divides 0 by 0. Code has to decide "
           "what to answer; our `cosine` refuses.")

claim("L-2.1-scaling", "Scaling by a non-zero number has no effect (here: on the cosine of v and −2v).", True,
      lambda: cosine([3, 4], [-6, -8]), expected=1, verdict=FAILS,
      note="A positive factor has no effect; a negative one flips the sign.")

claim("L-2.1-no-metric", "Cosine similarity is not a metric (here: of (1, 0), (1, 1) and (0, 1)).", True,
      lambda: bool(1 - cosine([1, 0], [0, 1]) > (1 - cosine([1, 0], [1, 1])) + (1 - cosine([1, 1], [0, 1]))),
      note="1 − cos breaks the triangle inequality: going from 0° to 90° by way of 45° would cost less than going "
           "straight.")


@claim("L-2.1-cosine-rule",
       "Cosine similarity is the cosine of the cosine rule: |v − w|² = |v|² + |w|² − 2 |v| |w| cos θ.", True)
def _():
    v, w = (1, 2, 3), (-2, 5, 1)
    difference = hypot(*(a - b for a, b in zip(v, w, strict=True)))
    return isclose(difference**2, hypot(*v) ** 2 + hypot(*w) ** 2 - 2 * hypot(*v) * hypot(*w) * cosine(v, w))


@claim("L-2.1-plane", "Two vectors span a plane, which maps to R² and keeps their cosine.", True)
def _():
    pair = torch.tensor([[1.0, 2, 3, 4], [-2, 5, 1, 0]], dtype=torch.float64).T  # (4, 2)
    _, in_the_plane = torch.linalg.qr(pair)  # (2, 2): the same two vectors in coordinates of their plane
    return bool(abs(cosine(*pair.T) - cosine(*in_the_plane.T)) < 1e-12)


claim("L-2.1-matrix-product", "M × v has the entries Σ_j a_ij v_j (here: as torch multiplies (0, 1, 2; 3, 4, 5) and "
      "(1, 2, 3)).", True, lambda: torch.arange(6).reshape(2, 3) @ torch.tensor([1, 2, 3]),
      expected=[0 * 1 + 1 * 2 + 2 * 3, 3 * 1 + 4 * 2 + 5 * 3], kind=ARITHMETIC)

# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------

claim("L-3.2.5-d-q", "d_Q = 64 in the original transformer and in BERT.", [64, 64],
      lambda: [model().layer[0].attention.d_k for model in (tools.original, tools.bert_base)])


@claim("L-3.2.5-matrix-product", "Q × K^T holds all pair-wise dot products.", True)
def _():
    Q, K = torch.randn(18, 64).double(), torch.randn(18, 64).double()
    return torch.allclose(scores(Q, K) * 8, torch.stack([torch.stack([q @ k for k in K]) for q in Q]))


FRIEND, YOU = (15, 20), (16, 18)  # km north, km east


def difference(here, there):
    """How far to go north and east from there to here."""
    return [a - b for a, b in zip(here, there, strict=True)]


@claim("L-3.2.5-directions", "Differences of positions have a meaning, sums have none (here: whether they change when "
       "the fixed point moves).", True, expected=[False, True], kind=ARITHMETIC)
def _():
    moved = [(north + 5, east - 3) for north, east in (FRIEND, YOU)]
    sums = [[a + b for a, b in zip(*pair, strict=True)] for pair in (moved, (FRIEND, YOU))]
    return [difference(*moved) != difference(FRIEND, YOU), sums[0] != sums[1]]


@claim("L-3.2.5-value-2",
       "For the query of “bear”, whose best key is K_1 (“the”), the weights concentrate on the value with index", 2,
       verdict=FAILS,
       note="The weight of value j comes from key j, so it is V_1, the article's. V_2 is the value of “bear” itself.")
def _():
    K = torch.randn(18, 64)
    output, _ = attention(2 * K[1:2], K, torch.eye(18))  # a query along K_1, and values that say whose they are
    return output.argmax()


claim("L-3.2.5-formula", "Attention(Q, K, V) = softmax(Q K^T / √d_Q) V.", True,
      lambda: follows_the_formula(*torch.randn(3, 5, 4).double()))

claim("L-3.2.5-others", "An update is a weighted sum of the values of the other embeddings (here: the mean weight of a "
      "token on itself, in a BERT with random weights).", True,
      lambda: tools.small_bert().trace([range(18)])["layer.0.attention.weights"].diagonal(dim1=-2, dim2=-1).mean(),
      expected=0.0, tolerance=0.001, verdict=FAILS,
      note="The sum runs over all tokens, the token itself included, as L's formula says.")
