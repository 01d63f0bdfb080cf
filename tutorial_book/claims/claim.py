"""A claim, how it is checked, and how two values are compared.

A claim is one statement of a document together with the function that recomputes it. Claims are in the modules of this
folder, which have the names of the chapters; the function *is* the recomputation. A statement that is only read has no
code: it is a line of the inventory, with its own verdict.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from tutorial_lib.texts import TextsNotAvailable
from tutorial_lib.weights.catalog import DEFAULT, ModelNotAvailable

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


@dataclass(frozen=True)
class Result:
    """The result of checking a claim: the value (None if it could not be computed) and the verdict."""

    claim: Claim
    computed: Any
    verdict: str

    @property
    def source(self) -> str:
        """Return the document's tag."""
        return self.claim.source

    @property
    def kind(self) -> str:
        """Return what the value comes from."""
        return self.claim.kind

    @property
    def as_recorded(self) -> bool:
        """Return whether the verdict is the recorded one. If something is missing, it cannot differ."""
        return self.verdict == self.claim.verdict or self.claim.verdict == OPEN or self.verdict.startswith("needs ")


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


def check(claim: Claim) -> Result:
    """Compare a claim with its value, which is computed on first use and then cached.

    A claim that needs a model or texts is checked if they are on this machine; nothing is downloaded for it. Otherwise
    its verdict is "needs" and the name of the missing model or text.

    >>> from tutorial_book.claims import claims
    >>> check(claims(source="R", section="5.4")[-1]).verdict
    'does not hold'
    """
    if not isinstance(claim, Claim):
        raise TypeError(f"claim must be a Claim, one of claims(), got {type(claim).__name__}")
    if not can_be_checked(claim):
        return Result(claim, None, f"needs {claim.needs}")
    try:
        computed = computed_once(claim)
    except ModelNotAvailable:
        return Result(claim, None, f"needs {DEFAULT}")
    except TextsNotAvailable:
        return Result(claim, None, "needs texts that are fetched")
    missed = DIFFERS if claim.stands_in or claim.verdict == DIFFERS else FAILS
    return Result(claim, computed, HOLDS if agree(claim.wanted, computed, claim.tolerance) else missed)


def can_be_checked(claim: Claim) -> bool:
    """Return whether its needs are on this machine."""
    return not claim.needs or all(map(_on_this_machine, claim.needs.split(" and ")))


def recompute(claim: Claim):
    """Return a claim's value, computed now. Random numbers are the same each time; the caller's are not changed."""
    import torch

    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return plain(claim.compute())


computed_once = cache(recompute)  # does not cache errors: missing files are looked for again


@lru_cache
def _on_this_machine(name: str) -> bool:
    """Return whether a model, a vocabulary or a published collection is here, so that nothing must be downloaded."""
    from tutorial_lib import weights
    from tutorial_lib.texts import published
    from tutorial_lib.texts.fetch import cache_folder, stand_in

    if name in published.SOURCES:
        folder = stand_in(None) or cache_folder()
        return all((folder / source.file).is_file() for source in published.SOURCES[name])
    return name.removeprefix(VOCABULARY) in weights.available(vocabulary=name.startswith(VOCABULARY))


def agree(printed, computed, tolerance=None) -> bool:
    """Return whether a computed value equals the printed one, up to the rounding of the printed digits.

    >>> agree([1.41, 1.5], [1.414, 1.496]), agree(7, 7.2), agree("the", "The"), agree([1, 2], [1, 2, 3])
    (True, False, False, False)
    >>> agree(110_000_000, 108_310_272), agree(110_000_000, 108_310_272, ROUND), agree(0.4, 0.46, ROUND)
    (False, True, False)
    """
    if tolerance is None:
        tolerance = 0.5 * 10.0 ** -decimals(printed) if decimals(printed) else 0.0
    elif tolerance == ROUND:
        tolerance = 0.5 * last_unit(printed)
    if isinstance(printed, (list, tuple)):
        same_length = isinstance(computed, (list, tuple)) and len(printed) == len(computed)
        return same_length and all(agree(p, c, tolerance) for p, c in zip(printed, computed))
    if isinstance(printed, (bool, str)) or not isinstance(computed, (int, float)) or isinstance(computed, bool):
        return type(printed) is type(computed) and printed == computed
    return abs(printed - computed) <= tolerance + 1e-12 * max(1, abs(printed))  # a tie may round either way


def decimals(printed) -> int:
    """Return how many digits after the point were printed; for a list, the most of any of its numbers.

    >>> decimals([1.41, 1.5]), decimals(768)
    (2, 0)
    """
    if isinstance(printed, (list, tuple)):
        return max(map(decimals, printed), default=0)
    if not isinstance(printed, float) or not math.isfinite(printed):
        return 0
    return len(repr(printed).partition(".")[2]) if printed != int(printed) else 0


def last_unit(printed) -> float:
    """Return the unit of a number's last digit that is not 0; for a list, the smallest of all.

    >>> last_unit(110e6), last_unit(22), last_unit(0.30)
    (10000000.0, 1.0, 0.1)
    """
    if isinstance(printed, (list, tuple)):
        return min(map(last_unit, printed))
    digits = f"{printed:.15g}" if printed != int(printed) else str(int(printed))
    whole, _, fraction = digits.partition(".")
    return 10.0 ** -len(fraction) if fraction else 10.0 ** (len(whole) - len(whole.rstrip("0")))


def plain(value):
    """Return tensors and arrays as Python numbers and lists."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value
