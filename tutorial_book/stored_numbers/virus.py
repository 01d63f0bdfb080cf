"""Train the case study's models again, with other seeds and on other trees, and store their scores.

    python -m tutorial_book measure virus FOLDER     a quarter of an hour on one core

The chapter on the virus shows these numbers, from stored/virus-again.json. The weights stay in FOLDER, where an
interrupted run continues.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from tutorial_book.experiments.virus import (
    RECIPE,
    RUNS,
    VariantBert,
    kmer_counts,
    kmer_ids,
    kmer_tokenizer,
    kmers_at,
    probabilities,
    read_genomes,
    simulate,
    split_genomes,
)
from tutorial_book.experiments.virus.simulator import VARIANTS
from tutorial_lib.geometry import bootstrap_interval, cone_index, effective_number, gate_of, gate_scores

WHOLE = ("Birch", "Elm", "Oak")  # variants that have lost no base
PLACES = ("embeddings", "layer.0", "layer.1")


def record(folder, *, runs=RUNS) -> dict:
    """Return the result of `measured` for each training, to four digits."""
    return {"virus-again": {"runs": [{**vars(run), "measured": told(run, Path(folder))} for run in runs]}}


def told(run, folder):
    place = folder / f"seed{run.seed}-tree{run.tree}"
    run.recipe.make(run.name, place)
    model = VariantBert.from_pretrained(place / run.name, device="cpu")
    found = measured(model, kmer_tokenizer(), simulate(seed=run.tree))
    print(f"{run}: {found['lineages']:.1%} of new sub-lineages", flush=True)
    return {name: round(value, 4) for name, value in found.items()}


@torch.no_grad()
def measured(model, tokenizer, virus) -> dict[str, float]:
    """Return the chapter's numbers about a model.

    - outbreaks, lineages: the share that is right on these sets, read with the usual errors. linear: that of a linear
      model on lineages. low, high: the 95 % interval, over sub-lineages, of how much better BERT is there.
    - skipped: the share right on copies whose base 60 is skipped. cut: how many genomes that have lost no base are
    taken for a variant whose loss is cut out of them, averaged over such variants.
    - sure: p of the answer if it is wrong, on lineages.
    - found: the share of defining k-mers among as many with the most attention from [CLS] in layer 1. known, new: the
      share right of outbreaks and of lineages if no defining k-mer is read, in variants that have lost no base.
    - row_0, row_1: how many tokens a row of each layer looks at, on average; cls_0, cls_1: the row of [CLS]. open:
    how many heads are open gates, by their mean scores. cone_0, cone_1, cone_2: cone index / n of the embeddings and
    after each layer.

    Raises ValueError if no answer on lineages is wrong: there is no `sure` then.
    """
    split = split_genomes(virus.genomes)
    reads, labels = read_genomes(split.train, seed=0, errors=RECIPE.errors)
    linear = LogisticRegression(max_iter=2000).fit(kmer_counts(reads), labels)

    def right(reads, labels):
        return probabilities(model, reads, tokenizer).argmax(1) == labels

    reads, labels = read_genomes(split.lineages)
    p = probabilities(model, reads, tokenizer)
    wrong = p.argmax(1) != labels
    if not wrong.any():
        raise ValueError("model must be wrong on some genome of a new sub-lineage, got a model that never is")
    linear_right = linear.predict(kmer_counts(reads)) == labels
    names = np.array([genome.lineage for genome in split.lineages])
    lead = [(~wrong).mean(where=names == name) - linear_right.mean(where=names == name) for name in np.unique(names)]
    low, high = bootstrap_interval(np.mean, np.array(lead))
    found = {"outbreaks": right(*read_genomes(split.outbreaks)).mean(), "lineages": (~wrong).mean(),
             "linear": linear_right.mean(), "low": low, "high": high}  # fmt: skip
    reads, labels = read_genomes(split.copies)
    found["skipped"] = right([read[:60] + read[61:] for read in reads], labels).mean()
    found["cut"] = np.mean([right(_cut(split.copies, lost), VARIANTS.index(variant)).mean()
                            for variant, lost in _losses(virus).items()])  # fmt: skip
    found["sure"] = p.max(1)[wrong].mean()
    return {name: float(value) for name, value in (found | _looks(model, tokenizer, virus, split)).items()}


def _losses(virus):
    """Return variant -> the sites that it has lost, if it has lost any."""
    lost = {name: [site for site, base in virus.defining[name].items() if base == "-"] for name in VARIANTS}
    return {name: sites for name, sites in lost.items() if sites}


def _cut(genomes, lost):
    """Return the bases of the genomes that have lost none, without those at these sites."""
    whole = [genome.aligned for genome in genomes if "-" not in genome.aligned]
    return [aligned[: lost[0]] + aligned[lost[-1] + 1 :] for aligned in whole]


def _marked(virus, genome):
    """Return which k-mers of a genome contain the sites that define its variant."""
    sites = [site for site, base in virus.defining[genome.variant].items() if genome.aligned[site] == base]
    return kmers_at(genome.aligned, sites)


def _without(model, tokenizer, virus, genomes):
    """Return the share that is right if no defining k-mer is read."""
    rows = kmer_ids([genome.sequence for genome in genomes], tokenizer)
    for ids, genome in zip(rows, genomes, strict=True):
        for place in _marked(virus, genome):
            ids[place + 1] = tokenizer.vocab["[UNK]"]
    guesses = model(rows).argmax(-1).tolist()
    return np.mean([VARIANTS[i] == genome.variant for i, genome in zip(guesses, genomes, strict=True)])


def _looks(model, tokenizer, virus, split):
    """Return results about attention and vectors, and the score without the defining k-mers."""
    shares, cls, rows, cones, gates = [], [], [], [], []
    outbreaks, lineages = ([g for g in part if g.variant in WHOLE] for part in (split.outbreaks, split.lineages))
    for genome in outbreaks[::18]:
        stops = model.bert.trace(kmer_ids([genome.sequence], tokenizer))
        A = stops["layer.1.attention.weights"][0, :, 0]  # (heads, n), from [CLS]
        seen = A[:, 1:-1].mean(0).numpy()
        marked = _marked(virus, genome)
        shares.append(np.isin(np.argsort(-seen, kind="stable")[: len(marked)], marked).mean())
    for ids in kmer_ids(read_genomes(split.outbreaks[::18])[0], tokenizer):
        stops = model.bert.trace([ids])
        A = np.stack([stops[f"layer.{i}.attention.weights"][0] for i in range(2)])  # (layers, heads, n, n)
        cls.append(effective_number(A[:, :, 0]).mean(1))
        rows.append(effective_number(A).mean((1, 2)))
        cones.append([cone_index(stops[f"{place}.output"][0], share=True) for place in PLACES])
        gates.append(gate_scores(A))
    without = (_without(model, tokenizer, virus, some) for some in (outbreaks[::6], lineages[::6]))
    found = {"found": np.mean(shares), **dict(zip(("known", "new"), without, strict=True))}
    for name, values in {"row": rows, "cls": cls, "cone": cones}.items():
        found |= {f"{name}_{i}": value for i, value in enumerate(np.mean(values, 0))}
    return found | {"open": (gate_of(np.mean(gates, 0)) == "open").sum()}
