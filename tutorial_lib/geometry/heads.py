"""What attention heads look at, in numbers: masses, patterns, hits. Source: R 10, L 3.2.5 with Fig. 8.

A head's weights on one text are a matrix A, (n, n): row i is how token i spreads its weight of 1. Almost all functions
here multiply A by a matrix B of 0 and 1 that selects keys: sum_j A_ij B_ij is the weight that token i gives to them
(Clark et al. 2019). Layers and heads are batch axes in front.
"""

from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import check_has, check_texts, whole_number
from tutorial_lib.geometry.arrays import as_array, as_labels, as_numbers
from tutorial_lib.tokenization.kinds import byte_characters
from tutorial_lib.tokenization.vocabulary import SPECIAL

# Special tokens that replace a word, so they are queries like a word.
WORDS = ("[MASK]", "[UNK]", "<mask>", "<unk>")
BEGIN = ("[CLS]", "<s>", "<|begin_of_text|>")
PADDING = ("[PAD]", "<pad>")
PATTERNS = ("vertical", "diagonal", "vertical + diagonal", "block", "heterogeneous")
# The share from which a map gets this name: tuned on one half of data/attention-maps.txt, tested on the other.
LIMITS = {"vertical": 0.4, "diagonal": 0.25, "block": 0.7}


def selectors(tokens) -> dict[str, np.ndarray]:
    """Return which keys (columns) count for which query (row): a matrix (n, n) of 0 and 1 for each kind of key.

    tokens: the n tokens of a text, including special ones. "[CLS]" counts the special token that begins a text, "[SEP]"
    those that end it, whatever the tokenizer calls them (<s> and </s> in RoBERTa). Punctuation may be written as in
    GPT-2 and Llama ("Ġ,"). "same token" is any other position with the same token.

    >>> selectors(["[CLS]", "hi", "[SEP]"])["previous"]
    array([[0., 0., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    tokens = np.asarray(check_texts("tokens", tokens, least=0), dtype=object)
    n = len(tokens)
    special = _special(tokens)
    marks = np.array([bool(text.strip()) and not any(map(str.isalnum, text)) for text in _spelled(tokens)], dtype=bool)
    begins = special & (np.isin(tokens, BEGIN) | (np.arange(n) == 0))
    ends = special & ~begins & ~np.isin(tokens, PADDING)
    columns = {"[CLS]": begins, "[SEP]": ends, "punctuation": marks & ~special}
    return {
        **{name: np.tile(np.asarray(column, dtype=float), (n, 1)) for name, column in columns.items()},
        "previous": np.eye(n, k=-1),
        "next": np.eye(n, k=1),
        "self": np.eye(n),
        "same token": (tokens[:, None] == tokens[None, :]) - np.eye(n),
    }


def head_statistics(weights, tokens) -> dict[str, np.ndarray]:
    """Measure all heads on one text: entropy, mean distance, and the mass on each kind of key, averaged over words.

    weights: (..., n, n), such as (n_layers, n_heads, n, n); tokens: n. Each result has the shape (...). The queries
    are the text's own tokens, not [CLS] and [SEP]; a mass is the mean over those queries that have such a key, NaN if
    there are none. "entropy" in nats: e to its power is the number of keys that even weights would be spread over.
    "distance" in tokens. Raises ValueError if weights do not fit, or rows do not sum to 1. Source: Clark et al. (2019).


    >>> means = head_statistics(np.eye(3)[[0, 0, 1]], ["[CLS]", "hi", "[SEP]"])  # each looks at the one before
    >>> float(means["previous"]), float(means["[CLS]"]), float(means["distance"])
    (1.0, 1.0, 1.0)
    """
    tokens = check_texts("tokens", tokens)
    A = _of_tokens(weights, "tokens", tokens)
    n = len(tokens)
    ask = ~_special(tokens)
    if not ask.any():
        raise ValueError(f"tokens must contain at least one that is not special, got {tokens}")
    rows = A[..., ask, :]
    logs = np.log(rows, out=np.zeros_like(rows), where=rows > 0)
    far = np.abs(np.arange(n)[:, None] - np.arange(n))
    means = {"entropy": -(rows * logs).sum(-1).mean(-1), "distance": (rows * far[ask]).sum(-1).mean(-1)}
    for name, B in selectors(tokens).items():
        has = ask & B.any(1)
        mass = (A * B)[..., has, :].sum(-1)  # (..., queries)
        means[name] = mass.mean(-1) if has.any() else np.full(A.shape[:-2], np.nan)
    return means


def _special(tokens) -> np.ndarray:
    """Return which tokens the tokenizer added around the text: bool (n,)."""
    return np.array([bool(SPECIAL.fullmatch(token)) and token not in WORDS for token in tokens], dtype=bool)


def _spelled(tokens) -> list[str]:
    """Return the characters of each token, whose bytes GPT-2's tokens write as letters: "Ġ," is " ,", "âĢĶ" a dash."""
    letters = {character: byte for byte, character in byte_characters().items()}
    written = "".join(token for token in tokens if not SPECIAL.fullmatch(token))
    if "Ġ" not in written or not set(written) <= set(letters):
        return [token.replace("▁", " ") for token in tokens]  # Llama's space is not a letter either way
    return [bytes(map(letters.get, token)).decode(errors="ignore") for token in tokens]


def induction_score(weights, tokens):
    """Return how much each head looks at what followed an earlier occurrence of the token: shares (...), 0 to 1.

    weights: (..., n, n), of one text, such as (n_layers, n_heads, n, n); tokens: n tokens or ids, ideally a random list
    repeated once, so that nothing else reveals the next token. For B texts, weights (B, ..., n, n) and tokens (B, n)
    give (B, ...): `torch.stack(list(trace.values()), 1)` puts a trace's texts before its layers. If a token occurred at
    earlier positions j, its score is the weight that it gives to the positions j + 1, up to its own; the result is the
    mean over the tokens that occurred before. NaN if none did. For m different tokens said twice, attention that is
    even over all tokens so far scores about ln(2) / m: 0.035 for m = 20. Raises ValueError if weights and tokens do not
    fit. Source: Olsson et al. 2022, "In-context learning and induction heads".

    >>> A = np.zeros((4, 4))
    >>> A[[0, 1, 2, 3], [0, 0, 1, 2]] = 1  # the second "a" looks at the first "b", the second "b" at the second "a"
    >>> float(induction_score(A, ["a", "b", "a", "b"]))
    1.0
    """
    check_has("tokens", tokens, "the tokens or ids of a text", "__len__")
    if np.ndim(as_array("tokens", tokens)) == 2:  # a row for each text
        A = _as_weights(weights)
        if A.ndim < 3 or len(A) != len(tokens):
            must = f"those of {len(tokens)} texts, as tokens are, ({len(tokens)}, ..., n, n)"
            raise ValueError(f"weights must be {must}, got shape {A.shape}")
        return np.stack([induction_score(*text) for text in zip(A, tokens)])
    A = _of_tokens(weights, "tokens", tokens)
    n = len(tokens)
    _, same = np.unique(np.asarray(tokens), return_inverse=True)
    before = np.tril(same[:, None] == same, -1)  # (n, n): which earlier positions have this token
    B = np.zeros((n, n), dtype=bool)
    B[:, 1:] = before[:, :-1]  # the place after
    asks = before.any(1)
    return (A * B)[..., asks, :].sum(-1).mean(-1) if asks.any() else np.full(A.shape[:-2], np.nan)


def word_weights(weights, word_of, n_words):
    """Turn attention between tokens into attention between words: (..., n, n) -> (..., n_words, n_words).

    word_of: the word number of each token, None for special tokens, which are left out. To a word: the sum over its
    pieces; from a word: the mean over them (Clark et al. 2019). Rows add up to 1 minus the special tokens' share. A
    word without a token gets zeros.

    >>> word_weights(np.full((3, 3), 1 / 3), [None, 0, 0], 1).round(2)
    array([[0.67]])
    """
    check_has("word_of", word_of, "the number of each token's word", "__len__")
    n_words = whole_number("n_words", n_words, 1, "a number of words, 1 or more")
    A = _of_tokens(weights, "word_of", word_of)
    M = np.zeros((len(word_of), n_words))  # which token is a piece of which word
    for token, word in enumerate(word_of):
        if word is not None:
            M[token, word] = 1
    return (M / np.maximum(M.sum(0), 1)).T @ A @ M


def hits(weights, pairs):
    """Return, for each pair (asks, looked for), whether the asking word gives that word the most: bool (..., pairs).

    weights: between words, (..., n, n), from `word_weights`. The weight that a word gives itself does not count.

    >>> hits([[0.5, 0.2, 0.3], [0, 1, 0], [0.6, 0.1, 0.3]], [(0, 2), (2, 1)]).tolist()
    [True, False]
    """
    A = as_numbers("weights", weights).copy()
    if A.ndim < 2:
        raise ValueError(f"weights must be (..., n, n), got shape {A.shape}")
    A[..., np.arange(A.shape[-1]), np.arange(A.shape[-1])] = -1
    best = A.argmax(-1)  # (..., n): of two that are equal, the first
    asks, wanted = _as_pairs(pairs, A.shape[-1])
    return best[..., asks] == wanted


def _as_pairs(pairs, n=None):
    """Return pairs of whole numbers as two arrays; with n, they must be numbers of words, from 0 to n - 1."""
    array = as_numbers("pairs", pairs)
    if array.size and (array.ndim != 2 or array.shape[1] != 2):
        raise ValueError(f"pairs must be (which word asks, which it looks for), got shape {array.shape}")
    low, high = (-np.inf, np.inf) if n is None else (0, n - 1)
    wrong = array[(array < low) | (array > high) | (array % 1 != 0)]
    if wrong.size:
        raise ValueError(f"pairs must contain whole numbers{'' if n is None else f' in 0..{high}'}, got {wrong[0]:g}")
    return array.astype(int).reshape(-1, 2).T


def offset_hits(pairs, offsets):
    """Return whether always looking that many words ahead finds the word: bool (offsets, pairs).

    >>> offset_hits([(0, 1), (3, 2)], [-1, 1]).tolist()
    [[False, True], [True, False]]
    """
    asks, wanted = _as_pairs(pairs)
    offsets = as_numbers("offsets", offsets)
    if offsets.ndim != 1:
        raise ValueError(f"offsets must be a list of whole numbers, got shape {offsets.shape}")
    return offsets[:, None] == (wanted - asks)[None]


def sign_test(one, other):
    """Test cases that one gets right and the other wrong, or the reverse: could a coin have decided? p, one-sided.

    one, other: bool (..., n), right or wrong on the same n cases. p is the probability that `one` wins this many or
    more of the cases in which they differ; a small p means that `one` is better. Exact. Source: McNemar (1947).

    >>> float(sign_test([True, True, True, True], [True, False, False, False]))
    0.125
    """
    one, other = (as_numbers(name, cases) for name, cases in (("one", one), ("other", other)))
    for name, cases in (("one", one), ("other", other)):
        if not cases.ndim or cases.shape[-1] != one.shape[-1] or not np.isin(cases, (0, 1)).all():
            shapes = f"{one.shape} and {other.shape}"
            raise ValueError(f"{name} must be True or False for each of the same cases, got shapes {shapes}")
    from scipy.stats import binom

    one, other = one.astype(bool), other.astype(bool)
    wins = (one & ~other).sum(-1)
    losses = (other & ~one).sum(-1)
    return binom.sf(wins - 1, wins + losses, 0.5)


class MapShares(NamedTuple):
    """The shares that `attention_pattern` uses, each from 0 to 1 and with the shape of the heads."""

    vertical: np.ndarray
    diagonal: np.ndarray
    block: np.ndarray


def map_shares(weights, segments=None):
    """Measure how vertical, diagonal and block-like a map is: three shares that can be read from the picture.

    vertical: the mean weight on the two columns that get the most, together. In the rest, without these two columns:
    diagonal, the share on the best diagonal of five, from two tokens before to two after; block, the share that stays
    among the tokens of its own sentence, 0 if there is one sentence. segments: 0 or 1 for each token.

    >>> shares = map_shares(np.eye(4))
    >>> float(shares.diagonal), float(shares.vertical)
    (1.0, 0.5)
    """
    A = _as_weights(weights)
    n = A.shape[-1]
    two = np.argsort(-A.mean(-2), axis=-1, kind="stable")[..., None, :2]  # (..., 1, 2)
    two = np.broadcast_to(two, (*A.shape[:-1], 2))
    vertical = np.take_along_axis(A, two, -1).sum(-1).mean(-1)
    rest = A.copy()
    np.put_along_axis(rest, two, 0, -1)
    total = rest.sum((-2, -1))

    def share(part):
        return np.divide(part, total, out=np.zeros_like(total), where=total > 1e-9)

    diagonal = share(np.max([np.diagonal(rest, k, -2, -1).sum(-1) for k in range(-2, 3) if abs(k) < n], axis=0))
    _, segments = (None, np.zeros(n, dtype=int)) if segments is None else as_labels("segments", segments, n)
    if len(set(segments.tolist())) < 2:
        return MapShares(vertical, diagonal, np.zeros_like(total))
    return MapShares(vertical, diagonal, share((rest * (segments[:, None] == segments)).sum((-2, -1))))


def attention_pattern(weights, segments=None, limits=LIMITS):
    """Name which of Kovaleva's five patterns a map is, by a rule that can be followed by hand: an array of names.

    With the three shares of `map_shares`: 1. diagonal, if that share reaches its limit, and vertical + diagonal if the
    vertical one does, too; 2. else block; 3. else vertical; 4. else heterogeneous. Source: Kovaleva et al. (2019), L
    Fig. 8, who name the patterns and let people label them; the rule is this book's own.

    >>> attention_pattern(np.eye(6))
    'diagonal'
    """
    shares = map_shares(weights, segments)
    check_has("limits", limits, f"a dictionary with {', '.join(MapShares._fields)}", "keys")
    if not set(MapShares._fields) <= set(limits):
        raise ValueError(f"limits must have {', '.join(MapShares._fields)}, got {', '.join(map(str, limits))}")
    vertical, diagonal, block = (getattr(shares, name) >= limits[name] for name in MapShares._fields)
    names = np.full(vertical.shape, PATTERNS[4], dtype=object)
    names[vertical] = PATTERNS[0]
    names[block] = PATTERNS[3]
    names[diagonal] = PATTERNS[1]
    names[diagonal & vertical] = PATTERNS[2]
    return names if names.ndim else names.item()


def weighted_norms(weights, values, up):
    """Measure how far each key moves each query: |a_ij v_j W_O|, (..., h, n, n). A weight on a short value does little.

    weights: (..., h, n, n). values: (..., h, n, d_k), their bias included; up: (h, d_k, d_model), each head's rows of
    W_O. Source: Kobayashi et al. (2020).

    >>> weighted_norms([[[0.5, 0.5]]], [[[3.0, 4.0], [0.0, 0.0]]], [np.eye(2)]).tolist()
    [[[2.5, 0.0]]]
    """
    A = as_numbers("weights", weights)
    V = as_numbers("values", values)
    U = as_numbers("up", up)
    if min(A.ndim, V.ndim, U.ndim) < 2 or A.shape[-1] != V.shape[-2] or V.shape[-1] != U.shape[-2]:
        got = f"{A.shape}, {V.shape} and {U.shape}"
        raise ValueError(f"weights, values, up must be (..., n, m), (..., m, d_k), (..., d_k, d_model), got {got}")
    return A * np.linalg.norm(V @ U, axis=-1)[..., None, :]


def _of_tokens(weights, name, tokens):
    """Return the weights of one text, after checking that they belong to these tokens."""
    A = _as_weights(weights)
    if A.ndim > 4:  # one axis too many: several texts
        raise ValueError(f"weights must belong to one text, at most (n_layers, n_heads, n, n), got shape {A.shape}")
    if len(tokens) != A.shape[-1]:
        raise ValueError(f"{name} must have one token per column of the weights, {A.shape[-1]}, got {len(tokens)}")
    return A


def _as_weights(weights):
    A = as_numbers("weights", weights)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ValueError(f"weights must be (..., n, n), a row for each query, got {A.shape}")
    if not np.allclose(A.sum(-1), 1, atol=1e-3):
        raise ValueError("weights must sum to 1 in each row. Pass the weights of one text, without padding")
    return A
