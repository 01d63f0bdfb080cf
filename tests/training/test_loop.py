"""Training learns, resumes bit for bit after a kill, and reports errors before it starts."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
import torch
from safetensors import SafetensorError

from tutorial_lib.bert import Bert, initialize
from tutorial_lib.bert import Config as BertConfig
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training import (
    CHECKPOINT,
    Progress,
    Settings,
    evaluate_next_tokens,
    evaluate_next_tokens_of,
    hidden_tokens,
    next_tokens,
    next_tokens_of,
    train,
)  # fmt: skip
from tutorial_lib.training.save import spelled
from tutorial_lib.weights import checkpoints

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = Config(vocab_size=20, d_model=16, n_layers=2, n_heads=2, d_ff=32, n_positions=8)
TOKENS = torch.arange(2000) * 7 % 20  # each token tells the next
RUN = """
import json, sys, torch
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.training import Settings, next_tokens, train
torch.set_num_threads(1)
torch.manual_seed(0)
gpt = GPT(Config(vocab_size=20, d_model=16, n_layers=2, n_heads=2, d_ff=32, n_positions=8))
loss = next_tokens(torch.arange(2000) * 7 % 20, context=8, batch_size=4)
print("ready", flush=True)
curve = train(gpt, loss, Settings(n_steps=200, save_every=10, warmup=5), sys.argv[1] or None)
print(json.dumps([curve["loss"], sum(p.double().sum().item() for p in gpt.parameters())]))
"""


def new(seed=0):
    torch.manual_seed(seed)
    return GPT(SMALL)


def loss():
    return next_tokens(TOKENS, context=8, batch_size=4)


def test_training_learns_a_repeating_sequence():
    gpt = new()
    before = evaluate_next_tokens(gpt, TOKENS, 8)
    curve = train(gpt, loss(), Settings(n_steps=250, lr=1e-2, warmup=20))
    assert abs(before - math.log(20)) < 0.1 and evaluate_next_tokens(gpt, TOKENS, 8) < 0.1
    assert len(curve["loss"]) == 250 and not gpt.training


def start(folder):
    return subprocess.Popen([sys.executable, "-c", RUN, folder], stdout=subprocess.PIPE, text=True)


def finish(run):
    told, _ = run.communicate(timeout=300)
    return json.loads(told.splitlines()[-1])


@pytest.mark.long
def test_killed_run_resumes_bit_for_bit(tmp_path):
    """Bit for bit: every loss, and the sum of all weights."""
    began = time.monotonic()
    curve = finish(start(""))
    took = time.monotonic() - began
    rng, kills, folder = random.Random(0), 0, tmp_path / "run"
    for _ in range(3):
        run = start(str(folder))
        run.stdout.readline()
        time.sleep(rng.uniform(0, took / 8))
        if run.poll() is None:
            run.send_signal(signal.SIGKILL)
            kills += 1
        run.communicate()
    assert kills >= 2 and finish(start(str(folder))) == curve
    assert os.listdir(folder) == [CHECKPOINT]


def loaded(seed=0):
    """From a checkpoint, whose matrices have another layout in memory."""
    settings, state = spelled(new(seed))
    return GPT.from_checkpoint(settings, state)


@pytest.mark.parametrize("new", [new, loaded])
def test_run_cut_off_by_exception_resumes_from_checkpoint(tmp_path, new):
    settings = Settings(n_steps=40, save_every=10, warmup=5)
    expected, gpt = train(new(), loss(), settings), new()

    def stop(progress):
        if progress.step == 27:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(gpt, loss(), settings, tmp_path, tell=stop)
    steps = []
    assert train(new(1), loss(), settings, tmp_path, tell=steps.append) == expected  # the weights are the checkpoint's
    assert steps[0].step == 21
    assert train(new(2), loss(), settings, tmp_path) == expected  # there is nothing left to do


def test_folder_of_another_run_is_rejected(tmp_path):
    train(new(), loss(), Settings(n_steps=5), tmp_path)
    with pytest.raises(ValueError, match="belongs to a run with another lr, seed. Use another folder"):
        train(new(), loss(), Settings(n_steps=5, lr=0.1, seed=3), tmp_path)
    wider = GPT(Config(vocab_size=20, d_model=24, n_layers=2, n_heads=2, d_ff=32, n_positions=8))
    with pytest.raises(ValueError, match="belongs to a run with another model"):
        train(wider, loss(), Settings(n_steps=5), tmp_path)
    assert len(train(new(), loss(), Settings(n_steps=9), tmp_path)["loss"]) == 9  # more steps are the same run


def test_nan_loss_stops_and_names_its_step(tmp_path):
    def broken(model, generator):
        value = loss()(model, generator)
        return value * float("nan") if torch.rand((), generator=generator) < 0.1 else value

    with pytest.raises(FloatingPointError, match=r"the loss is nan at step \d+. Try a smaller lr .*; the checkpoint"):
        train(new(), broken, Settings(n_steps=200), tmp_path)
    assert (tmp_path / CHECKPOINT).exists()


def test_nan_gradient_reaches_no_checkpoint(tmp_path):
    def broken(model, generator):
        value = loss()(model, generator)
        if len(steps) == 19:
            value = value + (model.norm.weight.sum() * 0).sqrt() * 0  # 0, but its gradient is not a number
        return value

    steps = []
    with pytest.raises(
        FloatingPointError, match="the length of the gradient is nan at step 19.*checkpoint of step 10 is"
    ):
        train(new(), broken, Settings(n_steps=40, save_every=10), tmp_path, tell=steps.append)
    steps.clear()
    gpt = new()
    train(gpt, loss(), Settings(n_steps=40, save_every=10), tmp_path)
    assert all(p.isfinite().all() for p in gpt.parameters())


def test_one_step_equals_adamw_with_a_clipped_gradient():
    settings = Settings(n_steps=100, lr=0.01, warmup=10, clip=0.1, weight_decay=0.5)
    ours, theirs = new(), new()
    generator = torch.Generator().manual_seed(settings.seed)
    matrices = [p for p in theirs.parameters() if p.ndim == 2]
    others = [p for p in theirs.parameters() if p.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.5}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=0.001, betas=(0.9, 0.95))  # a tenth, after one of ten steps
    (1000 * loss()(theirs, generator)).backward()
    gradients = torch.cat([p.grad.flatten() for p in theirs.parameters()])
    for p in theirs.parameters():
        p.grad *= 0.1 / (gradients.norm() + 1e-6)
    optimizer.step()

    def large(model, generator):
        return 1000 * loss()(model, generator)

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(ours, large, settings, tell=stop)
    for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(p, q, atol=1e-7)


def test_the_evaluation_is_the_mean_over_all_pieces():
    gpt, tokens = new().eval(), TOKENS[:100]
    pieces = torch.stack([tokens[i : i + 9] for i in range(0, 96, 8)])
    logits, _ = gpt(pieces[:, :-1])
    expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), pieces[:, 1:].flatten()).item()
    assert evaluate_next_tokens(gpt, tokens, 8, batch_size=5) == pytest.approx(expected, rel=1e-5)
    with pytest.raises(ValueError, match="tokens must be more than context"):
        evaluate_next_tokens(gpt, tokens[:8], 8)


def test_unusable_folder_is_an_error_before_first_step(tmp_path, monkeypatch):
    def never(model, generator):
        raise AssertionError("it trained")

    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        train(new(), never, Settings(n_steps=5), tmp_path / "file" / "folder")
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=4096))
    with pytest.raises(OSError, match="has room for 0 MB; checkpoints of this model need"):
        train(new(), never, Settings(n_steps=5), tmp_path / "full")


def test_full_disk_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    settings = Settings(n_steps=30, save_every=10)
    write, calls = checkpoints.save_file, []

    def full(tensors, path, about):
        calls.append(path)
        if len(calls) > 2:
            path.write_bytes(b"half")
            raise SafetensorError("No space left on device")  # it is no OSError
        write(tensors, path, about)

    monkeypatch.setattr(checkpoints, "save_file", full)
    with pytest.raises(OSError, match="No space left"):
        train(new(), loss(), settings, tmp_path)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == [CHECKPOINT]
    assert train(new(), loss(), settings, tmp_path)["loss"] == train(new(), loss(), settings)["loss"]


def test_no_new_best_for_a_while_ends_it(tmp_path):
    values = iter([3.0, 2.0, 2.5, 2.4, 1.0])
    settings = Settings(n_steps=100, evaluate_every=10, patience=2)
    gpt, again = new(), new(1)
    curve = train(gpt, loss(), settings, tmp_path, evaluate=lambda model: next(values))
    assert curve["evaluated"] == [[10, 3.0], [20, 2.0], [30, 2.5], [40, 2.4]] and len(curve["loss"]) == 40
    assert train(again, loss(), settings, tmp_path) == curve  # it stays ended, and its last weights are there
    assert all(torch.equal(p, q) for p, q in zip(gpt.parameters(), again.parameters(), strict=True))


def test_the_rate_rises_and_falls():
    settings = Settings(n_steps=100, lr=1.0, warmup=10)
    rates = [settings.rate(step) for step in range(100)]
    assert rates[:3] == [0.1, 0.2, 0.3] and max(rates) == rates[9] == 1.0
    assert all(a >= b for a, b in zip(rates[10:], rates[11:])) and 0.1 <= rates[-1] < 0.11


def test_progress_tells_the_time_left():
    assert str(Progress(5, 10, 1.23456, 12.4)) == "step 5 of 10: loss 1.235, 12 s left"
    assert str(Progress(5, 10, 1.2, 300)).endswith("5 min left")


def test_bert_learns_hidden_tokens_and_pairs():
    documents = [["red dog runs .", "the dog is red ."], ["blue cat sits .", "the cat is blue ."]] * 3
    vocabulary = WordPiece.train([" ".join(sentences) for sentences in documents], 60)
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(vocabulary), d_model=32, n_layers=2, n_heads=2, d_ff=64, n_positions=32)
    bert = initialize(Bert(config, mlm=True, nsp=True))
    curve = train(bert, hidden_tokens(documents, vocabulary, 32, 8, rate=0.3), Settings(n_steps=400, lr=3e-3))
    first, last = (sum(part) / 20 for part in (curve["loss"][:20], curve["loss"][-20:]))
    assert last < 0.6 * first
    pairs = vocabulary.batch(["red dog runs ."] * 2, ["the dog is red .", "the cat is blue ."])
    judged = bert.nsp(bert.pooler(bert(**pairs.inputs)))
    assert judged.argmax(-1).tolist() == [0, 1]  # it follows; it comes from elsewhere


def test_a_batch_that_hides_nothing_has_a_loss():
    documents = [["red dog runs .", "the dog is red ."], ["blue cat sits .", "the cat is blue ."]]
    vocabulary = WordPiece.train([" ".join(sentences) for sentences in documents], 60)
    bert = Bert(BertConfig(len(vocabulary), 16, 1, 2, 32, 32), mlm=True, nsp=True)
    value = hidden_tokens(documents, vocabulary, 32, 2, rate=0.0)(bert, torch.Generator())
    assert value.item() == pytest.approx(math.log(2), abs=0.1)  # that of the pairs alone


def test_a_text_shorter_than_the_context_is_rejected():
    with pytest.raises(ValueError, match="tokens must be more than context, 8, got 8"):
        next_tokens(torch.arange(8), 8, 2)


@pytest.mark.parametrize(
    "change",
    [{"n_steps": 0}, {"n_steps": 2.5}, {"save_every": 0}, {"lr": 0.0}, {"patience": 0}, {"clip": -1.0}, {"warmup": -1},
     {"warmup": 5000}, {"weight_decay": -1}, {"weight_decay": "no such"}, {"seed": None}, {"lr": float("nan")}],
)
def test_settings_are_checked(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        Settings(**{"n_steps": 5} | change)


def test_in_stages_it_is_the_same_run(tmp_path):
    """Stopped after some steps and continued: the learning rate follows the whole plan, not the stage."""
    whole, staged, settings = new(), new(), Settings(n_steps=30, warmup=5, save_every=7, evaluate_every=10, patience=3)
    curve = train(whole, loss(), settings, evaluate=lambda model: 0.0)
    for until in (1, 12, 30, 30):
        told = []
        part = train(staged, loss(), settings, tmp_path, lambda model: 0.0, told.append, until)
        assert len(part["loss"]) == until and all(progress.n_steps == until for progress in told)
    assert part == curve
    for p, q in zip(whole.parameters(), staged.parameters(), strict=True):
        assert torch.equal(p, q)
    with pytest.raises(ValueError, match="until must be a step"):
        train(staged, loss(), settings, until=0)


def test_whole_texts_are_learned_each_alone():
    """The loss is that of each text separately, however they are padded, and no padding counts."""
    gpt, texts = new(), [[0, 5, 6, 7, 0], [0, 9, 0], [0, 1, 2, 3, 4, 5, 6, 0]]
    each = [torch.nn.functional.cross_entropy(gpt([text[:-1]])[0][0], torch.tensor(text[1:])) for text in texts]
    lengths = torch.tensor([len(text) - 1.0 for text in texts])
    expected = (torch.stack(each) * lengths).sum() / lengths.sum()
    assert abs(evaluate_next_tokens_of(gpt, texts) - expected) < 1e-5
    alone = next_tokens_of([texts[1]], batch_size=3)(gpt, torch.Generator().manual_seed(0))
    assert abs(alone - each[1]) < 1e-5
    curve = train(new(), next_tokens_of(texts, batch_size=8), Settings(n_steps=150, lr=1e-2, warmup=10))
    assert curve["loss"][-1] < 0.5 < curve["loss"][0]
