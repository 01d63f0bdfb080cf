"""Real texts, measured now or as stored: the numbers are those of the texts, and the page says which it shows."""

import re

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tutorial_book.experiments import collections as real_texts
from tutorial_lib.texts import TextsNotAvailable, fetch, load_texts, published
from tutorial_lib.vectors import embed
from tutorial_lib.weights.catalog import DEFAULT, KNOWN


@pytest.fixture
def missing(monkeypatch, tmp_path):
    """An empty folder in place of the texts."""
    monkeypatch.setenv(fetch.VARIABLE, str(tmp_path))
    return tmp_path


@pytest.fixture
def at_hand(monkeypatch):
    """The built-in collections in place of the published ones, and quick pictures."""
    ours = {"wikipedia": load_texts("encyclopedia")[:40], "tweets": load_texts("posts")[:30]}
    monkeypatch.setattr(real_texts, "load_texts", ours.__getitem__)
    monkeypatch.setattr(real_texts, "N_TEXTS", 30)
    for name in ("tsne", "umap"):
        monkeypatch.setattr(real_texts.geometry, name, lambda X: np.zeros((len(X), 2)))
    return ours


def leaves(found, path=()):
    """Every number and word in what is stored, with the way to it."""
    items = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    if not items:
        yield path, found
    for key, value in items:
        yield from leaves(value, (*path, key))


def test_where_the_texts_are_missing_the_stored_numbers_are_shown_with_their_date(missing):
    numbers, which = real_texts.measured()
    assert numbers == real_texts.stored()
    for part in ("Stored", "not at hand", numbers["date"], DEFAULT, numbers["versions"]["torch"]):
        assert part in which
    assert str(missing) not in which and which.count(".") == numbers["versions"]["torch"].count(".") + 2


def test_a_file_that_is_not_the_published_one_is_told_of(missing):
    (missing / "wikitext-2-valid.txt").write_text("something else")
    assert "is not the published file" in real_texts.measured()[1]


def test_where_the_texts_are_at_hand_they_are_measured(at_hand, bert):
    numbers, which = real_texts.measured(bert)
    assert "Measured now" in which and "Stored" not in which
    assert numbers["texts"] == {"Wikipedia": 40, "tweets": 30}
    stored = real_texts.stored()
    assert set(numbers) < set(stored) and set(numbers["maps"]) == set(stored["maps"])
    shape = {path for path, _ in leaves(numbers["clouds"]) if not isinstance(path[-1], int)}
    assert shape == {path for path, _ in leaves(stored["clouds"]) if not isinstance(path[-1], int)}


def test_it_measures_what_it_says(at_hand, bert):
    """The means, once more and with no function of the library between vector and number."""
    rng = np.random.default_rng(0)
    texts = [every[i] for every in at_hand.values() for i in rng.choice(len(every), 30, replace=False)]
    numbers, X, of = real_texts.measure(bert), embed(texts, bert).astype(float), np.repeat([0, 1], 30)
    cloud, U = numbers["clouds"]["mean"], X / np.linalg.norm(X, axis=1, keepdims=True)
    within = {name: U[of == i] @ U[of == i].T for i, name in enumerate(real_texts.NAMES)}
    cosines = {name: C[np.triu_indices(30, 1)] for name, C in within.items()}
    cosines["one of each"] = (U[of == 0] @ U[of == 1].T).ravel()
    for name, values in cosines.items():
        assert cloud["cosines"]["average"][name] == pytest.approx(values.mean(), abs=1e-4)
        assert cloud["cosines"]["lowest"][name] == pytest.approx(values.min(), abs=1e-4)
        assert sum(cloud["cosines"]["counts"][name]) == len(values)
        low, high = cloud["cosines"]["edges"]
        assert cloud["cosines"]["counts"][name][:20] == pytest.approx(
            np.histogram(values, np.linspace(low, high, 41))[0][:20], abs=1
        )
    for name, V in (("purity", X), ("purity by cosine", U)):
        away = cdist(V, V)
        np.fill_diagonal(away, np.inf)
        assert cloud[name] == pytest.approx((of[away.argmin(1)] == of).mean(), abs=1e-3)
    assert cloud["norms"]["average"]["tweets"] == pytest.approx(np.linalg.norm(X[30:], axis=1).mean(), abs=1e-3)
    assert numbers["maps"]["mean, PCA"][0] == pytest.approx(real_texts.geometry.pca(X).coordinates[0], abs=1e-3)


@pytest.mark.parametrize(
    ("content", "says"),
    [("{", "is damaged: it is not JSON"), ('{"date": "2026-11-22"}', "lacks clouds, maps, .*measure_texts.py")],
)
def test_a_damaged_file_is_said_to_be_one(missing, monkeypatch, content, says):
    file = missing / "numbers.json"
    file.write_text(content)
    monkeypatch.setattr(real_texts, "FILE", file)
    with pytest.raises(ValueError, match=f"{re.escape(str(file))} {says}"):
        real_texts.measured()


def test_what_is_stored_says_where_it_comes_from():
    found = real_texts.stored()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["date"])
    assert {"torch", "numpy", "tutorial_lib"} <= set(found["versions"])
    assert found["model"] == {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256}
    sources = [source for name in ("wikipedia", "tweets", "luisto-pairs") for source in published.SOURCES[name]]
    assert found["sources"] == {source.file: source.sha256 for source in sources}


def test_nothing_but_numbers_is_stored_of_the_texts():
    found = {key: real_texts.stored()[key] for key in ("texts", "tokens", "maps", "clouds", "pairs", "meetings")}
    for path, value in leaves(found):
        assert type(value) in (int, float), path
        assert all(isinstance(key, int) or len(key) < 25 for key in path)


@pytest.mark.long
def test_the_recipe_run_now_gives_the_stored_numbers(monkeypatch, real_folder):
    """Up to rounding. t-SNE and UMAP draw another picture on another machine, so theirs are not compared."""
    monkeypatch.setenv(fetch.VARIABLE, str(real_folder))
    for name in ("tsne", "umap"):
        monkeypatch.setattr(real_texts.geometry, name, lambda X: np.zeros((len(X), 2)))
    now, stored = real_texts.measure(), real_texts.stored()
    pairs = load_texts("luisto-pairs")
    assert {contrast: len(found) for contrast, found in pairs.items()} == stored["pairs"]
    assert sum("meeting" in text for found in pairs.values() for pair in found for text in pair) == stored["meetings"]
    assert now["texts"] == stored["texts"]
    for title, cloud in now["clouds"].items():
        for (path, value), (same, before) in zip(leaves(cloud), leaves(stored["clouds"][title]), strict=True):
            most = 3 if "counts" in path else 0.011 if path[0] == "accuracy" or path[0].startswith("purity") else 2e-3
            assert path == same and value == pytest.approx(before, abs=most), (title, path)
    assert now["tokens"] == pytest.approx(stored["tokens"], abs=0.01)
    for title in ("[CLS], PCA", "mean, PCA"):
        np.testing.assert_allclose(now["maps"][title], stored["maps"][title], atol=2e-3)


def test_texts_that_are_nowhere_are_still_missed(missing):
    with pytest.raises(TextsNotAvailable):
        real_texts.measure()


def test_the_stored_pictures_have_a_point_for_each_text():
    maps = real_texts.stored()["maps"]
    assert [np.shape(Y) for Y in maps.values()] == [(600, 2)] * 6
    assert all(np.std(Y, axis=0).min() > 0 for Y in maps.values())
