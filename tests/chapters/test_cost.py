"""Statements of the chapter on the cost of attention (row 20) that its page cannot check: other texts and shapes."""

import pytest
import torch

from tutorial_book.experiments.cost import operations

WINDOW, WITH_CLS, CHANCE = "a window", "a window, [CLS] and [SEP]", "chance, [CLS] and [SEP]"


@pytest.fixture(scope="module")
def page(chapter, bert):
    return chapter(bert=bert)


@torch.no_grad()
def test_the_other_texts_give_the_same_order(page):
    encoded = [page.tok.encode(text, max_length=128).ids for text in page.joined]
    others = torch.tensor([ids for ids in encoded if len(ids) == 128][16:])
    full = page.text_vectors(ids=others)

    def moved(rule):
        return (page.text_vectors(page.only(page.rules[rule](8)), others) - full).norm(dim=1).mean() / page.apart

    at_8 = [moved(rule).item() for rule in (WITH_CLS, CHANCE, WINDOW)]
    assert at_8 == pytest.approx([0.38, 0.50, 0.72], abs=0.04)


def test_exercise_1_terms_are_equal_in_other_shapes():
    assert operations(6 * 384, 384).matrices == operations(6 * 384, 384).pairs
    assert operations(10 * 384, 384, 8 * 384).matrices == operations(10 * 384, 384).pairs
    assert operations(2 * 384, 384, 0).matrices == operations(2 * 384, 384).pairs  # attention alone
