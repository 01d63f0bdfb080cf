"""Real texts, measured now or stored: the numbers are those of the texts, and the page says which it shows."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tutorial_book.experiments import collections as real_texts
from tutorial_book.experiments import stored
from tutorial_lib.texts import fetch, load_texts
from tutorial_lib.vectors import embed
from tutorial_lib.weights.catalog import DEFAULT


@pytest.fixture
def quick_pictures(monkeypatch):
    """The numbers that are left out are slow, and differ on another machine."""
    for name in ("tsne", "umap"):
        monkeypatch.setattr(real_texts.geometry, name, lambda X: np.zeros((len(X), 2)))


def leaves(found, path=()):
    """Yield every number and word of the stored data, with the path to it."""
    items = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    if not items:
        yield path, found
    for key, value in items:
        yield from leaves(value, (*path, key))


def test_without_the_texts_stored_numbers_are_shown(monkeypatch, tmp_path):
    monkeypatch.setenv(fetch.VARIABLE, str(tmp_path))
    numbers, which = real_texts.measured()
    assert numbers == stored("real-texts")
    for part in ("Stored", "not available here.", numbers["date"], DEFAULT, numbers["versions"]["torch"]):
        assert part in which
    (tmp_path / "wikitext-2-valid.txt").write_text("something else")
    assert "is not the published file" in real_texts.measured()[1]


def test_measured_numbers_equal_their_definitions(monkeypatch, quick_pictures, bert):
    """On the built-in texts; with no function of the library between vector and number."""
    ours = {"wikipedia": load_texts("encyclopedia")[:25], "tweets": load_texts("posts")[:22]}
    monkeypatch.setattr(real_texts, "load_texts", ours.__getitem__)
    monkeypatch.setattr(real_texts, "N_TEXTS", 20)
    numbers, which = real_texts.measured(bert)
    assert "Measured now" in which
    assert numbers["texts"] == {"Wikipedia": 25, "tweets": 22}
    kept = stored("real-texts")
    assert list(numbers["maps"]) == list(kept["maps"]) and set(numbers) < set(kept)
    rng = np.random.default_rng(0)
    texts = [every[i] for every in ours.values() for i in rng.choice(len(every), 20, replace=False)]
    X, of = embed(texts, bert).astype(float), np.repeat([0, 1], 20)
    cloud, U = numbers["clouds"]["mean"], X / np.linalg.norm(X, axis=1, keepdims=True)
    upper = np.triu_indices(20, 1)
    values = {"Wikipedia": (U[:20] @ U[:20].T)[upper], "tweets": (U[20:] @ U[20:].T)[upper]}
    values["one of each"] = (U[:20] @ U[20:].T).ravel()
    bins = np.linspace(*cloud["cosines"]["edges"], 41)
    for name, cosines in values.items():
        found = {kind: cloud["cosines"][kind][name] for kind in ("average", "lowest", "counts")}
        assert [found["average"], found["lowest"]] == pytest.approx([cosines.mean(), cosines.min()], abs=1e-4)
        assert found["counts"] == pytest.approx(np.histogram(cosines, bins)[0], abs=1)
        assert sum(found["counts"]) == len(cosines)
    for name, V in (("purity", X), ("purity by cosine", U)):
        away = cdist(V, V)
        np.fill_diagonal(away, np.inf)
        assert cloud[name] == pytest.approx((of[away.argmin(1)] == of).mean(), abs=1e-3)
    assert cloud["norms"]["average"]["tweets"] == pytest.approx(np.linalg.norm(X[20:], axis=1).mean(), abs=1e-3)
    lengths = [len(tokens) for tokens in embed(texts, bert, "tokens")]
    assert numbers["tokens"]["Wikipedia"] == round(float(np.mean(lengths[:20])), 1)
    cls = embed(texts, bert, "cls").astype(float)
    loudest = (cls**2 / (cls**2).sum(1, keepdims=True)).mean(0).argmax()
    assert f"[CLS] without {loudest}" in numbers["clouds"]


def test_nothing_but_numbers_is_stored_of_texts():
    found = {key: stored("real-texts")[key] for key in ("texts", "tokens", "maps", "clouds")}
    for path, value in leaves(found):
        assert type(value) in (int, float), path
        assert all(isinstance(key, int) or len(key) < 25 for key in path)
    assert [np.shape(Y) for Y in found["maps"].values()] == [(600, 2)] * 6


@pytest.mark.long
def test_published_texts_give_the_stored_numbers(monkeypatch, quick_pictures, real_folder):
    """Up to rounding."""
    monkeypatch.setenv(fetch.VARIABLE, str(real_folder))
    now, kept = real_texts.measure(), stored("real-texts")
    assert now["texts"] == kept["texts"]
    for title, cloud in now["clouds"].items():
        for (path, value), (same, before) in zip(leaves(cloud), leaves(kept["clouds"][title]), strict=True):
            most = 3 if "counts" in path else 0.011 if path[0] == "accuracy" or path[0].startswith("purity") else 2e-3
            assert path == same and value == pytest.approx(before, abs=most), (title, path)
    assert now["tokens"] == pytest.approx(kept["tokens"], abs=0.01)
    for title in ("[CLS], PCA", "mean, PCA"):
        np.testing.assert_allclose(now["maps"][title], kept["maps"][title], atol=2e-3)
