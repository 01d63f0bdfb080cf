"""What the chapter on gates, entropies, cones and subspaces tells about the default model, pinned."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.gates import read
from tutorial_lib.geometry import (
    GATES,
    bootstrap_interval,
    gate_example,
    gate_of,
    gate_scores,
    random_subspace,
    variance_seen,
    without_tokens,
)
from tutorial_lib.texts import load_texts


@pytest.fixture(scope="module")
def reading(page, bert):
    """The maps and vectors of the page's texts, which are too large to be kept."""
    return read(bert, page.ids)


@pytest.fixture(scope="module")
def other_maps(page, bert):
    """Those of the texts that were not looked at when the chapter was written."""
    return read(bert, page.other_ids).maps


def scores_of(maps):
    return np.stack([gate_scores(A) for A in maps])  # (texts, layers, heads, 7)


def counts_of(page, case):
    return dict(zip(page.names, page.census(page.cases[case]).tolist(), strict=True))


def test_the_census_and_its_intervals(page):
    assert page.counts == {
        "closed": 0, "directional": 19, "backward": 12, "forward": 0, "cluster": 0, "instance": 1, "open": 15,
        "mixed": 25,
    }  # fmt: skip
    low, high = bootstrap_interval(page.census, page.scores, n=200)
    assert (high - low).max() < 3.5


def test_rounding_decides_no_gate(page):
    """Two average scores lie near 1/2, and the next test says that rounding moves none as far."""
    margins = np.sort(np.abs(page.scores.mean(0) - 0.5), axis=None)
    assert 3e-4 < margins[0] < margins[1] < 4e-4 < 1.5e-3 < margins[2]


def test_a_change_as_of_rounding_moves_scores_less_than_the_nearest_margin(page, other_maps):
    """The instance gate's score alone jumps, where two keys are just as good; it is further from 1/2 in all heads."""
    shaken = [A * (1 + 1e-5 * np.cos(np.arange(A.size)).reshape(A.shape)) for A in other_maps]
    moved = np.abs(scores_of(shaken).mean(0) - scores_of(other_maps).mean(0))
    instance = GATES.index("instance")
    assert np.delete(moved, instance, axis=-1).max() < 3e-5
    assert moved[..., instance].max() < 1e-3 < 0.01 < np.abs(page.scores.mean(0)[..., instance] - 0.5).min()


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
    others = page.census(page.cases["other texts"])
    assert ((low <= others) & (others <= high)).all()
    assert (gate_of(page.cases["other texts"].mean(0)) != page.heads).sum() == 2


@pytest.mark.long
def test_stories_from_elsewhere_in_the_book_leave_each_count_in_its_interval(page, bert, tok):
    """The other texts stand beside the first ones, in the same stories; these do not."""
    far = read(bert, [tok.encode(text).ids for text in load_texts("stories")[160::5][:40]]).maps
    low, high = bootstrap_interval(page.census, page.scores, n=500)
    counts = page.census(np.concatenate([scores_of(far), page.cases["other texts"][40:]]))
    assert ((low <= counts) & (counts <= high)).all()


def test_a_wide_name_holds_heads_that_rest_on_cls_and_noise_is_open(page):
    assert page.back.sum() == 12 and (page.still == "backward").sum() == 3
    assert (page.noise == "open").all()


def test_the_directional_gate_is_cls(page, reading):
    assert (page.place[page.is_column] == 0).mean() > 0.99
    counts = counts_of(page, "without [CLS] and [SEP]")
    assert counts["directional"] == 0 and counts["open"] > 36 and counts["forward"] == 4 and counts["backward"] == 8
    on_ends = np.mean([A[1:5, :, :, [0, -1]].sum(-1).mean((1, 2)) for A in reading.maps], axis=0)
    assert (0.3 < on_ends).all() and (on_ends < 0.65).all() and on_ends.mean() == pytest.approx(0.5, abs=0.06)


def test_the_directional_gate_is_cls_in_other_texts_too(page, other_maps):
    place = np.stack([A.sum(-2).argmax(-1) for A in other_maps])
    assert (place[gate_of(page.cases["other texts"]) == "directional"] == 0).mean() > 0.99
    inner = scores_of([without_tokens(A, [0, A.shape[-1] - 1]) for A in other_maps])
    assert page.census(inner)[GATES.index("directional")] == 0


def test_three_gates_are_reached_at_no_threshold_from_four_to_six_tenths(page):
    average = page.scores.mean(0)
    for gate in ("closed", "forward", "cluster"):
        assert average[..., GATES.index(gate)].max() < 0.4
    reached = np.array([(average[..., GATES.index("directional")] >= level).sum() for level in (0.4, 0.6)])
    assert reached[0] - reached[1] > 15  # exercise 1: many heads are near the border


def test_without_training_all_heads_are_open(page):
    assert counts_of(page, "without training")["open"] == 72


def test_an_even_map_has_the_lowest_entropy_of_entries_and_the_highest_of_rows(page):
    theirs, ours = map(np.array, zip(*page.two.values(), strict=True))
    even = list(page.two).index("even rows")
    assert theirs.argmin() == ours.argmax() == even and theirs[even] == 0 and ours[even] == pytest.approx(1)
    assert list(page.two)[theirs.argmax()] == "random weights"


def test_by_entries_the_halves_cannot_be_told_apart_and_by_rows_the_lower_one_chooses(page):
    theirs, at_once, _, raw, rows, inner = (np.array(values) for values in list(page.measured.values())[:6])
    assert theirs.mean(0) == pytest.approx([1.26, 0.74, 0.76, 0.85, 0.77, 1.12], abs=0.006)
    assert [theirs[:, :3].mean(), theirs[:, 3:].mean()] == pytest.approx([0.916, 0.912], abs=0.001)
    low, high = bootstrap_interval(page.upper_less_lower, theirs, n=500)
    assert low < 0 < high
    assert raw.mean(0).min() > theirs.mean(0).max() + 0.3
    for values, least in ((at_once, 0.03), (rows, 0.04), (inner, 0.1)):
        low, _ = bootstrap_interval(page.upper_less_lower, values, n=200)
        assert low > least


def test_the_upper_half_does_not_hand_on_more(page):
    passed_on = np.array(page.measured["cosine, input to output"])
    _, high = bootstrap_interval(page.upper_less_lower, passed_on, n=200)
    assert high < -0.08 and passed_on.mean(0).argmin() == 5


def test_a_text_s_cone_narrows_and_that_of_all_texts_opens_at_the_end(page):
    assert page.loud == [99, 223]
    of_one = np.array([page.measured[name] for name in page.measured if name.startswith("theirs:")][2:])
    assert of_one.shape == (4, 6) and (np.diff(of_one[[0, 2, 3]]) > 0).all() and (of_one[1] > of_one[0]).all()
    assert page.n_longest == 35 and of_one.max() < 35
    for name in ("ours: cone / n", "ours, less 99 and 223"):
        low, _ = bootstrap_interval(page.upper_less_lower, np.array(page.measured[name]), n=200)
        assert low > 0.1
    raw = np.mean(page.measured["ours, without training"], axis=0)
    assert 0.59 < raw.min() and raw.max() < 0.64
    together = page.measured["ours, all texts together"]
    assert together[4] > 0.45 and together[5] == pytest.approx(0.18, abs=0.01)
    assert min(page.measured["angle to last mean"][:-1]) > 70


def test_heads_select_subspaces_but_not_the_large_ones(page, reading):
    queries, keys = page.seen[..., 0], page.seen[..., 1]
    assert [queries.mean(), keys.mean()] == pytest.approx([0.092, 0.106], abs=0.005)
    assert max(queries.max(), keys.max()) < 0.2
    low, high = page.band[..., None]
    assert (queries > high).sum() > 30 and (queries < low).sum() > 20 and (keys > high).sum() > 55
    assert min(page.best_seen) > 0.42  # what the 32 largest directions hold
    pool = np.concatenate([X[2] for X in reading.vectors])  # the page has a short way to what random subspaces see
    assert page.by_chance[2][0] == pytest.approx(variance_seen(pool, random_subspace(384, 32, 0)))


def test_queries_and_keys_overlap_and_without_training_as_by_chance(page):
    *_, own = page.overlap["trained"]
    assert own == pytest.approx(0.293, abs=0.005)
    *_, raw = page.overlap["without training"]
    assert raw == pytest.approx(32 / 384, abs=0.015)


def test_columns_in_place_of_rows_give_maps_of_no_head(page, bert):
    rows, columns, another, even = page.slices.values()
    assert rows[0] == "0.00" and rows[1] == 72
    assert columns[2] == 72 and float(columns[0]) > float(even[0]) > float(another[0]) > 0.3
    assert np.abs(page.alike).max() < 1.96 / 65**0.5
    queries = bert.trace(page.ids[0])["layer.2.attention.queries"][0, 1]
    assert torch.allclose(torch.as_tensor(page.queries), queries, atol=1e-4)
    assert page.strangers.shape == queries.shape
    assert not torch.allclose(torch.as_tensor(page.strangers), queries, atol=0.5)


def test_exercise_2(page):
    blocks = gate_scores(page.blocks)
    assert blocks == pytest.approx([1 / 3, 0, -1 / 9, -1 / 9, 1, 1 / 6, 1 / 3]) and gate_of(blocks) == "cluster"


def test_two_pure_gates_meet_half_way():
    column, even = gate_example("directional", 12, seed=1), gate_example("open", 12)
    names = [gate_of(gate_scores((1 - share) * column + share * even)) for share in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    assert names == ["directional"] * 3 + ["open"] * 3


def test_exercise_3_one_head_looks_at_the_token_before(page):
    assert np.argwhere(page.mine >= 0.5).tolist() == [[0, 2]]
    assert max(map(page.token_before, page.pure.values())) < 0.5
