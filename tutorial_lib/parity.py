"""Compare our models with Hugging Face's, value by value at every trace point, and decide what is rounding.

This is the only module of the package that imports transformers, apart from exports. It reads that model's values with
PyTorch's forward hooks, so neither model is changed; values that no module returns, rotated queries and keys, are read
from the function that rotates them. In float64 the other model's own steps through float32 (softmax, RMSNorm, rotation)
are avoided: their rounding would hide what float64 shows. The model must run its plain ("eager") attention, the only
one that computes attention weights: load it with attn_implementation="eager".
"""

import itertools
import math
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode

from tutorial_lib import weights
from tutorial_lib.arguments import needed
from tutorial_lib.attention import scores, shared_heads
from tutorial_lib.bert import Bert, which_layers
from tutorial_lib.gpt import GPT
from tutorial_lib.modernbert import ModernBert
from tutorial_lib.weights.files import read_sections


def _stop_tables():
    """Read weights/stops.txt: kind of model -> our name of a trace point -> [module, which value, maybe which part]."""
    tables = {}
    for title, lines in read_sections(Path(weights.__file__).with_name("stops.txt")).items():
        kind, _, base = title.partition(": ")
        own = {name: place for name, *place in map(str.split, lines)}
        tables[kind] = tables.get(base, {}) | own
    return tables


STOPS = _stop_tables()
# Prefixes of the module's name in models with a head.
PREFIXES = ("", "bert.", "distilbert.", "roberta.", "albert.", "transformer.", "model.decoder.", "decoder.", "model.")
INPUTS = {"ids", "attention_mask", "token_type_ids"}

# The limits of rounding, in units of the last digit. Two correct programs may add in different orders. Measured with
# the default model on eight inputs (written formulas for kernels, sums in another order or in blocks, two versions of
# transformers, float64): at most 157 units in float32 and 10 in bfloat16. Each layer adds its rounding, and the softmax
# multiplies that of the scores by their size: attention weights of the deeper layers are the worst. The limits are 6
# times as much. In bfloat16, with 8 digits, only a gross mistake is larger.
UNITS = {torch.float32: 1024, torch.bfloat16: 64}
STRICT = 1e-10  # the limit in float64, where rounding reaches 1e-12: any mistake is larger, even a small one


@dataclass(frozen=True)
class Difference:
    """The largest |difference| between two arrays, also in units of the last digit; see `difference`."""

    largest: float
    units: float
    dtype: torch.dtype

    @property
    def is_rounding(self):
        """Return whether rounding explains it: at most 1024 units in float32, 64 in bfloat16, or 1e-10 in float64.

        >>> Difference(5e-4, 33.0, torch.float32).is_rounding, Difference(5e-4, 2e10, torch.float64).is_rounding
        (True, False)
        """
        return self.largest <= STRICT if self.dtype == torch.float64 else self.units <= UNITS[self.dtype]


def difference(ours, theirs):
    """Compare two arrays of the same shape, NumPy or torch, on any device: a `Difference`. Equal infinities agree.

    The unit is the spacing of numbers at theirs' largest |value|: in float32 0.0000001 at 1, 0.000015 at 200. If theirs
    is 0 everywhere, it is the spacing just below 1. Of two types the coarser counts, because it did the rounding.
    Raises ValueError if the shapes differ, or if an array is not float32, float64 or bfloat16.

    >>> far = difference(torch.tensor([1.0, 200.0]), torch.tensor([1.0, 200.0 + 2**-16]))
    >>> far.largest == 2**-16, far.units, far.is_rounding
    (True, 1.0, True)
    """
    pair = {"ours": ours, "theirs": theirs}
    for name, array in pair.items():
        try:
            pair[name] = array = torch.as_tensor(array)
        except (TypeError, ValueError, RuntimeError):
            raise TypeError(f"{name} must be an array of numbers, got {array!r:.60}") from None
        if array.dtype not in (torch.float64, *UNITS):
            raise ValueError(f"{name} must be of type float32, float64 or bfloat16, got {array.dtype}")
    ours, theirs = pair.values()
    if ours.shape != theirs.shape:
        raise ValueError(f"ours and theirs must have the same shape, got {tuple(ours.shape)} and {tuple(theirs.shape)}")
    theirs = theirs.to(ours.device)
    dtype = max(ours.dtype, theirs.dtype, key=lambda dtype: torch.finfo(dtype).eps)
    largest = torch.where(ours == theirs, 0.0, (ours - theirs).abs()).max().item()
    size = theirs.where(theirs.isfinite(), 0.0).abs().max().item()
    unit = math.ldexp(torch.finfo(dtype).eps, math.frexp(size)[1] - 1)
    return Difference(largest, largest / unit, dtype)


@dataclass(frozen=True)
class Parity:
    """The `Difference` at each trace point. Printing it gives a table, one row for the same point of all layers."""

    stops: dict[str, Difference]

    @property
    def worst(self):
        """Return (name, difference) of the trace point with the largest difference in units of the last digit.

        >>> near, far = Difference(0.0, 0.0, torch.float32), Difference(1e-6, 8.4, torch.float32)
        >>> Parity({"embeddings.sum": near, "layer.0.output": far}).worst[0]
        'layer.0.output'
        """
        return max(self.stops.items(), key=lambda stop: _badness(stop[1]))

    def check(self):
        """Raise AssertionError if any trace point differs by more than rounding (or is not a number); else return self.

        >>> Parity({"embeddings.sum": Difference(0.5, 4e6, torch.float32)}).check()
        Traceback (most recent call last):
        ...
        AssertionError: 1 of 1 stops differ by more than rounding, first embeddings.sum by 0.5 (4e+06 units)
        """
        beyond = [(name, stop) for name, stop in self.stops.items() if not stop.is_rounding]
        if beyond:
            name, first = beyond[0]
            raise AssertionError(
                f"{len(beyond)} of {len(self.stops)} stops differ by more than rounding, "
                f"first {name} by {first.largest:.2g} ({first.units:.2g} units)"
            )
        return self

    def rows(self):
        """Return (trace point, worst layer or "", difference), one row for each kind of trace point."""
        worst = {}
        for name, apart in self.stops.items():
            layer = re.match(r"layer\.(\d+)\.", name)
            kind = name[layer.end() :] if layer else name
            if kind not in worst or _badness(apart) > _badness(worst[kind][1]):
                worst[kind] = (f"layer {layer[1]}" if layer else "", apart)
        return [(kind, where, apart) for kind, (where, apart) in worst.items()]

    def __str__(self):
        lines = [f"{'stop':26}{'worst at':12}{'max |difference|':>16}{'units of the last digit':>26}"]
        for kind, where, apart in self.rows():
            lines.append(f"{kind:26}{where:12}{apart.largest:16.1e}{apart.units:26,.1f}")
        return "\n".join(lines)

    __repr__ = __str__


def _badness(apart):
    return math.inf if math.isnan(apart.units) else apart.units


def their_model(name, ours):
    """Load the transformers model from our model's files, with the same heads, ready to compare.

    >>> from tutorial_lib.bert import Bert
    >>> type(their_model("book-bert", Bert.from_pretrained("book-bert"))).__name__
    'BertForPreTraining'
    """
    with needed("transformers", "parity"):
        import transformers

    kinds = weights.read_config(name).get("architectures") or ["AutoModel"]
    if isinstance(ours, Bert) and ours.mlm and ours.nsp and "bert" in kinds[0].lower():
        kinds = [kinds[0].partition("For")[0].removesuffix("Model") + "ForPreTraining"]
    kind = getattr(transformers, kinds[0], transformers.AutoModel)
    return kind.from_pretrained(weights.resolve(name), attn_implementation="eager").eval()


@torch.no_grad()
def compare(ours, hf_model, encodings):
    """Run both models on the same encodings and compare every trace point.

    ours: a `Bert`, `GPT`, `Llama` or `ModernBert`. `encodings`: an `Encoding` of the tokenizer (one text or a batch),
    or a dict of ids and, for encoders, attention_mask and (for a `Bert`) token_type_ids. Scores are compared wherever
    attention is allowed; theirs are computed from their queries and keys. A `ModernBert` is compared at real tokens:
    padding that sees none in its window attends to nothing, which the two models treat differently.
    Raises ValueError if the transformers model does not run eager attention, or has a part that ours lacks.

    Example: `compare(Bert.from_hf(hf_model), hf_model, tokenizer.batch(texts)).check()`. Source: L 3.3.2.
    """
    if not isinstance(ours, (Bert, GPT, ModernBert)) or not isinstance(hf_model, torch.nn.Module):
        got = f"{type(ours).__name__} and {type(hf_model).__name__}"
        raise TypeError(f"ours and hf_model must be one of our models and one of transformers, got {got}")
    inputs = getattr(encodings, "inputs", encodings)
    if not isinstance(inputs, dict) or "ids" not in inputs or not set(inputs) <= INPUTS:
        got = list(inputs) if isinstance(inputs, dict) else type(inputs).__name__
        raise TypeError(f"encodings must be an Encoding, or a dict with keys from {sorted(INPUTS)}, got {got}")
    inputs = {name: torch.as_tensor(value) for name, value in inputs.items()}
    inputs = {name: value.reshape(-1, value.shape[-1]) for name, value in inputs.items()}
    if isinstance(ours, GPT):
        inputs = {"ids": inputs["ids"]}  # a decoder's padding changes positions, not these values
    elif not getattr(ours.config, "n_segments", 0):
        inputs.pop("token_type_ids", None)  # DistilBERT and ModernBERT take none
    trace = ours.trace(**inputs)
    same = which_layers(ours.config) if isinstance(ours, Bert) else range(ours.config.n_layers)
    theirs = _hf_values(hf_model, inputs, list(same))
    stops = {}
    for name, value in trace.items():
        if name.endswith(".scores"):
            their_value = torch.where(value == -torch.inf, value, _scores(theirs, name, trace))
        elif name not in theirs:
            why = "ours was loaded from another kind of model, or the stop is missing in weights/stops.txt"
            raise ValueError(f"hf_model has no {name}: {why}")
        elif value.ndim == 4 and theirs[name].ndim == 3:
            their_value = _split(theirs[name], value.shape[-1])
        elif theirs[name].numel() > value.numel():  # OPT computes positions for each text, ours once for all
            their_value = theirs[name]
            value = value.expand(their_value.shape)
        else:
            their_value = theirs[name].reshape(value.shape)
        if isinstance(ours, ModernBert) and "attention_mask" in inputs:
            real = inputs["attention_mask"].bool().to(value.device)  # (B, n)
            value, their_value = (X.movedim(-2, 1)[real] for X in (value, their_value.to(value.device)))
        stops[name] = difference(value, their_value)
    return Parity(stops)


def _scores(theirs, name, trace):
    """Return their scores, from their queries and keys, rotated and shared as in the model."""
    part = name.removesuffix("scores")
    n_heads, _, d_k = trace[part + "queries"].shape[-3:]
    Q = theirs.get(part + "rotated_queries", theirs[part + "queries"])
    K = theirs.get(part + "rotated_keys", theirs[part + "keys"])
    Q, K = (X if X.ndim == 4 else _split(X, d_k) for X in (Q, K))
    return scores(Q, shared_heads(K, n_heads))


def _hf_values(hf_model, inputs, same):
    """Return their values by our names, from forward hooks in one run. same: which layer's weights each layer has."""
    modules = dict(hf_model.named_modules())
    values = {}
    hooks = []
    kind = hf_model.config.model_type
    if kind == "opt" and not hf_model.config.do_layer_norm_before:
        kind = "opt, norm after"
    for name, (path, *where) in STOPS.get(kind, STOPS["bert"]).items():
        for i in range(len(same) if "{i}" in name else 1):
            at = path.format(i=i, last=len(same) - 1, same=same[i])
            module = next((modules[prefix + at] for prefix in PREFIXES if prefix + at in modules), None)
            if module is not None:
                before = same[:i].count(same[i])
                hooks.append(module.register_forward_hook(_catch(values, name.format(i=i), before, *where)))
    device = next(hf_model.parameters()).device
    theirs = {"ids": "input_ids"}
    was_training = hf_model.training
    try:
        with _turnings(hf_model, values), _InFloat64():
            hf_model.eval()(**{theirs.get(k, k): v.to(device) for k, v in inputs.items()}, output_attentions=True)
    finally:
        hf_model.train(was_training)
        for hook in hooks:
            hook.remove()
    return values


@contextmanager
def _turnings(hf_model, values):
    """Record the result of the function that rotates queries and keys by their positions, once for each layer."""
    code = sys.modules[type(hf_model).__module__]
    turn = getattr(code, "apply_rotary_pos_emb", None)
    if turn is None:
        yield
        return
    layer = itertools.count()

    def noted(*args, **named):
        with _InFloat64(casts=True):
            Q, K = turn(*args, **named)
        part = f"layer.{next(layer)}.attention."
        values[part + "rotated_queries"], values[part + "rotated_keys"] = Q, K
        return Q, K

    code.apply_rotary_pos_emb = noted
    try:
        yield
    finally:
        code.apply_rotary_pos_emb = turn


class _InFloat64(TorchFunctionMode):
    """Keep float64 in float64: softmax and `to(torch.float32)` keep it, and `float()` with casts=True.

    Not everywhere: the angles of rotary positions are float32 in each model of transformers, and in ours.
    """

    def __init__(self, casts=False):
        super().__init__()
        self.casts = casts

    def __torch_function__(self, function, types, arguments=(), named=None):
        named = dict(named or {})
        value = arguments[0] if arguments else None
        if torch.is_tensor(value) and value.dtype == torch.float64:
            name = getattr(function, "__name__", "")
            if (name == "to" and arguments[1:] == (torch.float32,)) or (name == "float" and self.casts):
                return value
            if name == "softmax" and named.get("dtype") == torch.float32:
                named["dtype"] = torch.float64
        return function(*arguments, **named)


def _catch(values, name, before, side, part=None):
    calls = itertools.count()

    def hook(module, args, output):
        if next(calls) != before:
            return
        outputs = output if isinstance(output, tuple) else (output,)
        weights = [value for value in outputs[1:] if torch.is_tensor(value)]  # not a cache, as GPT-2 had
        if side == "weights" and not weights:
            remedy = 'load it with attn_implementation="eager"'
            raise ValueError(f"hf_model returns no attention weights: {remedy}")
        value = {"in": args[:1], "out": outputs, "weights": weights}[side][0]
        values[name] = value
        if part is not None:
            which, parts = map(int, part.split("/"))
            values[name] = value.chunk(parts, dim=-1)[which]

    return hook


def _split(X, d_k):
    return X.unflatten(-1, (-1, d_k)).transpose(-3, -2)  # (B, n, h * d_k) -> (B, h, n, d_k)
