"""Shapes along training: the measures, of which vectors, and reproducible stored numbers."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments import shape_of_learning as dynamics
from tutorial_book.experiments import stored
from tutorial_book.experiments.shape_of_learning import CLOUDS, KINDS, MEASURES, OTHERS, cloud, layer_states
from tutorial_lib import gpt
from tutorial_lib.bert import Bert, Config

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = dict(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16)


@pytest.mark.parametrize("kind", ["pre-norm", "post-norm", "encoder"])
def test_states_are_those_of_the_trace(kind):
    torch.manual_seed(0)
    pre = kind == "pre-norm"
    model = Bert(Config(**SMALL)) if kind == "encoder" else gpt.GPT(gpt.Config(**SMALL, norm_first=pre))
    ids = [[5, 6, 7], [8, 9, 10]]
    states, trace = layer_states(model, ids), model.trace(ids)
    stops = {"0": "embeddings.output", "1": "layer.0.output", "2": "layer.1.output"}
    stops |= {"norm": "norm"} if pre else {}
    assert list(states) == list(stops)
    for name, stop in stops.items():
        np.testing.assert_allclose(states[name], trace[stop], atol=1e-5)


def test_kinds_differ_in_norm_and_sight_alone():
    """Tokens of an encoder look in both directions, a decoder's only back; all start from the same weights."""
    weights = dict(dynamics.new_model("decoder, pre-norm", 3, 100).named_parameters())
    for kind, (decodes, norm_first) in KINDS.items():
        model = dynamics.new_model(kind, 3, 100)
        assert model.config.norm_first == norm_first
        assert all(torch.equal(p, weights[name]) for name, p in model.named_parameters())
        first, other = (layer_states(model, [[5, 6, last]])["4"][0, 0] for last in (7, 8))
        assert np.allclose(first, other) == decodes


def test_clouds_leave_out_what_they_say():
    X, ids = np.random.default_rng(0).normal(size=(3, 4, 6)), [[1, 5, 6, 7], [1, 6, 6, 5], [1, 5, 7, 8]]
    X[:, 0] *= 100
    X[:, 1:, [2, 4]] *= 10
    quiet = np.delete(X, (2, 4), axis=-1)  # the first tokens' coordinates, all loud, do not count
    expected = {
        "all tokens": X.reshape(12, 6),
        "all tokens, quiet": quiet.reshape(12, 4),
        "without the first": X[:, 1:].reshape(9, 6),
        "without the first, quiet": quiet[:, 1:].reshape(9, 4),
        "one of each type": X[[0, 0, 0, 2], [1, 2, 3, 3]],  # 5, 6, 7, 8
    }
    assert list(expected) == list(CLOUDS)
    for which, rows in expected.items():
        np.testing.assert_array_equal(cloud(X, ids, which), rows)
    with pytest.raises(ValueError, match="which must be one of all tokens, .*, got 'some'"):
        cloud(X, ids, "some")


def test_copies_of_first_tokens_are_no_news(recwarn):
    X = np.random.default_rng(0).normal(size=(5, 6, 8))
    X[:, 0] = 1  # as in every decoder
    ids = np.arange(30).reshape(5, 6)
    first, second = dynamics.profile({"0": X, "1": 2 * X}, ids, MEASURES["intrinsic dimension"])
    assert first == pytest.approx(second) and not recwarn.list


def test_short_texts_are_reported(tok):
    with pytest.raises(ValueError, match="n must be at most the number of tokens of the longest text, got 9"):
        dynamics.openings(["the bear"], tok, n=9)


@pytest.mark.long
@pytest.mark.parametrize("kind, seed", [("decoder, post-norm", 1), ("encoder, pre-norm", 0)])
def test_stored_numbers_come_out_again(kind, seed):
    """On another processor the last digits of sums differ, and ten steps of training make that a little more."""
    values = stored("shape-of-learning", ["kinds"])["kinds"][kind]
    assert dynamics.counted() == pytest.approx(stored("shape-of-learning")["counted"], abs=0.001)
    for i, step in enumerate(dynamics.follow(kind, seed, until=10)):
        assert step["loss"] == pytest.approx(values["loss"][seed, i], abs=0.01)
        for which in CLOUDS:
            for name, layers in step[which].items():
                assert layers == pytest.approx(values[which][name][seed, i], rel=0.03, abs=0.01), (i, which, name)
        for name in OTHERS:
            assert step[name] == pytest.approx(values[name][seed, i], rel=0.03, abs=0.02), (i, name)
