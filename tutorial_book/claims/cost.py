"""L 3.2.8: the terms that grow with the square of the number of tokens, recomputed."""

import torch
from torch.utils.flop_counter import FlopCounterMode

from tutorial_book.claims.claim import ARITHMETIC, claims_of
from tutorial_lib.attention import attention, window_attention

claim = claims_of("cost")


def counted(n, run, backward=False):
    """Return how much run(Q, K, V) multiplies for n tokens with 64 numbers each; backward: only for its gradient."""
    Q, K, V = (torch.zeros(n, 64, requires_grad=True) for _ in range(3))
    with FlopCounterMode(display=False) as counter, torch.enable_grad():
        output = run(Q, K, V)
        forward = counter.get_total_flops()
        if backward:
            output.sum().backward()
    return counter.get_total_flops() - forward if backward else forward


claim("L-3.2.8-quadratic", "The dot products grow as O(N²), and with them the calculations of backpropagation (here: "
      "by which factor those of a head grow, forward and backward, from 128 to 512 tokens).", True,
      lambda: [counted(512, head, backward) / counted(128, head, backward) for backward in (False, True)],
      expected=[16, 16], kind=ARITHMETIC, note="Those of the backward pass are twice as many.")


def head(Q, K, V):
    return attention(Q, K, V)[0]


claim("L-3.2.8-other-mechanisms", "Some other attention mechanisms avoid this growth (footnote 15; here: attention in "
      "a window of 64 tokens on each side, by which factor its multiplications grow from 512 to 2,048 tokens).", True,
      lambda: counted(2048, window) / counted(512, window), expected=4, kind=ARITHMETIC,
      note="Full attention: 16. The window keeps queries, keys and values, and leaves pairs out. One mechanism is "
           "enough for “some”.")


def window(Q, K, V):
    return window_attention(Q, K, V, 64)
