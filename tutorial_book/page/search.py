"""Searching on the page: pick a question or a text, and see the nearest texts. Source: L 4.5.1."""

from __future__ import annotations

from pathlib import Path

from tutorial_book.experiments.uses import Index
from tutorial_lib.arguments import check_texts, whole_number
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import LIVE

FOLDER = Path(__file__).parent / "js"
MOST_TEXTS = 3000


def search_view(index: Index, questions, vectors, answers=None, k=5, label="Semantic search", model=None) -> View:
    """Show a search: pick a question, or find a text by one of its words, and see the k nearest texts with cosines.

    index: the database, at most 3,000 texts. questions: a list of str; vectors: theirs, (n, d). answers: for each
    question the texts that answer it, which get a mark. The answers of the database to every question and to every text
    are computed now and stored in the page. model: the one whose mean vectors these are; if the page loads it, with the
    book's texts, readers can ask their own questions, and search their own text file, which is read in the page
    and sent nowhere. Source: L 4.5.1.

    Raises TypeError or ValueError, by name, for invalid arguments.

    >>> index = Index(["bears", "cats", "snow"], [[1.0, 0.0], [1.0, 0.4], [0.0, 1.0]])
    >>> search_view(index, ["What growls?"], [[1.0, 0.0]], answers=[["bears"]], k=2)
    Semantic search (an interactive view: it needs a notebook or a page)
    """
    if not isinstance(index, Index):
        raise TypeError(f"index must be an Index, got {type(index).__name__}")
    if len(index) > MOST_TEXTS:
        raise ValueError(f"index must have at most {MOST_TEXTS:,} texts, got {len(index):,}")
    questions, k = check_texts("questions", questions), whole_number("k", k, 1, "a number of texts, 1 or more")
    answers = [[]] * len(questions) if answers is None else [list(texts) for texts in answers]
    for name, values in (("vectors", vectors), ("answers", answers)):
        if len(values) != len(questions):
            raise ValueError(f"{name} must have one entry per question, {len(questions)}, got {len(values)}")
    entries = list(index)
    place = {text: i for i, (text, _, _) in enumerate(entries)}
    unknown = [text for texts in answers for text in texts if text not in place]
    if unknown:
        raise ValueError(f"answers must be texts of the index, got {unknown[0]!r:.60}")
    found = [_numbered(index.search(vector, k), place) for vector in vectors]
    for i, (_, _, vector) in enumerate(entries):
        others = [hit for hit in _numbered(index.search(vector, k + 1), place) if hit[0] != i]
        found.append(others[:k])
    source = getattr(model, "source", None)
    data = {
        "questions": questions, "texts": [entry[0] for entry in entries], "tags": [entry[1] for entry in entries],
        "live": source if source in LIVE else None, "k": k, "found": found,
        "answers": [[place[text] for text in texts] for texts in answers],
    }  # fmt: skip
    return View("search_view", data, label, ["live"], FOLDER)


def _numbered(hits, place):
    """Return hits as [number of the text, cosine in ten-thousandths]."""
    return [[place[text], round(cosine * 10_000)] for text, cosine in hits]
