"""The shared part of all benchmarks: alternating pairs, the machine, the table, the file of results.

A comparison is our time over a peer's time, both measured in the same run: below 1 we are faster. The two take turns,
and alternate who starts, so that a slow moment of the machine affects both. The ratio is the median of the pairs'
ratios, and its spread their quartiles. A comparison with a limit is judged; the others are reported.
"""

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tutorial_lib.atomic import write_text

FOLDER = Path(__file__).resolve().parents[1] / "_build" / "bench"
PACKAGES = ("tutorial_lib", "torch", "numpy", "transformers", "tokenizers", "sentence-transformers", "onnxruntime",
            "openvino", "scikit-dimension", "faiss-cpu")  # fmt: skip
LEAST = 5  # pairs


def elapsed(run, clock=time.perf_counter):
    """Measure the seconds of one call. On a GPU, wait until its work is done."""
    start = clock()
    run()
    if "torch" in sys.modules and sys.modules["torch"].cuda.is_available():
        sys.modules["torch"].cuda.synchronize()
    return clock() - start


def alternate(ours, theirs, seconds, least=LEAST, clock=time.perf_counter):
    """Return pairs (our time, their time), at least `least` of them and as many as start within `seconds`.

    The first pair warms up and does not count. The two alternate who starts.
    """
    pairs, end = [], None
    while end is None or len(pairs) < least or time.perf_counter() < end:
        if len(pairs) % 2:
            other, mine = elapsed(theirs, clock), elapsed(ours, clock)
        else:
            mine, other = elapsed(ours, clock), elapsed(theirs, clock)
        if end is None:
            end = time.perf_counter() + seconds
        else:
            pairs.append((mine, other))
    return pairs


def summary(pairs):
    """The medians of both times and of the pairs' ratios, with the ratios' quartiles.

    >>> summary([(1, 2), (2, 2), (3, 2)])
    {'pairs': 3, 'ours_s': 2, 'theirs_s': 2, 'ratio': 1.0, 'low': 0.75, 'high': 1.25}
    """
    ours, theirs = zip(*pairs, strict=True)
    low, middle, high = statistics.quantiles((a / b for a, b in pairs), n=4, method="inclusive")
    return {"pairs": len(pairs), "ours_s": statistics.median(ours), "theirs_s": statistics.median(theirs),
            "ratio": middle, "low": low, "high": high}  # fmt: skip


class Bench:
    """The results of one subject, printed as they arrive. `finish` writes them, and reports the outcome.

    bench = Bench("embed")
    bench.compare("mixed lengths", ours, "sentence-transformers", theirs, limit=0.6)
    bench.report("memory", 120, "MB")
    sys.exit(bench.finish())
    """

    def __init__(self, subject):
        self.found = {"subject": subject, "date": date.today().isoformat(), "machine": machine(),
                      "versions": versions(), "comparisons": [], "values": []}  # fmt: skip
        self.start = time.perf_counter()
        told = "{processor}, {cores} cores, {memory_GiB} GiB, {threads} threads, load before: {load}"
        print(f"\n{subject}: {told.format(**self.found['machine'])}")
        print("  " + ", ".join(f"{name} {number}" for name, number in self.found["versions"].items()))
        print(f"  {'':34} {'peer':28} {'ours':>9} {'peer':>9} {'ratio':>6} {'quartiles':>11}  {'limit':>6}", flush=True)

    def compare(self, name, ours, peer, theirs, limit=None, seconds=5, least=LEAST):
        """Time ours against theirs for about this many seconds; with a limit, the median ratio must not be above it."""
        return self.add(name, peer, alternate(ours, theirs, seconds, least), limit)

    def add(self, name, peer, pairs, limit=None):
        """Add pairs of times that were measured elsewhere, such as in separate processes."""
        row = {"name": name, "peer": peer, **summary(pairs), "limit": limit}
        row["passed"] = None if limit is None else row["ratio"] <= limit
        self.found["comparisons"].append(row)
        print(line(row), flush=True)
        return row

    def report(self, name, value, unit, most=None):
        """Report a number that is not a ratio of times; with `most` it is judged, too."""
        passed = None if most is None else bool(value <= most)
        kept = None if math.isnan(value) else float(value)  # JSON knows no NaN
        self.found["values"].append({"name": name, "value": kept, "unit": unit, "limit": most, "passed": passed})
        judged = "" if most is None else f", at most {most:,g}  {verdict(passed)}"
        print(f"  {name}: {value:,.4g} {unit}{judged}", flush=True)

    def finish(self):
        """Write FOLDER/SUBJECT.json. 1 if a comparison or a number is above its limit, else 0: the exit code."""
        self.found["seconds"] = round(time.perf_counter() - self.start, 1)
        FOLDER.mkdir(parents=True, exist_ok=True)
        write_json(FOLDER / f"{self.found['subject']}.json", self.found)
        failed = [row for row in self.found["comparisons"] + self.found["values"] if row["passed"] is False]
        return int(bool(failed))


def line(row):
    """A comparison as one line of the table."""
    limit = f"{row['limit']:6.2f}  {verdict(row['passed'])}" if row["limit"] is not None else "     -  reported"
    return (f"  {row['name']:34} {row['peer']:28} {told(row['ours_s']):>9} {told(row['theirs_s']):>9} "
            f"{row['ratio']:6.2f} {row['low']:5.2f}-{row['high']:<6.2f} {limit}")  # fmt: skip


def verdict(passed):
    return "pass" if passed else "FAIL"


def told(seconds):
    """Return a time in a suitable unit.

    >>> told(0.0042), told(3.14159)
    ('4.20 ms', '3.14 s')
    """
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms"


def machine():
    """Describe the machine: processor, cores, memory, threads, and how busy it was before."""
    import torch

    device = torch.cuda.get_device_name() if torch.cuda.is_available() else processor()
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        load = os.getloadavg()[0]
    except (AttributeError, OSError, ValueError):  # Windows reports neither
        memory, load = 0, 0
    return {"processor": device, "cores": os.cpu_count(), "memory_GiB": round(memory),
            "threads": torch.get_num_threads(), "load": round(load, 1)}  # fmt: skip


def processor():
    """Return the processor's name, if the system reports it."""
    try:
        for text in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if text.startswith("model name"):
                return text.partition(":")[2].strip()
    except OSError:
        if sys.platform == "darwin":
            command = ["sysctl", "-n", "machdep.cpu.brand_string"]
            return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return platform.processor() or platform.machine()


def versions():
    """Python's and the packages', without what a build adds to them."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name).partition("+")[0]
        except PackageNotFoundError:
            continue
    return found


def write_json(path, value):
    """A benchmark that is stopped leaves no partial file."""
    write_text(path, json.dumps(value, indent=1, allow_nan=False) + "\n")
