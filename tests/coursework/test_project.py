"""The project: a collection is judged, its numbers are recomputed from the texts, and nothing odd gets points."""

import functools
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coursework import checks, processes, references
from tests.coursework.conftest import cell, solved_notebook
from tutorial_book.exercises import project

VALUES = {}
for solution in ("collection", "report"):
    exec(cell(solved_notebook("5-project"), solution).source, VALUES)
TEXTS, LABELS, REPORT = (VALUES[name] for name in ("TEXTS", "LABELS", "REPORT"))
FUNCTIONS = [vars(references.of("5-project"))[name] for name in ("neighbor_purity", "neighbor_margin", "purity_p")]


@pytest.mark.parametrize("texts, labels, problem", [
    (TEXTS, LABELS, None), ("text", LABELS, "TEXTS must be a list"),
    ([*TEXTS[1:], 7], LABELS, "TEXTS must be a list"), (TEXTS[:29], LABELS[:29], "30 to 120 texts, got 29"),
    ([f"{i}" for i in range(120)], ["a", "b"] * 60, None),
    ([f"{i}" for i in range(121)], ["a"] * 121, "30 to 120 texts, got 121"),
    (TEXTS, LABELS[1:], "a label for each text"), ([TEXTS[0], *TEXTS[:-1]], LABELS, "all be different"),
    (["x" * 400, *TEXTS[1:]], LABELS, None), (["x" * 401, *TEXTS[1:]], LABELS, "1 to 400 characters, got 401"),
    (["  ", *TEXTS[1:]], LABELS, "1 to 400 characters"), (["\ud800", *TEXTS[1:]], LABELS, "whole characters"),
    ([*TEXTS[1:], TEXTS[1].upper() + " "], LABELS, "capitals aside"),
    ([f"{i:x<400}" for i in range(30)], ["a", "b"] * 15, None),
    ([f"{i:x<400}" for i in range(31)], ["a", "b"] * 15 + ["a"], "at most 12000 characters in all, got 12400"),
    (TEXTS, ["a" * 40] * 15 + ["b"] * 15, None), (TEXTS, ["a" * 41] * 15 + ["b"] * 15, "1 to 40 characters"),
    (TEXTS, [["a"]] * 15 + ["b"] * 15, "LABELS must be a list"), (TEXTS, ["a"] * len(TEXTS), "at least 2 groups"),
    (TEXTS, ["a"] * 20 + ["b"] * 10, None), (TEXTS, ["a"] * 21 + ["b"] * 9, "at least 10 texts; yours have 9, 21"),
])  # fmt: skip
def test_unusable_collection_gets_a_reason(texts, labels, problem):
    found = project.collection_problem(texts, labels)
    assert found is None if problem is None else problem in found


def test_numbers_must_follow_from_the_texts(monkeypatch):
    assert "did you change TEXTS" in project.report_problem(["Something else.", *TEXTS[1:]], LABELS, REPORT, *FUNCTIONS)
    measured = project.measure(TEXTS, LABELS, *FUNCTIONS)
    monkeypatch.setattr(project, "measure", lambda *_: measured)
    assert project.report_problem(TEXTS, LABELS, REPORT) is None
    for name in REPORT:
        for wrong in (REPORT[name] + 0.01, REPORT[name] - 0.01, "0.5", float("nan")):
            assert name in project.report_problem(TEXTS, LABELS, REPORT | {name: wrong})
    assert "must be a dictionary" in project.report_problem(TEXTS, LABELS, {"purity": 1})


@pytest.fixture
def judge(monkeypatch):
    """The judge of the report, here: a test can put something in place of the model, which nothing may ask."""
    monkeypatch.setattr(project, "measure", lambda *_: pytest.fail("embedded"))
    (one,) = checks.load("5-project")["report-public"](None)
    with ThreadPoolExecutor(1) as thread:
        monkeypatch.setattr(processes, "_judges", lambda: thread)
        yield one.judge


@pytest.mark.parametrize("odd", [10**400, -(10**400), float("inf"), None, True, [0.5], {}, 2.0, -2.0], ids=range(9))
def test_a_report_of_odd_numbers_embeds_nothing(odd, judge):
    assert "must be a number" in project.report_problem(TEXTS, LABELS, REPORT | {"p_value": odd})


HOSTILE = [
    None, 7, 10**400, "text", [], {}, {"pairs": 3}, {"pairs": [[[], 1]] * 4}, {"pairs": [["p_value"]] * 4},
    {"pairs": [[name, {"shape": [], "values": [1]}] for name in project.MEASURES]}, [[[[[[]]]]]],
    {"shape": [2], "values": ["a", "b"]}, ["\ud800\x00"] * 30, ["a"] * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("odd", HOSTILE, ids=lambda odd: str(odd)[:30].encode("ascii", "replace").decode())
def test_whatever_students_write_is_told_in_a_sentence(odd, judge):
    report = {"pairs": [[measure, 0.5] for measure in project.MEASURES]}
    for values in ([odd, LABELS, report], [TEXTS, odd, report], [TEXTS, LABELS, odd]):
        assert isinstance(judge(*values), str)


@pytest.mark.parametrize("coded", [lambda value: value, lambda value: {"shape": [], "values": value}])
def test_a_right_report_is_embedded_once(coded, judge, monkeypatch):
    seen = []
    monkeypatch.setattr(project, "measure", lambda *_: seen.append(1) or REPORT)
    pairs = [[name, coded(value)] for name, value in REPORT.items()]
    assert judge(TEXTS, LABELS, {"pairs": pairs}) is None and seen == [1]


def test_workers_that_ask_at_once_start_one_process(judge, monkeypatch):
    started = []

    def process():
        started.append(ThreadPoolExecutor(1))
        time.sleep(0.1)
        return started[0]

    monkeypatch.setattr(processes, "_judges", functools.lru_cache(process))
    monkeypatch.setattr(sys.modules[judge.__module__], "report_problem", lambda *_: "judged")
    with ThreadPoolExecutor(2) as workers:
        judged = list(workers.map(judge, [TEXTS] * 4, [LABELS] * 4, [{}] * 4))
    assert judged == ["judged"] * 4 and len(started) == 1


def test_that_process_has_one_thread_and_ends():
    torch = pytest.importorskip("torch")
    assert processes.judged(torch.get_num_threads) == 1
    process = processes.judged(os.getpid)
    assert process != os.getpid() and Path("/proc", str(process)).exists()
    processes.end_judges()
    assert not Path("/proc", str(process)).exists()
    processes.end_judges()  # if there is none
    assert processes.judged(os.getpid) != process
