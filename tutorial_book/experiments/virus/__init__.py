"""Genomes: a simulated virus, k-mers as tokens, FASTA files, and a small BERT that recognizes variants.

A module loads when one of its names is first used. Source: G's case study, on simulated data.
"""

from tutorial_lib import late

__getattr__, __dir__, __all__ = late(__name__, {
    "again": "RUNS Run trained_again",
    "classifier": "VariantBert probabilities unread_drops variant_loss",
    "fasta": "Record labeled_genomes read_fasta write_fasta",
    "recipe": "RECIPE VIRUSES VirusRecipe judge_virus read_genomes",
    "scores": "Calibration by_group calibration macro_f1",
    "simulator": "Evolution Genome Simulation differences sequenced simulate",
    "splits": "Split coin_labels containment similar_groups split_genomes",
    "words": "kmer_counts kmer_ids kmer_tokenizer kmers kmers_at",
})
