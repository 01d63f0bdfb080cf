"""Shared parts of several claims: the default model, published models by their sizes, random ones, decoders."""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch

from tutorial_book.claims.quotes import BEAR
from tutorial_lib import gpt
from tutorial_lib.bert import Bert, Config
from tutorial_lib.geometry import cosine
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import BPE, WordPiece
from tutorial_lib.vectors import embed
from tutorial_lib.weights.checkpoints import shapes_only

PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))


@lru_cache
def tokenizer(name=None):
    """Return a WordPiece with a model's vocabulary; None: the default model's, which is bert-base-uncased's own."""
    return WordPiece.from_pretrained(name)


@lru_cache
def bert(name=None):
    """Return a trained model, loaded once."""
    return Bert.from_pretrained(name, device="cpu").eval()


def untrained_bert():
    """Return the default model's architecture with random weights."""
    model = Bert(bert().config)
    for parameter in model.parameters():
        if parameter.dim() == 2:
            parameter.normal_(std=0.02)  # the standard deviation of BERT's initial weights
    return model.eval()


@lru_cache
def published(name, **heads):
    """Return a published model's architecture without numbers: shapes and counts, no memory, no weights."""
    with shapes_only():
        return Bert(Config.from_hf(PUBLISHED[name]), **heads)


def bert_base(**heads):
    """Return R's model; mlm=True and nsp=True: with the heads that it was trained with."""
    return published("bert-base-uncased", **heads)


def bert_attention():
    """Return the attention of its first layer."""
    return bert_base().layer[0].attention


def cased(**heads):
    """Return L's model."""
    return published("bert-base-cased", **heads)


def distilbert():
    """Return R's smaller model: no segments, no pooler."""
    return published("distilbert-base-uncased", pooler=False)


@lru_cache
def small_bert():
    """Return a BERT with random weights, small enough to run in a moment."""
    return Bert(Config(vocab_size=50, d_model=16, n_layers=2, n_heads=4, d_ff=32, n_positions=20)).double().eval()


@lru_cache
def decoder(name):
    """Return a trained decoder, loaded once."""
    return gpt.GPT.from_pretrained(name, device="cpu").eval()


@lru_cache
def bpe(name):
    """Return the tokenizer of a decoder, with the model's own vocabulary."""
    return BPE.from_pretrained(name)


def ids_of_pieces(tok, text):
    """Return the ids of a text's tokens alone: `encode` would put OPT's </s> first."""
    return [tok.vocab[token] for token in tok.tokenize(text)]


@lru_cache
def published_decoder(name):
    """Return a published decoder's architecture: shapes and counts, no memory, no weights."""
    with shapes_only():
        return gpt.GPT(gpt.Config.from_hf(PUBLISHED[name]))


@lru_cache
def small_gpt(**changes):
    """Return a decoder with random weights, the same ones each time, small enough to run in a moment."""
    sizes = dict(vocab_size=60, d_model=16, n_layers=4, n_heads=2, d_ff=64, n_positions=32)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = gpt.GPT(gpt.Config(**sizes | changes)).double().eval()
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter *= 10  # at GPT-2's weight scale, such a narrow layer would do almost nothing
    return model


@lru_cache
def trained_bpe():
    """Return a byte-level tokenizer of 700 tokens, learned from the built-in encyclopedia."""
    return BPE.train(load_texts("encyclopedia"), vocab_size=700)


def nearest(word):
    """Return all other tokens, the one with the highest cosine to this one first, by the default model's table."""
    E = bert().embeddings.tokens.weight  # (vocab_size, d_model)
    at = tokenizer().vocab[word]
    order = cosine(E, E[at]).argsort()[::-1].tolist()
    return [tokenizer().tokens[i] for i in order if i != at]


@lru_cache
def trace(text):
    """Return the default model's states for a text, (1, n, d_model) with [CLS] and [SEP]."""
    return bert().trace(**tokenizer().batch([text]).inputs)


def bear_trace():
    """Return the default model's states for the bear sentence, 20 tokens with [CLS] and [SEP]."""
    return trace(BEAR)


@lru_cache
def token_vectors(n, layer=3):
    """Return the vectors of all tokens of n texts of the built-in encyclopedia, (n_tokens, d_model) each."""
    return embed(load_texts("encyclopedia")[:n], bert(), "tokens", layers=layer, tokenizer=tokenizer())


def encoder_profile(name, measure):
    """Return a measure of all tokens' vectors after each layer of an encoder, the embeddings first: (n_layers + 1,)."""
    rows = embed(load_texts("encyclopedia")[:60], bert(name), "tokens", layers="all", tokenizer=tokenizer(name))
    return [measure(np.concatenate(layer)) for layer in zip(*rows, strict=True)]


@lru_cache
def token_cloud():
    """Return the vectors of all tokens of 60 of these texts at the middle layer, shuffled: (n, d_model)."""
    return np.random.default_rng(0).permutation(np.concatenate(token_vectors(60)))


def share_between(low, high, table):
    """Return the share of a table's vectors whose norm lies between two numbers."""
    norms = table.weight.norm(dim=1)
    return ((norms > low) & (norms < high)).double().mean()


def count(*parts):
    """Return all parameters in these parts of a model."""
    return sum(parameter.numel() for part in parts for parameter in part.parameters())
