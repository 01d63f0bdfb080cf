"""Look at a model's intermediate values by name while it runs, or change them: trace, silence, patch.

Each part of a model takes an argument `keep`, says `keep("weights", A)` where a value is worth a look, and goes on with
what comes back. By default that does `nothing`; a `Trace` writes the value down. So there is one forward pass, the one
that is tested. A `keep` that returns another value is an intervention; `silence` and `patch` make such a `keep`, for
encoders and decoders alike (R 10):

    bert(**encoding.inputs, keep=silence([(2, 5)]))
"""

from collections import defaultdict


def nothing(name, value):
    """Keep nothing, hand the value on: the default for `keep` everywhere.

    >>> nothing("weights", 0.5)
    0.5
    """
    return value


class Trace(dict):
    """The values of one run by name, in the order in which they were computed.

    >>> trace = Trace()
    >>> trace("weights", 0.5)
    0.5
    >>> trace
    {'weights': 0.5}
    """

    def __call__(self, name, value):
        self[name] = value
        return value


def inside(keep, part):
    """The same `keep` for a part of the model: names get the part and a dot in front.

    >>> trace = Trace()
    >>> _ = inside(inside(trace, "layer.0"), "attention")("weights", 0.5)
    >>> list(trace)
    ['layer.0.attention.weights']
    """
    if keep is nothing:
        return nothing
    return lambda name, value: keep(f"{part}.{name}", value)


def silence(heads):
    """A `keep` under which these heads put out 0. heads: pairs (layer, head).

    A head's output (B, n_heads, n, d_k) is its weighted sum of values: 0 there takes its update away, biases of the
    values included; W_O's bias, which belongs to no head, stays. The same as if the head's rows of W_O were 0.

    >>> from tutorial_lib.bert import Bert, Config
    >>> bert = Bert(Config(vocab_size=100, d_model=8, n_layers=1, n_heads=2, d_ff=16))
    >>> (bert([[5, 6]]) == bert([[5, 6]], keep=silence([(0, 1)]))).all()
    tensor(False)
    """
    return _changing(heads, lambda name, value, chosen: value.new_zeros(()))


def patch(heads, other, tokens=slice(None)):
    """A `keep` under which these heads put out what they did in another run. heads: pairs (layer, head).

    other: the `trace` of that run; any dict with "layer.0.attention.heads" and so on will do, of shapes that broadcast
    to (B, n_heads, n, d_k), such as means over texts. tokens: a slice of the places that are changed; others keep their
    own. Raises ValueError, when the model runs, where texts have different numbers of tokens.

    >>> from tutorial_lib.bert import Bert, Config
    >>> bert = Bert(Config(vocab_size=100, d_model=8, n_layers=1, n_heads=2, d_ff=16))
    >>> same = bert([[5, 6]], keep=patch([(0, 1)], bert.trace([[5, 6]])))
    >>> (bert([[5, 6]]) == same).all()
    tensor(True)
    """

    def theirs(name, value, chosen):
        new = other[name].to(value)
        try:
            return new.expand(value.shape)[:, chosen, tokens]
        except RuntimeError:
            got = f"{tuple(new.shape)} for {tuple(value.shape)}"
            raise ValueError(f"other must come from texts with as many tokens, got {got} at {name}") from None

    return _changing(heads, theirs, tokens)


def _changing(heads, new, tokens=slice(None)):
    """A `keep` that puts new(name, value, chosen heads) in the place of what these heads put out."""
    layers = defaultdict(list)
    for layer, head in heads:
        layers[f"layer.{layer}.attention.heads"].append(head)

    def keep(name, value):
        if name not in layers:
            return value
        chosen = layers[name]
        if max(chosen) >= value.shape[1] or min(chosen) < 0:
            raise ValueError(f"heads must lie in 0..{value.shape[1] - 1}, got {max(chosen)} in {name}")
        changed = value.clone()
        changed[:, chosen, tokens] = new(name, value, chosen)
        return changed

    return keep
