"""R 2: from text to vectors, recomputed."""

from tutorial_lib.claims.claim import FAILS, OPEN, claim
from tutorial_lib.claims.tools import bert_base, nearest, small_bert, tokenizer

MODELS = "Transformers are powerful models"

# --- R 2.1 Tokenization --------------------------------------------------------------------------------------------


@claim(
    "R-2.1-word-split",
    "tokenization",
    "“Transformers are powerful models” can be split into four words.",
    ["Transformers", "are", "powerful", "models"],
)
def _():
    return MODELS.split()


@claim(
    "R-2.1-learning",
    "tokenization",
    "The word “learning” can be represented as “learn” and “ing”.",
    ["learn", "ing"],
    verdict=FAILS,
    note="BERT has “learning” as one token, id 4083: R's own list in 11.5 uses it. Frequent words stay "
    "whole. A piece that continues a word would be written ##ing; “serendipitous” shows such pieces.",
)
def _():
    return tokenizer().tokenize("learning")


@claim(
    "R-2.1-character-length",
    "tokenization",
    "One token for each character gives much longer sequences than one for each word.",
    True,
    note="32 characters against 4 words.",
)
def _():
    return len(MODELS) > 4 * len(MODELS.split())


# --- R 2.2 Token embeddings ----------------------------------------------------------------------------------------


@claim(
    "R-2.2-index-range",
    "embeddings",
    "A token has an index i from 1 to |V|, here 30,522.",
    [1, 30522],
    verdict=FAILS,
    note="Ids start at 0: in R's own lists (11.4) the padding token [PAD] is 0. Row 0 of the embedding "
    "matrix exists, row |V| does not.",
)
def _():
    ids = sorted(tokenizer().vocab.values())
    return [ids[0], ids[-1]]


@claim(
    "R-2.2-row-look-up",
    "embeddings",
    "The embedding of a token is a row of E, and a sequence of n tokens gives an n × d_model matrix of such "
    "rows.",
    True,
)
def _():
    import torch

    bert, ids = small_bert(), [3, 1, 4, 1, 5]
    X_tok = bert.trace([ids])["embeddings.tokens"][0]  # (n, d_model)
    return torch.equal(X_tok, torch.stack([bert.embeddings.tokens.weight[i] for i in ids]))


@claim(
    "R-2.2-cat-dog",
    "embeddings",
    "Tokens of similar meaning, such as “cat” and “dog”, have vectors close to each other.",
    True,
    note="In the default model “dog” is the 4th nearest of the other 30,521 tokens to “cat”, by cosine. Close is "
    "not always similar: “car” is the 9th.",
)
def _():
    return nearest("cat").index("dog") < 10


@claim("R-2.2-bert-layers", "bert", "BERT-base has 12 layers.", 12)
def _():
    return len(bert_base().layer)


@claim(
    "R-2.2-bert-parameters",
    "bert",
    "BERT-base has 110 million parameters.",
    110e6,
    tolerance=0.5e6,
    note="110,106,428 with the two heads it was trained with (uncased vocabulary). The encoder with its "
    "pooler, which BertModel loads, has 109,482,240.",
)
def _():
    return sum(count for _, _, count in bert_base(mlm=True, nsp=True).parameter_table())


@claim("R-2.2-distilbert-layers", "bert", "DistilBERT has 6 layers, half of BERT's.", 6)
def _():
    return len(bert_base().layer) // 2


@claim(
    "R-2.2-distilbert-parameters",
    "bert",
    "DistilBERT has 66 million parameters.",
    66e6,
    tolerance=0.5e6,
    note="66,362,880: tokens, positions, one LayerNorm and 6 layers; no segments, no pooler.",
)
def _():
    return distilbert_parameters()


def distilbert_parameters():
    """The parameters that DistilBERT keeps of a BERT with 6 layers: all but segment embeddings and pooler."""
    table = bert_base(n_layers=6).parameter_table()
    return sum(count for name, _, count in table if not name.startswith(("embeddings.segments", "pooler")))


claim(
    "R-2.2-distilbert-97",
    "bert",
    "DistilBERT keeps about 97 % of BERT's performance.",
    0.97,
    needs="DistilBERT, BERT and the GLUE benchmark",
    verdict=OPEN,
    note="The figure of DistilBERT's authors, on the nine tasks of GLUE.",
)(None)
