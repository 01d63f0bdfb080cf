"""Show the changes between two functions of the library: the removed and the added lines of their source."""

from difflib import unified_diff

from tutorial_book.page.source import _shorten_docstrings, _source
from tutorial_lib.views import notebook


def show_change(old, new) -> None:
    """Show the lines in which two functions, classes or methods differ: "-" before the old one's, "+" before the new's.

    Common lines are shown around them; docstrings are left out. TypeError for objects without Python source.

    >>> from tutorial_lib import bert, llama
    >>> show_change(bert.layer_norm, llama.rms_norm)  # doctest: +ELLIPSIS
    # tutorial_lib/bert.py, then tutorial_lib/llama.py
    -def layer_norm(x, gamma, beta, eps):
    -    arguments.check_tensors(x=x, gamma=gamma, beta=beta)
    +def rms_norm(x, gamma, eps):
    ...
    """
    (before, place), (after, new_place) = _lines(old), _lines(new)
    code = "\n".join(list(unified_diff(before, after, lineterm="", n=1))[3:])
    code = "\n".join(" ..." if line.startswith("@@") else line for line in code.splitlines())
    plain = f"# {place}, then {new_place}\n{code}"
    if notebook.shell() is None:
        print(plain)
    else:
        notebook.display({"text/markdown": f"`{place}` → `{new_place}`\n\n````diff\n{code}\n````", "text/plain": plain})


def _lines(obj) -> tuple[list[str], str]:
    """Return the lines of an object's source without docstrings, and its location."""
    code, place = _source(obj)
    lines = _shorten_docstrings(code).splitlines()
    return [line for line in lines if not line.lstrip().startswith('"""')], place
