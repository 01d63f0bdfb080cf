"""The marks of assignment 1: random words, counts and ids, and the real BERT's vocabulary."""

import string

import numpy as np

from coursework import references
from coursework.checks import call
from coursework.mistakes import with_a_way_back

PUBLIC = {"words": 3, "longest_match": 7, "match_from_right": 5, "train_bpe": 2}
right = references.of("1-tokenization")  # or of a variant
SYLLABLES = ["be", "ar", "ma", "th", "lo", "wer", "ing", "un", "pla", "y", "ser", "en", "di", "pi", "tous"]


def joined(rng, pieces, least, most):
    """As many of these pieces, drawn, as one text."""
    return "".join(rng.choice([*pieces], size=rng.integers(least, most + 1)))


def random_text(rng, marks="", letters=""):
    """Made-up words, some with a capital or digits, with these marks in and between them and these letters in them."""
    text = ""
    for _ in range(8):
        word = joined(rng, [*SYLLABLES, *letters, *string.digits], 1, 4)
        mark = joined(rng, marks, 0, 3) if marks else ""
        text += (word.capitalize() if rng.random() < 0.3 else word) + mark
        text += rng.choice([" ", "  ", "\n", "\t", "" if mark else " "])
    return text.strip()


def random_vocab(rng):
    """A small vocabulary: pieces of one to three letters, with and without ##."""
    pieces = sorted({joined(rng, "abc", 1, 3) for _ in range(20)})
    return {piece if rng.random() < 0.5 else f"##{piece}" for piece in pieces} | {"a", "##a", "##b", "[UNK]"}


def random_words(rng, vocab, match):
    """Words for such a vocabulary; two that match first, without which ["[UNK]"] could be right for the first ones."""
    words = [joined(rng, "abc", 1, 8) for _ in range(300)]
    return [word for word in words if match(word, vocab) != ["[UNK]"]][:2] + words


def random_counts(rng, letters="abcde", most=9):
    """Twelve words as tuples of letters (or longer symbols), with counts below a number: something to train on."""
    drawn = (rng.choice([*letters], size=rng.integers(2, 7)) for _ in range(12))
    return {tuple(map(str, word)): int(rng.integers(1, most)) for word in drawn}


def random_batch(rng, n_texts=4):
    """Texts of different lengths, 1 to 8, as ids."""
    return [rng.integers(1, 30_000, size=n).tolist() for n in rng.permutation(np.arange(1, 9))[:n_texts]]


def words_hidden(rng):
    kinds = {
        "words, digits and white space": {},
        "marks": {"marks": string.punctuation.replace("_", "")},
        "underscores": {"marks": "_"},
        "letters with accents": {"letters": "éüçåÄÖ"},
    }
    for _ in range(3):
        long = rng.integers(10 ** (3 * right.DIGITS - 1), 10 ** (3 * right.DIGITS))  # enough for three groups
        text = f"x{long}y {rng.integers(10**5)} {rng.integers(10**9)}{rng.integers(10**9)}"
        yield call("words", text, case="long numbers")
        for case, kind in kinds.items():
            yield call("words", random_text(rng, **kind), case=case)
    yield call("words", joined(rng, " \n\t", 20, 20), case="words, digits and white space")


def longest_match_hidden(rng):
    for _ in range(4):
        vocab = random_vocab(rng)
        words = random_words(rng, vocab, right.longest_match)
        nowhere = [word for word in words if with_a_way_back(word, vocab) != right.longest_match(word, vocab)]
        for word in words[:5] + _long_words(rng, vocab) + nowhere[:2] + [words[5].capitalize()]:
            yield call("longest_match", word, vocab)
        word = joined(rng, "abc", 101, 200)
        yield call("longest_match", word, vocab | {word})


def _long_words(rng, vocab):
    """A word of just as many pieces as there may be, and one with too many, where both come up."""
    words = [joined(rng, "ab", 1, 3 * right.MOST) for _ in range(100)]
    just = [word for word in words if len(right.longest_match(word, vocab)) == right.MOST]
    return just[:1] + [word for word in words if right.longest_match(word, vocab) == ["[UNK]"]][:1]


def longest_match_bert(rng):
    from tutorial_lib.tokenization import WordPiece

    tok = WordPiece.from_pretrained()
    whole = [token for token in sorted(tok.vocab) if token.isascii() and token.isalpha() and len(token) > 3]
    for parts in rng.choice(whole, size=(6, 3)):
        yield call("longest_match", "".join(parts), set(tok.vocab))


def match_from_right_hidden(rng):
    for _ in range(4):
        vocab = random_vocab(rng)
        more_than_ten_pieces = f"a{joined(rng, 'ab', 30, 30)}"
        for word in [*random_words(rng, vocab, right.match_from_right)[:9], more_than_ten_pieces]:
            yield call("match_from_right", word, vocab)


def count_pairs_hidden(rng):
    for letters in ("abcde", "ab", ["a", "b", "ab"]):  # of two letters, pairs occur twice in a word
        for _ in range(2):
            yield call("count_pairs", random_counts(rng, letters))


def merge_hidden(rng):
    for _ in range(8):
        symbols = tuple(map(str, rng.choice(["a", "b", "ab", "ba"], size=12)))
        start = int(rng.integers(11))  # the pair is there, or giving back the symbols is right
        yield call("merge", symbols, symbols[start : start + 2])
    yield call("merge", ("a",) * int(rng.integers(3, 20)), ("a", "a"))


def train_bpe_hidden(rng):
    for _ in range(2):
        yield call("train_bpe", random_counts(rng, most=1000), 5, case="several merges")
        word = tuple(map(str, rng.permutation([*"abcdefghijklmnopqrst"])))  # much longer than a symbol may be
        begin_alike = {word[:n]: int(rng.integers(2, 5)) for n in range(2, 2 * right.LONGEST)}
        yield call("train_bpe", begin_alike | {("y", "z"): 1}, 30, case="long words")
        yield call("train_bpe", random_counts(rng, most=1000), 1, case="one merge")
        yield call("train_bpe", random_counts(rng, most=4), 12, case="pairs with equal counts")
        yield call("train_bpe", random_counts(rng, most=2), 200, case="until no pair occurs twice")
        often = {word: n + 1 for word, n in random_counts(rng).items()}  # here no pair is left at all
        yield call("train_bpe", often, 200, case="until no pair occurs twice")


def pad_hidden(rng):
    yield call("pad", random_batch(rng))
    for pad_id in (0, 1, int(rng.integers(2, 99))):
        yield call("pad", [*random_batch(rng), [pad_id, pad_id]], pad_id)


def pack_hidden(rng):
    yield call("pack", random_batch(rng), 10)
    for pad_id in (0, 1, int(rng.integers(2, 99))):
        for _ in range(2):
            batch = [*random_batch(rng, 8), [pad_id, pad_id], *random_batch(rng, 8)]
            yield call("pack", batch, int(rng.integers(8, 16)), pad_id)


def encode_pair_hidden(rng):
    def pair(n_first, n_second, room, case):
        texts = (rng.integers(1, 30_000, size=n).tolist() for n in (n_first, n_second))
        return call("encode_pair", *texts, int(room) + 3, case=case)

    for _ in range(4):
        short, more = rng.integers(1, 6), rng.integers(1, 6)
        lengths = rng.permutation([short, short + more])
        yield pair(*lengths, 2 * short + more + rng.integers(3), "nothing to cut")
        yield pair(*lengths, 2 * short + rng.integers(more), "one text is cut")
        yield pair(*lengths, rng.integers(2 * short), "both are cut")
        yield pair(short, short, rng.integers(2 * short), "both are cut")
