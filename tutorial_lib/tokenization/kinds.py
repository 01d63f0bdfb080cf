"""Kinds of characters: white space, control, Chinese, punctuation, accent, letter, number.

A tokenizer first cuts text by kinds of characters, and only then looks into its vocabulary. This module defines the
kinds. `fold` is BERT's complete treatment of one character; `words` and `characters` are the two simplest tokenizers,
to compare the others with. Source: R 2.1, L 3.2.2.
"""

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

from tutorial_lib.arguments import check_text
from tutorial_lib.weights.files import read_sections


class Kind:
    """A set of characters, kept as sorted ranges of code points: ``"A" in LETTER``.

    table: the ranges in hexadecimal, such as ``"41-5A 61-7A AA"``.

    >>> "é" in Kind("41-5A E0-FF")
    True
    """

    def __init__(self, table: str):
        self.table = " ".join(check_text("table", table).split())
        ends = [[int(code, 16) for code in part.split("-")] for part in self.table.split()]
        self.first = [end[0] for end in ends]
        self.last = [end[-1] for end in ends]

    def __contains__(self, character: str) -> bool:
        place = bisect_right(self.first, ord(character)) - 1
        return place >= 0 and ord(character) <= self.last[place]

    @property
    def pattern(self) -> str:
        """Return the same set as the inside of a regular expression's brackets."""
        return "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in zip(self.first, self.last, strict=True))


_LISTED = read_sections(Path(__file__).with_name("characters.txt"))  # the file says where they come from
_NAMES = ("control", "punctuation", "accent", "letter", "number", "inert")
CONTROL, PUNCTUATION, ACCENT, LETTER, NUMBER, INERT = (Kind(" ".join(_LISTED[name])) for name in _NAMES)
WHITE = Kind("9-D 20 85 A0 1680 2000-200A 2028-2029 202F 205F 3000")
# As in Hugging Face's tokenizers, where 2B820 was mistyped as 2B920: 256 Chinese characters stay unsplit.
CHINESE = Kind("3400-4DBF 4E00-9FFF F900-FAFF 20000-2A6DF 2A700-2B81F 2B920-2CEAF 2F800-2FA1F")

# Characters that Unicode has decomposed since 2017, but Hugging Face's tokenizers do not.
WHOLE = Kind("105C9 105E4 11383 11385 1138E 11391 113C5 113C7-113C8 11938 16121-16128 16D68-16D6A")
# Capital letters that Python 3.10 does not know yet, and the distance to their small letters.
YOUNG_CAPITALS = [(Kind(table), int(far)) for far, table in (line.split(maxsplit=1) for line in _LISTED["capital"])]


def decompose(character: str) -> str:
    """Return a letter and its accents, one after the other: Unicode's canonical decomposition (NFD) of one character.

    >>> [unicodedata.name(part) for part in decompose("é")]
    ['LATIN SMALL LETTER E', 'COMBINING ACUTE ACCENT']
    """
    _check_character(character)
    return character if character in WHOLE else unicodedata.normalize("NFD", character)


def lower(character: str) -> str:
    """Return one character in lower case, whatever its position in the word: the Greek final sigma stays plain.

    >>> lower("Σ"), lower("İ") == "i\N{COMBINING DOT ABOVE}"
    ('σ', True)
    """
    _check_character(character)
    for kind, distance in YOUNG_CAPITALS:
        if character in kind:
            return chr(ord(character) + distance)
    return character.lower()


def fold(character: str, lowercase: bool, strip_accents: bool, split_chinese: bool) -> str:
    """Return BERT's form of one character before it looks into the vocabulary; spaces in the result cut words.

    In this order: white space becomes a space; control, format and private-use characters vanish; a Chinese character
    becomes a separate word; accents are removed (decompose, drop the marks); letters become lower case, one by one;
    punctuation becomes a separate word.

    >>> [fold(c, lowercase=True, strip_accents=True, split_chinese=True) for c in "É,熊"]
    ['e', ' , ', ' 熊 ']
    """
    _check_character(character)
    if character in CONTROL:
        return ""
    if character in WHITE:
        return " "
    folded = character
    if strip_accents:
        folded = "".join(part for part in decompose(character) if part not in ACCENT)
    if lowercase:
        folded = "".join(lower(part) for part in folded)
    folded = "".join(f" {part} " if part in PUNCTUATION else part for part in folded)
    return f" {folded} " if split_chinese and character in CHINESE else folded


def _check_character(character):
    if not isinstance(character, str) or len(character) != 1:
        raise TypeError(f"character must be a str of one character, got {character!r:.60}")


@lru_cache
def byte_characters() -> dict[int, str]:
    """Return a visible character for each of the 256 bytes: itself if it has a shape, else one from U+0100 upward.

    >>> byte_characters()[ord("A")], byte_characters()[ord(" ")], byte_characters()[ord("\\n")]
    ('A', 'Ġ', 'Ċ')
    """
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}


def words(text: str) -> list[str]:
    """Tokenize by words: cut at white space, and make every punctuation mark a separate word.

    >>> words("The bear waited, grinning.")
    ['The', 'bear', 'waited', ',', 'grinning', '.']
    """
    cut = (" " if c in WHITE else f" {c} " if c in PUNCTUATION else c for c in check_text("text", text))
    return [word for word in "".join(cut).split(" ") if word]


def characters(text: str) -> list[str]:
    """Tokenize by characters: every character is a token, including spaces.

    >>> characters("I am")
    ['I', ' ', 'a', 'm']
    """
    return list(check_text("text", text))
