"""The attention calculator: a whole example of attention whose every number can be edited in the page.

Sources: R 5-8.
"""

from collections.abc import Iterable

from tutorial_lib.arguments import Numbers, check_texts
from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.views.base import View

LARGEST = 1_000_000  # of an entered number, so that no step overflows


def attention_calculator(
    tokens: Iterable[str], X: Numbers, W_Q: Numbers, W_K: Numbers, W_V: Numbers, walk: bool = False
) -> View:
    """Show an example of attention live: edit any number and see each step.

    X is (n, d_model), W_Q and W_K are (d_model, d_k), W_V is (d_model, d_v). After each change the page computes Q, K,
    V, the scores, the scaled (and, if chosen, causally masked) scores, the weights and the output again. It starts with
    the middle token as the query, and shows all steps at once, or (walk) one after the other, each with its formula and
    one of its numbers written out. Raises ValueError if a shape does not fit, or if a number is not finite or beyond a
    million. Source: R 5-8.

    >>> attention_calculator(["a", "b"], [[1], [2]], [[1]], [[1]], [[1]])
    Attention calculator: edit a number and see every step from X to the output (an interactive view: ...)
    """
    tokens = check_texts("tokens", tokens)
    X, W_Q, W_K, W_V = _check(tokens, X, W_Q, W_K, W_V)
    matrices = {"X": X.tolist(), "W_Q": W_Q.tolist(), "W_K": W_K.tolist(), "W_V": W_V.tolist()}
    data = {"tokens": tokens, "query": len(tokens) // 2, "walk": bool(walk)} | matrices
    label = "Attention calculator: edit a number and see every step from X to the output"
    return View("calculator", data, label, ["number"])


def _check(tokens, X, W_Q, W_K, W_V):
    """Return the four matrices in float64, or raise an error that says which one does not fit."""
    named = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    X, W_Q, W_K, W_V = matrices = [as_vectors(name, M) for name, M in named.items()]
    for name, M in zip(named, matrices):
        if not (abs(M) <= LARGEST).all():
            raise ValueError(f"{name} must contain finite numbers from {-LARGEST:,} to {LARGEST:,}, got {M.tolist()}")
    if len(X) != len(tokens):
        raise ValueError(f"X must have one row for each of the {len(tokens)} tokens, got shape {X.shape}")
    for name, M in zip(("W_Q", "W_K", "W_V"), (W_Q, W_K, W_V)):
        if len(M) != X.shape[1]:
            raise ValueError(f"{name} must have {X.shape[1]} rows (the columns of X), got shape {M.shape}")
    if W_Q.shape != W_K.shape:
        raise ValueError(f"W_Q and W_K must have the same shape, got {W_Q.shape} and {W_K.shape}")
    return matrices
