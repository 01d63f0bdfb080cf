"""The marks of assignment 5: the two functions on random groups, and the report recomputed from the student's texts."""

import threading

import numpy as np

from coursework.checks import call, check, variable
from tutorial_lib.coursework import project as right

ONE_AT_A_TIME = threading.Lock()  # a model needs all processors: two at a time would be no faster


def _groups(rng):
    n, d, groups = int(rng.integers(12, 20)), int(rng.integers(3, 9)), int(rng.integers(2, 4))
    labels = [f"group {i % groups}" for i in range(n)]
    centers = rng.normal(size=(groups, d))
    X = (centers[np.arange(n) % groups] + rng.normal(size=(n, d))) * rng.uniform(0.2, 5, size=(n, 1))
    return X, labels


@check("collection-public")
def collection(rng):
    yield variable("TEXTS, LABELS", judge=lambda values: right.collection_problem(*values))


@check("neighbor-purity-public")
def neighbor_purity_small(rng):
    X, labels = np.array([[1.0, 0], [0.9, 0.1], [0, 1.0]]), ["a", "a", "b"]
    yield call("neighbor_purity", X, labels, expect=right.neighbor_purity(X, labels))


@check("neighbor-purity-hidden")
def neighbor_purity_random(rng):
    for _ in range(6):
        X, labels = _groups(rng)
        yield call("neighbor_purity", X, labels, expect=right.neighbor_purity(X, labels))


@check("purity-p-public")
def purity_p_small(rng):
    yield from _purity_p(rng, 1)


@check("purity-p-hidden")
def purity_p_random(rng):
    yield from _purity_p(rng, 5)


def _purity_p(rng, times):
    for _ in range(times):
        X, labels = _groups(rng)
        orders = [rng.permutation(len(labels)).tolist() for _ in range(99)]
        yield call("purity_p", X, labels, orders, expect=right.purity_p(X, labels, orders))


@check("report-public")
def report(rng):
    yield variable("TEXTS, LABELS, REPORT", judge=_judge)


def _judge(values):
    texts, labels, report = values
    with ONE_AT_A_TIME:
        return right.report_problem(texts, labels, dict(report["pairs"]))
