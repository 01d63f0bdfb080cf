"""Changes since 2017, one part at a time: a small decoder of Llama's shape, and the cost of undoing a change.

Each of `KINDS` is trained on the same stories, with several seeds, the same steps and the same number of parameters up
to 1 %, on pieces of 64 tokens. It is evaluated on pieces four times as long. `measure seeds since` does that and stores
the numbers, not the weights.
"""

import math
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

from tutorial_book.experiments import STORED
from tutorial_lib import bert, gpt, llama
from tutorial_lib.arguments import one_of
from tutorial_lib.attention import shared_heads, window_mask
from tutorial_lib.positions import Rope, sinusoidal
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE
from tutorial_lib.tokenization.bpe import END
from tutorial_lib.trace import nothing
from tutorial_lib.training import Settings, next_tokens, train
from tutorial_lib.training.recipes import HELD_OUT, spread

ROTARY = STORED / "models" / "book-gpt-rotary"
SEEDS = range(5)
N_TOKENS = 64  # of each piece in training
N_LONG = 4 * N_TOKENS  # of each piece in evaluation
N_PLACES = 16  # this many neighboring positions share one mean
N_STORIES, N_JUDGED, BATCH = 4_000, 200, 8
VOCABULARY = 512  # tokens, learned from the same stories: scoring them is most of a small model's work
WIDTH, N_LAYERS, N_HEADS = 64, 2, 4
D_K = WIDTH // N_HEADS
STD = WIDTH**-0.5  # of the initial weights: 1 / √d_model keeps a vector's length through a matrix
SETTINGS = Settings(400, lr=1e-2, warmup=40)
POSITIONS = ("rotary", "learned", "sinusoidal", "none")


@dataclass(frozen=True)
class Parts:
    """The parts of a small decoder. The defaults are Llama's; another d_ff keeps the parameters equal."""

    positions: str = "rotary"
    gated: bool = True
    rms: bool = True
    biases: bool = False
    n_kv_heads: int = N_HEADS
    d_ff: int = 170

    def __post_init__(self):
        one_of("positions", self.positions, POSITIONS)


KINDS = {
    "Llama's shape": Parts(),
    "learned positions": Parts("learned", d_ff=159),
    "sinusoidal positions": Parts("sinusoidal"),
    "no positions": Parts("none"),
    "LayerNorm": Parts(rms=False),
    "plain feed-forward": Parts(gated=False, d_ff=252),
    "biases": Parts(biases=True, d_ff=167),
    "2 key heads": Parts(n_kv_heads=2, d_ff=191),
    "1 key head": Parts(n_kv_heads=1, d_ff=202),
}


class Still(Rope):
    """Rotary positions in which some pairs do not turn; by default, none does.

    >>> Still(pairs=[1]).frequencies(4)
    tensor([1., 0.])
    """

    def __init__(self, pairs=range(D_K // 2)):
        super().__init__()
        object.__setattr__(self, "pairs", tuple(pairs))  # frozen, like every Rope

    def frequencies(self, d_k):
        turns = [i not in self.pairs for i in range(d_k // 2)]
        return super().frequencies(d_k) * torch.tensor(turns)


class Placed(llama.Embeddings):
    """Token + position, each a row of a table, as before Llama. The table is learned, or the sinusoidal one.

    Scaled so that position and token have similar lengths. Takes no cache: its first token is at position 0.
    """

    def __init__(self, config, learned):
        super().__init__(config)
        table = STD * (torch.randn(N_LONG, WIDTH) if learned else 2**0.5 * sinusoidal(N_LONG, WIDTH))
        self.table = nn.Parameter(table, requires_grad=learned)

    def forward(self, ids, places, keep=nothing):
        return keep("output", self.tokens(ids) + self.table[: ids.shape[1]])  # (B, n, d_model)


class Decoder(llama.Llama):
    """A Llama with some parts replaced by older ones. window: how many tokens each one sees at most; None for all.

    >>> model = Decoder(Parts(n_kv_heads=1), vocab_size=50)
    >>> model.window = 2
    >>> model.trace([[5, 6, 7]])["layer.0.attention.weights"][0, 0, 2, 0]
    tensor(0.)
    """

    window = None

    def __init__(self, parts, vocab_size):
        shape = dict(d_model=WIDTH, n_layers=N_LAYERS, n_heads=N_HEADS, d_ff=parts.d_ff, n_kv_heads=parts.n_kv_heads)
        rope = Rope() if parts.positions == "rotary" else Still()
        super().__init__(llama.Config(vocab_size, n_positions=N_TOKENS, rope=rope, tied=True, **shape))
        if not parts.gated:
            for layer in self.layer:
                layer.feed_forward = bert.FeedForward(replace(self.config, activation="gelu"))
        if not parts.rms:
            self.norm = nn.LayerNorm(WIDTH)
            for layer in self.layer:
                layer.attention_norm, layer.norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        if parts.biases:
            for linear in self.layer.modules():
                if isinstance(linear, nn.Linear):
                    linear.bias = nn.Parameter(torch.zeros(linear.out_features))
        bert.initialize(self)
        spread(self, STD)
        if parts.positions in ("learned", "sinusoidal"):
            tokens = self.embeddings.tokens
            self.embeddings = Placed(self.config, parts.positions == "learned")
            self.embeddings.tokens = tokens  # which the unembedding shares

    def _check(self, ids, cache, attention_mask):
        ids, places, mask = super()._check(ids, cache, attention_mask)
        if self.window:
            mask = mask & window_mask(ids.shape[1], self.window - 1)
        return ids, places, mask


def new_model(kind, seed):
    """Return a model of one of `KINDS` before its first step.

    >>> n_parameters(new_model("Llama's shape", 0))
    131136
    """
    torch.manual_seed(seed)
    return Decoder(KINDS[kind], VOCABULARY).eval()


def n_parameters(model):
    """Count the trainable numbers. Of a learned table of positions, only rows within the trained length count."""
    n = sum(p.numel() for p in model.parameters() if p.requires_grad)
    table = getattr(model.embeddings, "table", None)
    return n - (table[N_TOKENS:].numel() if table is not None and table.requires_grad else 0)


@lru_cache
def tokenizer():
    """Return the tokenizer of all these models, learned from their training stories.

    >>> len(tokenizer())
    512
    """
    return BPE.train([story.text for story in stories(N_STORIES)], VOCABULARY)


@lru_cache
def text(seed=0, n=N_STORIES):
    """Return the stories of a seed as one long text, ids (n_tokens,).

    >>> text(HELD_OUT, 2).ndim
    1
    """
    return torch.tensor([i for story in stories(n, seed) for i in tokenizer().encode(END + story.text).ids])


@lru_cache
def pieces():
    """Return the evaluation data: held-out stories, in pieces of 256 tokens and the next one.

    >>> pieces().shape[1]
    257
    """
    ids = text(HELD_OUT, N_JUDGED)
    return ids[: (len(ids) - 1) // N_LONG * N_LONG + 1].unfold(0, N_LONG + 1, N_LONG)  # (n_pieces, 257)


@torch.no_grad()
def by_place(model, ids):
    """Return mean -log p of each next token, in nats, over 16 positions: ids (n_pieces, n + 1) -> n / 16 values.

    >>> model = new_model("no positions", 0)
    >>> len(by_place(model, pieces()[:2]))
    16
    """
    losses = []
    for some in ids.split(32):
        logits, _ = model(some[:, :-1], fused=True)  # (B, n, vocab_size)
        losses.append(F.cross_entropy(logits.transpose(1, 2), some[:, 1:], reduction="none"))  # (B, n)
    return torch.cat(losses).mean(0).unflatten(0, (-1, N_PLACES)).mean(1).tolist()


def lengths(model, ids):
    """Return `by_place` in three ways: unchanged, each token seeing at most 64, and rotary positions 4 times closer."""
    losses = {"as it is": by_place(model, ids)}
    model.window = N_TOKENS
    losses["window"] = by_place(model, ids)
    model.window = None
    if type(model.config.rope) is Rope:
        plain = model.config
        model.config = replace(plain, rope=Rope(factor=N_LONG / N_TOKENS))
        losses["closer"] = by_place(model, ids)
        model.config = plain
    return losses


# --- the pairs of rotary heads ---------------------------------------------------------------------------------------


def pair_scores(trace, layer, frequencies):
    """Return what each pair adds to a layer's scores before the softmax, (n_pairs, B, n_heads, n, n)."""
    where = f"layer.{layer}.attention"
    Q, K = trace[f"{where}.rotated_queries"], trace[f"{where}.rotated_keys"]  # (B, heads, n, d_k)
    K = shared_heads(K, Q.shape[1])
    half = len(frequencies)
    pairs = [[i, i + half] for i in range(half)]
    return torch.stack([Q[..., pair] @ K[..., pair].transpose(-2, -1) for pair in pairs]) / Q.shape[-1] ** 0.5


def by_distance(S):
    """Return how much a query's scores differ among its keys, and the share that depends only on the distance.

    S: (..., B, n, n). The queries are those of the second half, each with its own key and the n / 2 - 1 before, so that
    all have the same distances; each query's mean is subtracted, which softmax ignores. Returns the variance, and the
    share that remains after averaging over all texts and queries, both (...).

    >>> place = torch.arange(8.0)
    >>> variance, share = by_distance((place[:, None] - place).expand(3, 1, 8, 8))  # nothing but distance
    >>> share
    tensor([1., 1., 1.])
    """
    n = S.shape[-1]
    here = torch.arange(n - n // 2, n)[:, None]
    S = S[..., here, here - torch.arange(n // 2)]  # (..., B, queries, distances)
    S = S - S.mean(-1, keepdim=True)
    variance = S.square().mean((-3, -2, -1))
    return variance, S.mean((-3, -2)).square().mean(-1) / variance


@torch.no_grad()
def pairs_of(model, ids):
    """Return the share of the scores' variance that depends on distance, for each head and pair of a rotary model.

    (n_layers * n_heads, n_pairs). ids: (n_texts, n).
    """
    trace, frequencies = model.trace(ids), model.config.rope.frequencies(D_K)
    of_distance = []
    for layer in range(N_LAYERS):
        S = pair_scores(trace, layer, frequencies).transpose(1, 2)  # (n_pairs, heads, B, n, n)
        of_distance.append(by_distance(S)[1].T)
    return torch.cat(of_distance).numpy()


@torch.no_grad()
def without(model, ids, pair, what):
    """Return the loss, in nats, if one pair of all heads does not turn ("turning"), or ignores tokens ("meaning").

    For the latter, each query and key gets the mean over all tokens in this pair, before it is turned.
    """
    one_of("what", what, ("turning", "meaning"))
    index = [pair, pair + D_K // 2]

    def averaged(name, value):
        if what == "meaning" and name.endswith((".queries", ".keys")):
            value = value.clone()
            value[..., index] = value[..., index].mean((0, 2), keepdim=True)
        return value

    plain = model.config
    if what == "turning":
        model.config = replace(plain, rope=Still([pair]))
    logits, _ = model(ids[:, :-1], keep=averaged)
    model.config = plain
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).item()


def heads(model, untrained, ids):
    """Return the results of `pairs_of` and `without`: name -> a list. ids: (n_texts, n + 1)."""
    models = {"distance": model, "distance, untrained": untrained}
    found = {name: pairs_of(one, ids[:, :-1]).astype(float).tolist() for name, one in models.items()}
    usual = np.mean(by_place(model, ids))
    for what in ("turning", "meaning"):
        found[f"without {what}"] = [without(model, ids, pair, what) - usual for pair in range(D_K // 2)]
    return found


# --- book-gpt with rotary positions -----------------------------------------------------------------------------------


class RotaryGPT(gpt.GPT):
    """A decoder of GPT-2's kind with one part replaced: positions turn queries and keys, and are not added.

    It has the weights of another decoder, without its table of positions. offset: added to the positions 0, 1, 2, ...:
    a number, (n,), one for each token, or (B, 1), one for each text.

    >>> model = RotaryGPT(gpt.GPT(gpt.Config(100, d_model=8, n_layers=2, n_heads=2, d_ff=16, n_positions=4)))
    >>> model([[5] * 9])[0].shape
    torch.Size([1, 9, 100])
    """

    parts = llama.Embeddings, gpt.Layer, nn.LayerNorm
    reach = math.inf  # no table that could end
    rope = Rope()  # a page that loads the model needs its frequencies
    offset = 0

    def __init__(self, learned):
        super().__init__(learned.config)
        self.load_state_dict(learned.state_dict(), strict=False)

    def angles(self, places):
        """Return the angles that turn queries and keys, (B or 1, 1, n, d_k / 2), for all heads."""
        places = (places + self.offset).to(self.unembedding.weight)
        return self.rope.angles(places, self.config.d_model // self.config.n_heads)[:, None]


@lru_cache
def rotary_gpt():
    """Return book-gpt with rotary positions: the same recipe, trained by stored_numbers/rotary.py.

    >>> n_learned = sum(p.numel() for p in gpt.GPT.from_pretrained("book-gpt", "cpu").parameters())
    >>> n_learned - sum(p.numel() for p in rotary_gpt().parameters()) == 128 * 128  # the table of positions
    True
    """
    model = RotaryGPT(gpt.GPT.from_pretrained("book-gpt", device="cpu"))
    state = {name: tensor.float() for name, tensor in load_file(ROTARY / "model.safetensors").items()}
    model.load_state_dict(state | {"unembedding.weight": state["embeddings.tokens.weight"]})
    model.source = ROTARY.name
    return model.eval()


@contextmanager
def moved(model, n, offset):
    """Move a decoder's positions 0, 1, ..., n - 1 by an offset inside this block, as in `RotaryGPT`.

    model: a `RotaryGPT`, or a `gpt.GPT` whose table begins at 0. Raises ValueError if it has no row for a position.
    """
    turned = isinstance(model, RotaryGPT)
    last = int((torch.arange(n) + offset).max())
    if not turned and last >= model.config.n_positions:
        raise ValueError(f"offset must stay within the table's {model.config.n_positions} rows, got position {last}")
    part = model if turned else model.embeddings
    part.offset = offset
    try:
        yield
    finally:
        part.offset = 0


@torch.no_grad()
def loss_at(model, ids, offset):
    """Return mean -log p of each next token, in nats, with all positions moved: ids (B, n + 1)."""
    with moved(model, ids.shape[1] - 1, offset):
        logits, _ = model(ids[:, :-1], fused=True)  # (B, n, vocab_size)
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).item()


def read_at(model, ids, offset):
    """Return a decoder's output for a text at positions that are `moved`: ids (n,), offset a tensor.

    Returns the probabilities of the next token, (B, vocab_size), and the attention weights, averaged over heads, (B, n,
    n). B is 1, or the number of offsets (B, 1).
    """
    with moved(model, len(ids), offset):
        trace = model.trace(torch.tensor(ids).expand(len(offset) if offset.ndim == 2 else 1, -1))
    looks = [trace[f"layer.{i}.attention.weights"].mean(1) for i in range(len(model.layer))]  # (B, n, n) each
    return trace["logits"][:, -1].softmax(-1), torch.stack(looks).mean(0)


# --- training -------------------------------------------------------------------------------------------------------


def follow(kind, seed, until=SETTINGS.n_steps):
    """Train a model of a kind, and evaluate it: `lengths`, and for Llama's shape `heads`. Ten seconds on one core.

    Example: `follow("no positions", seed=2, until=10)["as it is"]`.
    """
    model = new_model(kind, seed)
    train(model, next_tokens(text(), N_TOKENS, BATCH), replace(SETTINGS, seed=seed), until=until)
    found = lengths(model, pieces())
    if kind == "Llama's shape":
        found["heads"] = heads(model, new_model(kind, seed), pieces()[:64, : N_TOKENS + 1])
    return found
