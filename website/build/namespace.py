"""The names of a chapter: the values its cells computed, for the test that checks the chapter's statements.

After the last cell, a chapter's kernel writes its top-level values into a file next to its outputs (`pack`). The test
reads them as attributes (`Names`). It may trust the file, which never leaves _build.
"""

from __future__ import annotations

import io
import pickle
from types import FunctionType, ModuleType

MOST_BYTES = 2_000_000  # of one value
KERNEL_S = {"In", "Out", "exit", "get_ipython", "open", "quit"}  # defined in every notebook
WHOLE = (bool, bytes, complex, float, int, str, type(None), type, FunctionType)  # stored with its users


def pack(namespace: dict) -> bytes:
    """Return the values of a namespace, each pickled separately, and the reason for each that is left out.

    Functions and classes of the namespace itself are stored with everything they refer to. A value that has its own
    name is stored once; others refer to it by that name.
    """
    values = {name: value for name, value in namespace.items() if not (name.startswith("_") or name in KERNEL_S)}
    values = {name: value for name, value in values.items() if not _imported(value, namespace.get("__name__"))}
    names = {id(value): name for name, value in values.items() if not isinstance(value, WHOLE)}
    return pickle.dumps({name: _packed(name, value, names) for name, value in values.items()})


def _imported(value, here: str | None) -> bool:
    """Return whether a value is a module, or a function or class in one: other code can import it."""
    if callable(value) and hasattr(value, "__qualname__"):
        return value.__module__ != here and "<locals>" not in value.__qualname__
    return isinstance(value, ModuleType)


def _packed(name: str, value, names: dict[int, str]) -> bytes | str:
    import cloudpickle

    class Pickler(cloudpickle.Pickler):
        def persistent_id(self, part):
            other = names.get(id(part), name)
            return other if other != name else None

    if type(value).__module__.startswith("matplotlib."):
        return "it belongs to a figure"
    try:
        Pickler(out := Limited(MOST_BYTES), protocol=5).dump(value)
    except TooLarge:
        return f"it takes more than {MOST_BYTES:,} bytes"
    except Exception as error:  # any exception that a class raises when it is pickled
        return f"it cannot be pickled: {error!r}"
    return out.getvalue()


class TooLarge(Exception):
    pass


class Limited(io.BytesIO):
    """A file that does not grow beyond a limit."""

    def __init__(self, most: int):
        super().__init__()
        self.most = most

    def write(self, data) -> int:
        if self.tell() + memoryview(data).nbytes > self.most:
            raise TooLarge
        return super().write(data)


class Names:
    """A chapter's values as attributes. Those that are left out, such as models, can be `given` instead.

    >>> page = Names("heads", pack({"heads": 12, "near": [0.5, 0.25]}))
    >>> page.heads, page.near
    (12, [0.5, 0.25])
    >>> page.far
    Traceback (most recent call last):
    ...
    AttributeError: chapter heads has no name far, only heads, near
    """

    def __init__(self, chapter: str, packed: bytes, **given):
        self._chapter, self._packed = chapter, pickle.loads(packed)
        vars(self).update(given)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._packed:
            raise AttributeError(f"chapter {self._chapter} has no name {name}, only {', '.join(sorted(self._packed))}")
        packed = self._packed[name]
        if isinstance(packed, str):
            raise AttributeError(f"the chapter {self._chapter} did not store {name}: {packed}")
        unpickler = pickle.Unpickler(io.BytesIO(packed))
        unpickler.persistent_load = lambda other: getattr(self, other)
        value = vars(self)[name] = unpickler.load()
        return value
