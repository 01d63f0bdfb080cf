"""Measure a model's vectors over a corpus of any size, layer by layer: in this process, or on a cluster of Dask.

The corpus is cut into chunks of lines. A worker takes a chunk and returns its sums, a `geometry.Cloud` for each layer;
they are added in the order of the corpus. So one process, many, and an interrupted and continued run give the same
result: bit for bit if processors and numbers of threads are equal, otherwise up to rounding.

There is one vector for each token of each text, including [CLS], [SEP] and other tokens that the tokenizer puts around
a text, as in `vectors.embed`; never for padding. A text with more tokens than the model has positions is truncated.
Layer "0" is the input of the first block, "i" the output of block i, "norm" the last LayerNorm of a decoder. Source: A
2; G 2.
"""

import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from tutorial_lib import geometry
from tutorial_lib.arguments import check_path, whole_number
from tutorial_lib.atomic import locked, write_text
from tutorial_lib.measure.corpus import Corpus
from tutorial_lib.measure.resume import Results
from tutorial_lib.measure.sums import Job, clouds_of, digest_of, measures_of, sums_of_texts
from tutorial_lib.measure.workers import workers as cluster_of
from tutorial_lib.weights import DEFAULT, checkpoints, read_json

JOB = "job.json"  # the names of the files in a folder, besides checkpoint.SUMS
MEASURES = "measures.json"
FIRST = 256  # texts that decide which coordinates are far larger than the others
MOST_WORKERS = 8  # the default number of processes: each loads the model


@dataclass(frozen=True)
class Progress:
    """A report after the first texts and after each chunk: finished chunks, texts per second, seconds left."""

    done: int
    n_chunks: int
    rate: float
    seconds_left: float

    def __str__(self):
        s = self.seconds_left
        left = f"{s / 3600:.1f} h" if s >= 5400 else f"{s / 60:.0f} min" if s >= 90 else f"{s:.0f} s"
        return f"chunk {self.done} of {self.n_chunks}: {self.rate:,.0f} texts/s, {left} left"


def measure(
    corpus: str | os.PathLike | Corpus, model: str | os.PathLike | None = DEFAULT,
    folder: str | os.PathLike = "measures", chunk: int = 1000, workers: int | None = None, cluster: str | None = None,
    tell: Callable[[Progress], object] | None = None, column: str | None = None,
) -> dict:  # fmt: skip
    """Measure each layer of a model over a corpus.

    Args:
        corpus: a file, which is read as `Corpus` reads it, or a `Corpus`.
        model: a name or a folder, of BERT's family or GPT's.
        folder: where the results are written. Finished work stays there: the same call continues from there, however
            the last one ended.
        chunk, column: how many lines of a file are read at a time and, for a table, the column of the texts.
        workers: processes on this machine, each with its share of the cores; 1 is only this process. None: one for each
            core, at most 8, or 1 if Dask is not installed, or there is a GPU.
        cluster: the address of a Dask scheduler, whose workers have tutorial_lib and the model; a chunk's texts travel
            to them.
        tell: called with a `Progress`.

    Returns:
        The content of FOLDER/measures.json. "rest" has a layer's measures without the coordinates that are far larger
            than the others, `rest["without"]`. They are chosen before the run, from the first 256 texts, whatever the
            chunks are. "outlier_coordinates" has those that the whole corpus would choose; the two differ if the first
            texts are not representative.

    Raises:
        ValueError if the folder belongs to another job, or an argument is invalid.
        ModuleNotFoundError if Dask is needed and not installed.
        OSError if a file cannot be read or written, or the cluster is lost.
    """
    corpus = corpus if isinstance(corpus, Corpus) else Corpus(corpus, chunk, column)
    folder = check_path("folder", folder)
    name = str(DEFAULT if model is None else model)
    job = Job(name, digest_of(model), corpus.sha256, corpus.chunk, column=corpus.column, outliers_from_texts=FIRST)
    cores = torch.get_num_threads()
    if workers is not None:
        whole_number("workers", workers, 1, "a number of processes (an int, 1 or more)")
    else:
        many = find_spec("distributed") and checkpoints.pick_device().type == "cpu"
        workers = min(cores, MOST_WORKERS, len(corpus)) if many else 1
    busy = f"another run is writing into {folder}. Wait for it, or stop it"
    with locked(folder, busy), cluster_of(workers, cluster, max(1, cores // workers)) as run:
        job = _begun(folder, job, corpus, run, tell)
        results = Results(folder, job)
        start = time.monotonic()
        before = len(results)
        n_texts = 0
        left = (task for task in corpus.chunks(results.done) if task[0] not in results)
        for number, sums in run(partial(sums_of_texts, job), left):
            results.put(number, sums)
            n_texts += int(sums["n_texts"])
            if tell is not None:
                took = time.monotonic() - start
                done = len(results)
                pace = took / (done - before)
                tell(Progress(done, len(corpus), n_texts / took, pace * (len(corpus) - done)))
        if len(results) > before or not (folder / MEASURES).exists():
            write_text(folder / MEASURES, json.dumps(_about(job, corpus, results.sums), indent=1) + "\n")
    return read_json(folder / MEASURES)


def _about(job, corpus, sums):
    """Return the content of measures.json."""
    lines = {"lines": corpus.n_lines, "texts": corpus.n_texts, "cut": int(sums["n_cut"])}
    versions = {"tutorial_lib": job.version, "torch": torch.__version__, "numpy": np.__version__}
    return {
        "model": {"name": Path(job.model).name, "digest": job.model_digest},
        "corpus": {"name": corpus.path.name, "column": corpus.column, "sha256": corpus.sha256} | lines,
        "chunk": job.chunk,
        "outliers_from_texts": min(job.outliers_from_texts, corpus.n_texts),
        "versions": versions | {"python": platform.python_version()},
        "layers": {layer: measures_of(cloud) for layer, cloud in clouds_of(sums).items()},
    }


def _begun(folder, job, corpus, run, tell):
    """Return the job with its coordinates to leave out: those stored in the folder, or those that the first texts show.

    Raises ValueError if the folder belongs to another job.
    """
    path = folder / JOB
    if path.exists():
        known = read_json(path)
        names = {"corpus": "corpus", "column": "column", "model_digest": "model", "chunk": "chunk"}
        names |= {"version": "version of tutorial_lib", "outliers_from_texts": "number of texts for outliers"}
        changed = [what for name, what in names.items() if known.get(name) != getattr(job, name)]
        if changed:
            what = f"{folder} contains measures with another {' and '.join(changed)}"
            raise ValueError(f"{what}: Use another folder, or delete it")
        return replace(job, without=known["without"])
    texts = list(islice((text for _, texts in corpus.chunks() for text in texts), FIRST))  # whatever the chunks are
    sums_of = partial(sums_of_texts, job)
    list(run(sums_of, [(0, texts[:1])]))  # load the model before the clock starts
    start = time.monotonic()
    ((_, sums),) = run(sums_of, [(0, texts)])
    rate = len(texts) / (time.monotonic() - start)
    if tell is not None:
        tell(Progress(0, len(corpus), rate, corpus.n_texts / rate))
    without = {layer: geometry.outlier_coordinates(cloud).tolist() for layer, cloud in clouds_of(sums).items()}
    job = replace(job, without=without)
    write_text(path, json.dumps(asdict(job), indent=1) + "\n")
    return job
