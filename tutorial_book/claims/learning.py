"""N 3: what a decoder learns from, recomputed."""

import torch

from tutorial_book.claims.claim import claims_of
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.training import Settings, next_tokens, train

claim = claims_of("learning")


@claim("N-3.1-optimizer", "The optimizer makes the model predict the next token accurately (here: a small decoder, "
       "on a text in which each token tells the next: less than 0.3 of its predictions are right before, and more than "
       "0.9 after 150 steps).", True, expected=[True, True],
       note="Where the text does not tell, no optimizer can.")
def _():
    model = GPT(Config(vocab_size=20, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8))
    text = torch.arange(400) * 7 % 20
    right = [share_right(model, text)]
    with torch.enable_grad():
        train(model, next_tokens(text, context=8, batch_size=4), Settings(n_steps=150, lr=0.03, warmup=10))
    return [right[0] < 0.3, share_right(model, text) > 0.9]


def share_right(model, text):
    """Return how often the best next token is the true one, over the first 8 tokens of a text."""
    return (model(text[:8])[0][0].argmax(-1) == text[1:9]).double().mean().item()
