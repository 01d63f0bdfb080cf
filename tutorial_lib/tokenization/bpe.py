"""Byte-level byte-pair encoding (BPE), the tokenizer of GPT-2. Source: L 3.2.2, N 1.1."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tutorial_lib.arguments import check_has, check_text, check_texts, whole_number
from tutorial_lib.atomic import write_text
from tutorial_lib.tokenization.encoding import Tokenizer, around, split_special
from tutorial_lib.tokenization.kinds import byte_characters
from tutorial_lib.tokenization.merges import glue, learn_merges
from tutorial_lib.tokenization.saved import read
from tutorial_lib.tokenization.steps import (
    CHUNK,
    GPT2,
    checked,
    cutter,
    decoder,
    normalizer,
    settings_of,
    translated,
    writes_bytes,
)  # fmt: skip

END = "<|endoftext|>"
LONGEST_KNOWN = 100  # characters of a chunk whose tokens are cached; longer ones rarely come twice


def bpe_score(pair: int, first: int, second: int, total: int) -> float:
    """Return BPE's score: how often the two tokens occur side by side."""
    return pair


class BPE(Tokenizer):
    """GPT-2's tokenizer: cut text into chunks, write each as bytes, and merge pairs of bytes by the learned merges.

    Nothing is lost and nothing is unknown: any text is bytes, and the 256 bytes are all in the vocabulary. A space is
    part of the word after it and appears as Ġ in a token. ``<|endoftext|>`` in the text stays one token; GPT-2 has no
    padding token, so `batch` pads with it.

    Its ids equal those of `transformers.GPT2TokenizerFast` (tokenizers 0.23), in every version of Python. An older
    `tokenizers` may not recognize a recent letter or digit (characters that joined Unicode after 2021).

    vocab: token -> id, or the tokens in the order of their ids; with the 256 bytes and ``<|endoftext|>``. merges: pairs
    of tokens, the first to be merged first. parts: the content of a tokenizer.json, such as a Llama's: how a text is
    normalized and cut, whether pieces are written as bytes, and how tokens become a text. By default, GPT-2's.

    >>> tok = BPE.train(["the bear sat", "the bear ran"], vocab_size=264)
    >>> tok.tokenize("the bear <|endoftext|>")
    ['the', 'Ġbear', 'Ġ', '<|endoftext|>']
    >>> tok.decode(tok.encode("Bären 🐻").ids)
    'Bären 🐻'
    """

    pad_token = END
    special = [END]

    def __init__(self, vocab: dict[str, int] | Sequence[str], merges: list[tuple[str, str]], parts: dict = GPT2):
        super().__init__(vocab)
        check_has("parts", parts, "the parts of a tokenizer.json, a dictionary", "items")
        self.merges = _as_pairs(merges)
        needed = [*byte_characters().values(), *self.special] if parts is GPT2 else []
        needed += [token for a, b in self.merges for token in (a, b, a + b)]
        missing = [token for token in needed if token not in self.vocab]
        if missing:
            special = f"the 256 bytes, {', '.join(self.special)} and " if parts is GPT2 else ""
            raise ValueError(f"vocab must contain {special}all merges, but it lacks {missing[0]!r}")
        self.rank = {pair: number for number, pair in enumerate(self.merges)}
        self.ignore_merges, self.byte_fallback, self.fuse_unknown, unknown = model_settings(parts["model"])
        if unknown is not None and unknown not in self.vocab:
            raise ValueError(f"model must have an unk_token of the vocabulary, got {unknown!r}")
        self.unknown = unknown or ""
        self.byte_level = writes_bytes(parts)
        self.normalize = normalizer(parts["normalizer"])
        self._cut = cutter(parts["pre_tokenizer"])
        self._joined = decoder(parts["decoder"])
        self._known_chunks = {}

    def words(self, text: str) -> list[str]:
        """Cut a text into the chunks that merges never cross, as in `chunks`."""
        return self._words(self.normalize(check_text("text", text)), True)

    def _words(self, text, first):
        return self._cut([text], first) if text else []

    def pieces(self, chunk: str) -> list[str]:
        """Return one chunk as tokens: start from its bytes, then repeatedly merge the pair that was learned first.

        >>> BPE.train(["low lower lowest"], vocab_size=260).pieces("lower")
        ['low', 'e', 'r']
        """
        if check_text("chunk", chunk) in self._known_chunks:
            return list(self._known_chunks[chunk])
        table = byte_characters()
        word = "".join(table[byte] for byte in chunk.encode()) if self.byte_level else chunk
        whole = self.ignore_merges and word in self.model_vocab
        tokens = [word] if whole else glue(self._start(word), self.rank)
        if len(chunk) <= LONGEST_KNOWN:
            self._known_chunks[chunk] = tuple(tokens)
        return tokens

    def _start(self, word: str) -> list[str]:
        """Return the characters of a word; an unknown one as its bytes, as the unknown token, or not at all."""
        tokens = []
        waiting = False  # for the end of a run of unknown characters
        for character in word:
            data = [f"<0x{byte:02X}>" for byte in character.encode()] if self.byte_fallback else [""]
            if character in self.model_vocab:
                tokens += [self.unknown] * waiting + [character]
                waiting = False
            elif all(byte in self.model_vocab for byte in data):
                tokens += data
            elif self.unknown:
                tokens += [self.unknown] * (waiting and not self.fuse_unknown)
                waiting = True
        return tokens + [self.unknown] * waiting

    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """Return the text of the ids. Bytes that are not UTF-8, as in half a character, become U+FFFD.

        ids: whole numbers; a list, an array or a tensor of one dimension. skip_special: leave special tokens out.
        Raises ValueError if an id is not in the vocabulary.
        """
        return self._joined(self._tokens_of(ids, set(self.special) if skip_special else set()))

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike) -> "BPE":
        """Return the tokenizer of a model: a known name, or a folder with tokenizer.json, or vocab.json and merges.txt.

        encoder.json and vocab.bpe, the names used by GPT-2's authors, are also read. Vocabulary files of a RoBERTa give
        a `RobertaBPE`, of an OPT an `OptBPE`; a tokenizer.json describes itself. Raises ModelNotAvailable if the name
        is not known or its files are not available, ValueError if the folder lacks one of the files, or they belong to
        an unsupported tokenizer.
        """
        return cls._of(read(name, "BPE"))

    @classmethod
    def _of(cls, saved):
        if saved.parts:
            return saved.dress(lambda: BPE(saved.vocab, saved.merges, saved.parts))
        kind = {"roberta": RobertaBPE, "opt": OptBPE}.get(saved.family, cls)
        return saved.dress(lambda: kind(saved.vocab, saved.merges))

    def save(self, folder: str | os.PathLike) -> None:
        """Write vocab.json and merges.txt, which Hugging Face's GPT2Tokenizer loads too.

        If tokens were added, tokenizer_config.json lists them. A tokenizer that was read from a tokenizer.json is
        written as one, which AutoTokenizer loads. Other tokenizer files in the folder are removed, because they would
        take precedence.
        """
        if self.saved:
            return self._save_json(folder)
        lines = ["#version: 0.2", *(f"{a} {b}" for a, b in self.merges)]
        write_text(Path(folder) / "vocab.json", json.dumps(self.vocab, ensure_ascii=False))
        write_text(Path(folder) / "merges.txt", "\n".join(lines) + "\n")
        self._save_settings(folder, {})

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> "BPE":
        """Learn a vocabulary: merge the most frequent pair, until there are vocab_size tokens.

        Id 0 is ``<|endoftext|>``, then come the 256 bytes, then one token per merge. For equally frequent pairs the one
        with the smaller ids wins; a pair that occurs once is never merged, so little text gives fewer tokens. These are
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
    """RoBERTa's tokenizer: cuts text like GPT-2, and puts texts between special tokens like BERT.

    ``<s>`` first, ``</s>`` after each text, two of them between a pair, whose texts are both segment 0. White space
    before ``<mask>`` belongs to it. Its ids equal those of `transformers.RobertaTokenizerFast`.
    Source: Liu et al. (2019).

    >>> letters = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *byte_characters().values()]
    >>> RobertaBPE(letters, []).encode("a <mask>", "b").tokens
    ['<s>', 'a', '<mask>', '</s>', '</s>', 'b', '</s>']
    """

    single = around("<s> $A </s>")
    pair = around("<s> $A </s> </s> $B </s>")
    pad_token = "<pad>"
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    spaced = ["<mask>"]


class OptBPE(BPE):
    """OPT's tokenizer: cuts text like GPT-2, with ``</s>`` before each text. Source: Zhang et al. (2022).

    >>> OptBPE(["<pad>", "</s>", *byte_characters().values()], []).encode("bé").tokens
    ['</s>', 'b', 'Ã', '©']
    """

    single = around("</s> $A")
    pair = around("</s> $A </s> $B:1")
    pad_token = "<pad>"
    special = ["<pad>", "</s>"]


def _as_pairs(merges) -> list[tuple[str, str]]:
    check_has("merges", merges, "pairs of tokens", "__iter__")
    for pair in merges:
        if not isinstance(pair, (tuple, list)) or [type(token) for token in pair] != [str, str]:
            raise ValueError(f"merges must be pairs of tokens, got {pair!r}")
    return [tuple(pair) for pair in merges]


def model_settings(model: dict) -> list:
    """Return ignore_merges, byte_fallback, fuse_unk and unk_token of the model in a tokenizer.json."""
    plain = {"dropout": (None, 0, 0.0), "continuing_subword_prefix": (None, ""), "end_of_word_suffix": (None, "")}
    for name, allowed in plain.items():
        checked("model", name, model.get(name), allowed)
    read_elsewhere = (*plain, "vocab", "merges", "unk_token")
    switches = settings_of("model", model, read_elsewhere, ignore_merges=False, byte_fallback=False, fuse_unk=False)
    return [*switches, model.get("unk_token")]


def chunks(text: str) -> list[str]:
    """Cut a text into the chunks that BPE never merges across: a word with its space, a number, signs, white space.

    >>> chunks("It's 10 o'clock,   bear!")
    ['It', "'s", ' 10', ' o', "'", 'clock', ',', '  ', ' bear', '!']
    """
    return translated(CHUNK).findall(check_text("text", text))
