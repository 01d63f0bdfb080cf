"""How the shape of a model's vectors develops in training: by layer, by step, and by which vectors are left out.

Four kinds of small models, decoders and encoders, with LayerNorm before or after each sublayer, are trained on the same
stories, with five seeds each, and measured during training. `measure seeds shape-of-learning` does that and stores the
numbers, not the weights. Sources: A 2-4; L 3.2.7, 3.3.3.
"""

import warnings
from dataclasses import replace
from functools import lru_cache

import numpy as np
import torch
from torch.nn import functional as F

from tutorial_lib import gpt
from tutorial_lib.geometry import anisotropy, average_cosine, intrinsic_dimension, nearest_neighbors, pca
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.training import Settings, train
from tutorial_lib.training.judge import baselines
from tutorial_lib.training.pretraining import IGNORE, mask_tokens
from tutorial_lib.training.recipes import HELD_OUT, spread
from tutorial_lib.vectors import layer_states

KINDS = {  # name -> (decodes, norm_first)
    "decoder, pre-norm": (True, True),
    "decoder, post-norm": (True, False),
    "encoder, pre-norm": (False, True),
    "encoder, post-norm": (False, False),
}
SEEDS, STEPS = range(5), (0, 10, 20, 40, 80, 160, 320, 640)
N_TOKENS = 64  # of each text: all have this length, so there is no padding
N_STORIES, N_MEASURED, BATCH = 4_000, 40, 16
RATE = 0.3  # of tokens that are hidden from encoders
STD = 64**-0.5  # of the initial weights: 1 / √d_model keeps a vector's length through a matrix
SETTINGS = Settings(STEPS[-1], lr=3e-3, warmup=40)
LOUD = 2  # coordinates that are left out
MEASURES = {"anisotropy": anisotropy, "average cosine": average_cosine, "intrinsic dimension": intrinsic_dimension}
CLOUDS = ("all tokens", "all tokens, quiet", "without the first", "without the first, quiet", "one of each type")
OTHERS = ("first norm", "frequency", "same type")


class BothWays(gpt.GPT):
    """A GPT whose tokens look in both directions: an encoder of the same parts. It takes no padding and no cache.

    >>> model = BothWays(gpt.Config(vocab_size=100, d_model=8, n_layers=1, n_heads=2, d_ff=16))
    >>> model.trace([[5, 6, 7]])["layer.0.attention.weights"][0, 0, 0].ne(0).tolist()  # the first token looks at all
    [True, True, True]
    """

    def _check(self, ids, cache, attention_mask):
        ids, places, _ = super()._check(ids, cache, attention_mask)
        return ids, places, None


def openings(texts, tokenizer, n=N_TOKENS):
    """Return the first n ids of each text that is long enough: (n_texts, n). Raises ValueError if none is.

    >>> openings(["the bear", "the mouse was gone"], WordPiece.from_pretrained(), n=5).shape
    torch.Size([1, 5])
    """
    encoded = [tokenizer.encode(text).ids for text in texts]
    rows = [ids[:n] for ids in encoded if len(ids) >= n]
    if not rows:
        raise ValueError(f"n must be at most the number of tokens of the longest text, got {n}")
    return torch.tensor(rows)


def cloud(X, ids, which):
    """Select some of one layer's vectors, (n_vectors, d), from all of them (n_texts, n, d) and ids (n_texts, n).

    which: one of `CLOUDS`: the vectors of all tokens; without those of each text's first token; of the others, the
    first one of each type. "quiet": without the two coordinates with the largest mean squares (over tokens other than
    the first). Raises ValueError for another name.

    >>> X, ids = np.arange(24.0).reshape(2, 3, 4), [[1, 5, 6], [1, 6, 5]]
    >>> [cloud(X, ids, which).shape for which in CLOUDS]
    [(6, 4), (6, 2), (4, 4), (4, 2), (2, 4)]
    """
    if which not in CLOUDS:
        raise ValueError(f"which must be one of {', '.join(CLOUDS)}, got {which!r:.60}")
    d, chosen = X.shape[-1], X if which.startswith("all") else X[:, 1:]
    rows = chosen.reshape(-1, d)
    if which == "one of each type":
        return rows[np.unique(np.asarray(ids)[:, 1:], return_index=True)[1]]
    loud = np.argsort(np.square(X[:, 1:]).mean((0, 1)))[-LOUD:]
    return np.delete(rows, loud, axis=1) if which.endswith("quiet") else rows


def profile(states, ids, measure, which="all tokens"):
    """Measure each layer's vectors: a list, embeddings first. states: from `layer_states`. Source: A 2.

    measure: a function of an array (n_vectors, d), such as those of `MEASURES`. which: one of `CLOUDS`.

    >>> X = np.random.default_rng(0).normal(size=(4, 5, 3))  # n_texts, n, d
    >>> profile({"0": X, "1": 2 * X}, np.arange(20).reshape(4, 5), len, "without the first")
    [16, 16]
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* exact copies")  # of tokens, before attention
        return [measure(cloud(X, ids, which)) for X in states.values()]


def first_norm(X):
    """Return the average length of the first token's vectors divided by the others': of X (n_texts, n, d).

    >>> first_norm(np.array([[[6.0, 8.0], [3.0, 4.0], [5.0, 0.0]]]))
    2.0
    """
    norms = np.linalg.norm(X, axis=-1)
    return float(norms[:, 0].mean() / norms[:, 1:].mean())


def frequency_correlation(X, ids, counts):
    """Return |r| of the first principal component (without first tokens) with the logarithm of the counts.

    X: (n_texts, n, d). ids: (n_texts, n). counts: how often each id occurs in the texts that the model reads,
    (vocab_size,). 1: the direction along which the vectors differ most shows how frequent the token is.

    >>> ids, counts = np.array([[0, 1, 2], [0, 3, 1]]), np.array([9, 1, 10, 100])
    >>> X = np.log(counts[ids] + 1.0)[..., None] * [3.0, 4.0]  # (2, 3, 2): all on one line, by frequency
    >>> round(frequency_correlation(X, ids, counts), 3)
    1.0
    """
    along = pca(cloud(X, ids, "without the first"), n=1).coordinates[:, 0]
    return abs(float(np.corrcoef(along, np.log(np.asarray(counts)[np.asarray(ids)[:, 1:].ravel()] + 1))[0, 1]))


def same_type(X, ids):
    """Return the share of vectors (without the first tokens) whose nearest neighbor is of the same token type.

    X: (n_texts, n, d). ids: (n_texts, n).

    >>> same_type(np.array([[[9.0], [0.0], [5.0]], [[9.0], [0.1], [7.0]]]), [[1, 5, 6], [1, 5, 7]])  # 5 has a copy near
    0.5
    """
    kinds = np.asarray(ids)[:, 1:].ravel()
    nearest = nearest_neighbors(cloud(X, ids, "without the first"), k=1)[1][:, 0]
    return float((kinds == kinds[nearest]).mean())


def measured(model, ids, counts):
    """Return all measures of a model's vectors: cloud -> measure -> one number per layer; and those of `OTHERS`.

    ids: (n_texts, n). counts: as in `frequency_correlation`. Source: A 2.

    >>> model, ids = gpt.GPT(gpt.Config(30, d_model=8, n_layers=1, n_heads=2, d_ff=16)), torch.arange(24).reshape(4, 6)
    >>> found = measured(model, ids, torch.arange(30))
    >>> len(found["all tokens"]["anisotropy"]), len(found["first norm"])  # embeddings, a layer, the last LayerNorm
    (3, 3)
    """
    states = layer_states(model, ids)
    profiles = {}
    for which in CLOUDS:
        profiles[which] = {name: profile(states, ids, measure, which) for name, measure in MEASURES.items()}
    return profiles | {
        "first norm": [first_norm(X) for X in states.values()],
        "frequency": [frequency_correlation(X, ids, counts) for X in states.values()],
        "same type": [same_type(X, ids) for X in states.values()],
    }


def new_model(kind, seed, vocab_size):
    """Return a model of one of the four `KINDS` before its first step; all kinds of one seed have the same weights.

    >>> new_model("encoder, post-norm", seed=0, vocab_size=100).config.norm_first
    False
    """
    decodes, norm_first = KINDS[kind]
    torch.manual_seed(seed)
    shape = dict(d_model=64, n_layers=4, n_heads=4, d_ff=256, n_positions=N_TOKENS, norm_first=norm_first)
    return spread((gpt.GPT if decodes else BothWays)(gpt.Config(vocab_size, **shape)), STD)


def loss_of(kind, model, ids, tokenizer, generator=None):
    """Return mean -log p, in nats, of the next tokens of ids (n_texts, n) for a decoder, of hidden ones for an encoder.

    generator: draws which tokens are hidden. Source: L 3.3.3.

    >>> kind, tokenizer = "decoder, pre-norm", WordPiece.from_pretrained("book-bert")
    >>> loss_of(kind, new_model(kind, 0, 1210), torch.tensor([[5, 6, 7]]), tokenizer).item() > 6  # log 1,210 = 7.1
    True
    """
    if KINDS[kind][0]:
        logits, _ = model(ids[:, :-1], fused=True)  # (n_texts, n - 1, vocab_size)
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    inputs, labels = mask_tokens(ids, tokenizer, generator, RATE)
    X, _ = model.hidden(inputs, fused=True)  # (n_texts, n, d_model)
    return F.cross_entropy(model.unembedding(X[labels != IGNORE]), labels[labels != IGNORE])


@lru_cache
def texts(seed=0, n=N_STORIES):
    """Return the beginnings of a seed's stories, ids (n_texts, 64), and book-bert's tokenizer, for all kinds."""
    tokenizer = WordPiece.from_pretrained("book-bert")
    return openings([story.text for story in stories(n, seed)], tokenizer), tokenizer


def counted():
    """Return the losses that counting reaches on the held-out stories: "unigram" and "bigram", in nats.

    Example: `counted()["bigram"]`, 2.8 nats.
    """
    read, tokenizer = texts()
    return baselines(read.tolist(), held_out().tolist(), len(tokenizer))


def held_out():
    """Return the ids of held-out stories: (n_texts, 64).

    >>> held_out().shape[1]
    64
    """
    return texts(HELD_OUT, 100)[0]


def follow(kind, seed, until=STEPS[-1]):
    """Train a model of a kind, and measure it at each of `STEPS` up to `until`: a list of results of `measured`.

    "loss" is that on held-out stories, in nats. All steps take half a minute on one core.
    Example: `follow("decoder, post-norm", seed=2, until=10)[-1]["loss"]`.
    """
    (read, tokenizer), others = texts(), held_out()
    counts, found = torch.bincount(read[:, 1:].flatten(), minlength=len(tokenizer)), []
    model = new_model(kind, seed, len(tokenizer))

    def loss(model, generator):
        drawn = read[torch.randint(len(read), (BATCH,), generator=generator)]
        return loss_of(kind, model, drawn, tokenizer, generator)

    @torch.no_grad()
    def look(step):
        if step in STEPS:
            judged = loss_of(kind, model, others, tokenizer, torch.Generator().manual_seed(0)).item()
            found.append({"loss": judged} | measured(model, others[:N_MEASURED], counts))

    look(0)
    if until:
        train(model, loss, replace(SETTINGS, seed=seed), tell=lambda progress: look(progress.step), until=until)
    return found
