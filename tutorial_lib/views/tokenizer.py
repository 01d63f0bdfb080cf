"""The tokenizer explorer: type a text and see WordPiece cut it, in the page. Sources: R 11.3, L 3.2.2."""

from html import escape

from tutorial_lib.arguments import check_has, check_text
from tutorial_lib.tokenization import WordPiece, kinds
from tutorial_lib.tokenization.encoding import split_special
from tutorial_lib.tokenization.wordpiece import SPECIAL, UNKNOWN
from tutorial_lib.views.base import View, pack_text

TEXT = "The bear was serendipitous: unbelievably, it found [MASK] crème brûlée 🐻."
KINDS = ("CONTROL", "WHITE", "WHOLE", "ACCENT", "PUNCTUATION", "CHINESE")


def tokenizer_explorer(tok: WordPiece, text: str = TEXT) -> View:
    """Type a text and see how `tok` cuts it: words, pieces, ids, and for one word each match that was tried.

    The whole vocabulary travels in the page, deflated (BERT's 30,522 tokens: 148 KB). The page follows `WordPiece` rule
    by rule and brings its tables of characters, so its ids equal `tok.encode`'s; only decomposition and lower case come
    from the browser, and could differ for letters that Unicode has gained since the browser was made. Half a
    character (a lone surrogate), which `WordPiece` refuses, is dropped. Source: R 11.3, L 3.2.2.

    Raises TypeError if tok is not a WordPiece tokenizer, or text not a str; ValueError if text holds half a character,
    or a token of the vocabulary a line break.

    >>> tokenizer_explorer(WordPiece.train(["low lower lowest"], vocab_size=20), "Lower").say
    '4 tokens from 5 characters, 6 with [CLS] and [SEP]; 1 of 1 word is in more than one piece.'
    """
    if not isinstance(tok, WordPiece):
        raise TypeError(f"tok must be a WordPiece tokenizer, got {type(tok).__name__}")
    broken = [token for token in tok.tokens if "\n" in token]
    if broken:
        raise ValueError(f"tok must have tokens without line breaks, got {broken[0]!r}")
    words = _cut(tok, check_text("text", text))
    chosen = max(range(len(words)), key=lambda i: len(words[i]["tokens"]), default=None)
    data = rules_of(tok) | {"text": text, "words": words, "vocabulary": pack_text("\n".join(tok.tokens))}
    default = f'<p class="tl-typed">{escape(text)}</p><ol class="tl-words">{"".join(map(_chips, words))}</ol>'
    if words:
        default += f'<div class="tl-tries">{_tries(words[chosen], data["longestPiece"])}</div>'
    label = f"Tokenizer explorer: type a text and see it cut into pieces of a vocabulary of {len(tok):,} tokens"
    return View("tokenizer_explorer", data, default, label, _summary(text, words), ["wordpiece"])


def rules_of(tok: WordPiece) -> dict:
    """What js/wordpiece.js needs of a tokenizer besides its vocabulary: settings, and the characters of each kind.

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
    """Each word with its tokens, their ids, where its matches end, and what kind of word it is."""
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
    """Where each longest match ends, as far as there are matches."""
    ends = [0]
    while ends[-1] < len(word):
        start = ends[-1]
        prefix = "##" if start else ""
        matches = [end for end in range(len(word), start, -1) if prefix + word[start:end] in tok.vocab]
        if not matches:
            break
        ends.append(matches[0])
    return ends[1:]


def _chips(word):
    """One word as a row of pieces that touch, each with its id."""
    pieces = "".join(
        f'<span class="tl-piece"><b>{escape(token)}</b> <small>{id}</small></span>'
        for token, id in zip(word["tokens"], word["ids"])
    )
    return f'<li><span class="tl-word">{pieces}</span></li> '


def _tries(word, longest):
    """How a word is cut: at each place the longest piece is tried first, and the first that is known is taken."""
    title = f"<p><b>{escape(word['word'])}</b>: {_reason(word)}</p>"
    rounds = ""
    start = 0
    stops = [*word["ends"], None] if word["kind"] == "unknown" else word["ends"]
    for number, stop in enumerate(stops):
        prefix = "##" if start else ""
        last = stop or start
        tried = range(min(len(word["word"]), start + longest), last, -1)
        missed = "".join(f"<s>{escape(prefix + word['word'][start:end])}</s> " for end in tried)
        if stop is None:
            rounds += f"<li>{missed}<b>nothing matches</b></li>"
        else:
            piece = prefix + word["word"][start:stop]
            id = f" <small>{word['ids'][number]}</small>" if word["kind"] == "pieces" else ""
            rounds += f"<li>{missed}<b>✓ {escape(piece)}</b>{id}</li>"
        start = last
    return title + (f"<ol>{rounds}</ol>" if rounds else "")


def _reason(word):
    if word["kind"] == "special":
        return "a special token, kept as it stands."
    if word["kind"] == "long":
        return "too long to be cut: the whole word is unknown."
    if word["kind"] == "unknown":
        return "no pieces make it up, so the whole word is unknown."
    return "at each place the longest piece is tried first; the first one in the vocabulary is taken."


def _summary(text, words):
    n = sum(len(word["tokens"]) for word in words)
    cut = sum(len(word["tokens"]) > 1 for word in words)
    return (
        f"{_count(n, 'token')} from {_count(len(text), 'character')}, {n + 2} with [CLS] and [SEP]; "
        f"{cut} of {_count(len(words), 'word')} {'is' if cut == 1 else 'are'} in more than one piece."
    )


def _count(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"
