"""What a claim is, how it is checked, and how two values are compared.

A claim is one statement of a document together with the function that recomputes it. Claims are written in the modules
beside this one, which are named as the chapters, each as a small function under `@claim(...)`; the function's body *is*
the recomputation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from tutorial_lib.catalog import DEFAULT, ModelNotAvailable
from tutorial_lib.texts import TextsNotAvailable

HOLDS, FAILS, OPEN = "holds", "does not hold", "not yet checked"
CHAPTERS = (
    *("tokenization", "embeddings", "positions", "attention", "heads", "bert"),
    *("seeing", "token-vectors", "probing", "position-vectors", "evolution"),
    *("meaning", "collections", "shape", "uses", "questions"),
)
SOURCES = {"R": "Rezaei", "L": "Luisto", "A": "Razzhigaev"}


@dataclass(frozen=True, eq=False)  # a claim is equal to itself alone, so that its value can be kept by claim
class Claim:
    """One statement of a document, what it prints for it, and how to recompute it.

    id            source, section and a short name: "R-5.4-q-painted"
    chapter       the chapter of this book that it belongs to
    statement     one sentence: what the document says
    printed       the value as printed: a number, a text, True for a sentence, or a list of those
    compute       a function without arguments that gives the value; None where no program can
    tolerance     how far a number may be off; None: half a unit of the last printed digit, and 0 for whole numbers
    needs         what it takes to check: a model's name, or another resource; None: only this library
    verdict       the recorded one: "holds", "does not hold" or "not yet checked"; with `needs`, the one to expect
    note          why, the right value, and what follows for the document's story
    """

    id: str
    chapter: str
    statement: str
    printed: Any
    compute: Callable[[], Any] | None = field(repr=False)
    tolerance: float | None = None
    needs: str | None = None
    verdict: str = HOLDS
    note: str = ""

    @property
    def source(self) -> str:
        """The document's tag, "R", "L" or "A"."""
        return self.id.split("-")[0]

    @property
    def section(self) -> str:
        """The document's section, such as "5.4"."""
        return self.id.split("-")[1]


@dataclass(frozen=True)
class Result:
    """What came out when a claim was checked: the value (None where it could not be computed) and the verdict."""

    claim: Claim
    computed: Any
    verdict: str

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict is the recorded one. Where something is missing, it cannot differ."""
        return self.verdict == self.claim.verdict or self.claim.verdict == OPEN or self.verdict.startswith("needs ")


REGISTRY: dict[str, Claim] = {}


def claim(id, chapter, statement, printed, **rest):
    """Register the decorated function as the recomputation of a claim; the arguments are the fields of `Claim`."""

    def register(compute):
        add(Claim(id, chapter, statement, printed, compute, **rest))
        return compute

    return register


def add(claim: Claim) -> None:
    """Put a claim into the registry, once it is known to be well formed."""
    source, *name = claim.id.split("-")
    if claim.id in REGISTRY or source not in SOURCES or len(name) < 2:
        raise ValueError(f"id must be new and read like 'R-5.4-q-painted', got {claim.id!r}")
    if claim.chapter not in CHAPTERS:
        raise ValueError(f"chapter must be one of {', '.join(CHAPTERS)}, got {claim.chapter!r}")
    if claim.verdict not in (HOLDS, FAILS, OPEN):
        raise ValueError(f"verdict must be {HOLDS!r}, {FAILS!r} or {OPEN!r}, got {claim.verdict!r}")
    REGISTRY[claim.id] = claim


def check(claim: Claim) -> Result:
    """Compare a claim with its value, which is computed when it is first asked for and then kept.

    A claim that needs a model is checked where that model is on this machine; nothing is downloaded for it. Otherwise
    its verdict is "needs" and what is missing.

    >>> from tutorial_lib.claims import claims
    >>> check(claims(source="R", section="5.4")[-1]).verdict
    'does not hold'
    """
    if not isinstance(claim, Claim):
        raise TypeError(f"claim must be a Claim, one of claims(), got {type(claim).__name__}")
    if claim.compute is None or (claim.needs and not _on_this_machine(claim.needs)):
        return Result(claim, None, f"needs {claim.needs}")
    try:
        computed = computed_once(claim)
    except ModelNotAvailable:
        return Result(claim, None, f"needs {DEFAULT}")
    except TextsNotAvailable:
        return Result(claim, None, "needs texts that are fetched")
    return Result(claim, computed, HOLDS if agree(claim.printed, computed, claim.tolerance) else FAILS)


def recompute(claim: Claim):
    """A claim's value, computed now. Random numbers are the same each time, and the caller's are left alone."""
    import torch

    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return plain(claim.compute())


computed_once = cache(recompute)  # keeps no errors: what is missing is looked for again


@lru_cache
def _on_this_machine(name: str) -> bool:
    from tutorial_lib import weights

    return name in weights.available()


def agree(printed, computed, tolerance=None) -> bool:
    """Whether a computed value is what was printed, up to the rounding of the printed digits.

    >>> agree([1.41, 1.5], [1.414, 1.496]), agree(7, 7.2), agree("the", "The"), agree([1, 2], [1, 2, 3])
    (True, False, False, False)
    """
    if tolerance is None:
        tolerance = 0.5 * 10.0 ** -decimals(printed) if decimals(printed) else 0.0
    if isinstance(printed, (list, tuple)):
        same_length = isinstance(computed, (list, tuple)) and len(printed) == len(computed)
        return same_length and all(agree(p, c, tolerance) for p, c in zip(printed, computed))
    if isinstance(printed, (bool, str)) or not isinstance(computed, (int, float)) or isinstance(computed, bool):
        return type(printed) is type(computed) and printed == computed
    return abs(printed - computed) <= tolerance + 1e-12 * max(1, abs(printed))  # a tie may round either way


def decimals(printed) -> int:
    """How many digits after the point were printed; for a list, the most of any of its numbers.

    >>> decimals([1.41, 1.5]), decimals(768)
    (2, 0)
    """
    if isinstance(printed, (list, tuple)):
        return max(map(decimals, printed), default=0)
    if not isinstance(printed, float) or not math.isfinite(printed):
        return 0
    return len(repr(printed).partition(".")[2]) if printed != int(printed) else 0


def plain(value):
    """Tensors and arrays as Python numbers and lists."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value
