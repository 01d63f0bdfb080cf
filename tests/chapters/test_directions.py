"""What the chapter on directions (rows 40 to 44, and the lens) tells about book-gpt and three small models, pinned."""

import itertools
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from torch import nn

from tutorial_lib.geometry import (
    best_probability,
    cosine,
    inverse_unembedding,
    layer_agreement,
    logit_lens,
    measure_overlap,
    nearest_by_measure,
    own_scores,
    plane_path,
    token_plane,
    top_tokens,
)
from tutorial_lib.gpt import GPT
from tutorial_lib.texts.generated import stories
from tutorial_lib.training import Settings, next_tokens_of, train
from tutorial_lib.training.judge import baselines
from tutorial_lib.training.recipes import RECIPES

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")
PAGE = (Path(__file__).parents[2] / "book" / "directions.md").read_text(encoding="utf-8")
END = "<|endoftext|>"
PLAN = Settings(150, lr=0.025, warmup=25, evaluate_every=150)
STORY = ("{0} and {1} went to the park. {0} lost {2} ball in the park. {3} was very sad because {2} ball was gone. "
         "Then {1} looked under some leaves, and there {4} found it. {5} gave the ball back to")  # fmt: skip
LILY = STORY.format("Lily", "Tom", "her", "She", "he", "He")
TOM = STORY.format("Tom", "Lily", "his", "He", "she", "She")


@pytest.fixture(scope="module")
def ready():
    return RECIPES["book-gpt-small"].prepare()


@pytest.fixture(scope="module")
def E(book_gpt):
    return book_gpt.unembedding.weight.detach().double().numpy()


@pytest.fixture(scope="module")
def counts(book_bpe, ready):
    first = [story.text for story in ready.told[:2_000]]  # the stories that the page counts in, told once here
    return np.bincount(sum([[*book_bpe.encode(END + text).ids, 0] for text in first], []), minlength=1500)


def states_of(book_gpt, ids):
    stops = book_gpt.trace(ids)
    return torch.cat([stops["embeddings.output"], *(stops[f"layer.{i}.output"] for i in range(4))])


@pytest.fixture(scope="module")
def unread(book_bpe):
    return [book_bpe.encode(END + story.text).ids for story in stories(100, seed=1)]


@pytest.fixture(scope="module")
def H(book_gpt, unread):
    return torch.cat([states_of(book_gpt, ids) for ids in unread], dim=1)


@pytest.fixture(scope="module")
def X(book_gpt, H):
    with torch.no_grad():
        return book_gpt.norm(H[-1]).double().numpy()


@pytest.fixture(scope="module")
def following(unread, book_bpe):
    return np.array(sum([ids[1:] + [book_bpe.vocab[END]] for ids in unread], []))


@pytest.fixture(scope="module")
def scores(book_gpt, H):
    with torch.no_grad():
        return np.concatenate([logit_lens(X[None], book_gpt.norm, book_gpt.unembedding).astype(np.float32) for X in H])


def loss_of(z, following):
    return -torch.tensor(z).log_softmax(-1)[range(len(z)), torch.tensor(following)].mean().item()


# rows of the table


def test_the_page_counts_in_the_stories_that_its_generator_tells_first(ready):
    assert [story.text for story in ready.told[:50]] == [story.text for story in stories(50)]


def test_unseen_tokens_are_the_longest_and_point_one_way(E, counts, X):
    lengths, seen = np.linalg.norm(E, axis=1), counts > 0
    assert (seen.sum(), (~seen).sum()) == (718, 782) and "718 tokens of the stories" in PAGE and "782 unseen" in PAGE
    assert lengths[~seen].mean() == pytest.approx(2.84, abs=0.01) and 2.2 < lengths[seen].max() < 2.3
    short = lengths < lengths[seen].max()  # every row of the bundle is longer than every row that was seen
    assert (short & ~seen).sum() == 8 and "Eight of the 782 are short" in PAGE
    down = E[~seen].mean(0)
    assert cosine(E[~seen], down).mean() > 0.98 and cosine(E[seen], down).mean() == pytest.approx(0.155, abs=0.01)
    assert cosine(X.mean(0), down) == pytest.approx(-0.55, abs=0.01) and ((X @ down) < 0).mean() > 0.97
    assert spearmanr(counts[seen], lengths[seen])[0] == pytest.approx(0.23, abs=0.01)
    axes = np.linalg.svd(E, full_matrices=False)[2][:3]
    assert abs(cosine(axes[0], down)) > 0.999 and "The first is the bundle's" in PAGE
    shown = ((E[seen] @ axes.T) ** 2).sum() / (E[seen] ** 2).sum()
    assert shown == pytest.approx(1 / 8, abs=0.01) and "show an eighth" in PAGE


def test_after_20_steps_no_row_is_longer_than_another_for_being_unseen(counts):
    young = GPT.from_pretrained("book-gpt-20", device="cpu").unembedding.weight.detach().norm(dim=1).numpy()
    assert young[counts > 0].mean() == pytest.approx(young[counts == 0].mean(), abs=0.01)


def test_the_gradient_of_an_unseen_row_moves_it_against_the_states():
    torch.manual_seed(0)
    X, W = torch.randn(5, 4), torch.randn(6, 4, requires_grad=True)
    nn.functional.cross_entropy(X @ W.T, torch.tensor([0, 1, 2, 0, 1]), reduction="sum").backward()
    p = (X @ W.detach().T).softmax(-1)
    assert torch.allclose(W.grad[3:], p[:, 3:].T @ X, atol=1e-6)


def test_where_the_zero_is_decides_which_rows_are_long_and_changes_no_probability(E, counts, X):
    seen, centered = counts > 0, E - E.mean(0)
    lengths = np.linalg.norm(centered, axis=1)
    assert lengths[~seen].mean() == pytest.approx(1.3, abs=0.05) and lengths[seen].mean() > 1.8
    p, q = (torch.tensor(X[::20] @ rows.T).softmax(-1) for rows in (E, centered))
    assert (p - q).abs().max() < 1e-12
    some = np.flatnonzero(seen)[::20]
    one, other = (nearest_by_measure(rows[some], rows, k=5, leave_out=some) for rows in (E, centered))
    assert np.array_equal(one.distance, other.distance) and not np.array_equal(one.dot, other.dot)


def test_the_three_lists_of_mia(E, book_bpe):
    mia = book_bpe.vocab["Mia"]
    near = nearest_by_measure(E[[mia]], E, k=5, leave_out=[mia])
    first = [[book_bpe.tokens[i] for i in ids[0, :3]] for ids in near]
    assert first == [["Lena", "Rosa", "Noah"], ["Ġsent", "Ġwrote", "Ġshone"], ["Lena", "Rosa", "Noah"]]
    assert 'say "Lena", "Rosa", "Noah"; one says " sent", " wrote", " shone"' in PAGE
    lengths = np.linalg.norm(E, axis=1)
    longer = lengths[near.dot[0, :3]] / lengths[mia]
    assert longer.round(1).tolist() == [1.9, 1.7, 1.6] and "1.6 to 1.9 times as long" in PAGE


def test_distance_and_dot_product_part_for_tokens_and_agree_for_states(E, counts, X):
    rows = E[counts > 0]
    of_tokens = measure_overlap(nearest_by_measure(rows, rows, k=1, leave_out=range(len(rows))))
    of_states = measure_overlap(nearest_by_measure(X, E, k=1))
    assert of_tokens[[0, 1, 0], [1, 2, 2]] == pytest.approx([0.545, 0.708, 0.756], abs=0.005)
    assert of_states[[0, 1, 0], [1, 2, 2]] == pytest.approx([0.962, 0.795, 0.826], abs=0.005)
    few = X[::5]
    shares = [measure_overlap(nearest_by_measure(c * few, E, k=1)) for c in (0.03, 0.1, 0.3, 1, 3, 10)]
    assert all(np.diff([share[0, 1] for share in shares]) > 0)
    assert shares[0][0, 1] == pytest.approx(0.13, abs=0.01) and shares[-1][0, 1] > 0.99
    assert np.ptp([share[1, 2] for share in shares]) == 0  # no length of the state changes these two


# there and back


def test_own_scores_and_who_comes_back(E, counts, book_bpe):
    seen = counts > 0
    kinds = {kind: inverse_unembedding(E, kind) for kind in ("transpose", "normalized transpose", "pseudo-inverse")}
    means = [own_scores(E, W).mean() for W in kinds.values()]
    assert means == pytest.approx([5.30, 1, 128 / 1500], abs=0.005)
    back = {kind: top_tokens(E, W) == np.arange(1500) for kind, W in kinds.items()}
    assert back["transpose"][seen].mean() > 0.98 and back["transpose"][~seen].mean() < 0.05
    longest = np.linalg.norm(E, axis=1).argmax()
    won = Counter(top_tokens(E, E)[~seen].tolist()).most_common(1)[0]
    assert won == (longest, 726) and "726 of 782" in PAGE
    assert back["pseudo-inverse"][~seen].mean() > 0.9 and back["pseudo-inverse"].mean() > 0.97
    assert np.allclose(kinds["pseudo-inverse"].T @ E, np.eye(128))
    kite = book_bpe.vocab["Ġkite"]
    scores = [E[kite] @ W.T for W in kinds.values()]
    assert [z[kite] for z in scores] == pytest.approx([1.37, 1, 0.11], abs=0.005)
    assert [book_bpe.tokens[i] for i in scores[0].argsort()[::-1][:3]] == ["Ġkite", "Ġball", "Ġboat"]
    assert np.quantile(scores[0][~seen], [0.05, 0.95]) == pytest.approx([0.4, 0.4], abs=0.05)


# length


def test_the_loss_is_smallest_at_the_length_that_training_found(X, E, following):
    z = X @ E.T
    assert [loss_of(scale * z, following) for scale in (0.1, 1, 8)] == pytest.approx([5.35, 0.67, 2.30], abs=0.01)
    assert "from 5.3 nats to its smallest value, 0.7, at 1, and rises slowly to 2.3 at 8" in PAGE
    scales, some = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 4, 8], slice(None, None, 5)
    assert scales[int(np.argmin([loss_of(scale * z[some], following[some]) for scale in scales]))] == 1
    assert all((scale * z).argmax(1).tolist() == z.argmax(1).tolist() for scale in (0.1, 8))
    best = best_probability(z[:50], scales)
    assert (np.diff(best, axis=0) > -1e-12).all()


def test_length_before_the_last_norm_does_nothing_and_longer_states_are_less_sure(book_gpt, H, unread):
    with torch.no_grad():
        p, q = (book_gpt.unembedding(book_gpt.norm(scale * H[-1])).softmax(-1) for scale in (1, 2))
    assert (p - q).abs().sum(-1).mean() / 2 < 1e-5
    first = np.cumsum([0] + [len(ids) for ids in unread[:-1]])
    later = np.delete(np.arange(H.shape[1]), first)
    raw = H[-1].norm(dim=1).numpy()
    assert spearmanr(raw[later], p.max(-1).values[later])[0] == pytest.approx(-0.37, abs=0.02)
    assert raw[first].mean() > 2.5 * raw[later].mean()
    with torch.no_grad():
        normed = book_gpt.norm(H[-1]).norm(dim=1)
    assert normed.std() / normed.mean() < 0.02


# layers


def test_the_lens_ends_at_the_model_and_agrees_more_and_more(book_gpt, scores, H, unread, following):
    same = layer_agreement(scores)
    assert same == pytest.approx([0, 0.474, 0.651, 0.775, 1], abs=0.005)
    read = np.concatenate(unread)
    assert (scores[0].argmax(-1) == read).mean() > 0.99
    assert loss_of(scores[1], following) == pytest.approx(2.35, abs=0.02)
    lengths = H.norm(dim=-1).mean(1)
    assert (lengths.diff() > 0).all() and lengths[-1] > 30 * lengths[0]
    first = np.cumsum([0] + [len(ids) for ids in unread[:-1]])
    assert layer_agreement(scores[:, first]).tolist() == [0, 0, 1, 1, 1]
    with torch.no_grad():
        states = [book_gpt.trace(unread[0])[f"layer.{i}.output"] for i in range(4)]
        alone = logit_lens(states, book_gpt.norm, book_gpt.unembedding)
        assert np.array_equal(alone[-1], book_gpt(unread[0])[0].double().numpy())


def test_two_stories_go_to_two_names_in_the_last_layer(book_gpt, E, book_bpe):
    pair = token_plane(*(E[book_bpe.vocab[name]] for name in ("ĠLily", "ĠTom")))
    paths = []
    for text in (LILY, TOM):
        ids = book_bpe.encode(END + text).ids
        with torch.no_grad():
            paths.append(plane_path(pair, book_gpt.norm(states_of(book_gpt, ids)[:, -1])))
            said = book_bpe.tokens[book_gpt(ids)[0][0, -1].argmax()]
        assert said == ("ĠLily" if text == LILY else "ĠTom")
    gaps = np.array([path.scores[:, 0] - path.scores[:, 1] for path in paths])
    assert "at 66 degrees" in PAGE and np.degrees(np.arctan2(*pair.tokens[1, ::-1])) == pytest.approx(66, abs=0.5)
    assert gaps[:, -1] == pytest.approx([4.66, -2.45], abs=0.02) and np.abs(gaps[:, :4]).max() < 1.7
    assert gaps[0, 0] == gaps[1, 0] and (gaps[0, 1:] > gaps[1, 1:]).all()
    assert [path.shares[-1] for path in paths] == pytest.approx([0.51, 0.52], abs=0.01)


def test_the_gap_of_64_pairs_of_names_comes_mostly_in_the_last_layer(book_gpt, E, book_bpe):
    girls, boys = (re.search(rf'{kind} = "(.*)".split', PAGE)[1].split() for kind in ("girls", "boys"))
    gaps, right = [], 0
    for girl, boy in itertools.product(girls, boys):
        pair = [book_bpe.vocab["Ġ" + name] for name in (girl, boy)]
        leads = []
        for own, text in enumerate([STORY.format(girl, boy, "her", "She", "he", "He"),
                                    STORY.format(boy, girl, "his", "He", "she", "She")]):  # fmt: skip
            with torch.no_grad():
                path = book_gpt.norm(states_of(book_gpt, book_bpe.encode(END + text).ids)[:, -1]).double().numpy()
            leads.append(path @ (E[pair[0]] - E[pair[1]]))
            right += (E @ path[-1]).argmax() == pair[own]
        gaps.append(leads[0] - leads[1])
    gaps = np.array(gaps)
    assert gaps.mean(0)[3:] == pytest.approx([1.23, 4.72], abs=0.02) and "1.2 after three layers and 4.7" in PAGE
    late = gaps[:, 4] - gaps[:, 3] > gaps[:, 4] / 2
    assert (late.sum(), len(late), right) == (56, 64, 103) and "in 56 of 64 pairs" in PAGE


# models that are trained on the page


def new(ready, without=None, **changes):
    shape = dict(vocab_size=len(ready.tokenizer), d_model=32, d_ff=128, **changes)
    torch.manual_seed(0)
    model = GPT(replace(RECIPES["book-gpt-small"].config, **shape))
    with torch.no_grad():
        for weight in [weight for weight in model.parameters() if weight.ndim == 2]:
            weight *= 3
    if without in ("the last", "any"):
        model.norm = nn.Identity()
    for layer in model.layer if without == "any" else []:
        layer.attention_norm = layer.norm = nn.Identity()
    return model


def trained(ready, without=None, plan=PLAN, **changes):
    model = new(ready, without, **changes)
    train(model, next_tokens_of(ready.text, batch_size=16), plan)
    return model


@pytest.fixture(scope="module")
def small(ready, one_thread_for_a_file):
    return {str(without): trained(ready, without) for without in (None, "the last", "any")}


def straight(model, texts):
    after = {}
    for text in texts:
        for one, other in zip(text, text[1:]):
            after.setdefault(one, Counter())[other] += 1
    pairs = {one: rest.most_common(1)[0][0] for one, rest in after.items() if sum(rest.values()) >= 20}
    with torch.no_grad():
        top = model.unembedding(model.norm(model.embeddings.tokens.weight)).argmax(-1).tolist()
    return np.mean([top[one] == one for one in pairs]), np.mean([top[one] == two for one, two in pairs.items()])


@pytest.mark.long
def test_without_layers_two_tables_hold_bigrams_and_one_does_not(ready):
    counted = baselines(ready.text, ready.held_out, len(ready.tokenizer))["bigram"]
    assert counted == pytest.approx(2.78, abs=0.005) and "2.78 nats" in PAGE
    one, two = (trained(ready, n_layers=0, tied=tied) for tied in (True, False))
    with torch.no_grad():
        assert ready.evaluate(one) > counted + 0.8 and ready.evaluate(two) < counted - 0.1
    (itself, follower), (itself_2, follower_2) = straight(one, ready.text), straight(two, ready.text)
    assert itself > 0.3 > 0.2 > follower and follower_2 > 0.5 and itself_2 < 0.05


def test_a_second_table_adds_62_percent_of_parameters(ready):
    one, two = (sum(p.numel() for p in new(ready, tied=tied).parameters()) for tied in (True, False))
    assert two / one == pytest.approx(1.62, abs=0.005) and PAGE.count("62 %") == 2


def test_a_tied_table_says_each_token_again_before_the_layers(book_gpt, unread):
    assert straight(book_gpt, unread * 5)[0] > 0.99


def last_states(model, texts):
    with torch.no_grad():
        return torch.cat([model.trace([text[:-1]])["layer.1.output"][0] for text in texts])


@pytest.mark.long
def test_what_hides_length_and_what_hides_the_zero(ready, small):
    texts = ready.held_out[:60]
    for name, model in small.items():
        Z, W, norm = last_states(model, texts), model.unembedding.weight.detach(), model.norm
        normed = name == "None"
        y = torch.randn(32, generator=torch.Generator().manual_seed(0))
        y, size, lengths = y / y.norm(), Z.norm(dim=1, keepdim=True), W.norm(dim=1, keepdim=True)

        def moved(states, rows, norm=norm, Z=Z, W=W):
            with torch.no_grad():
                p, q = (norm(Z) @ W.T).softmax(-1), (norm(states) @ rows.T).softmax(-1)
            return (p - q).abs().sum(-1).mean().item() / 2, (p.argmax(-1) == q.argmax(-1)).double().mean().item()

        twice, kept = moved(2 * Z, W)
        assert (twice < 1e-3 if normed else 0.2 < twice < 0.45) and kept > 0.999
        level, kept = moved(size.mean() * Z / size, W)
        assert (level < 1e-3 if normed else 0.05 < level < 0.25) and kept > 0.999
        along_ones, _ = moved(Z + size.mean() / 32**0.5, W)
        assert along_ones < 1e-3 if normed else along_ones > 0.3
        shifted, kept = moved(Z + size.mean() * y, W)
        assert shifted > 0.2 and kept < 0.8
        assert moved(Z, W + lengths.mean() * y)[0] < 1e-4  # the softmax sees differences alone
        assert moved(Z, lengths.mean() * W / lengths)[0] > 0.25


@pytest.mark.long
def test_without_a_last_norm_length_is_confidence(ready, small):
    found = {}
    for name, model in small.items():
        Z = last_states(model, ready.held_out[:60])
        with torch.no_grad():
            sure = model.unembedding(model.norm(Z)).softmax(-1).max(-1).values
        found[name] = spearmanr(Z.norm(dim=1), sure)[0]
    assert found["the last"] > 0.4 and found["any"] > 0.45 and found["None"] < found["the last"] - 0.1
