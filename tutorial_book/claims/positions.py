"""R 3, L 3.2.1, 3.2.4, 3.2.8 and 4.2: positions, recomputed."""

from math import pi

import torch

from tutorial_book.claims import tools
from tutorial_book.claims.claim import ARITHMETIC, FAILS, ROUND, claims_of
from tutorial_lib.attention import causal_mask
from tutorial_lib.positions import shift_matrix, sinusoidal, wavelengths

claim = claims_of("positions")

TWO_MATS = "The cat sat on the mat", "On the mat sat the cat"
TWO_DOGS = "The cat chased the dog", "The dog chased the cat"

# --- R 3 Positional encodings --------------------------------------------------------------------------------------


@claim("R-3.1-order-lost", "Without positions, a transformer cannot tell the order of its tokens (here: a layer gives "
       "out the same vectors, permuted as its inputs were; and whether it does with a decoder's causal mask).", True,
       expected=[True, False], note="R means encoders: a causal mask gives the order away.")
def _():
    layer, X, order = tools.small_bert().layer[0], torch.randn(1, 7, 16).double(), torch.randperm(7)
    return [torch.allclose(layer(X[:, order], mask), layer(X, mask)[:, order], atol=1e-12)
            for mask in (None, causal_mask(7))]


@claim("R-3.1-parallel", "Tokens are processed in parallel, not one after the other, from left to right or from right "
       "to left (here: what a layer of the default model gives out for each token needs no other token's output, and "
       "depends on tokens after it and before it).", True, expected=[True, True, True])
def _():
    layer = tools.bert().layer[0]
    X = tools.bear_trace()["embeddings.output"][0]  # (n, d_model)
    alone = torch.cat([layer.attention(X[i : i + 1], memory=X)[0] for i in range(len(X))])  # each without the others
    changed = [X.index_fill(0, torch.tensor(i), 0.0) for i in (0, len(X) - 1)]
    first, last = (~torch.isclose(layer.attention(Y)[0], alone, atol=1e-3).all(1) for Y in changed)
    return [torch.allclose(alone, layer.attention(X)[0], atol=1e-5), bool(first[-1]), bool(last[0])]


claim("R-3.1-same-tokens-uncased",
      "“The cat sat on the mat” and “On the mat sat the cat” contain the same tokens (here: in lower case, as in R's "
      "model; and so do “The cat chased the dog” and “The dog chased the cat” of 3.2).", True,
      lambda: all(sorted(tools.tokenizer().tokenize(one)) == sorted(tools.tokenizer().tokenize(other))
                  for one, other in (TWO_MATS, TWO_DOGS)),
      note="As printed, with capitals, a cased vocabulary has different tokens for The and the, On and on. The two "
           "sentences also mean the same: English can turn the order around here. “The cat chased the dog” (R 3.2) is "
           "the better example: it keeps its capital when turned around, and means something else.")


claim("R-3.2-three-tokens", "“I love AI” is a sentence of 3 tokens (here also “the cat is black” of 3.3, with 4).",
      [3, 4], lambda: [len(tools.tokenizer().tokenize(text)) for text in ("I love AI", "the cat is black")])


claim("R-3.4-unique", "Each position gets its own combination of values.", True,
      lambda: torch.pdist(sinusoidal(2000, 6).double()).min() > 1e-3,
      note="Checked for 2,000 positions with d_model = 6.")

claim("R-3.4-smooth", "Small changes in position lead to small changes in the vector (here: which of 100 positions "
      "have the vectors nearest to that of position 0).", True,
      lambda: (sinusoidal(100, 512) - sinusoidal(1, 512)).norm(dim=1).argsort()[:4], expected=[0, 1, 2, 3])


@claim("R-3.4-geometric", "The wavelengths form a geometric progression from 2π (here, from how far each pair of the "
       "encoding has turned at position 1: the first one, and whether all ratios are one).", True,
       expected=[6.283185, True])
def _():
    PE = sinusoidal(2, 512)[1].double()
    turns = 2 * pi / torch.atan2(PE[0::2], PE[1::2])
    ratios = turns[1:] / turns[:-1]
    return [turns[0], torch.allclose(ratios, ratios[:1])]


claim("R-3.4-longest-wavelength", "The wavelengths run from 2π to 10000 · 2π (here: the longest, d_model = 512).",
      "10000 · 2π", lambda: wavelengths(512)[-1], expected=62831.85, verdict=FAILS,
      note="It is 10000^((d−2)/d) · 2π: 9,646.6 · 2π for d_model = 512, 9,763.0 · 2π for 768, and only 464.2 · 2π for "
           "the 6 of R's example. The progression stops one step short of 10000. 10000 · 2π is the bound that it "
           "approaches as d_model grows. The original paper says the same as R.")


def shift_error(k, d_model):
    """Return how far M_k PE(pos) is from PE(pos + k), at most, for 200 positions."""
    PE = sinusoidal(300, d_model).double()
    return (PE[50:250] @ shift_matrix(k, d_model).T - PE[50 + k : 250 + k]).abs().max()


claim("R-3.5-linear-offset", "The encoding at position pos + k is a linear function of the encoding at pos.", True,
      lambda: max(shift_error(k, d_model) for k in (-50, -7, 0, 1, 50) for d_model in (6, 512)) < 1e-6,
      note="Checked for 200 positions, five k from −50 to 50, and d_model 6 and 512.")

claim("R-3.6-divisors", "10000^(2/6) and 10000^(4/6).", ["21.5443", "464.159"],
      lambda: [f"{10000 ** (2 / 6):.4f}", f"{10000 ** (4 / 6):.3f}"], kind=ARITHMETIC)

claim("R-3.6-vector", "The encoding of position 1 with d_model = 6.", [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000],
      lambda: sinusoidal(2, 6)[1])


# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------


# --- L 3.2.4 Positional encodings ----------------------------------------------------------------------------------


def encodings_as_printed(n, d_model):
    """Compute L's formula: coordinate k of position n is sin (k even) or cos (k odd) of n / 10000^(2k / d_model)."""
    k = torch.arange(d_model)
    angles = torch.arange(n, dtype=torch.float64)[:, None] / 10000 ** (2 * k / d_model)  # (n, d_model)
    return torch.where(k % 2 == 0, angles.sin(), angles.cos())


claim("L-3.2.4-largest-divisor", "The n-th position's k-th coordinate divides n by 10000^(2k/512) (here: for k = 511, "
      "against the original transformer's encoding).", True, lambda: round(wavelengths(512)[-1].item() / (2 * pi)),
      expected=96_466_162, verdict=FAILS,
      note="Vaswani et al. write 2i for the coordinate itself: sine and cosine 2i and 2i + 1 share 10000^(2i/512), "
           "which ends at 9,647. L's 2k doubles the sines' exponents, and more than doubles those of the cosines, "
           "so that over half the coordinates hardly move within 128 positions. And a sine and the cosine beside it "
           "turn at different speeds, so that no linear map leads from each position to the next (R 3.5): every one "
           "misses by 0.84 or more somewhere (2,000 positions, d_model = 16).")


claim("L-3.2.4-differ", "The encodings can be told from one another (here: no two of 512 are nearer than 0.1).",
      True,
      lambda: torch.pdist(encodings_as_printed(512, 512)).min() > 0.1, kind=ARITHMETIC,
      note="By L's formula. For the original one see R 3.4.")

# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------

claim("L-4.2-position-values", "512 positional vectors of length 768 make around 39k values.", 39_000,
      lambda: tools.count(tools.cased().embeddings.positions), tolerance=ROUND, verdict=FAILS,
      note="A zero was lost: 512 · 768 = 393,216, about 390k. L 3.3.2 has it right.")

claim("L-4.2-position-norms",
      "The positional vectors' norms are concentrated just below 0.5 (here: the share from 0.4 to 0.5).", 0.5,
      lambda: tools.share_between(0.4, 0.5, tools.bert("bert-base-cased").embeddings.positions), expected=1.0,
      tolerance=0.1, needs="bert-base-cased")
