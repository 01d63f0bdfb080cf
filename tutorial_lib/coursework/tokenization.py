"""Checks of assignment 1: WordPiece's longest match, BPE merges, padding and pairs, in plain Python."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from tutorial_lib.coursework.exercise import Case, Exercise

CLS, SEP = 101, 102


def words(text):
    """The right answer: lower case; a word is letters and digits in a row, any other mark stands alone."""
    return re.findall(r"\w+|[^\w\s]", text.lower())


def longest_match(word, vocab):
    """The right answer: from the left, the longest piece that the vocabulary has; ["[UNK]"] where there is none."""
    pieces, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in vocab), None)
        if end is None:
            return ["[UNK]"]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces


def count_pairs(counts):
    """The right answer: how often each two symbols stand side by side, over all words with their counts."""
    pairs = Counter()
    for symbols, count in counts.items():
        for pair in zip(symbols, symbols[1:], strict=False):
            pairs[pair] += count
    return dict(pairs)


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


def train_bpe(counts, n_merges):
    """The right answer: n times, merge the most frequent pair; among equals the first in the alphabet."""
    merges = []
    for _ in range(n_merges):
        pairs = count_pairs(counts)
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        counts = _merged(counts, best)
    return merges


def pad(batch, pad_id=0):
    """The right answer: (ids, attention_mask), both (texts, longest), as lists of lists."""
    longest = max(map(len, batch))
    ids = [row + [pad_id] * (longest - len(row)) for row in batch]
    return ids, [[1] * len(row) + [0] * (longest - len(row)) for row in batch]


def encode_pair(first, second, max_length):
    """The right answer: (ids, segments) of [CLS] first [SEP] second [SEP].

    What is too long loses its last tokens, the longer text first.
    """
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > max_length:
        (first if len(first) > len(second) else second).pop()
    return [CLS, *first, SEP, *second, SEP], [0] * (len(first) + 2) + [1] * (len(second) + 1)


def _merged(counts, pair):
    after = {}
    for symbols, count in counts.items():
        key = merge(symbols, pair)
        after[key] = after.get(key, 0) + count
    return after


WORDS = Exercise(
    "words",
    words,
    (
        Case("words and spaces", ("The bear waited",)),
        Case("a mark is a word of its own", ("I love mathematics!",)),
        Case("marks in a row, and in a word", ('"Don\'t!" she said ...',)),
        Case("several spaces, and lines", ("  two \n lines ",)),
        Case("nothing", ("",)),
    ),
    {
        "capital letters are still there; BERT's uncased vocabulary has none": lambda text: re.findall(
            r"\w+|[^\w\s]", text
        ),
        "the text is cut at spaces only; a mark is a word of its own": lambda text: text.lower().split(),
        "the text is cut at single spaces; use split() without an argument": lambda text: [
            word for part in text.lower().split(" ") for word in re.findall(r"\w+|[^\w\s]", part) or [""]
        ],
        "marks are dropped; they are tokens too": lambda text: re.findall(r"\w+", text.lower()),
        "marks in a row are one word; each stands alone": lambda text: re.findall(r"\w+|[^\w\s]+", text.lower()),
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
    "##l",
    "##a",
    "##y",
    "ser",
    "##end",
    "##ip",
    "un",
    "##un",
}


def _match_with(prefix="##", longest=True, unknown=lambda pieces: ["[UNK]"]):
    """The longest match with one step made otherwise: a usual mistake."""

    def made(word, vocab):
        pieces, start = [], 0
        while start < len(word):
            mark = prefix if start else ""
            ends = range(len(word), start, -1) if longest else range(start + 1, len(word) + 1)
            end = next((end for end in ends if mark + word[start:end] in vocab), None)
            if end is None:
                return unknown(pieces)
            pieces.append(mark + word[start:end])
            start = end
        return pieces

    return made


def _unmarked(word, vocab):
    return [piece.removeprefix("##") for piece in longest_match(word, vocab)]


LONGEST_MATCH = Exercise(
    "longest_match",
    longest_match,
    (
        Case("a word of the vocabulary", ("bear", VOCAB)),
        Case("a word in two pieces", ("plays", VOCAB)),
        Case("the longest piece first", ("playground", VOCAB)),
        Case("a word that cannot be made up", ("bearx", VOCAB)),
        Case("the first letter is unknown", ("xbear", VOCAB)),
        Case("a piece that comes twice", ("unplay", VOCAB)),
    ),
    {
        "pieces inside a word are looked up without ##": _match_with(prefix=""),
        "the shortest piece is taken; start with the longest": _match_with(longest=False),
        "where no piece fits, the whole word becomes [UNK], not its rest": _match_with(
            unknown=lambda pieces: [*pieces, "[UNK]"]
        ),
        "where no piece fits, what was found before is given back; the whole word becomes [UNK]": _match_with(
            unknown=list
        ),
        "the ## of pieces that do not begin the word is missing in the answer": _unmarked,
        "[UNK] must stand in a list": _match_with(unknown=lambda pieces: "[UNK]"),
    },
)

COUNTS = {
    ("l", "o", "w"): 5,
    ("l", "o", "w", "e", "r"): 2,
    ("n", "e", "w"): 6,
    ("w", "i", "d", "e"): 3,
    ("l", "o", "l", "o"): 1,
}


def _once_a_word(counts):
    pairs = Counter()
    for symbols, count in counts.items():
        for pair in set(zip(symbols, symbols[1:], strict=False)):
            pairs[pair] += count
    return dict(pairs)


COUNT_PAIRS = Exercise(
    "count_pairs",
    count_pairs,
    (
        Case("one word", ({("b", "e", "a", "r"): 1},)),
        Case("words with counts", (COUNTS,)),
        Case("a pair twice in a word", ({("l", "o", "l", "o"): 3},)),
        Case("words of one symbol", ({("a",): 4, ("b", "c"): 1},)),
    ),
    {
        "each word counts once; it must count as often as it occurs": lambda counts: count_pairs(
            dict.fromkeys(counts, 1)
        ),
        "a pair that stands twice in a word counts twice": _once_a_word,
        "the keys are joined; keep a pair as a tuple of two symbols": lambda counts: {
            a + b: n for (a, b), n in count_pairs(counts).items()
        },
    },
)


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


MERGE = Exercise(
    "merge",
    merge,
    (
        Case("once", (("b", "e", "a", "r"), ("e", "a"))),
        Case("not there", (("b", "e"), ("e", "b"))),
        Case("twice", (("l", "o", "l", "o"), ("l", "o"))),
        Case("from the left: three in a row", (("a", "a", "a"), ("a", "a"))),
        Case("longer symbols", (("lo", "w", "lo", "we"), ("lo", "w"))),
    ),
    {
        "only the first occurrence is merged": _merge_first,
        "both symbols are replaced, but they become one": _merge_overlapping,
        "this joins letters, not symbols: ('lo', 'we') is not the pair ('lo', 'w')": lambda symbols, pair: tuple(
            " ".join(symbols).replace(" ".join(pair), "".join(pair)).split()
        ),
        "give back a tuple; this is text": lambda symbols, pair: " ".join(merge(symbols, pair)),
    },
)


def _train_with(tie=lambda pair: pair, recount=True, sign=-1):
    def made(counts, n_merges):
        merges, pairs = [], count_pairs(counts)
        for _ in range(n_merges):
            pairs = count_pairs(counts) if recount else {pair: n for pair, n in pairs.items() if pair not in merges}
            if not pairs:
                break
            best = min(pairs, key=lambda pair: (sign * pairs[pair], tie(pair)))
            merges.append(best)
            counts = _merged(counts, best)
        return merges

    return made


TRAIN_BPE = Exercise(
    "train_bpe",
    train_bpe,
    (
        Case("one merge", (COUNTS, 1)),
        Case("four merges", (COUNTS, 4)),
        Case("equal counts: the first in the alphabet", ({("b", "a"): 1, ("a", "b"): 1, ("c", "a"): 1}, 3)),
        Case("until nothing is left to merge", ({("a", "b"): 2}, 5)),
    ),
    {
        "the pairs are counted once; count again after each merge": _train_with(recount=False),
        "among pairs with equal counts, take the first in the alphabet": _train_with(
            tie=lambda pair: [-ord(c) for c in "".join(pair)]
        ),
        "the rarest pair is merged; take the most frequent": _train_with(sign=1),
    },
)

PAD = Exercise(
    "pad",
    pad,
    (
        Case("one text", ([[101, 2023, 102]],)),
        Case("two lengths", ([[101, 2023, 2003, 102], [101, 102]],)),
        Case("another padding id", ([[5], [6, 7, 8]], 1)),
        Case("a 0 that is no padding", ([[0, 4], [3]], 9)),
    ),
    {
        "the mask is inverted: 1 marks a token, 0 padding": lambda batch, pad_id=0: (
            pad(batch, pad_id)[0],
            [[1 - m for m in row] for row in pad(batch, pad_id)[1]],
        ),
        "padding comes after the tokens, not before": lambda batch, pad_id=0: tuple(
            [row[len(text) :] + row[: len(text)] for row, text in zip(part, batch, strict=True)]
            for part in pad(batch, pad_id)
        ),
        "pad_id is not used; padding is not always 0": lambda batch, pad_id=0: pad(batch),
        "the mask asks whether the id is 0; ask whether there was a token": lambda batch, pad_id=0: (
            pad(batch, pad_id)[0],
            [[int(i != 0) for i in row] for row in pad(batch, pad_id)[0]],
        ),
    },
    parts=("ids", "attention_mask"),
)


def _pair_with(cut, segments=lambda first, second: [0] * (len(first) + 2) + [1] * (len(second) + 1)):
    def made(first, second, max_length):
        first, second = cut(list(first), list(second), max_length)
        return [CLS, *first, SEP, *second, SEP], segments(first, second)

    return made


def _fairly(first, second, max_length):
    ids, _ = encode_pair(first, second, max_length)
    where = ids.index(SEP)
    return ids[1:where], ids[where + 1 : -1]


def _cut_at_end(first, second, max_length):
    ids, segments = encode_pair(first, second, 10**6)
    return ids[:max_length], segments[:max_length]


ENCODE_PAIR = Exercise(
    "encode_pair",
    encode_pair,
    (
        Case("nothing to cut", ([7, 8], [9], 20)),
        Case("just fits", ([7, 8], [9], 6)),
        Case("the longer text is cut", ([1, 2, 3, 4, 5], [9], 7)),
        Case("both are cut", ([1, 2, 3, 4], [5, 6, 7, 8], 7)),
        Case("equally long, one token too many", ([1, 2, 3], [4, 5, 6], 8)),
    ),
    {
        "the end is cut off, and the last [SEP] with it; cut the texts, not the frame": _cut_at_end,
        "the first [SEP] belongs to the first text, so its segment is 0": _pair_with(
            _fairly, lambda first, second: [0] * (len(first) + 1) + [1] * (len(second) + 2)
        ),
        "only the second text is cut; cut the one that is longer at the moment": _pair_with(
            lambda first, second, n: (first, second[: max(0, n - 3 - len(first))])
        ),
        "where both are equally long, the second loses a token": _pair_with(
            lambda first, second, n: _fairly(second, first, n)[::-1]
        ),
    },
    parts=("ids", "segments"),
)


def random_counts(rng, n_words=12, letters="abcde"):
    """Words as tuples of letters, with counts: something to train on."""
    drawn = ("".join(rng.choice(list(letters), size=rng.integers(2, 7))) for _ in range(n_words))
    return {tuple(word): int(rng.integers(1, 9)) for word in drawn}


def random_vocab(rng, letters="abc"):
    """A small vocabulary: pieces of one to three letters, with and without ##."""
    pieces = {"".join(rng.choice(list(letters), size=rng.integers(1, 4))) for _ in range(20)}
    return sorted({piece if rng.random() < 0.5 else f"##{piece}" for piece in pieces} | {"a", "##a", "##b", "[UNK]"})


def random_batch(rng):
    """Texts of different lengths, as ids."""
    return [rng.integers(1, 30_000, size=n).tolist() for n in rng.permutation(np.arange(1, 9))[:4]]


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


def check_encode_pair(student):
    """Check the encoding of two texts: (first, second, max_length) -> (ids, segments)."""
    return ENCODE_PAIR.check(student)
