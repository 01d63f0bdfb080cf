"""The shipped models are what their recipes make, a run is reproducible, and errors are reported early."""

import functools
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import tutorial_lib
from tutorial_lib import gpt as decoders
from tutorial_lib.bert import Bert
from tutorial_lib.gpt import GPT
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.tokenization.bpe import BPE
from tutorial_lib.training import Settings, train
from tutorial_lib.training.judge import judge_encoder
from tutorial_lib.training.pretraining import guesses
from tutorial_lib.training.recipes import RECIPES, parts_of
from tutorial_lib.weights import resolve, sha256
from tutorial_lib.weights.catalog import KNOWN

pytestmark = pytest.mark.usefixtures("one_thread")
MODELS = Path(tutorial_lib.__file__).parent / "weights" / "models"
SHIPPED = [name for name, model in KNOWN.items() if model.package == "tutorial_lib"]
N_FIRST = 21  # steps of the real recipes that are trained again here: one more than the first checkpoint's
# A step moves each weight by about the learning rate whatever the gradient's size, so another order of the same sums
# (another processor, another torch) shows in the third digit of the loss after 20 steps; another recipe in the first.
CLOSE = 0.02
TINY = replace(
    RECIPES["book-gpt-small"],
    config=decoders.Config(1500, d_model=16, n_layers=1, n_heads=2, d_ff=32, n_positions=128),
    settings=Settings(6, lr=3e-3, warmup=2, save_every=4, evaluate_every=3),
    n_stories=60,
    kept=(2, 4),
)
TINY_BERT = replace(RECIPES["book-bert"], settings=TINY.settings, n_stories=60, batch_size=2, kept=(2,))


def curves(name):
    return json.loads((MODELS / name / "curves.json").read_text())


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Few stories to judge by, for tests that make a model."""
    monkeypatch.setattr("tutorial_lib.training.recipes.N_HELD_OUT", 4)
    monkeypatch.setattr("tutorial_lib.training.judge.N_SAMPLES", 4)


def test_the_shipped_models_are_all_there_and_small():
    assert {folder.name for folder in MODELS.iterdir()} == set(SHIPPED)
    made = [f"{name}-{step}" for name in ("book-gpt", "book-bert") for step in RECIPES[name].kept]
    assert set(SHIPPED) == {"book-gpt", "book-bert", *made}
    assert sum(file.stat().st_size for file in MODELS.rglob("*")) < 25e6


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_model_loads_and_matches_its_card(name, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    model = GPT.from_pretrained(name) if "gpt" in name else Bert.from_pretrained(name)
    tokenizer = (BPE if "gpt" in name else WordPiece).from_pretrained(name)
    assert len(tokenizer) == model.config.vocab_size and next(model.parameters()).dtype == torch.float32
    file = resolve(name) / "model.safetensors"
    assert sha256(file) == KNOWN[name].sha256 and file.stat().st_size == KNOWN[name].size
    card = MODELS / name / "README.md"  # one for all weights of a run
    card = card if card.exists() else MODELS / "-".join(name.split("-")[:2]) / "README.md"
    assert f"| {name} | `{KNOWN[name].sha256}` |" in card.read_text()


@pytest.fixture(scope="module")
def told_once():
    """Both recipes read the same 20,000 stories, which take nine seconds to generate."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tutorial_lib.training.recipes.stories", functools.cache(stories))
        yield


@pytest.mark.long
@pytest.mark.parametrize("name", ["book-gpt", "book-bert"])
def test_the_recipe_makes_what_is_shipped(name, told_once):
    """Its first steps, trained again: the same losses, and of the decoder the weights that were kept after 20 steps."""
    recipe, stored = RECIPES[name], curves(name)
    assert len(stored["loss"]) == recipe.settings.n_steps
    ready = recipe.prepare()
    kept = {}

    def keep(progress):
        if progress.step == 20:
            kept.update({name: p.detach().clone() for name, p in ready.model.named_parameters()})

    curve = train(ready.model, ready.loss, recipe.settings, tell=keep, until=N_FIRST)
    assert max(abs(a - b) for a, b in zip(curve["loss"], stored["loss"], strict=False)) < CLOSE
    if 20 in recipe.kept:
        shipped = {one: p.detach() for one, p in GPT.from_pretrained(f"{name}-20", device="cpu").named_parameters()}
        far = max(float((shipped[one] - kept[one]).norm() / kept[one].norm()) for one in kept if kept[one].ndim == 2)
        assert far < CLOSE


def test_the_stored_curves_fall_below_what_counting_reaches():
    decoder, encoder = curves("book-gpt"), curves("book-bert")
    assert decoder["held_out"] < decoder["bigram"] < decoder["unigram"] < decoder["loss"][0]
    assert abs(decoder["loss"][0] - math.log(1499)) < 0.3  # it begins with no idea
    assert abs(decoder["held_out"] - decoder["evaluated"][-1][1]) < 0.01  # rounding to float16 costs next to nothing
    assert all(encoder[kind]["hidden_right"] > 0.5 and encoder[kind]["pair_right"] > 0.7 for kind in ("short", "whole"))


def test_the_encoder_fills_gaps_and_judges_pairs():
    """As in the chapter on BERT; shares of 100 stories, so two standard errors are 8 %."""
    bert, tok = Bert.from_pretrained("book-bert", device="cpu"), WordPiece.from_pretrained("book-bert")
    for text, best in {
        "They [MASK] tired.": "were",
        "They were tired and went to [MASK].": "bed",
        "Mia was [MASK] because her ball was gone.": "sad",
        "Mia had a red ball. She lost [MASK] in the park.": "it",
    }.items():
        assert guesses(bert, tok, text, k=1)[0][0][0] == best
    for documents in parts_of(stories(100, seed=1)):
        found = judge_encoder(bert, tok, documents[:: len(documents) // 100])
        assert found["hidden_right"] == pytest.approx(0.62, abs=0.08)
        assert found["pair_right"] == pytest.approx(0.76, abs=0.09)


@pytest.mark.parametrize("recipe", [TINY, TINY_BERT], ids=["decoder", "encoder"])
def test_made_twice_it_is_the_same(tmp_path, recipe):
    first, second = (recipe.make("tiny", tmp_path / place) for place in ("a", "b"))
    assert first == second
    for step in ("", *(f"-{step}" for step in recipe.kept)):
        one, other = (tmp_path / place / f"tiny{step}" / "model.safetensors" for place in ("a", "b"))
        assert one.read_bytes() == other.read_bytes()
    card = (tmp_path / "a" / "tiny" / "README.md").read_text()
    assert f"{recipe.n_stories}, seed=0" in card and sha256(tmp_path / "a" / "tiny" / "model.safetensors") in card


@pytest.fixture(scope="module")
def whole(tmp_path_factory, one_thread_for_a_file):
    """A tiny model made in one go: the folder, and its curves."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tutorial_lib.training.recipes.N_HELD_OUT", 4)
        patch.setattr("tutorial_lib.training.judge.N_SAMPLES", 4)
        return folder, TINY.make("tiny", folder)


@pytest.mark.parametrize("at", range(1, 7))
def test_stopped_run_made_again_gives_the_same_files(tmp_path, whole, at):
    """Every intermediate checkpoint is written, also if the run ends between two of its own."""

    def stop(progress):
        if progress.step == at:
            raise KeyboardInterrupt

    folder, about = whole
    with pytest.raises(KeyboardInterrupt):
        TINY.make("tiny", tmp_path, stop)
    with pytest.raises(ValueError, match="tiny-run belongs to another recipe"):
        replace(TINY, batch_size=8).make("tiny", tmp_path)
    assert TINY.make("tiny", tmp_path) == about
    for name in ("tiny", "tiny-2", "tiny-4"):
        one, other = (place / name / "model.safetensors" for place in (folder, tmp_path))
        assert one.read_bytes() == other.read_bytes()
    assert "Shares of 4 stories" in (folder / "tiny" / "README.md").read_text()


def test_unusable_folder_is_rejected_before_writing_stories(tmp_path, monkeypatch):
    monkeypatch.setattr("tutorial_lib.training.recipes.stories", lambda *_, **__: pytest.fail("told stories"))
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        RECIPES["book-gpt"].make("book-gpt", tmp_path / "file")


def test_a_full_disk_is_said_before_training(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("", (), {"free": 1000}))
    with pytest.raises(OSError, match="has room for 0 MB"):
        TINY.make("tiny", tmp_path, lambda _: pytest.fail("trained"))
