"""L 3.3.2: every parameter of bert-base-cased, counted."""

from tutorial_lib.claims.claim import FAILS, claim
from tutorial_lib.claims.tools import cased, count


@claim(
    "L-3.3.2-megabytes",
    "bert",
    "The download takes about 416 Mb.",
    416,
    tolerance=0.5,
    note="If Mb means MiB (2^20 bytes), and with the two heads that the file holds beside the encoder. "
    "BertModel alone is 413 MiB.",
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


@claim(
    "L-3.3.2-attention",
    "bert",
    "BertAttention.",
    2_363_904,
    note="Four times 768 · 768 + 768, and a LayerNorm.",
)
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
    note="The sum is 2,360,064. The hidden layer has a bias for each of its 3,072 neurons: 3,072 · 768 + "
    "3,072 = 2,362,368.",
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
    note="As torchinfo prints them with verbose=2; L's code, which prints the summary that summary() has "
    "already printed, shows everything twice.",
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


@claim(
    "L-3.3.2-value-factors",
    "bert",
    "The value map is two matrices, 768 × 64 and 64 × 768.",
    [[768, 64], [64, 768]],
)
def _():
    return [list(factor.shape) for factor in cased().layer[0].attention.value_map(0)]
