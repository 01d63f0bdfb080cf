"""Genomes: a simulated virus, k-mers as tokens, FASTA files, and a small BERT that tells variants apart.

A module loads when one of its names is first asked for. Source: G's case study, on simulated data.
"""

from importlib import import_module

_NAMES = {
    "again": "RUNS Run trained_again",
    "classifier": "VariantBert probabilities unread_drops variant_loss",
    "fasta": "Record labeled_genomes read_fasta write_fasta",
    "recipe": "RECIPE VIRUSES VirusRecipe judge_virus read_genomes",
    "scores": "Calibration by_group calibration confusion macro_f1",
    "simulator": "Evolution Genome Simulation differences sequenced simulate",
    "splits": "Split coin_labels containment similar_groups split_genomes",
    "words": "kmer_counts kmer_ids kmer_tokenizer kmers kmers_at",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_MODULES)


def __getattr__(name):
    if name in _NAMES:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__():
    return sorted({*globals(), *_MODULES})
