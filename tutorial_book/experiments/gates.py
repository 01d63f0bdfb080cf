"""Data of a BERT for the chapter on gates: maps, vectors, cones, what heads read, and slices that belong to no head.

Source: G 2, and its authors' program, from which nothing is copied.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from tutorial_lib.geometry import cone_index, product_svd, subspace_overlap, value_entropy


class Reading(NamedTuple):
    """A model's values for texts: lists with an array for each text, all of n tokens.

    maps (layers, heads, n, n). vectors (layers + 1, n, d_model). heads (layers, n, d_model): their outputs, side by
    side. spread (layers,): the average entropy of the entries of a head's scores.
    """

    maps: list
    vectors: list
    heads: list
    spread: list


def read(model, texts) -> Reading:
    """Return a model's values for texts, given as lists of ids."""
    layers = [f"layer.{i}" for i in range(model.config.n_layers)]
    reading = Reading([], [], [], [])
    for ids in texts:
        steps = model.trace(ids)
        reading.maps.append(np.stack([steps[f"{layer}.attention.weights"][0] for layer in layers]))
        stream = ["embeddings.output", *(f"{layer}.output" for layer in layers)]
        reading.vectors.append(np.stack([steps[name][0] for name in stream]))
        reading.heads.append(np.stack([steps[f"{layer}.attention.concat"][0] for layer in layers]))
        reading.spread.append([value_entropy(steps[f"{layer}.attention.scores"][0]).mean() for layer in layers])
    return reading


def cone_stages(X, heads, n_heads) -> np.ndarray:
    """Return cone indices of one text at four places of each layer, (4, layers).

    Of a layer's input; of a head's output, on average; of all heads side by side, with the input added and normalized
    as by an untrained LayerNorm; of the layer's output. X, heads: of a `Reading`.
    """
    side = [F.layer_norm(torch.tensor(x + c), c.shape[-1:]) for x, c in zip(X, heads)]
    each = [np.mean([cone_index(part) for part in np.split(c, n_heads, axis=-1)]) for c in heads]
    inputs, sides, outputs = ([cone_index(x) for x in rows] for rows in (X[:-1], side, X[1:]))
    return np.array([inputs, each, sides, outputs])


@torch.no_grad()
def subspaces(model) -> np.ndarray:
    """Return the subspaces read by queries, keys and values of each head: (layers, heads, 3, d_model, d_k)."""
    rows = []
    for layer in model.layer:
        for h in range(model.config.n_heads):
            queries, _, keys = product_svd(*layer.attention.score_map(h))
            rows.append([queries, keys, product_svd(*layer.attention.value_map(h))[0]])
    return np.reshape(rows, (model.config.n_layers, model.config.n_heads, *np.shape(rows[0])))


def overlaps(U) -> list[float]:
    """Return the overlap of two heads of a layer, for queries, keys, values; and of a head's queries and keys."""
    pairs = [(i, j) for i in range(len(U[0])) for j in range(i)]
    between = (np.mean([[subspace_overlap(X[i], X[j]) for i, j in pairs] for X in U[:, :, side]]) for side in range(3))
    return [*between, np.mean([subspace_overlap(*head[:2]) for heads in U for head in heads])]


def head_parts(linear, n_heads, columns=False):
    """Return each head's part of a linear layer, (n_heads, d_in, d_k): its rows of the weight, turned, for X @ part.

    columns: slices that look like heads but are not, the columns unchanged; the weight is square.

    >>> linear = torch.nn.Linear(4, 4, bias=False)
    >>> bool((head_parts(linear, 2)[1] == linear.weight[2:].T).all())
    True
    """
    M = linear.weight if columns else linear.weight.T
    return M.unflatten(1, (n_heads, -1)).transpose(0, 1)


@torch.no_grad()
def sliced(attention, X, columns=False):
    """Return a layer's maps (n_heads, n, n) from its input X (n, d_model), and the mean norms of queries (n_heads,).

    columns: use the columns of the weights, without biases, as G's authors slice them.
    """
    n = attention.n_heads
    Q, K = (torch.as_tensor(X) @ head_parts(linear, n, columns)
            + (0 if columns else linear.bias.view(n, 1, -1)) for linear in (attention.W_Q, attention.W_K))
    return torch.softmax(Q @ K.mT / attention.d_k**0.5, dim=-1).numpy(), Q.norm(dim=-1).mean(-1).numpy()
