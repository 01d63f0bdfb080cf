"""The usual mistakes in an exercise, each written as an edit of the right answer's source."""

import ast
import inspect
import textwrap
from collections.abc import Callable


def mistakes(function: Callable, table: str) -> dict[str, Callable]:
    """Hint -> the function that makes this mistake: the right one, with a line of its source changed.

    table: each hint, which may go on in the next line, and below it, indented, the edits `old -> new`. The old text
    must stand exactly once in the body of the function. `-> expression` with no old text replaces the whole body. All
    names are those of the function's module, so that the function's own name is the right answer.
    """
    made, hint, edits = {}, "", []
    for line in [*textwrap.dedent(table).strip().splitlines(), ""]:
        if line.startswith(" "):
            edits.append(line)
            continue
        if edits:
            made[hint], hint, edits = _edited(function, hint, edits), "", []
        hint = f"{hint} {line}".strip()
        if hint in made:
            raise ValueError(f"a hint comes twice: {hint!r}")
    if hint:
        raise ValueError(f"a hint has no edit: {hint!r}")
    return made


def _edited(function, hint, edits):
    name, source = function.__name__, textwrap.dedent(inspect.getsource(function))
    parsed = ast.parse(source).body[0]
    first = parsed.body[0 if ast.get_docstring(parsed) is None else 1].lineno - 1
    lines = source.splitlines(keepends=True)
    head, body = "".join(lines[:first]), "".join(lines[first:])
    for edit in edits:
        old, arrow, new = map(str.strip, edit.partition("->"))
        if not arrow:
            raise ValueError(f"an edit is `old -> new`, got {edit.strip()!r}")
        if old and body.count(old) != 1:
            raise ValueError(f"{hint!r}: {old!r} must stand once in {name}, got it {body.count(old)} times")
        body = body.replace(old, new) if old else f"    return {new}\n"
    names = {}
    exec(compile(head + body, f"<{name}: {hint}>", "exec"), function.__globals__, names)
    return names[name]
