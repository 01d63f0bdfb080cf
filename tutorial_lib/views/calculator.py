"""The attention calculator: a whole example of attention whose every number can be edited in the page.

Sources: R 5-8.
"""

from collections.abc import Iterable

import torch

from tutorial_lib.arguments import Numbers, check_texts
from tutorial_lib.geometry.arrays import as_numbers
from tutorial_lib.views.base import View

LARGEST = 1_000_000  # of a number that may be entered, so that no step overflows


def attention_calculator(
    tokens: Iterable[str], X: Numbers, W_Q: Numbers, W_K: Numbers, W_V: Numbers, walk: bool = False
) -> View:
    """An example of attention live: edit any number and see each step.

    X is (n, d_model), W_Q and W_K are (d_model, d_k), W_V is (d_model, d_v). After each change the page computes Q, K,
    V, the scores, the scaled (and, where chosen, causally masked) scores, the weights and the output again. It starts
    with the token in the middle as the query, and shows all steps at once, or (walk) one after the other, each with its
    formula and one of its numbers written out. Raises ValueError where a shape does not fit, or where a number is not
    finite or beyond a million. Source: R 5-8.

    >>> attention_calculator(["a", "b"], torch.eye(2), torch.eye(2), torch.eye(2), torch.eye(2))
    Attention calculator: edit a number and see every step from X to the output (an interactive view: ...)
    """
    tokens = check_texts("tokens", tokens)
    X, W_Q, W_K, W_V = _check(tokens, X, W_Q, W_K, W_V)
    query = len(tokens) // 2
    inputs = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    data = {"tokens": tokens, "query": query, "walk": bool(walk)} | {name: M.tolist() for name, M in inputs.items()}
    label = "Attention calculator: edit a number and see every step from X to the output"
    return View("calculator", data, label, ["number"])


def _check(tokens, X, W_Q, W_K, W_V):
    """The four matrices in float64, or an error that says which one does not fit."""
    named = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    X, W_Q, W_K, W_V = matrices = [torch.tensor(as_numbers(name, M)) for name, M in named.items()]
    for name, M in zip(named, matrices):
        if M.ndim != 2 or 0 in M.shape:
            raise ValueError(f"{name} must have rows and columns, at least one of each, got shape {tuple(M.shape)}")
        if not (M.abs() <= LARGEST).all():
            raise ValueError(f"{name} must hold finite numbers from {-LARGEST:,} to {LARGEST:,}, got {M.tolist()}")
    if len(X) != len(tokens):
        raise ValueError(f"X must have one row for each of the {len(tokens)} tokens, got shape {tuple(X.shape)}")
    for name, M in zip(("W_Q", "W_K", "W_V"), (W_Q, W_K, W_V)):
        if len(M) != X.shape[1]:
            raise ValueError(f"{name} must have {X.shape[1]} rows (the columns of X), got shape {tuple(M.shape)}")
    if W_Q.shape != W_K.shape:
        raise ValueError(f"W_Q and W_K must have the same shape, got {tuple(W_Q.shape)} and {tuple(W_K.shape)}")
    return matrices
