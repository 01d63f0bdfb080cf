"""How a value is written in a text.

A format is Python's, or one of `%` and `.1%` ("90 %"), `percent`, `word` ("seven"), `th` ("seventh"), `share` ("two
thirds"), `and` ("a, b and c"); without a format, a number is written with its first three digits.
"""

from __future__ import annotations

import math

from tutorial_book.page.answers import in_words

WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
PARTS = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 10: "tenth"}


def shown(value, spec: str = "") -> str:
    """Return a value as the text shows it.

    >>> shown(0.904, "%"), shown(0.904, ".1percent"), shown(-3.1416, ".2f"), shown(-0.001, ".2f"), shown(7, "word")
    ('90 %', '90.4 percent', '−3.14', '0.00', 'seven')
    >>> shown(0.66, "share"), shown(0.55, "share"), shown(3, "th"), shown(32, "th"), shown(["PCA", "UMAP"], "and")
    ('two thirds', '55 %', 'third', '32nd', 'PCA and UMAP')
    """
    value = value.item() if hasattr(value, "item") else value  # of NumPy and torch
    if spec == "and":
        *rest, last = map(str, value or ["none"])
        return f"{', '.join(rest)} and {last}" if rest else last
    if isinstance(value, str):
        return format(value, spec)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"value must be a finite number or a str, got {value!r:.80}")
    if spec.lower() in ("word", "th"):
        if value != int(value):
            raise ValueError(f"value must be a whole number, got {value}")
        return _spelled(int(value), ORDINALS if spec.lower() == "th" else WORDS, spec)
    if spec == "share":
        return _as_share(value)
    if spec.endswith(("%", "percent")):
        places, unit = (spec[:-1], "%") if spec.endswith("%") else (spec[:-7], "percent")
        return _with_sign(f"{100 * value:{places or '.0'}f} {unit}")
    return _with_sign(format(value, spec) if spec else in_words(value))


def _with_sign(text: str) -> str:
    """Return the text with a true minus sign, and none before a number that is rounded to 0."""
    return text.replace("-", "−" if set(text) & set("123456789") else "")


def _spelled(number: int, names: list[str], spec: str) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    text = names[number] if 0 <= number < len(names) else f"{number:,}{ending if names is ORDINALS else ''}"
    return text.capitalize() if spec[0].isupper() else text


def _as_share(value: float) -> str:
    """Return a simple fraction if one is within 0.04, else per cent."""
    fractions = [(of, part) for of in PARTS for part in range(1, of)]
    of, part = min(fractions, key=lambda pair: (round(abs(value - pair[1] / pair[0]), 2), pair[0]))
    if abs(value - part / of) > 0.04:
        return shown(value, "%")
    return PARTS[of] if of == 2 else f"{'a' if part == 1 else WORDS[part]} {PARTS[of]}{'s' * (part > 1)}"
