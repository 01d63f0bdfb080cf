"""What the chapter on the cost of attention (row 20) tells, pinned; of seconds only what any machine should give."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tutorial_book.experiments.cost import fit_seconds, low_rank, operations, rank_for, saved_bytes, seconds
from tutorial_lib.attention import attention, window_mask
from tutorial_lib.bert import Layer, initialize
from tutorial_lib.texts import load_texts


@pytest.fixture(scope="module")
def ids(tok):
    """The page's sixteen texts of 128 tokens."""
    notes = load_texts("encyclopedia")
    joined = [" ".join(notes[i : i + 6]) for i in range(0, len(notes) - 5, 6)]
    every = [tok.encode(text, max_length=128).ids for text in joined]
    return torch.tensor([ids for ids in every if len(ids) == 128])


@pytest.fixture(scope="module")
def moved(bert, ids):
    """How far a change of all attention maps moves each text, as a share of the distance between two texts."""

    @torch.no_grad()
    def vectors(change, ids):
        return bert(ids, keep=lambda name, A: change(A) if name.endswith("attention.weights") else A).mean(1)

    full = vectors(lambda A: A, ids)
    apart = torch.pdist(full[:16]).mean()

    def share(change, which=slice(0, 16)):
        return (vectors(change, ids[which]) - full[which]).norm(dim=1) / apart

    return share


def only(allowed):
    def change(A):
        A = A * allowed
        return A / A.sum(-1, keepdim=True)

    return change


def ends(n=128):
    mask = torch.zeros(n, n)
    mask[:, [0, -1]] = 1
    return mask


def window(m):
    return window_mask(128, m).float()


def chance(m):
    order = torch.rand(128, 128, generator=torch.Generator().manual_seed(0)).argsort(1)
    return ((order < 2 * m).float() + torch.eye(128) + ends()).clamp(max=1)


def test_the_formula_counts_what_a_layer_multiplies(bert):
    for n in (64, 2_304):
        with torch.device("meta"), FlopCounterMode(display=False) as counter, torch.no_grad():
            Layer(bert.config)(torch.zeros(1, n, 384))
        assert counter.get_total_flops() == 2 * sum(operations(n, 384))
    assert operations(2_304, 384).matrices == operations(2_304, 384).pairs
    base = operations(512, 768)
    assert base.pairs / sum(base) == pytest.approx(0.1)
    shares = [100_000 / (100_000 + 6 * d) for d in (384, 768, 4_096, 12_288)]
    assert min(shares) == shares[-1] == pytest.approx(0.58, abs=0.01)  # most, in the widest, too


def test_the_readable_path_keeps_one_map_a_head_and_the_fused_path_none(bert):
    layer = initialize(Layer(bert.config))
    for n in (128, 512):
        X = torch.randn(1, n, 384, requires_grad=True)
        kept = [saved_bytes(lambda: layer(X, fused=fused), layer.parameters()) for fused in (False, True)]
        assert (kept[0] - kept[1]) / (4 * 12 * n**2) == pytest.approx(1, abs=0.05)
        assert kept[1] / (n * 384) == pytest.approx(64, abs=1)  # sixteen numbers of four bytes for each of n d
    assert 4 * 12 * 512**2 == pytest.approx(12.6e6, rel=0.01)
    assert 12 * 32 * 12.6e6 == pytest.approx(4.8e9, rel=0.02)  # twelve layers, a batch of 32


def test_in_the_readable_path_pairs_take_several_times_as_long_as_matrices(bert, one_thread):
    layer, lengths = initialize(Layer(bert.config)), (128, 256, 512, 1_024)
    with torch.no_grad():
        ratio = {}
        for fused in (False, True):
            took = [seconds(lambda: layer(torch.randn(1, n, 384), fused=fused), repeats=5) for n in lengths]  # noqa: B023
            rates = fit_seconds(lengths, took, 384)
            ratio[fused] = rates.pairs / rates.matrices
    assert ratio[False] > 2 and ratio[False] > 1.5 * ratio[True]


@torch.no_grad()
def test_the_products_are_the_smaller_part_of_the_readable_path_s_time(one_thread):
    Q, K, V = torch.randn(3, 12, 1_024, 32)
    S, sums = torch.empty(12, 1_024, 1_024), torch.empty(12, 1_024, 32)

    def products():
        torch.bmm(Q, K.transpose(1, 2), out=S)
        torch.bmm(S, V, out=sums)

    assert seconds(products) < 0.5 * seconds(lambda: attention(Q, K, V))
    assert torch.equal(S, Q @ K.transpose(1, 2)) and torch.equal(sums, S @ V)


def test_a_window_of_64_leaves_6_percent_of_2048_tokens_pairs():
    assert window_mask(2_048, 64).float().mean().item() == pytest.approx(0.062, abs=0.001)


def test_cls_and_sep_are_missed_more_than_neighbors(moved):
    at_8 = [moved(only(allowed)).mean() for allowed in ((window(8) + ends()).clamp(max=1), chance(8), window(8))]
    assert at_8 == pytest.approx([0.38, 0.50, 0.73], abs=0.03)
    assert moved(only(window(1))).mean() > 0.9 and moved(only(window(32))).mean() == pytest.approx(0.45, abs=0.03)


def test_the_other_texts_give_the_same_order(moved):
    rest = slice(16, None)
    at_8 = [moved(only(rule), rest).mean() for rule in ((window(8) + ends()).clamp(max=1), chance(8), window(8))]
    assert at_8 == pytest.approx([0.38, 0.50, 0.72], abs=0.04)


def test_the_nearest_map_of_rank_8_loses_less_than_a_window_of_8(moved):
    few = slice(0, 16, 2)
    by_rank = [moved(lambda A: low_rank(A, k), few).mean() for k in (1, 8, 32)]
    assert by_rank == pytest.approx([0.51, 0.28, 0.12], abs=0.03)
    for m, loss in zip((1, 8, 32), by_rank, strict=True):
        assert loss < moved(only((window(m) + ends()).clamp(max=1)), few).mean() - 0.03


def test_the_rank_that_a_map_needs_stays_near_a_tenth_of_the_length(bert, tok):
    notes, shares = load_texts("encyclopedia"), {}
    for length in (32, 64, 128, 256):
        texts = [" ".join(notes[i : i + 12]) for i in range(0, 150, 25)]
        batch = torch.tensor([tok.encode(text, max_length=length).ids for text in texts])
        stops = bert.trace(batch)
        need = torch.stack([rank_for(stops[f"layer.{i}.attention.weights"]) for i in range(6)], 1).float()
        shares[length] = need.mean().item() / length
        by_head = need.mean(0)
        assert by_head.min() < 1.5 and by_head.max() > 0.5 * length
    assert list(shares.values()) == pytest.approx([0.11, 0.10, 0.09, 0.09], abs=0.015)


# --- Exercises -----------------------------------------------------------------------------------------------------


def test_exercise_1_where_the_terms_are_equal_in_other_shapes():
    assert operations(10 * 384, 384, 8 * 384).matrices == operations(10 * 384, 384).pairs
    assert operations(2 * 384, 384, 0).matrices == operations(2 * 384, 384).pairs  # attention alone


@torch.no_grad()
def test_exercise_2_six_layers_of_a_window_of_4_reach_24_tokens(bert, tok, ids):
    one, mask = ids[:1], window_mask(128, 4)
    other = one.clone()
    other[0, 60] = tok.vocab["bear"]
    X, Y = (bert.embeddings(text, torch.zeros_like(text)) for text in (one, other))
    for layer in bert.layer:
        X, Y = layer(X, mask), layer(Y, mask)
    changed = (X != Y).any(-1)[0].nonzero()
    assert (changed.min(), changed.max()) == (36, 84)


def test_exercise_3_only_the_input_stays(bert):
    from torch.utils.checkpoint import checkpoint

    layer = initialize(Layer(bert.config))
    X = torch.randn(1, 256, 384, requires_grad=True)
    again = saved_bytes(lambda: checkpoint(layer, X, use_reentrant=False), layer.parameters())
    assert again == pytest.approx(4 * 256 * 384, rel=0.05) and again < 0.1 * saved_bytes(lambda: layer(X))


@pytest.mark.long
def test_exercise_4_the_last_layer_needs_its_pairs_most(bert, ids):
    narrow, found = only((window(8) + ends()).clamp(max=1)), []
    with torch.no_grad():
        full = bert(ids[:16]).mean(1)
        for i in range(6):
            name_of = f"layer.{i}.attention.weights"
            changed = bert(ids[:16], keep=lambda name, A: narrow(A) if name == name_of else A).mean(1)  # noqa: B023
            found.append(((changed - full).norm(dim=1).mean() / torch.pdist(full).mean()).item())
    assert found[5] == pytest.approx(0.30, abs=0.03)
    assert all(0.25 < one / found[5] < 0.55 for one in found[:5])
