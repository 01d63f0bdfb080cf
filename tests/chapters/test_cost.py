"""What the chapter on the cost of attention (row 20) tells, pinned; of seconds only what any machine should give."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.cost import fit_seconds, operations, saved_bytes, seconds
from tutorial_lib.attention import attention, window_mask
from tutorial_lib.bert import Layer, initialize
from tutorial_lib.geometry import bootstrap_interval

WINDOW, WITH_CLS, CHANCE = "a window", "a window, [CLS] and [SEP]", "chance, [CLS] and [SEP]"


@pytest.fixture(scope="module")
def page(chapter, bert):
    return chapter(bert=bert)


def test_the_formula_counts_what_a_layer_multiplies(page):
    assert page.counted == {n: sum(operations(n, 384)) for n in (64, 512, 2_304, 8_192)}
    assert operations(2_304, 384).matrices == operations(2_304, 384).pairs
    assert page.base.pairs / sum(page.base) == pytest.approx(0.1)
    shares = [100_000 / (100_000 + 6 * d) for d in page.widths.values()]
    assert min(shares) == shares[-1] == pytest.approx(0.58, abs=0.01)  # most, in the widest, too


def test_the_readable_path_keeps_one_map_a_head_and_the_fused_path_none(page):
    for n in (128, 512):
        readable, fused = page.kept[False, n], page.kept[True, n]
        assert (readable - fused) / page.weights[n] == pytest.approx(1, abs=0.05)
        assert fused / (n * 384) == pytest.approx(64, abs=1)  # sixteen numbers of four bytes for each of n d
    assert page.weights[512] == pytest.approx(12.6e6, rel=0.01)
    assert 12 * 32 * 12.6e6 == pytest.approx(4.8e9, rel=0.02)  # twelve layers, a batch of 32


@torch.no_grad()
def test_in_the_readable_path_pairs_take_several_times_as_long_as_matrices(bert, one_thread):
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
    raise AssertionError(
        f"pairs over matrices, readable and fused: {ratio}; on a quiet machine the first is twice the second"
    )


@torch.no_grad()
def test_the_products_are_the_smaller_part_of_the_readable_path_s_time(one_thread):
    Q, K, V = torch.randn(3, 12, 1_024, 32)
    S, sums = torch.empty(12, 1_024, 1_024), torch.empty(12, 1_024, 32)

    def the_two_products():
        torch.bmm(Q, K.transpose(1, 2), out=S)
        torch.bmm(S, V, out=sums)

    assert seconds(the_two_products) < 0.9 * seconds(lambda: attention(Q, K, V))  # on a quiet machine, less than half
    assert torch.equal(S, Q @ K.transpose(1, 2)) and torch.equal(sums, S @ V)


def test_a_window_of_64_leaves_6_percent_of_2048_tokens_pairs():
    assert window_mask(2_048, 64).float().mean().item() == pytest.approx(0.062, abs=0.001)


def test_cls_and_sep_are_missed_more_than_neighbors(page):
    assert page.ids.shape == (16, 128)
    assert [page.at_8[rule] for rule in (WITH_CLS, CHANCE, WINDOW)] == pytest.approx([0.38, 0.50, 0.73], abs=0.03)
    assert page.moves[WINDOW][1].mean() > 0.9 and page.moves[WINDOW][32].mean() == pytest.approx(0.45, abs=0.03)


@torch.no_grad()
def test_the_other_texts_give_the_same_order(page):
    encoded = [page.tok.encode(text, max_length=128).ids for text in page.joined]
    others = torch.tensor([ids for ids in encoded if len(ids) == 128][16:])
    full = page.text_vectors(ids=others)

    def moved(rule):
        return (page.text_vectors(page.only(page.rules[rule](8)), others) - full).norm(dim=1).mean() / page.apart

    at_8 = [moved(rule).item() for rule in (WITH_CLS, CHANCE, WINDOW)]
    assert at_8 == pytest.approx([0.38, 0.50, 0.72], abs=0.04)


def test_what_cls_and_sep_save_and_what_the_neighbors_do_is_sure_at_every_width(page):
    for m in page.sides:
        window, with_ends, by_chance = (page.moves[rule][m] for rule in (WINDOW, WITH_CLS, CHANCE))
        for seed in range(2):
            assert bootstrap_interval(np.mean, (by_chance - with_ends).numpy(), seed=seed)[0] > 0
            assert bootstrap_interval(np.mean, (window - by_chance).numpy(), seed=seed)[0] > 0.1


def test_the_nearest_map_of_rank_8_loses_less_than_a_window_of_8(page):
    by_rank = {k: page.moves_of_rank[k].mean().item() for k in (1, 8, 32)}
    assert list(by_rank.values()) == pytest.approx([0.51, 0.28, 0.12], abs=0.03)
    assert all(moved < page.same[k].mean() - 0.03 for k, moved in by_rank.items())


def test_the_rank_that_a_map_needs_stays_near_a_tenth_of_the_length(page):
    shares = [need.mean().item() / length for length, need in page.need.items()]
    assert shares == pytest.approx([0.11, 0.10, 0.09, 0.09], abs=0.015)
    for length, need in page.need.items():
        by_head = need.mean(0)
        assert by_head.min() < 1.5 and by_head.max() > 0.5 * length


# --- Exercises -----------------------------------------------------------------------------------------------------


def test_exercise_1_where_the_terms_are_equal_in_other_shapes():
    assert operations(10 * 384, 384, 8 * 384).matrices == operations(10 * 384, 384).pairs
    assert operations(2 * 384, 384, 0).matrices == operations(2 * 384, 384).pairs  # attention alone


def test_exercise_2_six_layers_of_a_window_of_4_reach_24_tokens(page):
    assert (page.changed.min(), page.changed.max()) == (36, 84)


def test_exercise_3_only_the_input_stays(bert):
    from torch.utils.checkpoint import checkpoint

    layer = initialize(Layer(bert.config))
    X = torch.randn(1, 256, 384, requires_grad=True)
    again = saved_bytes(lambda: checkpoint(layer, X, use_reentrant=False), layer.parameters())
    assert again == pytest.approx(4 * 256 * 384, rel=0.05) and again < 0.1 * saved_bytes(lambda: layer(X))


def test_exercise_4_the_last_layer_needs_its_pairs_most(page):
    *others, last = page.moved_by_layer
    assert last == pytest.approx(0.30, abs=0.03)
    assert all(0.25 < moved / last < 0.55 for moved in others)
