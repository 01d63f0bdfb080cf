"""N 3: what a decoder learns from, recomputed."""

import torch
from torch import nn
from torch.nn.functional import one_hot

from tutorial_book.claims.claim import claims_of
from tutorial_book.claims.tools import small_gpt
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.training import Settings, next_tokens, train

claim = claims_of("learning")

TOKENS = [7, 3, 9, 1, 4]


class _Adds(nn.Module):
    """A stand-in for a decoder that is sure of one answer after each token: its number plus a step."""

    def __init__(self, step):
        super().__init__()
        self.step = nn.Parameter(torch.tensor(step), requires_grad=False)

    def forward(self, ids, fused=False):
        return 1e3 * one_hot((ids + self.step) % 100, 100).float(), None


@claim("N-3-targets", "In training, tokens 1 to N should predict tokens 2 to N + 1, each its next one (here: on the "
       "text 1, 2, 3, ..., a step of training finds no error in who answers each token with its next one; and in who "
       "answers with the token itself, with the one before, or with the next but one).", True,
       expected=[True, False, False, False], note="And each from all tokens up to its own.")
def _():
    error = next_tokens(torch.arange(1, 90), context=8, batch_size=4)
    return [error(_Adds(step), torch.Generator().manual_seed(0)).item() < 1e-6 for step in (1, 0, -1, 2)]


claim("N-3-at-once", "In one run you make N predictions instead of one (here: the scores after each of five tokens "
      "are those after the text that ends there).", True,
      lambda: all(torch.allclose(small_gpt()(TOKENS[:n])[0][0, -1], small_gpt()(TOKENS)[0][0,
               n - 1]) for n in range(1, 6)))


@claim("N-3.1-optimizer", "The optimizer makes the model predict the next token accurately (here: a small decoder, "
       "on a text in which each token tells the next; the share of right predictions before, at most, and after 150 "
       "steps).", True, expected=[True, True],
       note="Where the text does not tell, no optimizer can.")
def _():
    model = GPT(Config(vocab_size=20, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8))
    text = torch.arange(400) * 7 % 20
    right = [share_right(model, text)]
    with torch.enable_grad():
        train(model, next_tokens(text, context=8, batch_size=4), Settings(n_steps=150, lr=0.03, warmup=10))
    return [right[0] < 0.3, share_right(model, text) > 0.9]


def share_right(model, text):
    """How often the best next token is the true one, over the first 8 tokens of a text."""
    return (model(text[:8])[0][0].argmax(-1) == text[1:9]).double().mean().item()
