"""N's claims about directions that need no trained model: the numbers of their notes."""

import numpy as np
import pytest

from tutorial_book.claims.directions import PROMPT, lengths_by_layer, untrained_gpt2
from tutorial_book.claims.tools import PUBLISHED
from tutorial_lib.gpt import Config


def test_states_grow_in_each_layer_of_an_untrained_gpt2():
    lengths = np.array(lengths_by_layer(untrained_gpt2(), PROMPT))
    assert (np.diff(lengths) > 0).all()
    assert lengths[[0, -1]] == pytest.approx([0.8, 8.9], abs=0.05)


def test_untrained_gpt2_has_the_sizes_and_initial_weights_of_gpt2():
    ours, real = untrained_gpt2(), Config.from_hf(PUBLISHED["gpt2"])
    for size in ("d_model", "n_layers", "n_heads", "d_ff"):
        assert getattr(ours.config, size) == getattr(real, size)
    assert ours.layer[0].attention.W_Q.weight.std().item() == pytest.approx(0.02, rel=0.01)
