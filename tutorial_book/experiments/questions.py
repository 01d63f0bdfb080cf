"""Models with coarser or fewer weights: the bits per number, and the effects of rounding and pruning. L 5.2, 2.2."""

import copy

import torch

from tutorial_lib.arguments import whole_number

FLOATS = {"float16": torch.float16, "bfloat16": torch.bfloat16}


def quantize(model, bits, per="channel"):
    """Return a copy of a model whose matrices contain few different values; the original is not changed.

    bits: an int from 2 to 16 for whole numbers times a step, or "float16" or "bfloat16" for short floats. per: one step
    for each "channel" (a row of a weight matrix, or a token's row of the table) or for the whole "tensor".

    Only matrices are rounded, the embedding tables included. Biases and LayerNorm's vectors are unchanged: together
    they are far less than 1 % of the parameters. Activations are not rounded. The rounded values are stored as float32,
    so the copy is neither smaller nor faster: it shows the effect of rounding on vectors, not the saving.

    Raises ValueError for other bits or per.

    >>> from tutorial_lib.bert import Bert
    >>> bert = quantize(Bert.from_pretrained(device="cpu"), 4)
    >>> len(bert.layer[0].attention.W_Q.weight[0].unique()) <= 15
    True
    """
    round_to_grid(torch.zeros(1, 1), bits, per)  # raises before the copy is made
    rounded = copy.deepcopy(model)
    with torch.no_grad():
        for weight in rounded.parameters():
            if weight.ndim == 2:
                weight.copy_(round_to_grid(weight, bits, per))
    return rounded


def round_to_grid(W, bits, per="channel"):
    """Return the nearest values to W that `bits` allow, in W's own type: whole numbers times a step.

    With b bits these are the whole numbers from -m to m, m = 2^(b-1) - 1. The step is the largest |value| of the row
    (per="channel") or of W (per="tensor") over m, so 0 stays 0 and the largest value stays. No value moves by more than
    half a step. Source: Jacob et al. 2018, the symmetric form.

    >>> round_to_grid(torch.tensor([[0.7, -0.3, 0.04]]), 4)
    tensor([[ 0.7000, -0.3000,  0.0000]])
    >>> round_to_grid(torch.tensor([[1.001]]), "bfloat16")
    tensor([[1.]])
    """
    if per not in ("channel", "tensor"):
        raise ValueError(f'per must be "channel" or "tensor", got {per!r:.60}')
    if isinstance(bits, str) and bits in FLOATS:
        return W.to(FLOATS[bits]).to(W.dtype)
    bits = whole_number("bits", bits, 2, 'an int from 2 to 16, "float16" or "bfloat16"', 16)
    largest = 2 ** (bits - 1) - 1
    reach = W.abs().amax(dim=1, keepdim=True) if per == "channel" else W.abs().amax()
    step = (reach / largest).clamp(min=torch.finfo(W.dtype).tiny)
    return (W / step).round() * step


def megabytes(bert, bits=32, per="channel"):
    """Return the size of a model's parameters with `bits` bits per number in its matrices: millions of bytes.

    Everything else, and each step of the grid, takes 4 bytes. Source: L 5.2.

    >>> from tutorial_lib.bert import Bert
    >>> bert = Bert.from_pretrained(device="cpu")
    >>> round(megabytes(bert)), round(megabytes(bert, 4))
    (91, 12)
    """
    width, grid = (16, False) if bits in FLOATS else (bits, bits < 32)
    total = 0
    for weight in bert.parameters():
        if weight.ndim == 2:
            n_steps = (len(weight) if per == "channel" else 1) if grid else 0
            total += weight.numel() * width / 8 + 4 * n_steps
        else:
            total += 4 * weight.numel()
    return total / 1e6


def prune(model, share, seed=None):
    """Return a copy of a model with this share of each matrix's numbers set to 0: the smallest, or random ones.

    Only matrices are pruned, the embedding tables included, each by the same share. seed: of the random choice. Nothing
    is trained afterwards. Raises ValueError for a share outside 0 to 1. Source: L 2.2; Han et al. 2015.

    >>> from tutorial_lib.bert import Bert
    >>> W = prune(Bert.from_pretrained("book-bert", device="cpu"), 0.3).layer[0].attention.W_Q.weight
    >>> round((W == 0).float().mean().item(), 3)
    0.3
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share must be a number from 0 to 1, got {share!r}")
    generator = torch.Generator().manual_seed(seed or 0)
    pruned = copy.deepcopy(model)
    with torch.no_grad():
        for weight in pruned.parameters():
            n_zeros = round(share * weight.numel())
            if weight.ndim == 2 and n_zeros:
                size = weight.abs() if seed is None else torch.rand(weight.shape, generator=generator)
                weight[size <= size.flatten().kthvalue(n_zeros).values] = 0
    return pruned
