"""R 2.2 and 11.6, L 3.2.1, 3.2.3 and 4.2: from ids to vectors, recomputed."""

import torch

from tutorial_lib.claims.claim import FAILS, claims_of
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

claim = claims_of("embeddings")

# --- R 2.2 Token embeddings ----------------------------------------------------------------------------------------


@claim("R-2.2-index-range", "A token has an index i from 1 to |V|, here 30,522.", [1, 30522], verdict=FAILS,
       note="Ids start at 0: in R's own lists (11.4) the padding token [PAD] is 0. Row 0 of the embedding matrix "
            "exists, row |V| does not.")
def _():
    ids = sorted(tokenizer().vocab.values())
    return [ids[0], ids[-1]]


@claim("R-2.2-row-look-up",
       "The embedding of a token is a row of E, and a sequence of n tokens gives an n × d_model matrix of such rows.",
       True)
def _():
    bert, ids = small_bert(), [3, 1, 4, 1, 5]
    X_tok = bert.trace([ids])["embeddings.tokens"][0]  # (n, d_model)
    return torch.equal(X_tok, torch.stack([bert.embeddings.tokens.weight[i] for i in ids]))


claim("R-2.2-cat-dog", "Tokens of similar meaning, such as “cat” and “dog”, have vectors close to each other.", True,
      lambda: nearest("cat").index("dog") < 10,
      note="In the default model “dog” is the 4th nearest of the other 30,521 tokens to “cat”, by cosine. Close is not "
           "always similar: “car” is the 9th.")

# --- R 11.6 Extracting contextualized embeddings -------------------------------------------------------------------

claim("R-11.6-batch", "With the batch dimension, the ids have shape (1, 4).", [1, 4],
      lambda: list(torch.tensor([[tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]]).shape))


@claim("R-11.6-shape", "last_hidden_state has shape (1, 4, 768).", [1, 4, 768],
       note="This code gives the model no [CLS] and no [SEP], which it saw in all of its training; that of 11.7 does. "
            "And outputs holds the hidden states of all layers, as R says, only with output_hidden_states=True.")
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


def first_ten(position):
    """The first 10 numbers of a token of R's sentence, which R gives to the model without [CLS] and [SEP]."""
    ids = [tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]
    return bert("bert-base-uncased")([ids])[0, position, :10]


for position, (token, values) in enumerate(FIRST_TEN.items()):
    claim(f"R-11.6-values-{token}", f"The first 10 of the 768 numbers of “{token}”.", values,
          lambda position=position: first_ten(position), needs="bert-base-uncased", tolerance=0.0002)


@claim("R-11.6-contextual", "“love” has another vector in “I love physics!” than in “I love mathematics!”.", True,
       note="The default model gives the two vectors a cosine of 0.93: near, not equal.")
def _():
    X = bert()(**tokenizer().batch(["I love mathematics!", "I love physics!"]).inputs)  # (2, 6, d_model)
    return torch.cosine_similarity(X[0, 2], X[1, 2], dim=0) < 0.99


@claim("R-11.6-static", "A static embedding of “love” is the same in both sentences.", True)
def _():
    tokens = bert().trace(**tokenizer().batch(["I love mathematics!", "I love physics!"]).inputs)["embeddings.tokens"]
    return torch.equal(tokens[0, 2], tokens[1, 2])


# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------

claim("L-3.2.1-d-model", "d_model is 512 in the original transformer and 768 in BERT.", [512, 768],
      lambda: [original("d_model"), bert_base().config.d_model])


@claim("L-3.2.1-same-input", "Both “the” have the same input embedding.", True)
def _():
    tokens = bear_trace()["embeddings.tokens"][0]
    return torch.equal(tokens[2], tokens[6]) and IDS[1] == IDS[5]


@claim("L-3.2.1-first-input", "What the first block gets is E_input + POS; the largest difference is 0.", 0.0,
       tolerance=1e-5, verdict=FAILS,
       note="So it is in the original transformer (which multiplies E_input by √d_model first). BERT adds a segment "
            "row too, and normalizes the sum.")
def _():
    trace = bear_trace()
    return (trace["embeddings.output"] - trace["embeddings.tokens"] - trace["embeddings.positions"]).abs().max()


# --- L 3.2.3 Turning "bear" into a concept -------------------------------------------------------------------------

claim("L-3.2.3-input-parameters", "About 22M of them are input embeddings.", 22e6,
      lambda: bert_base(vocab_size=CASED).embeddings.tokens.weight.numel(), tolerance=0.5e6, note="22,268,928.")


@claim("L-3.2.3-fifth", "That is a fifth of all weights.", 0.20, tolerance=0.01, note="20.6 %.")
def _():
    table = bert_base(vocab_size=CASED).parameter_table()
    return table[0][2] / sum(count for _, _, count in table)


# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------

claim("L-4.2-vocabulary", "BERT's vocabulary has 30k tokens.", 30_000, lambda: CASED, tolerance=5_000,
      note="28,996 (cased).")

claim("L-4.2-input-values", "The matrix of all input embeddings has around 23M values.", 23e6,
      lambda: count(cased().embeddings.tokens), tolerance=0.5e6, verdict=FAILS,
      note="22,268,928, so 22M, as L 3.2.3 says. The 23M come from rounding the vocabulary to 30k before multiplying.")

claim("L-4.2-similarities", "The cosine similarities of all pairs of input embeddings are a matrix of 900M values.",
      900e6, lambda: CASED**2, tolerance=50e6, verdict=FAILS,
      note="28,996² = 840,768,016; with 30k rounded first it is 900M.")

claim("L-4.2-gigabytes", "As a NumPy matrix, these take around 3.5 Gb.", 3.5, lambda: 4 * CASED**2 / 1e9,
      tolerance=0.25,
      note="4 bytes each, in float32: 3.36 GB. In float64, NumPy's own default, it would be twice that.")


@claim("L-4.2-input-norms", "The input embeddings' norms lie between 1.0 and 1.75 (here: the share of them that does).",
       1.0, tolerance=0.05, needs="bert-base-cased")
def _():
    norms = bert("bert-base-cased").embeddings.tokens.weight.norm(dim=1)
    return ((norms > 1.0) & (norms < 1.75)).double().mean()


# --- L 4.2.2 Pairs of tokens ---------------------------------------------------------------------------------------

claim("L-4.2.2-pairs", "There are 900M pairs of tokens.", 900e6, lambda: CASED * (CASED - 1) // 2, tolerance=50e6,
      verdict=FAILS,
      note="Each pair once, and no token with itself: 28,996 · 28,995 / 2. The matrix holds each pair twice.")
