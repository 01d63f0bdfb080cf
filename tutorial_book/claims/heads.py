"""R 9 and L 3.2.5: many heads, recomputed."""

import torch

from tutorial_book.claims.claim import FAILS, claims_of
from tutorial_book.claims.tools import bert_attention, random_attention
from tutorial_lib.attention import MultiHeadAttention, attention

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


@claim("R-9.2-bert-d-k", "In BERT, d_k = 768 / 12 = 64: each head's W^Q is 768 × 64, the 12 outputs for 7 tokens are "
       "7 × 64 (9.3), side by side 7 × 768, and W^O is 768 × 768.", [[768, 64], [12, 7, 64], [7, 768], [768, 768]])
def _():
    part = bert_attention()
    X = torch.zeros(7, 768, device="meta")
    outputs, _ = attention(*(part.split(W(X)) for W in (part.W_Q, part.W_K, part.W_V)))
    one_head = part.W_Q.weight.T.chunk(part.n_heads, dim=1)[0]
    return [list(shape) for shape in (one_head.shape, outputs.shape, part.join(outputs).shape, part.W_O.weight.shape)]


@claim("R-9.2-no-explosion", "Splitting d_model across the heads does not add parameters.", True,
       note="12 heads of 64 have as many parameters as one head of 768; 12 heads of 768 would have twelve times as "
            "many.")
def _():
    with torch.device("meta"):
        counts = [sum(p.numel() for p in MultiHeadAttention(768, h).parameters()) for h in (1, 12)]
    return counts[0] == counts[1]


# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------

claim("L-3.2.5-value-parameters", "A value goes through two matrices, which need drastically fewer parameters than one "
      "d_model × d_model matrix (here: in BERT, how many times as many that would have).", True,
      lambda: 768**2 / sum(factor.numel() for factor in bert_attention().value_map(0)), expected=6,
      note="98,304 instead of 589,824 for a head. The price is a rank of at most 64.")


@claim("L-3.2.5-added", "The heads' updates are formed independently and added up.", True)
def _():
    mha, X = random_attention()
    return torch.allclose(mha.head_updates(X).sum(-3) + mha.W_O.bias, mha(X)[0], atol=1e-12)
