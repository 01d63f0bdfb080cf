"""The project: a collection is judged, its numbers are recomputed from the texts, and nothing odd gets points."""

import copy
import functools
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import numpy as np
import pytest

from coursework import checks, grading, sources, submissions
from coursework.references import project as right
from tests.coursework.conftest import cell
from tutorial_book.exercises import exercise as exercises
from tutorial_book.exercises import project

SOLVED = {
    c.metadata.nbgrader.grade_id: c.source
    for c in sources.solved_notebook("5-project").cells
    if "nbgrader" in c.metadata
}
VALUES = {}
exec(SOLVED["collection"] + "\n" + SOLVED["report"], VALUES)
TEXTS, LABELS, REPORT = (VALUES[name] for name in ("TEXTS", "LABELS", "REPORT"))
FUNCTIONS = right.neighbor_purity, right.neighbor_margin, right.purity_p


@pytest.mark.parametrize(
    "texts, labels, problem",
    [
        (TEXTS, LABELS, None),
        ("text", LABELS, "TEXTS must be a list"),
        ([*TEXTS[1:], 7], LABELS, "TEXTS must be a list"),
        (TEXTS[:29], LABELS[:29], "30 to 120 texts, got 29"),
        (TEXTS, LABELS[1:], "a label for each text"),
        ([TEXTS[0], *TEXTS[:-1]], LABELS, "all be different"),
        (["x" * 401, *TEXTS[1:]], LABELS, "1 to 400 characters, got 401"),
        (["  ", *TEXTS[1:]], LABELS, "1 to 400 characters"),
        ([*TEXTS[1:], TEXTS[1].upper() + " "], LABELS, "capitals aside"),
        (["\ud800", *TEXTS[1:]], LABELS, "whole characters"),
        ([f"{i:x<400}" for i in range(61)], ["a", "b"] * 30 + ["a"], "at most 24000 characters in all, got 24400"),
        (TEXTS, ["a" * 41] * 15 + ["b"] * 15, "1 to 40 characters"),
        (TEXTS, [["a"]] * 15 + ["b"] * 15, "LABELS must be a list"),
        (TEXTS, ["a"] * len(TEXTS), "at least 2 groups"),
        (TEXTS, ["a"] * 25 + ["b"] * 5, "at least 10 texts"),
    ],
)
def test_a_collection_that_cannot_be_measured_is_told_why(texts, labels, problem):
    found = project.collection_problem(texts, labels)
    assert found is None if problem is None else problem in found


def test_numbers_that_follow_from_the_texts_are_right_and_others_are_not(monkeypatch):
    assert "did you change TEXTS" in project.report_problem(["Something else.", *TEXTS[1:]], LABELS, REPORT, *FUNCTIONS)
    measured = project.measure(TEXTS, LABELS, *FUNCTIONS)
    monkeypatch.setattr(project, "measure", lambda *_: measured)
    assert project.report_problem(TEXTS, LABELS, REPORT) is None
    for name in REPORT:
        assert name in project.report_problem(TEXTS, LABELS, REPORT | {name: REPORT[name] + 0.01})
        assert name in project.report_problem(TEXTS, LABELS, REPORT | {name: "0.5"})
        assert name in project.report_problem(TEXTS, LABELS, REPORT | {name: float("nan")})
    assert "must be a dictionary" in project.report_problem(TEXTS, LABELS, {"purity": 1})


@pytest.mark.parametrize(
    "odd",
    [10**400, -(10**400), float("nan"), float("inf"), None, True, [0.5], {}, "0.5", 2.0],
    ids=lambda odd: str(odd)[:9],
)
def test_a_report_of_odd_numbers_embeds_nothing(odd, monkeypatch):
    monkeypatch.setattr(project, "measure", lambda *_: pytest.fail("embedded"))
    assert "must be a number" in project.report_problem(TEXTS, LABELS, REPORT | {"p_value": odd})


def _module():
    """The checks.py of assignment 5."""
    return sys.modules[checks.load("5-project")["report-public"].__module__]


@pytest.fixture
def here(monkeypatch):
    """Embed in this process, so that a test can put something else in place of the model."""
    with ThreadPoolExecutor(1) as thread:
        monkeypatch.setattr(checks, "_judges", lambda: thread)
        yield


HOSTILE = [
    None, 7, 10**400, "text", [], {}, {"pairs": 3}, {"pairs": [[[], 1]] * 4}, {"pairs": [["p_value"]] * 4},
    {"pairs": [[name, {"shape": [], "values": [1]}] for name in project.MEASURES]}, [[[[[[]]]]]],
    {"shape": [2], "values": ["a", "b"]}, ["\ud800\x00"] * 30, ["a"] * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("name", ["TEXTS", "LABELS", "REPORT"])
@pytest.mark.parametrize("odd", HOSTILE, ids=lambda odd: str(odd)[:30].encode("ascii", "replace").decode())
def test_whatever_students_write_down_is_told_in_a_sentence(name, odd, here, monkeypatch):
    monkeypatch.setattr(project, "measure", lambda *_: pytest.fail("embedded"))
    report = {"pairs": [[measure, 0.5] for measure in project.MEASURES]}
    values = {"TEXTS": TEXTS, "LABELS": LABELS, "REPORT": report} | {name: odd}
    (variable,) = checks.load("5-project")["report-public"](None)
    assert isinstance(variable.judge(list(values.values())), str)


def test_workers_that_ask_at_once_start_one_process(monkeypatch):
    here, started = _module(), []

    def process():
        started.append(ThreadPoolExecutor(1))
        time.sleep(0.1)
        return started[0]

    monkeypatch.setattr(checks, "_judges", functools.lru_cache(process))
    monkeypatch.setattr(here, "report_problem", lambda *_: "judged")
    with ThreadPoolExecutor(2) as workers:
        judged = list(workers.map(here._judge_report, [[TEXTS, LABELS, {}]] * 4))
    assert judged == ["judged"] * 4 and len(started) == 1


def test_a_report_may_hold_numpys_numbers(here, monkeypatch):
    monkeypatch.setattr(project, "measure", lambda *_: REPORT)
    (variable,) = checks.load("5-project")["report-public"](None)
    pairs = [[name, {"shape": [], "values": value}] for name, value in REPORT.items()]
    assert variable.judge([TEXTS, LABELS, {"pairs": pairs}]) is None


def test_texts_are_embedded_once_in_a_process_of_their_own(here, monkeypatch):
    seen = []
    monkeypatch.setattr(project, "measure", lambda *_: seen.append(1) or REPORT)
    (variable,) = checks.load("5-project")["report-public"](None)
    assert variable.judge([TEXTS, LABELS, {"pairs": list(map(list, REPORT.items()))}]) is None and seen == [1]


def test_that_process_has_one_thread_and_ends():
    torch = pytest.importorskip("torch")
    assert checks.judged(torch.get_num_threads) == 1
    process = checks.judged(os.getpid)
    assert process != os.getpid() and Path("/proc", str(process)).exists()
    checks.end_judges()
    assert not Path("/proc", str(process)).exists()
    checks.end_judges()  # where there is none
    assert checks.judged(os.getpid) != process


def test_purity_is_scikit_learns_nearest_neighbor():
    neighbors = pytest.importorskip("sklearn.neighbors")
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(50, 5)), rng.integers(3, size=50)
    index = neighbors.NearestNeighbors(n_neighbors=2, metric="cosine").fit(X).kneighbors(X, return_distance=False)[:, 1]
    assert right.neighbor_purity(X, labels) == pytest.approx((labels == labels[index]).mean())


def test_the_margin_is_that_of_a_plain_loop_and_purity_its_share_above_0():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 5)), rng.integers(3, size=40).tolist()
    margins = []
    for i, x in enumerate(X):
        near = [
            (x @ y / np.linalg.norm(x) / np.linalg.norm(y), labels[j] == labels[i]) for j, y in enumerate(X) if j != i
        ]
        margins.append(max(c for c, same in near if same) - max(c for c, same in near if not same))
    assert right.neighbor_margin(X, labels) == pytest.approx(np.mean(margins))
    assert right.neighbor_purity(X, labels) == np.mean(np.array(margins) > 0)


def test_a_p_value_is_the_rank_among_all_orders():
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(12, 3)), np.arange(12) % 2
    purity = lambda order: right.neighbor_purity(X, labels[order.astype(int)])  # noqa: E731
    test = scipy_stats.permutation_test((np.arange(12),), purity, permutation_type="pairings", n_resamples=200, rng=1,
                                        alternative="greater")  # fmt: skip
    orders = [np.random.default_rng(2).permutation(12).tolist() for _ in range(200)]
    assert right.purity_p(X, labels.tolist(), orders) == pytest.approx(test.pvalue, abs=0.15)


@pytest.mark.parametrize(
    "name, code, lost",
    [
        (
            "report",
            "REPORT = {'average_cosine': 0.5, 'neighbor_purity': 1.0, 'neighbor_margin': 0.1, 'p_value': 0.001}",
            {"report-public"},
        ),
        ("report", "class D(dict): pass\nREPORT = D(average_cosine='x')", {"report-public"}),
        (
            "collection",
            "TEXTS, LABELS = ['\\ud800' + str(i) for i in range(40)], ['a', 'b'] * 20",
            {"collection-public", "report-public"},
        ),
        ("neighbor-purity", "def neighbor_purity(X, labels):\n    return 1.0", None),
    ],
)
def test_half_done_work_gets_the_part_that_is_right(name, code, lost, bubblewrap):
    notebook = sources.solved_notebook("5-project")
    cell(notebook, name).source = code
    submission = submissions.read("ada", "x.ipynb", nbformat.writes(notebook).encode(), "5-project")
    marks = grading.grade(submission, grading.prepare("5-project", 0))
    zero = {check for check, points in marks.points.items() if not points}
    if lost is None:  # a constant: right by chance on none of several inputs, and the p-values lean on it
        assert "neighbor-purity-hidden" in zero and "purity-p-hidden" in zero and "report-public" not in zero
    else:
        assert zero == lost


def test_the_checks_are_those_of_the_notebook():
    mine = {name for name in sources.points("5-project", marks=("check",)) if not name.startswith("own-")}
    assert set(checks.load("5-project")) == mine


# --- what students are told and what they lose --------------------------------------------------------------------

EXERCISES = exercises.EXERCISES["project"]
CALLED = [check_id for check_id in checks.load("5-project") if check_id not in ("collection-public", "report-public")]


def inputs(check_id, seed):
    return list(checks.load("5-project")[check_id](np.random.default_rng(seed)))


def loses(function, check_id, seed):
    """Whether a function, run here on the inputs of a check, gives a wrong value for any of them."""
    for call in inputs(check_id, seed):
        try:
            value = checks._plain(function(*copy.deepcopy(call.arguments)))
        except Exception:
            return True
        if checks.wrong(call, value):
            return True
    return False


@pytest.mark.parametrize("check_id", CALLED)
def test_two_seeds_never_give_the_same_inputs_and_the_right_answer_passes(check_id):
    assert len({str([call.arguments for call in inputs(check_id, seed)]) for seed in range(10)}) == 10
    function = getattr(right, inputs(check_id, 0)[0].name)
    assert not any(loses(function, check_id, seed) for seed in range(5))


# Functions as students write them, labels an array in the first line: (function, the rest, a piece of the hint).
VARIANTS = [
    ("neighbor_purity", "return (labels == labels[cosines(X).argmax(1)]).mean()", "own nearest neighbor"),
    ("neighbor_purity", "C = cosines(X) - np.eye(len(X)); return (labels == labels[C.argmax(1)]).mean()",
     "larger than"),
    ("neighbor_purity", "C = cosines(X) * (1 - np.eye(len(X))); return (labels == labels[C.argmax(1)]).mean()",
     "larger than"),
    ("neighbor_purity", "C = X @ X.T; np.fill_diagonal(C, -np.inf); return (labels == labels[C.argmax(1)]).mean()",
     "dot pro"),
    ("neighbor_purity", "return (labels == labels[others(X).argmax(1)]).sum()", "divide by how many"),
    ("neighbor_purity", "return (labels != labels[others(X).argmax(1)]).mean()", "1 minus"),
    ("neighbor_purity", "C = -cosines(X); np.fill_diagonal(C, -9); return (labels == labels[C.argmax(1)]).mean()",
     "farthest"),
    ("neighbor_purity", "D = np.linalg.norm(X[:, None] - X, axis=2); np.fill_diagonal(D, 9e9)\n"
                        "    return (labels == labels[D.argmin(1)]).mean()", "by distance"),
    ("neighbor_purity", "good = labels == labels[others(X).argmax(1)]\n"
                        "    return np.mean([good[labels == g].mean() for g in set(labels)])", "are averaged"),
    ("neighbor_purity", "return (labels == labels[others(X).argsort(1)[:, -2]]).mean()", "second nearest"),
    ("neighbor_purity", "return np.mean(labels == labels.tolist()[others(X).argmax(1)])", "a list"),
    ("neighbor_margin", "return np.mean(own(cosines(X), labels) - other(cosines(X), labels))", "nearest of its own"),
    ("neighbor_margin", "return np.mean(other(others(X), labels) - own(others(X), labels))", "sign is turned"),
    ("neighbor_margin", "return np.mean(own(others(X), labels) - other(others(X), labels) > 0)", "the purity"),
    ("neighbor_margin", "return own(others(X), labels) - other(others(X), labels)", "take their mean"),
    ("neighbor_margin", "return np.mean(own(others(X), labels) + other(-others(X), labels))", "farthest of the other"),
    ("neighbor_margin", "C = cosines(X) - np.eye(len(X)); return np.mean(own(C, labels) - other(C, labels))",
     "0 stands for"),
    ("neighbor_margin", "C, s = cosines(X) - np.eye(len(X)), labels[:, None] == labels\n"
                        "    return ((C * s).max(1) - (C * ~s).max(1)).mean()", "measured against 0"),
    ("neighbor_margin", "C, s = cosines(X), labels[:, None] == labels; o = s & ~np.eye(len(X), dtype=bool)\n"
                        "    return np.mean([C[i][o[i]].mean() - C[i][~s[i]].mean() for i in range(len(X))])",
     "over a group"),
    ("purity_p", "o = purity(X, labels); return np.mean([purity(X, labels[r]) >= o for r in orders])", "add 1 to both"),
    ("purity_p", "o = purity(X, labels); return p(sum(purity(X, labels[r]) > o for r in orders), orders)", ">="),
    ("purity_p", "o = purity(X, labels); return p(sum(purity(X, labels[r]) <= o for r in orders), orders)", "or less"),
    ("purity_p", "o = purity(X, labels); return p(sum(purity(X[r], labels) >= o for r in orders), orders)",
     "turned around"),
    ("purity_p", "o = purity(X, labels); return p(sum(purity(X, labels[r]) >= o for r in orders) - 1, orders)",
     "above the"),
    ("purity_p",
     "o = purity(X, labels); k = 0\n    for r in orders:\n        labels = labels[r]; k += purity(X, labels) >= o\n"
                 "    return p(k, orders)", "upon the one before"),
    ("purity_p", "labels = labels.tolist(); return np.mean([purity(X, labels[r]) for r in orders])", "lists"),
]  # fmt: skip
AT_HAND = {
    "np": np,
    "cosines": right._cosines,
    "others": lambda X: right._cosines(X) - 9 * np.eye(len(X)),
    "own": lambda C, labels: np.where(labels[:, None] == labels, C, -9).max(axis=1),
    "other": lambda C, labels: np.where(labels[:, None] == labels, -9, C).max(axis=1),
    "p": lambda count, orders: (1 + count) / (1 + len(orders)),
    "purity": right.neighbor_purity,
}


@pytest.mark.parametrize("name, body, hint", VARIANTS, ids=[f"{n}: {b[:60]}" for n, b, _ in VARIANTS])
def test_a_wrong_function_is_told_how_and_loses_points_here_and_there(name, body, hint, capsys):
    names, orders = dict(AT_HAND), ", orders" if name == "purity_p" else ""
    exec(f"def function(X, labels{orders}):\n    labels = np.array(labels)\n    {body}", names)
    assert EXERCISES[name].check(names["function"]) is False
    assert hint in capsys.readouterr().out.partition("Hint: ")[2]
    for kind in ("public", "hidden"):
        check_id = f"{name.replace('_', '-')}-{kind}"
        assert all(loses(names["function"], check_id, seed) for seed in range(3))
