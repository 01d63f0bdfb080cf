"""Decoders, GPT-2 and OPT: causal layers, the cache, a score for every possible next token.

The parts are BERT's (`bert.FeedForward`, `attention.MultiHeadAttention`); their order and the mask differ, and keys and
values of earlier tokens can be kept. That cache is a plain argument and a plain result: no module has state. Sources: L
3.2.7; N 2; Radford et al. (2019); Zhang et al. (2022).
"""

from dataclasses import dataclass, fields

import torch
from torch import nn

from tutorial_lib import arguments
from tutorial_lib.activations import ACTIVATIONS
from tutorial_lib.attention import MultiHeadAttention, causal_mask
from tutorial_lib.bert import FeedForward, initialize
from tutorial_lib.positions import rotary
from tutorial_lib.trace import checked, inside, nothing, traced
from tutorial_lib.weights import checkpoints
from tutorial_lib.weights.names import our_weights, shape_of

PARTS = ("embeddings.", "layer.", "norm.", "unembedding.")  # other prefixes belong to the head of another task


@dataclass(frozen=True)
class Config:
    """The numbers that define a decoder's shape. The defaults are those of the smallest GPT-2.

    offset: the row of the position table that the first token gets (OPT: 2). norm_first: whether LayerNorm comes before
    attention and feed-forward, as in GPT-2, or after the addition, as in BERT. tied: whether the unembedding is the
    table of tokens.

    >>> Config(vocab_size=50_272, offset=2, activation="relu").d_model
    768
    """

    vocab_size: int = 50_257
    d_model: int = 768
    n_layers: int = 12
    n_heads: int = 12
    d_ff: int = 3_072
    n_positions: int = 1_024
    offset: int = 0
    activation: str = "gelu_new"
    eps: float = 1e-5
    norm_first: bool = True
    tied: bool = True

    def __post_init__(self):
        arguments.one_of("activation", self.activation, ACTIVATIONS)
        arguments.check_config(self, from_0=("n_layers", "offset"))

    @classmethod
    def from_hf(cls, settings):
        """Return the shape described by the dictionary of a Hugging Face `config.json` of GPT-2 or OPT.

        Raises ValueError for models that these classes do not compute: other families, embeddings narrower than the
        layers (OPT-350m), scores scaled by the layer's number, other activations.

        >>> Config.from_hf({"model_type": "gpt2"}) == Config()
        True
        """
        return cls(**shape_of(settings, "GPT"))


class Embeddings(nn.Module):
    """Token + position, each a row of a learned table. No LayerNorm here: the layers contain it."""

    def __init__(self, config):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = nn.Embedding(config.n_positions + config.offset, config.d_model)
        self.offset = config.offset

    def forward(self, ids, places, keep=nothing):
        tokens = keep("tokens", self.tokens(ids))  # (B, n, d_model)
        positions = keep("positions", self.positions(places + self.offset))  # (B or 1, n, d_model)
        return keep("output", tokens + positions)


class CachedAttention(MultiHeadAttention):
    """Multi-head attention that takes keys and values of earlier tokens, and returns them with the new ones.

    If positions are rotary (`positions.rotary`), queries and keys are rotated, and the cache contains the rotated keys.
    If heads share keys and values, the cache has only n_kv_heads of each, which is the saving.

    >>> layer = CachedAttention(d_model=8, n_heads=2)
    >>> output, (K, V) = layer(torch.zeros(1, 5, 8))
    >>> output, (K, V) = layer(torch.zeros(1, 1, 8), past=(K, V))
    >>> output.shape, K.shape
    (torch.Size([1, 1, 8]), torch.Size([1, 2, 6, 4]))
    """

    def forward(self, X, past=None, angles=None, mask=None, fused=False, keep=nothing):
        """Map X (B, n, d_model), past K and V (B, n_kv_heads, n_past, d_k), angles (B or 1, 1, n, d_k / 2)
        to (B, n, d_model), and K, V of all tokens."""
        Q = self.queries(X, keep)  # (B, n_heads, n, d_k)
        K, V = self.keys_and_values(X, keep)  # (B, n_kv_heads, n, d_k)
        if angles is not None:
            Q = keep("rotated_queries", rotary(Q, angles))
            K = keep("rotated_keys", rotary(K, angles))
        if past is not None:
            K, V = torch.cat([past[0], K], -2), torch.cat([past[1], V], -2)  # (B, n_kv_heads, n_past + n, d_k)
        output, _ = self.attend(Q, K, V, mask, fused, keep)
        return output, (K, V)


class Layer(nn.Module):
    """One block of a decoder: normalize, attend, add; normalize, feed forward, add. Without norm_first: as in BERT."""

    def __init__(self, config):
        super().__init__()
        self.norm_first = config.norm_first
        self.attention_norm, self.attention, self.norm, self.feed_forward = self.parts(config)

    @staticmethod
    def parts(config):
        """Return the parts of a layer: the norm of attention, attention, the norm of feed-forward, feed-forward."""
        norms = [nn.LayerNorm(config.d_model, config.eps) for _ in range(2)]
        return norms[0], CachedAttention(config.d_model, config.n_heads), norms[1], FeedForward(config)

    def forward(self, X, past=None, angles=None, mask=None, fused=False, keep=nothing):
        reads = keep("attention_norm", self.attention_norm(X)) if self.norm_first else X
        update, past = self.attention(reads, past, angles, mask, fused, inside(keep, "attention"))
        X = keep("attention_sum", X + update)
        if self.norm_first:
            return keep("output", X + self.feed_forward(keep("norm", self.norm(X)), keep)), past
        X = keep("attention_norm", self.attention_norm(X))
        return keep("output", self.norm(keep("feed_forward_sum", X + self.feed_forward(X, keep)))), past


class GPT(checkpoints.Loaded, nn.Module):
    """A decoder of GPT-2's or OPT's kind; see `Config` for the shapes. A new one is initialized as GPT-2 was.

    >>> gpt = GPT(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16, n_positions=32))
    >>> logits, cache = gpt([[5, 6, 7]])
    >>> logits.shape
    torch.Size([1, 3, 100])
    >>> next_logits, cache = gpt([[8]], cache)  # one more token: the first three are not computed again
    >>> next_logits.shape
    torch.Size([1, 1, 100])
    """

    config_class = Config
    family = "GPT"  # in `weights.names`
    parts = Embeddings, Layer, nn.LayerNorm

    def __init__(self, config):
        super().__init__()
        names = [field.name for field in fields(self.config_class)]
        arguments.check_has("config", config, f"a {self.family.lower()}.Config", *names)
        self.config = config
        table, layer, norm = self.parts
        self.embeddings = table(config)
        self.layer = nn.ModuleList(layer(config) for _ in range(config.n_layers))
        self.norm = norm(config.d_model, config.eps) if config.norm_first else nn.Identity()
        self.unembedding = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tied:
            self.unembedding.weight = self.embeddings.tokens.weight
        self.initialize()

    def initialize(self):
        """Draw initial weights as GPT-2's were drawn."""
        initialize(self)
        for layer in self.layer:  # the sum over 2 n_layers sublayers stays as large as one of them
            for W in (layer.attention.W_O.weight, layer.feed_forward.W_2.weight):
                nn.init.normal_(W, std=0.02 / (2 * self.config.n_layers) ** 0.5)

    @classmethod
    def from_checkpoint(cls, settings, state):
        """Return a model ready for use from a configuration and a state dict, both with Hugging Face's names."""
        config = cls.config_class.from_hf(settings)
        state = our_weights(settings, state, cls.family)
        state = {name: tensor for name, tensor in state.items() if name.startswith(PARTS)}
        with checkpoints.shapes_only():  # no memory before the weights are loaded
            gpt = cls(config)
        tokens = state.get("embeddings.tokens.weight")
        if config.tied:
            state["unembedding.weight"] = tokens
        elif "unembedding.weight" not in state:
            raise ValueError("checkpoint must have unembedding weights, because its configuration does not tie them")
        checkpoints.fill(gpt, state)
        if config.tied:
            gpt.unembedding.weight = gpt.embeddings.tokens.weight  # one matrix, counted once
        checkpoints.columns_together(gpt)  # read faster
        return gpt

    @property
    def reach(self):
        """Return how many tokens it can attend to, at most."""
        return self.config.n_positions

    def angles(self, places):
        """Return the angles of rotary positions: none, because positions come from a table."""
        return None

    @arguments.also_input_ids
    def forward(self, ids, cache=None, attention_mask=None, fused=False, keep=nothing):
        """Score the token after each token, (B, n, vocab_size), and return the cache with these tokens.

        ids: int, (B, n) or (n,), tensor or lists, or an `Encoding`. cache: the result of an earlier call, for the
        earlier tokens; None at the start. attention_mask: 1 for a token, 0 for padding, also for the tokens in the
        cache, (B, n_past + n); default all 1. Padding takes no position, so texts of a batch can be padded on their
        left. fused=True runs attention in torch's fused kernel. keep: see `trace`. Raises ValueError if there are more
        tokens than positions.

        The scores have gradients: call it under `torch.no_grad()`, or `.detach()` them, before `.numpy()`.
        """
        keep = checked(keep, lambda look: self([[0]], fused=fused, keep=look))
        X, cache = self.hidden(ids, cache, attention_mask, fused, keep)
        return keep("logits", self.unembedding(X)), cache

    def hidden(self, ids, cache=None, attention_mask=None, fused=False, keep=nothing):
        """Return the input of the unembedding, (B, n, d_model), after the last LayerNorm; and the cache."""
        ids, places, mask = self._check(ids, cache, attention_mask)
        angles = self.angles(places)
        X = self.embeddings(ids, places, inside(keep, "embeddings"))
        new = []
        for i, layer in enumerate(self.layer):
            X, past = layer(X, cache[i] if cache else None, angles, mask, fused, inside(keep, f"layer.{i}"))
            new.append(past)
        return keep("norm", self.norm(X)), new

    @arguments.also_input_ids
    def trace(self, ids, attention_mask=None, keep=nothing, gradients=False, only=None):
        """Run the model and keep every intermediate value: a dict from name to tensor, in the order of computation.

        keep: changes them (`trace.change`). gradients: each value keeps its own, for a `backward()`. only: the names or
        patterns of the values to keep. The result prints names and shapes.

        embeddings.tokens, .positions, .output           (B, n, d_model); positions (1, n, d_model) without padding
        layer.0.attention_norm                           (B, n, d_model): what attention reads
        layer.0.attention.queries, .keys, .values        (B, n_heads, n, d_k)
        layer.0.attention.scores, .weights               (B, n_heads, n, n); masked scores are -inf
        layer.0.attention.heads                          (B, n_heads, n, d_k)
        layer.0.attention.concat, .output                (B, n, d_model)
        layer.0.attention_sum, .norm                     (B, n, d_model): input + output; what feed-forward reads
        layer.0.hidden, .activation                      (B, n, d_ff)
        layer.0.feed_forward, .output                    (B, n, d_model); likewise for layers 1, 2, ...
        norm (B, n, d_model), logits (B, n, vocab_size)

        >>> gpt = GPT(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
        >>> gpt.trace([[5, 6, 7]])["layer.1.attention.weights"].shape
        torch.Size([1, 2, 3, 3])
        """
        return traced(lambda look: self(ids, attention_mask=attention_mask, keep=look), keep, gradients, only)

    def _check(self, ids, cache, attention_mask):
        """Return ids (B, n), places (B or 1, n), and a mask that broadcasts to (B, n_heads, n, n_past + n)."""
        c = self.config
        device = self.embeddings.tokens.weight.device
        ids, attention_mask, _ = arguments.inputs_of(ids, attention_mask)  # a decoder has no segments
        ids = arguments.as_ids("ids", ids, c.vocab_size, "the vocabulary", device)
        n = ids.shape[1]
        n_past = arguments.check_cache(cache, c.n_layers)
        if attention_mask is None:
            places = torch.arange(n_past, n_past + n, device=device)[None]  # (1, n)
            mask = None if n == 1 else causal_mask(n, device, n_past)
        else:  # only padding so far; the text may begin later
            real = arguments.as_attention_mask("attention_mask", attention_mask, (len(ids), n_past + n), device)
            places = (real.cumsum(1) - 1).clamp(min=0)[:, n_past:]  # (B, n)
            itself = torch.eye(n_past + n, dtype=torch.bool, device=device)[n_past:]  # padding must attend to something
            mask = causal_mask(n, device, n_past) & real[:, None, None] | itself  # (B, 1, n, n_past + n)
        most = int(places.max()) + 1
        if most > self.reach:
            raise ValueError(f"ids has {most} tokens, but the model supports at most {self.reach}. Shorten the text")
        return ids, places, mask
