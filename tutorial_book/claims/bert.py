"""R 2.2, L 3.2 and 3.3: BERT's architecture and its parameters, recomputed."""

import numpy as np
import torch

from tutorial_book.claims.claim import FAILS, ROUND, claims_of
from tutorial_book.claims.tools import bert, bert_base, cased, count, small_bert, trace
from tutorial_lib.geometry import cosine
from tutorial_lib.positions import sinusoidal

claim = claims_of("bert")

# --- R 2.2 Token embeddings ----------------------------------------------------------------------------------------

claim("R-2.2-bert-parameters", "BERT-base has 110 million parameters.", 110e6,
      lambda: count(bert_base(mlm=True, nsp=True)), tolerance=ROUND,
      note="110,106,428 with the two heads it was trained with. The encoder with its pooler, which BertModel loads, "
           "has 109,482,240.")

# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------

claim("L-3.2.1-context", "“The” of “The cat.” and of “The hat.” have different vectors from the first block on (here, "
      "in the default model: whether they are equal before it, and after each of its six).", True,
      lambda: [torch.allclose(*(trace(text)[stop][0, 1] for text in ("The cat.", "The hat.")), atol=1e-3)
               for stop in ("embeddings.output", *(f"layer.{i}.output" for i in range(6)))],
      expected=[True, *6 * [False]],
      note="In a decoder, “The” would stay equal, for it comes first.")


@claim("L-3.2.1-residual", "E' = E + Σ ΔE, and then E^A = Normalize(E + E') (here: the largest difference from "
       "what a layer of BERT computes, with random weights).", True, expected=0.0, tolerance=1e-4, verdict=FAILS,
       note="E is added twice. There is one residual connection: E^A = Normalize(E + Σ ΔE), with the bias of W^O in "
            "the sum. That one agrees.")
def _():
    stops = small_bert().trace([range(18)])
    layer = small_bert().layer[0]
    E, update = stops["embeddings.output"], stops["layer.0.attention.output"]
    return (layer.attention_norm(E + (E + update)) - stops["layer.0.attention_norm"]).abs().max()


# --- L 3.2.3 Turning "bear" into a concept -------------------------------------------------------------------------

claim("L-3.2.3-parameters", "BERT has about 110M parameters.", 110e6, lambda: count(cased()), tolerance=ROUND,
      note="108,310,272 (cased).")

# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------


@claim("L-3.2.5-only-attention", "Only in the attention heads can the vectors of different tokens affect each other "
       "(here, in a layer of BERT with random weights: a changed token changes all outputs, and no other token's if "
       "each may attend to itself alone).", True)
def _():
    bert = small_bert()
    X = torch.randn(1, 6, 16).double()
    only_itself = torch.eye(6, dtype=torch.bool)  # attention that may not look at any other token
    changed = X.clone()
    changed[0, 3] += 1
    same = [bert.layer[0](X, mask) == bert.layer[0](changed, mask) for mask in (None, only_itself)]
    return [part.all(-1)[0].tolist() for part in same] == [6 * [False], [True, True, True, False, True, True]]


# --- L 3.3.1 Overview of the architecture --------------------------------------------------------------------------


@claim("L-3.3.1-learned", "The positions are learned vectors instead of sinusoidal ones (here, in the default model: a "
       "position's vector and the sinusoidal one for it have a cosine below 0.1 in size, and two neighbors have one "
       "above 0.5, on average).", True, expected=[True, True],
       note="0.04, as random vectors have; and 0.85, where random vectors have 0.00: training has put it there.")
def _():
    P = bert().embeddings.positions.weight.detach()
    return [np.abs(cosine(P, sinusoidal(*P.shape))).mean() < 0.1, cosine(P[:-1], P[1:]).mean() > 0.5]


# --- L 3.3.2 Every parameter of bert-base-cased, counted -----------------------------------------------------------

claim("L-3.3.2-megabytes", "The download takes about 416 Mb.", 416,
      lambda: 4 * sum(count for _, _, count in cased(mlm=True, nsp=True).parameter_table()) / 2**20, tolerance=0.5,
      note="If Mb means MiB (2^20 bytes), and with the two heads that the file holds beside the encoder. BertModel "
           "alone is 413 MiB.")


@claim("L-3.3.2-total", "The printed counts: input, position and segment embeddings and their LayerNorm; a layer, and "
       "in it BertAttention, BertIntermediate and BertOutput; the pooler; all parameters of bert-base-cased.",
       [22_268_928, 393_216, 1_536, 1_536, 7_087_872, 2_363_904, 2_362_368, 2_361_600, 590_592, 108_310_272])
def _():
    model, embeddings, layer = cased(), cased().embeddings, cased().layer[0]
    parts = [(embeddings.tokens,), (embeddings.positions,), (embeddings.segments,), (embeddings.norm,), (layer,),
             (layer.attention, layer.attention_norm), (layer.feed_forward.W_1,),
             (layer.feed_forward.W_2, layer.norm), (model.pooler,), (model,)]
    return [count(*part) for part in parts]
