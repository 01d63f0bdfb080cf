"""R 9-10, L 3.2.1 and 3.2.5-3.2.8: many heads, masks and cross-attention, recomputed."""

import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention, attention, causal_mask, softmax
from tutorial_lib.claims.claim import FAILS, claims_of
from tutorial_lib.claims.tools import bert_base, original, random_attention
from tutorial_lib.trace import Trace

claim = claims_of("heads")

# --- R 9-10 Many heads ---------------------------------------------------------------------------------------------

claim("R-9.2-partition", "W^Q is d_model × d_k and is cut into h blocks of d_model × d_k; here for BERT.", [768, 64],
      lambda: list(bert_base().layer[0].attention.W_Q.weight.T.shape), verdict=FAILS,
      note="The blocks have that shape, so the whole is h times as wide: d_model × h d_k, 768 × 768. A 768 × 64 matrix "
           "cannot be cut into 12 equal blocks at all.")


@claim("R-9.2-equation-42", "head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V), where Q = X W^Q as just defined; so 7 × 64 "
       "times 768 × 64 can be multiplied.", True, verdict=FAILS,
       note="R's next paragraph says what is meant: the letters stand for the input, Q = K = V = X, and head i "
            "computes X W_i^Q.")
def _():
    Q, W_i = torch.zeros(7, 64), torch.zeros(768, 64)
    return Q.shape[1] == W_i.shape[0]


@claim("R-9.2-per-head",
       "With Q_i = X W_i^Q, K_i = X W_i^K, V_i = X W_i^V, the heads' outputs are concatenated and multiplied by W^O.",
       True)
def _():
    mha, X = MultiHeadAttention(12, 3).double(), torch.randn(7, 12).double()
    parts = [
        [X @ W.weight[4 * i : 4 * i + 4].T + W.bias[4 * i : 4 * i + 4] for W in (mha.W_Q, mha.W_K, mha.W_V)]
        for i in range(3)
    ]
    concat = torch.cat([attention(Q, K, V)[0] for Q, K, V in parts], dim=-1)  # (7, 12)
    return torch.allclose(concat @ mha.W_O.weight.T + mha.W_O.bias, mha(X)[0], atol=1e-12)


@claim("R-9.2-output-matrix", "W^O is h d_k × d_model.", [768, 768])
def _():
    attention = bert_base().layer[0].attention
    return [attention.n_heads * attention.d_k, attention.W_O.weight.shape[0]]


claim("R-9.2-bert-heads", "BERT-base has 12 layers × 12 heads = 144 heads.", 144,
      lambda: sum(layer.attention.n_heads for layer in bert_base().layer))

claim("R-9.2-bert-d-k", "d_k = 768 / 12 = 64.", 64, lambda: bert_base().layer[0].attention.d_k)

claim("R-9.2-distilbert-heads", "DistilBERT has 6 layers × 12 heads = 72 heads.", 72,
      lambda: sum(layer.attention.n_heads for layer in bert_base(n_layers=6).layer))

claim("R-9.2-distilbert-d-k", "DistilBERT's heads too have d_k = 64.", 64,
      lambda: bert_base(n_layers=6).layer[0].attention.d_k)


@claim("R-9.2-no-explosion", "Splitting d_model across the heads does not add parameters.", True,
       note="12 heads of 64 have as many parameters as one head of 768; 12 heads of 768 would have twelve times as "
            "many.")
def _():
    with torch.device("meta"):
        counts = [sum(p.numel() for p in MultiHeadAttention(768, h).parameters()) for h in (1, 12)]
    return counts[0] == counts[1]


def seven_tokens():
    """BERT-base's attention, without weights, on a sentence of 7 tokens: the shapes of what it computes."""
    trace = Trace()
    bert_base().layer[0].attention(torch.zeros(7, 768, device="meta"), keep=trace)
    return {name: list(value.shape) for name, value in trace.items()}


claim("R-9.3-head", "Each head outputs a 7 × 64 matrix, and there are 12.", [12, 7, 64],
      lambda: seven_tokens()["heads"])

claim("R-9.3-concat", "Concatenated: 7 × 768.", [7, 768], lambda: seven_tokens()["concat"])

claim("R-9.3-output-matrix", "W^O is 768 × 768.", [768, 768],
      lambda: list(bert_base().layer[0].attention.W_O.weight.shape))


@claim("R-9.3-isolated", "Without W^O, the first 64 coordinates hold only what head 1 found, and so on.", True)
def _():
    mha, heads = MultiHeadAttention(768, 12), torch.randn(12, 7, 64)
    return all(torch.equal(mha.join(heads)[:, 64 * i : 64 * i + 64], heads[i]) for i in range(12))


claim("R-10.1-layers", "BERT-base has 12 layers.", 12, lambda: len(bert_base().layer))

claim("R-10.1-large", "BERT-large has 24 layers.", 24, needs="BERT-large",
      note="As its authors say; this book has no copy of it.")


@claim("R-10-layer-groups", "Layers 1-2, 3-6 and 7-12 together are all layers of BERT-base, each once.", True)
def _():
    groups = [*range(1, 3), *range(3, 7), *range(7, 13)]
    return groups == [i + 1 for i in range(len(bert_base().layer))]


@claim("R-10.5-adjacent", "In “The artist painted the portrait”, the pairs of neighbors are these.",
       ["The artist", "artist painted", "painted the", "the portrait"])
def _():
    words = "The artist painted the portrait".split()
    return [f"{a} {b}" for a, b in zip(words, words[1:])]


# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------


@claim("L-3.2.1-two-attentions", "An encoder layer has one attention layer, a decoder layer two.", [1, 2])
def _():
    layers = nn.TransformerEncoderLayer(8, 2), nn.TransformerDecoderLayer(8, 2)
    return [sum(isinstance(part, nn.MultiheadAttention) for part in layer.children()) for layer in layers]


claim("L-3.2.1-updates",
      "18 tokens and K heads make 18 · N updates, with N = 6 the number of blocks of the original transformer.", 18 * 6,
      lambda: 18 * original("nhead"), verdict=FAILS,
      note="It is 18 · K: one update for each token and head, 18 · 8 = 144 in the original. In BERT N and K are both "
           "12, which hides the slip: 216.")

# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------

claim("L-3.2.5-value-shapes", "A value goes through d_model × d_Q, then d_Q × d_model.", [[768, 64], [64, 768]],
      lambda: [list(factor.shape) for factor in bert_base().layer[0].attention.value_map(0)])


@claim("L-3.2.5-value-parameters", "Two factors need drastically fewer parameters than one d_model × d_model matrix.",
       True, note="98,304 instead of 589,824 for a head: a sixth. The price is a rank of at most 64.")
def _():
    down, up = bert_base().layer[0].attention.value_map(0)
    return 5 * (down.numel() + up.numel()) < 768 * 768


@claim("L-3.2.5-added", "The heads' updates are formed independently and added up.", True)
def _():
    mha, X = random_attention()
    return torch.allclose(mha.head_updates(X).sum(-3) + mha.W_O.bias, mha(X)[0], atol=1e-12)


# --- L 3.2.6 Multi-head attention ----------------------------------------------------------------------------------


@claim("L-3.2.6-lift-later", "The weighted sum may be taken in d_Q dimensions and lifted after it.", True)
def _():
    mha, X = random_attention()
    _, A = mha(X)  # (3, 7, 7)
    down, up = mha.value_map(1)
    values = X @ down + mha.W_V.bias[4:8]  # (7, 4)
    return torch.allclose((A[1] @ values) @ up, A[1] @ (values @ up), atol=1e-12)


@claim("L-3.2.6-line-up", "12 · 64 = 768 = d_model.", 768)
def _():
    attention = bert_base().layer[0].attention
    return attention.n_heads * attention.d_k


# --- L 3.2.7 Masked attention and cross-attention ------------------------------------------------------------------

claim("L-3.2.7-minus-infinity", "A score of −∞ gets weight 0.", [0.5, 0.5, 0.0],
      lambda: softmax(torch.tensor([1.0, 1.0, -torch.inf])), tolerance=0)


@claim("L-3.2.7-no-influence", "Masked tokens to the right cannot influence a vector.", True)
def _():
    mha, X = random_attention()
    changed = X.clone()
    changed[4:] += 1
    return torch.equal(mha(X, mask=causal_mask(7))[0][:4], mha(changed, mask=causal_mask(7))[0][:4])


@claim("L-3.2.7-training-pairs", "“Karhut ovat karvaisia.” gives four training examples, with these beginnings.",
       ["", "Karhut", "Karhut ovat", "Karhut ovat karvaisia"],
       note="The last one has to predict the period. A fifth, the whole sentence, would teach the model to stop.")
def _():
    tokens = ["Karhut", "ovat", "karvaisia", "."]
    return [" ".join(tokens[:i]) for i in range(len(tokens))]


@claim("L-3.2.7-two-sizes", "In cross-attention the two domains may have vectors of different sizes.", [5, 8])
def _():
    output, _ = MultiHeadAttention(8, 2, d_memory=6)(torch.randn(5, 8), memory=torch.randn(9, 6))
    return list(output.shape)  # domain 1 keeps its 5 vectors of 8


@claim("L-3.2.7-same-d", "Queries and keys must have the same dimension.", True)
def _():
    try:
        attention(torch.zeros(5, 4), torch.zeros(9, 3), torch.zeros(9, 3))
    except ValueError:
        return True
    return False


# --- L 3.2.8 Putting it all together -------------------------------------------------------------------------------


@claim("L-3.2.8-permutation", "Attention maps (E_2, E_0, E_1) to (E'_2, E'_0, E'_1).", True)
def _():
    mha, X = random_attention(3)
    return torch.allclose(mha(X[[2, 0, 1]])[0], mha(X)[0][[2, 0, 1]], atol=1e-12)


claim("L-3.2.8-quadratic", "The dot products grow as N²: from 128 to 512 tokens by this factor.", 16,
      lambda: (512 * 512) / (128 * 128))
