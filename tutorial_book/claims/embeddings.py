"""R 2.2, L 3.2.1, 3.2.3 and 4.2: from ids to vectors, recomputed."""

import torch

from tutorial_book.claims import tools
from tutorial_book.claims.claim import FAILS, ROUND, claims_of
from tutorial_book.claims.quotes import IDS
from tutorial_lib.geometry import cosine
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

claim = claims_of("embeddings")

# --- R 2.2 Token embeddings ----------------------------------------------------------------------------------------

claim("R-2.2-numbers", "As numbers alone, “cat” and “dog” are unrelated (here: thousands of other ids, at least, lie "
      "nearer to that of “cat” than that of “dog”).", True,
      lambda: abs(tools.tokenizer().vocab["cat"] - tools.tokenizer().vocab["dog"]) > 1000)


@claim("R-2.2-row-look-up",
       "The embedding of a token is a row of E, and a sequence of n tokens gives an n × d_model matrix of such rows.",
       True)
def _():
    bert = tools.small_bert()
    ids = [3, 1, 4, 1, 5]
    X_tok = bert.trace([ids])["embeddings.tokens"][0]  # (n, d_model)
    return torch.equal(X_tok, torch.stack([bert.embeddings.tokens.weight[i] for i in ids]))


claim("R-2.2-cat-dog", "Tokens of similar meaning, such as “cat” and “dog”, have vectors close to each other.", True,
      lambda: tools.nearest("cat").index("dog") < 10,
      note="In the default model “dog” is the 4th nearest of the other 30,521 tokens to “cat”, by cosine. Close is not "
           "always similar: “car” is the 9th.")


@claim("R-2.2-output", "The vectors that pre-trained models give out can be used as they are: they capture meaning "
       "(here, on the default model: a text is nearer to its paraphrase than to one with its own words in another "
       "matter, in at least three of four cases).", True, note="26 of 32.")
def _():
    triples = load_texts("paraphrases")
    texts, same, other = (embed(list(column), tools.bert(), tokenizer=tools.tokenizer()) for column in zip(*triples))
    return bool((cosine(texts, same) > cosine(texts, other)).mean() >= 0.75)


# --- L 3.2.1 The bear sentence and the transformer from above ------------------------------------------------------

claim("L-3.2.1-matrix", "There is a matrix of size #(tokenizer vocabulary) × d_model, and a token's input embedding is "
      "the row of its index.", True,
      lambda: torch.equal(tools.bear_trace()["embeddings.tokens"][0, 3],
                          tools.bert().embeddings.tokens.weight[tools.tokenizer().vocab["bear"]]))

claim("L-3.2.1-same-input", "Both “the” have the same input embedding.", True,
      lambda: torch.equal(*tools.bear_trace()["embeddings.tokens"][0, [2, 6]]) and IDS[1] == IDS[5])

claim("L-3.2.1-first-input", "What the first block gets is E_input + POS (here: the largest difference to it, in a "
      "BERT of random weights).", True,
      tools.first_input_error, expected=0.0, tolerance=1e-5, verdict=FAILS,
      note="So it is in the original transformer (which multiplies E_input by √d_model first). BERT adds a segment row "
           "too, and normalizes the sum.")

# --- L 3.2.3 Turning "bear" into a concept -------------------------------------------------------------------------

claim("L-3.2.3-input-parameters", "About 22M of them are input embeddings.", 22e6,
      lambda: tools.count(tools.cased().embeddings.tokens), tolerance=ROUND, note="22,268,928.")

claim("L-3.2.3-fifth", "That is a whole fifth of all the weights.", True,
      lambda: tools.count(tools.cased().embeddings.tokens) / tools.count(tools.cased()), expected=0.2, tolerance=0.01,
      note="20.6 %.")

# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------

claim("L-4.2-input-values", "The matrix of all input embeddings has around 23M values.", 23e6,
      lambda: tools.count(tools.cased().embeddings.tokens), tolerance=ROUND, verdict=FAILS,
      note="22,268,928, so 22M, as L 3.2.3 says. The 23M come from rounding the vocabulary to 30k before multiplying.")

claim("L-4.2-input-norms", "The input embeddings' norms lie between 1.0 and 1.75 (here: the share of them that does).",
      [1.0, 1.75], lambda: tools.share_between(1.0, 1.75, tools.bert("bert-base-cased").embeddings.tokens),
      expected=1.0, tolerance=0.05, needs="bert-base-cased")

# --- L 4.2.2 Pairs of tokens ---------------------------------------------------------------------------------------
