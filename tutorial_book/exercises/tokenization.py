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
    r"""
    capital letters are still there; BERT's uncased vocabulary has none
        text.lower() -> text
    this is one text; give back a list of words
        text.split() -> " ".join(text.split())
    these are the characters; letters in a row are one word
        -> list(text.lower())
    there is no word at all: return stands in the loop, or none is put away
        text.split() -> []
    return stands in the loop: only the first word comes back
        text.split() -> text.split()[:1]
    return stands in the loop: only the first mark is set apart
        string.punctuation -> "!"
    the last word is missing: put it away when the loop has ended
        text.split() -> re.sub(r"\S*$", "", text).split()
    the text is cut at spaces only; a mark is a word of its own
        string.punctuation -> ""
    there are empty words: put a word away only where it has letters
        -> [word for word in re.split(rf"([{MARKS}])|\s", text.lower()) if word is not None]
    split(' ') cuts at every single space; split() cuts at white space, however long
        text.split() -> text.split(" ")
    marks are dropped; they are tokens too
        f" {mark} " -> " "
    marks in a row are one word; each stands alone
        -> re.findall(rf"[{MARKS}]+|[^\s{MARKS}]+", text.lower())
    some marks stay in their words; string.punctuation holds them all
        string.punctuation -> ".,!?"
    a mark needs a space on both sides
        f" {mark} " -> f" {mark}"
    some marks are lost; string.punctuation holds them all
        -> re.findall(r"[^\W_]+|[.,!?]", text.lower())
    re.split leaves empty texts at the edges: drop them
        text.split() -> re.split(r"\s+", text)
    white space only separates; it is no word
        -> re.findall(rf"[^\s{MARKS}]+|.", text.lower(), re.S)
    a set has no order, and each word once; give back a list
        text.split() -> set(text.split())
    a line end is white space, no word
        -> re.findall(rf"[^\s{MARKS}]+|[^ \w]", text.lower())
    digits in a row are one word
        -> re.findall(r"[^\W\d_]+|\S", text.lower())
    an underscore is a mark; \w takes it for a letter
        -> re.findall(r"\w+|[^\w\s]", text.lower())
    an underscore is lost; it is a mark
        text.split() -> text.replace("_", "").split()
    a letter with an accent is a letter; [a-z] does not know it
        -> re.findall(r"[a-z0-9]+|[^a-z0-9\s]", text.lower())
    letters with accents are lost
        -> re.findall(rf"[a-z0-9]+|[{MARKS}]", text.lower())
    the accents are gone; here they stay
        text.lower() -> _without_accents(text.lower())
    where there is no text there is no word: give back []
        text.split() -> text.split() or [""]
    """,
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
    """
    a word that is not in the vocabulary has pieces that are
        -> [word] if word in vocab else ["[UNK]"]
    pieces inside a word are looked up without ##
        "##" if start else "" -> ""
    ## belongs to the piece before it is looked up, not only in the answer
        piece in vocab -> word[start:end] in vocab
    the piece that begins the word is looked up with ##, but has none
        "##" if start else "" -> "##"
    one letter behind each piece is passed over; go on at its end
        start = end -> start = end + 1
    the shortest piece is taken; start with the longest
        range(len(word), start, -1) -> range(start + 1, len(word) + 1)
    pieces of one letter are never tried: let the end go down to start + 1
        range(len(word), start, -1) -> range(len(word), start + 1, -1)
    the whole rest is never tried: the end may be len(word); range stops one before
        range(len(word), start, -1) -> range(len(word) - 1, start, -1)
    the ## of pieces that do not begin the word is missing in the answer
        pieces.append(piece) -> pieces.append(word[start:end])
    the first piece has no ##: it begins the word
        -> ["##" + piece.removeprefix("##") for piece in longest_match(word, vocab)]
    only the first piece is there; go on behind it until the word is used up
        start = end -> break
    the rest is taken as one piece; look for the longest again
        start = end -> return [piece, "##" + word[end:]] if word[end:] else [piece]
    where no piece fits, the word becomes [UNK], in a list of its own
        return ["[UNK]"] -> return "[UNK]"
    where no piece fits, the word does not stay as it is; it becomes [UNK]
        return ["[UNK]"] -> return [word]
    where no piece fits, the whole word becomes [UNK], not its rest
        return ["[UNK]"] -> return [*pieces, "[UNK]"]
    where no piece fits, the whole word becomes [UNK], not one letter
        return ["[UNK]"] -> piece, end = "[UNK]", start + 1
    a piece with ## does not begin a word, and one without it does not go on
        mark + word[start:end] -> "##" * ("##" + word[start:end] in vocab) + word[start:end]
    where no piece fits, the letter is passed over; the whole word becomes [UNK]
        return ["[UNK]"] -> start += 1; continue
    where no piece fits, what was found before is given back; the whole word becomes [UNK]
        return ["[UNK]"] -> return pieces
    where no piece fits, give back [UNK] at once
        return ["[UNK]"] -> return [*pieces, mark + word[start:]]
    a piece without ## only begins words; inside a word take those with ##
        piece in vocab -> piece in vocab or word[start:end] in vocab
    this takes another first piece where the longest leads nowhere; longest match never goes back
        -> with_a_way_back(word, vocab)
    """,
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
    """
    ## is put on the piece that is found first; it marks pieces that do not begin the word
        "##" if start else "" -> "##" if start and end == len(word) else ""
    every piece but the last has ##; the piece that begins the word has none
        "##" if start else "" -> "##" if end < len(word) else ""
    pieces are looked up without ##; those that do not begin the word have it
        "##" if start else "" -> ""
    every piece is looked up with ##; the one that begins the word has none
        "##" if start else "" -> "##"
    the piece that begins the word is never tried: let the start begin at 0
        range(end) -> range(1, end)
    the pieces stand in the order in which they were found; turn them around
        pieces.insert(0, piece) -> pieces.append(piece)
    this is the match from the left
        -> longest_match(word, vocab)
    the shortest piece is taken; start with the longest, which begins at 0
        range(end) -> reversed(range(end))
    where no piece fits, the whole word becomes [UNK], not its rest
        return ["[UNK]"] -> return ["[UNK]", *pieces]
    where no piece fits, the whole word becomes [UNK], in a list
        return ["[UNK]"] -> return "[UNK]"
    where no piece fits, what was found before is given back; the whole word becomes [UNK]
        return ["[UNK]"] -> return pieces
    the word is turned around, and its pieces with it: the vocabulary has them as they are read
        -> longest_match(word[::-1], vocab)
    the word is turned around, but the vocabulary is not: look pieces up as they are read
        -> [piece[::-1] for piece in reversed(longest_match(word[::-1], vocab))]
    the pieces are turned around with the word: turn them back
        -> longest_match(word[::-1], {piece[::-1] for piece in vocab})
    turned around, ## stands behind a piece, and the first comes last: look pieces up as they are read
        -> [piece[::-1] for piece in reversed(longest_match(word[::-1], {piece[::-1] for piece in vocab}))]
    the ## of pieces that do not begin the word is missing in the answer
        pieces.insert(0, piece) -> pieces.insert(0, word[start:end])
    a piece that stands in the vocabulary with ## alone never begins a word
        piece in vocab -> piece in vocab or "##" + piece in vocab
    a piece that stands in the vocabulary without ## alone only begins words
        piece in vocab -> piece in vocab or word[start:end] in vocab
    a piece with ## never begins a word
        "##" if start else "" -> "##" if start or word[start:end] not in vocab else ""
    """,
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
    """
    a pair that comes up for the first time has no count yet: pairs.get(pair, 0) + n
        pairs.get(pair, 0) -> pairs[pair]
    the last symbol has no neighbor on its right: stop one earlier
        zip(symbols, symbols[1:]) -> [(symbols[i], symbols[i + 1]) for i in range(len(symbols))]
    the last symbol has no neighbor on its right, and the first is not its neighbor
        symbols[1:] -> symbols[1:] + symbols[:1]
    the last pair of each word is missing
        symbols[1:] -> symbols[1:-1]
    only neighbors count, not all pairs of a word
        zip(symbols, symbols[1:]) -> [(one, other) for i, one in enumerate(symbols) for other in symbols[i + 1 :]]
    each second pair is left out; neighboring pairs share a symbol
        zip(symbols, symbols[1:]) -> zip(symbols[::2], symbols[1::2])
    these are counts of single symbols
        zip(symbols, symbols[1:]) -> symbols
    the keys are joined; keep a pair as a tuple of two symbols
        zip(symbols, symbols[1:]) -> map("".join, zip(symbols, symbols[1:]))
    a list cannot be a key; take a tuple
        zip(symbols, symbols[1:]) -> map(list, zip(symbols, symbols[1:]))
    the order counts: ('e', 'b') is another pair than ('b', 'e')
        zip(symbols, symbols[1:]) -> [tuple(sorted(pair)) for pair in zip(symbols, symbols[1:])]
    each word counts once; it must count as often as it occurs
        + n -> + 1
    return stands in the loop: only the first word is counted
        counts.items() -> list(counts.items())[:1]
    counts alone gives its keys; counts.items() gives (word, count)
        counts.items() -> counts
    the first word's count stays; add those of the others
        pairs.get(pair, 0) + n -> pairs.get(pair, n)
    a later word overwrites the count; add to it
        pairs.get(pair, 0) + n -> n
    a pair that stands twice in a word counts twice
        zip(symbols, symbols[1:]) -> set(zip(symbols, symbols[1:]))
    pairs may share a symbol: ('a', 'a', 'a') has two
        zip(symbols, symbols[1:]) -> _apart(symbols)
    the symbols are cut into letters; a symbol may have several
        zip(symbols, symbols[1:]) -> zip("".join(symbols), "".join(symbols)[1:])
    give back a dictionary, pair -> count
        return pairs -> return list(pairs.items())
    """,
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
    """
    the index goes too far: the last symbol has no neighbor, and a list that loses symbols is short
        tuple(symbols[i : i + 2]) == tuple(pair) -> (symbols[i], symbols[i + 1]) == pair
    symbols[i + 1] is not there for the last symbol: ask for it only where there is one
        tuple(symbols[i : i + 2]) == tuple(pair) -> symbols[i] == pair[0] and symbols[i + 1] == pair[1]
    the second symbol of the pair is still there; go on behind it
        i += 2 -> i += 1
    both symbols are replaced, but they become one
        merged.append(pair[0] + pair[1]) -> merged += [pair[0] + pair[1]] * 2
    a tuple with the pair in it; the new symbol is one text, pair[0] + pair[1]
        pair[0] + pair[1] -> pair
    the last symbol is missing
        while i < len(symbols) -> while i < len(symbols) - 1
    only the first occurrence is merged
        i += 2 -> return (*merged, *symbols[i + 2 :])
    the order counts: ('b', 'e') is not the pair ('e', 'b')
        tuple(symbols[i : i + 2]) == tuple(pair) -> set(symbols[i : i + 2]) == set(pair) and i + 1 < len(symbols)
        pair[0] + pair[1] -> symbols[i] + symbols[i + 1]
    the merge goes from the right
        -> _merge_from_right(symbols, pair)
    this joins letters, not symbols: ('lo', 'we') is not the pair ('lo', 'w')
        -> tuple(" ".join(symbols).replace(" ".join(pair), "".join(pair)).split())
    joined, the symbols lose the places where one ends; go through the tuple
        tuple(merged) -> tuple("".join(merged))
    give back a tuple; this is text
        tuple(merged) -> " ".join(merged)
    this is text without its cuts; give back a tuple of symbols
        tuple(merged) -> "".join(merged)
    two symbols are one pair only where both are equal to it, not where they make the same text
        tuple(symbols[i : i + 2]) == tuple(pair) -> "".join(symbols[i : i + 2]) == "".join(pair) != symbols[i]
    """,
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
    """
    give back the pairs that were merged, not the symbols that they became
        merges.append(best) -> merges.append("".join(best))
    the first pair alone came back; give back a list of all
        return merges -> return merges[0] if merges else None
    the rarest pair is merged; take the most frequent
        -pairs[pair] -> pairs[pair]
        n >= 2 -> n >= 1
    the best pair is the key with the largest count, not that count
        -> merge(("a", "b"), max(count_pairs(counts).values()))
    a dictionary cannot change while a loop goes through it; fill a new one
        -> _changed_in_its_loop(counts)
    a symbol that was merged has no age yet: put it down when it is made
        age.setdefault("".join(best), len(age)) -> pass
    every letter needs an age, one inside a word too
        letter for word in counts for letter in word -> word[0] for word in counts
    letters that begin a word are no older than others; all go by the alphabet
        for letter in word}) -> for letter in word}, key=lambda c: (c not in {word[0] for word in counts}, c))
    of equal counts another pair is older: letters by the alphabet, the first symbol first
        sorted({letter for word in counts for letter in word}) -> dict.fromkeys("".join(map("".join, counts)))
    the pairs are counted once; count again after each merge
        merges = [] -> merges, once = [], count_pairs(counts)
        count_pairs(counts).items() if n >= 2 -> once.items() if n >= 2 and pair not in merges
    the words do not change: merge the pair in all of them, then count again
        counts = merged -> pass
    one merge too many
        range(n_merges) -> range(n_merges + 1)
    one merge too few
        range(n_merges) -> range(n_merges - 1)
    n_merges is not used
        range(n_merges) -> range(99)
    among pairs with equal counts this takes the one that was met first; take the oldest symbols
        (-pairs[pair], age[pair[0]], age[pair[1]]) -> -pairs[pair]
    among pairs with equal counts this takes the last in the alphabet; take the oldest symbols
        age[pair[0]], age[pair[1]] -> *([-ord(letter) for letter in symbol] for symbol in pair)
    among pairs with equal counts this takes the first in the alphabet; letters are older than merged symbols
        age[pair[0]], age[pair[1]] -> pair
    among pairs with equal counts this asks the right symbols first; the left ones come first
        age[pair[0]], age[pair[1]] -> age[pair[1]], age[pair[0]]
    where no pair is left, stop before you look for the best
        break -> max(pairs)
    where no pair is left, stop: there is no best one
        break -> min(pairs)
    where no pair is left, give back the merges so far
        break -> return None
    a pair that occurs once is never merged
        n >= 2 -> n >= 1
    a pair that occurs twice is still merged
        n >= 2 -> n >= 3
    """,
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
    """
    max(batch) is a list; the longest is max(len(row) for row in batch)
        max(len(row) for row in batch) -> max(batch)
    pad_id is a number; a list of them is [pad_id] * n
        [pad_id] -> pad_id
    the mask comes first here; give back (ids, mask)
        return ids, mask -> return mask, ids
    the mask is inverted: 1 marks a token, 0 padding
        [1] * len(row) + [0] -> [0] * len(row) + [1]
    the mask is not filled up; it is as long as the ids
        + [0] * (longest - len(row)) ->
    the mask is 1 everywhere; padding has 0
        [1] * len(row) + [0] -> [1] * len(row) + [1]
    this fills up by the longest length, not up to it: take longest - len(row)
        [pad_id] * (longest - len(row)) -> [pad_id] * longest
        [0] * (longest - len(row)) -> [0] * longest
    [[pad_id] * n] * k is one and the same row k times: make each row anew
        -> _shared_rows(batch, pad_id)
    the length is always 8 here; take that of the longest text
        max(len(row) for row in batch) -> 8
    the texts are cut to the shortest; fill them up to the longest
        max(len(row) for row in batch) -> min(len(row) for row in batch)
        return ids, mask -> return [row[:longest] for row in ids], [row[:longest] for row in mask]
    padding comes after the tokens, not before
        row + [pad_id] * (longest - len(row)) -> [pad_id] * (longest - len(row)) + row
        [1] * len(row) + [0] * (longest - len(row)) -> [0] * (longest - len(row)) + [1] * len(row)
    the length is that of the first text; take the longest
        max(len(row) for row in batch) -> len(batch[0])
    max(batch) compares the ids; the longest is max(len(row) for row in batch)
        max(len(row) for row in batch) -> len(max(batch))
    pad_id is not used; padding is not always 0
        [pad_id] -> [0]
    the mask's padding is 0, whatever pad_id is
        [0] -> [pad_id]
    the mask asks whether the id is 0; ask whether there was a token
        return ids, mask -> return ids, [[int(i != 0) for i in row] for row in ids]
    the mask asks whether the id is pad_id, but a token may have that id; go by the lengths
        return ids, mask -> return ids, [[int(i != pad_id) for i in row] for row in ids]
    """,
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
    """
    the numbers come first here; give back (ids, numbers)
        return ids, numbers -> return numbers, ids
    these are pad's ids: several texts may share a row
        not ids or len(ids[-1]) + len(text) > length -> True
    the rows are not filled up to length
        row + [pad_id] * (length - len(row)) -> row
        row + [0] * (length - len(row)) -> row
    the numbers are not filled up; once the ids are, len(ids) says nothing of what is missing
        row + [0] * (length - len(row)) -> row
    the last row is missing: put it away when the loop has ended
        return ids, numbers -> return ids[:-1], numbers[:-1]
    the texts count from 1; 0 is padding
        [number] -> [number - 1]
    this is an attention mask; number the texts of a row 1, 2, ...
        [number] -> [1]
    a text that fills the row to the last place still fits: <=, not <
        > length -> >= length
    a text is cut in two; where it does not fit, a new row begins
        in batch -> in _cut_at_row_ends(batch, length)
    each row counts its texts from 1
        number = 0 -> pass
    a text goes into the current row or begins a new one; earlier rows are closed
        in batch -> in _first_fit(batch, length)
    pad_id is not used; padding is not always 0
        [pad_id] -> [0]
    the number of padding is 0, whatever pad_id is
        row + [0] -> row + [pad_id]
    a token may have the padding's id; its number is its text's
        return ids, numbers -> return ids, [[n * (i != pad_id) for i, n in zip(*row)] for row in zip(ids, numbers)]
    """,
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
    """
    the last [SEP] is missing
        *second, SEP -> *second
        len(second) + 1 -> len(second)
    there is one [CLS], at the very beginning
        *second, SEP -> CLS, *second, SEP
        len(second) + 1 -> len(second) + 2
    [CLS] is missing at the beginning
        CLS, *first -> *first
        len(first) + 2 -> len(first) + 1
    the texts share the room in proportion; a text that needs no more than half of it keeps all
        (room - short, short) if n > m else (short, room - short) -> room * n // (n + m), room - room * n // (n + m)
    the special tokens are missing
        max_length - 3 -> max_length
        [CLS, *first, SEP, *second, SEP] -> [*first, *second]
        [0] * (len(first) + 2) + [1] * (len(second) + 1) -> [0] * len(first) + [1] * len(second)
    nothing is cut
        first[:n], second[:m] -> first, second
    the first [SEP] belongs to the first text, so its segment is 0
        len(first) + 2 -> len(first) + 1
        len(second) + 1 -> len(second) + 2
    the last [SEP] belongs to the second text, so its segment is 1
        (len(second) + 1) -> len(second) + [0]
    special tokens have segments too
        [0] * (len(first) + 2) + [1] * (len(second) + 1) -> [0] * len(first) + [1] * len(second)
    segments are 0 and 1, not 1 and 2
        [1] -> [2]
        [0] -> [1]
    the end is cut off, and the last [SEP] with it; cut the texts, not the frame
        first[:n], second[:m] -> first, second
        return ids, segments -> return ids[:max_length], segments[:max_length]
    the three special tokens count: max_length - 3 is left for the texts
        max_length - 3 -> max_length
    there are three special tokens, not two
        max_length - 3 -> max_length - 2
    ids are wanted: 101 for [CLS], 102 for [SEP]
        [CLS, *first, SEP, *second, SEP] -> ["[CLS]", *first, "[SEP]", *second, "[SEP]"]
    a slice that ends at -0 is empty: text[:-n] fails where n is 0
        if n + m > room -> if True
        (room - short, short) -> (-(n + m - room), m)
        (short, room - short) -> (n, -(n + m - room))
    where both texts fit, nothing is cut
        first[:n], second[:m] -> first[: room // 2], second[: room // 2]
    the first text has nothing left to give; the longer one gives
        room = max_length - 3 -> room, first = max_length - 3, list(first)
        first, second = first[:n], second[:m] -> while len(first) + len(second) > room: first.pop()
    the second text has nothing left to give; the longer one gives
        room = max_length - 3 -> room, second = max_length - 3, list(second)
        first, second = first[:n], second[:m] -> while len(first) + len(second) > room: second.pop()
    the longer text gives until both are equally long; then both give
        (room - short, short) -> (max(0, room - m), m)
        (short, room - short) -> (n, max(0, room - n))
    texts lose their last tokens, not the first ones
        first[:n], second[:m] -> first[len(first) - n :], second[len(second) - m :]
    only the first text is cut; the longer one gives
        first[:n], second[:m] -> first[: max(0, room - len(second))], second
    only the second text is cut; the longer one gives
        first[:n], second[:m] -> first, second[: max(0, room - len(first))]
    the second text is cut first; the longer one gives
        first[:n], second[:m] -> first[:room], second[: max(0, room - len(first))]
    each text gets half, even where the other needs less
        (room - short, short) if n > m else (short, room - short) -> min(n, room // 2), min(m, room - room // 2)
    of two equally long texts the second one gets the odd place
        if n + m > room -> while n + m > room
        (room - short, short) if n > m else (short, room - short) -> (n - 1, m) if n > m else (n, m - 1)
    the odd place goes to the text that was longer at the beginning
        if n + m > room -> while n + m > room
        (room - short, short) if n > m else (short, room - short) -> (n - 1, m) if n >= m else (n, m - 1)
    """,
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
