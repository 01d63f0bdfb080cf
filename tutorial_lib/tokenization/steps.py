"""The steps of a tokenizer.json: how a text is prepared, where it is cut, and how tokens become a text again.

Each function reads one part of the file and returns a function that computes it. Unsupported steps and settings raise
ValueError with their names. The names are those of Hugging Face's `tokenizers`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from itertools import groupby

from tutorial_lib.tokenization.kinds import INERT, LETTER, NUMBER, WHITE, Kind, byte_characters

# GPT-2's steps, as its tokenizer.json describes them.
GPT2 = {
    "normalizer": None,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
    "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    "model": {"type": "BPE"},
}
# GPT-2's rule: English contractions; letters, numbers or signs, with or without a space before them; white space.
CHUNK = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
BYTE = re.compile("<0x[+0-9A-Fa-f][0-9A-Fa-f]>")  # how a vocabulary writes a byte next to its characters
YOUNG_NUMBERS = Kind("11DE0-11DE9 16FF4-16FF6")  # which Digits knows, and \p{N} does not
NUMERIC = re.compile(f"[{NUMBER.pattern}{YOUNG_NUMBERS.pattern}]")


def settings_of(where: str, part: dict, unused: Iterable[str] = (), **usual: object) -> list:
    """Return the settings of one part, in the order of `usual`.

    usual: setting -> its default, or its type if the part must have it. unused: settings that are read elsewhere.

    Raises ValueError by the name of a setting that is missing, of another type, or not supported.
    """
    where = f"{where} {part.get('type', '')}".rstrip()
    unknown = part.keys() - {"type", *unused, *usual}
    if unknown:
        raise ValueError(f"{where} must not have {min(unknown)}, which is not supported")
    values = []
    for name, default in usual.items():
        kind = default if isinstance(default, type) else type(default)
        value = part.get(name, default)
        if default is not None and type(value) is not kind:
            got = type(value).__name__ if name in part else "none"
            raise ValueError(f"{where} must have {name} of type {kind.__name__}, got {got}")
        values.append(value)
    return values


def checked(where: str, name: str, value: object, allowed: Iterable) -> object:
    """Return the value of a setting, if it is supported. Raises ValueError by name."""
    if not any(value is one or (type(value) is type(one) and value == one) for one in allowed):
        known = " or ".join(map(repr, allowed))
        raise ValueError(f"{where} must have {name} {known}, got {value!r:.60}, which is not supported")
    return value


def all_steps(where: str, part: dict | None, listed: str) -> list[dict]:
    """Return the steps of a part in order. A Sequence lists them under the name `listed`."""
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [part]
    inner = settings_of(where, part, **{listed: list})[0]
    return [step for one in inner for step in all_steps(where, one or {}, listed)]


def _step_of(where, part, known):
    if part["type"] not in known:
        names = ", ".join(known)
        raise ValueError(f"{where} must be {names}, or a Sequence of these, got {part['type']}, which is not supported")
    return known[part["type"]](part)


# Normalizers: from a text to a text.


def normalizer(part: dict | None) -> Callable[[str], str]:
    """Return a function that normalizes a text.

    >>> steps = [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
    >>> normalizer({"type": "Sequence", "normalizers": steps})("the bear")
    '▁the▁bear'
    """
    steps = [_step_of("normalizer", step, NORMALIZERS) for step in all_steps("normalizer", part, "normalizers")]
    return lambda text: reduce(lambda so_far, step: step(so_far), steps, text)


def _unicode(part):
    settings_of("normalizer", part)
    # Characters that `tokenizers` does not recognize as marks: they neither combine with others nor change places with
    # them.
    parts = re.compile(f"([{INERT.pattern}])")
    return lambda text: "".join(
        piece if number % 2 else unicodedata.normalize(part["type"], piece)
        for number, piece in enumerate(parts.split(text))
    )


def _prepend(part):
    (before,) = settings_of("normalizer", part, prepend=str)
    return lambda text: text and before + text


def _replace(part, where="normalizer"):
    pattern, content = settings_of(where, part, pattern=dict, content=str)
    pattern = _pattern(pattern)
    return lambda text: pattern.sub(lambda _: content, text)


NORMALIZERS = {"NFC": _unicode, "NFD": _unicode, "Prepend": _prepend, "Replace": _replace}


# Pre-tokenizers: from pieces of a text to smaller pieces.


def cutter(part: dict | None) -> Callable[[list[str], bool], list[str]]:
    """Return a function that cuts pieces of a text as a pre_tokenizer does.

    Its second argument, `first`, says whether the first piece is the beginning of the input.

    >>> cutter({"type": "Digits", "individual_digits": True})(["in 1984"], True)
    ['in ', '1', '9', '8', '4']
    """
    steps = [_step_of("pre_tokenizer", step, CUTTERS) for step in all_steps("pre_tokenizer", part, "pretokenizers")]

    def cut(pieces, first):
        for step in steps:
            pieces = [new for i, piece in enumerate(pieces) for new in step(piece, first and i == 0) if new]
        return pieces

    return cut


def writes_bytes(parts: dict) -> bool:
    """Check the order of the steps, and return whether each piece is finally written as bytes.

    >>> writes_bytes(GPT2)
    True
    """
    steps = all_steps("pre_tokenizer", parts["pre_tokenizer"], "pretokenizers")
    if any(step["type"] == "ByteLevel" for step in steps[:-1]):
        raise ValueError("pre_tokenizer must have ByteLevel as its last step; other orders are not supported")
    before = {step["type"] for step in all_steps("normalizer", parts["normalizer"], "normalizers")}
    first = [step for step in steps if step.get("prepend_scheme") == "first"]
    if first and (before & {"Prepend", "Replace"} or first != steps[:1]):  # or it is unclear which piece is first
        what = "prepend_scheme first only in its first step, without Prepend or Replace before"
        raise ValueError(f"pre_tokenizer must have {what}; nothing else is supported")
    return any(step["type"] == "ByteLevel" for step in steps)


def _split(part):
    pattern, behavior, invert = settings_of("pre_tokenizer", part, pattern=dict, behavior=str, invert=bool)
    checked("pre_tokenizer Split", "behavior", behavior, BEHAVIORS)
    pattern = _pattern(pattern)
    return lambda text, first: divided(text, pattern, behavior, invert)


def _digits(part):
    (single,) = settings_of("pre_tokenizer", part, individual_digits=False)
    return lambda text, first: divided(text, NUMERIC, "Isolated" if single else "Contiguous")


def _byte_level(part):
    # `BPE.pieces` writes each piece as bytes.
    space, use_regex = byte_level_settings("pre_tokenizer", part)
    pattern = translated(CHUNK)

    def cut(text, first):
        text = " " + text if space and not text.startswith(" ") else text
        return divided(text, pattern, "Isolated") if use_regex else [text]

    return cut


def byte_level_settings(where: str, part: dict) -> tuple[bool, bool]:
    """Read add_prefix_space and use_regex; trim_offsets does not change ids."""
    space, _, use_regex = settings_of(where, part, add_prefix_space=bool, trim_offsets=bool, use_regex=True)
    return space, use_regex


def _metaspace(part):
    mark, scheme, split = _metaspace_settings("pre_tokenizer", part)
    pattern = re.compile(re.escape(mark))

    def cut(text, first):
        text = text.replace(" ", mark)
        if (scheme == "always" or (scheme == "first" and first)) and not text.startswith(mark):
            text = mark + text
        return divided(text, pattern, "MergedWithNext") if split else [text]

    return cut


def _metaspace_settings(where, part):
    """Read replacement, prepend_scheme and split; older files have add_prefix_space instead of prepend_scheme."""
    old = ("add_prefix_space", "str_rep")
    mark, scheme, split = settings_of(where, part, old, replacement=str, prepend_scheme=None, split=True)
    if len(mark) != 1:
        raise ValueError(f"{where} Metaspace must have one character as replacement, got {mark!r:.60}")
    if scheme is None:
        scheme = "always" if part.get("add_prefix_space", True) else "never"
    elif scheme != "never" and part.get("add_prefix_space") is False:
        raise ValueError(f"{where} Metaspace must not have add_prefix_space False beside prepend_scheme {scheme!r}")
    return mark, checked(f"{where} Metaspace", "prepend_scheme", scheme, ("always", "first", "never")), split


CUTTERS = {"ByteLevel": _byte_level, "Split": _split, "Digits": _digits, "Metaspace": _metaspace}
BEHAVIORS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")


def divided(text: str, pattern: re.Pattern, behavior: str, invert: bool = False) -> list[str]:
    """Cut a text into the matches of a pattern and the parts between them.

    behavior says what happens to a match. Isolated: a separate piece. Removed: left out. MergedWithPrevious,
    MergedWithNext: part of the piece before or after it. Contiguous: neighbors are one piece. invert: the parts between
    count as matches.

    >>> divided("a-b--c", re.compile("-"), "MergedWithNext"), divided("a-b--c", re.compile("-"), "Contiguous")
    (['a', '-b', '-', '-c'], ['a', '-', 'b', '--', 'c'])
    """
    found = []  # (piece, whether it counts as a match)
    end = 0
    for match in pattern.finditer(text):
        found += [(text[end : match.start()], invert), (match[0], not invert)]
        end = match.end()
    found = [(piece, counts) for piece, counts in [*found, (text[end:], invert)] if piece]
    if behavior == "Isolated":
        return [piece for piece, _ in found]
    if behavior == "Removed":
        return [piece for piece, counts in found if not counts]
    if behavior == "Contiguous":
        return ["".join(piece for piece, _ in run) for _, run in groupby(found, key=lambda one: one[1])]
    backwards = behavior == "MergedWithNext"
    pieces = []
    before = False
    for piece, counts in reversed(found) if backwards else found:
        if counts and not before and pieces:
            pieces[-1] = piece + pieces[-1] if backwards else pieces[-1] + piece
        else:
            pieces.append(piece)
        before = counts
    return pieces[::-1] if backwards else pieces


# Decoders: from tokens to pieces of text.


def decoder(part: dict | None) -> Callable[[list[str]], str]:
    """Return a function that turns tokens into a text. Without a decoder it joins them with spaces.

    >>> decoder({"type": "Metaspace", "replacement": "▁"})(["▁the", "▁bear", "s"])
    'the bears'
    """
    if part is None:
        return " ".join
    steps = [_step_of("decoder", step, DECODERS) for step in all_steps("decoder", part, "decoders")]
    return lambda tokens: "".join(reduce(lambda so_far, step: step(so_far), steps, tokens))


def _from_byte_level(part):
    byte_level_settings("decoder", part)  # they have no effect here
    byte_of = {character: byte for byte, character in byte_characters().items()}

    def data(token):  # an added token may have characters that represent no byte: it is text
        return bytes(map(byte_of.get, token)) if byte_of.keys() >= set(token) else token.encode()

    return lambda tokens: [b"".join(map(data, tokens)).decode(errors="replace")]


def _from_fallback(part):
    settings_of("decoder", part)

    def decode(tokens):
        pieces = []
        for is_byte, run in groupby(tokens, key=lambda token: BYTE.fullmatch(token) is not None):
            run = list(run)
            if is_byte:
                data = bytes(int(token[3:5], 16) for token in run)
                try:
                    run = [data.decode()]
                except UnicodeDecodeError:
                    run = ["\ufffd"] * len(data)
            pieces += run
        return pieces

    return decode


def _from_metaspace(part):
    mark, scheme, _ = _metaspace_settings("decoder", part)

    def decode(tokens):
        first = tokens[:1] if scheme == "never" else [token.replace(mark, "") for token in tokens[:1]]
        return [token.replace(mark, " ") for token in [*first, *tokens[1:]]]

    return decode


def _from_replace(part):
    replace = _replace(part, "decoder")
    return lambda tokens: [replace(token) for token in tokens]


def _fuse(part):
    settings_of("decoder", part)
    return lambda tokens: ["".join(tokens)]


def _strip(part):
    content, start, stop = settings_of("decoder", part, content=str, start=int, stop=int)
    if len(content) != 1 or start < 0 or stop < 0:
        raise ValueError(f"decoder Strip must have one character as content, start and stop of 0 or more, got {part}")
    one = re.escape(content)
    ends = re.compile(f"^(?:{one}){{0,{start}}}|(?:{one}){{0,{stop}}}\\Z")
    return lambda tokens: [ends.sub("", token) for token in tokens]


DECODERS = {
    "ByteLevel": _from_byte_level, "ByteFallback": _from_fallback, "Metaspace": _from_metaspace,
    "Replace": _from_replace, "Fuse": _fuse, "Strip": _strip,
}  # fmt: skip


# Patterns: as `tokenizers` reads them, and as Python does.

CLASSES = {r"\p{L}": LETTER.pattern, r"\p{N}": NUMBER.pattern, r"\s": WHITE.pattern}
WITHOUT = {r"\P{L}": LETTER.pattern, r"\P{N}": NUMBER.pattern, r"\S": WHITE.pattern}
SIGN = re.compile(r"\\[pP]\{[^}]*\}|\\.|\(\?<?[^a-zA-Z<]|\(\?i:|\(\?|\[\^?\]?|&&|\}\+|.", re.DOTALL)
SEVERAL = re.compile("ss|st|f[fil]", re.IGNORECASE)  # letters that are one character in another case, such as ß and ﬁ
GROUPS = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:")


def _pattern(spec):
    """Compile the pattern of a Split or a Replace: {"String": ...} or {"Regex": ...}."""
    ((kind, text),) = spec.items()
    if checked("pattern", "type", kind, ("String", "Regex")) == "String":
        return re.compile(re.escape(text))
    return translated(text)


@lru_cache
def translated(text: str) -> re.Pattern:
    r"""Compile a regular expression of `tokenizers`, with its \p{L} (letters), \p{N} (numbers) and \s.

    Python's own \s has other characters, and \w and \d depend on its version. Raises ValueError by the name of anything
    that the two read differently.

    >>> translated(r"\p{N}{1,3}").findall("1984")
    ['198', '4']
    """
    several = SEVERAL.search(text)
    if "(?i" in text and several:
        raise ValueError(f"pattern must not combine {several[0]} with (?i, got {text!r:.200}, which is not supported")
    signs = []
    inside = False  # square brackets
    for sign in SIGN.findall(text):
        refused = sign.startswith("(?") and sign not in GROUPS
        if sign in CLASSES:
            sign = CLASSES[sign] if inside else f"[{CLASSES[sign]}]"
        elif sign in WITHOUT and not inside:
            sign = f"[^{WITHOUT[sign]}]"
        elif sign[0] == "\\":
            refused = len(sign) > 2 or sign[1].isalnum() and sign[1] not in "rntfv"
        elif sign[0] == "[":
            refused = inside or sign[-1] == "]"
            inside = True
        elif sign == "]":
            inside = False
        elif not refused:
            refused = sign == "&&" if inside else sign in ("^", "$", "}+")
        if refused:
            raise ValueError(f"pattern must not have {sign}, got {text!r:.200}, which is not supported")
        signs.append(sign)
    try:
        pattern = re.compile("".join(signs))
    except re.error as error:
        raise ValueError(f"pattern must be valid in Python, got {text!r:.200} ({error})") from error
    if pattern.fullmatch(""):
        raise ValueError(f"pattern must not match the empty string, got {text!r:.200}, which is not supported")
    return pattern
