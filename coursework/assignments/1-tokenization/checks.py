"""The marks of assignment 1: random words and counts, and the real BERT's vocabulary."""

from coursework.checks import call, check
from tutorial_lib.coursework import tokenization as right


def _of(name, *arguments):
    return call(name, *arguments, expect=getattr(right, name)(*arguments))


@check("words-public")
def words_small(rng):
    yield _of("words", "I love mathematics!")


@check("words-hidden")
def words_random(rng):
    parts = ["Bear", "x_1", "2026", "é", "don't", "...", " ", "\n", "\t", "(", "?!", "ÄÖ", "a-b"]
    for _ in range(6):
        yield _of("words", "".join(rng.choice(parts, size=12)))
    yield _of("words", "")


@check("longest-match-public")
def longest_match_small(rng):
    for word in ("bear", "plays", "bearx"):
        yield _of("longest_match", word, right.VOCAB)


@check("longest-match-hidden")
def longest_match_random(rng):
    for _ in range(4):
        vocab = set(right.random_vocab(rng))
        for _ in range(5):
            yield _of("longest_match", "".join(rng.choice(list("abc"), size=rng.integers(1, 9))), vocab)


@check("longest-match-bert")
def longest_match_of_bert(rng):
    from tutorial_lib.tokenization import WordPiece

    tok = WordPiece.from_pretrained()
    vocab = sorted(tok.vocab)
    whole = [token for token in vocab if token.isascii() and token.isalpha() and len(token) > 3]
    for first, second in rng.choice(whole, size=(4, 2)):
        word = first + second
        yield call("longest_match", word, set(vocab), expect=tok.tokenize(word))


@check("count-pairs-public")
def count_pairs_small(rng):
    yield _of("count_pairs", right.COUNTS)


@check("count-pairs-hidden")
def count_pairs_random(rng):
    for _ in range(3):
        yield _of("count_pairs", right.random_counts(rng))


@check("merge-public")
def merge_small(rng):
    yield _of("merge", ("l", "o", "l", "o"), ("l", "o"))


@check("merge-hidden")
def merge_random(rng):
    for _ in range(8):
        symbols = tuple(map(str, rng.choice(["a", "b", "ab"], size=10)))
        start = int(rng.integers(9))
        yield _of("merge", symbols, symbols[start : start + 2])
    yield _of("merge", ("a", "a", "a", "a", "a"), ("a", "a"))


@check("train-bpe-public")
def train_bpe_small(rng):
    yield _of("train_bpe", right.COUNTS, 3)


@check("train-bpe-hidden")
def train_bpe_random(rng):
    for n_merges in (1, 5, 12, 200):
        yield _of("train_bpe", right.random_counts(rng), n_merges)


@check("pad-public")
def pad_small(rng):
    yield _of("pad", [[101, 2023, 2003, 102], [101, 102]])


@check("pad-hidden")
def pad_random(rng):
    for pad_id in (0, 1, int(rng.integers(2, 99))):
        yield _of("pad", [*right.random_batch(rng), [pad_id, pad_id]], pad_id)


@check("encode-pair-public")
def encode_pair_small(rng):
    yield _of("encode_pair", [7, 8], [9], 20)


@check("encode-pair-hidden")
def encode_pair_random(rng):
    for _ in range(10):
        first, second = right.random_batch(rng)[:2]
        yield _of("encode_pair", first, second, int(rng.integers(3, 20)))
