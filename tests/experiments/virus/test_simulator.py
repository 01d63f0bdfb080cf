"""The simulated virus: the tree is what its numbers say, seeds repeat it, and the machine errs as often as told."""

from collections import Counter

import numpy as np
import pytest

from tutorial_book.experiments.virus import Evolution, differences, sequenced, simulate
from tutorial_book.experiments.virus.simulator import AMBIGUOUS, CODES, SISTERS, VARIANTS


@pytest.fixture(scope="module")
def virus():
    return simulate()


def test_the_seed_draws_the_tree(virus):
    again, other = simulate(), simulate(seed=1)
    assert again.genomes == virus.genomes and again.roots == virus.roots
    assert other.ancestor != virus.ancestor


def test_a_variant_has_what_it_shares_with_its_sister_and_what_defines_it(virus):
    """Sites are drawn without regard to each other, so a few may fall together: at most one in each line here."""
    e = Evolution()
    for (first, second), n_lost in zip(SISTERS, e.deleted, strict=True):
        lost = [site for site, base in virus.defining[first].items() if base == "-"]
        assert len(lost) == n_lost and lost == list(range(lost[0], lost[0] + n_lost))
        both = set(virus.defining[first].items()) & set(virus.defining[second].items())
        assert e.shared - 1 <= len(both) <= e.shared
        for variant in (first, second):
            substituted = [base for base in virus.defining[variant].values() if base != "-"]
            assert e.shared + e.defining - 1 <= len(substituted) <= e.shared + e.defining


def test_reads_of_a_variant_are_nearer_to_its_root_than_to_another(virus):
    ancestor = np.array(list(virus.ancestor))
    assert (ancestor == np.array(list(virus.roots["Oak"]))).mean() > 0.99
    for genome in virus.genomes[::97]:
        distances = {name: len(differences(virus.roots[name], genome.aligned)) for name in (genome.lineage, "Ash")}
        assert distances[genome.lineage] < 12
        if genome.variant != "Ash":
            assert distances["Ash"] > distances[genome.lineage]


def test_every_lineage_has_its_outbreaks_and_samples(virus):
    e = Evolution()
    lineages = Counter(genome.lineage for genome in virus.genomes)
    assert len(lineages) == len(VARIANTS) * e.sublineages
    assert set(lineages.values()) == {e.outbreaks * e.samples}
    assert len({genome.name for genome in virus.genomes}) == len(virus.genomes)
    assert virus.genomes[0].name == "Ash|Ash.1|Ash.1.1|simulated 1"


def test_an_outbreak_is_near_copies(virus):
    """Two samples differ by their own substitutions alone: twice the mean of one; other branches add theirs."""
    one, far = virus.genomes[: Evolution().samples], virus.genomes[Evolution().samples]
    within = [len(differences(one[0].aligned, other.aligned)) for other in one[1:]]
    assert np.mean(within) < 4 < len(differences(one[0].aligned, virus.genomes[-1].aligned))
    assert far.outbreak != one[0].outbreak


def test_sublineages_take_from_other_variants_and_lose_what_defines_their_own(virus):
    taken = lost = 0
    for variant in VARIANTS:
        own = {site: base for site, base in virus.defining[variant].items() if base != "-"}
        others = {pair for name in VARIANTS if name != variant for pair in virus.defining[name].items()}
        for i in range(1, Evolution().sublineages + 1):
            new = differences(virus.ancestor, virus.roots[f"{variant}.{i}"])
            lost += sum(new.get(site) != base for site, base in own.items()) / len(own)
            taken += len(set(new.items()) & others - set(own.items()))
    n = len(VARIANTS) * Evolution().sublineages
    assert lost / n == pytest.approx(Evolution().reverted, abs=0.06)
    assert taken / n == pytest.approx(Evolution().later * Evolution().convergent, abs=0.6)


def test_other_pairs_of_sisters_evolve_alike():
    four = (("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"))
    virus = simulate(Evolution(n_sites=200, deleted=(3, 6, 9, 3), sisters=four, sublineages=2, outbreaks=1, samples=1))
    assert Counter(genome.variant for genome in virus.genomes) == dict.fromkeys("abcdefgh", 2)
    assert [list(virus.defining[name].values()).count("-") for name in "aceg"] == [3, 6, 9, 3]
    with pytest.raises(ValueError, match="zip"):
        simulate(Evolution(sisters=four))


def test_the_machine_errs_as_often_as_told():
    rng, true = np.random.default_rng(0), "ACGU" * 5_000
    read = sequenced(true, rng, errors=0.05, ambiguous=0, gap=0)
    assert len(read) == len(true) and set(read) == set("ACGU")
    assert np.mean([a != b for a, b in zip(read, true, strict=True)]) == pytest.approx(0.05, abs=0.005)
    read = sequenced(true, rng, errors=0, ambiguous=0.05, gap=0)
    unsure = [(a, b) for a, b in zip(read, true, strict=True) if a != b]
    assert len(unsure) / len(true) == pytest.approx(0.05, abs=0.005)
    assert all(b in AMBIGUOUS[a] and len(AMBIGUOUS[a]) == 2 for a, b in unsure)
    read = sequenced(true, rng, errors=0, ambiguous=0, gap=1)
    assert 20 <= read.count("N") <= 200 and "N" * read.count("N") in read
    assert sequenced(true, rng, errors=0, ambiguous=0, gap=0) == true
    slipped = sequenced(true, rng, errors=0, ambiguous=0, gap=0, slips=0.05)
    assert abs(len(slipped) - len(true)) < 200 and slipped != true


def test_what_is_uncertain_in_a_real_genome_stays():
    read = sequenced("ACGUNRYK" * 500, np.random.default_rng(0), errors=0.5, ambiguous=1, gap=0)
    assert all(read[i::8] == code * 500 for i, code in enumerate("ACGUNRYK") if code in AMBIGUOUS)
    assert all(set(read[i::8]) <= set(AMBIGUOUS) for i in range(4))


def test_a_code_names_its_bases():
    assert CODES[frozenset("AG")] == "R" and CODES[frozenset("ACGU")] == "N" and len(CODES) == 11


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="errors must be a share from 0 to 1, got 2"):
        sequenced("ACGU", np.random.default_rng(0), errors=2)
    with pytest.raises(ValueError, match="samples must be a whole number, 1 or more, got 0"):
        Evolution(samples=0)
    with pytest.raises(ValueError, match="convergent must be a share"):
        Evolution(convergent=1.5)
