"""Vectors of words in their texts; and four tasks, scored item by item, to try changes of vectors on."""

from typing import NamedTuple

import numpy as np
import torch

from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.geometry.similarity import cosine, cosine_matrix
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

GROUPS = ("hello", "new car", "happy boss", "meeting")
CONTRASTS = ("bright-dim", "doctor-nurse", "female-male", "finnish-czech", "funny-sad", "laugh-cry")
BACKGROUND = ("encyclopedia", "posts", "stories")  # the data that the controls are fitted on: no question, no label


class Tokens(NamedTuple):
    """Vectors (n_layers + 1, n, d) of n tokens, the tokens (n,), and the number of each one's text."""

    vectors: np.ndarray
    tokens: np.ndarray
    texts: np.ndarray


class Words(NamedTuple):
    """Some tokens of `Tokens`: their positions there (n,), and the tokens (n,)."""

    places: np.ndarray
    tokens: np.ndarray


def token_vectors(texts, model, tok) -> Tokens:
    """Return all tokens' vectors after each layer, without [CLS] and [SEP]. model: a `Bert`, or a `GPT`.

    A GPT reads each text after its start token, whose vector is also left out.
    """
    if hasattr(model, "unembedding"):
        ids = [tok.encode("<|endoftext|>" + text).ids for text in texts]
        rows, ends = [_states(model, row)[:, 1:] for row in ids], (1, None)
    else:
        ids = [tok.encode(text, max_length=model.config.n_positions).ids for text in texts]
        rows = [row[:, 1:-1] for row in embed(texts, model, "tokens", "all", tokenizer=tok)]
        ends = (1, -1)
    tokens = np.array([tok.tokens[i] for row in ids for i in row[slice(*ends)]])
    numbers = np.repeat(np.arange(len(texts)), [row.shape[1] for row in rows])
    return Tokens(np.concatenate(rows, axis=1).astype(float), tokens, numbers)


@torch.inference_mode()
def _states(gpt, ids):
    stops = gpt.trace(ids)
    layers = [stops[f"layer.{i}.output"] for i in range(gpt.config.n_layers)]
    return torch.cat([stops["embeddings.output"], *layers]).numpy()


def repeated_words(read: Tokens, least=5) -> Words:
    """Return the tokens that are whole words and occur in at least this many texts, each text counting once."""
    ends = np.append(read.texts[1:] != read.texts[:-1], True)
    goes_on = np.append([token.startswith("##") for token in read.tokens[1:]], False) & ~ends
    whole = np.array([token.isalpha() for token in read.tokens]) & ~goes_on
    pairs = np.array([f"{token} {text}" for token, text in zip(read.tokens, read.texts, strict=True)])
    first = np.zeros(len(whole), bool)
    first[np.unique(pairs, return_index=True)[1]] = True
    chosen = whole & first
    names, counts = np.unique(read.tokens[chosen], return_counts=True)
    places = np.flatnonzero(chosen & np.isin(read.tokens, names[counts >= least]))
    return Words(places, read.tokens[places])


def strangers(read: Tokens, groups, seed=0) -> np.ndarray:
    """Return random positions of tokens, as many as there are groups, (n,), each group's from different texts.

    A measure's value for them is its null: groups of the same sizes without any relation. Raises ValueError if a group
    is larger than the number of texts.

    >>> read = Tokens(np.zeros((1, 5, 2)), np.array(list("abcde")), np.array([0, 0, 1, 1, 2]))
    >>> sorted(read.texts[strangers(read, ["x", "x", "x"])].tolist())
    [0, 1, 2]
    """
    generator = np.random.default_rng(seed)
    names, index, counts = np.unique(groups, return_inverse=True, return_counts=True)
    by_text = [np.flatnonzero(read.texts == text) for text in np.unique(read.texts)]
    if counts.max() > len(by_text):
        raise ValueError(f"groups must have at most {len(by_text)} tokens, one from each text, got {counts.max()}")
    places = np.empty(len(index), int)
    for i in range(len(names)):
        texts = generator.choice(len(by_text), counts[i], replace=False)
        places[index == i] = [generator.choice(by_text[text]) for text in texts]
    return places


class Tasks:
    """The book's questions, paraphrases, groups of sentences and contrasts, read once; `scores` of any change.

    read: a function that gives the vectors of a list of texts, (n, d) or (n_layers + 1, n, d).
    """

    def __init__(self, read):
        queries = load_texts("queries")
        self.library = load_texts("encyclopedia") + load_texts("posts")
        place = {text: i for i, text in enumerate(self.library)}
        self.answers = [[place[text] for text in answers] for answers in queries.values()]
        groups = load_texts("synonyms")
        self.labels = np.repeat(np.arange(len(GROUPS)), [len(groups[name]) for name in GROUPS])
        pairs = load_texts("sentence-pairs")
        self.contrast = np.repeat(np.arange(len(CONTRASTS)), [len(pairs[name]) for name in CONTRASTS])
        texts = {
            "library": self.library,
            "queries": list(queries),
            "triples": [text for triple in load_texts("paraphrases") for text in triple],
            "groups": [text for name in GROUPS for text in groups[name]],
            "pairs": [text for name in CONTRASTS for pair in pairs[name] for text in pair],
            "background": [text for name in BACKGROUND for text in load_texts(name)],
        }
        X = read([text for part in texts.values() for text in part])
        cuts = np.cumsum([len(part) for part in texts.values()])[:-1]
        self.vectors = dict(zip(texts, np.split(np.asarray(X, dtype=float), cuts, axis=-2), strict=True))

    def scores(self, layer, change=lambda X: X) -> dict[str, np.ndarray]:
        """Return a number for each item of each task, the higher the better, by cosines of the changed vectors.

        "questions": 1 / the rank of the first text that answers it; "paraphrases": 1 if a sentence is nearer to its
        paraphrase than to one with the same words; "groups": the silhouette of each sentence; "contrasts": the cosine
        of each pair's difference with the mean of the other differences of its contrast.
        """
        X = {name: change(rows[layer]) for name, rows in self.vectors.items() if name != "background"}
        same, paraphrase, other = (X["triples"][i::3] for i in range(3))
        won = np.sign(cosine(same, paraphrase) - cosine(same, other))
        return {
            "questions": reciprocal_ranks(cosine_matrix(X["queries"], X["library"]), self.answers),
            "paraphrases": (won + 1) / 2,
            "groups": silhouettes(X["groups"], self.labels),
            "contrasts": agreement(X["pairs"][1::2] - X["pairs"][::2], self.contrast),
        }


def reciprocal_ranks(C, answers):
    """Return, for each row of cosines, 1 / the rank of the largest among its answers; ties count against it.

    >>> reciprocal_ranks(np.array([[0.1, 0.9, 0.5]]), [[0, 2]])
    array([0.5])
    """
    best = np.array([row[wanted].max() for row, wanted in zip(C, answers, strict=True)])
    wrong = C >= best[:, None]
    for row, wanted in zip(wrong, answers, strict=True):
        row[wanted] = False
    return 1 / (1 + wrong.sum(axis=1))


def silhouettes(X, labels):
    """Return the silhouette of each row by cosine distance, as `geometry.silhouette` averages it.

    >>> silhouettes([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [0, 0, 1, 1]).round(6)
    array([1., 1., 1., 1.])
    """
    from sklearn.metrics import silhouette_samples

    return silhouette_samples(as_vectors("X", X), labels, metric="cosine")


def agreement(differences, contrast):
    """Return each difference's cosine with the mean of the other differences of its contrast.

    >>> agreement(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [0.0, 1.0]]), np.array([0, 0, 1, 1]))
    array([1., 1., 1., 1.])
    """
    scores = np.empty(len(differences))
    for name in np.unique(contrast):
        rows = differences[contrast == name]
        scores[contrast == name] = cosine(rows, (rows.sum(axis=0) - rows) / (len(rows) - 1))
    return scores
