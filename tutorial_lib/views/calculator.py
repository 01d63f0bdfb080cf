"""The attention calculator: a whole example of attention whose every number can be edited in the page.

Sources: R 5-8.
"""

import math
from collections.abc import Iterable
from html import escape

import torch

from tutorial_lib.arguments import Numbers, check_texts
from tutorial_lib.attention import attention, scores
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

    >>> attention_calculator(["a", "b"], torch.eye(2), torch.eye(2), torch.eye(2), torch.eye(2)).say
    'b attends most to b (0.67), then a (0.33).'
    """
    tokens = check_texts("tokens", tokens)
    X, W_Q, W_K, W_V = _check(tokens, X, W_Q, W_K, W_V)
    query = len(tokens) // 2
    inputs = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    data = {"tokens": tokens, "query": query, "walk": bool(walk)} | {name: M.tolist() for name, M in inputs.items()}
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (n, d_k), (n, d_k), (n, d_v)
    output, A = attention(Q, K, V)  # (n, d_v), (n, n)
    strip = _strip(tokens, A[query].tolist())
    default = strip + _picture(tokens, query, inputs, {"Q": Q, "K": K, "V": V}, Q @ K.T, scores(Q, K), A, output)
    label = "Attention calculator: edit a number and see every step from X to the output"
    return View("calculator", data, default, label, say=_summary(tokens, query, A[query].tolist()), parts=["number"])


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


def _picture(tokens, query, inputs, products, S, scaled, A, output):
    """All steps as tables, with scaling and without a mask."""
    d_k = products["Q"].shape[1]

    def by_token(name, caption, M, columns=None, shaded=False, of_query=True):
        return _table(name, caption, M, tokens, columns, query if of_query else None, shaded)

    steps = {
        "1. The numbers": [by_token("X", "<i>X</i>, a row for each token", inputs["X"])]
        + [_table(f"W_{letter}", _symbol(letter), inputs[f"W_{letter}"]) for letter in "QKV"],
        "2. Queries, keys, values": [
            by_token(letter, f"<i>{letter}</i> = <i>X</i> {_symbol(letter)}", M, of_query=letter == "Q")
            for letter, M in products.items()
        ],
        "3. Each query (row) meets each key (column)": [
            by_token("scores", "scores <i>S</i> = <i>Q K</i><sup>T</sup>", S, tokens),
            by_token("scaled", f"<i>S</i> / √<i>d</i><sub>k</sub> = <i>S</i> / {math.sqrt(d_k):.4g}", scaled, tokens),
        ],
        "4. Softmax makes weights, and the weights mix the values": [
            by_token("weights", "weights <i>A</i>, each row sums to 1", A, tokens, shaded=True),
            by_token("output", "output = <i>A V</i>", output),
        ],
    }
    return "".join(
        f'<p class="tl-step">{title}</p><div class="tl-row">{"".join(tables)}</div>' for title, tables in steps.items()
    )


def _table(name, caption, M, rows=None, columns=None, chosen=None, shaded=False):
    """One matrix as a table with named rows and columns; `data-value` holds each number in full."""
    rows = rows or [str(i + 1) for i in range(M.shape[0])]
    columns = columns or [str(i + 1) for i in range(M.shape[1])]
    show = str if name in ("X", "W_Q", "W_K", "W_V") else _number
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = ""
    for i, (row, values) in enumerate(zip(rows, M.tolist())):
        mark = ' class="tl-chosen" aria-current="true"' if i == chosen else ""
        cells = "".join(
            f'<td data-value="{value!r}"' + (f' style="--w:{value:.4f}"' if shaded else "") + f">{show(value)}</td>"
            for value in values
        )
        body += f'<tr{mark}><th scope="row">{escape(row)}</th>{cells}</tr>'
    return (
        f'<div class="tl-scroll"><table class="tl-matrix" data-matrix="{name}"><caption>{caption}</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _strip(tokens, weights):
    """The chosen query's weights as small bars, to be seen while a number above the tables changes."""
    bars = [
        f'<div style="--w:{weight:.4f}"><b></b><span>{weight:.2f}</span><span>{escape(token)}</span></div>'
        for token, weight in zip(tokens, weights)
    ]
    return f'<div class="tl-strip" aria-hidden="true">{"".join(bars)}</div>'


def _symbol(letter):
    return f"<i>W</i><sub>{letter}</sub>"


def _number(value):
    """Two digits, or powers of ten where they would not fit; with a real minus sign."""
    text = f"{value:.2f}" if abs(value) < 100_000 else f"{value:.1e}"
    return text.replace("-0.00", "0.00").replace("-", "−")


def _summary(tokens, query, weights):
    """Where the query looks: "painted attends most to painted (0.55), then The (0.15)." """
    order = sorted(range(len(tokens)), key=lambda j: -weights[j])
    named = [f"{tokens[j]} ({weights[j]:.2f})" for j in order]
    then = f", then {named[1]}" if len(named) > 1 else ""
    return f"{tokens[query]} attends most to {named[0]}{then}."
