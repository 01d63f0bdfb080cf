"""What the chapter on heads, cones and subspaces (rows 27 and 29) tells about the default model, pinned."""

import numpy as np
import pytest
import torch

from tutorial_lib.geometry import (
    GATES,
    bootstrap_interval,
    cone_index,
    effective_number,
    gate_example,
    gate_of,
    gate_scores,
    product_svd,
    random_subspace,
    spectrum,
    subspace_overlap,
    variance_seen,
    without_tokens,
)
from tutorial_lib.texts import load_texts


@pytest.fixture(scope="module")
def vectors(page, bert):
    """The vectors (layers + 1, n, d_model) of each text of the page."""
    return page.read(bert)[1]


@pytest.fixture(scope="module")
def other_maps(page, bert):
    """Those of the texts that were not looked at when the chapter was written."""
    return page.read(bert, page.other_ids)[0]


def scores_of(maps):
    return np.stack([gate_scores(A) for A in maps])  # (texts, layers, heads, 7)


def test_the_census_and_its_intervals(page):
    assert dict(zip(page.names, page.counts.tolist(), strict=True)) == {
        "closed": 0, "directional": 19, "backward": 12, "forward": 0, "cluster": 0, "instance": 1, "open": 15,
        "mixed": 25,
    }  # fmt: skip
    low, high = bootstrap_interval(page.census, page.scores, n=200)
    assert (high - low).max() < 3.5


def test_rounding_decides_no_gate(page):
    """Two average scores lie near 1/2: by what another order of additions changes, 100 times as near would be safe."""
    margins = np.sort(np.abs(page.scores.mean(0) - 0.5), axis=None)
    assert 3e-4 < margins[0] < margins[1] < 4e-4 < 1.5e-3 < margins[2]


def test_a_change_as_of_rounding_moves_scores_less_than_the_nearest_margin(other_maps):
    shaken = [A * (1 + 1e-5 * np.cos(np.arange(A.size)).reshape(A.shape)) for A in other_maps]
    assert np.abs(scores_of(shaken).mean(0) - scores_of(other_maps).mean(0)).max() < 3e-5


def test_six_heads_are_near_a_border(page):
    near = [(layer, head, page.heads[layer, head]) for layer, head in np.argwhere(page.keeps < 0.95).tolist()]
    assert near == [(2, 0, "backward"), (3, 2, "backward"), (3, 10, "backward"), (4, 0, "mixed"), (4, 11, "backward"),
                    (5, 2, "open")]  # fmt: skip


def test_the_census_where_it_stands_in_the_layers(page):
    heads = page.heads
    assert (heads[0] == "open").sum() == 10 and (heads[5] == "mixed").sum() == 9
    assert not (heads[[0, 5]] == "directional").any() and (heads[0, 2], heads[1, 8]) == ("backward", "instance")


def test_other_texts_leave_each_count_in_its_interval_and_move_two_heads(page):
    low, high = bootstrap_interval(page.census, page.scores, n=500)
    others = page.census(page.other_scores)
    assert ((low <= others) & (others <= high)).all()
    assert (gate_of(page.other_scores.mean(0)) != page.heads).sum() == 2
    parts = page.parts.values()
    assert [(gate_of(part.mean(0)) != page.heads).sum() for part in parts] == [7, 4, 9]
    assert sum(((page.census(part) < low) | (page.census(part) > high)).sum() for part in parts) == 2


@pytest.mark.long
def test_stories_from_elsewhere_in_the_book_leave_each_count_in_its_interval(page, bert, tok):
    """The other texts stand beside the first ones, in the same stories; these do not."""
    far, _ = page.read(bert, [tok.encode(text).ids for text in load_texts("stories")[160::5][:40]])
    low, high = bootstrap_interval(page.census, page.scores, n=500)
    counts = page.census(np.concatenate([scores_of(far), page.other_scores[40:]]))
    assert ((low <= counts) & (counts <= high)).all()


def test_nine_of_twelve_backward_heads_look_back_at_cls(page):
    assert page.back.sum() == 12 and (page.still == "backward").sum() == 3


def test_the_directional_gate_is_cls(page):
    assert (page.place[page.is_column] == 0).mean() > 0.99
    counts = dict(zip(page.names, page.census(page.inner_scores), strict=True))
    assert counts["directional"] == 0 and counts["open"] > 36 and counts["forward"] == 4 and counts["backward"] == 8


def test_the_directional_gate_is_cls_in_other_texts_too(page, other_maps):
    place = np.stack([A.sum(-2).argmax(-1) for A in other_maps])
    assert (place[gate_of(page.other_scores) == "directional"] == 0).mean() > 0.99
    inner = scores_of([without_tokens(A, [0, A.shape[-1] - 1]) for A in other_maps])
    counts = dict(zip(page.names, page.census(inner), strict=True))
    assert counts["directional"] == 0 and counts["open"] > 36 and counts["forward"] == 4 and counts["backward"] == 8


def test_three_gates_are_reached_at_no_threshold_from_four_to_six_tenths(page):
    average = page.scores.mean(0)
    for gate in ("closed", "forward", "cluster"):
        assert average[..., GATES.index(gate)].max() < 0.4
    reached = np.array([(average[..., GATES.index("directional")] >= level).sum() for level in (0.4, 0.6)])
    assert reached[0] - reached[1] > 15  # exercise 1: many heads are near the border


def test_without_training_all_heads_are_open_and_nothing_chooses(page):
    assert page.census(page.raw_scores)[GATES.index("open")] == 72
    _, low, _ = page.by_layer_of["evenness"]["without training"]
    assert low.min() > 0.98


def test_noise_up_to_four_tenths(page):
    assert [page.sorted_right(gate, 0.4) for gate in GATES] == [1] * 7
    noise = dict(zip(GATES, page.of_noise, strict=True))
    assert noise["open"] > 0.5 and min(noise["cluster"], noise["instance"]) > 0.05
    assert max(abs(noise[gate]) for gate in ("closed", "directional", "backward", "forward")) < 0.05


def test_the_lower_half_chooses_more_and_the_upper_half_does_not_hand_on_more(page):
    def upper_less_lower(values):
        return values[:, 3:].mean() - values[:, :3].mean()

    all_tokens, inner, *passed_on = map(np.array, page.read_off.values())  # (texts, layers)
    for evenness, least in ((all_tokens, 0.04), (inner, 0.1)):
        low, _ = bootstrap_interval(upper_less_lower, evenness, n=200)
        assert low > least
        assert evenness.mean(0).argmin() == 1
    assert all_tokens.mean(0).argmax() == 0
    for kept in passed_on:
        _, high = bootstrap_interval(upper_less_lower, kept, n=200)
        assert high < -0.08 and kept.mean(0).argmin() == 5


def test_the_effective_rank_falls_and_rises_in_the_last_layer(page):
    ranks, _, _ = page.by_layer_of["effective rank"]["trained"]
    assert np.round(ranks).tolist() == pytest.approx([179, 138, 143, 148, 135, 121, 198], abs=1)


def test_the_effective_rank_of_other_texts_lies_in_its_interval_which_a_bootstrap_would_miss(page, vectors):
    _, low, high = page.by_layer_of["effective rank"]["trained"]
    others = np.array(page.ranks_of_others)
    assert ((low < others) & (others < high)).all() and (high - low).max() < 10
    drawn = np.random.default_rng(0).integers(120, size=120)
    again = page.ranks(np.concatenate([vectors[k] for k in drawn], axis=1))
    assert (np.array(again) < low).all()


def test_the_two_loud_coordinates(page):
    assert page.loud == [99, 223]


def test_the_cone_of_a_text_narrows_and_that_of_all_texts_opens_at_the_end(page):
    for name in ("trained", "without 99 and 223"):
        one, _, _ = page.one[name]
        assert one[0] == pytest.approx(0.33, abs=0.01) and one[-1] == pytest.approx(0.65, abs=0.01)
        assert one[5] > one[0] + 0.15
        together, _, _ = page.together[name]
        assert together[5] > 0.34 and together[6] == pytest.approx(0.18, abs=0.01)
        angles, _, _ = page.angles[name]
        assert angles[:-1].min() > 60
    raw, _, _ = page.one["without training"]
    assert raw.min() > 0.59 and raw.max() < 0.64


def test_the_average_cosine_of_a_text_s_tokens_grows_sixfold(page):
    first, *_, last = page.in_texts["average cosine, trained"]
    assert [first, last] == pytest.approx([0.06, 0.39], abs=0.005)


def test_before_the_first_layer_of_a_network_without_training_a_third_is_shared(page):
    assert page.start == pytest.approx(1 / 3, abs=0.02)


def test_a_hundred_random_directions_add_up_to_ten(page):
    assert np.mean(page.lengths) == pytest.approx(10, abs=0.15)


def test_heads_select_subspaces_but_not_the_large_ones(page, vectors):
    queries, keys = page.seen[..., 0], page.seen[..., 1]
    assert [queries.mean(), keys.mean()] == pytest.approx([0.092, 0.106], abs=0.005)
    assert max(queries.max(), keys.max()) < 0.2
    low, high = page.band[..., None]
    assert (queries > high).sum() > 30 and (queries < low).sum() > 20 and (keys > high).sum() > 55
    assert min(page.best) > 0.42  # what the 32 largest directions hold
    pool = np.concatenate([X[2] for X in vectors])  # the page has a short way to what random subspaces see
    assert page.by_chance[2][0] == pytest.approx(variance_seen(pool, random_subspace(384, 32, 0)))


def test_queries_and_keys_overlap_and_without_training_as_by_chance(page):
    *_, own = page.overlap["trained"]
    assert own == pytest.approx(0.293, abs=0.005) and page.sizes[..., 0].mean() == pytest.approx(26.1, abs=0.2)
    *_, raw = page.overlap["without training"]
    assert raw == pytest.approx(32 / 384, abs=0.015) and page.raw_sizes[..., 0].mean() == pytest.approx(29.4, abs=0.6)
    assert page.raw.mean() == pytest.approx(32 / 384, abs=0.015)


def test_to_read_the_same_is_not_to_compare_like_with_like(page, bert):
    def like_with_like(down, up):
        queries, s, keys = product_svd(down, up)
        return (s * (queries * keys).sum(0)).sum() / s.sum()

    down = np.random.default_rng(0).normal(size=(384, 32))
    turn = np.kron(np.eye(16), [[0, 1], [-1, 0]])  # a quarter turn inside of the subspace
    assert like_with_like(down, down.T) == pytest.approx(1) and like_with_like(down, -down.T) == pytest.approx(-1)
    assert like_with_like(down, turn @ down.T) == pytest.approx(0, abs=1e-12)
    with torch.no_grad():
        products = [W_Q @ W_K for layer in bert.layer for W_Q, W_K in map(layer.attention.score_map, range(12))]
        traces = [(torch.trace(W) / torch.linalg.svdvals(W).sum()).item() for W in products]
    assert page.like.ravel() == pytest.approx(traces, abs=1e-4)
    assert page.like.mean() == pytest.approx(0.06, abs=0.005) and (page.like < 0).sum() == 21


def test_two_heads_of_a_layer_read_in_part_the_same(bert):
    queries = [product_svd(*bert.layer[1].attention.score_map(h))[0] for h in range(12)]
    assert np.mean([subspace_overlap(queries[i], queries[j]) for i in range(12) for j in range(i)]) > 2 * 32 / 384


def test_exercise_2_and_4(page):
    blocks = gate_scores(page.blocks)
    assert blocks == pytest.approx([1 / 3, 0, -1 / 9, -1 / 9, 1, 1 / 6, 1 / 3]) and gate_of(blocks) == "cluster"
    assert cone_index(page.bundles) == pytest.approx(0, abs=1e-9)
    assert effective_number(spectrum(page.bundles)) == pytest.approx(1)


def test_exercise_3_the_column_comes_from_the_bias_of_the_queries(page):
    with_bias, without = (page.census(scores)[1] for scores in (page.scores[::4], page.cut))
    assert without < with_bias / 2


def test_two_pure_gates_meet_half_way():
    column, even = gate_example("directional", 12, seed=1), gate_example("open", 12)
    names = [gate_of(gate_scores((1 - share) * column + share * even)) for share in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    assert names == ["directional"] * 3 + ["open"] * 3


def test_exercise_6_one_head_looks_at_the_token_before(page):
    assert np.argwhere(page.mine >= 0.5).tolist() == [[0, 2]]
    assert max(map(page.token_before, page.pure.values())) < 0.5
