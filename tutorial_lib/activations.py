"""The activations: GELU and its approximation, ReLU and SiLU, as formulas, and torch's kernels of the same formulas.

Each is a function of one number, taken of every number of a tensor. Sources: Hendrycks and Gimpel (2016); L 3.2.4.
"""

import math
from functools import partial

import torch
from torch.nn import functional as F

from tutorial_lib import arguments


def gelu(x):
    """Return x times the probability that a standard normal number is below x.

    >>> gelu(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1587,  0.0000,  0.8413])
    """
    arguments.check_tensors(x=x)
    Phi = (1 + torch.erf(x / math.sqrt(2))) / 2
    return x * Phi


def gelu_new(x):
    """Compute GELU with the normal distribution approximated by a tanh, as in GPT-2.

    >>> gelu_new(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.1588,  0.0000,  0.8412])
    """
    arguments.check_tensors(x=x)
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def relu(x):
    """Return x if it is positive, else 0.

    >>> relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    arguments.check_tensors(x=x)
    return x.clamp(min=0)


def silu(x):
    """Return x times the logistic function of x, also called swish.

    >>> silu(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.2689,  0.0000,  0.7311])
    """
    arguments.check_tensors(x=x)
    X = arguments.wide(x)
    return (X / (1 + torch.exp(-X))).to(x.dtype)


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_new, "relu": relu}
KERNELS = {"gelu": F.gelu, "gelu_new": partial(F.gelu, approximate="tanh"), "relu": F.relu}
GATES = KERNELS | {"silu": F.silu}  # those that the gate of a feed-forward may have
