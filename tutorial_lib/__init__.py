"""Transformers from scratch: a small library, checked against Hugging Face's, on which the book runs.

`ROOMS` are its modules and folders, in the order in which one reads them; each says in its first line what it holds. A
room imports only from rooms before it; a test holds that. Heavy libraries load when first used.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False  # as `typing` has it, which takes longer to load than all of this
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
    "The machine": ("tokenization", "positions", "trace", "attention", "bert", "gpt", "encoder_decoder", "llama",
                    "modernbert", "generation"),
    "What is done with it": ("parity", "geometry", "vectors", "training", "measure", "views", "__main__"),
}  # fmt: skip


def load(
    name: str | os.PathLike | None = None, device: str | torch.device = "auto"
) -> tuple[Bert | GPT | Llama | ModernBert, BPE | WordPiece]:
    """A trained model by name or folder, and its tokenizer, a `WordPiece` or a `BPE`.

    The model is a `bert.Bert`, a `gpt.GPT`, a `llama.Llama` or a `modernbert.ModernBert`, as its config.json says.
    name: None for the default model; names and errors as for `weights.resolve`. device "auto": a GPU if there is one.
    Raises ValueError if the tokenizer is missing, or is not computed here: `load_model` loads the model alone. `save`
    writes both into a folder.

    >>> gpt, tok = load("book-gpt")
    >>> type(gpt).__name__, tok("the bear").tokens
    ('GPT', ['t', 'he', 'Ġbear'])
    """
    from tutorial_lib import tokenization, weights

    weights.read_config(name)  # complains of a model that is not there before its vocabulary is looked for
    try:
        tokenizer = tokenization.tokenizer_of(weights.DEFAULT if name is None else name)
    except ValueError as error:
        raise ValueError(f'{error}; load_model("{name}") loads the model alone') from error
    return load_model(name, device), tokenizer


def load_model(
    name: str | os.PathLike | None = None, device: str | torch.device = "auto"
) -> Bert | GPT | Llama | ModernBert:
    """The model alone, as `load` gives it.

    >>> type(load_model()).__name__
    'Bert'
    """
    from tutorial_lib import bert, gpt, llama, modernbert, weights
    from tutorial_lib.weights import names

    kinds = {"Bert": bert.Bert, "GPT": gpt.GPT, "Llama": llama.Llama, "ModernBert": modernbert.ModernBert}
    return kinds[names.family_of(weights.read_config(name)).model].from_pretrained(name, device)


def __getattr__(name):
    """A room by its name, `tutorial_lib.vectors`, without an import of its own; and `save`, of `training.save`."""
    if name == "save":
        return import_module("tutorial_lib.training.save").save
    if name not in {room for rooms in ROOMS.values() for room in rooms}:
        raise AttributeError(f"module 'tutorial_lib' has no attribute {name!r}")
    return import_module(f"tutorial_lib.{name}")


def __dir__():
    return sorted({*globals(), *sum(ROOMS.values(), ()), "save"})


def late(package, names):
    """`__getattr__`, `__dir__`, `__all__` of a package whose modules load when one of their names is first asked for.

    So who uses one name depends on its module alone. names: module -> the names in it that the package hands out, in
    one text.
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
