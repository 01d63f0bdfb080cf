"""A structural probe: one matrix after which squared distances of words are their steps in the tree.

Source: Hewitt and Manning 2019, whose B is W transposed, because vectors are rows here. Both of their scores are here.
"""

import numpy as np
import torch


def fit_probe(X, D, rank=32, seed=0, epochs=150, lr=0.02, dtype=torch.float32) -> np.ndarray:
    """Train the matrix W, (d, rank), that makes |(x_i - x_j) W|^2 the number of steps from word i to word j.

    X: for each sentence the vectors of its n words, (n, d). D: for each the steps, (n, n). The loss is the mean over
    the sentences of sum |D - squared distance| / n^2, minimized by Adam on all sentences at once; its learning rate
    falls from `lr` to a hundredth of it. Vectors are first divided by their average deviation; W includes that, too.
    """
    scale = float(np.concatenate(X).std(axis=0).mean())
    rows = torch.tensor(np.concatenate(X) / scale, dtype=dtype)
    place, target, share = (torch.tensor(part) for part in _padded(D))
    target, share = target.to(dtype), share.to(dtype)
    generator = torch.Generator().manual_seed(seed)
    W = 0.1 * (torch.rand(rows.shape[1], rank, generator=generator) - 0.5)
    W = W.to(dtype).requires_grad_()
    optimizer = torch.optim.Adam([W], lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, epochs)
    with torch.enable_grad():
        for _ in range(epochs):
            Y = torch.nn.functional.embedding(place, rows @ W)  # (sentences, longest, rank)
            G = Y @ Y.mT  # |y_i - y_j|^2 = |y_i|^2 + |y_j|^2 - 2 y_i y_j
            squares = G.diagonal(dim1=1, dim2=2)
            loss = (share * (target - squares[:, :, None] - squares[:, None] + 2 * G).abs()).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return W.detach().numpy().astype(float) / scale


def _padded(D):
    """Return each sentence, padded to the longest: its words' rows, the steps, each pair's share of the loss."""
    counts = np.array([len(steps) for steps in D])
    place = np.zeros((len(D), counts.max()), int)
    target = np.zeros((*place.shape, counts.max()))
    share = np.zeros_like(target)
    for i, (n, steps) in enumerate(zip(counts, D)):
        place[i, :n] = counts[:i].sum() + np.arange(n)
        target[i, :n, :n] = steps
        share[i, :n, :n] = 1 / (n**2 * len(D))
    return place, target, share


def probe_distances(W, x) -> np.ndarray:
    """Return the squared distances of words (n, d) after the probe, (n, n).

    >>> probe_distances(np.array([[1.0], [0.0]]), np.array([[0.0, 5.0], [2.0, 7.0]])).tolist()
    [[0.0, 4.0], [4.0, 0.0]]
    """
    y = x @ W
    return ((y[:, None] - y) ** 2).sum(-1)


def edges(D) -> set:
    """Return the edges of the shortest tree that joins all words, by their distances (n, n): the minimum spanning tree.

    Of two pairs at the same distance, the first is taken.

    >>> sorted(edges(np.array([[0, 1, 4], [1, 0, 2], [4, 2, 0]])))
    [(0, 1), (1, 2)]
    """
    n = len(D)
    group = list(range(n))
    joined = set()
    for i, j in sorted(zip(*np.triu_indices(n, 1)), key=lambda pair: D[pair]):
        if group[i] != group[j]:
            joined.add((int(i), int(j)))
            group = [group[i] if one == group[j] else one for one in group]
    return joined


def right_edges(D, heads) -> np.ndarray:
    """Return how many edges of a tree the distances find, and how many it has: (2,). Their ratio is called UUAS.

    >>> right_edges(np.array([[0, 1, 4], [1, 0, 2], [4, 2, 0]]), np.array([1, -1, 0])).tolist()
    [1, 2]
    """
    true = {tuple(sorted((i, int(head)))) for i, head in enumerate(heads) if head >= 0}
    return np.array([len(true & edges(D)), len(true)])


def spearman(D, steps) -> float:
    """Return the mean over words of the rank correlation of distances with steps to all words."""
    from scipy.stats import spearmanr

    return float(np.mean([spearmanr(*rows).statistic for rows in zip(D, steps, strict=True)]))
