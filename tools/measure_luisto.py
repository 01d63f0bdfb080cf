"""Measure L's own material and store the numbers, not the texts: its sentence pairs, its model's vocabulary.

    TUTORIAL_LIB_TEXTS=FOLDER python tools/measure_luisto.py [FOLDER]     some seconds on one core

The pairs are fetched where the variable names no folder with them. The vocabulary is that of bert-base-cased: the
folder with its vocab.txt, or what the cache or the hub has. What is not to be had is left as it is stored, and named.
Writes experiments/stored/luisto-pairs.json and cased-vocabulary.json.
"""

from __future__ import annotations

import json
import re
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

import tutorial_lib
from tutorial_book.claims.meaning import TABLE_7
from tutorial_book.experiments import meaning, tokenization
from tutorial_lib.texts import TextsNotAvailable
from tutorial_lib.texts.published import SOURCES
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.weights.catalog import DEFAULT, KNOWN, ModelNotAvailable
from tutorial_lib.weights.files import check_sha256, read_text, write_text


def when(*libraries: str) -> dict:
    """The date, and the versions that measured."""
    versions = {name: version(name).partition("+")[0] for name in libraries}
    return {"date": date.today().isoformat(), "versions": {"tutorial_lib": tutorial_lib.__version__, **versions}}


def of_pairs() -> dict:
    """What is stored of the sentence pairs."""
    model = {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256}
    sources = {source.file: source.sha256 for source in SOURCES["luisto-pairs"]}
    return {**when("torch", "numpy"), "model": model, "sources": sources, **meaning.measure([*TABLE_7.values()])}


def of_vocabulary(folder: str | None = None) -> dict:
    """What is stored of the vocabulary. Raises ValueError where vocab.txt is not that of bert-base-cased."""
    digests = KNOWN[tokenization.NAME].vocabulary_sha256
    if folder is None:
        tok = WordPiece.from_pretrained(tokenization.NAME)
    else:
        check_sha256(Path(folder) / "vocab.txt", digests["vocab.txt"])
        tok = WordPiece(read_text(Path(folder) / "vocab.txt").removesuffix("\n").split("\n"), lowercase=False)
    return {**when(), "sources": digests, **tokenization.measure(tok)}


def written(found: dict) -> str:
    """As JSON, with lists of numbers or words on one line."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    return re.sub(r"\[[^\[\]]*\]", lambda items: re.sub(r"\n\s*", " ", items[0]).replace("[ ", "[").replace(" ]", "]"),
                  text) + "\n"  # fmt: skip


if __name__ == "__main__":
    for file, record, arguments in ((meaning.FILE, of_pairs, ()), (tokenization.FILE, of_vocabulary, sys.argv[1:])):
        try:
            write_text(file, written(record(*arguments)))
            print(f"{file}: {file.stat().st_size:,} bytes")
        except (TextsNotAvailable, ModelNotAvailable) as missing:
            print(f"{file} stays as it is: {missing}", file=sys.stderr)
