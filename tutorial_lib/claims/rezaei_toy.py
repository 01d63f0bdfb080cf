"""R 4-6: the worked example from the embeddings to queries, keys and values, recomputed from R's own matrices."""

from tutorial_lib.claims.claim import FAILS, claim
from tutorial_lib.claims.tools import bert_base, nearest, ranking, tokenizer, toy_attention

STUDIO = "The artist painted the portrait in the studio."


@claim(
    "R-4.1-the",
    "attention",
    "The word “the” appears twice in “The artist painted the portrait in the studio.”",
    2,
    verdict=FAILS,
    note="Three times: The, the, the. R's model lower-cases its text, so all three are one token, id 1996.",
)
def _():
    return tokenizer().tokenize(STUDIO).count("the")


@claim("R-4.2-d-model", "attention", "d_model is 768 for BERT.", 768)
def _():
    return bert_base().config.d_model


@claim("R-5.1-tokens", "attention", "[CLS] The artist painted the portrait [SEP] are 7 tokens.", 7)
def _():
    return len(tokenizer().encode("The artist painted the portrait").tokens)


@claim(
    "R-5.2-rows",
    "attention",
    "X holds one row of 4 numbers for each of the 7 tokens.",
    [7, 4],
    note="“The” and “the” have different rows. In R's uncased model they are one token, whose rows differ "
    "only once positions are added.",
)
def _():
    from tutorial_lib import toy

    return list(toy.X.shape)


def principal_components():
    """X's coordinates along its principal components, (7, 4), and each component's share of the variance, (4,)."""
    import torch

    from tutorial_lib import toy

    centered = toy.X - toy.X.mean(0)
    U, S, _ = torch.linalg.svd(centered, full_matrices=False)
    return U * S, S**2 / (S**2).sum()


@claim(
    "R-5.2-majority",
    "attention",
    "The first two principal components hold the majority of the variance.",
    True,
    note="47.5 % + 29.6 % = 77.2 %.",
)
def _():
    return principal_components()[1][:2].sum() > 0.5


@claim(
    "R-5.2-painter",
    "attention",
    "“artist” is very close to “painter”, and “computer” is far away.",
    ["painter", "computer"],
    note="Not R's X, but the default model: “painter” is the 2nd nearest token to “artist” by cosine (0.48), "
    "“computer” only the 1,289th (0.12).",
)
def _():
    order = nearest("artist")
    return sorted(["painter", "computer"], key=order.index)


@claim(
    "R-5.2-figure-words",
    "attention",
    "Figure 2 shows the words of the sentence, among them these.",
    ["artist", "beautiful", "painted", "portrait", "a", "The"],
    verdict=FAILS,
    note="“beautiful” and “a” are not in the sentence: the figure's text belongs to another one.",
)
def _():
    from tutorial_lib import toy

    return [word for word in ["artist", "beautiful", "painted", "portrait", "a", "The"] if word in toy.TOKENS]


@claim(
    "R-5.2-painted-portrait",
    "attention",
    "In the plane of the first two components, “painted” lies close to “portrait”.",
    "portrait",
    verdict=FAILS,
    note="Its neighbors are [SEP] (0.46) and The (0.46); portrait is 0.58 away, the 8th closest of the 21 "
    "pairs. The closest pairs are [CLS] [SEP], artist portrait, The the. R says that the numbers are "
    "invented, so the picture shows no meaning.",
)
def _():
    from tutorial_lib import toy

    plane = principal_components()[0][:, :2]  # (7, 2)
    distances = (plane - plane[toy.TOKENS.index("painted")]).norm(dim=1)
    return ranking(-distances, toy.TOKENS)[1]  # the closest is "painted" itself


@claim(
    "R-5.3-square",
    "attention",
    "W^Q, W^K and W^V are 4 × 4.",
    [[4, 4], [4, 4], [4, 4]],
    note="Each has rank 2 only, and each is the one before plus 0.1 everywhere. So queries, keys and values "
    "are almost the same vectors here, and the three roles of R 4.4 cannot show in this example.",
)
def _():
    from tutorial_lib import toy

    return [list(W.shape) for W in (toy.W_Q, toy.W_K, toy.W_V)]


@claim("R-5.3-bert-matrix", "attention", "In BERT, each head's matrices are 768 × 64.", [768, 64])
def _():
    config = bert_base().config
    return [config.d_model, config.d_model // config.n_heads]


@claim("R-5.3-twelve-heads", "attention", "12 heads of 64 coordinates make 768 again.", 768)
def _():
    attention = bert_base().layer[0].attention
    return attention.n_heads * attention.d_k


@claim("R-5.4-x-painted", "attention", "The embedding of “painted”.", [0.4, 0.3, 0.2, 0.9], tolerance=0)
def _():
    from tutorial_lib import toy

    return toy.X[toy.TOKENS.index("painted")]


@claim(
    "R-5.4-q-painted",
    "attention",
    "The query of “painted” is x W^Q.",
    [1.41, 1.53, 1.65, 1.77],
    verdict=FAILS,
    note="Each column of W^Q is the one before plus 0.1, so the query must rise by 0.1 times the sum of x: "
    "0.18 a step. The printed steps are 0.12.",
)
def _():
    toy = toy_attention()
    return toy.Q[toy.painted]


@claim("R-5.5-x-artist", "attention", "The embedding of “artist”.", [0.2, 0.1, 0.8, 0.3], tolerance=0)
def _():
    from tutorial_lib import toy

    return toy.X[toy.TOKENS.index("artist")]


@claim(
    "R-5.5-k-artist",
    "attention",
    "The key of “artist” is x W^K.",
    [1.26, 1.38, 1.50, 1.62],
    verdict=FAILS,
    note="The sum of x is 1.4, so the key must rise by 0.14 a step; the printed steps are 0.12.",
)
def _():
    toy = toy_attention()
    return toy.K[toy.tokens.index("artist")]


@claim(
    "R-5.6-v-artist",
    "attention",
    "The value of “artist” is x W^V.",
    [1.10, 1.22, 1.34, 1.46],
    verdict=FAILS,
    note="W^V is W^K plus 0.1 everywhere, so the value is the key plus 0.14. Printed, it is smaller than "
    "the key.",
)
def _():
    toy = toy_attention()
    return toy.V[toy.tokens.index("artist")]


# --- R 6 Why dot products measure similarity -----------------------------------------------------------------------


@claim("R-6.1-geometric-form", "attention", "a · b = |a| |b| cos θ.", True)
def _():
    from math import atan2, cos, hypot, isclose

    pairs = [((3, 4), (5, -12)), ((1, 0), (-2, 7)), ((-1, -1), (2, 2))]
    return all(
        isclose(a[0] * b[0] + a[1] * b[1], hypot(*a) * hypot(*b) * cos(atan2(*a) - atan2(*b))) for a, b in pairs
    )


@claim("R-6.1-cosines", "attention", "The cosines of 0, 90 and 180 degrees.", [1, 0, -1], tolerance=1e-12)
def _():
    from math import cos, radians

    return [cos(radians(angle)) for angle in (0, 90, 180)]


@claim(
    "R-6.1-direction",
    "attention",
    "A high dot product of query and key means similar directions: the key with the highest score points "
    "most along the query.",
    "painted",
    verdict=FAILS,
    note="All seven keys point almost the same way as this query (cosine at least 0.9978), and the best "
    "aligned one is “the”, whose score is the second lowest. A dot product mixes direction and length, and "
    "here length decides: “painted” has the longest key.",
)
def _():
    toy = toy_attention()
    return ranking(toy.scores / toy.K.norm(dim=1), toy.tokens)[0]


@claim(
    "R-6.2-content-words",
    "attention",
    "“painted” scores high with “artist” and “portrait”, and low with “the”.",
    True,
    verdict=FAILS,
    note="“The” comes second (11.96), above artist (11.20) and portrait (10.86); “the” is sixth (9.76). "
    "These matrices know no grammar.",
)
def _():
    toy = toy_attention()
    score = dict(zip(toy.tokens, toy.scores))
    return max(score["The"], score["the"]) < min(score["artist"], score["portrait"])
