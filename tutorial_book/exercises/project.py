"""Checks of assignment 5, the project: a collection of texts, measures of its groups, and the numbers reported.

Grading embeds the texts in its own process. So `collection_problem` limits them, and no value that students can write
makes it, or `report_problem`, raise.
"""

from __future__ import annotations

import numbers
from collections import Counter

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise

TEXTS, GROUP = (30, 120), 10  # how many texts; the least in a group
CHARACTERS, IN_ALL, LABEL = 400, 12_000, 40  # the most in a text, in all texts, in a label
TOLERANCE = 2e-3  # three decimals are asked for
MEASURES = ("average_cosine", "neighbor_purity", "neighbor_margin", "p_value")


_X = np.random.default_rng(0).normal(size=(6, 4)) + np.repeat([[3, 0, 0, 0], [0, 3, 0, 0]], 3, axis=0)
_X[:, 2:] *= np.array([[4], [1], [2], [1], [3], [1]])  # so that length and direction give different neighbors
_LABELS = ["a", "a", "a", "b", "b", "b"]
_MIXED = ["a", "b", "a", "b", "a", "b"]
_APART = np.array([[2.0, 0, 0.2], [-1, 1.8, 0], [-0.9, -1.7, 0.1], [0.1, 0, -3]])  # all cosines are below 0
_NINE = np.random.default_rng(4).normal(size=(9, 4)) * [1, 6, 1, 1]
_THREE = ["a", "a", "b", "b", "b", "c", "c", "c", "c"]
NEIGHBOR_PURITY = Exercise(
    "project.neighbor_purity",
    (
        Case("three vectors, two of them close", (np.array([[1.0, 0], [0.9, 0.1], [0, 1.0]]), ["a", "a", "b"])),
        Case("lengths do not count", (np.array([[1.0, 0], [5.0, 1], [0, 1.0], [1.5, 4.0]]), ["a", "a", "b", "b"])),
        Case("two groups of three", (_X, _LABELS)),
        Case("the same vectors, other labels", (_X, _MIXED)),
        Case("all cosines are below 0", (_APART, ["a", "b", "b", "a"])),
        Case("three groups of unequal size", (_NINE, _THREE)),
    ),
)


NEIGHBOR_MARGIN = Exercise(
    "project.neighbor_margin",
    (
        Case("two groups of two", (np.array([[1.0, 0], [3.0, 4.0], [0, 2.0], [-0.6, 0.8]]), ["a", "a", "b", "b"])),
        Case("two groups of three", (_X, _LABELS)),
        Case("the same vectors, other labels", (_X, _MIXED)),
        Case("all cosines are below 0", (_APART, ["a", "b", "a", "b"])),
        Case("three groups of unequal size", (_NINE, _THREE)),
    ),
)


_ORDERS = [np.random.default_rng(seed).permutation(6).tolist() for seed in range(19)]
PURITY_P = Exercise(
    "project.purity_p",
    (
        Case("labels that fit", (_X, _LABELS, _ORDERS)),
        Case("labels that do not", (_X, _MIXED, _ORDERS)),
        Case("no permutation: the observed one alone", (_X, _LABELS, [])),
    ),
)


def collection_problem(texts, labels):
    """Describe the error in a collection in a sentence; None if it can be measured."""
    for name, value in (("TEXTS", texts), ("LABELS", labels)):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return f"{name} must be a list of texts in quotation marks"
    if not TEXTS[0] <= len(texts) <= TEXTS[1]:
        return f"TEXTS must contain {TEXTS[0]} to {TEXTS[1]} texts, got {len(texts)}"
    if len(labels) != len(texts):
        return f"LABELS must contain a label for each text, {len(texts)}, got {len(labels)}"
    odd = next((text for text in texts if not 0 < len(text.strip()) <= len(text) <= CHARACTERS), None)
    if odd is not None:
        return f"each text must have 1 to {CHARACTERS} characters, got {len(odd)}"
    if sum(map(len, texts)) > IN_ALL:
        return f"TEXTS must have at most {IN_ALL} characters in all, got {sum(map(len, texts))}"
    if any("\ud800" <= character <= "\udfff" for character in "".join(texts + labels)):
        return "TEXTS and LABELS must contain only whole characters, and one has half a character (a surrogate)"
    if len({text.strip().casefold() for text in texts}) != len(texts):
        return "TEXTS must all be different, capitals aside: a text that comes twice is its own nearest neighbor"
    if not all(0 < len(label) <= LABEL for label in labels):
        return f"each label must have 1 to {LABEL} characters"
    sizes = Counter(labels)
    if len(sizes) < 2 or min(sizes.values()) < GROUP:
        got = ", ".join(map(str, sorted(sizes.values())[:5]))  # no labels: a teacher's page may have this sentence
        return f"LABELS must make at least 2 groups of at least {GROUP} texts; yours have {got}"
    return None


def measure(texts, labels, neighbor_purity, neighbor_margin, purity_p):
    """Compute a report's numbers from the texts: last layer of the default model, mean pooling, 999 permutations.

    The last three are functions: yours.
    """
    from tutorial_lib.geometry import average_cosine
    from tutorial_lib.vectors import embed

    X = embed(texts, device="cpu").astype(np.float64)
    p_value = purity_p(X, labels, permutations(len(texts)))
    values = average_cosine(X), neighbor_purity(X, labels), neighbor_margin(X, labels), p_value
    return dict(zip(MEASURES, map(float, values), strict=True))


def permutations(n):
    """Return 999 orders of n labels, the same for everybody."""
    rng = np.random.default_rng(0)
    return [rng.permutation(n).tolist() for _ in range(999)]


def report_problem(texts, labels, report, *functions):
    """Describe the error in the reported numbers in a sentence; None if they follow from the texts, by `measure`."""
    if not isinstance(report, dict) or set(report) != set(MEASURES):
        return f"REPORT must be a dictionary with {', '.join(MEASURES)}"
    for name, value in report.items():
        if not isinstance(value, numbers.Real) or isinstance(value, bool) or not -1 <= value <= 1:
            return f"{name} must be a number from -1 to 1"
    problem = collection_problem(texts, labels)
    if problem:
        return problem
    for name, right in measure(texts, labels, *functions).items():
        if abs(report[name] - right) > TOLERANCE:
            return f"{name} does not follow from your texts; did you change TEXTS after you measured?"
    return None


def check_collection(texts, labels):
    """Check that a collection can be measured.

    >>> check_collection(["one text"], ["a"])
    ✗ TEXTS must contain 30 to 120 texts, got 1
    False
    """
    return _told(collection_problem(texts, labels), "Your collection can be measured.")


def check_report(texts, labels, report, neighbor_purity, neighbor_margin, purity_p):
    """Check that the reported numbers follow from the texts, by your functions. It embeds them: some seconds."""
    functions = neighbor_purity, neighbor_margin, purity_p
    return _told(report_problem(texts, labels, report, *functions), "Your numbers follow from your texts.")


def _told(problem, fine):
    print(f"✗ {problem}" if problem else f"✓ {fine}")
    return problem is None
