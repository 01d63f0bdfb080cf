"""R 9 and L 3.2.5: many heads, recomputed."""

import torch

from tutorial_book.claims.claim import FAILS, claims_of
from tutorial_book.claims.tools import bert_attention
from tutorial_lib.attention import attention

claim = claims_of("heads")

# --- R 9 Many heads ------------------------------------------------------------------------------------------------

claim("R-9.2-partition", "W^Q is d_model × d_k and is cut into h blocks of d_model × d_k; here for BERT.", [768, 64],
      lambda: list(bert_attention().W_Q.weight.T.shape), verdict=FAILS,
      note="The blocks have that shape, so the whole is h times as wide: d_model × h d_k, 768 × 768. With "
           "d_k = d_model, as for a single head in R 1.2, the cut would be right: one symbol stands for two sizes. R "
           "5.3's 768 × 64 is one head's matrix, which cannot be cut into 12 such blocks.")


@claim("R-9.2-bert-d-k", "In BERT, d_k = 768 / 12 = 64: each head's W^Q is 768 × 64, the 12 outputs for 7 tokens are "
       "7 × 64 (9.3), side by side 7 × 768, and W^O is 768 × 768.", [[768, 64], [12, 7, 64], [7, 768], [768, 768]])
def _():
    part = bert_attention()
    X = torch.zeros(7, 768, device="meta")
    outputs, _ = attention(*(part.split(W(X)) for W in (part.W_Q, part.W_K, part.W_V)))
    one_head = part.W_Q.weight.T.chunk(part.n_heads, dim=1)[0]
    return [list(shape) for shape in (one_head.shape, outputs.shape, part.join(outputs).shape, part.W_O.weight.shape)]


# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------

claim("L-3.2.5-value-parameters", "A value goes through two matrices, which need drastically fewer parameters than one "
      "d_model × d_model matrix (here: in BERT, a third of them or less).", True,
      lambda: 3 * sum(factor.numel() for factor in bert_attention().value_map(0)) <= 768**2,
      note="98,304 instead of 589,824 for a head, a sixth. The price is a rank of at most 64.")
