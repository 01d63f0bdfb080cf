"""Llama, a decoder of 2023: `gpt.GPT` with other parts, each a few lines.

The differences from GPT-2: positions rotate queries and keys (`positions.rotary`) and are not added to anything;
`RMSNorm` replaces LayerNorm; the feed-forward has a gate; several queries share one key and value
(`attention.shared_heads`); most linear maps have no bias. The order of a layer, the mask and the cache are GPT's.
`llama.Llama` is a `gpt.GPT`, so functions that take one take the other. Sources: Touvron et al. (2023); Su et al.
(2021); Zhang and Sennrich (2019); Shazeer (2020); Ainslie et al. (2023).
"""

import math
from dataclasses import dataclass

import torch
from torch import nn

from tutorial_lib import arguments, gpt
from tutorial_lib.activations import GATES
from tutorial_lib.bert import initialize
from tutorial_lib.positions import Rope
from tutorial_lib.trace import nothing
from tutorial_lib.weights.names import shape_of


@dataclass(frozen=True)
class Config:
    """The numbers that define a Llama's shape. The defaults are those of Llama 2's smallest, 7 billion parameters.

    n_kv_heads: how many heads have keys and values; the queries share them (None: as many as n_heads). d_k: the width
    of a head (None: d_model / n_heads). n_positions: how long texts were in training; longer texts are accepted, but
    untested. rope: how fast the pairs rotate. attention_bias, mlp_bias: whether the linear maps of attention and of the
    feed-forward have biases. tied: whether the unembedding is the table of tokens.

    Raises ValueError if n_heads is not a multiple of n_kv_heads, or d_k is odd: coordinates are rotated in pairs.

    >>> Config(vocab_size=128_256, n_kv_heads=8, d_ff=14_336, rope=Rope(500_000.0)).d_k
    128
    """

    vocab_size: int = 32_000
    d_model: int = 4_096
    n_layers: int = 32
    n_heads: int = 32
    n_kv_heads: int | None = None
    d_k: int | None = None
    d_ff: int = 11_008
    n_positions: int = 2_048
    rope: Rope = Rope()
    activation: str = "silu"
    eps: float = 1e-6
    attention_bias: bool = False
    mlp_bias: bool = False
    tied: bool = False
    norm_first = True  # always as in GPT-2

    def __post_init__(self):
        arguments.one_of("activation", self.activation, GATES)
        arguments.check_config(self, from_0=("n_layers",))
        arguments.check_has("rope", self.rope, "a positions.Rope", "frequencies")
        if self.n_kv_heads is None:
            object.__setattr__(self, "n_kv_heads", self.n_heads)
        if self.d_k is None:
            object.__setattr__(self, "d_k", self.d_model // self.n_heads)
        arguments.check_groups(self.n_heads, self.n_kv_heads)
        arguments.even_width("d_k", self.d_k)

    @classmethod
    def from_hf(cls, settings):
        """Return the shape described by the dictionary of a Llama's `config.json`, from transformers 4 or 5.

        Raises ValueError for models that these classes do not compute: other families, other activations, and positions
        that are neither plain nor scaled as "linear" or "llama3" (see `positions.Rope`).

        >>> Config.from_hf({"model_type": "llama", "rope_theta": 500_000.0}).rope
        Rope(base=500000.0, factor=1.0, low=None, high=None, n_trained=None)
        """
        shape = shape_of(settings, "Llama")
        return cls(**shape | {"rope": Rope(**shape["rope"])})


def rms_norm(x, gamma, eps):
    """Give each vector a root mean square of 1, then scale each coordinate. The shape (..., d_model) stays.

    LayerNorm without the mean and without beta: a part shared by all coordinates stays in. It computes two sums fewer.
    Source: Zhang and Sennrich (2019), equation 4; eps prevents division by 0 for a vector of zeros.

    >>> rms_norm(torch.tensor([1.0, 7.0]), torch.ones(2), 0.0)
    tensor([0.2000, 1.4000])
    """
    arguments.check_tensors(x=x, gamma=gamma)
    arguments.real_number("eps", eps, "a number, 0 or more", 0)
    X = arguments.wide(x)
    return gamma * (X * torch.rsqrt(X.square().mean(-1, keepdim=True) + eps)).to(x.dtype)


class RMSNorm(nn.Module):
    """`rms_norm` with its learned scale, which begins at 1."""

    def __init__(self, d_model, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, X):
        return rms_norm(X, self.weight, self.eps)


class Embeddings(nn.Module):
    """Each token's row of a learned table, and nothing else: positions enter when attention compares."""

    def __init__(self, config):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)

    def forward(self, ids, places, keep=nothing):
        return keep("output", self.tokens(ids))  # (B, n, d_model)


class GatedFeedForward(nn.Module):
    """Two maps of each token, multiplied, and one back: (activation(X W_gate) * (X W_1)) W_2.

    The gate says how much of each hidden number passes. With silu it is SwiGLU, with GELU it is GeGLU. There are three
    matrices instead of two, so d_ff is two thirds as large at equal size. Source: Shazeer (2020).
    """

    def __init__(self, config):
        super().__init__()
        self.W_gate = nn.Linear(config.d_model, config.d_ff, bias=config.mlp_bias)
        self.W_1 = nn.Linear(config.d_model, config.d_ff, bias=config.mlp_bias)
        self.W_2 = nn.Linear(config.d_ff, config.d_model, bias=config.mlp_bias)
        self.activation = GATES[config.activation]

    def forward(self, X, keep=nothing):
        gate = keep("gate", self.activation(self.W_gate(X)))  # (B, n, d_ff)
        hidden = keep("hidden", self.W_1(X))  # (B, n, d_ff)
        return keep("feed_forward", self.W_2(keep("activation", gate * hidden)))  # (B, n, d_model)


class Layer(gpt.Layer):
    """GPT-2's layer with other parts: normalize, attend, add; normalize, feed forward, add."""

    @staticmethod
    def parts(config):
        c = config
        norms = [RMSNorm(c.d_model, c.eps) for _ in range(2)]
        heads = gpt.CachedAttention(c.d_model, c.n_heads, None, c.n_kv_heads, c.d_k, c.attention_bias)
        return norms[0], heads, norms[1], GatedFeedForward(c)


class Llama(gpt.GPT):
    """A decoder of Llama's shape; see `Config`. Call, trace, load and sample from it as from a `gpt.GPT`.

    >>> llama = Llama(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=4, n_kv_heads=2, d_ff=16))
    >>> logits, cache = llama([[5, 6, 7]])
    >>> next_logits, cache = llama([[8]], cache)  # one more token: the first three are not computed again
    >>> next_logits.shape, cache[0][0].shape
    (torch.Size([1, 1, 100]), torch.Size([1, 2, 4, 2]))
    """

    config_class = Config
    family = "Llama"
    parts = Embeddings, Layer, RMSNorm
    reach = math.inf  # positions have no table that could end

    def initialize(self):
        """Draw all weights with one standard deviation, from a normal distribution, as BERT's are."""
        initialize(self)

    def angles(self, places):
        """Return the angles that rotate queries and keys, (B or 1, 1, n, d_k / 2), for all heads."""
        return self.config.rope.angles(places, self.config.d_k)[:, None]

    @arguments.also_input_ids
    def trace(self, ids, attention_mask=None, keep=nothing, gradients=False, only=None):
        """Run the model and keep every intermediate value: a dict from name to tensor, in the order of computation.

        keep: changes them (`trace.change`). gradients: each value keeps its own, for a `backward()`. only: the names or
        patterns of the values to keep. The result prints names and shapes.

        embeddings.output                                (B, n, d_model): the tokens' rows, no positions
        layer.0.attention_norm                           (B, n, d_model): what attention reads
        layer.0.attention.queries, .rotated_queries      (B, n_heads, n, d_k)
        layer.0.attention.keys, .values, .rotated_keys   (B, n_kv_heads, n, d_k)
        layer.0.attention.scores, .weights               (B, n_heads, n, n); masked scores are -inf
        layer.0.attention.heads                          (B, n_heads, n, d_k)
        layer.0.attention.concat                         (B, n, n_heads * d_k)
        layer.0.attention.output                         (B, n, d_model)
        layer.0.attention_sum, .norm                     (B, n, d_model): input + output; what feed-forward reads
        layer.0.gate, .hidden, .activation               (B, n, d_ff): activation(X W_gate), X W_1, their product
        layer.0.feed_forward, .output                    (B, n, d_model); likewise for layers 1, 2, ...
        norm (B, n, d_model), logits (B, n, vocab_size)

        >>> llama = Llama(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=4, n_kv_heads=1, d_ff=16))
        >>> trace = llama.trace([[5, 6, 7]])
        >>> trace["layer.1.attention.keys"].shape, trace["layer.1.attention.weights"].shape
        (torch.Size([1, 1, 3, 2]), torch.Size([1, 4, 3, 3]))
        """
        return super().trace(ids, attention_mask, keep, gradients, only)
