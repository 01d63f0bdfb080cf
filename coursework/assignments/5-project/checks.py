"""The marks of assignment 5: the three functions on random groups, and the report recomputed from the student's texts.

The checks of the collection and of the report have no inputs but what the student chose.
"""

import numpy as np

from coursework.checks import call, variable
from coursework.processes import judged
from coursework.references import project as right
from tutorial_book.exercises.project import MEASURES, collection_problem, report_problem

FUNCTIONS = right.neighbor_purity, right.neighbor_margin, right.purity_p


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


def _inputs(rng, times):
    """(case, X, labels), `times` of each kind."""
    for _ in range(times):
        yield ("two groups", *_groups(rng, int(rng.integers(11, 20)), 2))
        yield ("three groups", *_groups(rng, int(rng.integers(11, 20)), 3))
        yield ("all cosines are below 0", *_apart(rng))


def _groups_of(name, times):
    """A check of a function of vectors and labels."""

    def draw(rng):
        for case, X, labels in _inputs(rng, times):
            yield call(name, X, labels, case=case)

    return draw


def _purity_p(times):
    """A check of the p-value."""

    def draw(rng):
        for _ in range(times):
            for groups in (2, 3):
                X, labels = _groups(rng, int(rng.integers(11, 20)), groups)
                orders = [rng.permutation(len(labels)).tolist() for _ in range(99)]
                yield call("purity_p", X, labels, orders)

    return draw


neighbor_purity_public, neighbor_purity_hidden = _groups_of("neighbor_purity", 2), _groups_of("neighbor_purity", 4)
neighbor_margin_public, neighbor_margin_hidden = _groups_of("neighbor_margin", 1), _groups_of("neighbor_margin", 3)
purity_p_public, purity_p_hidden = _purity_p(3), _purity_p(4)


def collection_public(rng):
    yield variable("TEXTS, LABELS", _judge_collection)


def report_public(rng):
    yield variable("TEXTS, LABELS, REPORT", _judge_report)


def _judge_collection(values):
    return collection_problem(*values)


def _judge_report(values):
    texts, labels, report = values
    return judged(report_problem, texts, labels, _dictionary(report), *FUNCTIONS)


def _dictionary(report):
    """A report as the student wrote it; None where it is no dictionary of names."""
    pairs = report.get("pairs") if isinstance(report, dict) else None
    if not isinstance(pairs, list) or len(pairs) != len(MEASURES):
        return None
    if not all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
        return None
    return {name: _number(value) for name, value in pairs}


def _number(value):
    """A NumPy number is as good as another."""
    return value.get("values") if isinstance(value, dict) and value.get("shape") == [] else value
