"""R 3, L 3.2.1, 3.2.4, 3.2.8 and 4.2: positions, recomputed."""

from math import pi

import torch

from tutorial_book.claims import tools
from tutorial_book.claims.claim import ARITHMETIC, FAILS, ROUND, claims_of
from tutorial_lib import encoder_decoder
from tutorial_lib.bert import Bert
from tutorial_lib.positions import shift_matrix, sinusoidal, wavelengths

claim = claims_of("positions")

CAT_SAT, MAT_SAT = "The cat sat on the mat", "On the mat sat the cat"
CAT_CHASED, DOG_CHASED = "The cat chased the dog", "The dog chased the cat"

# --- R 3 Positional encodings --------------------------------------------------------------------------------------


@claim("R-3.1-order-lost", "Without positions, a transformer cannot tell the order of its tokens.", True,
       note="Attention permutes its outputs as its inputs were permuted; each token gets the same vector wherever it "
            "stands.")
def _():
    mha, X = tools.random_attention()
    order = torch.randperm(7)
    return torch.allclose(mha(X[order])[0], mha(X)[0][order], atol=1e-12)


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
      "“The cat sat on the mat” and “On the mat sat the cat” contain the same tokens (in lower case, as in R's model).",
      True, lambda: sorted(tools.tokenizer().tokenize(CAT_SAT)) == sorted(tools.tokenizer().tokenize(MAT_SAT)),
      note="As printed, with capitals, a cased vocabulary has different tokens for The and the, On and on. The two "
           "sentences also mean the same: English can turn the order around here. “The cat chased the dog” (R 3.2) is "
           "the better example: it keeps its capital when turned around, and means something else.")

claim("R-3.2-same-set", "“The cat chased the dog” and “The dog chased the cat” have the same set of embeddings.", True,
      lambda: all(sorted(way(CAT_CHASED)) == sorted(way(DOG_CHASED))
                  for way in (str.split, tools.tokenizer().tokenize)), note="With capitals and without.")


@claim("R-3.2-formula", "X = X_tok + P is what enters the first layer (here: the largest difference to it, in an "
       "original transformer of random weights, where X_tok is the token vectors times √d_model).", True, expected=0.0,
       tolerance=1e-5, note="In BERT a segment vector is added as well, and a LayerNorm follows.")
def _():
    config = encoder_decoder.Config(vocab_size=50, d_model=16, n_layers=1, n_heads=2, d_ff=32)
    embeddings = encoder_decoder.Embeddings(config)
    X_tok = 16**0.5 * embeddings.tokens.weight[:20]
    return (embeddings(torch.arange(20)[None])[0] - X_tok - sinusoidal(20, 16)).abs().max()


claim("R-3.2-three-tokens", "“I love AI” is a sentence of 3 tokens.", 3,
      lambda: len(tools.tokenizer().tokenize("I love AI")))


@claim("R-3.2-sum", "X = X_tok + P for the 3 × 4 example.",
       [[0.11, 0.22, 0.33, 0.44], [0.55, 0.66, 0.77, 0.88], [0.99, 1.10, 1.21, 1.32]], tolerance=1e-12, kind=ARITHMETIC,
       note="This P is X_tok / 10, so adding it makes each vector 1.1 times as long and turns none: easy to check, but "
            "no model for how positions help.")
def _():
    X_tok = torch.arange(1, 13, dtype=torch.float64).reshape(3, 4) / 10
    return X_tok + X_tok / 10


claim("R-3.3-order", "“the cat is black” is processed as four tokens: first, second, third, fourth.",
      ["the", "cat", "is", "black"], lambda: tools.tokenizer().tokenize("the cat is black"))


@claim("R-3.4-sine-cosine", "Even coordinates are sines, odd ones cosines of the same angle.", True)
def _():
    angles = torch.arange(50)[:, None] / 10000 ** (torch.arange(3, dtype=torch.float64) / 3)
    PE = sinusoidal(50, 6).double()
    return torch.allclose(PE[:, 0::2], angles.sin(), atol=1e-6) and torch.allclose(PE[:, 1::2], angles.cos(), atol=1e-6)


claim("R-3.4-unique", "Each position gets its own combination of values.", True,
      lambda: torch.pdist(sinusoidal(2000, 6).double()).min() > 1e-3,
      note="Checked for 2,000 positions with d_model = 6.")

claim("R-3.4-smooth", "Small changes in position lead to small changes in the vector (here: which of 100 positions "
      "have the vectors nearest to that of position 0).", True,
      lambda: (sinusoidal(100, 512) - sinusoidal(1, 512)).norm(dim=1).argsort()[:4], expected=[0, 1, 2, 3])


@claim("R-3.4-geometric", "The wavelengths form a geometric progression.", True)
def _():
    ratios = wavelengths(512)[1:] / wavelengths(512)[:-1]
    return torch.allclose(ratios, ratios[:1])


claim("R-3.4-shortest-wavelength", "The shortest wavelength is 2π.", "2π", lambda: wavelengths(512)[0],
      expected=6.283185)


@claim("R-3.4-fast-and-slow", "Some dimensions change quickly with the position, others slowly (here: from position 0 "
       "to 1, the first sine changes at least a thousand times as much as the last).", True)
def _():
    step = sinusoidal(2, 512).diff(dim=0)[0]
    return bool(step[0] >= 1000 * step[510] > 0)


claim("R-3.4-longest-wavelength", "The longest wavelength is 10000 · 2π.", "10000 · 2π", lambda: wavelengths(512)[-1],
      expected=62831.85, verdict=FAILS,
      note="It is 10000^((d−2)/d) · 2π: 9,646.6 · 2π for d_model = 512, 9,763.0 · 2π for 768, and only 464.2 · 2π for "
           "the 6 of R's example. The progression stops one step short of 10000. The original paper says "
           "the same as R.")


@claim("R-3.5-identities", "The addition formulas of sine and cosine.", True, kind=ARITHMETIC)
def _():
    a, b = torch.linspace(-9, 9, 99).double()[:, None], torch.linspace(-9, 9, 99).double()
    sines = torch.allclose((a + b).sin(), a.sin() * b.cos() + a.cos() * b.sin(), atol=1e-12)
    return sines and torch.allclose((a + b).cos(), a.cos() * b.cos() - a.sin() * b.sin(), atol=1e-12)


def shift_error(k, d_model):
    """How far M_k PE(pos) is from PE(pos + k), at most, for 200 positions."""
    PE = sinusoidal(300, d_model).double()
    return (PE[50:250] @ shift_matrix(k, d_model).T - PE[50 + k : 250 + k]).abs().max()


claim("R-3.5-linear-offset", "The encoding at position pos + k is a linear function of the encoding at pos.", True,
      lambda: max(shift_error(k, d_model) for k in (-50, -7, 0, 1, 50) for d_model in (6, 512)) < 1e-6,
      note="Checked for 200 positions, five k from −50 to 50, and d_model 6 and 512.")

claim("R-3.6-divisors", "10000^(2/6) and 10000^(4/6).", [21.5443, 464.159],
      lambda: [10000 ** (2 / 6), 10000 ** (4 / 6)], tolerance=0.0005, kind=ARITHMETIC)

claim("R-3.6-angles", "1/21.5443 and 1/464.159.", [0.0464, 0.0022],
      lambda: [1 / 10000 ** (2 / 6), 1 / 10000 ** (4 / 6)], kind=ARITHMETIC)

claim("R-3.6-vector", "The encoding of position 1 with d_model = 6.", [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000],
      lambda: sinusoidal(2, 6)[1])


@claim("R-3.7-sinusoidal-longer", "Sinusoidal encodings generalize to longer sequences (here: the formula does: "
       "positions beyond 512 lie to each other as those before, cosine by cosine).", True,
       note="Whether a trained model understands them there is another question.")
def _():
    PE = sinusoidal(100_000, 64).double()
    return torch.allclose(PE[:512] @ PE[:512].T, PE[-512:] @ PE[-512:].T, atol=1e-3)


claim("R-3.7-deterministic", "Sinusoidal encodings are deterministic (here: whether they are the same twice, and "
      "learned ones, of two new models).", True,
      lambda: [torch.equal(sinusoidal(20, 16), sinusoidal(20, 16)),
               torch.equal(*(Bert(tools.small_bert().config).embeddings.positions.weight for _ in range(2)))],
      expected=[True, False])

claim("R-3.7-learned-limited", "Learned positions are limited to the length that was trained (here: a small BERT takes "
      "20 tokens, as many as it has positions, and not 21).", True,
      lambda: [tools.refuses(tools.small_bert(), [[1] * n]) for n in (20, 21)], expected=[False, True])

# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------

claim("L-3.2.1-positions-differ", "With positions added, the two “the” differ (here: before, and then).", True,
      lambda: [torch.allclose(*tools.bear_trace()[f"embeddings.{stop}"][0, [2, 6]], atol=1e-3)
               for stop in ("tokens", "sum")], expected=[True, False])

# --- L 3.2.4 Positional encodings ----------------------------------------------------------------------------------


def encodings_as_printed(n, d_model):
    """L's formula: coordinate k of position n is sin (k even) or cos (k odd) of n / 10000^(2k / d_model)."""
    k = torch.arange(d_model)
    angles = torch.arange(n, dtype=torch.float64)[:, None] / 10000 ** (2 * k / d_model)  # (n, d_model)
    return torch.where(k % 2 == 0, angles.sin(), angles.cos())


claim("L-3.2.4-largest-divisor", "The n-th position's k-th coordinate divides n by 10000^(2k/512) (here: for k = 511, "
      "against the original transformer's encoding).", True, lambda: round(wavelengths(512)[-1].item() / (2 * pi)),
      expected=96_466_162, verdict=FAILS,
      note="Vaswani et al. write 2i for the coordinate itself: sine and cosine 2i and 2i + 1 share 10000^(2i/512), "
           "which ends at 9,647. L's 2k doubles every exponent, so that over half the coordinates hardly move within "
           "128 positions.")


@claim("L-3.2.4-relative", "The formula is the original transformer's, where a linear map leads from each position to "
       "the next (R 3.5; here: the largest error of the best map).", True, expected=0.0, tolerance=1e-6,
       kind=ARITHMETIC, verdict=FAILS,
       note="With L's formula a sine and the cosine beside it turn at different speeds, and sin(a + b) needs both at "
            "the same speed: the best linear map misses by 0.86 (2,000 positions, d_model = 16). The cosine between "
            "two positions then depends on where they stand, not only on their distance.")
def _():
    PE = encodings_as_printed(2001, 16)
    M = torch.linalg.lstsq(PE[:-1], PE[1:], driver="gelsd").solution
    return (PE[:-1] @ M - PE[1:]).abs().max()


claim("L-3.2.4-differ", "The encodings can be told from one another.", True,
      lambda: torch.pdist(encodings_as_printed(512, 512)).min() > 0.1, kind=ARITHMETIC, note="With L's formula too.")

# --- L 3.2.8 Putting it all together -------------------------------------------------------------------------------

claim("L-3.2.8-next-operator",
      "In theory, positions can be built so that one linear operator leads from each to the next.", True,
      lambda: shift_error(1, 512) < 1e-6,
      note="The original transformer's encodings are such: the operator is a rotation (R 3.5). L's own formula in "
           "3.2.4 would lose it. Whether a trained model uses it is another question, as L says.")

# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------

claim("L-4.2-position-values", "512 positional vectors of length 768 make around 39k values.", 39_000,
      lambda: tools.count(tools.cased().embeddings.positions), tolerance=ROUND, verdict=FAILS,
      note="A zero was lost: 512 · 768 = 393,216, about 390k.")

claim("L-4.2-position-norms",
      "The positional vectors' norms are concentrated just below 0.5 (here: the share from 0.4 to 0.5).", 0.5,
      lambda: tools.share_between(0.4, 0.5, tools.bert("bert-base-cased").embeddings.positions), expected=1.0,
      tolerance=0.1, needs="bert-base-cased")
