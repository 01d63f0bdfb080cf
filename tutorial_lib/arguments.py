"""What a function says about an argument that it cannot work with: its name, what came, and what is allowed."""

from __future__ import annotations

import operator


def whole_number(name, value, least, allowed):
    """The value as an int, if it is a whole number of at least `least` (NumPy's and torch's will do, True will not).

    Raises ValueError: "NAME must be ALLOWED, got VALUE".

    >>> whole_number("n", 3, 0, "a number of tokens (an int, 0 or more)")
    3
    """
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ValueError(f"{name} must be {allowed}, got {value!r:.60}")
    return number
