"""A simulated virus: an ancestor's RNA, a tree of variants, and a sequencing machine's reading of its genomes.

Nothing here is a real virus. The tree is drawn with a seed, so that all of it is known: each genome's variant, which
substitutions define that variant, and which genomes are near copies of each other. Six variants, three pairs of
sisters, have the names of trees. Source: G's case study, as a simulation.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

BASES = "ACGU"
VARIANTS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Oak")
SISTERS = (("Ash", "Birch"), ("Cedar", "Elm"), ("Fir", "Oak"))
# IUPAC's codes of uncertain bases: code -> the bases that it may be.
AMBIGUOUS = {"R": "AG", "Y": "CU", "S": "CG", "W": "AU", "K": "GU", "M": "AC", "B": "CGU", "D": "AGU", "H": "ACU",
             "V": "ACG", "N": "ACGU"}  # fmt: skip
CODES = {frozenset(bases): code for code, bases in AMBIGUOUS.items()}


@dataclass(frozen=True)
class Evolution:
    """How the simulated virus evolves. Counts of substitutions are exact, except `private`, a mean.

    n_sites: bases of the ancestor. shared: substitutions that two sisters have in common. defining: those of one
    variant. deleted: how many bases in a row one of two sisters lacks, a variant of each pair for each number. sisters:
    the pairs of variants, by name.
    sublineages: of each variant; later: substitutions of each. convergent: the share of these that copy a defining one
    of another variant. reverted: the probability that a sub-lineage loses a defining one. outbreaks: of each
    sub-lineage; outbreak: substitutions of each. samples: genomes of each outbreak; private: a genome's own
    substitutions, on average.

    >>> Evolution().n_sites
    1200
    """

    n_sites: int = 1_200
    shared: int = 3
    defining: int = 4
    deleted: tuple[int, ...] = (3, 6, 9)
    sisters: tuple[tuple[str, str], ...] = SISTERS
    sublineages: int = 10
    later: int = 8
    convergent: float = 0.4
    reverted: float = 0.25
    outbreaks: int = 5
    outbreak: int = 2
    samples: int = 6
    private: float = 1.0


class Genome(NamedTuple):
    """A genome: its place in the tree, and its bases at the ancestor's sites, "-" for a lost one.

    name: "variant|lineage|outbreak|sample". For a real genome, `aligned` may be its bases in a row.
    """

    name: str
    variant: str
    lineage: str
    outbreak: str
    aligned: str

    @property
    def sequence(self) -> str:
        """Return the bases in a row, as they would be read."""
        return self.aligned.replace("-", "")


@dataclass(frozen=True)
class Simulation:
    """A simulated epidemic. ancestor: its RNA. defining: variant -> {site: base}, the differences of its first genome
    from the ancestor ("-": a lost base). roots: variant or sub-lineage -> its first genome, aligned. genomes: the
    samples, outbreak by outbreak."""

    ancestor: str
    defining: dict[str, dict[int, str]]
    roots: dict[str, str]
    genomes: list[Genome] = field(repr=False)


def simulate(evolution=Evolution(), seed=0) -> Simulation:
    """Let a virus evolve: ancestor -> pairs of sisters -> variants -> sub-lineages -> outbreaks -> samples.

    Every step down copies a sequence and substitutes a few bases at random sites. There is no selection and no
    recombination; a sub-lineage may gain substitutions that define another variant, or lose some that define its own.

    >>> virus = simulate()
    >>> len(virus.genomes), virus.genomes[0].outbreak, len(virus.genomes[0].sequence)
    (1800, 'Ash.1.1', 1197)
    """
    rng = np.random.default_rng(seed)
    ancestor = "".join(rng.choice(list(BASES), evolution.n_sites))
    variants = sum(evolution.sisters, ())
    defining, roots, genomes = {}, {}, []
    for (first, second), n_lost in zip(evolution.sisters, evolution.deleted, strict=True):
        parent = _substituted(ancestor, evolution.shared, rng)
        lost = int(rng.integers(evolution.n_sites // 10, evolution.n_sites * 9 // 10))
        roots[first] = _substituted(parent, evolution.defining, rng)
        roots[first] = roots[first][:lost] + "-" * n_lost + roots[first][lost + n_lost :]
        roots[second] = _substituted(parent, evolution.defining, rng)
    for variant in variants:
        defining[variant] = differences(ancestor, roots[variant])
    for variant in variants:
        others = [(site, base) for other in variants if other != variant for site, base in defining[other].items()
                  if base != "-" and roots[variant][site] == ancestor[site]]  # fmt: skip
        for i in range(1, evolution.sublineages + 1):
            lineage = f"{variant}.{i}"
            roots[lineage] = _sublineage(roots[variant], ancestor, defining[variant], others, evolution, rng)
            for j in range(1, evolution.outbreaks + 1):
                source = _substituted(roots[lineage], evolution.outbreak, rng)
                for n in range(1, evolution.samples + 1):
                    aligned = _substituted(source, rng.poisson(evolution.private), rng)
                    outbreak = f"{lineage}.{j}"
                    name = f"{variant}|{lineage}|{outbreak}|simulated {n}"
                    genomes.append(Genome(name, variant, lineage, outbreak, aligned))
    return Simulation(ancestor, defining, roots, genomes)


def differences(ancestor, aligned) -> dict[int, str]:
    """Return where an aligned sequence differs from the ancestor: site, counted from 0, -> its base there.

    >>> differences("ACGU", "AC-A")
    {2: '-', 3: 'A'}
    """
    return {site: base for site, (old, base) in enumerate(zip(ancestor, aligned, strict=True)) if base != old}


def sequenced(sequence, rng, errors=0.002, ambiguous=0.001, gap=0.3, slips=0.0) -> str:
    """Return a sequencing machine's reading of a genome: wrong bases, uncertain bases, and stretches of N.

    errors: the share of bases that are read as another one. ambiguous: the share that is read as one of two, with
    IUPAC's code. gap: the probability that a stretch of 20 to 200 bases is not read at all, N. slips: the share of
    bases that are left out, or read twice. rng: a NumPy generator. Uncertain bases of the sequence itself, as in real
    genomes, stay. Raises ValueError for shares outside 0..1.

    >>> sequenced("ACGU" * 5, np.random.default_rng(1), errors=0.1, ambiguous=0.1, gap=0)
    'ACGUACGUAAGUACGKACKU'
    """
    for name, share in {"errors": errors, "ambiguous": ambiguous, "gap": gap, "slips": slips}.items():
        if not 0 <= share <= 1:
            raise ValueError(f"{name} must be a share from 0 to 1, got {share!r}")
    bases = list(sequence)
    certain = np.array([base in BASES for base in bases], dtype=bool)
    for i in np.flatnonzero((rng.random(len(bases)) < errors) & certain):
        bases[i] = _another(bases[i], rng)
    for i in np.flatnonzero((rng.random(len(bases)) < ambiguous) & certain):
        bases[i] = CODES[frozenset((bases[i], _another(bases[i], rng)))]
    if rng.random() < gap:
        length = int(rng.integers(20, 201))
        start = int(rng.integers(max(1, len(bases) - length)))
        bases[start : start + length] = "N" * len(bases[start : start + length])
    for i in np.flatnonzero(rng.random(len(bases)) < slips):
        bases[i] *= 2 * int(rng.integers(2))
    return "".join(bases)


def _sublineage(root, ancestor, defining, others, evolution, rng):
    """Return a variant's sequence with reversions, substitutions that other variants have, and new ones."""
    bases = list(root)
    for site, base in defining.items():
        if base != "-" and rng.random() < evolution.reverted:
            bases[site] = ancestor[site]
    copies = rng.binomial(evolution.later, evolution.convergent)
    for at in rng.choice(len(others), min(copies, len(others)), replace=False):
        site, base = others[at]
        bases[site] = base if bases[site] != "-" else "-"
    return _substituted("".join(bases), evolution.later - copies, rng)


def _substituted(aligned, n, rng):
    """Return the sequence with n bases replaced by others, at sites that exist."""
    bases = list(aligned)
    for site in rng.choice([i for i, base in enumerate(bases) if base != "-"], n, replace=False):
        bases[site] = _another(bases[site], rng)
    return "".join(bases)


def _another(base, rng):
    others = [other for other in BASES if other != base]
    return others[int(rng.integers(len(others)))]
