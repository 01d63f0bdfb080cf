"""Our TwoNN against scikit-dimension's: time as a ratio, both in the same run, and peak memory of each.

`make bench` runs this. Each runs in a process of its own, so that its memory is its own; runs alternate, so that a slow
moment of the machine hits both.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

LIMIT_RATIO, LIMIT_MEGABYTES = 0.25, 1000


def points(kind, n):
    """n vectors of 384 coordinates: of a round Gaussian, or of a Gaussian in 12 dimensions with a little noise."""
    rng = np.random.default_rng(0)
    if kind == "round":
        return rng.normal(size=(n, 384))
    return rng.normal(size=(n, 12)) @ rng.normal(size=(12, 384)) + 0.1 * rng.normal(size=(n, 384))


def measure(who, kind, n):
    """Print the dimension, the seconds and the peak memory in MB, of which how much was there before."""
    if who == "ours":
        from tutorial_lib.geometry import intrinsic_dimension as estimate
    else:
        import skdim

        def estimate(X):
            return skdim.id.TwoNN().fit(X).dimension_

    X = points(kind, n)
    estimate(X[:200])  # load what is loaded at the first call
    before = megabytes()
    start = time.perf_counter()
    dimension = estimate(X)
    print(dimension, time.perf_counter() - start, megabytes(), before)


def megabytes():
    """The most memory that this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def run(who, kind, n):
    command = [sys.executable, __file__, "--measure", who, kind, "--n", str(n)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [float(word) for word in out.split()[-4:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=20_000, help="number of vectors of 384 coordinates (default 20000)")
    parser.add_argument("--repeats", type=int, default=2, help="runs of each (default 2)")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        return measure(*arguments.measure, arguments.n)
    print(f"TwoNN, {arguments.n} x 384, float64; limits: ratio {LIMIT_RATIO}, memory {LIMIT_MEGABYTES} MB in all")
    print(f"{'points':8}{'dimension':>10}{'theirs':>8}{'ours s':>8}{'theirs s':>9}{'ratio':>7}"
          f"{'ours MB':>9}{'(before)':>9}{'theirs MB':>10}")
    for kind in ("round", "12-d"):
        pairs = [[run(who, kind, arguments.n) for who in ("ours", "theirs")] for _ in range(arguments.repeats)]
        ours, theirs = ([statistics.median(column) for column in zip(*side)] for side in zip(*pairs))
        ratio = statistics.median(a[1] / b[1] for a, b in pairs)
        print(f"{kind:8}{ours[0]:10.3f}{theirs[0]:8.3f}{ours[1]:8.1f}{theirs[1]:9.1f}{ratio:7.2f}"
              f"{ours[2]:9.0f}{ours[3]:9.0f}{theirs[2]:10.0f}", flush=True)


if __name__ == "__main__":
    main()
