"""Probes: what they find where something is, that they find nothing where nothing is, and what they refuse."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.probing import (
    KINDS,
    fit,
    folds,
    random_vectors,
    score,
    shuffled_labels,
    single_tokens,
    spelling,
    split,
    token_vectors,
    train_probe,
)
from tutorial_lib.geometry.statistics import bootstrap_interval


def clouds(n=60, d=8, apart=3.0, seed=0):
    """Three round clouds of n points, their centers this far from the origin along the first three axes."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n)
    return rng.standard_normal((3 * n, d)) + apart * np.eye(d)[y], y


# --- The networks ---------------------------------------------------------------------------------------------------


def test_softmax_regression_ends_where_scikit_learn_s_does():
    """The same penalty: scikit-learn minimizes C * (sum of losses) + |W|^2 / 2, we the mean loss + decay / 2 |W|^2."""
    from sklearn.linear_model import LogisticRegression

    X, y = clouds(apart=1.0)
    decay = 0.05
    torch.manual_seed(0)
    ours = fit(torch.nn.Linear(8, 3).double(), X, y, np.arange(len(y)), [], decay, lr=0.01, epochs=3000)
    theirs = LogisticRegression(C=1 / (decay * len(y)), tol=1e-10, max_iter=10_000).fit(X, y)
    with torch.no_grad():
        probabilities = torch.softmax(ours(torch.tensor(X)), dim=1).numpy()
    np.testing.assert_allclose(probabilities, theirs.predict_proba(X), atol=3e-4)  # Adam's last steps are not small
    np.testing.assert_allclose(ours.weight.detach(), theirs.coef_, atol=1e-3)


def test_weight_decay_shrinks_the_weights_and_leaves_the_bias():
    X, y = clouds()
    rows = np.arange(len(y))
    torch.manual_seed(0)
    y[:100] = 0  # an uneven share, which only the biases can tell when the weights are gone
    strong = fit(torch.nn.Linear(8, 3).double(), X, y, rows, [], 1000.0, epochs=2000)
    assert strong.weight.abs().max() < 1e-2
    with torch.no_grad():
        shares = torch.softmax(strong.bias, dim=0).numpy()
    np.testing.assert_allclose(shares, np.bincount(y) / len(y), atol=0.01)


def test_training_stops_at_the_lowest_loss_on_the_words_held_back():
    X, y = clouds(n=20, d=50, apart=0.7)  # more coordinates than words for each class: easy to learn by heart
    train, held = split(y, 0.5)

    def loss(model):
        with torch.no_grad():
            return torch.nn.functional.cross_entropy(model(torch.tensor(X[held])), torch.tensor(y[held])).item()

    torch.manual_seed(0)
    stopped = fit(torch.nn.Linear(50, 3).double(), X, y, train, held, 0.0)
    torch.manual_seed(0)
    to_the_end = fit(torch.nn.Linear(50, 3).double(), X, y, train, [], 0.0)
    assert loss(stopped) < loss(to_the_end) - 0.05
    torch.manual_seed(0)
    went_back = fit(torch.nn.Linear(50, 3).double(), X, y, train, held, 0.0, patience=1000)  # all steps, then the best
    assert loss(went_back) == pytest.approx(loss(stopped))


@pytest.mark.parametrize("kind", KINDS)
def test_clouds_far_apart_are_told_apart_and_one_cloud_is_not(kind):
    far, y = clouds(apart=6.0)
    one, _ = clouds(apart=0.0)
    assert score(far, y, kind).mean > 0.97
    low, high = score(one, y, kind).interval
    assert low < 1 / 3 + 0.06 and high > 1 / 3 - 0.06


def test_the_hidden_layer_learns_what_no_linear_map_can():
    """Exclusive or: the sign of a product."""
    X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert score(X, y, "softmax").mean < 0.65 < 0.9 < score(X, y, "hidden", weight_decay=0.0).mean
    assert score(X, y, "boosting").mean > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_one_probe_and_the_caller_s_random_numbers_are_left_alone(kind):
    X, y = clouds(apart=1.0)
    torch.manual_seed(5)
    expected = torch.rand(2)
    torch.manual_seed(5)
    first = train_probe(X, y, kind, seed=3).probabilities(X)
    assert torch.equal(torch.rand(2), expected)
    assert np.array_equal(first, train_probe(X, y, kind, seed=3).probabilities(X))
    np.testing.assert_allclose(first.sum(1), 1)


def test_scale_and_shift_of_the_inputs_do_not_matter_and_a_constant_column_is_no_harm():
    X, y = clouds(apart=1.0)
    X[:, 5] = 7.0
    moved = train_probe(1000 * X - 5, y).probabilities(1000 * X - 5)
    np.testing.assert_allclose(train_probe(X, y).probabilities(X), moved, atol=1e-9)


def test_probes_are_trained_where_gradients_are_switched_off():
    X, y = clouds()
    with torch.no_grad():
        assert train_probe(X, y).accuracy(X, y) > 0.97


# --- Splits and controls --------------------------------------------------------------------------------------------


def test_a_split_and_folds_hold_each_class_in_its_share_and_each_row_once():
    y = np.repeat([0, 1, 2], [40, 60, 80])
    train, test = split(y, 0.25, seed=1)
    assert np.bincount(y[test]).tolist() == [10, 15, 20]
    assert sorted([*train, *test]) == list(range(180)) and not np.array_equal(test, split(y, 0.25, seed=2)[1])
    parts = folds(y, 5, seed=1)
    assert [np.bincount(y[part]).tolist() for part in parts] == 5 * [[8, 12, 16]]
    assert sorted(np.concatenate(parts)) == list(range(180))


def test_a_score_tests_each_word_by_a_probe_that_never_saw_it():
    X, y = clouds(apart=1.5)
    result = score(X, y, n_splits=4, seed=7)
    right = np.zeros(len(y))
    for i, test in enumerate(folds(y, 4, seed=7)):
        train = np.array([row for row in range(len(y)) if row not in test])
        right[test] = train_probe(X[train], y[train], seed=7 + i).probabilities(X[test]).argmax(1) == y[test]
    assert result.mean == pytest.approx(right.mean()) and len(result.accuracies) == 4
    assert result.interval == bootstrap_interval(np.mean, right, seed=7)
    assert str(result) == "{:.1f} %  [{:.1f}, {:.1f}]".format(*(100 * np.array([right.mean(), *result.interval])))


def test_rows_of_one_name_are_tested_together_and_drawn_together():
    X, y = clouds(apart=1.5)
    names = np.array([f"word {k}" for k in np.random.default_rng(0).integers(30, size=len(y))])
    parts = folds(y, 4, seed=7, groups=names)
    assert sorted(np.concatenate(parts)) == list(range(len(y))) and max(map(len, parts)) - min(map(len, parts)) <= 8
    for i, part in enumerate(parts):
        assert not set(names[part]) & {name for other in parts[:i] for name in names[other]}
    result = score(X, y, n_splits=4, seed=7, groups=names)
    for i, test in enumerate(parts):
        train = np.setdiff1d(np.arange(len(y)), test)
        probe = train_probe(X[train], y[train], seed=7 + i)
        np.testing.assert_array_equal(result.right[test], probe.probabilities(X[test]).argmax(1) == y[test])
    one_row_each = score(X, y, n_splits=4, seed=7, groups=np.arange(len(y)))
    assert one_row_each.interval == bootstrap_interval(np.mean, one_row_each.right, seed=7)


def test_an_interval_over_names_is_wider_where_their_rows_are_alike():
    X, y = clouds(apart=0.5)
    alike = np.repeat(np.arange(len(y) // 10), 10)
    X, y = np.repeat(X[::10], 10, 0), np.repeat(y[::10], 10)
    together, apart = (np.ptp(score(X, y, groups=names).interval) for names in (alike, np.arange(len(y))))
    assert together > 1.5 * apart


def test_random_vectors_keep_lengths_and_nothing_else():
    X, _ = clouds()
    R = random_vectors(X, seed=1)
    np.testing.assert_allclose(np.linalg.norm(R, axis=1), np.linalg.norm(X, axis=1))
    cosines = (R * X).sum(1) / np.linalg.norm(X, axis=1) ** 2
    assert abs(cosines.mean()) < 0.1 and not np.array_equal(R, random_vectors(X, seed=2))


def test_shuffled_labels_are_the_same_labels_elsewhere():
    y = np.repeat([0, 1], 50)
    dealt = shuffled_labels(y, seed=0)
    assert np.bincount(dealt).tolist() == [50, 50] and 0.3 < (dealt == y).mean() < 0.7


def test_spelling_marks_endings_that_two_words_share():
    table = spelling(["kindness", "business", "boss", "run"], last=3)
    assert table.sum(0).tolist() == [2, 3, 3]  # -ess, -s, -ss
    assert table[3].tolist() == [0, 0, 0]


# --- Words ----------------------------------------------------------------------------------------------------------


def test_only_whole_tokens_of_one_group_are_kept(tok):
    kept = single_tokens({"noun": ["bear", "dog", "dog", "serendipity"], "verb": ["bear", "eat", "🐻"]}, tok)
    assert kept.words == ["dog", "eat"] and kept.labels.tolist() == [0, 1] and kept.classes == ("noun", "verb")


def test_a_token_s_vector_is_hugging_face_s_row(bert, tok, hf_bert):
    theirs = hf_bert.embeddings.word_embeddings.weight[4562].detach().numpy()  # "bear"
    assert np.array_equal(token_vectors(["bear"], bert, tok)[0], theirs)
    assert np.array_equal(token_vectors(["Bear"], bert, tok)[0], theirs)  # an uncased model


@pytest.mark.parametrize("word", ["serendipity", "two words", "🐻", ""])
def test_a_word_that_is_no_token_is_refused(bert, tok, word):
    with pytest.raises(ValueError, match="words must each be one token of the vocabulary, got"):
        token_vectors(["bear", word], bert, tok)


def test_groups_that_cannot_be_used_are_refused(tok):
    with pytest.raises(ValueError, match="'verb' has none"):
        single_tokens({"noun": ["dog"], "verb": ["serendipity"]}, tok)


# --- What is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, 0 * y), "y must hold at least 2 classes, got 1"),
        (lambda X, y: (X, np.where(y == 2, y, 0)), r"at least 5 words of each class, got \[120, 0, 60\]"),
        (lambda X, y: (X[:124], y[:124]), r"at least 5 words of each class, got \[60, 60, 4\]"),
        (lambda X, y: (np.where(X > 2, np.nan, X), y), "X must be finite, got .* NaN"),
        (lambda X, y: (X[0], y), r"X must be a matrix of 1 or more vectors, one a row, got shape \(8,\)"),
        (lambda X, y: (X, y[:-1]), "y must hold a class, 0 or 1 or ..., for each of the 180 rows of X"),
        (lambda X, y: (X, y / 2), "y must hold a class, .*got float64"),
        (lambda X, y: (X, y - 1), "y must hold a class"),
        (lambda X, y: (X[:0], y[:0]), "X must be a matrix of 1 or more vectors"),
    ],
)
def test_data_that_nothing_can_be_learned_from_is_refused_by_name(change, message):
    X, y = change(*clouds())
    for run in (train_probe, score):
        with pytest.raises(ValueError, match=message):
            run(X, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "forest"}, "kind must be one of 'softmax', 'hidden', 'boosting', got 'forest'"),
        ({"validation": 1.0}, "validation must be a share from 0 to below 1, got 1.0"),
        ({"n_splits": 61}, "n_splits must be .* the size of the smallest class, 60, got 61"),
        ({"n_splits": 1}, "n_splits must be a number of folds"),
        ({"groups": ["sun", "bus"]}, "groups must hold a name for each of 180 rows, 5 names or more, got 2 rows of 2"),
        ({"groups": ["sun"] * 180}, "groups must hold .* got 180 rows of 1"),
    ],
)
def test_settings_that_do_not_exist_are_refused_by_name(settings, message):
    with pytest.raises(ValueError, match=message):
        score(*clouds(), **settings)
