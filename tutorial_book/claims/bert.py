"""R 2.2 and 3, L 3.2 and 3.3: BERT's architecture, its parameters and its training data, recomputed."""


import numpy as np
import torch

from tutorial_book.claims.claim import FAILS, ROUND, claims_of
from tutorial_book.claims.tools import (
    bear_trace,
    bert,
    bert_attention,
    bert_base,
    cased,
    count,
    query_matrix,
    small_bert,
    tokenizer,
    trace,
)
from tutorial_lib.geometry import cosine
from tutorial_lib.positions import sinusoidal
from tutorial_lib.texts import load_texts
from tutorial_lib.training.pretraining import IGNORE, MASK, make_pair, mask_tokens

claim = claims_of("bert")

# --- R 2.2 Token embeddings ----------------------------------------------------------------------------------------

claim("R-2.2-bert-parameters", "BERT-base has 110 million parameters.", 110e6,
      lambda: count(bert_base(mlm=True, nsp=True)), tolerance=ROUND,
      note="110,106,428 with the two heads it was trained with. The encoder with its pooler, which BertModel loads, "
           "has 109,482,240.")

# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------

claim("L-3.2.1-same-shape", "A block turns 18 vectors of d_model numbers into 18 such vectors.", [18, 768],
      lambda: list(bert_base().layer[0](torch.zeros(1, 18, 768, device="meta")).shape[1:]))

claim("L-3.2.1-context", "“The” of “The cat.” and of “The hat.” have different vectors from the first block on (here: "
      "whether they are equal before it, and after it).", True,
      lambda: [torch.equal(*(trace(text)[stop][0, 1] for text in ("The cat.", "The hat.")))
               for stop in ("embeddings.output", "layer.0.output")], expected=[True, False])


@claim("L-3.2.1-residual", "E' = E + Σ ΔE, and then E^A = Normalize(E + E') (here: the largest difference from "
       "what a layer of BERT computes, with random weights).", True, expected=0.0, tolerance=1e-4, verdict=FAILS,
       note="E is added twice. There is one residual connection: E^A = Normalize(E + Σ ΔE), with the bias of W^O in "
            "the sum. That one agrees.")
def _():
    stops = small_bert().trace([range(18)])
    layer = small_bert().layer[0]
    E, update = stops["embeddings.output"], stops["layer.0.attention.output"]
    return (layer.attention_norm(E + (E + update)) - stops["layer.0.attention_norm"]).abs().max()


@claim("L-3.2.1-separately", "The feed-forward network is applied to each embedding separately.", True)
def _():
    X = bear_trace()["layer.0.attention_norm"][0]
    feed_forward = bert().layer[0].feed_forward
    one_by_one = torch.stack([feed_forward(x[None])[0] for x in X])
    return torch.allclose(feed_forward(X), one_by_one, atol=1e-5)


@claim("L-3.2.1-second-norm", "A block's output is Normalize(E^A + FF(E^A)) (here: in the default model's six).", True)
def _():
    stops = bear_trace()
    E_A = [stops[f"layer.{i}.attention_norm"] for i in range(6)]
    return all(torch.allclose(layer.norm(X + layer.feed_forward(X)), stops[f"layer.{i}.output"], atol=1e-5)
               for i, (layer, X) in enumerate(zip(bert().layer, E_A, strict=True)))


claim("L-3.2.1-shape-kept",
      "Each block, and so the encoder, maps a sequence of embeddings to one of the same shape (here: the shapes before "
      "and after each of the default model's six, on the bear sentence).", True,
      lambda: [list(bear_trace()[f"{part}.output"].shape)
               for part in ("embeddings", *(f"layer.{i}" for i in range(6)))], expected=7 * [[1, 20, 384]])

# --- L 3.2.3 Turning "bear" into a concept -------------------------------------------------------------------------

claim("L-3.2.3-parameters", "BERT has about 110M parameters.", 110e6, lambda: count(cased()), tolerance=ROUND,
      note="108,310,272 (cased).")

# --- L 3.2.5 The attention mechanism -------------------------------------------------------------------------------


@claim("L-3.2.5-only-attention", "Only in the attention heads can the vectors of different tokens affect each other.",
       True)
def _():
    bert = small_bert()
    X = torch.randn(1, 6, 16).double()
    only_itself = torch.eye(6, dtype=torch.bool)  # attention that may not look at any other token
    changed = X.clone()
    changed[0, 3] += 1
    same = [bert.layer[0](X, mask) == bert.layer[0](changed, mask) for mask in (None, only_itself)]
    return [part.all(-1)[0].tolist() for part in same] == [6 * [False], [True, True, True, False, True, True]]


# --- L 3.2.8 Putting it all together -------------------------------------------------------------------------------


@claim("L-3.2.8-block", "Each transformer block is completely order agnostic.", True)
def _():
    layer = small_bert().layer[0]
    X = torch.randn(1, 6, 16).double()
    order = [2, 0, 5, 1, 4, 3]
    return torch.allclose(layer(X[:, order]), layer(X)[:, order], atol=1e-12)


# --- L 3.3.1 Overview of the architecture --------------------------------------------------------------------------

claim("L-3.3.1-special", "BERT adds [CLS] at the start and [SEP] at the end of any tokenization (here: to that of an "
      "empty text, and of each of the stories).", True,
      lambda: all(tokenizer().encode(text).tokens == ["[CLS]", *tokenizer().tokenize(text), "[SEP]"]
                  for text in ("", *load_texts("stories"))))


@claim("L-3.3.1-learned", "The positions are learned vectors instead of sinusoidal ones (here: the default model's "
       "vector for a position and the sinusoidal one for it have a cosine of less than 0.1 in size, on average).", True,
       note="0.04, as two vectors by chance in 384 dimensions.")
def _():
    P = bert().embeddings.positions.weight.detach()
    return np.abs(cosine(P, sinusoidal(*P.shape))).mean() < 0.1


claim("L-3.3.1-d-k", "Keys and queries have 64 dimensions, and values are factored through 64.", [64, 64],
      lambda: [bert_attention().d_k, bert_attention().value_map(0)[0].shape[1]])

# --- L 3.3.2 Every parameter of bert-base-cased, counted -----------------------------------------------------------

claim("L-3.3.2-megabytes", "The download takes about 416 Mb.", 416,
      lambda: 4 * sum(count for _, _, count in cased(mlm=True, nsp=True).parameter_table()) / 2**20, tolerance=0.5,
      note="If Mb means MiB (2^20 bytes), and with the two heads that the file holds beside the encoder. BertModel "
           "alone is 413 MiB.")

for name, statement, printed, part in (
    ("input", "Input embeddings.", 22_268_928, "embeddings.tokens"),
    ("position", "Position embeddings.", 393_216, "embeddings.positions"),
    ("segment", "Segment embeddings.", 1_536, "embeddings.segments"),
    ("embedding-norm", "The embeddings' LayerNorm.", 1_536, "embeddings.norm"),
    ("pooler", "The pooler's linear layer.", 590_592, "pooler"),
    ("intermediate", "The parameters of BertIntermediate.", 2_362_368, "layer.0.feed_forward.W_1"),
):
    claim(f"L-3.3.2-{name}", statement, printed, lambda part=part: count(cased().get_submodule(part)))


claim("L-3.3.2-layer", "Each of the 12 layers.", 12 * [7_087_872], lambda: [count(layer) for layer in cased().layer])

claim("L-3.3.2-total", "All parameters of bert-base-cased, all of them trainable.", 108_310_272,
      lambda: sum(parameter.numel() for parameter in cased().parameters() if parameter.requires_grad))

claim("L-3.3.2-norms", "Each normalization layer has 768 weights and 768 biases (here: in BERT's 25).", [768, 768],
      lambda: [[parameter.numel() for parameter in part.parameters()]
               for part in cased().modules() if isinstance(part, torch.nn.LayerNorm)], expected=25 * [[768, 768]])

claim("L-3.3.2-seven-million", "A layer has 7M weights.", 7e6, lambda: count(cased().layer[0]), tolerance=ROUND)

claim("L-3.3.2-attention", "The parameters of BertAttention.", 2_363_904,
      lambda: count(cased().layer[0].attention, cased().layer[0].attention_norm),
      note="Four times 768 · 768 + 768, and a LayerNorm.")

claim("L-3.3.2-output", "The parameters of BertOutput.", 2_361_600,
      lambda: count(cased().layer[0].feed_forward.W_2, cased().layer[0].norm))

claim("L-3.3.2-hidden-biases", "The hidden layer has 768 biases.", 768,
      lambda: cased().layer[0].feed_forward.W_1.bias.numel(), verdict=FAILS, note="One for each hidden neuron.")


@claim("L-3.3.2-attention-lines",
       "The attention's parameters, line by line: query, key, value, dense, LayerNorm, each weight and bias.",
       4 * [589_824, 768] + [768, 768],
       note="As torchinfo prints them with verbose=2; L's code, which prints the summary that summary() has already "
            "printed, shows everything twice.")
def _():
    layer = cased().layer[0]
    parts = layer.attention.W_Q, layer.attention.W_K, layer.attention.W_V, layer.attention.W_O, layer.attention_norm
    return [parameter.numel() for part in parts for parameter in (part.weight, part.bias)]


claim("L-3.3.2-one-head", "A head's query matrix has 64 · 768 = 49,152 numbers.", 49_152,
      lambda: query_matrix(cased().layer[0].attention).numel())

claim("L-3.3.2-value-factors", "The value map is two matrices, 768 × 64 and 64 × 768.", [[768, 64], [64, 768]],
      lambda: [list(factor.shape) for factor in cased().layer[0].attention.value_map(0)])

# --- L 3.3.3 On the training of BERT -------------------------------------------------------------------------------

MAJESTIC, PICTURES = "The bear was majestic.", "We took a lot of pictures of it."

claim("L-3.3.3-pair", "The pair of sentences with its special tokens: one [CLS], two [SEP].",
      f"[CLS] {MAJESTIC} [SEP] {PICTURES}[SEP]", lambda: " ".join(tokenizer().encode(MAJESTIC, PICTURES).tokens),
      expected="[CLS] the bear was majestic . [SEP] we took a lot of pictures of it . [SEP]",
      note="Here in the default model's tokens, which are lower-cased.")

claim("L-3.3.3-segments", "The first segment reaches up to and including the first [SEP], the second has the rest.",
      True, lambda: tokenizer().encode(MAJESTIC, PICTURES).token_type_ids, expected=7 * [0] + 10 * [1])


@claim("L-3.3.3-binary", "Next sentence prediction is a binary classification from [CLS] (here, in book-bert: how many "
       "outcomes, and which of 17 last vectors they depend on).", True, expected=[2, [0]])
def _():
    model = bert("book-bert")
    X = torch.randn(1, 17, 128)
    others = X + torch.eye(17)[:, :, None]  # (17, 17, 128): in text i, vector i is another one
    outcomes, moved = model.nsp(model.pooler(X)), model.nsp(model.pooler(others))
    return [outcomes.shape[-1], [i for i in range(17) if not torch.allclose(moved[i], outcomes[0], atol=1e-4)]]


@claim("L-3.3.3-pairs", "Next sentence prediction combines the halves of texts with the original half or another "
       "(here: of 5,000 pairs, the share that keeps the original one).", True, expected=0.5, tolerance=0.03)
def _():
    generator = torch.Generator().manual_seed(0)
    halves = [[f"{i} first.", f"{i} second."] for i in range(10)]
    pairs = [make_pair(halves, generator) for _ in range(5000)]
    return sum(pair.first.split()[0] == pair.second.split()[0] for pair in pairs) / len(pairs)


@claim("L-3.3.3-shares", "15 % of the tokens are selected; of these 80 % become [MASK], 10 % a random token and 10 % "
       "stay (here: as `mask_tokens` does with a million tokens).", [15, 80, 10, 10], tolerance=0.5,
       note="Of all tokens: 12 % [MASK], 1.5 % a random token, 1.5 % unchanged.")
def _():
    ids = torch.full((1_000_000,), tokenizer().vocab["bear"])
    inputs, labels = mask_tokens(ids, tokenizer(), torch.Generator().manual_seed(0))
    of_selected = inputs[labels != IGNORE]
    masked, same = (of_selected == tokenizer().vocab[MASK]).double(), (of_selected == ids[0]).double()
    shares = len(of_selected) / len(ids), masked.mean(), 1 - (masked + same).mean(), same.mean()
    return [100 * share for share in shares]


@claim("L-3.3.3-guess-all", "Whichever of the three is done, the model has to predict the original word.", True)
def _():
    ids = torch.full((5000,), 4562)
    inputs, labels = mask_tokens(ids, tokenizer(), rate=1.0)
    hidden, kept = inputs == tokenizer().vocab["[MASK]"], inputs == ids
    return all(len(labels[done]) and (labels[done] == 4562).all() for done in (hidden, kept, ~hidden & ~kept))


CHANGED = "[CLS] the [MASK] was majestic duck [SEP] we took [MASK] lot of pictures of it . [SEP]"  # L's, lower-cased


@claim("L-3.3.3-example", "In the example, 15 % of the tokens are changed: [MASK], duck, [MASK] (here: what differs "
       "from the pair's tokens, and how many 15 % are).", True, expected=[["[MASK]", "duck", "[MASK]"], 3],
       note="15 % of the 17 tokens, special ones counted, is 2.55, which BERT's own program rounds to 3 (it never "
            "chooses the special ones).")
def _():
    tokens = tokenizer().encode(MAJESTIC, PICTURES).tokens
    changed = [new for new, old in zip(CHANGED.split(), tokens, strict=True) if new != old]
    return [changed, round(0.15 * len(tokens))]
