"""From text to the inputs of a model: ids, segments, masks, truncation and padding.

`Tokenizer` is the common part of `WordPiece` and `BPE`. Source: R 11.1, 11.4, 11.5, 11.7.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from tutorial_lib.arguments import check_text, check_texts, whole_number
from tutorial_lib.atomic import write_text
from tutorial_lib.tokenization.kinds import WHITE

SPACES = "".join(chr(code) for a, b in zip(WHITE.first, WHITE.last, strict=True) for code in range(a, b + 1))
MOST_IDS = 2**24  # larger than any vocabulary; ids without a token take memory, too

@dataclass
class Encoding:
    """A text, or a pair of texts, as the input of a model: lists from `encode`, lists of lists from `batch`.

    ids: row numbers into the embedding table. tokens: the same as strings. token_type_ids: 0 for the first text, 1 for
    the second. attention_mask: 1 for a token, 0 for padding.
    """

    ids: list
    tokens: list
    token_type_ids: list
    attention_mask: list

    @property
    def inputs(self) -> dict[str, list]:
        """Return the arguments of a model: ``bert(**tok.batch(texts).inputs)``, the same as ``bert(tok.batch(texts))``.

        Segments are left out if all are 0, which is the default: decoders have none.
        """
        inputs = {"ids": self.ids, "attention_mask": self.attention_mask}
        several = any(map(any, self.token_type_ids) if isinstance(self.ids[0], list) else self.token_type_ids)
        return inputs | {"token_type_ids": self.token_type_ids} if several else inputs

    def __len__(self) -> int:
        return len(self.ids)

    def pad(self, length: int, id: int, token: str) -> "Encoding":
        """Return the same with padding at the end, up to `length` tokens; the mask marks it."""
        extra = length - len(self)
        padding = {"ids": id, "tokens": token, "token_type_ids": 0, "attention_mask": 0}
        return Encoding(**{name: getattr(self, name) + [value] * extra for name, value in padding.items()})


def truncated_lengths(n_first: int, n_second: int, room: int) -> tuple[int, int]:
    """Return how many tokens of each text of a pair to keep if `room` are left for both: the longer is cut first.

    A text that needs no more than its half keeps all its tokens. If both need more, they share `room` equally, and an
    odd token goes to the longer text, or to the second if they are equally long. This is "longest_first" of Hugging
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

    vocab: token -> id. tokens: id -> token, "" for an id without a token. single, pair: the tokens of an input with one
    text and with two, each with its segment; ``$A`` and ``$B`` are the texts. pad_token: the token that fills a batch.
    unknown: the token for words outside the vocabulary.

    special: tokens that stay whole in a text, and that decoding may leave out. added: others that stay whole, because
    somebody added them to the vocabulary. Of these, `normalized` are searched in the normalized text, and the others in
    the original text; `spaced` include the white space before them, `spaced_after` the white space after them.
    """

    special: list[str] = []
    added: list[str] = []
    normalized: list[str] = []
    spaced: list[str] = []
    spaced_after: list[str] = []
    unknown: str = ""
    single: list[tuple[str, int]] = [("$A", 0)]
    pair: list[tuple[str, int]] = [("$A", 0), ("$B", 1)]
    pad_token: str
    saved = None  # the `saved.Saved` that it was read from, if that was a tokenizer.json

    def __init__(self, vocab: dict[str, int] | Sequence[str]):
        self.tokens = _in_order_of_ids(vocab)
        ids = vocab.items() if isinstance(vocab, dict) else zip(self.tokens, range(len(self.tokens)))
        self.vocab = dict(sorted(ids, key=lambda pair: pair[1]))
        self._known_whole = None, None
        self.model_vocab = self.vocab  # the tokens that words consist of: without those added later

    def __len__(self) -> int:
        return len(self.tokens)

    def __call__(
        self, texts: str | Iterable[str], pairs: str | Iterable[str] | None = None, max_length: int | None = None,
        pad_to: int | None = None,
    ) -> "Encoding":  # fmt: skip
        """Return one text, or many, as an `Encoding`: `encode` for a str, `batch` for a list."""
        return (self.encode if isinstance(texts, str) else self.batch)(texts, pairs, max_length, pad_to)

    def add(self, tokens: list[str]) -> None:
        """Keep tokens of the vocabulary whole in a text, once it is normalized."""
        tokens = check_texts("tokens", tokens, least=0)
        self.normalized = [*(token for token in self.normalized if token not in self.added), *tokens]
        self.added = tokens

    def normalize(self, text: str) -> str:
        """Return a text, without special tokens, in the form in which it is cut."""
        return text

    @abstractmethod
    def words(self, text: str) -> list[str]:
        """Cut a text, without special tokens, into parts that no token crosses."""

    def _words(self, text: str, first: bool) -> list[str]:
        """Return the words of a normalized text. first: whether it is the beginning of the input."""
        return self.words(text)

    @abstractmethod
    def pieces(self, word: str) -> list[str]:
        """Return the tokens of one such word."""

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of a text, without those that `encode` puts around it."""
        as_written, normalized = self._whole()
        tokens = []
        first = True
        for part, token in self._split(check_text("text", text), as_written):
            inner = [(part, token)] if token else self._split(self.normalize(part), normalized)
            for part, token in inner:
                if token:
                    tokens.append(token if token in self.vocab else self.unknown)
                else:
                    for word in self._words(part, first):
                        tokens.extend(self.pieces(word))
                first = False
        return tokens

    def _whole(self):
        """Return the spelling of whole tokens -> the tokens: in a text, and in a normalized text."""
        key = (tuple(self.special), tuple(self.added), tuple(self.normalized))
        if key != self._known_whole[0]:
            whole = dict.fromkeys([*self.special, *self.added])
            as_written = {token: token for token in whole if token not in set(self.normalized)}
            normalized = {self.normalize(token): token for token in whole if token not in as_written}
            self._known_whole = key, (as_written, normalized)
        return self._known_whole[1]

    def _split(self, text, written):
        """Cut a text at whole tokens (spelling -> token). Return pairs of a part and its token, or ""."""
        if not written:
            return [(text, "")] if text else []
        parts = []
        end = 0
        for found in _finder(tuple(written)).finditer(text):
            token = written[found[0]]
            start, stop = found.span()
            if token in self.spaced:
                start = end + len(text[end:start].rstrip(SPACES))
            if token in self.spaced_after:
                stop = len(text) - len(text[stop:].lstrip(SPACES))
            parts += [(text[end:start], ""), (text[start:stop], token)]
            end = stop
        return [(part, token) for part, token in [*parts, (text[end:], "")] if part]

    def encode(
        self, text: str, pair: str | None = None, max_length: int | None = None, pad_to: int | None = None
    ) -> Encoding:
        """One text, or two, as an `Encoding`.

        text, pair: str; the pair becomes segment 1. An empty pair is a pair. max_length: truncate the texts so that
        there are at most this many tokens, special ones included. pad_to: fill up to this many tokens.

        Raises TypeError if text or pair is not a str, ValueError if max_length has no room for the special tokens, or
        pad_to is less than the number of tokens.
        """
        first = self.tokenize(check_text("text", text))
        second = None if pair is None else self.tokenize(check_text("pair", pair))
        around = self.single if second is None else self.pair
        n_special = sum(piece not in ("$A", "$B") for piece, _ in around)
        if max_length is not None:
            least = max(n_special, 1)
            allowed = f"a whole number of at least {least} here, {n_special} for special tokens"
            room = whole_number("max_length", max_length, least, allowed) - n_special
            n_first, n_second = truncated_lengths(len(first), len(second or []), room)
            first = first[:n_first]
            second = second and second[:n_second]
        encoding = self._assemble(first, second)
        return encoding if pad_to is None else self._pad(encoding, pad_to)

    def batch(
        self, texts: Iterable[str], pairs: Iterable[str] | None = None, max_length: int | None = None,
        pad_to: int | None = None,
    ) -> Encoding:  # fmt: skip
        """Return many texts, or pairs, as one `Encoding` of lists of equal length: padded to the longest, or to pad_to.

        Raises as `encode` does; TypeError for a single str, ValueError if there are not as many pairs as texts.
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

    def _save_settings(self, folder, config: dict) -> None:
        """Write tokenizer_config.json, if there is anything to say: config, and how added tokens behave.

        Files of an earlier tokenizer in the folder would take precedence: they are removed.
        """
        beside = [token for token in self.special if token not in type(self).special]
        if self.added or beside or self.spaced != type(self).spaced or self.spaced_after:
            config["added_tokens_decoder"] = {str(token.pop("id")): token for token in self._whole_tokens()}
            config["additional_special_tokens"] = beside
        path = Path(folder) / "tokenizer_config.json"
        if config:
            write_text(path, json.dumps(config, indent=2, ensure_ascii=False) + "\n")
        others = ["tokenizer.json", "added_tokens.json", "special_tokens_map.json"]
        for other in others if config else [*others, path.name]:
            path.with_name(other).unlink(missing_ok=True)

    def _save_json(self, folder) -> None:
        """Write tokenizer.json as it was read, with the current settings of whole tokens, and tokenizer_config.json."""
        folder = Path(folder)
        parts = {**self.saved.parts, "added_tokens": self._whole_tokens()}
        left_out = ("added_tokens_decoder", "add_bos_token", "add_eos_token", "backend", "is_local")
        config = {name: value for name, value in self.saved.config.items() if name not in left_out}
        config |= {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": self.pad_token}
        write_text(folder / "tokenizer.json", json.dumps(parts, ensure_ascii=False))
        write_text(folder / "tokenizer_config.json", json.dumps(config, indent=2, ensure_ascii=False) + "\n")
        for other in ("added_tokens.json", "special_tokens_map.json", "vocab.txt", "vocab.json", "merges.txt"):
            (folder / other).unlink(missing_ok=True)

    def _whole_tokens(self) -> list[dict]:
        """Return the tokens that stay whole as tokenizer.json lists them, in the order of their ids."""
        whole = dict.fromkeys(token for token in (*self.special, *self.added) if token in self.vocab)
        return [
            {
                "id": self.vocab[token],
                "content": token,
                "single_word": False,
                "lstrip": token in self.spaced,
                "rstrip": token in self.spaced_after,
                "normalized": token in self.normalized,
                "special": token in self.special,
            }
            for token in sorted(whole, key=self.vocab.get)
        ]

    def _pad(self, encoding: Encoding, pad_to: int) -> Encoding:
        allowed = f"a whole number of at least {len(encoding)}, the tokens there are (max_length cuts)"
        length = whole_number("pad_to", pad_to, len(encoding), allowed)
        return encoding.pad(length, self.vocab[self.pad_token], self.pad_token)

    def _assemble(self, first: list[str], second: list[str] | None) -> Encoding:
        """Put the special tokens around one text or two."""
        texts = {"$A": first, "$B": second or []}
        around = self.single if second is None else self.pair
        placed = [(token, segment) for piece, segment in around for token in texts.get(piece, [piece])]
        tokens = [token for token, _ in placed]
        types = [segment for _, segment in placed]
        return Encoding([self.vocab[token] for token in tokens], tokens, types, [1] * len(tokens))

    def _tokens_of(self, ids: Iterable[int], skip: set[str]) -> list[str]:
        """Return the tokens of checked ids as they appear in a text, without those in `skip`."""
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
            raise TypeError(f"ids must be a list of whole numbers, got {type(ids).__name__}")
        if getattr(ids, "ndim", 1) != 1:
            raise TypeError(f"ids must be a list of whole numbers, got an array of shape {tuple(ids.shape)}")
        allowed = f"whole numbers from 0 to {len(self.tokens) - 1}"
        numbers = [whole_number("ids", id, 0, allowed, len(self.tokens) - 1) for id in ids]
        holes = [id for id in numbers if self.tokens[id] == "" and self.vocab.get("") != id]
        if holes:
            raise ValueError(f"ids must be ids of tokens, got {holes[0]}, which has none")
        tokens = [self.tokens[id] for id in numbers if self.tokens[id] not in skip]
        normalized = set(self.normalized)
        return [self.normalize(token) if token in normalized else token for token in tokens]


def _in_order_of_ids(vocab: dict[str, int] | Sequence[str]) -> list[str]:
    """Return the tokens by their ids, with "" for ids that no token has."""
    tokens = check_texts("vocab", list(vocab) if isinstance(vocab, dict) else vocab, least=0)
    if not isinstance(vocab, dict):
        return tokens
    allowed = f"an id of its own, from 0 to {MOST_IDS - 1}, for each token"
    token_of = {whole_number("vocab", id, 0, allowed, MOST_IDS - 1): token for token, id in vocab.items()}
    if len(token_of) < len(vocab):
        twice = next(id for id in vocab.values() if list(vocab.values()).count(id) > 1)
        raise ValueError(f"vocab must have {allowed}, got {twice} twice")
    return [token_of.get(id, "") for id in range(max(token_of, default=-1) + 1)]


def around(template: str) -> list[tuple[str, int]]:
    """Read a template of Hugging Face: each token, or ``$A`` and ``$B`` for the texts, with its segment (0 by default).

    >>> around("[CLS] $A [SEP] $B:1")
    [('[CLS]', 0), ('$A', 0), ('[SEP]', 0), ('$B', 1)]
    """
    pieces = [piece.partition(":") for piece in check_text("template", template).split()]
    return [(token, int(segment or 0)) for token, _, segment in pieces]


@lru_cache
def _finder(tokens: tuple[str, ...]) -> re.Pattern:
    """Return a pattern that finds tokens: the longest of those that begin at one place."""
    return re.compile("|".join(map(re.escape, sorted(tokens, key=len, reverse=True))))


def split_special(text: str, special: list[str]) -> list[str]:
    """Cut a text before and after each special token in it, as written; of two, the longer counts.

    >>> split_special("a [MASK]!", ["[MASK]", "[SEP]"])
    ['a ', '[MASK]', '!']
    """
    finder = _finder(tuple(check_texts("special", special, least=0)))
    parts = re.split(f"({finder.pattern})", check_text("text", text)) if special else [check_text("text", text)]
    return [part for part in parts if part]
