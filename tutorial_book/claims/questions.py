"""L 5.2: the premises of the open questions. The questions themselves print no numbers."""

import numpy as np
import torch

from tutorial_book.claims.claim import claims_of
from tutorial_book.claims.tools import bert, token_vectors
from tutorial_lib.geometry import average_cosine

claim = claims_of("questions")

claim("L-5.2-not-around-zero",
      "The cosines between context-free embeddings do not average around zero: their mean is above 0.02.", True,
      lambda: average_cosine(bert("bert-base-cased").embeddings.tokens.weight.detach()) > 0.02, needs="bert-base-cased",
      note="0.02 is far beyond chance: the mean over 420 million random pairs would be 0.000.")

claim("L-5.2-context-aware", "Nor do those between context-aware embeddings (here, of the default model's tokens after "
      "layer 3: their mean is above 0.02).", True, lambda: average_cosine(np.concatenate(token_vectors(20))) > 0.02,
      note="0.19, part of it from outliers.")


@claim("L-5.2-one-dimensional", "The positions' structure is 1-dimensional: for at least 9 of 10 of the positions 1 to "
       "383, the two nearest are the one before and the one after.", True, needs="bert-base-cased")
def _():
    P = bert("bert-base-cased").embeddings.positions.weight.detach()[1:384]
    two = torch.cdist(P, P).fill_diagonal_(torch.inf).argsort(1)[1:-1, :2].sort(1).values
    middle = torch.arange(1, len(P) - 1)
    return (two == torch.stack([middle - 1, middle + 1], 1)).all(1).double().mean() >= 0.9
