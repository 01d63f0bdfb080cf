"""The complete transformer of 2017: an encoder that reads a source, a decoder that writes a target.

The parts are BERT's and GPT's: the encoder's layer is `gpt.Layer` without its mask, and the decoder's has one more
sublayer, cross-attention, whose keys and values come from the encoder. Positions are sines and cosines, not learned.
Keys and values of earlier tokens are a plain argument and a plain result, as in `tutorial_lib.gpt`; those of the source
are computed once. Sources: Vaswani et al. (2017), sections 3.1-3.5; L 3.2.7, 3.3.1; R 3.4.

As in `tutorial_lib.bert`, dropout, which does nothing in use, is left out.
"""

import math
from dataclasses import dataclass

from torch import nn

from tutorial_lib import arguments
from tutorial_lib.activations import ACTIVATIONS
from tutorial_lib.attention import MultiHeadAttention, causal_mask, padding_mask
from tutorial_lib.bert import FeedForward
from tutorial_lib.gpt import CachedAttention, Layer
from tutorial_lib.positions import sinusoidal
from tutorial_lib.trace import checked, inside, nothing, traced


@dataclass(frozen=True)
class Config:
    """The numbers that define the shape. The defaults are the paper's base model (65 million parameters in Table 3).

    norm_first: whether LayerNorm comes before each sublayer (and again at the end of both stacks), as in later models,
    or after each addition, as in the paper. tied: whether source, target and unembedding share one table, as in the
    paper; otherwise they have three of the same size. n_positions: the most tokens of a source or a target; sines have
    no end, so the paper needs no such number.

    >>> import torch
    >>> with torch.device("meta"):  # shapes only
    ...     sum(p.numel() for p in EncoderDecoder(Config()).parameters())
    63082496
    """

    vocab_size: int = 37_000
    d_model: int = 512
    n_layers: int = 6
    n_heads: int = 8
    d_ff: int = 2_048
    n_positions: int = 512
    norm_first: bool = False
    activation: str = "relu"
    eps: float = 1e-5
    tied: bool = True

    def __post_init__(self):
        arguments.one_of("activation", self.activation, ACTIVATIONS)
        arguments.check_config(self)


class Embeddings(nn.Module):
    """Token times sqrt(d_model), plus the sines and cosines of its position: both then have a similar size."""

    def __init__(self, config):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.scale = math.sqrt(config.d_model)
        positions = sinusoidal(config.n_positions, config.d_model)  # computed, not learned: neither parameter nor file
        self.register_buffer("positions", positions, persistent=False)

    def forward(self, ids, n_past=0, keep=nothing):
        tokens = keep("tokens", self.tokens(ids) * self.scale)  # (B, n, d_model)
        positions = keep("positions", self.positions[n_past : n_past + ids.shape[1]].clone())  # (n, d_model)
        return keep("output", tokens + positions)


class CrossAttention(MultiHeadAttention):
    """Queries from the target; keys and values from the source, which are computed once for all target tokens.

    >>> import torch
    >>> layer = CrossAttention(d_model=8, n_heads=2)
    >>> K, V = layer.keys_and_values(torch.zeros(1, 5, 8))  # five tokens of the source
    >>> layer(torch.zeros(1, 3, 8), (K, V)).shape  # three of the target
    torch.Size([1, 3, 8])
    """

    def forward(self, X, source, mask=None, fused=False, keep=nothing):
        """Map X (B, n, d_model) and the source's K and V, (B, n_heads, m, d_k) each, to (B, n, d_model)."""
        K, V = source
        output, _ = self.attend(self.queries(X, keep), K, V, mask, fused, keep)
        return output


class DecoderLayer(nn.Module):
    """Attend to earlier target tokens, attend to the source, feed forward; each with its addition and its LayerNorm."""

    def __init__(self, config):
        super().__init__()
        self.norm_first = config.norm_first
        self.attention = CachedAttention(config.d_model, config.n_heads)
        self.attention_norm = nn.LayerNorm(config.d_model, config.eps)
        self.cross_attention = CrossAttention(config.d_model, config.n_heads)
        self.cross_attention_norm = nn.LayerNorm(config.d_model, config.eps)
        self.feed_forward = FeedForward(config)
        self.norm = nn.LayerNorm(config.d_model, config.eps)

    def forward(self, X, memory, cache=None, mask=None, source_mask=None, fused=False, keep=nothing):
        looks = inside(keep, "cross_attention")
        past, source = cache if cache else (None, self.cross_attention.keys_and_values(memory, looks))
        reads = keep("attention_norm", self.attention_norm(X)) if self.norm_first else X
        update, past = self.attention(reads, past, None, mask, fused, inside(keep, "attention"))
        X = keep("attention_sum", X + update)
        if self.norm_first:
            reads = keep("cross_attention_norm", self.cross_attention_norm(X))
            X = keep("cross_attention_sum", X + self.cross_attention(reads, source, source_mask, fused, looks))
            return keep("output", X + self.feed_forward(keep("norm", self.norm(X)), keep)), (past, source)
        X = keep("attention_norm", self.attention_norm(X))
        X = keep("cross_attention_sum", X + self.cross_attention(X, source, source_mask, fused, looks))
        X = keep("cross_attention_norm", self.cross_attention_norm(X))
        X = keep("output", self.norm(keep("feed_forward_sum", X + self.feed_forward(X, keep))))
        return X, (past, source)


class Stack(nn.Module):
    """Embeddings and layers: the encoder is one, the decoder is one. With norm_first, one LayerNorm at the end."""

    def __init__(self, config, layer):
        super().__init__()
        self.embeddings = Embeddings(config)
        self.layer = nn.ModuleList(layer(config) for _ in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model, config.eps) if config.norm_first else nn.Identity()


class EncoderDecoder(nn.Module):
    """The transformer of 2017; see `Config` for the shapes. A new one starts from Xavier's weights.

    >>> model = EncoderDecoder(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
    >>> model([[5, 6, 7, 8]], [[1, 9]]).shape  # after each of two target tokens: scores for the next
    torch.Size([1, 2, 100])
    """

    def __init__(self, config):
        super().__init__()
        arguments.check_has("config", config, "an encoder_decoder.Config", "tied", "norm_first")
        self.config = config
        self.encoder = Stack(config, Layer)
        self.decoder = Stack(config, DecoderLayer)
        self.unembedding = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tied:
            self.decoder.embeddings.tokens = self.encoder.embeddings.tokens
            self.unembedding.weight = self.encoder.embeddings.tokens.weight
        _initialize(self)

    def forward(self, source_ids, target_ids, source_mask=None, fused=False, keep=nothing):
        """Score the token after each target token, (B, n, vocab_size).

        source_ids: int, (B, m) or (m,); target_ids: (B, n) or (n,), starting with a start token; tensors or lists, the
        source also an encoding. source_mask: 1 for a token, 0 for padding, (B, m); default all 1. Pad a shorter target
        on its right: no token attends there. fused=True runs attention in torch's fused kernel, without attention
        weights.

        Raises ValueError if ids or masks do not fit, before anything is computed.
        """
        keep = checked(keep, lambda look: self([[0]], [[0]], fused=fused, keep=look))
        source_ids, source_mask, _ = arguments.inputs_of(source_ids, source_mask)
        target_ids = self._check_ids("target_ids", target_ids)  # raises before the encoder runs
        memory = self.encode(source_ids, source_mask, fused, keep)
        logits, _ = self.decode(target_ids, memory, source_mask, None, fused, keep)
        return logits

    def encode(self, source_ids, source_mask=None, fused=False, keep=nothing):
        """Encode the source for the decoder ("memory"), (B, m, d_model); arguments as in `forward`."""
        source_ids, source_mask, _ = arguments.inputs_of(source_ids, source_mask)
        ids = self._check_ids("source_ids", source_ids)
        mask = self._check_mask(source_mask, ids.shape)
        keep = inside(keep, "encoder")
        X = self.encoder.embeddings(ids, 0, inside(keep, "embeddings"))
        for i, layer in enumerate(self.encoder.layer):
            X, _ = layer(X, mask=mask, fused=fused, keep=inside(keep, f"layer.{i}"))  # its cache is not used
        return keep("norm", self.encoder.norm(X))

    def decode(self, target_ids, memory, source_mask=None, cache=None, fused=False, keep=nothing):
        """Score the token after each target token, (B, n, vocab_size), and return the cache with these tokens.

        memory: the result of `encode`. cache: the result of an earlier call, for the target's earlier tokens; None at
        the start. For each layer it contains keys and values of the target so far, and those of the source: memory
        itself is read in the first call only.

        >>> model = EncoderDecoder(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
        >>> memory = model.encode([[5, 6, 7, 8]])
        >>> logits, cache = model.decode([[1, 9]], memory)
        >>> logits, cache = model.decode([[10]], memory, cache=cache)  # one more token
        >>> [tuple(K.shape) for K, V in cache[0]]  # three of the target, four of the source
        [(1, 2, 3, 4), (1, 2, 4, 4)]
        """
        arguments.check_tensors(memory=memory)
        n_past = arguments.check_cache(cache, self.config.n_layers)
        ids = self._check_ids("target_ids", target_ids, n_past)
        mask = self._check_mask(source_mask, memory.shape[:2])
        self._check_memory(memory, len(ids), cache)
        causal = causal_mask(ids.shape[1], ids.device, n_past)
        inner = inside(keep, "decoder")
        new = []
        X = self.decoder.embeddings(ids, n_past, inside(inner, "embeddings"))
        for i, layer in enumerate(self.decoder.layer):
            past = cache[i] if cache else None
            X, past = layer(X, memory, past, causal, mask, fused, inside(inner, f"layer.{i}"))
            new.append(past)
        return keep("logits", self.unembedding(inner("norm", self.decoder.norm(X)))), new

    def trace(self, source_ids, target_ids, source_mask=None, keep=nothing, gradients=False, only=None):
        """Run the model and keep every intermediate value: a dict from name to tensor, in the order of computation.

        keep: changes them (`trace.change`). gradients: each value keeps its own, for a `backward()`. only: the names or
        patterns of the values to keep. The result prints names and shapes.

        encoder.embeddings.tokens, .output               (B, m, d_model), scaled; .positions (m, d_model)
        encoder.layer.0.attention.weights                (B, n_heads, m, m), and all other stops of `GPT.trace`
        encoder.norm                                     (B, m, d_model): what the decoder reads
        decoder.embeddings.tokens, .output               (B, n, d_model), scaled; .positions (n, d_model)
        decoder.layer.0.attention.weights                (B, n_heads, n, n): 0 for later tokens
        decoder.layer.0.cross_attention.queries          (B, n_heads, n, d_k)
        decoder.layer.0.cross_attention.keys, .values    (B, n_heads, m, d_k): of the source
        decoder.layer.0.cross_attention.scores, .weights (B, n_heads, n, m)
        decoder.layer.0.cross_attention.heads            (B, n_heads, n, d_k)
        decoder.layer.0.cross_attention.concat, .output  (B, n, d_model)
        decoder.layer.0.cross_attention_sum, _norm       (B, n, d_model); likewise for layers 1, 2, ...
        decoder.norm (B, n, d_model), logits (B, n, vocab_size)

        >>> model = EncoderDecoder(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
        >>> model.trace([[5, 6, 7, 8]], [[1, 9]])["decoder.layer.1.cross_attention.weights"].shape
        torch.Size([1, 2, 2, 4])
        """
        return traced(lambda look: self(source_ids, target_ids, source_mask, keep=look), keep, gradients, only)

    def _check_ids(self, name, ids, n_past=0):
        """Return the target's ids as a tensor (B, n), after checking the vocabulary and the positions."""
        c = self.config
        ids = arguments.as_ids(name, ids, c.vocab_size, "the vocabulary", self.unembedding.weight.device)
        n = n_past + ids.shape[1]
        if n > c.n_positions:
            raise ValueError(f"{name} has {n} tokens, but the model supports at most {c.n_positions}. Shorten it")
        return ids

    def _check_mask(self, source_mask, shape):
        """Return the mask (B, 1, 1, m), or None if nothing is padding."""
        device = self.unembedding.weight.device
        real = arguments.as_attention_mask("source_mask", source_mask, shape, device, empty=False)
        return None if real is None or real.all() else padding_mask(real)

    def _check_memory(self, memory, n_targets, cache):
        """Check that there is one memory for each target, and that its length fits the cache."""
        if n_targets != len(memory):
            raise ValueError(f"target_ids must have one text per source, {len(memory)}, got {n_targets}")
        m = cache[0][1][0].shape[-2] if cache else memory.shape[1]
        if m != memory.shape[1]:
            raise ValueError(f"cache belongs to a source of {m} tokens, but memory has {memory.shape[1]}")


def _initialize(model):
    """Initialize matrices as Xavier does, and tables so that tokens times sqrt(d_model) have variance 1."""
    for parameter in model.parameters():
        if parameter.ndim >= 2:
            nn.init.xavier_uniform_(parameter)
    for table in (model.encoder.embeddings.tokens, model.decoder.embeddings.tokens, model.unembedding):
        nn.init.normal_(table.weight, std=model.config.d_model**-0.5)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
