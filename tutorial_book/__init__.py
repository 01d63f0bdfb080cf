"""What only the book's pages and its course need. It runs on `tutorial_lib`, which knows nothing of it.

`ROOMS` in the order in which one reads them, as in `tutorial_lib`. Where one subject lives in several rooms, it has the
name of its chapter in all: `plots.meaning`, `claims.meaning`.
"""

ROOMS = {"The pages and the course": ("experiments", "page", "plots", "claims", "exercises", "measure", "__main__")}
