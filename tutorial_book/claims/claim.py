"""A claim, and the list of all. `verdicts.py` checks them.

A claim is one statement of a document together with the function that recomputes it. Claims are in the modules of this
folder, which have the names of the chapters; the function *is* the recomputation. A statement that is only read has no
code: it is a line of the inventory, with its own verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

HOLDS, FAILS, DIFFERS, OPEN = VERDICTS = ("holds", "does not hold", "differs on another model", "not yet checked")
RECOMPUTED, ARITHMETIC = KINDS = ("recomputed", "arithmetic")
VOCABULARY = "the vocabulary of "  # a need that ends with a model's name, without its weights
ROUND = "half a unit of its last digit that is not 0"  # the tolerance of a round number: 110M may be 105M to 115M
CHAPTERS = (
    *("tokenization", "embeddings", "attention", "heads", "positions", "bert", "context", "cost"),
    *("learning", "decoders", "architectures", "family", "directions", "shape-of-learning"),
    *("roles", "gates", "virus"),
    *("seeing", "token-vectors", "probing", "position-vectors", "evolution"),
    *("meaning", "collections", "shape", "uses", "questions"),
)
SOURCES = {"R": "Rezaei", "L": "Luisto", "N": "NickyP", "A": "Razzhigaev", "G": "Bonino"}
UNNUMBERED = {  # N numbers only the sections of its first part, A and G none before the first: here they have numbers
    "N": {
        "0": "TL;DR and Introduction", "1": "The Start of the Transformer Process",
        "4": '"Points in Space" Explanation', "5": '"Directions in Space" Explanation',
        "6": "The Effect of Vector Length", "7": "Non-symmetric Embeddings", "8": "Conclusion", "9": "the comments",
    },
    "A": {"0": "Abstract"},
    "G": {"0": "Quick Summary to Abstract"},
}


@dataclass(frozen=True, eq=False)  # a claim equals only itself, so that its value can be cached by claim
class Claim:
    """One statement of a document, its printed value, and how to recompute it.

    id            source, section and a short name: "R-5.4-q-painted"
    chapter       the chapter of this book that it belongs to
    statement     one sentence: what the document says
    printed       the value as printed: a number, a text, True for a sentence, or a list of those
    compute       a function without arguments that returns the value
    expected      the value that the check requires, if it is not the printed one; None: the printed value
    kind          what the value comes from: "recomputed" by this library, from models, texts, the published models'
                  sizes and what it measured before; "arithmetic" with numbers that the document prints, or plain
                  mathematics
    tolerance     how far a number may be off; None: half a unit of the last printed digit, and 0 for whole numbers;
                  ROUND: half a unit of the last digit that is not 0
    needs         requirements of the check: a model, only its vocabulary ("the vocabulary of gpt2"), published texts
                  ("bert-base-cased and luisto-pairs"); None: only this library
    stands_in     whether texts or a model replace the document's even if its needs are available: then a
    disagreement means a different value, and refutes nothing
    verdict       the recorded one, of VERDICTS; with `needs`, the one to expect. "does not hold" is for what was
                  measured on the document's own model, data and by its measure, or needs none;
                  "differs on another model" for what the statement is about and is not at hand: another stands in
    note          why, the right value, and what follows for the document's story
    """

    id: str
    chapter: str
    statement: str
    printed: Any
    compute: Callable[[], Any] = field(repr=False)
    expected: Any = None
    kind: str = RECOMPUTED
    tolerance: float | str | None = None
    needs: str | None = None
    stands_in: bool = False
    verdict: str = HOLDS
    note: str = ""

    @property
    def source(self) -> str:
        """Return the document's tag, "R", "L", "N", "A" or "G"."""
        return self.id.split("-")[0]

    @property
    def section(self) -> str:
        """Return the document's section, such as "5.4"; `UNNUMBERED` names those that have no number there."""
        return self.id.split("-")[1]

    @property
    def wanted(self) -> Any:
        """Return the value that the computed one is compared with."""
        return self.printed if self.expected is None else self.expected


REGISTRY: dict[str, Claim] = {}


def claims_of(chapter: str):
    """Return the function that registers a chapter's claims, whose arguments are the other fields of `Claim`.

    Pass a recomputation of one expression as an argument, `claim("R-5.1-tokens", "...", 7, lambda: len(...))`; for a
    longer one, decorate a function with `@claim("R-5.1-tokens", "...", 7)`. A claim with `needs` may stay unchecked.
    """

    def claim(id, statement, printed, compute=None, **rest):
        def recomputed_by(compute):
            verdict = OPEN if "needs" in rest else HOLDS
            add(Claim(id, chapter, statement, printed, compute, **{"verdict": verdict, **rest}))
            return compute

        return recomputed_by if compute is None else recomputed_by(compute)

    return claim


def add(claim: Claim) -> None:
    """Put a claim into the registry, after checking that it is well formed."""
    if claim.id in REGISTRY or not is_id(claim.id):
        raise ValueError(f"id must be new and have the form 'R-5.4-q-painted', got {claim.id!r}")
    for field_name, allowed in (("chapter", CHAPTERS), ("verdict", VERDICTS), ("kind", KINDS)):
        value = getattr(claim, field_name)
        if value not in allowed:
            raise ValueError(f"{field_name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    REGISTRY[claim.id] = claim


def is_id(text: str) -> bool:
    """Return whether a text reads like "R-5.4-q-painted": a document, one of its sections, a short name.

    >>> is_id("R-5.4-q-painted"), is_id("R-5.4"), is_id("X-5.4-q-painted"), is_id("R-q-painted")
    (True, False, False, False)
    """
    return re.fullmatch(rf"[{''.join(SOURCES)}]-\d+(\.\d+)*-\S+", text) is not None
