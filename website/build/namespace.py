"""The names of a chapter: what its cells have computed, for the test that says what the chapter tells.

After the last cell, a chapter's kernel writes its top-level values into a file beside its outputs (`pack`). The test
reads them as attributes (`Names`). It may trust the file, which never leaves _build.
"""

from __future__ import annotations

import io
import pickle
from types import FunctionType, ModuleType

MOST_BYTES = 2_000_000  # of one value
KERNEL_S = {"In", "Out", "exit", "get_ipython", "open", "quit"}  # every notebook has these
WHOLE = (bool, bytes, complex, float, int, str, type(None), type, FunctionType)  # stored with whatever refers to it


def pack(namespace: dict) -> bytes:
    """The values of a namespace, each pickled on its own, and for what is left out the reason.

    Functions and classes of the namespace itself are kept with what they refer to. A value that has a name of its own
    is stored once: others refer to it by that name.
    """
    values = {name: value for name, value in namespace.items() if not (name.startswith("_") or name in KERNEL_S)}
    values = {name: value for name, value in values.items() if not _imported(value, namespace.get("__name__"))}
    names = {id(value): name for name, value in values.items() if not isinstance(value, WHOLE)}
    return pickle.dumps({name: _packed(name, value, names) for name, value in values.items()})


def _imported(value, here: str | None) -> bool:
    """Whether a value is a module, or a function or class of one: whoever needs it can import it."""
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
    except Exception as error:  # whatever a class says when it cannot be pickled
        return f"it cannot be pickled: {error!r}"
    return out.getvalue()


class TooLarge(Exception):
    pass


class Limited(io.BytesIO):
    """A file that does not grow beyond a size."""

    def __init__(self, most: int):
        super().__init__()
        self.most = most

    def write(self, data) -> int:
        if self.tell() + memoryview(data).nbytes > self.most:
            raise TooLarge
        return super().write(data)


class Names:
    """A chapter's values as attributes. Those that are left out, models for example, may be `given` instead.

    >>> page = Names("heads", pack({"heads": 12, "near": [0.5, 0.25]}))
    >>> page.heads, page.near
    (12, [0.5, 0.25])
    >>> page.far
    Traceback (most recent call last):
    ...
    AttributeError: the chapter heads has no far; it has heads, near
    """

    def __init__(self, chapter: str, packed: bytes, **given):
        self._chapter, self._packed = chapter, pickle.loads(packed)
        vars(self).update(given)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._packed:
            raise AttributeError(f"the chapter {self._chapter} has no {name}; it has {', '.join(sorted(self._packed))}")
        packed = self._packed[name]
        if isinstance(packed, str):
            raise AttributeError(f"the chapter {self._chapter} has {name}, but it was not kept: {packed}")
        unpickler = pickle.Unpickler(io.BytesIO(packed))
        unpickler.persistent_load = lambda other: getattr(self, other)
        value = vars(self)[name] = unpickler.load()
        return value
