"""Tune a trained decoder to classify texts, with all of ULMFiT's methods or without them. Source: L 3.3.3.

ULMFiT trains in three phases: on general text, on texts of the target domain (here both are `training.train`), and
then, in this file, on labeled ones. It has three methods: rates that rise steeply and fall slowly and smaller rates for
lower layers, both in the second phase, too; and gradual unfreezing from the top, in the third. Its head also reads the
mean and the maximum of all states; ours only reads the last state. Howard and Ruder (2018).
"""

import random
import re
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from tutorial_lib.arguments import check_config, check_has, check_id_lists, check_seed, check_sizes, whole_number
from tutorial_lib.attention import padded
from tutorial_lib.texts.marked import sentences_of

HAPPY = frozenset("happy glad proud smile smiles smiled laugh laughs laughed joy".split())
SAD = frozenset("sad cry cries cried afraid angry sorry".split())
HELPERS = frozenset("be is are was were has have had".split())  # verbs that a dialect does not replace
N_BEFORE = 3  # sentences of a text to classify


@dataclass(frozen=True)
class Plan:
    """How to tune. lr: the highest rate, of the head. With the defaults, everything learns at one rate.

    head_alone: the trained model stays unchanged. slanted: the rate rises over a tenth of the steps and falls to 1/32,
    instead of staying constant. factor: how many times smaller a part's rate is than the one of the part above (ULMFiT:
    2.6). gradual: at first only the head learns, and the parts below join one by one, over the first half of the steps.

    >>> Plan(n_steps=100, slanted=True).rate(5) < Plan(n_steps=100, slanted=True).rate(10) == 0.003
    True
    """

    n_steps: int = 60
    lr: float = 3e-3
    head_alone: bool = False
    slanted: bool = False
    factor: float = 1.0
    gradual: bool = False

    def __post_init__(self):
        check_config(self)

    def rate(self, step):
        """Return the head's rate at a step, counted from 0. Source: Howard and Ruder (2018), equation 3."""
        if not self.slanted:
            return self.lr
        cut = max(1, self.n_steps // 10)
        p = step / cut if step < cut else 1 - (step - cut) / (self.n_steps - cut)
        return self.lr * (1 + p * 31) / 32

    def rates(self, step, n_parts):
        """Return the rate of each part, the head first; 0 for frozen parts."""
        each = max(1, self.n_steps // (2 * n_parts))
        joined = 1 if self.head_alone else 1 + step // each if self.gradual else n_parts
        return [self.rate(step) / self.factor**i if i < joined else 0.0 for i in range(n_parts)]


class Classifier(nn.Module):
    """A decoder with a new head on its state after each text's last token.

    >>> from tutorial_lib.gpt import GPT, Config
    >>> gpt = GPT(Config(vocab_size=20, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8))
    >>> Classifier(gpt, n_classes=2)([[5, 6, 7], [8]]).shape
    torch.Size([2, 2])
    """

    def __init__(self, body, n_classes):
        super().__init__()
        check_has("body", body, "a GPT", "config", "hidden")
        check_sizes(n_classes=n_classes)
        self.body = body
        self.head = nn.Linear(body.config.d_model, n_classes)

    def forward(self, texts):
        """Return scores (n_texts, n_classes) of texts, lists of ids."""
        ids, mask = padded(texts)
        X, _ = self.body.hidden(ids, fused=True)  # (n_texts, n, d_model); padding comes at the end: no token sees it
        return self.head(X[torch.arange(len(ids)), mask.sum(1) - 1])

    def parts(self):
        """Return lists of parameters from the top down: head with the last LayerNorm, layers, embeddings."""
        top = [*self.head.parameters(), *self.body.norm.parameters()]
        below = [*reversed(self.body.layer), self.body.embeddings]
        return [top, *(list(part.parameters()) for part in below)]


def tune(classifier, texts, labels, plan=Plan(), seed=0, batch_size=8):
    """Train a classifier in place on labeled texts, and return the losses, one per step.

    texts: lists of ids. labels: a class for each, 0, 1, ... Batches are drawn with the seed. Parameters that have not
    joined at the end stay frozen. Raises ValueError if there is no text, or not one label for each.

    >>> from tutorial_lib.gpt import GPT, Config
    >>> gpt = GPT(Config(vocab_size=20, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8))
    >>> losses = tune(Classifier(gpt, 2), [[5, 6], [7, 6]], [0, 1], Plan(n_steps=80))
    >>> losses[-1] < 0.1 < losses[0]
    True
    """
    check_has("classifier", classifier, "a Classifier", "parts")
    check_has("plan", plan, "a Plan", "n_steps", "rates")
    check_id_lists("texts", texts)
    check_has("labels", labels, "a number for each text", "__len__")
    seed = check_seed("seed", seed)
    batch_size = whole_number("batch_size", batch_size, 1, "a number of texts, 1 or more")
    if not len(texts):
        raise ValueError("texts must contain at least one text, got none")
    if len(texts) != len(labels):
        raise ValueError(f"labels must have one label per text, {len(texts)}, got {len(labels)}")
    parts = classifier.parts()
    labels = torch.as_tensor(labels)
    losses = []
    optimizer = torch.optim.Adam([{"params": part, "lr": 0.0} for part in parts])
    generator = torch.Generator().manual_seed(seed)
    for step in range(plan.n_steps):
        for group, rate in zip(optimizer.param_groups, plan.rates(step, len(parts)), strict=True):
            group["lr"] = rate
            for parameter in group["params"]:
                parameter.requires_grad_(rate > 0)
        drawn = torch.randint(len(texts), (batch_size,), generator=generator)
        loss = F.cross_entropy(classifier([texts[i] for i in drawn]), labels[drawn])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def accuracy(classifier, texts, labels):
    """Return the share of texts whose class has the highest score."""
    return (classifier(texts).argmax(1) == torch.as_tensor(labels)).float().mean().item()


def dialect(told, seed=0) -> dict[str, dict[str, str]]:
    """Return another word for each noun and each verb of stories: part of speech -> word -> word of the same kind.

    A story in these words has the same grammar, but nearly all its words have other meanings.

    >>> from tutorial_lib.texts.generated import stories
    >>> words = dialect(stories(50))
    >>> sorted(words["noun"]) == sorted(words["noun"].values()), words["noun"]["ball"] != "ball"
    (True, True)
    """
    check_has("told", told, "a list of stories", "__len__")
    rng = random.Random(seed)
    others = {}
    for pos in ("noun", "verb"):
        words = sorted({word.text for story in told for word in story.words if word.pos == pos} - HELPERS)
        others[pos] = dict(zip(words, rng.sample(words, len(words)), strict=True))
    return others


def retold(story, words) -> list[str]:
    """Return the sentences of a story in a dialect. words: the result of `dialect`; {}: unchanged.

    >>> from tutorial_lib.texts.generated import stories
    >>> story = stories(1)[0]
    >>> retold(story, {}) == story.sentences, retold(story, {"noun": {"puzzle": "lake"}})[1]
    (True, 'Tom had a lake.')
    """
    check_has("words", words, "a dictionary from names to words", "get")
    sentences = []
    for sentence in sentences_of(story):
        text = sentence.text
        for word in reversed(sentence.words):  # from the end: earlier words keep their positions
            new = words.get(word.pos, {}).get(word.text, word.text)
            text = text[: word.start] + new + text[word.start + len(word.text) :]
        sentences.append(text)
    return sentences


def feelings(told, words=None) -> tuple[list[str], list[int]]:
    """Return texts and labels: the next feeling, 0 happy or 1 sad, equally many of both.

    A text is the (up to three) sentences of a story before the first one that names a feeling, in the dialect `words`;
    the label is that feeling. Happy and sad ones alternate.

    >>> from tutorial_lib.texts.generated import stories
    >>> texts, labels = feelings(stories(50, seed=5))
    >>> texts[3].split(". ")[-1], labels[3]
    ('In the park he dropped the bat.', 1)
    """
    check_has("told", told, "a list of stories", "__len__")
    texts = [], []  # before a happy sentence, before a sad one
    for story in told:
        named = [_feeling(sentence) for sentence in story.sentences]
        at = next((i for i, feeling in enumerate(named) if feeling is not None), 0)
        if at > 1 and named[at] in (0, 1):
            texts[named[at]].append(" ".join(retold(story, words or {})[max(0, at - N_BEFORE) : at]))
    n = min(map(len, texts))
    return [text for pair in zip(*texts) for text in pair], [0, 1] * n


def _feeling(sentence):
    """Return 0 for happy, 1 for sad, 2 for both, None for neither."""
    words = set(re.findall("[a-z]+", sentence.lower()))
    kinds = [kind for kind, names in enumerate((HAPPY, SAD)) if words & names]
    return 2 if len(kinds) == 2 else kinds[0] if kinds else None
