"""L 3.3 and 4.2: BERT's architecture and weights, its training data, its vocabulary and tables, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.luisto_text import CASED, TOKENS, original
from tutorial_lib.claims.tools import bert, bert_base, tokenizer

# --- L 3.3.1 Overview of the architecture --------------------------------------------------------------------------


@claim("L-3.3.1-special", "bert", "BERT adds [CLS] at the start and [SEP] at the end of any tokenization.", ["[CLS]", "[SEP]"])
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
    note="One layer of attention with 12 heads side by side. Nothing in a block is stacked 12 times; the 12 blocks are.",
)
def _():
    from tutorial_lib.attention import MultiHeadAttention

    return sum(isinstance(part, MultiHeadAttention) for part in bert_base().layer[0].modules())


@claim("L-3.3.1-d-model", "bert", "d_model is 768.", 768)
def _():
    return bert_base().config.d_model


@claim("L-3.3.1-d-k", "bert", "Keys and queries have 64 dimensions, and values are factored through 64.", [64, 64])
def _():
    attention = bert_base().layer[0].attention
    return [attention.d_k, attention.value_map(0)[0].shape[1]]


@claim(
    "L-3.3.1-same-blocks",
    "bert",
    "BERT uses the same architecture of blocks as the original transformer, so its activation is",
    "relu",
    verdict=FAILS,
    note="The activation changed from ReLU to GELU. Another difference that L's list leaves out: BERT normalizes the sum of its embeddings.",
)
def _():
    return bert_base().config.activation


# --- L 3.3.2 On the weights of BERT --------------------------------------------------------------------------------


def cased(mlm=False, nsp=False):
    """bert-base-cased's architecture, without its numbers."""
    return bert_base(mlm=mlm, nsp=nsp, vocab_size=CASED)


def count(*parts):
    """All parameters in these parts of a model."""
    return sum(parameter.numel() for part in parts for parameter in part.parameters())


@claim(
    "L-3.3.2-megabytes",
    "bert",
    "The download takes about 416 Mb.",
    416,
    tolerance=0.5,
    note="If Mb means MiB (2^20 bytes), and with the two heads that the file holds beside the encoder. BertModel alone is 413 MiB.",
)
def _():
    return 4 * sum(count for _, _, count in cased(mlm=True, nsp=True).parameter_table()) / 2**20


@claim("L-3.3.2-input", "bert", "Input embeddings.", 22_268_928)
def _():
    return count(cased().embeddings.tokens)


@claim("L-3.3.2-position", "bert", "Position embeddings.", 393_216)
def _():
    return count(cased().embeddings.positions)


@claim("L-3.3.2-segment", "bert", "Segment embeddings.", 1_536)
def _():
    return count(cased().embeddings.segments)


@claim("L-3.3.2-embedding-norm", "bert", "The embeddings' LayerNorm.", 1_536)
def _():
    return count(cased().embeddings.norm)


@claim("L-3.3.2-layer", "bert", "Each of the 12 layers.", 12 * [7_087_872])
def _():
    return [count(layer) for layer in cased().layer]


@claim("L-3.3.2-pooler", "bert", "The pooler's linear layer.", 590_592)
def _():
    return count(cased().pooler)


@claim("L-3.3.2-total", "bert", "All parameters of bert-base-cased, all of them trainable.", 108_310_272)
def _():
    return sum(parameter.numel() for parameter in cased().parameters() if parameter.requires_grad)


@claim("L-3.3.2-lines", "bert", "The printed lines add up to the printed total.", 108_310_272)
def _():
    return 22_268_928 + 393_216 + 1_536 + 1_536 + 12 * 7_087_872 + 590_592


@claim(
    "L-3.3.2-30k",
    "bert",
    "30k · 768 ≈ 22M.",
    22e6,
    tolerance=0.5e6,
    verdict=FAILS,
    note="30,000 · 768 is 23.04M. The 22M are right for the true vocabulary, 28,996 · 768 = 22,268,928.",
)
def _():
    return 30_000 * 768


@claim("L-3.3.2-400k", "bert", "512 · 768 ≈ 400k.", 400_000, tolerance=50_000, note="393,216.")
def _():
    return 512 * 768


@claim("L-3.3.2-1536", "bert", "2 · 768 = 1536.", 1536)
def _():
    return 2 * 768


@claim("L-3.3.2-norms", "bert", "Each normalization layer has 768 weights and 768 biases.", [768, 768])
def _():
    return [parameter.numel() for parameter in cased().layer[0].norm.parameters()]


@claim("L-3.3.2-seven-million", "bert", "A layer has 7M weights.", 7e6, tolerance=0.5e6)
def _():
    return count(cased().layer[0])


@claim("L-3.3.2-attention", "bert", "BertAttention.", 2_363_904, note="Four times 768 · 768 + 768, and a LayerNorm.")
def _():
    return count(cased().layer[0].attention, cased().layer[0].attention_norm)


@claim("L-3.3.2-intermediate", "bert", "BertIntermediate.", 2_362_368)
def _():
    return count(cased().layer[0].feed_forward.W_1)


@claim("L-3.3.2-output", "bert", "BertOutput.", 2_361_600)
def _():
    return count(cased().layer[0].feed_forward.W_2, cased().layer[0].norm)


@claim("L-3.3.2-three-parts", "bert", "The three parts add up to the layer.", 7_087_872)
def _():
    return 2_363_904 + 2_362_368 + 2_361_600


@claim("L-3.3.2-hidden", "bert", "The feed-forward network has 3072 hidden neurons.", 3072)
def _():
    return cased().layer[0].feed_forward.W_1.weight.shape[0]


@claim(
    "L-3.3.2-output-product",
    "bert",
    "2,361,600 = 3,072 · 768.",
    2_361_600,
    verdict=FAILS,
    note="The product is 2,359,296. BertOutput is that plus 768 biases plus a LayerNorm of 1,536: 2,361,600.",
)
def _():
    return 3072 * 768


@claim(
    "L-3.3.2-intermediate-product",
    "bert",
    "2,362,368 = 3,072 · 768 + 768.",
    2_362_368,
    verdict=FAILS,
    note="The sum is 2,360,064. The hidden layer has a bias for each of its 3,072 neurons: 3,072 · 768 + 3,072 = 2,362,368.",
)
def _():
    return 3072 * 768 + 768


@claim(
    "L-3.3.2-hidden-biases",
    "bert",
    "The hidden layer has 768 biases.",
    768,
    verdict=FAILS,
    note="One for each hidden neuron.",
)
def _():
    return cased().layer[0].feed_forward.W_1.bias.numel()


@claim(
    "L-3.3.2-attention-lines",
    "bert",
    "The attention's parameters, line by line: query, key, value, dense, LayerNorm, each weight and bias.",
    4 * [589_824, 768] + [768, 768],
    note="As torchinfo prints them with verbose=2; L's code, which prints the summary that summary() has already printed, shows everything twice.",
)
def _():
    layer = cased().layer[0]
    parts = layer.attention.W_Q, layer.attention.W_K, layer.attention.W_V, layer.attention.W_O, layer.attention_norm
    return [parameter.numel() for part in parts for parameter in (part.weight, part.bias)]


@claim("L-3.3.2-one-head", "bert", "A head's query matrix has 64 · 768 = 49,152 numbers.", 49_152)
def _():
    return cased().layer[0].attention.W_Q.weight[:64].numel()


@claim("L-3.3.2-twelve-heads", "bert", "49,152 · 12 = 589,824.", 589_824)
def _():
    return 49_152 * 12


@claim("L-3.3.2-value-factors", "bert", "The value map is two matrices, 768 × 64 and 64 × 768.", [[768, 64], [64, 768]])
def _():
    return [list(factor.shape) for factor in cased().layer[0].attention.value_map(0)]


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
    note="15 % of the 17 tokens, special ones counted, is 2.55, which BERT's own program rounds to 3 (it never chooses the special ones).",
)
def _():
    return round(0.15 * len(tokenizer().encode(MAJESTIC, PICTURES).tokens))


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
    note="22,268,928, so 22M, as L 3.2.3 says. The 23M come from rounding the vocabulary to 30k before multiplying.",
)
def _():
    return count(cased().embeddings.tokens)


@claim(
    "L-4.2-position-values",
    "positions",
    "512 positional vectors of length 768 make around 39k values.",
    39_000,
    tolerance=500,
    verdict=FAILS,
    note="A zero was lost: 512 · 768 = 393,216, about 390k.",
)
def _():
    return count(cased().embeddings.positions)


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


@claim("L-4.2-segment-dot", "embeddings", "Norms 0.70, 0.72 and cosine −0.065 of the two segment vectors give the dot product", -0.033)
def _():
    return 0.70 * 0.72 * -0.065


@claim("L-4.2-segment-distance", "embeddings", "and the Euclidean distance", 1.04)
def _():
    return (0.70**2 + 0.72**2 - 2 * 0.70 * 0.72 * -0.065) ** 0.5


def segments():
    return bert("bert-base-cased").embeddings.segments.weight.detach()


claim(
    "L-4.2-segment-norms",
    "embeddings",
    "The two segment vectors have norms 0.70 and 0.72.",
    [0.70, 0.72],
    tolerance=0.005,
    needs="bert-base-cased",
    verdict=OPEN,
)(lambda: segments().norm(dim=1))


@claim("L-4.2-segment-cosine", "embeddings", "Their cosine similarity.", -0.065, needs="bert-base-cased", verdict=OPEN)
def _():
    first, second = segments()
    return (first @ second) / (first.norm() * second.norm())


@claim(
    "L-4.2-position-norms",
    "positions",
    "The positional vectors' norms are concentrated just below 0.5; their median is",
    0.45,
    tolerance=0.05,
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    return bert("bert-base-cased").embeddings.positions.weight.norm(dim=1).median().detach()


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


@claim("L-4.2.1-ascii", "tokenization", "Ids 106 to 199 are pretty much the ASCII characters: as many as are visible.", 94)
def _():
    return sum(chr(code).isprintable() and chr(code) != " " for code in range(128))


@claim(
    "L-4.2.1-ids",
    "tokenization",
    "The ids of [PAD], [UNK], [CLS], [SEP], [MASK], the, of, and.",
    [0, 100, 101, 102, 103, 1103, 1104, 1105],
    needs="bert-base-cased",
    verdict=OPEN,
    note="The uncased vocabulary has the same special ids, 995 [unused] up to 998, 68 ASCII characters (no capitals) from 999, other "
    "characters up to 1995, and the, of, and at 1996 to 1998.",
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
    note="They continue a word, and only the last one ends it: ##ren, ##di and ##pit stand in the middle of “serendipitous”.",
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


# --- L 4.2.3 The positional encoding vectors -----------------------------------------------------------------------


@claim("L-4.2.3-384", "positions", "384 = 256 + 128 = 768 / 2.", [384, 384])
def _():
    return [256 + 128, 768 // 2]


@claim("L-4.2.3-last-128", "positions", "Positions 384 to 511 are 128.", 128)
def _():
    return len(range(384, 512))


@claim(
    "L-4.2.3-509",
    "positions",
    "A projection to 3 dimensions ignores 509 of the 512 that 512 vectors can span.",
    509,
    note="For all 512. Figure 19 shows 383 of them, which span 382 dimensions around their mean: there it ignores 379.",
)
def _():
    return 512 - 3


@claim(
    "L-4.2.3-30-percent",
    "positions",
    "The three leading principal components hold around 30 % of the positions' variance.",
    0.30,
    tolerance=0.05,
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    import torch

    P = bert("bert-base-cased").embeddings.positions.weight.detach()
    variances = torch.linalg.svdvals(P - P.mean(0)) ** 2
    return variances[:3].sum() / variances.sum()


@claim(
    "L-4.2.3-22-tokens",
    "positions",
    "The helix of positions 1 to 383 goes round about once in 22 positions.",
    22,
    tolerance=2,
    needs="bert-base-cased",
    verdict=OPEN,
)
def _():
    return helix_period(bert("bert-base-cased").embeddings.positions.weight[1:384].detach())


def helix_period(P):
    """Positions per turn: the strongest frequency of the vectors' first three principal coordinates."""
    import torch

    U, S, _ = torch.linalg.svd(P - P.mean(0), full_matrices=False)
    coordinates = U[:, :3] * S[:3]  # (n, 3)
    power = torch.fft.rfft(coordinates - coordinates.mean(0), n=8192, dim=0).abs().square().sum(1)
    power[: 8192 // 100] = 0  # a turn of more than 100 positions is the helix's axis
    return 8192 / power.argmax()
