"""The right answers of assignment 2: softmax, attention, masks, ALiBi and positions (RoPE is `rotate`), in NumPy."""

import math as math

import numpy as np

POWER, BASE = 1, 500.0
RULES = {
    ("near_attention",): {
        "POWER": (POWER, 2, 0.5, 1.5, 3),
        "DISTANCE": ("|i - j|", "|i - j|^2", "|i - j|^{1/2}", "|i - j|^{3/2}", "|i - j|^3"),
    },
    ("sinusoidal", "shift_matrix", "rotate"): {"BASE": (BASE, 50.0, 2000.0, 50_000.0, 1_000_000.0)},
}
DISTANCE = "|i - j|"


def softmax(x):
    """The right answer: over the last axis, with the largest score taken off first."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(Q, K, V, mask=None):
    """The right answer: weighted sums of the rows of V, and the weights. mask: True where a query may attend."""
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights


def causal_mask(n):
    """The right answer: True on and below the diagonal."""
    return np.tril(np.ones((n, n), dtype=bool))


def near_attention(Q, K, V, slopes, mask=None):
    """The right answer: attention where each head takes its slope times a power of the distance of two tokens off."""
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (n_heads, n, n)
    places = np.arange(Q.shape[-2])
    steps = places - places[:, None]  # (n, n): key minus query
    far = abs(steps) ** POWER
    scores = scores - slopes[:, None, None] * far
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights


def sinusoidal(n, d_model):
    """The right answer: sines in the even columns, cosines of the same angles in the odd ones."""
    exponents = np.arange(0, d_model, 2) / d_model  # (d_model / 2,)
    angles = np.arange(n)[:, None] * BASE**-exponents  # (n, d_model / 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, -1)


def shift_matrix(k, d_model):
    """The right answer: a rotation by k * frequency for each pair of columns, so that PE(pos + k) = M PE(pos)."""
    M = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        angle = k * BASE ** (-i / d_model)
        sine, cosine = np.sin(angle), np.cos(angle)
        M[i : i + 2, i : i + 2] = [[cosine, sine], [-sine, cosine]]
    return M


def rotate(X, positions):
    """The right answer: each pair of columns turned by the position of its row times the frequency of the pair."""
    d = X.shape[-1]
    frequencies = BASE ** (-np.arange(0, d, 2) / d)  # (d / 2,)
    angles = positions[:, None] * frequencies  # (n, d / 2)
    x, y = X[..., 0::2], X[..., 1::2]
    even = x * np.cos(angles) - y * np.sin(angles)
    odd = x * np.sin(angles) + y * np.cos(angles)
    return np.stack([even, odd], axis=-1).reshape(X.shape)
