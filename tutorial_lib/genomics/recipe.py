"""How the book's `book-virus` is made, a small BERT, from nothing, on simulated genomes; and its card.

`make_virus` trains it and writes the folder that is shipped. For `book-virus` the k-mers of a genome begin at its first
base; `book-virus-frames` learned from genomes that begin at any of the first six. Source: G's case study, on simulated
data.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from tutorial_lib import bert
from tutorial_lib.genomics.classifier import VariantBert, probabilities, variant_loss
from tutorial_lib.genomics.scores import calibration, confusion, macro_f1
from tutorial_lib.genomics.simulator import VARIANTS, Evolution, sequenced, simulate
from tutorial_lib.genomics.splits import Split, split_genomes
from tutorial_lib.genomics.words import K, kmer_tokenizer
from tutorial_lib.model_cards import rounded
from tutorial_lib.saving import begin
from tutorial_lib.tokenization.files import write_text
from tutorial_lib.training import Settings, train
from tutorial_lib.weights import sha256


@dataclass(frozen=True)
class VirusRecipe:
    """How a `VariantBert` is made.

    tree: the seed of `simulate`. errors: the share of wrong bases in what it learns from. std: the spread of the first
    weights. n_frames: see `variant_loss`.
    """

    config: bert.Config
    settings: Settings
    evolution: Evolution = Evolution()
    tree: int = 0
    batch_size: int = 32
    n_frames: int = 1
    errors: float = 0.005
    std: float = 0.06


RECIPE = VirusRecipe(
    bert.Config(4**K + 5, d_model=64, n_layers=2, n_heads=4, d_ff=256, n_positions=256),
    Settings(300, lr=2e-3, warmup=30, evaluate_every=50),
)
VIRUSES = {
    "book-virus": RECIPE,
    "book-virus-frames": replace(RECIPE, n_frames=K, settings=replace(RECIPE.settings, n_steps=800, warmup=60)),
}


def new_virus_model(recipe=RECIPE) -> VariantBert:
    """The model of a recipe before its first step: the same random weights each time.

    >>> sum(p.numel() for p in new_virus_model().parameters()) < 500_000
    True
    """
    torch.manual_seed(recipe.settings.seed)
    return bert.initialize(VariantBert(bert.Bert(recipe.config), VARIANTS), recipe.std).eval()


def read_genomes(genomes, seed=1, variants=VARIANTS, **noise) -> tuple[list[str], np.ndarray]:
    """Genomes as they are sequenced, with errors drawn by the seed, and their variants as numbers: (reads, labels).

    variants: the names that the numbers count. noise: as for `sequenced`; real genomes have theirs already: all 0.
    Raises ValueError for a genome of another variant.

    >>> reads, labels = read_genomes(simulate().genomes[:3])
    >>> len(reads), labels.tolist()
    (3, [0, 0, 0])
    """
    if others := {genome.variant for genome in genomes} - set(variants):
        raise ValueError(f"variants must hold those of all genomes, got {list(variants)} without {sorted(others)}")
    rng = np.random.default_rng(seed)
    variants = list(variants)
    labels = np.array([variants.index(genome.variant) for genome in genomes])
    return [sequenced(genome.sequence, rng, **noise) for genome in genomes], labels


def judge_virus(model, tokenizer, split: Split, **noise) -> dict[str, dict[str, float]]:
    """Accuracy, macro-F1 and calibration error of a model on each set that it has not learned from."""
    found = {}
    for name in ("copies", "outbreaks", "lineages"):
        reads, labels = read_genomes(getattr(split, name), **noise)
        p = probabilities(model, reads, tokenizer)
        guesses = p.argmax(1)
        found[name] = {"accuracy": float((guesses == labels).mean()),
                       "macro_f1": macro_f1(confusion(labels, guesses, len(VARIANTS))),
                       "calibration_error": calibration(p, labels).error}  # fmt: skip
    return found


def make_virus(name, folder, tell=None, recipe=None) -> dict:
    """Train the model of a recipe and write it into folder/NAME, with its vocabulary, curve and card.

    A run that was cut off goes on from its checkpoint, in folder/NAME-run. tell: called with a `training.Progress`
    after each step. recipe: another than that of this name. One thread, so that the same numbers come out again.
    Returns what curves.json holds. Raises ValueError where the folder holds a run of another recipe, OSError where it
    cannot be written.
    """
    recipe, folder, threads = recipe or VIRUSES[name], Path(folder), torch.get_num_threads()
    run = begin(folder, name, recipe)
    torch.set_num_threads(1)
    try:
        split, tokenizer = split_genomes(simulate(recipe.evolution, recipe.tree).genomes), kmer_tokenizer(K)
        model = new_virus_model(recipe)
        loss = variant_loss(split.train, tokenizer, K, recipe.batch_size, recipe.n_frames, errors=recipe.errors)
        reads, labels = read_genomes(split.outbreaks[::4])

        def evaluate(model):
            p = probabilities(model, reads, tokenizer)
            return float(F.nll_loss(torch.tensor(p).clamp(min=1e-9).log(), torch.tensor(labels)))

        curve = train(model, loss, recipe.settings, run, evaluate, tell)
        model.save(tokenizer, folder / name)
        model = VariantBert.from_pretrained(folder / name, device="cpu")  # what was rounded is what is measured
        about = {"measured": judge_virus(model, tokenizer, split), "held_out": evaluate(model), **curve}
    finally:
        torch.set_num_threads(threads)
    about = rounded(about)
    write_text(folder / name / "curves.json", json.dumps(about) + "\n")
    write_text(folder / name / "README.md", virus_card(name, recipe, about, folder))
    return about


def virus_card(name, recipe, about, folder) -> str:
    """The README.md of a model that `make_virus` wrote; about: what its curves.json holds."""
    c, s = recipe.config, recipe.settings
    drawn = [] if recipe.evolution == Evolution() else [repr(recipe.evolution)]
    drawn = ", ".join(drawn + ([f"seed={recipe.tree}"] if recipe.tree else []))
    seeded = f" --seed {s.seed}" if s.seed else ""
    frames = f"one of the first {recipe.n_frames} bases, by lot" if recipe.n_frames > 1 else "the first base"
    lines = [
        f"# {name}",
        "",
        "A small BERT with a classifier, trained from nothing for the book *Transformers from scratch* to tell six "
        "variants of a **simulated** virus apart by their RNA. License: MIT, as the library.",
        "",
        f"- **Shape**: {c.n_layers} layers, d_model {c.d_model}, {c.n_heads} heads, d_ff {c.d_ff}, {c.n_positions} "
        f"positions; vocabulary: all {4**K:,} k-mers of {K} bases, side by side. Stored in float16.",
        f"- **Data**: `genomics.simulate({drawn}).genomes`, the "
        "part `train` of `genomics.split_genomes`; each genome is sequenced anew each time it is drawn, with "
        f"{recipe.errors:.1%} wrong bases, ambiguous bases and stretches of N. Its k-mers begin at {frames}.",
        f"- **Training**: {s.n_steps:,} steps of {recipe.batch_size} genomes; AdamW, learning rate {s.lr:g} after "
        f"{s.warmup} steps of warmup, then a cosine down to a tenth; weight decay {s.weight_decay:g}, gradients cut at "
        f"{s.clip:g}; seed {s.seed}, first weights of spread {recipe.std:g}, float32, one CPU thread.",
        f"- **Again**: `python -m tutorial_lib train {name} --folder FOLDER{seeded}`.",
        "",
        "## Measured",
        "",
        "On simulated genomes that it has not read, with 0.2 % wrong bases; guessing judges one in six right.",
        "",
        "| genomes | accuracy | macro-F1 | expected calibration error |",
        "| --- | ---: | ---: | ---: |",
    ]
    told = {"copies": "of outbreaks that it learned from", "outbreaks": "of other outbreaks",
            "lineages": "of sub-lineages that it never saw"}  # fmt: skip
    for kind, words in told.items():
        one = about["measured"][kind]
        lines.append(f"| {words} | {one['accuracy']:.1%} | {one['macro_f1']:.3f} | {one['calibration_error']:.3f} |")
    lines += ["", "## Weights", "", "| folder | SHA-256 of model.safetensors |", "| --- | --- |",
              f"| {name} | `{sha256(folder / name / 'model.safetensors')}` |", "", "## What it cannot do", "",
              "It knows one simulated tree of six made-up variants. It says nothing about SARS-CoV-2 or any other "
              "virus, and must not be used on real genomes. A linear model on k-mer counts does the same task: see the "
              "book's chapter on the virus."]  # fmt: skip
    return "\n".join(lines) + "\n"
