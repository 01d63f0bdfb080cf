"""What the chapter on L's open questions (L 5.2) finds in the default model."""

import copy

import numpy as np
import pytest
import torch

from tutorial_book.experiments.questions import quantize, round_to_grid
from tutorial_lib import geometry
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

OPPOSITES = [pair.split() for pair in "hot cold,big small,good bad,high low,wide narrow,love hate,win lose,push pull,"
             "rise fall,north south,true false,before after,always never,friend enemy,arrive leave".split(",")]


@pytest.fixture(scope="module")
def texts():
    return load_texts("encyclopedia")[:60] + load_texts("posts")[:60]


@pytest.fixture(scope="module")
def exact(bert, texts):
    return embed(texts, bert)


def cosine(a, b):
    return (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


def words(bert, chosen):
    return np.stack([row[:, 1] for row in embed(chosen, bert, pooling="tokens", layers="all")], axis=1).astype(float)


def test_opposites_stay_positive_in_every_layer_when_the_mean_is_removed(bert):
    first, second = (words(bert, [pair[side] for pair in OPPOSITES]) for side in (0, 1))
    common = words(bert, load_texts("words")["noun"][:200]).mean(1, keepdims=True)
    cleaned = cosine(first - common, second - common)
    assert cleaned.shape == (7, len(OPPOSITES)) and cleaned.min() > 0.05
    mixed = cosine(first - common, np.roll(second, 4, axis=1) - common)
    assert mixed.mean() < 0.25 < 0.4 < cleaned.mean()


def test_taking_the_projections_on_each_other_away_only_changes_the_sign_of_the_cosine(bert):
    a, b = words(bert, ["big", "large"])[-1]
    less = a - a @ b / (b @ b) * b, b - a @ b / (a @ a) * a
    assert cosine(*less) == pytest.approx(-cosine(a, b)) and cosine(a, b) > 0.5


def test_a_pair_that_was_left_out_falls_in_order_on_the_axis_of_the_others(bert):
    pairs = [pair.split() for pair in "good bad,happy sad,love hate,win lose,friend enemy,peace war,success failure,"
             "victory defeat,right wrong,safe dangerous,clean dirty,rich poor,strong weak,kind cruel".split(",")]
    first, second = (words(bert, [pair[side] for pair in pairs]) for side in (0, 1))
    for layer in (0, 3, 6):
        steps = first[layer] - second[layer]
        right = [steps[i] @ np.delete(steps, i, axis=0).mean(0) > 0 for i in range(len(pairs))]
        assert np.mean(right) > 0.9


def test_frequency_is_not_what_orders_the_pairs(bert, tok):
    """Random pairs, turned by rank in the vocabulary, are seldom in order; these are, without rank's direction too."""
    pairs = [pair.split() for pair in "good bad,happy sad,love hate,win lose,friend enemy,peace war,success failure,"
             "victory defeat,right wrong,safe dangerous,clean dirty,rich poor,strong weak,kind cruel".split(",")]
    others = sorted(set(sum(load_texts("words").values(), [])) & set(tok.vocab) - set(sum(pairs, [])))
    rank, layer, rng = np.log([tok.vocab[word] for word in others]), 3, np.random.default_rng(0)
    background = words(bert, others)[layer]
    along = (background - background.mean(0)).T @ (rank - rank.mean())
    along /= np.linalg.norm(along)

    def in_order(first, second):
        steps = first - second
        return np.mean([steps[i] @ np.delete(steps, i, axis=0).mean(0) > 0 for i in range(len(steps))])

    first, second = (words(bert, [pair[side] for pair in pairs])[layer] for side in (0, 1))
    assert in_order(*(X - np.outer(X @ along, along) for X in (first, second))) > 0.9
    random = []
    for _ in range(50):
        chosen = rng.permutation(len(others))[: 2 * len(pairs)].reshape(-1, 2)
        chosen = np.take_along_axis(chosen, rank[chosen].argsort(axis=1), axis=1)
        random.append(in_order(*background[chosen.T]))
    assert np.mean(random) < 0.8


def test_no_two_built_in_texts_are_opposite(bert):
    pool = load_texts("encyclopedia") + load_texts("posts")
    [(_, _, lowest)] = geometry.extreme_pairs(embed(pool, bert), k=1).opposed
    assert -0.35 < lowest < -0.1


def test_the_positions_need_more_dimensions_the_longer_the_stretch(bert):
    learned = bert.embeddings.positions.weight.detach().double().numpy()[128:-2]
    found = [geometry.local_dimension(learned, window) for window in (3, 9, 33, 129, 382)]
    assert found == pytest.approx([1.27, 3.16, 5.20, 7.37, 9.58], abs=0.05)
    assert geometry.intrinsic_dimension(learned) > 20  # TwoNN on a curve with even steps


def test_never_used_tokens_are_one_spot_and_verbs_and_names_lie_apart(bert, tok):
    picture = geometry.pca(bert.embeddings.tokens.weight.detach().double().numpy(), n=2).coordinates
    unused = picture[[i for i, token in enumerate(tok.tokens) if token.startswith("[unused")]]
    verbs = picture[[tok.vocab[word] for word in load_texts("words")["verb"]]]
    names = picture[[tok.vocab[name] for name in "john mary david peter anna paris london berlin texas".split()]]
    assert unused.std(0).max() < 0.1 * picture.std(0).min()
    gap = np.linalg.norm(verbs.mean(0) - names.mean(0))
    assert gap > 2 * max(verbs.std(), names.std())


@pytest.mark.parametrize("bits, per, least, most", [
    ("bfloat16", "channel", 0.9998, 1.0001), (8, "channel", 0.999, 1.0),
    (8, "tensor", 0.95, 0.985), (4, "channel", 0.84, 0.92), (4, "tensor", 0.1, 0.3)])
def test_coarser_weights_move_the_vectors(bert, texts, exact, bits, per, least, most):
    assert least < cosine(embed(texts, quantize(bert, bits, per)), exact).mean() < most


def test_a_step_for_each_row_turns_vectors_far_less_than_one_for_the_matrix(bert, texts):
    exact = embed(texts, bert, layers="all")[1:]
    turned = [1 - geometry.cosine(embed(texts, quantize(bert, 8, per=per), layers="all")[1:], exact).mean(1)
              for per in ("tensor", "channel")]  # fmt: skip
    times = turned[0] / turned[1]
    assert 55 < times.min() and times.max() < 105  # "60 to 100 times less, in every layer's output"


def test_coarse_rounding_draws_all_texts_together(bert, texts, exact):
    rounded = geometry.average_cosine(embed(texts, quantize(bert, 4, per="tensor")))
    assert rounded > 0.7 and geometry.average_cosine(exact) < 0.1


@torch.no_grad()
def test_rounded_layers_do_more_harm_than_rounded_tables(bert, texts, exact):
    """Exercise 3, with its numbers."""
    found, sizes = {}, {}
    for tables in (True, False):
        part = copy.deepcopy(bert)
        chosen = [weight for name, weight in part.named_parameters()
                  if weight.ndim == 2 and name.startswith("embeddings") == tables]  # fmt: skip
        for weight in chosen:
            weight.copy_(round_to_grid(weight, 4))
        found[tables] = cosine(embed(texts[:40], part), exact[:40]).mean()
        sizes[tables] = sum(weight.numel() for weight in chosen) / 1e6
    assert found == {True: pytest.approx(0.971, abs=0.002), False: pytest.approx(0.921, abs=0.002)}
    assert sizes == {True: pytest.approx(11.9, abs=0.05), False: pytest.approx(10.8, abs=0.05)}
