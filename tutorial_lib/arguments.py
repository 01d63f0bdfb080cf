"""Checks of arguments: an error names the argument, says what is allowed, and what it got."""

import functools
import math
import numbers
import operator
import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Set, Sized
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

# Types of arguments that are accepted in many forms, loosely typed so that neither NumPy nor torch loads for them.
Numbers = Collection  # a list, an array or a tensor, of any shape
Ids = Sized  # the same with whole numbers, or an encoding, which has a mask next to its ids: see `inputs_of`


def whole_number(name, value, least, allowed, most=math.inf):
    """Return the value as an int if it is a whole number from least to most (also NumPy's and torch's; not True).

    Raises ValueError: "NAME must be ALLOWED, got VALUE".

    >>> whole_number("n", 3, 0, "a number of tokens (an int, 0 or more)")
    3
    """
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise ValueError(f"{name} must be {allowed}, got {value!r:.60}")
    return number


def real_number(name, value, allowed, least=-math.inf, most=math.inf):
    """Return the value as a float if it is a number from least to most (NaN and True are not).

    Raises ValueError: "NAME must be ALLOWED, got VALUE".

    >>> real_number("level", 0.95, "between 0 and 1", 0, 1)
    0.95
    """
    number = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    if not least <= number <= most:
        raise ValueError(f"{name} must be {allowed}, got {value!r:.60}")
    return number


def check_sizes(**sizes):
    """Reject, by name, any size that is not a whole number of 1 or more. Raises as `whole_number` does.

    >>> check_sizes(d_model=384, n_heads=12)
    """
    for name, size in sizes.items():
        whole_number(name, size, 1, "a size (an int, 1 or more)", 2**31)


def even_width(name, width):
    """Return the number of coordinates, which come in pairs, if it is even and 2 or more. Raises ValueError by name.

    >>> even_width("d_model", 64)
    64
    """
    allowed = "an even number, 2 or more (a sine and a cosine per pair)"
    number = whole_number(name, width, 2, allowed, 2**20)
    if number % 2:
        raise ValueError(f"{name} must be {allowed}, got {width!r}")
    return number


def positive(name, value):
    """Return the value as a float if it is a finite number above 0. Raises as `real_number` does.

    >>> positive("temperature", 1)
    1.0
    """
    return real_number(name, value, "a positive number", math.ulp(0.0), sys.float_info.max)


def check_seed(name, seed):
    """Return the seed of a random number generator as an int, 0 or more. Raises as `whole_number` does.

    >>> check_seed("seed", 0)
    0
    """
    return whole_number(name, seed, 0, "a seed (an int, 0 or more)", 2**63 - 1)


def check_tensors(**values):
    """Reject anything but a torch tensor of floating-point numbers with at least one axis, by name: TypeError.

    >>> import torch
    >>> check_tensors(Q=torch.ones(2, 3))
    """
    import torch

    for name, value in values.items():
        if not torch.is_tensor(value) or not value.is_floating_point() or not value.ndim:
            got = f"{value.dtype} with {value.ndim} axes" if torch.is_tensor(value) else type(value).__name__
            raise TypeError(f"{name} must be a float tensor with at least one axis, got {got}")


def largest_score(name, scores, dim):
    """Return each row's largest score. Raises ValueError by name if one is NaN or infinite, or a row is all -inf.

    >>> import torch
    >>> largest_score("z", torch.tensor([3.0, 4.0]), -1)
    tensor([4.])
    """
    largest = scores.amax(dim, keepdim=True)
    wrong = largest[~largest.isfinite()]
    if wrong.numel():
        raise ValueError(f"{name} must contain numbers or -inf, with a number in each row, got {wrong[0].item()}")
    return largest


def divisor(temperature, dtype):
    """Return the temperature to divide scores of this float type by, slightly raised if the type would round it to 0.

    >>> import torch
    >>> divisor(0.5, torch.float16)
    0.5
    """
    import torch

    divided_in = torch.promote_types(dtype, torch.float32)  # half precision divides in float32
    return max(positive("temperature", temperature), torch.finfo(divided_in).tiny)


def wide(x):
    """Return the tensor in float32 if its type is narrower: in float16, squares and sums above 65,504 overflow.

    >>> import torch
    >>> wide(torch.tensor([300.0], dtype=torch.float16)).square()
    tensor([90000.])
    """
    import torch

    return x.to(torch.promote_types(x.dtype, torch.float32))


def check_has(name, value, what, *attributes):
    """Reject an object that lacks one of these attributes, by name: TypeError.

    >>> check_has("text", "a bear", "a text", "split")
    """
    if isinstance(value, type) or not all(hasattr(value, attribute) for attribute in attributes):
        raise TypeError(f"{name} must be {what}, got {type(value).__name__}")


def as_flag(name, value):
    """Return True or False, also for NumPy's booleans. Raises TypeError by name.

    >>> as_flag("normalize", True)
    True
    """
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"{name} must be True or False, got {value!r:.60}")
    return bool(value)


def check_path(name, path):
    """Return the path if it is a str or a `Path`; ~ is expanded to the home folder. Raises TypeError by name.

    >>> check_path("folder", "models").name
    'models'
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name} must be the name of a file or a folder, got {path!r:.60}")
    return Path(path).expanduser()


def check_config(config, from_0=()):
    """Reject a configuration whose numbers give no valid shape: each int must be 1 or more, those in from_0 may be 0.

    A field whose default is None may be None; floats are 0 or more. Raises ValueError by the field's name.

    >>> from tutorial_lib.bert import Config
    >>> check_config(Config())
    """
    for field in fields(config):
        value, kind = getattr(config, field.name), str(field.type)
        if value is None and field.default is None:
            continue
        if "int" in kind:
            least = 0 if field.name in from_0 else 1
            whole_number(field.name, value, least, f"a whole number, {least} or more", 2**31)
        elif field.name == "eps":  # added to a variance
            real_number("eps", value, "a number from 0 to 1", 0, 1)
        elif "float" in kind:
            real_number(field.name, value, "a number, 0 or more", 0)
        elif "bool" in kind and not isinstance(value, bool):
            raise ValueError(f"{field.name} must be True or False, got {value!r:.60}")


def one_of(name, value, choices):
    """Return the value if it is one of the choices. Raises ValueError by name.

    >>> one_of("pooling", "mean", ("cls", "mean"))
    'mean'
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r:.60}")
    return value


def check_text(name, text):
    """Return the text if it is a valid str. Raises TypeError or ValueError, by name.

    A lone surrogate, half of a UTF-16 pair such as ``"\\ud83d"``, is not part of any text: it has no UTF-8 bytes.

    >>> check_text("text", "a bear")
    'a bear'
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, got {type(text).__name__}")
    half = re.search("[\ud800-\udfff]", text)
    if half:
        where = f"U+{ord(half[0]):04X} at position {half.start()}"
        raise ValueError(f"{name} must be valid Unicode, got an unpaired surrogate, {where}")
    return text


def check_texts(name, texts, least=1):
    """Return the texts as a list if there are `least` or more; a str is not accepted. Raises as `check_text` does.

    >>> check_texts("texts", ("a bear", "two bears"))
    ['a bear', 'two bears']
    """
    if isinstance(texts, (str, bytes, Mapping, Set)) or not isinstance(texts, Iterable):  # a set has no order
        raise TypeError(f"{name} must be a list of str, got {type(texts).__name__}")
    checked = [check_text(f"{name}[{number}]", text) for number, text in enumerate(texts)]
    if len(checked) < least:
        raise ValueError(f"{name} must contain at least one text, got none")
    return checked


def if_texts(ids):
    """Return the end of a message about ids: what to do if they are texts.

    >>> if_texts(["a bear"]), if_texts([1.5])
    ('. Tokenize texts first', '')
    """
    while isinstance(ids, (list, tuple)) and ids:
        ids = ids[0]
    return ". Tokenize texts first" if isinstance(ids, str) else ""


def as_ids(name, ids, size, of_what, device=None, shape=None):
    """Return whole numbers from 0 to size - 1 as a tensor (B, n), from lists, arrays or tensors (B, n) or (n,).

    shape: the shape they must have. Raises TypeError and ValueError by name.

    >>> as_ids("ids", [5, 6], 10, "the vocabulary")
    tensor([[5, 6]])
    """
    import torch

    try:
        tensor = torch.as_tensor(ids, device=device)
    except (TypeError, ValueError, RuntimeError) as error:  # ragged lists, None, texts
        got = f"{ids!r:.60}{if_texts(ids)}"
        raise ValueError(f"{name} must be rows of whole numbers, all of the same length, got {got}") from error
    if tensor.numel() and (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        raise TypeError(f"{name} must be whole numbers, got {tensor.dtype}")
    tensor = torch.atleast_2d(tensor.long())
    if shape is not None and tensor.shape != shape:
        raise ValueError(f"{name} must have one number per token, shape {tuple(shape)}, got {tuple(tensor.shape)}")
    if tensor.ndim != 2 or not tensor.numel():
        raise ValueError(f"{name} must have shape (texts, tokens) with at least one of each, got {tuple(tensor.shape)}")
    low, high = tensor.aminmax()
    if low < 0 or high >= size:
        raise ValueError(f"{name} must be in 0..{size - 1} ({of_what}), got {low if low < 0 else high}")
    return tensor


def as_attention_mask(name, mask, shape=None, device=None, empty=True):
    """Return a tokenizer's 1s (tokens) and 0s (padding) as bool; None stays None. empty=False: each text needs a token.

    Any numeric type and bool are accepted if the values are 1 and 0; masks to be added to scores, 0 and -inf, are not.
    shape: the shape it must have; a single text may come without its axis.

    >>> as_attention_mask("attention_mask", [1.0, 0.0], (1, 2))
    tensor([[ True, False]])
    """
    import torch

    if mask is None and shape is not None:
        return None
    try:
        mask = torch.as_tensor(mask, device=device)
    except (TypeError, ValueError, RuntimeError):
        raise ValueError(f"{name} must be rows of 1 (token) and 0 (padding), of one length, got {mask!r:.60}") from None
    if not mask.ndim or (mask != mask.bool()).any():
        raise ValueError(f"{name} must contain only 1 (token) and 0 (padding), got {mask.unique().tolist()!s:.60}")
    if shape is None:
        return mask.bool()
    real = as_ids(name, mask.bool(), 2, "1 for a token, 0 for padding", device, shape).bool()
    if not empty and not real.any(-1).all():
        raise ValueError(f"{name} marks a whole text as padding. Each text needs at least one token")
    return real


def without_padding(prompts, attention_mask):
    """Return lists of ids without padding. attention_mask: 1 for a token, 0 for padding; None: there is no padding.

    >>> without_padding([[5, 6], [7, 0]], [[1, 1], [1, 0]])
    [[5, 6], [7]]
    """
    if attention_mask is None:
        return prompts
    lengths = sorted(set(map(len, prompts)))
    if len(lengths) > 1:
        raise ValueError(f"attention_mask needs prompts padded to one length, got ids with {lengths} tokens")
    real = as_attention_mask("attention_mask", attention_mask, (len(prompts), lengths[0]), empty=False).tolist()
    return [[id for id, kept in zip(*pair, strict=True) if kept] for pair in zip(prompts, real, strict=True)]


def check_id_lists(name, texts):
    """Return the lengths of texts as lists of ids, if there is at least one text and none is empty.

    >>> check_id_lists("texts", [[5, 6, 7], [8]])
    [3, 1]
    """
    try:
        lengths = [len([operator.index(id) for id in text]) for text in texts]
    except TypeError:
        raise TypeError(f"{name} must be lists of ids, got {texts!r:.60}{if_texts(texts)}") from None
    if not lengths or not min(lengths):
        raise ValueError(f"{name} must contain at least one list, and no empty list, got lengths {lengths[:10]}")
    return lengths


def inputs_of(ids, attention_mask=None, token_type_ids=None):
    """Return a model's inputs, (ids, attention_mask, token_type_ids); one encoding may take the place of all three.

    An encoding is our `Encoding`, one of tokenizers, or what a tokenizer of transformers returns, a dictionary with
    input_ids.

    >>> inputs_of([5, 6])
    ([5, 6], None, None)
    >>> inputs_of({"input_ids": [[5, 6]], "attention_mask": [[1, 1]]})
    ([[5, 6]], [[1, 1]], None)
    """
    if isinstance(ids, Mapping):
        given = dict(ids)
        found = given.pop("input_ids", None)
        own = given.pop("attention_mask", None), given.pop("token_type_ids", None)
        if found is None or given:
            must = "must have input_ids, and may only add attention_mask and token_type_ids"
            raise ValueError(f"ids, as a dictionary, {must}, got {', '.join(map(str, ids)) or 'nothing'}")
    elif hasattr(ids, "attention_mask") and hasattr(ids, "ids"):
        found = ids.ids
        own = ids.attention_mask, ids.token_type_ids if hasattr(ids, "token_type_ids") else ids.type_ids
    else:
        return ids, attention_mask, token_type_ids
    if attention_mask is not None or token_type_ids is not None:
        raise ValueError("attention_mask and token_type_ids must be left out with an encoding, which contains both")
    return found, *own


def also_input_ids(method):
    """Let a method's argument `ids` also be called `input_ids`, as transformers calls it: `model(**encoding)`.

    >>> class Model:
    ...     @also_input_ids
    ...     def __call__(self, ids):
    ...         return ids
    >>> Model()(input_ids=[5, 6])
    [5, 6]
    """

    @functools.wraps(method)
    def with_either_name(self, *args, **named):
        if "input_ids" in named:
            if args or "ids" in named:
                raise TypeError("ids must be given once, got both ids and input_ids")
            named["ids"] = named.pop("input_ids")
        return method(self, *args, **named)

    return with_either_name


@contextmanager
def needed(package, what):
    """Say which package is needed, and how to install it, if an import in this block fails.

    >>> with needed("umap-learn", "UMAP"):
    ...     import no_such_module
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: UMAP needs the package umap-learn: pip install umap-learn
    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{what} needs the package {package}: pip install {package}"
        raise ModuleNotFoundError(message, name=error.name) from error


def check_cache(cache, n_layers):
    """Return how many tokens a cache of keys and values contains; 0 for None. Raises ValueError if invalid.

    >>> import torch
    >>> check_cache([(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4))], n_layers=1)
    3
    """
    import torch

    if cache is None:
        return 0
    try:
        own = [layer if torch.is_tensor(layer[0]) else layer[0] for layer in cache]  # else: also the source's
        lengths = {K.shape[-2] for K, V in own if K.shape == V.shape}
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        own, lengths = [], ()
    if len(own) != n_layers or len(lengths) != 1:
        raise ValueError(f"cache must be what an earlier call returned, for {n_layers} layers, got {cache!r:.60}")
    return lengths.pop()


def check_groups(n_heads, n_kv_heads):
    """Reject query heads that cannot share key and value heads evenly. Raises ValueError by name.

    >>> check_groups(6, 2)
    """
    check_sizes(n_heads=n_heads, n_kv_heads=n_kv_heads)
    if n_heads % n_kv_heads:
        raise ValueError(f"n_heads must be a multiple of n_kv_heads, {n_kv_heads}, got {n_heads}")


def check_attention(Q, K, V, mask, keep=print):
    """Reject queries, keys, values and a mask that do not fit together. Errors as in `attention.attention`."""
    import numpy as np

    check_has("keep", keep, "a function", "__call__")
    check_tensors(Q=Q, K=K, V=V)
    try:
        in_front = np.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])  # torch's imports SymPy, 30 MB
        fit = Q.shape[-1] == K.shape[-1] and K.shape[-2] == V.shape[-2] > 0
    except (ValueError, IndexError):
        fit = False
    if not fit:
        shapes = f"{tuple(Q.shape)}, {tuple(K.shape)} and {tuple(V.shape)}"
        raise ValueError(f"Q, K and V must be (..., n_q, d_k), (..., n_k, d_k) and (..., n_k, d_v), got {shapes}")
    if mask is not None:
        _check_mask(mask, (*in_front, Q.shape[-2], K.shape[-2]))


def _check_mask(mask, shape):
    import torch

    if not torch.is_tensor(mask):
        raise TypeError(f"mask must be a boolean tensor (True: may attend), got {type(mask).__name__}")
    if mask.dtype != torch.bool:
        raise TypeError(f"mask must be boolean (True: may attend), got {mask.dtype}. Convert it with mask.bool()")
    if mask.ndim > len(shape) or any(a not in (1, b) for a, b in zip(mask.shape[::-1], shape[::-1])):
        raise ValueError(f"mask must broadcast to (..., n_q, n_k), here {shape}, got {tuple(mask.shape)}")
    if not mask.any(-1).all():
        raise ValueError("mask has a row without True, so a query attends to nothing. Each row needs at least one True")
