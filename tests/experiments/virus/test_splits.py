"""A split keeps whole what it says it keeps whole, and a coin is tossed once for an outbreak."""

import numpy as np
import pytest

from tutorial_book.experiments.virus import coin_labels, containment, kmers, similar_groups, simulate, split_genomes


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


def test_containment_is_that_of_sets(genomes):
    some = [genome.sequence for genome in genomes[::400]]
    held = [set(kmers(text, step=1)) for text in some]
    for row, a in zip(containment(some, some), held, strict=True):
        assert row == pytest.approx([len(a & b) / min(len(a), len(b)) for b in held], abs=1e-6)
    assert containment(["ACGUN"], ["NNN", "ACGUACGU"], k=3).tolist() == [[0.0, 1.0]]


def test_what_was_not_read_does_not_set_apart(genomes):
    old = genomes[0].sequence
    unread, changed = old[:300] + "N" * 60 + old[360:], old[:300] + ("A" if old[300] != "A" else "C") + old[301:]
    [[same], [less]] = containment([unread, changed], [old])
    assert same == 1 and 0.99 < less < 1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_near_copies_are_found_without_their_labels(seed):
    """On these trees, the groups are the sub-lineages; whatever the order of the genomes."""
    genomes = simulate(seed=seed).genomes
    groups = similar_groups([genome.sequence for genome in genomes]).tolist()
    assert groups == sorted(groups) and len(set(groups)) == groups[-1] + 1 == 60
    assert len({(group, genome.lineage) for group, genome in zip(groups, genomes, strict=True)}) == 60
    order = np.random.default_rng(0).permutation(len(genomes))
    mixed = similar_groups([genomes[i].sequence for i in order])
    assert len(set(zip(mixed.tolist(), [groups[i] for i in order], strict=True))) == 60


def test_who_is_near_to_one_of_a_group_is_in_it_and_no_one_else():
    chain = ["".join(np.random.default_rng(0).choice(list("ACGU"), 600))]
    for i in range(4):  # three sites further each time, far from the first in the end
        bases = list(chain[-1])
        for site in (100 * i + 20, 100 * i + 40, 100 * i + 60):
            bases[site] = {"A": "C", "C": "G", "G": "U", "U": "A"}[bases[site]]
        chain.append("".join(bases))
    texts = [chain[i] for i in (0, 4, 2, 1, 3)]
    assert similar_groups(texts, least=0.96).tolist() == [0, 0, 0, 0, 0]
    assert similar_groups(texts, least=0.99).tolist() == [0, 1, 2, 3, 4]
    assert similar_groups(texts[:2], least=0.96).tolist() == [0, 1]
    with pytest.raises(ValueError, match="least must be a share above 0, at most 1, got 0"):
        similar_groups(texts, least=0)
