"""R's worked example, recomputed from R's printed digits with exact fractions and 40-digit exponentials."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

import numpy as np
import torch

from tutorial_book.experiments import attention as toy
from tutorial_lib.attention import attention, scores

# R eqs. 2-5, in tenths, typed from the document and not from the module
X = [[10, 2, 3, 1], [3, 9, 2, 4], [2, 1, 8, 3], [4, 3, 2, 9], [1, 7, 4, 2], [5, 2, 6, 3], [8, 1, 2, 5]]
W_Q = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
W_K = [[2, 3, 4, 5], [6, 7, 8, 9], [10, 11, 12, 13], [14, 15, 16, 17]]
W_V = [[3, 4, 5, 6], [7, 8, 9, 10], [11, 12, 13, 14], [15, 16, 17, 18]]
CLS, THE, ARTIST, PAINTED, THE_SECOND, PORTRAIT, SEP = range(7)


def exact_product(A, B):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


def exact_example():
    """Q, K, V and Q K^T as fractions: X and W are in tenths, so Q is in hundredths."""
    Q, K, V = ([[Fraction(value, 100) for value in row] for row in exact_product(X, W)] for W in (W_Q, W_K, W_V))
    return Q, K, V, exact_product(Q, [list(column) for column in zip(*K)])


def precise_attention():
    """Weights and output by Decimal's exp, to 40 digits."""
    _, _, V, S = exact_example()
    with localcontext() as context:
        context.prec = 40
        as_decimal = [[Decimal(s.numerator) / s.denominator / 2 for s in row] for row in S]
        exps = [[z.exp() for z in row] for row in as_decimal]
        A = [[e / sum(row) for e in row] for row in exps]
        V = [[Decimal(v.numerator) / v.denominator for v in row] for row in V]
        return A, exact_product(A, V)


def floats(rows):
    return torch.tensor([[float(value) for value in row] for row in rows], dtype=torch.float64)


def ours():
    Q, K, V = toy.X @ toy.W_Q, toy.X @ toy.W_K, toy.X @ toy.W_V
    return Q, K, V, attention(Q, K, V)


def test_the_matrices_are_rs():
    for ours, printed in ((toy.X, X), (toy.W_Q, W_Q), (toy.W_K, W_K), (toy.W_V, W_V)):
        assert ours.dtype == torch.float64 and torch.equal((10 * ours).round(), floats(printed))
        assert torch.allclose(ours, floats(printed) / 10, atol=1e-15)
    assert toy.TOKENS == "[CLS] The artist painted the portrait [SEP]".split()


def test_queries_keys_values_and_scores_equal_exact_fractions():
    exact_Q, exact_K, exact_V, exact_S = exact_example()
    Q, K, V, _ = ours()
    for ours_, exact in ((Q, exact_Q), (K, exact_K), (V, exact_V), (Q @ K.T, exact_S), (2 * scores(Q, K), exact_S)):
        assert torch.allclose(ours_, floats(exact), rtol=0, atol=1e-12)


def test_weights_and_outputs_equal_forty_digit_arithmetic():
    A, output = precise_attention()
    _, _, _, (our_output, our_weights) = ours()
    assert torch.allclose(our_weights, floats(A), rtol=0, atol=1e-12)
    assert torch.allclose(our_output, floats(output), rtol=0, atol=1e-12)


def test_what_r_prints_by_hand_is_not_what_its_matrices_give():
    Q, K, V, S = exact_example()
    assert Q[PAINTED] == [Fraction(n, 100) for n in (154, 172, 190, 208)]  # R 5.4: 1.41 1.53 1.65 1.77
    assert K[ARTIST] == [Fraction(n, 100) for n in (132, 146, 160, 174)]  # R 5.5: 1.26 1.38 1.50 1.62
    assert V[ARTIST] == [Fraction(n, 100) for n in (146, 160, 174, 188)]  # R 5.6: 1.10 1.22 1.34 1.46
    assert S[PAINTED] == [Fraction(n, 10_000) for n in (73840, 119632, 112032, 145696, 97552, 108592, 99904)]  # R 7.3
    A, output = precise_attention()
    assert [f"{a:.4f}" for a in A[PAINTED]] == ["0.0150", "0.1482", "0.1014", "0.5456", "0.0491", "0.0853", "0.0553"]
    assert [f"{o:.4f}" for o in output[PAINTED]] == ["1.6789", "1.8498", "2.0207", "2.1915"]  # R 8.4 prints none


def test_all_seven_queries_rank_the_keys_alike_by_length():
    _, K, _, (_, weights) = ours()
    order = [PAINTED, THE, ARTIST, PORTRAIT, SEP, THE_SECOND, CLS]
    assert all(row.argsort(descending=True).tolist() == order for row in weights)
    assert K.norm(dim=1).argsort(descending=True).tolist() == order


def test_a_row_of_r_depends_on_two_numbers_only():
    r = torch.arange(4, dtype=torch.float64)
    s, w = toy.X.sum(1, keepdim=True), (toy.X @ r)[:, None]
    for W, start in ((toy.W_Q, 0.1), (toy.W_K, 0.2), (toy.W_V, 0.3)):
        assert torch.linalg.matrix_rank(W) == 2
        assert torch.allclose(toy.X @ W, start * s + 0.4 * w + 0.1 * s * r)


def test_in_rs_figure_the_and_the_are_close_and_painted_and_portrait_are_not():
    centered = np.array(X) / 10 - np.mean(X, axis=0) / 10
    variances, directions = np.linalg.eigh(centered.T @ centered)  # smallest first
    points = centered @ directions[:, -2:]
    distance = {pair: np.linalg.norm(points[pair[0]] - points[pair[1]]) for pair in combinations(range(7), 2)}
    ranked = sorted(distance, key=distance.get)
    assert ranked[:3] == [(CLS, SEP), (ARTIST, PORTRAIT), (THE, THE_SECOND)]
    assert ranked.index((PAINTED, PORTRAIT)) == 7
    assert 0.77 < variances[-2:].sum() / variances.sum() < 0.78
