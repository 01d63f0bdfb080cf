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
    return _purity_with()(X, labels)


def neighbor_margin(X, labels):
    """The right answer: the cosine with the nearest other of the own group, minus that with the nearest of another."""
    return float(_margin_with()(X, labels))


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


# --- the usual mistakes --------------------------------------------------------------------------------------------


def _cosines(X):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    return unit @ unit.T


def _minus_distances(X):
    return -np.linalg.norm(X[:, None] - X[None], axis=-1)


def _purity_with(similarity=_cosines, own=-np.inf, result=lambda right, labels: right.mean()):
    """The purity with one step made otherwise: a usual mistake. own: what is put on the diagonal, if anything."""

    def made(X, labels):
        alike = similarity(X)
        if own is not None:
            np.fill_diagonal(alike, own)
        labels = np.array(labels)
        return float(result(labels == labels[alike.argmax(axis=1)], labels))

    return made


def _margin_with(
    similarity=_cosines,
    own=-np.inf,
    of_own=lambda alike, same: np.where(same, alike, -np.inf).max(axis=1),
    of_others=lambda alike, same: np.where(same, -np.inf, alike).max(axis=1),
    result=lambda margins, labels: margins.mean(),
):
    """The margin with one step made otherwise: a usual mistake. own: what is put on the diagonal, if anything."""

    def made(X, labels):
        alike = similarity(X)
        if own is not None:
            np.fill_diagonal(alike, own)
        labels = np.array(labels)
        same = labels[:, None] == labels  # (n, n)
        return result(of_own(alike, same) - of_others(alike, same), labels)

    return made


def _p_with(count=np.greater_equal, above=1, below=1, shuffle=lambda labels, order: [labels[i] for i in order]):
    """The permutation test with one step made otherwise: a usual mistake."""

    def made(X, labels, permutations):
        observed = neighbor_purity(X, labels)
        shuffled = [neighbor_purity(X, shuffle(labels, order)) for order in permutations]
        return float((above + count(np.array(shuffled), observed).sum()) / (below + len(permutations)))

    return made


def _one_after_the_other(X, labels, permutations):
    shuffled, now = [], labels
    for order in permutations:
        now = [now[i] for i in order]
        shuffled.append(neighbor_purity(X, now))
    return (1 + sum(value >= neighbor_purity(X, labels) for value in shuffled)) / (1 + len(shuffled))


def _mean_purity(X, labels, permutations):
    return float(np.mean([neighbor_purity(X, [labels[i] for i in order]) for order in permutations]))


def _nearest(X):
    alike = _cosines(X)
    np.fill_diagonal(alike, -np.inf)
    return alike.max(axis=1, keepdims=True)


def _mean_of_groups(values, labels):
    return np.mean([values[labels == label].mean() for label in np.unique(labels)])


def _mean_of_own(alike, same):
    others = same & ~np.eye(len(same), dtype=bool)
    return np.where(others, alike, 0).sum(axis=1) / others.sum(axis=1)


def _mean_of_others(alike, same):
    return np.where(same, 0, alike).sum(axis=1) / (~same).sum(axis=1)


# --- the exercises -------------------------------------------------------------------------------------------------

_X = np.random.default_rng(0).normal(size=(6, 4)) + np.repeat([[3, 0, 0, 0], [0, 3, 0, 0]], 3, axis=0)
_X[:, 2:] *= np.array([[4], [1], [2], [1], [3], [1]])  # so that length and direction tell different neighbors
_LABELS = ["a", "a", "a", "b", "b", "b"]
_MIXED = ["a", "b", "a", "b", "a", "b"]
_ORDERS = [np.random.default_rng(seed).permutation(6).tolist() for seed in range(19)]
_APART = np.array([[2.0, 0, 0.2], [-1, 1.8, 0], [-0.9, -1.7, 0.1], [0.1, 0, -3]])  # all cosines are below 0
_NINE = np.random.default_rng(4).normal(size=(9, 4)) * [1, 6, 1, 1]
_THREE = ["a", "a", "b", "b", "b", "c", "c", "c", "c"]

NEIGHBOR_PURITY = Exercise(
    "neighbor_purity",
    neighbor_purity,
    (
        Case("three vectors, two of them close", (np.array([[1.0, 0], [0.9, 0.1], [0, 1.0]]), ["a", "a", "b"])),
        Case("lengths do not count", (np.array([[1.0, 0], [5.0, 1], [0, 1.0], [1.5, 4.0]]), ["a", "a", "b", "b"])),
        Case("two groups of three", (_X, _LABELS)),
        Case("the same vectors, other labels", (_X, _MIXED)),
        Case("all cosines are below 0", (_APART, ["a", "b", "b", "a"])),
        Case("three groups of unequal size", (_NINE, _THREE)),
    ),
    {
        "each vector is its own nearest neighbor here; leave out the diagonal": _purity_with(own=None),
        "0 on the diagonal is larger than a cosine below 0; put -np.inf there": _purity_with(own=0),
        "this takes the farthest vector; the nearest has the largest cosine": _purity_with(lambda X: -_cosines(X)),
        "these are dot products; divide by the lengths": _purity_with(lambda X: X @ X.T),
        "the nearest is taken by distance; take the largest cosine": _purity_with(_minus_distances),
        "the lengths are those of the columns; a vector is a row: axis=1": _purity_with(
            lambda X: (X / np.linalg.norm(X, axis=0)) @ (X / np.linalg.norm(X, axis=0)).T
        ),
        "this is the number of vectors; divide by how many there are": _purity_with(
            result=lambda right, labels: right.sum()
        ),
        "these are the vectors beside another group: 1 minus what is asked": _purity_with(
            result=lambda right, labels: 1 - right.mean()
        ),
        "the groups' purities are averaged; all vectors count alike": _purity_with(result=_mean_of_groups),
        "this takes the second nearest; the diagonal is left out already": _purity_with(
            lambda X: np.where(_cosines(X) == _nearest(X), -np.inf, _cosines(X))
        ),
        "labels is a list; to index it with an array, make it one: np.array(labels)": lambda X, labels: labels[
            _cosines(X).argmax(1)
        ],
    },
)

NEIGHBOR_MARGIN = Exercise(
    "neighbor_margin",
    neighbor_margin,
    (
        Case("two groups of two", (np.array([[1.0, 0], [3.0, 4.0], [0, 2.0], [-0.6, 0.8]]), ["a", "a", "b", "b"])),
        Case("two groups of three", (_X, _LABELS)),
        Case("the same vectors, other labels", (_X, _MIXED)),
        Case("all cosines are below 0", (_APART, ["a", "b", "a", "b"])),
        Case("three groups of unequal size", (_NINE, _THREE)),
    ),
    {
        "each vector is the nearest of its own group here; leave out the diagonal": _margin_with(own=None),
        "0 stands for the vector itself, or for other groups; it is larger than a cosine below 0: put -np.inf there": (
            _margin_with(own=0)
        ),
        "the sign is turned around: own group minus other groups": lambda X, labels: -neighbor_margin(X, labels),
        "the mean over a group is taken; take the nearest one of each": _margin_with(
            of_own=_mean_of_own, of_others=_mean_of_others
        ),
        "the mean over the own group is taken; take its nearest": _margin_with(of_own=_mean_of_own),
        "the mean over the other groups is taken; take the nearest of them": _margin_with(of_others=_mean_of_others),
        "the farthest of the other groups is taken; take the nearest": _margin_with(
            of_others=lambda alike, same: np.where(same, np.inf, alike).min(axis=1)
        ),
        "the farthest of the own group is taken; take the nearest": _margin_with(
            of_own=lambda alike, same: np.where(same & (alike > -np.inf), alike, np.inf).min(axis=1)
        ),
        "0 stands where the own group is, which is larger than a cosine below 0; put -np.inf there": _margin_with(
            of_others=lambda alike, same: np.where(same, 0, alike).max(axis=1)
        ),
        "both cosines are measured against 0; 0 stands where the other groups, or the own one, should be left out": (
            _margin_with(own=0, of_own=lambda a, s: (a * s).max(axis=1), of_others=lambda a, s: (a * ~s).max(axis=1))
        ),
        "this is the share of margins above 0, the purity; take their mean": neighbor_purity,
        "this is the sum; divide by the number of vectors": _margin_with(result=lambda margins, labels: margins.sum()),
        "these are the margins; take their mean": _margin_with(result=lambda margins, labels: margins),
        "this is the median; take the mean": _margin_with(result=lambda margins, labels: np.median(margins)),
        "the signs are lost; a margin below 0 counts as it is": _margin_with(
            result=lambda margins, labels: np.abs(margins).mean()
        ),
        "margins below 0 are cut off; they count as they are": _margin_with(
            result=lambda margins, labels: np.maximum(margins, 0).mean()
        ),
        "these are dot products; divide by the lengths": _margin_with(lambda X: X @ X.T),
        "these are distances; take cosines": _margin_with(_minus_distances),
        "the groups' margins are averaged; all vectors count alike": _margin_with(result=_mean_of_groups),
    },
)

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
            above=0, below=0
        ),
        "the 1 is missing above the line": _p_with(above=0),
        "the 1 is missing below the line": _p_with(below=0),
        "count the permutations that are equally pure, too: >=": _p_with(np.greater),
        "this counts the permutations that are less pure; p counts those that are as pure or purer": _p_with(np.less),
        "this counts the permutations that are as pure or less; p counts those that are as pure or purer": _p_with(
            np.less_equal
        ),
        "only permutations that are equally pure are counted; count the purer ones, too": _p_with(np.equal),
        "this is 1 - p": lambda *arguments: 1 - purity_p(*arguments),
        "this is the number of permutations; divide": lambda *arguments: purity_p(*arguments) * (1 + len(arguments[2])),
        "this is the average purity of the permutations; count how many are as pure as the observed one": _mean_purity,
        "each order is put upon the one before; begin with the observed labels each time": _one_after_the_other,
        "the orders are turned around: text i gets the label of text order[i]": _p_with(
            shuffle=lambda labels, order: [labels[order.index(i)] for i in range(len(order))]
        ),
        "labels and orders are lists; write [labels[i] for i in order]": lambda X, labels, permutations: labels[
            permutations[0]
        ],
    },
)


def check_neighbor_purity(student):
    """Check the purity: (X (n, d), labels) -> share of vectors whose nearest other one, by cosine, has their label."""
    return NEIGHBOR_PURITY.check(student)


def check_neighbor_margin(student):
    """Check the margin: (X (n, d), labels) -> nearest other of the own group minus nearest of another, by cosine."""
    return NEIGHBOR_MARGIN.check(student)


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
