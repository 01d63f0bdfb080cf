"""Checks that the page on directions cannot do: the stories that book-gpt read, gradients, statements about texts."""

import numpy as np
import pytest
import torch
from torch import nn

from tutorial_lib.geometry import best_probability, inverse_unembedding, nearest_by_measure
from tutorial_lib.texts.generated import stories
from tutorial_lib.training.recipes import RECIPES

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.fixture(scope="module")
def page(chapter, book_gpt):
    return chapter(gpt=book_gpt)


@pytest.mark.long
def test_training_begins_with_the_generators_first_stories():
    told = RECIPES["book-gpt-small"].prepare().told
    assert [story.text for story in told[:50]] == [story.text for story in stories(50)]


@pytest.mark.long
def test_short_unseen_rows_occur_in_later_stories(page):
    counts = np.zeros(len(page.tok), int)
    for story in stories(20_000):
        counts += np.bincount(page.tok.encode(story.text).ids, minlength=len(counts))
    short = ~page.seen & (page.lengths < page.lengths[page.seen].max())
    assert np.array_equal(short, ~page.seen & (counts > 0))


def test_gradient_of_unseen_row_is_p_times_states():
    torch.manual_seed(0)
    X, W = torch.randn(5, 4), torch.randn(6, 4, requires_grad=True)
    nn.functional.cross_entropy(X @ W.T, torch.tensor([0, 1, 2, 0, 1]), reduction="sum").backward()
    p = (X @ W.detach().T).softmax(-1)
    assert torch.allclose(W.grad[3:], p[:, 3:].T @ X, atol=1e-6)


def test_shifting_all_rows_changes_only_dot_product_neighbors(page):
    E, some = page.E, np.flatnonzero(page.seen)[::20]
    p, q = (torch.tensor(page.few[::4] @ rows.T).softmax(-1) for rows in (E, page.centered))
    assert (p - q).abs().max() < 1e-12
    one, other = (nearest_by_measure(rows[some], rows, k=5, leave_out=some) for rows in (E, page.centered))
    assert np.array_equal(one.distance, other.distance) and not np.array_equal(one.dot, other.dot)


def test_pseudo_inverse_is_left_inverse_with_trace_d(page):
    assert np.allclose(inverse_unembedding(page.E, "pseudo-inverse").T @ page.E, np.eye(128))
    assert page.peak["pseudo-inverse"].sum() == pytest.approx(128)


def test_longer_states_are_surer(page):
    best = best_probability(page.few[:50] @ page.E.T, page.scales)
    assert (np.diff(best, axis=0) > -1e-12).all()


def test_decoder_never_saw_the_described_text(page):
    """N 6's, with names that are tokens here."""
    assert all(f"Ġ{name}" not in page.tok.vocab for name in ("Mary", "John"))
    assert not [story for story in stories(1_000) if "When " in story.text or " store" in story.text]


def test_decoder_ends_stories_with_the_losers_name(page):
    for text in (page.lily, page.tom):
        with torch.no_grad():
            said = page.gpt(page.ids_of(text))[0][0, -1].argmax()
        assert page.name_of(said).strip() == text.split()[0]


def test_the_stored_runs_are_those_of_the_page(page):
    """With a tolerance for other processors, on which 150 steps end a little differently."""
    of_seed_0 = [page.kept[f"no layers, {name}"][0] for name in page.ends]
    assert of_seed_0 == pytest.approx(list(page.ends.values()), rel=0.05)
    stored = [page.kept["confidence"][name][0] for name in page.last]
    assert stored == pytest.approx([row[3] for row in page.last.values()], abs=0.15)
