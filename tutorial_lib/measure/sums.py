"""The work on one chunk of texts: for each layer the sums, a `geometry.Cloud`, that all measures are computed from."""

import hashlib
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock

import numpy as np

from tutorial_lib import __version__, geometry, load, weights
from tutorial_lib.arguments import check_has
from tutorial_lib.attention import padded
from tutorial_lib.bert import Bert
from tutorial_lib.geometry.streaming import Cloud
from tutorial_lib.gpt import GPT
from tutorial_lib.vectors import layer_states
from tutorial_lib.vectors.batches import TOKENS, TOKENS_ELSEWHERE, batches, cut_ids
from tutorial_lib.weights.find import BESIDE, WEIGHTS

ROWS = 4096  # vectors that are added to a cloud at once
BATCH = 32  # texts that go through the model at once, at most
_loading = Lock()


@dataclass(frozen=True)
class Job:
    """A job: all that a worker needs to know, and all that the results depend on.

    model: a name or a folder, the same on each machine. model_digest: of its files (`digest_of`). corpus: the SHA-256
    of the file. chunk: the number of lines in one. without: layer -> the coordinates that are far larger than the
    others, chosen from the first outliers_from_texts texts, if there are that many. version: tutorial_lib's. column: of
    the corpus, or None.
    """

    model: str
    model_digest: str
    corpus: str = ""
    chunk: int = 1000
    without: dict = field(default_factory=dict)
    version: str = __version__
    column: str | None = None
    outliers_from_texts: int = 0


def digest_of(model: str | os.PathLike | None) -> str:
    """Return the SHA-256 of a model's files: settings, vocabulary and weights. model: a name or a folder.

    >>> len(digest_of("book-bert"))
    64
    """
    folder = weights.resolve(model)
    names = [name for name in ("config.json", *BESIDE, *WEIGHTS) if (folder / name).is_file()]
    for shards in ("model-*.safetensors", "pytorch_model-*.bin"):
        names += sorted(shard.name for shard in folder.glob(shards))
    each = [f"{name} {weights.sha256(folder / name)}" for name in names]
    return hashlib.sha256("\n".join(each).encode()).hexdigest()


def sums_of_texts(job: Job, texts: Sequence[str]) -> dict[str, np.ndarray]:
    """Compute the sums of the vectors of some texts, as plain arrays by name: a worker's result for a chunk.

    "3.mean" belongs to layer 3, and so on, with the names of `Cloud.arrays()`; n_texts, and n_cut, how many of them
    were too long. Raises ValueError if this machine has another model or version than the job, or a vector is not
    finite.

    >>> sums = sums_of_texts(Job("book-bert", digest_of("book-bert")), ["The bear sat.", "The mouse ran away."])
    >>> {layer: cloud.n for layer, cloud in clouds_of(sums).items()}
    {'0': 15, '1': 15, '2': 15, '3': 15, '4': 15}
    """
    if job.version != __version__:
        got = f"{__version__} on {platform.node()}"
        raise ValueError(f"tutorial_lib must be {job.version} on all machines, got {got}")
    with _loading:  # threads of one worker share one model
        model, tokenizer = _loaded(job.model, job.model_digest)
    ids, n_cut = cut_ids(texts, tokenizer, model.config.n_positions)
    ids = [row for row in ids if row]  # GPT-2 adds no special tokens
    clouds = {}
    waiting = []
    n_waiting = 0
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    n_tokens = TOKENS.get(model.embeddings.tokens.weight.device.type, TOKENS_ELSEWHERE)
    for batch in batches(order, ids, BATCH, n_tokens):
        waiting.append(layers_of(model, [ids[i] for i in batch]))
        n_waiting += sum(len(ids[i]) for i in batch)
        if n_waiting >= ROWS:
            _add(clouds, waiting, job.without)
            waiting = []
            n_waiting = 0
    _add(clouds, waiting, job.without)
    arrays = {f"{layer}.{name}": array for layer, cloud in clouds.items() for name, array in cloud.arrays().items()}
    return {"n_texts": np.array(len(texts)), "n_cut": np.array(n_cut), **arrays}


def clouds_of(sums: dict) -> dict[str, Cloud]:
    """Return layer -> `Cloud` from the result of `sums_of_texts`."""
    parts = {}
    for name, array in sums.items():
        layer, _, part = name.rpartition(".")
        if layer:
            parts.setdefault(layer, {})[part] = array
    return {layer: geometry.Cloud.of(arrays) for layer, arrays in parts.items()}


def layers_of(model: Bert | GPT, ids: Sequence[Sequence[int]]) -> dict[str, np.ndarray]:
    """Return layer -> the vectors of all tokens of a batch, (n_tokens, d_model), float32. model: a `Bert` or a `GPT`.

    >>> model, _ = load("book-bert")
    >>> {layer: X.shape for layer, X in layers_of(model, [[2, 9, 3], [2, 3]]).items()}
    {'0': (5, 128), '1': (5, 128), '2': (5, 128), '3': (5, 128), '4': (5, 128)}
    """
    check_has("model", model, "a Bert or a GPT", "config", "trace")
    ids, mask = padded(ids)
    real = mask.bool()  # (B, n)
    states = layer_states(model, ids, None if real.all() else mask)
    return {layer: X[real] for layer, X in states.items()}


def _add(clouds, waiting, without):
    """Add some batches, layer by layer."""
    for layer in waiting[0] if waiting else ():
        X = np.concatenate([states[layer] for states in waiting])
        if layer not in clouds:
            clouds[layer] = geometry.Cloud(X.shape[1], without.get(layer, ()))
        clouds[layer].add(X)


@lru_cache(maxsize=1)
def _loaded(name, digest):
    if digest_of(name) != digest:
        raise ValueError(f"{name} must be the same model on all machines; {platform.node()} has another")
    return load(name)


def measures_of(cloud: Cloud) -> dict:
    """Return all measures of one layer's `Cloud`, as in measures.json; "rest": those of the cloud's `rest`.

    "norms" and "values", of all coordinates together, are histograms: [from, to, count], for nonempty bins; None is
    beyond the last edge. A measure is None if it is not defined, such as the cosine of a vector of zeros.

    >>> all_of_it = measures_of(geometry.Cloud(2, without=[1]).add([[3.0, 4.0], [0.0, 2.0], [1.0, 0.0]]))
    >>> all_of_it["n"], round(all_of_it["average_cosine"], 3), all_of_it["rest"]["d"]
    (3, 0.467, 1)
    """
    check_has("cloud", cloud, "a Cloud", "n", "arrays")
    measures = _measures_of(cloud)
    measures["outlier_coordinates"] = geometry.outlier_coordinates(cloud).tolist()
    measures["norms"] = _counted(cloud.norm_counts, geometry.NORM_EDGES)
    measures["values"] = _counted(cloud.value_counts, geometry.VALUE_EDGES)
    if cloud.without:
        measures["rest"] = {"without": list(cloud.without), **_measures_of(cloud.rest)}
    return measures


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
    measures = {"n": cloud.n, "d": len(cloud.mean), "norm_mean": cloud.norm_mean, "norm_std": cloud.norm_std}
    measures["mean_norm"] = float(np.linalg.norm(cloud.mean))
    for name, measured in named.items():
        try:
            measures[name] = measured(cloud)
        except ValueError:  # if all vectors are the same, or zeros
            measures[name] = None
    return measures


def _counted(counts, edges):
    ends = [None, *edges.tolist(), None]
    return [[ends[i], ends[i + 1], int(counts[i])] for i in counts.nonzero()[0]]
