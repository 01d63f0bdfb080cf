"""L 3.2.4-3.2.8: positions, attention, many heads, masks and two domains, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.luisto_text import BEAR, TOKENS, bear_trace, original
from tutorial_lib.claims.tools import bert_base, random_attention, small_bert

# --- L 3.2.4 Positional embeddings ---------------------------------------------------------------------------------


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
    note="Vaswani et al. write 2i for the coordinate itself: sine and cosine 2i and 2i + 1 share 10000^(2i/512), which ends at 9,647. L's 2k doubles "
    "every exponent, so that over half the coordinates hardly move within 128 positions.",
)
def _():
    from math import pi

    from tutorial_lib.positions import wavelengths

    return round(wavelengths(512)[-1].item() / (2 * pi))


@claim(
    "L-3.2.4-relative",
    "positions",
    "The formula gives the original encodings, for which a shift by one is a linear map; its largest error on 2,000 positions is 0.",
    0.0,
    tolerance=1e-6,
    verdict=FAILS,
    note="With L's formula a sine and the cosine beside it turn at different speeds, and sin(a + b) needs both at the same speed: the best linear map "
    "misses by 0.86. The cosine between two positions then depends on where they stand, not only on their distance.",
)
def _():
    import torch

    PE = encodings_as_printed(2001, 16)
    M = torch.linalg.lstsq(PE[:-1], PE[1:], driver="gelsd").solution
    return (PE[:-1] @ M - PE[1:]).abs().max()


@claim("L-3.2.4-differ", "positions", "The encodings can be told from one another.", True, note="With L's formula too.")
def _():
    import torch

    PE = encodings_as_printed(512, 512)
    return (torch.cdist(PE, PE) + 99 * torch.eye(512)).min() > 0.1


@claim("L-3.2.4-figure-6", "positions", "Figure 6 shows 128 positions of dimension 512.", [128, 512])
def _():
    from tutorial_lib.positions import sinusoidal

    return list(sinusoidal(128, 512).shape)


# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------


@claim("L-3.2.5-18-vectors", "attention", "The sentence is 18 vectors, E_0 to E_17.", [0, 17])
def _():
    return [0, len(TOKENS) - 1]


@claim("L-3.2.5-d-q", "attention", "d_Q = 64 in the original transformer and in BERT.", [64, 64])
def _():
    return [original("d_model") // original("nhead"), bert_base().layer[0].attention.d_k]


@claim(
    "L-3.2.5-matrix-shape",
    "attention",
    "Q = M_Q × E + B_Q with M_Q of dimension d_model × d_Q, and E a vector as in L 2.1.",
    [768, 64],
    verdict=FAILS,
    note="By L 2.1 an m × n matrix takes a vector of n numbers: M_Q × E needs d_Q × d_model. The shape d_model × d_Q belongs to rows, x W^Q, as in R.",
)
def _():
    return list(bert_base().layer[0].attention.W_Q.weight[:64].shape)


@claim(
    "L-3.2.5-keys",
    "attention",
    "The keys are K_j = M_K × E_j + B_K for j = 1 to 17.",
    [1, 17],
    verdict=FAILS,
    note="For j = 0 to 17, as the paragraph before says; the text goes on to use K_0.",
)
def _():
    return [0, len(TOKENS) - 1]


@claim("L-3.2.5-bear", "attention", "The third token, “bear”, is E_2.", 2)
def _():
    return TOKENS.index("bear")


@claim("L-3.2.5-first-two", "attention", "The first two tokens are “Then” and “the”.", ["Then", "the"])
def _():
    return TOKENS[:2]


@claim(
    "L-3.2.5-an",
    "tokenization",
    "The example sentence ends with “an serendipitous smile”.",
    "an",
    verdict=FAILS,
    note="In 3.2.1 and later in 3.2.5 it says “a”. The printed ids seem to come from this other spelling.",
)
def _():
    words = BEAR.split()
    return words[words.index("serendipitous") - 1]


@claim("L-3.2.5-matrix-product", "attention", "Q × K^T holds all pair-wise dot products.", True)
def _():
    import torch

    Q, K = torch.randn(18, 64).double(), torch.randn(18, 64).double()
    return torch.allclose(Q @ K.T, torch.stack([torch.stack([q @ k for k in K]) for q in Q]))


FRIEND, YOU = (15, 20), (16, 18)  # km north, km east


@claim("L-3.2.5-difference", "attention", "(15, 20) − (16, 18).", [-1, 2])
def _():
    return [a - b for a, b in zip(FRIEND, YOU, strict=True)]


@claim("L-3.2.5-sum", "attention", "(15, 20) + (16, 18).", [31, 38])
def _():
    return [a + b for a, b in zip(FRIEND, YOU, strict=True)]


@claim(
    "L-3.2.5-compass",
    "attention",
    "A friend at (15, 20) who adds this difference comes to you, at (16, 18).",
    list(YOU),
    verdict=FAILS,
    note="The friend moves away. What leads from the friend to you is your position minus the friend's: (1, −2). The point of the story stays: "
    "differences may be added to positions.",
)
def _():
    difference = [a - b for a, b in zip(FRIEND, YOU, strict=True)]
    return [a + b for a, b in zip(FRIEND, difference, strict=True)]


@claim("L-3.2.5-value-shapes", "heads", "A value goes through d_model × d_Q, then d_Q × d_model.", [[768, 64], [64, 768]])
def _():
    return [list(factor.shape) for factor in bert_base().layer[0].attention.value_map(0)]


@claim(
    "L-3.2.5-value-parameters",
    "heads",
    "Two factors need drastically fewer parameters than one d_model × d_model matrix.",
    True,
    note="98,304 instead of 589,824 for a head: a sixth. The price is a rank of at most 64.",
)
def _():
    down, up = bert_base().layer[0].attention.value_map(0)
    return 5 * (down.numel() + up.numel()) < 768 * 768


@claim(
    "L-3.2.5-value-2",
    "attention",
    "For the query of “bear”, whose best key is K_1 (“the”), the weights concentrate on the value with index",
    2,
    verdict=FAILS,
    note="The weight of value j comes from key j, so it is V_1, the article's. V_2 is the value of “bear” itself.",
)
def _():
    import torch

    from tutorial_lib.attention import softmax

    scores = torch.zeros(18)
    scores[1] = 8.0  # L: K_1 "much more apt", the others dissimilar or negligible
    return softmax(scores).argmax()


@claim("L-3.2.5-formula", "attention", "Attention(Q, K, V) = softmax(Q K^T / √d_Q) V.", True)
def _():
    import torch

    from tutorial_lib.attention import attention, softmax

    Q, K, V = torch.randn(3, 5, 4).double()
    return torch.allclose(softmax(Q @ K.T / 4**0.5) @ V, attention(Q, K, V)[0])


@claim(
    "L-3.2.5-others",
    "attention",
    "An update is a weighted sum of the values of the other embeddings; the own value has weight",
    0.0,
    tolerance=0.001,
    verdict=FAILS,
    note="The sum runs over all tokens, the token itself included, as L's formula says. What we get is the mean own weight in layer 0 of the "
    "default model.",
)
def _():
    return bear_trace()["layer.0.attention.weights"].diagonal(dim1=-2, dim2=-1).mean()


@claim("L-3.2.5-added", "heads", "The heads' updates are formed independently and added up.", True)
def _():
    import torch

    mha, X = random_attention()
    return torch.allclose(mha.head_updates(X).sum(-3) + mha.W_O.bias, mha(X)[0], atol=1e-12)


@claim("L-3.2.5-only-attention", "bert", "Only in the attention heads can the vectors of different tokens affect each other.", True)
def _():
    import torch

    bert, X = small_bert(), torch.randn(1, 6, 16).double()
    only_itself = torch.eye(6, dtype=torch.bool)  # attention that may not look at any other token
    changed = X.clone()
    changed[0, 3] += 1
    same = bert.layer[0](X, only_itself) == bert.layer[0](changed, only_itself)
    return same.all(-1)[0].tolist() == [True, True, True, False, True, True]


@claim("L-3.2.5-articles", "attention", "The sentence has several articles.", True, note="Three: the, the, a.")
def _():
    return sum(token in ("the", "a", "an") for token in TOKENS) > 1


@claim("L-3.2.5-separated", "attention", "Quite many tokens stand between “a” and “smile”.", True, note="Five.")
def _():
    return TOKENS.index("smile") - TOKENS.index("a") > 2


# --- L 3.2.6 Multi-head attention ----------------------------------------------------------------------------------


@claim("L-3.2.6-lift-later", "heads", "The weighted sum may be taken in d_Q dimensions and lifted after it.", True)
def _():
    import torch

    mha, X = random_attention()
    _, A = mha(X)  # (3, 7, 7)
    down, up = mha.value_map(1)
    values = X @ down + mha.W_V.bias[4:8]  # (7, 4)
    return torch.allclose((A[1] @ values) @ up, A[1] @ (values @ up), atol=1e-12)


@claim("L-3.2.6-line-up", "heads", "12 · 64 = 768 = d_model.", 768)
def _():
    attention = bert_base().layer[0].attention
    return attention.n_heads * attention.d_k


# --- L 3.2.7 Masked attention and cross-attention ------------------------------------------------------------------


@claim("L-3.2.7-minus-infinity", "heads", "A score of −∞ gets weight 0.", [0.5, 0.5, 0.0], tolerance=0)
def _():
    import torch

    from tutorial_lib.attention import softmax

    return softmax(torch.tensor([1.0, 1.0, -torch.inf]))


@claim("L-3.2.7-no-influence", "heads", "Masked tokens to the right cannot influence a vector.", True)
def _():
    import torch

    from tutorial_lib.attention import causal_mask

    mha, X = random_attention()
    changed = X.clone()
    changed[4:] += 1
    return torch.equal(mha(X, mask=causal_mask(7))[0][:4], mha(changed, mask=causal_mask(7))[0][:4])


@claim(
    "L-3.2.7-training-pairs",
    "heads",
    "“Karhut ovat karvaisia.” gives four training examples, with these beginnings.",
    ["", "Karhut", "Karhut ovat", "Karhut ovat karvaisia"],
    note="The last one has to predict the period. A fifth, the whole sentence, would teach the model to stop.",
)
def _():
    tokens = ["Karhut", "ovat", "karvaisia", "."]
    return [" ".join(tokens[:i]) for i in range(len(tokens))]


@claim("L-3.2.7-two-sizes", "heads", "In cross-attention the two domains may have vectors of different sizes.", [5, 8])
def _():
    import torch

    from tutorial_lib.attention import MultiHeadAttention

    output, _ = MultiHeadAttention(8, 2, d_memory=6)(torch.randn(5, 8), memory=torch.randn(9, 6))
    return list(output.shape)  # domain 1 keeps its 5 vectors of 8


@claim("L-3.2.7-same-d", "heads", "Queries and keys must have the same dimension.", True)
def _():
    import torch

    from tutorial_lib.attention import attention

    try:
        attention(torch.zeros(5, 4), torch.zeros(9, 3), torch.zeros(9, 3))
    except ValueError:
        return True
    return False


# --- L 3.2.8 Putting it all together -------------------------------------------------------------------------------


@claim("L-3.2.8-permutation", "heads", "Attention maps (E_2, E_0, E_1) to (E'_2, E'_0, E'_1).", True)
def _():
    import torch

    mha, X = random_attention(3)
    return torch.allclose(mha(X[[2, 0, 1]])[0], mha(X)[0][[2, 0, 1]], atol=1e-12)


@claim("L-3.2.8-block", "bert", "Each transformer block is completely order agnostic.", True)
def _():
    import torch

    layer, X = small_bert().layer[0], torch.randn(1, 6, 16).double()
    order = torch.randperm(6)
    return torch.allclose(layer(X[:, order]), layer(X)[:, order], atol=1e-12)


@claim("L-3.2.8-quadratic", "heads", "The dot products grow as N²: from 128 to 512 tokens by this factor.", 16)
def _():
    return (512 * 512) / (128 * 128)


@claim("L-3.2.8-window", "positions", "BERT's window is 512 tokens.", 512)
def _():
    return bert_base().config.n_positions


@claim(
    "L-3.2.8-next-operator",
    "positions",
    "A linear operator that finds the next position is possible in theory, but its performance is unclear; its error is not known to be 0.",
    False,
    verdict=FAILS,
    note="The original transformer's encodings have it: one rotation takes every position to the next (R 3.5). Whether a model uses it is another "
    "question.",
)
def _():
    from tutorial_lib.positions import shift_matrix, sinusoidal

    PE = sinusoidal(500, 512).double()
    return bool((PE[:-1] @ shift_matrix(1, 512).T - PE[1:]).abs().max() < 1e-6)


claim(
    "L-3.2.8-training-lengths",
    "positions",
    "BERT was trained 90 % of the time on 128 tokens and 10 % on 512.",
    [90, 10],
    needs="the records of BERT's training",
    verdict=OPEN,
    note="As its authors report.",
)(None)
