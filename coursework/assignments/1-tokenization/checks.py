"""The marks of assignment 1: random words, counts and ids, and the real BERT's vocabulary."""

import string
from functools import partial

import numpy as np

from coursework import references
from coursework.checks import call, calls_of
from coursework.mistakes import with_a_way_back

right = references.of("1-tokenization")  # or of a variant
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


def words_public(rng):
    for marks in ("", ".,!?"):
        yield call("words", f"{random_text(rng, marks)} {_number(rng)}")


def _number(rng):
    """A number in a word that is long enough for three groups."""
    return f"x{rng.integers(10 ** (3 * right.DIGITS - 1), 10 ** (3 * right.DIGITS))}y"


def words_hidden(rng):
    kinds = {
        "words, digits and white space": {},
        "marks": {"marks": string.punctuation.replace("_", "")},
        "underscores": {"marks": "_"},
        "letters with accents": {"letters": "éüçåÄÖ"},
    }
    for case, kind in kinds.items():
        for _ in range(3):
            yield call("words", random_text(rng, **kind), case=case)
    for _ in range(3):
        text = f"{_number(rng)} {rng.integers(10**5)} {rng.integers(10**9)}{rng.integers(10**9)}"
        yield call("words", text, case="long numbers")
    yield call("words", "".join(rng.choice([" ", "\n", "\t"], size=20)), case="words, digits and white space")


def longest_match_public(rng, name="longest_match", more=True):
    vocab = set(random_vocab(rng))
    words = [random_word(rng) for _ in range(100)]
    known = [word for word in words if getattr(right, name)(word, vocab) != ["[UNK]"]]
    words = known[:2] + words[:3]  # without the two, ["[UNK]"] could be right for all
    yield from (call(name, word, vocab) for word in words + (_long_words(rng, vocab) if more else []))


def _long_words(rng, vocab):
    """A word of just as many pieces as there may be, and one with too many, where both come up."""
    words = [random_word(rng, "ab", 3 * right.MOST) for _ in range(100)]
    just = [word for word in words if len(right.longest_match(word, vocab)) == right.MOST]
    return just[:1] + [word for word in words if right.longest_match(word, vocab) == ["[UNK]"]][:1]


def longest_match_hidden(rng):
    for _ in range(4):
        vocab = set(random_vocab(rng))
        words = [random_word(rng) for _ in range(300)]
        nowhere = [word for word in words if with_a_way_back(word, vocab) != right.longest_match(word, vocab)]
        for word in words[:4] + nowhere[:2] + _long_words(rng, vocab) + [words[4].capitalize()]:
            yield call("longest_match", word, vocab)
        word = "".join(rng.choice([*"abc"], size=rng.integers(101, 200)))
        yield call("longest_match", word, vocab | {word})


def longest_match_bert(rng):
    from tutorial_lib.tokenization import WordPiece

    tok = WordPiece.from_pretrained()
    vocab = sorted(tok.vocab)
    whole = [token for token in vocab if token.isascii() and token.isalpha() and len(token) > 3]
    for parts in rng.choice(whole, size=(6, 3)):
        yield call("longest_match", "".join(parts), set(vocab))


def match_from_right_hidden(rng):
    for _ in range(4):
        vocab = set(random_vocab(rng))
        yield from (call("match_from_right", random_word(rng), vocab) for _ in range(5))
        yield call("match_from_right", "".join(["a", *rng.choice([*"ab"], size=30)]), vocab)  # more than ten pieces


def count_pairs_hidden(rng):
    for letters in ("abcde", "ab", ["a", "b", "ab"]):  # of two letters, pairs occur twice in a word
        for _ in range(2):
            yield call("count_pairs", random_counts(rng, letters=letters))


def _symbols(rng):
    return tuple(map(str, rng.choice(["a", "b", "ab", "ba"], size=12)))


def merge_public(rng):
    symbols, start = _symbols(rng), int(rng.integers(11))  # the pair is there, or giving back the symbols is right
    yield call("merge", symbols, symbols[start : start + 2])


def merge_hidden(rng):
    for _ in range(8):
        yield from merge_public(rng)
    yield call("merge", ("a",) * int(rng.integers(3, 20)), ("a", "a"))


def train_bpe_public(rng):
    yield call("train_bpe", random_counts(rng), 3)
    yield call("train_bpe", _long_counts(rng), 20)


def _long_counts(rng):
    """Words that are much longer than a symbol may be, and begin alike; and a pair that occurs once."""
    word = tuple(map(str, rng.permutation([*"abcdefghijklmnopqrst"])))
    return {word[:n]: int(rng.integers(2, 5)) for n in range(2, 2 * right.LONGEST)} | {("y", "z"): 1}


def train_bpe_hidden(rng):
    for _ in range(2):
        yield call("train_bpe", random_counts(rng, most=1000), 1, case="one merge")
        yield call("train_bpe", random_counts(rng, most=1000), 5, case="several merges")
        yield call("train_bpe", random_counts(rng, most=4), 12, case="pairs with equal counts")
        yield call("train_bpe", random_counts(rng, most=2), 200, case="until no pair occurs twice")
        yield call("train_bpe", _long_counts(rng), 30, case="long words")
        often = {word: n + 1 for word, n in random_counts(rng).items()}  # here no pair is left at all
        yield call("train_bpe", often, 200, case="until no pair occurs twice")


def pad_hidden(rng):
    for pad_id in (0, 1, int(rng.integers(2, 99))):
        yield call("pad", [*random_batch(rng), [pad_id, pad_id]], pad_id)


def pack_hidden(rng):
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


match_from_right_public = partial(longest_match_public, name="match_from_right", more=False)
count_pairs_public = calls_of("count_pairs", lambda rng: (random_counts(rng, n_words=4),))
pad_public = calls_of("pad", lambda rng: (random_batch(rng),))
pack_public = calls_of("pack", lambda rng: (random_batch(rng), 10))
encode_pair_public = calls_of("encode_pair", lambda rng: (*random_batch(rng, 2), 20))
