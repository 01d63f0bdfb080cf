"""The right answers of an exercise's cases, and those of each usual mistake: stored in files, not computed here.

`python -m coursework assignments` writes the files: the right functions are part of the teacher's program. Some
questions have several rules, of which each variant of a course has one: the files contain the right answers for each.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).with_name("expected")
DIGITS = 8  # of a number in a file: a check's tolerance is far wider


@dataclass(frozen=True)
class Outcomes:
    """right: of each case (value, None). made: hint -> of each case (value, None), or (None, kind of the exception)."""

    right: list[tuple[Any, Any]]
    made: dict[str, list[tuple[Any, Any]]]


def drawn(variant: str, place: int, count: int) -> int:
    """Return which of its rules a question has in a variant; place: the question's position among those with several.

    The first is that of the published assignment, and of no variant. Two years in a row have no rule in common.

    >>> [[drawn(str(year), place, 5) for place in range(3)] for year in (2027, 2028)]
    [[4, 2, 4], [1, 4, 3]]
    """
    if not variant or count == 1:
        return 0
    digest = hashlib.sha256(variant.encode()).hexdigest()[:8]
    number, others = int(variant) if variant.isdecimal() else int(digest, 16), count - 1
    return 1 + (number + number // others * place) % others


@cache
def stored(home: str) -> dict[str, tuple[int, list[Outcomes]]]:
    """Return function -> its question's position, and its outcomes by each of its rules, of a module of cases."""
    data = json.loads((FOLDER / f"{home}.json").read_text(encoding="utf-8"))
    return {name: (one["place"], [_read(rule) for rule in one["rules"]]) for name, one in data.items()}


def written(outcomes: dict[str, tuple[int, list[Outcomes]]]) -> str:
    """Return the text of such a file, a line for each mistake."""
    names = (
        f'{_text(name)}:{{"place":{place},"rules":[\n{_joined(map(_block, rules))}]}}'
        for name, (place, rules) in outcomes.items()
    )
    return f"{{{_joined(names)}}}\n"


def _block(outcomes):
    right = [_coded(value) for value, _ in outcomes.right]
    lines = (f"{_text(hint)}:{_text(_shorter(made, right))}" for hint, made in outcomes.made.items())
    return f'{{"right":{_text(right)},\n"made":{{\n{_joined(lines)}}}}}'


def _joined(lines):
    return ",\n".join(lines)


def _text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _shorter(made, right):
    """Return each outcome of a mistake as {"stops": kind} or {"gives": value}; None if it is the right one."""
    coded = ({"stops": kind} if kind else {"gives": _coded(value)} for value, kind in made)
    return [None if one == {"gives": value} else one for one, value in zip(coded, right, strict=True)]


def _read(data):
    right = [(_decoded(value), None) for value in data["right"]]

    def outcome(one, expected):
        return expected if one is None else (_decoded(one.get("gives")), one.get("stops"))

    return Outcomes(right, {hint: list(map(outcome, made, right)) for hint, made in data["made"].items()})


def _coded(value):
    """Return a value in JSON's types; for any other type only its name."""
    if isinstance(value, np.ndarray):
        return {"array": _coded(value.tolist())}
    if isinstance(value, np.generic):
        return _coded(value.item())
    if isinstance(value, tuple):
        return {"tuple": [_coded(item) for item in value]}
    if isinstance(value, list):
        return [_coded(item) for item in value]
    if isinstance(value, set):
        return {"set": sorted(value)}
    if isinstance(value, dict):
        return {"pairs": [[_coded(key), _coded(item)] for key, item in sorted(value.items())]}
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    return value if value is None or isinstance(value, bool | int | str) else {"other": type(value).__name__}


def _decoded(value):
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    (kind, held), *_ = value.items()
    if kind == "array":
        return np.array(held)
    if kind == "pairs":
        return {_decoded(key): _decoded(item) for key, item in held}
    return {"tuple": lambda: tuple(map(_decoded, held)), "set": lambda: set(held)}.get(kind, object)()
