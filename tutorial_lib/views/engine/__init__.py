"""A model in the reader's browser: its weights as scripts that a page loads from a file, without a network.

`bert.js` and `gpt.js` are the models; read them next to `bert.py` and `gpt.py`. `arithmetic.js` is their arithmetic in
plain JavaScript, `kernel.c` the same in WebAssembly, which `kernel.js` calls. `switches.js` lists the options that
change a run, and applies them. `worker.js` contains tokenizer and model and answers; `page.js`, which every page of the
book loads, asks. `write_worker` and `write_model` write the files that a press loads.

`train.js` trains these models (read it next to `training/loop.py`); `train.c` and `train_kernel.js` are its arithmetic
in WebAssembly, and `safetensors.js` reads and writes weights. `session.js` is one run on a reader's text, in its own
worker, `train_worker.js`, which `write_training` writes.
"""

import base64
import json
import subprocess
from pathlib import Path

import numpy as np
from torch import nn

from tutorial_lib.atomic import write_text
from tutorial_lib.geometry.similarity import cosine
from tutorial_lib.gpt import GPT
from tutorial_lib.tokenization import WordPiece, kinds
from tutorial_lib.tokenization.bpe import END, byte_characters
from tutorial_lib.vectors import embed
from tutorial_lib.views.base import JS, pack_text, shortened
from tutorial_lib.views.tokenizer import rules_of
from tutorial_lib.weights.eight_bits import GROUP, rounded, rounded_model
from tutorial_lib.weights.files import read_text

HERE = Path(__file__).parent
# The scripts of the worker, in the order in which it reads them.
SOURCES = [
    JS / "wordpiece.js",
    *(HERE / f"{name}.js" for name in "bpe arithmetic kernel bert gpt switches worker".split()),
]
# The scripts for training, and the worker that trains for a page.
TRAINING = [HERE / f"{name}.js" for name in "arithmetic kernel bert gpt train_kernel train safetensors".split()]
TRAINER = [JS / "wordpiece.js", HERE / "bpe.js", *TRAINING, HERE / "session.js", HERE / "train_worker.js"]
PANEL = 8  # rows of a matrix that the kernel computes together
CALLS = 24  # parts of a model's weights: one long string would take a browser twice the time
FILES = 8  # of a large model, so that a page can show progress; a small one needs only one
LARGE = 4 << 20  # bytes of weights
CLANG = 14  # the compilers of kernel.wasm and train.wasm: Debian's packages clang and lld
COMPILE = "--target=wasm32 -O2 -fno-unroll-loops -msimd128 -mbulk-memory -nostdlib -Wl,--no-entry -Wl,--strip-all"
LINE = 64  # bytes; each array begins at a multiple


class _File:
    """Return arrays one after the other, and where each begins."""

    def __init__(self):
        self.parts, self.size = [], 0

    def put(self, array):
        data = np.ascontiguousarray(array).tobytes()
        place = self.size
        self.parts.append(data + bytes(-len(data) % LINE))
        self.size += len(self.parts[-1])
        return place


def packed(model) -> tuple[bytes, dict]:
    """Return a model's weights in 8 bits, as bytes, and a table of their contents by the names of its parts.

    Tables keep the order of their rows; matrices are stored in panels of 8 rows, two coordinates of all eight side by
    side, as the kernel reads them, the last panel filled up with rows of 0. `longest` is the length of a matrix's
    longest row in whole numbers, from which the kernel knows how large a sum can get. Poolers and heads of other tasks
    are left out.

    >>> from tutorial_lib.bert import Bert, Config
    >>> data, parts = packed(Bert(Config(vocab_size=100, d_model=32, n_layers=1, n_heads=1, d_ff=32)))
    >>> parts["layer.0.attention.W_Q"]["d"], len(data) % 64
    (32, 0)
    """
    file, parts = _File(), {}
    for name, module in model.named_modules(remove_duplicate=False):
        if name.startswith(("pooler", "nsp")):
            continue
        if isinstance(module, nn.Embedding):
            parts[name] = _table(file, rounded(_numbers(module.weight)))
        elif isinstance(module, nn.Linear):
            parts[name] = _matrix(file, rounded(_numbers(module.weight)), module.bias)
        elif isinstance(module, nn.LayerNorm):
            at = {"gamma": file.put(_numbers(module.weight)), "beta": file.put(_numbers(module.bias))}
            parts[name] = {"at": at, "d": len(module.weight), "eps": module.eps}
    return b"".join(file.parts), parts


def _numbers(tensor):
    return tensor.detach().cpu().float().numpy()


def _table(file, table):
    n, d = table.whole.shape
    at = {name: file.put(getattr(table, name)) for name in ("whole", "multiple", "step")}
    return {"at": at, "n": n, "d": d}


def _matrix(file, matrix, bias):
    n, d = matrix.whole.shape
    rest = -n % PANEL
    whole, multiple = (np.pad(array, ((0, rest), (0, 0))) for array in matrix[:2])
    wide = whole.reshape(len(whole), -1, GROUP) * multiple[..., None].astype(np.int64)
    at = {
        "whole": file.put(whole.reshape(-1, PANEL, d // 2, 2).swapaxes(1, 2)),
        "multiple": file.put(multiple.reshape(-1, PANEL, d // GROUP).swapaxes(1, 2)),
        "step": file.put(np.pad(matrix.step, (0, rest))),
        "bias": file.put(np.pad(np.zeros(n, "f4") if bias is None else _numbers(bias), (0, rest))),
    }
    longest = float(np.sqrt(np.square(wide).sum((1, 2)).max())) + 1
    return {"at": at, "n": n, "d": d, "longest": longest}


def write_model(folder, name, model, tokenizer, texts=()) -> int:
    """Write a model's weights and vocabulary as scripts that deliver them in 24 calls. Returns their bytes.

    A small model is NAME.js; a large one continues in NAME-1.js to NAME-7.js. model: a `Bert` or a `GPT` whose widths
    are multiples of 32. texts: the texts that a reader's text is compared with, by the cosine of mean vectors; they are
    sent in one byte per coordinate. Each file is written under another name and renamed.
    """
    data, parts = packed(model)
    config = model.config
    n_files = FILES if len(data) > LARGE else 1
    about = {
        "files": n_files,
        "kind": "GPT" if isinstance(model, GPT) else "Bert",
        "config": {"n_layers": config.n_layers, "n_heads": config.n_heads, "activation": config.activation},
        "n_positions": config.n_positions,
        "tokenizer": rules_of(tokenizer) if isinstance(tokenizer, WordPiece) else _bpe(tokenizer),
        "tokens": tokenizer.tokens,
        "library": {"texts": list(texts), "vectors": _bytes_of(embed(texts, model)) if texts else ""},
        "least_cosine": least_cosine(model, texts) if texts else None,
        "size": len(data),
        "weights": parts,
    }
    if hasattr(model, "rope"):  # rotary positions: radians per position, for each pair of a head's coordinates
        about["config"]["frequencies"] = model.rope.frequencies(config.d_model // config.n_heads).tolist()
    step = -(-len(data) // CALLS // 3) * 3  # three bytes are four letters
    calls = [
        f'tutorialLib.part({json.dumps(name)},{at},"{base64.b64encode(data[at : at + step]).decode()}");'
        for at in range(0, len(data), step)
    ]
    start = f"tutorialLib.start({json.dumps(name)},{json.dumps(about, separators=(',', ':'))});"
    size = 0
    for k in range(n_files):
        text = "\n".join([start] * (k == 0) + calls[k::n_files]) + "\n"
        write_text(Path(folder) / (f"{name}-{k}.js" if k else f"{name}.js"), text)
        size += len(text)
    return size


def write_worker(folder) -> None:
    """Write worker.js: the worker's source as a string, because a page opened from a file must not read scripts."""
    write_text(Path(folder) / "worker.js", f"tutorialLib.source = {json.dumps(_joined('kernel', SOURCES))};\n")


def write_training(folder, tokenizer, texts) -> None:
    """Write training.js: the worker that trains, the table of a step, the texts, and a `BPE` that cuts them."""
    pieces = [tokenizer.decode([id]).replace(END, "\n") for id in range(len(tokenizer))]
    trains = {
        "source": _joined("train", TRAINER),
        "hand": shortened(JS / "one_step.html"),
        "book": {"tokenizer": _bpe(tokenizer), "tokens": tokenizer.tokens, "pieces": pieces},
        "stories": pack_text("".join(END + text for text in texts)),
    }
    write_text(Path(folder) / "training.js", f"tutorialLib.trains = {json.dumps(trains)};\n")


def _joined(kernel, sources):
    """Scripts as one, with a kernel's code."""
    code = base64.b64encode((HERE / f"{kernel}.wasm").read_bytes()).decode()
    return "\n".join([f'"use strict";\nconst KERNEL = "{code}";', *map(read_text, sources)])


def least_cosine(model, texts) -> float:
    """Return the effect of rounding on a `Bert`: the smallest cosine of a token's last vector to the rounded model's.

    >>> from tutorial_lib.bert import Bert
    >>> 0.999 < least_cosine(Bert.from_pretrained(), ["The bear opened the door with a smile."]) < 1
    True
    """
    both = [np.concatenate(embed(texts, each, pooling="tokens")) for each in (model, rounded_model(model))]
    return float(cosine(*both).min())


def _bytes_of(vectors):
    """Return vectors in one byte per coordinate, each with its own step, which its direction does not need."""
    whole = np.rint(vectors * (127 / np.abs(vectors).max(1, keepdims=True)))
    return base64.b64encode(whole.astype(np.int8).tobytes()).decode()


def compile_kernel(path, name="kernel") -> None:
    """Write the .wasm of kernel.c or train.c. A clang other than 14 writes different code with the same results."""
    subprocess.run(["clang", *COMPILE.split(), HERE / f"{name}.c", "-o", path], check=True)


def _bpe(tokenizer):
    """Return the settings that bpe.js needs of a byte-level BPE."""
    letters = {name: getattr(kinds, name).table for name in ("LETTER", "NUMBER", "WHITE")}
    characters = byte_characters()
    return {
        "merges": [f"{a} {b}" for a, b in tokenizer.merges],
        "special": tokenizer.special,
        "bytes": "".join(characters[byte] for byte in range(256)),
        "tables": letters,
    }
