"""Row 38 on the default model: what the chapter on uses says about search, chunks, features and bias, pinned."""

import numpy as np
import pytest

from tutorial_book.experiments.uses import Index, chunks, reciprocal_rank
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.texts import load_texts, written
from tutorial_lib.vectors import embed

QUERIES = load_texts("queries")
TEXTS = load_texts("encyclopedia") + load_texts("posts")


@pytest.fixture(scope="module")
def states(bert):
    """All layers of all tokens of the texts and of the questions."""
    return [embed(texts, bert, pooling="tokens", layers="all") for texts in (TEXTS, list(QUERIES))]


@pytest.fixture(scope="module")
def X(states):
    return np.stack([x[-1].mean(0) for x in states[0]])


@pytest.fixture(scope="module")
def Q(states):
    return np.stack([x[-1].mean(0) for x in states[1]])


def mrr(Q, X):
    order = np.argsort(-cosine_matrix(Q, X), axis=1, kind="stable")
    return reciprocal_rank([[TEXTS[i] for i in row] for row in order], QUERIES.values()).mean()


def test_the_mean_of_the_last_layer_finds_best(states):
    poolings = {"cls": lambda x: x[:, 0], "mean": lambda x: x.mean(1), "max": lambda x: x.max(1)}
    found = {}
    for name, one in poolings.items():
        T, A = (np.stack([one(x) for x in part], axis=1) for part in states)
        found |= {(name, layer): mrr(A[layer], T[layer]) for layer in range(7)}
    ranked = sorted(found, key=found.get, reverse=True)
    assert ranked[:2] == [("mean", 6), ("max", 6)] and found["mean", 6] == pytest.approx(0.72, abs=0.05)
    assert found["cls", 6] == pytest.approx(0.48, abs=0.05) and found["cls", 5] < 0.1
    assert all(found["mean", layer] >= found[name, layer] for name in poolings for layer in range(7))


def test_the_two_large_coordinates_cost_cls_some_quality_and_the_mean_of_the_last_layer_none(states):
    def found(one, layer, without):
        T, A = (np.stack([np.delete(one(x[layer]), without) for x in part]) for part in states)
        return mrr(A, T)

    poolings = {"cls": lambda x: x[0], "mean": lambda x: x.mean(0)}
    gains = {(name, layer): found(one, layer, (99, 223)) - found(one, layer, ())
             for name, one in poolings.items() for layer in (5, 6)}  # fmt: skip
    assert gains["cls", 6] > 0.05 and abs(gains["mean", 6]) < 0.01 and abs(gains["cls", 5]) < 0.02


def test_centering_alone_is_compared_with_centered_and_cut(X, Q):
    center = X.mean(0)
    V = np.linalg.svd(X - center, full_matrices=False)[2]
    found = {n: mrr((Q - center) @ V[:n].T, (X - center) @ V[:n].T) for n in (8, 128, len(V))}
    assert found[len(V)] == pytest.approx(mrr(Q - center, X - center), abs=0.01)
    assert found[8] < 0.4 < 0.7 < found[128] and abs(found[128] - found[len(V)]) < 0.03


def test_the_bear_on_its_hind_legs_is_found_first(X, bert):
    found = Index(TEXTS, X).search(embed(["all texts that discuss bears walking on their hind legs"], bert)[0], k=2)
    assert "hind legs" in found[0][0] and "Sloth bears" in found[1][0]


@pytest.mark.long
def test_chunks_of_128_with_overlap_bring_more_whole_answers_than_without_and_than_one_large_chunk(Q, bert, tok):
    encyclopedia = load_texts("encyclopedia")

    def whole(size, overlap):
        cut = chunks(" ".join(encyclopedia), tok, size, overlap)
        index, shares = Index(cut, embed(cut, bert)), []
        for q, answers in zip(Q, QUERIES.values(), strict=True):
            if set(answers) <= set(encyclopedia):
                found = [chunk for chunk, _ in index.search(q, 512 // size)]
                shares.append(np.mean([any(answer in chunk for chunk in found) for answer in answers]))
        return np.mean(shares)

    without, overlapping, large = whole(128, 0), whole(128, 32), whole(510, 127)
    assert overlapping > without + 0.1 and overlapping > large + 0.1


def test_vectors_beat_words_and_the_most_frequent_class_at_moods_and_fields(X):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer

    n = len(load_texts("encyclopedia"))
    for name, rows in (("encyclopedia", slice(0, n)), ("posts", slice(n, None))):
        classes = [line.split("\t")[0] for line in written.lines(name)]
        regression = LogisticRegression(C=10, max_iter=1000)
        vectors = cross_val_score(make_pipeline(Normalizer(), regression), X[rows], classes, cv=5).mean()
        words = cross_val_score(make_pipeline(TfidfVectorizer(), regression), TEXTS[rows], classes, cv=5).mean()
        most = max(map(classes.count, classes)) / len(classes)
        assert vectors > 2 * words and vectors > 2 * most


def test_the_womans_sentence_is_nearer_to_the_nurse_and_the_mans_to_the_doctor(bert):
    pairs = load_texts("sentence-pairs")["female-male"]
    rows = embed(["Who is the nurse?", "Who is the doctor?"] + [text for pair in pairs for text in pair], bert)
    nurse, doctor = cosine_matrix(rows[:2], rows[2::2]) - cosine_matrix(rows[:2], rows[3::2])
    assert (nurse > 0).all() and (doctor < 0).all()
