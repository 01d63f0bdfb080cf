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


def check_floats(**values):
    """Refuse with a TypeError what is not a tensor of floating-point numbers; the names are the arguments'.

    >>> check_floats(Q=[[1.0, 2.0]])
    Traceback (most recent call last):
    ...
    TypeError: Q must be a tensor of floating-point numbers, got list
    """
    import torch  # here, so that this module is light

    for name, value in values.items():
        if not torch.is_tensor(value) or not value.is_floating_point():
            got = value.dtype if torch.is_tensor(value) else type(value).__name__
            raise TypeError(f"{name} must be a tensor of floating-point numbers, got {got}")
