"""A trained RNN beside a decoder of its size: how far back each remembers a name. Source: L 3.1.

tools/measure_memory.py trains both on the same stories and writes what `recall` finds into stored/memory.json.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from tutorial_book import experiments
from tutorial_lib.texts.grammar import grammar
from tutorial_lib.tokenization.bpe import END

FILE = experiments.STORED / "memory.json"


class LSTM(nn.Module):
    """An RNN that decodes: two layers of LSTM, and the token table as the output's, too. Called as `GPT` is.

    hidden: what each layer's state holds; 82 makes it as large as a decoder of two layers and d_model 64. Source:
    Hochreiter and Schmidhuber 1997.

    >>> LSTM(30)([[5, 6, 7]])[0].shape
    torch.Size([1, 3, 30])
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
    """A name that a story tells for the second time: its place, and how many tokens before it the first time was.

    ids: the story's up to there, without the name itself. swapped: the same with another name, of the same gender and
    nowhere in the story, in the first place. name: the id of the right one.
    """

    ids: list[int]
    swapped: list[int]
    name: int
    distance: int


def second_mentions(told, tokenizer, seed=0) -> list[Case]:
    """A `Case` from each story that tells a name of one token twice, drawn by the seed. told: `Story` objects.

    One from each, so that cases are independent.

    >>> from tutorial_lib.texts.generated import stories
    >>> from tutorial_lib.tokenization import BPE
    >>> [case] = second_mentions(stories(1), BPE.from_pretrained("book-gpt"))
    >>> sum(a != b for a, b in zip(case.ids, case.swapped)), len(case.ids) - case.distance > 0
    (1, True)
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
    """How much each first mention tells of the second, in nats: log p(name) less log p(name | another name there).

    0: the model has forgotten which name it was.
    """
    gains = []
    for ids, swapped, name, _ in cases:
        logits, _ = model([ids, swapped], fused=True)  # (2, n, vocab_size)
        told, other = logits[:, -1].log_softmax(-1)[:, name].tolist()
        gains.append(told - other)
    return np.array(gains)


def stored() -> dict:
    """What tools/measure_memory.py stored: "kinds": kind -> "parameters", "steps", and a seed's "loss" and "gains".

    "gains": (mean, low, high) for each bin of "starts". "difference": the decoder's less the LSTM's, on the same cases.

    >>> list(stored()["kinds"])[:2]
    ['LSTM', 'decoder']
    """
    needed = {"date", "versions", "starts", "cases", "kinds", "difference", "stories"}
    return experiments.stored(FILE, needed, "tools/measure_memory.py")
