"""Measure what one vector cannot find, and store the numbers: experiments/stored/limits.json.

    python -m tutorial_book measure limits FOLDER       some ten minutes on one core

FOLDER contains LIMIT-small (corpus.jsonl, queries.jsonl, qrels.jsonl) of github.com/google-deepmind/limit. Those texts
are CC BY 4.0 and not part of this book; their numbers are shown next to those for the book's profiles. It takes minutes
per dimension to find the most texts of which vectors reach every pair, so these numbers are stored too.
"""

from __future__ import annotations

import json
from pathlib import Path

from tutorial_book.experiments.limits import bm25, critical, late_interaction, recall
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.vectors import embed
from tutorial_lib.weights.catalog import DEFAULT, KNOWN

DIMENSIONS = range(2, 13)
SEEDS = (0, 1)
PLACES = (2, 10, 20)  # k of recall@k


def record(folder, *, dimensions=DIMENSIONS) -> dict:
    """Return the scores of each search on LIMIT-small, and the most texts of which all pairs are reached."""
    found = {
        "model": {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256},
        "limit-small": recalls(*limit_small(Path(folder))),
        "critical": {"dimensions": list(dimensions), **{f"seed {seed}": climb(dimensions, seed) for seed in SEEDS}},
    }
    return {"limits": found}


def limit_small(folder) -> tuple[list, list, list]:
    """Texts, questions, and for each question the numbers of the texts that answer it."""
    corpus, queries, qrels = (
        [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() if line]
        for name in ("corpus", "queries", "qrels")
    )
    place = {entry["_id"]: i for i, entry in enumerate(corpus)}
    relevant = {entry["_id"]: [] for entry in queries}
    for entry in qrels:
        relevant[entry["query-id"]].append(place[entry["corpus-id"]])
    return [entry["text"] for entry in corpus], [entry["text"] for entry in queries], list(relevant.values())


def recalls(texts, questions, relevant) -> dict:
    """Return how many texts and questions there are, and for each search recall@2, @10 and @20."""
    bert, tok = Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()

    def vectors(part, pooling):
        return embed(part, bert, pooling=pooling, tokenizer=tok)

    scores = {f"{pooling} of the last layer": cosine_matrix(vectors(questions, pooling), vectors(texts, pooling))
              for pooling in ("mean", "cls", "max")}  # fmt: skip
    scores["late interaction"] = late_interaction(vectors(questions, "tokens"), vectors(texts, "tokens"))
    scores["words (BM25)"] = bm25(texts, questions)
    found = {name: [round(recall(one, relevant, k).mean(), 4) for k in PLACES] for name, one in scores.items()}
    return {"texts": len(texts), "questions": len(questions), "k": list(PLACES), "recall": found}


def climb(dimensions, seed) -> list:
    """Return the critical number of texts of each dimension; each search begins at the one before."""
    most = []
    for d in dimensions:
        most.append(critical(d, seed, start=max([2, *most])))
        print(f"{d} dimensions, seed {seed}: every pair of {most[-1]} texts", flush=True)
    return most
