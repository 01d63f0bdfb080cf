"""R's worked example, computed a second time: in NumPy and in exact decimals."""

from decimal import Decimal

import numpy as np
import pytest

X = np.array(
    [
        [1.0, 0.2, 0.3, 0.1],
        [0.3, 0.9, 0.2, 0.4],
        [0.2, 0.1, 0.8, 0.3],
        [0.4, 0.3, 0.2, 0.9],
        [0.1, 0.7, 0.4, 0.2],
        [0.5, 0.2, 0.6, 0.3],
        [0.8, 0.1, 0.2, 0.5],
    ]
)
W_Q = np.arange(1, 17).reshape(4, 4) / 10
Q, K, V = X @ W_Q, X @ (W_Q + 0.1), X @ (W_Q + 0.2)
SCALED = ["2.716", "3.062", "4.615", "5.078", "3.446", "4.373", "2.839"]
EXPONENTIALS = [Decimal(z).exp() for z in SCALED]


def softmax(z):
    return np.exp(z) / np.exp(z).sum()


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("R-5.4-q-painted", Q[3]),
        ("R-5.5-k-artist", K[2]),
        ("R-5.6-v-artist", V[2]),
        ("R-7.3-scores", Q[3] @ K.T),
        ("R-7.4-scaled", Q[3] @ K.T / 2),
        ("R-8.2-weights", softmax(Q[3] @ K.T / 2)),
        ("R-8.2-exponentials", EXPONENTIALS),
        ("R-8.2-sum-of-true-exponentials", sum(EXPONENTIALS)),
        ("R-8.2-softmax", [e / sum(EXPONENTIALS) for e in EXPONENTIALS]),
        ("R-7.1-e-10", Decimal(10).exp()),
        ("R-7.1-e-20", Decimal(20).exp()),
    ],
)
def test_a_number_is_what_another_way_gives(computed, id, expected):
    np.testing.assert_allclose(computed(id), np.array(expected, dtype=float), rtol=1e-7)


def test_the_notes_on_the_worked_example():
    scores = Q @ K.T
    weights = np.array([softmax(row / 2) for row in scores])
    assert len({tuple(np.argsort(-row)) for row in scores}) == 1, "every query gives the same order"
    np.testing.assert_allclose(weights[3] @ V, [1.6789, 1.8498, 2.0207, 2.1915], atol=5e-5)
    printed = np.array([0.0355, 0.0502, 0.2372, 0.3770, 0.0736, 0.1862, 0.0401])
    np.testing.assert_allclose(printed @ V, [1.577, 1.740, 1.902, 2.064], atol=5e-4)
    assert np.array([1.41, 1.53, 1.65, 1.77]) @ K[3] == pytest.approx(12.764, abs=5e-4)
    assert [np.linalg.matrix_rank(W_Q + step) for step in (0, 0.1, 0.2)] == [2, 2, 2]
    cosines = scores[3] / np.linalg.norm(K, axis=1) / np.linalg.norm(Q[3])
    assert cosines.min() > 0.99775 and cosines.argmax() == 4 and np.linalg.norm(K, axis=1).argmax() == 3
    assert softmax(scores[3]).max() == pytest.approx(0.868, abs=5e-4)
    off = np.array([15.130, 21.384, 101.019, 160.588, 31.346, 79.315, 17.087]) - np.array(EXPONENTIALS, dtype=float)
    assert (off > 0).sum() == 5 and abs(off).min() > 0.01 and abs(off).max() < 0.14


def test_the_plane_of_figure_2():
    values, vectors = np.linalg.eigh(np.cov(X.T))
    plane = (X - X.mean(0)) @ vectors[:, -2:]
    distance = np.linalg.norm(plane[:, None] - plane, axis=-1)
    assert values[-2:].sum() / values.sum() == pytest.approx(0.772, abs=5e-4)
    assert (distance[3].argsort()[1:3] == [6, 1]).all()
    assert (distance[np.triu_indices(7, 1)] < distance[3, 5]).sum() == 7, "the 8th closest of the 21 pairs"
