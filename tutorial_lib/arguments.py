"""Checks of arguments: an error says the argument's name, what came, and what is allowed."""

import math
import operator
import re
from collections.abc import Iterable


def whole_number(name, value, least, allowed, most=math.inf):
    """The value as an int, if it is a whole number from least to most (NumPy's and torch's will do, True will not).

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


def check_text(name, text):
    """The text itself, once it is known to be one.

    A lone surrogate, half of a UTF-16 pair such as ``"\\ud83d"``, is in no text: it has no UTF-8 bytes, and Hugging
    Face's tokenizers 0.23 refuse it too (0.19 read it as U+FFFD). Raises TypeError or ValueError, by name.

    >>> check_text("text", "a bear")
    'a bear'
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, got {type(text).__name__}")
    half = re.search("[\ud800-\udfff]", text)
    if half:
        where = f"U+{ord(half[0]):04X} at position {half.start()}"
        raise ValueError(f"{name} must hold whole characters, got a lone surrogate, {where}")
    return text


def check_texts(name, texts, least=1):
    """The texts as a list, once they are known to be `least` or more; one str is no list. Raises as `check_text` does.

    >>> check_texts("texts", ("a bear", "two bears"))
    ['a bear', 'two bears']
    """
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Iterable):
        raise TypeError(f"{name} must be a list of str, got {type(texts).__name__}")
    checked = [check_text(f"{name}[{number}]", text) for number, text in enumerate(texts)]
    if len(checked) < least:
        raise ValueError(f"{name} must hold at least one text, got none")
    return checked


def as_ids(name, ids, size, of_what, device=None, shape=None):
    """Whole numbers from 0 to size - 1 as a tensor (B, n); lists, arrays, tensors, one text without its axis will do.

    shape: the one that they must have. Raises TypeError and ValueError by name.

    >>> as_ids("ids", [5, 6], 10, "the vocabulary")
    tensor([[5, 6]])
    """
    import torch

    try:
        tensor = torch.as_tensor(ids, device=device)
    except (TypeError, ValueError, RuntimeError) as error:  # ragged lists, None, texts
        raise ValueError(f"{name} must be whole numbers in rows of one length, got {ids!r:.60}") from error
    if tensor.numel() and (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
        raise TypeError(f"{name} must be whole numbers, got {tensor.dtype}")
    tensor = torch.atleast_2d(tensor.long())
    if shape is not None and tensor.shape != shape:
        raise ValueError(f"{name} must have one number a token, shape {tuple(shape)}, got {tuple(tensor.shape)}")
    if tensor.ndim != 2 or not tensor.numel():
        raise ValueError(f"{name} must have shape (texts, tokens) with at least one of each, got {tuple(tensor.shape)}")
    low, high = tensor.aminmax()
    if low < 0 or high >= size:
        raise ValueError(f"{name} must lie in 0..{size - 1} ({of_what}), got {low if low < 0 else high}")
    return tensor


def as_attention_mask(name, mask, shape, device=None, empty=False):
    """A tokenizer's 1s (tokens) and 0s (padding) as bool of this shape; None stays None. empty: a text may lack tokens.

    Numbers of any kind and bool will do, as long as they are 1 and 0: what is added to scores, 0 and -inf, is refused.

    >>> as_attention_mask("attention_mask", [1.0, 0.0], (1, 2))
    tensor([[ True, False]])
    """
    import torch

    if mask is None:
        return None
    if hasattr(mask, "astype") or torch.is_tensor(mask):
        mask = torch.as_tensor(mask)
        whole = mask == mask.bool()  # float 1s and 0s are as good
        mask = mask.bool() if whole.all() else mask
    real = as_ids(name, mask, 2, "1 a token, 0 padding", device, shape).bool()
    if not empty and not real.any(-1).all():
        raise ValueError(f"{name} marks every token of some text as padding; each text needs one token")
    return real


def inputs_of(ids, attention_mask=None, token_type_ids=None):
    """A model's inputs, (ids, attention_mask, token_type_ids), where a tokenizer's `Encoding` may stand for all three.

    >>> inputs_of([5, 6])
    ([5, 6], None, None)
    """
    if not hasattr(ids, "token_type_ids"):
        return ids, attention_mask, token_type_ids
    if attention_mask is not None or token_type_ids is not None:
        raise ValueError("attention_mask and token_type_ids must be left out beside an Encoding, which has its own")
    return ids.ids, ids.attention_mask, ids.token_type_ids


def check_attention(Q, K, V, mask):
    """Refuse queries, keys, values and a mask that do not fit together. Errors as in `attention.attention`."""
    import torch

    try:
        in_front = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
        fit = Q.shape[-1] == K.shape[-1] and K.shape[-2] == V.shape[-2]
    except RuntimeError:
        fit = False
    if not fit:
        shapes = f"{tuple(Q.shape)}, {tuple(K.shape)} and {tuple(V.shape)}"
        raise ValueError(f"Q, K and V must be (..., n_q, d_k), (..., n_k, d_k) and (..., n_k, d_v), got {shapes}")
    if mask is not None:
        _check_mask(mask, (*in_front, Q.shape[-2], K.shape[-2]))


def _check_mask(mask, shape):
    import torch

    if mask.dtype != torch.bool:
        raise TypeError(f"mask must be boolean (True: may attend), got {mask.dtype}; write mask.bool() for 1s and 0s")
    if mask.ndim > len(shape) or any(a not in (1, b) for a, b in zip(mask.shape[::-1], shape[::-1])):
        raise ValueError(f"mask must broadcast to (..., n_q, n_k), here {shape}, got {tuple(mask.shape)}")
    if not mask.any(-1).all():
        raise ValueError("mask lets some query attend to nothing at all: each row needs at least one True")
