"""What several claims share: the default model, published models by their sizes, R's example from X to its output."""

import json
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import torch

from tutorial_lib import toy
from tutorial_lib.attention import MultiHeadAttention, attention
from tutorial_lib.bert import Bert, Config
from tutorial_lib.claims.quotes import BEAR
from tutorial_lib.geometry import cosine
from tutorial_lib.tokenization import WordPiece

PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))


@lru_cache
def tokenizer(name=None):
    """WordPiece with a model's vocabulary; None: the default model's, which is bert-base-uncased's own."""
    return WordPiece.from_pretrained(name)


@lru_cache
def bert(name=None):
    """A trained model, loaded once."""
    return Bert.from_pretrained(name, device="cpu").eval()


@lru_cache
def published(name, **heads):
    """A published model's architecture without any numbers in it: shapes and counts, no memory, no weights."""
    with torch.device("meta"):
        return Bert(Config.from_hf(PUBLISHED[name]), **heads)


def bert_base(**heads):
    """R's model; mlm=True and nsp=True: with the heads that it was trained with."""
    return published("bert-base-uncased", **heads)


def cased(**heads):
    """L's model."""
    return published("bert-base-cased", **heads)


def original():
    """The encoder of the original transformer."""
    return published("transformer-base")


def distilbert():
    """DistilBERT: here with segment embeddings, which it has not."""
    return published("distilbert-base-uncased", pooler=False)


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
    E, at = bert().embeddings.tokens.weight, tokenizer().vocab[word]  # (vocab_size, d_model)
    order = cosine(E, E[at]).argsort()[::-1].tolist()
    return [tokenizer().tokens[i] for i in order if i != at]


def ranking(scores, tokens):
    """The tokens, highest score first."""
    return [tokens[i] for i in sorted(range(len(tokens)), key=lambda i: -scores[i])]


def random_attention(n=7):
    """Attention with 3 heads of 4 coordinates and random weights, and n random vectors to try it on."""
    return MultiHeadAttention(12, 3).double(), torch.randn(n, 12).double()


@lru_cache
def trace(text):
    """The default model's way through a text, (1, n, d_model) with [CLS] and [SEP]."""
    return bert().trace(**tokenizer().batch([text]).inputs)


def bear_trace():
    """The default model's way through the bear sentence, 20 tokens with [CLS] and [SEP]."""
    return trace(BEAR)


def count(*parts):
    """All parameters in these parts of a model."""
    return sum(parameter.numel() for part in parts for parameter in part.parameters())
