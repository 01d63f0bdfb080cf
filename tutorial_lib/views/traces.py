"""Get attention from the reader's input: a model and an encoding, a trace, or the weights themselves."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

import numpy as np

from tutorial_lib.arguments import whole_number
from tutorial_lib.geometry.arrays import as_numbers

if TYPE_CHECKING:
    from tutorial_lib.tokenization import Encoding

Tokens: TypeAlias = "Encoding | Sequence[str]"
LIVE = ("all-MiniLM-L6-v2", "book-bert")  # encoders that a page can load (`views.engine`)
DECODERS = ("book-gpt", "book-gpt-20", "book-gpt-100", "book-gpt-400")  # and decoders
TWO_BYTES = 100_000  # up to this many numbers take two bytes each, more take one, so that a page stays small


class Attention:
    """One text's attention, checked; arguments as in `head_view`.

    weights: (n_layers, n_heads, n_queries, n_keys). tokens, keys: the tokens of the queries and of the keys, equal in
    self-attention. segments: 0 or 1 for each token of a pair of texts, else None. live: the name of the model that
    answers the reader's own text in a page, if source is that model.
    """

    def __init__(self, source: object, tokens: Tokens, keys: Sequence[str] | None = None):
        encoding = tokens if hasattr(tokens, "attention_mask") else None
        self.live = source.source if type(source).__name__ == "Bert" and source.source in LIVE else None
        self.trace = _as_trace(source, encoding)
        self.real = None  # which tokens are not padding
        self.crossing = keys is not None
        segments = []
        if encoding is not None:
            tokens, segments = self._without_padding(encoding)
        self.tokens = _as_tokens("tokens", tokens)
        self.keys = self.tokens if keys is None else _as_tokens("keys", keys)
        self.weights = self.stacked("weights") if self.trace else self._of_text(_as_array(source), "weights")
        shape = self.weights.shape
        n, m = len(self.tokens), len(self.keys)
        if shape[2:] != (n, m):
            raise ValueError(f"source must have weights (..., {n}, {m}) for these tokens, got {shape}")
        low, high = self.weights.min(), self.weights.max()
        if low < 0 or high > 1.001:
            raise ValueError(f"source must have weights from 0 to 1, got {low:.3g} to {high:.3g}")
        self.segments = segments if keys is None and len(set(segments)) == 2 else None

    def stacked(self, name: str) -> np.ndarray:
        """Return one value of every layer, such as "queries", without padding, as (n_layers, n_heads, ...)."""
        if not self.trace or f"layer.0.attention.{name}" not in self.trace:
            what = f"one with {', '.join(list(self.trace)[:3])}" if self.trace else "weights alone"
            raise ValueError(f"source must be a model or a trace with layer.0.attention.{name}, got {what}")
        values = []
        while f"layer.{len(values)}.attention.{name}" in self.trace:
            values.append(_as_array(self.trace[f"layer.{len(values)}.attention.{name}"]))
        return self._of_text(np.stack(values), name)

    def _of_text(self, array, name):
        """Return the values of one text without padding, with axes of length 1 for missing heads or layers."""
        if array.ndim == 5:
            if array.shape[1] != 1:
                raise ValueError(f"source must be of one text, got {name} of {array.shape[1]}. Pass those of one text")
            array = array[:, 0]
        if not 2 <= array.ndim <= 4:
            raise ValueError(
                f"source must have {name} of 2 to 5 axes, the last of (layers, texts, heads, ...), got {array.shape}"
            )
        array = array.reshape((1,) * (4 - array.ndim) + array.shape)
        for axis in self._token_axes(name):
            if self.real is not None and array.shape[axis] == len(self.real):
                array = array.compress(self.real, axis)
        return array

    def _token_axes(self, name):
        """Return the axes of a value that count the tokens of the encoding, not those of another text."""
        if name == "queries":
            return [2]
        if name == "weights":
            return [2] if self.crossing else [2, 3]
        return [] if self.crossing else [2]

    def _without_padding(self, encoding):
        rows = [encoding.tokens, encoding.token_type_ids, encoding.attention_mask]
        if isinstance(encoding.tokens[0], list):
            if len(encoding.tokens) > 1:
                raise ValueError(f"tokens must be of one text, got {len(encoding.tokens)}. Encode only one")
            rows = [row for (row,) in rows]
        self.real = np.array(rows[2], dtype=bool)
        return ([value for value, real in zip(row, self.real, strict=True) if real] for row in rows[:2])

    def label(self) -> str:
        """Describe a view's content in a few words."""
        n_layers, n_heads = self.weights.shape[:2]
        counts = ((len(self.tokens), "token"), (n_layers, "layer"), (n_heads, "head"))
        return "Attention of " + ", ".join(f"{count} {what}{'s' * (count != 1)}" for count, what in counts)

    def data(self) -> dict:
        """Return the data that the scripts of all three views need."""
        labels = {"tokens": self.tokens}
        if self.keys is not self.tokens:
            labels["keys"] = self.keys
        if self.segments:
            labels["segments"] = self.segments
        if self.live:
            labels["live"] = self.live
        return labels | {"layers": self.weights.shape[0], "heads": self.weights.shape[1]}

    def parts(self, *names: str) -> list[str]:
        """Return the scripts in views/js that a view shares: "attention", these, and those that make it live."""
        return ["attention", *names, *(["live", "live_attention"] if self.live else [])]

    def places(self, layer: SupportsIndex, head: SupportsIndex) -> tuple[int, int]:
        """Return the layer and head to show first as int, or raise an error that says which there are."""
        n_layers, n_heads = self.weights.shape[:2]
        return as_place("layer", layer, n_layers), as_place("head", head, n_heads)


def as_place(name: str, value: SupportsIndex, count: int | None = None) -> int:
    """Return a whole number, 0 or more, below count, as int; also NumPy's and torch's, but not True and 1.0.

    >>> as_place("layer", np.int64(2), 6)
    2
    """
    if count is None:
        return whole_number(name, value, 0, "a whole number, 0 or more")
    return whole_number(name, value, 0, f"from 0 to {count - 1}", count - 1)


def pack(values: np.ndarray) -> dict:
    """Return the numbers of all heads, (n_layers, n_heads, ...), as whole multiples of a step, one step for each head.

    So a number is off by at most half a step: a head's largest number / 65,000 with two bytes each (at most 100,000
    numbers), else / 254 (with signs) or / 510 (without).

    >>> pack(np.array([[[0.0, 0.5]]]))
    {'type': 'u2', 'steps': [7.629...e-06], 'data': 'AAD//w=='}
    """
    sign = "i" if values.min() < 0 else "u"
    kind = f"{sign}{2 if values.size <= TWO_BYTES else 1}"
    top = np.abs(values).reshape(*values.shape[:2], -1).max(-1)
    steps = np.where(top > 0, top, 1) / np.iinfo(kind).max  # (n_layers, n_heads)
    steps = np.vectorize(lambda step: float(f"{step:.7g}"))(steps)  # more digits would only make the page larger
    whole = np.rint(values / steps.reshape(steps.shape + (1,) * (values.ndim - 2))).astype("<" + kind)
    return {"type": kind, "steps": steps.ravel().tolist(), "data": base64.b64encode(whole.tobytes()).decode()}


def unpack(packed: dict, shape: tuple[int, ...]) -> np.ndarray:
    """Return the numbers as the script sees them, in their original shape.

    >>> unpack(pack(np.array([[[0.0, 0.5]]])), (1, 1, 2))
    array([[[0. , 0.5]]])
    """
    whole = np.frombuffer(base64.b64decode(packed["data"]), "<" + packed["type"]).reshape(shape)
    return whole * np.array(packed["steps"]).reshape(shape[:2] + (1,) * (len(shape) - 2))


def _as_trace(source, encoding):
    if isinstance(source, dict) or not hasattr(source, "trace") or hasattr(source, "shape"):  # arrays have a .trace too
        return source if isinstance(source, dict) else None
    if encoding is None:
        raise TypeError("tokens must be an Encoding from tok.encode(text) if source is a model")
    return source.trace(encoding)


def _as_array(value):
    """Return a tensor on any device, an array, or a list of them, as float64, checked to be finite."""
    if isinstance(value, (list, tuple)):
        value = [as_numbers("source", part) for part in value]
    array = as_numbers("source", value)
    if not array.size:
        raise ValueError(f"source must contain numbers, got shape {array.shape}")
    return array


def _as_tokens(name, tokens):
    listed = list(tokens) if hasattr(tokens, "__iter__") and not isinstance(tokens, (str, bytes)) else []
    if not listed or not all(isinstance(token, str) for token in listed):
        raise TypeError(f"{name} must be an Encoding or a list of str, at least one, got {tokens!r}"[:200])
    return listed
