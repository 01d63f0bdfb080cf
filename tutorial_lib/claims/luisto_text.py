"""L 2.1 and 3.2.1-3.2.3: cosine similarity, the view from above, tokens and their embeddings, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.tools import bert, bert_base, cosine, tokenizer

BEAR = "Then the bear waited for the door to open with a serendipitous smile."
# The two lists of L 3.2.1 for this sentence, as printed
TOKENS = "Then the bear waited for the door to open with a se ##ren ##di ##pit ##ous smile .".split()
IDS = [1599, 1103, 4965, 3932, 1111, 1103, 1442, 1106, 1501, 1114, 1126, 14516, 5123, 3309, 18965, 2285, 2003, 119]


# --- L 2.1 Some notation and definitions ---------------------------------------------------------------------------


@claim("L-2.1-orthogonal", "attention", "Orthogonal vectors have cosine similarity 0.", 0, tolerance=1e-12)
def _():
    return cosine([3, 4], [-8, 6])


@claim(
    "L-2.1-self",
    "attention",
    "The cosine similarity of a vector with itself is always 1; so that of (0, 0) too.",
    1,
    verdict=FAILS,
    note="True of every vector but zero: there the formula divides 0 by 0. Code has to decide what to answer.",
)
def _():
    return cosine([0, 0], [0, 0])


@claim(
    "L-2.1-scaling",
    "attention",
    "Scaling by a non-zero number has no effect: v and −2v have cosine similarity 1, as v and v.",
    1,
    verdict=FAILS,
    note="A positive factor has no effect; a negative one flips the sign.",
)
def _():
    return cosine([3, 4], [-6, -8])


@claim(
    "L-2.1-no-metric",
    "attention",
    "Cosine similarity is not a metric.",
    True,
    note="1 − cos breaks the triangle inequality: going from 0° to 90° by way of 45° would cost less than going straight.",
)
def _():
    a, b, c = [1, 0], [1, 1], [0, 1]
    return 1 - cosine(a, c) > (1 - cosine(a, b)) + (1 - cosine(b, c))


@claim("L-2.1-cosine-rule", "attention", "It is the cosine of the cosine rule: |v − w|² = |v|² + |w|² − 2 |v| |w| cos θ.", True)
def _():
    from math import hypot, isclose

    v, w = (1, 2, 3), (-2, 5, 1)
    difference = hypot(*(a - b for a, b in zip(v, w, strict=True)))
    return isclose(difference**2, hypot(*v) ** 2 + hypot(*w) ** 2 - 2 * hypot(*v) * hypot(*w) * cosine(v, w))


@claim("L-2.1-plane", "attention", "Two vectors span a plane, which maps to R² and keeps their cosine.", True)
def _():
    import torch

    pair = torch.tensor([[1.0, 2, 3, 4], [-2, 5, 1, 0]], dtype=torch.float64).T  # (4, 2)
    _, in_the_plane = torch.linalg.qr(pair)  # (2, 2): the same two vectors in coordinates of their plane
    return abs(cosine(*pair.T) - cosine(*in_the_plane.T)) < 1e-12


# --- L 3.2.1 A bird's eye view of the architecture -----------------------------------------------------------------


@claim("L-3.2.1-two-attentions", "heads", "An encoder layer has one attention layer, a decoder layer two.", [1, 2])
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
    note="A single ASCII character must have an id from 106 to 199; 1126 lies among the words. It is probably the id of “an”: L 3.2.5 prints the "
    "same sentence with “an serendipitous smile”.",
)
def _():
    return id_by_table(TOKENS[10])


@claim(
    "L-3.2.1-hashes",
    "tokenization",
    "A token without ## stands after a space or at the start; the exceptions in the bear sentence:",
    [],
    verdict=FAILS,
    note="Punctuation is split off first, and is no continuation: the final period touches “smile” and has no ##.",
)
def _():
    starts = {word[: len(token)] for word in BEAR.split() for token in TOKENS if word.startswith(token)}
    return [token for token in TOKENS if not token.startswith("##") and token not in starts]


@claim("L-3.2.1-special-ids", "tokenization", "BERT puts token 101 before the sequence and token 102 after it.", [101, 102])
def _():
    ids = tokenizer().encode(BEAR).ids
    return [ids[0], ids[-1]]


@claim("L-3.2.1-d-model", "embeddings", "d_model is 512 in the original transformer and 768 in BERT.", [512, 768])
def _():
    return [original("d_model"), bert_base().config.d_model]


def original(name):
    """A number of the original transformer: torch.nn.Transformer has them as its defaults."""
    from inspect import signature

    from torch.nn import Transformer

    return signature(Transformer).parameters[name].default


@claim("L-3.2.1-same-input", "embeddings", "Both “the” have the same input embedding.", True)
def _():
    import torch

    tokens = bear_trace()["embeddings.tokens"][0]
    return torch.equal(tokens[2], tokens[6]) and IDS[1] == IDS[5]


def bear_trace():
    """The default model's way through the bear sentence, (1, 20, d_model) with [CLS] and [SEP]."""
    return bert().trace(**tokenizer().batch([BEAR]).inputs)


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
    note="So it is in the original transformer (which multiplies E_input by √d_model first). BERT adds a segment row too, and normalizes the sum.",
)
def _():
    trace = bear_trace()
    return (trace["embeddings.output"] - trace["embeddings.tokens"] - trace["embeddings.positions"]).abs().max()


@claim("L-3.2.1-blocks", "bert", "6 blocks in the original encoder, 12 in BERT.", [6, 12])
def _():
    return [original("num_encoder_layers"), len(bert_base().layer)]


@claim("L-3.2.1-same-shape", "bert", "A block turns 18 vectors of d_model numbers into 18 such vectors.", [18, 768])
def _():
    import torch

    return list(bert_base().layer[0](torch.zeros(1, 18, 768, device="meta")).shape[1:])


@claim(
    "L-3.2.1-context",
    "bert",
    "“The” of “The cat.” and of “The hat.” have the same vector before the first block, and different ones after it.",
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
    note="It is 18 · K: one update for each token and head, 18 · 8 = 144 in the original. In BERT N and K are both 12, which hides the slip: 216.",
)
def _():
    return 18 * original("nhead")


@claim(
    "L-3.2.1-residual",
    "bert",
    "E' = E + Σ ΔE, and then E^A = Normalize(E + E'); compared with layer 0 of the default model, the difference is 0.",
    0.0,
    tolerance=1e-4,
    verdict=FAILS,
    note="E is added twice. There is one residual connection: E^A = Normalize(E + Σ ΔE), with the bias of W^O in the sum. That one agrees.",
)
def _():
    trace, layer = bear_trace(), bert().layer[0]
    E, update = trace["embeddings.output"], trace["layer.0.attention.output"]
    return (layer.attention_norm(E + (E + update)) - trace["layer.0.attention_norm"]).abs().max()


@claim("L-3.2.1-hidden", "bert", "The hidden layer has 2048 neurons in the original and 3072 in BERT.", [2048, 3072])
def _():
    return [original("dim_feedforward"), bert_base().config.d_ff]


@claim("L-3.2.1-wider", "bert", "In both, the hidden layer is much larger than d_model.", True, note="4 times in both.")
def _():
    return original("dim_feedforward") > 3 * original("d_model") and bert_base().config.d_ff > 3 * 768


@claim("L-3.2.1-separately", "bert", "The feed-forward network is applied to each embedding separately.", True)
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


# --- L 3.2.2 From words to indices ---------------------------------------------------------------------------------


@claim("L-3.2.2-three-each", "tokenization", "By characters, “the” and “xqq” cost equally many tokens.", [3, 3])
def _():
    return [len("the"), len("xqq")]


@claim("L-3.2.2-common", "tokenization", "Common words such as “the”, “and”, “bear” have a token each.", ["the", "and", "bear"])
def _():
    return tokenizer().tokenize("the and bear")


@claim("L-3.2.2-bearness", "tokenization", "“bearness” can be made with “##ness”.", ["bear", "##ness"])
def _():
    return tokenizer().tokenize("bearness")


@claim(
    "L-3.2.2-every-character",
    "tokenization",
    "In the worst case each character has a token of its own, so that any character sequence can be expressed; 🐻 for instance.",
    ["🐻"],
    verdict=FAILS,
    note="WordPiece has tokens for the characters that it saw often, and [UNK] for a word with any other. Byte-level BPE keeps the promise: every "
    "text is bytes, and there are only 256.",
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

CASED = 28_996
PREDICTIONS = [[0.163, 0.177, 0.660], [0.225, 0.374, 0.401], [0.0004, 0.004, 0.996], [0.0060, 0.283, 0.711]]


@claim("L-3.2.3-parameters", "bert", "BERT has about 110M parameters.", 110e6, tolerance=5e6, note="108,310,272 (cased).")
def _():
    return sum(count for _, _, count in bert_base(vocab_size=CASED).parameter_table())


@claim("L-3.2.3-input-parameters", "embeddings", "About 22M of them are input embeddings.", 22e6, tolerance=0.5e6, note="22,268,928.")
def _():
    return bert_base(vocab_size=CASED).embeddings.tokens.weight.numel()


@claim("L-3.2.3-fifth", "embeddings", "That is a fifth of all weights.", 0.20, tolerance=0.01, note="20.6 %.")
def _():
    table = bert_base(vocab_size=CASED).parameter_table()
    return table[0][2] / sum(count for _, _, count in table)


claim(
    "L-3.2.3-accuracy",
    "embeddings",
    "Classifiers of nouns, verbs and adjectives reach 83 to 86 % accuracy on input embeddings.",
    [83, 86],
    needs="bert-base-cased and WordNet",
    verdict=OPEN,
)(None)

claim(
    "L-3.2.3-table-1",
    "embeddings",
    "Table 1: adjective, noun and verb for bear, Bear (no hidden layer), bear, Bear (one hidden layer).",
    PREDICTIONS,
    needs="bert-base-cased and the thesis's trained classifiers",
    verdict=OPEN,
)(None)


@claim("L-3.2.3-table-1-sums", "embeddings", "Each row of Table 1 sums to 1.", [1, 1, 1, 1], tolerance=0.001)
def _():
    return [sum(row) for row in PREDICTIONS]


@claim("L-3.2.3-table-1-verbs", "embeddings", "Every row of Table 1 predicts a verb.", 4 * ["verb"])
def _():
    return [("adjective", "noun", "verb")[row.index(max(row))] for row in PREDICTIONS]


@claim("L-3.2.3-table-1-capital", "embeddings", "The capitalized word is much more likely a noun, in both models.", True)
def _():
    bear, Bear, bear_hidden, Bear_hidden = (noun for _, noun, _ in PREDICTIONS)
    return Bear > 2 * bear and Bear_hidden > 2 * bear_hidden
