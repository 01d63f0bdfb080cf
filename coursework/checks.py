"""How marks are given: the calls of an assignment's checks, with inputs that are drawn for each grading.

An assignment's `checks.py` has a function for each hidden check of its notebook, `softmax_hidden` for "softmax-hidden".
It takes a random generator, from which all inputs are drawn, and yields `call`s of the student's functions. The value
of the solution of that name is right (`coursework.references`). The check that students run, "softmax-public", has the
first of these calls, or as many as PUBLIC says, on inputs that are drawn apart.
"""

import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Any

import numpy as np

from coursework import references, sources, worker

MOST_JUDGED = 700_000  # bytes that a judge reads: 120 texts of 400 characters, each character escaped in JSON


@dataclass(frozen=True)
class Call:
    """One call of a student's function, or the look at variables, "TEXTS, LABELS", where arguments is None."""

    name: str
    arguments: tuple | None
    expected: Any = ...  # what the references give
    tolerance: float = 1e-6
    judge: Callable[..., str | None] | None = None  # in place of `expected`, at a module's top: what is wrong, or None
    case: str = ""  # what it tries, in words that the student may read

    @property
    def most(self):
        """Bytes that its value may have: more than an honest mistake needs; a power of two tells little of it."""
        right = json.dumps(worker.plain(self.expected)) if self.judge is None else ""
        return 1 << (20_000 + 3 * len(right)).bit_length() if self.judge is None else MOST_JUDGED


def call(name, *arguments, expect=..., tolerance=1e-6, case=""):
    """`name(*arguments)` must give `expect` or what the references give, within tolerance. case: what it tries."""
    return Call(name, arguments, expect, tolerance, case=case)


def trace_of_words(rng, count, **how):
    """The default model, the mask of a random text (True: no padding), and its trace. how: as for `batch`."""
    from tutorial_lib.bert import Bert
    from tutorial_lib.tokenization import WordPiece

    bert, tok = Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()
    words = [token for token in tok.tokens if token.isascii() and token.isalpha()]
    inputs = tok.batch([" ".join(rng.choice(words, size=count))], **how).inputs
    return bert, np.array(inputs["attention_mask"][0], dtype=bool), bert.trace(**inputs)


@lru_cache
def load(assignment) -> dict[str, Callable]:
    """The checks of an assignment, out of its checks.py: id of the notebook's cell -> what yields the calls."""
    path = sources.ASSIGNMENTS / sources.split(assignment)[0] / "checks.py"
    spec = importlib.util.spec_from_file_location(f"coursework.assignments.{assignment.replace('-', '_')}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # pickle finds the judges there
    spec.loader.exec_module(module)
    module.right = references.of(assignment)  # a variant's
    draws, counts = {}, getattr(module, "PUBLIC", {})
    for name, draw in vars(module).items():
        question, _, kind = name.rpartition("_")
        if kind in ("public", "hidden", "bert"):
            draws[name.replace("_", "-")] = partial(_drawn, draw, module.right, None)
        if kind == "hidden":
            public = f"{question}-public".replace("_", "-")
            draws[public] = partial(_drawn, draw, module.right, counts.get(question, 1))
    return draws


def _drawn(draw, right, first, rng):
    for one in islice(draw(rng), first):
        yield replace(one, expected=getattr(right, one.name)(*one.arguments)) if one.expected is ... else one
