"""The kinds of tokens in a vocabulary. Source: L 3.2.2, 4.2.1."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from tutorial_lib.arguments import check_text, check_texts

SPECIAL = re.compile(r"\[[A-Z]+\]|<\|[a-z_\d]+\|>|</?[a-z]+>")  # [CLS], <|begin_of_text|>, </s>
UNUSED = re.compile(r"\[unused\d+\]")
KINDS = ("special", "unused", "one character", "continuation", "word", "other")


@dataclass
class Anatomy:
    """The kinds of tokens in one vocabulary. Each token has one kind, so `kinds` sums up to `size`.

    kinds: how many tokens are special, unused, one character, a continuation (beginning with ##), a word of letters and
    digits, or other. blocks: (kind, first id, last id) for runs of ids of one kind. alphanumeric_share counts all
    tokens of letters and digits only, one character or more; a token with ## is not one of them.
    """

    size: int
    kinds: dict[str, int]
    blocks: list[tuple[str, int, int]]
    continuation_share: float
    alphanumeric_share: float


def anatomy(vocab: dict[str, int] | Iterable[str]) -> Anatomy:
    """Count the kinds of tokens in a vocabulary, and find where in the ids they lie.

    vocab: token -> id, or the tokens in the order of their ids.

    >>> anatomy(["[PAD]", "[unused0]", "a", "b", "bear", "##s"]).blocks
    [('special', 0, 0), ('unused', 1, 1), ('one character', 2, 3), ('word', 4, 4), ('continuation', 5, 5)]
    """
    check_texts("vocab", list(vocab) if isinstance(vocab, dict) else vocab)
    pairs = sorted((id, token) for token, id in vocab.items()) if isinstance(vocab, dict) else enumerate(vocab)
    tokens = [(id, token, kind(token)) for id, token in pairs]
    runs = [list(run) for _, run in groupby(tokens, key=lambda entry: entry[2])]
    count = Counter(token_kind for _, _, token_kind in tokens)
    return Anatomy(
        size=len(tokens),
        kinds={name: count[name] for name in KINDS},
        blocks=[(run[0][2], run[0][0], run[-1][0]) for run in runs],
        continuation_share=sum(token.startswith("##") for _, token, _ in tokens) / len(tokens),
        alphanumeric_share=sum(token.isalnum() for _, token, _ in tokens) / len(tokens),
    )


def kind(token: str) -> str:
    """Return the kind of one token, one of `KINDS`.

    >>> kind("[MASK]"), kind("[unused7]"), kind("##ness"), kind("é"), kind("bear"), kind("...")
    ('special', 'unused', 'continuation', 'one character', 'word', 'other')
    """
    if UNUSED.fullmatch(check_text("token", token)):
        return "unused"
    if SPECIAL.fullmatch(token):
        return "special"
    if len(token) == 1:
        return "one character"
    if token.startswith("##") and token != "##":
        return "continuation"
    return "word" if token.isalnum() else "other"
