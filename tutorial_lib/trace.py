"""Keep a model's intermediate values by name while it runs, without changing how it runs.

Each part of a model takes an argument `keep` and says `keep("weights", A)` where a value is worth a look. By default
that does `nothing`; a `Trace` writes the value down. So there is one forward pass, the one that is tested.
"""


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
