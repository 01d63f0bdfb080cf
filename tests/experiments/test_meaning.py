"""L's own pairs on the default model, as stored."""

import re

import numpy as np
import pytest
from scipy.stats import pearsonr

from tutorial_book.claims.meaning import TABLE_6
from tutorial_book.experiments import collections, meaning
from tutorial_lib.texts import published
from tutorial_lib.weights.catalog import DEFAULT, KNOWN


def test_what_is_stored_says_where_it_comes_from():
    found = meaning.stored()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["date"]) and {"torch", "numpy"} < set(found["versions"])
    assert found["model"] == {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256}
    assert found["sources"] == {source.file: source.sha256 for source in published.SOURCES["luisto-pairs"]}
    assert found["pairs"] == {name: collections.stored()["pairs"][name] for name in map(str.lower, TABLE_6)}


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_each_cosine_lies_in_its_interval_and_two_stand_out(pooling):
    found = meaning.stored()[pooling]
    values, (low, high) = np.array(found["cosines"]), np.transpose(found["intervals"])
    assert (low < values).all() and (values < high).all()
    assert sorted(np.argsort(-np.abs(values))[:2]) == [5, 14]  # doctor-nurse and female-male; funny-sad and laugh-cry
    assert np.abs(np.delete(values, [5, 14])).max() < 0.2 and min(abs(values[5]), values[14]) > 0.35


def test_other_sentences_change_little_and_another_model_much():
    cls = meaning.stored()["cls"]
    assert [cls["cosines"][i] for i in (14, 5)] == pytest.approx([0.569, -0.377], abs=1e-3)
    assert cls["correlations"] == pytest.approx([0.78, -0.24, 1.02], abs=5e-3)  # on the thirteen small ones


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_two_seeds_give_like_intervals(pooling):
    one, other = np.array(meaning.stored()[pooling]["correlation intervals"])
    assert np.abs(one - other).max() < 0.05
    same_model, same_sentences, difference = one
    assert same_model[0] > 0.3 > same_sentences[1] and difference[0] > 0.5


def test_correlations_are_scipys():
    rng = np.random.default_rng(0)
    own, book, table_7 = rng.normal(size=(3, 15))
    for chosen in (slice(None), np.abs(table_7) < 1):
        theirs = [pearsonr(own[chosen], other[chosen]).statistic for other in (book, table_7)]
        assert meaning.correlations(own, book, table_7, chosen) == pytest.approx(theirs)
