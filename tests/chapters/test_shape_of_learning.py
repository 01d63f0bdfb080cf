"""Checks that the chapter on the shape of learning cannot do: single models at other ages, and untrained ones."""

import numpy as np
import pytest

from tutorial_book.experiments import shape_of_learning as dynamics
from tutorial_book.experiments.shape_of_learning import KINDS, cloud
from tutorial_lib.geometry import anisotropy, cosine
from tutorial_lib.gpt import GPT
from tutorial_lib.vectors import layer_states

pytestmark = pytest.mark.usefixtures("one_thread")


def test_decoders_first_token_has_one_vector_everywhere(page, book_gpt):
    for X in layer_states(book_gpt, page.cuts[16][:20]).values():
        assert np.ptp(X[:, 0], axis=0).max() < 1e-4


def test_anisotropy_without_the_first_token_ends_lower(page):
    early = layer_states(GPT.from_pretrained("book-gpt-100", "cpu"), page.cuts[16])["3"]
    assert page.rest[16][3] < anisotropy(cloud(early, page.cuts[16], "without the first"))


def test_untrained_post_norm_layer_changes_its_input_little(page):
    for kind, (_, norm_first) in KINDS.items():
        found = layer_states(dynamics.new_model(kind, 0, 1210), page.ids % 1210)
        moved = cosine(found["0"], found["1"]).mean()
        assert moved < 0.5 if norm_first else moved > 0.85
