"""R 2.2, L 3.2.3 and 4.2: from ids to vectors, recomputed."""

from tutorial_book.claims import tools
from tutorial_book.claims.claim import claims_of

claim = claims_of("embeddings")

# --- R 2.2 Token embeddings ----------------------------------------------------------------------------------------

claim("R-2.2-numbers", "As numbers alone, “cat” and “dog” are unrelated (here: more than a thousand other "
      "ids lie nearer to that of “cat” than that of “dog”).", True,
      lambda: ids_between("cat", "dog") > 1000, note="2,074.")


def ids_between(word, other):
    """Return how many other ids lie nearer to a word's than another word's does."""
    vocab = tools.tokenizer().vocab
    apart = abs(vocab[other] - vocab[word])
    return sum(0 < abs(i - vocab[word]) < apart for i in vocab.values())


claim("R-2.2-cat-dog", "Tokens of similar meaning, such as “cat” and “dog”, have vectors close to each other (here, in "
      "the default model: of the other 30,521 tokens, “dog” is among the 10 nearest to “cat” by cosine).", True,
      lambda: tools.nearest("cat").index("dog") < 10,
      note="It is the 4th. Close is not always similar: “car” is the 9th.")


# --- L 3.2.3 Turning "bear" into a concept -------------------------------------------------------------------------

claim("L-3.2.3-fifth", "The input embeddings, about 22M, are a whole fifth of all the weights.", True,
      lambda: tools.count(tools.cased().embeddings.tokens) / tools.count(tools.cased()), expected=0.2, tolerance=0.01,
      note="20.6 %.")

# --- L 4.2 Embeddings before the encoder ---------------------------------------------------------------------------

claim("L-4.2-input-norms", "The input embeddings' norms lie between 1.0 and 1.75 (here: the share of them that does).",
      [1.0, 1.75], lambda: tools.share_between(1.0, 1.75, tools.bert("bert-base-cased").embeddings.tokens),
      expected=1.0, tolerance=0.05, needs="bert-base-cased",
      note="95 in 100 suffice: L's Table 3 lists 0.85, 0.92 and 1.77.")
