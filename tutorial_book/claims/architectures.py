"""R 1, L 3.2.7, A 3.3: encoders and decoders, and the models of both kinds that A looks at, recomputed."""

import torch

from tutorial_book.claims.claim import ROUND, claims_of
from tutorial_book.claims.tools import count, published_decoder
from tutorial_lib import bert, gpt
from tutorial_lib.attention import MultiHeadAttention, causal_mask

claim = claims_of("architectures")


@claim("L-3.2.7-main-difference", "The main difference between GPT's architecture and BERT's is the masked attention "
       "(here: whether their layers, with the same parameters, agree without the mask, and with it).", True,
       expected=[True, False],
       note="GPT of 2018 normalizes after adding and has GELU, like BERT. GPT-2 normalizes before: a second "
            "difference.")
def _():
    shape = dict(d_model=16, n_heads=2, d_ff=32)
    theirs, ours = bert.Layer(bert.Config(**shape)), gpt.Layer(gpt.Config(**shape, activation="gelu", norm_first=False))
    ours.load_state_dict(theirs.state_dict())
    X = torch.randn(1, 7, 16)
    masks = (None, causal_mask(7))
    return [torch.allclose(ours(X, mask=mask)[0], theirs(X), atol=1e-5) for mask in masks]


claim("L-3.2.7-two-sizes", "In cross-attention the two domains may have vectors of different sizes (here: 9 of size 6 "
      "update 5 of size 8, which keep their shape).", True,
      lambda: list(MultiHeadAttention(8, 2, d_memory=6)(torch.randn(5, 8), memory=torch.randn(9, 6))[0].shape),
      expected=[5, 8])

claim("A-3.3-opt-125m", "OPT has 125M parameters in its smallest size.", 125e6,
      lambda: count(published_decoder("opt-125m")), tolerance=ROUND)

claim("A-3.3-opt-13b", "OPT has 13B parameters in the largest size that is looked at.", 13e9,
      lambda: count(published_decoder("opt-13b")), tolerance=ROUND)
