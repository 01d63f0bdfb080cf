"""The models that this book knows, by ``catalog.json``: license, one fixed revision, and the SHA-256 of the weights.

Models whose package is the library's or the book's were trained for it (see `training.recipes`); a number at the end of
the name is the number of training steps.
"""

import difflib
import json
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT = "all-MiniLM-L6-v2"


class ModelNotAvailable(LookupError):
    """No folder here has a model of this name; the message says what was tried and what to do."""


@dataclass(frozen=True)
class Model:
    """A model that this book knows: its address, its license, and the digest of its weights."""

    repo: str  # owner/name on the Hugging Face hub; for the book's own models, the package's name and theirs
    license: str
    revision: str | None  # the commit on the hub; None: not known, so the newest is used
    size: int | None = None  # bytes of the weights file; None: not known
    sha256: str | None = None  # of the weights file; None: not known, so the revision must be enough
    vocabulary: tuple[str, ...] = ("vocab.txt", "tokenizer_config.json")
    weights: str = "model.safetensors"
    package: str | None = None  # an installed package that contains the same files
    inside: str = "model"  # their folder in that package
    vocabulary_package: str | None = None  # an installed package that contains only the vocabulary, in its folder data
    vocabulary_sha256: dict[str, str] = field(default_factory=dict, hash=False)  # of its files, if known

    @property
    def name(self) -> str:
        """Return the part of the repository's name after the owner."""
        return self.repo.split("/")[1]

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files without which the model cannot run."""
        return (*self.vocabulary_files, self.weights)

    @property
    def vocabulary_files(self) -> tuple[str, ...]:
        """Return those without the weights: enough to turn a text into ids."""
        return ("config.json", *self.vocabulary)

    @property
    def shipped(self) -> bool:
        """Return whether the library or the book contains the model, so that no hub is ever asked."""
        return self.package in ("tutorial_lib", "tutorial_book")


_ROWS = json.loads(Path(__file__).with_name("catalog.json").read_text(encoding="utf-8"))
_MODELS = [Model(**row | {"vocabulary": tuple(row.get("vocabulary", Model.vocabulary))}) for row in _ROWS]
KNOWN = {model.name: model for model in _MODELS}


def known(name: str) -> Model | None:
    """Return the known model of this name, in its long or short form; None if there is none."""
    wanted = name.lower()
    return next((model for model in KNOWN.values() if wanted in (model.repo.lower(), model.name.lower())), None)


def unknown(name: str, why: str) -> ModelNotAvailable:
    """Return the error for an unknown name."""
    wanted = name.lower()
    names = {model.name.lower(): model.name for model in KNOWN.values()}
    close = difflib.get_close_matches(wanted.split("/")[-1], names, n=1)
    hint = f" (did you mean {names[close[0]]!r}?)" if close else ""
    return ModelNotAvailable(
        f"{name!r} is neither a folder on this machine nor a known model{hint}, and {why}. "
        f"Give the path of a folder, the name of a model on the hub, or one of {', '.join(KNOWN)}"
    )
