"""L 3.2.5: the attention mechanism, recomputed."""

from tutorial_lib.claims.claim import FAILS, claim
from tutorial_lib.claims.quotes import BEAR, TOKENS
from tutorial_lib.claims.tools import bear_trace, bert_base, original, random_attention, small_bert


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
    note="By L 2.1 an m × n matrix takes a vector of n numbers: M_Q × E needs d_Q × d_model. The shape "
    "d_model × d_Q belongs to rows, x W^Q, as in R.",
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
    note="The friend moves away. What leads from the friend to you is your position minus the friend's: (1, "
    "−2). The point of the story stays: differences may be added to positions.",
)
def _():
    difference = [a - b for a, b in zip(FRIEND, YOU, strict=True)]
    return [a + b for a, b in zip(FRIEND, difference, strict=True)]


@claim(
    "L-3.2.5-value-shapes",
    "heads",
    "A value goes through d_model × d_Q, then d_Q × d_model.",
    [[768, 64], [64, 768]],
)
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
    note="The weight of value j comes from key j, so it is V_1, the article's. V_2 is the value of “bear” "
    "itself.",
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
    note="The sum runs over all tokens, the token itself included, as L's formula says. What we get is the "
    "mean own weight in layer 0 of the default model.",
)
def _():
    return bear_trace()["layer.0.attention.weights"].diagonal(dim1=-2, dim2=-1).mean()


@claim("L-3.2.5-added", "heads", "The heads' updates are formed independently and added up.", True)
def _():
    import torch

    mha, X = random_attention()
    return torch.allclose(mha.head_updates(X).sum(-3) + mha.W_O.bias, mha(X)[0], atol=1e-12)


@claim(
    "L-3.2.5-only-attention",
    "bert",
    "Only in the attention heads can the vectors of different tokens affect each other.",
    True,
)
def _():
    import torch

    bert, X = small_bert(), torch.randn(1, 6, 16).double()
    only_itself = torch.eye(6, dtype=torch.bool)  # attention that may not look at any other token
    changed = X.clone()
    changed[0, 3] += 1
    same = bert.layer[0](X, only_itself) == bert.layer[0](changed, only_itself)
    return same.all(-1)[0].tolist() == [True, True, True, False, True, True]


@claim(
    "L-3.2.5-articles",
    "attention",
    "The sentence has several articles.",
    True,
    note="Three: the, the, a.",
)
def _():
    return sum(token in ("the", "a", "an") for token in TOKENS) > 1


@claim(
    "L-3.2.5-separated",
    "attention",
    "Quite many tokens stand between “a” and “smile”.",
    True,
    note="Five.",
)
def _():
    return TOKENS.index("smile") - TOKENS.index("a") > 2
