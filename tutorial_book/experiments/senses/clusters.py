"""The vectors of a homonym in eight texts, and all ways to halve them: are the two senses the best one?

Source: Reif et al. 2019, who see clusters. Here each homonym has its control, a noun of one sense in the same texts.
"""

from itertools import combinations

import numpy as np

from tutorial_book.experiments.evolution import ONE_SENSE
from tutorial_lib.arguments import even_width
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed


def slot_vectors(model, tok) -> tuple[list[str], np.ndarray]:
    """The homonyms, and the vectors in their place: (2, words, 8 texts, n_layers + 1, d_model).

    First those of the homonym, then those of the noun with one sense. The first four texts have one sense, the others
    the other. A pair of which the vocabulary cuts one word into pieces is left out.
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


def halves(n) -> np.ndarray:
    """All ways to cut n things, an even number, into two halves: 0 or 1 for each, (ways, n). The first one is in order.

    >>> halves(4).tolist()
    [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]
    """
    n = even_width("n", n)
    ways = np.ones((0, n), int)
    for others in combinations(range(1, n), n // 2 - 1):
        way = np.ones((1, n), int)
        way[0, [0, *others]] = 0
        ways = np.concatenate([ways, way])
    return ways


def place_of_halves(X) -> int:
    """The place, from 1 on, that the cut of X (n, d) into its first and second half has among all cuts into halves.

    The best cut makes the sum of the cosines within the halves largest: for vectors of length 1 that is the one of
    k-means. Cuts that are equally good as this one count before it.

    >>> place_of_halves([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    1
    """
    C = cosine_matrix(X)
    ways = halves(len(C))
    same = ways[:, :, None] == ways[:, None, :]  # (ways, n, n)
    within = (C * same).sum((1, 2))
    return int((within >= within[0] - 1e-9).sum())
