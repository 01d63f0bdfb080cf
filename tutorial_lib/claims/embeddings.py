"""R 2.2 and 11.6, L 3.2.1, 3.2.3 and 4.2: from ids to vectors, recomputed."""

import torch

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.quotes import CASED, IDS, LOVE
from tutorial_lib.claims.tools import (
    bear_trace,
    bert,
    bert_base,
    cased,
    count,
    nearest,
    original,
    small_bert,
    tokenizer,
)

# --- R 2.2 Token embeddings ----------------------------------------------------------------------------------------


@claim(
    "R-2.2-index-range",
    "embeddings",
    "A token has an index i from 1 to |V|, here 30,522.",
    [1, 30522],
    verdict=FAILS,
    note="Ids start at 0: in R's own lists (11.4) the padding token [PAD] is 0. Row 0 of the embedding "
    "matrix exists, row |V| does not.",
)
def _():
    ids = sorted(tokenizer().vocab.values())
    return [ids[0], ids[-1]]


@claim(
    "R-2.2-row-look-up",
    "embeddings",
    "The embedding of a token is a row of E, and a sequence of n tokens gives an n × d_model matrix of such "
    "rows.",
    True,
)
def _():
    bert, ids = small_bert(), [3, 1, 4, 1, 5]
    X_tok = bert.trace([ids])["embeddings.tokens"][0]  # (n, d_model)
    return torch.equal(X_tok, torch.stack([bert.embeddings.tokens.weight[i] for i in ids]))


@claim(
    "R-2.2-cat-dog",
    "embeddings",
    "Tokens of similar meaning, such as “cat” and “dog”, have vectors close to each other.",
    True,
    note="In the default model “dog” is the 4th nearest of the other 30,521 tokens to “cat”, by cosine. Close is "
    "not always similar: “car” is the 9th.",
)
def _():
    return nearest("cat").index("dog") < 10


# --- R 11.6 Extracting contextualized embeddings -------------------------------------------------------------------


@claim("R-11.6-batch", "embeddings", "With the batch dimension, the ids have shape (1, 4).", [1, 4])
def _():
    return list(torch.tensor([[tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]]).shape)


@claim(
    "R-11.6-shape",
    "embeddings",
    "last_hidden_state has shape (1, 4, 768).",
    [1, 4, 768],
    note="This code gives the model no [CLS] and no [SEP], which it saw in all of its training; that of "
    "11.7 does. And outputs holds the hidden states of all layers, as R says, only with "
    "output_hidden_states=True.",
)
def _():
    ids = [tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]
    X = bert_base().layer[0](torch.zeros(1, len(ids), 768, device="meta"))  # each layer gives the shape that it got
    return list(X.shape)


FIRST_TEN = {
    "i": [0.0648, 0.3697, 0.0214, 0.0242, -0.2595, 0.0748, 0.3394, 0.0936, -0.2900, -0.3007],
    "love": [0.4542, 0.9776, 0.3335, -0.0131, -0.0401, -0.1888, 0.4279, -0.0346, -0.2702, -0.5418],
    "mathematics": [0.0373, 1.0036, 0.0657, -0.0548, 0.0196, -0.1038, 0.2634, 0.1846, -0.4612, -0.2633],
    "!": [0.1830, 0.9067, 0.3583, -0.0487, -0.2368, -0.2107, 0.6332, -0.0442, -0.4583, -0.3439],
}

for _position, (_token, _values) in enumerate(FIRST_TEN.items()):

    @claim(
        f"R-11.6-values-{_token}",
        "embeddings",
        f"The first 10 of the 768 numbers of “{_token}”.",
        _values,
        needs="bert-base-uncased",
        tolerance=0.0002,
        verdict=OPEN,
    )
    def _(position=_position):
        ids = [tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]
        return bert("bert-base-uncased")([ids])[0, position, :10].detach()


@claim(
    "R-11.6-contextual",
    "embeddings",
    "“love” has another vector in “I love physics!” than in “I love mathematics!”.",
    True,
    note="The default model gives the two vectors a cosine of 0.93: near, not equal.",
)
def _():
    X = bert()(**tokenizer().batch(["I love mathematics!", "I love physics!"]).inputs)  # (2, 6, d_model)
    return torch.cosine_similarity(X[0, 2], X[1, 2], dim=0) < 0.99


@claim("R-11.6-static", "embeddings", "A static embedding of “love” is the same in both sentences.", True)
def _():
    tokens = bert().trace(**tokenizer().batch(["I love mathematics!", "I love physics!"]).inputs)["embeddings.tokens"]
    return torch.equal(tokens[0, 2], tokens[1, 2])


# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------


@claim(
    "L-3.2.1-d-model",
    "embeddings",
    "d_model is 512 in the original transformer and 768 in BERT.",
    [512, 768],
)
def _():
    return [original("d_model"), bert_base().config.d_model]


@claim("L-3.2.1-same-input", "embeddings", "Both “the” have the same input embedding.", True)
def _():
    tokens = bear_trace()["embeddings.tokens"][0]
    return torch.equal(tokens[2], tokens[6]) and IDS[1] == IDS[5]


@claim(
    "L-3.2.1-first-input",
    "embeddings",
    "What the first block gets is E_input + POS; the largest difference is 0.",
    0.0,
    tolerance=1e-5,
    verdict=FAILS,
    note="So it is in the original transformer (which multiplies E_input by √d_model first). BERT adds a "
    "segment row too, and normalizes the sum.",
)
def _():
    trace = bear_trace()
    return (trace["embeddings.output"] - trace["embeddings.tokens"] - trace["embeddings.positions"]).abs().max()


# --- L 3.2.3 Turning "bear" into a concept -------------------------------------------------------------------------


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


# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------


@claim(
    "L-4.2-vocabulary",
    "embeddings",
    "BERT's vocabulary has 30k tokens.",
    30_000,
    tolerance=5_000,
    note="28,996 (cased).",
)
def _():
    return CASED


@claim(
    "L-4.2-input-values",
    "embeddings",
    "The matrix of all input embeddings has around 23M values.",
    23e6,
    tolerance=0.5e6,
    verdict=FAILS,
    note="22,268,928, so 22M, as L 3.2.3 says. The 23M come from rounding the vocabulary to 30k before "
    "multiplying.",
)
def _():
    return count(cased().embeddings.tokens)


@claim(
    "L-4.2-similarities",
    "embeddings",
    "The cosine similarities of all pairs of input embeddings are a matrix of 900M values.",
    900e6,
    tolerance=50e6,
    verdict=FAILS,
    note="28,996² = 840,768,016; with 30k rounded first it is 900M.",
)
def _():
    return CASED**2


@claim(
    "L-4.2-gigabytes",
    "embeddings",
    "As a NumPy matrix, these take around 3.5 Gb.",
    3.5,
    tolerance=0.25,
    note="4 bytes each, in float32: 3.36 GB. In float64, NumPy's own default, it would be twice that.",
)
def _():
    return 4 * CASED**2 / 1e9


@claim(
    "L-4.2-input-norms",
    "embeddings",
    "The input embeddings' norms lie between 1.0 and 1.75 (here: the share of them that does).",
    1.0,
    tolerance=0.05,
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    norms = bert("bert-base-cased").embeddings.tokens.weight.norm(dim=1)
    return ((norms > 1.0) & (norms < 1.75)).double().mean()


# --- L 4.2.2 Pairs of tokens ---------------------------------------------------------------------------------------


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
