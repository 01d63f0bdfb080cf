"""A split keeps whole what it says it keeps whole, and a coin is tossed once for an outbreak."""

import numpy as np
import pytest

from tutorial_lib.genomics import coin_labels, simulate, split_genomes


@pytest.fixture(scope="module")
def genomes():
    return simulate().genomes


def test_each_genome_is_in_one_set(genomes):
    split = split_genomes(genomes)
    names = [genome.name for part in split for genome in part]
    assert sorted(names) == sorted(genome.name for genome in genomes) and len(set(names)) == len(names)


def test_the_sets_lie_further_and_further_away(genomes):
    train, copies, outbreaks, lineages = split_genomes(genomes)
    known = {kind: {getattr(genome, kind) for genome in train} for kind in ("outbreak", "lineage", "variant")}
    assert {genome.outbreak for genome in copies} == known["outbreak"]
    assert not {genome.outbreak for genome in outbreaks} & known["outbreak"]
    assert {genome.lineage for genome in outbreaks} == known["lineage"]
    assert not {genome.lineage for genome in lineages} & known["lineage"]
    assert {genome.variant for genome in lineages} == known["variant"]


def test_the_numbers_that_are_kept(genomes):
    split = split_genomes(genomes, n_lineages=1, n_outbreaks=0, n_copies=1)
    assert not split.outbreaks and len({genome.lineage for genome in split.lineages}) == 6
    assert len(split.copies) == len({genome.outbreak for genome in split.train})


def test_a_coin_is_the_same_for_an_outbreak_and_tells_nothing_of_the_variant(genomes):
    coins, other = coin_labels(genomes), coin_labels(genomes, seed=1)
    assert coins.mean() == 0.5 and (coins != other).any()
    for outbreak in ("Ash.1.1", "Oak.10.5"):
        assert len({coin for coin, genome in zip(coins, genomes, strict=True) if genome.outbreak == outbreak}) == 1
    ash = coins[[genome.variant == "Ash" for genome in genomes]].mean()
    assert abs(ash - 0.5) < 3 * np.sqrt(0.25 / 50)  # 50 outbreaks
