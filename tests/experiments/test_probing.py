"""Probes: they find information if there is some, find nothing if there is none, and reject bad arguments."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tutorial_book.experiments import probing
from tutorial_book.experiments.probing import KINDS, fit, folds, random_vectors, score, split, train_probe
from tutorial_lib.geometry.statistics import bootstrap_interval

pytestmark = pytest.mark.usefixtures("one_thread")


def clouds(n=30, d=8, apart=3.0, seed=0):
    """Three round clouds of n points, their centers this far from the origin along the first three axes."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n)
    return rng.standard_normal((3 * n, d)) + apart * np.eye(d)[y], y


def linear(d):
    torch.manual_seed(0)
    return torch.nn.Linear(d, 3).double()


# --- The networks ---------------------------------------------------------------------------------------------------


def test_softmax_regression_ends_where_scikit_learns_does():
    """The same penalty: scikit-learn minimizes C * (sum of losses) + |W|^2 / 2, we the mean loss + decay / 2 |W|^2."""
    from sklearn.linear_model import LogisticRegression

    X, y = clouds(apart=1.0)
    decay = 0.05
    ours = fit(linear(8), X, y, np.arange(len(y)), [], decay, lr=0.02, epochs=800)
    theirs = LogisticRegression(C=1 / (decay * len(y)), tol=1e-10, max_iter=10_000).fit(X, y)
    with torch.no_grad():
        probabilities = torch.softmax(ours(torch.tensor(X)), dim=1).numpy()
    np.testing.assert_allclose(probabilities, theirs.predict_proba(X), atol=3e-4)  # Adam's last steps are not small
    np.testing.assert_allclose(ours.weight.detach(), theirs.coef_, atol=1e-3)


def test_training_stops_at_the_lowest_loss_held_back():
    X, y = clouds(n=20, d=50, apart=0.7)  # more coordinates than words for each class: easy to memorize
    train, held = split(y, 0.5)

    def loss(rows, **settings):
        model = fit(linear(50), X, y, train, rows, 0.0, epochs=200, **settings)
        with torch.no_grad():
            return torch.nn.functional.cross_entropy(model(torch.tensor(X[held])), torch.tensor(y[held])).item()

    stopped = loss(held)
    assert stopped < loss([]) - 0.05
    assert stopped == pytest.approx(loss(held, patience=1000))  # all steps, then the best


@pytest.mark.parametrize("kind", KINDS)
def test_only_separate_clouds_are_separated(kind):
    far, y = clouds(apart=6.0)
    one, _ = clouds(apart=0.0)
    with torch.no_grad():  # training switches gradients on
        assert train_probe(far, y, kind).accuracy(far, y) > 0.97
    low, high = score(one, y, kind, n_splits=2).interval
    assert low < 1 / 3 + 0.06 and high > 1 / 3 - 0.06


def test_hidden_layer_learns_exclusive_or():
    X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    right = {kind: train_probe(X, y, kind, weight_decay=0.0).accuracy(X, y) for kind in KINDS}
    assert right["softmax"] < 0.65 < 0.9 < min(right["hidden"], right["boosting"])


@pytest.mark.parametrize("kind", KINDS)
def test_seed_gives_one_probe(kind):
    """And the caller's random numbers are not changed."""
    X, y = clouds(apart=1.0)
    torch.manual_seed(5)
    expected = torch.rand(2)
    torch.manual_seed(5)
    first, again, other = (train_probe(X, y, kind, seed=seed).probabilities(X) for seed in (3, 3, 4))
    assert torch.equal(torch.rand(2), expected)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    np.testing.assert_allclose(first.sum(1), 1)


def test_scale_and_shift_of_inputs_do_not_matter():
    X, y = clouds(n=15)
    X[:, 5] = 7.0  # a constant column does no harm
    moved = train_probe(1000 * X - 5, y).probabilities(1000 * X - 5)
    np.testing.assert_allclose(train_probe(X, y).probabilities(X), moved, atol=1e-9)


# --- Splits and controls --------------------------------------------------------------------------------------------


def test_split_and_folds_hold_classes_in_their_shares():
    y = np.repeat([0, 1, 2], [40, 60, 80])
    train, test = split(y, 0.25, seed=1)
    assert np.bincount(y[test]).tolist() == [10, 15, 20]
    assert sorted([*train, *test]) == list(range(180)) and not np.array_equal(test, split(y, 0.25, seed=2)[1])
    parts = folds(y, 5, seed=1)
    assert [np.bincount(y[part]).tolist() for part in parts] == 5 * [[8, 12, 16]]
    assert sorted(np.concatenate(parts)) == list(range(180))


@pytest.fixture
def trainings(monkeypatch):
    """The training data of probes, (X, seed); instead of a trained class, a vector's largest number counts."""
    seen = []

    def train(X, y, kind, seed, **settings):
        seen.append((X, seed))
        return SimpleNamespace(probabilities=lambda X: X)

    monkeypatch.setattr(probing, "train_probe", train)
    return seen


@pytest.mark.parametrize("groups", [None, np.random.default_rng(0).integers(30, size=90)])
def test_probes_never_saw_the_rows_they_judge(groups, trainings):
    X, y = clouds(d=3, apart=0.5)
    result = score(X, y, n_splits=4, seed=7, groups=groups)
    parts = folds(y, 4, 7, groups)
    assert sorted(np.concatenate(parts)) == list(range(90)) and max(map(len, parts)) - min(map(len, parts)) <= 4
    for (seen, seed), part, i in zip(trainings, parts, range(4), strict=True):
        np.testing.assert_array_equal(seen, np.delete(X, part, axis=0))
        assert seed == 7 + i
        assert groups is None or not set(groups[part]) & set(np.delete(groups, part))
    np.testing.assert_array_equal(result.right, X.argmax(1) == y)
    assert result.accuracies == pytest.approx([result.right[part].mean() for part in parts])


def test_interval_draws_rows_or_names(trainings):
    X, y = clouds(d=3, apart=0.5)
    X, y, alike = np.repeat(X[::10], 10, 0), np.repeat(y[::10], 10), np.repeat(np.arange(9), 10)
    rows, also_rows, names = (score(X, y, groups=groups) for groups in (None, np.arange(90), alike))
    assert rows.interval == also_rows.interval == bootstrap_interval(np.mean, rows.right, seed=0)
    assert np.ptp(names.interval) > 1.5 * np.ptp(rows.interval)
    assert str(rows) == "{:.1f} %  [{:.1f}, {:.1f}]".format(*(100 * np.array([rows.mean, *rows.interval])))


def test_random_vectors_keep_lengths_alone():
    X, _ = clouds()
    R = random_vectors(X, seed=1)
    np.testing.assert_allclose(np.linalg.norm(R, axis=1), np.linalg.norm(X, axis=1))
    assert abs(((R * X).sum(1) / np.square(X).sum(1)).mean()) < 0.1


# --- Words ----------------------------------------------------------------------------------------------------------


def test_only_whole_tokens_of_one_group_are_kept(tok):
    kept = probing.single_tokens({"noun": ["bear", "dog", "dog", "serendipity"], "verb": ["bear", "eat", "🐻"]}, tok)
    assert kept.words == ["dog", "eat"] and kept.labels.tolist() == [0, 1] and kept.classes == ("noun", "verb")
    with pytest.raises(ValueError, match="'verb' has none"):
        probing.single_tokens({"noun": ["dog"], "verb": ["serendipity"]}, tok)


def test_token_vectors_are_hugging_faces_rows(bert, tok, hf_bert):
    theirs = hf_bert.embeddings.word_embeddings.weight[4562].detach().numpy()  # "bear"
    assert np.array_equal(probing.token_vectors(["bear", "Bear"], bert, tok), [theirs, theirs])  # an uncased model


@pytest.mark.parametrize("word", ["serendipity", "two words", "🐻", ""])
def test_words_that_are_not_tokens_are_rejected(bert, tok, word):
    with pytest.raises(ValueError, match="words must each be one token of the vocabulary, got"):
        probing.token_vectors(["bear", word], bert, tok)


# --- Rejected arguments ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (lambda X, y: {"y": 0 * y}, "y must contain at least 2 classes, got 1"),
        (lambda X, y: {"y": np.where(y == 2, y, 0)}, r"at least 5 words of each class, got \[60, 0, 30\]"),
        (lambda X, y: {"X": X[:64], "y": y[:64]}, r"at least 5 words of each class, got \[30, 30, 4\]"),
        (lambda X, y: {"X": np.where(X > 2, np.nan, X)}, "X must be finite, got .* NaN"),
        (lambda X, y: {"X": X[0]}, r"X must be a matrix of 1 or more vectors, one per row, got shape \(8,\)"),
        (lambda X, y: {"y": y[:-1]}, "y must contain a class, 0 or 1 or ..., for each of the 90 rows of X"),
        (lambda X, y: {"y": y / 2}, "y must contain a class, .*got float64"),
        (lambda X, y: {"y": y - 1}, "y must contain a class"),
        (lambda X, y: {"kind": "forest"}, "kind must be one of 'softmax', 'hidden', 'boosting', got 'forest'"),
        (lambda X, y: {"validation": 1.0}, "validation must be a share, 0 or more and below 1, got 1.0"),
        (lambda X, y: {"n_splits": 31}, "n_splits must be .* the size of the smallest class, 30, got 31"),
        (lambda X, y: {"n_splits": 1}, "n_splits must be a number of folds"),
        (lambda X, y: {"groups": ["sun", "bus"]}, "groups must contain a name for each of 90 rows, 5 .* got 2 rows"),
        (lambda X, y: {"groups": ["sun"] * 90}, "groups must contain .* got 90 rows of 1"),
    ],
)
def test_what_teaches_nothing_is_rejected(changes, message):
    X, y = clouds()
    with pytest.raises(ValueError, match=message):
        score(**{"X": X, "y": y} | changes(X, y))
