"""R 9, L 3.2.1 and 3.2.5-3.2.8: many heads, masks and cross-attention, recomputed."""

import torch

from tutorial_book.claims.claim import ARITHMETIC, FAILS, claims_of
from tutorial_book.claims.tools import bert_attention, random_attention, refuses
from tutorial_lib.attention import MultiHeadAttention, attention, causal_mask, softmax

claim = claims_of("heads")

# --- R 9 Many heads ------------------------------------------------------------------------------------------------

claim("R-9.2-partition", "W^Q is d_model × d_k and is cut into h blocks of d_model × d_k; here for BERT.", [768, 64],
      lambda: list(bert_attention().W_Q.weight.T.shape), verdict=FAILS,
      note="The blocks have that shape, so the whole is h times as wide: d_model × h d_k, 768 × 768. A 768 × 64 matrix "
           "cannot be cut into 12 equal blocks at all.")


@claim("R-9.2-per-head",
       "With Q_i = X W_i^Q, K_i = X W_i^K, V_i = X W_i^V, the heads' outputs are concatenated and multiplied by W^O.",
       True)
def _():
    mha = MultiHeadAttention(12, 3).double()
    X = torch.randn(7, 12).double()
    parts = [
        [X @ W.weight[4 * i : 4 * i + 4].T + W.bias[4 * i : 4 * i + 4] for W in (mha.W_Q, mha.W_K, mha.W_V)]
        for i in range(3)
    ]
    concat = torch.cat([attention(Q, K, V)[0] for Q, K, V in parts], dim=-1)  # (7, 12)
    return torch.allclose(concat @ mha.W_O.weight.T + mha.W_O.bias, mha(X)[0], atol=1e-12)


claim("R-9.2-output-matrix", "W^O is h d_k × d_model (here: of BERT, transposed as torch keeps it).", True,
      lambda: list(bert_attention().W_O.weight.T.shape), expected=[12 * 64, 768])

claim("R-9.2-bert-d-k", "d_k = 768 / 12 = 64.", 64, lambda: bert_attention().d_k)


@claim("R-9.2-no-explosion", "Splitting d_model across the heads does not add parameters.", True,
       note="12 heads of 64 have as many parameters as one head of 768; 12 heads of 768 would have twelve times as "
            "many.")
def _():
    with torch.device("meta"):
        counts = [sum(p.numel() for p in MultiHeadAttention(768, h).parameters()) for h in (1, 12)]
    return counts[0] == counts[1]


def seven_tokens():
    """The shapes of what BERT-base's heads put out for a sentence of 7 tokens: head by head, and side by side."""
    part = bert_attention()
    X = torch.zeros(7, 768, device="meta")
    heads, _ = attention(*(part.split(W(X)) for W in (part.W_Q, part.W_K, part.W_V)))
    return list(heads.shape), list(part.join(heads).shape)


claim("R-9.3-head", "Each head outputs a 7 × 64 matrix, and there are 12.", [12, 7, 64], lambda: seven_tokens()[0])

claim("R-9.3-concat", "Concatenated: 7 × 768.", [7, 768], lambda: seven_tokens()[1])

claim("R-9.3-output-matrix", "W^O is 768 × 768.", [768, 768], lambda: list(bert_attention().W_O.weight.shape))


@claim("R-9.3-isolated", "Without W^O, the first 64 coordinates hold only what head 1 found, and so on.", True)
def _():
    mha = MultiHeadAttention(768, 12)
    heads = torch.randn(12, 7, 64)
    return all(torch.equal(mha.join(heads)[:, 64 * i : 64 * i + 64], heads[i]) for i in range(12))


# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------

claim("L-3.2.5-value-shapes", "A value goes through two matrices (here: BERT's).", ["d_model × d_Q", "d_Q × d_model"],
      lambda: [list(factor.shape) for factor in bert_attention().value_map(0)], expected=[[768, 64], [64, 768]])

claim("L-3.2.5-value-parameters", "Two factors need drastically fewer parameters than one d_model × d_model matrix "
      "(here: how many times as many that would have).", True,
      lambda: 768**2 / sum(factor.numel() for factor in bert_attention().value_map(0)), expected=6,
      note="98,304 instead of 589,824 for a head. The price is a rank of at most 64.")


@claim("L-3.2.5-added", "The heads' updates are formed independently and added up.", True)
def _():
    mha, X = random_attention()
    return torch.allclose(mha.head_updates(X).sum(-3) + mha.W_O.bias, mha(X)[0], atol=1e-12)


# --- L 3.2.6 Multi-head attention ----------------------------------------------------------------------------------


@claim("L-3.2.6-lift-later", "The weighted sum may be taken in d_Q dimensions and lifted after it.", True)
def _():
    mha, X = random_attention()
    _, A = mha(X)  # (3, 7, 7)
    down, up = mha.value_map(1)
    values = X @ down + mha.W_V.bias[4:8]  # (7, 4)
    return torch.allclose(mha.head_updates(X)[1], A[1] @ (values @ up), atol=1e-12)  # ours lifts after the sum


claim("L-3.2.6-line-up", "12 · 64 = 768 = d_model.", 768,
      lambda: sum(len(bert_attention().value_map(i)[1]) for i in range(12)))

# --- L 3.2.7 Masked attention and cross-attention ------------------------------------------------------------------

claim("L-3.2.7-minus-infinity", "A score of −∞ gets weight 0 (here: the third of 1, 1, −∞).", True,
      lambda: softmax(torch.tensor([1.0, 1.0, -torch.inf]))[2], expected=0.0)


@claim("L-3.2.7-no-influence", "Masked tokens to the right cannot influence a vector.", True)
def _():
    mha, X = random_attention()
    changed = X.clone()
    changed[4:] += 1
    return torch.equal(mha(X, mask=causal_mask(7))[0][:4], mha(changed, mask=causal_mask(7))[0][:4])


claim("L-3.2.7-two-sizes", "In cross-attention the two domains may have vectors of different sizes (here: 9 of size 6 "
      "update 5 of size 8, which keep their shape).", True,
      lambda: list(MultiHeadAttention(8, 2, d_memory=6)(torch.randn(5, 8), memory=torch.randn(9, 6))[0].shape),
      expected=[5, 8])

claim("L-3.2.7-same-d", "Queries and keys must have the same dimension (here: whether 5 queries of 4 numbers have dot "
      "products with 9 keys of 4, and of 3).", True,
      lambda: [not refuses(torch.matmul, torch.zeros(5, 4), torch.zeros(9, d).T) for d in (4, 3)],
      expected=[True, False], kind=ARITHMETIC)

# --- L 3.2.8 Putting it all together -------------------------------------------------------------------------------


@claim("L-3.2.8-permutation", "Attention maps (E_2, E_0, E_1) to (E'_2, E'_0, E'_1).", True)
def _():
    mha, X = random_attention(3)
    return torch.allclose(mha(X[[2, 0, 1]])[0], mha(X)[0][[2, 0, 1]], atol=1e-12)


claim("L-3.2.8-amount", "Besides the positions, nothing limits how many tokens the network may be given (here: "
      "attention without positions takes 2,000).", True,
      lambda: list(random_attention(2000)[0](random_attention(2000)[1])[0].shape) == [2000, 12])
