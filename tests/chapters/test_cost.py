"""What the chapter on the cost of attention (row 20) says, where its page cannot check it: other texts, times again."""

import pytest
import torch

from tutorial_book.experiments.cost import fit_seconds, operations, seconds
from tutorial_lib.attention import attention
from tutorial_lib.bert import Layer, initialize

WINDOW, WITH_CLS, CHANCE = "a window", "a window, [CLS] and [SEP]", "chance, [CLS] and [SEP]"


@pytest.fixture(scope="module")
def page(chapter, bert):
    return chapter(bert=bert)


@torch.no_grad()
def test_in_the_readable_path_pairs_take_longer_than_in_the_fused_one(bert, one_thread):
    """Of each time the fastest run counts; where something disturbed it, it is measured again."""
    layer, lengths = initialize(Layer(bert.config)), (128, 256, 512, 1_024)
    took = dict.fromkeys((False, True), [float("inf")] * len(lengths))
    for _ in range(5):
        ratio = {}
        for fused in (False, True):
            again = [seconds(lambda: layer(torch.randn(1, n, 384), fused=fused), repeats=5) for n in lengths]  # noqa: B023
            took[fused] = list(map(min, took[fused], again))
            rates = fit_seconds(lengths, took[fused], 384)
            ratio[fused] = rates.pairs / rates.matrices
        if ratio[False] > 1.1 * ratio[True]:
            return
    raise AssertionError(f"pairs over matrices, readable and fused: {ratio}; a quiet machine gives twice the second")


@torch.no_grad()
def test_the_products_are_the_smaller_part_of_the_readable_path_s_time(one_thread):
    Q, K, V = torch.randn(3, 12, 1_024, 32)
    S, sums = torch.empty(12, 1_024, 1_024), torch.empty(12, 1_024, 32)

    def the_two_products():
        torch.bmm(Q, K.transpose(1, 2), out=S)
        torch.bmm(S, V, out=sums)

    assert seconds(the_two_products) < 0.9 * seconds(lambda: attention(Q, K, V))  # on a quiet machine, less than half
    assert torch.equal(S, Q @ K.transpose(1, 2)) and torch.equal(sums, S @ V)


@torch.no_grad()
def test_the_other_texts_give_the_same_order(page):
    encoded = [page.tok.encode(text, max_length=128).ids for text in page.joined]
    others = torch.tensor([ids for ids in encoded if len(ids) == 128][16:])
    full = page.text_vectors(ids=others)

    def moved(rule):
        return (page.text_vectors(page.only(page.rules[rule](8)), others) - full).norm(dim=1).mean() / page.apart

    at_8 = [moved(rule).item() for rule in (WITH_CLS, CHANCE, WINDOW)]
    assert at_8 == pytest.approx([0.38, 0.50, 0.72], abs=0.04)


def test_exercise_1_where_the_terms_are_equal_in_other_shapes():
    assert operations(6 * 384, 384).matrices == operations(6 * 384, 384).pairs
    assert operations(10 * 384, 384, 8 * 384).matrices == operations(10 * 384, 384).pairs
    assert operations(2 * 384, 384, 0).matrices == operations(2 * 384, 384).pairs  # attention alone
