"""L 3.2.1: the bear sentence and the transformer from above, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.quotes import BEAR, IDS, TOKENS
from tutorial_lib.claims.tools import bear_trace, bert, bert_base, original, tokenizer


@claim(
    "L-3.2.1-two-attentions",
    "heads",
    "An encoder layer has one attention layer, a decoder layer two.",
    [1, 2],
)
def _():
    from torch import nn

    layers = nn.TransformerEncoderLayer(8, 2), nn.TransformerDecoderLayer(8, 2)
    return [sum(isinstance(part, nn.MultiheadAttention) for part in layer.children()) for layer in layers]


@claim("L-3.2.1-18-parts", "tokenization", "The bear sentence has 18 tokens, and 18 ids.", [18, 18])
def _():
    return [len(TOKENS), len(IDS)]


@claim(
    "L-3.2.1-tokens",
    "tokenization",
    "The tokens of the bear sentence.",
    TOKENS,
    needs="bert-base-cased",
    verdict=OPEN,
    note="BERT's uncased vocabulary also gives 18, but cuts the rare word into ser ##end ##ip ##ito ##us.",
)
def _():
    return tokenizer("bert-base-cased").tokenize(BEAR)


@claim(
    "L-3.2.1-ids",
    "tokenization",
    "The ids of the bear sentence.",
    IDS,
    needs="bert-base-cased",
    verdict=FAILS,
    note="To be expected by L's own table in 4.2.1, without the model: see the id of “a”.",
)
def _():
    vocabulary = tokenizer("bert-base-cased").vocab
    return [vocabulary[token] for token in tokenizer("bert-base-cased").tokenize(BEAR)]


def id_by_table(character):
    """The id of an ASCII character by L 4.2.1: ids 106-199 are the 94 visible ASCII characters, in their order."""
    return 106 + ord(character) - ord("!")


@claim("L-3.2.1-id-of-period", "tokenization", "The id of “.”, compared with the table in L 4.2.1.", IDS[17])
def _():
    return id_by_table(TOKENS[17])


@claim(
    "L-3.2.1-id-of-a",
    "tokenization",
    "The id of “a”, compared with the table in L 4.2.1.",
    IDS[10],
    verdict=FAILS,
    note="A single ASCII character must have an id from 106 to 199; 1126 lies among the words. It is "
    "probably the id of “an”: L 3.2.5 prints the same sentence with “an serendipitous smile”.",
)
def _():
    return id_by_table(TOKENS[10])


@claim(
    "L-3.2.1-hashes",
    "tokenization",
    "A token without ## stands after a space or at the start; the exceptions in the bear sentence:",
    [],
    verdict=FAILS,
    note="Punctuation is split off first, and is no continuation: the final period touches “smile” and has "
    "no ##.",
)
def _():
    starts = {word[: len(token)] for word in BEAR.split() for token in TOKENS if word.startswith(token)}
    return [token for token in TOKENS if not token.startswith("##") and token not in starts]


@claim(
    "L-3.2.1-special-ids",
    "tokenization",
    "BERT puts token 101 before the sequence and token 102 after it.",
    [101, 102],
)
def _():
    ids = tokenizer().encode(BEAR).ids
    return [ids[0], ids[-1]]


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
    import torch

    tokens = bear_trace()["embeddings.tokens"][0]
    return torch.equal(tokens[2], tokens[6]) and IDS[1] == IDS[5]


@claim("L-3.2.1-positions-differ", "positions", "With positions added, the two “the” differ.", True)
def _():
    total = bear_trace()["embeddings.sum"][0]
    return (total[2] - total[6]).abs().max() > 1e-3


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


@claim("L-3.2.1-blocks", "bert", "6 blocks in the original encoder, 12 in BERT.", [6, 12])
def _():
    return [original("num_encoder_layers"), len(bert_base().layer)]


@claim(
    "L-3.2.1-same-shape",
    "bert",
    "A block turns 18 vectors of d_model numbers into 18 such vectors.",
    [18, 768],
)
def _():
    import torch

    return list(bert_base().layer[0](torch.zeros(1, 18, 768, device="meta")).shape[1:])


@claim(
    "L-3.2.1-context",
    "bert",
    "“The” of “The cat.” and of “The hat.” have the same vector before the first block, and different ones "
    "after it.",
    [True, False],
)
def _():
    import torch

    trace = bert().trace(**tokenizer().batch(["The cat.", "The hat."]).inputs)
    before, after = trace["embeddings.output"][:, 1], trace["layer.0.output"][:, 1]
    return [torch.equal(*before), torch.equal(*after)]


@claim(
    "L-3.2.1-updates",
    "heads",
    "18 tokens and K heads make 18 · N updates, with N = 6 the number of blocks of the original transformer.",
    18 * 6,
    verdict=FAILS,
    note="It is 18 · K: one update for each token and head, 18 · 8 = 144 in the original. In BERT N and K "
    "are both 12, which hides the slip: 216.",
)
def _():
    return 18 * original("nhead")


@claim(
    "L-3.2.1-residual",
    "bert",
    "E' = E + Σ ΔE, and then E^A = Normalize(E + E'); compared with layer 0 of the default model, the "
    "difference is 0.",
    0.0,
    tolerance=1e-4,
    verdict=FAILS,
    note="E is added twice. There is one residual connection: E^A = Normalize(E + Σ ΔE), with the bias of "
    "W^O in the sum. That one agrees.",
)
def _():
    trace, layer = bear_trace(), bert().layer[0]
    E, update = trace["embeddings.output"], trace["layer.0.attention.output"]
    return (layer.attention_norm(E + (E + update)) - trace["layer.0.attention_norm"]).abs().max()


@claim(
    "L-3.2.1-hidden",
    "bert",
    "The hidden layer has 2048 neurons in the original and 3072 in BERT.",
    [2048, 3072],
)
def _():
    return [original("dim_feedforward"), bert_base().config.d_ff]


@claim(
    "L-3.2.1-wider",
    "bert",
    "In both, the hidden layer is much larger than d_model.",
    True,
    note="4 times in both.",
)
def _():
    return original("dim_feedforward") > 3 * original("d_model") and bert_base().config.d_ff > 3 * 768


@claim(
    "L-3.2.1-separately",
    "bert",
    "The feed-forward network is applied to each embedding separately.",
    True,
)
def _():
    import torch

    X, feed_forward = bear_trace()["layer.0.attention_norm"][0], bert().layer[0].feed_forward
    one_by_one = torch.stack([feed_forward(x[None])[0] for x in X])
    return torch.allclose(feed_forward(X), one_by_one, atol=1e-5)


@claim("L-3.2.1-second-norm", "bert", "The block's output is Normalize(E^A + FF(E^A)).", True)
def _():
    import torch

    trace, layer = bear_trace(), bert().layer[0]
    E_A = trace["layer.0.attention_norm"]
    return torch.allclose(layer.norm(E_A + layer.feed_forward(E_A)), trace["layer.0.output"], atol=1e-5)
