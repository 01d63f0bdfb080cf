"""Train an LSTM and a decoder of its size on the same stories, and store how much they remember: stored/memory.json.

    python -m tutorial_book measure memory        a quarter of an hour on one core

The chapter on positions shows these numbers; the weights are not kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from tutorial_book.stored_numbers.pruning import with_interval
from tutorial_lib.gpt import GPT
from tutorial_lib.texts.generated import stories
from tutorial_lib.texts.grammar import grammar
from tutorial_lib.tokenization import BPE
from tutorial_lib.tokenization.bpe import END
from tutorial_lib.training import Settings, evaluate_next_tokens_of, next_tokens_of, train
from tutorial_lib.training.recipes import HELD_OUT, N_HELD_OUT, RECIPES, spread

SETTINGS = Settings(1_000, lr=8e-3, warmup=50)
KINDS = {  # so that a poor rate or too few steps are not mistaken for a poor memory
    "LSTM": SETTINGS,
    "decoder": SETTINGS,
    "LSTM, a higher rate": replace(SETTINGS, lr=2e-2),
    "LSTM, four times as long": replace(SETTINGS, n_steps=4 * SETTINGS.n_steps),
}
SEEDS = (0, 1)
N_STORIES, N_CASES, BATCH = 8_000, 1_500, 24  # to train on; to judge; in a step
DISTANCES = (1, 9, 17, 25, 33, 41)  # where the bins of tokens begin; the last is open


def record(*, n_stories=N_STORIES, n_cases=N_CASES, kinds=KINDS) -> dict:
    """Return the losses of each kind, and its gain from a name's first mention."""
    tokenizer = BPE.from_pretrained("book-gpt")
    read, others = (
        [tokenizer.encode(END + story.text + END).ids for story in stories(n, seed)]
        for n, seed in ((n_stories, 0), (min(n_cases, N_HELD_OUT), HELD_OUT))
    )
    cases = second_mentions(stories(n_cases, HELD_OUT), tokenizer)
    distances = [case.distance for case in cases]
    measured, gains = {}, {}
    for kind, settings in kinds.items():
        measured[kind] = {"steps": settings.n_steps, "rate": settings.lr, "loss": [], "gains": []}
        gains[kind] = []
        for seed in SEEDS:
            model = trained(kind, replace(settings, seed=seed), read, len(tokenizer))
            found = recall(model, cases)
            gains[kind].append(found)
            measured[kind]["parameters"] = sum(weights.numel() for weights in model.parameters())
            measured[kind]["loss"].append(round(evaluate_next_tokens_of(model, others), 4))
            measured[kind]["gains"].append(by_distance(found, distances))
            print(kind, seed, measured[kind]["loss"][-1], measured[kind]["gains"][-1], flush=True)
    apart = np.mean(gains["decoder"], 0) - np.mean(gains["LSTM"], 0)
    found = {
        "stories": n_stories,
        "starts": list(DISTANCES),
        "cases": np.bincount(np.digitize(distances, DISTANCES) - 1, minlength=len(DISTANCES)).tolist(),
        "kinds": measured,
        "difference": by_distance(apart, distances),
    }
    return {"memory": found}


class LSTM(nn.Module):
    """An RNN that decodes: two layers of LSTM, and the token table also as the output's. Called as `GPT` is.

    hidden: the size of each layer's state; 82 makes it as large as a decoder of two layers and d_model 64. Source:
    Hochreiter and Schmidhuber 1997.
    """

    def __init__(self, vocab_size, d_model=64, hidden=82, n_layers=2):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.lstm = nn.LSTM(d_model, hidden, n_layers, batch_first=True)
        self.output = nn.Linear(hidden, d_model)
        nn.init.normal_(self.tokens.weight, std=d_model**-0.5)

    def forward(self, ids, fused=True):
        X, _ = self.lstm(self.tokens(torch.as_tensor(ids)))  # (n_texts, n, hidden)
        return self.output(X) @ self.tokens.weight.T, None  # (n_texts, n, vocab_size)


class Case(NamedTuple):
    """A name that a story mentions for the second time: its position, and the distance to the first in tokens.

    ids: the story up to there, without the name itself. swapped: the same with another name in the first place, of the
    same gender and not in the story. name: the id of the right one.
    """

    ids: list[int]
    swapped: list[int]
    name: int
    distance: int


def second_mentions(told, tokenizer, seed=0) -> list[Case]:
    """Return a `Case` from each story that mentions a one-token name twice, drawn with the seed. told: `Story` objects.

    One from each, so that cases are independent.
    """
    rng = np.random.default_rng(seed)
    kinds = {key: noun.kind for key, noun in grammar().nouns.items() if noun.kind in ("girl", "boy")}
    cases = []
    for story in told:
        encoding = tokenizer.encode(END + story.text)
        words = story.word_of(encoding.tokens)
        mentions = {}
        for place, word in enumerate(words):
            if word is not None and story.words[word].pos == "name":
                mentions.setdefault(story.words[word].text, []).append(place)
        found = []
        for name, (first, *again) in mentions.items():
            space = encoding.tokens[first].removesuffix(name)
            others = [key for key, kind in kinds.items() if kind == kinds[name] and key not in mentions]
            other = tokenizer.vocab.get(space + str(rng.choice(others)))
            if again and other is not None:
                ids = encoding.ids[: again[0]]
                swapped = [*ids[:first], other, *ids[first + 1 :]]
                found.append(Case(ids, swapped, encoding.ids[again[0]], again[0] - first))
        if found:
            cases.append(found[rng.integers(len(found))])
    return cases


@torch.no_grad()
def recall(model, cases) -> np.ndarray:
    """Return the gain from each first mention, in nats: log p(name) minus log p(name | another name there).

    0: the model has forgotten which name it was.
    """
    gains = []
    for ids, swapped, name, _ in cases:
        logits, _ = model([ids, swapped], fused=True)  # (2, n, vocab_size)
        told, other = logits[:, -1].log_softmax(-1)[:, name].tolist()
        gains.append(told - other)
    return np.array(gains)


def by_distance(gains, distances):
    """Return the mean of each bin of `DISTANCES`, with a 95 % interval: (mean, low, high) for each."""
    bins = np.digitize(distances, DISTANCES) - 1
    return [with_interval(np.asarray(gains)[bins == one]) for one in range(len(DISTANCES))]


def trained(kind, settings, read, vocab_size):
    """Return a decoder or an LSTM, trained on stories: lists of ids. With one seed, both get the same batches."""
    torch.manual_seed(settings.seed)
    shape = replace(RECIPES["book-gpt-small"].config, vocab_size=vocab_size)
    model = spread(GPT(shape), RECIPES["book-gpt-small"].std) if kind == "decoder" else LSTM(vocab_size)
    train(model, next_tokens_of(read, BATCH), settings, tell=tell)
    return model


def tell(progress):
    if progress.step % 100 == 0:
        print(progress, flush=True)
