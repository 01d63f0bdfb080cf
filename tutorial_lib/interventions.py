"""Change what a head puts out while the model runs: silence it, or give it another text's output. Source: R 10.

A model hands each intermediate value to `keep(name, value)` and goes on with what comes back, see `tutorial_lib.trace`.
A `keep` that returns another value is an intervention; nothing in the model has to know of it. The functions here make
such a `keep`, for encoders and decoders alike:

    bert(**encoding.inputs, keep=silence([(2, 5)]))
"""

from collections import defaultdict


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
