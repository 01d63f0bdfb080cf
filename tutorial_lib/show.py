"""Show the library's own source on a page, so that the code that is read is the code that runs."""

import ast
import inspect
import sys
import textwrap
from pathlib import Path

_ROOT = Path(__file__).parent.parent


def show(obj, docstring: bool = False) -> None:
    """Show the source of a function, class or method: highlighted in a notebook or page, plain in a terminal.

    Args:
        obj: a function, class or method written in Python.
        docstring: True shows docstrings in full; otherwise only the first line of each is left.

    Raises:
        TypeError: if obj is something else, or has no Python source.

    >>> from tutorial_lib.weights import read_config
    >>> show(read_config)  # doctest: +ELLIPSIS
    # tutorial_lib/weights.py
    def read_config(folder: str | os.PathLike) -> dict:
    ...
    """
    code, file = _source(obj)
    if not docstring:
        code = _shorten_docstrings(code)
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
    if get_ipython() is None:
        print(f"# {file}\n{code}")
    else:
        from IPython.display import display

        markdown = f"`{file}`\n\n```python\n{code}\n```"
        display({"text/markdown": markdown, "text/plain": f"# {file}\n{code}"}, raw=True)


def _source(obj) -> tuple[str, str]:
    """The dedented source of obj, and the file that it stands in, seen from the root of the library."""
    if isinstance(obj, property):
        obj = obj.fget
    if not (inspect.isroutine(obj) or inspect.isclass(obj)):
        raise TypeError(f"obj must be a function, class or method, got {type(obj).__name__}")
    obj = inspect.unwrap(obj)
    try:
        code, path = inspect.getsource(obj), Path(inspect.getsourcefile(obj))
    except (OSError, TypeError) as error:
        raise TypeError(f"obj must be written in Python, but {obj!r} has no Python source") from error
    file = path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else path.name
    return textwrap.dedent(code).rstrip(), file


def _shorten_docstrings(code: str) -> str:
    """The same code with every docstring cut to its first line."""
    lines = code.splitlines()
    for node in sorted(ast.walk(ast.parse(code)), key=lambda node: -getattr(node, "lineno", 0)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if (text := ast.get_docstring(node)) is None:
            continue
        first, last = node.body[0].lineno - 1, node.body[0].end_lineno
        if last - first > 1:
            opening = lines[first].partition('"""')[0]
            lines[first:last] = [f'{opening}"""{text.splitlines()[0]}"""']
    return "\n".join(lines)
