"""How the book's `book-virus`, a small BERT, is trained from scratch on simulated genomes; and its card.

For `book-virus` the k-mers of a genome begin at its first base; `book-virus-frames` learned from genomes that begin at
any of the first six. Source: G's case study, on simulated data.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import confusion_matrix
from torch.nn import functional as F

from tutorial_book.experiments.virus.classifier import VariantBert, probabilities, variant_loss
from tutorial_book.experiments.virus.scores import calibration, macro_f1
from tutorial_book.experiments.virus.simulator import VARIANTS, Evolution, sequenced, simulate
from tutorial_book.experiments.virus.splits import Split, split_genomes
from tutorial_book.experiments.virus.words import K, kmer_tokenizer
from tutorial_lib import bert
from tutorial_lib.training import Settings
from tutorial_lib.training.card import again, how_trained, weights_table
from tutorial_lib.training.recipes import Prepared, Recipe
from tutorial_lib.weights.files import read_text

CARD = Path(__file__).with_name("card.md")
SETS = {  # what a model is evaluated on, in the words of its card
    "copies": "of outbreaks that it learned from",
    "outbreaks": "of other outbreaks",
    "lineages": "of sub-lineages that it never saw",
}


@dataclass(frozen=True)
class VirusRecipe(Recipe):
    """How a `VariantBert` is made.

    tree: the seed of `simulate`. errors: the share of wrong bases in training data. n_frames: see `variant_loss`.
    """

    evolution: Evolution = Evolution()
    tree: int = 0
    batch_size: int = 32
    n_frames: int = 1
    errors: float = 0.005

    def new_model(self) -> VariantBert:
        """Return the model before its first step: the same random weights each time.

        >>> sum(p.numel() for p in RECIPE.new_model().parameters()) < 500_000
        True
        """
        torch.manual_seed(self.settings.seed)
        return bert.initialize(VariantBert(bert.Bert(self.config), VARIANTS), self.std).eval()

    def prepare(self) -> Prepared:
        """Simulate and split the genomes, and set up a model with random weights and its loss.

        It is evaluated on some of the held-out outbreaks; told and others are genomes here.
        """
        split = self.split()
        tokenizer = kmer_tokenizer(K)
        loss = variant_loss(split.train, tokenizer, K, self.batch_size, self.n_frames, errors=self.errors)
        others = split.outbreaks[::4]
        reads, labels = read_genomes(others)

        def evaluate(model):
            p = probabilities(model, reads, tokenizer)
            return float(F.nll_loss(torch.tensor(p).clamp(min=1e-9).log(), torch.tensor(labels)))

        return Prepared(tokenizer, self.new_model(), loss, evaluate, split.train, others)

    def split(self) -> Split:
        """Return the genomes of its tree, split into the training genomes and three held-out sets."""
        return split_genomes(simulate(self.evolution, self.tree).genomes)

    def save(self, model, tokenizer, folder) -> None:
        """Write the model with its tokenizer, in half precision."""
        model.save(tokenizer, folder)

    def measured(self, model, ready) -> dict:
        """Return accuracy, macro-F1 and calibration error on each held-out set."""
        return {"measured": judge_virus(model, ready.tokenizer, self.split())}

    def card(self, name, about, folder) -> str:
        """Return the README.md; about: the content of curves.json."""
        rows = []
        for kind, words in SETS.items():
            one = about["measured"][kind]
            rows.append(f"| {words} | {one['accuracy']:.1%} | {one['macro_f1']:.3f} | {one['calibration_error']:.3f} |")
        drawn = [] if self.evolution == Evolution() else [repr(self.evolution)]
        return read_text(CARD).format(
            name=name,
            recipe=self,
            c=self.config,
            k=K,
            n_words=4**K,
            drawn=", ".join(drawn + ([f"seed={self.tree}"] if self.tree else [])),
            frames=f"one of the first {self.n_frames} bases, at random" if self.n_frames > 1 else "the first base",
            trained=how_trained(self, f"{self.batch_size} genomes"),
            again=again("tutorial_book", name, self),
            measured="\n".join(rows),
            weights="\n".join(weights_table(folder, [name])),
        )


RECIPE = VirusRecipe(
    bert.Config(4**K + 5, d_model=64, n_layers=2, n_heads=4, d_ff=256, n_positions=256),
    Settings(300, lr=2e-3, warmup=30, evaluate_every=50),
)
VIRUSES = {
    "book-virus": RECIPE,
    "book-virus-frames": replace(RECIPE, n_frames=K, settings=replace(RECIPE.settings, n_steps=800, warmup=60)),
}


def read_genomes(genomes, seed=1, variants=VARIANTS, **noise) -> tuple[list[str], np.ndarray]:
    """Sequence genomes, with errors drawn with the seed; return them and their variants as numbers.

    variants: the names that the numbers count. noise: as for `sequenced`; real genomes already have errors: all 0.
    Raises ValueError for a genome of another variant.

    >>> reads, labels = read_genomes(simulate().genomes[:3])
    >>> len(reads), labels.tolist()
    (3, [0, 0, 0])
    """
    others = {genome.variant for genome in genomes} - set(variants)
    if others:
        raise ValueError(f"variants must contain those of all genomes, got {list(variants)} without {sorted(others)}")
    rng = np.random.default_rng(seed)
    variants = list(variants)
    labels = np.array([variants.index(genome.variant) for genome in genomes])
    return [sequenced(genome.sequence, rng, **noise) for genome in genomes], labels


def judge_virus(model, tokenizer, split: Split, **noise) -> dict[str, dict[str, float]]:
    """Return accuracy, macro-F1 and calibration error of a model on each held-out set."""
    found = {}
    for name in SETS:
        reads, labels = read_genomes(getattr(split, name), **noise)
        p = probabilities(model, reads, tokenizer)
        guesses = p.argmax(1)
        found[name] = {"accuracy": float((guesses == labels).mean()),
                       "macro_f1": macro_f1(confusion_matrix(labels, guesses, labels=range(len(VARIANTS)))),
                       "calibration_error": calibration(p, labels).error}  # fmt: skip
    return found
