"""Statements of the chapter on dimension, on each half of the stories, and with other draws of tokens and points."""

import numpy as np
import pytest

from tutorial_book.experiments.dimension import shuffled
from tutorial_book.experiments.loud import token_vectors
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import participation_ratio
from tutorial_lib.geometry.scales import dimension_by_scale
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece

MODELS = "book-gpt", "book-bert"


@pytest.fixture(scope="module")
def read():
    """The vectors of the texts unchanged, and in an order that the chapter does not use."""
    texts = load_texts("encyclopedia") + load_texts("posts")
    model = Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()
    return [token_vectors(which, *model) for which in (texts, shuffled(texts, seed=1))]


def test_estimates_fit_low_dimensions_and_underestimate_high_ones():
    rng = np.random.default_rng(7)
    for d in (2, 5, 50):
        found = [one.dimension for one in dimension_by_scale(rng.normal(size=(3000, d)), [1, 4, 16])]
        assert found == pytest.approx([d] * 3, rel=0.12) if d < 10 else 35 > found[0] > found[1] > found[2]


def test_round_cloud_has_the_formulas_participation_ratio():
    n, d = 2186, 384
    assert participation_ratio(np.random.default_rng(7).normal(size=(n, d))) == pytest.approx(d / (1 + d / n), rel=0.01)


@pytest.mark.long
def test_another_draw_and_another_shuffle_have_the_valley(page, read):
    for states in read:
        dims = page.by_layers(states.vectors[:, page.one_per_type(states.tokens, seed=1)])
        assert (dims[1:-1].max(0) < dims[[0, -1]].min(0)).all()


def test_halves_of_the_types_have_similar_dimensions(page):
    assert abs(page.of_halves[0] / page.of_halves[1] - 1)[1:5].max() < 0.12


@pytest.mark.parametrize("name", MODELS)
def test_full_stops_peak_at_no_inner_layer(page, name):
    for half in page.of_ends[name]["as it is"]:
        assert (np.diff(half[:, :2], axis=0) > 0).all()  # at k = 1 and 4 they rise to the end
        assert half[1:-1].max() <= half[[0, -1]].max() + 1e-9


@pytest.mark.parametrize("name", MODELS)
def test_shuffled_and_untrained_stops_have_more_dimensions(page, name):
    as_it_is, mixed, raw, _ = page.of_ends[name].values()
    assert (mixed[:, 1:] > as_it_is[:, 1:]).all() and (mixed[:, -1, 0] > 1.6 * as_it_is[:, -1, 0]).all()
    assert (raw[..., 1] > mixed[..., 1]).all()
