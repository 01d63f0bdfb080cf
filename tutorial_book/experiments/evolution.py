"""A homonym's vectors follow its sense; those of an unambiguous noun in its place follow only the topic (L 4.3)."""

import numpy as np

from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

ONE_SENSE = {  # homonym -> a noun in its place with one sense in all of its texts, though not in a dictionary
    "mouse": "ladder", "bank": "school", "bat": "box", "crane": "truck", "seal": "carpet", "spring": "window",
    "match": "letter", "bark": "noise", "pitcher": "teacher", "pen": "knife", "organ": "table", "plant": "house",
}  # fmt: skip


def slot_vectors(model, tok) -> tuple[list[str], np.ndarray]:
    """Return the homonyms, and the vectors in their place: (2, words, 8 texts, n_layers + 1, d_model).

    First those of the homonym, then those of the noun with one sense. The first four texts have one sense, the others
    the other. A pair is left out if the vocabulary cuts one of its words into pieces.
    """
    kept, vectors = [], []
    for homonym, senses in load_texts("homonyms").items():
        pair = homonym, ONE_SENSE[homonym]
        if all(tok.tokenize(word) == [word] for word in pair):
            kept.append(homonym)
            texts = [text.replace(homonym, word, 1) for word in pair for text in sum(senses.values(), [])]
            states = embed(texts, model, "tokens", "all", tokenizer=tok)
            at = [tok.encode(text).tokens.index(word) for text, word in zip(texts, np.repeat(pair, len(texts) // 2))]
            rows = np.stack([X[:, place] for X, place in zip(states, at, strict=True)])  # (16, n_layers + 1, d_model)
            vectors.append(rows.reshape(2, -1, *rows.shape[1:]).astype(float))
    return kept, np.stack(vectors, axis=1)


def nearest_of_sense(model, tokenizer) -> np.ndarray:
    """Return how often the nearest of a word's eight texts, four for each of two senses, is of the same sense.

    (2, words, layers + 1): for the homonym, and for the noun in its place. Layer 0 says nothing, because all eight
    vectors are equal there.

    >>> from tutorial_lib.bert import Bert
    >>> from tutorial_lib.tokenization import WordPiece
    >>> nearest_of_sense(Bert.from_pretrained(), WordPiece.from_pretrained()).shape
    (2, 12, 7)
    """
    _, vectors = slot_vectors(model, tokenizer)
    half = np.arange(8) // 4

    def share(X):
        cosines = cosine_matrix(X) - 2 * np.eye(8)
        return np.mean(half[cosines.argmax(1)] == half)

    return np.array([[[share(X) for X in word.swapaxes(0, 1)] for word in side] for side in vectors])
