"""How good a classifier is: macro-F1, calibration, and intervals that respect dependent samples."""

from typing import NamedTuple

import numpy as np
from sklearn.metrics import confusion_matrix

from tutorial_lib.arguments import whole_number


class Calibration(NamedTuple):
    """Bins of predictions by confidence. confidence, accuracy: means of each nonempty bin; count: how many.

    error: the expected calibration error, the mean distance of confidence and accuracy over all predictions.
    """

    confidence: np.ndarray
    accuracy: np.ndarray
    count: np.ndarray
    error: float


def calibration(p, labels, n_bins=10) -> Calibration:
    """Test whether a classifier is right as often as it says. p: probabilities (n, n_classes). labels: (n,).

    Confidence is the highest probability of a row; the bins have equal width. Raises ValueError if rows do not sum to
    1, or there are not as many labels as rows. Source: Guo et al. (2017).

    >>> calibration([[0.9, 0.1], [0.9, 0.1]], [0, 1]).error
    0.4
    """
    p, labels = np.asarray(p, dtype=float), np.asarray(labels)
    n_bins = whole_number("n_bins", n_bins, 1, "a number of bins, 1 or more")
    if p.ndim != 2 or len(p) != len(labels) or not np.allclose(p.sum(1), 1, atol=1e-3):
        raise ValueError(f"p must have a row for each label, {len(labels)}, that sums to 1, got shape {p.shape}")
    sure, right = p.max(1), p.argmax(1) == labels
    of = np.minimum((sure * n_bins).astype(int), n_bins - 1)
    count = np.bincount(of, minlength=n_bins)
    used = count > 0
    confidence, accuracy = (np.bincount(of, x, n_bins)[used] / count[used] for x in (sure, right))
    error = float(np.round(np.abs(confidence - accuracy) @ count[used] / len(p), 12))
    return Calibration(confidence, accuracy, count[used], error)


def macro_f1(confused) -> float:
    """Return the mean over classes of F1, 2 · right / (true + guessed), from a confusion matrix.

    Classes that neither occur nor are guessed are left out, as in scikit-learn.

    >>> round(macro_f1([[1, 1], [0, 1]]), 3)
    0.667
    """
    confused = np.asarray(confused, dtype=float)
    both = confused.sum(0) + confused.sum(1)
    return float(np.mean(2 * np.diag(confused)[both > 0] / both[both > 0]))


def by_group(labels, guesses, groups, n_classes) -> np.ndarray:
    """Return a confusion matrix for each group, (n_groups, n_classes, n_classes), for a bootstrap over groups.

    Near copies err together, so an interval that counts each as an observation would be too narrow. The sum over groups
    is the confusion matrix of all.

    >>> by_group([0, 1, 1], [0, 1, 0], ["a", "a", "b"], 2).tolist()
    [[[1, 0], [0, 1]], [[0, 0], [1, 0]]]
    """
    labels, guesses, groups = map(np.asarray, (labels, guesses, groups))
    members = [groups == group for group in dict.fromkeys(groups)]
    return np.array([confusion_matrix(labels[own], guesses[own], labels=range(n_classes)) for own in members])
