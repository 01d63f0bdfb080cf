"""Train any of our models: next tokens (CLM), hidden tokens and pairs of texts (MLM + NSP), translations, or your own.

A run can be killed at any moment and continues from its last checkpoint, with the same random numbers: on one CPU
thread, bit for bit as if it had never stopped. Sources: L 3.3.3; N 2; A 2.1.
"""

import json
import math
import shutil
import time
from dataclasses import asdict, dataclass

import torch
from safetensors import safe_open
from torch.nn import functional as F

from tutorial_lib.arguments import (
    as_ids,
    check_config,
    check_has,
    check_id_lists,
    check_path,
    check_sizes,
    positive,
    whole_number,
)
from tutorial_lib.atomic import clear_parts
from tutorial_lib.attention import padded
from tutorial_lib.training.pretraining import IGNORE, make_pair, mask_tokens
from tutorial_lib.weights import checkpoints

CHECKPOINT = "training.safetensors"  # weights, optimizer moments, random numbers, curve: all in one file
WARMUP = 50  # steps


@dataclass(frozen=True)
class Settings:
    """How to train. The learning rate, lr, rises over `warmup` steps and then falls along a cosine to a tenth.

    n_steps: in total, also after a resume. save_every, evaluate_every: in steps. patience: stop after this many
    evaluations without a new best; None: never. clip: the largest norm of the gradient.

    >>> Settings(n_steps=100).rate(0) < Settings(n_steps=100).rate(10)
    True
    """

    n_steps: int
    lr: float = 1e-3
    warmup: int = WARMUP
    weight_decay: float = 0.01
    clip: float = 1.0
    seed: int = 0
    save_every: int = 100
    evaluate_every: int = 100
    patience: int | None = None

    def __post_init__(self):
        check_config(self, from_0=("warmup", "seed"))
        most = max(self.n_steps, WARMUP)
        whole_number("warmup", self.warmup, 0, f"a number of steps, 0 to {most}", most)
        positive("lr", self.lr)
        positive("clip", self.clip)

    def rate(self, step):
        """Return the learning rate of a step, counted from 0."""
        if step < self.warmup:
            return self.lr * (step + 1) / self.warmup
        done = (step - self.warmup) / max(1, self.n_steps - self.warmup)
        return self.lr * (0.55 + 0.45 * math.cos(math.pi * min(done, 1)))


@dataclass(frozen=True)
class Progress:
    """A report after a step: the loss, and the seconds left at the current pace."""

    step: int
    n_steps: int
    loss: float
    seconds_left: float

    def __str__(self):
        left = f"{self.seconds_left / 60:.0f} min" if self.seconds_left >= 90 else f"{self.seconds_left:.0f} s"
        return f"step {self.step} of {self.n_steps}: loss {self.loss:.3f}, {left} left"


def train(model, loss, settings, folder=None, evaluate=None, tell=None, until=None):
    """Train the model in place.

    Args:
        loss: a function of the model and a `torch.Generator` that returns a loss, such as `next_tokens` makes; it draws
            its batch with the generator.
        folder: where the checkpoint is kept; an interrupted run continues from there.
        evaluate: a function of the model that returns a number, the smaller the better.
        tell: called with a `Progress` after each step.
        until: stop after this step, of the n_steps that the learning rate is planned for; with a folder, a later call
            continues.

    Returns:
        The curve: {"loss": [one per step], "evaluated": [[step, value], ...]}.

    Raises:
        OSError before the first step if the folder cannot be written or the disk has no room for checkpoints.
        ValueError if the folder belongs to another run.
        FloatingPointError if the loss or its gradient is not a number: the message names the step, and the last
            checkpoint stays.

    >>> from tutorial_lib.gpt import GPT, Config
    >>> gpt = GPT(Config(vocab_size=20, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8))
    >>> tokens = torch.arange(400) % 20  # each token tells the next
    >>> curve = train(gpt, next_tokens(tokens, context=8, batch_size=4), Settings(n_steps=120, lr=0.03, warmup=10))
    >>> curve["loss"][-1] < 1 < curve["loss"][0]
    True
    """
    check_has("model", model, "a model of torch", "parameters")
    check_has("loss", loss, "a function of a model and a generator", "__call__")
    check_has("settings", settings, "a Settings", "n_steps", "rate")
    for name, function in (("evaluate", evaluate), ("tell", tell)):
        check_has(name, print if function is None else function, "a function", "__call__")
    optimizer = torch.optim.AdamW(_groups(model, settings.weight_decay), lr=settings.lr, betas=(0.9, 0.95))
    generator = torch.Generator().manual_seed(settings.seed)  # on the CPU: the same batches on every device
    curve = {"loss": [], "evaluated": []}
    path = None if folder is None else check_path("folder", folder) / CHECKPOINT
    if until is not None:
        whole_number("until", until, 1, "a step, 1 or more, or None")
    if path is not None:
        clear_parts(path.parent)
        if path.exists():
            curve = _resume(path, model, optimizer, generator, settings)
        else:
            _check_room(path.parent, model)
            _save(path, model, optimizer, generator, curve, settings)
    model.train()
    start = time.monotonic()
    first = len(curve["loss"])
    last = min(settings.n_steps, until or settings.n_steps)
    saved = first
    ended = _should_stop(curve["evaluated"], settings.patience)
    for step in range(first, first if ended else last):
        try:
            value = _one_step(model, loss, optimizer, generator, settings, step)
        except FloatingPointError as error:
            where = f"; the checkpoint of step {saved} is in {folder}" if folder else ""
            raise FloatingPointError(f"{error}{where}") from None
        curve["loss"].append(value)
        done = step + 1
        if evaluate is not None and (done % settings.evaluate_every == 0 or done == settings.n_steps):
            model.eval()
            with torch.no_grad():
                curve["evaluated"].append([done, float(evaluate(model))])
            model.train()
            ended = _should_stop(curve["evaluated"], settings.patience)
        if tell is not None:
            pace = (time.monotonic() - start) / (done - first)
            tell(Progress(done, last, value, pace * (last - done)))
        if path is not None and (ended or done % settings.save_every == 0 or done == last):
            _save(path, model, optimizer, generator, curve, settings)
            saved = done
        if ended:
            break
    model.eval()
    return curve


def _one_step(model, loss, optimizer, generator, settings, step):
    """Move the parameters down the gradient once; return the loss before."""
    for group in optimizer.param_groups:
        group["lr"] = settings.rate(step)
    value = loss(model, generator)
    optimizer.zero_grad(set_to_none=True)
    value.backward()
    length = torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
    for what, number in (("the loss", value), ("the length of the gradient", length)):
        if not torch.isfinite(number):
            remedy = f"a smaller lr (it is {settings.rate(step):.2g}) or a longer warmup (it is {settings.warmup})"
            raise FloatingPointError(f"{what} is {number.item()} at step {step}. Try {remedy}")
    optimizer.step()
    return value.item()


def next_tokens(tokens, context, batch_size):
    """Return a loss for `train`: mean -log p of each next token, over random pieces of a long text (CLM).

    tokens: one long tensor of ids. context: how many tokens a piece gives to the model. Source: L 3.2.7.
    """
    tokens = _longer_than(context, tokens)

    def loss(model, generator):
        starts = torch.randint(len(tokens) - context, (batch_size,), generator=generator)
        pieces = tokens[starts[:, None] + torch.arange(context + 1)].to(next(model.parameters()).device)
        logits, _ = model(pieces[:, :-1], fused=True)  # (batch_size, context, vocab_size)
        return F.cross_entropy(logits.flatten(0, 1), pieces[:, 1:].flatten())

    return loss


def next_tokens_of(texts, batch_size):
    """Return a loss for `train`: mean -log p of each next token, over whole texts, each in its own row (CLM).

    So no text sees the end of another one. texts: lists of ids, each of two or more; one sign before each and one after
    it teach the model to begin and to end. Source: L 3.2.7.
    """
    ids, mask = padded(texts)

    def loss(model, generator):
        drawn = torch.randint(len(ids), (batch_size,), generator=generator)
        return _of_texts(model, ids[drawn], mask[drawn])

    return loss


def _of_texts(model, ids, mask, reduction="mean"):
    n = mask.sum(1).max()  # no wider than these need
    device = next(model.parameters()).device
    labels = ids[:, 1:n].where(mask[:, 1:n].bool(), IGNORE)
    logits, _ = model(ids[:, : n - 1].to(device), fused=True)  # padding comes at the end: no token sees it
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten().to(device), ignore_index=IGNORE, reduction=reduction)


def hidden_tokens(documents, tokenizer, length, batch_size, rate=0.15):
    """Return a loss for `train`: BERT's two tasks, hidden tokens (MLM) and pairs of texts (NSP), added. L 3.3.3.

    documents: lists of sentences, as for `pretraining.make_pair`. The model needs both heads.
    """

    def loss(model, generator):
        pairs = [make_pair(documents, generator) for _ in range(batch_size)]
        batch = tokenizer.batch([pair.first for pair in pairs], [pair.second for pair in pairs], max_length=length)
        inputs, labels = mask_tokens(batch.ids, tokenizer, generator, rate)
        device = next(model.parameters()).device
        X = model(inputs.to(device), batch.attention_mask, batch.token_type_ids, fused=True)
        chosen = labels != IGNORE
        truth = torch.tensor([pair.label for pair in pairs], device=device)
        hidden = F.cross_entropy(model.mlm(X[chosen]), labels[chosen].to(device), reduction="sum")
        hidden = hidden / chosen.sum().clamp(min=1)  # a small batch may hide nothing
        return hidden + F.cross_entropy(model.nsp(model.pooler(X)), truth)

    return loss


def translated(pairs, batch_size, start):
    """Return a loss for `train`: mean -log p of each target token, given its source and the earlier target tokens.

    The model sees the correct earlier tokens, not those that it would have written ("teacher forcing"), so that all of
    a target is learned at once. pairs: (source ids, target ids), any lengths; targets end with their own stop sign, and
    `start` is put before them. (The paper also smooths the labels; this does not.) Raises ValueError if there is no
    pair, or a pair has an empty text. Source: L 3.2.7.

    >>> from tutorial_lib.encoder_decoder import Config, EncoderDecoder
    >>> model = EncoderDecoder(Config(vocab_size=10, d_model=8, n_layers=1, n_heads=2, d_ff=16))
    >>> translated([([3, 4, 5], [6, 2]), ([7], [8, 9, 2])], batch_size=4, start=1)(model, torch.Generator()).shape
    torch.Size([])
    """
    check_has("pairs", pairs, "pairs of source and target, lists of ids", "__len__")
    check_sizes(batch_size=batch_size)
    whole_number("start", start, 0, "an id of the vocabulary")
    sources, source_mask = padded([source for source, _ in pairs])
    targets, target_mask = padded([target for _, target in pairs])
    inputs = torch.cat([torch.full((len(pairs), 1), start), targets[:, :-1]], 1)  # the token before each token
    labels = targets.where(target_mask.bool(), IGNORE)

    def loss(model, generator):
        drawn = torch.randint(len(pairs), (batch_size,), generator=generator)
        device = next(model.parameters()).device
        m = source_mask[drawn].sum(1).max()  # no wider than these need
        n = target_mask[drawn].sum(1).max()
        logits = model(sources[drawn, :m], inputs[drawn, :n], source_mask[drawn, :m], fused=True)
        return F.cross_entropy(logits.flatten(0, 1), labels[drawn, :n].flatten().to(device), ignore_index=IGNORE)

    return loss


@torch.no_grad()
def evaluate_next_tokens(model, tokens, context, batch_size=32):
    """Return mean -log p of each next token over a text, in whole consecutive pieces: a float, in nats.

    >>> from tutorial_lib.gpt import GPT, Config
    >>> gpt = GPT(Config(vocab_size=20, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8)).eval()
    >>> abs(evaluate_next_tokens(gpt, torch.arange(65) % 20, context=8) - math.log(20)) < 0.1  # it knows nothing yet
    True
    """
    check_has("model", model, "a model of torch", "parameters")
    check_sizes(context=context, batch_size=batch_size)
    tokens = _longer_than(context, tokens)
    n = (len(tokens) - 1) // context
    X, Y = (tokens[i : i + n * context].view(n, context) for i in (0, 1))
    total = 0.0
    device = next(model.parameters()).device
    for x, y in zip(X.split(batch_size), Y.split(batch_size), strict=True):
        logits, _ = model(x.to(device), fused=True)
        total += F.cross_entropy(logits.flatten(0, 1), y.flatten().to(device), reduction="sum").item()
    return total / (n * context)


@torch.no_grad()
def evaluate_next_tokens_of(model, texts, batch_size=32):
    """Return mean -log p of each next token over whole texts, lists of ids: a float, in nats; as in `next_tokens_of`.

    >>> from tutorial_lib.gpt import GPT, Config
    >>> gpt = GPT(Config(vocab_size=20, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8)).eval()
    >>> abs(evaluate_next_tokens_of(gpt, [[0, 5, 6, 0], [0, 7, 0]]) - math.log(20)) < 0.1  # it knows nothing yet
    True
    """
    check_has("model", model, "a model of torch", "parameters")
    check_id_lists("texts", texts)
    check_sizes(batch_size=batch_size)
    batches = (texts[i : i + batch_size] for i in range(0, len(texts), batch_size))
    total = sum(_of_texts(model, *padded(batch), reduction="sum").item() for batch in batches)
    return total / sum(len(text) - 1 for text in texts)


def _longer_than(context, tokens):
    tokens = as_ids("tokens", tokens, 2**31, "ids")[0]
    if len(tokens) <= context:
        raise ValueError(f"tokens must be more than context, {context}, got {len(tokens)}")
    return tokens


def _groups(model, weight_decay):
    """Group the parameters: matrices decay, biases and LayerNorm's scales do not."""
    decays = [p for p in model.parameters() if p.ndim >= 2]
    others = [p for p in model.parameters() if p.ndim < 2]
    return [{"params": decays, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


def _should_stop(evaluated, patience):
    values = [value for _, value in evaluated]
    return patience is not None and len(values) > patience and min(values[-patience:]) >= min(values[:-patience])


def _check_room(folder, model):
    """Check that the folder can be written, and has room for two checkpoints, the old one and the new one."""
    folder.mkdir(parents=True, exist_ok=True)
    needed = 2 * 3 * sum(p.numel() * p.element_size() for p in model.parameters())
    free = shutil.disk_usage(folder).free
    if free < needed:
        megabytes = f"{free / 1e6:.0f} MB; checkpoints of this model need {needed / 1e6:.0f} MB"
        raise OSError(f"{folder} has room for {megabytes}")


def _save(path, model, optimizer, generator, curve, settings):
    """Save all that a run needs to continue, in one file."""
    tensors = {f"model.{name}": p.detach().contiguous().clone() for name, p in model.named_parameters()}
    for name, p in model.named_parameters():
        for kind in ("exp_avg", "exp_avg_sq"):
            if p in optimizer.state:
                tensors[f"optimizer.{kind}.{name}"] = optimizer.state[p][kind].contiguous().clone()
    tensors["generator"] = generator.get_state()
    about = {"curve": json.dumps(curve), "settings": json.dumps(asdict(settings))}
    checkpoints.write(path, tensors, about)


def _resume(path, model, optimizer, generator, settings):
    """Put a checkpoint's run into model, optimizer and generator; return its curve so far."""
    with safe_open(path, "pt", device=str(next(model.parameters()).device)) as file:
        about = file.metadata()
        names = set(file.keys())
        before = Settings(**json.loads(about["settings"]))
        own = {f"model.{name}" for name, _ in model.named_parameters()}
        others = {name for name in asdict(settings) if name not in ("n_steps", "patience")}
        changed = [name for name in sorted(others) if getattr(before, name) != getattr(settings, name)]
        if own != {name for name in names if name.startswith("model.")} or changed:
            what = f"another {', '.join(changed)}" if changed else "another model"
            raise ValueError(f"{path} belongs to a run with {what}. Use another folder, or delete it")
        curve = json.loads(about["curve"])
        with torch.no_grad():
            for name, p in model.named_parameters():
                stored = file.get_tensor(f"model.{name}")
                if stored.shape != p.shape:
                    what = f"another model ({name} is {tuple(stored.shape)})"
                    raise ValueError(f"{path} belongs to a run with {what}. Use another folder, or delete it")
                p.copy_(stored)
                if f"optimizer.exp_avg.{name}" in names:
                    moments = {kind: file.get_tensor(f"optimizer.{kind}.{name}") for kind in ("exp_avg", "exp_avg_sq")}
                    optimizer.state[p] = {"step": torch.tensor(float(len(curve["loss"]))), **moments}
        generator.set_state(file.get_tensor("generator").cpu())
    return curve
