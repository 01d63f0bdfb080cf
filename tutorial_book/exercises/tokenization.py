"""Checks of assignment 1: WordPiece's longest match, BPE merges, padding and pairs, in plain Python."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from itertools import combinations

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise

CLS, SEP = 101, 102
MARKS = re.escape(string.punctuation)


def words(text):
    """The right answer: lower case, cut at white space; each punctuation mark is a word of its own."""
    return _spaced(text.lower()).split()


def longest_match(word, vocab):
    """The right answer: from the left, the longest piece that the vocabulary has; ["[UNK]"] where there is none."""
    return _match_with()(word, vocab)


def match_from_right(word, vocab):
    """The right answer: from the right, the longest piece that the vocabulary has; the pieces in reading order."""
    return _from_right_with()(word, vocab)


def count_pairs(counts):
    """The right answer: how often each two symbols stand side by side, over all words with their counts."""
    return _count_with()(counts)


def merge(symbols, pair):
    """The right answer: every occurrence of the pair becomes one symbol, from the left."""
    merged, i = [], 0
    while i < len(symbols):
        found = tuple(symbols[i : i + 2]) == tuple(pair)
        merged.append(pair[0] + pair[1] if found else symbols[i])
        i += 2 if found else 1
    return tuple(merged)


def train_bpe(counts, n_merges):
    """The right answer: n times, merge the most frequent pair; of equals the oldest, and none that occurs once."""
    return _train_with()(counts, n_merges)


def pad(batch, pad_id=0):
    """The right answer: (ids, attention_mask), both (texts, longest), as lists of lists."""
    return _pad_with()(batch, pad_id)


def pack(batch, length, pad_id=0):
    """The right answer: (ids, numbers), rows of one length, each filled with the next texts as long as they fit."""
    return _pack_with()(batch, length, pad_id)


def encode_pair(first, second, max_length):
    """The right answer: (ids, segments) of [CLS] first [SEP] second [SEP].

    Both texts share what room there is. What the shorter one leaves, and an odd place, goes to the longer one; of two
    equally long texts the second one gets it.
    """
    return _pair_with()(first, second, max_length)


# --- the same with one step made otherwise: the usual mistakes -----------------------------------------------------


def _spaced(text, marks=string.punctuation):
    for mark in marks:
        text = text.replace(mark, f" {mark} ")
    return text


def _letter_by_letter(text, last=True, empty=False):
    found, word = [], ""
    for c in text.lower():
        if c.isspace() or c in string.punctuation:
            found += [word] if word or empty else []
            found += [] if c.isspace() else [c]
            word = ""
        else:
            word += c
    return found + ([word] if last and (word or empty) else [])


def _without_accents(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def _match_with(
    mark=lambda start: "##" if start else "",
    longest=True,
    unknown=lambda pieces, rest: ["[UNK]"],
    known=lambda piece, vocab: piece in vocab,
    step=0,
):
    def made(word, vocab):
        pieces, start = [], 0
        while start < len(word):
            ends = range(len(word), start, -1) if longest else range(start + 1, len(word) + 1)
            end = next((end for end in ends if known(mark(start) + word[start:end], vocab)), None)
            if end is None:
                return unknown(pieces, word[start:])
            pieces.append(mark(start) + word[start:end])
            start = end + step
        return pieces

    return made


def with_a_way_back(word, vocab, mark=""):
    """The first cut of all that are possible, long pieces first: it goes back where a piece leads nowhere."""
    if not word:
        return []
    for end in range(len(word), 0, -1):
        rest = with_a_way_back(word[end:], vocab, "##") if mark + word[:end] in vocab else ["[UNK]"]
        if rest != ["[UNK]"]:
            return [mark + word[:end], *rest]
    return ["[UNK]"]


def _unknown_letters(word, vocab):
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in vocab), None)
        pieces.append("[UNK]" if end is None else mark + word[start:end])
        start = end or start + 1
    return pieces


def _any_piece(word, vocab):
    pieces = []
    while word:
        fitting = [piece for piece in vocab if word.startswith(piece.removeprefix("##"))]
        if not fitting:
            return ["[UNK]"]
        pieces.append(max(fitting, key=len))
        word = word.removeprefix(pieces[-1].removeprefix("##"))
    return pieces


def _second_unseen(word, vocab):
    first = next((word[:end] for end in range(len(word), 0, -1) if word[:end] in vocab), None)
    return ["[UNK]"] if first is None else [first] + ["##" + word[len(first) :]] * (first != word)


def _from_right_with(
    mark=lambda start, end, word: "##" if start else "",
    longest=True,
    ordered=True,
    unknown=lambda pieces: ["[UNK]"],
    known=lambda piece, vocab: piece in vocab,
    first=0,
):
    def made(word, vocab):
        pieces, end = [], len(word)
        while end:
            starts = range(first, end) if longest else range(end - 1, -1, -1)
            made_of = (mark(start, end, word) + word[start:end] for start in starts)
            piece = next((piece for piece in made_of if known(piece, vocab)), None)
            if piece is None:
                return unknown(pieces)
            pieces.insert(0 if ordered else len(pieces), piece)
            end -= len(piece.removeprefix("##"))
        return pieces

    return made


def _count_with(pairs_of=lambda symbols: zip(symbols, symbols[1:], strict=False), times=lambda old, n: old + n):
    def made(counts):
        pairs = {}
        for symbols, n in counts.items():
            for pair in pairs_of(symbols):
                pairs[pair] = times(pairs.get(pair, 0), n)
        return pairs

    return made


def _apart(symbols):
    """Pairs of equal symbols that do not share one."""
    pairs, i = [], 0
    while i < len(symbols) - 1:
        pairs.append(symbols[i : i + 2])
        i += 2 if symbols[i : i + 3] == symbols[i : i + 1] * 3 else 1
    return pairs


def _no_start(counts):
    pairs = {}
    for symbols, n in counts.items():
        for pair in zip(symbols, symbols[1:], strict=False):
            pairs[pair] += n
    return pairs


def _one_too_far(symbols):
    return [(symbols[i], symbols[i + 1]) for i in range(len(symbols))]


def _merge_overlapping(symbols, pair):
    merged = list(symbols)
    for i in range(len(merged) - 1):
        if (merged[i], merged[i + 1]) == tuple(pair):
            merged[i : i + 2] = [pair[0] + pair[1]] * 2
    return tuple(merged)


def _merge_first(symbols, pair):
    for i in range(len(symbols) - 1):
        if tuple(symbols[i : i + 2]) == tuple(pair):
            return (*symbols[:i], pair[0] + pair[1], *symbols[i + 2 :])
    return tuple(symbols)


def _merge_with(step=2, last=True, found=lambda symbols, i, pair: symbols[i : i + 2] == pair, glue="".join):
    def made(symbols, pair):
        merged, i = [], 0
        while i < len(symbols) - (not last):
            here = found(symbols, i, pair)
            merged.append(glue(symbols[i : i + 2]) if here else symbols[i])
            i += step if here else 1
        return tuple(merged)

    return made


def _merge_from_right(symbols, pair):
    merged = merge(symbols[::-1], pair[::-1])
    return tuple(pair[0] + pair[1] if symbol == pair[1] + pair[0] else symbol for symbol in merged[::-1])


def _letters(text):
    return [-ord(c) for c in text]


def _train_with(
    tie=lambda pair, age: (age[pair[0]], age[pair[1]]),
    recount=True,
    sign=-1,
    least=2,
    glue=merge,
    left=lambda merges, pairs: merges,
    extra=0,
    letters=sorted,
    aging=True,
):
    def made(counts, n_merges):
        age = {
            symbol: number for number, symbol in enumerate(letters(dict.fromkeys(s for word in counts for s in word)))
        }
        merges, pairs = [], count_pairs(counts)
        for _ in range(n_merges + extra):
            pairs = count_pairs(counts) if recount else {pair: n for pair, n in pairs.items() if pair not in merges}
            pairs = {pair: n for pair, n in pairs.items() if n >= least}
            if not pairs:
                return left(merges, pairs)
            best = min(pairs, key=lambda pair: (sign * pairs[pair], tie(pair, age) if tie else 0))
            merges.append(best)
            if aging:
                age.setdefault("".join(best), len(age))
            after = Counter()
            for symbols, n in counts.items():
                after[glue(symbols, best)] += n
            counts = after
        return merges

    return made


def _changed_in_its_loop(counts, n_merges):
    for symbols in counts:
        counts[merge(symbols, symbols[:2])] = counts.pop(symbols)


def _pad_with(
    longest=lambda batch: max(map(len, batch)),
    side=1,
    mask=lambda row, padded, pad_id: [1] * len(row) + [0] * (len(padded) - len(row)),
    fill=lambda pad_id: pad_id,
    cut=False,
):
    def made(batch, pad_id=0):
        n = longest(batch)
        rows = [row[:n] if cut else row for row in batch]
        ids = [row + [fill(pad_id)] * (n - len(row)) for row in rows]
        masks = [mask(row, padded, pad_id) for row, padded in zip(rows, ids, strict=True)]
        if side < 0:
            ids, masks = (
                [r[len(t) :] + r[: len(t)] for r, t in zip(part, batch, strict=True)] for part in (ids, masks)
            )
        return ids, masks

    return made


def _shared_rows(batch, pad_id=0):
    longest = max(map(len, batch))
    ids, masks = [[pad_id] * longest] * len(batch), [[0] * longest] * len(batch)
    for i, text in enumerate(batch):
        ids[i][: len(text)], masks[i][: len(text)] = text, [1] * len(text)
    return ids, masks


def _pack_with(fits=lambda used, more, length: used + more <= length, number=lambda row, texts: row, earlier=False,
               last=True, cut=False, filled=(1, 1), fill=lambda pad_id: pad_id, padding=0):  # fmt: skip
    """number: of a text, from how many its row and the batch had before, counted from 1."""

    def made(batch, length, pad_id=0):
        rows = []  # each a list of (number, text)
        for texts, text in enumerate(batch, start=1):
            text = list(text)
            if cut and rows and 0 < (room := length - _used(rows[-1])) < len(text):
                rows[-1].append((number(len(rows[-1]) + 1, texts), text[:room]))
                text = text[room:]
            room = [row for row in (rows if earlier else rows[-1:]) if fits(_used(row), len(text), length)]
            if not room:
                rows.append([])
            row = room[0] if room else rows[-1]
            row.append((number(len(row) + 1, texts), text))
        rows = rows if last else rows[:-1]
        width = [length - _used(row) for row in rows]
        ids = [[i for _, text in row for i in text] for row in rows]
        numbers = [[k for k, text in row for _ in text] for row in rows]
        for i, n in enumerate(width):
            ids[i] += [fill(pad_id)] * n * filled[0]
            numbers[i] += [padding] * n * filled[1]
        return ids, numbers

    return made


def _used(row):
    return sum(len(text) for _, text in row)


def _lengths(n_first, n_second, room):
    """How many tokens of each text stay: truncated_lengths of the library."""
    if n_first + n_second <= room:
        return n_first, n_second
    short = min(n_first, n_second, room // 2)
    return (room - short, short) if n_first > n_second else (short, room - short)


def _taken_off(first_gives):
    """One token at a time off the longer text; where both are equally long, off the first or off the second."""

    def lengths(n_first, n_second, room):
        while n_first + n_second > room:
            if n_first > n_second or (n_first == n_second and first_gives):
                n_first -= 1
            else:
                n_second -= 1
        return n_first, n_second

    return lengths


def _pair_with(
    lengths=_lengths,
    special=3,
    kept=lambda text, n: text[:n],
    frame=lambda first, second: [CLS, *first, SEP, *second, SEP],
    segments=lambda first, second: [0] * (len(first) + 2) + [1] * (len(second) + 1),
):
    def made(first, second, max_length):
        n_first, n_second = lengths(len(first), len(second), max_length - special)
        first, second = kept(first, n_first), kept(second, n_second)
        return frame(first, second), segments(first, second)

    return made


def _popped(which):
    def made(first, second, max_length):
        texts = list(first), list(second)
        while len(texts[0]) + len(texts[1]) + 3 > max_length:
            texts[which].pop()
        return encode_pair(*texts, max_length)

    return made


def _minus_zero(first, second, max_length):
    over = len(first) + len(second) + 3 - max_length
    if len(first) > len(second):
        first = first[:-over]
    else:
        second = second[:-over]
    return encode_pair(first, second, 10**6)


def _cut_at_end(first, second, max_length):
    ids, segments = encode_pair(first, second, 10**6)
    return ids[:max_length], segments[:max_length]


# --- the exercises -------------------------------------------------------------------------------------------------

WORDS = Exercise(
    "words",
    words,
    (
        Case("words and spaces", ("The bear waited",)),
        Case("a mark is a word of its own", ("I love mathematics!",)),
        Case("marks in a row, and in a word", ('"Don\'t!" she said ... (a-b)',)),
        Case("several spaces, and lines", ("  two \n lines ",)),
        Case("digits", ("10.5% of 2026",)),
        Case("an underscore is a mark", ("x_1 = __y__",)),
        Case("letters with accents", ("Crème brûlée à la Ångström",)),
        Case("nothing", ("",)),
    ),
    {
        "capital letters are still there; BERT's uncased vocabulary has none": lambda text: _spaced(text).split(),
        "this is one text; give back a list of words": lambda text: " ".join(words(text)),
        "these are the characters; letters in a row are one word": lambda text: list(text.lower()),
        "there is no word at all: return stands in the loop, or none is put away": lambda text: [],
        "return stands in the loop: only the first word comes back": lambda text: words(text)[:1],
        "return stands in the loop: only the first mark is set apart": lambda text: _spaced(text.lower(), "!").split(),
        "the last word is missing: put it away when the loop has ended": lambda text: _letter_by_letter(text, False),
        "the text is cut at spaces only; a mark is a word of its own": lambda text: text.lower().split(),
        "there are empty words: put a word away only where it has letters": lambda t: _letter_by_letter(t, empty=True),
        "split(' ') cuts at every single space; split() cuts at white space, however long": lambda text: _spaced(
            text.lower()
        ).split(" "),
        "marks are dropped; they are tokens too": lambda text: re.findall(rf"[^\s{MARKS}]+", text.lower()),
        "marks in a row are one word; each stands alone": lambda text: re.findall(
            rf"[{MARKS}]+|[^\s{MARKS}]+", text.lower()
        ),
        "some marks stay in their words; string.punctuation holds them all": lambda text: _spaced(
            text.lower(), ".,!?"
        ).split(),
        "a mark needs a space on both sides": lambda text: re.sub(rf"([{MARKS}])", r" \1", text.lower()).split(),
        "some marks are lost; string.punctuation holds them all": lambda text: re.findall(
            r"[^\W_]+|[.,!?]", text.lower()
        ),
        "re.split leaves empty texts at the edges: drop them": lambda text: re.split(r"\s+", _spaced(text.lower())),
        "white space only separates; it is no word": lambda text: re.findall(rf"[^\s{MARKS}]+|.", text.lower(), re.S),
        "a set has no order, and each word once; give back a list": lambda text: set(words(text)),
        "a line end is white space, no word": lambda text: re.findall(rf"[^\s{MARKS}]+|[^ \w]", text.lower()),
        "digits in a row are one word": lambda text: re.findall(r"[^\W\d_]+|\S", text.lower()),
        "an underscore is a mark; \\w takes it for a letter": lambda text: re.findall(r"\w+|[^\w\s]", text.lower()),
        "an underscore is lost; it is a mark": lambda text: [word for word in words(text) if word != "_"],
        "a letter with an accent is a letter; [a-z] does not know it": lambda text: re.findall(
            r"[a-z0-9]+|[^a-z0-9\s]", text.lower()
        ),
        "letters with accents are lost": lambda text: re.findall(rf"[a-z0-9]+|[{MARKS}]", text.lower()),
        "the accents are gone; here they stay": lambda text: words(_without_accents(text)),
        "where there is no text there is no word: give back []": lambda text: words(text) or [""],
    },
)

VOCAB = {
    "[UNK]",
    "the",
    "bear",
    "play",
    "##play",
    "##s",
    "##ing",
    "##ground",
    "p",
    "##a",
    "##y",
    "serve",
    "ser",
    "##ver",
    "un",
    "##un",
}

LONGEST_MATCH = Exercise(
    "longest_match",
    longest_match,
    (
        Case("a word of the vocabulary", ("bear", VOCAB)),
        Case("a word in two pieces", ("plays", VOCAB)),
        Case("the longest piece first", ("playgrounds", VOCAB)),
        Case("pieces of one letter", ("pays", VOCAB)),
        Case("a word that cannot be made up", ("bearxs", VOCAB)),
        Case("the first letter is unknown", ("xbear", VOCAB)),
        Case("a piece that only begins words", ("unbear", VOCAB)),
        Case("a piece that begins words and goes on", ("unplay", VOCAB)),
        Case("the longest piece leads nowhere", ("server", VOCAB)),
    ),
    {
        "a word that is not in the vocabulary has pieces that are": lambda word, vocab: (
            [word] if word in vocab else ["[UNK]"]
        ),
        "pieces inside a word are looked up without ##": _match_with(mark=lambda start: ""),
        "## belongs to the piece before it is looked up, not only in the answer": _match_with(
            known=lambda piece, vocab: piece.removeprefix("##") in vocab
        ),
        "the piece that begins the word is looked up with ##, but has none": _match_with(mark=lambda start: "##"),
        "one letter behind each piece is passed over; go on at its end": _match_with(step=1),
        "the shortest piece is taken; start with the longest": _match_with(longest=False),
        "pieces of one letter are never tried: let the end go down to start + 1": _match_with(
            known=lambda piece, vocab: piece in vocab and len(piece.removeprefix("##")) > 1
        ),
        "the whole rest is never tried: the end may be len(word); range stops one before": lambda word, vocab: (
            _match_with(known=lambda piece, vocab: piece in vocab and not word.endswith(piece.removeprefix("##")))(
                word, vocab
            )
        ),
        "the ## of pieces that do not begin the word is missing in the answer": lambda word, vocab: [
            piece.removeprefix("##") for piece in longest_match(word, vocab)
        ],
        "the first piece has no ##: it begins the word": lambda word, vocab: [
            "##" + piece.removeprefix("##") for piece in longest_match(word, vocab)
        ],
        "only the first piece is there; go on behind it until the word is used up": lambda word, vocab: _second_unseen(
            word, vocab
        )[:1],
        "the rest is taken as one piece; look for the longest again": _second_unseen,
        "where no piece fits, the word becomes [UNK], in a list of its own": _match_with(
            unknown=lambda pieces, rest: "[UNK]"
        ),
        "where no piece fits, the word does not stay as it is; it becomes [UNK]": lambda word, vocab: (
            [word] if longest_match(word, vocab) == ["[UNK]"] else longest_match(word, vocab)
        ),
        "where no piece fits, the whole word becomes [UNK], not its rest": _match_with(
            unknown=lambda pieces, rest: [*pieces, "[UNK]"]
        ),
        "where no piece fits, the whole word becomes [UNK], not one letter": _unknown_letters,
        "a piece with ## does not begin a word, and one without it does not go on": _any_piece,
        "where no piece fits, the letter is passed over; the whole word becomes [UNK]": lambda word, vocab: (
            [piece for piece in _unknown_letters(word, vocab) if piece != "[UNK]"]
        ),
        "where no piece fits, what was found before is given back; the whole word becomes [UNK]": _match_with(
            unknown=lambda pieces, rest: pieces
        ),
        "where no piece fits, give back [UNK] at once": _match_with(
            unknown=lambda pieces, rest: [*pieces, rest if not pieces else "##" + rest]
        ),
        "a piece without ## only begins words; inside a word take those with ##": _match_with(
            known=lambda piece, vocab: piece in vocab or piece.removeprefix("##") in vocab
        ),
        "this takes another first piece where the longest leads nowhere; longest match never goes back": (
            with_a_way_back
        ),
    },
)

MATCH_FROM_RIGHT = Exercise(
    "match_from_right",
    match_from_right,
    (
        Case("a word of one letter", ("p", VOCAB)),
        Case("a word of the vocabulary", ("bear", VOCAB)),
        Case("a word in two pieces", ("plays", VOCAB)),
        Case("three pieces, in reading order", ("unplays", VOCAB)),
        Case("another cut than from the left", ("server", VOCAB)),
        Case("the longest piece first", ("unplay", VOCAB)),
        Case("a word that cannot be made up", ("xplay", VOCAB)),
        Case("a piece that never begins words", ("grounds", VOCAB)),
        Case("a piece that only begins words", ("unbear", VOCAB)),
    ),
    {
        "## is put on the piece that is found first; it marks pieces that do not begin the word": _from_right_with(
            mark=lambda start, end, word: "##" if end == len(word) and start else ""
        ),
        "every piece but the last has ##; the piece that begins the word has none": _from_right_with(
            mark=lambda start, end, word: "##" if end < len(word) else ""
        ),
        "pieces are looked up without ##; those that do not begin the word have it": _from_right_with(
            mark=lambda start, end, word: ""
        ),
        "every piece is looked up with ##; the one that begins the word has none": _from_right_with(
            mark=lambda start, end, word: "##"
        ),
        "the piece that begins the word is never tried: let the start begin at 0": _from_right_with(first=1),
        "the pieces stand in the order in which they were found; turn them around": _from_right_with(ordered=False),
        "this is the match from the left": longest_match,
        "the shortest piece is taken; start with the longest, which begins at 0": _from_right_with(longest=False),
        "where no piece fits, the whole word becomes [UNK], not its rest": _from_right_with(
            unknown=lambda pieces: ["[UNK]", *pieces]
        ),
        "where no piece fits, the whole word becomes [UNK], in a list": _from_right_with(
            unknown=lambda pieces: "[UNK]"
        ),
        "where no piece fits, what was found before is given back; the whole word becomes [UNK]": _from_right_with(
            unknown=list
        ),
        "the word is turned around, and its pieces with it: the vocabulary has them as they are read": lambda w, v: (
            longest_match(w[::-1], v)
        ),
        "the word is turned around, but the vocabulary is not: look pieces up as they are read": lambda word, vocab: [
            piece[::-1] for piece in longest_match(word[::-1], vocab)
        ][::-1],
        "the pieces are turned around with the word: turn them back": lambda word, vocab: longest_match(
            word[::-1], {piece[::-1] for piece in vocab}
        ),
        "turned around, ## stands behind a piece, and the first comes last: look pieces up as they are read": (
            lambda word, vocab: [p[::-1] for p in longest_match(word[::-1], {p[::-1] for p in vocab})][::-1]
        ),
        "the ## of pieces that do not begin the word is missing in the answer": lambda word, vocab: [
            piece.removeprefix("##") for piece in match_from_right(word, vocab)
        ],
        "a piece that stands in the vocabulary with ## alone never begins a word": _from_right_with(
            known=lambda piece, vocab: piece in vocab or "##" + piece in vocab
        ),
        "a piece that stands in the vocabulary without ## alone only begins words": _from_right_with(
            known=lambda piece, vocab: piece in vocab or piece.removeprefix("##") in vocab
        ),
        "a piece with ## never begins a word": lambda word, vocab: _from_right_with(
            mark=lambda start, end, word: "" if word[start:end] in vocab and not start else "##"
        )(word, vocab),
    },
)

COUNTS = {
    ("l", "o", "w"): 5,
    ("l", "o", "w", "e", "r"): 2,
    ("n", "e", "w"): 6,
    ("w", "i", "d", "e"): 3,
    ("l", "o", "l", "o"): 1,
}

COUNT_PAIRS = Exercise(
    "count_pairs",
    count_pairs,
    (
        Case("one word", ({("b", "e", "a", "r"): 1},)),
        Case("words with counts", (COUNTS,)),
        Case("a pair twice in a word", ({("l", "o", "l", "o"): 3},)),
        Case("three in a row are two pairs", ({("a", "a", "a"): 2},)),
        Case("longer symbols", ({("lo", "w", "e"): 1, ("l", "ow", "e"): 1},)),
        Case("words of one symbol", ({("a",): 4, ("b", "c"): 1},)),
    ),
    {
        "a pair that comes up for the first time has no count yet: pairs.get(pair, 0) + n": _no_start,
        "the last symbol has no neighbor on its right: stop one earlier": _count_with(_one_too_far),
        "the last symbol has no neighbor on its right, and the first is not its neighbor": _count_with(
            lambda symbols: zip(symbols, symbols[1:] + symbols[:1], strict=True)
        ),
        "the last pair of each word is missing": _count_with(
            lambda symbols: list(zip(symbols, symbols[1:], strict=False))[:-1]
        ),
        "only neighbors count, not all pairs of a word": _count_with(lambda symbols: combinations(symbols, 2)),
        "each second pair is left out; neighboring pairs share a symbol": _count_with(
            lambda symbols: zip(symbols[::2], symbols[1::2], strict=False)
        ),
        "these are counts of single symbols": _count_with(lambda symbols: symbols),
        "the keys are joined; keep a pair as a tuple of two symbols": _count_with(
            lambda symbols: map("".join, zip(symbols, symbols[1:], strict=False))
        ),
        "a list cannot be a key; take a tuple": _count_with(
            lambda symbols: [[a, b] for a, b in zip(symbols, symbols[1:], strict=False)]
        ),
        "the order counts: ('e', 'b') is another pair than ('b', 'e')": _count_with(
            lambda symbols: map(tuple, map(sorted, zip(symbols, symbols[1:], strict=False)))
        ),
        "each word counts once; it must count as often as it occurs": _count_with(times=lambda old, n: old + 1),
        "return stands in the loop: only the first word is counted": lambda counts: count_pairs(
            dict(list(counts.items())[:1])
        ),
        "counts alone gives its keys; counts.items() gives (word, count)": lambda counts: [n for _, n in counts],
        "the first word's count stays; add those of the others": _count_with(times=lambda old, n: old or n),
        "a later word overwrites the count; add to it": _count_with(times=lambda old, n: n),
        "a pair that stands twice in a word counts twice": _count_with(
            lambda symbols: set(zip(symbols, symbols[1:], strict=False))
        ),
        "pairs may share a symbol: ('a', 'a', 'a') has two": _count_with(_apart),
        "the symbols are cut into letters; a symbol may have several": _count_with(
            lambda symbols: zip("".join(symbols), "".join(symbols)[1:], strict=False)
        ),
        "give back a dictionary, pair -> count": lambda counts: list(count_pairs(counts).items()),
    },
)

MERGE = Exercise(
    "merge",
    merge,
    (
        Case("once", (("b", "e", "a", "r"), ("e", "a"))),
        Case("not there", (("b", "e"), ("e", "b"))),
        Case("at the end", (("b", "e", "a", "r"), ("a", "r"))),
        Case("twice", (("l", "o", "l", "o"), ("l", "o"))),
        Case("from the left: three in a row", (("a", "a", "a"), ("a", "a"))),
        Case("longer symbols", (("lo", "w", "lo", "we"), ("lo", "w"))),
        Case("the same letters in other symbols", (("l", "ow", "lo", "w"), ("lo", "w"))),
        Case("one symbol", (("a",), ("a", "a"))),
    ),
    {
        "the index goes too far: the last symbol has no neighbor, and a list that loses symbols is short": _merge_with(
            found=lambda symbols, i, pair: (symbols[i], symbols[i + 1]) == pair
        ),
        "symbols[i + 1] is not there for the last symbol: ask for it only where there is one": _merge_with(
            found=lambda symbols, i, pair: symbols[i] == pair[0] and symbols[i + 1] == pair[1]
        ),
        "the second symbol of the pair is still there; go on behind it": _merge_with(step=1),
        "both symbols are replaced, but they become one": _merge_overlapping,
        "a tuple with the pair in it; the new symbol is one text, pair[0] + pair[1]": _merge_with(glue=tuple),
        "the last symbol is missing": _merge_with(last=False),
        "only the first occurrence is merged": _merge_first,
        "the order counts: ('b', 'e') is not the pair ('e', 'b')": _merge_with(
            found=lambda symbols, i, pair: set(symbols[i : i + 2]) == set(pair) and i + 1 < len(symbols)
        ),
        "the merge goes from the right": _merge_from_right,
        "this joins letters, not symbols: ('lo', 'we') is not the pair ('lo', 'w')": lambda symbols, pair: tuple(
            " ".join(symbols).replace(" ".join(pair), "".join(pair)).split()
        ),
        "joined, the symbols lose the places where one ends; go through the tuple": lambda symbols, pair: tuple(
            "".join(symbols).replace("".join(pair), "".join(pair))
        ),
        "give back a tuple; this is text": lambda symbols, pair: " ".join(merge(symbols, pair)),
        "this is text without its cuts; give back a tuple of symbols": lambda symbols, pair: "".join(symbols),
        "two symbols are one pair only where both are equal to it, not where they make the same text": _merge_with(
            found=lambda symbols, i, pair: len(symbols[i : i + 2]) == 2 and "".join(symbols[i : i + 2]) == "".join(pair)
        ),
    },
    kind=tuple,
)

TRAIN_BPE = Exercise(
    "train_bpe",
    train_bpe,
    (
        Case("one merge", (COUNTS, 1)),
        Case("two merges", (COUNTS, 2)),
        Case(
            "equal counts: letters in the order of the alphabet",
            ({("b", "a", "d"): 2, ("c", "a"): 2, ("a", "b"): 2}, 3),
        ),
        Case("equal counts: it does not matter whether a letter begins a word", ({("z", "a", "b"): 2}, 2)),
        Case("equal counts: letters are older than what was merged", ({("b", "c", "d"): 9, ("d", "e", "b"): 9}, 3)),
        Case("equal counts: the older merge first", ({("b", "c", "x", "a", "d", "x"): 3, ("b", "c"): 1}, 4)),
        Case("no merge", (COUNTS, 0)),
        Case("until nothing is left to merge", ({("a", "b"): 2}, 5)),
        Case("a pair that occurs once is never merged", ({("a", "b"): 1, ("a", "c", "d"): 2}, 5)),
    ),
    {
        "give back the pairs that were merged, not the symbols that they became": lambda counts, n: [
            "".join(pair) for pair in train_bpe(counts, n)
        ],
        "the first pair alone came back; give back a list of all": lambda counts, n: next(
            iter(train_bpe(counts, n)), None
        ),
        "the rarest pair is merged; take the most frequent": _train_with(sign=1, least=1),
        "the best pair is the key with the largest count, not that count": lambda counts, n: merge(
            ("a", "b"), max(count_pairs(counts).values())
        ),
        "a dictionary cannot change while a loop goes through it; fill a new one": _changed_in_its_loop,
        "a symbol that was merged has no age yet: put it down when it is made": _train_with(aging=False),
        "every letter needs an age, one inside a word too": lambda counts, n: _train_with(
            letters=lambda found: sorted({word[0] for word in counts})
        )(counts, n),
        "letters that begin a word are no older than others; all go by the alphabet": lambda counts, n: _train_with(
            letters=lambda found: sorted(found, key=lambda letter: (letter not in {word[0] for word in counts}, letter))
        )(counts, n),
        "of equal counts another pair is older: letters by the alphabet, the first symbol first": _train_with(
            letters=list
        ),
        "the pairs are counted once; count again after each merge": _train_with(recount=False),
        "the words do not change: merge the pair in all of them, then count again": _train_with(
            glue=lambda symbols, pair: symbols
        ),
        "one merge too many": _train_with(extra=1),
        "one merge too few": _train_with(extra=-1),
        "n_merges is not used": lambda counts, n: train_bpe(counts, 99),
        "among pairs with equal counts this takes the one that was met first; take the oldest symbols": _train_with(
            tie=None
        ),
        "among pairs with equal counts this takes the last in the alphabet; take the oldest symbols": _train_with(
            tie=lambda pair, age: (_letters(pair[0]), _letters(pair[1]))
        ),
        "among pairs with equal counts this takes the first in the alphabet; letters are older than merged symbols": (
            _train_with(tie=lambda pair, age: pair)
        ),
        "among pairs with equal counts this asks the right symbols first; the left ones come first": _train_with(
            tie=lambda pair, age: (age[pair[1]], age[pair[0]])
        ),
        "where no pair is left, stop before you look for the best": _train_with(left=lambda merges, pairs: max(pairs)),
        "where no pair is left, stop: there is no best one": _train_with(left=lambda merges, pairs: min(pairs)),
        "where no pair is left, give back the merges so far": _train_with(left=lambda merges, pairs: None),
        "a pair that occurs once is never merged": _train_with(least=1),
        "a pair that occurs twice is still merged": _train_with(least=3),
    },
)

PAD = Exercise(
    "pad",
    pad,
    (
        Case("one text", ([[101, 2023, 102]],)),
        Case("two lengths", ([[101, 2023, 2003, 102], [101, 102]],)),
        Case("another padding id", ([[8], [5, 6, 7]], 1)),
        Case("a 0 that is no padding", ([[0, 4], [3]], 9)),
        Case("a token with the padding's id", ([[7, 0, 8], [0, 9], [5]],)),
        Case("three lengths", ([[7], [8, 9, 3], [9, 4]],)),
    ),
    {
        "max(batch) is a list; the longest is max(len(row) for row in batch)": lambda batch, pad_id=0: (
            max(batch) - len(batch[0])
        ),
        "pad_id is a number; a list of them is [pad_id] * n": lambda batch, pad_id=0: batch[0] + pad_id * len(batch),
        "the mask comes first here; give back (ids, mask)": lambda batch, pad_id=0: pad(batch, pad_id)[::-1],
        "the mask is inverted: 1 marks a token, 0 padding": _pad_with(
            mask=lambda row, padded, pad_id: [0] * len(row) + [1] * (len(padded) - len(row))
        ),
        "the mask is not filled up; it is as long as the ids": _pad_with(mask=lambda row, padded, _: [1] * len(row)),
        "the mask is 1 everywhere; padding has 0": _pad_with(mask=lambda row, padded, _: [1] * len(padded)),
        "this fills up by the longest length, not up to it: take longest - len(row)": lambda batch, pad_id=0: (
            [row + [pad_id] * max(map(len, batch)) for row in batch],
            [[1] * len(row) + [0] * max(map(len, batch)) for row in batch],
        ),
        "[[pad_id] * n] * k is one and the same row k times: make each row anew": _shared_rows,
        "the length is always 8 here; take that of the longest text": _pad_with(lambda batch: 8),
        "the texts are cut to the shortest; fill them up to the longest": _pad_with(
            lambda batch: min(map(len, batch)), cut=True
        ),
        "padding comes after the tokens, not before": _pad_with(side=-1),
        "the length is that of the first text; take the longest": _pad_with(lambda batch: len(batch[0])),
        "max(batch) compares the ids; the longest is max(len(row) for row in batch)": _pad_with(
            lambda batch: len(max(batch))
        ),
        "pad_id is not used; padding is not always 0": _pad_with(fill=lambda pad_id: 0),
        "the mask's padding is 0, whatever pad_id is": _pad_with(
            mask=lambda row, padded, pad_id: [1] * len(row) + [pad_id] * (len(padded) - len(row))
        ),
        "the mask asks whether the id is 0; ask whether there was a token": _pad_with(
            mask=lambda row, padded, pad_id: [int(i != 0) for i in padded]
        ),
        "the mask asks whether the id is pad_id, but a token may have that id; go by the lengths": _pad_with(
            mask=lambda row, padded, pad_id: [int(i != pad_id) for i in padded]
        ),
    },
    parts=("ids", "attention_mask"),
)

PACK = Exercise(
    "pack",
    pack,
    (
        Case("one text", ([[5, 6, 7]], 5)),
        Case("two texts in one row", ([[5, 6], [7, 8]], 5)),
        Case("just full", ([[5, 6], [7, 8]], 4)),
        Case("two rows", ([[5, 6], [7, 8], [9, 4, 3]], 5)),
        Case("a short text never goes back to an earlier row", ([[5, 6, 7], [8, 9, 4], [3]], 4)),
        Case("another padding id, and tokens with it", ([[5, 0], [1, 7], [1]], 4, 1)),
    ),
    {
        "the numbers come first here; give back (ids, numbers)": lambda *given: pack(*given)[::-1],
        "these are pad's ids: several texts may share a row": lambda batch, length, pad_id=0: _pack_with(
            fits=lambda used, more, length: False
        )(batch, length, pad_id),
        "the rows are not filled up to length": _pack_with(filled=(0, 0)),
        "the numbers are not filled up; once the ids are, len(ids) says nothing of what is missing": _pack_with(
            filled=(1, 0)
        ),
        "the last row is missing: put it away when the loop has ended": _pack_with(last=False),
        "the texts count from 1; 0 is padding": _pack_with(number=lambda row, texts: row - 1),
        "this is an attention mask; number the texts of a row 1, 2, ...": _pack_with(number=lambda row, texts: 1),
        "a text that fills the row to the last place still fits: <=, not <": _pack_with(
            fits=lambda used, more, length: used + more < length
        ),
        "a text is cut in two; where it does not fit, a new row begins": _pack_with(cut=True),
        "each row counts its texts from 1": _pack_with(number=lambda row, texts: texts),
        "a text goes into the current row or begins a new one; earlier rows are closed": _pack_with(earlier=True),
        "pad_id is not used; padding is not always 0": _pack_with(fill=lambda pad_id: 0),
        "the number of padding is 0, whatever pad_id is": lambda batch, length, pad_id=0: _pack_with(padding=pad_id)(
            batch, length, pad_id
        ),
        "a token may have the padding's id; its number is its text's": lambda batch, length, pad_id=0: (
            pack(batch, length, pad_id)[0],
            [
                [n * (i != pad_id) for i, n in zip(*rows, strict=True)]
                for rows in zip(*pack(batch, length, pad_id), strict=True)
            ],
        ),
    },
    parts=("ids", "numbers"),
)

ENCODE_PAIR = Exercise(
    "encode_pair",
    encode_pair,
    (
        Case("nothing to cut", ([7, 8], [9], 20)),
        Case("just fits", ([7, 8], [9], 6)),
        Case("the first text is cut", ([1, 2, 3, 4, 5, 6, 7], [9], 7)),
        Case("the second text is cut", ([9], [1, 2, 3, 4, 5, 6, 7], 7)),
        Case("both are cut", ([1, 2, 3, 4], [5, 6, 7, 8], 7)),
        Case("equally long, an odd place: the second gets it", ([1, 2, 3], [4, 5, 6], 8)),
        Case("an odd place: the longer text gets it", ([1, 2, 3, 4, 5], [6, 7, 8], 8)),
        Case("no room for any text", ([1, 2], [3], 3)),
    ),
    {
        "the last [SEP] is missing": _pair_with(
            frame=lambda first, second: [CLS, *first, SEP, *second],
            segments=lambda first, second: [0] * (len(first) + 2) + [1] * len(second),
        ),
        "there is one [CLS], at the very beginning": _pair_with(
            frame=lambda first, second: [CLS, *first, SEP, CLS, *second, SEP],
            segments=lambda first, second: [0] * (len(first) + 2) + [1] * (len(second) + 2),
        ),
        "[CLS] is missing at the beginning": _pair_with(
            frame=lambda first, second: [*first, SEP, *second, SEP],
            segments=lambda first, second: [0] * (len(first) + 1) + [1] * (len(second) + 1),
        ),
        "the texts share the room in proportion; a text that needs no more than half of it keeps all": _pair_with(
            lambda n, m, room: (n, m) if n + m <= room else (room * n // (n + m), room - room * n // (n + m))
        ),
        "the special tokens are missing": _pair_with(
            special=0,
            frame=lambda first, second: [*first, *second],
            segments=lambda first, second: [0] * len(first) + [1] * len(second),
        ),
        "nothing is cut": lambda first, second, max_length: encode_pair(first, second, 10**6),
        "the first [SEP] belongs to the first text, so its segment is 0": _pair_with(
            segments=lambda first, second: [0] * (len(first) + 1) + [1] * (len(second) + 2)
        ),
        "the last [SEP] belongs to the second text, so its segment is 1": _pair_with(
            segments=lambda first, second: [0] * (len(first) + 2) + [1] * len(second) + [0]
        ),
        "special tokens have segments too": _pair_with(
            segments=lambda first, second: [0] * len(first) + [1] * len(second)
        ),
        "segments are 0 and 1, not 1 and 2": _pair_with(
            segments=lambda first, second: [1] * (len(first) + 2) + [2] * (len(second) + 1)
        ),
        "the end is cut off, and the last [SEP] with it; cut the texts, not the frame": _cut_at_end,
        "the three special tokens count: max_length - 3 is left for the texts": _pair_with(special=0),
        "there are three special tokens, not two": _pair_with(special=2),
        "ids are wanted: 101 for [CLS], 102 for [SEP]": _pair_with(
            frame=lambda first, second: ["[CLS]", *first, "[SEP]", *second, "[SEP]"]
        ),
        "a slice that ends at -0 is empty: text[:-n] fails where n is 0": _minus_zero,
        "where both texts fit, nothing is cut": _pair_with(lambda n, m, room: (min(n, room // 2), min(m, room // 2))),
        "the first text has nothing left to give; the longer one gives": _popped(0),
        "the second text has nothing left to give; the longer one gives": _popped(1),
        "the longer text gives until both are equally long; then both give": _pair_with(
            lambda n, m, room: (n, m) if n + m <= room else (max(0, room - m), m) if n > m else (n, max(0, room - n))
        ),
        "texts lose their last tokens, not the first ones": _pair_with(kept=lambda text, n: text[len(text) - n :]),
        "only the first text is cut; the longer one gives": _pair_with(
            lambda n, m, room: (max(0, min(n, room - m)), m)
        ),
        "only the second text is cut; the longer one gives": _pair_with(
            lambda n, m, room: (n, max(0, min(m, room - n)))
        ),
        "the second text is cut first; the longer one gives": _pair_with(
            lambda n, m, room: (min(n, room), max(0, min(m, room - n)))
        ),
        "each text gets half, even where the other needs less": _pair_with(
            lambda n, m, room: (n, m) if n + m <= room else (min(n, room // 2), min(m, room - room // 2))
        ),
        "of two equally long texts the second one gets the odd place": _pair_with(_taken_off(first_gives=False)),
        "the odd place goes to the text that was longer at the beginning": _pair_with(_taken_off(first_gives=True)),
    },
    parts=("ids", "segments"),
)


# --- inputs to grade with ------------------------------------------------------------------------------------------

SYLLABLES = ["be", "ar", "ma", "th", "lo", "wer", "ing", "un", "pla", "y", "ser", "en", "di", "pi", "tous"]


def random_text(rng, marks="", letters=""):
    """Made-up words, some with a capital or digits, with these marks in and between them and these letters in them."""
    text = ""
    for _ in range(8):
        word = "".join(rng.choice([*SYLLABLES, *letters, *"0123456789"], size=rng.integers(1, 5)))
        mark = "".join(rng.choice(list(marks), size=rng.integers(0, 4))) if marks else ""
        text += (word.capitalize() if rng.random() < 0.3 else word) + mark
        text += rng.choice([" ", "  ", "\n", "\t", "" if mark else " "])
    return text.strip()


def random_vocab(rng, letters="abc"):
    """A small vocabulary: pieces of one to three letters, with and without ##."""
    pieces = {"".join(rng.choice(list(letters), size=rng.integers(1, 4))) for _ in range(20)}
    return sorted({piece if rng.random() < 0.5 else f"##{piece}" for piece in pieces} | {"a", "##a", "##b", "[UNK]"})


def random_word(rng, letters="abc"):
    """A word for such a vocabulary."""
    return "".join(rng.choice(list(letters), size=rng.integers(1, 9)))


def random_counts(rng, n_words=12, letters="abcde", most=9):
    """Words as tuples of letters (or longer symbols), with counts up to a number: something to train on."""
    drawn = (rng.choice(list(letters), size=rng.integers(2, 7)) for _ in range(n_words))
    return {tuple(map(str, word)): int(rng.integers(1, most)) for word in drawn}


def random_batch(rng, n_texts=4):
    """Texts of different lengths, 1 to 8, as ids."""
    return [random_ids(rng, n) for n in rng.permutation(np.arange(1, 9))[:n_texts]]


def random_ids(rng, n):
    """A text of n tokens."""
    return rng.integers(1, 30_000, size=n).tolist()


def check_words(student):
    """Check the first cut: text -> list of words and marks, in lower case."""
    return WORDS.check(student)


def check_longest_match(student):
    """Check WordPiece's longest match: (word, vocab) -> list of pieces, or ["[UNK]"].

    >>> check_longest_match(lambda word, vocab: [word])
    ✓ a word of the vocabulary
    ✗ a word in two pieces: got ['plays'], and ['play', '##s'] is right
      To see it again:
        longest_match('plays', {...})
    False
    """
    return LONGEST_MATCH.check(student)


def check_match_from_right(student):
    """Check the longest match from the right: (word, vocab) -> list of pieces, or ["[UNK]"]."""
    return MATCH_FROM_RIGHT.check(student)


def check_count_pairs(student):
    """Check the pair counts: {word as a tuple of symbols: count} -> {(symbol, symbol): count}."""
    return COUNT_PAIRS.check(student)


def check_merge(student):
    """Check a merge: (symbols as a tuple, pair) -> the symbols with every such pair made one."""
    return MERGE.check(student)


def check_train_bpe(student):
    """Check BPE's training: ({word as a tuple of symbols: count}, n_merges) -> list of merged pairs."""
    return TRAIN_BPE.check(student)


def check_pad(student):
    """Check padding: (batch of lists of ids, pad_id=0) -> (ids, attention_mask)."""
    return PAD.check(student)


def check_pack(student):
    """Check packing: (batch of lists of ids, length, pad_id=0) -> (ids, numbers)."""
    return PACK.check(student)


def check_encode_pair(student):
    """Check the encoding of two texts: (first, second, max_length) -> (ids, segments)."""
    return ENCODE_PAIR.check(student)
