"""Data to measure dimension on: a noisy curve, shuffled texts, untrained models, the ends of many stories."""

import copy
import re

import numpy as np
import torch

from tutorial_lib.geometry.shape import spectrum


def thread(n=2000, noise=0.02, turns=3, seed=0) -> np.ndarray:
    """Return points (n, 2) along a spiral with turns 1 apart, each moved by some noise.

    >>> thread(3).shape
    (3, 2)
    """
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * turns * np.sqrt(rng.uniform(0.02, 1, n))  # so that points lie evenly along the curve
    points = np.column_stack([np.cos(angle), np.sin(angle)]) * angle[:, None] / (2 * np.pi)
    return points + noise * rng.normal(size=(n, 2))


def shuffled(texts, seed=0) -> list[str]:
    """Return each text with its words and marks in random order.

    >>> sorted(shuffled(["A bear sleeps."])[0].split())
    ['.', 'A', 'bear', 'sleeps']
    """
    rng = np.random.default_rng(seed)
    return [" ".join(rng.permutation(re.findall(r"\w+|[^\w\s]", text))) for text in texts]


def untrained(model, seed=0):
    """Return a model of the same shape with weights drawn as BERT's are before training."""
    generator = torch.Generator().manual_seed(seed)
    fresh = copy.deepcopy(model).eval()
    with torch.no_grad():
        for name, p in fresh.named_parameters():
            if p.ndim > 1:
                p.normal_(std=0.02, generator=generator)
            else:
                p.fill_(float(not name.endswith("bias")))
    return fresh


def pieces(texts, tok, length, end=None) -> np.ndarray:
    """Return token ids (n, length) of texts, no two equal: the first tokens of each that is long enough.

    end: a token; then the tokens up to its first position with enough tokens before it.

    >>> from tutorial_lib.tokenization import BPE
    >>> tok = BPE.from_pretrained("book-gpt")
    >>> [tok.decode(ids) for ids in pieces(["Mia had a kite. It was red."], tok, 3, end=".")]
    [' a kite.']
    """
    _, after = _marks(tok)
    chosen = []
    for text in texts:
        ids = tok.encode(text).ids
        ids = ids[1:-1] if after else ids
        ends = [length] if end is None else [i + 1 for i, one in enumerate(ids) if tok.tokens[one] == end]
        chosen += [ids[stop - length : stop] for stop in ends if length <= stop <= len(ids)][:1]
    return np.unique(np.array(chosen), axis=0)


def reorder(ids, seed=0) -> np.ndarray:
    """Return each row with its tokens in random order, except the last.

    >>> reorder(np.arange(10)[None])[0, -1]
    np.int64(9)
    """
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permuted(ids[:, :-1], axis=1), ids[:, -1]])


@torch.inference_mode()
def last_vectors(model, tok, ids) -> np.ndarray:
    """Return the vectors of the last token of each row after each layer, (n_layers + 1, n, d).

    A BERT reads a row between [CLS] and [SEP], a GPT after its start token.
    """
    before, after = _marks(tok)
    names = ["embeddings.output", *(f"layer.{i}.output" for i in range(model.config.n_layers))]
    batches = []
    for rows in np.array_split(ids, len(ids) // 250 + 1):
        stops = model.trace([[*before, *row, *after] for row in rows.tolist()])
        batches.append(torch.stack([stops[name][:, ids.shape[1]] for name in names]))
    return torch.cat(batches, dim=1).double().numpy()


def _marks(tok):
    """Return the ids that a model reads before and after a text: those of [CLS] and [SEP], or of the start token."""
    before, *after = tok.encode("").ids or tok.encode("<|endoftext|>").ids
    return [before], after


def isoscore(X) -> float:
    """Compute IsoScore step by step, by its authors' definition: 0 for a line, 1 if all directions vary equally.

    >>> round(isoscore([[3, 0], [-3, 0], [0, 1], [0, -1]]), 3)
    0.22
    """
    variances = spectrum(X)
    d = np.shape(X)[1]
    variances = np.append(variances, np.zeros(d - len(variances)))
    scaled = np.sqrt(d) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(scaled - 1) / np.sqrt(2 * (d - np.sqrt(d)))
    share = (d - defect**2 * (d - np.sqrt(d))) ** 2 / d**2
    return float((d * share - 1) / (d - 1))
