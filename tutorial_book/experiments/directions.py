"""What small decoders cost without layers, with a second table, and without LayerNorm, by seed and by learning rate.

python -m tutorial_book.experiments.directions trains them, 56 times 150 steps, some minutes on one core, and writes the
losses into stored/directions.json. The weights are not kept. Sources: N 2, 3.2 and the comments.
"""

import json
from dataclasses import replace

import torch
from scipy.stats import spearmanr
from torch import nn

from tutorial_book import experiments
from tutorial_lib.gpt import GPT
from tutorial_lib.training import Settings, next_tokens_of, train
from tutorial_lib.training.recipes import RECIPES
from tutorial_lib.weights.files import write_text

FILE = experiments.STORED / "directions.json"
PLAN = Settings(150, lr=0.025, warmup=25)
RATES, SEEDS = (0.01, 0.025, 0.04), range(4)
NORMS = {"with LayerNorm": None, "without the last": "the last", "without any": "any"}
TABLES = {"one table": True, "two tables": False}  # name -> tied


def small_decoder(vocab_size, seed=0, without=None, **changes) -> GPT:
    """A small decoder with random weights. without: "the last" LayerNorm, or "any". changes: of its `Config`.

    >>> sum(p.numel() for p in small_decoder(100, n_layers=0, tied=False).parameters())
    10560
    """
    torch.manual_seed(seed)
    shape = dict(vocab_size=vocab_size, d_model=32, d_ff=128, **changes)
    model = GPT(replace(RECIPES["book-gpt-small"].config, **shape))
    with torch.no_grad():
        for weight in [weight for weight in model.parameters() if weight.ndim == 2]:
            weight *= 3  # narrow models learn sooner
    if without in ("the last", "any"):
        model.norm = nn.Identity()
    for layer in model.layer if without == "any" else []:
        layer.attention_norm = layer.norm = nn.Identity()
    return model


@torch.no_grad()
def last_states(model, texts) -> tuple:
    """The states after the last layer (n, d_model), and the tokens that follow."""
    name = f"layer.{model.config.n_layers - 1}.output"
    states = [model.trace([text[:-1]])[name][0] for text in texts]
    return torch.cat(states), torch.tensor(sum([text[1:] for text in texts], []))


@torch.no_grad()
def with_confidence(model, texts) -> float:
    """The rank correlation of the last states' lengths, before the last LayerNorm, with the best probability."""
    X, _ = last_states(model, texts)
    return float(spearmanr(X.norm(dim=1), model.unembedding(model.norm(X)).softmax(-1).max(-1).values)[0])


def measure(seeds=SEEDS, rates=RATES, plan=PLAN) -> dict:
    """What `stored` gives, measured."""
    ready = RECIPES["book-gpt-small"].prepare()
    loss, n = next_tokens_of(ready.text, batch_size=16), len(ready.tokenizer)

    def trained(model, seed, rate=plan.lr):
        with torch.enable_grad():
            train(model, loss, replace(plan, lr=rate, seed=seed))
        return model

    def cost(model):
        return round(float(ready.evaluate(model)), 4)

    def bare(seed, tied, positions):
        model = small_decoder(n, seed, n_layers=0, tied=tied)
        model.embeddings.positions.weight.requires_grad_(positions).detach().mul_(positions)
        return cost(trained(model, seed))

    found = {
        f"no layers, {name}{'' if positions else ', no positions'}": [bare(seed, tied, positions) for seed in seeds]
        for positions in (True, False) for name, tied in TABLES.items()
    }  # fmt: skip
    found["two tables"] = [cost(trained(small_decoder(n, seed, tied=False), seed)) for seed in seeds]
    found["confidence"] = {}
    for name, without in NORMS.items():
        models = [[trained(small_decoder(n, seed, without), seed, rate) for seed in seeds] for rate in rates]
        found[name] = [[cost(model) for model in row] for row in models]
        own = models[rates.index(plan.lr)]
        found["confidence"][name] = [round(with_confidence(model, ready.held_out[:60]), 4) for model in own]
    return found


def stored() -> dict:
    """The losses of `NORMS`, by rate and seed; of "two tables" and of models without layers, by seed; and "confidence",
    name -> `with_confidence` by seed. Raises ValueError where the file is damaged.

    >>> len(stored()["without any"]), len(stored()["two tables"])
    (3, 4)
    """
    return experiments.stored(FILE, ["two tables", "confidence", *NORMS], f"python -m {__name__}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    write_text(FILE, json.dumps(measure(), indent=1) + "\n")
