"""L 4.2.1-4.2.2: the vocabulary of bert-base-cased and its pairs, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.quotes import CASED, TOKENS
from tutorial_lib.claims.tools import tokenizer

# --- L 4.2.1 The tokenization --------------------------------------------------------------------------------------

BLOCKS = ((0, 0), (1, 99), (100, 100), (101, 101), (102, 102), (103, 103), (104, 105), (106, 199), (200, 1102))
BLOCKS += ((1103, 1103), (1104, 1104), (1105, 1105), (1106, 28_995))


@claim("L-4.2.1-lines", "tokenization", "The loop prints 30k lines.", 30_000)
def _():
    return len(range(30_000))


@claim(
    "L-4.2.1-range",
    "tokenization",
    "Each of them is a token: range(30000) goes through the vocabulary.",
    30_000,
    verdict=FAILS,
    note="L's own table ends with id 28,995. The last 1,004 lines show [None].",
)
def _():
    return max(last for _, last in BLOCKS) + 1


@claim("L-4.2.1-blocks", "tokenization", "The blocks follow one another without gap, up to 28,995.", 28_996)
def _():
    gapless = all(last + 1 == first for (_, last), (first, _) in zip(BLOCKS, BLOCKS[1:]))  # noqa: B905
    return gapless and sum(last - first + 1 for first, last in BLOCKS)


@claim(
    "L-4.2.1-ascii",
    "tokenization",
    "Ids 106 to 199 are pretty much the ASCII characters: as many as are visible.",
    94,
)
def _():
    return sum(chr(code).isprintable() and chr(code) != " " for code in range(128))


@claim(
    "L-4.2.1-ids",
    "tokenization",
    "The ids of [PAD], [UNK], [CLS], [SEP], [MASK], the, of, and.",
    [0, 100, 101, 102, 103, 1103, 1104, 1105],
    needs="bert-base-cased",
    verdict=OPEN,
    note="The uncased vocabulary has the same special ids, 994 [unused] up to 998, 68 ASCII characters (no "
    "capitals) from 999, other characters up to 1995, and the, of, and at 1996 to 1998.",
)
def _():
    names = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "of", "and")
    return [tokenizer("bert-base-cased").vocab[name] for name in names]


@claim(
    "L-4.2.1-single-characters",
    "tokenization",
    "Ids 106 to 1102 are single characters, 106 to 199 of them ASCII (here: how many of each).",
    [997, 94],
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    tokens = tokenizer("bert-base-cased").tokens
    return [sum(len(token) == 1 for token in tokens[106:1103]), sum(token.isascii() for token in tokens[106:200])]


@claim(
    "L-4.2.1-continuations",
    "tokenization",
    "About 22 % of the tokens start with ##.",
    22,
    tolerance=0.5,
    needs="bert-base-cased",
    verdict=OPEN,
    note="The uncased vocabulary: 19.1 %.",
)
def _():
    tokens = tokenizer("bert-base-cased").tokens
    return 100 * sum(token.startswith("##") for token in tokens) / len(tokens)


@claim(
    "L-4.2.1-endings",
    "tokenization",
    "Tokens with ## are the endings of words; in the bear sentence all four are.",
    4,
    verdict=FAILS,
    note="They continue a word, and only the last one ends it: ##ren, ##di and ##pit stand in the middle of "
    "“serendipitous”.",
)
def _():
    following = [*TOKENS[1:], ""]
    pairs = zip(TOKENS, following, strict=True)
    return sum(token.startswith("##") and not after.startswith("##") for token, after in pairs)


@claim(
    "L-4.2.1-alphanumeric",
    "tokenization",
    "About 77 % of the tokens are alphanumeric.",
    77,
    tolerance=0.5,
    needs="bert-base-cased",
    verdict=OPEN,
    note="The uncased vocabulary: 77.0 %.",
)
def _():
    tokens = tokenizer("bert-base-cased").tokens
    return 100 * sum(token.isalnum() for token in tokens) / len(tokens)


@claim(
    "L-4.2.2-pairs",
    "embeddings",
    "There are 900M pairs of tokens.",
    900e6,
    tolerance=50e6,
    verdict=FAILS,
    note="Each pair once, and no token with itself: 28,996 · 28,995 / 2. The matrix holds each pair twice.",
)
def _():
    return CASED * (CASED - 1) // 2
