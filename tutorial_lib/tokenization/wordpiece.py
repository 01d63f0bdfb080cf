"""WordPiece, the tokenizer of BERT, and the score by which it learns its merges.

Source: R 11.3, L 3.2.1, 3.2.2.
"""

import math
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tutorial_lib.arguments import check_text, check_texts, whole_number
from tutorial_lib.atomic import write_text
from tutorial_lib.tokenization.encoding import Tokenizer, around, split_special
from tutorial_lib.tokenization.kinds import CHINESE, fold
from tutorial_lib.tokenization.merges import learn_merges
from tutorial_lib.tokenization.saved import read

UNKNOWN, CLS, SEP, PAD, MASK = "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"
SPECIAL = [PAD, UNKNOWN, CLS, SEP, MASK]
# Tokens that decoding writes without a space before them.
ATTACHED = (".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re")


def wordpiece_score(pair: int, first: int, second: int, total: int) -> float:
    """Return WordPiece's score: how much more likely the training text becomes once the pair is one token.

    In a model in which each token occurs independently, with probability count / total, the pair now costs log p(first)
    + log p(second), and as one token log p(pair): the gain is `pair` times the difference. So two tokens that are
    frequent anyway, and meet by chance, are not merged.

    >>> wordpiece_score(10, 10, 10, 1000) > wordpiece_score(10, 100, 100, 1000)
    True
    """
    return pair * math.log(pair * total / (first * second))


class WordPiece(Tokenizer):
    """BERT's tokenizer: clean the text, cut it into words, cut each word into the longest pieces in the vocabulary.

    A piece that does not begin a word is written with ##. A word that cannot be cut into pieces, or that is longer than
    100 characters, becomes [UNK] as a whole. Special tokens in the text are kept whole. Its ids equal those of
    `transformers.BertTokenizerFast` (tokenizers 0.23), in every version of Python. There are two possible differences:
    an older `tokenizers` knows fewer capital letters of rare scripts, and marks that stay on their letter are not put
    into Unicode's order (only rare ones stay when accents are removed).

    vocab: token -> id, or the tokens in the order of their ids; with [PAD], [UNK], [CLS] and [SEP]. lowercase: turn
    letters into lower case. strip_accents: remove accents; None means the same as lowercase. split_chinese: make each
    Chinese character a word.

    >>> tok = WordPiece.from_pretrained()
    >>> tok.tokenize("The bear was serendipitous!")
    ['the', 'bear', 'was', 'ser', '##end', '##ip', '##ito', '##us', '!']
    >>> tok.encode("I love mathematics!").ids
    [101, 1045, 2293, 5597, 999, 102]
    """

    single = around("[CLS] $A [SEP]")
    pair = around("[CLS] $A [SEP] $B:1 [SEP]:1")
    pad_token = PAD
    special = SPECIAL
    unknown = UNKNOWN
    longest_word = 100
    cleanup = True  # whether decoding joins punctuation to the word before

    def __init__(
        self, vocab: dict[str, int] | Sequence[str], lowercase: bool = True, strip_accents: bool | None = None,
        split_chinese: bool = True,
    ):  # fmt: skip
        super().__init__(vocab)
        missing = [token for token in SPECIAL if token not in self.vocab and token != MASK]
        if missing:
            raise ValueError(f"vocab must contain {', '.join(SPECIAL[:4])}; it lacks {', '.join(missing)}")
        self.lowercase = lowercase
        self.strip_accents = lowercase if strip_accents is None else strip_accents
        self.split_chinese = split_chinese
        self._longest_piece = max(map(len, self.tokens))
        self._folded = _Folded(lowercase, self.strip_accents, split_chinese)
        self._normalized = _Normalized(*self._folded.settings)
        self._known_words = {}

    def normalize(self, text: str) -> str:
        """Return the form of a text in which added tokens are searched: lower case without accents, if words are."""
        return text.translate(self._normalized) if self.normalized else text

    def words(self, text: str) -> list[str]:
        """First half: turn a text into cleaned words, without looking into the vocabulary.

        >>> WordPiece.from_pretrained().words("Crème brûlée, 熊!")
        ['creme', 'brulee', ',', '熊', '!']
        """
        return check_text("text", text).translate(self._folded).split()

    def pieces(self, word: str) -> list[str]:
        """Second half: cut one word into the longest pieces in the vocabulary, from left to right.

        >>> WordPiece.from_pretrained().pieces("bearness")
        ['bear', '##ness']
        """
        if check_text("word", word) not in self._known_words:
            self._known_words[word] = self._cut(word)
        return list(self._known_words[word])

    def _cut(self, word: str) -> list[str]:
        if len(word) > self.longest_word:
            return [UNKNOWN]
        pieces = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._longest_piece), start, -1):
                if prefix + word[start:end] in self.model_vocab:
                    break
            else:
                return [UNKNOWN]
            pieces.append(prefix + word[start:end])
            start = end
        return pieces

    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """Turn ids into text: join pieces with ## to the word before, and . , ? ! and contractions without a space.

        The losses of encoding (capitals, accents, spaces) are not restored.

        ids: whole numbers; a list, an array or a tensor of one dimension. skip_special: leave out [CLS], [SEP], [PAD],
        [MASK] and [UNK]. Raises ValueError if an id is not in the vocabulary.

        >>> WordPiece.from_pretrained().decode([101, 1045, 2293, 5597, 999, 102], skip_special=True)
        'i love mathematics!'
        """
        first, *rest = self._tokens_of(ids, set(self.special) if skip_special else set()) or [""]
        for token in rest:
            if token.startswith("##"):
                first += token[2:]
            else:
                first += token if self.cleanup and token.startswith(ATTACHED) else " " + token
        return first

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike | None = None) -> "WordPiece":
        """Load a tokenizer by a model's name, or a folder with tokenizer.json or vocab.txt; None for the default model.

        Raises ModelNotAvailable if the name is not known or its files are not available, ValueError if the folder has
        no tokenizer or an unsupported one.
        """
        return cls._of(read(name, "WordPiece"))

    @classmethod
    def _of(cls, saved):
        config = saved.config
        lowercase, split_chinese = config.get("do_lower_case", True), config.get("tokenize_chinese_chars", True)
        tokenizer = saved.dress(lambda: cls(saved.vocab, lowercase, config.get("strip_accents"), split_chinese))
        if saved.parts:
            tokenizer.longest_word = saved.parts["model"].get("max_input_chars_per_word", cls.longest_word)
            tokenizer.cleanup = saved.parts["decoder"].get("cleanup", True)
        return tokenizer

    def save(self, folder: str | os.PathLike) -> None:
        """Write vocab.txt and tokenizer_config.json, which Hugging Face's BertTokenizer loads too.

        A tokenizer that was read from a tokenizer.json is written as one, which AutoTokenizer loads. Other tokenizer
        files in the folder are removed, because they would take precedence.
        """
        if self.saved:
            return self._save_json(folder)
        config = {
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": self.lowercase,
            "strip_accents": self.strip_accents,
            "tokenize_chinese_chars": self.split_chinese,
        }
        write_text(Path(folder) / "vocab.txt", "".join(token + "\n" for token in self.tokens))
        self._save_settings(folder, config)

    @classmethod
    def train(
        cls, texts: Iterable[str], vocab_size: int, lowercase: bool = True, strip_accents: bool | None = None,
        split_chinese: bool = True,
    ) -> "WordPiece":  # fmt: skip
        """Learn a vocabulary of vocab_size tokens: repeatedly merge the pair that makes the texts most likely.

        It starts from the five special tokens and from every character of the texts, with and without ##, so that a
        word of known characters is never [UNK]. The score of a pair is `wordpiece_score`, after Schuster and Nakajima
        (2012), who first described WordPiece; Google never published its own trainer. For equal pairs the one with the
        smaller ids wins, and a pair that occurs once is never merged. The merges are not kept: `pieces` takes the
        longest match instead. Raises TypeError if texts is not a list of str, ValueError if vocab_size has no room for
        the special tokens and the characters.

        >>> WordPiece.train(["low lower lowest"], vocab_size=20).tokens[5:]
        ['e', 'l', 'o', 'r', 's', 't', 'w', '##e', '##l', '##o', '##r', '##s', '##t', '##w', 'lo']
        """
        folded = _Folded(lowercase, lowercase if strip_accents is None else strip_accents, split_chinese)
        words = Counter()
        for text in check_texts("texts", texts):
            for part in split_special(text, SPECIAL):
                words.update(part.translate(folded).split() if part not in SPECIAL else [])
        alphabet = sorted(set("".join(words)))
        start = [*SPECIAL, *alphabet, *("##" + character for character in alphabet)]
        least = f"{len(SPECIAL)} special tokens and {len(alphabet)} characters with and without ##"
        whole_number("vocab_size", vocab_size, len(start), f"a whole number of at least {len(start)}: {least}")
        words = Counter({(word[0], *("##" + c for c in word[1:])): n for word, n in words.items()})
        tokens, _ = learn_merges(words, start, vocab_size, wordpiece_score, lambda a, b: a + b[2:])
        return cls(tokens, lowercase, strip_accents, split_chinese)


class _Folded(dict):
    """`fold` as a table for str.translate: code point -> BERT's form of it, computed on first use."""

    def __init__(self, lowercase: bool, strip_accents: bool, split_chinese: bool):
        super().__init__()
        self.settings = lowercase, strip_accents, split_chinese

    def __missing__(self, code: int) -> str:
        self[code] = fold(chr(code), *self.settings)
        return self[code]


class _Normalized(_Folded):
    """The same, but punctuation does not yet become a separate word."""

    def __missing__(self, code: int) -> str:
        folded = fold(chr(code), *self.settings)
        self[code] = folded if folded.isspace() or chr(code) in CHINESE else folded.replace(" ", "")
        return self[code]
