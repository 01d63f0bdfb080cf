"""Measure the published texts and store the numbers: experiments/stored/real-texts.json.

    TUTORIAL_LIB_TEXTS=FOLDER python -m tutorial_book measure texts     without the variable, the texts are fetched

The texts themselves may not travel with this book. Their numbers stand on its pages wherever the texts are not at hand.
"""

from __future__ import annotations

from tutorial_book.experiments.collections import FILE, measure
from tutorial_book.measure.record import measured_with, store
from tutorial_lib.texts import load_texts
from tutorial_lib.texts.published import SOURCES
from tutorial_lib.weights.catalog import DEFAULT, KNOWN

LIBRARIES = ("torch", "numpy", "scipy", "scikit-learn", "umap-learn")


def record() -> dict:
    """What is stored: where the numbers come from, and the numbers."""
    pairs = load_texts("luisto-pairs")
    return {
        **measured_with(*LIBRARIES),
        "model": {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256},
        "sources": {source.file: source.sha256 for name in ("wikipedia", "tweets", "luisto-pairs")
                    for source in SOURCES[name]},
        "pairs": {contrast: len(found) for contrast, found in pairs.items()},
        "meetings": sum("meeting" in text for found in pairs.values() for pair in found for text in pair),
        **measure(),
    }  # fmt: skip


def main():
    store(FILE, record())
