"""R 11: what the Python code prints, recomputed with our own tokenizer on BERT's uncased vocabulary."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.tools import bert, bert_base, tokenizer

LOVE = "I love mathematics!"
ALGEBRA = "Linear algebra is at the core of machine learning"


@claim("R-11.1-mathematics", "tokenization", "“mathematics” may remain one token.", ["mathematics"])
def _():
    return tokenizer().tokenize("mathematics")


@claim("R-11.1-special-ids", "tokenization", "[CLS] has ID 101 and [SEP] has ID 102.", [101, 102])
def _():
    return [tokenizer().vocab["[CLS]"], tokenizer().vocab["[SEP]"]]


@claim(
    "R-11.1-segments",
    "tokenization",
    "The first sentence gets 0s, the second 1s, and so on: a third would get 2s.",
    [0, 1, 2],
    verdict=FAILS,
    note="BERT knows two segments, 0 and 1. A third has no row in its table.",
)
def _():
    return list(range(bert_base().config.n_segments))


@claim(
    "R-11.1-what-is-ai",
    "tokenization",
    "“What is AI?” has 3 tokens.",
    3,
    verdict=FAILS,
    note="3 words but 4 tokens: what, is, ai, ?. With [CLS] and [SEP] 6.",
)
def _():
    return len(tokenizer().tokenize("What is AI?"))


@claim(
    "R-11.1-how-does",
    "tokenization",
    "“How does machine learning work?” has 5 tokens.",
    5,
    verdict=FAILS,
    note="5 words but 6 tokens: the question mark is one. With [CLS] and [SEP] 8.",
)
def _():
    return len(tokenizer().tokenize("How does machine learning work?"))


@claim("R-11.1-padding", "tokenization", "Padded with zeros, sequences of a batch have one length.", True)
def _():
    batch = tokenizer().batch(["What is AI?", "How does machine learning work?"])
    return len(batch.ids[0]) == len(batch.ids[1]) and batch.ids[0][-2:] == [0, 0] == batch.attention_mask[0][-2:]


@claim("R-11.2-layers", "tokenization", "bert-base-uncased has 12 layers.", 12)
def _():
    return len(bert_base().layer)


@claim("R-11.2-lower-case", "tokenization", "bert-base-uncased lower-cases all text.", ["i"])
def _():
    return tokenizer().tokenize("I")


@claim(
    "R-11.2-vocabulary",
    "tokenization",
    "BERT's vocabulary has 30,000 words.",
    30_000,
    tolerance=500,
    verdict=FAILS,
    note="It has 30,522 tokens: 5 special, 994 unused, 5,828 pieces that start with ##, 997 single "
    "characters; the other 22,698 come closest to words.",
)
def _():
    return sum(not token.startswith(("##", "[")) and len(token) > 1 for token in tokenizer().vocab)


@claim(
    "R-11.3-tokens",
    "tokenization",
    "The tokens of “I love mathematics!”.",
    ["i", "love", "mathematics", "!"],
)
def _():
    return tokenizer().tokenize(LOVE)


@claim("R-11.3-ids", "tokenization", "Their ids.", [1045, 2293, 5597, 999])
def _():
    return [tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]


@claim("R-11.3-four", "tokenization", "The sentence is split into four tokens.", 4)
def _():
    return len(tokenizer().tokenize(LOVE))


@claim(
    "R-11.4-ids",
    "tokenization",
    "Input IDs, padded to 20.",
    [101, 1045, 2293, 5597, 999, 102] + 13 * [0],
    verdict=FAILS,
    note="The printed list has 19 entries, one zero too few; R's text says 14 zeros. (In transformers 5, "
    "encode_plus is gone: call the tokenizer itself.)",
)
def _():
    return tokenizer().encode(LOVE, pad_to=20).ids


@claim("R-11.4-mask", "tokenization", "Attention mask.", 6 * [1] + 14 * [0])
def _():
    return tokenizer().encode(LOVE, pad_to=20).attention_mask


@claim("R-11.4-types", "tokenization", "Token type ids.", 20 * [0])
def _():
    return tokenizer().encode(LOVE, pad_to=20).token_type_ids


@claim("R-11.4-six", "tokenization", "Six positions have mask 1 and 14 have 0.", [6, 14])
def _():
    mask = tokenizer().encode(LOVE, pad_to=20).attention_mask
    return [mask.count(1), mask.count(0)]


@claim(
    "R-11.5-ids",
    "tokenization",
    "Input IDs of the pair, padded to 20.",
    [101, 1045, 2293, 5597, 999, 102, 7399, 11208, 2003, 2012, 1996, 4563, 1997, 3698, 4083, 102, 0, 0, 0, 0],
)
def _():
    return tokenizer().encode(LOVE, ALGEBRA, pad_to=20).ids


@claim(
    "R-11.5-mask",
    "tokenization",
    "Attention mask of the pair.",
    15 * [1] + 4 * [0],
    verdict=FAILS,
    note="The printed list has 19 entries. There are 16 tokens: the last [SEP] was forgotten.",
)
def _():
    return tokenizer().encode(LOVE, ALGEBRA, pad_to=20).attention_mask


@claim(
    "R-11.5-types",
    "tokenization",
    "Token type ids of the pair.",
    6 * [0] + 9 * [1] + 4 * [0],
    verdict=FAILS,
    note="The printed list has 19 entries. The second text and its [SEP] are ten tokens of segment 1.",
)
def _():
    return tokenizer().encode(LOVE, ALGEBRA, pad_to=20).token_type_ids


@claim(
    "R-11.5-types-rule",
    "tokenization",
    "0 up to the first [SEP], 1 for the second text, 0 for padding.",
    True,
)
def _():
    encoding = tokenizer().encode(LOVE, ALGEBRA, pad_to=20)
    first = encoding.ids.index(102) + 1
    second = sum(encoding.attention_mask) - first
    return encoding.token_type_ids == first * [0] + second * [1] + (20 - first - second) * [0]


# --- R 11.6 Extracting contextualized embeddings -------------------------------------------------------------------


@claim("R-11.6-batch", "embeddings", "With the batch dimension, the ids have shape (1, 4).", [1, 4])
def _():
    import torch

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
    import torch

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
    import torch

    X = bert()(**tokenizer().batch(["I love mathematics!", "I love physics!"]).inputs)  # (2, 6, d_model)
    return torch.cosine_similarity(X[0, 2], X[1, 2], dim=0) < 0.99


@claim("R-11.6-static", "embeddings", "A static embedding of “love” is the same in both sentences.", True)
def _():
    import torch

    tokens = bert().trace(**tokenizer().batch(["I love mathematics!", "I love physics!"]).inputs)["embeddings.tokens"]
    return torch.equal(tokens[0, 2], tokens[1, 2])
