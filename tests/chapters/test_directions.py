"""What the chapter on directions (rows 40 to 44, and the lens) tells about book-gpt and three small models, pinned."""

from collections import Counter

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from torch import nn

from tutorial_lib.geometry import (
    best_probability,
    cosine,
    inverse_unembedding,
    mean_interval,
    nearest_by_measure,
    top_tokens,
)
from tutorial_lib.texts.generated import stories
from tutorial_lib.training.recipes import RECIPES

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.fixture(scope="module")
def page(chapter, book_gpt):
    return chapter(gpt=book_gpt)


# rows of the table


@pytest.mark.long
def test_the_page_counts_in_the_stories_that_its_generator_tells_first():
    told = RECIPES["book-gpt-small"].prepare().told
    assert [story.text for story in told[:50]] == [story.text for story in stories(50)]


def test_unseen_tokens_are_the_longest_and_point_one_way(page, prose):
    E, seen, lengths, down = page.E, page.seen, page.lengths, page.down
    assert (seen.sum(), (~seen).sum()) == (718, 782)
    assert "718 tokens of the stories" in prose and "782 unseen" in prose
    assert lengths[~seen].mean() == pytest.approx(2.84, abs=0.01) and 2.2 < lengths[seen].max() < 2.3
    short = lengths < lengths[seen].max()  # every row of the bundle is longer than every row that was seen
    assert (short & ~seen).sum() == 8 and "Eight of the 782 are short" in prose
    assert cosine(E[~seen], down).mean() > 0.98 and cosine(E[seen], down).mean() == pytest.approx(0.155, abs=0.01)
    assert page.to_bundle == pytest.approx(-0.55, abs=0.01) and (page.few @ down < 0).mean() > 0.97
    assert page.r == pytest.approx(0.23, abs=0.01)
    assert abs(cosine(page.axes[0], down)) > 0.999 and "The first is the bundle's" in prose


def test_after_20_steps_no_row_is_longer_than_another_for_being_unseen(page):
    young = page.young.numpy()
    assert young[page.seen].mean() == pytest.approx(young[~page.seen].mean(), abs=0.01)


def test_the_gradient_of_an_unseen_row_moves_it_against_the_states():
    torch.manual_seed(0)
    X, W = torch.randn(5, 4), torch.randn(6, 4, requires_grad=True)
    nn.functional.cross_entropy(X @ W.T, torch.tensor([0, 1, 2, 0, 1]), reduction="sum").backward()
    p = (X @ W.detach().T).softmax(-1)
    assert torch.allclose(W.grad[3:], p[:, 3:].T @ X, atol=1e-6)


def test_where_the_zero_is_decides_which_rows_are_long_and_changes_no_probability(page):
    E, seen, centered = page.E, page.seen, page.centered
    lengths = np.linalg.norm(centered, axis=1)
    assert lengths[~seen].mean() == pytest.approx(1.3, abs=0.05) and lengths[seen].mean() > 1.8
    p, q = (torch.tensor(page.few[::4] @ rows.T).softmax(-1) for rows in (E, centered))
    assert (p - q).abs().max() < 1e-12
    some = np.flatnonzero(seen)[::20]
    one, other = (nearest_by_measure(rows[some], rows, k=5, leave_out=some) for rows in (E, centered))
    assert np.array_equal(one.distance, other.distance) and not np.array_equal(one.dot, other.dot)


def test_the_three_lists_of_mia(page, prose):
    mia = page.tok.vocab["Mia"]
    near = nearest_by_measure(page.E[[mia]], page.E, k=5, leave_out=[mia])
    first = [[page.name_of(i) for i in ids[0, :3]] for ids in near]
    assert first == [["Lena", "Rosa", "Noah"], [" sent", " wrote", " shone"], ["Lena", "Rosa", "Noah"]]
    assert 'say "Lena", "Rosa", "Noah"; one says " sent", " wrote", " shone"' in prose
    longer = page.lengths[near.dot[0, :3]] / page.lengths[mia]
    assert longer.round(1).tolist() == [1.9, 1.7, 1.6] and "1.6 to 1.9 times as long" in prose


def test_distance_and_dot_product_part_for_tokens_and_agree_for_states(page):
    pairs = [0, 1, 0], [1, 2, 2]  # distance and dot product, dot product and cosine, distance and cosine
    assert page.of_tokens[pairs] == pytest.approx([0.545, 0.708, 0.756], abs=0.005)
    assert page.of_states[pairs] == pytest.approx([0.962, 0.795, 0.826], abs=0.005)
    shares = np.array(page.by_scale)
    distance_and_dot, dot_and_cosine = shares[:, 0, 1], shares[:, 1, 2]
    assert (np.diff(distance_and_dot) > 0).all()
    assert distance_and_dot[0] == pytest.approx(0.13, abs=0.01) and distance_and_dot[-1] > 0.99
    assert np.ptp(dot_and_cosine) == 0  # no length of the state changes these two


# there and back


def test_own_scores_and_who_comes_back(page, prose):
    E, seen = page.E, page.seen
    assert [page.peak[kind].mean() for kind in page.kinds] == pytest.approx([5.30, 1, 128 / 1500], abs=0.005)
    back = page.back
    assert back["transpose"][seen].mean() > 0.98 and back["transpose"][~seen].mean() < 0.05
    won = Counter(top_tokens(E, E)[~seen].tolist()).most_common(1)[0]
    assert won == (page.lengths.argmax(), 726) and "726 of 782" in prose
    assert back["pseudo-inverse"][~seen].mean() > 0.9 and back["pseudo-inverse"].mean() > 0.97
    assert np.allclose(inverse_unembedding(E, "pseudo-inverse").T @ E, np.eye(128))
    assert [page.peak[kind][page.kite] for kind in page.kinds] == pytest.approx([1.37, 1, 0.11], abs=0.005)
    scores = E[page.kite] @ E.T
    assert [page.name_of(i) for i in scores.argsort()[::-1][:3]] == [" kite", " ball", " boat"]
    assert np.quantile(scores[~seen], [0.05, 0.95]) == pytest.approx([0.4, 0.4], abs=0.05)


# length


def test_the_loss_is_smallest_at_the_length_that_training_found(page, prose):
    losses = dict(zip(page.scales, page.losses, strict=True))
    assert [losses[scale] for scale in (0.1, 1, 8)] == pytest.approx([5.35, 0.67, 2.30], abs=0.01)
    assert "from 5.3 nats to its smallest value, 0.7, at 1, and rises slowly to 2.3 at 8" in prose
    assert min(losses, key=losses.get) == 1
    best = best_probability(page.few[:50] @ page.E.T, page.scales)
    assert (np.diff(best, axis=0) > -1e-12).all()


def test_length_before_the_last_norm_does_nothing_and_longer_states_are_less_sure(page):
    assert page.moves < 1e-5
    raw, normed, first, later = page.raw, page.normed, page.first, page.later
    assert spearmanr(raw[later], page.p_of_best[later])[0] == pytest.approx(-0.37, abs=0.02)
    assert raw[first].mean() > 2.5 * raw[later].mean()
    assert normed.std() / normed.mean() < 0.02


# layers


def test_the_lens_ends_at_the_model_and_agrees_more_and_more(page):
    assert page.same == pytest.approx([0, 0.474, 0.651, 0.775, 1], abs=0.005)
    length, _, same, _, as_read, loss = np.transpose(page.by_layer)
    assert (page.same == same).all() and as_read[0] > 0.99
    assert loss[1] == pytest.approx(2.35, abs=0.02)
    assert (np.diff(length) > 0).all() and length[-1] > 20 * length[0]
    at_first = (page.tops[:, page.first] == page.tops[-1, page.first]).mean(1)
    assert at_first.tolist() == [0, 0, 1, 1, 1]


def test_two_stories_go_to_two_names_in_the_last_layer(page, prose):
    for text in (page.lily, page.tom):
        with torch.no_grad():
            said = page.gpt(page.ids_of(text))[0][0, -1].argmax()
        assert page.name_of(said).strip() == text.split()[0]
    assert np.degrees(np.arctan2(*page.pair.tokens[1, ::-1])) == pytest.approx(66, abs=0.5)
    assert "at 66 degrees" in prose
    lily_lost, tom_lost = (path.scores[:, 0] - path.scores[:, 1] for path in page.lost_by.values())
    assert [lily_lost[-1], tom_lost[-1]] == pytest.approx([4.66, -2.45], abs=0.02)
    assert np.abs([lily_lost[:4], tom_lost[:4]]).max() < 1.7
    assert lily_lost[0] == tom_lost[0] and (lily_lost[1:] > tom_lost[1:]).all()
    assert [path.shares[-1] for path in page.lost_by.values()] == pytest.approx([0.51, 0.52], abs=0.01)


def test_the_gap_of_64_pairs_of_names_comes_mostly_in_the_last_layer(page, prose):
    assert page.gaps.mean(0)[3:] == pytest.approx([1.23, 4.72], abs=0.02)
    assert "1.2 after three layers and 4.7" in prose
    assert (page.late.sum(), len(page.late), page.right) == (56, 64, 103) and "in 56 of 64 pairs" in prose


def test_a_sentence_of_a_kind_that_it_never_read_turns_to_neither_name(page, prose):
    """N 6's, with names that are tokens here: a lean to the giver, and "the" on top."""
    assert all(f"Ġ{name}" not in page.tok.vocab for name in ("Mary", "John"))
    assert (page.gaps_of_gifts[:, -1] < 0).all() and page.gaps_of_gifts[:, -1].mean() == pytest.approx(-0.65, abs=0.01)
    _, (low, high) = page.of_last
    assert low < high < -0.5
    with torch.no_grad():
        top = page.gpt(page.ids_of(page.given.format("Lily", "Tom")))[0][0, -1].argmax()
    assert page.name_of(top) == " the" and "in all 64 pairs the gap is below 0" in prose
    assert not [story for story in stories(1_000) if "When " in story.text or " store" in story.text]


# models that are trained on the page


def test_without_layers_two_tables_hold_bigrams_and_one_does_not(page, prose):
    counted = page.counted["bigram"]
    assert counted == pytest.approx(2.78, abs=0.005) and "2.78 nats" in prose
    one, itself, follower = page.past_layers["no layers, one table"]
    two, itself_2, follower_2 = page.past_layers["no layers, two tables"]
    assert one > counted + 0.8 and two < counted - 0.1
    assert itself > 0.3 > 0.2 > follower and follower_2 > 0.5 and itself_2 < 0.05


def test_a_second_table_adds_62_percent_of_parameters(page, prose):
    one, two = (sum(p.numel() for p in model.parameters()) for model in (page.small["with LayerNorm"], page.two))
    assert two / one == pytest.approx(1.62, abs=0.005) and prose.count("62 %") == 2


def test_a_tied_table_says_each_token_again_before_the_layers(page):
    _, itself, _ = page.past_layers["book-gpt, its layers left out"]
    assert itself > 0.99


def test_what_hides_length_and_what_hides_the_zero(page):
    for name, changes in page.tried.items():
        normed = name == "with LayerNorm"
        twice, kept = changes["all states twice as long"]
        assert (twice < 1e-3 if normed else 0.2 < twice < 0.45) and kept > 0.999
        level, kept = changes["all states equally long"]
        assert (level < 1e-3 if normed else 0.05 < level < 0.25) and kept > 0.999
        along_ones, _ = changes["all states moved along (1, …, 1)"]
        assert along_ones < 1e-3 if normed else along_ones > 0.3
        shifted, kept = changes["all states moved by the same vector"]
        assert shifted > 0.2 and kept < 0.8
        assert changes["all rows moved by the same vector"][0] < 1e-4  # the softmax sees differences alone
        assert changes["all rows made equally long"][0] > 0.25


def test_what_four_runs_say(page):
    kept = page.kept
    of_seed_0 = [kept[f"no layers, {name}"][0] for name in page.ends]  # the page's own models
    assert of_seed_0 == pytest.approx(list(page.ends.values()), rel=0.01)
    assert [kept["confidence"][name][0] for name in page.last] == pytest.approx(
        [row[3] for row in page.last.values()], abs=0.02
    )
    assert max(kept["no layers, two tables"]) < page.counted["bigram"] < min(kept["no layers, one table"]) - 1
    assert np.mean(kept["no layers, two tables, no positions"]) == pytest.approx(2.79, abs=0.01)
    with_it, *without = kept["confidence"].values()
    assert max(with_it) < 0.32 and min(map(min, without)) > 0.52
    for name in ("without the last", "without any"):
        _, low, high = mean_interval(np.subtract(kept[name], kept["with LayerNorm"]).T)  # by rate
        assert low[0] > 0.3 and low[2] < 0 < high[2]
    fewer, low, high = mean_interval(np.subtract(kept["with LayerNorm"][1], kept["two tables"]))
    assert (fewer, low, high) == pytest.approx((0.17, -0.02, 0.36), abs=0.01)


def test_without_a_last_norm_length_is_confidence(page):
    r = {name: row[3] for name, row in page.last.items()}
    assert r["without the last"] > 0.4 and r["without any"] > 0.45
    assert r["with LayerNorm"] < r["without the last"] - 0.1


def test_nearly_all_states_lie_on_the_side_of_0_that_is_away_from_the_bundle(page):
    first, seen = page.axes[0], page.seen
    assert (page.E[page.never] @ first > 2).mean() > 0.98 and (page.near_states[:, 0] < 0).mean() > 0.95
    two = (page.E[seen] @ page.axes.T) ** 2
    assert two.sum() / (page.E[seen] ** 2).sum() < 0.1
