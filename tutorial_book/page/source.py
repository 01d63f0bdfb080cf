"""Show the library's own source on a page, so that readers see the code that runs."""

import ast
import inspect
import textwrap
from pathlib import Path

from tutorial_lib.views import notebook

_ROOT = Path(__file__).parents[2]


def show(obj, docstring: bool = False) -> None:
    """Show the source of a function, class or method: highlighted on a page or in a notebook, else plain.

    obj: a function, class, method or property written in Python; TypeError for anything else. docstring: True shows
    docstrings in full; otherwise only the first line of each.

    >>> from tutorial_lib.texts import load_texts
    >>> show(load_texts)  # doctest: +ELLIPSIS
    # tutorial_lib/texts/__init__.py
    def load_texts(name: str, folder: str | os.PathLike | None = None) -> list | dict[str, list | dict]:
        \"""Return the texts of a collection, in order.\"""
    ...
    """
    code, place = _source(obj)
    if not docstring:
        code = _shorten_docstrings(code)
    plain = f"# {place}\n{code}"
    if notebook.shell() is None:
        print(plain)
    else:
        notebook.display({"text/markdown": f"`{place}`\n\n````python\n{code}\n````", "text/plain": plain})


def _source(obj) -> tuple[str, str]:
    """Return the source of obj, and its location: the file and, for a part of a class, its full name."""
    if isinstance(obj, property):
        obj = obj.fget
    if not (inspect.isroutine(obj) or inspect.isclass(obj)):
        raise TypeError(f"obj must be a function, class or method, got {type(obj).__name__}")
    obj = inspect.unwrap(obj)
    try:
        code, path = inspect.getsource(obj), Path(inspect.getsourcefile(obj))
    except (OSError, TypeError) as error:
        raise TypeError(f"obj must be written in Python, but {obj!r} has no Python source") from error
    place = path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else path.name
    if "." in obj.__qualname__ and "<locals>" not in obj.__qualname__:
        place += f": {obj.__qualname__}"
    return textwrap.dedent(code).rstrip(), place


def _shorten_docstrings(code: str) -> str:
    """Return the same code with every multi-line docstring cut to its first line."""
    lines = code.splitlines()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, kinds)]
    texts = [node.body[0] for node in nodes if ast.get_docstring(node)]
    for text in sorted(texts, key=lambda text: -text.lineno):  # from the end, so that line numbers stay valid
        head = lines[text.lineno - 1].rstrip()
        quotes = head[text.col_offset :].lstrip("rR")[:3]
        if text.end_lineno == text.lineno or quotes not in ('"""', "'''"):
            continue
        if head.endswith(quotes):  # the text begins on the next line
            head += lines[text.lineno].strip()
        lines[text.lineno - 1 : text.end_lineno] = [head + quotes]
    return "\n".join(lines)
