"""Homonyms, and nouns of one sense in their place."""

import numpy as np

from tutorial_book.experiments import evolution
from tutorial_book.experiments.evolution import ONE_SENSE, nearest_of_sense
from tutorial_lib.texts import load_texts


def test_each_homonym_has_its_own_noun(tok):
    assert list(ONE_SENSE) == list(load_texts("homonyms"))
    nouns = set(ONE_SENSE.values())
    assert len(nouns) == 12 and not nouns & set(ONE_SENSE) and all(tok.tokenize(noun) == [noun] for noun in nouns)


def test_nearest_is_counted_in_its_own_half(monkeypatch, tok):
    """If the vectors follow their sense, all eight are right; if they alternate, not all are."""
    vectors = np.repeat([[1.0, 0.1], [0.1, 1.0]], 4, axis=0)

    def states(texts, model, pooling, layers, tokenizer):
        turned = np.roll(vectors, 2, axis=0)[[0, 4, 1, 5, 2, 6, 3, 7]]  # pairs of unlike halves
        rows = [np.stack([np.tile(x, (40, 1)) for x in pair]) for pair in zip(vectors, turned, strict=True)]
        return rows * (len(texts) // 8)

    monkeypatch.setattr(evolution, "embed", states)
    monkeypatch.setitem(ONE_SENSE, "bank", "xylophonist")  # in pieces: left out on both sides
    shares = nearest_of_sense(None, tok)
    assert shares.shape == (2, 11, 2) and (shares[..., 0] == 1).all() and (shares[..., 1] < 1).all()
