"""All statistics of a cloud on disk, in one pass, compared with the minimum: reading its file, and X^T X.

Each runs in a separate process, so that its memory is its own. The file is in the system's cache: a slow disk would
hide our computation. X^T X is computed chunk by chunk, in float32, and nothing else is done.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import Bench

N, D, CHUNK = 1_000_000, 384, 32_768
LIMIT, LIMIT_MB, PAIRS = 2, 500, 5


def write(path):
    """Return N vectors like a model's: away from 0, of many sizes, two coordinates far larger than the others."""
    draw = np.random.default_rng(0)
    sizes = np.linspace(0.5, 2, D, dtype=np.float32)
    sizes[[99, 223]] = 20
    with open(path, "wb") as file:
        for start in range(0, N, CHUNK):
            X = draw.standard_normal((min(CHUNK, N - start), D), dtype=np.float32)
            file.write((X * sizes + 0.5).data)


def chunks(path):
    """Yield the file's vectors, CHUNK at a time, each chunk overwriting the last."""
    space = np.empty((CHUNK, D), np.float32)
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(space.data.cast("B")):
            yield space[: count // (4 * D)]


def ours(path):
    from tutorial_lib.geometry import Cloud, average_cosine, cone_index, effective_number, outlier_coordinates, spectrum

    cloud = Cloud(D, without=[99, 223])
    for X in chunks(path):
        cloud.add(X)
    return [(effective_number(spectrum(c)), average_cosine(c), cone_index(c), c.norm_std, outlier_coordinates(c))
            for c in (cloud, cloud.rest)]  # fmt: skip


def theirs(path):
    total = np.zeros((D, D))
    for X in chunks(path):
        total += X.T @ X
    return total


def measure(who, path):
    """Print the seconds, and the peak memory in MB. One small run comes first, so that libraries are loaded."""
    with tempfile.NamedTemporaryFile() as small:
        np.random.default_rng(0).standard_normal((2000, D), dtype=np.float32).tofile(small.name)
        who(small.name)
    start = time.perf_counter()
    who(path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(seconds, peak / 1e6)


def run(who, path):
    command = [sys.executable, __file__, who.__name__, path]
    return map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def main():
    bench = Bench("streaming")
    with tempfile.TemporaryDirectory() as folder:
        path = os.fspath(Path(folder) / "vectors")
        write(path)
        pairs, peaks = [], []
        for pair in range(PAIRS):
            found = {who: tuple(run(who, path)) for who in ((ours, theirs) if pair % 2 else (theirs, ours))}
            pairs.append((found[ours][0], found[theirs][0]))
            peaks.append(found[ours][1])
    bench.add(f"all statistics, {N:,} x {D}", "reading and one product", pairs, LIMIT)
    bench.report("peak memory, with Python and all libraries", max(peaks), "MB", LIMIT_MB)
    return bench.finish()


if __name__ == "__main__":
    sys.exit(measure(globals()[sys.argv[1]], sys.argv[2]) if len(sys.argv) > 1 else main())
