"""BERT's training data from plain text: tokens to guess, and pairs of texts to judge.

Two tasks at once: guess hidden tokens (masked language modeling, MLM), and say whether the second text followed the
first (next sentence prediction, NSP). Neither needs labels written by hand. Source: L 3.3.3.
"""

from typing import NamedTuple

import torch

from tutorial_lib.arguments import check_has, real_number, whole_number
from tutorial_lib.tokenization.wordpiece import MASK, SPECIAL

IGNORE = -100  # the label of tokens that are not guessed; torch's cross_entropy skips it
FOLLOWS = 0  # BERT's labels of a pair
RANDOM = 1


def mask_tokens(ids, tokenizer, generator=None, rate=0.15):
    """Choose tokens to guess and hide most of them: (inputs, labels), both with the shape of ids.

    Each token, except special ones, is chosen with probability `rate`. A chosen token is replaced by [MASK] 80 % of the
    time, by any entry of the vocabulary 10 %, and stays unchanged 10 %. labels contains the right id of each chosen
    token and IGNORE elsewhere. (BERT's own code chose 15 % of each text, rounded; this draws for each token
    separately.)

    ids: whole numbers, tensor or lists; generator: a `torch.Generator`, for reproducible results. Raises ValueError if
    ids are not ids of the tokenizer, it has no [MASK], or rate is not in 0..1.
    Source: L 3.3.3.

    >>> from tutorial_lib.tokenization import WordPiece
    >>> tok = WordPiece.from_pretrained()
    >>> ids = tok.encode("The bear was majestic.").ids
    >>> inputs, labels = mask_tokens(ids, tok, torch.Generator().manual_seed(24))
    >>> tok.decode(inputs)
    '[CLS] the [MASK] was majestic. [SEP]'
    >>> labels.tolist()
    [-100, -100, 4562, -100, -100, -100, -100]
    """
    check_has("tokenizer", tokenizer, "a WordPiece", "vocab", "special")
    ids = _check(ids, tokenizer, rate)
    special = torch.tensor([tokenizer.vocab[token] for token in SPECIAL if token in tokenizer.vocab])  # never hidden
    chosen = (torch.rand(ids.shape, generator=generator) < rate) & ~torch.isin(ids, special)
    fate = torch.rand(ids.shape, generator=generator)
    random_ids = torch.randint(len(tokenizer), ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), tokenizer.vocab[MASK], ids)
    inputs = torch.where(chosen & (fate >= 0.9), random_ids, inputs)
    return inputs, torch.where(chosen, ids, IGNORE)


class Pair(NamedTuple):
    """Two texts, and whether the second one followed the first (FOLLOWS, 0) or comes from elsewhere (RANDOM, 1)."""

    first: str
    second: str
    label: int


def make_pair(documents, generator=None):
    """Cut a document in two between sentences; half of the time, take the end of another document. A `Pair`.

    documents: lists of sentences. There must be at least two, each of at least two sentences; otherwise ValueError.
    Source: L 3.3.3.

    >>> documents = [["The bear was majestic.", "We took a lot of pictures of it."], ["I love AI.", "I love physics!"]]
    >>> make_pair(documents, torch.Generator().manual_seed(9))
    Pair(first='The bear was majestic.', second='We took a lot of pictures of it.', label=0)
    """
    check_has("documents", documents, "lists of sentences", "__len__")
    if len(documents) < 2:
        raise ValueError(f"documents must be at least two, to combine texts of different ones, got {len(documents)}")
    for number, sentences in enumerate(documents):
        if isinstance(sentences, str) or len(sentences) < 2:
            raise ValueError(f"documents[{number}] must be a list of two sentences or more, got {sentences!r:.40}")
    here = _draw(len(documents), generator)
    first, second = _cut(documents[here], generator)
    if _draw(2, generator) == FOLLOWS:
        return Pair(first, second, FOLLOWS)
    elsewhere = (here + 1 + _draw(len(documents) - 1, generator)) % len(documents)  # any document but this one
    return Pair(first, _cut(documents[elsewhere], generator)[1], RANDOM)


def guesses(bert, tokenizer, text, k=5):
    """Return the k likeliest tokens for each [MASK] in a text: for each, a list of (token, probability), best first.

    Raises ValueError if the model has no MLM head, the text has no [MASK], or k is not a number of tokens.
    Source: L 3.3.3.

    Example: `guesses(Bert.from_pretrained("bert-base-uncased"), tokenizer, "The [MASK] was majestic.")`.
    """
    if getattr(bert, "mlm", None) is None:
        raise ValueError("bert must have an MLM head (bert.mlm), got a model without one")
    size = bert.config.vocab_size
    k = whole_number("k", k, 1, f"a number of tokens, 1 to {size}", size)
    encoding = tokenizer.encode(text)
    if MASK not in encoding.tokens:
        raise ValueError(f"text must contain a [MASK], got {text!r}")
    logits = bert.trace(encoding.ids)["mlm.logits"][0]  # (n, vocab_size)
    probabilities = torch.softmax(logits[[token == MASK for token in encoding.tokens]], dim=-1)
    best = probabilities.topk(k)
    return [
        [(tokenizer.tokens[i], p) for i, p in zip(ids, values, strict=True)]
        for ids, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


def _draw(n, generator):
    return torch.randint(n, (), generator=generator).item()


def _cut(sentences, generator):
    at = 1 + _draw(len(sentences) - 1, generator)
    return " ".join(sentences[:at]), " ".join(sentences[at:])


def _check(ids, tokenizer, rate):
    try:
        ids = torch.as_tensor(ids)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"ids must be whole numbers, as lists or a tensor, got {ids!r:.60}") from error
    if ids.dtype.is_floating_point:
        raise TypeError(f"ids must be whole numbers, got {ids.dtype}")
    if MASK not in tokenizer.vocab:
        raise ValueError("tokenizer must have a [MASK] in its vocabulary, got one without")
    if ids.numel() and not 0 <= ids.min() <= ids.max() < len(tokenizer):
        raise ValueError(f"ids must be in 0..{len(tokenizer) - 1}, got {ids.min()} to {ids.max()}")
    real_number("rate", rate, "a share from 0 to 1", 0, 1)
    return ids.long().cpu()


def training_pairs(tokens):
    """Return every prefix of a text with its next token: [(prefix, token), ...], one pair for each token.

    Raises ValueError if there is no token to predict, or the text is not tokenized.

    >>> training_pairs(["Karhut", "ovat"])
    [([], 'Karhut'), (['Karhut'], 'ovat')]
    """
    if isinstance(tokens, (str, dict)) or not hasattr(tokens, "__len__") or not len(tokens):
        raise ValueError(f"tokens must be a list of one token or more to predict, got {tokens!r:.40}")
    return [(list(tokens[:i]), token) for i, token in enumerate(tokens)]
