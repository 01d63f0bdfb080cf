"""Checks of assignment 5, the project: a collection of texts, measures of its groups, and the numbers reported.

Grading embeds the texts in its own process. So `collection_problem` bounds what there is to embed, and no value that
students can write down makes it, or `report_problem`, raise.
"""

from __future__ import annotations

import numbers
from collections import Counter

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise

TEXTS, GROUP = (30, 120), 10  # how many texts; the least in a group
CHARACTERS, IN_ALL, LABEL = 400, 24_000, 40  # the most in a text, in all texts, in a label
TOLERANCE = 2e-3  # three decimals are asked for
MEASURES = ("average_cosine", "neighbor_purity", "neighbor_margin", "p_value")


def neighbor_purity(X, labels):
    """The right answer: the share of vectors whose nearest other one, by cosine, has the same label."""
    cosines = _cosines(X)
    np.fill_diagonal(cosines, -np.inf)
    labels = np.array(labels)
    right = labels == labels[cosines.argmax(axis=1)]
    return float(right.mean())


def _cosines(X):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return unit @ unit.T


_X = np.random.default_rng(0).normal(size=(6, 4)) + np.repeat([[3, 0, 0, 0], [0, 3, 0, 0]], 3, axis=0)
_X[:, 2:] *= np.array([[4], [1], [2], [1], [3], [1]])  # so that length and direction tell different neighbors
_LABELS = ["a", "a", "a", "b", "b", "b"]
_MIXED = ["a", "b", "a", "b", "a", "b"]
_APART = np.array([[2.0, 0, 0.2], [-1, 1.8, 0], [-0.9, -1.7, 0.1], [0.1, 0, -3]])  # all cosines are below 0
_NINE = np.random.default_rng(4).normal(size=(9, 4)) * [1, 6, 1, 1]
_THREE = ["a", "a", "b", "b", "b", "c", "c", "c", "c"]
NEIGHBOR_PURITY = Exercise(
    neighbor_purity,
    (
        Case("three vectors, two of them close", (np.array([[1.0, 0], [0.9, 0.1], [0, 1.0]]), ["a", "a", "b"])),
        Case("lengths do not count", (np.array([[1.0, 0], [5.0, 1], [0, 1.0], [1.5, 4.0]]), ["a", "a", "b", "b"])),
        Case("two groups of three", (_X, _LABELS)),
        Case("the same vectors, other labels", (_X, _MIXED)),
        Case("all cosines are below 0", (_APART, ["a", "b", "b", "a"])),
        Case("three groups of unequal size", (_NINE, _THREE)),
    ),
    """
    each vector is its own nearest neighbor here; leave out the diagonal
        np.fill_diagonal(cosines, -np.inf) -> pass
    0 on the diagonal is larger than a cosine below 0; put -np.inf there
        -np.inf -> 0
    this takes the farthest vector; the nearest has the largest cosine
        _cosines(X) -> -_cosines(X)
    these are dot products; divide by the lengths
        _cosines(X) -> X @ X.T
    the nearest is taken by distance; take the largest cosine
        _cosines(X) -> -np.linalg.norm(X[:, None] - X, axis=-1)
    the lengths are those of the columns; a vector is a row: axis=1
        _cosines(X) -> (X / np.linalg.norm(X, axis=0)) @ (X / np.linalg.norm(X, axis=0)).T
    this is the number of vectors; divide by how many there are
        right.mean() -> right.sum()
    these are the vectors beside another group: 1 minus what is asked
        right.mean() -> 1 - right.mean()
    the groups' purities are averaged; all vectors count alike
        right.mean() -> np.mean([right[labels == label].mean() for label in np.unique(labels)])
    this takes the second nearest; the diagonal is left out already
        cosines.argmax(axis=1) -> cosines.argsort(axis=1)[:, -2]
    labels is a list; to index it with an array, make it one: np.array(labels)
        labels = np.array(labels) -> pass
    """,
)


def check_neighbor_purity(student):
    """Check the purity: (X (n, d), labels) -> share of vectors whose nearest other one, by cosine, has their label."""
    return NEIGHBOR_PURITY.check(student)


def neighbor_margin(X, labels):
    """The right answer: the cosine with the nearest other of the own group, minus that with the nearest of another."""
    cosines = _cosines(X)
    np.fill_diagonal(cosines, -np.inf)
    labels = np.array(labels)
    same = labels[:, None] == labels  # (n, n)
    of_own = np.where(same, cosines, -np.inf).max(axis=1)
    of_others = np.where(same, -np.inf, cosines).max(axis=1)
    margins = of_own - of_others
    return float(margins.mean())


NEIGHBOR_MARGIN = Exercise(
    neighbor_margin,
    (
        Case("two groups of two", (np.array([[1.0, 0], [3.0, 4.0], [0, 2.0], [-0.6, 0.8]]), ["a", "a", "b", "b"])),
        Case("two groups of three", (_X, _LABELS)),
        Case("the same vectors, other labels", (_X, _MIXED)),
        Case("all cosines are below 0", (_APART, ["a", "b", "a", "b"])),
        Case("three groups of unequal size", (_NINE, _THREE)),
    ),
    """
    each vector is the nearest of its own group here; leave out the diagonal
        np.fill_diagonal(cosines, -np.inf) -> pass
    0 stands for the vector itself, or for other groups; it is larger than a cosine below 0: put -np.inf there
        np.fill_diagonal(cosines, -np.inf) -> np.fill_diagonal(cosines, 0)
    the sign is turned around: own group minus other groups
        of_own - of_others -> of_others - of_own
    the mean over a group is taken; take the nearest one of each
        np.where(same, cosines, -np.inf).max(axis=1) -> cosines.mean(axis=1, where=same & (cosines > -np.inf))
        np.where(same, -np.inf, cosines).max(axis=1) -> cosines.mean(axis=1, where=~same)
    the mean over the own group is taken; take its nearest
        np.where(same, cosines, -np.inf).max(axis=1) -> cosines.mean(axis=1, where=same & (cosines > -np.inf))
    the mean over the other groups is taken; take the nearest of them
        np.where(same, -np.inf, cosines).max(axis=1) -> cosines.mean(axis=1, where=~same)
    the farthest of the other groups is taken; take the nearest
        np.where(same, -np.inf, cosines).max(axis=1) -> np.where(same, np.inf, cosines).min(axis=1)
    the farthest of the own group is taken; take the nearest
        np.where(same, cosines, -np.inf).max -> np.where(same & (cosines > -np.inf), cosines, np.inf).min
    0 stands where the own group is, which is larger than a cosine below 0; put -np.inf there
        np.where(same, -np.inf, cosines) -> np.where(same, 0, cosines)
    both cosines are measured against 0; 0 stands where the other groups, or the own one, should be left out
        np.fill_diagonal(cosines, -np.inf) -> np.fill_diagonal(cosines, 0)
        np.where(same, cosines, -np.inf) -> np.where(same, cosines, 0)
        np.where(same, -np.inf, cosines) -> np.where(same, 0, cosines)
    this is the share of margins above 0, the purity; take their mean
        margins.mean() -> (margins > 0).mean()
    this is the sum; divide by the number of vectors
        margins.mean() -> margins.sum()
    these are the margins; take their mean
        float(margins.mean()) -> margins
    this is the median; take the mean
        margins.mean() -> np.median(margins)
    the signs are lost; a margin below 0 counts as it is
        margins.mean() -> np.abs(margins).mean()
    margins below 0 are cut off; they count as they are
        margins.mean() -> np.maximum(margins, 0).mean()
    these are dot products; divide by the lengths
        _cosines(X) -> X @ X.T
    these are distances; take cosines
        _cosines(X) -> -np.linalg.norm(X[:, None] - X, axis=-1)
    the groups' margins are averaged; all vectors count alike
        margins.mean() -> np.mean([margins[labels == label].mean() for label in np.unique(labels)])
    """,
)


def check_neighbor_margin(student):
    """Check the margin: (X (n, d), labels) -> nearest other of the own group minus nearest of another, by cosine."""
    return NEIGHBOR_MARGIN.check(student)


def purity_p(X, labels, permutations):
    """The right answer: how often shuffled labels are as pure, the true ones counted in."""
    observed = neighbor_purity(X, labels)
    shuffled = np.array([neighbor_purity(X, [labels[i] for i in order]) for order in permutations])
    as_pure = (shuffled >= observed).sum()
    return float((1 + as_pure) / (1 + len(shuffled)))


def _purities_one_after_the_other(X, labels, permutations):
    purities = []
    for order in permutations:
        labels = [labels[i] for i in order]
        purities.append(neighbor_purity(X, labels))
    return purities


_ORDERS = [np.random.default_rng(seed).permutation(6).tolist() for seed in range(19)]
PURITY_P = Exercise(
    purity_p,
    (
        Case("labels that fit", (_X, _LABELS, _ORDERS)),
        Case("labels that do not", (_X, _MIXED, _ORDERS)),
        Case("no permutation: the observed one alone", (_X, _LABELS, [])),
    ),
    """
    the observed labels are one of the possible orders: add 1 to both counts, or p could be 0
        (1 + as_pure) / (1 + len(shuffled)) -> as_pure / len(shuffled)
    the 1 is missing above the line
        (1 + as_pure) -> as_pure
    the 1 is missing below the line
        (1 + len(shuffled)) -> len(shuffled)
    count the permutations that are equally pure, too: >=
        >= -> >
    this counts the permutations that are less pure; p counts those that are as pure or purer
        >= -> <
    this counts the permutations that are as pure or less; p counts those that are as pure or purer
        >= -> <=
    only permutations that are equally pure are counted; count the purer ones, too
        >= -> ==
    this is 1 - p
        return float( -> return 1 - float(
    this is the number of permutations; divide
        (1 + as_pure) / (1 + len(shuffled)) -> 1 + as_pure
    this is the average purity of the permutations; count how many are as pure as the observed one
        (1 + as_pure) / (1 + len(shuffled)) -> shuffled.mean()
    each order is put upon the one before; begin with the observed labels each time
        shuffled >= observed -> np.array(_purities_one_after_the_other(X, labels, permutations)) >= observed
    the orders are turned around: text i gets the label of text order[i]
        labels[i] for i in order -> labels[order.index(i)] for i in range(len(order))
    labels and orders are lists; write [labels[i] for i in order]
        neighbor_purity(X, labels) -> neighbor_purity(X, labels[permutations[0]])
    """,
)


def check_purity_p(student):
    """Check the permutation test: (X, labels, permutations) -> p-value; a permutation is a list of indices."""
    return PURITY_P.check(student)


def collection_problem(texts, labels):
    """What is wrong with a collection, in a sentence; None where it can be measured."""
    for name, value in (("TEXTS", texts), ("LABELS", labels)):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return f"{name} must be a list of texts in quotation marks"
    if not TEXTS[0] <= len(texts) <= TEXTS[1]:
        return f"TEXTS must hold {TEXTS[0]} to {TEXTS[1]} texts, got {len(texts)}"
    if len(labels) != len(texts):
        return f"LABELS must hold a label for each text, {len(texts)}, got {len(labels)}"
    odd = next((text for text in texts if not 0 < len(text.strip()) <= len(text) <= CHARACTERS), None)
    if odd is not None:
        return f"each text must have 1 to {CHARACTERS} characters, got {len(odd)}"
    if sum(map(len, texts)) > IN_ALL:
        return f"TEXTS must have at most {IN_ALL} characters in all, got {sum(map(len, texts))}"
    if any("\ud800" <= character <= "\udfff" for character in "".join(texts + labels)):
        return "TEXTS and LABELS must be of whole characters; half of one (a surrogate) is in there"
    if len({text.strip().casefold() for text in texts}) != len(texts):
        return "TEXTS must all be different, capitals aside: a text that comes twice is its own nearest neighbor"
    if not all(0 < len(label) <= LABEL for label in labels):
        return f"each label must have 1 to {LABEL} characters"
    sizes = Counter(labels)
    if len(sizes) < 2 or min(sizes.values()) < GROUP:
        return f"LABELS must make at least 2 groups of at least {GROUP} texts, got {dict(sizes.most_common(5))}"
    return None


def measure(texts, labels):
    """A report's numbers, from the texts on: last layer of the default model, mean pooling, 999 seeded permutations."""
    from tutorial_lib.geometry import average_cosine
    from tutorial_lib.vectors import embed

    X = embed(texts, device="cpu").astype(np.float64)
    p_value = purity_p(X, labels, permutations(len(texts)))
    values = average_cosine(X), neighbor_purity(X, labels), neighbor_margin(X, labels), p_value
    return dict(zip(MEASURES, values, strict=True))


def permutations(n):
    """999 orders of n labels, the same for everybody."""
    rng = np.random.default_rng(0)
    return [rng.permutation(n).tolist() for _ in range(999)]


def report_problem(texts, labels, report):
    """What is wrong with the reported numbers, in a sentence; None where they follow from the texts."""
    if not isinstance(report, dict) or set(report) != set(MEASURES):
        return f"REPORT must be a dictionary with {', '.join(MEASURES)}"
    for name, value in report.items():
        if not isinstance(value, numbers.Real) or isinstance(value, bool) or not -1 <= value <= 1:
            return f"{name} must be a number from -1 to 1"
    problem = collection_problem(texts, labels)
    if problem:
        return problem
    for name, right in measure(texts, labels).items():
        if abs(report[name] - right) > TOLERANCE:
            return f"{name} does not follow from your texts; did you change TEXTS after you measured?"
    return None


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
