"""Where heads rest: a token that gets attention and says little; its key removed, its coordinate moved; alternatives.

The first half changes a trained model while it runs. The second trains small decoders on letters, some of which are
signals: after a signal, the letter before it is repeated. A head that finds it has nothing to do at all other letters.
Each of `KINDS` is trained with several seeds and the same steps. `measure seeds sinks` stores the results of `follow`,
not the weights.
"""

import re
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
import torch
from torch.nn import functional as F

from tutorial_book.experiments.questions import quantize, round_to_grid
from tutorial_lib import gpt
from tutorial_lib.texts.generated import stories
from tutorial_lib.trace import change, nothing
from tutorial_lib.training import Settings, train
from tutorial_lib.training.recipes import HELD_OUT, spread

# --- one token of a trained model -------------------------------------------------------------------------------------


class Texts:
    """Texts as one batch for an encoder: encoding, mask (B, n), True at tokens; the positions of [CLS] and [SEP].

    >>> from tutorial_lib.tokenization import WordPiece
    >>> some = Texts(WordPiece.from_pretrained("book-bert"), ["He saw a dog.", "Run!"])
    >>> some.last, some.words.sum(1)
    (tensor([6, 3]), tensor([5, 2]))
    """

    def __init__(self, tokenizer, texts):
        self.inputs = tokenizer.batch(texts).inputs
        self.mask = torch.tensor(self.inputs["attention_mask"]).bool()
        self.first = torch.zeros(len(texts), dtype=torch.long)
        self.last = self.mask.sum(1) - 1
        self.words = self.mask & ~self.only(self.first) & ~self.only(self.last)

    def only(self, places):
        """Return a mask (B, n) that is True at one position of each text."""
        return torch.arange(self.mask.shape[1]) == places[:, None]

    def some_words(self, n=1, seed=0):
        """Return a mask (B, n) of n random words of each text, or of all if there are fewer."""
        draws = torch.rand(self.mask.shape, generator=torch.Generator().manual_seed(seed)).masked_fill(~self.words, -1)
        return self.words & (draws >= draws.topk(n).values[:, -1:])

    def alike(self, before, after, but=None):
        """Return each text's mean cosine of its words' vectors in two runs, (B,). but: tokens that do not count."""
        chosen = self.words if but is None else self.words & ~but
        return (torch.cosine_similarity(before, after, dim=-1) * chosen).sum(1) / chosen.sum(1)

    def mean(self, X):
        """Return the mean of each text's vectors, (B, d_model)."""
        return (X * self.mask[..., None]).sum(1) / self.mask.sum(1, keepdim=True)


def received(trace, layer, mask):
    """Return each token's weight, summed over all heads and queries: (B, n). mask: (B, n), True at tokens."""
    A = trace[f"layer.{layer}.attention.weights"].mean(1)  # (B, n, n)
    return (A * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def without_keys(gone, layers=("*",)):
    """Return a `keep` that removes keys, so that others get their weights. gone: (B, n), True at removed keys."""

    def cut(S):
        return S.masked_fill(gone[:, None, None], -torch.inf)

    return change({f"layer.{layer}.attention.scores": cut for layer in layers})


def without_values(gone, layers=("*",)):
    """Return a `keep` that keeps the keys but removes the values: a query's weight on these tokens is lost."""

    def cut(V):
        return V.masked_fill(gone[:, None, :, None], 0)

    return change({f"layer.{layer}.attention.values": cut for layer in layers})


def with_coordinate(usual, coordinates, take, give=None):
    """Return a `keep` that removes coordinates from a token before each layer, and may give them to another.

    usual: a trace of the unchanged model, the source of the given values. take, give: (B,), positions. The removed
    coordinates become the mean over the other positions of all texts, including padding.
    """

    def swap(before, X):
        new, rows = X.clone(), torch.arange(len(X))
        others = torch.arange(X.shape[1]) != take[:, None]
        for i in coordinates:
            new[rows, take, i] = X[..., i][others].mean()
            if give is not None:
                new[rows, give, i] = before[rows, take, i]
        return new

    stops = [name for name in usual if re.fullmatch(r"(embeddings|layer\.\d+)\.output", name)]
    return change({name: partial(swap, usual[name]) for name in stops})


def rounding(n_bits=8, spared=()):
    """Return a `keep` that rounds intermediate values, except scores and weights: to even steps per tensor.

    spared: coordinates that stay exact.
    """

    def keep(name, X):
        if name.endswith(("scores", "weights", "logits")):
            return X
        if not len(spared) or name.endswith(("queries", "keys", "values", "heads", "hidden", "activation", "concat")):
            return round_to_grid(X, n_bits, "tensor")
        index = list(spared)
        rest = X.clone()
        rest[..., index] = 0
        rest = round_to_grid(rest, n_bits, "tensor")
        rest[..., index] = X[..., index]
        return rest

    return keep


# --- small decoders, with or without an alternative to attention --------------------------------------------------

SEEDS = range(5)
N_TOKENS = 64  # of each text, including the sign at its beginning
FROM = 8  # earlier positions have too few keys to choose from
N_TEXTS, N_JUDGED, BATCH = 6_000, 100, 8
SIGNALS = "aht"  # after each of them, the letter before it is repeated
WIDTH, N_LAYERS, N_HEADS = 64, 3, 1
STD = WIDTH**-0.5  # of the initial weights: 1 / √d_model keeps a vector's length through a matrix
SETTINGS = Settings(800, lr=5e-3, warmup=50, weight_decay=0.1)
BITS = (8, 6, 4)
LOWEST = -0.03  # of a clipped softmax: a weight below 0.03 / 1.03 becomes 0
OTHERS = (1, 3, 5)  # positions whose keys are removed for comparison


def off_by_one(S):
    """Return exp(s) / (1 + Σ exp(s)): one more score, 0, whose weight goes to no token.

    >>> off_by_one(torch.zeros(1, 3))
    tensor([[0.2500, 0.2500, 0.2500]])
    """
    return torch.softmax(F.pad(S, (1, 0)), -1)[..., 1:]


def clipped(S):
    """Return a softmax stretched from `LOWEST` to 1 and cut at 0: small weights become 0.

    >>> clipped(torch.tensor([[0.0, 0.0, 9.0]]))[0, 0]
    tensor(0.)
    """
    return ((1 - LOWEST) * torch.softmax(S, -1) + LOWEST).clamp(min=0)


SOFTMAX = {"plain": partial(torch.softmax, dim=-1), "off by one": off_by_one, "clipped": clipped}
KINDS = [f"{norm}, {softmax}" for norm in ("pre-norm", "post-norm") for softmax in SOFTMAX]


class Attention(gpt.CachedAttention):
    """A decoder's attention with weights from another softmax, so never fused."""

    def __init__(self, d_model, n_heads, softmax):
        super().__init__(d_model, n_heads)
        self.softmax = softmax

    def forward(self, X, past=None, angles=None, mask=None, fused=False, keep=nothing):
        seen = {}

        def other(name, value):
            value = keep(name, self.softmax(seen["scores"]) if name == "weights" else value)
            seen[name] = value
            return value

        return super().forward(X, past, angles, mask, keep=other)


class Decoder(gpt.GPT):
    """A GPT of one of the kinds.

    >>> Decoder("pre-norm, off by one", 50).trace([[5, 6]])["layer.0.attention.weights"].sum(-1).max() < 1
    tensor(True)
    """

    def __init__(self, kind, vocab_size):
        norm, softmax = kind.split(", ")
        shape = dict(d_model=WIDTH, n_layers=N_LAYERS, n_heads=N_HEADS, d_ff=4 * WIDTH, n_positions=N_TOKENS)
        super().__init__(gpt.Config(vocab_size, norm_first=norm == "pre-norm", **shape))
        spread(self, STD)
        for layer in self.layer:
            same = layer.attention.state_dict()
            layer.attention = Attention(WIDTH, N_HEADS, SOFTMAX[softmax])
            layer.attention.load_state_dict(same)


@lru_cache
def alphabet():
    """Return the sign at the beginning, and the letters: their names, and how likely each follows each, (n, n).

    The probabilities are counted in stories, without capitals and signs; the first row is how often each occurs.
    """
    text = [c for story in stories(300) for c in story.text.lower() if c.isalpha() or c == " "]
    names = ["^", *sorted(set(text))]
    ids = torch.tensor([names.index(c) for c in text])
    counts = torch.zeros(len(names), len(names))
    counts.index_put_((ids[:-1], ids[1:]), torch.ones(len(ids) - 1), accumulate=True)
    counts[0] = torch.bincount(ids, minlength=len(names))
    return names, counts / counts.sum(1, keepdim=True)


def is_signal(ids):
    names, _ = alphabet()
    return torch.isin(ids, torch.tensor([names.index(c) for c in SIGNALS]))


@lru_cache
def letters(seed=0, n=N_TEXTS):
    """Draw texts of 65 letters, ids (n, 65): each begins with ^; after a signal, the letter before it is repeated."""
    _, P = alphabet()
    generator = torch.Generator().manual_seed(seed)
    ids = torch.zeros(n, N_TOKENS + 1, dtype=torch.long)
    for i in range(1, N_TOKENS + 1):
        drawn = torch.multinomial(P[ids[:, i - 1]], 1, generator=generator)[:, 0]
        ids[:, i] = torch.where(is_signal(ids[:, i - 1]), ids[:, i - 2], drawn) if i > 2 else drawn
    return ids


def drawn_loss(model, generator):
    """Return the loss of a drawn batch, for `training.train`."""
    ids = letters()[torch.randint(N_TEXTS, (BATCH,), generator=generator)]
    logits, _ = model(ids[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def new_model(kind, seed):
    """Return a model of one of `KINDS` before its first step."""
    torch.manual_seed(seed)
    return Decoder(kind, len(alphabet()[0])).eval()


@torch.no_grad()
def losses(model, ids, keep=nothing):
    """Return the mean loss after a signal, and after other letters, in nats; for queries at position 8 or later."""
    logits, _ = model(ids[:, :-1], keep=keep)
    each = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")[:, FROM:]
    signal = is_signal(ids[:, FROM:-1])
    return [each[signal].mean().item(), each[~signal].mean().item()]


def floor(ids):
    """Return the lowest possible loss after letters other than signals: the entropy of the next letter."""
    _, P = alphabet()
    entropy = -torch.special.xlogy(P, P).sum(1)
    seen = ids[:, FROM:-1]
    return entropy[seen[~is_signal(seen)]].mean().item()


def looks(trace, ids):
    """Return for each layer: the weight at position 0 of signals and of other letters, the unused weight, peaks.

    A peak is the largest number in the vectors that a layer adds to, divided by their median.
    """
    signal = is_signal(ids[:, FROM:-1])
    found = {name: [] for name in ("of signals", "of others", "to nothing", "peak")}
    for layer in range(N_LAYERS):
        A = trace[f"layer.{layer}.attention.weights"].mean(1)[:, FROM:]  # (B, queries, n)
        sums = f"layer.{layer}.feed_forward_sum"
        X = trace[sums if sums in trace else f"layer.{layer}.output"].abs().flatten(1)  # (B, n * d_model)
        found["of signals"].append(A[..., 0][signal].mean())
        found["of others"].append(A[..., 0][~signal].mean())
        found["to nothing"].append(1 - A.sum(-1).mean())
        found["peak"].append((X.amax(1) / X.median(1).values).mean())
    return {name: torch.stack(values).tolist() for name, values in found.items()}


def key_away(place):
    """Return a `keep` for a decoder that removes one position's key from queries at position 8 or later."""

    def cut(S):  # earlier ones may have no other key
        S = S.clone()
        S[..., FROM:, place] = -torch.inf
        return S

    return change({"layer.*.attention.scores": cut})


def judged(model, ids):
    """Return all measurements of a model: name -> numbers."""
    found = looks(model.trace(ids[:, :-1]), ids)
    found["loss"] = losses(model, ids)
    found["without 0"] = losses(model, ids, key_away(0))
    found["without another"] = np.mean([losses(model, ids, key_away(place)) for place in OTHERS], 0).tolist()
    found["rounded"] = [losses(quantize(model, n_bits, "tensor"), ids, rounding(n_bits)) for n_bits in BITS]
    return found


def follow(kind, seed, until=SETTINGS.n_steps):
    """Train a model of a kind, and evaluate it, also before its first step.

    Example: `follow("pre-norm, plain", seed=2, until=10)["loss"]`.
    """
    ids = letters(HELD_OUT, N_JUDGED)
    model = new_model(kind, seed)
    before = looks(model.trace(ids[:, :-1]), ids)
    train(model, drawn_loss, replace(SETTINGS, seed=seed), until=until)
    return judged(model, ids) | {f"{name}, untrained": values for name, values in before.items()}


def resting(one):
    """Return the weight of other letters, and of signals, on the beginning, in the strongest layer: (seeds,) each.

    one: the stored results of one kind.
    """
    layer = one["of others"].argmax(1)
    return [one[what][np.arange(len(layer)), layer] for what in ("of others", "of signals")]
