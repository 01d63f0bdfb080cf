"""The project: a collection is judged, its numbers are recomputed from the texts, and nothing odd gets points."""

import nbformat
import numpy as np
import pytest

from coursework import checks, grading, sandbox, sources, submissions
from tests.coursework.conftest import cell
from tutorial_lib.coursework import project

SOLVED = {
    c.metadata.nbgrader.grade_id: c.source
    for c in sources.solved_notebook("5-project").cells
    if "nbgrader" in c.metadata
}
VALUES = {}
exec(SOLVED["collection"] + "\n" + SOLVED["report"], VALUES)
TEXTS, LABELS, REPORT = (VALUES[name] for name in ("TEXTS", "LABELS", "REPORT"))


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
        (TEXTS, ["a"] * len(TEXTS), "at least 2 groups"),
        (TEXTS, ["a"] * 25 + ["b"] * 5, "at least 10 texts"),
    ],
)
def test_a_collection_that_cannot_be_measured_is_told_why(texts, labels, problem):
    found = project.collection_problem(texts, labels)
    assert found is None if problem is None else problem in found


def test_numbers_that_follow_from_the_texts_are_right_and_others_are_not():
    assert project.report_problem(TEXTS, LABELS, REPORT) is None
    for name in REPORT:
        assert name in project.report_problem(TEXTS, LABELS, REPORT | {name: REPORT[name] + 0.01})
        assert name in project.report_problem(TEXTS, LABELS, REPORT | {name: "0.5"})
        assert name in project.report_problem(TEXTS, LABELS, REPORT | {name: float("nan")})
    assert "must be a dictionary" in project.report_problem(TEXTS, LABELS, {"purity": 1})
    assert "did you change TEXTS" in project.report_problem(["Something else.", *TEXTS[1:]], LABELS, REPORT)


def test_purity_is_scikit_learns_nearest_neighbor():
    neighbors = pytest.importorskip("sklearn.neighbors")
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(50, 5)), rng.integers(3, size=50)
    index = neighbors.NearestNeighbors(n_neighbors=2, metric="cosine").fit(X).kneighbors(X, return_distance=False)[:, 1]
    assert project.neighbor_purity(X, labels) == pytest.approx((labels == labels[index]).mean())


def test_a_p_value_is_the_rank_among_all_orders():
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(12, 3)), np.arange(12) % 2
    purity = lambda order: project.neighbor_purity(X, labels[order.astype(int)])  # noqa: E731
    test = scipy_stats.permutation_test((np.arange(12),), purity, permutation_type="pairings", n_resamples=200, rng=1,
                                        alternative="greater")  # fmt: skip
    orders = [np.random.default_rng(2).permutation(12).tolist() for _ in range(200)]
    assert project.purity_p(X, labels.tolist(), orders) == pytest.approx(test.pvalue, abs=0.15)


@pytest.mark.parametrize(
    "name, code, lost",
    [
        ("report", "REPORT = {'average_cosine': 0.5, 'neighbor_purity': 1.0, 'p_value': 0.001}", {"report-public"}),
        ("report", "class D(dict): pass\nREPORT = D(average_cosine='x')", {"report-public"}),
        ("collection", "TEXTS, LABELS = ['\\ud800' + str(i) for i in range(40)], ['a', 'b'] * 20", {"report-public"}),
        ("neighbor-purity", "def neighbor_purity(X, labels):\n    return 1.0", None),
    ],
)
def test_half_done_work_gets_the_part_that_is_right(name, code, lost, bubblewrap):

    notebook = sources.solved_notebook("5-project")
    cell(notebook, name).source = code
    submission = submissions.read("ada", "x.ipynb", nbformat.writes(notebook).encode(), "5-project")
    marks = grading.grade(submission, grading.prepare("5-project", 0), limits=sandbox.Limits(step=5, seconds=20))
    zero = {check for check, points in marks.points.items() if not points}
    if lost is None:  # a constant: right by chance on none of several inputs, and the p-values lean on it
        assert "neighbor-purity-hidden" in zero and "purity-p-hidden" in zero and "report-public" not in zero
    else:
        assert zero == lost


def test_the_checks_are_those_of_the_notebook():
    assert set(checks.load("5-project")) == set(sources.points("5-project", marks=("check",)))
