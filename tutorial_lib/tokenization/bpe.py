"""Byte-level byte-pair encoding (BPE), the tokenizer of GPT-2. Source: L 3.2.2, N 1.1."""

import json
import os
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

from tutorial_lib.arguments import check_has, check_text, check_texts, whole_number
from tutorial_lib.tokenization.encoding import Tokenizer, split_special
from tutorial_lib.tokenization.kinds import LETTER, NUMBER, WHITE
from tutorial_lib.tokenization.merges import bpe_score, learn_merges, merge
from tutorial_lib.tokenization.saved import read
from tutorial_lib.weights.files import write_text

END = "<|endoftext|>"


class BPE(Tokenizer):
    """GPT-2's tokenizer: cut text into chunks, write each as bytes, and glue pairs of bytes as the merges say.

    Nothing is lost and nothing is unknown: any text is bytes, and the 256 bytes are all in the vocabulary. A space is
    part of the word after it and shows as Ġ in a token. ``<|endoftext|>`` in the text stays one token; as GPT-2 has no
    token for padding, `batch` pads with it.

    Its ids equal those of `transformers.GPT2TokenizerFast` (tokenizers 0.23), whatever Python runs it. An older
    `tokenizers` may not know a recent letter or digit as such (characters that joined Unicode after 2021).

    vocab: token -> id, or the tokens in the order of their ids; with the 256 bytes and ``<|endoftext|>``. merges: pairs
    of tokens, the first to be glued first.

    >>> tok = BPE.train(["the bear sat", "the bear ran"], vocab_size=264)
    >>> tok.tokenize("the bear <|endoftext|>")
    ['the', 'Ġbear', 'Ġ', '<|endoftext|>']
    >>> tok.decode(tok.encode("Bären 🐻").ids)
    'Bären 🐻'
    """

    pad_token = END
    special = [END]

    def __init__(self, vocab, merges: list[tuple[str, str]]):
        super().__init__(vocab)
        self.merges = _as_pairs(merges)
        glued = (token for a, b in self.merges for token in (a, b, a + b))
        needed = [*byte_characters().values(), *self.special, *glued]
        missing = [token for token in needed if token not in self.vocab]
        if missing:
            special = ", ".join(self.special)
            raise ValueError(f"vocab must hold the 256 bytes, {special} and all merges; it lacks {missing[0]!r}")
        self.rank = {pair: number for number, pair in enumerate(self.merges)}
        self._known_chunks = {}

    def add(self, tokens: list[str]) -> None:
        """Let tokens of the vocabulary stay whole where they stand in a text."""
        self.added = check_texts("tokens", tokens, least=0)
        self._known_chunks = {token: (token,) for token in tokens}

    def words(self, text: str) -> list[str]:
        """A text in `chunks`; between them, tokens that were added to the vocabulary."""
        parts = split_special(text, self.added)
        return [word for part in parts for word in ([part] if part in self.added else chunks(part))]

    def pieces(self, chunk: str) -> list[str]:
        """One chunk as tokens: start from its bytes, then again and again glue the pair that was learned first.

        >>> BPE.train(["low lower lowest"], vocab_size=260).pieces("lower")
        ['low', 'e', 'r']
        """
        if check_text("chunk", chunk) not in self._known_chunks:
            table = byte_characters()
            word = [table[byte] for byte in chunk.encode()]
            while len(word) > 1:
                pair = min(zip(word, word[1:]), key=lambda pair: self.rank.get(pair, len(self.rank)))
                if pair not in self.rank:
                    break
                word = merge(word, pair, pair[0] + pair[1])
            self._known_chunks[chunk] = tuple(word)
        return list(self._known_chunks[chunk])

    def decode(self, ids, skip_special: bool = False) -> str:
        """The text that the ids stand for. Bytes that are no UTF-8, as in half a character, become U+FFFD.

        ids: whole numbers; a list, an array or a tensor of one dimension. skip_special: leave special tokens out.
        Raises ValueError if an id is not in the vocabulary.
        """
        byte_of = {character: byte for byte, character in byte_characters().items()}
        tokens = self._tokens_of(ids, set(self.special) if skip_special else set())
        as_written = {*self.special, *self.added}
        data = [token.encode() if token in as_written else bytes(byte_of[c] for c in token) for token in tokens]
        return b"".join(data).decode(errors="replace")

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike) -> "BPE":
        """The tokenizer of a model: a known name, or a folder with tokenizer.json, or vocab.json and merges.txt.

        encoder.json and vocab.bpe, as GPT-2's authors call them, will do. Of a RoBERTa it is a `RobertaBPE`, of an OPT
        an `OptBPE`. Raises ModelNotAvailable if the name is not known or its files are not to be had, ValueError if the
        folder lacks one of the files, or they are of a tokenizer that is not computed here.
        """
        saved = read(name)
        if saved.kind != "BPE":
            raise ValueError(f"name must be a model with a BPE vocabulary, got {name!r}, which has {saved.kind}")
        kind = {"roberta": RobertaBPE, "opt": OptBPE}.get(saved.around, cls)
        return saved.dress(kind(saved.vocab, saved.merges))

    def save(self, folder: str | os.PathLike) -> None:
        """Write vocab.json and merges.txt, which Hugging Face's GPT2Tokenizer loads too.

        If tokens were added, tokenizer_config.json tells them. Other files of a tokenizer in the folder are removed:
        they would count before these.
        """
        lines = ["#version: 0.2", *(f"{a} {b}" for a, b in self.merges)]
        write_text(Path(folder) / "vocab.json", json.dumps(self.vocab, ensure_ascii=False))
        write_text(Path(folder) / "merges.txt", "\n".join(lines) + "\n")
        self._save_settings(folder, {}, self.added)

    @classmethod
    def train(cls, texts, vocab_size: int) -> "BPE":
        """Learn a vocabulary: glue the most frequent pair, until there are vocab_size tokens.

        Id 0 is ``<|endoftext|>``, then come the 256 bytes, then one token per merge. Of equally frequent pairs the one
        with the smaller ids wins; a pair that occurs once is never glued, so little text gives fewer tokens. These are
        the rules, and the merges, of Hugging Face's ByteLevelBPETokenizer.

        Raises TypeError if texts is not a list of str, ValueError if vocab_size is less than 257.

        >>> BPE.train(["low lower lowest"], vocab_size=260).merges
        [('l', 'o'), ('lo', 'w'), ('Ġ', 'low')]
        """
        start = [END, *sorted(byte_characters().values())]
        whole_number("vocab_size", vocab_size, len(start), f"a whole number of at least {len(start)}: {END}, 256 bytes")
        words = Counter()
        for text in check_texts("texts", texts):
            for part in split_special(text, [END]):
                words.update(chunks(part) if part != END else [])
        table = byte_characters()
        words = Counter({tuple(table[byte] for byte in chunk.encode()): n for chunk, n in words.items()})
        return cls(*learn_merges(words, start, vocab_size, bpe_score, str.__add__))


class RobertaBPE(BPE):
    """RoBERTa's tokenizer: GPT-2's way of cutting, with BERT's way of putting texts between special tokens.

    ``<s>`` first, ``</s>`` after each text, two of them between a pair, whose texts are both segment 0. White space
    before ``<mask>`` belongs to it. Its ids equal those of `transformers.RobertaTokenizerFast`.
    Source: Liu et al. (2019).

    >>> letters = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *byte_characters().values()]
    >>> RobertaBPE(letters, []).encode("a <mask>", "b").tokens
    ['<s>', 'a', '<mask>', '</s>', '</s>', 'b', '</s>']
    """

    before = ["<s>"]
    between = ["</s>", "</s>"]
    after = ["</s>"]
    pad_token = "<pad>"
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    spaced = ["<mask>"]

    def _assemble(self, first, second):
        encoding = super()._assemble(first, second)
        encoding.token_type_ids = [0] * len(encoding)
        return encoding


class OptBPE(BPE):
    """OPT's tokenizer: GPT-2's way of cutting, with ``</s>`` before each text. Source: Zhang et al. (2022).

    >>> OptBPE(["<pad>", "</s>", *byte_characters().values()], []).encode("bé").tokens
    ['</s>', 'b', 'Ã', '©']
    """

    before = ["</s>"]
    between = ["</s>"]
    pad_token = "<pad>"
    special = ["<pad>", "</s>"]


def _as_pairs(merges) -> list[tuple[str, str]]:
    check_has("merges", merges, "pairs of tokens", "__iter__")
    for pair in merges:
        if not isinstance(pair, (tuple, list)) or [type(token) for token in pair] != [str, str]:
            raise ValueError(f"merges must be pairs of tokens, got {pair!r}")
    return [tuple(pair) for pair in merges]


@lru_cache
def byte_characters() -> dict[int, str]:
    """A visible character for each of the 256 bytes: itself where it has a shape, else one from U+0100 on.

    >>> byte_characters()[ord("A")], byte_characters()[ord(" ")], byte_characters()[ord("\\n")]
    ('A', 'Ġ', 'Ċ')
    """
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


@lru_cache
def _chunk_pattern() -> re.Pattern:
    """GPT-2's rule: English contractions; letters, numbers or signs, with a space before or not; white space."""
    L, N, S = LETTER.pattern, NUMBER.pattern, WHITE.pattern
    return re.compile(f"'s|'t|'re|'ve|'m|'ll|'d| ?[{L}]+| ?[{N}]+| ?[^{S}{L}{N}]+|[{S}]+(?![^{S}])|[{S}]+")


def chunks(text: str) -> list[str]:
    """A text in the chunks that BPE never glues across: a word with the space before it, a number, signs, white space.

    >>> chunks("It's 10 o'clock,   bear!")
    ['It', "'s", ' 10', ' o', "'", 'clock', ',', '  ', ' bear', '!']
    """
    return _chunk_pattern().findall(check_text("text", text))
