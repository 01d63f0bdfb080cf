"""L 3.3.1 and 3.3.3: BERT's architecture and training data, recomputed."""

from tutorial_lib.claims.claim import FAILS, claim
from tutorial_lib.claims.tools import bert_base, tokenizer

# --- L 3.3.1 Overview of the architecture --------------------------------------------------------------------------


@claim(
    "L-3.3.1-special",
    "bert",
    "BERT adds [CLS] at the start and [SEP] at the end of any tokenization.",
    ["[CLS]", "[SEP]"],
)
def _():
    return tokenizer().encode("").tokens


@claim("L-3.3.1-positions", "bert", "There are 512 positional encodings.", 512)
def _():
    return bert_base().embeddings.positions.weight.shape[0]


@claim("L-3.3.1-segments", "bert", "There are two segment embeddings.", 2)
def _():
    return bert_base().embeddings.segments.weight.shape[0]


@claim("L-3.3.1-blocks", "bert", "There are 12 transformer blocks.", 12)
def _():
    return len(bert_base().layer)


@claim(
    "L-3.3.1-layered",
    "bert",
    "Each block contains a 12-layered multi-head attention.",
    12,
    verdict=FAILS,
    note="One layer of attention with 12 heads side by side. Nothing in a block is stacked 12 times; the 12 "
    "blocks are.",
)
def _():
    from tutorial_lib.attention import MultiHeadAttention

    return sum(isinstance(part, MultiHeadAttention) for part in bert_base().layer[0].modules())


@claim("L-3.3.1-d-model", "bert", "d_model is 768.", 768)
def _():
    return bert_base().config.d_model


@claim(
    "L-3.3.1-d-k",
    "bert",
    "Keys and queries have 64 dimensions, and values are factored through 64.",
    [64, 64],
)
def _():
    attention = bert_base().layer[0].attention
    return [attention.d_k, attention.value_map(0)[0].shape[1]]


@claim(
    "L-3.3.1-same-blocks",
    "bert",
    "BERT uses the same architecture of blocks as the original transformer, so its activation is",
    "relu",
    verdict=FAILS,
    note="The activation changed from ReLU to GELU. Another difference that L's list leaves out: BERT "
    "normalizes the sum of its embeddings.",
)
def _():
    return bert_base().config.activation


# --- L 3.3.3 On the training of BERT -------------------------------------------------------------------------------

MAJESTIC, PICTURES = "The bear was majestic.", "We took a lot of pictures of it."


@claim(
    "L-3.3.3-pair",
    "bert",
    "The pair of sentences with its special tokens (lower-cased here).",
    "[CLS] the bear was majestic . [SEP] we took a lot of pictures of it . [SEP]",
)
def _():
    return " ".join(tokenizer().encode(MAJESTIC, PICTURES).tokens)


@claim(
    "L-3.3.3-segments",
    "bert",
    "The first segment reaches up to and including the first [SEP], the second has the rest.",
    7 * [0] + 10 * [1],
)
def _():
    return tokenizer().encode(MAJESTIC, PICTURES).token_type_ids


@claim("L-3.3.3-binary", "bert", "Next sentence prediction is a binary classification from [CLS].", 2)
def _():
    return bert_base(nsp=True).nsp.weight.shape[0]


@claim(
    "L-3.3.3-shares",
    "bert",
    "Of the chosen tokens 80 % become [MASK], 10 % another token and 10 % stay: together",
    100,
    note="Of all tokens: 12 % [MASK], 1.5 % another token, 1.5 % unchanged.",
)
def _():
    return 80 + 10 + 10


@claim(
    "L-3.3.3-example",
    "bert",
    "In the example, 15 % of the tokens are changed: [MASK], duck, [MASK].",
    3,
    note="15 % of the 17 tokens, special ones counted, is 2.55, which BERT's own program rounds to 3 (it "
    "never chooses the special ones).",
)
def _():
    return round(0.15 * len(tokenizer().encode(MAJESTIC, PICTURES).tokens))
