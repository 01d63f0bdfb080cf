"""All pairs of the default model's tokens: `extreme_pairs` against the bare matrix product, both timed in the same run.

`make bench` runs this. The product is measured twice: the blocks on and above the diagonal, which hold every pair
once (the limit of 1.5 is set against this one), and all blocks, as one would write it without a thought. Runs
alternate, so that a slow moment of the machine hits all three. Memory is measured in a process of its own, as the
peak above what the process holds once it has the embedding matrix; one small call comes first, so that libraries
are loaded.
"""

import argparse
import statistics
import subprocess
import sys
import time

import torch

from tutorial_lib.bert import Bert
from tutorial_lib.geometry import extreme_pairs, pairs
from tutorial_lib.tokenization import WordPiece

K = 20
LIMIT_TIME, LIMIT_MB = 1.5, 400


def product(U, all_blocks):
    """The blocks of U Uᵀ, each written over the last; nothing is looked at."""
    size = pairs.BLOCK
    space = torch.empty(size * size, device=U.device)
    for i in range(0, len(U), size):
        for j in range(0 if all_blocks else i, len(U), size):
            rows, columns = U[i : i + size], U[j : j + size]
            block = space[: len(rows) * len(columns)].view(len(rows), len(columns))
            torch.mm(rows, columns.T, out=block)


def seconds(run, device):
    start = time.perf_counter()
    run()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def tokens():
    """The embedding matrix, and the ids of special and unused tokens."""
    E = Bert.from_pretrained().embeddings.tokens.weight.detach()  # (vocab_size, d_model)
    return E, [i for i, token in enumerate(WordPiece.from_pretrained().tokens) if token[0] + token[-1] == "[]"]


def peak_memory():
    """Peak of the resident memory above what was there before, in MB: the call alone, with the matrix in memory."""
    import resource

    E, special = tokens()
    extreme_pairs(E[:200], K)
    before = resident()
    extreme_pairs(E, K, exclude=special)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1024 if sys.platform == "linux" else 1)
    print((peak - before) / 1e6)


def resident():
    """What this process holds in memory now, in bytes, as far as the system tells; else its peak so far."""
    import resource

    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each (default 5)")
    parser.add_argument("--memory", action="store_true", help="print the peak in MB and stop")
    arguments = parser.parse_args()
    if arguments.memory:
        return peak_memory()
    E, special = tokens()
    kept = torch.ones(len(E), dtype=torch.bool)
    kept[special] = False
    U = torch.nn.functional.normalize(E[kept.to(E.device)], dim=1)
    n = len(U)
    print(f"{n:,} vectors of length {E.shape[1]}, {n * (n - 1) // 2:,} pairs, {E.device}, "
          f"{torch.get_num_threads()} threads, torch {torch.__version__}")  # fmt: skip
    calls = {
        "extreme_pairs": lambda: extreme_pairs(E, K, exclude=special),
        "product, half": lambda: product(U, all_blocks=False),
        "product, all": lambda: product(U, all_blocks=True),
    }
    times = {name: [] for name in calls}
    for run in calls.values():
        seconds(run, E.device)  # warm up
    for _ in range(arguments.runs):
        for name, run in calls.items():
            times[name].append(seconds(run, E.device))
    ours = times["extreme_pairs"]
    for name, taken in times.items():
        ratio = statistics.median(a / b for a, b in zip(ours, taken))
        print(f"{name:14} {statistics.median(taken):6.2f} s   ours takes {ratio:.2f} of it", end="")
        print(f" (limit {LIMIT_TIME})" if name == "product, half" else "")
    memory = subprocess.run([sys.executable, __file__, "--memory"], capture_output=True, text=True, check=True).stdout
    print(f"peak memory above the matrix: {float(memory):.0f} MB (limit {LIMIT_MB})")


if __name__ == "__main__":
    main()
