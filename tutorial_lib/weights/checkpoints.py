"""From a checkpoint's files into one of our models, for any family; `names` maps the names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch.overrides import TorchFunctionMode

from tutorial_lib.atomic import beside
from tutorial_lib.weights.catalog import DEFAULT
from tutorial_lib.weights.find import load_state_dict, read_config

if TYPE_CHECKING:
    from typing_extensions import Self


class Loaded:
    """Loading one of our models from files or from transformers; it has `config_class` and `from_checkpoint`.

    source: the name or folder that it was loaded by; None if there was none. Weights may have changed since.
    """

    source: str | None = None

    @classmethod
    def from_pretrained(cls, name: str | os.PathLike | None = None, device: str | torch.device = "auto") -> Self:
        """Load a trained model by name or folder (None: the default model). device "auto": a GPU if there is one.

        Raises `ModelNotAvailable` if no source has the name. Example: `Bert.from_pretrained("bert-base-cased")`.
        """
        device = pick_device(device)  # raises before anything is loaded
        model = cls.from_checkpoint(*read(name)).to(device)
        model.source = str(name or DEFAULT)
        return model

    @classmethod
    def from_hf(cls, hf_model: torch.nn.Module) -> Self:
        """Copy the weights of a transformers model (BertModel, OPTForCausalLM, ...), on the same device."""
        settings = settings_of(hf_model)
        cls.config_class.from_hf(settings)  # rejects other families before anything is copied
        copies = {name: tensor.detach().clone() for name, tensor in hf_model.state_dict().items()}
        model = cls.from_checkpoint(settings, copies)
        model.source = getattr(hf_model, "name_or_path", None) or None
        return model


def read(name: str | os.PathLike | None) -> tuple[dict, dict[str, torch.Tensor]]:
    """Return (settings, weights) of a model by name or folder: its config.json and its tensors, with the files' names.

    Weights stored in half precision are loaded in float32, which changes no value; if some are in float64, all are
    loaded in it. Raises ValueError if they are quantized, to 8 bits or fewer.

    >>> settings, state = read("all-MiniLM-L6-v2")
    >>> settings["hidden_size"], state["embeddings.word_embeddings.weight"].shape
    (384, torch.Size([30522, 384]))
    """
    settings = read_config(name)
    if settings.get("quantization_config"):
        how = settings["quantization_config"].get("quant_method", "some method")
        raise ValueError(f"{name}: weights quantized by {how} are not supported. Use the model's original weights")
    state = load_state_dict(name)
    floats = [tensor for tensor in state.values() if tensor.is_floating_point()]
    for key, tensor in state.items():
        if tensor.dtype == torch.int8 or tensor.is_floating_point() and tensor.element_size() == 1:
            raise ValueError(f"{name}: weights must have 16 bits or more, and {key} is {tensor.dtype}")
    dtype = torch.float64 if any(tensor.dtype == torch.float64 for tensor in floats) else torch.float32
    return settings, {key: tensor.to(dtype) if tensor.is_floating_point() else tensor for key, tensor in state.items()}


def settings_of(hf_model: torch.nn.Module) -> dict:
    """Return the configuration of a transformers model as a dictionary, as in its config.json."""
    if not hasattr(getattr(hf_model, "config", None), "to_dict"):
        raise TypeError(f"hf_model must be a model of transformers, such as a BertModel, got {type(hf_model).__name__}")
    return hf_model.config.to_dict()


@contextmanager
def shapes_only() -> Iterator[None]:
    """Make modules with shapes, on torch's "meta" device, but without memory or numbers.

    No random numbers are drawn either: for the first normal ones on this device torch would load its compiler, over a
    second.
    """
    with torch.device("meta"), _NothingDrawn():
        yield


class _NothingDrawn(TorchFunctionMode):
    def __torch_function__(self, function, types, arguments=(), named=None):
        if getattr(function, "__module__", None) == "torch.nn.init":
            return named["tensor"]
        return function(*arguments, **(named or {}))


def fill(model: torch.nn.Module, state: dict[str, torch.Tensor]) -> None:
    """Put weights into a model that was made in `shapes_only`, and make it ready for use.

    Raises ValueError that names what is missing, not expected, or of another shape.
    """
    expected = model.state_dict()
    missing = sorted(set(expected) - set(state))
    unknown = sorted(set(state) - set(expected))
    shapes = {name: (tuple(state[name].shape), tuple(expected[name].shape)) for name in expected if name in state}
    wrong = [f"{name}: {theirs} instead of {ours}" for name, (theirs, ours) in shapes.items() if theirs != ours]
    if missing or unknown or wrong:
        raise ValueError(
            "these weights do not fit the configuration. "
            f"Missing: {_some(missing)}; not expected: {_some(unknown)}; of another shape: {_some(wrong)}"
        )
    model.load_state_dict(state, assign=True)
    model.requires_grad_(True).eval()


def columns_together(model: torch.nn.Module) -> None:
    """Store the matrices that make vectors wider, or no narrower, column by column in memory; change nothing else.

    This is only for speed. A generated token is one vector, and each matrix is read once for it, which determines the
    time. A matrix with more rows than columns is read a quarter to two fifths faster along its columns
    (`benchmarks/generation.py`).
    """
    for part in model.modules():
        if isinstance(part, torch.nn.Linear) and part.out_features >= part.in_features:
            part.weight.data = part.weight.data.T.contiguous().T


def write(path: str | os.PathLike, tensors: dict[str, torch.Tensor], about: dict[str, str]) -> None:
    """Write tensors and a dictionary of texts into a safetensors file, under another name and renamed.

    If the process is killed, either the old file or the new one remains. Raises OSError if it cannot be written.
    """
    try:
        with beside(path) as part:
            save_file(tensors, part, about)
    except SafetensorError as error:  # on a full disk it does not raise an OSError
        raise OSError(f"{path} cannot be written: {error}") from error


def pick_device(device: str | torch.device = "auto") -> torch.device:
    """Return a torch device; "auto" takes CUDA, then Apple's MPS, then the CPU.

    >>> pick_device("cpu")
    device(type='cpu')
    """
    if device != "auto":
        try:
            return torch.empty(0, device=torch.device(device)).device
        except (RuntimeError, AssertionError, TypeError) as error:  # torch's message differs from device to device
            got = f"{device!r} ({str(error).splitlines()[0]})"
            raise ValueError(f'device must be "auto" or a device of this machine, such as "cpu", got {got}') from error
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _some(names):
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "") or "none"
