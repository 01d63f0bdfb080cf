"""L's own sentence pairs on the default model: the cosines of its contrasts, and what other sentences change in them.

The pairs are published (MIT) and are fetched where one asks for them; tools/measure_luisto.py has stored their numbers.
Source: L 4.4.2 (Tables 6 and 7).
"""

import numpy as np
from scipy.stats import norm

from tutorial_book import experiments
from tutorial_lib.geometry import average_cosine, bootstrap_interval, contrast_cosines, difference_vectors
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

FILE = experiments.STORED / "luisto-pairs.json"
SIX = ("bright-dim", "doctor-nurse", "female-male", "finnish-czech", "funny-sad", "laugh-cry")  # L's, in its order
PAIRS = np.triu_indices(6, 1)  # the fifteen pairs of contrasts, in the order of Table 7
LARGE = 0.4  # two cosines of Table 7 are larger in size, and any correlation with them is theirs


def stored() -> dict:
    """The numbers of `measure` as they were stored, with "date", "versions", "model" and "sources".

    Raises ValueError if the file is damaged.

    >>> stored()["pairs"]["doctor-nurse"]
    9
    """
    needed = {"date", "versions", "model", "sources", "pairs", "cls", "mean"}
    return experiments.stored(FILE, needed, "tools/measure_luisto.py")


def measure(table_7, model=None, n=2000, seeds=(0, 1)) -> dict:
    """What a model makes of L's pairs and of this book's, after its last layer.

    table_7: L's fifteen cosines, of bert-base-cased. n: how many resamples a bootstrap draws, with each of the seeds.

    Returns "pairs", contrast -> how many L has; and by pooling, "cls" and "mean", of L's pairs "cosines" and their
    "intervals" of 95 % (15 of each), "within" (the average cosine of two differences of each contrast); "correlations"
    (the two of `correlations` and their difference) and "correlation intervals", low and high for each seed. Raises
    TextsNotAvailable as `load_texts` does.
    """
    small = np.abs(table_7) < LARGE
    theirs, ours = load_texts("luisto-pairs"), load_texts("sentence-pairs")
    found = {"pairs": {name: len(theirs[name]) for name in SIX}}
    for pooling in ("cls", "mean"):
        own, book = ([_differences(pairs[name], model, pooling) for name in SIX] for pairs in (theirs, ours))

        def both(*samples):
            one, other = correlations(cosines(*samples[:6]), cosines(*samples[6:]), table_7, small)
            return np.array([one, other, one - other])

        found[pooling] = {
            "cosines": cosines(*own).round(4).tolist(),
            "intervals": np.transpose(bootstrap_interval(cosines, *own, n=n)).round(3).tolist(),
            "within": [round(average_cosine(X), 4) for X in own],
            "correlations": both(*own, *book).round(4).tolist(),
            "correlation intervals": [
                np.transpose(bootstrap_interval(both, *own, *book, n=n, seed=seed)).round(3).tolist() for seed in seeds
            ],
        }
    return found


def cosines(*differences):
    """The cosines between the average difference vectors of L's six contrasts, as Table 7 lists them: (15,)."""
    return contrast_cosines(dict(zip(SIX, differences, strict=True)))[PAIRS]


def correlations(own, book, table_7, chosen):
    """How the cosines of L's pairs on one model agree, on chosen pairs of contrasts: (other sentences, other model).

    own: the cosines of L's pairs; book: of other sentences, on the same model; table_7: of the same sentences, on
    another model.

    >>> values = [0.1, 0.2, 0.4]
    >>> [round(r, 2) for r in correlations(values, values, [0.4, 0.2, 0.1], slice(None))]
    [1.0, -0.93]
    """
    return [float(np.corrcoef(np.asarray(own)[chosen], np.asarray(other)[chosen])[0, 1]) for other in (book, table_7)]


def correlation_interval(r, n, level=0.95):
    """Where the correlation of all there could be lies, by Fisher's z, if the n pairs of values are independent.

    Those of Table 7 are not, for they share contrasts: their interval is wider. Source: Fisher 1921.

    >>> [round(float(bound), 2) for bound in correlation_interval(-0.24, 13)]
    [-0.7, 0.36]
    """
    reach = norm.ppf((1 + level) / 2) / (n - 3) ** 0.5
    return np.tanh(np.arctanh(r) - reach), np.tanh(np.arctanh(r) + reach)


def _differences(pairs, model, pooling):
    return difference_vectors(*(embed(list(side), model, pooling, device="cpu") for side in zip(*pairs, strict=True)))
