"""Shapes along training: what is measured, of which vectors, and that the stored numbers come out again."""

import json

import numpy as np
import pytest
import torch

from tutorial_book.experiments import shape_of_learning as dynamics
from tutorial_book.experiments.shape_of_learning import (
    CLOUDS,
    KINDS,
    MEASURES,
    OTHERS,
    SEEDS,
    STEPS,
    cloud,
    follow,
    layer_states,
    stored,
)
from tutorial_lib import gpt
from tutorial_lib.bert import Bert, Config
from tutorial_lib.geometry import anisotropy

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = dict(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16)


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_states_of_a_decoder_are_those_of_its_trace(norm_first):
    torch.manual_seed(0)
    model, ids = gpt.GPT(gpt.Config(**SMALL, norm_first=norm_first)), [[5, 6, 7], [8, 9, 10]]
    states, trace = layer_states(model, ids), model.trace(ids)
    assert list(states) == ["0", "1", "2", *["norm"] * norm_first]
    for name, stop in {"0": "embeddings.output", "2": "layer.1.output"}.items():
        np.testing.assert_allclose(states[name], trace[stop], atol=1e-6)
    if norm_first:
        np.testing.assert_allclose(states["norm"], trace["norm"], atol=1e-5)


def test_the_states_of_an_encoder_are_those_of_its_trace():
    model, ids = Bert(Config(**SMALL)), [[5, 6, 7]]
    states, trace = layer_states(model, ids), model.trace(ids)
    assert list(states) == ["0", "1", "2"]
    np.testing.assert_allclose(states["1"], trace["layer.0.output"], atol=1e-5)


def test_tokens_of_an_encoder_look_both_ways_and_a_decoder_s_only_back():
    for kind, (decodes, norm_first) in KINDS.items():
        model = dynamics.new_model(kind, 0, 100)
        assert model.config.norm_first == norm_first
        first, other = (layer_states(model, [[5, 6, last]])["4"][0, 0] for last in (7, 8))
        assert np.allclose(first, other) == decodes


def test_the_kinds_start_from_the_same_weights():
    models = [dynamics.new_model(kind, 3, 100) for kind in KINDS]
    for model in models[1:]:
        for (name, p), q in zip(models[0].named_parameters(), model.parameters(), strict=False):
            assert name == "norm.weight" or torch.equal(p, q)


def test_clouds_leave_out_what_they_say():
    X, ids = np.random.default_rng(0).normal(size=(3, 4, 6)), [[1, 5, 6, 7], [1, 6, 6, 5], [1, 5, 7, 8]]
    X[:, 0] *= 100
    X[:, 1:, [2, 4]] *= 10
    assert np.array_equal(cloud(X, ids, "all tokens"), X.reshape(12, 6))
    assert np.array_equal(cloud(X, ids, "without the first"), X[:, 1:].reshape(9, 6))
    quiet = np.delete(X, (2, 4), axis=-1)  # the first tokens' coordinates, all loud, do not count
    assert np.array_equal(cloud(X, ids, "all tokens, quiet"), quiet.reshape(12, 4))
    assert np.array_equal(cloud(X, ids, "without the first, quiet"), quiet[:, 1:].reshape(9, 4))
    assert np.array_equal(cloud(X, ids, "one of each type"), X[[0, 0, 0, 2], [1, 2, 3, 3]])  # 5, 6, 7, 8
    with pytest.raises(ValueError, match="which must be one of all tokens, .*, got 'some'"):
        cloud(X, ids, "some")


def test_a_profile_has_a_number_a_layer_and_copies_are_no_news(recwarn):
    X = np.random.default_rng(0).normal(size=(5, 6, 8))
    X[:, 0] = 1  # copies, as in every decoder
    states, ids = {"0": X, "1": 2 * X}, np.arange(30).reshape(5, 6)
    assert dynamics.profile(states, ids, len, "without the first") == [25, 25]
    first, second = dynamics.profile(states, ids, MEASURES["intrinsic dimension"])
    assert first == pytest.approx(second) and not recwarn.list


def test_frequency_and_neighbors_of_one_type_are_found():
    draw = np.random.default_rng(0)
    ids = draw.integers(0, 20, (30, 10))
    counts = 2 ** np.arange(20)
    rows = draw.normal(size=(20, 5))
    X = rows[ids] + 0.01 * draw.normal(size=(30, 10, 5))
    assert dynamics.same_type(X, ids) > 0.95
    assert dynamics.same_type(draw.normal(size=X.shape), ids) < 0.2
    X[..., 0] += 3 * np.log(counts[ids] + 1)
    assert dynamics.frequency_correlation(X, ids, counts) > 0.95


def test_texts_that_are_too_short_are_told_of(tok):
    with pytest.raises(ValueError, match="n must be at most the number of tokens of the longest text, got 9"):
        dynamics.openings(["the bear"], tok, n=9)


def test_all_that_was_measured_is_stored_for_each_seed_step_and_layer():
    found = stored()
    assert found["steps"] == list(STEPS) and list(found["kinds"]) == list(KINDS)
    for kind, values in found["kinds"].items():
        layers = 5 + KINDS[kind][1]
        assert values["loss"].shape == (len(SEEDS), len(STEPS))
        for measures in (*(values[which] for which in CLOUDS), {name: values[name] for name in OTHERS}):
            for array in measures.values():
                assert array.shape == (len(SEEDS), len(STEPS), layers) and np.isfinite(array).all()
    assert dynamics.FILE.stat().st_size < 110_000


@pytest.mark.long
@pytest.mark.parametrize("kind, seed", [("decoder, post-norm", 1), ("encoder, pre-norm", 0)])
def test_the_stored_numbers_come_out_again(kind, seed):
    """On another processor the last digits of sums differ, and ten steps of training make that a little more."""
    values = stored()["kinds"][kind]
    for i, step in enumerate(follow(kind, seed, until=10)):
        assert step["loss"] == pytest.approx(values["loss"][seed, i], abs=0.01)
        for which in CLOUDS:
            for name, layers in step[which].items():
                assert layers == pytest.approx(values[which][name][seed, i], rel=0.03, abs=0.01), (i, which, name)
        for name in OTHERS:
            assert step[name] == pytest.approx(values[name][seed, i], rel=0.03, abs=0.02), (i, name)


@pytest.mark.long
def test_the_seed_sets_the_draws_too(monkeypatch):
    seen = []
    monkeypatch.setattr(dynamics, "train", lambda model, loss, settings, **rest: seen.append(settings.seed))
    follow("decoder, post-norm", seed=3, until=10)
    assert seen == [3]


def test_counting_reaches_what_is_stored():
    assert dynamics.counted() == pytest.approx(stored()["counted"], abs=0.001)


def test_a_damaged_file_is_told_of(monkeypatch, tmp_path):
    file = tmp_path / "numbers.json"
    file.write_text(json.dumps({"steps": [0]}), encoding="utf-8")
    monkeypatch.setattr(dynamics, "FILE", file)
    with pytest.raises(ValueError, match="lacks counted, date, kinds, versions: write it again with tools/measure_le"):
        stored()


def test_the_measure_is_a_s(recwarn):
    """A 2.3, from the singular values of the centered matrix."""
    X = np.random.default_rng(0).normal(size=(200, 6)) * [5, 1, 1, 1, 1, 1]
    squares = np.linalg.svd(X - X.mean(0), compute_uv=False) ** 2
    assert MEASURES["anisotropy"] is anisotropy and anisotropy(X) == pytest.approx(squares[0] / squares.sum())
