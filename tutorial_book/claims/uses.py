"""L 4.5: what embeddings are for, recomputed."""

import numpy as np

from tutorial_book.claims.claim import claims_of
from tutorial_book.claims.tools import bert, tokenizer
from tutorial_book.experiments.uses import Index
from tutorial_lib.geometry import cosine, cosine_matrix
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

claim = claims_of("uses")

# --- L 4.5.1 Vector databases for text search ------------------------------------------------------------------------


@claim("L-4.5.1-bears",
       '"All texts that discuss bears walking on their hind legs" are found by the cosines of embeddings (here, by the '
       "default model among thirteen texts on biology: that on bears that rise first, the other on bears second).",
       True)
def _():
    texts = load_texts("encyclopedia")[:13]
    rows = embed([*texts, "all texts that discuss bears walking on their hind legs"], bert(), tokenizer=tokenizer())
    nearest = [text for text, _ in Index(texts, rows[:-1]).search(rows[-1], k=2)]
    return "hind legs" in nearest[0] and "bears" in nearest[1]


@claim("L-4.5.1-pooling", "[CLS] can be replaced by the average or the coordinate-wise maximum of the last layer's "
       "embeddings (here, on the default model: each finds a paraphrase before a text with the same words on another "
       "matter, more often than not).", True, expected=[True, True, True],
       note="31, 26 and 22 of 32.")
def _():
    right = []
    for pooling in ("cls", "mean", "max"):
        text, same, other = (embed(list(texts), None, pooling) for texts in zip(*load_texts("paraphrases")))
        right.append(bool((cosine(text, same) > cosine(text, other)).mean() > 0.5))
    return right


# --- L 4.5.5 Bias detection ------------------------------------------------------------------------------------------


@claim("L-4.5.5-bias", "It is in the embedding vectors that we often find the biases (here one, on the default "
       "model: of two sentences that differ in the word for a woman or a man alone, hers is nearer to a question for "
       "the nurse and his to one for the doctor, in three of four pairs or more).", True,
       note="In all 16 pairs. How often biases are found is not tested.")
def _():
    pairs = load_texts("sentence-pairs")["female-male"]
    asked = ["Who is the nurse?", "Who is the doctor?"]
    rows = embed(asked + [text for pair in pairs for text in pair], bert(), tokenizer=tokenizer())
    nurse, doctor = cosine_matrix(rows[:2], rows[2::2]) - cosine_matrix(rows[:2], rows[3::2])
    return bool(np.mean(nurse > 0) >= 0.75 and np.mean(doctor < 0) >= 0.75)
