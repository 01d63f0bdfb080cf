"""The usual mistakes in an exercise, each written as an edit of the right answer's source."""

import ast
import inspect
import math as math
import re
import string
import unicodedata as unicodedata
from collections.abc import Callable
from itertools import groupby as groupby

import numpy as np

MARKS = re.escape(string.punctuation)


def mistakes(function: Callable, table: str) -> dict[str, Callable]:
    """Return hint -> the function that makes this mistake: the right one, with a line of its source changed.

    table: each hint, which may continue on the next line, and below it, indented, the edits `old -> new`. The old text
    must occur exactly once in the body of the function, without its comments. `-> expression` with no old text replaces
    the whole body. The new text may use the names of the function's module and of this one.
    """
    made = {}
    for lines, edits in re.findall(r"((?:^\S.*\n)+)((?:^ .*\n)*)", f"{table}\n", re.M):
        hint = " ".join(lines.split())
        if hint in made or not edits:
            raise ValueError(f"a hint comes twice, or has no edit: {hint!r}")
        made[hint] = _edited(function, hint, edits.splitlines())
    return made


def _edited(function, hint, edits):
    name, source = function.__name__, inspect.getsource(function)
    parsed = ast.parse(source).body[0]
    first = parsed.body[0 if ast.get_docstring(parsed) is None else 1].lineno - 1
    lines = source.splitlines(keepends=True)
    head, body = "".join(lines[:first]), re.sub(r"(^| ) *# .*", "", "".join(lines[first:]), flags=re.M)
    for edit in edits:
        old, arrow, new = map(str.strip, edit.partition("->"))
        if not arrow:
            raise ValueError(f"an edit is `old -> new`, got {edit.strip()!r}")
        if old and body.count(old) != 1:
            raise ValueError(f"{hint!r}: {old!r} must occur once in {name}, got it {body.count(old)} times")
        body = body.replace(old, new) if old else f"    return {new}\n"
    names = {}
    exec(compile(head + body, f"<{name}: {hint}>", "exec"), {**globals(), **function.__globals__}, names)
    return names[name]


def with_a_way_back(word, vocab, mark=""):
    """Return the first possible cut, long pieces first: it goes back if a piece leads nowhere."""
    if not word:
        return []
    for end in range(len(word), 0, -1):
        rest = with_a_way_back(word[end:], vocab, "##") if mark + word[:end] in vocab else ["[UNK]"]
        if rest != ["[UNK]"]:
            return [mark + word[:end], *rest]
    return ["[UNK]"]


def cut_at_row_ends(batch, length):
    """Yield the texts, each cut in two where its row is full."""
    used = 0
    for text in batch:
        room = length - used % length
        yield from [text[:room], text[room:]] if room < len(text) else [text]
        used += len(text)


def first_fit(batch, length):
    """Return the texts in another order: each goes into the first row that has room for it."""
    rows = []
    for text in batch:
        row = next((row for row in rows if sum(map(len, row)) + len(text) <= length), None)
        if row is None:
            rows.append(row := [])
        row.append(text)
    return [text for row in rows for text in row]


def cosine(a, b):
    return a @ b / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b))
