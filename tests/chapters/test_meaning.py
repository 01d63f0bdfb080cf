"""What the chapter on meaning finds on the default model, computed again in other ways (rows 35 and 36)."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_score
from sklearn.neighbors import KNeighborsClassifier

from tutorial_book.claims.meaning import TABLE_6, TABLE_7
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import holm, sign_flip_test, swap_test
from tutorial_lib.texts import TextsNotAvailable, load_texts
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.vectors import embed

POOLINGS = ("cls", "mean")
JOBS = """teacher farmer baker driver pilot sailor lawyer judge singer dancer painter writer poet engineer carpenter
    plumber electrician mechanic secretary librarian hairdresser programmer scientist professor butcher surgeon
    receptionist florist gardener manager""".split()
FRAMES = ["The {} was there.", "I remember the {}.", "Is this the {}?", "They talked about the {}."]


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def purity(X, labels):
    """Leave-one-out accuracy of the nearest neighbor, scikit-learn's."""
    nearest = KNeighborsClassifier(1).fit(X, labels).kneighbors(return_distance=False)[:, 0]
    return (labels[nearest] == labels).mean()


@pytest.fixture(scope="module")
def groups(bert):
    sentences = load_texts("synonyms")
    texts = sum(sentences.values(), [])
    labels = np.repeat(list(sentences), [len(each) for each in sentences.values()])
    return texts, labels, {p: embed(texts, bert, p, layers=[3, 6]) for p in POOLINGS}


@pytest.fixture(scope="module")
def differences(bert):
    found = {}
    for p in POOLINGS:
        for name, pairs in load_texts("sentence-pairs").items():
            first, second = (embed(side, bert, p, layers="all") for side in zip(*pairs, strict=True))
            found[p, name] = second - first
    return found


def in_frames(words, bert, pooling="mean"):
    E = embed([frame.format(word) for word in words for frame in FRAMES], bert, pooling, layers="all")
    return E.reshape(len(E), len(words), len(FRAMES), -1).mean(axis=2)


@pytest.fixture(scope="module")
def words(bert):
    return in_frames([*load_texts("words")["noun"][::2], "doctor", "nurse", "spoon", "fork"], bert)


def average_cosine(differences, pooling, one, two, layer=-1):
    a, b = (differences[pooling, name][layer].mean(axis=0) for name in (one, two))
    return float(unit(a) @ unit(b))


# --- Topology (row 35) ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pooling", POOLINGS)
def test_the_groups_stand_apart_in_every_layer(groups, pooling):
    _, labels, E = groups
    sense = ~np.char.startswith(labels, "random")
    for X in E[pooling]:
        assert purity(X[sense], labels[sense]) == 1
        assert 0.55 < silhouette_score(X[sense], labels[sense]) < 0.67


def test_but_word_counts_set_them_apart_as_well(groups):
    texts, labels, _ = groups
    sense = ~np.char.startswith(labels, "random")
    counts = [Counter(text.lower().split()) for text in np.array(texts)[sense]]
    vocabulary = sorted(set().union(*counts))
    X = np.array([[count[word] for word in vocabulary] for count in counts])
    assert purity(X, labels[sense]) == 1
    assert silhouette_score(X, labels[sense]) > 0.5


def test_the_plane_puts_hello_among_nonsense_and_the_whole_space_does_not(groups):
    _, labels, E = groups
    X = E["cls"][-1].astype(float)
    X = X - X.mean(axis=0)
    plane = X @ np.linalg.svd(X, full_matrices=False)[2][:2].T
    for points, low, high in ((plane, 0.7, 0.95), (X, 1, 1)):
        D = cdist(points, points) + np.diag(np.full(len(X), np.inf))
        same = (labels[D.argmin(axis=1)] == labels)[labels == "hello"].mean()
        assert low <= same <= high


def test_paraphrases_win_over_decoys_in_the_last_layer_only(bert):
    triples = load_texts("paraphrases")
    flat = [text for triple in triples for text in triple]
    won = {}
    for pooling in POOLINGS:
        X = unit(embed(flat, bert, pooling, layers="all").astype(float)).reshape(7, 16, 3, -1)
        won[pooling] = ((X[:, :, 0] * X[:, :, 1]).sum(-1) > (X[:, :, 0] * X[:, :, 2]).sum(-1)).sum(axis=1)
    assert won["cls"][6] == 16 and won["mean"][6] == 13
    assert won["cls"][1:5].max() <= 4 and won["mean"][:6].max() <= 6


# --- Algebra (row 36) ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pooling", "bias", "mood"), [("cls", -0.357, 0.558), ("mean", -0.369, 0.658)])
def test_two_of_the_28_cosines_stand_out(differences, pooling, bias, mood):
    names = load_texts("sentence-pairs")
    cosines = {pair: average_cosine(differences, pooling, *pair) for pair in combinations(names, 2)}
    assert cosines.pop(("doctor-nurse", "female-male")) == pytest.approx(bias, abs=0.002)
    assert cosines.pop(("funny-sad", "laugh-cry")) == pytest.approx(mood, abs=0.002)
    assert max(map(abs, cosines.values())) < 0.18


def test_the_sign_flip_test_finds_a_control_too(differences):
    """So it answers another question than the one that was meant."""
    X = {name: differences["mean", name][-1] for name in load_texts("sentence-pairs")}
    pairs = list(combinations(X, 2))
    p = dict(zip(pairs, holm([sign_flip_test(X[a], X[b]) for a, b in pairs]), strict=True))
    assert p["doctor-nurse", "female-male"] < 0.01 and p["doctor-nurse", "spoon-fork"] < 0.01


def test_among_swaps_of_two_nouns_the_bias_is_rare_and_the_control_is_not(differences, words):
    gender, profession = (differences["mean", name][-1].mean(axis=0) for name in ("female-male", "doctor-nurse"))
    *nouns, doctor, nurse, spoon, fork = words[-1]
    found = swap_test(gender, nurse - doctor, nouns)
    assert found.observed == pytest.approx(-0.344, abs=0.002) and found.p < 0.01
    assert swap_test(gender, fork - spoon, nouns).p > 0.05
    assert swap_test(profession, fork - spoon, nouns).p > 0.05
    by_loop = [unit(gender) @ unit(b - a) for a, b in combinations(nouns, 2)]
    assert found.p == pytest.approx((1 + np.sum(np.abs(by_loop) >= abs(found.observed))) / (1 + len(by_loop)))


@pytest.mark.parametrize(("pooling", "observed", "p5"), [("cls", -0.326, 0.067), ("mean", -0.344, 0.037)])
def test_among_swaps_of_two_occupations_the_bias_is_rare_after_the_last_layer(differences, bert, pooling, observed, p5):
    *jobs, doctor, nurse = in_frames([*JOBS, "doctor", "nurse"], bert, pooling).swapaxes(0, 1)  # each (7, 384)
    found = {}
    for layer in (4, 5, 6):
        gender = differences[pooling, "female-male"][layer].mean(axis=0)
        found[layer] = swap_test(gender, (nurse - doctor)[layer], np.array(jobs)[:, layer])
    assert found[6].observed == pytest.approx(observed, abs=0.002) and found[6].p == pytest.approx(1 / 436)
    assert found[5].p == pytest.approx(p5, abs=0.01) and found[4].p > 0.05


def test_the_words_own_vectors_hold_a_third_of_it_and_a_fifth_of_the_swaps_go_as_far(differences, bert):
    assert average_cosine(differences, "mean", "doctor-nurse", "female-male", 0) == pytest.approx(-0.134, abs=0.002)
    *jobs, doctor, nurse = in_frames([*JOBS, "doctor", "nurse"], bert)[0]
    found = swap_test(differences["mean", "female-male"][0].mean(axis=0), nurse - doctor, jobs)
    assert found.p == pytest.approx(0.195, abs=0.01)


def test_nothing_here_rests_on_the_two_large_coordinates(differences, bert):
    """Though one of them holds nearly all of [CLS]: differences cancel what the vectors share."""
    flat = [text for triple in load_texts("paraphrases") for text in triple]
    for pooling in POOLINGS:
        X = embed(flat, bert, pooling, layers="all").astype(float)
        won = []
        for vectors in (X, np.delete(X, (99, 223), axis=-1)):
            U = unit(vectors).reshape(7, 16, 3, -1)[1:]  # layer 0: all [CLS] are equal
            won.append(((U[:, :, 0] * U[:, :, 1]).sum(-1) > (U[:, :, 0] * U[:, :, 2]).sum(-1)).sum(axis=1))
        assert (won[0] == won[1]).all()
        held = (X[..., 99] ** 2 / (X**2).sum(-1)).mean(axis=1)
        assert (held[1:6] > 0.9).all() if pooling == "cls" else (held < 0.03).all()
        for layer in range(1, 7):
            a, b = (differences[pooling, name][layer].mean(axis=0) for name in ("doctor-nurse", "female-male"))
            fewer = [np.delete(x, (99, 223)) for x in (a, b)]
            assert unit(fewer[0]) @ unit(fewer[1]) == pytest.approx(unit(a) @ unit(b), abs=0.01)


def test_a_bert_with_random_weights_sets_the_groups_apart_too(groups, bert):
    texts, labels, _ = groups
    sense = ~np.char.startswith(labels, "random")
    torch.manual_seed(0)
    untrained = Bert(bert.config).eval()
    for name, p in untrained.named_parameters():
        if p.ndim > 1:
            torch.nn.init.normal_(p, std=0.02)
        elif name.endswith("bias"):
            torch.nn.init.zeros_(p)
    for pooling in POOLINGS:
        X = embed(list(np.array(texts)[sense]), untrained, pooling, tokenizer=WordPiece.from_pretrained())
        assert purity(X, labels[sense]) == 1 and silhouette_score(X, labels[sense]) > 0.5


def test_at_layer_0_cls_differences_are_zero(differences):
    assert not differences["cls", "doctor-nurse"][0].any()


# --- What L says of Table 7 ----------------------------------------------------------------------------------------


def test_the_signs_of_table_7():  # a positive cosine joins the second words of two contrasts
    assert TABLE_7["Doctor-Nurse", "Female-Male"] < 0, "nurse goes with female"
    assert TABLE_7["Finnish-Czech", "Laugh-Cry"] < 0, "crying goes with Finnish"
    assert TABLE_7["Bright-Dim", "Funny-Sad"] > 0 < TABLE_7["Bright-Dim", "Laugh-Cry"], "dim goes with sad and cry"


def test_both_tables_have_the_six_contrasts():
    assert list(TABLE_7) == list(combinations(TABLE_6, 2))
    assert {name.lower() for name in TABLE_6} < set(load_texts("sentence-pairs"))


def test_what_the_chapter_says_of_l_s_file():
    try:
        pairs = load_texts("luisto-pairs")
    except TextsNotAvailable as reason:
        pytest.skip(str(reason))
    assert [len(pairs[name.lower()]) for name in TABLE_6] == [10, 9, 13, 9, 9, 12]
    assert len(pairs) == 14 and len(pairs["green-brown"]) == 10
    for name, members in pairs.items():
        turned = "-".join(reversed(name.split("-")))
        assert [tuple(pair) for pair in pairs[turned]] == [tuple(reversed(pair)) for pair in members]
