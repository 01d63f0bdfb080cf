"""Two collections of real texts, Wikipedia's and tweets: measurements of their vectors, computed now or stored.

The license of the texts does not allow including them; the numbers are in stored/real-texts.json. Source: L 4.4.3
(Figures 25 and 26).
"""

import numpy as np

from tutorial_book.experiments import stored
from tutorial_lib import geometry
from tutorial_lib.texts import TextsNotAvailable, load_texts
from tutorial_lib.vectors import embed

NAMES = ("Wikipedia", "tweets")
N_TEXTS, N_CHARACTERS, N_WORDS, N_BINS = 300, 1000, 12, 40  # texts of each, most characters, words if cut, bars


def measured(model=None):
    """Return the numbers of `measure` if the texts are available, else the stored ones; and which of the two."""
    try:
        return measure(model), "Measured now, on the texts themselves."
    except TextsNotAvailable as error:
        why = f" ({error})" if "SHA-256" in str(error) else ""  # a wrong file is reported, a missing one is not
    found = stored("real-texts")
    return found, (f"Stored numbers: the texts are not available here{why}. They were measured on {found['date']} with "
                   f"{found['model']['name']} and torch {found['versions']['torch']}.")  # fmt: skip


def measure(model=None) -> dict:
    """Measure the vectors of 300 Wikipedia texts and 300 tweets; return plain numbers.

    "texts": collection -> how many there are in all; "tokens": collection -> the average of the 300, "length" -> the
    linear accuracy from only the number of tokens. "maps": projections, (600, 2) each, Wikipedia first. "clouds": the
    result of `describe` for the [CLS] vectors, for these without their loudest coordinate, for the means, and for the
    means of the first 12 words, for pairs of texts that are long enough. Raises TextsNotAvailable as `load_texts` does.
    """
    texts, rng = {name: load_texts(name.lower()) for name in NAMES}, np.random.default_rng(0)
    chosen = [every[i][:N_CHARACTERS] for every in texts.values() for i in rng.choice(len(every), N_TEXTS, False)]
    of = np.repeat([0, 1], N_TEXTS)
    tokens = embed(chosen, model, pooling="tokens")  # for each text (n_tokens, d_model)
    lengths = np.array([len(T) for T in tokens])
    cls, mean = (np.stack([pool(T) for T in tokens]).astype(float) for pool in (lambda T: T[0], lambda T: T.mean(0)))
    loudest = int((cls**2 / (cls**2).sum(1, keepdims=True)).mean(0).argmax())
    pairs = [pair for pair in zip(chosen, chosen[N_TEXTS:]) if all(len(text.split()) >= N_WORDS for text in pair)]
    cut = embed([" ".join(text.split()[:N_WORDS]) for texts in zip(*pairs) for text in texts], model).astype(float)
    clouds = {"[CLS]": cls, f"[CLS] without {loudest}": np.delete(cls, loudest, axis=1), "mean": mean,
              f"mean, {N_WORDS} words": cut}
    maps = {"PCA": lambda X: geometry.pca(X).coordinates, "t-SNE": geometry.tsne, "UMAP": geometry.umap}
    return {
        "texts": {name: len(every) for name, every in texts.items()},
        "tokens": {**{name: round(float(lengths[of == i].mean()), 1) for i, name in enumerate(NAMES)},
                   "length": round(geometry.linear_accuracy(lengths[:, None], of), 4)},
        "maps": {f"{name}, {kind}": place(clouds[name]).round(3).tolist()
                 for name in ("[CLS]", "mean") for kind, place in maps.items()},
        "clouds": {name: describe(X, np.repeat([0, 1], len(X) // 2)) for name, X in clouds.items()},
    }  # fmt: skip


def describe(X, of) -> dict:
    """Describe how similar the vectors X (n, d) of two collections are: `of` is 0 or 1 for each.

    For norms, distances, dots and cosines the average, the lowest, and a histogram: counts in 40 bins from the first
    edge to the second, for each collection and, for cosines, for pairs with one from each. Then neighbor purity, by
    distance and by cosine, and the accuracy of a linear classifier.

    >>> describe(np.repeat([[3.0, 4.0], [4.0, 3.0]], 5, axis=0), np.repeat([0, 1], 5))["cosines"]["average"]
    {'Wikipedia': 1.0, 'tweets': 1.0, 'one of each': 0.96}
    """
    found = [geometry.distributions(X[of == i]) for i in (0, 1)]
    values = {kind: dict(zip(NAMES, each)) for kind, each in zip(geometry.Distributions._fields, zip(*found))}
    values["cosines"]["one of each"] = geometry.cosine_matrix(X[of == 0], X[of == 1]).ravel()
    return {
        **{kind: _summary(groups) for kind, groups in values.items()},
        "purity": round(geometry.neighbor_purity(X, of), 4),
        "purity by cosine": round(geometry.neighbor_purity(X, of, metric="cosine"), 4),
        "accuracy": round(geometry.linear_accuracy(X, of), 4),
    }


def _summary(groups):
    """Return label -> values, as averages, lowest values and counts in bins that all labels share."""
    every = np.concatenate([*groups.values()])
    edges = [round(float(np.floor(every.min() * 100) / 100), 2), round(float(np.ceil(every.max() * 100) / 100), 2)]
    bins = np.linspace(*edges, N_BINS + 1)
    return {
        "average": {label: round(float(values.mean()), 4) for label, values in groups.items()},
        "lowest": {label: round(float(values.min()), 4) for label, values in groups.items()},
        "edges": edges,
        "counts": {label: np.histogram(values, bins)[0].tolist() for label, values in groups.items()},
    }
