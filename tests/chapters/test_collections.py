"""What the chapter on two collections tells about the default model, computed on a way of its own."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestNeighbors

from tutorial_book.experiments.collections import stored
from tutorial_lib.geometry import average_cosine, cosine_matrix
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

A, B = load_texts("encyclopedia"), load_texts("posts")
OF = np.repeat([0, 1], [len(A), len(B)])
ROOM = ["The room was dark.", "The room was bright.", "There was no light at all."]


@pytest.fixture(scope="module")
def tokens(bert):
    return embed([*A, *B, *ROOM], bert, pooling="tokens", layers=[4, 5, -1])


@pytest.fixture(scope="module")
def vectors(tokens):
    """(pooling, layer) -> the vectors of all texts, (n, d_model)."""
    pooled = {"cls": lambda T: T[0], "mean": lambda T: T.mean(0)}
    return {(name, layer): np.stack([pool(T[i]) for T in tokens]).astype(float)
            for name, pool in pooled.items() for i, layer in enumerate((4, 5, -1))}  # fmt: skip


def purity(X, of):
    nearest = NearestNeighbors(n_neighbors=1).fit(X).kneighbors(return_distance=False)[:, 0]
    return (of[nearest] == of).mean()


def accuracy(X, of):
    order = np.random.default_rng(0).permutation(len(X))
    X, of = (X[order] - X.mean(0)) / X.std(0), of[order]
    parts = [np.arange(len(X)) % 5 == i for i in range(5)]
    return np.mean([LogisticRegression(max_iter=1000).fit(X[~p], of[~p]).score(X[p], of[p]) for p in parts])


def test_the_means_separate_the_collections_and_cls_hardly_does(vectors):
    n = len(OF)
    assert purity(vectors["mean", -1][:n], OF) == pytest.approx(0.90, abs=0.03)
    assert purity(vectors["cls", -1][:n], OF) == pytest.approx(0.61, abs=0.04)
    assert accuracy(vectors["mean", -1][:n], OF) > 0.95
    assert 0 < silhouette_score(vectors["cls", -1][:n], OF) < silhouette_score(vectors["mean", -1][:n], OF) < 0.06


def test_cosines_of_cls_are_all_positive_and_those_of_means_are_not(vectors):
    for i, lowest in ((0, 0.35), (1, 0.39)):
        cosines = cosine_matrix(vectors["cls", -1][: len(OF)][OF == i])
        assert cosines.min() == pytest.approx(lowest, abs=0.02)
        means = vectors["mean", -1][: len(OF)][OF == i]
        assert cosine_matrix(means).min() < 0 and average_cosine(means) < 0.15


def test_one_coordinate_makes_the_cosines_of_cls_large_in_the_last_layer_only(vectors):
    last, fourth = (vectors["cls", layer][: len(OF)] for layer in (-1, 4))
    for i, (with_it, without) in enumerate(((0.57, 0.14), (0.63, 0.20))):
        X = last[OF == i]
        assert average_cosine(X) == pytest.approx(with_it, abs=0.02)
        assert average_cosine(np.delete(X, 99, axis=1)) == pytest.approx(without, abs=0.02)
    squares = fourth**2
    assert (squares[:, 99] / squares.sum(1)).min() > 0.9
    assert cosine_matrix(np.delete(fourth, 99, axis=1)).min() > 0.95


def test_another_coordinate_makes_nearly_a_third_of_the_cosines_of_means_after_layer_5(vectors):
    X = vectors["mean", 5][: len(OF)][OF == 0]
    assert (X**2 / (X**2).sum(1, keepdims=True)).mean(0).argmax() == 223
    assert average_cosine(X) == pytest.approx(0.66, abs=0.02)
    assert average_cosine(np.delete(X, 223, axis=1)) == pytest.approx(0.46, abs=0.02)


def test_the_collections_are_far_apart_in_one_direction_and_close_in_distance(vectors):
    X = vectors["mean", -1][: len(OF)]
    first = np.linalg.svd(X - X.mean(0), full_matrices=False)[0][:, 0]
    assert abs(np.corrcoef(first, OF)[0, 1]) == pytest.approx(0.90, abs=0.02)
    odd = np.arange(len(OF)) % 2 == 1
    line = X[~odd & (OF == 1)].mean(0) - X[~odd & (OF == 0)].mean(0)
    along = [X[odd & (OF == i)] @ line / np.linalg.norm(line) for i in (0, 1)]
    shift, spread = along[1].mean() - along[0].mean(), np.sqrt(np.mean([values.var() for values in along]))
    distance = np.linalg.norm(X[::2] - X[::-1][::2], axis=1).mean()
    assert shift / spread == pytest.approx(4.2, abs=0.3) and shift < distance / 3


def test_cosines_near_1_hide_differences_that_neighbors_see(vectors):
    X = vectors["cls", 4][: len(OF)]
    assert cosine_matrix(X).min() > 0.995
    assert purity(X, OF) > 0.9


def test_length_alone_tells_much_and_texts_of_equal_length_still_differ(vectors, tok):
    lengths = np.array([len(tok.encode(text).ids) for text in [*A, *B]])
    assert accuracy(lengths[:, None].astype(float), OF) > 0.8
    pairs = []
    for length in np.unique(lengths):
        pairs += zip(*(np.flatnonzero((lengths == length) & (OF == i)) for i in (0, 1)))
    matched, of = np.array(pairs).T.ravel(), np.repeat([0, 1], len(pairs))
    assert len(pairs) > 40 and (lengths[matched][of == 0] == lengths[matched][of == 1]).all()
    assert purity(vectors["mean", -1][matched], of) > 0.8
    assert accuracy(vectors["mean", -1][matched], of) > 0.85


def test_more_words_make_the_means_vary_less(bert):
    spread = []
    for w in (3, 6, 12):
        X = embed([" ".join(text.split()[:w]) for text in A[:40]], bert)
        squares = ((X[:, None] - X[None]) ** 2).sum(-1)
        spread.append(np.sqrt(squares[np.triu_indices(40, 1)]).mean())
    assert spread[0] > spread[1] > spread[2]


@pytest.mark.long
def test_the_encyclopedia_varies_less_than_posts_on_whole_texts_and_more_at_equal_length(bert):
    for words, less in ((6, False), (100, True)):
        cut = [[" ".join(text.split()[:words]) for text in texts if len(text.split()) >= 6] for texts in (A, B)]
        encyclopedia, posts = (pdist(embed(texts, bert)).mean() for texts in cut)
        assert (encyclopedia < posts) == less and abs(encyclopedia - posts) > 0.3


@pytest.mark.parametrize("pooling, least", [("cls", 0.9), ("mean", 0.78)])
def test_the_opposite_is_closer_than_the_paraphrase(vectors, pooling, least):
    room = cosine_matrix(vectors[pooling, -1][-3:])
    assert room[0, 1] > least and room[0, 1] > room[0, 2] + 0.1
    others = cosine_matrix(vectors[pooling, -1][: len(A)])
    assert (others[np.triu_indices(len(A), 1)] < room[0, 1]).mean() > 0.99


def test_on_real_texts_cls_is_as_above_and_the_means_need_the_cosine():
    """What the page says below the stored numbers; tests/experiments/test_collections.py holds these to the texts."""
    clouds, tokens = stored()["clouds"], stored()["tokens"]
    cls, without, mean, cut = clouds.values()
    assert min(cls["cosines"]["lowest"].values()) > 0.3 and min(cls["cosines"]["average"].values()) > 0.6
    assert max(without["cosines"]["average"].values()) < 0.25 and max(mean["cosines"]["average"].values()) < 0.15
    assert mean["purity"] < cls["purity"] - 0.05 and mean["norms"]["average"]["Wikipedia"] < 3
    assert mean["norms"]["average"]["tweets"] > 3.5
    assert mean["distances"]["average"]["Wikipedia"] < mean["distances"]["average"]["tweets"] - 1
    assert mean["purity by cosine"] > 0.95 and mean["purity by cosine"] == max(
        cloud[kind] for cloud in clouds.values() for kind in ("purity", "purity by cosine")
    )
    assert cut["accuracy"] > mean["accuracy"] - 0.02 and cut["norms"]["average"]["Wikipedia"] > 4.5
    accuracies = [cloud["accuracy"] for cloud in clouds.values()]
    assert min(accuracies) > 0.93 and 0.9 < tokens["length"] > max(accuracies) - 0.05
