"""Set the smallest weights of book-bert and of the default model to 0, and store the cost: stored/pruning.json.

    python -m tutorial_book measure pruning        some four minutes on one core

The chapter on open questions compares these numbers with those for equally many random weights.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional as F

from tutorial_book.experiments.questions import prune
from tutorial_lib.attention import padded
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import bootstrap_interval, cosine_matrix
from tutorial_lib.texts import load_texts
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training.judge import HIDDEN, baselines
from tutorial_lib.training.pretraining import IGNORE, mask_tokens
from tutorial_lib.training.recipes import HELD_OUT, N_HELD_OUT
from tutorial_lib.vectors import embed

SHARES = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
HOW = {"the smallest": None, "at random, seed 0": 0, "at random, seed 1": 1}


def record(*, shares=SHARES, n_texts=60, n_stories=N_HELD_OUT) -> dict:
    """Return `curves` of book-bert's loss, and of the nearest neighbors by the default model."""
    bert, own = Bert.from_pretrained(device="cpu"), Bert.from_pretrained("book-bert", device="cpu")
    tokenizer, words = WordPiece.from_pretrained(), WordPiece.from_pretrained("book-bert")
    texts = load_texts("encyclopedia")[:n_texts] + load_texts("posts")[:n_texts]
    told = [story.text for story in stories(n_stories, seed=HELD_OUT)]
    exact = embed(texts, bert, tokenizer=tokenizer)
    samples = ((2_000, 0), (n_stories, HELD_OUT))  # how many, and the seed
    read = [[words.encode(story.text).ids for story in stories(n, seed)] for n, seed in samples]

    def neighbors(share, seed):
        return same_neighbors(embed(texts, prune(bert, share, seed), tokenizer=tokenizer), exact)

    found = {
        "shares": list(shares),
        "texts": {"loss": len(told), "neighbors": len(texts)},
        "unigram": round(baselines(*read, len(words))["unigram"], 4),
        "loss": curves(lambda share, seed: hidden_losses(prune(own, share, seed), words, told), shares),
        "neighbors": curves(neighbors, shares),
    }
    return {"pruning": found}


def curves(measure, shares) -> dict:
    """Return "curves", how -> [mean, low, high] per share, and "difference", the smallest minus the random ones."""
    found = {how: [measure(share, seed) for share in shares] for how, seed in HOW.items()}
    smallest, *by_lot = found.values()
    apart = [one - sum(others) / len(others) for one, *others in zip(smallest, *by_lot, strict=True)]
    kept = {how: [with_interval(values) for values in one] for how, one in found.items()}
    return {"curves": kept, "difference": [with_interval(values) for values in apart]}


def with_interval(values) -> list[float]:
    """Return the mean of some values, and its 95 % interval, to four places."""
    return [round(float(one), 4) for one in (np.mean(values), *bootstrap_interval(np.mean, values))]


@torch.no_grad()
def hidden_losses(bert, tokenizer, texts, seeds=(0, 1)) -> np.ndarray:
    """Return mean -log p of each text's hidden tokens, in nats: (n_texts,), averaged over seeds.

    bert: with an MLM head. Every model is evaluated on the same hidden tokens.
    """
    ids, mask = padded([tokenizer.encode(text).ids for text in texts])
    losses, n = torch.zeros(len(texts)), torch.zeros(len(texts))
    for seed in seeds:
        inputs, labels = mask_tokens(ids, tokenizer, torch.Generator().manual_seed(seed), HIDDEN)
        labels = labels.where(mask.bool(), IGNORE)
        logits = bert.mlm(bert(inputs, mask, fused=True))  # (n_texts, n, vocab_size)
        losses += F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORE, reduction="none").sum(1)
        n += (labels != IGNORE).sum(1)
    return (losses / n).numpy()


def same_neighbors(X, exact, k=10) -> np.ndarray:
    """Return which share of each vector's k nearest, by cosine, is the same in both clouds: (n_vectors,)."""
    nearest = []
    for cloud in (X, exact):
        C = cosine_matrix(cloud)
        np.fill_diagonal(C, -2)
        nearest.append(C.argsort(axis=1)[:, -k:])
    return np.array([np.isin(*both).mean() for both in zip(*nearest, strict=True)])
