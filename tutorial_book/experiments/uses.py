"""Semantic search: a database of texts and their vectors, and how well it finds the right texts. Source: L 4.5.

The database is SQLite with the extension sqlite-vec: one file, no server, and exact, because it compares the query with
every vector. Python's own sqlite3 cannot load extensions everywhere, so SQLite comes with the package apsw.
"""

import numpy as np

from tutorial_lib.arguments import check_text, check_texts, needed, whole_number

LARGEST_K = 4096  # of sqlite-vec

PROMPT = """Answer the question from the numbered texts below, and from nothing else.
Name the numbers of the texts that you used. If the answer is not in them, say so.

{texts}

Question: {question}
Answer:"""


class Index:
    """A vector database of texts: `search` returns the texts whose vectors have the largest cosine with the query's.

    texts: a list of str. vectors: (n, d), one for each text, NumPy or torch. tags: None, or a str for each text, such
    as its source. The database is in memory.

    Raises TypeError or ValueError for other arguments, or if a vector is zero or not finite: it has no cosine.

    >>> index = Index(["a", "b", "c"], np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    >>> [text for text, cosine in index.search(np.array([1.0, 0.2]), k=2)]
    ['a', 'c']
    """

    def __init__(self, texts, vectors, tags=None):
        texts, vectors = check_texts("texts", texts), _floats("vectors", vectors)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ValueError(f"vectors must have shape ({len(texts)}, d), one for each text, got {vectors.shape}")
        tags = [""] * len(texts) if tags is None else check_texts("tags", tags)
        if len(tags) != len(texts):
            raise ValueError(f"tags must have one entry per text, {len(texts)}, got {len(tags)}")
        self.database = _database()
        d = vectors.shape[1]
        columns = f"vector float[{d}] distance_metric=cosine, tag text"
        self.database.execute(f"CREATE VIRTUAL TABLE vectors USING vec0({columns})")
        self.database.execute("CREATE TABLE texts(id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        with self.database:  # one transaction
            self.database.executemany("INSERT INTO texts VALUES (?, ?)", enumerate(texts))
            rows = ((i, vector.tobytes(), tag) for i, (vector, tag) in enumerate(zip(vectors, tags, strict=True)))
            self.database.executemany("INSERT INTO vectors(rowid, vector, tag) VALUES (?, ?, ?)", rows)

    def search(self, vector, k=10, tag=None):
        """Return the k texts nearest to a vector (d,), each with its cosine, nearest first; at most all texts.

        tag: only texts with this tag. Exact: the query is compared with every vector. Of equal cosines the earlier text
        comes first.
        """
        vector = _floats("vector", vector)
        if vector.shape != (self.d,):
            raise ValueError(f"vector must have shape ({self.d},), like those in the index, got {vector.shape}")
        k = whole_number("k", k, 1, f"a number of texts, 1 to {LARGEST_K}", LARGEST_K)
        query, values = "vector MATCH ? AND k = ?", (vector.tobytes(), k)
        if tag is not None:
            query, values = query + " AND tag = ?", (*values, check_text("tag", tag))
        found = self.database.execute(
            f"SELECT text, distance FROM (SELECT rowid, distance FROM vectors WHERE {query}) "
            "JOIN texts ON texts.id = rowid ORDER BY distance, id", values
        )  # fmt: skip
        return [(text, 1 - distance) for text, distance in found]

    def __len__(self):
        return self.database.execute("SELECT count(*) FROM texts").get

    def __iter__(self):
        """Yield each entry, in order, as (text, tag, vector)."""
        for text, tag, vector in self.database.execute(
            "SELECT text, tag, vector FROM texts JOIN vectors ON vectors.rowid = id ORDER BY id"
        ):
            yield text, tag, np.frombuffer(vector, dtype="<f4")

    @property
    def d(self):
        """Return how many coordinates the vectors have."""
        return self.database.execute("SELECT vec_length(vector) FROM vectors LIMIT 1").get


def chunks(text, tok, size, overlap=0):
    """Cut a text at spaces into chunks of at most `size` tokens; each repeats the last words of the one before.

    tok: the tokenizer that counts. overlap: how many tokens are repeated, at most; words stay whole, so there may be
    fewer. A single word with more than `size` tokens is its own chunk. Source: L 4.5.1.

    >>> from tutorial_lib.tokenization import WordPiece
    >>> chunks("one two three four five", WordPiece.from_pretrained(), size=3, overlap=1)
    ['one two three', 'three four five']
    """
    size = whole_number("size", size, 1, "a number of tokens, 1 or more")
    overlap = whole_number("overlap", overlap, 0, f"a number of tokens from 0 to size - 1, {size - 1}", size - 1)
    words = check_text("text", text).split()
    lengths = [len(tok.tokenize(word)) for word in words]
    cut, start = [], 0
    while start < len(words):
        end = start + 1
        while end < len(words) and sum(lengths[start : end + 1]) <= size:
            end += 1
        cut.append(" ".join(words[start:end]))
        if end == len(words):
            break
        back = end
        while back - 1 > start and sum(lengths[back - 1 : end]) <= overlap and sum(lengths[back - 1 : end + 1]) <= size:
            back -= 1
        start = back
    return cut


def prompt(question, texts):
    """Return the prompt that asks a language model a question, with the texts that were found. Source: L 4.5.2.

    >>> print(prompt("What do bears eat?", ["Bears eat fish."]))
    Answer the question from the numbered texts below, and from nothing else.
    Name the numbers of the texts that you used. If the answer is not in them, say so.
    <BLANKLINE>
    [1] Bears eat fish.
    <BLANKLINE>
    Question: What do bears eat?
    Answer:
    """
    numbered = "\n".join(f"[{number}] {text}" for number, text in enumerate(check_texts("texts", texts), 1))
    return PROMPT.format(texts=numbered, question=check_text("question", question))


def recall_at_k(rankings, relevant, k):
    """Return the share of each query's relevant texts that are among the first k found.

    rankings: for each query the found texts, best first. relevant: for each query the texts that it should find, at
    least one.

    >>> recall_at_k([["a", "b", "c"], ["c", "b", "a"]], [["a", "c"], ["a"]], k=2)
    array([0.5, 0. ])
    """
    k = whole_number("k", k, 1, "a number of texts, 1 or more")
    pairs = zip(rankings, relevant, strict=True)
    return np.array([len(set(wanted) & set(found[:k])) / len(set(wanted)) for found, wanted in pairs])


def reciprocal_rank(rankings, relevant):
    """Return 1 / the rank of each query's first relevant text, 0 if none is found. The mean is the MRR.

    >>> reciprocal_rank([["a", "b", "c"], ["c", "b", "a"]], [["a", "c"], ["b"]])
    array([1. , 0.5])
    """
    ranks = []
    for found, wanted in zip(rankings, relevant, strict=True):
        places = [place for place, text in enumerate(found, 1) if text in wanted]
        ranks.append(1 / places[0] if places else 0.0)
    return np.array(ranks)


def _floats(name, value):
    value = value.detach().cpu() if hasattr(value, "detach") else value
    try:
        value = np.ascontiguousarray(value, dtype="<f4")
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be an array of numbers, got {type(value).__name__}") from error
    if not np.isfinite(value).all() or not value.any(-1).all():
        raise ValueError(f"{name} must be finite and not zero, because it needs a cosine")
    return value


def _database():
    """Return a connection to a new database in memory, with sqlite-vec loaded."""
    with needed("apsw sqlite-vec", "the vector database"):
        import apsw
        import sqlite_vec

    database = apsw.Connection(":memory:")
    database.enable_load_extension(True)
    database.load_extension(sqlite_vec.loadable_path())
    database.enable_load_extension(False)
    return database
