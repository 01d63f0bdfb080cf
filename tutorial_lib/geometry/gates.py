"""What an attention map lets through: seven gates, told apart in one map of weights.

Section 2 of document G names seven patterns of the attention matrix; its summary defines none of them. The definitions
here are this book's reading of the names. Six of them say in which cells of the map the weight should lie; the seventh,
the open gate, says that the weight should be spread evenly:

closed       each token looks at itself
directional  all tokens look at the same one
backward     each token looks at earlier tokens (the first at itself)
forward      each token looks at later tokens (the last at itself)
cluster      tokens look at themselves and at tokens that look back: both give the other more than an even share
instance     each token looks at one token, and hardly two at the same
open         each token looks at all, evenly
"""

import numpy as np

from tutorial_lib.arguments import check_has, check_seed, one_of, whole_number
from tutorial_lib.geometry.arrays import as_numbers
from tutorial_lib.geometry.shape import effective_number

# The order in which they are tried: a closed map also gives each token a different token, and a column at the edge of
# the map lies on one side of the diagonal. The narrower gate comes first.
GATES = ("closed", "directional", "backward", "forward", "cluster", "instance", "open")
MIXED = "mixed"
THRESHOLD = 0.5  # nearer to the pure gate than to even attention; at most one of closed, backward, forward reaches it


def gate_scores(A):
    """Score how far a map is from even attention (0) to each of the seven pure gates (1): (..., 7), as `GATES`.

    For a gate made of cells, with m the average weight that a row has in them and e what it has there if it is even,
    the score is (m - e) / (1 - e): below 0 if the map avoids those cells. That of "instance" is multiplied by the share
    of tokens that are some row's favorite. That of "open" is 1 if rows are even, and 0 if each looks at one token: with
    the effective number N of tokens in a row (see `effective_number`), the average of (N - 1) / (n - 1).

    A: (..., n, n), rows sum to 1, n at least 3; else ValueError. Source: G 2, in this book's reading.

    >>> gate_scores(np.eye(4)).round(2)  # closed, and each token has one of its own
    array([ 1.  ,  0.  , -0.33, -0.33,  0.  ,  1.  ,  0.  ])
    """
    A = _as_maps(A)
    n = A.shape[-1]
    i, j = np.indices((n, n))
    both = np.minimum(A, A.swapaxes(-1, -2)) * n > 1 + 1e-6  # (..., n, n): more than even, both ways; 1/n is rounded
    partners = both & (i != j)
    favorite = A == A.max(-1, keepdims=True)
    favorite &= favorite.cumsum(-1) == 1  # of equal weights the first, so an even row also has one favorite
    column = A.sum(-2).argmax(-1)[..., None, None]  # the token with the most weight
    scores = {
        "closed": _excess(A, i == j),
        "directional": _excess(A, j == column),
        "backward": _excess(A, (j < i) | (i + j == 0)),
        "forward": _excess(A, (j > i) | (i + j == 2 * n - 2)),
        "cluster": _excess(A, partners | (i == j) & partners.any(-1, keepdims=True)),
        "instance": _excess(A, favorite) * favorite.any(-2).mean(-1),
        "open": (effective_number(A).mean(-1) - 1) / (n - 1),
    }
    return np.stack([scores[gate] for gate in GATES], axis=-1)


def _excess(A, cells):
    """Return (m - e) / (1 - e) for maps A (..., n, n) and cells that are True for the gate; 0 if all are True."""
    cells = np.broadcast_to(cells, A.shape)
    m = (A * cells).sum(-1).mean(-1)
    e = cells.mean((-2, -1))
    return np.divide(m - e, 1 - e, out=np.zeros_like(m), where=e < 1)  # all cells: the weight cannot lie anywhere else


def gate_of(scores):
    """Return the gate for scores (..., 7): the first of `GATES` whose score is at least 1/2, else "mixed".

    Scores of one map, or their average over the maps of one head. Returns an array of str, for (7,) a str.

    >>> gate_of(gate_scores([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.8, 0.2, 0.0]]))
    'directional'
    """
    scores = as_numbers("scores", scores)
    if scores.shape[-1:] != (len(GATES),):
        raise ValueError(f"scores must have {len(GATES)} numbers in the last axis, got shape {scores.shape}")
    reached = scores >= THRESHOLD
    first = np.where(reached.any(-1), reached.argmax(-1), len(GATES))
    names = np.array([*GATES, MIXED])[first]
    return str(names) if scores.ndim == 1 else names


def gate_example(gate, n, seed=0):
    """Return a map (n, n) that is exactly this gate; if there are many, one of them, chosen by the seed.

    gate: one of `GATES`; n: 6 tokens or more. "directional": a random column; "cluster": neighbors in groups of two to
    four, each even; "instance": each token looks at one other, all different, half of them ahead, no two at each other.

    >>> gate_example("backward", 6)[:3].round(2)
    array([[1. , 0. , 0. , 0. , 0. , 0. ],
           [1. , 0. , 0. , 0. , 0. , 0. ],
           [0.5, 0.5, 0. , 0. , 0. , 0. ]])
    """
    one_of("gate", gate, GATES)
    n = whole_number("n", n, 6, "a number of tokens (an int, 6 or more)")
    rng = np.random.default_rng(check_seed("seed", seed))
    i, j = np.indices((n, n))
    if gate == "directional":
        cells = j == rng.integers(n)
    elif gate == "cluster":
        group = np.cumsum(_group_starts(n, rng))  # (n,)
        cells = group[:, None] == group
    elif gate == "instance":
        cells = j == _far_partners(n, rng)[:, None]
    else:
        backward = (j < i) | (i + j == 0)
        forward = (j > i) | (i + j == 2 * n - 2)
        cells = {"closed": i == j, "backward": backward, "forward": forward, "open": i == i}[gate]
    return cells / cells.sum(-1, keepdims=True)


def _group_starts(n, rng):
    """Mark where a group of neighbors begins: groups of two to four; what is left over joins the last one."""
    starts = np.zeros(n, bool)
    at = 0
    while n - at >= 2:
        starts[at] = True
        at += rng.integers(2, 5)
    return starts


def _far_partners(n, rng):
    """Return another token for each token, all different: as many ahead as behind (or one more), never mutual."""
    own = np.arange(n)
    while True:
        other = rng.permutation(n)
        ahead = (other > own).sum()
        if (other != own).all() and (other[other] != own).all() and n // 2 <= ahead <= (n + 1) // 2:
            return other


def without_tokens(A, places):
    """Return the map without some tokens, such as [CLS] and [SEP]: no rows, no columns; rows again sum to 1.

    A: (..., n, n); places: the tokens' numbers. Little of a row may remain, and it is scaled up: look at how much the
    columns contained before you trust the result. Raises ValueError if a row looks at nothing else, or nothing is left.

    >>> without_tokens([[0.8, 0.1, 0.1], [0.5, 0.0, 0.5], [0.5, 0.25, 0.25]], [0])
    array([[0. , 1. ],
           [0.5, 0.5]])
    """
    check_has("places", places, "places of tokens", "__iter__")
    A = _as_maps(A)
    n = A.shape[-1]
    places = [whole_number("places", place, -n, f"numbers of the {n} tokens", n - 1) for place in places]
    rest = np.delete(np.arange(n), places)
    left = A[..., rest[:, None], rest]
    totals = left.sum(-1, keepdims=True)
    if not left.size or not (totals > 0).all():
        raise ValueError("places must leave each remaining token some weight to look at")
    return left / totals


def _as_maps(A):
    A = as_numbers("A", A)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2] or A.shape[-1] < 3:
        raise ValueError(f"A must be maps (..., n, n) of three tokens or more, got shape {A.shape}")
    if A.min() < 0 or np.abs(A.sum(-1) - 1).max() > 1e-3:
        raise ValueError("A must contain weights: none below 0, and a sum of 1 in each row")
    return A
