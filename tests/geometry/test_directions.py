"""Tokens as directions: the lens against decoders, all else against NumPy by hand."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from tutorial_lib.attention import softmax
from tutorial_lib.geometry import (
    TokenPlane,
    best_probability,
    directions,
    inverse_unembedding,
    layer_agreement,
    logit_lens,
    measure_overlap,
    nearest_by_measure,
    own_scores,
    plane_path,
    token_plane,
    top_tokens,
)
from tutorial_lib.gpt import GPT, Config

RNG = np.random.default_rng(0)
E = RNG.normal(size=(30, 6)) * RNG.uniform(0.5, 2, size=(30, 1))  # 30 tokens of many lengths
X = RNG.normal(size=(9, 6))
reals = st.floats(-100, 100).map(lambda x: round(x, 3))


def a_decoder(seed, tied, norm_first, dtype):
    """A decoder with random weights whose last LayerNorm does something."""
    torch.manual_seed(seed)
    config = Config(60, 24, 2 + seed % 3, 3, 40, 16, tied=tied, norm_first=norm_first)
    model = GPT(config).to(dtype).eval()
    if norm_first:
        torch.nn.init.normal_(model.norm.weight, 1, 0.3)
        torch.nn.init.normal_(model.norm.bias)
    return model


def states_of(model, ids, **more):
    """The states after each layer, and the logits."""
    stops = model.trace(ids, **more)
    return [stops[f"layer.{i}.output"] for i in range(model.config.n_layers)], stops["logits"]


# --- the lens --------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(
    st.integers(0, 99), st.booleans(), st.booleans(), st.sampled_from([torch.float32, torch.float64]),
    st.integers(1, 3), st.integers(1, 16),
)  # fmt: skip
def test_at_the_last_layer_the_lens_shows_the_models_logits_to_the_last_bit(seed, tied, norm_first, dtype, B, n):
    model = a_decoder(seed, tied, norm_first, dtype)
    ids = torch.randint(60, (B, n))
    states, logits = states_of(model, ids)
    lens = logit_lens(states, model.norm, model.unembedding)
    assert lens.shape == (len(states), B, n, 60)
    assert np.array_equal(lens[-1], logits.double().numpy())
    assert np.array_equal(lens[-1], model(ids)[0].detach().double().numpy())


def test_and_for_texts_that_are_padded():
    model = a_decoder(1, True, True, torch.float32)
    mask = torch.tensor([[0, 0, 1, 1], [1, 1, 1, 1]])
    states, logits = states_of(model, torch.randint(60, (2, 4)), attention_mask=mask)
    assert np.array_equal(logit_lens(states, model.norm, model.unembedding)[-1], logits.double().numpy())


def test_without_the_last_layer_norm_it_does_not():
    model = a_decoder(2, True, True, torch.float32)
    states, logits = states_of(model, torch.randint(60, (1, 5)))
    lens = logit_lens(states, torch.nn.Identity(), model.unembedding)
    assert not np.allclose(lens[-1], logits, atol=0.1)


def test_earlier_layers_are_read_by_the_same_layer_norm_and_unembedding():
    model = a_decoder(3, False, True, torch.float64)
    states, _ = states_of(model, torch.randint(60, (1, 5)))
    lens = logit_lens(states, model.norm, model.unembedding)
    weight, bias, W = (p.detach().numpy() for p in (model.norm.weight, model.norm.bias, model.unembedding.weight))
    for scores, state in zip(lens, states):
        x = state.numpy()
        normed = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(scores, (normed * weight + bias) @ W.T, atol=1e-12)


def test_the_lens_knows_no_model():
    assert logit_lens(np.stack([X, 2 * X]), lambda x: x / 2, lambda x: x @ E.T) == pytest.approx(
        np.stack([X @ E.T / 2, X @ E.T])
    )


@given(arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(1, 5)),
              elements=st.integers(-3, 3)))  # fmt: skip
def test_agreement_counts_places_whose_top_token_is_the_last_layers(scores):
    found = layer_agreement(scores)
    n_layers, B, n, _ = scores.shape
    for i in range(n_layers):
        same = [scores[i, b, j].argmax() == scores[-1, b, j].argmax() for b in range(B) for j in range(n)]
        assert found[i] == pytest.approx(sum(same) / (B * n))
    assert found[-1] == 1


# --- neighbors -------------------------------------------------------------------------------------------------------

MEASURED = {  # the larger, the nearer
    "distance": lambda X, Y: -cdist(X, Y),
    "dot": lambda X, Y: X @ Y.T,
    "cosine": lambda X, Y: -cdist(X, Y, "cosine"),
}
whole = arrays(np.float64, st.tuples(st.integers(1, 8), st.just(3)), elements=st.integers(-4, 4)).filter(
    lambda X: X.any(axis=1).all()
)


@given(whole, whole, st.data())
def test_neighbors_are_those_of_scipys_distances(X, Y, data):
    k = data.draw(st.integers(1, len(Y)))
    near = nearest_by_measure(X, Y, k)
    for measure, closeness in MEASURED.items():
        S, found = closeness(X, Y), getattr(near, measure)
        assert found.shape == (len(X), k) and all(len(set(row)) == k for row in found.tolist())
        # rows may be equally near: then their closeness is equal, if not their number
        np.testing.assert_allclose(np.take_along_axis(S, found, 1), -np.sort(-S, axis=1)[:, :k], atol=1e-9)


@pytest.mark.parametrize("measure", MEASURED)
def test_the_order_is_that_of_a_full_sort_over_more_queries_than_one_chunk(measure, monkeypatch):
    monkeypatch.setattr(directions, "CHUNK", 4)
    found = getattr(nearest_by_measure(X, E, k=12), measure)
    assert np.array_equal(found, np.argsort(-MEASURED[measure](X, E), axis=1)[:, :12])


@pytest.mark.parametrize("measure", MEASURED)
def test_a_row_that_is_left_out_never_comes(measure, monkeypatch):
    monkeypatch.setattr(directions, "CHUNK", 4)
    some = np.array([3, 0, 29, 7, 7, 12])
    found = getattr(nearest_by_measure(E[some], E, k=29, leave_out=some), measure)
    for i, row in zip(some, found):
        order = np.argsort(-MEASURED[measure](E[i : i + 1], E)[0])
        assert row.tolist() == [j for j in order.tolist() if j != i]


def test_of_rows_equally_near_the_first_come_first():
    rows = 40 * [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    at = np.arange(120).reshape(40, 3)
    expected = [[*at[:, [0, 2]].ravel().tolist(), *at[:, 1].tolist()]]
    assert all(found.tolist() == expected for found in nearest_by_measure([[1.0, 0.0]], rows, k=120))


def test_rows_of_one_length_have_the_same_neighbors_by_all_three():
    U = E / np.linalg.norm(E, axis=1, keepdims=True)
    assert (measure_overlap(nearest_by_measure(X, U, k=5)) == 1).all()
    assert (measure_overlap(nearest_by_measure(X, E, k=5)) < 1)[~np.eye(3, dtype=bool)].all()  # and others have not


def test_overlap_is_the_share_that_two_lists_have_in_common():
    near = nearest_by_measure(X, E, k=6)
    found = measure_overlap(near)
    for i, first in enumerate(near):
        for j, second in enumerate(near):
            shares = [len(set(a.tolist()) & set(b.tolist())) / 6 for a, b in zip(first, second)]
            assert found[i, j] == pytest.approx(np.mean(shares))


# --- there and back --------------------------------------------------------------------------------------------------


@given(arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.integers(-3, 3)))
def test_the_pseudo_inverse_is_numpys_whatever_the_rank(E):
    np.testing.assert_allclose(inverse_unembedding(E, "pseudo-inverse").T, np.linalg.pinv(E), atol=1e-7)


def test_directions_shorter_than_a_millionth_count_as_missing():
    for short, kept in ((1e-5, True), (1e-8, False)):
        X = E * [1, 1, 1, 1, 1, short]
        expected = np.linalg.pinv(X, rcond=0 if kept else 1e-6)
        np.testing.assert_allclose(inverse_unembedding(X, "pseudo-inverse").T, expected, rtol=1e-4, atol=1e-6)


def test_the_left_inverse_inverts_from_the_left_only():
    W = inverse_unembedding(E, "pseudo-inverse")
    assert np.allclose(W.T @ E, np.eye(6)) and not np.allclose(E @ W.T, np.eye(30))


def test_own_scores_are_squared_lengths_ones_and_shares_of_the_rank():
    own = {kind: own_scores(E, inverse_unembedding(E, kind)) for kind in directions.INVERSES}
    assert own["transpose"] == pytest.approx((E**2).sum(axis=1))
    assert own["normalized transpose"] == pytest.approx(np.ones(30))
    assert own["pseudo-inverse"].sum() == pytest.approx(6)
    assert 0 <= own["pseudo-inverse"].min() and own["pseudo-inverse"].max() <= 1


def test_orthogonal_tokens_have_one_inverse():
    Q = np.linalg.qr(RNG.normal(size=(5, 5)))[0] * [[1.0], [2.0], [3.0], [0.5], [1.5]]
    W = inverse_unembedding(Q, "normalized transpose")
    assert np.allclose(W, inverse_unembedding(Q, "pseudo-inverse")) and np.allclose(Q @ W.T, np.eye(5))


def test_top_tokens_have_the_largest_score(monkeypatch):
    monkeypatch.setattr(directions, "CHUNK", 4)
    assert top_tokens(torch.from_numpy(X), E).tolist() == [int(np.argmax([row @ x for row in E])) for x in X]


def test_a_long_token_can_come_back_in_place_of_a_short_one():
    tokens = [[1.0, 0.1], [3.0, 0.0], [0.0, 1.0]]
    assert top_tokens(tokens, tokens).tolist() == [1, 1, 2]
    assert top_tokens(tokens, np.divide(tokens, np.linalg.norm(tokens, axis=1)[:, None])).tolist() == [0, 1, 2]


# --- the plane of two tokens -----------------------------------------------------------------------------------------


@given(arrays(np.float64, (2, 5), elements=reals), arrays(np.float64, (4, 5), elements=reals))
def test_the_planes_coordinates_reproduce_both_scores(tokens, states):
    if np.linalg.matrix_rank(tokens, tol=1e-3) < 2 or not states.any(axis=1).all():
        return
    plane = token_plane(*tokens)
    path = plane_path(plane, states)
    np.testing.assert_allclose(plane.axes @ plane.axes.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(plane.tokens @ plane.axes, tokens, atol=1e-9)
    np.testing.assert_allclose(path.scores, states @ tokens.T, atol=1e-9 * (1 + abs(tokens).max() * abs(states).max()))
    assert plane.tokens[0, 0] > 0 and plane.tokens[0, 1] == 0 and plane.tokens[1, 1] > 0
    assert ((0 <= path.shares) & (path.shares <= 1)).all()


def test_the_share_is_the_cosine_with_the_projection_squared():
    plane = token_plane(E[0], E[1])
    A = E[:2].T
    P = A @ np.linalg.inv(A.T @ A) @ A.T  # the projection onto the plane, (6, 6)
    expected = [((P @ x) ** 2).sum() / (x**2).sum() for x in X]
    assert plane_path(plane, X).shares == pytest.approx(expected)
    assert plane_path(plane, 1e-5 * X).shares == pytest.approx(expected)


def test_shares_are_1_in_the_plane_0_across_and_2_of_d_by_chance():
    plane = token_plane([3.0, 0, 0, 0], [1.0, 2, 0, 0])
    assert plane_path(plane, [[1, 5, 0, 0], [0, 0, 2, 1]]).shares == pytest.approx([1, 0])
    chance = plane_path(plane, np.random.default_rng(1).normal(size=(20_000, 4))).shares.mean()
    assert chance == pytest.approx(2 / 4, abs=0.01)


def test_a_path_through_a_decoders_layers_ends_at_its_logits():
    model = a_decoder(4, True, True, torch.float64)
    states, logits = states_of(model, torch.randint(60, (1, 7)))
    W = model.unembedding.weight
    with torch.no_grad():
        path = plane_path(token_plane(W[11], W[42]), torch.stack([model.norm(state)[0, -1] for state in states]))
    assert path.coordinates.shape == (len(states), 2)
    np.testing.assert_allclose(path.scores[-1], logits[0, -1, [11, 42]], atol=1e-12)
    np.testing.assert_allclose(path.scores, logit_lens(states, model.norm, model.unembedding)[:, 0, -1, [11, 42]])


def test_states_may_have_any_number_of_axes_but_their_own():
    plane = token_plane(E[0], E[1])
    many = plane_path(plane, X.reshape(3, 3, 6))
    assert [part.shape for part in many] == [(3, 3, 2), (3, 3), (3, 3, 2)]
    one = plane_path(plane, X[4])
    assert [part.shape for part in one] == [(2,), (), (2,)] and one.scores == pytest.approx(many.scores[1, 1])


# --- length as confidence --------------------------------------------------------------------------------------------


@given(arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 6)), elements=reals), st.floats(0.01, 100))
def test_the_best_probability_is_softmaxs_at_one_over_the_scale(scores, scale):
    z = torch.from_numpy(scores)
    expected = softmax(z, temperature=1 / scale).max(dim=-1).values
    assert best_probability(scores, [scale])[0] == pytest.approx(expected.numpy(), rel=1e-9)


@given(arrays(np.float64, st.integers(1, 6), elements=reals), st.floats(0.01, 100), st.floats(0.01, 100))
def test_scaling_never_changes_the_best_token_and_longer_is_surer(scores, first, second):
    assert (first * scores).argmax() == (second * scores).argmax() == scores.argmax()
    short, long = best_probability(scores, sorted([first, second]))
    assert 1 / len(scores) - 1e-12 <= short <= long + 1e-12 <= 1 + 1e-12


def test_a_longer_state_has_larger_scores_in_proportion():
    model = a_decoder(5, False, True, torch.float64)
    with torch.no_grad():
        x = torch.randn(24).double()
        by_state = [softmax(model.unembedding(c * x)).max().item() for c in (0, 0.5, 1, 3)]
        assert best_probability(model.unembedding(x), [0, 0.5, 1, 3]) == pytest.approx(by_state)
    assert by_state[0] == pytest.approx(1 / 60)


def test_scales_stand_first_and_large_ones_overflow_nothing():
    found = best_probability(E, [0, 1, 1e6])
    assert found.shape == (3, 30) and found[0] == pytest.approx(np.full(30, 1 / 6)) and found[2] == pytest.approx(1)


# --- errors ----------------------------------------------------------------------------------------------------------

PLANE = TokenPlane(np.eye(2, 6), np.eye(2))


@pytest.mark.parametrize(
    ("function", "arguments", "says"),
    [
        (logit_lens, ([], np.array, np.array), "states must be one or more layers of one shape"),
        (logit_lens, ([X, X[:2]], np.array, np.array), r"states must be .* of one shape, .*got \[\(9, 6"),
        (logit_lens, ([X], lambda x: x * np.nan, np.array), "scores must be finite"),
        (layer_agreement, ([1.0, 2.0],), r"scores must have shape \(n_layers, ..., vocab_size\)"),
        (layer_agreement, (np.zeros((2, 0, 3)),), "scores must have shape"),
        (nearest_by_measure, (X, E[:, :5]), "rows must be as wide as queries, 6, got 5"),
        (nearest_by_measure, (X, 0 * E), "rows must have no row of zeros, which has no direction, got row 0"),
        (nearest_by_measure, (0 * X, E), "queries must have no row of zeros"),
        (nearest_by_measure, (X, E, 31), r"k must be a number of neighbors \(an int from 1 to 30\), got 31"),
        (nearest_by_measure, (X, E, 30, range(9)), r"k must be a number of neighbors \(an int from 1 to 29\), got 30"),
        (nearest_by_measure, (X, E, 2, range(8)), "leave_out must hold one number of a row, 0 to 29, for each"),
        (nearest_by_measure, (X, E, 2, range(22, 31)), "leave_out must hold one number of a row"),
        (nearest_by_measure, (X, E, 2, range(-1, 8)), "leave_out must hold one number of a row"),
        (nearest_by_measure, (X, E, 2, np.arange(9) + 0.5), "leave_out must hold one number of a row"),
        (measure_overlap, ([1, 2, 3],), r"near must hold a list \(n, k\) for each measure"),
        (top_tokens, (X, E[:, :5]), "unembedding must be as wide as states, 6, got 5"),
        (inverse_unembedding, (E, "inverse"), "kind must be one of transpose, normalized transpose, pseudo-inverse"),
        (inverse_unembedding, (0 * E, "normalized transpose"), "E must have no row of zeros"),
        (own_scores, (E, E[:4]), "unembedding must have a row for each row of E, 30, got 4"),
        (token_plane, (E[0], X), "a and b must be two vectors of one width"),
        (token_plane, ([1.0], [2.0]), "a and b must be two vectors of one width, 2 or more"),
        (token_plane, (E[0], -3 * E[0]), "a and b must point in two directions"),
        (token_plane, (0 * E[0], E[0]), "a and b must point in two directions"),
        (token_plane, (E[0], 0 * E[0]), "a and b must point in two directions"),
        (plane_path, (PLANE, X[:, :5]), "states must be vectors of the plane's width, 6"),
        (plane_path, (PLANE, 0 * X), "states must have no row of zeros"),
        (best_probability, (1.0, [1]), r"scores must have shape \(..., vocab_size\)"),
        (best_probability, ([1.0, 2.0], [-1]), r"scales must be a list of numbers, 0 or more, got \[-1.0\]"),
        (best_probability, ([1.0, 2.0], 1), "scales must be a list of numbers"),
        (best_probability, ([1.0, 2.0], []), "scales must be a list of numbers"),
    ],
)
def test_bad_input_is_refused_by_name(function, arguments, says):
    with pytest.raises(ValueError, match=says):
        function(*arguments)
