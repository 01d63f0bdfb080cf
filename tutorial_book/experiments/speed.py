"""The library's speed compared with its peers: stored/speed.json, which `python benchmarks --keep` writes.

A run has "date", "machine", "load" (how many programs wanted the processor before the first benchmark began),
"versions", "values", and "comparisons", each with "subject", "name", "peer", "pairs", "ours_s" and "theirs_s" (the
medians, in seconds), "ratio" (ours over theirs), "low" and "high" (its quartiles), "limit" and "passed" (None if it is
not judged). The oldest run comes first, and there is one for each version and machine.
"""


def which(run) -> tuple:
    """Return the properties that make two runs comparable: library version, processor, its cores, threads."""
    machine = run["machine"]
    return run["versions"]["tutorial_lib"], machine["processor"], machine["cores"], machine["threads"]
