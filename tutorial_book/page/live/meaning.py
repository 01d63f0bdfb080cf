"""Two sentences compared with random pairs, and their difference compared with contrasts. Sources: L 4.4.1, L 4.4.2."""

from __future__ import annotations

from base64 import b64encode

import numpy as np

from tutorial_book.page.live.asking import asking, brief
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.vectors import embed
from tutorial_lib.views.base import View

LOW, BINS = -300, 1301  # of the histogram: cosines in thousandths
BOXES = ["One sentence", "Another"]


def pair_view(model, texts, one, other) -> View:
    """Show the cosine of two sentences' mean vectors in the histogram of all pairs of `texts`.

    texts: sentences like those that readers type, so that chance means chance for such sentences.
    """
    vectors = embed([one, other, *dict.fromkeys(texts)], model)
    C = cosine_matrix(vectors[2:])
    pairs = C[np.triu_indices(len(C), 1)]
    counts = np.bincount(_bin(pairs), minlength=BINS)
    value = float(cosine_matrix(vectors[:2])[0, 1])
    boxes = [list(box) for box in zip(BOXES, (one, other), strict=True)]
    return asking("pair", model, boxes, value, "Two sentences among chance pairs", counts=counts.tolist(), low=LOW)


def _bin(cosines):
    """Return the bin of each cosine; the script has the same function."""
    return np.clip(np.floor(np.asarray(cosines) * 1000 + 0.5) - LOW, 0, BINS - 1).astype(int)


def difference_view(model, contrasts, one, other, n=1000, seed=0) -> View:
    """Show the cosine of a difference, other − one, with each contrast's average difference, in mean vectors.

    contrasts: name -> pairs of sentences. The gray band contains the middle 95 % of the cosines of differences of n
    pairs drawn at random from the sentences of all other contrasts. Raises ValueError if both are the same.
    """
    a, b = embed([one, other], model)
    if np.array_equal(a, b):
        raise ValueError(f"one and other must have different vectors, got {one!r:.80} and {other!r:.80}")
    sides = {name: [embed(side, model) for side in zip(*pairs, strict=True)] for name, pairs in contrasts.items()}
    directions = np.stack([(b - a).mean(0) for a, b in sides.values()])
    rng = np.random.default_rng(seed)
    band = []
    for name, direction in zip(sides, directions, strict=True):
        others = np.concatenate([side for key, both in sides.items() if key != name for side in both])
        i, j = rng.integers(len(others), size=(2, n))
        chance = cosine_matrix((others[i] - others[j])[i != j], direction[None])[:, 0]
        band.append(np.quantile(chance[np.isfinite(chance)], [0.025, 0.975]).round(3).tolist())
    found = brief(cosine_matrix((b - a)[None], directions)[0])
    boxes = [["From", one], ["to", other]]
    vectors = b64encode(directions.astype("<f4").tobytes()).decode()
    label = "A difference among the contrasts"
    return asking("difference", model, boxes, found, label, names=list(contrasts), band=band, directions=vectors)
