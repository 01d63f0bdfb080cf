"""What the chapter on the cloud of token vectors (rows 31 to 33) tells about the default model, pinned."""

from collections import Counter

import numpy as np
import pytest

from tutorial_book.claims import token_vectors as table
from tutorial_lib.geometry import average_cosine, distributions, extreme_pairs, pca_dimension, to_mean


@pytest.fixture(scope="module")
def T(bert):
    return bert.embeddings.tokens.weight.detach().numpy()


@pytest.fixture(scope="module")
def tokens(tok):
    return tok.tokens


@pytest.fixture(scope="module")
def words(tokens):
    """Frequent words: what these tests look at, since all pairs of all tokens take too long for a test."""
    return np.array([i for i, token in enumerate(tokens) if token.isascii() and token.isalpha()])[:8000]


def test_tokens_are_longer_than_positions_and_closer_to_right_angles(bert, T):
    P = bert.embeddings.positions.weight.detach().numpy()
    tokens, positions = distributions(T, 20_000), distributions(P, 20_000)
    assert np.median(positions.norms) == pytest.approx(0.478, abs=0.001)
    assert ((tokens.norms > 1) & (tokens.norms < 1.75)).mean() == pytest.approx(0.70, abs=0.01)
    assert tokens.cosines.std() == pytest.approx(0.092, abs=0.005) and positions.cosines.std() > 0.25
    assert (pca_dimension(P), pca_dimension(T)) == (11, 264)
    assert average_cosine(T) == pytest.approx(0.01806, abs=1e-5)


def test_what_is_never_trained_is_short_and_alike(T, tokens):
    unused = [i for i, token in enumerate(tokens) if token.startswith("[unused")]
    assert np.quantile(np.linalg.norm(T[unused], axis=1), 0.99) < 0.5 < np.median(np.linalg.norm(T, axis=1)) / 2
    assert average_cosine(T[unused]) > 0.8


def test_rare_words_are_shorter(T, tokens):
    from scipy.stats import spearmanr

    ids = [i for i, token in enumerate(tokens) if len(token) > 1 and token[0] not in "[#"]
    assert spearmanr(ids, np.linalg.norm(T[ids], axis=1))[0] == pytest.approx(-0.64, abs=0.01)


def test_the_most_frequent_words_are_short_too(T, tokens):
    ids = [i for i, token in enumerate(tokens) if len(token) > 1 and token[0] not in "[#"]
    norms = np.linalg.norm(T[ids], axis=1)
    assert tokens[ids[0]] == "the"
    assert norms[:25].mean() < 1.0 < 1.25 < norms[300:1000].mean() and norms[-1000:].mean() < 1.0


def test_no_coordinate_makes_the_mean_of_the_tokens(T):
    mean = T.mean(axis=0)
    assert (mean**2).max() < 0.03 * mean @ mean
    assert average_cosine(np.delete(T, (99, 223), axis=1)) == pytest.approx(average_cosine(T), abs=2e-4)


def test_the_extreme_pairs_of_frequent_words(T, tokens, words):
    found = extreme_pairs(T[words], 100)
    named = {name: [(tokens[words[i]], tokens[words[j]]) for i, j, _ in getattr(found, name)] for name in found._fields}
    assert named["similar"][:3] == [("a", "an"), ("driver", "drivers"), ("conflict", "conflicts")]
    assert found.similar[0][2] == pytest.approx(0.9119, abs=1e-4)
    assert found.opposed[0][2] > -0.4
    count = Counter(word for pair in named["opposed"] for word in pair)
    assert not {"and", "the"} & set(count) and count.most_common(1)[0][1] < 10


def test_as_many_pairs_are_orthogonal_as_chance_brings(T, words):
    found, n_pairs = extreme_pairs(T[words], 500), len(words) * (len(words) - 1) // 2
    density = (np.abs(distributions(T[words]).cosines) < 0.005).mean() / 0.01
    eps = 1e-6
    expected = 2 * eps * density * n_pairs
    assert sum(abs(c) < eps for _, _, c in found.orthogonal) == pytest.approx(expected, abs=4 * expected**0.5)


def test_the_mean_is_short_and_nearest_to_words_that_are_hardly_trained(T, tokens):
    found = to_mean(T)
    assert np.linalg.norm(found.mean) == pytest.approx(0.1096, abs=1e-4)
    assert found.dots.mean() == pytest.approx(np.linalg.norm(found.mean) ** 2)
    latin = np.array([i for i, token in enumerate(tokens) if len(token) > 2 and token.isascii() and token.isalpha()])
    assert tokens[latin[found.distances[latin].argmin()]] == tokens[latin[found.cosines[latin].argmax()]] == "endelle"
    assert tokens[latin[found.cosines[latin].argmin()]] == "star"
    vocab = {token: i for i, token in enumerate(tokens)}
    for word in ("and", "the"):
        assert -0.1 < found.cosines[vocab[word]] < 0
        assert (found.cosines[latin] < found.cosines[vocab[word]]).mean() < 0.05


def test_table_3_fits_one_mean_and_a_changed_cell_would_not(monkeypatch):
    low, high = table.common_length()
    assert 0.49 < low < high < 0.51 and table.distances_fit()
    for token, length in (("Keyboards", 0.38 / (0.60 * 1.28)), ("and", 0.17 / (0.37 * 0.92))):
        assert table.mean_lengths()[token][0] < length < table.mean_lengths()[token][1]
    changed = dict(table.TO_MEAN, and_=(1.20, 0.37, 0.27, -0.37, -0.27, 0.92))
    monkeypatch.setattr(table, "TO_MEAN", changed)
    assert table.common_length()[0] > table.common_length()[1]
    monkeypatch.setattr(table, "TO_MEAN", {**table.TO_MEAN, "and_": (1.40, 0.0, 0.0, 0.0, 0.0, 1.22)})
    assert not table.distances_fit()


def test_small_cosines_of_table_2_are_steps_of_float32():
    steps = np.array(list(table.ORTHOGONAL.values())) * 1e-9 / 2.0**-29
    np.testing.assert_allclose(steps, np.rint(steps), atol=5e-5)
