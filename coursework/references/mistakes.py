"""The usual mistakes in an exercise, each written as an edit of the right answer's source."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping


class Mistakes(Mapping):
    """hint -> the function that makes this mistake: the right one, with a line of its source changed.

    table: each hint, and below it, indented, the edits `old -> new`. The old text must stand exactly once in the body
    of the function. `-> expression` with no old text replaces the whole body. All names are those of the function's
    module, so that the function's own name is the right answer.

    >>> from coursework.references.attention import causal_mask
    >>> table = "it is upside down: row i is a query\\n    -> causal_mask(n).T"
    >>> print(Mistakes(causal_mask, table)["it is upside down: row i is a query"](2).astype(int))
    [[1 1]
     [0 1]]
    """

    def __init__(self, function: Callable, table: str):
        self._function = function
        self._edits = read_table(table)
        self._compiled: dict[str, Callable] = {}

    def __getitem__(self, hint: str) -> Callable:
        if hint not in self._compiled:  # most never are: only a wrong answer needs them
            self._compiled[hint] = self._compile(hint)
        return self._compiled[hint]

    def __iter__(self) -> Iterator[str]:
        return iter(self._edits)

    def __len__(self) -> int:
        return len(self._edits)

    def _compile(self, hint: str) -> Callable:
        name, source = self._function.__name__, textwrap.dedent(inspect.getsource(self._function))
        function = ast.parse(source).body[0]
        first = function.body[0 if ast.get_docstring(function) is None else 1].lineno - 1
        lines = source.splitlines(keepends=True)
        head, body = "".join(lines[:first]), "".join(lines[first:])
        for old, new in self._edits[hint]:
            if not old:
                body = f"    return {new}\n"
            elif body.count(old) == 1:
                body = body.replace(old, new)
            else:
                raise ValueError(f"{hint!r}: {old!r} must stand once in {name}, got it {body.count(old)} times")
        names = {}
        code = compile(head + body, f"<{name}: {hint}>", "exec")
        exec(code, self._function.__globals__, names)
        return names[name]


def read_table(table: str) -> dict[str, list[tuple[str, str]]]:
    """The edits (old, new) of each hint in a table. A hint may go on in the next line.

    Raises ValueError where an edit has no arrow, a hint has no edit, or a hint comes twice.
    """
    edits: dict[str, list[tuple[str, str]]] = {}
    hint = ""
    for line in textwrap.dedent(table).strip().splitlines():
        if not line.startswith(" "):
            hint = f"{hint} {line}".lstrip() if hint not in edits else line
            if hint in edits:
                raise ValueError(f"a hint comes twice: {hint!r}")
            continue
        old, arrow, new = line.partition("->")
        if not arrow:
            raise ValueError(f"an edit is `old -> new`, got {line.strip()!r}")
        edits.setdefault(hint, []).append((old.strip(), new.strip()))
    if hint and hint not in edits:
        raise ValueError(f"a hint has no edit: {hint!r}")
    return edits
