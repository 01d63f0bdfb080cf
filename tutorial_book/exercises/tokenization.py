"""Checks of assignment 1: WordPiece's longest match, BPE merges, padding and pairs, in plain Python."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise


def words(text):
    """The right answer: lower case, cut at white space; each punctuation mark is a word of its own."""
    text = text.lower()
    for mark in string.punctuation:
        text = text.replace(mark, f" {mark} ")
    return text.split()


MARKS = re.escape(string.punctuation)


def _without_accents(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


WORDS = Exercise(
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
)


def check_words(student):
    """Check the first cut: text -> list of words and marks, in lower case."""
    return WORDS.check(student)


def longest_match(word, vocab):
    """The right answer: from the left, the longest piece that the vocabulary has; ["[UNK]"] where there is none."""
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = mark + word[start:end]
            if piece in vocab:
                break
        else:
            return ["[UNK]"]
        pieces.append(piece)
        start = end
    return pieces


def with_a_way_back(word, vocab, mark=""):
    """The first cut of all that are possible, long pieces first: it goes back where a piece leads nowhere."""
    if not word:
        return []
    for end in range(len(word), 0, -1):
        rest = with_a_way_back(word[end:], vocab, "##") if mark + word[:end] in vocab else ["[UNK]"]
        if rest != ["[UNK]"]:
            return [mark + word[:end], *rest]
    return ["[UNK]"]


VOCAB = {
    "[UNK]", "the", "bear", "play", "##play", "##s", "##ing", "##ground", "p", "##a", "##y", "serve", "ser", "##ver",
    "un", "##un",
}
LONGEST_MATCH = Exercise(
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
)


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


def match_from_right(word, vocab):
    """The right answer: from the right, the longest piece that the vocabulary has; the pieces in reading order."""
    pieces, end = [], len(word)
    while end:
        for start in range(end):
            mark = "##" if start else ""
            piece = mark + word[start:end]
            if piece in vocab:
                break
        else:
            return ["[UNK]"]
        pieces.insert(0, piece)
        end = start
    return pieces


MATCH_FROM_RIGHT = Exercise(
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
)


def check_match_from_right(student):
    """Check the longest match from the right: (word, vocab) -> list of pieces, or ["[UNK]"]."""
    return MATCH_FROM_RIGHT.check(student)


def count_pairs(counts):
    """The right answer: how often each two symbols stand side by side, over all words with their counts."""
    pairs = {}
    for symbols, n in counts.items():
        for pair in zip(symbols, symbols[1:]):
            pairs[pair] = pairs.get(pair, 0) + n
    return pairs


def _apart(symbols):
    """Pairs of equal symbols that do not share one."""
    pairs, i = [], 0
    while i < len(symbols) - 1:
        pairs.append(symbols[i : i + 2])
        i += 2 if symbols[i : i + 3] == symbols[i : i + 1] * 3 else 1
    return pairs


COUNTS = {
    ("l", "o", "w"): 5,
    ("l", "o", "w", "e", "r"): 2,
    ("n", "e", "w"): 6,
    ("w", "i", "d", "e"): 3,
    ("l", "o", "l", "o"): 1,
}
COUNT_PAIRS = Exercise(
    count_pairs,
    (
        Case("one word", ({("b", "e", "a", "r"): 1},)),
        Case("words with counts", (COUNTS,)),
        Case("a pair twice in a word", ({("l", "o", "l", "o"): 3},)),
        Case("three in a row are two pairs", ({("a", "a", "a"): 2},)),
        Case("longer symbols", ({("lo", "w", "e"): 1, ("l", "ow", "e"): 1},)),
        Case("words of one symbol", ({("a",): 4, ("b", "c"): 1},)),
    ),
)


def check_count_pairs(student):
    """Check the pair counts: {word as a tuple of symbols: count} -> {(symbol, symbol): count}."""
    return COUNT_PAIRS.check(student)


def merge(symbols, pair):
    """The right answer: every occurrence of the pair becomes one symbol, from the left."""
    merged, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i : i + 2]) == tuple(pair):
            merged.append(pair[0] + pair[1])
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return tuple(merged)


def _merge_from_right(symbols, pair):
    merged = merge(symbols[::-1], pair[::-1])
    return tuple(pair[0] + pair[1] if symbol == pair[1] + pair[0] else symbol for symbol in merged[::-1])


MERGE = Exercise(
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
    kind=tuple,
)


def check_merge(student):
    """Check a merge: (symbols as a tuple, pair) -> the symbols with every such pair made one."""
    return MERGE.check(student)


def train_bpe(counts, n_merges):
    """The right answer: n times, merge the most frequent pair; of equals the oldest, and none that occurs once."""
    letters = sorted({letter for word in counts for letter in word})
    age = {letter: number for number, letter in enumerate(letters)}
    merges = []
    for _ in range(n_merges):
        pairs = {pair: n for pair, n in count_pairs(counts).items() if n >= 2}
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        merges.append(best)
        age.setdefault("".join(best), len(age))
        merged = Counter()
        for symbols, n in counts.items():
            merged[merge(symbols, best)] += n
        counts = merged
    return merges


def _changed_in_its_loop(counts):
    for symbols in counts:
        counts[merge(symbols, symbols[:2])] = counts.pop(symbols)


TRAIN_BPE = Exercise(
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
)


def check_train_bpe(student):
    """Check BPE's training: ({word as a tuple of symbols: count}, n_merges) -> list of merged pairs."""
    return TRAIN_BPE.check(student)


def pad(batch, pad_id=0):
    """The right answer: (ids, attention_mask), both (texts, longest), as lists of lists."""
    longest = max(len(row) for row in batch)
    ids = [row + [pad_id] * (longest - len(row)) for row in batch]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in batch]
    return ids, mask


def _shared_rows(batch, pad_id):
    longest = max(len(row) for row in batch)
    ids, mask = [[pad_id] * longest] * len(batch), [[0] * longest] * len(batch)
    for i, text in enumerate(batch):
        ids[i][: len(text)] = text
        mask[i][: len(text)] = [1] * len(text)
    return ids, mask


PAD = Exercise(
    pad,
    (
        Case("one text", ([[101, 2023, 102]],)),
        Case("two lengths", ([[101, 2023, 2003, 102], [101, 102]],)),
        Case("another padding id", ([[8], [5, 6, 7]], 1)),
        Case("a 0 that is no padding", ([[0, 4], [3]], 9)),
        Case("a token with the padding's id", ([[7, 0, 8], [0, 9], [5]],)),
        Case("three lengths", ([[7], [8, 9, 3], [9, 4]],)),
    ),
    parts=("ids", "attention_mask"),
)


def check_pad(student):
    """Check padding: (batch of lists of ids, pad_id=0) -> (ids, attention_mask)."""
    return PAD.check(student)


def pack(batch, length, pad_id=0):
    """The right answer: (ids, numbers), rows of one length, each filled with the next texts as long as they fit."""
    ids, numbers, number = [], [], 0
    for text in batch:
        if not ids or len(ids[-1]) + len(text) > length:
            ids.append([])
            numbers.append([])
            number = 0
        number += 1
        ids[-1] += text
        numbers[-1] += [number] * len(text)
    ids = [row + [pad_id] * (length - len(row)) for row in ids]
    numbers = [row + [0] * (length - len(row)) for row in numbers]
    return ids, numbers


def _cut_at_row_ends(batch, length):
    """The texts, each cut in two where its row is full."""
    used = 0
    for text in batch:
        room = length - used % length
        yield from [text[:room], text[room:]] if room < len(text) else [text]
        used += len(text)


def _first_fit(batch, length):
    """The texts in another order: each goes back to the first row that has room for it."""
    rows = []
    for text in batch:
        row = next((row for row in rows if sum(map(len, row)) + len(text) <= length), None)
        if row is None:
            rows.append([text])
        else:
            row.append(text)
    return [text for row in rows for text in row]


PACK = Exercise(
    pack,
    (
        Case("one text", ([[5, 6, 7]], 5)),
        Case("two texts in one row", ([[5, 6], [7, 8]], 5)),
        Case("just full", ([[5, 6], [7, 8]], 4)),
        Case("two rows", ([[5, 6], [7, 8], [9, 4, 3]], 5)),
        Case("a short text never goes back to an earlier row", ([[5, 6, 7], [8, 9, 4], [3]], 4)),
        Case("another padding id, and tokens with it", ([[5, 0], [1, 7], [1]], 4, 1)),
    ),
    parts=("ids", "numbers"),
)


def check_pack(student):
    """Check packing: (batch of lists of ids, length, pad_id=0) -> (ids, numbers)."""
    return PACK.check(student)


CLS, SEP = 101, 102


def encode_pair(first, second, max_length):
    """The right answer: (ids, segments) of [CLS] first [SEP] second [SEP].

    Both texts share what room there is. What the shorter one leaves, and an odd place, goes to the longer one; of two
    equally long texts the second one gets it.
    """
    n, m = len(first), len(second)
    room = max_length - 3
    if n + m > room:
        short = min(n, m, room // 2)
        n, m = (room - short, short) if n > m else (short, room - short)
    first, second = first[:n], second[:m]
    ids = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    return ids, segments


ENCODE_PAIR = Exercise(
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
    parts=("ids", "segments"),
)


def check_encode_pair(student):
    """Check the encoding of two texts: (first, second, max_length) -> (ids, segments)."""
    return ENCODE_PAIR.check(student)


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
