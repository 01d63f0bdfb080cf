"""Checks that the case study's own numbers cannot do: the simulator, a reader's genomes, the order on other trees."""

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.chapters.conftest import ROOT
from tutorial_book.experiments.virus import (
    RECIPE,
    Evolution,
    kmer_counts,
    read_genomes,
    simulate,
    split_genomes,
    write_fasta,
)
from tutorial_book.experiments.virus.simulator import VARIANTS

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


def test_the_numbers_of_the_tree():
    e, virus = Evolution(), simulate()
    assert (e.n_sites, e.sublineages, e.later, e.outbreaks, e.samples) == (1_200, 10, 8, 5, 6)
    split = split_genomes(virus.genomes)
    assert len({genome.outbreak for genome in split.train}) == 108
    assert len({genome.lineage for genome in split.train}) == 36
    assert len({genome.lineage for genome in split.lineages}) == 24
    lost = {name: list(virus.defining[name].values()).count("-") for name in VARIANTS}
    assert lost == {"Ash": 3, "Birch": 0, "Cedar": 6, "Elm": 0, "Fir": 9, "Oak": 0}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_linear_model_beats_nearest_reference_on_other_trees(seed):
    """The solution of exercise 4."""
    split = split_genomes(simulate(seed=seed).genomes)
    reads, labels = read_genomes(split.train, variants=VARIANTS, seed=0, errors=RECIPE.errors)
    linear = LogisticRegression(max_iter=2000).fit(kmer_counts(reads), labels)
    first = {genome.lineage: genome for genome in reversed(split.train)}
    roots = kmer_counts([genome.sequence for genome in first.values()])
    roots /= np.linalg.norm(roots, axis=1, keepdims=True)
    of = np.array([VARIANTS.index(genome.variant) for genome in first.values()])
    reads, truth = read_genomes(split.lineages, variants=VARIANTS)
    near = of[(kmer_counts(reads) @ roots.T).argmax(1)]
    assert linear.score(kmer_counts(reads), truth) > (near == truth).mean()


def test_cells_run_on_a_readers_genomes(tmp_path):
    """Variants of other names, uncertain bases, lengths that differ: the page's own cells, as a reader changes them."""
    other = simulate(Evolution(n_sites=300, sublineages=6, samples=4), seed=9).genomes
    rename = {name: f"lineage {name[0]}" for name in VARIANTS[:4]}
    records = [(g.name.replace(g.variant, rename[g.variant]), g.sequence.replace("GA", "NR", 1).lower())
               for g in other if g.variant in rename]  # fmt: skip
    write_fasta(tmp_path / "yours.fasta", records)
    source = (ROOT / "book" / "virus.md").read_text(encoding="utf-8")
    cell = r"```{code-cell} python3\n(?:---\n.*?\n---\n)?(?::[^\n]*\n)*(.*?)```"
    cells = dict(enumerate(re.findall(cell, source, re.DOTALL)))
    own = next(i for i, cell in cells.items() if "# genomes = labeled_genomes" in cell)
    first = next(i for i, cell in cells.items() if "split = split_genomes(genomes)" in cell)
    last = next(i for i, cell in cells.items() if "similar_groups([" in cell)
    names = {}
    mine = re.sub("genomes, machine = .*\n", "", cells[own]).replace("# ", "")
    mine = mine.replace("yours.fasta.gz", str(tmp_path / "yours.fasta"))
    exec(cells[0].partition("torch.set_grad_enabled")[0], names)  # its imports
    for cell in (mine, *(cells[i] for i in range(first, last + 1))):
        exec(cell, names)
    assert names["variants"] == [f"lineage {letter}" for letter in "ABCE"]
    new, true = names["read"](names["split"].lineages)
    assert (names["nearest"](new).argmax(1) == true).mean() > 0.5 < names["linear"].score(kmer_counts(new), true)
    assert all(set(read) & set("NR") for read in new)
