"""R 11.6: the vectors of a text in a context, recomputed."""

import torch

from tutorial_lib.claims.claim import FAILS, READING, claims_of
from tutorial_lib.claims.quotes import LOVE
from tutorial_lib.claims.tools import PUBLISHED, bert, bert_base, tokenizer

claim = claims_of("context")

# --- R 11.6 Extracting contextualized embeddings -------------------------------------------------------------------

claim("R-11.6-batch", "With the batch dimension, the ids have shape (1, 4).", [1, 4],
      lambda: list(torch.tensor([[tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]]).shape))


@claim("R-11.6-shape", "last_hidden_state has shape (1, 4, 768).", [1, 4, 768],
       note="This code gives the model no [CLS] and no [SEP], which it saw in all of its training; that of 11.7 does.")
def _():
    ids = [tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]
    X = bert_base().layer[0](torch.zeros(1, len(ids), 768, device="meta"))  # each layer gives the shape that it got
    return list(X.shape)


claim("R-11.6-hidden-states",
      "The outputs include the hidden states of all layers (here: as the model's configuration has it).", True,
      lambda: PUBLISHED["bert-base-uncased"].get("output_hidden_states", False), kind=READING, verdict=FAILS,
      note="Only with output_hidden_states=True, in the call or in the configuration; it is not there by default, and "
           "R's code does not ask for it.")

FIRST_TEN = {
    "i": [0.0648, 0.3697, 0.0214, 0.0242, -0.2595, 0.0748, 0.3394, 0.0936, -0.2900, -0.3007],
    "love": [0.4542, 0.9776, 0.3335, -0.0131, -0.0401, -0.1888, 0.4279, -0.0346, -0.2702, -0.5418],
    "mathematics": [0.0373, 1.0036, 0.0657, -0.0548, 0.0196, -0.1038, 0.2634, 0.1846, -0.4612, -0.2633],
    "!": [0.1830, 0.9067, 0.3583, -0.0487, -0.2368, -0.2107, 0.6332, -0.0442, -0.4583, -0.3439],
}


def first_ten(position):
    """The first 10 numbers of a token of R's sentence, which R gives to the model without [CLS] and [SEP]."""
    ids = [tokenizer().vocab[token] for token in tokenizer().tokenize(LOVE)]
    return bert("bert-base-uncased")([ids])[0, position, :10]


for position, (token, values) in enumerate(FIRST_TEN.items()):
    claim(f"R-11.6-values-{token}", f"The first 10 of the 768 numbers of “{token}”.", values,
          lambda position=position: first_ten(position), needs="bert-base-uncased", tolerance=0.0002)


@claim("R-11.6-contextual", "“love” has another vector in “I love physics!” than in “I love mathematics!”.", True,
       note="The default model gives the two vectors a cosine of 0.93: near, not equal.")
def _():
    X = bert()(**tokenizer().batch(["I love mathematics!", "I love physics!"]).inputs)  # (2, 6, d_model)
    return torch.cosine_similarity(X[0, 2], X[1, 2], dim=0) < 0.99


@claim("R-11.6-static", "A static embedding of “love” is the same in both sentences.", True)
def _():
    tokens = bert().trace(**tokenizer().batch(["I love mathematics!", "I love physics!"]).inputs)["embeddings.tokens"]
    return torch.equal(tokens[0, 2], tokens[1, 2])
