"""Look at a model's intermediate values by name while it runs, or change them: trace, change, silence, patch.

Each part of a model takes an argument `keep`, calls `keep("weights", A)` at each value of interest, and continues with
the result. By default that does `nothing`; a `Trace` records the value. So there is one forward pass, the tested one. A
`keep` that returns another value is an intervention. `change` makes one for any trace point of any model; `silence` and
`patch`, for heads, are two uses of it (R 10). Six more, with `other = bert.trace(another)`:

    change({"layer.2.attention.output": 0})                                            # set: layer 2 attends to nothing
    change({"layer.2.output": lambda X: X + 3 * direction})                            # add: steer
    change({"layer.*.feed_forward": lambda X: X / 2})                                  # scale, in every layer
    change({"layer.3.output": other["layer.3.output"]})                                # swap: another run's value
    change({"layer.1.attention.heads": lambda H: H.mean(0, keepdim=True)})             # average over the batch
    change({"layer.*.attention.weights": lambda A: (A > 0) / (A > 0).sum(-1, True)})   # attend evenly

Pass each to a run, `bert(encoding, keep=change(...))`, or to a trace of it, `bert.trace(encoding, keep=change(...))`;
several in a list, `keep=[one, another]`, act one after the other.
`bert.trace(encoding, gradients=True)` keeps what `backward()` needs: each value then has its `.grad`.
"""

from collections import defaultdict
from difflib import get_close_matches
from fnmatch import fnmatchcase

from tutorial_lib.arguments import as_flag, check_has, whole_number


def nothing(name, value):
    """Keep nothing and return the value: the default for `keep` everywhere.

    >>> nothing("weights", 0.5)
    0.5
    """
    return value


def _fits(name, pattern):
    """Return whether a name matches this pattern, in which * is any one part between dots.

    >>> _fits("layer.0.output", "layer.*.output"), _fits("layer.0.attention.output", "layer.*.output")
    (True, False)
    """
    parts, wanted = name.split("."), pattern.split(".")
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


class Values(dict):
    """Values by name, in the order in which they were computed. Printing it shows their shapes.

    >>> values = Values({"layer.0.output": 0.5})
    >>> values["layer.0.outputs"]
    Traceback (most recent call last):
    ...
    KeyError: "no value is called 'layer.0.outputs'. Similar names: layer.0.output"
    """

    def __init__(self, values=None):
        values = {} if values is None else values
        check_has("values", values, "a dictionary of names and values", "items")
        super().__init__(values)

    def __missing__(self, name):
        raise KeyError(f"no value is called {name!r}. Similar names: {_near(str(name), self)}")

    def __repr__(self):
        width = max(map(len, self), default=0)
        return "\n".join(f"{name:{width}}  {tuple(getattr(value, 'shape', ()))}" for name, value in self.items())


class Trace(Values):
    """A `keep` that records values.

    change: the `keep` of an intervention; its result is recorded. gradients: values keep their gradients, so that after
    a loss's `backward()` each has its `.grad`. only: a name or a pattern such as "layer.*.output", or several; None
    keeps everything. A repeated name replaces the earlier value: of `generate`, the last step remains. To keep all
    steps, pass a function that collects, here one value of each:

        steps = []
        generate(gpt, ids, 5, keep=lambda name, X: steps.append(X) or X if name == "layer.2.output" else X)

    >>> trace = Trace()
    >>> trace("weights", 0.5)
    0.5
    >>> dict(trace)
    {'weights': 0.5}
    """

    def __init__(self, change=nothing, gradients=False, only=None):
        super().__init__()
        self.changes = _as_list(change)
        self.change = _in_turn(self.changes)
        self.gradients = as_flag("gradients", gradients)
        self.only = [only] if isinstance(only, str) else only
        self.seen = []

    def __call__(self, name, value):
        self.seen.append(name)
        value = self.change(name, value)
        if self.only is None or any(_fits(name, pattern) for pattern in self.only):
            self[name] = value
            if self.gradients and value.requires_grad:
                value.retain_grad()
        return value


def traced(run, keep=nothing, gradients=False, only=None):
    """Return the `Values` of a run, a function of its `keep`. The other arguments are those of `Trace`.

    Raises ValueError if a pattern of `only` matches no value of this run.

    >>> traced(lambda keep: keep("weights", 0.5))
    weights  ()
    """
    import torch

    if only is not None and not (isinstance(only, (str, list, tuple)) and all(isinstance(each, str) for each in only)):
        raise TypeError(f"only must be a name or a pattern such as 'layer.*.output', or several, got {only!r:.60}")
    trace = Trace(keep, gradients, only)
    with torch.set_grad_enabled(gradients):
        run(trace)
    _check_names("only", trace.only or (), trace.seen)
    return Values(trace)


def inside(keep, part):
    """Return the same `keep` for a part of the model: names get the part and a dot in front.

    >>> trace = Trace()
    >>> _ = inside(inside(trace, "layer.0"), "attention")("weights", 0.5)
    >>> list(trace)
    ['layer.0.attention.weights']
    """
    if keep is nothing:
        return nothing
    check_has("keep", keep, "a function of a name and a value", "__call__")
    return lambda name, value: keep(f"{part}.{name}", value)


class Change:
    """A `keep` that changes values; `change` makes it."""

    def __init__(self, stops):
        self.stops = stops

    def __call__(self, name, value):
        for pattern, new in self.stops.items():
            if _fits(name, pattern):
                value = _fitted(name, value, new(value.clone()) if callable(new) else new)
        return value


def change(stops):
    """Return a `keep` that replaces the values of these names, in any model that takes `keep`.

    stops: a dict from a value's name, as in the model's `trace`, or a pattern such as "layer.*.output", in which * is
    any one part between dots, to its replacement: a function from the value to the new one, or the new value itself (a
    number, an array or a tensor). Either way it broadcasts to the value's shape. The function may edit its argument,
    which is a copy; the replacement is copied, too. Gradients flow through it. Replacements are applied one after the
    other, in the dict's order.

    Raises TypeError if stops is not such a dict; when the model runs, ValueError for names that this run does not have
    (with fused=True there are no scores and weights), and for values that do not fit.

    >>> from tutorial_lib.bert import Bert, Config
    >>> bert = Bert(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
    >>> half = bert([[5, 6]], keep=change({"layer.0.output": lambda X: X / 2}))
    >>> (bert([[5, 6]], keep=change({"layer.*.output": 0})) == 0).all()
    tensor(True)

    To patch one token's residual stream, replace it by its value in another run:

    >>> other = bert.trace([[5, 7]])
    >>> def put(X):
    ...     X[:, 1] = other["layer.0.output"][:, 1]  # token 1 of each text
    ...     return X
    >>> patched = bert.trace([[5, 6]], keep=change({"layer.0.output": put}))["layer.0.output"]
    >>> (patched[:, 1] == other["layer.0.output"][:, 1]).all(), (patched[:, 0] == other["layer.0.output"][:, 0]).all()
    (tensor(True), tensor(False))
    """
    if not isinstance(stops, dict) or not all(isinstance(name, str) for name in stops):
        raise TypeError(f"stops must be a dict from names to new values or functions, got {stops!r:.60}")
    return Change(stops)


def checked(keep, run):
    """Return the `keep` that a run calls: one function, even for several in a list. It must return a value.

    Rejects a `change` of names that the model does not have: it would change nothing, and look like a result. run: the
    model on one token, with another `keep`.
    """
    import torch

    every = keep.changes if isinstance(keep, Trace) else _as_list(keep)
    if any(isinstance(one, Change) for one in every):
        seen = Trace(only=())
        with torch.no_grad():
            run(seen)
        for one in every:
            _check_names("stops", getattr(one, "stops", ()), seen.seen)
    return keep if keep is nothing or isinstance(keep, Trace) else _in_turn(every)


def _as_list(keep):
    """Return the functions in a `keep`."""
    return list(keep) if isinstance(keep, (list, tuple)) else [keep]


def _in_turn(keeps):
    """Return one `keep` that calls several, each with the result of the one before."""
    keeps = [keep for keep in keeps if keep is not nothing]
    for keep in keeps:
        check_has("change, or keep,", keep, "a function of a name and a value, or several in a list", "__call__")

    def one_after_the_other(name, value):
        for keep in keeps:
            value = keep(name, value)
            if value is None:
                raise TypeError(f"keep must return the value or its replacement, got None at {name!r}")
        return value

    return one_after_the_other


def _check_names(argument, patterns, names):
    """Reject a name or a pattern that matches none of these names."""
    for pattern in patterns:
        if not any(_fits(name, pattern) for name in names):
            near = _near(pattern, names)
            raise ValueError(f"{argument} must match a value of this run, got {pattern!r}. Similar names: {near}")


def _near(name, names):
    return ", ".join(get_close_matches(name, names, 3, 0))


def silence(heads):
    """Return a `keep` that sets the output of these heads to 0. heads: pairs (layer, head).

    A head's output (B, n_heads, n, d_k) is its weighted sum of values: 0 removes its update, including the biases of
    the values; W_O's bias, which belongs to no head, stays. The result is the same as with the head's rows of W_O set
    to 0. Raises ValueError if heads are not pairs and, when the model runs, for layers and heads that it does not have.

    >>> from tutorial_lib.bert import Bert, Config
    >>> bert = Bert(Config(vocab_size=100, d_model=8, n_layers=1, n_heads=2, d_ff=16))
    >>> (bert([[5, 6]]) == bert([[5, 6]], keep=silence([(0, 1)]))).all()
    tensor(False)
    """
    return _at_heads(heads, lambda name: lambda value, head: value.new_zeros(()))


def patch(heads, other, tokens=slice(None)):
    """Return a `keep` that gives these heads their output from another run. heads: pairs (layer, head).

    other: the `trace` of that run; any dict with "layer.0.attention.heads" and so on is accepted, with shapes that
    broadcast to (B, n_heads, n, d_k), such as means over texts. tokens: the positions to change in each head, a slice
    or a list; others keep their own. Raises as `silence` does, and ValueError if other lacks a layer or, when the model
    runs, if texts have different numbers of tokens.

    >>> from tutorial_lib.bert import Bert, Config
    >>> bert = Bert(Config(vocab_size=100, d_model=8, n_layers=1, n_heads=2, d_ff=16))
    >>> same = bert([[5, 6]], keep=patch([(0, 1)], bert.trace([[5, 6]])))
    >>> (bert([[5, 6]]) == same).all()
    tensor(True)
    """

    check_has("other", other, "the trace of a run, a dict", "keys")

    def theirs(name):
        if name not in other:
            raise ValueError(f"other must contain {name!r}, as the trace of a run, got {', '.join(list(other)[:3])}")

        def new(value, head):
            put = other[name].to(value)
            try:
                return put.expand(value.shape)[:, head, tokens]
            except RuntimeError:
                got = f"{tuple(put.shape)} for {tuple(value.shape)}"
                raise ValueError(f"other must come from texts with equally many tokens, got {got} at {name}") from None

        return new

    if not isinstance(tokens, (slice, int)):
        check_has("tokens", tokens, "a slice, or numbers of places", "__iter__")
        places = tokens.tolist() if hasattr(tokens, "tolist") else list(tokens)
        masks = all(isinstance(place, bool) for place in places)
        tokens = [i if masks else whole_number("tokens", i, 0, "numbers of places, 0 or more") for i in places]
    return _at_heads(heads, theirs, tokens)


def _at_heads(heads, new_at, tokens=slice(None)):
    """Return the `change` that replaces each of these heads' outputs by new_at(stop)(value, head)."""
    check_has("heads", heads, "pairs (layer, head), each 0 or more", "__iter__")
    layers = defaultdict(list)
    for pair in heads:
        if not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"heads must be pairs (layer, head), each 0 or more, got {pair!r:.60}")
        layer, head = (whole_number("heads", number, 0, "pairs (layer, head), each 0 or more") for number in pair)
        layers[f"layer.{layer}.attention.heads"].append(head)

    def at(name, chosen):
        new = new_at(name)

        def with_new(value):
            if max(chosen) >= value.shape[1]:
                raise ValueError(f"heads must be in 0..{value.shape[1] - 1}, got {max(chosen)} in {name}")
            for head in chosen:  # one by one: two lists of indices would be taken as pairs
                value[:, head, tokens] = new(value, head)
            return value

        return with_new

    return change({name: at(name, chosen) for name, chosen in layers.items()})


def _fitted(name, value, new):
    """Return the replacement of a value: a copy with its shape and type, on its device."""
    import torch

    try:
        return torch.as_tensor(new, dtype=value.dtype, device=value.device).clone().expand(value.shape)
    except (TypeError, ValueError, RuntimeError):
        got = f"shape {tuple(new.shape)}" if hasattr(new, "shape") else repr(new)[:60]
        raise ValueError(f"the new value of {name} must broadcast to shape {tuple(value.shape)}, got {got}") from None
