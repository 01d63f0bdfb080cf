"""L 3.2.6-3.2.8: many heads, masks, two domains and the whole, recomputed."""

from tutorial_lib.claims.claim import OPEN, claim
from tutorial_lib.claims.tools import bert_base, random_attention, small_bert

# --- L 3.2.6 Multi-head attention ----------------------------------------------------------------------------------


@claim(
    "L-3.2.6-lift-later",
    "heads",
    "The weighted sum may be taken in d_Q dimensions and lifted after it.",
    True,
)
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
    note="The last one has to predict the period. A fifth, the whole sentence, would teach the model to "
    "stop.",
)
def _():
    tokens = ["Karhut", "ovat", "karvaisia", "."]
    return [" ".join(tokens[:i]) for i in range(len(tokens))]


@claim(
    "L-3.2.7-two-sizes",
    "heads",
    "In cross-attention the two domains may have vectors of different sizes.",
    [5, 8],
)
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


@claim(
    "L-3.2.8-quadratic",
    "heads",
    "The dot products grow as N²: from 128 to 512 tokens by this factor.",
    16,
)
def _():
    return (512 * 512) / (128 * 128)


@claim("L-3.2.8-window", "positions", "BERT's window is 512 tokens.", 512)
def _():
    return bert_base().config.n_positions


@claim(
    "L-3.2.8-next-operator",
    "positions",
    "In theory, positions can be built so that one linear operator leads from each to the next.",
    True,
    note="The original transformer's encodings are such: the operator is a rotation (R 3.5). L's own "
    "formula in 3.2.4 would lose it. Whether a trained model uses it is another question, as L says.",
)
def _():
    from tutorial_lib.positions import shift_matrix, sinusoidal

    PE = sinusoidal(500, 512).double()
    return (PE[:-1] @ shift_matrix(1, 512).T - PE[1:]).abs().max() < 1e-6


claim(
    "L-3.2.8-training-lengths",
    "positions",
    "BERT was trained 90 % of the time on 128 tokens and 10 % on 512.",
    [90, 10],
    needs="the records of BERT's training",
    verdict=OPEN,
    note="As its authors report.",
)(None)
