"""What claims about encoders measure, in tables and clouds made for it; and how a head was chosen."""

import numpy as np
import pytest
import torch

from tutorial_book.claims import position_vectors, token_vectors
from tutorial_book.claims.roles import EARLY
from tutorial_book.claims.tools import bert, tokenizer
from tutorial_book.experiments.roles import role_cases
from tutorial_lib.geometry import average_cosine
from tutorial_lib.texts.marked import marked


@pytest.fixture
def table_with_dip(monkeypatch):
    """A function that gives the claims a table of positions that resembles a curve, with a break after one of them."""

    def put(after):
        angles = torch.arange(512) * 0.5 + torch.rand(512, generator=torch.Generator().manual_seed(0)) * 0.1
        angles[after + 1 :] += 1
        table = torch.stack([angles.cos(), angles.sin()], 1)
        monkeypatch.setattr(position_vectors, "positions", lambda name: table)

    return put


@pytest.mark.parametrize("after, found", [(125, True), (127, True), (129, True), (60, False), (140, False)])
def test_shift_is_found_around_position_128_and_nowhere_else(after, found, table_with_dip):
    table_with_dip(after)
    assert position_vectors.shift_at_128() is found


def test_the_default_models_positions_have_the_shift():
    assert position_vectors.shift_at_128(None)


def test_a_cloud_is_uneven_by_its_directions_and_not_by_its_average_cosine():
    even = torch.randn(2000, 50, generator=torch.Generator().manual_seed(0))
    long = even * torch.tensor([4.0] + 49 * [1.0])
    assert abs(average_cosine(long)) < 0.02
    assert token_vectors.uneven(long) and not token_vectors.uneven(even)
    assert not token_vectors.uneven(even / even.norm(dim=1, keepdim=True))


@pytest.mark.long
def test_the_early_head_for_determiners_was_the_best_on_other_sentences():
    right = role_cases(bert(), tokenizer(), marked("first"))["determiner to noun"].right
    shares = right[EARLY].mean(-1)  # (2, n_heads)
    assert np.unravel_index(int(shares.argmax()), shares.shape) == (1, 7)
