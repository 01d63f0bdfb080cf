"""R 11.6: the vectors of a text in a context, recomputed."""

import torch

from tutorial_book.claims.claim import claims_of
from tutorial_book.claims.quotes import LOVE
from tutorial_book.claims.tools import bert, bert_base, tokenizer, trace

claim = claims_of("context")

# --- R 11.6 Extracting contextualized embeddings -------------------------------------------------------------------


def bare(text):
    """Return a text's ids without those of [CLS] and [SEP], as R 11.6 gives them to the model: (1, n)."""
    return torch.tensor([tokenizer().encode(text).ids[1:-1]])


@claim("R-11.6-shape", "last_hidden_state has shape (1, 4, 768).", [1, 4, 768],
       note="This code gives the model no [CLS] and no [SEP], which it saw in all of its training; that of 11.7 does.")
def _():
    X = bert_base().embeddings.tokens(bare(LOVE).to("meta"))
    for layer in bert_base().layer:
        X = layer(X)
    return list(X.shape)


FIRST_TEN = [
    [0.0648, 0.3697, 0.0214, 0.0242, -0.2595, 0.0748, 0.3394, 0.0936, -0.2900, -0.3007],
    [0.4542, 0.9776, 0.3335, -0.0131, -0.0401, -0.1888, 0.4279, -0.0346, -0.2702, -0.5418],
    [0.0373, 1.0036, 0.0657, -0.0548, 0.0196, -0.1038, 0.2634, 0.1846, -0.4612, -0.2633],
    [0.1830, 0.9067, 0.3583, -0.0487, -0.2368, -0.2107, 0.6332, -0.0442, -0.4583, -0.3439],
]

claim("R-11.6-values", "The first 10 of the 768 numbers of “i”, “love”, “mathematics” and “!”.", FIRST_TEN,
      lambda: bert("bert-base-uncased")(bare(LOVE))[0, :, :10], needs="bert-base-uncased",
      tolerance=0.00006)  # half a unit of the last digit, and the differences of float32 between machines


def of_love(stop):
    """Return the two vectors of “love” at one value of the default model's trace in both sentences."""
    return (trace(text)[stop][0, 2] for text in (LOVE, "I love physics!"))


claim("R-11.6-contextual", "“love” has another vector in “I love physics!” than in “I love mathematics!”; a static "
      "embedding is the same in both (here, in the default model: the cosine of the last two is below 0.99; the first "
      "two are equal).", True,
      lambda: [torch.cosine_similarity(*of_love("layer.5.output"), dim=0) < 0.99,
               torch.equal(*of_love("embeddings.tokens"))],
      expected=[True, True], note="0.93: near, not equal.")
