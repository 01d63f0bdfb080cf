"""What is made of what comes out of the sandbox: data alone; and what the worker in it makes of cells."""

import json
import time
import tracemalloc

import numpy as np
import pytest

from coursework import messages, sandbox, worker
from tests.coursework.conftest import value

JOB = {
    "cells": ["a\nb\nc", "x"],
    "calls": [{"id": "f.0", "part": "f", "most": 100}, {"id": "f.1", "part": "f", "most": 1 << 20}],
}


def understood(*records):
    lines = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in records)
    return messages.understood(lines.encode("utf-8", "replace"), JOB)


def test_only_what_the_job_asked_for_is_taken():
    calls, cells, last, done = understood(
        {"start": "cell 1"}, {"start": "cell 2"}, {"start": "# Grade: 40"}, {"start": 7}, {"start": "sinusoidal"},
        {"start": "cell 99999999"}, {"start": "cell -1"}, {"start": "cell " + "9" * 5000}, {"start": "cell \u00b2"},
        {"call": "f.0", "value": 1, "error": None}, {"call": "f.0", "value": 2, "error": None},
        {"call": "f.2", "value": 1, "error": None}, {"call": ["f.1"], "value": 1}, {"value": 1, "call": "f.1"},
        {"cell": 7, "error": None}, {"cell": True, "error": None}, {"done": 1}, "[1]", "[" * 10**5, "\ud800", "", "{}",
    )  # fmt: skip
    assert calls == {"f.0": {"value": 1, "error": None}} and cells == {} and last == "cell 1" and not done
    assert understood({"start": "f"}, {"done": True})[2:] == ("f", True)


@pytest.mark.parametrize("error, right", [
    ({"type": "NameError", "cell": 0, "line": 2, "name": "erf"}, ("NameError", 0, 2, "erf")),
    ({"type": "ImportError", "cell": 1, "line": 1, "name": "a.b"}, ("ImportError", 1, 1, "a.b")),
    ({"type": "x" * 1000, "cell": 2, "line": 1, "name": "a" * 61}, ("Exception", None, None, None)),
    ({"type": "Secret_2e6a", "cell": -1, "line": 2, "name": "= 1"}, ("Exception", None, None, None)),
    ({"type": ["NameError"], "cell": 0, "line": 99, "name": 7}, ("Exception", 0, None, None)),
    ({"type": "KeyError", "cell": True, "line": 1.0, "name": "<b>"}, ("KeyError", None, None, None)),
    ("NameError: hidden input", ("Exception", None, None, None)), (False, ("Exception", None, None, None)),
])  # fmt: skip
def test_an_error_is_told_in_known_words(error, right):
    call, a_cell = {"call": "f.1", "value": 3, "error": error}, {"cell": 0, "error": error, "missing": error}
    calls, cells, _, _ = understood(call, a_cell)
    assert calls["f.1"]["value"] is None and tuple(calls["f.1"]["error"].values()) == right
    assert tuple(cells[0]["error"].values()) == right and cells[0]["missing"] == []


def test_what_is_too_long_is_not_looked_into():
    large = json.dumps({"call": "f.0", "value": [[] for _ in range(500_000)], "error": None})
    lines = [large, {"call": "f.1", "value": 5, "error": None}, "{}\n" * 100_000, {"done": True}]
    tracemalloc.start()
    calls, _, _, done = understood(*lines)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * len(large) and done  # parsed, it is 25 times as large
    assert calls["f.0"]["error"]["type"] == "TooLarge" and calls["f.1"]["value"] == 5


FLOODS = [b"\n", b"{}\n", b": : : \n", b'{"cell": 0, "error": \n', b'{"call": "f.0", "value": \n', b'{"x\n', b"{"]


@pytest.mark.timed
@pytest.mark.parametrize("line", FLOODS)
def test_a_flood_of_lines_hides_nothing(line):
    text = line * ((8 << 20) // len(line)) + b'\n{"call": "f.1", "value": 5, "error": null}\n{"done": true}'
    taken = []
    for _ in range(3):  # a busy core takes longer, never less
        began = time.process_time()
        calls, _, _, done = messages.understood(text, JOB)
        taken.append(time.process_time() - began)
        assert done and calls["f.1"]["value"] == 5
    assert min(taken) < 4


@pytest.mark.parametrize("digits", [400, 5_000, 30_000])
def test_a_number_beyond_all_others_is_infinite(digits):
    calls, *_ = understood('{"call": "f.1", "value": [' + "9" * digits + ', 10000000000000000000], "error": null}')
    assert calls["f.1"]["value"] == [float("inf"), 10**19]


def test_the_worker_refuses_too_large_values(bubbled):
    outcome = bubbled("x = 'x' * (5 << 20)", calls=["x"])
    assert outcome.calls["x.0"]["error"]["type"] == "TooLarge" and outcome.said < 1000


@pytest.mark.parametrize("of", ["x".__mul__, [0].__mul__, np.zeros], ids=["text", "list", "array"])
def test_huge_values_are_refused_before_they_are_written(of):
    with pytest.raises(worker.Refused, match="TooLarge"):
        worker.plain([of(worker.MOST + 1)])


@pytest.mark.parametrize("nest", [lambda one: [one], lambda one: (one,), lambda one: {"a": one}])
def test_values_nested_too_deep_are_refused(nest):
    value = 1
    for _ in range(20):
        value = nest(value)
    assert worker.plain(value)
    with pytest.raises(worker.Refused, match="NotPlain"):
        worker.plain(nest(value))


# (code, type, line and name of its error)
CAUSES = [
    ("x = 1\ny = = 2", "SyntaxError", 2, None),
    ("def f():\n    return 1 / 0\n\nf()", "ZeroDivisionError", 2, None),
    ("import numpy as np\nnp.linalg.inv(\n    np.zeros((2, 2)))", "LinAlgError", 2, None),
    ("class Odd(KeyError): pass\nraise Odd('hidden input')", "KeyError", 2, None),
    ("raise type('x2e6a', (Exception,), {})", "Exception", 1, None),
    ("class Meta(type):\n    __name__ = property(lambda c: 1 / 0)\nclass E(Exception, metaclass=Meta): pass\nraise E",
     "Exception", 4, None),
    ("if True:\n    import torch", "ModuleNotFoundError", 2, "torch"),
    ("eval('1 +')", "SyntaxError", 1, None),
    ("while True: pass", "TookTooLong", 1, None),
    ("nothing", "NameError", 1, "nothing"),
]  # fmt: skip


def test_the_cause_is_told_with_the_students_line(bubbled):
    limits = sandbox.Limits(seconds=5, memory=300 << 20)
    cells = bubbled("ok = 1", *(code for code, *_ in CAUSES), limits=limits).cells
    told = [tuple(cells[number]["error"].values()) for number in range(1, len(CAUSES) + 1)]
    assert told == [(kind, number, line, name) for number, (_, kind, line, name) in enumerate(CAUSES, 1)]


def test_what_only_a_notebook_understands_is_passed_over(bubbled):
    cell = (
        "%matplotlib inline\nimport numpy as np\n!pip install 'torch\ntext = '''\n%d\n!\n'''\nx = (7\n  % 4)\nnp.sum?\n"
        "display(x)"
    )
    outcome = bubbled(cell, "from __future__ import annotations", "def f(x: what): pass", calls=["text, x"])
    assert value(outcome, "text, x.0") == ["\n%d\n!\n", 3]
    assert [cell["error"] for cell in outcome.cells.values()] == [None] * 3


def test_a_call_leaves_the_next_its_inputs(bubbled):
    code = "def f(x):\n    x[:] = 7\n    return x.sum()\ndef g(x):\n    x += 1\n    return x"
    calls = [(name, np.zeros(2)) for name in "ffgg"]
    outcome = bubbled(code, calls=calls)
    assert outcome.calls["f.0"] == outcome.calls["f.1"] and value(outcome, "g.3")["values"] == [1, 1]
