"""A word in two senses, and another in its place: do the layers separate senses, or topics? Reif et al. 2019."""

from __future__ import annotations

import re

import numpy as np

from tutorial_book.page.live.asking import asking, brief, shared_words, word_vectors
from tutorial_lib.geometry import cosine_matrix, silhouette
from tutorial_lib.views.base import View

BOXES = ["Sentences with a word", "The word in another sense", "A word with one sense, for its place"]


def sense_view(model, tokenizer, one, other, instead) -> View:
    """Show how far apart two senses' sentences lie, by the vectors of the word that all of them share.

    The number is the silhouette of the two groups by cosine distance, before the first layer and after each. Dashed:
    the same sentences with another word in its place. Raises ValueError if a group has fewer than two sentences, or
    they share no word.
    """
    groups = [sentences(text) for text in (one, other)]
    if min(map(len, groups)) < 2:
        raise ValueError(f"one and other must have two sentences or more, got {one!r:.60} and {other!r:.60}")
    read = [word_vectors(model, tokenizer, text) for group in groups for text in group]
    shared = read[0][0]
    for words, _ in read[1:]:
        shared = shared_words(tokenizer, shared, words)
    if not shared:
        raise ValueError(f"one and other must share a word in all sentences, got {one!r:.60} and {other!r:.60}")
    word, places = shared[0], [words.index(shared[0]) for words, _ in read]
    swapped = [word_vectors(model, tokenizer, swap(text, word, instead)) for group in groups for text in group]
    labels = np.repeat([0, 1], list(map(len, groups)))
    curves = []
    for vectors in (read, swapped):
        X = np.stack([states[:, place] for (_, states), place in zip(vectors, places, strict=True)], axis=1)
        curves.append([silhouette((1 - cosine_matrix(layer)).round(6), labels, "precomputed") for layer in X])
    found = {"words": [word, instead], "curves": brief(curves)}
    boxes = [list(box) for box in zip(BOXES, (one, other, instead), strict=True)]
    return asking("senses", model, boxes, found, "A word in two senses")


def sentences(text) -> list[str]:
    """Return the sentences of a text, each with the punctuation at its end.

    >>> sentences("A bear! The bear sleeps. ")
    ['A bear!', 'The bear sleeps.']
    """
    return [part.strip() for part in re.findall(r"[^.!?]*[^.!?\s][^.!?]*[.!?]*", text)]


def swap(text, word, instead) -> str:
    """Return the text with the first occurrence of this word replaced by another, ignoring capitals.

    >>> swap("Mice fear mice.", "mice", "cats")
    'cats fear mice.'
    """
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda match: instead, text, count=1, flags=re.IGNORECASE)
