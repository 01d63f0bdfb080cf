"""All pairs of the default model's tokens: `extreme_pairs` against the bare matrix product.

The judged product is that of the blocks on and above the diagonal, which contain every pair once. Memory is measured in
a separate process, as the peak above the memory in use once the embedding matrix is loaded; one small call comes first,
so that libraries are loaded.
"""

import subprocess
import sys

import torch
from harness import Bench

from tutorial_lib.bert import Bert
from tutorial_lib.geometry import extreme_pairs, pair_blocks
from tutorial_lib.tokenization import WordPiece

K = 20
LIMIT, MEGABYTES = 1.3, 400


def product(U):
    """Compute the blocks of U Uᵀ on and above the diagonal, each overwriting the last; nothing reads them."""
    size = pair_blocks.BLOCK
    space = torch.empty(size * size, device=U.device)
    for i in range(0, len(U), size):
        for j in range(i, len(U), size):
            rows, columns = U[i : i + size], U[j : j + size]
            block = space[: len(rows) * len(columns)].view(len(rows), len(columns))
            torch.mm(rows, columns.T, out=block)


def tokens():
    """The embedding matrix, and the ids of special and unused tokens."""
    E = Bert.from_pretrained().embeddings.tokens.weight.detach()  # (vocab_size, d_model)
    return E, [i for i, token in enumerate(WordPiece.from_pretrained().tokens) if token[0] + token[-1] == "[]"]


def peak_memory():
    """Return the peak of resident memory above the initial one, in MB: only for the call, with the matrix in memory."""
    import resource

    E, special = tokens()
    extreme_pairs(E[:200], K)
    before = resident()
    extreme_pairs(E, K, exclude=special)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform == "linux" else 1)
    return (peak - before) / 1e6


def resident():
    """Return the memory of this process now, in bytes, if the system reports it; otherwise its peak so far."""
    import resource

    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@torch.no_grad()
def main():
    if sys.argv[1:] == ["memory"]:
        return print(peak_memory())
    bench = Bench("all_pairs")
    E, special = tokens()
    kept = torch.ones(len(E), dtype=torch.bool)
    kept[special] = False
    U = torch.nn.functional.normalize(E[kept.to(E.device)], dim=1)
    bench.report("vectors, all pairs of them", len(U), f"of length {U.shape[1]}")
    bench.compare("all pairs", lambda: extreme_pairs(E, K, exclude=special), "half the bare product",
                  lambda: product(U), LIMIT, seconds=45)  # fmt: skip
    command = [sys.executable, __file__, "memory"]
    memory = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    bench.report("peak memory above the matrix", memory, "MB", MEGABYTES)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(main())
