"""How the cosines of L's own sentence pairs agree with the cosines of other sentences and models. Source: L 4.4.2."""

import numpy as np
from scipy.stats import norm


def correlations(own, book, table_7, chosen):
    """Correlate cosines of L's pairs, on chosen pairs of contrasts, with cosines of other sentences or another model.

    >>> values = [0.1, 0.2, 0.4]
    >>> [round(r, 2) for r in correlations(values, values, [0.4, 0.2, 0.1], slice(None))]
    [1.0, -0.93]
    """
    return [float(np.corrcoef(np.asarray(own)[chosen], np.asarray(other)[chosen])[0, 1]) for other in (book, table_7)]


def correlation_interval(r, n, level=0.95):
    """Return a correlation's interval, by Fisher's z; wider if, as in Table 7, the n pairs of values are dependent.

    >>> [round(float(bound), 2) for bound in correlation_interval(-0.24, 13)]
    [-0.7, 0.36]
    """
    reach = norm.ppf((1 + level) / 2) / (n - 3) ** 0.5
    return np.tanh(np.arctanh(r) - reach), np.tanh(np.arctanh(r) + reach)
