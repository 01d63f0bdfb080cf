"""What the chapter on the shape of learning tells: the bell, the spike, the dimension, four kinds, three phases."""

import copy

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from tutorial_book.experiments import shape_of_learning as dynamics
from tutorial_book.experiments.shape_of_learning import (
    CLOUDS,
    KINDS,
    MEASURES,
    cloud,
    first_norm,
    layer_states,
    openings,
    profile,
    same_type,
    stored,
)
from tutorial_lib import weights
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import anisotropy, average_cosine, cosine, mean_interval, pca
from tutorial_lib.gpt import GPT
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE, WordPiece
from tutorial_lib.training.recipes import RECIPES
from tutorial_lib.training.tuning import Classifier, Plan, accuracy, dialect, feelings, tune

pytestmark = pytest.mark.usefixtures("one_thread")
ALL, REST, TYPES = "all tokens", "without the first", "one of each type"
TOLD = [story.text for story in stories(340, seed=1)]
BEGUN = ["<|endoftext|>" + text for text in TOLD]


@pytest.fixture(scope="module")
def tok():
    return BPE.from_pretrained("book-gpt")


@pytest.fixture(scope="module")
def bert_tok():
    return WordPiece.from_pretrained("book-bert")


@pytest.fixture(scope="module")
def gpts(tok):
    kept = {step: GPT.from_pretrained(f"book-gpt-{step}", "cpu") for step in (20, 100, 400)}
    return {0: RECIPES["book-gpt"].new_model(len(tok)), **kept, 1600: GPT.from_pretrained("book-gpt", "cpu")}


@pytest.fixture(scope="module")
def ids(tok):
    return openings(BEGUN[:60], tok)[:40]


@pytest.fixture(scope="module")
def states(gpts, ids):
    return {step: layer_states(model, ids) for step, model in gpts.items()}


@pytest.fixture(scope="module")
def kinds():
    return stored()["kinds"]


def middle(values):
    """Average over layers 1 to 4: (n_seeds, n_steps) of (n_seeds, n_steps, n_layers)."""
    return values[:, :, 1:5].mean(2)


@pytest.mark.parametrize(
    "n, highest, without, in_layer_4", [(64, 0.12, 0.10, 0.10), (16, 0.29, 0.105, 0.145), (8, 0.43, 0.14, 0.20)]
)
def test_the_bell_is_the_first_token_s_and_higher_the_shorter_the_texts(gpts, tok, n, highest, without, in_layer_4):
    cut = openings(BEGUN, tok, n)[: 2560 // n]
    assert len(cut) == 2560 // n
    found = layer_states(gpts[1600], cut)
    every, rest = (profile(found, cut, anisotropy, which) for which in (ALL, REST))
    assert int(np.argmax(every)) == 3 and every[3] == pytest.approx(highest, abs=0.01)
    assert rest[3] == pytest.approx(without, abs=0.01) and rest[4] == pytest.approx(in_layer_4, abs=0.01)
    assert max(found, key=lambda layer: first_norm(found[layer])) == "3"
    assert first_norm(found["3"]) > 2.1 and first_norm(found["norm"]) == pytest.approx(0.94, abs=0.02)
    if n == 16:
        for X, measured in zip(found.values(), every, strict=True):
            assert np.ptp(X[:, 0], axis=0).max() < 1e-4  # in a decoder, the same vector in all texts
            p, others = 1 / n, X[:, 1:].reshape(-1, X.shape[-1])
            r = np.linalg.norm(X[0, 0] - others.mean(0))
            share = p * (1 - p) * r**2 / X.reshape(-1, X.shape[-1]).var(0).sum()
            assert share <= measured == pytest.approx(share, abs=0.03)  # a lower bound, and hardly below


def test_anisotropy_spikes_at_step_20_and_half_of_it_is_the_full_stop(states, ids, tok):
    kept = np.asarray(ids)[:, 1:].ravel()
    found = {step: cloud(layers["4"], ids, REST) for step, layers in states.items()}
    values = {step: anisotropy(X) for step, X in found.items()}
    assert values[20] == pytest.approx(0.63, abs=0.01) and max(values, key=values.get) == 20
    assert [values[step] for step in (0, 400, 1600)] == pytest.approx([0.07, 0.09, 0.10], abs=0.01)
    assert average_cosine(found[20]) == pytest.approx(0.69, abs=0.01) and average_cosine(found[1600]) < 0.07
    assert anisotropy(found[20][kept != tok.vocab["."]]) == pytest.approx(0.31, abs=0.01)
    along = pca(found[20], n=1).coordinates[:, 0] ** 2
    shares = {token: along[kept == token].sum() / along.sum() for token in set(kept)}
    assert max(shares, key=shares.get) == tok.vocab["."] and max(shares.values()) == pytest.approx(0.71, abs=0.02)


def test_the_full_stop_is_the_most_frequent_token_one_in_ten(ids, tok):
    values, counts = np.unique(np.asarray(ids)[:, 1:], return_counts=True)
    assert values[counts.argmax()] == tok.vocab["."]
    assert counts.max() / counts.sum() == pytest.approx(0.1, abs=0.02)


def test_over_all_tokens_of_short_texts_anisotropy_grows_again_with_the_first_token(gpts, tok):
    cut = openings(BEGUN, tok, 16)[:160]
    layer = {step: layer_states(model, cut)["3"] for step, model in gpts.items()}
    every = [anisotropy(cloud(X, cut, ALL)) for X in layer.values()]
    assert every == pytest.approx([0.14, 0.51, 0.18, 0.20, 0.29], abs=0.01)
    assert [first_norm(X) for X in layer.values()] == pytest.approx([1.23, 1.05, 1.49, 1.74, 2.34], abs=0.05)
    assert anisotropy(cloud(layer[1600], cut, REST)) < anisotropy(cloud(layer[100], cut, REST))  # not of the others


def test_at_step_20_its_loss_is_still_above_the_unigrams():
    curve = weights.read_json(weights.resolve("book-gpt") / "curves.json")
    assert np.mean(curve["loss"][17:22]) > curve["unigram"] > curve["loss"][40]


def test_the_mean_state_says_how_frequent_tokens_are(gpts, states, ids, tok):
    read = openings(["<|endoftext|>" + story.text for story in stories(2000)], tok)[:, 1:]
    counts = torch.bincount(read.flatten(), minlength=len(tok)).numpy()
    found = {}
    for step, layers in states.items():
        scores = gpts[step].unembedding.weight.detach().numpy() @ cloud(layers["norm"], ids, REST).mean(0)
        found[step] = abs(np.corrcoef(scores[counts > 0], np.log(counts[counts > 0]))[0, 1])
    assert found[0] < 0.05
    assert [found[step] for step in (20, 100, 400)] == pytest.approx([0.63, 0.85, 0.78], abs=0.02)


@pytest.mark.long
def test_dimensions_of_the_books_models(states, ids, bert_tok):
    dimension = MEASURES["intrinsic dimension"]

    def average(layers, ids, which):
        return np.mean(profile(layers, ids, dimension, which)[1:5])

    of_gpt = {which: [average(layers, ids, which) for layers in states.values()] for which in (ALL, TYPES)}
    assert of_gpt[ALL] == pytest.approx([7.1, 6.5, 6.1, 5.2, 4.35], abs=0.15)
    assert of_gpt[TYPES] == pytest.approx([19.1, 15.9, 10.6, 7.3, 5.8], abs=0.4)
    assert same_type(states[1600]["2"], ids) == pytest.approx(0.62, abs=0.01)
    bert_ids = openings(TOLD[:60], bert_tok)[:40]
    models = RECIPES["book-bert"].new_model(len(bert_tok)), Bert.from_pretrained("book-bert", "cpu")
    before, after = (layer_states(model, bert_ids) for model in models)
    assert average(before, bert_ids, ALL) < 2 and average(after, bert_ids, ALL) == pytest.approx(5.75, abs=0.15)
    assert average(before, bert_ids, TYPES) > 18 and average(after, bert_ids, TYPES) < 6.5
    places = [average(states[step], with_places(ids), TYPES) for step in (0, 100, 1600)]
    assert places == pytest.approx([23.1, 6.4, 4.4], abs=0.4)
    places = [average(layers, with_places(bert_ids), TYPES) for layers in (before, after)]
    assert places == pytest.approx([26.8, 5.5], abs=0.4)


def with_places(ids):
    """One id for each type at each place."""
    return ids * ids.shape[1] + torch.arange(ids.shape[1])


def test_an_encoder_on_short_texts_has_no_bell(bert_tok):
    """Exercise 3."""
    eight = openings(TOLD, bert_tok, 8)
    found = layer_states(Bert.from_pretrained("book-bert", "cpu"), eight)
    assert [first_norm(X) for X in found.values()] == pytest.approx(5 * [1], abs=0.04)
    every, rest = (profile(found, eight, anisotropy, which) for which in (ALL, REST))
    assert every == pytest.approx([0.16, 0.15, 0.14, 0.11, 0.12], abs=0.01)
    assert rest == pytest.approx([0.12, 0.14, 0.14, 0.12, 0.11], abs=0.01)


def test_before_the_first_step_near_copies_make_the_dimension_and_post_norm_has_the_nearest():
    ids, found = dynamics.held_out()[: dynamics.N_MEASURED], {}
    for kind in KINDS:
        layers = layer_states(dynamics.new_model(kind, 0, 1210), ids)
        found[kind] = [
            np.mean(profile(layers, i, MEASURES["intrinsic dimension"], which)[1:5])
            for i, which in ((ids, ALL), (with_places(ids), TYPES))
        ]
    assert np.array(list(found.values())) == pytest.approx(
        np.array([[8.7, 17.5], [2.1, 20.6], [7.8, 17.7], [1.6, 20.7]]), abs=0.3
    )


def test_all_four_kinds_learn_and_both_norms_equally_fast(kinds):
    ends = {kind: values["loss"][:, -1].mean() for kind, values in kinds.items()}
    assert list(ends.values()) == pytest.approx([1.43, 1.43, 3.82, 3.79], abs=0.01)


def test_only_pre_norm_decoders_grow_a_long_first_token_and_show_it(kinds):
    for kind, values in kinds.items():
        added = (values[ALL]["anisotropy"] - values[REST]["anisotropy"])[:, -1, 4]
        long = values["first norm"][:, -1, 1:5].mean()
        if kind == "decoder, pre-norm":
            mean, low, high = mean_interval(added)
            assert long > 1.7 and mean == pytest.approx(0.024, abs=0.001) and low > 0.015
        else:
            assert long < 1.02 and abs(added).max() < 0.006


def test_the_last_norm_takes_away_what_the_first_token_added(kinds):
    every, rest = (kinds["decoder, pre-norm"][which]["anisotropy"][:, -1, 5] for which in (ALL, REST))
    assert abs(every - rest).max() < 0.01


def test_anisotropy_spikes_in_all_kinds_at_step_40_least_with_post_norm(kinds):
    means = {kind: middle(values[REST]["anisotropy"]).mean(0) for kind, values in kinds.items()}
    assert all(mean.argmax() == 3 for mean in means.values())
    assert [mean[3] for mean in means.values()] == pytest.approx([0.31, 0.24, 0.39, 0.13], abs=0.01)
    assert all(mean[-1] < 0.14 for mean in means.values())


def test_the_norm_decides_whether_the_dimension_of_all_tokens_grows(kinds):
    for kind, values in kinds.items():
        change = middle(values[ALL]["intrinsic dimension"])[:, [0, -1]]
        _, low, high = mean_interval(change[:, 1] - change[:, 0])
        assert high < 0 if KINDS[kind][1] else low > 0


def test_over_types_only_the_post_norm_encoder_has_two_phases(kinds):
    for kind, values in kinds.items():
        found = middle(values[TYPES]["intrinsic dimension"])
        rise, fall = mean_interval(found[:, 5] - found[:, 0]), mean_interval(found[:, -1] - found[:, 5])
        assert (rise[1] > 1 and fall[2] < -1) == (kind == "encoder, post-norm")


def test_loud_coordinates_change_next_to_nothing(kinds):
    for values in kinds.values():
        for which in CLOUDS[::2][:2]:
            for name, limit in (("anisotropy", 0.03), ("intrinsic dimension", 0.35)):
                loud, quiet = values[which][name][:, -1, 1:], values[f"{which}, quiet"][name][:, -1, 1:]
                assert abs(loud - quiet).max() < limit, name


def test_at_first_a_post_norm_layer_changes_its_input_little(ids):
    for kind, (_, norm_first) in KINDS.items():
        found = layer_states(dynamics.new_model(kind, 0, 1210), ids % 1210)
        moved = cosine(found["0"], found["1"]).mean()
        assert moved < 0.5 if norm_first else moved > 0.85


@pytest.mark.parametrize("layer, r", [("1", 0.87), ("4", 0.17)])
def test_the_longest_direction_at_the_end_is_the_position_in_one_layer(states, ids, layer, r):
    along = pca(cloud(states[1600][layer], ids, REST), n=1).coordinates[:, 0]
    assert abs(np.corrcoef(along, np.tile(np.arange(1, 64), 40))[0, 1]) == pytest.approx(r, abs=0.03)


@pytest.mark.long
def test_general_training_gains_the_head_alone_is_not_enough_and_counted_words_are(gpts, tok):
    corpus = stories(1000, seed=5)
    texts, labels = feelings(corpus, dialect(corpus))
    assert len(texts) == 392
    encoded = [tok.encode("<|endoftext|>" + text).ids for text in texts]

    def mean(body, plan):
        found = []
        for seed in range(2):
            torch.manual_seed(seed)
            model, few = Classifier(copy.deepcopy(body), 2), slice(40 * seed, 40 * seed + 40)
            tune(model, encoded[few], labels[few], plan, seed=seed)
            found.append(accuracy(model, encoded[-160:], labels[-160:]))
        return np.mean(found)

    everything = mean(gpts[1600], Plan(40, lr=1e-3))
    assert everything > mean(gpts[0], Plan(40, lr=1e-3)) + 0.02
    assert everything > mean(gpts[1600], Plan(40, lr=3e-2, head_alone=True)) + 0.02

    def by_words(seed):
        few = slice(40 * seed, 40 * seed + 40)
        count = CountVectorizer().fit(texts[few])
        head = LogisticRegression().fit(count.transform(texts[few]), labels[few])
        return head.score(count.transform(texts[-160:]), labels[-160:])

    assert np.mean([by_words(seed) for seed in range(3)]) > everything - 0.02
