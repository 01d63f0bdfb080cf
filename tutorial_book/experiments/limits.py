"""What one vector per text cannot find: profiles with a question for every pair, and searches that find them.

The design is that of the data set LIMIT (Weller et al. 2025), with this book's own names and things. A search is a
matrix of scores, (questions, texts), larger is better; `recall` and `reached` judge it.
"""

import math
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from tutorial_lib.arguments import check_texts, whole_number
from tutorial_lib.geometry.similarity import unit

LIKES = Path(__file__).parent / "likes.txt"
NAMES = """Ada Amir Anton Bao Bela Carla Cem Chidi Dana Dmitri Elif Emma Farid Femke Goran Greta Hana Hugo Ines Ivan
    Jana Jonas Kenji Kira Lars Leila Marta Milan Nadia Nils Olga Omar Paula Petr Quinn Rosa Samir Selma Tariq Thea Udo
    Vera Wanda Xenia Yusuf Zoe""".split()
RATE, TEMPERATURE, PATIENCE, LEAST = 0.01, 0.1, 1000, 1e-5  # as in the code of the paper
K1, B = 1.2, 0.75  # BM25's, as in SQLite


class Profiles(NamedTuple):
    """Texts, questions, and for each question the numbers of the two texts that answer it."""

    texts: list
    questions: list
    pairs: np.ndarray  # (questions, 2)


def profiles(n_likes=45, seed=0) -> Profiles:
    """Return 46 profiles, "Ada likes quokkas, ...", with this many things in each, and a question for each thing.

    Two profiles share each thing, and no two pairs are the same: with 45 things, one question asks for each pair of
    profiles. The seed decides who likes what. Source: Weller et al. 2025, Section 5.

    >>> texts, questions, pairs = profiles(2)
    >>> texts[0], questions[0], len(questions)
    ('Ada likes medals and novels.', 'Who likes noodles?', 46)
    """
    n = len(NAMES)
    n_likes = whole_number("n_likes", n_likes, 1, f"a number of things, 1 to {n - 1}", n - 1)
    rng = np.random.default_rng(seed)
    every = [pair for number in range(n - 1) for pair in _round(n, number)]
    order = rng.permutation(n)  # which person has which role
    things = rng.permutation(re.findall(r"\w+", LIKES.read_text(encoding="utf-8")))[: len(every)].tolist()
    pairs = np.sort(order[np.array(every)], axis=1)[: n_likes * n // 2]
    liked = [[] for _ in NAMES]
    for thing, pair in zip(things, pairs):
        for who in pair:
            liked[who].append(thing)
    texts = [f"{name} likes {_listed(rng.permutation(own).tolist())}." for name, own in zip(NAMES, liked)]
    return Profiles(texts, [f"Who likes {thing}?" for thing in things[: len(pairs)]], pairs)


def bm25(texts, questions) -> np.ndarray:
    """Return how well the words of each question fit each text: (questions, texts). Source: Robertson et al. 1995.

    A word counts more if fewer texts have it; each repetition in a text adds less, and a long text needs more
    repetitions. Two words are the same if their letters are, in lower case. Exactly as SQLite's FTS5 computes it.

    >>> bm25(["swans", "swans and owls", "swans and bees"], ["Any owls?"]).round(2).tolist()
    [[0.0, 0.46, 0.0]]
    """
    counts = [Counter(words(text)) for text in check_texts("texts", texts)]
    n, lengths = len(texts), np.array([sum(count.values()) for count in counts])
    with_word = Counter(word for count in counts for word in count)
    least = K1 * (1 - B + B * lengths / lengths.mean())
    scores = np.zeros((len(questions), n))
    for row, question in zip(scores, check_texts("questions", questions)):
        for word in words(question):
            if with_word[word]:
                times = np.array([count[word] for count in counts])
                weight = math.log((n - with_word[word] + 0.5) / (with_word[word] + 0.5))
                row += max(weight, 1e-6) * times * (K1 + 1) / (times + least)  # in most texts: almost no weight
    return scores


def words(text) -> list:
    """Return the words of a text in lower case. Example: `words("It's late.")` is ["it", "s", "late"]."""
    return re.findall(r"\w+", text.lower())


def pieces(text) -> list:
    """Return a text cut at commas, at "and" and at other marks, without empty parts.

    >>> pieces("Ada likes owls, bees and elks.")
    ['Ada likes owls', 'bees', 'elks']
    """
    return [piece.strip() for piece in re.split(r"[,.;:!?]| and ", text) if re.search(r"\w", piece)]


def add_words(index) -> None:
    """Give a vector database (`uses.Index`) an index of words too, SQLite's own FTS5."""
    columns = "text, content=texts, content_rowid=id"
    with index.database:
        index.database.execute(f"CREATE VIRTUAL TABLE words USING fts5({columns})")
        index.database.execute("INSERT INTO words(words) VALUES ('rebuild')")


def search_words(index, question, k=10) -> list:
    """Return the k texts whose words fit a question best, as (text, score); none without a word.

    >>> from tutorial_book.experiments.uses import Index
    >>> index = Index(["Ada likes swans.", "Bao likes owls.", "Cem likes bees."], np.eye(3))
    >>> add_words(index)
    >>> [text for text, score in search_words(index, "Who has owls?")]
    ['Bao likes owls.']
    """
    asked = " OR ".join(words(question))  # in lower case, because AND, OR and NOT are operators
    if not asked:
        return []
    rows = index.database.execute(
        "SELECT text, bm25(words) AS score FROM words WHERE words MATCH ? "
        "ORDER BY score, rowid LIMIT ?", (asked, k)
    )  # fmt: skip
    return [(text, -score) for text, score in rows]


def fuse(*scores, c=60) -> np.ndarray:
    """Combine searches by reciprocal rank fusion: each gives a text 1 / (c + its rank).

    scores: of each search, (questions, texts); -inf is a text that it has not found, which adds nothing. Of equal
    scores the earlier text ranks first. Source: Cormack et al. 2009.

    >>> fuse([[3.0, 2.0, 1.0]], [[-np.inf, 5.0, -np.inf]], c=1)[0].round(2).tolist()
    [0.5, 0.83, 0.25]
    """
    total = 0
    for search in scores:
        search = np.asarray(search, float)
        order = np.argsort(-search, axis=1, kind="stable")
        places = np.argsort(order, axis=1) + 1
        total = total + np.where(np.isneginf(search), 0, 1 / (c + places))
    return total


def late_interaction(questions, texts) -> np.ndarray:
    """Add up, for each token of a question, its largest cosine with a token of the text.

    questions, texts: the vectors of the tokens of each, (n_tokens, d), from `embed(..., pooling="tokens")`. Returns
    (questions, texts). Source: Khattab and Zaharia 2020, MaxSim.

    >>> late_interaction([[[1, 0], [0, 1]]], [[[2, 0]], [[1, 0], [0, 3]]]).tolist()
    [[1.0, 2.0]]
    """
    questions, texts = ([unit(np.asarray(tokens, float)) for tokens in part] for part in (questions, texts))
    rows = np.concatenate(questions)  # (tokens of all questions, d)
    starts = np.cumsum([0] + [len(tokens) for tokens in questions[:-1]])
    best = np.stack([(rows @ text.T).max(1) for text in texts], axis=1)
    return np.add.reduceat(best, starts)  # (questions, texts)


def recall(scores, relevant, k) -> np.ndarray:
    """Return the share of each question's relevant texts (their numbers) among the k with the highest scores.

    >>> recall([[0.1, 0.9, 0.5], [0.3, 0.2, 0.1]], [[0, 1], [0]], k=2).tolist()
    [0.5, 1.0]
    """
    first = np.argsort(-np.asarray(scores), axis=1, kind="stable")[:, :k]
    return np.array([np.isin(wanted, row).mean() for wanted, row in zip(relevant, first, strict=True)])


def reached(scores, pairs) -> np.ndarray:
    """Return whether the two texts of each question's pair both score higher than any other: (questions,), bool.

    >>> reached([[0.9, 0.8, 0.1], [0.9, 0.8, 0.1]], [[0, 1], [0, 2]]).tolist()
    [True, False]
    """
    scores, pairs = np.asarray(scores, float), np.asarray(pairs)
    inside = np.zeros(scores.shape, bool)
    np.put_along_axis(inside, pairs, True, axis=1)
    return np.where(inside, scores, np.inf).min(1) > np.where(inside, -np.inf, scores).max(1)


def every_pair(n) -> np.ndarray:
    """Return all pairs of n texts, (n (n - 1) / 2, 2). `every_pair(3).tolist()` is [[0, 1], [0, 2], [1, 2]]."""
    return np.array(list(combinations(range(n), 2)))


def curve(n):
    """Return n texts of four numbers each, on a closed curve, and for each pair the query with that top two.

    A text at the angle t is (cos t, sin t, cos 2t, sin 2t) / √2, of length 1. With the query of the angles a and b its
    score is a constant minus (1 - cos(t - a)) (1 - cos(t - b)), which is 0 at a and at b, and positive elsewhere.
    Source: Carathéodory's curve; Gale 1963.

    >>> X, Q = curve(46)
    >>> X.shape, Q.shape, bool(reached(Q @ X.T, every_pair(46)).all())
    ((46, 4), (1035, 4), True)
    """
    t = 2 * np.pi * np.arange(n) / n
    X = np.stack([np.cos(t), np.sin(t), np.cos(2 * t), np.sin(2 * t)], axis=1) / np.sqrt(2)
    a, b = t[every_pair(n)].T
    Q = np.stack([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b), -np.cos(a + b) / 2, -np.sin(a + b) / 2], axis=1)
    return X, Q


def optimize(n, d, seed=0, n_steps=20_000, temperature=TEMPERATURE):
    """Optimize unit vectors for n texts and for a query of each pair, until every pair is its query's top two.

    Adam, all queries at once, InfoNCE: the probability of the two among all texts, softmax(cosines / temperature), is
    maximized. Stops when every pair is reached, or the loss has not fallen by 0.00001 for 1,000 steps. Returns X, Q.
    Source: Weller et al. 2025, Section 4.

    >>> X, Q = optimize(4, 3, seed=1)
    >>> bool(reached(Q @ X.T, every_pair(4)).all())
    True
    """
    generator = torch.Generator().manual_seed(seed)
    pairs = torch.from_numpy(every_pair(n))
    X, Q = (torch.nn.functional.normalize(torch.randn(rows, d, generator=generator)) for rows in (n, len(pairs)))
    target = torch.zeros(len(pairs), n).scatter_(1, pairs, 0.5)
    adam, best, waited = torch.optim.Adam([X.requires_grad_(), Q.requires_grad_()], RATE), math.inf, 0
    for step in range(n_steps):
        loss = torch.nn.functional.cross_entropy(Q @ X.T / temperature, target)
        adam.zero_grad()
        loss.backward()
        adam.step()
        with torch.no_grad():
            for rows in (X, Q):
                rows /= rows.norm(dim=1, keepdim=True)
            if step % 50 == 49 and reached(Q @ X.T, pairs).all():
                break
        waited = 0 if loss.item() < best - LEAST else waited + 1
        best = min(best, loss.item())
        if waited == PATIENCE:
            break
    return X.detach().numpy(), Q.detach().numpy()


def critical(d, seed=0, start=2, n_starts=3, **how) -> int:
    """Return the most texts of which `optimize` reaches every pair in d dimensions, in one of several random starts.

    Starting with `start` texts, one more at a time, until all starts fail.

    >>> critical(2, n_starts=1)
    3
    """
    seeds, n = range(n_starts * seed, n_starts * (seed + 1)), start
    while any(_reaches(n + 1, d, one, **how) for one in seeds):
        n += 1
    return n


def _reaches(n, d, seed, **how) -> bool:
    X, Q = optimize(n, d, seed, **how)
    return bool(reached(Q @ X.T, every_pair(n)).all())


def _round(n, number) -> list:
    """Return the pairs of one round of a tournament of n players, n even, in which all meet once: the circle method."""
    m = n - 1
    return [(number, m)] + [((number + i) % m, (number - i) % m) for i in range(1, n // 2)]


def _listed(things) -> str:
    return " and ".join([", ".join(things[:-1])] * (len(things) > 1) + things[-1:])
