"""Repeat the case study with the design of G's authors, on simulated genomes, and store the results.

    python -m tutorial_book measure unequal     some minutes on one core, for each training

Eight variants, of which the rarest is a hundred times as rare as the most frequent; a region as long as the spike gene;
words of 12 bases that begin at every ninth, each of which is a token if it occurs in the training genomes. The chapter
on the virus shows these numbers, from stored/virus-unequal.json.
"""

from __future__ import annotations

import numpy as np
import torch
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from torch.nn import functional as F

from tutorial_book.experiments.virus import (
    RECIPE,
    Evolution,
    VariantBert,
    kmer_counts,
    kmers,
    read_genomes,
    simulate,
    split_genomes,
)
from tutorial_book.experiments.virus.simulator import SISTERS
from tutorial_lib import bert
from tutorial_lib.training import Settings, train

COUNTS = (24, 143, 506, 1_300, 1_526, 1_803, 2_251, 2_328)  # of their sequences, by class, the rarest first
SCALE = 4  # we train on a quarter as many
EVOLUTION = Evolution(n_sites=3_822, deleted=(3, 6, 9, 3), sisters=(*SISTERS, ("Hazel", "Yew")), samples=36)
K, STEP, SPECIAL = 12, 9, 5
NOISE = {"errors": 0.0005, "ambiguous": 0.0005}
KINDS = ("copies", "outbreaks", "lineages")
BATCH = 16
TREES = (0, 1)
RUNS = ((2, 0), (2, 1), (6, 0))  # of BERT: passes through the genomes (G's authors tune for two), and a seed


def record(*, trees=TREES, runs=RUNS, evolution=EVOLUTION, scale=SCALE) -> dict:
    """Return the authors' counts, and the result of `measured` for each tree."""
    found = [measured(tree, runs, evolution, scale) for tree in trees]
    return {"virus-unequal": {"counts": COUNTS, "trees": found}}


def measured(tree, runs, evolution, scale) -> dict:
    """Measure one history of the virus.

    - variants: the rarest first; sizes: the number of training genomes of each. words: how many different ones.
    - sites: by set, the mean number of sites at which a genome differs from the nearest training genome.
    - right: classifier -> set -> for each variant the share that is right in each sub-lineage, (8, sub-lineages). The
      classifiers are the most frequent variant, the nearest of one reference for each sub-lineage, two linear models
      (of the counts of 6-mers at any place, and of the words that BERT reads), and BERT, for each of RUNS.
    """
    learned, sizes, sets = design(tree, evolution, scale)
    variants = list(sizes)
    reads, labels = read_genomes(learned, 0, variants, **NOISE)
    vocabulary = {word: SPECIAL + i for i, word in enumerate(dict.fromkeys(sum(map(words, reads), [])))}
    judged = {kind: read_genomes(some, 1, variants, **NOISE)[0] for kind, some in sets.items()}
    right = {}
    for name, classify in classifiers(learned, reads, labels, vocabulary, variants, runs):
        right[name] = {kind: by_sublineage(sets[kind], variants, classify(judged[kind])) for kind in KINDS}
        balanced = {kind: round(float(np.mean(shares)), 3) for kind, shares in right[name].items()}
        print(f"tree {tree}, {name}: {balanced}", flush=True)
    sites = {kind: round(float(nearest_sites(some[::4], learned).mean()), 1) for kind, some in sets.items()}
    return {"tree": tree, "variants": variants, "sizes": list(sizes.values()), "words": len(vocabulary),
            "sites": sites, "right": right}  # fmt: skip


def design(tree, evolution=EVOLUTION, scale=SCALE):
    """Return training genomes, a hundred to one; each variant's number, the rarest first; and the three sets.

    Which variant is rare is random, and so are its genomes. The evaluation sets contain equally many of each, up to
    four of an outbreak, so that the score of a rare variant is as reliable as that of a frequent one.
    """
    split = split_genomes(simulate(evolution, tree).genomes)
    rng = np.random.default_rng(tree)
    variants = rng.permutation(sum(evolution.sisters, ())).tolist()
    sizes = {variant: round(n / scale) for variant, n in zip(variants, COUNTS)}
    learned = []
    for variant, n in sizes.items():
        own = [genome for genome in split.train if genome.variant == variant]
        learned += [own[i] for i in sorted(rng.choice(len(own), n, replace=False))]
    return learned, sizes, {kind: firsts(getattr(split, kind)) for kind in KINDS}


def firsts(genomes, n=4):
    """Return the first n genomes of each outbreak."""
    of = {}
    for genome in genomes:
        of.setdefault(genome.outbreak, []).append(genome)
    return sum((some[:n] for some in of.values()), [])


def words(read):
    """Return words of 12 bases, one every nine; short ones are padded with N, as by G's authors."""
    return kmers(read.ljust(EVOLUTION.n_sites, "N"), K, STEP)


def as_ids(reads, vocabulary):
    """Return ids (n, words + 2) for BERT: 1 is [UNK], a word that occurs in no training genome."""
    return torch.tensor([[2, *(vocabulary.get(word, 1) for word in words(read)), 3] for read in reads])


def classifiers(learned, reads, labels, vocabulary, variants, runs):
    """Yield (name, a function from reads to the numbers of variants), one after the other."""
    yield "most frequent", lambda some: np.full(len(some), len(variants) - 1)
    first = {genome.lineage: genome for genome in reversed(learned)}
    references = kmer_counts([genome.sequence for genome in first.values()])
    references /= np.linalg.norm(references, axis=1, keepdims=True)
    of = np.array([variants.index(genome.variant) for genome in first.values()])
    yield "nearest reference", lambda some: of[(kmer_counts(some) @ references.T).argmax(1)]
    counts = LogisticRegression(max_iter=2000).fit(kmer_counts(reads), labels)
    yield "k-mer counts, linear", lambda some: counts.predict(kmer_counts(some))
    held = make_pipeline(CountVectorizer(analyzer=words, binary=True), LogisticRegression(max_iter=2000))
    yield "BERT's words, linear", held.fit(reads, labels).predict
    for passes, seed in runs:
        model = trained(reads, labels, vocabulary, variants, passes, seed)
        yield f"BERT, {passes} passes, seed {seed}", lambda some: answers(model, as_ids(some, vocabulary))  # noqa: B023 (used at once)


def trained(reads, labels, vocabulary, variants, passes, seed):
    """Return a BERT as small as `book-virus`, untrained."""
    torch.manual_seed(seed)
    config = bert.Config(SPECIAL + len(vocabulary), d_model=64, n_layers=2, n_heads=4, d_ff=256, n_positions=512)
    model = bert.initialize(VariantBert(bert.Bert(config), variants), RECIPE.std)
    ids, truth = as_ids(reads, vocabulary), torch.tensor(labels)

    def loss(model, generator):
        drawn = torch.randint(len(ids), (BATCH,), generator=generator)
        return F.cross_entropy(model(ids[drawn], fused=True), truth[drawn])

    n_steps = max(1, passes * len(ids) // BATCH)
    train(model, loss, Settings(n_steps, lr=2e-3, warmup=n_steps // 10, seed=seed))
    return model


@torch.no_grad()
def answers(model, ids):
    return torch.cat([model(part, fused=True).argmax(-1) for part in ids.split(32)]).numpy()


def by_sublineage(genomes, variants, guesses):
    """Return the share that is right in each sub-lineage: for each variant a list."""
    right = {}
    for genome, guess in zip(genomes, guesses, strict=True):
        shares = right.setdefault(genome.variant, {})
        shares.setdefault(genome.lineage, []).append(variants[guess] == genome.variant)
    return [[round(float(np.mean(x)), 4) for x in right[variant].values()] for variant in variants]


def nearest_sites(genomes, learned):
    """Return at how many sites each genome differs from the nearest training genome, (n,)."""
    rows, others = (np.array([list(genome.aligned.encode()) for genome in some], np.uint8)
                    for some in (genomes, learned))  # fmt: skip
    return np.array([(others != row).sum(1).min() for row in rows])
