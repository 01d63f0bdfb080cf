"""L's own sentence pairs (MIT, not in this book) on the default model, by stored numbers. Source: L 4.4.2."""

import numpy as np
from scipy.stats import norm

from tutorial_book import experiments

FILE = experiments.STORED / "luisto-pairs.json"


def stored() -> dict:
    """What measure/luisto.py stored, with "date", "versions", "model", "sources"; ValueError where it is damaged.

    "pairs": contrast -> how many L has. By pooling, "cls" and "mean", of L's pairs the fifteen "cosines" of Table 7 and
    their "intervals" of 95 %, "within" (the average cosine of two differences of each contrast), and "correlations":
    the two of `correlations`, and their difference; "correlation intervals": low and high of each, for two seeds.

    >>> stored()["pairs"]["doctor-nurse"]
    9
    """
    needed = {"date", "versions", "model", "sources", "pairs", "cls", "mean"}
    return experiments.stored(FILE, needed, "luisto")


def correlations(own, book, table_7, chosen):
    """How cosines of L's pairs, on chosen pairs of contrasts, agree with those (of other sentences, of another model).

    >>> values = [0.1, 0.2, 0.4]
    >>> [round(r, 2) for r in correlations(values, values, [0.4, 0.2, 0.1], slice(None))]
    [1.0, -0.93]
    """
    return [float(np.corrcoef(np.asarray(own)[chosen], np.asarray(other)[chosen])[0, 1]) for other in (book, table_7)]


def correlation_interval(r, n, level=0.95):
    """Where a correlation lies, by Fisher's z; wider where, as in Table 7, the n pairs of values are not independent.

    >>> [round(float(bound), 2) for bound in correlation_interval(-0.24, 13)]
    [-0.7, 0.36]
    """
    reach = norm.ppf((1 + level) / 2) / (n - 3) ** 0.5
    return np.tanh(np.arctanh(r) - reach), np.tanh(np.arctanh(r) + reach)
