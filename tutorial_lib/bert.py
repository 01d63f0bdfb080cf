"""The complete BERT: embeddings, LayerNorm, layers, pooler and the two heads that it was trained with.

Sources: L 3.2.1-3.2.5, L 3.3; R 9. Every intermediate value can be kept by name: see `Bert.trace`. DistilBERT, RoBERTa
and ALBERT are the same encoder with different numbers in `Config`. `weights.names` has Hugging Face's names for the
parameters; `weights.checkpoints` reads the files.

`layer_norm` is written out here as its formula, and the activations in `activations`. The model itself calls torch's
kernels of the same formulas (`activations.KERNELS`, `torch.nn.LayerNorm`), as Hugging Face's model does: both round in
the same way, so rounding differences cannot hide our own mistakes. The tests compare each formula with its kernel.

This is the model in use, not in training: dropout, which does nothing in use, is left out.
"""

from dataclasses import dataclass

import torch
from torch import nn

from tutorial_lib import arguments
from tutorial_lib.activations import ACTIVATIONS, KERNELS
from tutorial_lib.attention import MultiHeadAttention, padding_mask
from tutorial_lib.trace import checked, inside, nothing, traced
from tutorial_lib.weights import checkpoints
from tutorial_lib.weights.names import our_weights, shape_of

PARTS = ("embeddings.", "layer.", "pooler.", "mlm.", "nsp.")  # other prefixes belong to the head of another task


@dataclass(frozen=True)
class Config:
    """The numbers that define a BERT's shape. The defaults are those of bert-base-uncased.

    The last three are for other models of its family. pad_id: positions count only tokens other than this one, starting
    at pad_id + 1 (RoBERTa). d_embedding: the width of the tables, mapped to d_model before the first layer;
    n_different: how many layers have their own weights, each used for as many layers in a row (both ALBERT).
    n_segments 0: no segments (DistilBERT). n_positions is how many tokens a text may have.

    >>> Config(vocab_size=28_996).d_model
    768
    """

    vocab_size: int = 30_522
    d_model: int = 768
    n_layers: int = 12
    n_heads: int = 12
    d_ff: int = 3_072
    n_positions: int = 512
    n_segments: int = 2
    activation: str = "gelu"
    eps: float = 1e-12
    pad_id: int | None = None
    d_embedding: int | None = None
    n_different: int | None = None

    def __post_init__(self):
        arguments.one_of("activation", self.activation, ACTIVATIONS)
        arguments.check_config(self, from_0=("n_layers", "n_segments", "pad_id"))

    @classmethod
    def from_hf(cls, settings):
        """Return the shape described by the dictionary of a Hugging Face `config.json`.

        Raises ValueError for models that these classes do not compute: other families, decoders, relative positions,
        other activations.

        >>> Config.from_hf({"model_type": "bert"}) == Config()
        True
        """
        return cls(**shape_of(settings, "Bert"))


def layer_norm(x, gamma, beta, eps):
    """Give each vector mean 0 and variance 1, then scale and shift each coordinate. The shape (..., d_model) stays.

    eps prevents division by 0 for a constant vector. Source: L 3.2.1 (4b).

    >>> layer_norm(torch.tensor([1.0, 3.0]), torch.ones(2), torch.zeros(2), 0.0)
    tensor([-1.,  1.])
    """
    arguments.check_tensors(x=x, gamma=gamma, beta=beta)
    arguments.real_number("eps", eps, "a number, 0 or more", 0)
    X = arguments.wide(x)
    centered = X - X.mean(-1, keepdim=True)
    variance = centered.square().mean(-1, keepdim=True)
    return (centered * torch.rsqrt(variance + eps) * gamma + beta).to(x.dtype)


def initialize(model, std=0.02):
    """Initialize a model as BERT and GPT-2 were: weights are normal with this standard deviation, biases are 0.

    torch's own initial weights are up to fifty times as large for tables. Returns the model.
    Source: Devlin et al. (2019), as in their code.

    >>> bert = initialize(Bert(Config(vocab_size=1000, d_model=64, n_layers=1, n_heads=2, d_ff=16)))
    >>> abs(bert.embeddings.tokens.weight.std() - 0.02) < 0.001
    tensor(True)
    """
    arguments.check_has("model", model, "a model", "named_parameters")
    arguments.real_number("std", std, "a number, 0 or more", 0)
    for name, parameter in model.named_parameters():
        if parameter.ndim >= 2:
            nn.init.normal_(parameter, std=std)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model


class Embeddings(nn.Module):
    """Token + position + segment, each a row of a learned table, then LayerNorm. Source: L 3.2.1, 3.3.1."""

    def __init__(self, config):
        super().__init__()
        width = config.d_embedding or config.d_model
        unused = 0 if config.pad_id is None else config.pad_id + 1
        self.tokens = nn.Embedding(config.vocab_size, width)
        self.positions = nn.Embedding(unused + config.n_positions, width)
        self.segments = nn.Embedding(config.n_segments, width) if config.n_segments else None
        self.norm = nn.LayerNorm(width, config.eps)
        self.W = nn.Linear(width, config.d_model) if config.d_embedding else None
        self.pad_id = config.pad_id

    def forward(self, ids, segments, keep=nothing):
        tokens = keep("tokens", self.tokens(ids))  # (B, n, width)
        positions = keep("positions", self._positions(ids))  # (n, width), the same for every text
        if self.segments:
            tokens = tokens + keep("segments", self.segments(segments))  # (B, n, width)
        X = self.norm(keep("sum", tokens + positions))
        return keep("output", self.W(keep("normalized", X)) if self.W else X)  # (B, n, d_model)

    def _positions(self, ids):
        if self.pad_id is None:
            return self.positions.weight[: ids.shape[1]].clone()  # no view, because `keep` may change it in place
        real = (ids != self.pad_id).long()
        return self.positions(real.cumsum(-1) * real + self.pad_id)  # (B, n, width)


class FeedForward(nn.Module):
    """Two linear maps around an activation, applied to each token separately: activation(X W_1 + b_1) W_2 + b_2."""

    def __init__(self, config):
        super().__init__()
        self.W_1 = nn.Linear(config.d_model, config.d_ff)
        self.W_2 = nn.Linear(config.d_ff, config.d_model)
        self.activation = KERNELS[config.activation]

    def forward(self, X, keep=nothing):
        X = keep("hidden", self.W_1(X))  # (B, n, d_ff)
        X = keep("activation", self.activation(X))  # the largest array of a layer: its input is freed
        return keep("feed_forward", self.W_2(X))  # (B, n, d_model)


class Layer(nn.Module):
    """One transformer block: attend, add, normalize; feed forward, add, normalize. Source: L 3.2.1 (4)."""

    def __init__(self, config):
        super().__init__()
        self.attention = MultiHeadAttention(config.d_model, config.n_heads)
        self.attention_norm = nn.LayerNorm(config.d_model, config.eps)
        self.feed_forward = FeedForward(config)
        self.norm = nn.LayerNorm(config.d_model, config.eps)

    def forward(self, X, mask=None, fused=False, keep=nothing):
        update, _ = self.attention(X, mask=mask, fused=fused, keep=inside(keep, "attention"))
        X = keep("attention_norm", self.attention_norm(keep("attention_sum", X + update)))
        update = self.feed_forward(X, keep)
        return keep("output", self.norm(keep("feed_forward_sum", X + update)))


class Pooler(nn.Module):
    """A summary of the text from its first token, [CLS]: tanh(x W + b)."""

    def __init__(self, config):
        super().__init__()
        self.W = nn.Linear(config.d_model, config.d_model)

    def forward(self, X):
        return torch.tanh(self.W(X[:, 0]))  # (B, d_model)


class MaskedLanguageHead(nn.Module):
    """Scores of every vocabulary entry at every position. `decoder` usually shares the token embeddings' matrix."""

    def __init__(self, config):
        super().__init__()
        width = config.d_embedding or config.d_model
        self.W = nn.Linear(config.d_model, width)
        self.norm = nn.LayerNorm(width, config.eps)
        self.decoder = nn.Linear(width, config.vocab_size)
        self.activation = KERNELS[config.activation]

    def forward(self, X):
        return self.decoder(self.norm(self.activation(self.W(X))))  # (B, n, vocab_size)


def which_layers(config) -> list[int]:
    """Return which distinct layer each layer is: 0, 1, 2, ... except in ALBERT.

    >>> which_layers(Config(n_layers=4)), which_layers(Config(n_layers=4, n_different=2))
    ([0, 1, 2, 3], [0, 0, 1, 1])
    """
    arguments.check_has("config", config, "a bert.Config", "n_different")
    in_a_row = config.n_layers / (config.n_different or config.n_layers or 1)
    return [int(i / in_a_row) for i in range(config.n_layers)]  # rounded as transformers does


class Bert(checkpoints.Loaded, nn.Module):
    """Any encoder of the BERT family with absolute positions; see `Config` for the shapes.

    BERT, DistilBERT, RoBERTa and ALBERT load by name. In ALBERT the scores of `nsp` say which of two sentences came
    first, which is the task it was trained for instead.

    Pooler and heads exist if you ask for them, or if the loaded weights contain them; otherwise they are None.

    >>> bert = Bert(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
    >>> bert([[5, 6, 7]]).shape
    torch.Size([1, 3, 8])
    """

    config_class = Config

    def __init__(self, config, pooler=True, mlm=False, nsp=False):
        super().__init__()
        arguments.check_has("config", config, "a bert.Config", "n_different")
        self.config = config
        self.embeddings = Embeddings(config)
        different = [Layer(config) for _ in range(config.n_different or config.n_layers)]
        self.layer = nn.ModuleList(different[i] for i in which_layers(config))
        self.pooler = Pooler(config) if pooler else None
        self.mlm = MaskedLanguageHead(config) if mlm else None
        self.nsp = nn.Linear(config.d_model, 2) if nsp else None
        if mlm:
            self.mlm.decoder.weight = self.embeddings.tokens.weight

    @classmethod
    def from_checkpoint(cls, settings, state):
        """Return a model ready for use from a configuration and a state dict, both with Hugging Face's names."""
        config = Config.from_hf(settings)
        state = our_weights(settings, state, "Bert")
        for i, k in enumerate(which_layers(config)):  # ALBERT's files contain each distinct layer once
            prefix = f"different.{k}."
            layer = {name.removeprefix(prefix): tensor for name, tensor in state.items() if name.startswith(prefix)}
            state |= {f"layer.{i}.{name}": tensor for name, tensor in layer.items()}
        state = {name: tensor for name, tensor in state.items() if name.startswith(PARTS)}
        state.pop("embeddings.position_ids", None)  # a counter 0, 1, 2, ... in older checkpoints
        parts = "pooler.W.weight" in state, "mlm.W.weight" in state, "nsp.weight" in state
        with checkpoints.shapes_only():  # no memory before the weights are loaded
            bert = cls(config, *parts)
        if bert.mlm:
            tokens = state.get("embeddings.tokens.weight")
            if not torch.equal(state.setdefault("mlm.decoder.weight", tokens), tokens):
                bert.mlm.decoder.weight = nn.Parameter(torch.empty_like(tokens))  # this head has its own matrix
        checkpoints.fill(bert, state)
        if bert.mlm and torch.equal(bert.mlm.decoder.weight, bert.embeddings.tokens.weight):
            bert.mlm.decoder.weight = bert.embeddings.tokens.weight  # tied: one matrix, counted once
        return bert

    @arguments.also_input_ids
    def forward(self, ids, attention_mask=None, token_type_ids=None, fused=False, keep=nothing):
        """Compute the last hidden state, (B, n, d_model).

        ids: int, (B, n) or (n,), tensor or lists, or an encoding for all three. attention_mask: 1 for a token, 0 for
        padding; default all 1. token_type_ids: the segment of each token; default all 0. fused=True runs attention in
        torch's fused kernel: faster, equal up to rounding, but without attention weights. keep: see `trace`.

        The result has gradients: call it under `torch.no_grad()`, or `.detach()` it, before `.numpy()`.
        """
        ids, mask, segments = self._check(ids, attention_mask, token_type_ids)
        keep = checked(keep, lambda look: self([[0]], fused=fused, keep=look))
        X = self.embeddings(ids, segments, inside(keep, "embeddings"))
        for i, layer in enumerate(self.layer):
            X = layer(X, mask, fused, inside(keep, f"layer.{i}"))
        return X

    @arguments.also_input_ids
    def trace(self, ids, attention_mask=None, token_type_ids=None, keep=nothing, gradients=False, only=None):
        """Run the model and keep every intermediate value: a dict from name to tensor, in the order of computation.

        keep: changes them (`trace.change`). gradients: each value keeps its own, for a `backward()`. only: the names or
        patterns of the values to keep. The result prints names and shapes.

        embeddings.tokens, .segments, .sum, .output      (B, n, d_model); embeddings.positions (n, d_model), of RoBERTa
                                                         (B, n, d_model); of ALBERT .normalized, before .output
        layer.0.attention.queries, .keys, .values        (B, n_heads, n, d_k)
        layer.0.attention.scores, .weights               (B, n_heads, n, n); masked scores are -inf
        layer.0.attention.heads                          (B, n_heads, n, d_k): the weighted sums of values
        layer.0.attention.concat, .output                (B, n, d_model): side by side; after W_O
        layer.0.attention_sum, .attention_norm           (B, n, d_model): input + output; normalized
        layer.0.hidden, .activation                      (B, n, d_ff)
        layer.0.feed_forward, .feed_forward_sum, .output (B, n, d_model); likewise for layers 1, 2, ...
        pooler.output (B, d_model), mlm.logits (B, n, vocab_size), nsp.logits (B, 2), if the model has them

        >>> bert = Bert(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
        >>> bert.trace([[5, 6, 7]])["layer.1.attention.weights"].shape
        torch.Size([1, 2, 3, 3])
        """

        def run(look):
            X = self(ids, attention_mask, token_type_ids, keep=look)
            summary = look("pooler.output", self.pooler(X)) if self.pooler else None
            if self.mlm:
                look("mlm.logits", self.mlm(X))
            if self.pooler and self.nsp:
                look("nsp.logits", self.nsp(summary))

        return traced(run, keep, gradients, only)

    def parameter_table(self):
        """List every parameter once, as (name, shape, count). The counts add up to the model's size.

        A model on torch's "meta" device has shapes but no memory, so even a large one can be counted:

        >>> with torch.device("meta"):
        ...     table = Bert(Config(vocab_size=28_996)).parameter_table()
        >>> sum(count for name, shape, count in table)
        108310272
        """
        return [(name, tuple(p.shape), p.numel()) for name, p in self.named_parameters()]

    def _check(self, ids, attention_mask, token_type_ids):
        """Return tensors: ids (B, n), mask (B, 1, 1, n) or None if nothing is padding, segments (B, n)."""
        c = self.config
        device = self.embeddings.tokens.weight.device
        ids, attention_mask, token_type_ids = arguments.inputs_of(ids, attention_mask, token_type_ids)
        ids = arguments.as_ids("ids", ids, c.vocab_size, "the vocabulary", device)
        if ids.shape[1] > c.n_positions:
            n = ids.shape[1]
            raise ValueError(f"ids has {n} tokens, but the model supports at most {c.n_positions}. Shorten the text")
        segments = torch.zeros_like(ids)
        n_segments = max(c.n_segments, 1)  # DistilBERT has only the first
        if token_type_ids is not None:
            segments = arguments.as_ids("token_type_ids", token_type_ids, n_segments, "the segments", device, ids.shape)
        real = arguments.as_attention_mask("attention_mask", attention_mask, ids.shape, device, empty=False)
        return ids, None if real is None or real.all() else padding_mask(real), segments
