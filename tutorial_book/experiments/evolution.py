"""A homonym's vectors follow its sense; those of a noun in its place, in one sense, only the topic (L 4.3)."""

import numpy as np

from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

ONE_SENSE = {  # homonym -> a noun in its place that has one sense in all of its texts, though not in a dictionary
    "mouse": "ladder", "bank": "school", "bat": "box", "crane": "truck", "seal": "carpet", "spring": "window",
    "match": "letter", "bark": "noise", "pitcher": "teacher", "pen": "knife", "organ": "table", "plant": "house",
}  # fmt: skip


def nearest_of_sense(model, tokenizer) -> np.ndarray:
    """How often the nearest of a word's eight texts, four for each of two senses, is of the same sense.

    (2, words, layers + 1): of the homonym, and of the noun that stands in its place. Layer 0 says nothing: there all
    eight vectors are equal. A pair of which the vocabulary cuts one word into pieces is left out.

    >>> from tutorial_lib.bert import Bert
    >>> from tutorial_lib.tokenization import WordPiece
    >>> nearest_of_sense(Bert.from_pretrained(), WordPiece.from_pretrained()).shape
    (2, 12, 7)
    """
    shares = []
    for homonym, senses in load_texts("homonyms").items():
        texts, pair = sum(senses.values(), []), (homonym, ONE_SENSE[homonym])
        if all(tokenizer.tokenize(word) == [word] for word in pair):
            replaced = ([text.replace(homonym, word, 1) for text in texts] for word in pair)
            shares.append([_of_own_sense(*each, model, tokenizer) for each in zip(replaced, pair)])
    return np.swapaxes(shares, 0, 1)


def _of_own_sense(texts, word, model, tokenizer):
    """The share of the texts, by layer, whose vector of the word has its nearest among those of its own half."""
    half = np.arange(len(texts)) * 2 // len(texts)
    states = embed(texts, model, "tokens", "all", tokenizer=tokenizer)  # for each text (layers + 1, n_tokens, d_model)
    at = [tokenizer.encode(text).tokens.index(word) for text in texts]
    layers = np.stack([one[:, place] for one, place in zip(states, at)], axis=1)
    cosines = [cosine_matrix(X) - 2 * np.eye(len(X)) for X in layers]
    return [np.mean(half[C.argmax(1)] == half) for C in cosines]
