"""The parts that only the book's pages and its course need. It uses `tutorial_lib`, which does not depend on it.

`ROOMS` lists the modules in reading order, as in `tutorial_lib`. If several packages treat one subject, their modules
have the name of its chapter: `plots.meaning`, `claims.meaning`.
"""

ROOMS = {
    "The pages and the course": (
        "experiments", "page", "plots", "claims", "exercises", "stored_numbers", "__main__",
    ),
}  # fmt: skip
