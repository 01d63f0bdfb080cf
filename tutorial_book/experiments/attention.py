"""R's worked example: seven tokens in four dimensions, small enough to check with a pencil.

Source: R 5.1-5.3 (eqs. 2-5). The numbers are invented, as R says. W_Q, W_K and W_V count up in steps of 0.1, each
starting 0.1 later than the one before: the attention chapter shows the consequences of this choice.
"""

import torch

TOKENS = ["[CLS]", "The", "artist", "painted", "the", "portrait", "[SEP]"]

X = torch.tensor(
    [
        [1.0, 0.2, 0.3, 0.1],
        [0.3, 0.9, 0.2, 0.4],
        [0.2, 0.1, 0.8, 0.3],
        [0.4, 0.3, 0.2, 0.9],
        [0.1, 0.7, 0.4, 0.2],
        [0.5, 0.2, 0.6, 0.3],
        [0.8, 0.1, 0.2, 0.5],
    ],
    dtype=torch.float64,
)  # (7, 4): one row for each token

STEPS = torch.arange(16, dtype=torch.float64).reshape(4, 4)
W_Q, W_K, W_V = ((STEPS + first) / 10 for first in (1, 2, 3))  # 0.1 to 1.6, 0.2 to 1.7, 0.3 to 1.8
