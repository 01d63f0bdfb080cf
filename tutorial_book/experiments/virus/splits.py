"""Training and evaluation genomes for a classifier: near copies, new outbreaks, new sub-lineages.

Genomes of one outbreak are near copies. A random split puts copies on both sides, and apparent knowledge may be memory.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from tutorial_book.experiments.virus.words import K, kmer_counts


class Split(NamedTuple):
    """Training genomes, and three evaluation sets, each further from them than the one before.

    copies: of training outbreaks, as in a random split. outbreaks: new ones, of the same sub-lineages. lineages:
    sub-lineages that are not in the training set.
    """

    train: list
    copies: list
    outbreaks: list
    lineages: list


def split_genomes(genomes, n_lineages=4, n_outbreaks=2, n_copies=2) -> Split:
    """Keep the last sub-lineages of each variant, the last outbreaks of the others and the last samples of the rest.

    >>> from tutorial_book.experiments.virus import simulate
    >>> split = split_genomes(simulate().genomes)
    >>> [len(genomes) for genomes in split], {genome.lineage for genome in split.lineages[:30]}
    ([432, 216, 432, 720], {'Ash.7'})
    """
    kept_lineages = _last([(g.variant, g.lineage) for g in genomes], n_lineages)
    kept_outbreaks = _last([(g.lineage, g.outbreak) for g in genomes], n_outbreaks)
    kept_samples = _last([(g.outbreak, g.name) for g in genomes], n_copies)
    split = Split([], [], [], [])
    for genome in genomes:
        if genome.lineage in kept_lineages:
            split.lineages.append(genome)
        elif genome.outbreak in kept_outbreaks:
            split.outbreaks.append(genome)
        else:
            (split.copies if genome.name in kept_samples else split.train).append(genome)
    return split


def coin_labels(genomes, seed=0) -> np.ndarray:
    """Return a coin toss for each outbreak, 0 or 1, given to all its genomes: a label that no sequence reveals.

    A classifier that predicts it has memorized it. Equally many outbreaks get 0 and 1, or one more gets 0.

    >>> from tutorial_book.experiments.virus import simulate
    >>> labels = coin_labels(simulate().genomes)
    >>> labels[4:8].tolist(), float(labels.mean())  # six genomes of the first outbreak, then the second
    ([0, 0, 1, 1], 0.5)
    """
    outbreaks = list(dict.fromkeys(genome.outbreak for genome in genomes))
    tosses = np.random.default_rng(seed).permutation(np.arange(len(outbreaks)) % 2)
    of = dict(zip(outbreaks, tosses, strict=True))
    return np.array([of[genome.outbreak] for genome in genomes])


def containment(sequences, others, k=K) -> np.ndarray:
    """Return the share of the shorter list's distinct k-mers that the longer one also has: (n, n_others).

    It needs no alignment, and unread bases, N, do not count: 1 for copies. Source: Broder 1997.

    >>> containment(["ACGUA"], ["ACGUA", "ACGUC", "ACG"], k=2).tolist()  # AC CG GU UA; AC CG GU UC; AC CG
    [[1.0, 0.75, 1.0]]
    """
    held, held_by_others = (kmer_counts(some, k) > 0 for some in (sequences, others))
    shared = held.astype(np.float32) @ held_by_others.T.astype(np.float32)
    shorter = np.minimum(held.sum(1)[:, None], held_by_others.sum(1))
    return shared / np.maximum(shorter, 1)


def similar_groups(sequences, least=0.97, k=K) -> np.ndarray:
    """Return groups of near copies, numbered from 0: (n,). A split that keeps them whole leaks none.

    Sequences with a `containment` of at least `least` are in one group, and so are those near to any member.

    >>> from tutorial_book.experiments.virus import simulate
    >>> genomes = simulate().genomes[:90]  # of three sub-lineages
    >>> similar_groups([genome.sequence for genome in genomes]).tolist() == [0] * 30 + [1] * 30 + [2] * 30
    True
    """
    if not 0 < least <= 1:
        raise ValueError(f"least must be a share above 0, at most 1, got {least!r}")
    near = containment(sequences, sequences, k) >= least  # (n, n)
    return connected_components(near, directed=False)[1]


def _last(pairs, n):
    """Return the last n members of each group, of (group, member) pairs."""
    members = {}
    for group, member in dict.fromkeys(pairs):
        members.setdefault(group, []).append(member)
    return {member for all_of in members.values() for member in all_of[len(all_of) - n :]}
