"""Scores against scikit-learn, and against counting by hand."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from tutorial_book.experiments.virus import by_group, calibration, confusion, macro_f1


@pytest.fixture
def guessed():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 300)
    return p, np.where(rng.random(300) < 0.7, p.argmax(1), rng.integers(4, size=300))


def test_confusion_and_macro_f1_are_scikit_learns(guessed):
    p, labels = guessed
    found = confusion(labels, p.argmax(1), 4)
    assert (found == confusion_matrix(labels, p.argmax(1))).all()
    assert macro_f1(found) == pytest.approx(f1_score(labels, p.argmax(1), average="macro"))


def test_a_class_that_nobody_has_and_nobody_guesses_does_not_count():
    assert macro_f1(confusion([0, 0], [0, 0], 2)) == 1
    assert macro_f1(confusion([0, 0], [0, 1], 2)) == pytest.approx(f1_score([0, 0], [0, 1], average="macro")) == 1 / 3


def test_groups_add_up_to_the_whole(guessed):
    p, labels = guessed
    groups = np.repeat(np.arange(30), 10)
    found = by_group(labels, p.argmax(1), groups, 4)
    assert found.shape == (30, 4, 4) and (found.sum((1, 2)) == 10).all()
    assert (found.sum(0) == confusion(labels, p.argmax(1), 4)).all()


def test_calibration_by_hand():
    p = np.array([[0.95, 0.05], [0.85, 0.15], [0.45, 0.55], [0.4, 0.6]])
    found = calibration(p, [0, 1, 1, 0], n_bins=2)  # all are surer than 0.5
    assert found.count.tolist() == [4] and found.accuracy.tolist() == [0.5]
    assert found.error == pytest.approx(p.max(1).mean() - 0.5)
    found = calibration(p, [0, 1, 1, 0])  # bins of a tenth
    assert found.count.tolist() == [1, 1, 1, 1] and found.confidence.tolist() == [0.55, 0.6, 0.85, 0.95]
    assert found.error == pytest.approx((0.05 + 0.85 + 0.45 + 0.6) / 4)


def test_who_says_what_is_so_is_calibrated():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 20_000)
    labels = (rng.random((20_000, 1)) > p.cumsum(1)).sum(1)
    assert calibration(p, labels).error < 0.015
    assert calibration(p**3 / (p**3).sum(1, keepdims=True), labels).error > 0.1  # too sure


def test_probabilities_that_are_none_are_refused():
    with pytest.raises(ValueError, match=r"a row for each label, 2, that sums to 1, got shape \(2, 2\)"):
        calibration([[2.0, 1.0], [0.5, 0.5]], [0, 1])
    with pytest.raises(ValueError, match="a row for each label, 1"):
        calibration([[0.5, 0.5], [0.5, 0.5]], [0])
