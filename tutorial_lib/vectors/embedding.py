"""From texts to vectors: any layer of an encoder, pooled, in batches, on any device. Source: L 4.1, L 4.5.

A text of n tokens has n vectors in each layer: layer 0 is the input of the first block, layer i the output of block i.
`embed` selects layers and pools the tokens' vectors to one. It is written for speed: texts of similar length go
together, so that there is little padding, and in small batches, so that they fit into the processor's caches.
"""

import hashlib
import json
import operator
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch

from tutorial_lib import load_model, weights
from tutorial_lib.arguments import (
    as_flag,
    check_has,
    check_path,
    check_tensors,
    check_texts,
    one_of,
    whole_number,
    wide,
)
from tutorial_lib.bert import Bert
from tutorial_lib.tokenization import Tokenizer, tokenizer_of
from tutorial_lib.trace import Trace, nothing
from tutorial_lib.vectors.batches import TOKENS, TOKENS_ELSEWHERE, batches, cut_ids, side_by_side
from tutorial_lib.vectors.store import File, Memory
from tutorial_lib.weights import checkpoints

POOLINGS = ("cls", "mean", "max", "last", "tokens")
# Names of pooling methods in the folder of a sentence model, and their names here.
SAID = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean", "pooling_mode_max_tokens": "max",
        "pooling_mode_lasttoken": "last"}  # fmt: skip


def embed(
    texts: Iterable[str], model: str | os.PathLike | checkpoints.Loaded | None = None, pooling: str | None = None,
    layers: int | str | Iterable[int] = -1, batch_size: int = 32, progress: bool = False,
    save_to: str | os.PathLike | None = None, tokenizer: Tokenizer | None = None, device: str | torch.device = "auto",
    normalize: bool = False, keep: Callable | Sequence[Callable] = nothing,
) -> np.ndarray | Any:
    """Return the vectors of texts: float32, (n, d_model) for one layer, (n_layers, n, d_model) for several.

    The order of the texts and the size of the batches change only the last digits, and equal texts get equal vectors. A
    text with more tokens than the model has positions is truncated; one warning says so. (sentence-transformers
    truncates earlier: the default model at 256 tokens, although it has 512 positions.)

    Args:
        texts: a list of str; empty texts are texts, and no texts give an array with no rows.
        model: a name or a folder (None: the default model), or a `Bert`, `ModernBert`, `GPT` or `Llama`.
        pooling: "cls", the first token's vector; "mean" or "max", over all tokens, [CLS] and [SEP] included; "last",
            the last token's; or "tokens", no pooling: a list with an array (n_tokens, d_model) for each text, or
            (n_layers, n_tokens, d_model) for several layers. None: the setting of 1_Pooling/config.json in the model's
            folder, with a warning if it is not the mean; else the mean.
        layers: 0 is the input of the first block, i the output of block i, -1 the last one, after the model's last norm
            if it has one; a list, or "all".
        batch_size: how many texts go through the model at once, at most; fewer if they are long.
        progress: show a bar.
        save_to: a file, NAME.npy. Batches are written to NAME.part.npy as they are done; if you stop the computation,
            the same call continues. The result is then a view of the file, not a copy in memory; your changes to it (as
            by faiss.normalize_L2) stay in memory and do not change the file.
        tokenizer: for a model that was not loaded by name or from a folder; otherwise the model's own is found, and no
            other is accepted.
        device: where a model given by name runs.
        normalize: scale each vector to length 1, so that the dot product of two is their cosine.
        keep: changes values while the model runs, as `trace.change` and `trace.silence` do. Texts come in padded
            batches, those of similar length together, equal ones once, and several batches may run at the same time. It
            is slower.

    Raises:
        TypeError if texts is one str or contains anything else.
        ValueError if another argument is invalid, the tokenizer is not the model's, or save_to belongs to other texts
            or settings.

    >>> embed(["A bear.", "Two bears dance."]).shape
    (2, 384)
    >>> embed(["A bear."], layers="all", pooling="cls").shape
    (7, 1, 384)
    """
    texts = check_texts("texts", texts, least=0)
    if pooling is not None:
        one_of("pooling", pooling, POOLINGS)
    batch_size = whole_number("batch_size", batch_size, 1, "a positive int")
    normalize = as_flag("normalize", normalize)
    path = _check_path(save_to)
    if path is not None and keep is not nothing:
        raise ValueError(f"save_to must be None with keep, which a file does not record, got {path}")
    model, tokenizer = _model_and_tokenizer(model, tokenizer, device)
    pooling = _said_pooling(model.source) if pooling is None else pooling
    chosen, several = _check_layers(layers, model.config.n_layers)
    places = {}  # text -> its positions in texts: equal texts are computed once
    for j, text in enumerate(texts):
        places.setdefault(text, []).append(j)
    ids = _ids_of(list(places), tokenizer, model.config.n_positions)
    copies = list(places.values())
    spans = _spans(len(texts), ids, copies, pooling)
    work = [ids, copies, pooling, chosen] + ["normalized"] * normalize
    shape = (len(chosen),) * several + (spans[-1].stop if spans else 0, model.config.d_model)
    store = Memory(shape) if path is None else File(path, shape, _fingerprint(model, work))
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))[store.done :]
    device = model.embeddings.tokens.weight.device
    pad = tokenizer.vocab.get(tokenizer.pad_token, 0)  # any id, because it is masked
    cut = batches(order, ids, batch_size, TOKENS.get(device.type, TOKENS_ELSEWHERE))
    by_layers = isinstance(model, Bert) and keep is nothing
    run_layers = _run if by_layers else partial(_run_any, keep=keep)

    def run(batch):
        blocks = run_layers(model, [ids[i] for i in batch], pooling, chosen, pad)
        return [block / np.linalg.norm(block, axis=-1, keepdims=True) for block in blocks] if normalize else blocks

    with _bar(progress, len(ids), store.done) as bar, closing(side_by_side(run, cut, device)) as done:
        for batch, blocks in done:
            for i, block in zip(batch, blocks, strict=True):
                for j in copies[i]:
                    store.rows[..., spans[j], :] = block if several else block[0]
            store.finish(len(batch))
            bar.update(len(batch))
    rows = store.close()
    return [rows[..., span, :] for span in spans] if pooling == "tokens" else rows


def _spans(n_texts, ids, copies, pooling):
    """Return which rows of the result belong to each text: one row, or with "tokens" one for each token."""
    n_rows = np.ones(n_texts, int)
    if pooling == "tokens":
        for row, where in zip(ids, copies, strict=True):
            n_rows[where] = len(row)
    ends = n_rows.cumsum().tolist()
    return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]


@torch.inference_mode()
def _run(model, ids, pooling, chosen, pad):
    """Return the pooled vectors of one batch: for each text an array (layers, 1 or n_tokens, d_model)."""
    device = model.embeddings.tokens.weight.device
    lengths = [len(row) for row in ids]
    longest = max(lengths)
    padded = torch.tensor([row + [pad] * (longest - len(row)) for row in ids], device=device)  # (B, n)
    real = torch.arange(longest) < torch.tensor(lengths)[:, None]  # (B, n)
    mask = None if real.all() else real[:, None, None].to(device)  # (B, 1, 1, n)
    kept = {}
    X = model.embeddings(padded, torch.zeros_like(padded))  # (B, n, d_model)
    for i in range(max(chosen) + 1):
        X = model.layer[i - 1](X, mask, fused=True) if i else X
        if i in chosen:
            kept[i] = pool(X, real.to(device), pooling).float().cpu()
    blocks = torch.stack([kept[i] for i in chosen]).numpy()  # (layers, B, 1 or n, d_model)
    return [blocks[:, b, : lengths[b]] for b in range(len(ids))]


@torch.inference_mode()
def _run_any(model, ids, pooling, chosen, pad, keep):
    """Return the same for a model of any family, by the names of its values, which `keep` may change."""
    lengths = [len(row) for row in ids]
    padded = torch.tensor([row + [pad] * (max(lengths) - len(row)) for row in ids])  # (B, n)
    real = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]  # (B, n)
    last = 0 if isinstance(model, Bert) else model.config.n_layers  # the layer after which a norm comes
    names = {i: f"layer.{i - 1}.output" if i and i != last else "norm" if i else "embeddings.output" for i in chosen}
    trace = Trace(keep, only=list(names.values()))
    model(padded, attention_mask=None if real.all() else real, fused=keep is nothing, keep=trace)
    blocks = [pool(trace[names[i]], real.to(trace[names[i]].device), pooling).float().cpu() for i in chosen]
    blocks = torch.stack(blocks).numpy()  # (layers, B, 1 or n, d_model)
    return [blocks[:, b, : lengths[b]] for b in range(len(ids))]


def pool(X: torch.Tensor, real: torch.Tensor, pooling: str) -> torch.Tensor:
    """Pool the tokens' vectors, (B, n, d_model), to one vector for each text, (B, 1, d_model).

    real, (B, n), is False at padding. With "tokens" X itself.
    Source: L 4.5.1; the mean is that of Reimers and Gurevych (2019).

    >>> pool(torch.tensor([[[1.0], [3.0], [9.0]]]), torch.tensor([[True, True, False]]), "mean")
    tensor([[[2.]]])
    """
    check_tensors(X=X)
    check_has("real", real, "a tensor (B, n) of bool, False at padding", "sum", "shape")
    if not real.any(1).all():
        raise ValueError("real must have a token in each text, got a text with only padding")
    if one_of("pooling", pooling, POOLINGS) == "cls":
        return X[:, :1]
    if pooling == "mean":
        return ((wide(X) * real[..., None]).sum(1, keepdim=True) / real.sum(1)[:, None, None]).to(X.dtype)
    if pooling == "max":
        return X.masked_fill(~real[..., None], -torch.inf).amax(1, keepdim=True)
    if pooling == "last":
        last = (torch.arange(X.shape[1], device=X.device) * real).argmax(1)  # (B,)
        return X[torch.arange(len(X), device=X.device), last][:, None]
    return X


def _check_path(save_to):
    path = None if save_to is None else check_path("save_to", save_to)
    if path is not None and path.suffix != ".npy":
        raise ValueError(f"save_to must be the name of a file that ends in .npy, got {str(save_to)!r}")
    return path


def _model_and_tokenizer(model, tokenizer, device):
    """Return the model and its own tokenizer: found by the model's source, or given and compared."""
    given = isinstance(model, checkpoints.Loaded)
    if not given and not isinstance(model, (str, os.PathLike, type(None))):
        raise TypeError(f"model must be a name, a folder, a Bert, ModernBert, GPT or Llama, got {type(model).__name__}")
    if given and device != "auto":
        raise ValueError(f"device must be left out with a model object, which stays on its device, got {device!r}")
    source = model.source if given else str(model or weights.DEFAULT)
    own = _own_tokenizer(source, needed=tokenizer is None)
    tokenizer = own if tokenizer is None else tokenizer
    check_has("tokenizer", tokenizer, "a tokenizer of this library", "tokens", "encode")
    if not given:
        model = load_model(model, device)
    if len(tokenizer) > model.config.vocab_size:
        sizes = f"{len(tokenizer)} tokens, the model's vocabulary {model.config.vocab_size}"
        raise ValueError(f"tokenizer must be the model's own, but it has {sizes}. Pass tokenizer=")
    strange = [pair for pair in zip(tokenizer.tokens, own.tokens if own else (), strict=False) if pair[0] != pair[1]]
    if strange:
        theirs, ours = strange[0]
        id = own.tokens.index(ours)
        raise ValueError(f"tokenizer must be that of {source}, where id {id} is {ours!r}, got {theirs!r}")
    return model, tokenizer


def _said_pooling(source):
    """Return the pooling of a sentence model's folder; "mean" if it does not say."""
    folder = None if source is None else weights.as_folder(source)
    path = None if folder is None else folder / "1_Pooling" / "config.json"
    if path is None or not path.is_file():
        return "mean"
    said = [name for name, value in weights.read_json(path).items() if name.startswith("pooling_mode") and value]
    if len(said) != 1 or said[0] not in SAID:
        got = ", ".join(said) or "nothing"
        raise ValueError(f"pooling must be given: {path} says {got}, which is not supported")
    if SAID[said[0]] != "mean":
        warnings.warn(f"pooling is {SAID[said[0]]!r}, as {path} says", stacklevel=3)
    return SAID[said[0]]


def _own_tokenizer(source, needed):
    """Return the tokenizer of a model's name or folder; None if it cannot be found and is not needed."""
    try:
        if source is None:
            raise ValueError("this model was not loaded by a name or from a folder")
        return _kept_tokenizer(source) if source in weights.KNOWN else tokenizer_of(source)
    except ValueError as error:
        if needed:
            raise ValueError(f"tokenizer must be given: {error}. Pass tokenizer=") from error
        return None


@lru_cache(maxsize=4)
def _kept_tokenizer(name):
    """Return a known model's tokenizer, read once: it caches the words that it has cut."""
    return tokenizer_of(name)


def _check_layers(layers, n_layers):
    """Return the layers as a list of numbers from 0 to n_layers, and whether several were asked for."""
    if isinstance(layers, str) and layers == "all":
        return list(range(n_layers + 1)), True
    several = isinstance(layers, Iterable) and not isinstance(layers, str)
    listed = list(layers) if several else [layers]
    allowed = range(-n_layers - 1, n_layers + 1)
    if not listed or not all(layer in allowed and not isinstance(layer, bool) for layer in listed):
        raise ValueError(f'layers must be "all", a list, or a layer from {-n_layers - 1} to {n_layers}, got {layers!r}')
    return [operator.index(layer) % (n_layers + 1) for layer in listed], several


def _ids_of(texts, tokenizer, n_positions):
    """Return the ids of each text, truncated to the model's positions, with one warning if any is."""
    ids, n_cut = cut_ids(texts, tokenizer, n_positions)
    if n_cut:
        what = f"{n_cut} of {len(texts)} texts are truncated to the model's {n_positions} positions"
        warnings.warn(what, stacklevel=3)
    return ids


def _bar(progress, total, done):
    from tqdm.auto import tqdm

    if not progress:
        return tqdm(disable=True)
    return tqdm(total=total, initial=done, desc="embed", unit="text", leave=False)  # TQDM_DISABLE=1 hides it


def _fingerprint(model, work):
    """Return a digest of all that the vectors depend on: the weights, and the ids, pooling and layers in `work`."""
    digest = hashlib.sha256(json.dumps(work).encode())
    for name, tensor in model.state_dict().items():
        digest.update(name.encode())
        digest.update(tensor.contiguous().cpu().view(torch.uint8).numpy())
    return digest.hexdigest()
