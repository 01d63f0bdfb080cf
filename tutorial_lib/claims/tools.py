"""What several claims share: the default tokenizer, BERTs by shape, R's example from X to its output."""
from functools import lru_cache
from inspect import signature
from math import hypot, nan
from types import SimpleNamespace

import torch
from torch.nn import Transformer
from torch.nn.functional import normalize

from tutorial_lib import toy
from tutorial_lib.attention import MultiHeadAttention, attention
from tutorial_lib.bert import Bert, Config
from tutorial_lib.claims.quotes import BEAR, CASED
from tutorial_lib.tokenization import WordPiece


@lru_cache
def tokenizer(name=None):
    """WordPiece with a model's vocabulary; None: the default model's, which is bert-base-uncased's own."""
    return WordPiece.from_pretrained(name)


@lru_cache
def bert(name=None):
    """A trained model, loaded once."""
    return Bert.from_pretrained(name, device="cpu").eval()


@lru_cache
def bert_base(mlm=False, nsp=False, **shape):
    """BERT-base's architecture without any numbers in it: shapes and counts, no memory, no weights."""
    with torch.device("meta"):
        return Bert(Config(**shape), mlm=mlm, nsp=nsp)


@lru_cache
def small_bert():
    """A BERT with random weights, small enough to run in a moment."""
    return Bert(Config(vocab_size=50, d_model=16, n_layers=2, n_heads=4, d_ff=32, n_positions=20)).double().eval()


@lru_cache
def toy_attention():
    """R 5-8 in full: Q, K, V, raw scores, weights and outputs of all seven tokens, and the row of "painted"."""
    Q, K, V = toy.X @ toy.W_Q, toy.X @ toy.W_K, toy.X @ toy.W_V  # (7, 4)
    output, weights = attention(Q, K, V)  # (7, 4), (7, 7)
    painted = toy.TOKENS.index("painted")
    of_painted = dict(scores=Q[painted] @ K.T, weights=weights[painted], output=output[painted])
    return SimpleNamespace(tokens=toy.TOKENS, painted=painted, Q=Q, K=K, V=V, **of_painted)


def nearest(word):
    """All other tokens, those with the highest cosine to this one first, by the default model's token embeddings."""
    E, at = normalize(bert().embeddings.tokens.weight, dim=1), tokenizer().vocab[word]  # (vocab_size, d_model)
    order = (E @ E[at]).argsort(descending=True).tolist()
    return [tokenizer().tokens[i] for i in order if i != at]


def ranking(scores, tokens):
    """The tokens, highest score first."""
    return [tokens[i] for i in sorted(range(len(tokens)), key=lambda i: -scores[i])]


def random_attention(n=7):
    """Attention with 3 heads of 4 coordinates and random weights, and n random vectors to try it on."""
    return MultiHeadAttention(12, 3).double(), torch.randn(n, 12).double()


def cosine(v, w):
    """Cosine similarity as L 2.1 defines it; nan where a vector has length 0."""
    lengths = hypot(*v) * hypot(*w)
    return sum(float(a * b) for a, b in zip(v, w, strict=True)) / lengths if lengths else nan


def original(name):
    """A number of the original transformer: torch.nn.Transformer has them as its defaults."""
    return signature(Transformer).parameters[name].default


@lru_cache
def bear_trace():
    """The default model's way through the bear sentence, (1, 20, d_model) with [CLS] and [SEP]."""
    return bert().trace(**tokenizer().batch([BEAR]).inputs)


def cased(mlm=False, nsp=False):
    """bert-base-cased's architecture, without its numbers."""
    return bert_base(mlm=mlm, nsp=nsp, vocab_size=CASED)


def count(*parts):
    """All parameters in these parts of a model."""
    return sum(parameter.numel() for part in parts for parameter in part.parameters())
