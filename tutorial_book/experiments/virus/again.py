"""Other trainings of the case study's BERT: other seeds, other simulated viruses, and the design of G's authors.

One training is one draw of first weights and batches, and one tree is one draw of a history. `trained_again` has what
measure/virus.py measured for several, `unequal` what measure/unequal.py did; the weights are not kept.
"""

from dataclasses import dataclass, replace

from tutorial_book.experiments import STORED, stored
from tutorial_book.experiments.virus.recipe import VIRUSES, VirusRecipe

FILE = STORED / "virus-again.json"
UNEQUAL = STORED / "virus-unequal.json"


@dataclass(frozen=True)
class Run:
    """A training to repeat: a recipe's name, the seed of its first weights and batches, the seed of its tree."""

    name: str
    seed: int = 0
    tree: int = 0

    @property
    def recipe(self) -> VirusRecipe:
        recipe = VIRUSES[self.name]
        return replace(recipe, tree=self.tree, settings=replace(recipe.settings, seed=self.seed))


RUNS = (
    *(Run("book-virus", seed) for seed in range(5)),
    *(Run("book-virus", tree=tree) for tree in (1, 2, 3)),
    *(Run("book-virus-frames", seed) for seed in range(4)),
)


def trained_again() -> dict[Run, dict[str, float]]:
    """What measure/virus.py stored: run -> its numbers by name, shares in ones. The tool says what each one is.

    Raises ValueError where a run is missing.

    >>> trained_again()[Run("book-virus", seed=0)]["lineages"]
    0.95
    """
    kept = stored(FILE, {"runs"}, "virus")["runs"]
    measured = {Run(one["name"], one["seed"], one["tree"]): one["measured"] for one in kept}
    missing = set(RUNS) - set(measured)
    if missing:
        raise ValueError(f"{FILE} lacks {len(missing)} runs: write it again: python -m tutorial_book measure virus")
    return measured


def unequal() -> dict:
    """What measure/unequal.py stored of eight variants, a hundred to one. The tool says what each name holds.

    >>> unequal()["counts"][0], unequal()["counts"][-1]  # of the authors' sequences, by class
    (24, 2328)
    """
    return stored(UNEQUAL, {"counts", "trees"}, "unequal")
