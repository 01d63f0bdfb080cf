"""Run the benchmarks, each in a separate process, and say which pass: `make bench`.

    python benchmarks                   all of them
    python benchmarks embed two_nn      some
    python benchmarks --keep            all, and add the results to those that the book shows

Results are written to _build/bench/NAME.json. Ends with an error if a judged ratio is above its limit, or if a
benchmark fails; the others still run.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import harness

from tutorial_book.experiments import STORED, speed
from tutorial_lib.weights import read_json

FILE = STORED / "speed.json"
SUBJECTS = ("limits", "forward", "embed", "all_pairs", "two_nn", "spectrum", "streaming", "wordpiece",
            "generation", "geometry_peers", "views", "live")  # fmt: skip


def keep(found):
    """Add a run to those that the book shows, replacing one of the same version and machine.

    found: the result of each benchmark. Numbers keep four digits. The load is the one before the first benchmark: later
    ones include the load of the earlier ones.
    """
    def flat(name):
        return [{"subject": each["subject"], **row} for each in found for row in each[name]]

    run = {"date": max(each["date"] for each in found), "machine": found[0]["machine"],
           "load": found[0]["machine"]["load"], "versions": found[0]["versions"],
           "comparisons": flat("comparisons"), "values": flat("values")}  # fmt: skip
    run["machine"] = {name: value for name, value in run["machine"].items() if name != "load"}
    text = json.dumps(run, allow_nan=False)
    run = json.loads(text, parse_float=lambda number: float(f"{float(number):.4g}"))
    runs = read_json(FILE)["runs"] if FILE.exists() else []
    others = [other for other in runs if speed.which(other) != speed.which(run)]
    harness.write_json(FILE, {"runs": [*others, run]})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=f"of {', '.join(SUBJECTS)} (default: all)")
    parser.add_argument("--keep", action="store_true", help="add the results to those that the book shows")
    options = parser.parse_args()
    if unknown := set(options.subjects) - set(SUBJECTS):
        parser.error(f"SUBJECT must be one of {', '.join(SUBJECTS)}, got {', '.join(sorted(unknown))}")
    if options.keep and options.subjects:
        parser.error("--keep adds a run of all benchmarks: leave the subjects out")
    start, found, broken = time.perf_counter(), [], []
    for name in options.subjects or SUBJECTS:
        result = harness.FOLDER / f"{name}.json"
        result.unlink(missing_ok=True)
        run = subprocess.run([sys.executable, Path(__file__).with_name(f"{name}.py")])
        if result.exists():
            found.append(json.loads(result.read_text(encoding="utf-8")))
        if not result.exists() or run.returncode not in (0, 1):
            broken.append(name)
    rows = [(each["subject"], row) for each in found for row in each["comparisons"] + each["values"]]
    failed = [f"{subject}: {row['name']}" for subject, row in rows if row["passed"] is False]
    passed = sum(row["passed"] is True for _, row in rows)
    print(f"\n{passed} passed, {len(failed)} failed, {time.perf_counter() - start:.0f} s", *failed, sep="\n  ")
    print(*(f"{name} did not end: see its error above" for name in broken), sep="\n", end="\n" if broken else "")
    if options.keep and not broken:
        keep(found)
        print(f"kept in {FILE}")
    return int(bool(failed or broken))


if __name__ == "__main__":
    sys.exit(main())
