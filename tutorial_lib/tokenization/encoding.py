"""From text to the numbers that a model takes: ids, segments, masks, truncation and padding.

`Tokenizer` is what `WordPiece` and `BPE` have in common. Source: R 11.1, 11.4, 11.5, 11.7.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tutorial_lib.arguments import check_text, check_texts, whole_number
from tutorial_lib.tokenization.kinds import WHITE
from tutorial_lib.weights.files import write_text


@dataclass
class Encoding:
    """A text, or a pair of texts, as a model takes it: lists from `encode`, lists of lists from `batch`.

    ids: row numbers into the embedding table. tokens: the same as strings. token_type_ids: 0 for the first text, 1 for
    the second. attention_mask: 1 for a token, 0 for padding.
    """

    ids: list
    tokens: list
    token_type_ids: list
    attention_mask: list

    @property
    def inputs(self) -> dict[str, list]:
        """The arguments of a model: ``bert(**tok.batch(texts).inputs)``, the same as ``bert(tok.batch(texts))``.

        Segments are left out where all are 0, which is what a model takes without: decoders have none.
        """
        inputs = {"ids": self.ids, "attention_mask": self.attention_mask}
        several = any(map(any, self.token_type_ids) if isinstance(self.ids[0], list) else self.token_type_ids)
        return inputs | {"token_type_ids": self.token_type_ids} if several else inputs

    def __len__(self) -> int:
        return len(self.ids)

    def pad(self, length: int, id: int, token: str) -> "Encoding":
        """The same with padding at the end, up to `length` tokens; the mask says which ones they are."""
        extra = length - len(self)
        padding = {"ids": id, "tokens": token, "token_type_ids": 0, "attention_mask": 0}
        return Encoding(**{name: getattr(self, name) + [value] * extra for name, value in padding.items()})


def truncated_lengths(n_first: int, n_second: int, room: int) -> tuple[int, int]:
    """How many tokens of each text of a pair are kept when `room` tokens are left for both: the longer gives first.

    A text that needs no more than its half keeps all its tokens. Where both need more, they share `room` equally, and
    an odd token goes to the longer text, or to the second if they are equally long. This is "longest_first" of Hugging
    Face's fast tokenizers.

    >>> truncated_lengths(3, 10, 8), truncated_lengths(10, 10, 5)
    ((3, 5), (2, 3))
    """
    for name, value in (("n_first", n_first), ("n_second", n_second), ("room", room)):
        whole_number(name, value, 0, "a number of tokens, 0 or more")
    if n_first + n_second <= room:
        return n_first, n_second
    short = min(n_first, n_second, room // 2)
    return (room - short, short) if n_first > n_second else (short, room - short)


class Tokenizer(ABC):
    """A vocabulary, and the way from text to ids and back. `WordPiece` and `BPE` add how a text is cut.

    vocab: token -> id. tokens: id -> token. before, between, after: the special tokens around the texts of an input.
    pad_token: the token that fills a batch up. special: tokens that stay whole where they stand in a text, and that
    decoding may leave out. spaced: those that take the white space before them. added: others that stay whole, because
    somebody added them to the vocabulary. unknown: the token for what is not in the vocabulary.
    """

    special: list[str] = []
    spaced: list[str] = []
    added: list[str] = []
    unknown: str = ""
    before: list[str] = []
    between: list[str] = []
    after: list[str] = []
    pad_token: str

    def __init__(self, vocab: dict[str, int] | Sequence[str]):
        self.tokens = _in_order_of_ids(vocab)
        self.vocab = {token: id for id, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def __call__(self, texts, pairs=None, max_length=None, pad_to=None) -> "Encoding":
        """One text, or many, as an `Encoding`: `encode` for a str, `batch` for a list."""
        return (self.encode if isinstance(texts, str) else self.batch)(texts, pairs, max_length, pad_to)

    @abstractmethod
    def words(self, text: str) -> list[str]:
        """A text, without special tokens, in what no token goes across."""

    @abstractmethod
    def pieces(self, word: str) -> list[str]:
        """The tokens of one such word."""

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text, without those that `encode` puts around it."""
        tokens = []
        for token in self.spaced:
            text = re.sub(f"[{WHITE.pattern}]+(?={re.escape(token)})", "", check_text("text", text))
        for part in split_special(text, self.special):
            if part in self.special:
                tokens.append(part if part in self.vocab else self.unknown)
            else:
                for word in self.words(part):
                    tokens.extend(self.pieces(word))
        return tokens

    def encode(self, text: str, pair: str | None = None, max_length=None, pad_to=None) -> Encoding:
        """One text, or two, as an `Encoding`.

        text, pair: str; the pair becomes segment 1. An empty pair is a pair. max_length: cut the texts so that all
        tokens, special ones included, are no more than this. pad_to: fill up to this many tokens.

        Raises TypeError if text or pair is not a str, ValueError if max_length has no room for the special tokens, or
        pad_to is less than the tokens there are.
        """
        first = self.tokenize(check_text("text", text))
        second = None if pair is None else self.tokenize(check_text("pair", pair))
        n_special = len(self.before) + len(self.after) + (0 if second is None else len(self.between))
        if max_length is not None:
            least = max(n_special, 1)
            allowed = f"a whole number of at least {least} here, {n_special} for special tokens"
            room = whole_number("max_length", max_length, least, allowed) - n_special
            n_first, n_second = truncated_lengths(len(first), len(second or []), room)
            first = first[:n_first]
            second = second and second[:n_second]
        encoding = self._assemble(first, second)
        return encoding if pad_to is None else self._pad(encoding, pad_to)

    def batch(self, texts, pairs=None, max_length: int | None = None, pad_to: int | None = None) -> Encoding:
        """Many texts, or many pairs, as one `Encoding` of lists of equal length: padded to the longest, or to pad_to.

        Raises as `encode` does; TypeError for a single str, ValueError if pairs are not as many as texts.
        """
        texts = check_texts("texts", texts)
        pairs = [None] * len(texts) if pairs is None else check_texts("pairs", pairs)
        if len(pairs) != len(texts):
            raise ValueError(f"pairs must be as many as texts, {len(texts)}, got {len(pairs)}")
        rows = [self.encode(text, pair, max_length) for text, pair in zip(texts, pairs, strict=True)]
        longest = max(rows, key=len)
        length = len(longest if pad_to is None else self._pad(longest, pad_to))
        rows = [self._pad(row, length) for row in rows]
        return Encoding(**{field.name: [getattr(row, field.name) for row in rows] for field in fields(Encoding)})

    def _save_settings(self, folder, config: dict, added: list[str]) -> None:
        """Write tokenizer_config.json, where there is anything to say: config, and what tokens that were added do.

        Files that an earlier tokenizer left in the folder would count before these: they go.
        """
        beside = [token for token in self.special if token not in type(self).special]
        if added or beside or self.spaced != type(self).spaced:
            whole = [token for token in (*added, *self.special) if token in self.vocab]
            config["added_tokens_decoder"] = {str(self.vocab[token]): self._told(token) for token in whole}
            config["additional_special_tokens"] = beside
        path = Path(folder) / "tokenizer_config.json"
        if config:
            write_text(path, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
        others = ["tokenizer.json", "added_tokens.json", "special_tokens_map.json"]
        for other in others if config else [*others, path.name]:
            path.with_name(other).unlink(missing_ok=True)

    def _told(self, token):
        """What a token that stays whole does in a text, by Hugging Face's names."""
        special, lstrip = token in self.special, token in self.spaced
        told = {"content": token, "special": special, "normalized": not special, "lstrip": lstrip}
        return told | {"rstrip": False, "single_word": False}

    def _pad(self, encoding: Encoding, pad_to: int) -> Encoding:
        allowed = f"a whole number of at least {len(encoding)}, the tokens there are (max_length cuts)"
        length = whole_number("pad_to", pad_to, len(encoding), allowed)
        return encoding.pad(length, self.vocab[self.pad_token], self.pad_token)

    def _assemble(self, first: list[str], second: list[str] | None) -> Encoding:
        """Put the special tokens around one text or two."""
        segments = [[*self.before, *first, *(self.after if second is None else self.between)]]
        if second is not None:
            segments.append([*second, *self.after])
        tokens = [token for segment in segments for token in segment]
        types = [number for number, segment in enumerate(segments) for _ in segment]
        return Encoding([self.vocab[token] for token in tokens], tokens, types, [1] * len(tokens))

    def _tokens_of(self, ids: Iterable[int], skip: set[str]) -> list[str]:
        """The tokens of checked ids, without those in `skip`."""
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
            raise TypeError(f"ids must be a list of whole numbers, got {type(ids).__name__}")
        if getattr(ids, "ndim", 1) != 1:
            raise TypeError(f"ids must be a list of whole numbers, got an array of shape {tuple(ids.shape)}")
        allowed = f"whole numbers from 0 to {len(self.tokens) - 1}"
        numbers = [whole_number("ids", id, 0, allowed, len(self.tokens) - 1) for id in ids]
        return [self.tokens[id] for id in numbers if self.tokens[id] not in skip]


def _in_order_of_ids(vocab: dict[str, int] | Sequence[str]) -> list[str]:
    tokens = check_texts("vocab", list(vocab) if isinstance(vocab, dict) else vocab, least=0)
    if not isinstance(vocab, dict):
        return tokens
    token_of = {id: token for token, id in vocab.items()}
    if set(token_of) != set(range(len(vocab))):
        raise ValueError(f"vocab must use each id from 0 to {len(vocab) - 1} once")
    return [token_of[id] for id in range(len(vocab))]


def split_special(text: str, special: list[str]) -> list[str]:
    """A text cut before and after each special token that stands in it, as written; of two, the longer counts.

    >>> split_special("a [MASK]!", ["[MASK]", "[SEP]"])
    ['a ', '[MASK]', '!']
    """
    longest_first = sorted(check_texts("special", special, least=0), key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    parts = re.split(f"({pattern})", check_text("text", text)) if special else [check_text("text", text)]
    return [part for part in parts if part]
