"""Attention: softmax, scaled dot products, masks (causal, padding, window), many heads.

Sources: R 4-9; L 3.2.5-3.2.8.

One shape convention applies throughout: the last axis contains a vector's coordinates, the one before it counts tokens,
and anything in front (sentences, heads) is a batch axis. A mask is boolean, and True means "may attend".
"""

import torch
from torch import nn
from torch.nn import functional as F

from tutorial_lib import arguments
from tutorial_lib.trace import nothing


def softmax(z, dim=-1, temperature=1.0):
    """Turn scores into positive weights that sum to 1: exp(z_i / T) divided by the sum of all exp(z_j / T).

    Subtracting the largest score first does not change the result (numerator and denominator shrink by the same factor)
    and keeps exp from overflowing. `-inf` scores get weight exactly 0.

    z: of any shape; dim: the axis whose weights sum to 1; temperature: above 0 (small: sharp, large: even).
    Source: R 8.1 (eq. 27); temperature: N 3.3.

    >>> softmax(torch.tensor([0.0, 0.0, float("-inf")]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    arguments.check_tensors(z=z)
    exp_z = torch.exp((z - arguments.largest_score("z", z, dim)) / arguments.divisor(temperature, z.dtype))
    return exp_z / exp_z.sum(dim, keepdim=True)


def scores(Q, K):
    """Score how well each query fits each key: Q K^T / sqrt(d_k), shape (..., n_q, n_k). Source: R 7.1-7.2, L 3.2.5.

    >>> scores(torch.ones(1, 4), torch.ones(3, 4))
    tensor([[2., 2., 2.]])
    """
    arguments.check_attention(Q, K, K, None)
    d_k = Q.shape[-1]
    return Q @ K.transpose(-2, -1) * d_k**-0.5


def attention(Q, K, V, mask=None, fused=False, keep=nothing):
    """Compute scaled dot-product attention: softmax(Q K^T / sqrt(d_k)) V.

    Args:
        Q, K, V: (..., n_q, d_k), (..., n_k, d_k) and (..., n_k, d_v).
        mask: boolean, broadcasts to (..., n_q, n_k); True means that the query may attend to the key.
        fused: use torch's fused kernel, which never stores the weights: they are returned as None.
        keep: `keep(name, value)` gets the scores and the weights (see `tutorial_lib.trace`).

    Returns:
        The output (..., n_q, d_v) and the weights (..., n_q, n_k).

    Raises:
        ValueError if shapes do not fit or a query may attend to nothing, TypeError if the mask is not boolean.

    Source: R 7.1 (eq. 19), R 8.4; L 3.2.5.

    >>> X = torch.eye(2)
    >>> output, weights = attention(X, X, X, mask=causal_mask(2))
    >>> weights
    tensor([[1.0000, 0.0000],
            [0.3302, 0.6698]])
    """
    arguments.check_attention(Q, K, V, mask, keep)
    if fused:
        return F.scaled_dot_product_attention(Q, K, V, attn_mask=mask), None
    S = scores(Q, K)  # (..., n_q, n_k)
    if mask is not None:
        S = S.masked_fill(~mask, -torch.inf)
    A = torch.softmax(keep("scores", S), dim=-1)  # our softmax, but with the rounding of Hugging Face's models
    return keep("weights", A) @ V, A


def shared_heads(X, n_heads):
    """Repeat keys or values, (..., n_kv_heads, n, d_k), for each head of the queries, (..., n_heads, n, d_k).

    Neighboring heads share: of six heads, with two heads here, the first three use the first. One head for all is
    multi-query attention (Shazeer, 2019); several are grouped queries (Ainslie et al., 2023). The cache of earlier
    tokens shrinks by n_heads / n_kv_heads. Raises ValueError if n_heads is not a multiple of n_kv_heads.

    >>> shared_heads(torch.tensor([[[1.0]], [[2.0]]]), 4).flatten()
    tensor([1., 1., 2., 2.])
    """
    arguments.check_tensors(X=X)
    if X.ndim < 3:
        raise ValueError(f"X must be (..., n_kv_heads, n, d_k), got {tuple(X.shape)}")
    n_kv_heads = X.shape[-3]
    arguments.check_groups(n_heads, n_kv_heads)
    return X if n_heads == n_kv_heads else X.repeat_interleave(n_heads // n_kv_heads, dim=-3)


def causal_mask(n, device=None, n_past=0):
    """Return the mask of a decoder, (n, n): token i may attend to tokens 0..i, never to later ones. Source: L 3.2.7.

    With n_past, the n new tokens come after n_past others, which all of them may attend to: (n, n_past + n).

    >>> causal_mask(3).int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    >>> causal_mask(2, n_past=1).int()
    tensor([[1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    n = arguments.whole_number("n", n, 0, "a number of tokens", 100_000)
    n_past = arguments.whole_number("n_past", n_past, 0, "a number of tokens", 100_000)
    return torch.ones(n, n_past + n, dtype=torch.bool, device=device).tril(n_past)


def padding_mask(attention_mask):
    """Turn a tokenizer's 1s and 0s, (..., n), into a mask over keys, (..., 1, 1, n): no token may attend to padding.

    The two axes of length 1 are for heads and queries, which all share the mask. Source: R 11.1.

    >>> padding_mask([[1, 1, 0]])
    tensor([[[[ True,  True, False]]]])
    """
    return arguments.as_attention_mask("attention_mask", attention_mask)[..., None, None, :]


def padded(texts, pad=0):
    """Pad lists of ids on the right into one batch: ids (B, longest), and a mask with 1 for a token, 0 for padding.

    Raises ValueError if there is no text, or an empty one.

    >>> padded([[5, 6, 7], [8]])
    (tensor([[5, 6, 7],
            [8, 0, 0]]), tensor([[1, 1, 1],
            [1, 0, 0]]))
    """
    lengths = arguments.check_id_lists("texts", texts)
    pad = arguments.whole_number("pad", pad, 0, "the id of padding, 0 or more")
    ids = [list(text) + [pad] * (max(lengths) - len(text)) for text in texts]
    return torch.tensor(ids), (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()


def window_mask(n, m):
    """Return the mask (n, n) of a window: each token may attend to itself and to m tokens on each side.

    >>> window_mask(4, 1).int()
    tensor([[1, 1, 0, 0],
            [1, 1, 1, 0],
            [0, 1, 1, 1],
            [0, 0, 1, 1]], dtype=torch.int32)
    """
    i = torch.arange(arguments.whole_number("n", n, 0, "a number of tokens", 100_000))
    return (i[:, None] - i).abs() <= arguments.whole_number("m", m, 0, "a number of tokens, 0 or more")


def window_attention(Q, K, V, m):
    """Compute attention in a window of m tokens on each side, with time and memory n m instead of n²: (..., n, d_v).

    The queries are cut into blocks of m; a block and its two neighbors contain all keys that it may see. Equal to
    `attention(Q, K, V, window_mask(n, m))` up to rounding. Source: Beltagy et al. (2020), section 3.1.

    >>> Q, K, V = torch.randn(3, 10, 4)
    >>> torch.allclose(window_attention(Q, K, V, 3), attention(Q, K, V, window_mask(10, 3))[0], atol=1e-6)
    True
    """
    arguments.check_attention(Q, K, V, None)
    n = Q.shape[-2]
    n_blocks = -(-n // arguments.whole_number("m", m, 1, "a number of tokens, 1 or more"))
    rest = n_blocks * m - n
    Q = F.pad(Q, (0, 0, 0, rest)).unflatten(-2, (n_blocks, m))  # (..., n_blocks, m, d_k)
    K, V = (F.pad(X, (0, 0, m, m + rest)).unfold(-2, 3 * m, m).transpose(-2, -1) for X in (K, V))
    i = torch.arange(n_blocks * m, device=Q.device).view(n_blocks, m, 1)  # K, V: (..., n_blocks, 3 m, d_k)
    j = i[:, :1] + torch.arange(-m, 2 * m, device=Q.device)  # (n_blocks, 1, 3 m)
    mask = ((i - j).abs() <= m) & (j >= 0) & (j < n)  # (n_blocks, m, 3 m)
    output, _ = attention(Q, K, V, mask)
    return output.flatten(-3, -2)[..., :n, :]


class MultiHeadAttention(nn.Module):
    """Attention with several heads: split, attend, concatenate, project.

    Each head works in d_k dimensions (None: d_model / n_heads). If `memory` is given, keys and values come from it, and
    its vectors have d_memory coordinates (cross-attention); otherwise everything comes from X (self-attention).
    n_kv_heads: how many heads have keys and values, which the queries share (None: as many as n_heads). The four maps
    are `torch.nn.Linear`s, with or without a bias, which store a matrix transposed: `W_Q.weight` is (n_heads * d_k,
    d_model). Source: R 9.2-9.3 (eqs. 41-44), L 3.2.5-3.2.7.

    >>> mha = MultiHeadAttention(d_model=8, n_heads=2)
    >>> output, weights = mha(torch.zeros(1, 5, 8))
    >>> output.shape, weights.shape
    (torch.Size([1, 5, 8]), torch.Size([1, 2, 5, 5]))
    """

    def __init__(self, d_model, n_heads, d_memory=None, n_kv_heads=None, d_k=None, bias=True):
        super().__init__()
        self.d_memory = d_model if d_memory is None else d_memory
        self.n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        arguments.check_sizes(d_model=d_model, n_heads=n_heads, d_memory=self.d_memory, n_kv_heads=self.n_kv_heads)
        if d_k is None and d_model % n_heads:
            raise ValueError(f"d_model must be a multiple of n_heads, got d_model={d_model} and n_heads={n_heads}")
        arguments.check_groups(n_heads, self.n_kv_heads)
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads if d_k is None else d_k
        arguments.check_sizes(d_k=self.d_k)
        self.W_Q = nn.Linear(d_model, n_heads * self.d_k, bias=bias)
        self.W_K = nn.Linear(self.d_memory, self.n_kv_heads * self.d_k, bias=bias)
        self.W_V = nn.Linear(self.d_memory, self.n_kv_heads * self.d_k, bias=bias)
        self.W_O = nn.Linear(n_heads * self.d_k, d_model, bias=bias)

    def forward(self, X, memory=None, mask=None, fused=False, keep=nothing):
        """Map X (..., n, d_model), memory (..., m, d_memory) to (..., n, d_model), and weights (..., n_heads, n, m)."""
        Q = self.queries(X, keep)  # (..., n_heads, n, d_k)
        K, V = self.keys_and_values(X if memory is None else memory, keep)  # (..., n_kv_heads, m, d_k)
        return self.attend(Q, K, V, mask, fused, keep)

    def queries(self, X, keep=nothing):
        """Compute each head's query for each token: (..., n, d_model) -> (..., n_heads, n, d_k)."""
        return keep("queries", self.split(self.W_Q(X)))

    def keys_and_values(self, memory, keep=nothing):
        """Compute each head's keys and values: (..., m, d_memory) -> twice (..., n_kv_heads, m, d_k)."""
        return keep("keys", self.split(self.W_K(memory))), keep("values", self.split(self.W_V(memory)))

    def attend(self, Q, K, V, mask=None, fused=False, keep=nothing):
        """Attend in each head, then concatenate the heads and apply W_O: the output and the weights."""
        K, V = shared_heads(K, self.n_heads), shared_heads(V, self.n_heads)  # (..., n_heads, m, d_k)
        heads, A = attention(Q, K, V, mask, fused, keep)  # (..., n_heads, n, d_k)
        concat = keep("concat", self.join(keep("heads", heads)))  # (..., n, n_heads * d_k)
        return keep("output", self.W_O(concat)), A

    def split(self, X):
        """Split (..., n, heads * d_k) -> (..., heads, n, d_k): each head gets its own slice of the coordinates."""
        return X.unflatten(-1, (X.shape[-1] // self.d_k, self.d_k)).transpose(-3, -2)

    def join(self, heads):
        """Concatenate the heads' outputs: (..., n_heads, n, d_k) -> (..., n, n_heads * d_k)."""
        return heads.transpose(-3, -2).flatten(-2)

    def value_map(self, h):
        """Return head h's map from a vector to its update, in two factors: down (d_memory, d_k) and up (d_k, d_model).

        A row vector x is moved by (x @ down) @ up, plus biases. Together they are one d_memory x d_model matrix of rank
        at most d_k. Source: L 3.2.5, L 3.3.2.
        """
        of_head, of_shared = self._coordinates(h)
        return self.W_V.weight[of_shared].T, self.W_O.weight[:, of_head].T

    def score_map(self, h):
        """Return head h's comparison of two vectors, in two factors: W_Q (d_model, d_k) and W_K^T (d_k, d_memory).

        Without biases, and if nothing rotates queries and keys, x scores y by x @ W_Q @ W_K^T @ y / sqrt(d_k).
        Source: L 3.2.5.
        """
        of_head, of_shared = self._coordinates(h)
        return self.W_Q.weight[of_head].T, self.W_K.weight[of_shared]

    def _coordinates(self, h):
        """Return the slices of head h: of n_heads * d_k coordinates, and of n_kv_heads * d_k, which heads may share."""
        h = arguments.whole_number("h", h, 0, f"a head from 0 to {self.n_heads - 1}", self.n_heads - 1)
        return (slice(i * self.d_k, (i + 1) * self.d_k) for i in (h, h * self.n_kv_heads // self.n_heads))

    def head_updates(self, X, memory=None, mask=None):
        """Compute what each head adds to each token: (..., n_heads, n, d_model).

        Their sum over the heads, plus W_O's bias, is the output: to concatenate and project is to add up.
        Here each head maps its d_k numbers to d_model after the weighted sum. Source: L 3.2.1 (4a), L 3.2.6.
        """
        K, V = self.keys_and_values(X if memory is None else memory)  # (..., n_kv_heads, m, d_k)
        K, V = shared_heads(K, self.n_heads), shared_heads(V, self.n_heads)  # (..., n_heads, m, d_k)
        heads, _ = attention(self.queries(X), K, V, mask)  # (..., n_heads, n, d_k)
        up = self.W_O.weight.T.unflatten(0, (self.n_heads, self.d_k))  # (n_heads, d_k, d_model)
        return heads @ up  # (..., n_heads, n, d_model)
