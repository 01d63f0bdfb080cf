"""The right answers of assignment 1, and what its inputs are drawn with, in plain Python."""

import re
import string
import unicodedata as unicodedata
from collections import Counter

import numpy as np

DIGITS, MOST, LONGEST = 3, 5, 6
RULES = {
    ("words",): {"DIGITS": (DIGITS, 2, 4, 5, 6)},
    ("longest_match",): {"MOST": (MOST, 4, 6, 7, 8)},
    ("train_bpe",): {"LONGEST": (LONGEST, 5, 7, 8, 9)},
}


def words(text):
    """The right answer: lower case, cut at white space; each mark is a word of its own; long numbers are cut."""
    text = text.lower()
    for mark in string.punctuation:
        text = text.replace(mark, f" {mark} ")
    text = _grouped(text)
    return text.split()


def _grouped(text):
    """Digits in a row in groups of DIGITS, counted from the end."""
    return re.sub(rf"(?<=\d)(?=(?:\d{{{DIGITS}}})+(?!\d))", " ", text)


MARKS = re.escape(string.punctuation)


def longest_match(word, vocab):
    """The right answer: from the left, the longest piece that the vocabulary has; ["[UNK]"] without it or with many."""
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
    return pieces if len(pieces) <= MOST else ["[UNK]"]


def with_a_way_back(word, vocab, mark=""):
    """The first cut of all that are possible, long pieces first: it goes back where a piece leads nowhere."""
    if not word:
        return []
    for end in range(len(word), 0, -1):
        rest = with_a_way_back(word[end:], vocab, "##") if mark + word[:end] in vocab else ["[UNK]"]
        if rest != ["[UNK]"]:
            return [mark + word[:end], *rest]
    return ["[UNK]"]


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
    """The right answer: n times, merge the most frequent pair; of equals the oldest; none that is rare or too long."""
    letters = sorted({letter for word in counts for letter in word})
    age = {letter: number for number, letter in enumerate(letters)}
    merges = []
    for _ in range(n_merges):
        pairs = {pair: n for pair, n in count_pairs(counts).items() if n >= 2}
        pairs = {pair: n for pair, n in pairs.items() if len("".join(pair)) <= LONGEST}
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


def pad(batch, pad_id=0):
    """The right answer: (ids, attention_mask), both (texts, longest), as lists of lists."""
    longest = max(len(row) for row in batch)
    ids = [row + [pad_id] * (longest - len(row)) for row in batch]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in batch]
    return ids, mask


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


CLS, SEP = 101, 102


def encode_pair(first, second, max_length):
    """The right answer: (ids, segments) of [CLS] first [SEP] second [SEP]; what the shorter leaves, the other has."""
    n, m = len(first), len(second)
    room = max_length - 3
    if n + m > room:
        short = min(n, m, room // 2)
        n, m = (room - short, short) if n > m else (short, room - short)
    first, second = first[:n], second[:m]
    ids = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    return ids, segments


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
    pieces = sorted({"".join(rng.choice(list(letters), size=rng.integers(1, 4))) for _ in range(20)})
    return sorted({piece if rng.random() < 0.5 else f"##{piece}" for piece in pieces} | {"a", "##a", "##b", "[UNK]"})


def random_word(rng, letters="abc", longest=8):
    """A word for such a vocabulary."""
    return "".join(rng.choice(list(letters), size=rng.integers(1, longest + 1)))


def random_counts(rng, n_words=12, letters="abcde", most=9, longest=6):
    """Words as tuples of letters (or longer symbols), with counts up to a number: something to train on."""
    drawn = (rng.choice(list(letters), size=rng.integers(2, longest + 1)) for _ in range(n_words))
    return {tuple(map(str, word)): int(rng.integers(1, most)) for word in drawn}


def random_batch(rng, n_texts=4):
    """Texts of different lengths, 1 to 8, as ids."""
    return [rng.integers(1, 30_000, size=n).tolist() for n in rng.permutation(np.arange(1, 9))[:n_texts]]
