"""Measure a model's vectors over a corpus of any size, layer by layer; a killed run continues where it stopped."""

from tutorial_lib.measure.corpus import Corpus
from tutorial_lib.measure.resume import SUMS, Results
from tutorial_lib.measure.run import JOB, MEASURES, Progress, measure
from tutorial_lib.measure.sums import ROWS, Job, clouds_of, digest_of, layers_of, measures_of, sums_of_texts

__all__ = [
    "JOB", "MEASURES", "ROWS", "SUMS", "Corpus", "Job", "Progress", "Results", "clouds_of", "digest_of", "layers_of",
    "measure", "measures_of", "sums_of_texts",
]
