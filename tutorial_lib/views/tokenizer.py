"""The tokenizer explorer: type a text and see WordPiece cut it, in the page. Sources: R 11.3, L 3.2.2."""

from tutorial_lib.arguments import check_has, check_text
from tutorial_lib.tokenization import WordPiece, kinds
from tutorial_lib.tokenization.encoding import split_special
from tutorial_lib.tokenization.wordpiece import SPECIAL, UNKNOWN
from tutorial_lib.views.base import View, pack_text

TEXT = "The bear was serendipitous: unbelievably, it found [MASK] crème brûlée 🐻."
KINDS = ("CONTROL", "WHITE", "WHOLE", "ACCENT", "PUNCTUATION", "CHINESE")


def tokenizer_explorer(tok: WordPiece, text: str = TEXT) -> View:
    """Show how `tok` cuts a text that you type: words, pieces, ids, and for one word each match that was tried.

    The whole vocabulary is in the page, deflated (BERT's 30,522 tokens: 148 KB). The page follows `WordPiece` rule by
    rule and contains its tables of characters, so its ids equal `tok.encode`'s; only decomposition and lower case come
    from the browser, and could differ for letters that Unicode has gained since the browser was made. Half a character
    (a lone surrogate), which `WordPiece` rejects, is dropped. Source: R 11.3, L 3.2.2.

    Raises TypeError if tok is not a WordPiece tokenizer, or text not a str; ValueError if text contains half a
    character, or a token of the vocabulary a line break.

    >>> tokenizer_explorer(WordPiece.train(["low lower lowest"], vocab_size=20), "Lower")
    Tokenizer explorer: type a text and see it cut into pieces of a vocabulary of 20 tokens (an interactive view: ...)
    """
    if not isinstance(tok, WordPiece):
        raise TypeError(f"tok must be a WordPiece tokenizer, got {type(tok).__name__}")
    broken = [token for token in tok.tokens if "\n" in token]
    if broken:
        raise ValueError(f"tok must have tokens without line breaks, got {broken[0]!r}")
    words = _cut(tok, check_text("text", text))
    data = rules_of(tok) | {"text": text, "words": words, "vocabulary": pack_text("\n".join(tok.tokens))}
    label = f"Tokenizer explorer: type a text and see it cut into pieces of a vocabulary of {len(tok):,} tokens"
    return View("tokenizer_explorer", data, label, ["wordpiece"])


def rules_of(tok: WordPiece) -> dict:
    """Return what js/wordpiece.js needs from a tokenizer besides its vocabulary: settings, and characters by kind.

    >>> rules_of(WordPiece.train(["low lower lowest"], vocab_size=20))["longestPiece"]
    6
    """
    check_has("tok", tok, "a WordPiece", "longest_word")
    tables = {name: getattr(kinds, name).table for name in KINDS}  # ranges in hexadecimal
    return {
        "special": SPECIAL,
        "unknown": UNKNOWN,
        "longestWord": tok.longest_word,
        "longestPiece": max(map(len, tok.tokens)),
        "lowercase": tok.lowercase,
        "stripAccents": tok.strip_accents,
        "splitChinese": tok.split_chinese,
        "tables": tables | {"YOUNG_CAPITALS": [(kind.table, far) for kind, far in kinds.YOUNG_CAPITALS]},
    }


def _cut(tok, text):
    """Return each word with its tokens, their ids, where its matches end, and what kind of word it is."""
    words = []
    for part in split_special(text, SPECIAL):
        for word in [part] if part in SPECIAL else tok.words(part):
            ends = [] if part in SPECIAL or len(word) > tok.longest_word else _ends(tok, word)
            kind = "special" if part in SPECIAL else "long" if len(word) > tok.longest_word else "pieces"
            if kind == "pieces" and (not ends or ends[-1] < len(word)):
                kind = "unknown"
            tokens = tok.tokenize(word)
            ids = [tok.vocab[token] for token in tokens]
            words.append({"word": word, "tokens": tokens, "ids": ids, "ends": ends, "kind": kind})
    return words


def _ends(tok, word):
    """Return where each longest match ends, until a match fails."""
    ends = [0]
    while ends[-1] < len(word):
        start = ends[-1]
        prefix = "##" if start else ""
        matches = [end for end in range(len(word), start, -1) if prefix + word[start:end] in tok.vocab]
        if not matches:
            break
        ends.append(matches[0])
    return ends[1:]
