"""Measure a model's vectors over a corpus of any size, layer by layer: in this process, or on a cluster of Dask.

The corpus is cut into chunks of lines. A chunk goes to a worker, which gives back its sums, a `geometry.Cloud` for each
layer; they are added in the order of the corpus. So one process, many, and a run that was cut off and went on give the
same: bit for bit where processors and numbers of threads are equal, up to rounding where they are not.

A vector is one of each token of each text, [CLS], [SEP] or what else the tokenizer puts around a text included, as
`vectors.embed` has them; padding never. A text with more tokens than the model has positions is cut. Layer "0" is what
goes into the first block, "i" the output of block i, "norm" the last LayerNorm of a decoder. Source: A 2; G 2.
"""

import hashlib
import json
import platform
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import numpy as np
import torch
from safetensors import SafetensorError, safe_open

import tutorial_lib
from tutorial_lib import checkpoints, geometry, weights
from tutorial_lib.bert import Bert
from tutorial_lib.catalog import DEFAULT
from tutorial_lib.cluster import workers as cluster_of
from tutorial_lib.corpus import Corpus
from tutorial_lib.gpt import GPT, RENAME
from tutorial_lib.tokenization import tokenizer_of
from tutorial_lib.tokenization.files import write_text
from tutorial_lib.vectors import TOKENS, TOKENS_ELSEWHERE, batches

JOB, SUMS, MEASURES = "job.json", "sums.safetensors", "measures.json"  # what a folder holds
FIRST = 256  # texts that tell which coordinates are far larger than the others
ROWS = 4096  # vectors that are added to a cloud at once
BATCH = 32  # texts that go through the model at once, at most
MOST_WORKERS = 8  # that are started if nothing is said: each holds the model
FILES = ("config.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer_config.json", "model.safetensors",
         "pytorch_model.bin")  # fmt: skip
_loading = Lock()


@dataclass(frozen=True)
class Job:
    """What is measured: all that a worker must know, and all that the results depend on.

    model: a name or a folder, the same on each machine. model_digest: of its files (`digest_of`). corpus: the SHA-256
    of the file. chunk: lines in one. without: layer -> the coordinates that are far larger than the others. version:
    tutorial_lib's.
    """

    model: str
    model_digest: str
    corpus: str = ""
    chunk: int = 1000
    without: dict = field(default_factory=dict)
    version: str = tutorial_lib.__version__


@dataclass(frozen=True)
class Progress:
    """What is told after a chunk: how many are done, texts a second of this run, and the seconds that are left."""

    done: int
    n_chunks: int
    rate: float
    seconds_left: float

    def __str__(self):
        s = self.seconds_left
        left = f"{s / 3600:.1f} h" if s >= 5400 else f"{s / 60:.0f} min" if s >= 90 else f"{s:.0f} s"
        return f"chunk {self.done} of {self.n_chunks}: {self.rate:,.0f} texts/s, {left} left"


def measure(corpus, model=DEFAULT, folder="measures", chunk=1000, workers=None, cluster=None, tell=None):
    """Measure each layer of a model over a corpus; what FOLDER/measures.json holds, as a dictionary.

    corpus: a file, as `Corpus` reads it, in chunks of so many lines. model: a name or a folder, of BERT's family or
    GPT's. workers: processes on this machine, each with its share of the cores; 1 is this process alone. None: one for
    each core, at most 8, or 1 where Dask is not installed, or there is a GPU. cluster: the address of a Dask scheduler,
    whose workers have tutorial_lib and the model; a chunk's texts travel to them. tell: called with a `Progress`.

    What is done stays in the folder. The same call goes on from there, however the last one ended.

    Raises ValueError where the folder holds another job, or an argument has no such value, ModuleNotFoundError where
    Dask is needed and not installed, OSError where a file cannot be read or written, or the cluster is lost.
    """
    corpus, folder = Corpus(corpus, chunk), Path(folder)
    job = Job(str(DEFAULT if model is None else model), digest_of(model), corpus.sha256, corpus.chunk)
    cores = torch.get_num_threads()
    if workers is None:
        many = find_spec("distributed") and checkpoints.pick_device().type == "cpu"
        workers = min(cores, MOST_WORKERS, len(corpus)) if many else 1
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder), cluster_of(workers, cluster, max(1, cores // workers)) as run:
        job = _begun(folder, job, corpus, run)
        results = Results(folder, job)
        start, before, n_texts = time.monotonic(), len(results), 0
        left = (task for task in corpus.chunks(results.done) if task[0] not in results)
        for number, sums in run(partial(sums_of_texts, job), left):
            results.put(number, sums)
            n_texts += int(sums["n_texts"])
            if tell is not None:
                took, done = time.monotonic() - start, len(results)
                pace = took / (done - before)
                tell(Progress(done, len(corpus), n_texts / took, pace * (len(corpus) - done)))
        if len(results) > before or not (folder / MEASURES).exists():
            write_text(folder / MEASURES, json.dumps(_about(job, corpus, results.sums), indent=1) + "\n")
    return weights.read_json(folder / MEASURES)


def _about(job, corpus, sums):
    """What measures.json holds."""
    return {
        "model": {"name": Path(job.model).name, "digest": job.model_digest},
        "corpus": {"name": corpus.path.name, "sha256": corpus.sha256, "lines": corpus.n_lines, "texts": corpus.n_texts,
                   "cut": int(sums["n_cut"])},
        "chunk": job.chunk,
        "versions": {"tutorial_lib": job.version, "torch": torch.__version__, "numpy": np.__version__,
                     "python": platform.python_version()},
        "layers": {layer: measures_of(cloud) for layer, cloud in clouds_of(sums).items()},
    }  # fmt: skip


def _begun(folder, job, corpus, run):
    """The job with its coordinates to leave out: those that the folder knows, or those that the first texts show.

    Raises ValueError where the folder knows of another job.
    """
    path = folder / JOB
    if path.exists():
        known = weights.read_json(path)
        names = {"corpus": "corpus", "model_digest": "model", "chunk": "chunk", "version": "version of tutorial_lib"}
        changed = [told for name, told in names.items() if known.get(name) != getattr(job, name)]
        if changed:
            what = f"{folder} holds measures with another {' and '.join(changed)}"
            raise ValueError(f"{what}: measure into another folder, or delete it")
        return replace(job, without=known["without"])
    texts = next(texts for _, texts in corpus.chunks() if texts)[:FIRST]
    ((_, sums),) = run(partial(sums_of_texts, job), [(0, texts)])
    without = {layer: geometry.outlier_coordinates(cloud).tolist() for layer, cloud in clouds_of(sums).items()}
    job = replace(job, without=without)
    write_text(path, json.dumps(asdict(job), indent=1) + "\n")
    return job


@contextmanager
def _alone(folder):
    """Two runs in one folder would write over each other. The lock goes with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with open(folder / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(f"another run is writing into {folder}: wait for it, or stop it") from None
        except OSError:  # a file system without locks
            pass
        yield


def measures_of(cloud):
    """All measures of one layer's `Cloud`, as they stand in measures.json; "rest": those of the cloud's `rest`.

    "norms" and "values", of all coordinates together, are histograms: [from, to, how many], where there are any; None
    is beyond the last edge. A measure is None where it is not defined, such as the cosine of a vector of zeros.

    >>> found = measures_of(geometry.Cloud(2, without=[1]).add([[3.0, 4.0], [0.0, 2.0], [1.0, 0.0]]))
    >>> found["n"], round(found["average_cosine"], 3), found["rest"]["d"]
    (3, 0.467, 1)
    """
    found = _measures_of(cloud)
    found["outlier_coordinates"] = geometry.outlier_coordinates(cloud).tolist()
    found["norms"] = _counted(cloud.norm_counts, geometry.NORM_EDGES)
    found["values"] = _counted(cloud.value_counts, geometry.VALUE_EDGES)
    if cloud.without:
        found["rest"] = {"without": list(cloud.without), **_measures_of(cloud.rest)}
    return found


def _measures_of(cloud):
    named = {
        "average_cosine": geometry.average_cosine,
        "cone_index": geometry.cone_index,
        "cone_index_share": lambda cloud: geometry.cone_index(cloud, share=True),
        "anisotropy": geometry.anisotropy,
        "participation_ratio": geometry.participation_ratio,
        "effective_rank": lambda cloud: float(geometry.effective_number(geometry.spectrum(cloud))),
        "pca_dimension": geometry.pca_dimension,
        "spectrum": lambda cloud: geometry.spectrum(cloud).tolist(),
    }
    found = {"n": cloud.n, "d": len(cloud.mean), "norm_mean": cloud.norm_mean, "norm_std": cloud.norm_std,
             "mean_norm": float(np.linalg.norm(cloud.mean))}  # fmt: skip
    for name, measured in named.items():
        try:
            found[name] = measured(cloud)
        except ValueError:  # of vectors that are all the same, or zeros
            found[name] = None
    return found


def _counted(counts, edges):
    ends = [None, *edges.tolist(), None]
    return [[ends[i], ends[i + 1], int(counts[i])] for i in counts.nonzero()[0]]


def digest_of(model):
    """The SHA-256 of a model's files: settings, vocabulary and weights. model: a name or a folder.

    >>> len(digest_of("book-bert"))
    64
    """
    folder = weights.resolve(model)
    each = [f"{name} {weights.sha256(folder / name)}" for name in FILES if (folder / name).is_file()]
    return hashlib.sha256("\n".join(each).encode()).hexdigest()


def sums_of_texts(job, texts):
    """The sums of the vectors of some texts, as plain arrays by name: what a worker makes of a chunk.

    "3.mean" is of layer 3, and so on, what `Cloud.arrays()` has; n_texts, and n_cut, how many of them were too long.
    Raises ValueError where this machine has another model or version than the job, or a vector is not finite.

    >>> sums = sums_of_texts(Job("book-bert", digest_of("book-bert")), ["The bear sat.", "The mouse ran away."])
    >>> {layer: cloud.n for layer, cloud in clouds_of(sums).items()}
    {'0': 15, '1': 15, '2': 15, '3': 15, '4': 15}
    """
    if job.version != tutorial_lib.__version__:
        raise ValueError(f"tutorial_lib must be {job.version} on all machines, got {tutorial_lib.__version__} on "
                         f"{platform.node()}")  # fmt: skip
    with _loading:  # threads of one worker share one model
        model, tokenizer = _loaded(job.model, job.model_digest)
    ids, n_cut, n_positions = [], 0, model.config.n_positions
    for text in texts:
        row = tokenizer.encode(text).ids
        if len(row) > n_positions:
            row, n_cut = tokenizer.encode(text, max_length=n_positions).ids, n_cut + 1
        if row:  # GPT-2 puts nothing around a text
            ids.append(row)
    clouds, waiting, n_waiting = {}, [], 0
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    n_tokens = TOKENS.get(model.embeddings.tokens.weight.device.type, TOKENS_ELSEWHERE)
    for batch in batches(order, ids, BATCH, n_tokens):
        waiting.append(layers_of(model, [ids[i] for i in batch]))
        n_waiting += sum(len(ids[i]) for i in batch)
        if n_waiting >= ROWS:
            _add(clouds, waiting, job.without)
            waiting, n_waiting = [], 0
    _add(clouds, waiting, job.without)
    arrays = {f"{layer}.{name}": array for layer, cloud in clouds.items() for name, array in cloud.arrays().items()}
    return {"n_texts": np.array(len(texts)), "n_cut": np.array(n_cut), **arrays}


def clouds_of(sums):
    """layer -> `Cloud`, out of what `sums_of_texts` gives."""
    found = {}
    for name, array in sums.items():
        layer, _, part = name.rpartition(".")
        if layer:
            found.setdefault(layer, {})[part] = array
    return {layer: geometry.Cloud.of(arrays) for layer, arrays in found.items()}


@torch.inference_mode()
def layers_of(model, ids):
    """layer -> the vectors of all tokens of a batch, (n_tokens, d_model), float32. model: a `Bert` or a `GPT`.

    >>> {layer: X.shape for layer, X in layers_of(Bert.from_pretrained("book-bert"), [[2, 9, 3], [2, 3]]).items()}
    {'0': (5, 128), '1': (5, 128), '2': (5, 128), '3': (5, 128), '4': (5, 128)}
    """
    lengths = torch.tensor([len(row) for row in ids])
    real = torch.arange(lengths.max()) < lengths[:, None]  # (B, n)
    padded = torch.zeros(real.shape, dtype=torch.long)
    padded[real] = torch.tensor([i for row in ids for i in row])
    names = {"embeddings.output": "0"} | {f"layer.{i}.output": f"{i + 1}" for i in range(model.config.n_layers)}
    found = {}

    def keep(name, value):
        if name in names or name == "norm":
            found[names.get(name, name)] = value.float().cpu()[real].numpy()
        return value

    run = model.hidden if isinstance(model, GPT) else model  # no scores of next tokens
    run(padded, attention_mask=None if real.all() else real, fused=True, keep=keep)
    return found


def _add(clouds, waiting, without):
    """Add some batches, layer by layer."""
    for layer in waiting[0] if waiting else ():
        X = np.concatenate([found[layer] for found in waiting])
        if layer not in clouds:
            clouds[layer] = geometry.Cloud(X.shape[1], without.get(layer, ()))
        clouds[layer].add(X)


@lru_cache(maxsize=1)
def _loaded(name, digest):
    if digest_of(name) != digest:
        raise ValueError(f"{name} must be the same model on all machines; {platform.node()} has another")
    decodes = weights.read_config(weights.resolve(name)).get("model_type") in RENAME
    return (GPT if decodes else Bert).from_pretrained(name), tokenizer_of(name)


class Results:
    """The sums of the first `done` chunks, added in their order, in one file; those that came early wait in their own.

    So a folder stays small however long the corpus is. A kill leaves each file as it was or as it will be, and what is
    of another job does not count.
    """

    def __init__(self, folder, job):
        about = json.dumps(asdict(replace(job, model="")))  # a model may have moved
        self.folder, self.digest = folder, hashlib.sha256(about.encode()).hexdigest()
        self.done, self.sums = self._read(folder / SUMS) or (0, None)
        for path in folder.glob("chunk-*"):  # what a kill left behind
            number = path.stem.removeprefix("chunk-")
            if path.suffix == ".part" or int(number) < self.done:
                path.unlink()
        self.early = {int(path.stem.removeprefix("chunk-")) for path in folder.glob("chunk-*") if self._read(path)}

    def __contains__(self, number):
        return number < self.done or number in self.early

    def __len__(self):
        return self.done + len(self.early)

    def put(self, number, sums):
        """Keep the sums of a chunk: add them, if all before are there, or let them wait."""
        if number != self.done:
            self._write(self._file(number), number, sums)
            self.early.add(number)
            return
        first = self.done
        while sums is not None:
            self.sums = sums if self.sums is None else _together(self.sums, sums)
            self.done += 1
            _, sums = self._read(self._file(self.done)) if self.done in self.early else (0, None)
        self._write(self.folder / SUMS, self.done, self.sums)
        for waited in range(first + 1, self.done):
            self._file(waited).unlink()
        self.early -= set(range(self.done))

    def _file(self, number):
        return self.folder / f"chunk-{number:06}.safetensors"

    def _write(self, path, number, sums):
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in sums.items()}
        checkpoints.write(path, tensors, {"job": self.digest, "number": str(number)})

    def _read(self, path):
        """(number, sums) of a file, or None where there is none, or one of another job."""
        if not path.exists():
            return None
        try:
            with safe_open(path, "np") as file:
                about = file.metadata() or {}
                if about.get("job") != self.digest:
                    return None
                return int(about["number"]), {name: file.get_tensor(name) for name in file.keys()}
        except SafetensorError as error:
            raise ValueError(f"{path} is damaged ({error}): delete it, and what it held is measured again") from error


def _together(sums, more):
    """The sums of two parts of the corpus. A part without texts has no layers."""
    ours, theirs = clouds_of(sums), clouds_of(more)
    for layer, cloud in theirs.items():
        ours[layer] = ours[layer].merge(cloud) if layer in ours else cloud
    arrays = {f"{layer}.{name}": array for layer, cloud in ours.items() for name, array in cloud.arrays().items()}
    return {name: sums[name] + more[name] for name in ("n_texts", "n_cut")} | arrays
