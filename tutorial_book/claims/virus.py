"""G's case study, on a simulated virus."""

from functools import lru_cache

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
