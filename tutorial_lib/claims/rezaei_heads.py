"""R 9-10: many heads, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.tools import bert_base


@claim(
    "R-9.2-partition",
    "heads",
    "W^Q is d_model × d_k and is cut into h blocks of d_model × d_k; here for BERT.",
    [768, 64],
    verdict=FAILS,
    note="The blocks have that shape, so the whole is h times as wide: d_model × h d_k, 768 × 768. A 768 × "
    "64 matrix cannot be cut into 12 equal blocks at all.",
)
def _():
    return list(bert_base().layer[0].attention.W_Q.weight.T.shape)


@claim(
    "R-9.2-equation-42",
    "heads",
    "head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V), where Q = X W^Q as just defined; so 7 × 64 times 768 × "
    "64 can be multiplied.",
    True,
    verdict=FAILS,
    note="R's next paragraph says what is meant: the letters stand for the input, Q = K = V = X, and head i "
    "computes X W_i^Q.",
)
def _():
    import torch

    Q, W_i = torch.zeros(7, 64), torch.zeros(768, 64)
    return Q.shape[1] == W_i.shape[0]


@claim(
    "R-9.2-per-head",
    "heads",
    "With Q_i = X W_i^Q, K_i = X W_i^K, V_i = X W_i^V, the heads' outputs are concatenated and multiplied "
    "by W^O.",
    True,
)
def _():
    import torch

    from tutorial_lib.attention import MultiHeadAttention, attention

    mha, X = MultiHeadAttention(12, 3).double(), torch.randn(7, 12).double()
    parts = [
        [X @ W.weight[4 * i : 4 * i + 4].T + W.bias[4 * i : 4 * i + 4] for W in (mha.W_Q, mha.W_K, mha.W_V)]
        for i in range(3)
    ]
    concat = torch.cat([attention(Q, K, V)[0] for Q, K, V in parts], dim=-1)  # (7, 12)
    return torch.allclose(concat @ mha.W_O.weight.T + mha.W_O.bias, mha(X)[0], atol=1e-12)


@claim("R-9.2-output-matrix", "heads", "W^O is h d_k × d_model.", [768, 768])
def _():
    attention = bert_base().layer[0].attention
    return [attention.n_heads * attention.d_k, attention.W_O.weight.shape[0]]


@claim("R-9.2-bert-heads", "heads", "BERT-base has 12 layers × 12 heads = 144 heads.", 144)
def _():
    return sum(layer.attention.n_heads for layer in bert_base().layer)


@claim("R-9.2-bert-d-k", "heads", "d_k = 768 / 12 = 64.", 64)
def _():
    return bert_base().layer[0].attention.d_k


@claim("R-9.2-distilbert-heads", "heads", "DistilBERT has 6 layers × 12 heads = 72 heads.", 72)
def _():
    return sum(layer.attention.n_heads for layer in bert_base(n_layers=6).layer)


@claim("R-9.2-distilbert-d-k", "heads", "DistilBERT's heads too have d_k = 64.", 64)
def _():
    return bert_base(n_layers=6).layer[0].attention.d_k


@claim(
    "R-9.2-no-explosion",
    "heads",
    "Splitting d_model across the heads does not add parameters.",
    True,
    note="12 heads of 64 have as many parameters as one head of 768; 12 heads of 768 would have twelve "
    "times as many.",
)
def _():
    import torch

    from tutorial_lib.attention import MultiHeadAttention

    with torch.device("meta"):
        counts = [sum(p.numel() for p in MultiHeadAttention(768, h).parameters()) for h in (1, 12)]
    return counts[0] == counts[1]


def seven_tokens():
    """BERT-base's attention, without weights, on a sentence of 7 tokens: the shapes of what it computes."""
    import torch

    from tutorial_lib.trace import Trace

    trace = Trace()
    bert_base().layer[0].attention(torch.zeros(7, 768, device="meta"), keep=trace)
    return {name: list(value.shape) for name, value in trace.items()}


@claim("R-9.3-head", "heads", "Each head outputs a 7 × 64 matrix, and there are 12.", [12, 7, 64])
def _():
    return seven_tokens()["heads"]


@claim("R-9.3-concat", "heads", "Concatenated: 7 × 768.", [7, 768])
def _():
    return seven_tokens()["concat"]


@claim("R-9.3-output-matrix", "heads", "W^O is 768 × 768.", [768, 768])
def _():
    return list(bert_base().layer[0].attention.W_O.weight.shape)


@claim(
    "R-9.3-isolated",
    "heads",
    "Without W^O, the first 64 coordinates hold only what head 1 found, and so on.",
    True,
)
def _():
    import torch

    from tutorial_lib.attention import MultiHeadAttention

    mha, heads = MultiHeadAttention(768, 12), torch.randn(12, 7, 64)
    return all(torch.equal(mha.join(heads)[:, 64 * i : 64 * i + 64], heads[i]) for i in range(12))


@claim("R-10.1-layers", "heads", "BERT-base has 12 layers.", 12)
def _():
    return len(bert_base().layer)


claim(
    "R-10.1-large",
    "heads",
    "BERT-large has 24 layers.",
    24,
    needs="BERT-large",
    verdict=OPEN,
    note="As its authors say; this book has no copy of it.",
)(None)


@claim(
    "R-10-layer-groups",
    "heads",
    "Layers 1-2, 3-6 and 7-12 together are all layers of BERT-base, each once.",
    True,
)
def _():
    groups = [*range(1, 3), *range(3, 7), *range(7, 13)]
    return groups == [i + 1 for i in range(len(bert_base().layer))]


@claim(
    "R-10.5-adjacent",
    "heads",
    "In “The artist painted the portrait”, the pairs of neighbors are these.",
    ["The artist", "artist painted", "painted the", "the portrait"],
)
def _():
    words = "The artist painted the portrait".split()
    return [f"{a} {b}" for a, b in zip(words, words[1:])]
