"""The marks of assignment 5: functions on random groups, and the report recomputed from the student's texts."""

from functools import partial

import numpy as np

from coursework import references
from coursework.checks import call, variable
from coursework.processes import judged
from tutorial_book.exercises.project import MEASURES, collection_problem, report_problem

FUNCTIONS = ["neighbor_purity", "neighbor_margin", "purity_p"]


def _groups(rng, n, groups):
    """n vectors of very different lengths, in groups of unequal sizes that lie a little apart."""
    centers = rng.normal(size=(groups, 4))
    of = rng.permutation(np.concatenate([np.repeat(np.arange(groups), 2), rng.integers(groups, size=n - 2 * groups)]))
    X = (centers[of] + rng.normal(size=(n, 4))) * rng.uniform(0.2, 5, size=(n, 1))
    return X, [f"group {i}" for i in of]


def _apart(rng):
    """Four vectors in two groups, all cosines below 0: the corners of a tetrahedron, shaken a little."""
    X = (np.eye(4) - 0.25 + rng.uniform(-0.05, 0.05, size=(4, 4))) * rng.uniform(0.5, 2, size=(4, 1))
    return X, rng.permutation(["a", "a", "b", "b"]).tolist()


def _groups_of(name, times, rng):
    """A check of a function of vectors and labels."""
    for _ in range(times):
        yield call(name, *_groups(rng, int(rng.integers(11, 20)), 2), case="two groups")
        yield call(name, *_groups(rng, int(rng.integers(11, 20)), 3), case="three groups")
        yield call(name, *_apart(rng), case="all cosines are below 0")


def _purity_p(times, rng):
    for groups in (2, 3) * times:
        X, labels = _groups(rng, int(rng.integers(11, 20)), groups)
        yield call("purity_p", X, labels, [rng.permutation(len(labels)).tolist() for _ in range(99)])


neighbor_purity_public, neighbor_purity_hidden = (partial(_groups_of, "neighbor_purity", times) for times in (2, 4))
neighbor_margin_public, neighbor_margin_hidden = (partial(_groups_of, "neighbor_margin", times) for times in (1, 3))
purity_p_public, purity_p_hidden = (partial(_purity_p, times) for times in (3, 4))


def collection_public(rng):
    yield variable("TEXTS, LABELS", _judge_collection)


def report_public(rng):
    yield variable("TEXTS, LABELS, REPORT", _judge_report)


def _judge_collection(values):
    return collection_problem(*values)


def _judge_report(values):
    texts, labels, report = values
    return judged(references.asked, report_problem, "5-project", FUNCTIONS, texts, labels, _dictionary(report))


def _dictionary(report):
    """Return a student's report, with NumPy's numbers as others; None if it is not a dictionary of names."""
    pairs = report.get("pairs") if isinstance(report, dict) else None
    if not isinstance(pairs, list) or len(pairs) != len(MEASURES):
        return None
    if not all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
        return None
    scalar = {name: isinstance(value, dict) and value.get("shape") == [] for name, value in pairs}
    return {name: value.get("values") if scalar[name] else value for name, value in pairs}
