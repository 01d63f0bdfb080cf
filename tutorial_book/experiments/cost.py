"""The cost of a layer: multiplications, seconds and bytes by the length of a text, and two ways to pay less.

A window lets each token look only at its neighbors; maps of low rank need few numbers.
Sources: L 3.2.8; Vaswani et al. (2017), section 4.
"""

import time
from typing import NamedTuple

import torch


class Operations(NamedTuple):
    """Multiplications of numbers by numbers: in the learned matrices, and of tokens with tokens."""

    matrices: int
    pairs: int


def operations(n, d_model, d_ff=None) -> Operations:
    """Count the multiplications of one layer for a text of n tokens. d_ff None: 4 d_model.

    W_Q, W_K, W_V and W_O take n d_model² each, W_1 and W_2 n d_model d_ff each; scores and weighted sums n² d_model
    each, however many heads share d_model. Additions, softmax, LayerNorm and activation are left out. A backward pass
    takes twice as many again. Source: L 3.2.8.

    >>> operations(128, 768)
    Operations(matrices=905969664, pairs=25165824)
    """
    d_ff = 4 * d_model if d_ff is None else d_ff
    return Operations(n * (4 * d_model**2 + 2 * d_model * d_ff), 2 * n**2 * d_model)


class Plan(NamedTuple):
    """The cost of a corpus: bytes in the memory of each worker, and seconds for a single one."""

    weights: int
    sums: int
    seconds: float


def plan(n_tokens, length, rate, d_model, n_layers, d_ff=None, vocab_size=0, weight_bytes=4) -> Plan:
    """Estimate the cost of measuring all layers of a model over a corpus, as `measure` does: a `Plan`.

    n_tokens: of the corpus, in texts of this many tokens (length). rate: multiplications per second of one worker,
    which must be measured: a small model reaches less than a large one. weight_bytes: 4 for float32.

    Only the matrices' weights count. Each of n_layers + 1 layers keeps d_model² products in float64, and needs as many
    multiplications for each vector. The memory of a batch, Python and torch is extra: some hundred MB.

    >>> plan(1_000_000, 128, 1e10, d_model=384, n_layers=6, vocab_size=30_522)
    Plan(weights=89349120, sums=8257536, seconds=1223.8848)
    """
    each = sum(operations(length, d_model, d_ff)) / length  # of a token, in a layer
    matrices = n_layers * operations(1, d_model, d_ff).matrices + vocab_size * d_model
    work = n_tokens * (n_layers * each + (n_layers + 1) * d_model**2)
    return Plan(weight_bytes * matrices, 8 * (n_layers + 1) * d_model**2, work / rate)


def seconds(run, repeats=5):
    """Measure the processor seconds of run(): the fewest of several runs, after one that does not count.

    While run() waits for its turn on a busy machine, this clock stops. It adds up the threads of this process, so set
    one thread (`torch.set_num_threads(1)`) to get wall-clock seconds.

    >>> 0 < seconds(lambda: sum(range(1000)), repeats=3) < 1
    True
    """
    run()
    took = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        took.append(time.process_time() - start)
    return min(took)


def fit_seconds(lengths, took, d_model, d_ff=None):
    """Return seconds per multiplication in matrices, and in pairs: the two numbers >= 0 that fit best.

    took: the seconds for each of lengths. Least squares of the relative errors, so that short texts count as much as
    long ones.

    >>> took = [2e-11 * operations(n, 64).matrices + 5e-11 * operations(n, 64).pairs for n in (100, 400, 1600)]
    >>> [f"{each:.0e}" for each in fit_seconds((100, 400, 1600), took, 64)]
    ['2e-11', '5e-11']
    """
    from scipy.optimize import nnls

    rows = [[1e9 * each / second for each in operations(n, d_model, d_ff)] for n, second in zip(lengths, took)]
    found, _ = nnls(rows, [1e9] * len(rows))
    return Operations(*map(float, found))


def saved_bytes(run, weights=()):
    """Return how many bytes run() keeps for its backward pass: each piece of memory once, those of `weights` left out.

    run: returns the start of the backward pass. weights: parameters, which are in memory anyway.

    >>> x = torch.ones(1000, requires_grad=True)
    >>> saved_bytes(lambda: x.exp())  # the result itself: 1,000 numbers of 4 bytes
    4000
    """
    kept = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        output = run()  # keeps references, so that no address occurs twice
    for weight in weights:
        kept.pop(weight.untyped_storage().data_ptr(), None)
    del output
    return sum(kept.values())


def low_rank(A, k):
    """Return the matrix of rank k that is nearest to A: its k largest singular values, with their directions.

    A: (..., n, m). Nearest in the sum of squared differences. Source: Eckart and Young (1936).

    >>> low_rank(torch.tensor([[3.0, 0.0], [0.0, 1.0]]), 1)
    tensor([[3., 0.],
            [0., 0.]])
    """
    U, S, V = torch.linalg.svd(A, full_matrices=False)
    return (U[..., :k] * S[..., None, :k]) @ V[..., :k, :]


def rank_for(A, share=0.9):
    """Return how many singular values contain this share of the squares of A, (..., n, m) -> whole numbers (...).

    >>> rank_for(torch.diag(torch.tensor([3.0, 1.0, 0.0]))), rank_for(torch.eye(10))
    (tensor(1), tensor(9))
    """
    squares = torch.linalg.svdvals(A).square().cumsum(-1)
    return (squares < (share - 1e-6) * squares[..., -1:]).sum(-1) + 1
