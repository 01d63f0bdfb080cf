"""The marks of assignment 1: random words, counts and ids, and the real BERT's vocabulary."""

import string

from coursework.checks import call, check
from coursework.references import tokenization as right


def _of(name, *arguments, case=""):
    return call(name, *arguments, expect=getattr(right, name)(*arguments), case=case)


@check("words-public")
def words_small(rng):
    for marks in ("", ".,!?"):
        yield _of("words", f"{right.random_text(rng, marks)} {_number(rng)}")


def _number(rng):
    """A number in a word that is long enough for three groups."""
    return f"x{rng.integers(10 ** (3 * right.DIGITS - 1), 10 ** (3 * right.DIGITS))}y"


@check("words-hidden")
def words_random(rng):
    kinds = {
        "words, digits and white space": {},
        "marks": {"marks": string.punctuation.replace("_", "")},
        "underscores": {"marks": "_"},
        "letters with accents": {"letters": "éüçåÄÖ"},
    }
    for case, kind in kinds.items():
        for _ in range(3):
            yield _of("words", right.random_text(rng, **kind), case=case)
    for _ in range(3):
        text = f"{_number(rng)} {rng.integers(10**5)} {rng.integers(10**9)}{rng.integers(10**9)}"
        yield _of("words", text, case="long numbers")
    yield _of("words", "".join(rng.choice([" ", "\n", "\t"], size=20)), case="words, digits and white space")


@check("longest-match-public")
def longest_match_small(rng):
    vocab = set(right.random_vocab(rng))
    words = [right.random_word(rng) for _ in range(100)]
    known = [word for word in words if right.longest_match(word, vocab) != ["[UNK]"]]
    for word in known[:2] + words[:3] + _long_words(rng, vocab):  # without the two, ["[UNK]"] could be right for all
        yield _of("longest_match", word, vocab)


def _long_words(rng, vocab):
    """A word of just as many pieces as there may be, and one with too many, where both come up."""
    words = [right.random_word(rng, "ab", 3 * right.MOST) for _ in range(100)]
    just = [word for word in words if len(right.longest_match(word, vocab)) == right.MOST]
    return just[:1] + [word for word in words if right.longest_match(word, vocab) == ["[UNK]"]][:1]


@check("longest-match-hidden")
def longest_match_random(rng):
    for _ in range(4):
        vocab = set(right.random_vocab(rng))
        words = [right.random_word(rng) for _ in range(300)]
        nowhere = [word for word in words if right.with_a_way_back(word, vocab) != right.longest_match(word, vocab)]
        for word in words[:4] + nowhere[:2] + _long_words(rng, vocab) + [words[4].capitalize()]:
            yield _of("longest_match", word, vocab)
        word = "".join(rng.choice([*"abc"], size=rng.integers(101, 200)))
        yield _of("longest_match", word, vocab | {word})


@check("longest-match-bert")
def longest_match_of_bert(rng):
    from tutorial_lib.tokenization import WordPiece

    tok = WordPiece.from_pretrained()
    vocab = sorted(tok.vocab)
    whole = [token for token in vocab if token.isascii() and token.isalpha() and len(token) > 3]
    for parts in rng.choice(whole, size=(6, 3)):
        yield _of("longest_match", "".join(parts), set(vocab))


@check("match-from-right-public")
def match_from_right_small(rng):
    vocab = set(right.random_vocab(rng))
    words = [right.random_word(rng) for _ in range(100)]
    known = [word for word in words if right.match_from_right(word, vocab) != ["[UNK]"]]
    for word in known[:2] + words[:3]:
        yield _of("match_from_right", word, vocab)


@check("match-from-right-hidden")
def match_from_right_random(rng):
    for _ in range(4):
        vocab = set(right.random_vocab(rng))
        for _ in range(5):
            yield _of("match_from_right", right.random_word(rng), vocab)
        yield _of("match_from_right", "".join(["a", *rng.choice([*"ab"], size=30)]), vocab)  # more than ten pieces


@check("count-pairs-public")
def count_pairs_small(rng):
    yield _of("count_pairs", right.random_counts(rng, n_words=4))


@check("count-pairs-hidden")
def count_pairs_random(rng):
    for letters in ("abcde", "ab", ["a", "b", "ab"]):  # of two letters, pairs stand twice in a word
        for _ in range(2):
            yield _of("count_pairs", right.random_counts(rng, letters=letters))


def _symbols(rng):
    return tuple(map(str, rng.choice(["a", "b", "ab", "ba"], size=12)))


@check("merge-public")
def merge_small(rng):
    symbols, start = _symbols(rng), int(rng.integers(11))  # the pair is there, or giving back the symbols is right
    yield _of("merge", symbols, symbols[start : start + 2])


@check("merge-hidden")
def merge_random(rng):
    for _ in range(8):
        symbols, start = _symbols(rng), int(rng.integers(11))
        yield _of("merge", symbols, symbols[start : start + 2])
    yield _of("merge", ("a",) * int(rng.integers(3, 20)), ("a", "a"))


@check("train-bpe-public")
def train_bpe_small(rng):
    yield _of("train_bpe", right.random_counts(rng), 3)
    yield _of("train_bpe", _long_counts(rng), 20)


def _long_counts(rng):
    """Words that are much longer than a symbol may be, and begin alike; and a pair that occurs once."""
    word = tuple(map(str, rng.permutation([*"abcdefghijklmnopqrst"])))
    return {word[:n]: int(rng.integers(2, 5)) for n in range(2, 2 * right.LONGEST)} | {("y", "z"): 1}


@check("train-bpe-hidden")
def train_bpe_random(rng):
    for _ in range(2):
        yield _of("train_bpe", right.random_counts(rng, most=1000), 1, case="one merge")
        yield _of("train_bpe", right.random_counts(rng, most=1000), 5, case="several merges")
        yield _of("train_bpe", right.random_counts(rng, most=4), 12, case="pairs with equal counts")
        yield _of("train_bpe", right.random_counts(rng, most=2), 200, case="until no pair occurs twice")
        yield _of("train_bpe", _long_counts(rng), 30, case="long words")
        often = {word: n + 1 for word, n in right.random_counts(rng).items()}  # here no pair is left at all
        yield _of("train_bpe", often, 200, case="until no pair occurs twice")


@check("pad-public")
def pad_small(rng):
    yield _of("pad", right.random_batch(rng))


@check("pad-hidden")
def pad_random(rng):
    for pad_id in (0, 1, int(rng.integers(2, 99))):
        yield _of("pad", [*right.random_batch(rng), [pad_id, pad_id]], pad_id)


@check("pack-public")
def pack_small(rng):
    yield _of("pack", right.random_batch(rng), 10)


@check("pack-hidden")
def pack_random(rng):
    for pad_id in (0, 1, int(rng.integers(2, 99))):
        for _ in range(2):
            batch = [*right.random_batch(rng, 8), [pad_id, pad_id], *right.random_batch(rng, 8)]
            yield _of("pack", batch, int(rng.integers(8, 16)), pad_id)


@check("encode-pair-public")
def encode_pair_small(rng):
    yield _of("encode_pair", *right.random_batch(rng, 2), 20)


@check("encode-pair-hidden")
def encode_pair_random(rng):
    def pair(n_first, n_second, room, case):
        first, second = right.random_ids(rng, n_first), right.random_ids(rng, n_second)
        return _of("encode_pair", first, second, int(room) + 3, case=case)

    for _ in range(4):
        short, more = rng.integers(1, 6), rng.integers(1, 6)
        lengths = rng.permutation([short, short + more])
        yield pair(*lengths, 2 * short + more + rng.integers(3), "nothing to cut")
        yield pair(*lengths, 2 * short + rng.integers(more), "one text is cut")
        yield pair(*lengths, rng.integers(2 * short), "both are cut")
        yield pair(short, short, rng.integers(2 * short), "both are cut")
