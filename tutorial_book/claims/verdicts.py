"""How a claim comes to its verdict: its value is recomputed, and compared with the printed one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from tutorial_book.claims.claim import DIFFERS, FAILS, HOLDS, OPEN, ROUND, VOCABULARY, Claim
from tutorial_lib.texts import TextsNotAvailable
from tutorial_lib.weights.catalog import DEFAULT, ModelNotAvailable


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
