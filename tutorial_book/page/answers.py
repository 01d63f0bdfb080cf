"""The answer to a guess: a chapter computes it, and its page shows it next to the reader's guess.

The guess itself is made in a box on the page (website/directives/guess.py, book/_static/guess.js).
"""

import html
import json
import math
import re

from tutorial_lib.views import notebook


def answer(name, value) -> None:
    """Show the true answer after the reader's guess: the last line of the cell that computes it.

    name: the name of the chapter's `guess` box. value: one of its choices (a str), a number (an int or a float, or an
    array or tensor of one), or its items in order (a list of str). Raises TypeError or ValueError if it is neither.

    >>> answer("heaviest-token", "painted")
    The answer to heaviest-token: painted
    >>> answer("scores-in-all", 7 * 7)
    The answer to scores-in-all: 49
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ValueError(f"name must be the guess's name, such as 'heaviest-token', got {name!r}")
    value = _plain(value)
    if notebook.shell() is None:
        print(f"The answer to {name}: {in_words(value)}")
        return
    data = f'data-guess="{name}" data-answer="{html.escape(json.dumps(value))}"'
    text = f"<p {data}>The answer to <em>{name}</em>: <strong>{html.escape(in_words(value))}</strong></p>"
    notebook.display({"text/html": text, "text/plain": f"The answer to {name}: {in_words(value)}"})


def in_words(value) -> str:
    """Return an answer as readers see it: a number with at least its first three digits, items in their order.

    >>> in_words(30522), in_words(0.123456), in_words(4.0), in_words(1234.5)
    ('30,522', '0.123', '4', '1,234')
    >>> in_words(["painted", "The"])
    'painted, The'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(value)
    decimals = 0 if isinstance(value, int) or value == 0 else max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain(value):
    """Return the value as a str, an int, a float or a list of str."""
    value = value.tolist() if hasattr(value, "tolist") else value  # of NumPy and torch
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise ValueError(f"value must be a finite number, got {value}")
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return list(value)
    raise TypeError(f"value must be a choice (str), a number or a list of str in order, got {value!r:.60}")
