"""The program that measures with other seeds writes what the pages read, and its first numbers come out again."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

measure_seeds = pytest.importorskip("measure_seeds")

from tutorial_book.experiments import by_seeds, collections  # noqa: E402
from tutorial_lib.texts import load_texts  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def shape_of(found):
    """What is stored, each list of numbers as its shape."""
    return {name: shape_of(value) if isinstance(value, dict) else np.shape(value) for name, value in found.items()}


def test_translators_in_full():
    shapes = shape_of(by_seeds("architectures"))
    assert shapes.pop("rates") == (3,) and len(shapes) == 4 and set(shapes.values()) == {(3, 5)}


@pytest.mark.long
def test_a_translator_comes_out_again():
    again = measure_seeds.translator_loss("pre-norm", "with warmup", 0.003, seed=2)
    assert again == pytest.approx(by_seeds("architectures")["pre-norm with warmup"][0][2], rel=0.02)


@pytest.mark.long
def test_small_decoders_in_short():
    plan = replace(measure_seeds.PLAN, n_steps=1, warmup=0)
    found, kept = measure_seeds.directions((plan.lr,), range(1), plan), by_seeds("directions")
    assert list(found) == list(kept) and list(found["confidence"]) == list(kept["confidence"])
    assert shape_of(found)["without any"] == (1, 1) and shape_of(kept)["without any"] == (3, 4)


def test_the_norms_are_left_out():
    whole, last, none = (measure_seeds.small_decoder(50, 0, without) for without in measure_seeds.NORMS.values())
    assert isinstance(whole.norm, nn.LayerNorm) and isinstance(last.norm, nn.Identity)
    assert all(isinstance(layer.norm, nn.LayerNorm) for layer in last.layer)
    assert not any(isinstance(part, nn.LayerNorm) for part in none.modules())
    assert torch.equal(whole.embeddings.tokens.weight, none.embeddings.tokens.weight)


def test_stories_in_short():
    found, kept = measure_seeds.decoders((0.7,), range(1), n=2), by_seeds("decoders")
    assert list(found) == list(kept) and shape_of(found)["top-p 0.9"] == (1, 1, 2)
    assert shape_of(kept)["top-p 0.9"] == (4, 10, 2)


def test_draws_of_the_texts_are_those_texts_measured(bert, monkeypatch):
    """Where as many are drawn as there are, each draw is the whole, and the page's own measure says the same."""
    ours = {"wikipedia": load_texts("encyclopedia")[:30], "tweets": load_texts("posts")[:30]}
    for module in (measure_seeds, collections):
        monkeypatch.setattr(module, "load_texts", ours.__getitem__)
        monkeypatch.setattr(module, "N_TEXTS", 30)
    for name in ("tsne", "umap"):
        monkeypatch.setattr(collections.geometry, name, lambda X: np.zeros((len(X), 2)))
    found, mean = measure_seeds.collections(bert, n_draws=2), collections.measure(bert)["clouds"]["mean"]
    assert list(found) == list(by_seeds("collections"))
    for name, kind in (("purity, mean", "purity"), ("purity by cosine, mean", "purity by cosine")):
        values, whole = found[name]
        assert values == [whole, whole] and whole == pytest.approx(mean[kind], abs=0.02)
    assert all(len(values) == 10 and 0.5 < whole <= 1 for values, whole in by_seeds("collections").values())


def test_a_damaged_file_is_refused(monkeypatch, tmp_path):
    from tutorial_book import experiments

    (tmp_path / "decoders.json").write_text("{")
    monkeypatch.setattr(experiments, "STORED", tmp_path)
    with pytest.raises(ValueError, match="decoders.json is damaged"):
        by_seeds("decoders")
