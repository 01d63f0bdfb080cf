"""R 2.2, L 3.2.1, 3.2.3 and 4.2: from ids to vectors, recomputed."""

import torch

from tutorial_book.claims import tools
from tutorial_book.claims.claim import claims_of

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


# --- L 3.2.3 Turning "bear" into a concept -------------------------------------------------------------------------

claim("L-3.2.3-fifth", "The input embeddings, about 22M, are a whole fifth of all the weights.", True,
      lambda: tools.count(tools.cased().embeddings.tokens) / tools.count(tools.cased()), expected=0.2, tolerance=0.01,
      note="20.6 %.")

# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------

claim("L-4.2-input-norms", "The input embeddings' norms lie between 1.0 and 1.75 (here: the share of them that does).",
      [1.0, 1.75], lambda: tools.share_between(1.0, 1.75, tools.bert("bert-base-cased").embeddings.tokens),
      expected=1.0, tolerance=0.05, needs="bert-base-cased")
