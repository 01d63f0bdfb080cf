"""What the chapter on probing (row 7) finds on the default model, pinned."""

import numpy as np
import pytest

from tutorial_book.experiments.probing import token_vectors, train_probe


def test_the_class_of_a_word_can_be_read_off_its_token_vector(page):
    assert np.bincount(page.y).tolist() == [300, 300, 300]
    linear = page.results["no hidden layer"]
    assert linear.mean > 0.98 and linear.interval[0] > 0.97


def test_the_controls_find_nothing_but_spelling_finds_two_thirds(page):
    for accuracies in page.draws.values():
        assert 0.28 < min(accuracies) and max(accuracies) < 0.41 and np.mean(accuracies) < 0.36
    assert 0.62 < page.controls["spelling"][1].mean < 0.73


def test_six_probes_disagree_about_a_word_of_two_classes(page):
    assert page.disagreement == pytest.approx(0.47, abs=0.1)


def test_the_probe_knows_words_and_forms_that_it_never_saw(page, bert, tok):
    probe = train_probe(page.X, page.y)
    new = {"adjective": "horrific unidentified", "noun": "kits quartet", "verb": "describes replaces"}
    for k, name in enumerate(page.words.classes):
        assert (probe.probabilities(token_vectors(new[name].split(), bert, tok)).argmax(1) == k).all()
