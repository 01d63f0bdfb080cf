"""What a model remembers of a name: an LSTM, the cases, and the gain."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.positions import LSTM, recall, second_mentions
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE


@pytest.fixture(scope="module")
def cases():
    return second_mentions(stories(60, seed=1), BPE.from_pretrained("book-gpt"))


@torch.no_grad()
def test_an_lstm_sees_nothing_that_comes_later():
    torch.manual_seed(0)
    model = LSTM(50, 8, 6)
    ids = torch.arange(10)
    whole, _ = model(ids[None])
    start, _ = model(ids[None, :4])
    assert whole.shape == (1, 10, 50) and torch.allclose(whole[:, :4], start, atol=1e-6)


def test_in_a_case_one_token_is_exchanged_so_many_before_the_name(cases):
    assert len(cases) > 20
    for ids, swapped, name, distance in cases:
        [place] = [i for i, (a, b) in enumerate(zip(ids, swapped, strict=True)) if a != b]
        assert len(ids) - place == distance and name not in swapped


def test_what_copies_the_first_mention_gains_and_what_has_forgotten_does_not(cases):
    def copies(ids, fused):
        logits = torch.zeros(2, len(ids[0]), 1_500)
        for row, one in enumerate(ids):
            logits[row, -1, one] = 5.0  # whatever has been read is likelier
        return logits, None

    def forgets(ids, fused):
        return torch.zeros(2, len(ids[0]), 1_500), None

    assert (recall(copies, cases) >= 0).all() and recall(copies, cases).mean() > 1
    assert not np.any(recall(forgets, cases))
