"""How fast the library is: what was measured beforehand, as it is kept in stored/.

Beside its peers: speed.json, which `python benchmarks --keep` writes. A ratio is the time of ours over the time of a
peer, in the same run. With more workers: scaling.json, which measure/scaling.py writes.
"""

from tutorial_book import experiments

FILE = experiments.STORED / "speed.json"
SCALING = experiments.STORED / "scaling.json"


def stored() -> list[dict]:
    """The runs that are stored, oldest first, one for each version and machine.

    A run has "date", "machine", "load" (how many programs wanted the processor before the first benchmark began),
    "versions", "values", and "comparisons", each with "subject", "name", "peer", "pairs", "ours_s" and "theirs_s" (the
    medians, in seconds), "ratio", "low" and "high" (its quartiles), "limit" and "passed" (None where it is not judged).
    Raises ValueError where the file is damaged.

    >>> sorted(stored()[-1])
    ['comparisons', 'date', 'load', 'machine', 'values', 'versions']
    """
    runs = experiments.stored(FILE, {"runs"}, "python benchmarks --keep")["runs"]
    for run in runs:
        missing = {"date", "machine", "load", "versions", "comparisons", "values"} - set(run)
        if missing:
            what = f"a run of {FILE} lacks {', '.join(sorted(missing))}"
            raise ValueError(f"{what}: take it out, or delete the file, and measure with python benchmarks --keep")
    return runs


def which(run) -> tuple:
    """What two runs must share to be of one kind: the library's version, the processor, its cores, the threads.

    >>> which(stored()[-1])[0]
    '1.0.0'
    """
    machine = run["machine"]
    return run["versions"]["tutorial_lib"], machine["processor"], machine["cores"], machine["threads"]


def scaling() -> dict:
    """How `measure` scaled: what measure/scaling.py keeps in stored/scaling.json.

    "date", "machine" ("load" before each round, and at the end), "versions", "model"; "corpus", with the bytes, texts
    and tokens that were read; "chunk", texts in one; "runs", each with "workers", "threads" of each worker,
    "texts_per_second" and "seconds" of each round; "layers", each with its shape and the "multiplications_per_second"
    of one thread. Raises ValueError where the file is damaged.

    >>> [run["workers"] for run in scaling()["runs"]]
    [1, 2, 1]
    """
    needed = {"date", "machine", "versions", "model", "corpus", "chunk", "runs", "layers"}
    return experiments.stored(SCALING, needed, "scaling")
