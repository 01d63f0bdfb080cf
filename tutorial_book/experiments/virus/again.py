"""Other trainings of the case study's BERT: other seeds, other simulated viruses.

One training is one draw of initial weights and batches, and one tree is one draw of a history.
"""

from dataclasses import dataclass, replace

from tutorial_book.experiments import stored
from tutorial_book.experiments.virus.recipe import VIRUSES, VirusRecipe


@dataclass(frozen=True)
class Run:
    """A training to repeat: a recipe's name, the seed of its initial weights and batches, the seed of its tree."""

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
    """Return the results of stored_numbers/virus.py: run -> numbers by name, shares from 0 to 1; see there.

    >>> trained_again()[Run("book-virus", seed=0)]["lineages"]
    0.95
    """
    runs = stored("virus-again")["runs"]
    return {Run(one["name"], one["seed"], one["tree"]): one["measured"] for one in runs}
