"""Measure a model's vectors over a corpus of any size, layer by layer; killed, it goes on where it was."""

from tutorial_lib.measure.corpus import Corpus
from tutorial_lib.measure.results import SUMS
from tutorial_lib.measure.run import MEASURES, Progress, measure
from tutorial_lib.measure.sums import ROWS, Job, clouds_of, digest_of, layers_of, measures_of, sums_of_texts

__all__ = [
    "MEASURES",
    "ROWS",
    "SUMS",
    "Corpus",
    "Job",
    "Progress",
    "clouds_of",
    "digest_of",
    "layers_of",
    "measure",
    "measures_of",
    "sums_of_texts",
]
