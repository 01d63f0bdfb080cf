"""Keys, values and coordinates taken away; softmaxes with a way out; whose the stored numbers are."""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch

from tutorial_book.experiments import sinks
from tutorial_book.experiments.sinks import KINDS, Texts, is_signal, letters, new_model, rounded, rounding, stored
from tutorial_lib.bert import Bert, Config
from tutorial_lib.parity import difference
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training.recipes import HELD_OUT

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def encoder():
    torch.manual_seed(0)
    return Bert(Config(vocab_size=1_210, d_model=16, n_layers=3, n_heads=2, d_ff=32)).eval().double()


@pytest.fixture(scope="module")
def some():
    return Texts(WordPiece.from_pretrained("book-bert"), ["Mia saw a big dog in the park.", "Run!", "He ran home."])


@pytest.fixture(scope="module")
def seated():
    """An encoder that is made so that coordinate 3, which position 0 alone has, draws all heads."""
    torch.manual_seed(1)
    bert = Bert(Config(vocab_size=1_210, d_model=16, n_layers=2, n_heads=2, d_ff=32)).eval()
    with torch.no_grad():
        bert.embeddings.positions.weight[0, 3] = 20.0
        for layer in bert.layer:
            layer.attention.W_K.weight.zero_()[[0, 8], 3] = 1.0  # the first number of each head's keys
            layer.attention.W_Q.weight.zero_()
            layer.attention.W_Q.bias.zero_()[[0, 8]] = 8.0
    return bert


@torch.no_grad()
def test_weights_that_tokens_get_add_up_to_1(encoder, some):
    shares = sinks.received(encoder.trace(**some.inputs), 1, some.mask)
    torch.testing.assert_close(shares.sum(1), torch.ones(3, dtype=torch.float64))
    assert (shares[~some.mask] == 0).all() and (shares[some.mask] > 0).all()


def test_words_are_neither_first_nor_last_nor_padding(some):
    assert some.words.sum(1).tolist() == [int(n) - 2 for n in some.mask.sum(1)]
    for n in (1, 2, 4):
        drawn = some.some_words(n)
        assert drawn.sum(1).tolist() == [min(n, int(words)) for words in some.words.sum(1)]
        assert not (drawn & ~some.words).any()
    assert not torch.equal(some.some_words(1, 0), some.some_words(1, 1))


@torch.no_grad()
def test_without_a_key_the_others_share_its_weight(encoder, some):
    gone = some.only(some.first)
    before = encoder.trace(**some.inputs)
    after = encoder.trace(**some.inputs, keep=sinks.without_keys(gone, [1]))
    A, B = (trace["layer.1.attention.weights"] for trace in (before, after))
    torch.testing.assert_close(B[..., 1:], A[..., 1:] / (1 - A[..., :1]))
    assert (B[..., 0] == 0).all() and torch.equal(before["layer.0.output"], after["layer.0.output"])
    quiet = encoder.trace(**some.inputs, keep=sinks.without_values(gone, [1]))["layer.1.attention.heads"]
    torch.testing.assert_close(quiet / (1 - A[..., :1]), after["layer.1.attention.heads"])


@torch.no_grad()
def test_who_is_looked_at_is_who_has_the_coordinate(seated, some):
    usual = seated.trace(**some.inputs)
    word = some.some_words(1).float().argmax(1)
    without = seated.trace(**some.inputs, keep=sinks.with_coordinate(usual, [3], some.first))
    moved = seated.trace(**some.inputs, keep=sinks.with_coordinate(usual, [3], some.first, word))
    other = seated.trace(**some.inputs, keep=sinks.with_coordinate(usual, [5], some.first))
    rows = torch.arange(3)
    for layer in range(2):
        at_first = [sinks.received(trace, layer, some.mask)[:, 0] for trace in (usual, without, moved, other)]
        assert at_first[0].min() > 0.9 and at_first[3].min() > 0.9
        assert max(at_first[1].max(), at_first[2].max()) < 0.4
        assert sinks.received(moved, layer, some.mask)[rows, word].min() > 0.9


def test_what_is_given_back_was_never_taken(encoder, some):
    keep = sinks.with_coordinate(encoder.trace(**some.inputs), [3], some.first, some.first)
    assert torch.equal(encoder(**some.inputs, keep=keep), encoder(**some.inputs))


def test_cosines_count_words_alone(some):
    X = torch.randn(*some.mask.shape, 4)
    Y = X.clone()
    Y[~some.words] *= -1
    torch.testing.assert_close(some.alike(X, Y), torch.ones(3))
    one = some.some_words(1)
    Y[one] *= -1
    torch.testing.assert_close(some.alike(X, Y, one)[[0, 2]], torch.ones(2))
    assert some.alike(X, Y).max() < 1
    torch.testing.assert_close(some.mean(X)[1], X[1][some.mask[1]].mean(0))


def test_rounded_numbers_are_whole_steps_and_the_largest_stays():
    X = torch.randn(50, 8)
    steps = rounded(X, 4) * 7 / X.abs().max()
    torch.testing.assert_close(steps, steps.round())
    assert rounded(X).abs().max() == pytest.approx(X.abs().max().item())
    assert (rounded(X) - X).abs().max() <= X.abs().max() / 254 * 1.001
    assert torch.equal(rounded(torch.zeros(3)), torch.zeros(3))


def test_a_spared_coordinate_is_exact_and_sets_no_step():
    X = torch.randn(5, 8)
    X[:, 2] = 1_000.5
    rough, spared = rounding(8)("layer.0.output", X), rounding(8, [2])("layer.0.output", X)
    assert (rough[:, :2] == 0).all() and torch.equal(spared[:, 2], X[:, 2])
    assert (spared - X).abs().max() < 0.02
    assert torch.equal(rounding(8)("layer.0.attention.scores", X), X)
    assert torch.equal(rounding(8, [2])("layer.0.activation", X), rounded(X))  # a neuron, not a coordinate


@torch.no_grad()
def test_off_by_one_is_one_more_key_of_zeros():
    S = torch.randn(3, 5, 5, dtype=torch.float64)
    assert difference(sinks.off_by_one(S), S.exp() / (1 + S.exp().sum(-1, keepdim=True))).is_rounding
    S[..., -1] = -torch.inf
    assert (sinks.off_by_one(S)[..., -1] == 0).all() and sinks.off_by_one(1_000 * S).isfinite().all()


def test_a_clipped_softmax_reaches_0_and_1():
    S = torch.tensor([[0.0, 0.0, 12.0], [0.0, 0.0, 0.0]])
    A = sinks.clipped(S)
    assert A[0].tolist() == pytest.approx([0, 0, 1], abs=1e-4) and A[0, 0] == 0
    assert A[1].tolist() == pytest.approx([1.03 / 3 - 0.03] * 3)


@torch.no_grad()
def test_each_kind_has_the_norm_and_the_softmax_that_it_names():
    ids = letters(HELD_OUT, 4)[:, :-1]
    for kind in KINDS:
        model = new_model(kind, 0)
        trace = model.trace(ids)
        assert ("layer.0.feed_forward_sum" in trace) == kind.startswith("post")
        S, A = trace["layer.1.attention.scores"], trace["layer.1.attention.weights"]
        assert torch.equal(A, sinks.SOFTMAX[kind.split(", ")[1]](S))
        torch.testing.assert_close(trace["layer.1.attention.heads"], A @ trace["layer.1.attention.values"])
        torch.testing.assert_close(model(ids)[0], trace["logits"])


def test_all_kinds_begin_with_the_same_weights():
    states = [new_model(kind, 3).state_dict() for kind in KINDS if kind.startswith("pre")]
    for state in states[1:]:
        assert all(torch.equal(state[name], tensor) for name, tensor in states[0].items())


def test_behind_a_signal_comes_what_stood_before_it():
    ids = letters(5, 50)
    names, P = sinks.alphabet()
    assert (ids[:, 0] == 0).all() and (ids[:, 1:] > 0).all() and ids.shape == (50, sinks.N_TOKENS + 1)
    signal = is_signal(ids[:, 2:-1])
    assert 0.1 < signal.float().mean() < 0.4
    assert (ids[:, 3:][signal] == ids[:, 1:-2][signal]).all()
    assert (P[ids[:, 2:-1], ids[:, 3:]][~signal] > 0).all()  # stories have these pairs
    torch.testing.assert_close(P.sum(1), torch.ones(len(names)))


def test_no_model_can_be_below_the_floor():
    """One that knows the pairs and the rule has the floor behind letters, and 0 behind signals."""
    _, P = sinks.alphabet()
    ids = letters(HELD_OUT, 200)

    def knows(ids, keep):
        return P.log().clamp(min=-30)[ids], None

    assert sinks.losses(knows, ids)[1] == pytest.approx(sinks.floor(ids), abs=0.05)


@torch.no_grad()
def test_the_key_of_a_place_goes_for_late_queries_alone():
    model = new_model("pre-norm, plain", 0)
    A = model.trace(letters(0, 2)[:, :-1], keep=sinks.key_away(0))["layer.2.attention.weights"]
    assert (A[..., sinks.FROM :, 0] == 0).all() and (A[..., : sinks.FROM, 0] > 0).all()


@torch.no_grad()
def test_a_rounded_model_leaves_the_model_as_it_was():
    model = new_model("pre-norm, plain", 0)
    before = model.layer[0].attention.W_Q.weight.clone()
    copy = sinks.rounded_model(model, 4)
    assert torch.equal(model.layer[0].attention.W_Q.weight, before)
    assert torch.equal(copy.layer[0].attention.W_Q.weight, rounded(before, 4))
    assert len(copy.embeddings.tokens.weight.unique()) <= 15


def test_the_stored_numbers_carry_the_settings_of_today():
    kept = stored()
    settings = dict(kept["settings"])
    assert settings.pop("training") == asdict(sinks.SETTINGS)
    assert settings == {name: list(value) if isinstance(value := getattr(sinks, name), tuple) else value
                        for name in settings} and len(settings) == 12  # fmt: skip
    assert list(kept["kinds"]) == KINDS
    assert kept["floor"] == pytest.approx(sinks.floor(letters(HELD_OUT, sinks.N_JUDGED)), abs=1e-4)


def test_all_that_was_measured_is_stored_for_each_seed():
    n_seeds = len(sinks.SEEDS)
    for values in stored()["kinds"].values():
        for name in ("of signals", "of others", "to nothing", "value", "peak", "peak at 0"):
            assert values[name].shape == values[f"{name}, untrained"].shape == (n_seeds, sinks.N_LAYERS)
        for name in ("loss", "without 0", "without another"):
            assert values[name].shape == (n_seeds, 2)
        assert values["rounded"].shape == (n_seeds, len(sinks.BITS), 2)
        assert np.isfinite(values["loss"]).all()


@pytest.mark.long
def test_the_stored_numbers_come_out_again():
    """On another processor the last digits of sums differ, and training makes that more: near, not equal."""
    values = sinks.follow("pre-norm, plain", 0)
    kept = stored()["kinds"]["pre-norm, plain"]
    assert values["loss"] == pytest.approx(kept["loss"][0], abs=0.03)
    assert values["of others"][0] == pytest.approx(kept["of others"][0, 0], abs=0.15)


def test_a_damaged_file_is_told_of(monkeypatch, tmp_path):
    file = tmp_path / "numbers.json"
    file.write_text(json.dumps({"date": ""}), encoding="utf-8")
    monkeypatch.setattr(sinks, "FILE", file)
    with pytest.raises(ValueError, match="lacks floor, kinds, settings, versions: write it again with tools/measure_s"):
        stored()
