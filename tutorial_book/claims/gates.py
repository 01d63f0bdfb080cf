"""G: gates, entropy, alignment and subspaces, by the authors' measure if their program has it."""

from functools import lru_cache

import numpy as np

from tutorial_book.claims.claim import DIFFERS, claims_of
from tutorial_book.claims.tools import bert, tokenizer
from tutorial_book.experiments.gates import read, subspaces
from tutorial_lib import geometry
from tutorial_lib.texts import load_texts

claim = claims_of("gates")

LOUD = [99, 223]  # two coordinates of the default model, far larger than the others


@lru_cache
def read_texts(stop=3, step=1):
    """Return the `Reading` of texts of three kinds, of each kind those of [:stop:step]."""
    texts = sum((load_texts(name)[:stop:step] for name in ("stories", "encyclopedia", "posts")), [])
    return read(bert(), [tokenizer().encode(text).ids for text in texts])


# --- G 2: Results ----------------------------------------------------------------------------------------------------


@claim("G-2-subspaces", "There is a directionality of subspace selection (here, on the default model: the subspaces "
       "that a head's queries and keys read overlap more than twice as much as random ones).", True,
       note="0.29, where chance gives 32/384 = 0.083. We read directionality as overlap. Queries see 9 % of the "
            "variance and keys 11 %, where chance gives 8 %: the subspaces overlap, but see little more of the "
            "variance than random ones.")
def _():
    heads = np.concatenate(subspaces(bert()))  # (heads, 3, d_model, d_k)
    overlaps = [geometry.subspace_overlap(queries, keys) for queries, keys, _ in heads]
    return bool(np.mean(overlaps) > 2 * heads.shape[3] / heads.shape[2])


@claim("G-2-gates", "Various patterns are found in the self-attention matrix, including seven by name (here, on the "
       "default model, by this book's definitions: how many of them are the gate of some head).", 7, verdict=DIFFERS,
       note="Directional, backward, instance, open. No head is closed, forward or a cluster; without [CLS] "
            "and [SEP] some are forward, and none is directional. Neither the summary nor the authors' program "
            "defines a gate, and their BERT, bert-base-cased tuned on genomes, is a different one.")
def _():
    heads = geometry.gate_of(np.mean([geometry.gate_scores(A) for A in read_texts().maps], axis=0))  # (layers, heads)
    return len(set(geometry.GATES) & set(heads.ravel()))


@claim("G-2-lower", "By Shannon's entropy, lower layers “specialize in finding direction choices” (here, on the "
       "default model, by the authors' entropy, of a head's scores in 20 bins: it is lower in layers 0 to 2 than in 3 "
       "to 5, beyond the 95 % interval over 60 texts).", True, verdict=DIFFERS,
       note="2.49 in both halves, and as near in the 120 texts of the chapter. By the entropy of rows, divided by log "
            "n, the lower half does have less, 0.56 against 0.61, but the first layer has most. Reading “choosing” as "
            "low entropy is our interpretation. In the authors' program, the lines that compute the entropy of scores "
            "are commented out.")
def _():
    lower, upper = np.split(np.array(read_texts(80, 4).spread), 2, axis=1)
    low, _ = geometry.bootstrap_interval(lambda values: values.mean(), upper - lower)
    return low > 0


@claim("G-2-alignment", "Vectors show a global alignment (here, on the default model: the average cosine of two tokens "
       "of a text is higher after the last layer than before the first, also without the two loud coordinates).",
       True, note="Of nine texts: from 0.06 to 0.34, without those two to 0.36. Without training it is 0.33 from the "
                  "start, by the segment's vector. We read “global” as across all tokens of a text. Tokens of "
                  "different texts have 0.06 at first, 0.23 before the last layer, and 0.04 after it.")
def _():
    vectors = read_texts().vectors
    clouds = vectors, [np.delete(X, LOUD, axis=-1) for X in vectors]
    ends = [[np.mean([geometry.average_cosine(X[layer]) for X in cloud]) for layer in (0, -1)] for cloud in clouds]
    return all(last > first for first, last in ends)
