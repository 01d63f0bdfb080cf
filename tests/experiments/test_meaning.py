"""L's own pairs on the default model: as stored, and measured again where the file is at hand."""

import re

import numpy as np
import pytest
from scipy.stats import pearsonr

from tutorial_book.claims.meaning import TABLE_6, TABLE_7
from tutorial_book.experiments import collections, meaning
from tutorial_lib.texts import fetch, load_texts, published
from tutorial_lib.vectors import embed
from tutorial_lib.weights.catalog import DEFAULT, KNOWN


def test_the_six_contrasts_stand_in_l_s_order():
    assert [name.lower() for name in TABLE_6] == [*meaning.SIX]
    pairs = [(meaning.SIX[i], meaning.SIX[j]) for i, j in zip(*meaning.PAIRS, strict=True)]
    assert pairs == [(one.lower(), other.lower()) for one, other in TABLE_7]


def test_what_is_stored_says_where_it_comes_from():
    found = meaning.stored()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["date"]) and {"torch", "numpy"} < set(found["versions"])
    assert found["model"] == {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256}
    assert found["sources"] == {source.file: source.sha256 for source in published.SOURCES["luisto-pairs"]}
    assert found["pairs"] == {name: collections.stored()["pairs"][name] for name in meaning.SIX}


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


def test_it_measures_what_it_says(monkeypatch):
    """L's pairs replaced by half of this book's, and with no function of the library between vector and number."""
    pairs = load_texts("sentence-pairs")
    half = {name: pairs[name][:8] for name in meaning.SIX}
    monkeypatch.setattr(meaning, "load_texts", {"luisto-pairs": half, "sentence-pairs": pairs}.__getitem__)
    found = meaning.measure([*TABLE_7.values()], n=2)
    assert found["pairs"] == dict.fromkeys(meaning.SIX, 8)
    arrows = []
    for name in meaning.SIX:
        first, second = (embed([pair[side] for pair in half[name]], pooling="cls").astype(float) for side in (0, 1))
        arrows.append((second - first).mean(0))
    U = np.stack(arrows) / np.linalg.norm(arrows, axis=1, keepdims=True)
    assert found["cls"]["cosines"] == pytest.approx((U @ U.T)[np.triu_indices(6, 1)], abs=2e-3)


def test_l_s_file_gives_the_stored_numbers(monkeypatch, real_folder):
    monkeypatch.setenv(fetch.VARIABLE, str(real_folder))
    now, stored = meaning.measure([*TABLE_7.values()], n=200), meaning.stored()
    assert now["pairs"] == stored["pairs"]
    for pooling in ("cls", "mean"):
        for key, most in (("cosines", 2e-3), ("within", 2e-3), ("correlations", 0.02), ("intervals", 0.03)):
            np.testing.assert_allclose(now[pooling][key], stored[pooling][key], atol=most)
