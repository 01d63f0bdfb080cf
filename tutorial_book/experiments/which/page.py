"""The front page's data for a word: its map in few bytes, and the stored answers of some sentences."""

import base64

import numpy as np
import torch

from tutorial_book.experiments.which.axis import axis_between
from tutorial_book.experiments.which.hearing import Uses, decided
from tutorial_book.experiments.which.sentences import words


def eight_bits(values) -> np.ndarray:
    """Round each row, along the last axis, to 255 even steps from minus its largest number to its largest.

    >>> eight_bits([[0.0, 1.2, -127.0]])
    array([[   0.,    1., -127.]])
    """
    bytes_, steps = _in_steps(np.asarray(values, float))
    return bytes_ * steps


def _in_steps(rows):
    steps = np.abs(rows).max(-1, keepdims=True) / 127
    return np.rint(rows / steps), steps


def _packed(values):
    """Rows as text: base64 of one signed byte for each number, row after row, and the step of each row."""
    rows = np.asarray(values, float)
    bytes_, steps = _in_steps(rows.reshape(-1, rows.shape[-1]))
    return {"bytes": base64.b64encode(bytes_.astype(np.int8).tobytes()).decode(), "steps": _few(steps.ravel(), 9)}


def _few(values, digits=6):
    return [float(f"{value:.{digits}g}") for value in values]


def _ints(values):
    """Return x in hundredths."""
    return np.rint(np.asarray(values) * 100).astype(int).tolist()


def _flat(paths):
    """Return paths in hundredths, each path (depths, 2) as one list x, z, x, z, ..."""
    return _ints(np.reshape(paths, (*np.shape(paths)[:-2], -1)))


def rounded_uses(model, tok, word, first, second) -> Uses:
    """Return `Uses` whose axis and averages have 8 bits, as the page has them: then both compute the same."""
    found = Uses(model, tok, word, first, second)
    found.averages = tuple(
        torch.tensor(eight_bits(values.flatten(1)), dtype=values.dtype).view_as(values) for values in found.averages
    )
    found.axis = axis_between(found.X, found.sense, eight_bits)
    return found


def map_of(found, senses) -> dict:
    """Return the data that place a sentence: see `data_for`. found: `rounded_uses`, also of a reader's own word."""
    axis, (heard, value) = found.axis, found.averages
    return {
        "word": found.word,
        "senses": list(senses),
        "uses": [{"text": text, "sense": int(sense), "path": path}
                 for text, sense, path in zip(found.texts, found.sense, _flat(axis(found.X)))],
        "right": np.rint(found.right * len(found.texts)).astype(int).tolist(),
        "d": _packed(axis.d),
        "e": _packed(axis.e),
        "middle": [_few(pair) for pair in axis.middle],
        "scale": _few(axis.scale),
        "heard": _packed(heard),
        "value": _packed(value.flatten(1)),
    }  # fmt: skip


def answers(found, text, full=False) -> dict:
    """Return the stored answers of a sentence: see `data_for`."""
    tokens, _, at = found.read(text)
    hidden, heard, muted = found.hidden(text), found.heard(text), found.muted(text)
    edges, shuffled = found.edges(text), found.shuffled(text, 3)
    told = {
        "text": text, "tokens": list(tokens), "at": at, "path": _flat(heard[-1]), "decided": decided(heard[:, -1, 0]),
        "others": hidden[0], "hidden": _flat(hidden[1]), "heard": _flat(heard), "muted": _ints(muted[:, -1, 0]),
        "words": edges[0], "edges": _ints(edges[1][..., -1, 0] - heard[-1, -1, 0]),
        "orders": shuffled[0].tolist(), "shuffled": _flat(shuffled[1]),
    }  # fmt: skip
    if full:  # a head of layer l changes nothing up to depth l
        told["muted_paths"] = [_flat(path[i // found.n_heads + 1 :]) for i, path in enumerate(muted)]
    return told


def data_for(model, tok, word, full=False, texts=None) -> dict:
    """Return the data of a word for the page "Which bank do you mean?", for JSON.

    All x and z are in hundredths. A path is a list x, z, x, z, ... after 0, 1, ..., L layers.

    Always: "word"; "senses", two names; "uses", each with "text", "sense" (0 or 1) and "path"; "right",
    how many uses are on their own side after 0, ..., L layers, each on the axis of the others. x after layer l is
    (h · d - middle[l][0]) / scale[0], and z likewise with e and [1]. "d", "e": "bytes", in base64 one signed byte for
    each coordinate, to be multiplied with "steps"[0]. "heard" (L rows of d_model) and "value" (L rows of h * d_k, head
    after head): the same with a step for each row: attention output at the word, and value of another word, on average.

    "examples", each with "text", "tokens", "at" (the word's position), "sense" (0, 1 or null), "kind" (plain, hard,
    open, third), "path", "decided" (1 to L or null); "others" and "hidden": the positions of each other word's
    pieces, and the path if these are [MASK]; "heard": the paths if the word listens in the first 0, ..., L layers;
    "muted": the last x if head i % h of layer i // h is mute; "words" and "edges": positions, and L rows with the
    change of the last x if the word hears an average word there; "orders" and "shuffled": three orders of the
    tokens, and the paths.

    texts: of `sentences.txt`; default, the word's examples. full: with "muted_paths": for each head, the path
    from depth i // h + 1 on; before, nothing changes.
    """
    entry = words()[word]
    stored = [[use.text for use in entry.pick("stored") if use.sense == k] for k in (0, 1)]
    found = rounded_uses(model, tok, word, *stored)
    by_text = {use.text: use for use in entry.uses}
    examples = [
        {"sense": by_text[text].sense, "kind": by_text[text].kind} | answers(found, text, full)
        for text in texts or entry.examples
    ]
    return map_of(found, entry.senses) | {"examples": examples}
