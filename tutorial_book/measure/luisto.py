"""Measure L's own material and store the numbers, not the texts: its sentence pairs, its model's vocabulary.

    TUTORIAL_LIB_TEXTS=FOLDER python -m tutorial_book measure luisto [FOLDER]     some seconds on one core

The pairs are fetched where the variable names no folder with them. The vocabulary is that of bert-base-cased: the
folder with its vocab.txt, or what the cache or the hub has. What is not to be had is left as it is stored, and named.
Writes experiments/stored/luisto-pairs.json and cased-vocabulary.json.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from tutorial_book.claims.meaning import TABLE_6, TABLE_7
from tutorial_book.experiments import meaning, tokenization
from tutorial_book.measure.record import measured_with, store
from tutorial_lib.geometry import average_cosine, bootstrap_interval, contrast_cosines, difference_vectors
from tutorial_lib.texts import TextsNotAvailable, load_texts
from tutorial_lib.texts.published import SOURCES
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.vectors import embed
from tutorial_lib.weights.catalog import DEFAULT, KNOWN, ModelNotAvailable
from tutorial_lib.weights.files import check_sha256, read_text

SIX = [name.lower() for name in TABLE_6]
PAIRS = np.triu_indices(6, 1)  # the fifteen pairs of contrasts, in the order of Table 7
LARGE = 0.4  # two cosines of Table 7 are larger in size, and any correlation with them is theirs


def measure(table_7, model=None, n=2000, seeds=(0, 1)) -> dict:
    """What a model makes of L's pairs and of this book's, after its last layer; `meaning.stored` says what is in it.

    table_7: L's fifteen cosines, of bert-base-cased. n: how many resamples a bootstrap draws, with each of the seeds.
    Raises TextsNotAvailable as `load_texts` does.
    """
    small = np.abs(table_7) < LARGE
    theirs, ours = load_texts("luisto-pairs"), load_texts("sentence-pairs")
    found = {"pairs": {name: len(theirs[name]) for name in SIX}}
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
            "correlation intervals": [
                np.transpose(bootstrap_interval(both, *own, *book, n=n, seed=seed)).round(3).tolist() for seed in seeds
            ],
        }
    return found


def cosines(*differences):
    """The cosines between the average difference vectors of L's six contrasts, as Table 7 lists them: (15,)."""
    return contrast_cosines(dict(zip(SIX, differences, strict=True)))[PAIRS]


def _differences(pairs, model, pooling):
    return difference_vectors(*(embed(list(side), model, pooling, device="cpu") for side in zip(*pairs, strict=True)))


def of_pairs() -> dict:
    """What is stored of the sentence pairs."""
    model = {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256}
    sources = {source.file: source.sha256 for source in SOURCES["luisto-pairs"]}
    return {**measured_with("torch", "numpy"), "model": model, "sources": sources, **measure([*TABLE_7.values()])}


def of_vocabulary(folder: str | None = None) -> dict:
    """What is stored of the vocabulary. Raises ValueError where vocab.txt is not that of bert-base-cased."""
    digests = KNOWN[tokenization.NAME].vocabulary_sha256
    if folder is None:
        tok = WordPiece.from_pretrained(tokenization.NAME)
    else:
        check_sha256(Path(folder) / "vocab.txt", digests["vocab.txt"])
        tok = WordPiece(read_text(Path(folder) / "vocab.txt").removesuffix("\n").split("\n"), lowercase=False)
    return {**measured_with(), "sources": digests, **tokenization.measure(tok)}


def written(found: dict) -> str:
    """As JSON, with lists of numbers or words on one line."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    return re.sub(r"\[[^\[\]]*\]", lambda items: re.sub(r"\n\s*", " ", items[0]).replace("[ ", "[").replace(" ]", "]"),
                  text) + "\n"  # fmt: skip


def main(folder=None):
    for file, record, arguments in ((meaning.FILE, of_pairs, ()), (tokenization.FILE, of_vocabulary, (folder,))):
        try:
            store(file, record(*arguments), written)
        except (TextsNotAvailable, ModelNotAvailable) as missing:
            print(f"{file} stays as it is: {missing}")
