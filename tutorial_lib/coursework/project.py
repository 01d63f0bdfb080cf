"""Checks of assignment 5, the project: a collection of texts, two measures of its groups, and the numbers reported."""

from __future__ import annotations

import numbers

import numpy as np

from tutorial_lib.coursework.exercise import Case, Exercise

TEXTS, GROUP, CHARACTERS = (30, 120), 10, 400  # how many texts; the least in a group; the most in a text
TOLERANCE = 2e-3  # three decimals are asked for
MEASURES = ("average_cosine", "neighbor_purity", "p_value")


def neighbor_purity(X, labels):
    """The right answer: the share of vectors whose nearest other one, by cosine, has the same label."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosines = unit @ unit.T  # (n, n)
    np.fill_diagonal(cosines, -np.inf)
    nearest = cosines.argmax(axis=1)
    return float(np.mean([labels[i] == labels[j] for i, j in enumerate(nearest)]))


def purity_p(X, labels, permutations):
    """The right answer: how often shuffled labels are as pure, the true ones counted in."""
    observed = neighbor_purity(X, labels)
    shuffled = [neighbor_purity(X, [labels[i] for i in order]) for order in permutations]
    return (1 + sum(value >= observed for value in shuffled)) / (1 + len(shuffled))


def collection_problem(texts, labels):
    """What is wrong with a collection, in a sentence; None where it can be measured."""
    for name, value in (("TEXTS", texts), ("LABELS", labels)):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return f"{name} must be a list of texts in quotation marks"
    if not TEXTS[0] <= len(texts) <= TEXTS[1]:
        return f"TEXTS must hold {TEXTS[0]} to {TEXTS[1]} texts, got {len(texts)}"
    if len(labels) != len(texts):
        return f"LABELS must hold a label for each text, {len(texts)}, got {len(labels)}"
    if len(set(map(str.strip, texts))) != len(texts):
        return "TEXTS must all be different: a text that comes twice is its own nearest neighbor"
    odd = next((text for text in texts if not 0 < len(text.strip()) <= CHARACTERS), None)
    if odd is not None:
        return f"each text must have 1 to {CHARACTERS} characters, got {len(odd)}"
    sizes = {label: labels.count(label) for label in labels}
    if len(sizes) < 2 or min(sizes.values()) < GROUP:
        return f"LABELS must make at least 2 groups of at least {GROUP} texts, got {dict(list(sizes.items())[:5])}"
    return None


def measure(texts, labels):
    """A report's numbers, from the texts on: last layer of the default model, mean pooling, 999 seeded permutations."""
    from tutorial_lib.geometry import average_cosine
    from tutorial_lib.vectors import embed

    X = embed(texts).astype(np.float64)
    p_value = purity_p(X, labels, permutations(len(texts)))
    return dict(zip(MEASURES, (average_cosine(X), neighbor_purity(X, labels), p_value), strict=True))


def permutations(n):
    """999 orders of n labels, the same for everybody."""
    rng = np.random.default_rng(0)
    return [rng.permutation(n).tolist() for _ in range(999)]


def report_problem(texts, labels, report):
    """What is wrong with the reported numbers, in a sentence; None where they follow from the texts."""
    problem = collection_problem(texts, labels)
    if problem:
        return problem
    if not isinstance(report, dict) or set(report) != set(MEASURES):
        return f"REPORT must be a dictionary with {', '.join(MEASURES)}"
    for name, right in measure(texts, labels).items():
        value = report[name]
        if not isinstance(value, numbers.Real) or isinstance(value, bool) or not abs(value - right) <= TOLERANCE:
            return f"{name} does not follow from your texts; did you change TEXTS after you measured?"
    return None


_X = np.random.default_rng(0).normal(size=(6, 4)) + np.repeat([[3, 0, 0, 0], [0, 3, 0, 0]], 3, axis=0)
_X[:, 2:] *= np.array([[4], [1], [2], [1], [3], [1]])  # so that length and direction tell different neighbors
_LABELS = ["a", "a", "a", "b", "b", "b"]
_MIXED = ["a", "b", "a", "b", "a", "b"]
_ORDERS = [np.random.default_rng(seed).permutation(6).tolist() for seed in range(19)]


def _purity_with(similarity, itself=False):
    def made(X, labels):
        alike = similarity(X)
        if not itself:
            np.fill_diagonal(alike, -np.inf)
        return float(np.mean([labels[i] == labels[j] for i, j in enumerate(alike.argmax(axis=1))]))

    return made


def _cosines(X):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return unit @ unit.T


NEIGHBOR_PURITY = Exercise(
    "neighbor_purity",
    neighbor_purity,
    (
        Case("three vectors, two of them close", (np.array([[1.0, 0], [0.9, 0.1], [0, 1.0]]), ["a", "a", "b"])),
        Case("lengths do not count", (np.array([[1.0, 0], [5.0, 1], [0, 1.0], [1.5, 4.0]]), ["a", "a", "b", "b"])),
        Case("two groups of three", (_X, _LABELS)),
        Case("the same vectors, other labels", (_X, _MIXED)),
    ),
    {
        "each vector is its own nearest neighbor here; leave out the diagonal": _purity_with(_cosines, itself=True),
        "this takes the farthest vector; the nearest has the largest cosine": _purity_with(lambda X: -_cosines(X)),
        "these are dot products; divide by the lengths": _purity_with(lambda X: X @ X.T),
        "this is the number of vectors; divide by how many there are": lambda X, labels: (
            neighbor_purity(X, labels) * len(labels)
        ),
    },
)


def _p_with(count, plus=1):
    def made(X, labels, permutations):
        observed = neighbor_purity(X, labels)
        shuffled = np.array([neighbor_purity(X, [labels[i] for i in order]) for order in permutations])
        return (plus + count(shuffled, observed).sum()) / (plus + len(permutations))

    return made


PURITY_P = Exercise(
    "purity_p",
    purity_p,
    (
        Case("labels that fit", (_X, _LABELS, _ORDERS)),
        Case("labels that do not", (_X, _MIXED, _ORDERS)),
        Case("no permutation: the observed one alone", (_X, _LABELS, [])),
    ),
    {
        "the observed labels are one of the possible orders: add 1 to both counts, or p could be 0": _p_with(
            lambda shuffled, observed: shuffled >= observed, plus=0
        ),
        "count the permutations that are equally pure, too: >=": _p_with(
            lambda shuffled, observed: shuffled > observed
        ),
        "this counts the permutations that are less pure; p counts those that are as pure or purer": _p_with(
            lambda shuffled, observed: shuffled < observed
        ),
        "this is 1 - p": lambda *arguments: 1 - purity_p(*arguments),
    },
)


def check_neighbor_purity(student):
    """Check the purity: (X (n, d), labels) -> share of vectors whose nearest other one, by cosine, has their label."""
    return NEIGHBOR_PURITY.check(student)


def check_purity_p(student):
    """Check the permutation test: (X, labels, permutations) -> p-value; a permutation is a list of indices."""
    return PURITY_P.check(student)


def check_collection(texts, labels):
    """Check that a collection can be measured.

    >>> check_collection(["one text"], ["a"])
    ✗ TEXTS must hold 30 to 120 texts, got 1
    False
    """
    return _told(collection_problem(texts, labels), "Your collection can be measured.")


def check_report(texts, labels, report):
    """Check that the reported numbers follow from the texts. It embeds them: some seconds."""
    return _told(report_problem(texts, labels, report), "Your numbers follow from your texts.")


def _told(problem, fine):
    print(f"✗ {problem}" if problem else f"✓ {fine}")
    return problem is None
