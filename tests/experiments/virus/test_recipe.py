"""book-virus is what its recipe makes, a run comes out the same twice, and the card says what was measured."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import tutorial_book
from tutorial_book.experiments.virus import (
    RECIPE,
    VIRUSES,
    Evolution,
    VariantBert,
    judge_virus,
    read_genomes,
    simulate,
    split_genomes,
    variant_loss,
)
from tutorial_book.experiments.virus.words import kmer_tokenizer
from tutorial_lib.bert import Config
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training import Settings, train
from tutorial_lib.weights import resolve, sha256
from tutorial_lib.weights.catalog import KNOWN

pytestmark = pytest.mark.usefixtures("one_thread")
MODELS = Path(tutorial_book.__file__).parent / "experiments" / "virus" / "models"
CLOSE = 0.02  # as for the other recipes: tests/training/test_recipes.py says why
TINY = replace(
    RECIPE,
    config=Config(4**6 + 5, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=64),
    settings=Settings(4, warmup=1, save_every=2, evaluate_every=2),
    evolution=Evolution(n_sites=200, sublineages=5, outbreaks=3, samples=3),
    batch_size=4,
)


@pytest.fixture(scope="module")
def split():
    return split_genomes(simulate().genomes)


@pytest.mark.parametrize("name", VIRUSES)
def test_the_recipe_makes_what_is_shipped(name, split):
    """Its first steps, trained again: the same losses."""
    recipe, stored = VIRUSES[name], json.loads((MODELS / name / "curves.json").read_text())
    assert recipe.evolution == Evolution() and len(stored["loss"]) == recipe.settings.n_steps
    loss = variant_loss(split.train, kmer_tokenizer(), 6, recipe.batch_size, recipe.n_frames, errors=recipe.errors)
    curve = train(recipe.new_model(), loss, recipe.settings, until=5)
    assert max(abs(a - b) for a, b in zip(curve["loss"], stored["loss"], strict=False)) < CLOSE


@pytest.mark.parametrize("name", VIRUSES)
def test_the_card_and_the_curve_are_those_of_the_shipped_weights(name, split):
    card, stored = (MODELS / name / "README.md").read_text(), json.loads((MODELS / name / "curves.json").read_text())
    assert KNOWN[name].sha256 in card and "**simulated**" in card
    tok = WordPiece.from_pretrained(name)
    assert tok.tokens == kmer_tokenizer().tokens and resolve(name) == MODELS / name
    few = split._replace(copies=split.copies[::6], outbreaks=split.outbreaks[::6], lineages=split.lineages[::6])
    found = judge_virus(VariantBert.from_pretrained(name, device="cpu"), tok, few)
    for kind, scores in stored["measured"].items():
        assert f"| {scores['accuracy']:.1%} | {scores['macro_f1']:.3f} |" in card
        assert found[kind]["accuracy"] == pytest.approx(scores["accuracy"], abs=0.1)


def test_made_twice_and_after_a_stop_it_is_the_same(tmp_path):
    def stop(progress):
        if progress.step == 3:
            raise KeyboardInterrupt

    first, second = (TINY.make("tiny", tmp_path / place) for place in "ab")
    with pytest.raises(KeyboardInterrupt):
        TINY.make("tiny", tmp_path / "c", stop)
    assert TINY.make("tiny", tmp_path / "c") == first == second
    a, b, c = (sha256(tmp_path / place / "tiny" / "model.safetensors") for place in "abc")
    assert a == b == c and a in (tmp_path / "a" / "tiny" / "README.md").read_text()
    assert replace(TINY, settings=replace(TINY.settings, seed=1)).make("tiny", tmp_path / "d") != first
    assert "train tiny --folder FOLDER --seed 1`" in (tmp_path / "d" / "tiny" / "README.md").read_text()


def test_another_tree_is_another_virus_and_the_card_says_so(tmp_path):
    about = replace(TINY, tree=3).make("tiny", tmp_path)
    assert about["loss"] != TINY.make("tiny", tmp_path / "first")["loss"]
    assert ", seed=3).genomes`" in (tmp_path / "tiny" / "README.md").read_text()


def test_what_is_read_is_drawn_by_the_seed_alone():
    genomes = simulate(TINY.evolution).genomes
    reads, labels = read_genomes(genomes, errors=0.01)
    assert reads == read_genomes(genomes, errors=0.01)[0] != read_genomes(genomes, seed=2, errors=0.01)[0]
    assert labels.tolist() == sorted(labels) and len(set(labels)) == 6
    reads, labels = read_genomes(genomes[-1:], variants=["Oak"], errors=0, ambiguous=0, gap=0)
    assert reads == [genomes[-1].sequence] and labels.tolist() == [0]


def test_a_variant_that_is_not_expected_is_named():
    with pytest.raises(ValueError, match=r"variants must hold those of all genomes, got \['Oak'\] without \['Ash'\]"):
        read_genomes(simulate(TINY.evolution).genomes[:1], variants=["Oak"])
