"""What a chapter's cells show: source code, the answer to a guess, tables, slides, search, the phone's layout.

A module loads when one of its names is first asked for, so that a chapter depends on those that it uses.
"""

from importlib import import_module

_MODULES = {
    "answer": "guess",
    "search_view": "search",
    "show": "source",
    "slide": "slides",
    "table": "tables",
}
__all__ = list(_MODULES)


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__():
    return sorted({*globals(), *_MODULES})
