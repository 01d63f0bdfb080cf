"""How the cosines of L's own sentence pairs agree with those of other sentences and models. Source: L 4.4.2."""

import numpy as np
from scipy.stats import norm


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
