"""What the chapter on the shape of learning cannot check itself: single models at other ages, and untrained ones."""

import numpy as np
import pytest

from tutorial_book.experiments import shape_of_learning as dynamics
from tutorial_book.experiments.shape_of_learning import KINDS, cloud
from tutorial_lib.geometry import anisotropy, cosine
from tutorial_lib.gpt import GPT
from tutorial_lib.vectors import layer_states

pytestmark = pytest.mark.usefixtures("one_thread")


def test_in_a_decoder_the_first_token_has_the_same_vector_in_all_texts(page, book_gpt):
    for X in layer_states(book_gpt, page.cuts[16][:20]).values():
        assert np.ptp(X[:, 0], axis=0).max() < 1e-4


def test_without_the_first_token_anisotropy_does_not_grow_again(page):
    early = layer_states(GPT.from_pretrained("book-gpt-100", "cpu"), page.cuts[16])["3"]
    assert page.rest[16][3] < anisotropy(cloud(early, page.cuts[16], "without the first"))


def test_at_first_a_post_norm_layer_changes_its_input_little(page):
    for kind, (_, norm_first) in KINDS.items():
        found = layer_states(dynamics.new_model(kind, 0, 1210), page.ids % 1210)
        moved = cosine(found["0"], found["1"]).mean()
        assert moved < 0.5 if norm_first else moved > 0.85
