"""L 3.2.2-3.2.3: tokens and what their embeddings hold, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.quotes import CASED
from tutorial_lib.claims.tools import bert_base, tokenizer

# --- L 3.2.2 From words to indices ---------------------------------------------------------------------------------


@claim(
    "L-3.2.2-three-each",
    "tokenization",
    "By characters, “the” and “xqq” cost equally many tokens.",
    [3, 3],
)
def _():
    return [len("the"), len("xqq")]


@claim(
    "L-3.2.2-common",
    "tokenization",
    "Common words such as “the”, “and”, “bear” have a token each.",
    ["the", "and", "bear"],
)
def _():
    return tokenizer().tokenize("the and bear")


@claim("L-3.2.2-bearness", "tokenization", "“bearness” can be made with “##ness”.", ["bear", "##ness"])
def _():
    return tokenizer().tokenize("bearness")


@claim(
    "L-3.2.2-every-character",
    "tokenization",
    "In the worst case each character has a token of its own, so that any character sequence can be "
    "expressed; 🐻 for instance.",
    ["🐻"],
    verdict=FAILS,
    note="WordPiece has tokens for the characters that it saw often, and [UNK] for a word with any other. "
    "Byte-level BPE keeps the promise: every text is bytes, and there are only 256.",
)
def _():
    return tokenizer().tokenize("🐻")


@claim(
    "L-3.2.2-bert-vocabulary",
    "tokenization",
    "BERT has around 30k tokens.",
    30_000,
    tolerance=5_000,
    note="28,996 (cased, by L 4.2.1); the uncased vocabulary has 30,522.",
)
def _():
    return 28_995 + 1  # ids start at 0


claim(
    "L-3.2.2-finbert-vocabulary",
    "tokenization",
    "FinBERT has around 50k tokens.",
    50_000,
    tolerance=500,
    needs="bert-base-finnish-cased-v1",
    verdict=OPEN,
)(lambda: len(tokenizer("bert-base-finnish-cased-v1").vocab))


def share_of_continuations(name=None):
    """Percent of a vocabulary's tokens that start with ##."""
    vocabulary = tokenizer(name).vocab
    return 100 * sum(token.startswith("##") for token in vocabulary) / len(vocabulary)


claim(
    "L-3.2.2-continuations",
    "tokenization",
    "22 % of BERT's tokens start with ##.",
    22,
    tolerance=0.5,
    needs="bert-base-cased",
    verdict=OPEN,
    note="The uncased vocabulary: 19.1 %.",
)(lambda: share_of_continuations("bert-base-cased"))

claim(
    "L-3.2.2-finbert-continuations",
    "tokenization",
    "26 % of FinBERT's tokens start with ##.",
    26,
    tolerance=0.5,
    needs="bert-base-finnish-cased-v1",
    verdict=OPEN,
)(lambda: share_of_continuations("bert-base-finnish-cased-v1"))


# --- L 3.2.3 Turning "bear" into a concept -------------------------------------------------------------------------


@claim(
    "L-3.2.3-parameters",
    "bert",
    "BERT has about 110M parameters.",
    110e6,
    tolerance=5e6,
    note="108,310,272 (cased).",
)
def _():
    return sum(count for _, _, count in bert_base(vocab_size=CASED).parameter_table())


@claim(
    "L-3.2.3-input-parameters",
    "embeddings",
    "About 22M of them are input embeddings.",
    22e6,
    tolerance=0.5e6,
    note="22,268,928.",
)
def _():
    return bert_base(vocab_size=CASED).embeddings.tokens.weight.numel()


@claim("L-3.2.3-fifth", "embeddings", "That is a fifth of all weights.", 0.20, tolerance=0.01, note="20.6 %.")
def _():
    table = bert_base(vocab_size=CASED).parameter_table()
    return table[0][2] / sum(count for _, _, count in table)
