"""The limits of this machine: a bare matrix product, a copy in memory, a read from disk. Reported.

All other times build on these three. The file is new, written to the disk and dropped from memory before it is read, if
the system allows that.
"""

import os
import statistics
import sys
import tempfile

import numpy as np
import torch
from harness import Bench, elapsed

SIZE, BYTES, REPEATS = 2048, 2**28, 5


def fastest(run):
    return min(elapsed(run) for _ in range(REPEATS))


def main():
    bench = Bench("limits")
    for dtype in (torch.float32, torch.float64):
        A = torch.randn(SIZE, SIZE, dtype=dtype)
        name = f"matrix product, {SIZE:,} x {SIZE:,}, {str(dtype).removeprefix('torch.')}"
        bench.report(name, 2 * SIZE**3 / fastest(lambda A=A: A @ A) / 1e9, "GFLOP/s")
    source, target = torch.zeros(2, BYTES, dtype=torch.uint8)
    bench.report("copy in memory", BYTES / fastest(lambda: target.copy_(source)) / 1e9, "GB/s")
    with tempfile.NamedTemporaryFile() as file:
        file.write(np.random.default_rng(0).bytes(BYTES))
        file.flush()
        os.fsync(file.fileno())
        space, times = bytearray(2**20), []
        for _ in range(REPEATS):
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            times.append(elapsed(lambda: read(file.name, space)))
        bench.report("read from disk", BYTES / statistics.median(times) / 1e9, "GB/s")
    return bench.finish()


def read(name, space):
    with open(name, "rb", buffering=0) as file:
        while file.readinto(space):
            pass


if __name__ == "__main__":
    sys.exit(main())
