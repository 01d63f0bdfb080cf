"""Probing: can a small classifier read a property from a vector? Source: L 3.2.3.

A probe is trained on some words' vectors and tested on others. There are three kinds: "softmax", a linear map and a
softmax (no hidden layer); "hidden", with one hidden layer; "boosting", gradient-boosted trees. Right answers mean that
the property *can* be read; they do not say that the model reads it. And they only mean something compared with the same
probe on inputs without information: `random_vectors`, `shuffled_labels`, `spelling`.
"""

import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from tutorial_lib.arguments import whole_number
from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.geometry.statistics import bootstrap_interval

UNKNOWN = "[UNK]"
KINDS = ("softmax", "hidden", "boosting")
HIDDEN = 64  # units of the hidden layer
LEAST = 5  # words in a class: fewer cannot be split into training, validation and test


class Words(NamedTuple):
    """Labeled words that are single tokens: the words, the labels as numbers, and the names of the labels."""

    words: list
    labels: np.ndarray
    classes: tuple


def single_tokens(groups, tokenizer):
    """Return the words of groups, {"noun": [...], ...}, that are in the vocabulary and in only one group.

    Words that the tokenizer cuts into pieces have no single vector before the encoder. Raises ValueError if no word of
    a group remains. Returns `Words`; the classes are in alphabetical order.

    >>> from tutorial_lib.tokenization import WordPiece
    >>> single_tokens({"noun": ["bear", "serendipity"], "adjective": ["new"]}, WordPiece.from_pretrained())
    Words(words=['new', 'bear'], labels=array([0, 1]), classes=('adjective', 'noun'))
    """
    pieces = {word: tokenizer.tokenize(word) for group in groups.values() for word in group}
    held = {word for word, tokens in pieces.items() if len(tokens) == 1 and tokens[0] != UNKNOWN}
    classes, words, labels = tuple(sorted(groups)), [], []
    for k, name in enumerate(classes):
        others = {word for other in classes if other != name for word in groups[other]}
        kept = [word for word in dict.fromkeys(groups[name]) if word in held and word not in others]
        if not kept:
            raise ValueError(f"groups must each have a word that is one token and in no other group; {name!r} has none")
        words, labels = words + kept, labels + [k] * len(kept)
    return Words(words, np.array(labels), classes)


def token_vectors(words, bert, tokenizer):
    """Return the context-free vectors of words, (n, d_model): their rows in the table of input embeddings.

    Raises ValueError for a word that is not one token of the vocabulary. Source: L 3.2.3.

    >>> from tutorial_lib.tokenization import WordPiece
    >>> from tutorial_lib.bert import Bert
    >>> token_vectors(["bear", "honey"], Bert.from_pretrained(), WordPiece.from_pretrained()).shape
    (2, 384)
    """
    ids = []
    for word in words:
        tokens = tokenizer.tokenize(word)
        if len(tokens) != 1 or tokens[0] == UNKNOWN:
            cut = " ".join(tokens) or "no token"
            raise ValueError(f"words must each be one token of the vocabulary, got {word!r}: {cut}")
        ids.append(tokenizer.vocab[tokens[0]])
    return bert.embeddings.tokens.weight.detach()[ids].float().cpu().numpy()


@dataclass(frozen=True)
class Probe:
    """A trained probe. Inputs are standardized with the training set's mean and scale before `model` sees them."""

    kind: str
    model: object
    mean: np.ndarray
    scale: np.ndarray

    def probabilities(self, X):
        """Return the probability of each class for each row of X: (n, n_classes)."""
        Z = (as_vectors("X", X) - self.mean) / self.scale
        if self.kind == "boosting":
            return self.model.predict_proba(Z)
        with torch.no_grad():
            return torch.softmax(self.model(torch.tensor(Z)), dim=-1).numpy()

    def accuracy(self, X, y):
        """Return the share of rows whose likeliest class is the right one."""
        return float((self.probabilities(X).argmax(1) == np.asarray(y)).mean())


def train_probe(X, y, kind="softmax", weight_decay=0.01, validation=0.2, seed=0):
    """Train a probe on vectors X (n, d) and labels y, the numbers 0..n_classes - 1. Returns a `Probe`.

    kind: "softmax", "hidden" or "boosting". weight_decay: of the two networks, see `fit`. validation: the share of the
    words, class by class, that is held out to decide when to stop. seed: of that split and of the initial weights.
    Raises ValueError or TypeError for NaN, a single class, fewer than 5 words in a class. Source: L 3.2.3, where the
    boosted trees are XGBoost's; here they are scikit-learn's.

    >>> X = np.array([[0, i] for i in range(20)] + [[1, i] for i in range(20)])
    >>> train_probe(X, [0] * 20 + [1] * 20).probabilities([[0, 9.5], [1, 9.5]]).argmax(1).tolist()
    [0, 1]
    """
    X, y = _check(X, y)
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, got {kind!r}")
    if not 0 <= validation < 1:
        raise ValueError(f"validation must be a share, 0 or more and below 1, got {validation!r}")
    mean, scale = X.mean(0), X.std(0)
    scale = np.where(scale > 1e-12, scale, 1.0)  # a constant column contains no information, and becomes 0
    Z = (X - mean) / scale
    if kind == "boosting":
        return Probe(kind, boost(Z, y, validation, seed), mean, scale)
    train, held = split(y, validation, seed)
    n_classes, d = int(y.max()) + 1, Z.shape[1]
    with torch.random.fork_rng(devices=[]):  # the caller's random numbers are not changed
        torch.manual_seed(seed)
        if kind == "softmax":
            model = nn.Linear(d, n_classes).double()
        else:
            model = nn.Sequential(nn.Linear(d, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, n_classes)).double()
    return Probe(kind, fit(model, Z, y, train, held, weight_decay), mean, scale)


def fit(model, X, y, train, held, weight_decay, lr=0.01, epochs=500, patience=30):
    """Minimize cross-entropy + weight_decay / 2 * |W|^2 on the rows `train`, all at once in each step (Adam).

    W means all weights, without the biases. Stops when the loss on the rows `held` has not improved for `patience`
    steps, and returns to the best weights; with no rows held out, runs all epochs. Returns the model.
    """
    X, y = torch.tensor(X), torch.tensor(y)
    weights = [parameter for parameter in model.parameters() if parameter.ndim == 2]
    optimizer = torch.optim.Adam(model.parameters(), lr)
    best, best_loss, since = None, float("inf"), 0
    with torch.enable_grad():
        for _ in range(epochs):
            loss = cross_entropy(model(X[train]), y[train])
            loss = loss + weight_decay / 2 * sum(W.square().sum() for W in weights)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if len(held):
                with torch.no_grad():
                    loss = cross_entropy(model(X[held]), y[held]).item()
                since = 0 if loss < best_loss else since + 1
                if since == 0:
                    best, best_loss = copy.deepcopy(model.state_dict()), loss
                if since == patience:
                    break
    if best is not None:
        model.load_state_dict(best)
    return model


def boost(X, y, validation, seed):
    """Train gradient-boosted trees (scikit-learn): each new small tree corrects the errors of those before it."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    stopping = dict(early_stopping=validation > 0, validation_fraction=validation or None)
    trees = dict(max_iter=60, learning_rate=0.2, max_leaf_nodes=8, max_bins=32)
    return HistGradientBoostingClassifier(**trees, **stopping, random_state=seed).fit(X, y)


def split(y, share, seed=0):
    """Return two sets of row numbers, (train, test): `share` of each class, drawn with the seed, is for the test.

    >>> train, test = split([0, 0, 0, 0, 1, 1, 1, 1], 0.25)
    >>> len(train), len(test)
    (6, 2)
    """
    y, rng = np.asarray(y), np.random.default_rng(seed)
    held = [rng.permutation(np.flatnonzero(y == k))[: round(share * (y == k).sum())] for k in np.unique(y)]
    held = np.sort(np.concatenate(held)).astype(int)
    return np.setdiff1d(np.arange(len(y)), held), held


@dataclass(frozen=True)
class Score:
    """Test accuracies of one kind of probe; prints as mean and 95 % interval.

    accuracies   one for each fold
    interval     of the mean, for words drawn like these: bootstrap over the words, each right (1) or wrong (0)
    right        whether each word was right (n,), to compare two probes on the same words
    """

    accuracies: np.ndarray
    interval: tuple
    right: np.ndarray

    @property
    def mean(self):
        return float(self.accuracies.mean())

    def __str__(self):
        low, high = self.interval
        return f"{100 * self.mean:.1f} %  [{100 * low:.1f}, {100 * high:.1f}]"


def score(X, y, kind="softmax", n_splits=5, seed=0, groups=None, **settings):
    """Cross-validation: each word is tested once, by a probe that never saw it. Returns a `Score` of `n_splits` folds.

    The folds are stratified: each contains the classes in equal shares. groups: a name for each row; rows of one name,
    such as positions of one word, are tested together, by a probe that saw none of them, and the interval is for other
    names. settings are passed to `train_probe`.
    Raises ValueError or TypeError as `train_probe` does.

    >>> X = np.array([[0, i] for i in range(20)] + [[1, i] for i in range(20)])
    >>> print(score(X, [0] * 20 + [1] * 20))
    100.0 %  [100.0, 100.0]
    """
    X, y = _check(X, y)
    right, accuracies = np.zeros(len(y)), []
    for fold, test in enumerate(folds(y, n_splits, seed, groups)):
        train = np.setdiff1d(np.arange(len(y)), test)
        probe = train_probe(X[train], y[train], kind, seed=seed + fold, **settings)
        right[test] = probe.probabilities(X[test]).argmax(1) == y[test]
        accuracies.append(right[test].mean())
    if groups is None:
        interval = bootstrap_interval(np.mean, right, seed=seed)
    else:  # names are resampled, with all their rows
        group = np.unique(np.asarray(groups), return_inverse=True)[1]
        counts = np.stack([np.bincount(group, right), np.bincount(group)], 1)
        interval = bootstrap_interval(lambda drawn: drawn[:, 0].sum() / drawn[:, 1].sum(), counts, seed=seed)
    return Score(np.array(accuracies), interval, right)


def folds(y, n_splits, seed=0, groups=None):
    """Cut the rows into n_splits sets that each contain the classes in equal shares: a list of arrays of row numbers.

    groups: a name for each row; rows of one name then stay in one set, and the sets have about the same size, whatever
    classes they contain. Raises ValueError if there are fewer names than sets, or not one per row.

    >>> [test.tolist() for test in folds([0, 0, 1, 1], 2)]
    [[0, 2], [1, 3]]
    >>> [test.tolist() for test in folds([0, 0, 1, 1], 2, groups=["sun", "bus", "sun", "bus"])]
    [[1, 3], [0, 2]]
    """
    y, rng = np.asarray(y), np.random.default_rng(seed)
    smallest = np.bincount(y).min()
    allowed = f"a number of folds from 2 to the size of the smallest class, {smallest}"
    n_splits = whole_number("n_splits", n_splits, 2, allowed, smallest)
    fold = np.empty(len(y), dtype=int)
    if groups is None:
        for k in np.unique(y):
            rows = rng.permutation(np.flatnonzero(y == k))
            fold[rows] = np.arange(len(rows)) % n_splits
    else:
        names, group = np.unique(np.asarray(groups), return_inverse=True)
        if group.shape != y.shape or len(names) < n_splits:
            raise ValueError(f"groups must contain a name for each of {len(y)} rows, {n_splits} names or more, got "
                             f"{group.size} rows of {len(names)}")  # fmt: skip
        sizes = np.zeros(n_splits, dtype=int)
        for k in rng.permutation(len(names)):  # each name goes to the set that is smallest so far
            fold[group == k] = sizes.argmin()
            sizes[sizes.argmin()] += (group == k).sum()
    return [np.flatnonzero(fold == i) for i in range(n_splits)]


def random_vectors(X, seed=0):
    """Return vectors with the lengths of X's rows and random directions, which contain no information about X.

    >>> np.linalg.norm(random_vectors([[3.0, 4.0]])).round(6)
    np.float64(5.0)
    """
    X = as_vectors("X", X)
    R = np.random.default_rng(seed).standard_normal(X.shape)
    return R * np.linalg.norm(X, axis=1, keepdims=True) / np.linalg.norm(R, axis=1, keepdims=True)


def shuffled_labels(y, seed=0):
    """Return the same labels, shuffled over the words.

    >>> sorted(shuffled_labels([0, 0, 1]).tolist())
    [0, 0, 1]
    """
    return np.random.default_rng(seed).permutation(np.asarray(y))


def spelling(words, last=3):
    """Return what the letters alone say, (n, n_endings): 1 if a word has this ending of 1 to `last` letters.

    An ending of only one word is left out, because nothing can be learned from it.

    >>> spelling(["kindness", "darkness", "run"], last=1)
    array([[1.],
           [1.],
           [0.]])
    """
    endings = [{word[-k:] for k in range(1, min(last, len(word)) + 1)} for word in words]
    names = sorted({ending for own in endings for ending in own})
    table = np.array([[ending in own for ending in names] for own in endings], dtype=float)
    return table[:, table.sum(0) > 1]


def _check(X, y):
    X, y = as_vectors("X", X), np.asarray(y)
    if y.shape != (len(X),) or not np.issubdtype(y.dtype, np.integer) or (len(y) and y.min() < 0):
        got = f"{y.dtype} of shape {y.shape}"
        raise ValueError(f"y must contain a class, 0 or 1 or ..., for each of the {len(X)} rows of X, got {got}")
    sizes = np.bincount(y)
    if len(sizes) < 2:
        raise ValueError(f"y must contain at least 2 classes, got {len(sizes)}")
    if sizes.min() < LEAST:
        raise ValueError(f"y must contain at least {LEAST} words of each class, got {sizes.tolist()}")
    return X, y
