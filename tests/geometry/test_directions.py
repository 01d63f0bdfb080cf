"""Tokens as directions: the lens against decoders, all else against NumPy and SciPy."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from tests.geometry.clouds import WHOLE, gaussian
from tutorial_lib import load
from tutorial_lib.attention import softmax
from tutorial_lib.geometry import directions
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.vectors import layer_states

E = gaussian(30, 6) * np.random.default_rng(1).uniform(0.5, 2, size=(30, 1))  # 30 tokens of many lengths
X = gaussian(9, 6, seed=2)
REALS = st.floats(-100, 100).map(lambda x: round(x, 3))


def a_decoder(seed, tied, norm_first, dtype):
    """A decoder with random weights whose last LayerNorm does something."""
    torch.manual_seed(seed)
    config = Config(60, 24, 2 + seed % 3, 3, 40, 16, tied=tied, norm_first=norm_first)
    model = GPT(config).to(dtype).eval()
    if norm_first:
        torch.nn.init.normal_(model.norm.weight, 1, 0.3)
        torch.nn.init.normal_(model.norm.bias)
    return model


def lens_of(model, ids, mask=None):
    """The states after each layer, their scores by the lens, and the model's logits."""
    stops = model.trace(ids, attention_mask=mask)
    states = [stops[f"layer.{i}.output"] for i in range(model.config.n_layers)]
    return states, directions.logit_lens(states, model.norm, model.unembedding), stops["logits"].double().numpy()


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_last_layers_scores_are_the_logits(tied, norm_first, dtype):
    for seed, (B, n) in enumerate([(1, 1), (3, 16), (2, 4)]):
        model = a_decoder(seed, tied, norm_first, dtype)
        ids = torch.randint(60, (B, n))
        states, lens, logits = lens_of(model, ids)
        assert lens.shape == (len(states), B, n, 60)
        np.testing.assert_array_equal(lens[-1], logits)  # to the last bit
        np.testing.assert_array_equal(lens[-1], model(ids)[0].detach().double().numpy())
    _, lens, logits = lens_of(model, ids, torch.tensor([[0, 0, 1, 1], [1, 1, 1, 1]]))  # padded texts
    np.testing.assert_array_equal(lens[-1], logits)


def test_all_layers_are_read_by_the_same_norm():
    model = a_decoder(3, False, True, torch.float64)
    states, lens, _ = lens_of(model, torch.randint(60, (1, 5)))
    of_matrix = directions.logit_lens(states, model.norm, model.unembedding.weight)
    np.testing.assert_allclose(of_matrix, lens, atol=1e-12)
    weight, bias, W = (p.detach().numpy() for p in (model.norm.weight, model.norm.bias, model.unembedding.weight))
    for scores, state in zip(lens, states, strict=True):
        x = state.numpy()
        normed = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(scores, (normed * weight + bias) @ W.T, atol=1e-12)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_states_and_matrix_may_be_arrays_or_tensors(norm_first, dtype):
    model = a_decoder(4, False, norm_first, dtype)
    states, lens, _ = lens_of(model, torch.randint(60, (2, 5)))
    W = model.unembedding.weight
    arrays_of = [state.numpy() for state in states]
    with_gradients = [state.clone().requires_grad_() for state in states]
    for each in (states, arrays_of, [state.astype(float) for state in arrays_of], torch.stack(states), with_gradients):
        for matrix in (model.unembedding, W, W.detach().numpy(), W.detach().double().numpy(), W.detach().double()):
            found = directions.logit_lens(each, model.norm, matrix)
            np.testing.assert_allclose(found, lens, atol=1e-12 if dtype == torch.float64 else 1e-5)
    by_hand = [model.norm(state).detach().numpy() @ W.detach().numpy().T for state in states]
    with pytest.raises(ValueError, match=r"unembedding must be \(vocab_size, \d+\), got shape"):
        directions.logit_lens(arrays_of, model.norm, W.T)
    found = directions.logit_lens(arrays_of, lambda X: model.norm(torch.tensor(X)).detach().numpy(), W)
    np.testing.assert_allclose(found, by_hand, atol=1e-5)


@pytest.mark.parametrize("name", ["book-gpt", "book-bert"])
def test_lens_reads_layer_states_of_any_model(name):
    model, tok = load(name)
    ids = tok("the bear sat").ids
    stops, states = model.trace([ids]), layer_states(model, [ids])
    n = model.config.n_layers
    norm = getattr(model, "norm", torch.nn.Identity())
    matrix = model.embeddings.tokens.weight
    expected = directions.logit_lens([stops[f"layer.{i}.output"] for i in range(n)], norm, matrix)
    found = directions.logit_lens([states[str(i)] for i in range(1, n + 1)], norm, matrix.detach().numpy())
    np.testing.assert_allclose(found, expected, atol=1e-3)


@given(arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(1, 5)),
              elements=st.integers(-3, 3)))  # fmt: skip
def test_agreement_counts_places_with_the_last_top_token(scores):
    top = scores.argmax(-1).reshape(len(scores), -1)
    assert directions.layer_agreement(scores) == pytest.approx([np.mean(layer == top[-1]) for layer in top])


MEASURED = {  # the larger, the nearer
    "distance": lambda X, Y: -cdist(X, Y),
    "dot": lambda X, Y: X @ Y.T,
    "cosine": lambda X, Y: -cdist(X, Y, "cosine"),
}


@given(WHOLE, st.data())
def test_neighbors_are_those_of_scipys_distances(Y, data):
    X = np.roll(Y, 1, axis=0) + 5
    k = data.draw(st.integers(1, len(Y)))
    near = directions.nearest_by_measure(X, Y, k)
    for measure, closeness in MEASURED.items():
        S, found = closeness(X, Y), getattr(near, measure)
        assert found.shape == (len(X), k) and all(len(set(row)) == k for row in found.tolist())
        # Rows may be equally near: then their distance is equal, if not their number.
        np.testing.assert_allclose(np.take_along_axis(S, found, 1), -np.sort(-S, axis=1)[:, :k], atol=1e-9)


@pytest.mark.parametrize("measure", MEASURED)
def test_neighbors_in_chunks_are_in_order(measure, monkeypatch):
    monkeypatch.setattr(directions, "CHUNK", 4)
    found = getattr(directions.nearest_by_measure(X, E, k=12), measure)
    np.testing.assert_array_equal(found, np.argsort(-MEASURED[measure](X, E), axis=1)[:, :12])
    some = np.array([3, 0, 29, 7, 7, 12])
    found = getattr(directions.nearest_by_measure(E[some], E, k=29, leave_out=some), measure)
    for i, row in zip(some, found, strict=True):
        order = np.argsort(-MEASURED[measure](E[i : i + 1], E)[0])
        assert row.tolist() == [j for j in order.tolist() if j != i]


def test_of_rows_equally_near_the_first_come_first():
    rows = 40 * [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    at = np.arange(120).reshape(40, 3)
    expected = [[*at[:, [0, 2]].ravel().tolist(), *at[:, 1].tolist()]]
    assert all(found.tolist() == expected for found in directions.nearest_by_measure([[1.0, 0.0]], rows, k=120))


def test_overlap_is_what_two_lists_have_in_common():
    near = directions.nearest_by_measure(X, E, k=6)
    found = directions.measure_overlap(near)
    for i, first in enumerate(near):
        for j, second in enumerate(near):
            shares = [len(set(a) & set(b)) / 6 for a, b in zip(first.tolist(), second.tolist(), strict=True)]
            assert found[i, j] == pytest.approx(np.mean(shares))


@given(arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.integers(-3, 3)))
def test_the_pseudo_inverse_is_numpys(E):
    np.testing.assert_allclose(directions.inverse_unembedding(E, "pseudo-inverse").T, np.linalg.pinv(E), atol=1e-7)


@pytest.mark.parametrize("short, rcond", [(1e-5, 0), (1e-8, 1e-6)])
def test_directions_below_a_millionth_count_as_missing(short, rcond):
    flat = E * [1, 1, 1, 1, 1, short]
    expected = np.linalg.pinv(flat, rcond=rcond)
    np.testing.assert_allclose(directions.inverse_unembedding(flat, "pseudo-inverse").T, expected, rtol=1e-4, atol=1e-6)


def test_own_scores_of_each_inverse_are_known():
    own = {kind: directions.own_scores(E, directions.inverse_unembedding(E, kind)) for kind in directions.INVERSES}
    assert own["transpose"] == pytest.approx((E**2).sum(axis=1))
    assert own["normalized transpose"] == pytest.approx(np.ones(30))
    assert own["pseudo-inverse"].sum() == pytest.approx(6)  # the rank


def test_top_tokens_have_the_largest_score(monkeypatch):
    monkeypatch.setattr(directions, "CHUNK", 4)
    assert directions.top_tokens(torch.from_numpy(X), E).tolist() == [int(np.argmax([row @ x for row in E])) for x in X]


@given(arrays(np.float64, (2, 5), elements=REALS), arrays(np.float64, (4, 5), elements=REALS))
def test_the_plane_tells_both_tokens_scores(tokens, states):
    if np.linalg.matrix_rank(tokens, tol=1e-3) < 2 or not states.any(axis=1).all():
        return
    plane = directions.token_plane(*tokens)
    path = directions.plane_path(plane, states)
    np.testing.assert_allclose(plane.axes @ plane.axes.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(plane.tokens @ plane.axes, tokens, atol=1e-9)
    np.testing.assert_allclose(path.scores, states @ tokens.T, atol=1e-9 * (1 + abs(tokens).max() * abs(states).max()))
    assert plane.tokens[0, 0] > 0 and plane.tokens[0, 1] == 0 and plane.tokens[1, 1] > 0
    assert ((0 <= path.shares) & (path.shares <= 1)).all()


def test_shares_are_those_of_the_projection():
    plane = directions.token_plane(E[0], E[1])
    A = E[:2].T
    P = A @ np.linalg.inv(A.T @ A) @ A.T  # onto the plane, (6, 6)
    expected = [((P @ x) ** 2).sum() / (x**2).sum() for x in X]
    assert directions.plane_path(plane, X).shares == pytest.approx(expected)
    many = directions.plane_path(plane, 1e-5 * X.reshape(3, 3, 6))
    assert many.shares.ravel() == pytest.approx(expected)
    assert [part.shape for part in many] == [(3, 3, 2), (3, 3), (3, 3, 2)]
    assert [part.shape for part in directions.plane_path(plane, X[4])] == [(2,), (), (2,)]


@given(arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 6)), elements=REALS), st.floats(0.01, 100))
def test_the_best_probability_is_softmaxs(scores, scale):
    expected = softmax(torch.from_numpy(scores), temperature=1 / scale).max(dim=-1).values
    assert directions.best_probability(scores, [scale])[0] == pytest.approx(expected.numpy(), rel=1e-9)


def test_scales_come_first_and_nothing_overflows():
    found = directions.best_probability(E, [0, 1e6])
    assert found[0] == pytest.approx(np.full(30, 1 / 6))
    assert found[1] == pytest.approx(np.ones(30))
