"""Repeat a chapter's training or measurement with other seeds, for results too slow for its page: stored/CHAPTER.json.

    python -m tutorial_book measure seeds architectures       small translators, by position of LayerNorm, start and
    rate python -m tutorial_book measure seeds collections         other draws of the published texts, and all of them
    python -m tutorial_book measure seeds decoders            stories that book-gpt writes, by rule and temperature
    python -m tutorial_book measure seeds directions          small decoders without layers, and without LayerNorm
    python -m tutorial_book measure seeds shape-of-learning   four kinds of small models, measured while they learn
    python -m tutorial_book measure seeds since               small decoders that differ in one part python -m
    tutorial_book measure seeds sinks               small decoders with and without an alternative to attention

Some minutes each on one core. `TUTORIAL_LIB_TEXTS=FOLDER` says where the published texts are; otherwise they are
downloaded. The weights are not kept.
"""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import nn

from tutorial_book.experiments import shape_of_learning, since, sinks
from tutorial_book.experiments.collections import N_CHARACTERS, N_TEXTS, NAMES
from tutorial_book.experiments.decoders import judged, of_grammar, sampled
from tutorial_lib.encoder_decoder import Config, EncoderDecoder
from tutorial_lib.geometry import linear_accuracy, neighbor_purity
from tutorial_lib.gpt import GPT
from tutorial_lib.texts import load_texts
from tutorial_lib.texts.translations import START, STOP, translations, vocabulary
from tutorial_lib.tokenization import BPE
from tutorial_lib.training import Settings, next_tokens_of, train, translated
from tutorial_lib.training.recipes import HELD_OUT, RECIPES, rounded
from tutorial_lib.vectors import embed

# --- architectures --------------------------------------------------------------------------------------------------

PLACES = {"post-norm": False, "pre-norm": True}  # name -> norm_first
STARTS = {"with warmup": 50, "without warmup": 0}  # steps of warmup


def translator_loss(place, start, rate, seed) -> float:
    """Return the mean loss, in nats per token, of the last ten of 100 steps. seed: of initial weights and batches."""
    ids = vocabulary()
    pairs = [([ids[w] for w in p.source], [ids[w] for w in p.target] + [STOP]) for p in translations(5_000)]
    shape = Config(vocab_size=len(ids), d_model=64, n_layers=2, n_heads=2, d_ff=128, n_positions=16)
    torch.manual_seed(seed)
    model = EncoderDecoder(replace(shape, norm_first=PLACES[place]))
    losses = train(model, translated(pairs, 64, START), Settings(100, lr=rate, warmup=STARTS[start], seed=seed))["loss"]
    return round(float(np.mean(losses[-10:])), 4)


def architectures(rates=(0.003, 0.006, 0.01), seeds=range(5)) -> dict:
    """Return "place start" -> losses, by rate and seed."""
    losses = {
        f"{place} {start}": [[translator_loss(place, start, rate, seed) for seed in seeds] for rate in rates]
        for place in PLACES for start in STARTS
    }  # fmt: skip
    return {"rates": list(rates)} | losses


# --- collections ----------------------------------------------------------------------------------------------------


def collections(model=None, n_draws=10) -> dict:
    """Return measure -> (its value in each draw of as many texts as on the page, its value for all texts)."""
    texts = [[text[:N_CHARACTERS] for text in load_texts(name.lower())] for name in NAMES]
    of = np.repeat([0, 1], [*map(len, texts)])
    every, pooled = sum(texts, []), []
    for start in range(0, len(every), 500):  # the tokens of all would not fit into memory
        pooled += [(T[0], T.mean(0), len(T)) for T in embed(every[start : start + 500], model, pooling="tokens")]
    cls, mean, lengths = (np.array(part, dtype=float) for part in zip(*pooled, strict=True))
    draws = []
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        i = np.concatenate([rng.choice(np.flatnonzero(of == k), N_TEXTS, replace=False) for k in (0, 1)])
        draws.append(told_apart(cls[i], mean[i], lengths[i], of[i]))
    whole = told_apart(cls, mean, lengths, of)
    return {name: ([one[name] for one in draws], value) for name, value in whole.items()}


def told_apart(cls, mean, lengths, of):
    """Measure how well [CLS] vectors and means (n, d), and numbers of tokens (n,), separate the collections."""
    found = {"purity, [CLS]": neighbor_purity(cls, of), "purity, mean": neighbor_purity(mean, of),
             "purity by cosine, mean": neighbor_purity(mean, of, metric="cosine"),
             "accuracy, [CLS]": linear_accuracy(cls, of), "accuracy, mean": linear_accuracy(mean, of),
             "accuracy, length": linear_accuracy(lengths[:, None], of)}  # fmt: skip
    return {name: round(float(value), 4) for name, value in found.items()}


# --- decoders -------------------------------------------------------------------------------------------------------


@torch.no_grad()
def decoders(temperatures=(0.3, 0.7, 1.0, 1.5), seeds=range(10), n=30) -> dict:
    """Return rule -> the two shares of `judged`, of n stories, by temperature and seed."""
    model, tokenizer = GPT.from_pretrained("book-gpt", "cpu"), BPE.from_pretrained("book-gpt")

    def by_seed(shares):
        return [[round(share, 4) for share in shares(seed)] for seed in seeds]

    found = {
        name: [by_seed(lambda seed: sampled(model, tokenizer, n, temperature=T, seed=seed, **rule))  # noqa: B023
               for T in temperatures]
        for name, rule in {"all tokens": {}, "top-p 0.9": {"top_p": 0.9}}.items()
    }  # fmt: skip
    own = by_seed(lambda seed: judged(of_grammar(tokenizer, 5 + seed, n), tokenizer))
    return {"temperatures": list(temperatures)} | found | {"the grammar's own stories": [own] * len(temperatures)}


# --- directions -----------------------------------------------------------------------------------------------------

PLAN = Settings(150, lr=0.025, warmup=25)  # the page's, and so are the models
NORMS = {"with LayerNorm": None, "without the last": "the last", "without any": "any"}
TABLES = {"one table": True, "two tables": False}  # name -> tied


def small_decoder(vocab_size, seed, without=None, **changes) -> GPT:
    """Return the page's small decoder, from another seed."""
    torch.manual_seed(seed)
    shape = dict(vocab_size=vocab_size, d_model=32, d_ff=128, **changes)
    model = GPT(replace(RECIPES["book-gpt-small"].config, **shape))
    with torch.no_grad():
        for weight in [weight for weight in model.parameters() if weight.ndim == 2]:
            weight *= 3
    if without in ("the last", "any"):
        model.norm = nn.Identity()
    for layer in model.layer if without == "any" else []:
        layer.attention_norm = layer.norm = nn.Identity()
    return model


@torch.no_grad()
def with_confidence(model, texts) -> float:
    """Return the rank correlation of the last states' lengths, before the last LayerNorm, with the best probability."""
    name = f"layer.{model.config.n_layers - 1}.output"
    X = torch.cat([model.trace([text[:-1]])[name][0] for text in texts])
    sure = model.unembedding(model.norm(X)).softmax(-1).max(-1).values
    return round(float(spearmanr(X.norm(dim=1), sure)[0]), 4)


def directions(rates=(0.01, 0.025, 0.04), seeds=range(4), plan=PLAN) -> dict:
    """Return losses by seed (of `NORMS` by rate and seed), and "confidence": name -> `with_confidence` by seed."""
    ready = RECIPES["book-gpt-small"].prepare()
    loss, n = next_tokens_of(ready.text, batch_size=16), len(ready.tokenizer)

    def trained(model, seed, rate=plan.lr):
        train(model, loss, replace(plan, lr=rate, seed=seed))
        return model

    def cost(model):
        return round(float(ready.evaluate(model)), 4)

    def bare(seed, tied, positions):
        model = small_decoder(n, seed, n_layers=0, tied=tied)
        model.embeddings.positions.weight.requires_grad_(positions).detach().mul_(positions)
        return cost(trained(model, seed))

    found = {"rates": list(rates)} | {
        f"no layers, {name}{'' if positions else ', no positions'}": [bare(seed, tied, positions) for seed in seeds]
        for positions in (True, False) for name, tied in TABLES.items()
    }  # fmt: skip
    found["two tables"] = [cost(trained(small_decoder(n, seed, tied=False), seed)) for seed in seeds]
    found["confidence"] = {}
    for name, without in NORMS.items():
        models = [[trained(small_decoder(n, seed, without), seed, rate) for seed in seeds] for rate in rates]
        found[name] = [[cost(model) for model in row] for row in models]
        at_plan = models[rates.index(plan.lr)]
        found["confidence"][name] = [with_confidence(model, ready.held_out[:60]) for model in at_plan]
    return found


# --- models from several seeds ----------------------------------------------------------------------------------------


def trained_kinds(chapter, kinds=None, seeds=None, **until) -> dict:
    """Return kind -> name -> the result of each seed, by `follow` of a chapter's module."""
    found = {}
    for kind in kinds or chapter.KINDS:
        runs = []
        for seed in seeds or chapter.SEEDS:
            runs.append(chapter.follow(kind, seed, **until))
            print(f"{kind}, seed {seed}", flush=True)
        found[kind] = rounded(by_seed(runs))
    return found


def by_seed(runs):
    """Merge one record per seed, or step, into one: name -> each one's value.

    >>> by_seed([{"loss": 1.5, "of": {"a": [1]}}, {"loss": 2.5, "of": {"a": [2]}}])
    {'loss': [1.5, 2.5], 'of': {'a': [[1], [2]]}}
    """
    runs = [by_seed(run) if isinstance(run, list) and isinstance(run[0], dict) else run for run in runs]
    if isinstance(runs[0], dict):
        return {name: by_seed([run[name] for run in runs]) for name in runs[0]}
    return runs


def settings(chapter, names) -> dict:
    """Return all choices: these of a chapter's constants, and the settings of its training."""
    return {name: getattr(chapter, name) for name in names.split()} | {"training": asdict(chapter.SETTINGS)}


def of_learning(**some) -> dict:
    """Return "steps"; "counted", the loss that counting reaches; and "kinds"."""
    steps = [step for step in shape_of_learning.STEPS if step <= some.get("until", step)]
    counted = rounded(shape_of_learning.counted())
    return {"steps": steps, "counted": counted, "kinds": trained_kinds(shape_of_learning, **some)}


def of_parts(**some) -> dict:
    """Return "settings"; "parameters" by kind; and "kinds", the losses in nats."""
    names = "N_TOKENS N_LONG N_PLACES N_STORIES N_JUDGED BATCH VOCABULARY WIDTH N_LAYERS N_HEADS"
    parameters = {kind: since.n_parameters(since.new_model(kind, 0)) for kind in some.get("kinds", since.KINDS)}
    return {"settings": settings(since, names), "parameters": parameters, "kinds": trained_kinds(since, **some)}


def of_sinks(**some) -> dict:
    """Return "settings"; "floor", the lowest possible loss after letters that are not signals; and "kinds"."""
    names = "N_TOKENS FROM N_TEXTS N_JUDGED BATCH SIGNALS WIDTH N_LAYERS N_HEADS BITS LOWEST OTHERS"
    floor = rounded(sinks.floor(sinks.letters(HELD_OUT, sinks.N_JUDGED)))
    return {"settings": settings(sinks, names), "floor": floor, "kinds": trained_kinds(sinks, **some)}


def record(chapter) -> dict:
    """Return a chapter's measurement."""
    models = {"shape-of-learning": of_learning, "since": of_parts, "sinks": of_sinks}
    if chapter in models:
        return {chapter: models[chapter]()}
    measured = {one.__name__: one for one in (architectures, collections, decoders, directions)}
    return {chapter: {"measured": measured[chapter]()}}
