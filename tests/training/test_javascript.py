"""Training in JavaScript (tutorial_lib/views/engine/train.js), run by Node: torch's gradients, steps and runs."""

import json
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from torch.nn import functional as F

from tests.programs import program
from tutorial_book.experiments.golden import STEPS, TINY, compare_golden, tiny, trace_of, write_golden
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.texts.generated import stories
from tutorial_lib.training import Settings, next_tokens, train
from tutorial_lib.training.recipes import spread
from tutorial_lib.views.engine import HERE, TRAINING

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")
# Plain JavaScript in 64 and 32 bits, and WebAssembly: how far a gradient may be off. Weights may be ten times as far: a
# step of AdamW is near lr * sign(gradient), and where a gradient is near 0, rounding decides its sign.
MACHINES = {"64": 1e-12, "32": 1e-5, "kernel": 1e-5}
ODD = Config(vocab_size=51, d_model=48, n_layers=2, n_heads=3, d_ff=100, n_positions=19)  # fits no block of the kernel
PAGE = Config(vocab_size=67, d_model=64, n_layers=2, n_heads=4, d_ff=256, n_positions=64)
SMALL = Config(vocab_size=7, d_model=16, n_layers=1, n_heads=2, d_ff=12, n_positions=5)


@pytest.fixture
def engine(tmp_path):
    """Call it with a task of engine.js, and weights in their precision, to get what it finds."""
    node = program("Node")

    def run(weights=None, **task):
        if weights:
            save_file(weights, tmp_path / "weights.safetensors")
        task |= {"sources": [str(path) for path in TRAINING], "kernel": str(HERE / "train.wasm")}
        (tmp_path / "task.json").write_text(json.dumps(task), encoding="utf-8")
        subprocess.run([node, Path(__file__).with_name("engine.js"), tmp_path], check=True)
        return load_file(tmp_path / "found.safetensors")

    return run


def weights_of(model, machine):
    """A model's parameters by name, in the precision of a machine."""
    return {name: p.detach().numpy().astype("f8" if machine == "64" else "f4") for name, p in model.named_parameters()}


def with_all_biases(config, seed=0):
    """A new model. Biases of 0 and factors of 1 would hide mistakes."""
    torch.manual_seed(seed)
    model = spread(GPT(config), 0.06)
    with torch.no_grad():
        for p in model.parameters():
            if p.ndim < 2:
                p += 0.1 * torch.randn_like(p)
    return model


def drawn(config, texts, steps):
    """Batches of random pieces of n_positions tokens, each with the tokens that come next."""
    generator = torch.Generator().manual_seed(1)
    pieces = torch.randint(config.vocab_size, (steps, texts, config.n_positions + 1), generator=generator)
    batches = [(piece[:, :-1].flatten().tolist(), piece[:, 1:].flatten().tolist()) for piece in pieces]
    return pieces, [{"ids": ids, "next": after, "texts": texts} for ids, after in batches]


def off(found, wanted, largest=0):
    """The largest difference, as a share of the largest number."""
    return np.abs(found - wanted).max() / (np.abs(wanted).max() or largest)


def trained(model, pieces, settings):
    """What torch makes of these pieces in 64 bits: the first gradients, the losses and the weights after the run."""
    model, left, gradients = model.double(), iter(pieces), {}

    def loss(model, generator):
        piece = next(left)
        logits, _ = model(piece[:, :-1])
        value = F.cross_entropy(logits.flatten(0, 1), piece[:, 1:].flatten())
        if not gradients:
            value.backward(retain_graph=True)
            gradients.update({name: p.grad.numpy().copy() for name, p in model.named_parameters()})
        return value

    losses = train(model, loss, settings)["loss"]
    return gradients, losses, weights_of(model, "64")


@pytest.mark.parametrize(
    "machine, config, texts, steps",
    [("64", ODD, 3, 5), ("32", ODD, 3, 5), ("kernel", ODD, 3, 50), ("kernel", PAGE, 16, 10)],
)
def test_gradients_and_steps_equal_torchs(machine, config, texts, steps, engine):
    """W_K.bias has gradient 0: what rounding makes of it, AdamW scales up, in torch as well. It changes no score."""
    model, settings = with_all_biases(config), Settings(steps, lr=3e-3, warmup=10)
    start = weights_of(model, machine)
    pieces, batches = drawn(config, texts, steps)
    gradients, losses, after = trained(model, pieces, settings)
    task = dict(machine=machine, kind="GPT", config=asdict(config), settings=asdict(settings), batches=batches)
    found = engine(start, do="train", steps=steps, **task)
    most, largest = MACHINES[machine], max(np.abs(g).max() for g in gradients.values())
    for name, gradient in gradients.items():
        if name.endswith("W_K.bias"):
            assert np.abs(found[f"gradient.{name}"]).max() < most * largest
        else:
            assert off(found[f"gradient.{name}"], gradient, largest) < most, name
            assert off(found[f"after.{name}"], after[name]) < 10 * most, name
    assert np.abs(found["loss"] - losses).max() < most


@pytest.mark.parametrize("machine, most", MACHINES.items())
@pytest.mark.parametrize("name", TINY)
def test_golden_traces_gradients_are_the_engines(name, machine, most, engine, tmp_path):
    """Also BERT's. The engine keeps no gradients of scores and weights: those are the trace's own."""
    write_golden(tmp_path, [name])
    golden, model = load_file(tmp_path / f"{name}.safetensors"), tiny(name)
    weights = {key: W for key, W in weights_of(model, machine).items() if not key.startswith("pooler")}

    def learn(texts):
        batches = []
        for text in texts:
            right = dict(text["targets"])
            after = [right.get(t, -1) for t in range(len(text["ids"]))]
            batches.append({"ids": text["ids"], "segments": text["segments"], "next": after, "texts": 1})
        shapes = [[key, *W.shape] for key, W in weights.items()]
        task = dict(machine=machine, kind=type(model).__name__, config=asdict(model.config), shapes=shapes)
        found = engine(weights, do="train", steps=2, settings=asdict(STEPS), batches=batches, **task)
        assert (found["gradient.embeddings.tokens"] != 0).any()  # stops, too
        for key, X in golden.items():
            key = key.removeprefix("learning/")
            if key.endswith((".scores", "attention.weights")):
                found[key] = X
            elif key in found and X.ndim == 3:  # the engine has heads side by side
                found[key] = found[key].reshape(X.shape[1], X.shape[0], -1).swapaxes(0, 1)
        return found

    run = lambda ids, segments: trace_of(model.double(), ids, segments)  # noqa: E731
    shares = compare_golden(tmp_path / f"{name}.json", run, learn)
    assert max(share for key, share in shares.items() if key.startswith("learning/after")) < 10 * most
    assert max(share for key, share in shares.items() if not key.startswith("learning/after")) < most


def test_every_gradient_is_the_losss_slope(engine):
    """By finite differences in 64 bits, weight by weight."""
    _, batches = drawn(SMALL, 2, 1)
    task = dict(machine="64", kind="GPT", config=asdict(SMALL), settings=asdict(Settings(1)), batches=batches, h=1e-5)
    found = engine(weights_of(with_all_biases(SMALL), "64"), do="differences", **task)
    gradients = {name: found[f"gradient.{name}"] for name in weights_of(GPT(SMALL), "64")}
    largest = max(np.abs(gradient).max() for gradient in gradients.values())
    assert max(np.abs(gradient - found[f"slope.{name}"]).max() for name, gradient in gradients.items()) < 1e-8 * largest


def written():
    """A text of the book in characters: their ids."""
    text = " ".join(story.text for story in stories(200))
    letters = sorted(set(text))
    return torch.tensor([letters.index(letter) for letter in text]), len(letters)


@pytest.mark.parametrize("steps", [20, pytest.param(1000, marks=pytest.mark.long)])
def test_seed_gives_the_run_of_train(steps, engine, seed=3):
    """The same first weights, the same batches, the same losses: to 1e-5 nats after 1,000 steps."""
    tokens, size = written()
    config = Config(vocab_size=size, d_model=64, n_layers=2, n_heads=4, d_ff=256, n_positions=64)
    settings = Settings(1000, lr=6e-3, seed=seed)
    torch.manual_seed(seed)
    model = spread(GPT(config), 0.06)
    task = dict(machine="kernel", kind="GPT", config=asdict(config), settings=asdict(settings), seed=seed, std=0.06)
    first = engine(do="weights", **task)
    assert all(off(first[name], W) < 1e-6 for name, W in weights_of(model, "32").items() if W.any())
    losses = train(model, next_tokens(tokens, 64, 16), settings, until=steps)["loss"]
    found = engine(do="train", steps=steps, tokens=tokens.tolist(), context=64, batch_size=16, **task)
    assert np.abs(found["loss"] - losses).max() < 1e-5 and losses[-1] < losses[0] - 0.3


@pytest.mark.parametrize(
    "machine, config, value, message",
    [
        ("32", SMALL, np.nan, "the loss is NaN at step 0: try a smaller learning rate"),
        ("kernel", SMALL, np.nan, "the loss is NaN at step 0: try a smaller learning rate"),
        ("kernel", replace(SMALL, n_heads=4), 0, "d_model / n_heads must be a multiple of 8, got 4."),
    ],
)
def test_run_that_cannot_go_on_says_why(machine, config, value, message, engine, capfd):
    weights = weights_of(with_all_biases(config), "32")
    weights["norm.bias"][3] = value
    _, batches = drawn(config, 2, 1)
    task = dict(machine=machine, kind="GPT", config=asdict(config), settings=asdict(Settings(1)), batches=batches)
    with pytest.raises(subprocess.CalledProcessError):
        engine(weights, do="train", steps=1, **task)
    assert message in capfd.readouterr().err
