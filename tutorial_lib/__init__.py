"""Transformers from scratch: a small library, checked against Hugging Face's, on which the book runs.

`ROOMS` lists its modules and packages in reading order; the first line of each says what it contains. A module imports
only from modules listed above it; a test checks this. Heavy libraries load when they are first used.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all of this module
if TYPE_CHECKING:
    import torch

    from tutorial_lib.bert import Bert
    from tutorial_lib.gpt import GPT
    from tutorial_lib.llama import Llama
    from tutorial_lib.modernbert import ModernBert
    from tutorial_lib.tokenization import BPE, WordPiece

__version__ = "1.0.0"

ROOMS = {
    "Where things come from": ("arguments", "atomic", "texts", "weights"),
    "The machine": ("tokenization", "positions", "trace", "attention", "activations", "bert", "gpt", "encoder_decoder",
                    "llama", "modernbert", "generation"),
    "Using the models": ("parity", "geometry", "vectors", "training", "measure", "views", "__main__"),
}  # fmt: skip


def load(
    name: str | os.PathLike | None = None, device: str | torch.device = "auto"
) -> tuple[Bert | GPT | Llama | ModernBert, BPE | WordPiece]:
    """Load a trained model by name or folder, and its tokenizer, a `WordPiece` or a `BPE`.

    The model is a `bert.Bert`, a `gpt.GPT`, a `llama.Llama` or a `modernbert.ModernBert`, depending on its config.json.
    name: None for the default model; names and errors as for `weights.resolve`. device "auto": a GPU if there is one.
    Raises ValueError if the tokenizer is missing or not supported: `load_model` loads only the model.
    `save` writes both into a folder.

    >>> gpt, tok = load("book-gpt")
    >>> type(gpt).__name__, tok("the bear").tokens
    ('GPT', ['t', 'he', 'Ġbear'])
    """
    from tutorial_lib import tokenization, weights

    weights.read_config(name)  # a missing model is reported before its vocabulary is looked for
    try:
        tokenizer = tokenization.tokenizer_of(weights.DEFAULT if name is None else name)
    except ValueError as error:
        raise ValueError(f'{error}; load_model("{name}") loads only the model') from error
    return load_model(name, device), tokenizer


def load_model(
    name: str | os.PathLike | None = None, device: str | torch.device = "auto"
) -> Bert | GPT | Llama | ModernBert:
    """Load only the model, as `load` does.

    >>> type(load_model()).__name__
    'Bert'
    """
    from tutorial_lib import bert, gpt, llama, modernbert, weights
    from tutorial_lib.weights import names

    kinds = {"Bert": bert.Bert, "GPT": gpt.GPT, "Llama": llama.Llama, "ModernBert": modernbert.ModernBert}
    return kinds[names.family_of(weights.read_config(name)).model].from_pretrained(name, device)


def __getattr__(name):
    """Return a module as an attribute, `tutorial_lib.vectors`, without an import; and `save`, from `training.save`."""
    if name == "save":
        return import_module("tutorial_lib.training.save").save
    if name not in {room for rooms in ROOMS.values() for room in rooms}:
        raise AttributeError(f"module 'tutorial_lib' has no attribute {name!r}")
    return import_module(f"tutorial_lib.{name}")


def __dir__():
    return sorted({*globals(), *sum(ROOMS.values(), ()), "save"})


def late(package, names):
    """Return `__getattr__`, `__dir__` and `__all__` of a package that loads a module when one of its names is used.

    A program that uses one name then loads only the module of that name. names: module -> the names it exports,
    separated by spaces.
    """
    module_of = {name: module for module, listed in names.items() for name in listed.split()}

    def load_late(name):
        if name in names:
            return import_module(f"{package}.{name}")
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{module_of[name]}"), name)

    def listed():
        return sorted({*vars(sys.modules[package]), *names, *module_of})

    return load_late, listed, sorted(module_of)
