"""G's case study, on a simulated virus."""

from functools import lru_cache

import numpy as np

from tutorial_book.claims.claim import claims_of
from tutorial_book.experiments import virus

claim = claims_of("virus")


@lru_cache
def right(kind):
    """The share of variants that `book-virus` gets right, of a third of a set of `split_genomes`."""
    reads, labels = virus.read_genomes(getattr(virus.split_genomes(virus.simulate().genomes), kind)[::3])
    model = virus.VariantBert.from_pretrained("book-virus", device="cpu")
    return (virus.probabilities(model, reads, virus.kmer_tokenizer()).argmax(1) == labels).mean()


claim("G-0-accuracy", "A BERT that classifies SARS-CoV-2 variants by their RNA reaches a very high accuracy (here: a "
      "small one on a simulated virus; above 95 % on new outbreaks of sub-lineages that it learned from).", True,
      lambda: bool(right("outbreaks") > 0.95),
      note="On simulated data only: G's own genomes are not at hand. A linear model on k-mer counts reaches it, too; "
           "the chapter says what is left on sub-lineages that neither has seen.")


@claim("G-0-accuracy-design", "The same with the design of the authors' program, simulated: eight variants as rare as "
       "theirs, a region as long as the spike gene, words of 12 bases, a random split; above 95 % from each seed.", True,
       note="NOTE")
def _():
    kept = virus.unequal()
    shares = np.array(kept["counts"]) / sum(kept["counts"])  # of the variants, the rarest first
    right = [np.mean(shares_right["copies"], axis=1) @ shares for tree in kept["trees"]
             for name, shares_right in tree["right"].items() if name.startswith("BERT, ")]  # fmt: skip
    return bool(min(right) > 0.95)
