"""Checks of assignment 1: WordPiece's longest match, BPE merges, padding and pairs, in plain Python."""

from __future__ import annotations

from tutorial_book.exercises.exercise import Case, Exercise

WORDS = Exercise(
    "tokenization.words",
    (
        Case("words and spaces", ("The bear waited",)),
        Case("a punctuation mark is a word of its own", ("I love mathematics!",)),
        Case("marks in a row, and in a word", ('"Don\'t!" she said ... (a-b)',)),
        Case("several spaces, and lines", ("  two \n lines ",)),
        Case("digits", ("10.5% of 26",)),
        Case("an underscore is a punctuation mark", ("x_1 = __y__",)),
        Case("letters with accents", ("Crème brûlée à la Ångström",)),
        Case("an empty text", ("",)),
        Case("long numbers", ("1234567 of a2000000b",)),
        Case("numbers of all lengths", (" ".join("12345678901234567890"[:n] for n in range(1, 20)),)),
        Case("two numbers in a word", ("1234567ab8901234",)),
        Case("a tab", ("two\twords",)),
    ),
)


VOCAB = {
    "[UNK]", "the", "bear", "play", "##play", "##s", "##ing", "##ground", "p", "##a", "##y", "serve", "ser", "##ver",
    "un", "##un",
}
LONGEST_MATCH = Exercise(
    "tokenization.longest_match",
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
        *(Case(f"{n} pieces", (("p" + "ay" * n)[:n], VOCAB)) for n in range(4, 11)),
        Case("a capital letter", ("Bear", VOCAB)),
        Case("a word of more than 100 letters", ("la" * 60, {"la" * 60}), "'la' * 60, {'la' * 60}"),
    ),
)


MATCH_FROM_RIGHT = Exercise(
    "tokenization.match_from_right",
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
        Case("ten pieces: here their number has no bound", ("payayayaya", {"p", "##a", "##y"})),
        Case("the longest piece leads nowhere", ("server", {"serve", "##ver", "##r"})),
    ),
)


COUNTS = {
    ("l", "o", "w"): 5,
    ("l", "o", "w", "e", "r"): 2,
    ("n", "e", "w"): 6,
    ("w", "i", "d", "e"): 3,
    ("l", "o", "l", "o"): 1,
}
COUNT_PAIRS = Exercise(
    "tokenization.count_pairs",
    (
        Case("one word", ({("b", "e", "a", "r"): 1},)),
        Case("words with counts", (COUNTS,)),
        Case("a pair twice in a word", ({("l", "o", "l", "o"): 3},)),
        Case("three in a row are two pairs", ({("a", "a", "a"): 2},)),
        Case("longer symbols", ({("lo", "w", "e"): 1, ("l", "ow", "e"): 1},)),
        Case("words of one symbol", ({("a",): 4, ("b", "c"): 1},)),
    ),
)


MERGE = Exercise(
    "tokenization.merge",
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


TRAIN_BPE = Exercise(
    "tokenization.train_bpe",
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
        Case("long words", ({tuple("abcdefghijkl"[:n]): 2 for n in range(2, 13)}, 20)),
        Case("equal counts: the order in which symbols were made, not their length", ({tuple("ccddd"): 2}, 12)),
        Case("a symbol that would be too long", ({tuple("a" * 16): 2}, 9)),
        Case("once the others are too long, a pair that occurs once", ({tuple("abcdefghij"): 2, ("x", "y"): 1}, 30)),
    ),
)


PAD = Exercise(
    "tokenization.pad",
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


PACK = Exercise(
    "tokenization.pack",
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


ENCODE_PAIR = Exercise(
    "tokenization.encode_pair",
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
