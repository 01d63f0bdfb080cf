"""Weights in 8 bits: whole numbers, a multiple for each 32 of them, a step for each row. Used by the models in a page.

A row's step is the one that its largest group of 32 needs, divided by 15; each group's multiple, 1 to 15, is the
smallest that lets its numbers fit into -127..127. So a group of small numbers is rounded finely even if its row
contains a large one. A weight is step * multiple * whole number; about 1.04 bytes each.
"""

import copy
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from torch import nn

from tutorial_lib.arguments import Numbers, check_has

GROUP = 32  # numbers that share a multiple
MOST = 127  # the largest whole number
MULTIPLES = 15
Model = TypeVar("Model", bound=nn.Module)


class Rounded(NamedTuple):
    """A matrix (n, d) in 8 bits: whole (n, d) int8, multiple (n, d / 32) uint8, step (n,) float32."""

    whole: np.ndarray
    multiple: np.ndarray
    step: np.ndarray

    @property
    def values(self) -> np.ndarray:
        """Return the represented numbers, (n, d) float32."""
        groups = self.whole.reshape(len(self.step), -1, GROUP).astype(np.float64)
        return (groups * self.multiple[..., None] * self.step[:, None, None]).reshape(self.whole.shape).astype("f4")


def rounded(W: Numbers) -> Rounded:
    """Return a matrix (n, d) in 8 bits; d must be a multiple of 32.

    No number is off by more than half of its group's step: its row's step times its group's multiple.

    >>> W = np.linspace(-1, 1, 64).reshape(2, 32)
    >>> float(np.abs(rounded(W).values - W).max()) < 0.5 / 127
    True
    """
    try:
        W = np.asarray(W, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"W must be a matrix of numbers, got {W!r:.60}") from None
    if W.ndim != 2 or W.shape[1] % GROUP or not np.isfinite(W).all():
        raise ValueError(f"W must be a matrix of finite numbers, its width a multiple of {GROUP}, got {W.shape}")
    groups = W.reshape(len(W), -1, GROUP)
    wanted = np.abs(groups).max(-1) / MOST  # the ideal step of each group
    step = (wanted.max(1) / MULTIPLES).astype(np.float32)
    step[step == 0] = 1
    multiple = np.ceil(wanted / step[:, None] - 1e-6).clip(1, MULTIPLES)
    whole = np.rint(groups / (step[:, None] * multiple)[..., None]).clip(-MOST, MOST)
    return Rounded(whole.reshape(W.shape).astype(np.int8), multiple.astype(np.uint8), step)


def rounded_model(model: Model) -> Model:
    """Return a copy of a model whose tables and matrices are rounded; biases and LayerNorms stay unchanged.

    >>> from tutorial_lib.bert import Bert, Config
    >>> bert = Bert(Config(vocab_size=100, d_model=32, n_layers=1, n_heads=1, d_ff=32))
    >>> bool((rounded_model(bert)([[5, 6]]) - bert([[5, 6]])).abs().max() < 0.1)
    True
    """
    check_has("model", model, "a model", "modules")
    model = copy.deepcopy(model)
    kinds = nn.Embedding, nn.Linear
    weights = {module.weight for module in model.modules() if isinstance(module, kinds)}  # tied ones once
    with torch.no_grad():
        for weight in weights:
            if weight.shape[1] % GROUP == 0:
                weight.copy_(torch.from_numpy(rounded(weight.cpu().numpy()).values))
    return model
