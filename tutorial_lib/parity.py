"""Ours against Hugging Face's, stop by stop: the same texts through both models, every value on the way compared.

This is the only module of the package that knows transformers. It reads that model's values with PyTorch's forward
hooks, so nothing in either model is changed. The model must run its plain ("eager") attention, the only one that
computes attention weights: load it with attn_implementation="eager".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from numbers import Real

import torch

from tutorial_lib.attention import scores
from tutorial_lib.bert import Bert

# Where each stop of our trace stands in theirs: (module, "in" or "out"), for {i} = layer number.
STOPS = {
    "embeddings.tokens": ("embeddings.word_embeddings", "out"),
    "embeddings.positions": ("embeddings.position_embeddings", "out"),
    "embeddings.segments": ("embeddings.token_type_embeddings", "out"),
    "embeddings.sum": ("embeddings.LayerNorm", "in"),
    "embeddings.output": ("embeddings.LayerNorm", "out"),
    "layer.{i}.attention.queries": ("encoder.layer.{i}.attention.self.query", "out"),
    "layer.{i}.attention.keys": ("encoder.layer.{i}.attention.self.key", "out"),
    "layer.{i}.attention.values": ("encoder.layer.{i}.attention.self.value", "out"),
    "layer.{i}.attention.weights": ("encoder.layer.{i}.attention.self", "weights"),
    "layer.{i}.attention.heads": ("encoder.layer.{i}.attention.self", "out"),
    "layer.{i}.attention.concat": ("encoder.layer.{i}.attention.output.dense", "in"),
    "layer.{i}.attention.output": ("encoder.layer.{i}.attention.output.dense", "out"),
    "layer.{i}.attention_sum": ("encoder.layer.{i}.attention.output.LayerNorm", "in"),
    "layer.{i}.attention_norm": ("encoder.layer.{i}.attention.output.LayerNorm", "out"),
    "layer.{i}.hidden": ("encoder.layer.{i}.intermediate.dense", "out"),
    "layer.{i}.activation": ("encoder.layer.{i}.intermediate", "out"),
    "layer.{i}.feed_forward": ("encoder.layer.{i}.output.dense", "out"),
    "layer.{i}.feed_forward_sum": ("encoder.layer.{i}.output.LayerNorm", "in"),
    "layer.{i}.output": ("encoder.layer.{i}", "out"),
    "pooler.output": ("pooler", "out"),
    "mlm.logits": ("cls.predictions", "out"),
    "nsp.logits": ("cls.seq_relationship", "out"),
}
INPUTS = {"ids", "attention_mask", "token_type_ids"}


@dataclass(frozen=True)
class Parity:
    """The largest |difference| at each stop. Printing it gives a table, one row for the same stop of all layers."""

    stops: dict[str, float]

    @property
    def worst(self):
        """(name, difference) of the stop where the two models differ most.

        >>> Parity({"embeddings.sum": 0.0, "layer.0.output": 1e-6}).worst
        ('layer.0.output', 1e-06)
        """
        return max(self.stops.items(), key=lambda stop: _badness(stop[1]))

    def check(self, tol):
        """Raise AssertionError where some stop differs by more than tol (or is not a number); else return self.

        >>> Parity({"embeddings.sum": 0.5}).check(1e-5)
        Traceback (most recent call last):
        ...
        AssertionError: 1 of 1 stops differ by more than 1e-05, first embeddings.sum by 0.5
        """
        if not isinstance(tol, Real) or not tol >= 0:
            raise ValueError(f"tol must be a number, 0 or more, got {tol!r}")
        beyond = [(name, difference) for name, difference in self.stops.items() if not difference <= tol]
        if beyond:
            name, difference = beyond[0]
            raise AssertionError(
                f"{len(beyond)} of {len(self.stops)} stops differ by more than {tol:g}, "
                f"first {name} by {difference:.2g}"
            )
        return self

    def rows(self):
        """(stop, worst layer or "", difference), one row for each kind of stop."""
        worst = {}
        for name, difference in self.stops.items():
            layer = re.match(r"layer\.(\d+)\.", name)
            kind = name[layer.end() :] if layer else name
            if kind not in worst or _badness(difference) > _badness(worst[kind][1]):
                worst[kind] = (f"layer {layer[1]}" if layer else "", difference)
        return [(kind, where, difference) for kind, (where, difference) in worst.items()]

    def __str__(self):
        lines = [f"{'stop':26}{'worst at':12}max |difference|"]
        lines += [f"{kind:26}{where:12}{difference:.1e}" for kind, where, difference in self.rows()]
        return "\n".join(lines)

    __repr__ = __str__


def _badness(difference):
    return math.inf if math.isnan(difference) else difference


@torch.no_grad()
def compare(ours, hf_model, encodings):
    """Run both models on the same encodings and compare every stop of the trace.

    `encodings`: an `Encoding` of the tokenizer (one text or a batch), or a dict of ids, attention_mask and
    token_type_ids. Scores are compared where attention is allowed; theirs are computed from their queries and keys.
    Raises ValueError where the transformers model does not run eager attention, or has a part that ours lacks.

    Example: `compare(Bert.from_hf(hf_model), hf_model, tokenizer.batch(texts)).check(2e-5)`. Source: L 3.3.2.
    """
    if not isinstance(ours, Bert) or not isinstance(hf_model, torch.nn.Module):
        got = f"{type(ours).__name__} and {type(hf_model).__name__}"
        raise TypeError(f"ours and hf_model must be a Bert and a model of transformers, got {got}")
    inputs = getattr(encodings, "inputs", encodings)
    if not isinstance(inputs, dict) or "ids" not in inputs or not set(inputs) <= INPUTS:
        got = list(inputs) if isinstance(inputs, dict) else type(inputs).__name__
        raise TypeError(f"encodings must be an Encoding, or a dict with ids out of {sorted(INPUTS)}, got {got}")
    inputs = {name: torch.as_tensor(value) for name, value in inputs.items()}
    inputs = {name: value.reshape(-1, value.shape[-1]) for name, value in inputs.items()}
    trace = ours.trace(**inputs)
    theirs = _hf_values(hf_model, inputs, ours.config.n_layers)
    differences = {}
    for name, value in trace.items():
        if name.endswith(".scores"):
            part = name.removesuffix("scores")
            d_k = trace[part + "queries"].shape[-1]
            their_value = scores(_split(theirs[part + "queries"], d_k), _split(theirs[part + "keys"], d_k))
            their_value = torch.where(value == -torch.inf, value, their_value)
        elif name not in theirs:
            raise ValueError(f"the transformers model has no {name}; ours was loaded from another kind of model")
        else:
            their_value = theirs[name]
        differences[name] = _max_difference(value, their_value)
    return Parity(differences)


def _hf_values(hf_model, inputs, n_layers):
    """Their values by our names, caught by forward hooks during one run."""
    modules = dict(hf_model.named_modules())
    prefix = "bert." if "bert.encoder" in modules else ""
    values, hooks = {}, []
    for name, (path, side) in STOPS.items():
        for i in range(n_layers if "{i}" in name else 1):
            at = path.format(i=i)
            module = modules.get(prefix + at, modules.get(at))
            if module is not None:
                hooks.append(module.register_forward_hook(_catch(values, name.format(i=i), side)))
    device = next(hf_model.parameters()).device
    theirs = {"ids": "input_ids"}
    was_training = hf_model.training
    try:
        hf_model.eval()(**{theirs.get(k, k): v.to(device) for k, v in inputs.items()}, output_attentions=True)
    finally:
        hf_model.train(was_training)
        for hook in hooks:
            hook.remove()
    return values


def _catch(values, name, side):
    def hook(module, args, output):
        outputs = output if isinstance(output, tuple) else (output,)
        if side == "weights" and (len(outputs) < 2 or outputs[1] is None):
            remedy = 'load it with attn_implementation="eager"'
            raise ValueError(f"the transformers model shows no attention weights: {remedy}")
        values[name] = {"in": args[:1], "out": outputs, "weights": outputs[1:]}[side][0]

    return hook


def _split(X, d_k):
    return X.unflatten(-1, (-1, d_k)).transpose(-3, -2)  # (B, n, h * d_k) -> (B, h, n, d_k)


def _max_difference(ours, theirs):
    if theirs.shape != ours.shape and theirs.numel() == ours.numel() and ours.ndim == 4:
        theirs = _split(theirs, ours.shape[-1])
    theirs = theirs.to(ours.device)
    return torch.where(ours == theirs, 0.0, (ours - theirs).abs()).max().item()  # equal infinities differ by 0
