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
def read_texts():
    """Maps (layers, heads, n, n) and vectors (layers + 1, n, d_model) of nine texts of three kinds."""
    texts = sum((load_texts(name)[:3] for name in ("stories", "encyclopedia", "posts")), [])
    reading = read(bert(), [tokenizer().encode(text).ids for text in texts])
    return reading.maps, reading.vectors


def halves(values):
    """Return the averages of layers 0 to 2 and 3 to 5 of values (texts, 6)."""
    by_layer = np.mean(values, axis=0)
    return by_layer[:3].mean(), by_layer[3:].mean()


# --- G 2: Results ----------------------------------------------------------------------------------------------------


@claim("G-2-subspaces", "There is a directionality of subspace selection (here, on the default model: the subspaces "
       "that a head's queries and keys read overlap more than twice as much as random ones).", True,
       note="0.29, where chance gives 32/384 = 0.083. Queries see 9 % of the variance and keys 11 %, where chance "
            "gives 8 %: the subspaces overlap, but see little more of the variance than random ones.")
def _():
    heads = np.concatenate(subspaces(bert()))  # (heads, 3, d_model, d_k)
    overlaps = [geometry.subspace_overlap(queries, keys) for queries, keys, _ in heads]
    return bool(np.mean(overlaps) > 2 * heads.shape[3] / heads.shape[2])


@claim("G-2-gates", "Seven patterns are found in the self-attention matrix (here, on the default model, by this book's "
       "definitions: how many of them are the gate of some head).", 7, verdict=DIFFERS,
       note="Directional, backward, instance, open. No head is closed, forward or a cluster; without [CLS] "
            "and [SEP] some are forward, and none is directional. Neither the summary nor the authors' program "
            "defines a gate, and their BERT, bert-base-cased tuned on genomes, is a different one.")
def _():
    heads = geometry.gate_of(np.mean([geometry.gate_scores(A) for A in read_texts()[0]], axis=0))  # (layers, heads)
    return len(set(geometry.GATES) & set(heads.ravel()))


@claim("G-2-lower", "By Shannon's entropy, lower layers specialize in finding direction choices (here, on the default "
       "model, by the authors' entropy, of a map's entries in 20 bins: it is lower in layers 0 to 2 than in 3 to 5, "
       "beyond the 95 % interval over texts).", True, verdict=DIFFERS,
       note="Of nine texts 0.80 in the lower half and 0.77 in the upper; of 120, in the chapter, 0.92 and 0.91, which "
            "cannot be told apart. The first and the last layer have most. That to choose is to have less entropy is "
            "this book's reading. In the authors' program the measure is of each head's scores, in lines that are "
            "commented out.")
def _():
    lower, upper = np.split(np.array([geometry.value_entropy(A).mean(-1) for A in read_texts()[0]]), 2, axis=1)
    low, _ = geometry.bootstrap_interval(lambda values: values.mean(), upper - lower)
    return low > 0


claim("G-2-lower-rows", "The same, by this book's entropy, of rows, divided by log n.", True,
      lambda: bool(np.less(*halves([geometry.entropy(A).mean((1, 2)) / np.log(A.shape[-1]) for A in read_texts()[0]]))),
      note="Of nine texts: 0.57 against 0.60 of an even row's. But the layer that chooses least is the first, with "
           "0.78.")

claim("G-2-upper", "Upper layers bring forward previous achievements (here, on the default model: the cosine of a "
      "layer's input and output is higher in layers 3 to 5 than in 0 to 2).", True,
      lambda: bool(np.less(*halves([geometry.cosine(X[1:], X[:-1]).mean(-1) for X in read_texts()[1]]))),
      verdict=DIFFERS, note="0.77 against 0.88: the last layer turns vectors most. The measure is this book's.")


@claim("G-2-alignment", "Vectors show a global alignment (here, on the default model: the average cosine of two tokens "
       "of a text is higher after the last layer than before the first, also without the two loud coordinates).",
       True, note="Of nine texts: from 0.06 to 0.34, without those two to 0.36. Without training it is 0.33 from the "
                  "start, by the segment's vector.")
def _():
    vectors = read_texts()[1]
    clouds = vectors, [np.delete(X, LOUD, axis=-1) for X in vectors]
    ends = [[np.mean([geometry.average_cosine(X[layer]) for X in cloud]) for layer in (0, -1)] for cloud in clouds]
    return all(last > first for first, last in ends)


@claim("G-2-global", "The alignment is global (here, on the default model: the average cosine of tokens of two "
       "different texts, too, is higher after the last layer than before the first).", True, verdict=DIFFERS,
       note="Of nine texts: 0.06 before the first, 0.23 before the last, 0.04 after it. Tokens of different texts "
            "align as well, but not after the last layer. That global means across texts is this book's reading; the "
            "summary does not say.")
def _():
    first, last = (cosine_across([X[layer] for X in read_texts()[1]]) for layer in (0, -1))
    return bool(last > first)


def cosine_across(texts):
    """Return the average cosine of two vectors of different texts, from the vectors (n, d_model) of each."""
    lengths = np.array([len(X) for X in texts])
    within = sum(geometry.cone_index(X) ** 2 for X in texts)  # the sum of the cosines of all pairs of a text
    everywhere = geometry.cone_index(np.concatenate(texts)) ** 2
    return (everywhere - within) / (lengths.sum() ** 2 - (lengths**2).sum())
