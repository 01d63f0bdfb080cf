"""The marks of assignment 5: functions on random groups, and the report recomputed from the student's texts."""

from functools import partial

import numpy as np

from coursework import references
from coursework.checks import Call, call
from coursework.processes import judged
from tutorial_book.exercises.project import collection_problem, report_problem

FUNCTIONS = ["neighbor_purity", "neighbor_margin", "purity_p"]
PUBLIC = {"neighbor_purity": 6, "neighbor_margin": 3, "purity_p": 6}


def _groups(rng, groups):
    """Vectors of very different lengths, in groups of unequal sizes that lie a little apart."""
    n, centers = int(rng.integers(11, 20)), rng.normal(size=(groups, 4))
    of = rng.permutation(np.concatenate([np.repeat(np.arange(groups), 2), rng.integers(groups, size=n - 2 * groups)]))
    X = (centers[of] + rng.normal(size=(n, 4))) * rng.uniform(0.2, 5, size=(n, 1))
    return X, [f"group {i}" for i in of]


def _groups_of(name, rng):
    """A check of a function of vectors and labels. Vectors that are all apart are a tetrahedron's, shaken a little."""
    for _ in range(4):
        yield call(name, *_groups(rng, 2), case="two groups")
        yield call(name, *_groups(rng, 3), case="three groups")
        X = (np.eye(4) - 0.25 + rng.uniform(-0.05, 0.05, size=(4, 4))) * rng.uniform(0.5, 2, size=(4, 1))
        yield call(name, X, rng.permutation(["a", "a", "b", "b"]).tolist(), case="all cosines are below 0")


neighbor_purity_hidden, neighbor_margin_hidden = (partial(_groups_of, name) for name in FUNCTIONS[:2])


def purity_p_hidden(rng):
    for groups in (2, 3) * 4:
        X, labels = _groups(rng, groups)
        yield call("purity_p", X, labels, [rng.permutation(len(labels)).tolist() for _ in range(99)])


def collection_public(rng):
    yield Call("TEXTS, LABELS", None, None, judge=collection_problem)


def report_public(rng):
    yield Call("TEXTS, LABELS, REPORT", None, None, judge=_judge_report)


def _judge_report(texts, labels, report):
    return judged(references.asked, report_problem, "5-project", FUNCTIONS, texts, labels, _dictionary(report))


def _dictionary(report):
    """Return a student's report, with NumPy's numbers as others; None if it is not a dictionary."""
    try:
        return {name: value["values"] if isinstance(value, dict) else value for name, value in report["pairs"]}
    except (TypeError, ValueError, KeyError):
        return None
