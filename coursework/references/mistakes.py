"""The usual mistakes in an exercise, each written as an edit of the right answer's source."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property


class Mistakes(Mapping):
    """hint -> the function that makes this mistake: the right one, with a line of its source changed.

    table: each hint, and below it, indented, the edits `old -> new`. The old text must stand exactly once in the body
    of the function. `-> expression` with no old text replaces the whole body: the function gives back the expression.
    All names are those of the function's module, so that the function's own name is the right answer.

    >>> from coursework.references.attention import causal_mask
    >>> mistakes = Mistakes(causal_mask, '''
    ... a token may attend to itself: the diagonal is True
    ...     dtype=bool)) -> dtype=bool), -1)
    ... it is upside down: row i is a query, and may attend to columns 0 to i
    ...     -> causal_mask(n).T
    ... ''')
    >>> print(mistakes["a token may attend to itself: the diagonal is True"](2).astype(int))
    [[0 0]
     [1 0]]

    A function is compiled when it is first asked for, and most never are: only a wrong answer needs them.
    """

    def __init__(self, function: Callable, table: str):
        self._function = function
        self._edits = read_table(table)
        self._compiled: dict[str, Callable] = {}

    def __getitem__(self, hint: str) -> Callable:
        if hint not in self._compiled:
            self._compiled[hint] = self._compile(hint)
        return self._compiled[hint]

    def __iter__(self) -> Iterator[str]:
        return iter(self._edits)

    def __len__(self) -> int:
        return len(self._edits)

    @cached_property
    def _source(self) -> tuple[str, str]:
        """The function's first lines, with its docstring, and the body below them."""
        source = textwrap.dedent(inspect.getsource(self._function))
        function = ast.parse(source).body[0]
        first = function.body[0 if ast.get_docstring(function) is None else 1].lineno - 1
        lines = source.splitlines(keepends=True)
        return "".join(lines[:first]), "".join(lines[first:])

    def _compile(self, hint: str) -> Callable:
        name = self._function.__name__
        head, body = self._source
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
