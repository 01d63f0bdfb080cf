"""Small decoders without layers and without LayerNorm: what is left out is left out, and what is stored."""

import numpy as np
import pytest
import torch
from torch import nn

from tutorial_book.experiments.directions import (
    NORMS,
    PLAN,
    RATES,
    SEEDS,
    last_states,
    measure,
    small_decoder,
    stored,
    with_confidence,
)

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_norms_are_left_out():
    whole, last, none = (small_decoder(50, without=without) for without in NORMS.values())
    assert isinstance(whole.norm, nn.LayerNorm) and isinstance(last.norm, nn.Identity)
    assert all(isinstance(layer.norm, nn.LayerNorm) for layer in last.layer)
    assert not any(isinstance(part, nn.LayerNorm) for part in none.modules())
    assert torch.equal(whole.embeddings.tokens.weight, none.embeddings.tokens.weight)


def test_a_longer_state_is_a_surer_one_where_all_point_one_way():
    model = small_decoder(50, without="the last", n_layers=1)
    with torch.no_grad():
        model.layer[0].attention.W_O.weight.zero_()
        for part in (model.layer[0].feed_forward.W_2, model.layer[0].attention.W_O):
            part.weight.zero_(), part.bias.zero_()
        model.embeddings.positions.weight.zero_()
        model.embeddings.tokens.weight.copy_(torch.outer(torch.arange(1.0, 51), torch.ones(32)) / 100)
    texts = [[5, 9, 30, 2], [7, 44, 3]]
    states, follow = last_states(model, texts)
    assert states.shape == (5, 32) and follow.tolist() == [9, 30, 2, 44, 3]
    assert with_confidence(model, texts) == pytest.approx(1)


def test_a_short_measurement_has_the_shape_of_the_stored_one():
    from dataclasses import replace

    plan = replace(PLAN, n_steps=1, warmup=0)
    found, kept = measure(seeds=range(1), rates=(plan.lr,), plan=plan), stored()
    assert set(found) == set(kept) and set(kept["confidence"]) == set(NORMS)
    assert all(np.shape(kept[name]) == (len(RATES), len(SEEDS)) for name in NORMS)
    assert all(np.shape(found[name]) == (1, 1) for name in NORMS)
