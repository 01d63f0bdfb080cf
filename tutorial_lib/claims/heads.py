"""R 9-10, L 3.2.1 and 3.2.5-3.2.8: many heads, masks and cross-attention, recomputed."""

import torch
from torch import nn

from tutorial_lib.attention import MultiHeadAttention, attention, causal_mask, softmax
from tutorial_lib.bert import Bert
from tutorial_lib.claims.claim import FAILS, ITSELF, READING, claims_of
from tutorial_lib.claims.quotes import BEAR
from tutorial_lib.claims.tools import (
    bert,
    bert_attention,
    bert_base,
    original,
    published,
    random_attention,
    refuses,
    tokenizer,
    trace,
)
from tutorial_lib.texts import load_texts

claim = claims_of("heads")

# --- R 9-10 Many heads ---------------------------------------------------------------------------------------------

claim("R-9.2-partition", "W^Q is d_model × d_k and is cut into h blocks of d_model × d_k; here for BERT.", [768, 64],
      lambda: list(bert_attention().W_Q.weight.T.shape), verdict=FAILS,
      note="The blocks have that shape, so the whole is h times as wide: d_model × h d_k, 768 × 768. A 768 × 64 matrix "
           "cannot be cut into 12 equal blocks at all.")

claim("R-9.2-equation-42", "head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V), where Q = X W^Q as just defined; so 7 × 64 "
      "times 768 × 64 can be multiplied.", True,
      lambda: not refuses(torch.matmul, torch.zeros(7, 64), torch.zeros(768, 64)), kind=ITSELF, verdict=FAILS,
      note="R's next paragraph says what is meant: the letters stand for the input, Q = K = V = X, and head i computes "
           "X W_i^Q.")


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


claim("R-9.2-output-matrix", "W^O is h d_k × d_model (here: of BERT, transposed as torch keeps it).", True,
      lambda: list(bert_attention().W_O.weight.T.shape), expected=[12 * 64, 768])

claim("R-9.2-bert-heads", "BERT-base has 12 layers × 12 heads = 144 heads.", 144,
      lambda: sum(layer.attention.n_heads for layer in bert_base().layer), kind=READING)

claim("R-9.2-bert-d-k", "d_k = 768 / 12 = 64.", 64, lambda: bert_attention().d_k)


@claim("R-9.2-no-explosion", "Splitting d_model across the heads does not add parameters.", True,
       note="12 heads of 64 have as many parameters as one head of 768; 12 heads of 768 would have twelve times as "
            "many.")
def _():
    with torch.device("meta"):
        counts = [sum(p.numel() for p in MultiHeadAttention(768, h).parameters()) for h in (1, 12)]
    return counts[0] == counts[1]


def seven_tokens():
    """The shapes of what BERT-base's heads put out for a sentence of 7 tokens: head by head, and side by side."""
    part, X = bert_attention(), torch.zeros(7, 768, device="meta")
    heads, _ = attention(*(part.split(W(X)) for W in (part.W_Q, part.W_K, part.W_V)))
    return list(heads.shape), list(part.join(heads).shape)


claim("R-9.3-head", "Each head outputs a 7 × 64 matrix, and there are 12.", [12, 7, 64], lambda: seven_tokens()[0])

claim("R-9.3-concat", "Concatenated: 7 × 768.", [7, 768], lambda: seven_tokens()[1])

claim("R-9.3-output-matrix", "W^O is 768 × 768.", [768, 768], lambda: list(bert_attention().W_O.weight.shape))


@claim("R-9.3-isolated", "Without W^O, the first 64 coordinates hold only what head 1 found, and so on.", True)
def _():
    mha, heads = MultiHeadAttention(768, 12), torch.randn(12, 7, 64)
    return all(torch.equal(mha.join(heads)[:, 64 * i : 64 * i + 64], heads[i]) for i in range(12))


claim("R-10.1-layers", "BERT-base has 12 layers.", 12, lambda: len(bert_base().layer), kind=READING)

claim("R-10.1-large", "BERT-large has 24 layers.", 24,
      lambda: len(published("bert-large-uncased").layer), kind=READING)

# What R 10 says of BERT-base's layers 1-2, 3-6 and 7-12 is asked of the default model's 6 layers, third by third.
EARLY, MIDDLE, DEEP = slice(0, 2), slice(2, 4), slice(4, 6)

ARTIST = "The artist painted the portrait"


def weights(text, model=None):
    """The attention of all heads on a text, (n_layers, n_heads, n, n); None: the default model's."""
    kept = trace(text) if model is None else model.trace(**tokenizer().batch([text]).inputs)
    return torch.stack([value[0] for name, value in kept.items() if name.endswith("attention.weights")])


def gives_most(A, i, tokens):
    """In which heads token i gives these tokens more than any other but itself, (n_layers, n_heads)."""
    others = A[..., i, :].clone()
    others[..., i] = 0
    return (others.topk(len(tokens), -1).indices.sort(-1).values == torch.tensor(tokens)).all(-1)


def follows(pairs, text=ARTIST):
    """The heads in which each first word looks at its second more than at any other word: (layer, head) pairs."""
    A = weights(text)[..., 1:-1, 1:-1]  # between words: [CLS] and [SEP] are left out
    return torch.stack([gives_most(A, i, [j]) for i, j in pairs]).all(0).nonzero().tolist()


def neighbor_shares():
    """The mean weight that tokens give to the one before and the one after, (n_layers,)."""
    found = []
    for text in load_texts("documents")[:12]:
        A = weights(text)
        found.append((A.diagonal(1, -2, -1).mean(-1) + A.diagonal(-1, -2, -1).mean(-1)).mean(1))
    return torch.stack(found).mean(0)


claim("R-10.1-local", "Early layers focus on local patterns, later ones less (here: the mean weight on the two "
      "neighbors, early against deep, on a dozen sentences).", True,
      lambda: bool((local := neighbor_shares())[EARLY].mean() > local[DEEP].mean()),
      note="0.28, 0.23 and 0.22 by thirds.")

claim("R-10.2-subject-verb", "In the early layers, a head makes “artist” attend strongly to “painted” (here: with more "
      "than half of its weight).", True, lambda: bool(weights(ARTIST)[EARLY, :, 2, 3].max() > 0.5),
      note="0.52, in layer 0.")

claim("R-10.2-adjacent",
      "Some early heads attend primarily to adjacent tokens (here: nine tenths of the weight, on the bear sentence).",
      True, lambda: bool(weights(BEAR)[EARLY].diagonal(-1, -2, -1).mean(-1).max() > 0.9),
      note="Layer 0, head 2 gives 0.999 to the token before.")

claim("R-10.2-the-artist",
      "“the” attends strongly to “artist” (here: in an early head, with more than half of its weight).", True,
      lambda: bool(weights(ARTIST)[EARLY, :, 1, 2].max() > 0.5), note="0.84, in layer 1.")

GRAMMAR = [(0, 1), (1, 2), (2, 4), (3, 4)]  # the artist, artist painted, painted portrait, the portrait

claim("R-10.2-syntax-early", "Syntactic structure is learned in the early layers (here: the layers with a head that "
      "follows the grammar of R 10.5).", True, lambda: sorted({layer for layer, _ in follows(GRAMMAR)}),
      expected=[0, 1], verdict=FAILS,
      note="They are layers 3 and 5 of 0 to 5. Of BERT too, others report syntax mainly in the middle layers (Rogers "
           "et al. 2020). One sentence is little evidence either way.")

PERSONS = {"The artist painted the portrait. She was talented": 1, "The king sold the castle. He was poor": 1,
           "The portrait pleased the artist. She was talented": 4, "The castle pleased the king. He was happy": 4}

claim("R-10.3-coreference", "A middle head makes “She” attend to “artist” in “The artist painted the portrait. She was "
      "talented.” (here: one head, more than to any other word, in four such sentences, the person first or last).",
      True, lambda: bool(torch.stack([gives_most(weights(text)[MIDDLE, ..., 1:-1, 1:-1], 6, [person])
                                      for text, person in PERSONS.items()]).all(0).any()),
      note="One of 24: layer 2, head 5; by chance, 0.006 would. In R's sentence alone 4 do; by chance, 3 would.")

claim("R-10.3-roles", "A middle head connects agent, action and patient: artist, painted and portrait (here: “painted” "
      "gives the two nouns more than the other words).", True,
      lambda: bool(gives_most(weights(ARTIST)[MIDDLE, ..., 1:-1, 1:-1], 2, [1, 4]).any()))

VAN_GOGH = "Vincent van Gogh painted the Starry Night."


@claim("R-10.3-entity", "Heads that attend between words of one name emerge in middle layers (here: the third of the "
       "layers with the head whose “Vincent”, “van” and “Gogh” give each other most).", True, expected="middle",
       verdict=FAILS,
       note="Layer 0 has the clearest one, with 0.67 of the weight; the best of the middle layers gives 0.39.")
def _():
    A = weights(VAN_GOGH)[..., 1:4, 1:4]
    shares = (A.sum((-1, -2)) - A.diagonal(0, -2, -1).sum(-1)) / 3  # (n_layers, n_heads)
    return ("early", "middle", "deep")[shares.amax(1).argmax() // 2]


claim("R-10.3-painting", "A middle head might connect painter and painting (here: give “Starry Night” more than its "
      "share of the tokens, when asked from “Gogh”).", True,
      lambda: bool(weights(VAN_GOGH)[MIDDLE, :, 3, 6:9].sum(-1).max() > 3 / 11), verdict=FAILS,
      note="0.16 at most. A head of the last layer does, with 0.61.")


@claim("R-10.4-learned", "The roles are not hard-coded but learned (here: with random weights, no head gives any word "
       "more than half of its weight).", True)
def _():
    untrained = Bert(bert().config)
    for parameter in untrained.parameters():
        if parameter.dim() == 2:
            parameter.normal_(std=0.02)  # as BERT starts
    return bool(weights(ARTIST, untrained.eval()).max() < 0.5 < weights(ARTIST).max())


claim("R-10-layer-groups", "Layers 1-2, 3-6 and 7-12 together are all layers of BERT-base, each once.", True,
      lambda: [*range(1, 3), *range(3, 7), *range(7, 13)] == [*range(1, 13)], kind=ITSELF)

claim("R-10.5-adjacent", "In “The artist painted the portrait”, the pairs of neighbors are these.",
      ["The artist", "artist painted", "painted the", "the portrait"],
      lambda: [f"{a} {b}" for a, b in zip(ARTIST.split(), ARTIST.split()[1:])], kind=READING)

claim("R-10.5-syntactic", "A head follows the grammar: “artist” attends to “painted”, “painted” to “portrait”, “the” "
      "to its nouns (here: some head does, of the default model).", True, lambda: len(follows(GRAMMAR)) > 0,
      note="Two of 72: layer 3, head 1 and layer 5, head 10. By chance, 0.3 heads would.")

claim("R-10.5-positional", "A head attends to the next token: The artist, artist painted, painted the, the portrait.",
      True, lambda: len(follows([(i, i + 1) for i in range(4)])) > 0,
      note="Five of 72. In layer 1, head 8 they get 0.84, 0.47, 0.92 and 0.83.")

claim("R-10.5-semantic", "A head connects the event's three words: “artist” attends to “painted” and “portrait”, "
      "“painted” to “artist” and “portrait”.", True,
      lambda: bool((gives_most(A := weights(ARTIST)[..., 1:-1, 1:-1], 1, [2, 4]) & gives_most(A, 2, [1, 4])).any()),
      note="15 of 72 heads.")


@claim("R-10.5-at-once", "The model has all three perspectives at once (here: there are heads of the first two kinds, "
       "and none is of both).", True)
def _():
    grammar, next_token = ({*map(tuple, follows(pairs))} for pairs in (GRAMMAR, [(i, i + 1) for i in range(4)]))
    return bool(grammar) and bool(next_token) and not grammar & next_token


# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------

claim("L-3.2.1-two-attentions",
      "In the decoder there are two attention layers (here: in an encoder layer and in a decoder layer of torch).",
      True, lambda: [sum(isinstance(part, nn.MultiheadAttention) for part in layer(8, 2).children())
                     for layer in (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)],
      expected=[1, 2], kind=READING)

claim("L-3.2.1-updates",
      "The 18 tokens and K heads make 18 · N updates (here: in the original transformer, with N = 6 blocks).", True,
      lambda: 18 * original().layer[0].attention.n_heads, expected=18 * 6, kind=READING, verdict=FAILS,
      note="It is 18 · K: one update for each token and head, 18 · 8 = 144 in the original. In BERT N and K are both "
           "12, which hides the slip: 216.")

# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------

claim("L-3.2.5-value-shapes", "A value goes through two matrices (here: BERT's).", ["d_model × d_Q", "d_Q × d_model"],
      lambda: [list(factor.shape) for factor in bert_attention().value_map(0)], expected=[[768, 64], [64, 768]])

claim("L-3.2.5-value-parameters", "Two factors need drastically fewer parameters than one d_model × d_model matrix "
      "(here: how many times as many that would have).", True,
      lambda: 768**2 / sum(factor.numel() for factor in bert_attention().value_map(0)), expected=6,
      note="98,304 instead of 589,824 for a head. The price is a rank of at most 64.")


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
    return torch.allclose(mha.head_updates(X)[1], A[1] @ (values @ up), atol=1e-12)  # ours lifts after the sum


claim("L-3.2.6-line-up", "12 · 64 = 768 = d_model.", 768,
      lambda: sum(len(bert_attention().value_map(i)[1]) for i in range(12)))

# --- L 3.2.7 Masked attention and cross-attention ------------------------------------------------------------------

claim("L-3.2.7-minus-infinity", "A score of −∞ gets weight 0 (here: the third of 1, 1, −∞).", True,
      lambda: softmax(torch.tensor([1.0, 1.0, -torch.inf]))[2], expected=0.0)


@claim("L-3.2.7-no-influence", "Masked tokens to the right cannot influence a vector.", True)
def _():
    mha, X = random_attention()
    changed = X.clone()
    changed[4:] += 1
    return torch.equal(mha(X, mask=causal_mask(7))[0][:4], mha(changed, mask=causal_mask(7))[0][:4])


claim("L-3.2.7-training-pairs", "“Karhut ovat karvaisia.” gives four training examples, with these beginnings.",
      ["", "Karhut", "Karhut ovat", "Karhut ovat karvaisia"],
      lambda: [" ".join("Karhut ovat karvaisia .".split()[:i]) for i in range(4)], kind=READING,
      note="The last one has to predict the period. A fifth, the whole sentence, would teach the model to stop.")

claim("L-3.2.7-two-sizes", "In cross-attention the two domains may have vectors of different sizes (here: 9 of size 6 "
      "update 5 of size 8, which keep their shape).", True,
      lambda: list(MultiHeadAttention(8, 2, d_memory=6)(torch.randn(5, 8), memory=torch.randn(9, 6))[0].shape),
      expected=[5, 8])

claim("L-3.2.7-same-d", "Queries and keys must have the same dimension.", True,
      lambda: refuses(attention, torch.zeros(5, 4), torch.zeros(9, 3), torch.zeros(9, 3)))

# --- L 3.2.8 Putting it all together -------------------------------------------------------------------------------


@claim("L-3.2.8-permutation", "Attention maps (E_2, E_0, E_1) to (E'_2, E'_0, E'_1).", True)
def _():
    mha, X = random_attention(3)
    return torch.allclose(mha(X[[2, 0, 1]])[0], mha(X)[0][[2, 0, 1]], atol=1e-12)


claim("L-3.2.8-amount", "Besides the positions, nothing limits how many tokens the network may be given (here: "
      "attention without positions takes 2,000).", True,
      lambda: list(random_attention(2000)[0](random_attention(2000)[1])[0].shape) == [2000, 12])
