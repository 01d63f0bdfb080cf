"""The golden trace: three models' inputs and every intermediate value, in float64, to compare with in any language.

For the two tiny models it also has two steps of training: losses, gradients, and the weights afterwards.

`write_golden` writes two files for each model. NAME.json describes everything in words and, for the tiny models, in
numbers. NAME.safetensors has the same numbers as bytes, under the same keys. `compare_golden` is all that is needed to
check an implementation against them; its few lines can be written in any language.
"""

import json
import re
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from torch.nn import functional as F

from tutorial_lib import bert, gpt
from tutorial_lib.atomic import beside, write_text
from tutorial_lib.tokenization import tokenizer_of
from tutorial_lib.training.loop import Settings, train
from tutorial_lib.weights import checkpoints, read_json
from tutorial_lib.weights.catalog import DEFAULT, known
from tutorial_lib.weights.names import our_weights

SHAPE = dict(vocab_size=50, d_model=32, n_layers=2, n_heads=2, d_ff=64, n_positions=16)
TINY = {"tiny-bert": 1, "tiny-gpt": 2}  # the seed of each
NAMES = (*TINY, DEFAULT)
# targets: pairs of a position and its correct id.
INPUTS = {
    "tiny-bert": [
        {"ids": [2, 17, 8, 41, 17, 3], "segments": [0, 0, 0, 0, 0, 0], "targets": [[2, 8], [4, 33]]},
        {"ids": [2, 23, 9, 3, 49, 12, 30, 3], "segments": [0, 0, 0, 0, 1, 1, 1, 1], "targets": [[1, 5], [5, 0]]},
    ],
    "tiny-gpt": [
        {"ids": ids, "segments": None, "targets": [[t, ids[t + 1]] for t in range(len(ids) - 1)]}
        for ids in ([31, 4, 19, 4, 42, 7], [49, 1, 26, 11, 38, 38, 5, 16])
    ],
}
STEPS = Settings(n_steps=2, lr=1e-3, warmup=0, weight_decay=0.01, clip=1.0)
TEXTS = [("The bear opened the door.", None), ("The bear sleeps.", "It is winter.")]

READ = {
    "files": "NAME.safetensors has each array in 64 bits; this file has the words, and for tiny models the arrays too, "
    "but for those of learning. A safetensors file is 8 bytes, the length of a JSON text; that text, in which each "
    "name has its shape and the bytes from which to which it lies; and then the bytes, numbers row by row",
    "kind": "Bert normalizes after each addition; GPT before attention and feed-forward, and no token sees later ones",
    "config": "sizes, the activation's name, and eps, which LayerNorm adds to the variance; d_k is d_model / n_heads",
    "notation": "what the formulas are made of",
    "formulas": "how each stop is computed, for any layer i; a name with a dot in front is a part of the layer, one "
    "without it stands beside the stop",
    "inputs": "texts, each computed alone. ids and segments: a whole number for each of the n tokens, from 0; segments "
    "is null where the model has none. targets: pairs of a position and the id that is right there. stops: each value "
    "on the way with its shape, in order of computation",
    "checkpoint": "where weights lie that are in neither file, and our name of each -> its name there",
    "weights/NAME": "a weight; a matrix has a row for each number that comes out",
    "input.K/NAME": "the stop NAME of text K, from 0; null stands for minus infinity, a score that the mask hides",
    "learning": "two steps of training from these weights, the first on text 0, the second on text 1. arrays: each "
    "with its shape. settings: the learning rate of each step, and what else AdamW needs",
    "learning/loss": "of each step: the mean, over the targets, of -log softmax(logits of its position) at its id",
    "learning/gradient.NAME": "how the loss of the first step changes with the stop or the weight NAME. The pooler, "
    "with which it does not change, is left out. A matrix that is used twice has the sum of both. W_K.bias has "
    "gradient 0: it adds the same number to all scores of a query, and softmax takes it out again",
    "learning/after.NAME": "the weight NAME after both steps. If the gradients of a step, as one long vector, are "
    "longer than clip, they are scaled to that length first. Only matrices and tables decay. W_K.bias is left out: "
    "AdamW makes full steps of what rounding makes of its 0",
    "right": "A stop is right where its largest difference is a small share of its largest number: below 1e-5 for a "
    "program in 32 bits, below 1e-10 in 64. So is a loss, and a gradient; where it is 0, its largest difference is "
    "divided by the largest number of all gradients. Weights after training: below 1e-4 in 32 bits.",
}
NOTATION = {
    "linear(X, W)": "X times W.weight transposed, plus W.bias where there is one",
    "norm(X, W)": "each row: (x - mean) / sqrt(variance + eps) * W.weight + W.bias; the variance is divided by d_model",
    "split(X)": "(n, d_model) -> (n_heads, n, d_k): head h gets the columns from h * d_k to (h + 1) * d_k - 1",
    "join(H)": "the way back: (n_heads, n, d_k) -> (n, d_model)",
    "softmax(S)": "each row: exp(s) divided by the sum of the row's exp(s)",
    "gelu(x)": "x * (1 + erf(x / sqrt(2))) / 2",
    "gelu_new(x)": "x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2",
}
ATTENTION = {
    "layer.i.attention.scores": "queries times keys transposed, / sqrt(d_k)",
    "layer.i.attention.weights": "softmax(scores)",
    "layer.i.attention.heads": "weights times values, for each head",
    "layer.i.attention.concat": "join(heads)",
    "layer.i.attention.output": "linear(concat, .attention.W_O)",
    "layer.i.activation": "the activation of .hidden, number by number",
    "layer.i.feed_forward": "linear(.activation, .feed_forward.W_2)",
    "embeddings.tokens": "for each id its row of embeddings.tokens.weight",
    "embeddings.positions": "the first n rows of embeddings.positions.weight",
}
FORMULAS = {
    "Bert": ATTENTION | {
        "embeddings.segments": "for each segment its row of embeddings.segments.weight",
        "embeddings.sum": "tokens + positions + segments",
        "embeddings.output": "norm(sum, embeddings.norm); the X of layer 0",
        "layer.i.attention.queries": "split(linear(X, .attention.W_Q))",
        "layer.i.attention.keys": "split(linear(X, .attention.W_K))",
        "layer.i.attention.values": "split(linear(X, .attention.W_V))",
        "layer.i.attention_sum": "X + .attention.output",
        "layer.i.attention_norm": "norm(.attention_sum, .attention_norm)",
        "layer.i.hidden": "linear(.attention_norm, .feed_forward.W_1)",
        "layer.i.feed_forward_sum": ".attention_norm + .feed_forward",
        "layer.i.output": "norm(.feed_forward_sum, .norm); the X of the next layer",
        "pooler.output": "tanh(linear(the first row of the last layer's output, pooler.W))",
        "mlm.logits": "linear(norm(gelu(linear(the last layer's output, mlm.W)), mlm.norm), mlm.decoder)",
    },
    "GPT": ATTENTION | {
        "embeddings.output": "tokens + positions; the X of layer 0",
        "layer.i.attention_norm": "norm(X, .attention_norm)",
        "layer.i.attention.queries": "split(linear(.attention_norm, .attention.W_Q))",
        "layer.i.attention.keys": "split(linear(.attention_norm, .attention.W_K))",
        "layer.i.attention.values": "split(linear(.attention_norm, .attention.W_V))",
        "layer.i.attention.scores": "queries times keys transposed, / sqrt(d_k); minus infinity where the key is later",
        "layer.i.attention_sum": "X + .attention.output",
        "layer.i.norm": "norm(.attention_sum, .norm)",
        "layer.i.hidden": "linear(.norm, .feed_forward.W_1)",
        "layer.i.output": ".attention_sum + .feed_forward; the X of the next layer",
        "norm": "norm(the last layer's output, norm)",
        "logits": "linear(norm, unembedding)",
    },
}  # fmt: skip


@torch.no_grad()
def tiny(name):
    """Return a tiny model, "tiny-bert" or "tiny-gpt", whose weights do not depend on any library's version.

    Each weight is a whole number w from -128 to 127: the top 8 of the 64 bits of PCG64(seed), one draw after the other,
    parameter by parameter, minus 128. NumPy guarantees only that the bits do not change. Tables get w / 4096: so small
    that LayerNorm's eps shows. LayerNorm's factors get 1 + w / 512, all others w / 256. float32 represents them
    exactly.

    >>> (tiny("tiny-gpt").embeddings.tokens.weight[0, :4] * 4096).tolist()
    [-62.0, -52.0, 80.0, -105.0]
    """
    model = bert.Bert(bert.Config(**SHAPE), mlm=True) if name == "tiny-bert" else gpt.GPT(gpt.Config(**SHAPE))
    bits = np.random.PCG64(TINY[name])
    for part, parameter in model.named_parameters():  # a matrix with two names is listed once
        whole = (bits.random_raw(parameter.numel()) >> np.uint64(56)).astype(np.float64) - 128
        if part.startswith("embeddings") and parameter.ndim == 2:
            weights = whole / 4096
        elif part.endswith("norm.weight"):
            weights = 1 + whole / 512
        else:
            weights = whole / 256
        parameter.copy_(torch.from_numpy(weights).reshape(parameter.shape))
    return model


def trace_of(model, ids, segments=None) -> dict:
    """Return every value of one text's trace: name -> array, without a batch axis, in the model's own precision.

    ids, segments: lists of n whole numbers. Shapes are those of `Bert.trace` and `GPT.trace` without their first axis.

    >>> trace_of(tiny("tiny-bert"), [2, 17, 3])["layer.1.attention.weights"].shape
    (2, 3, 3)
    """
    return {name: _numbers(_of_one_text(name, X)) for name, X in _trace(model, ids, segments).items()}


def _trace(model, ids, segments, gradients=False):
    more = {} if segments is None else {"token_type_ids": [segments]}
    return model.trace([ids], gradients=gradients, **more)


def _of_one_text(name, X):
    for_all_texts = name == "embeddings.positions" and X.ndim == 2  # a Bert's have no batch axis
    return X if for_all_texts else X[0]


def _numbers(tensor):
    """Return a copy in row order, the order in files, whatever order the numbers have in memory."""
    return np.array(tensor.detach().cpu().numpy(), order="C")


@torch.enable_grad()
def learning_of(model, inputs) -> dict:
    """Return two steps of training, text by text: "loss" (2,), "gradient.NAME" in the first, "after.NAME" after both.

    model: a `Bert` with its MLM head, or a `GPT`; it is not changed. inputs: as in `INPUTS`, with targets.

    >>> learning = learning_of(tiny("tiny-gpt"), INPUTS["tiny-gpt"])
    >>> learning["gradient.layer.0.attention.weights"].shape, learning["after.norm.bias"].shape
    ((2, 6, 6), (32,))
    """
    model, texts, gradients = deepcopy(model), iter(inputs), {}

    def loss(model, generator):
        text = next(texts)
        trace = _trace(model, text["ids"], text["segments"], gradients=True)
        places, right = torch.tensor(text["targets"]).T
        logits = trace["logits" if "logits" in trace else "mlm.logits"]
        value = F.cross_entropy(logits[0, places], right)
        if not gradients:
            value.backward(retain_graph=True)
            of_stops = {name: _of_one_text(name, X.grad) for name, X in trace.items() if X.grad is not None}
            of_weights = {name: W.grad for name, W in model.named_parameters() if W.grad is not None}
            gradients.update({name: _numbers(X) for name, X in (of_stops | of_weights).items()})
        return value

    losses = train(model, loss, STEPS)["loss"]
    for name in gradients:
        if name.endswith("W_K.bias"):
            gradients[name][:] = 0  # to replace rounding errors
    after = {name: W for name, W in model.named_parameters() if name in gradients and not name.endswith("W_K.bias")}
    return (
        {"loss": np.array(losses)}
        | {f"gradient.{name}": X for name, X in gradients.items()}
        | {f"after.{name}": _numbers(W) for name, W in after.items()}
    )


def golden_of(model, inputs, weights=True) -> dict:
    """Return the content of a model's files: descriptions and each text's trace in float64; with weights=True also its
    weights, and its training.

    model: a `Bert` or a `GPT` of BERT's or GPT-2's own kind. inputs: [{"ids": [...], "segments": [...] or None}, ...],
    with weights=True as in `INPUTS`. Keys of arrays look like "weights/layer.0.attention.W_Q.weight",
    "input.0/layer.0.attention.weights" and "learning/gradient.layer.0.attention.weights".
    """
    model = deepcopy(model).double()
    kind = type(model).__name__
    own = model.state_dict() if weights else {}
    arrays = {f"weights/{name}": _numbers(weight) for name, weight in own.items()}
    texts, formulas = [], {}
    for k, text in enumerate(inputs):
        stops = trace_of(model, text["ids"], text["segments"])
        texts.append(text | {"stops": {name: list(X.shape) for name, X in stops.items()}})
        arrays |= {f"input.{k}/{name}": X for name, X in stops.items()}
        formulas |= {general: FORMULAS[kind][general] for general in map(_of_any_layer, stops)}
    config = {name: value for name, value in asdict(model.config).items() if value is not None}
    about = {"read": READ, "kind": kind, "config": config, "notation": NOTATION, "formulas": formulas, "inputs": texts}
    if weights:
        learning = learning_of(model, inputs)
        rates = [STEPS.rate(step) for step in range(STEPS.n_steps)]
        settings = {"rates": rates, "betas": [0.9, 0.95], "eps": 1e-8}
        settings |= {"weight_decay": STEPS.weight_decay, "clip": STEPS.clip}
        about["learning"] = {"settings": settings, "arrays": {name: list(X.shape) for name, X in learning.items()}}
        arrays |= {f"learning/{name}": X for name, X in learning.items()}
    return about | arrays


def _of_any_layer(stop):
    return re.sub(r"^layer\.\d+", "layer.i", stop)


def golden(name) -> dict:
    """Return the content of the files of one of `NAMES`; see `golden_of`. The default model comes without weights.

    >>> golden("tiny-gpt")["input.1/layer.1.attention.weights"].shape
    (2, 8, 8)
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}")
    if name in TINY:
        return golden_of(tiny(name), INPUTS[name])
    encodings = [tokenizer_of(name).encode(*pair) for pair in TEXTS]
    inputs = [{"ids": one.ids, "segments": one.token_type_ids, "tokens": one.tokens} for one in encodings]
    settings, state = checkpoints.read(name)
    model = bert.Bert.from_checkpoint(settings, state)
    theirs = our_weights(settings, {name: name for name in state}, "Bert")
    where = {key: getattr(known(name), key) for key in ("repo", "revision", "weights", "sha256")}
    checkpoint = where | {"names": {ours: theirs[ours] for ours in model.state_dict()}}
    return golden_of(model, inputs, weights=False) | {"checkpoint": checkpoint}


def write(folder, name, golden) -> None:
    """Write NAME.safetensors and NAME.json under other names, then rename them. With weights, the JSON has the numbers.

    golden: the result of `golden_of`. The same numbers give the same bytes.
    """
    arrays = {key: X for key, X in golden.items() if isinstance(X, np.ndarray)}
    about = {"name": name} | {key: value for key, value in golden.items() if key not in arrays}
    with beside(Path(folder, f"{name}.safetensors")) as part:
        save_file(arrays, part, {"read": f"{name}.json"})  # with two notes the order would differ each time
    if any(key.startswith("weights/") for key in arrays):
        numbers = {key: X for key, X in arrays.items() if not key.startswith("learning/")}  # they would double its size
        about |= {key: np.where(np.isinf(X), None, X).tolist() for key, X in numbers.items()}  # JSON has no infinity
    lines = []
    for key, value in about.items():
        indent = 1 if key in ("read", "notation", "formulas") else None  # a line for each sentence, and for each array
        lines.append(f"{json.dumps(key)}: {json.dumps(value, indent=indent, allow_nan=False)}")
    write_text(Path(folder, f"{name}.json"), "{\n" + ",\n".join(lines) + "\n}\n")


def write_golden(folder, names=NAMES) -> None:
    """Write the golden traces of these models into a folder, two files for each."""
    for name in names:
        write(folder, name, golden(name))


def compare_golden(path, run, learn=None) -> dict:
    """Compare an implementation with a golden trace: each value's largest difference over its largest number.

    path: of a NAME.json with NAME.safetensors in the same folder. run: a function of ids and segments, lists of n whole
    numbers (segments None for a GPT), that returns {name: array of any float type}. learn: a function of the texts that
    trains on one after the other and returns its arrays by the names of `learning_of`. The result is infinite if only
    one of the two has NaN or an infinity. Raises ValueError that names anything missing or with another shape; other
    values are ignored.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_golden(folder, ["tiny-bert"])
    ...     shares = compare_golden(f"{folder}/tiny-bert.json", lambda *text: trace_of(tiny("tiny-bert"), *text))
    >>> len(shares), max(shares.values()) < 1e-5
    (74, True)
    """
    path = Path(path)
    arrays, about = load_file(path.with_suffix(".safetensors")), read_json(path)
    shapes, ours = {}, {}
    for k, text in enumerate(about["inputs"]):
        shapes |= {f"input.{k}/{name}": shape for name, shape in text["stops"].items()}
        ours |= {f"input.{k}/{name}": X for name, X in run(text["ids"], text["segments"]).items()}
    if learn:
        shapes |= {f"learning/{name}": shape for name, shape in about["learning"]["arrays"].items()}
        ours |= {f"learning/{name}": X for name, X in learn(about["inputs"]).items()}
    largest = max((np.abs(X).max() for key, X in arrays.items() if "gradient" in key), default=0)
    shares, problems = {}, []
    for key, shape in shapes.items():
        if key not in ours:
            problems.append(f"{key} is missing")
        elif list(np.shape(ours[key])) != shape:
            problems.append(f"{key} must have shape {shape}, got {list(np.shape(ours[key]))}")
        else:
            shares[key] = _share(np.asarray(ours[key], dtype=np.float64), arrays[key], largest)
    if problems:
        raise ValueError("; ".join(problems))
    return shares


def _share(ours, golden, largest):
    hidden = np.isinf(golden)
    if not np.isfinite(ours[~hidden]).all() or (ours[hidden] != golden[hidden]).any():
        return np.inf
    return float(np.abs(ours[~hidden] - golden[~hidden]).max() / (np.abs(golden[~hidden]).max() or largest))
