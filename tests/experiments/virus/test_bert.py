"""The classifier, its recipe and its scores: all as in transformers and scikit-learn, and reproducible."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import confusion_matrix, f1_score

import tutorial_book
from tutorial_book.experiments import virus
from tutorial_book.experiments.virus import RECIPE, RUNS, VIRUSES, Evolution, Run, VariantBert, kmer_ids, simulate
from tutorial_book.experiments.virus.simulator import VARIANTS
from tutorial_lib.bert import Bert, Config, initialize
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training import Settings, train
from tutorial_lib.weights import resolve, sha256
from tutorial_lib.weights.catalog import KNOWN

pytestmark = pytest.mark.usefixtures("one_thread")
K = 3
GENOMES = simulate(Evolution(n_sites=120, deleted=(3, 3, 3), sublineages=2, outbreaks=1, samples=3)).genomes
MODELS = Path(tutorial_book.__file__).parent / "experiments" / "virus" / "models"
CLOSE = 0.02  # as for the other recipes: tests/training/test_recipes.py says why
TINY = replace(
    RECIPE,
    config=Config(4**6 + 5, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=64),
    settings=Settings(4, warmup=1, save_every=2, evaluate_every=2),
    evolution=Evolution(n_sites=200, sublineages=5, outbreaks=3, samples=3),
    batch_size=4,
)


@pytest.fixture
def tok():
    return virus.kmer_tokenizer(K)


@pytest.fixture
def model(tok):
    torch.manual_seed(0)
    bert = Bert(Config(len(tok), d_model=16, n_layers=1, n_heads=2, d_ff=32, n_positions=64))
    return initialize(VariantBert(bert, VARIANTS), 0.2).eval()


# --- The classifier ---------------------------------------------------------------------------------------------------


def test_classifier_is_that_of_transformers(model, tok, tmp_path):
    from transformers import BertForSequenceClassification

    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())  # what half precision can hold
    model.save(tok, tmp_path)
    again = VariantBert.from_pretrained(tmp_path, device="cpu")
    theirs = BertForSequenceClassification.from_pretrained(tmp_path).eval()
    ids = torch.tensor(kmer_ids(["ACGUACGGU"], tok, K))
    with torch.no_grad():
        assert torch.equal(model(ids), again(ids)) and again.variants == list(VARIANTS)
        assert torch.allclose(model(ids), theirs(ids).logits, atol=1e-5)
    assert theirs.config.id2label[1] == "Birch" and theirs.config.label2id["Birch"] == 1
    with pytest.raises(ValueError, match="name must be a model with a classifier, got 'book-bert'"):
        VariantBert.from_pretrained("book-bert")


def test_padding_changes_no_probability(model, tok):
    p = virus.probabilities(model, ["ACGUAC" * 5, "GGGUUU", "ACG" * 200], tok, K, batch_size=2)  # the last one is cut
    np.testing.assert_allclose(p[1], virus.probabilities(model, ["GGGUUU"], tok, K)[0], atol=1e-6)
    np.testing.assert_allclose(p.sum(1), [1, 1, 1], atol=1e-6)


def test_frames_shift_where_the_first_kmer_begins(model, tok, monkeypatch):
    seen = []
    monkeypatch.setattr("tutorial_book.experiments.virus.classifier.kmer_ids",
                        lambda texts, *rest: seen.extend(map(len, texts)) or kmer_ids(texts, *rest))  # fmt: skip
    whole = [genome for genome in GENOMES if "-" not in genome.aligned]
    virus.variant_loss(whole, tok, K, 64, n_frames=3)(model, torch.Generator().manual_seed(0))
    assert set(seen) == {118, 119, 120}


def test_drops_are_lost_log_probabilities(model, tok):
    [ids] = kmer_ids(["ACGUACGGUAAA"], tok, K)
    unread = [[*ids[:i], tok.vocab["[UNK]"], *ids[i + 1 :]] for i in range(1, 5)]
    log_p = model([ids, *unread]).log_softmax(-1).detach()
    best = log_p[0].argmax()
    lost = [0, *(log_p[0, best] - log_p[1:, best]), 0]
    np.testing.assert_allclose(virus.unread_drops(model, ids, tok), lost, atol=1e-5)


# --- The recipe -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def split():
    return virus.split_genomes(simulate().genomes)


@pytest.mark.parametrize("name", VIRUSES)
def test_recipe_makes_what_is_shipped(name, split):
    """Its first steps, trained again: the same losses. The card has the measurements."""
    recipe, stored = VIRUSES[name], json.loads((MODELS / name / "curves.json").read_text())
    tok, card = WordPiece.from_pretrained(name), (MODELS / name / "README.md").read_text()
    assert tok.tokens == virus.kmer_tokenizer().tokens and resolve(name) == MODELS / name
    assert recipe.evolution == Evolution() and len(stored["loss"]) == recipe.settings.n_steps
    loss = virus.variant_loss(split.train, tok, 6, recipe.batch_size, recipe.n_frames, errors=recipe.errors)
    curve = train(recipe.new_model(), loss, recipe.settings, until=4)
    assert max(abs(a - b) for a, b in zip(curve["loss"], stored["loss"], strict=False)) < CLOSE
    assert KNOWN[name].sha256 in card and "**simulated**" in card
    few = split._replace(copies=split.copies[::9], outbreaks=split.outbreaks[::9], lineages=split.lineages[::9])
    found = virus.judge_virus(VariantBert.from_pretrained(name, device="cpu"), tok, few)
    for kind, scores in stored["measured"].items():
        assert f"| {scores['accuracy']:.1%} | {scores['macro_f1']:.3f} |" in card
        assert found[kind]["accuracy"] == pytest.approx(scores["accuracy"], abs=0.1)


def test_recipe_makes_the_same_model_twice(tmp_path):
    """Also after a stop; another seed, or another tree, makes another one, and the card says so."""

    def stop(progress):
        if progress.step == 3:
            raise KeyboardInterrupt

    def made(recipe, place):
        return recipe.make("tiny", tmp_path / place), (tmp_path / place / "tiny" / "README.md").read_text()

    with pytest.raises(KeyboardInterrupt):
        TINY.make("tiny", tmp_path / "c", stop)
    (first, card), (second, _), (third, _) = (made(TINY, place) for place in "abc")
    assert first == second == third
    a, b, c = (sha256(tmp_path / place / "tiny" / "model.safetensors") for place in "abc")
    assert a == b == c and a in card
    other, card = made(replace(TINY, settings=replace(TINY.settings, seed=1)), "d")
    assert other["loss"] != first["loss"] and "train tiny --folder FOLDER --seed 1`" in card
    other, card = made(replace(TINY, tree=3), "e")
    assert other["loss"] != first["loss"] and ", seed=3).genomes`" in card


def test_runs_differ_in_their_seeds_alone():
    assert Run("book-virus").recipe == RECIPE
    recipe = Run("book-virus-frames", seed=2, tree=3).recipe
    assert (recipe.settings.seed, recipe.tree, recipe.n_frames) == (2, 3, 6)
    assert len(set(RUNS)) == len(RUNS) == 12


def test_only_the_seed_draws_the_input():
    genomes = simulate(TINY.evolution).genomes
    reads, labels = virus.read_genomes(genomes, errors=0.01)
    assert reads == virus.read_genomes(genomes, errors=0.01)[0] != virus.read_genomes(genomes, 2, errors=0.01)[0]
    assert labels.tolist() == sorted(labels) and len(set(labels)) == 6
    reads, labels = virus.read_genomes(genomes[-1:], variants=["Oak"], errors=0, ambiguous=0, gap=0)
    assert reads == [genomes[-1].sequence] and labels.tolist() == [0]
    with pytest.raises(ValueError, match=r"must contain those of all genomes, got \['Oak'\] without \['Ash'\]"):
        virus.read_genomes(genomes[:1], variants=["Oak"])


# --- The scores -------------------------------------------------------------------------------------------------------


def test_macro_f1_is_scikit_learns():
    """A class without a member does not count, and the matrices of groups add up to the matrix of all."""
    rng = np.random.default_rng(0)
    guesses, lot = rng.integers(4, size=(2, 300))
    labels = np.where(rng.random(300) < 0.7, guesses, lot)
    found = confusion_matrix(labels, guesses, labels=range(5))
    assert virus.macro_f1(found) == pytest.approx(f1_score(labels, guesses, average="macro"))
    groups = virus.by_group(labels, guesses, np.repeat(np.arange(30), 10), 5)
    assert groups.shape == (30, 5, 5) and (groups.sum((1, 2)) == 10).all() and (groups.sum(0) == found).all()


def test_calibration_by_hand():
    p = np.array([[0.95, 0.05], [0.85, 0.15], [0.45, 0.55], [0.4, 0.6]])
    found = virus.calibration(p, [0, 1, 1, 0], n_bins=2)  # all are surer than 0.5
    assert found.count.tolist() == [4] and found.accuracy.tolist() == [0.5]
    assert found.error == pytest.approx(p.max(1).mean() - 0.5)
    found = virus.calibration(p, [0, 1, 1, 0])  # bins of a tenth
    assert found.count.tolist() == [1, 1, 1, 1] and found.confidence.tolist() == [0.55, 0.6, 0.85, 0.95]
    assert found.error == pytest.approx((0.05 + 0.85 + 0.45 + 0.6) / 4)
    assert virus.calibration([[1.0, 0.0]], [0]).error == 0


@pytest.mark.parametrize("p", [[[2.0, 1.0], [0.5, 0.5]], [[0.5, 0.5]], [1.0, 1.0]])
def test_rows_that_are_not_probabilities_are_rejected(p):
    with pytest.raises(ValueError, match="p must have a row for each label, 2, that sums to 1, got shape"):
        virus.calibration(p, [0, 1])
