"""ModernBERT: BERT's task with a decoder's parts, and windows in two of three layers, for texts of thousands of tokens.

The differences from `bert.Bert`: the parts are Llama's (rotary positions, a gated feed-forward, no bias), with
LayerNorm; the norm comes before each part and again at the end; there are no segments and no table of positions. Only
every third layer attends to all tokens, the others in a window, and their pairs rotate faster. Source: Warner et al.
(2024).

As in `tutorial_lib.bert`, dropout, which does nothing in use, is left out.
"""

from dataclasses import dataclass

import torch
from torch import nn

from tutorial_lib import arguments, gpt
from tutorial_lib.activations import GATES
from tutorial_lib.attention import padding_mask, window_mask
from tutorial_lib.llama import GatedFeedForward
from tutorial_lib.positions import Rope
from tutorial_lib.trace import checked, inside, nothing, traced
from tutorial_lib.weights import checkpoints
from tutorial_lib.weights.names import our_weights, shape_of

PARTS = ("embeddings.", "layer.", "norm.", "mlm.")  # other prefixes belong to the head of another task


@dataclass(frozen=True)
class Config:
    """The numbers that define a ModernBERT's shape. The defaults are those of ModernBERT-base.

    window: how many tokens on each side a local layer sees. global_every: with 3, every third layer, starting with the
    first, sees all tokens. rope, local_rope: how fast the pairs rotate in global and in local layers. n_positions: how
    long texts were in training; longer texts are accepted. norm_bias, attention_bias, mlp_bias: whether these parts
    have biases.

    Raises ValueError if d_model is not a multiple of n_heads, or d_model / n_heads is odd: coordinates rotate in pairs.

    >>> with torch.device("meta"):  # shapes only
    ...     sum(p.numel() for p in ModernBert(Config()).parameters())
    149014272
    """

    vocab_size: int = 50_368
    d_model: int = 768
    n_layers: int = 22
    n_heads: int = 12
    d_ff: int = 1_152
    n_positions: int = 8_192
    window: int = 64
    global_every: int = 3
    rope: Rope = Rope(160_000.0)
    local_rope: Rope = Rope(10_000.0)
    activation: str = "gelu"
    eps: float = 1e-5
    norm_bias: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False
    norm_first = True  # always as in GPT-2

    def __post_init__(self):
        arguments.one_of("activation", self.activation, GATES)
        arguments.check_config(self, from_0=("n_layers", "window"))
        for name in ("rope", "local_rope"):
            arguments.check_has(name, getattr(self, name), "a positions.Rope", "frequencies")
        if self.d_model % self.n_heads:
            raise ValueError(f"d_model must be a multiple of n_heads, {self.n_heads}, got {self.d_model}")
        arguments.even_width("d_model / n_heads", self.d_k)

    @property
    def d_k(self):
        """The width of a head."""
        return self.d_model // self.n_heads

    @classmethod
    def from_hf(cls, settings):
        """Return the shape described by the dictionary of a ModernBERT's `config.json`, from transformers 4 or 5.

        Raises ValueError for models that these classes do not compute: other families, other activations, other heads,
        layers that are global in another order, and positions that are not plain, "linear" or "llama3"
        (`positions.Rope`).

        >>> Config.from_hf({"model_type": "modernbert"}) == Config()
        True
        """
        shape = shape_of(settings, "ModernBert")
        return cls(**shape | {name: Rope(**shape[name]) for name in ("rope", "local_rope")})


class Embeddings(nn.Module):
    """Each token's row of a learned table, then LayerNorm."""

    def __init__(self, config):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.norm = nn.LayerNorm(config.d_model, config.eps, bias=config.norm_bias)

    def forward(self, ids, keep=nothing):
        return keep("output", self.norm(keep("tokens", self.tokens(ids))))  # (B, n, d_model)


class Layer(gpt.Layer):
    """GPT-2's layer with other parts: normalize, attend, add; normalize, feed forward, add."""

    @staticmethod
    def parts(config):
        c = config
        norms = [nn.LayerNorm(c.d_model, c.eps, bias=c.norm_bias) for _ in range(2)]
        heads = gpt.CachedAttention(c.d_model, c.n_heads, bias=c.attention_bias)
        return norms[0], heads, norms[1], GatedFeedForward(c)


class MaskedLanguageHead(nn.Module):
    """Scores of every vocabulary entry at every position. `decoder` usually shares the token embeddings' matrix."""

    def __init__(self, config):
        super().__init__()
        self.W = nn.Linear(config.d_model, config.d_model, bias=False)
        self.norm = nn.LayerNorm(config.d_model, config.eps, bias=config.norm_bias)
        self.decoder = nn.Linear(config.d_model, config.vocab_size)

    def forward(self, X):
        return self.decoder(self.norm(GATES["gelu"](self.W(X))))  # (B, n, vocab_size)


class ModernBert(checkpoints.Loaded, nn.Module):
    """An encoder of ModernBERT's shape; see `Config`. The head exists if you ask for it, or if the weights contain it.

    >>> bert = ModernBert(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
    >>> bert([[5, 6, 7]]).shape
    torch.Size([1, 3, 8])
    """

    config_class = Config

    def __init__(self, config, mlm=False):
        super().__init__()
        arguments.check_has("config", config, "a modernbert.Config", "global_every")
        self.config = config
        self.embeddings = Embeddings(config)
        self.layer = nn.ModuleList(Layer(config) for _ in range(config.n_layers))
        if config.n_layers:
            self.layer[0].attention_norm = nn.Identity()  # the embeddings are already normalized
        self.norm = nn.LayerNorm(config.d_model, config.eps, bias=config.norm_bias)
        self.mlm = MaskedLanguageHead(config) if mlm else None
        if mlm:
            self.mlm.decoder.weight = self.embeddings.tokens.weight

    @classmethod
    def from_checkpoint(cls, settings, state):
        """Return a model ready for use from a configuration and a state dict, both with Hugging Face's names."""
        config = Config.from_hf(settings)
        state = our_weights(settings, state, "ModernBert")
        mlm = "mlm.decoder.bias" in state  # a classifier also has the rest of this head
        parts = PARTS if mlm else PARTS[:-1]
        state = {name: tensor for name, tensor in state.items() if name.startswith(parts)}
        with checkpoints.shapes_only():  # no memory before the weights are loaded
            bert = cls(config, mlm)
        tokens = state.get("embeddings.tokens.weight")
        tied = not mlm or torch.equal(state.setdefault("mlm.decoder.weight", tokens), tokens)
        if not tied:
            bert.mlm.decoder.weight = nn.Parameter(torch.empty_like(tokens))  # this head has its own matrix
        checkpoints.fill(bert, state)
        if mlm and tied:
            bert.mlm.decoder.weight = bert.embeddings.tokens.weight  # one matrix, counted once
        return bert

    @arguments.also_input_ids
    def forward(self, ids, attention_mask=None, fused=False, keep=nothing):
        """Compute the last hidden state, (B, n, d_model), after the last LayerNorm.

        ids: int, (B, n) or (n,), tensor or lists, or an `Encoding`. attention_mask: 1 for a token, 0 for padding;
        default all 1. fused=True runs attention in torch's fused kernel: faster, equal up to rounding, but without
        attention weights. keep: see `trace`. Padding that has no token in its window attends to itself.

        The result has gradients: call it under `torch.no_grad()`, or `.detach()` it, before `.numpy()`.
        """
        ids, real = self._check(ids, attention_mask)
        keep = checked(keep, lambda look: self([[0]], fused=fused, keep=look))
        c = self.config
        places = torch.arange(ids.shape[1], device=ids.device)
        everywhere = c.rope.angles(places, c.d_k), None if real is None else padding_mask(real)
        nearby = c.local_rope.angles(places, c.d_k), local_mask(ids.shape[1], c.window, real, ids.device)
        X = self.embeddings(ids, inside(keep, "embeddings"))
        for i, layer in enumerate(self.layer):
            angles, mask = nearby if i % c.global_every else everywhere
            X, _ = layer(X, None, angles, mask, fused, inside(keep, f"layer.{i}"))
        return keep("norm", self.norm(X))

    @arguments.also_input_ids
    def trace(self, ids, attention_mask=None, keep=nothing, gradients=False, only=None):
        """Run the model and keep every intermediate value: a dict from name to tensor, in the order of computation.

        keep: changes them (`trace.change`). gradients: each value keeps its own, for a `backward()`. only: the names or
        patterns of the values to keep. The result prints names and shapes.

        embeddings.tokens, .output                       (B, n, d_model): the tokens' rows; normalized
        layer.0.attention_norm                           (B, n, d_model): what attention reads
        layer.0.attention.queries, .keys, .values        (B, n_heads, n, d_k)
        layer.0.attention.rotated_queries, .rotated_keys (B, n_heads, n, d_k)
        layer.0.attention.scores, .weights               (B, n_heads, n, n); masked scores are -inf
        layer.0.attention.heads                          (B, n_heads, n, d_k)
        layer.0.attention.concat, .output                (B, n, d_model)
        layer.0.attention_sum, .norm                     (B, n, d_model): input + output; what feed-forward reads
        layer.0.gate, .hidden, .activation               (B, n, d_ff): activation(X W_gate), X W_1, their product
        layer.0.feed_forward, .output                    (B, n, d_model); likewise for layers 1, 2, ...
        norm (B, n, d_model); mlm.logits (B, n, vocab_size), if the model has them

        >>> bert = ModernBert(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16, window=1))
        >>> bert.trace([[5, 6, 7]])["layer.1.attention.weights"][0, 0, 0, 2]  # out of the window
        tensor(0.)
        """

        def run(look):
            X = self(ids, attention_mask, keep=look)
            if self.mlm:
                look("mlm.logits", self.mlm(X))

        return traced(run, keep, gradients, only)

    def _check(self, ids, attention_mask):
        """Return ids (B, n), and which tokens are not padding, (B, n), or None if none is."""
        device = self.embeddings.tokens.weight.device
        ids, attention_mask, _ = arguments.inputs_of(ids, attention_mask)  # there are no segments
        ids = arguments.as_ids("ids", ids, self.config.vocab_size, "the vocabulary", device)
        real = arguments.as_attention_mask("attention_mask", attention_mask, ids.shape, device, empty=False)
        return ids, None if real is None or real.all() else real


def local_mask(n, m, real=None, device=None):
    """Return the mask of a local layer, (n, n), or with padding (B, 1, n, n): real tokens, at most m on each side.

    real, (B, n): False at padding. Padding without a real token in reach attends to itself: it must attend to
    something, and nothing attends to it.

    >>> local_mask(4, 1, torch.tensor([[True, True, False, False]])).int()
    tensor([[[[1, 1, 0, 0],
              [1, 1, 0, 0],
              [0, 1, 0, 0],
              [0, 0, 0, 1]]]], dtype=torch.int32)
    """
    near = window_mask(n, m).to(device)
    if real is None:
        return near
    arguments.check_has("real", real, "a boolean tensor (B, n), False at padding", "dtype", "any")
    allowed = near & padding_mask(real)  # (B, 1, n, n)
    return allowed | (~allowed.any(-1, keepdim=True) & torch.eye(n, dtype=torch.bool, device=device))
