"""Forward passes as fast as a processor allows: matrices packed, no padding, batches side by side. For `vectors.embed`.

The results are those of `Bert` up to rounding; read this only if you want to know where the time goes. Most goes into
matrix products. `packed` copies each matrix once into the order in which oneDNN reads it: a product then takes a tenth
less time, and one of few rows a third. `TextByText` spares the products the padding. `side_by_side` gives each core
batches of its own, since what stands between the products, such as attention in short texts, is hardly quicker on two
cores than on one.
"""

import copy
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from tutorial_lib.attention import MultiHeadAttention, attention
from tutorial_lib.bert import Bert
from tutorial_lib.trace import nothing

WORTH_PACKING = 2000  # tokens: with fewer, packing takes longer than it saves


class Packed(nn.Module):
    """The linear map of an `nn.Linear`, its matrix in oneDNN's order. after: "gelu", applied to the result, or "none".

    >>> linear, X = nn.Linear(3, 2), torch.ones(4, 3)
    >>> torch.allclose(Packed(linear)(X), linear(X))
    True
    """

    def __init__(self, linear: nn.Linear, after: str = "none"):
        super().__init__()
        self.W = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach())
        self.after = after
        self.bias = linear.bias.detach()

    def forward(self, X: torch.Tensor) -> torch.Tensor:
        return torch.ops.mkldnn._linear_pointwise(X, self.W, self.bias, self.after, [], "none")


class TextByText(nn.Module):
    """A `MultiHeadAttention` that also takes texts one after another, with no padding; each attends to itself alone.

    X is then (1, n_1 + n_2 + ..., d_model), and a list of the lengths, [n_1, n_2, ...], takes the mask's place.

    >>> heads, X = TextByText(MultiHeadAttention(d_model=4, n_heads=2)), torch.randn(1, 5, 4)
    >>> torch.allclose(heads(X, mask=[2, 3])[0][:, :2], heads(X[:, :2])[0], atol=1e-6)
    True
    """

    def __init__(self, heads: MultiHeadAttention):
        super().__init__()
        self.heads = heads

    def forward(
        self, X: torch.Tensor, mask: torch.Tensor | list[int] | None = None, fused: bool = False,
        keep: Callable = nothing,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:  # fmt: skip
        if not isinstance(mask, list):
            return self.heads(X, mask=mask, fused=fused, keep=keep)
        maps = self.heads.W_Q, self.heads.W_K, self.heads.W_V
        texts = zip(*(self.heads.split(W(X)).split(mask, dim=-2) for W in maps), strict=True)  # Q, K, V of each
        outputs = [attention(*QKV, fused=True)[0] for QKV in texts]  # (1, n_heads, n_i, d_k)
        return self.heads.W_O(self.heads.join(torch.cat(outputs, -2))), None


def packed(model: Bert) -> Bert:
    """A copy of a `Bert` for inference, its layers' matrices packed and their attention `TextByText`.

    The model itself comes back where nothing can be packed: on a GPU, in another precision than float32, with hooks,
    which must see the modules they were given to, and with a torch that has no oneDNN. What is not packed is shared
    with the model. The packed matrices are not: what the model learns later they do not know.

    >>> from tutorial_lib.bert import Bert
    >>> bert = Bert.from_pretrained(device="cpu")
    >>> torch.allclose(packed(bert)([[101, 102]], fused=True), bert([[101, 102]], fused=True), atol=1e-5)
    True
    """
    float32_on_cpu = all(p.dtype == torch.float32 and p.device.type == "cpu" for p in model.parameters())
    hooks = any(part._forward_hooks or part._forward_pre_hooks for part in model.modules())
    if hooks or not float32_on_cpu or not hasattr(torch.ops.mkldnn, "_reorder_linear_weight"):
        return model
    model = copy.deepcopy(model, {id(p): p for p in model.parameters()})
    for part in list(model.layer.modules()):
        for name, child in list(part.named_children()):
            if type(child) is nn.Linear:
                gelu = name == "W_1" and part.activation is F.gelu
                setattr(part, name, Packed(child, "gelu" if gelu else "none"))
                if gelu:
                    part.activation = nn.Identity()
            elif type(child) is MultiHeadAttention:
                setattr(part, name, TextByText(child))
    return model


def side_by_side(run: Callable, jobs: Iterable, device: torch.device) -> Generator[tuple[Any, Any], None, None]:
    """Yield (job, run(job)) in the order of the jobs; on a processor as many run at once as torch has threads.

    Each then has one thread. A few jobs are begun ahead; when the caller closes the generator, those that run end.

    >>> [answer for _, answer in side_by_side(lambda x: x * x, [1, 2, 3], torch.device("cpu"))]
    [1, 4, 9]
    """
    n = torch.get_num_threads() if device.type == "cpu" else 1
    if n == 1:
        yield from ((job, run(job)) for job in jobs)
        return
    pool = ThreadPoolExecutor(n, initializer=torch.set_num_threads, initargs=(1,))
    begun = deque()
    try:
        for job in jobs:
            begun.append((job, pool.submit(run, job)))
            if len(begun) > 2 * n:
                yield begun[0][0], begun.popleft()[1].result()
        while begun:
            yield begun[0][0], begun.popleft()[1].result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(n)  # also what threads that begin later are given
