"""Measure data that the documents' authors published and the book may not include: texts, sentence pairs, vocabulary.

    TUTORIAL_LIB_TEXTS=FOLDER python -m tutorial_book measure published [FOLDER]     a minute on one core

The texts are downloaded if the variable names no folder with them. The vocabulary is that of bert-base-cased: the
folder with its vocab.txt, or a file from the cache or the hub. Missing parts keep their stored values, and are named.
Writes real-texts.json, luisto-pairs.json and cased-vocabulary.json: numbers, not texts.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tutorial_book.claims.meaning import TABLE_6, TABLE_7
from tutorial_book.experiments import collections, meaning, tokenization
from tutorial_lib.geometry import average_cosine, bootstrap_interval, contrast_cosines, difference_vectors
from tutorial_lib.texts import TextsNotAvailable, load_texts
from tutorial_lib.texts.published import SOURCES
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.vectors import embed
from tutorial_lib.weights.catalog import DEFAULT, KNOWN, ModelNotAvailable
from tutorial_lib.weights.files import check_sha256, read_text

SIX = [name.lower() for name in TABLE_6]
PAIRS = np.triu_indices(6, 1)  # the fifteen pairs of contrasts, in the order of Table 7
LARGE = 0.4  # two cosines of Table 7 are larger in size, and dominate any correlation


def record(folder=None) -> dict:
    """Return the stored results of each."""
    found = {}
    for file, measured in (
        ("real-texts", real_texts), ("luisto-pairs", of_pairs), ("cased-vocabulary", lambda: of_vocabulary(folder))
    ):  # fmt: skip
        try:
            found[file] = measured()
        except (TextsNotAvailable, ModelNotAvailable) as missing:
            print(f"{file} stays as it is: {missing}")
    return found


def real_texts() -> dict:
    """Return the numbers of `collections.measure`."""
    return measured_on("wikipedia", "tweets") | collections.measure()


def measured_on(*names) -> dict:
    """Return the model, and the files that were read."""
    sources = {source.file: source.sha256 for name in names for source in SOURCES[name]}
    return {"model": {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256}, "sources": sources}


def of_pairs(*, model=None, n=2000) -> dict:
    """Measure L's pairs and this book's with a model's last layer. n: of resamples.

    By pooling, "cls" and "mean", of L's pairs the fifteen "cosines" of Table 7 and their "intervals" of 95 %, "within"
    (the average cosine of two differences of each contrast), and "correlations": the two of `meaning.correlations`, and
    their difference; "correlation intervals": low and high of each.
    """
    table_7 = [*TABLE_7.values()]
    small = np.abs(table_7) < LARGE
    theirs, ours = load_texts("luisto-pairs"), load_texts("sentence-pairs")
    found = measured_on("luisto-pairs")
    for pooling in ("cls", "mean"):
        own, book = ([_differences(pairs[name], model, pooling) for name in SIX] for pairs in (theirs, ours))

        def both(*samples):
            one, other = meaning.correlations(cosines(*samples[:6]), cosines(*samples[6:]), table_7, small)
            return np.array([one, other, one - other])

        found[pooling] = {
            "cosines": cosines(*own).round(4).tolist(),
            "intervals": np.transpose(bootstrap_interval(cosines, *own, n=n)).round(3).tolist(),
            "within": [round(average_cosine(X), 4) for X in own],
            "correlations": both(*own, *book).round(4).tolist(),
            "correlation intervals": np.transpose(bootstrap_interval(both, *own, *book, n=n)).round(3).tolist(),
        }
    return found


def cosines(*differences):
    """Return the cosines between the average difference vectors of L's six contrasts, ordered as in Table 7: (15,)."""
    return contrast_cosines(dict(zip(SIX, differences, strict=True)))[PAIRS]


def _differences(pairs, model, pooling):
    return difference_vectors(*(embed(list(side), model, pooling, device="cpu") for side in zip(*pairs, strict=True)))


def of_vocabulary(folder) -> dict:
    """Return the stored part of the vocabulary. Raises ValueError if vocab.txt is not that of bert-base-cased."""
    digests = KNOWN[tokenization.NAME].vocabulary_sha256
    if folder is None:
        tok = WordPiece.from_pretrained(tokenization.NAME)
    else:
        check_sha256(Path(folder) / "vocab.txt", digests["vocab.txt"])
        tok = WordPiece(read_text(Path(folder) / "vocab.txt").removesuffix("\n").split("\n"), lowercase=False)
    return {"sources": digests, **tokenization.measure(tok)}
