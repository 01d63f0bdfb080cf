"""R 2.2, 3 and 9.2: DistilBERT compared with BERT, recomputed."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from tutorial_book.claims.claim import ROUND, claims_of
from tutorial_book.claims.tools import bert_base, count, distilbert

claim = claims_of("family")

# --- R 2.2 Token embeddings ----------------------------------------------------------------------------------------

claim("R-2.2-distilbert-parameters", "DistilBERT has 66 million parameters.", 66e6, lambda: count(distilbert()),
      tolerance=ROUND, note="66,362,880: tokens, positions, one LayerNorm and 6 layers; no segments, no pooler.")


def operations(model):
    """Return the additions and multiplications of its layers on 128 tokens, counted while they run, without numbers."""
    with FlopCounterMode(display=False) as counter:
        torch.nn.Sequential(*model.layer)(torch.zeros(1, 128, model.config.d_model, device="meta"))
    return counter.get_total_flops()


claim("R-2.2-distilbert-faster", "DistilBERT is faster (here: its layers take fewer operations for 128 tokens).", True,
      lambda: operations(distilbert()) < operations(bert_base()), note="11.2 billion against 22.3.")

# --- R 3 Positional encodings --------------------------------------------------------------------------------------

claim("R-3-depth", "The key architectural difference between BERT and DistilBERT is depth (here: at least nine tenths "
      "of the parameters that DistilBERT lacks are in the layers).", True,
      lambda: ((count(bert_base().layer) - count(distilbert().layer))
               / (count(bert_base()) - count(distilbert())) >= 0.9),
      note="98.6 %. The rest, 592,128, are the segment embeddings and the pooler, which it drops too: that is why it "
           "takes no token_type_ids.")

claim("R-3-same-layers", "Inside, a layer of BERT and one of DistilBERT are the same (here: the shapes of its "
      "parameters, its number of heads and its activation, by the two published configurations).", True,
      lambda: len({(str([p.shape for p in model.layer[0].parameters()]), model.config.n_heads, model.config.activation)
                   for model in (bert_base(), distilbert())}) == 1)
