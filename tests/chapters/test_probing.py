"""What the chapter on probing (row 7) finds on the default model, pinned."""

import numpy as np
import pytest

from tutorial_book.experiments.probing import (
    random_vectors,
    score,
    shuffled_labels,
    single_tokens,
    spelling,
    split,
    token_vectors,
    train_probe,
)
from tutorial_lib.texts import load_texts


@pytest.fixture(scope="module")
def words(tok):
    return single_tokens(load_texts("words"), tok)


@pytest.fixture(scope="module")
def X(words, bert, tok):
    return token_vectors(words.words, bert, tok)


def test_the_class_of_a_word_can_be_read_off_its_token_vector(words, X):
    y = words.labels
    assert np.bincount(y).tolist() == [300, 300, 300]
    result = score(X, y)
    assert result.mean > 0.98 and result.interval[0] > 0.97


def test_the_controls_find_nothing_but_spelling_finds_two_thirds(words, X):
    y = words.labels
    for inputs, labels in ((random_vectors(X), y), (X, shuffled_labels(y))):
        low, high = score(inputs, labels).interval
        assert low < 0.36 and 0.31 < high < 0.41
    assert 0.62 < score(spelling(words.words), y).mean < 0.73


def test_six_probes_disagree_about_a_word_of_two_classes(words, X, bert, tok):
    noun, x = words.classes.index("noun"), token_vectors(["bear"], bert, tok)
    p = []
    for seed in range(6):
        train = split(words.labels, 0.2, seed)[0]
        p.append(train_probe(X[train], words.labels[train], seed=seed).probabilities(x)[0, noun])
    assert max(p) - min(p) == pytest.approx(0.47, abs=0.1)


def test_the_probe_knows_words_and_forms_that_it_never_saw(words, X, bert, tok):
    probe = train_probe(X, words.labels)
    new = {"adjective": "horrific unidentified", "noun": "kits quartet", "verb": "describes replaces"}
    for k, name in enumerate(words.classes):
        assert (probe.probabilities(token_vectors(new[name].split(), bert, tok)).argmax(1) == k).all()
