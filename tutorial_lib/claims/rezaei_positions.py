"""R 3: positions, recomputed."""

from tutorial_lib.claims.claim import FAILS, claim
from tutorial_lib.claims.rezaei_tokens import distilbert_parameters
from tutorial_lib.claims.tools import bert_base, small_bert, tokenizer

CAT_SAT, MAT_SAT = "The cat sat on the mat", "On the mat sat the cat"
CAT_CHASED, DOG_CHASED = "The cat chased the dog", "The dog chased the cat"

# --- R 3 Positional encodings --------------------------------------------------------------------------------------


@claim(
    "R-3-depth",
    "bert",
    "The key architectural difference between BERT and DistilBERT is depth.",
    True,
    note="The six layers are 98.6 % of the parameters that DistilBERT lacks. The rest, 592,128, are the "
    "segment embeddings and the pooler, which it drops too: that is why it takes no token_type_ids.",
)
def _():
    bert, half = (sum(count for _, _, count in bert_base(n_layers=n).parameter_table()) for n in (12, 6))
    return (bert - half) / (bert - distilbert_parameters()) > 0.9


@claim(
    "R-3-between",
    "positions",
    "Positional encodings sit between the embedding layer and the transformer layers.",
    True,
    verdict=FAILS,
    note="True of the original transformer. In BERT positions are inside the embedding layer: they are "
    "added to the token rows, then a LayerNorm follows, and only its output leaves the layer.",
)
def _():
    names = list(small_bert().trace([[1, 2, 3]]))
    return names.index("embeddings.positions") > names.index("embeddings.output")


@claim(
    "R-3.1-order-lost",
    "positions",
    "Without positions, a transformer cannot tell the order of its tokens.",
    True,
    note="Attention permutes its outputs as its inputs were permuted; each token gets the same vector "
    "wherever it stands.",
)
def _():
    import torch

    from tutorial_lib.attention import MultiHeadAttention

    mha, X, order = MultiHeadAttention(8, 2).double(), torch.randn(6, 8).double(), torch.randperm(6)
    return torch.allclose(mha(X[order])[0], mha(X)[0][order], atol=1e-12)


@claim(
    "R-3.1-same-tokens-uncased",
    "positions",
    "“The cat sat on the mat” and “On the mat sat the cat” contain the same tokens (lower-cased, as R's "
    "model does).",
    True,
    note="The two sentences also mean the same: English can turn the order around here. “The cat chased the "
    "dog” (R 3.2) is the better example, since its turned version means something else.",
)
def _():
    return sorted(tokenizer().tokenize(CAT_SAT)) == sorted(tokenizer().tokenize(MAT_SAT))


@claim(
    "R-3.1-same-tokens-as-printed",
    "positions",
    "“The cat sat on the mat” and “On the mat sat the cat” contain the same tokens (as printed, with "
    "capital letters).",
    True,
    verdict=FAILS,
    note="A cased vocabulary has different tokens for The and the, On and on. “The cat chased the dog” (R "
    "3.2) keeps its capital when turned around.",
)
def _():
    return sorted(CAT_SAT.split()) == sorted(MAT_SAT.split())


@claim(
    "R-3.2-same-set",
    "positions",
    "“The cat chased the dog” and “The dog chased the cat” have the same set of embeddings.",
    True,
    note="With capitals and without.",
)
def _():
    same = sorted(CAT_CHASED.split()) == sorted(DOG_CHASED.split())
    return same and sorted(tokenizer().tokenize(CAT_CHASED)) == sorted(tokenizer().tokenize(DOG_CHASED))


@claim("R-3.2-three-tokens", "positions", "“I love AI” is a sentence of 3 tokens.", 3)
def _():
    return len(tokenizer().tokenize("I love AI"))


@claim(
    "R-3.2-sum",
    "positions",
    "X = X_tok + P for the 3 × 4 example.",
    [[0.11, 0.22, 0.33, 0.44], [0.55, 0.66, 0.77, 0.88], [0.99, 1.10, 1.21, 1.32]],
    tolerance=1e-12,
    note="This P is X_tok / 10, so adding it makes each vector 1.1 times as long and turns none: easy to "
    "check, but no model for how positions help.",
)
def _():
    import torch

    count = torch.arange(1, 13, dtype=torch.float64).reshape(3, 4)
    return count / 10 + count / 100


@claim(
    "R-3.3-order",
    "positions",
    "“the cat is black” is processed as four tokens: first, second, third, fourth.",
    ["the", "cat", "is", "black"],
)
def _():
    return tokenizer().tokenize("the cat is black")


@claim(
    "R-3.4-index-range",
    "positions",
    "In the sinusoidal formula, i runs from 0 to d_model − 1; here for d_model = 6.",
    [0, 5],
    verdict=FAILS,
    note="i counts the sine-cosine pairs: 0 to d_model / 2 − 1. With R's range, 2i + 1 would reach 11, and "
    "the vector of 3.6 has 6 coordinates.",
)
def _():
    from tutorial_lib.positions import wavelengths

    return [0, len(wavelengths(6)) - 1]


@claim(
    "R-3.4-sine-cosine",
    "positions",
    "Even coordinates are sines, odd ones cosines of the same angle.",
    True,
)
def _():
    import torch

    from tutorial_lib.positions import sinusoidal

    angles = torch.arange(50)[:, None] / 10000 ** (torch.arange(3, dtype=torch.float64) / 3)
    PE = sinusoidal(50, 6).double()
    return torch.allclose(PE[:, 0::2], angles.sin(), atol=1e-6) and torch.allclose(PE[:, 1::2], angles.cos(), atol=1e-6)


@claim(
    "R-3.4-unique",
    "positions",
    "Each position gets its own combination of values.",
    True,
    note="Checked for 2,000 positions with d_model = 6.",
)
def _():
    import torch

    from tutorial_lib.positions import sinusoidal

    PE = sinusoidal(2000, 6).double()
    return (torch.cdist(PE, PE) + 9 * torch.eye(2000)).min() > 1e-3


@claim("R-3.4-smooth", "positions", "Small changes in position lead to small changes in the vector.", True)
def _():
    from tutorial_lib.positions import sinusoidal

    distance = (sinusoidal(100, 512) - sinusoidal(1, 512)).norm(dim=1)
    return distance[1] < distance[2] < distance[3] and distance[1] == distance[1:].min()


@claim("R-3.4-geometric", "positions", "The wavelengths form a geometric progression.", True)
def _():
    import torch

    from tutorial_lib.positions import wavelengths

    ratios = wavelengths(512)[1:] / wavelengths(512)[:-1]
    return torch.allclose(ratios, ratios[:1])


@claim("R-3.4-shortest-wavelength", "positions", "The shortest wavelength is 2π.", 6.283185)
def _():
    from tutorial_lib.positions import wavelengths

    return wavelengths(512)[0]


@claim(
    "R-3.4-longest-wavelength",
    "positions",
    "The longest wavelength is 10000 · 2π.",
    62831.85,
    verdict=FAILS,
    note="It is 10000^((d−2)/d) · 2π: 9,646.6 · 2π for d_model = 512, 9,763.0 · 2π for 768, and only 464.2 "
    "· 2π for the 6 of R's example. The progression stops one step short of 10000.",
)
def _():
    from tutorial_lib.positions import wavelengths

    return wavelengths(512)[-1]


@claim("R-3.5-identities", "positions", "The addition formulas of sine and cosine.", True)
def _():
    from math import cos, isclose, sin

    return all(
        isclose(sin(a + b), sin(a) * cos(b) + cos(a) * sin(b), abs_tol=1e-12)
        and isclose(cos(a + b), cos(a) * cos(b) - sin(a) * sin(b), abs_tol=1e-12)
        for a in range(-9, 9)
        for b in range(-9, 9)
    )


@claim(
    "R-3.5-linear-offset",
    "positions",
    "The encoding at position pos + k is a linear function of the encoding at pos.",
    True,
    note="Checked for 200 positions, k from −50 to 50, and d_model 6 and 512.",
)
def _():
    from tutorial_lib.positions import shift_matrix, sinusoidal

    errors = []
    for d_model in (6, 512):
        PE = sinusoidal(300, d_model).double()
        for k in (-50, -7, 0, 1, 50):
            errors.append((PE[50:250] @ shift_matrix(k, d_model).T - PE[50 + k : 250 + k]).abs().max())
    return max(errors) < 1e-6


@claim("R-3.6-cat", "positions", "In “The cat is black”, “cat” has position 1.", 1)
def _():
    return "The cat is black".split().index("cat")


@claim("R-3.6-divisors", "positions", "10000^(2/6) and 10000^(4/6).", [21.5443, 464.159], tolerance=0.0005)
def _():
    return [10000 ** (2 / 6), 10000 ** (4 / 6)]


@claim("R-3.6-angles", "positions", "1/21.5443 and 1/464.159.", [0.0464, 0.0022])
def _():
    return [1 / 10000 ** (2 / 6), 1 / 10000 ** (4 / 6)]


@claim(
    "R-3.6-vector",
    "positions",
    "The encoding of position 1 with d_model = 6.",
    [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000],
)
def _():
    from tutorial_lib.positions import sinusoidal

    return sinusoidal(2, 6)[1]


@claim("R-3.7-sinusoidal-longer", "positions", "Sinusoidal encodings reach any length.", True)
def _():
    from tutorial_lib.positions import sinusoidal

    return bool(sinusoidal(100_000, 4).isfinite().all())


@claim(
    "R-3.7-learned-limited",
    "positions",
    "Learned positions are limited to the length that was trained.",
    True,
)
def _():
    bert = small_bert()
    try:
        bert([[1] * (bert.config.n_positions + 1)])
    except ValueError:
        return True
    return False
