"""A word's path along the axis, and how it changes if words are hidden, heads mute, or a word hears something else."""

from functools import cache, cached_property, partial

import numpy as np
import torch

from tutorial_book.experiments.which import STRIP
from tutorial_book.experiments.which.axis import axis_between, left_out, place_of, states
from tutorial_book.experiments.which.sentences import words
from tutorial_lib.trace import change


def decided(x):
    """Return the layer in which a sentence is decided, 1, 2, ..., or None.

    x: (n_layers + 1,), where the word ends if it listens in the first 0, 1, ... layers, as `Uses.heard` has it. The
    layer is the first after which the word may stop listening and still end outside the strip, on the side where it
    ends if it hears everything. The same must be true of every later layer.
    """
    outside = np.sign(x[-1]) * np.asarray(x) > STRIP
    until = len(x) - outside[::-1].argmin() if not outside.all() else 0
    return max(1, int(until)) if outside[-1] else None


class Uses:
    """Uses of a word in two senses, the axis between these, and what happens to it in other sentences.

    first, second: sentences of each sense, 2 or more, that contain the word once, as one token. A path is (depths, 2):
    (x, z) after 0, 1, ... layers. A changed sentence has one path for each change. Raises ValueError if the sentences
    are fewer, lack the word, or do not differ.
    """

    def __init__(self, model, tok, word, first, second):
        self.model, self.tok, self.word, self.texts = model, tok, word, [*first, *second]
        if min(len(first), len(second)) < 2:
            raise ValueError(f"first and second must be 2 sentences or more each, got {len(first)} and {len(second)}")
        self.sense = np.repeat([0, 1], [len(first), len(second)])
        self.X = states(model, tok, self.texts, word)
        self.axis = axis_between(self.X, self.sense)
        self.n_layers, self.n_heads = model.config.n_layers, model.config.n_heads

    @cached_property
    def right(self):
        """The share of uses on their own side, by depth, each placed on the axis of the others."""
        return (left_out(self.X, self.sense) > 0).mean(0)

    def paths(self, texts):
        """Return the paths of sentences, (n, depths, 2)."""
        return self.axis(states(self.model, self.tok, texts, self.word))

    def read(self, text):
        """Return a sentence's tokens, its ids as a tensor (n,), and the word's position."""
        encoding = self.tok.encode(text)
        return encoding.tokens, torch.tensor(encoding.ids), place_of(encoding.tokens, self.word)

    @cached_property
    def averages(self):
        """Means over the uses, by layer: the attention output at the word, and the values of other words.

        (n_layers, d_model) and (n_layers, n_heads, d_k).
        """
        outputs, values = [], []
        for text in self.texts:
            tokens, ids, at = self.read(text)
            trace = self.model.trace(ids[None], only=["layer.*.attention.output", "layer.*.attention.values"])
            O, V = (torch.cat([trace[f"layer.{layer}.attention.{name}"] for layer in range(self.n_layers)])
                    for name in ("output", "values"))  # fmt: skip
            outputs.append(O[:, at])
            values.append(V[:, :, other_words(tokens, at)])
        return torch.stack(outputs).mean(0), torch.cat(values, 2).mean(2)

    @torch.no_grad()
    def run(self, ids, at, keep=change({})):
        """Return the paths of ids (B, n) under a `keep`. at: the word's position, in all rows or in each."""
        stops = ["embeddings.output", *(f"layer.{layer}.output" for layer in range(self.n_layers))]
        trace = self.model.trace(ids, keep=keep, only=stops)
        return self.axis(torch.stack([trace[stop][range(len(ids)), at] for stop in stops], 1).double().numpy())

    def in_layers(self, stop, new):
        """Return a `keep` that puts new(layer, value) in the place of a value of each layer's attention."""
        return change({f"layer.{k}.attention.{stop}": partial(new, k) for k in range(self.n_layers)})

    def hidden(self, text):
        """Replace each other word or mark by [MASK], all its pieces at once: return their positions, and the paths."""
        tokens, ids, at = self.read(text)
        others = [pieces for pieces in pieces_of(tokens)[1:-1] if at not in pieces]
        rows = ids.repeat(len(others), 1)
        for row, pieces in zip(rows, others, strict=True):
            row[pieces] = self.tok.vocab["[MASK]"]
        return others, self.run(rows, at)

    def muted(self, text):
        """Set each head's output to 0, for all tokens: (n_layers * n_heads, depths, 2)."""
        _, ids, at = self.read(text)
        heads = torch.arange(self.n_heads)

        def mute(layer, H):
            return H.index_put((layer * self.n_heads + heads, heads), H.new_zeros(()))

        return self.run(ids.repeat(self.n_layers * self.n_heads, 1), at, self.in_layers("heads", mute))

    def heard(self, text, listens=None):
        """Let the word listen in some layers. In the others it gets the attention output that it has on average.

        listens: bool (changes, n_layers). Default: in the first 0, 1, ..., n_layers.
        """
        _, ids, at = self.read(text)
        listens = torch.as_tensor(np.tri(self.n_layers + 1, self.n_layers, -1) if listens is None else listens).bool()

        def average(layer, O):
            return O.index_put((~listens[:, layer], torch.tensor(at)), self.averages[0][layer])

        return self.run(ids.repeat(len(listens), 1), at, self.in_layers("output", average))

    def edges(self, text):
        """Let the word hear an average word in the place of another, in one layer: the value changes, the weight stays.

        Returns the other words' positions, and the paths, (n_layers, words, depths, 2).
        """
        tokens, ids, at = self.read(text)
        others, seen = other_words(tokens, at), {}
        rows = torch.arange(len(others))

        def replace(layer, H):
            here = layer * len(others) + rows
            A, V = (seen[f"layer.{layer}.attention.{name}"] for name in ("weights", "values"))
            change_of_value = self.averages[1][layer] - V[here, :, others]  # (words, n_heads, d_k)
            H = H.clone()
            H[here, :, at] += A[here, :, at, others, None] * change_of_value
            return H

        keeps = [lambda name, value: seen.setdefault(name, value), self.in_layers("heads", replace)]
        paths = self.run(ids.repeat(self.n_layers * len(others), 1), at, keeps)
        return others, paths.reshape(self.n_layers, len(others), -1, 2)

    def shuffled(self, text, n=6, seed=0):
        """Put the words into n other orders, with [CLS], the last mark and [SEP] in place: return orders and paths."""
        _, ids, at = self.read(text)
        rng, end = np.random.default_rng(seed), len(ids) - 2
        orders = np.array([[0, *rng.permutation(np.arange(1, end)), end, end + 1] for _ in range(n)])
        return orders, self.run(ids[orders], np.argwhere(orders == at)[:, 1])


def other_words(tokens, at):
    """Return the positions of words, or of pieces of words, but not of the one at `at`.

    >>> other_words(["[CLS]", "a", "bank", "##er", ".", "[SEP]"], 2)
    [1, 3]
    """
    return [j for j, token in enumerate(tokens) if token.strip("#").isalnum() and j != at]


def pieces_of(tokens):
    """Return the positions of the pieces of each word or mark, in their order.

    >>> pieces_of(["[CLS]", "mos", "##ses", "grow", "[SEP]"])
    [[0], [1, 2], [3], [4]]
    """
    found = []
    for j, token in enumerate(tokens):
        if token.startswith("##") and found:
            found[-1].append(j)
        else:
            found.append([j])
    return found


@cache
def uses(model, tok, word) -> Uses:
    """Return the stored uses of a word of sentences.txt."""
    stored = words()[word].pick("stored")
    return Uses(model, tok, word, *([use.text for use in stored if use.sense == k] for k in (0, 1)))
