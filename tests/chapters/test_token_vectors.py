"""What the chapter on the cloud of token vectors (rows 31 to 33) tells about the default model, pinned."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import spearmanr

from tutorial_book.claims import token_vectors as table
from tutorial_lib.geometry import average_cosine, distributions, pca_dimension


@pytest.fixture(scope="module")
def T(bert):
    return bert.embeddings.tokens.weight.detach().numpy()


def test_tokens_are_longer_than_positions_and_closer_to_right_angles(page, T):
    tokens, positions = distributions(T, 20_000), distributions(page.P, 20_000)
    assert np.median(positions.norms) == pytest.approx(0.478, abs=0.001)
    assert ((page.norms > 1) & (page.norms < 1.75)).mean() == pytest.approx(0.70, abs=0.01)
    assert tokens.cosines.std() == pytest.approx(0.092, abs=0.005) and positions.cosines.std() > 0.25
    assert (pca_dimension(page.P), pca_dimension(T)) == (11, 264)
    assert page.exact == pytest.approx(0.01806, abs=1e-5)


def test_what_is_never_trained_is_short_and_alike(page, T):
    unused = [i for i, token in enumerate(page.tok.tokens) if token.startswith("[unused")]
    assert np.quantile(page.norms[unused], 0.99) < 0.5 < np.median(page.norms) / 2
    assert average_cosine(T[unused]) > 0.8


def test_rare_words_are_shorter(page):
    assert spearmanr(page.words, page.norms[page.words])[0] == pytest.approx(-0.64, abs=0.01)


def test_the_most_frequent_words_are_short_too(page):
    norms = page.norms[page.words]
    assert page.tok.tokens[page.words[0]] == "the"
    assert norms[:25].mean() < 1.0 < 1.25 < norms[300:1000].mean() and norms[-1000:].mean() < 1.0


def test_no_coordinate_makes_the_mean_of_the_tokens(page):
    assert page.largest < 0.03 and page.less == pytest.approx(page.exact, abs=2e-4)


def test_the_extreme_pairs(page):
    tokens = page.tok.tokens
    assert [(tokens[i], tokens[j]) for i, j, _ in page.pairs.similar[:1]] == [("a", "an")]
    assert page.pairs.similar[0][2] == pytest.approx(0.9119, abs=1e-4)
    assert page.pairs.opposed[0][2] == pytest.approx(-0.363, abs=1e-3)
    often = Counter(tokens[i] for *pair, _ in page.pairs.opposed for i in pair)
    assert not {"and", "the"} & set(often) and often.most_common(1)[0][1] < 10


def test_as_many_pairs_are_orthogonal_as_chance_brings(page):
    assert len(page.smallest) == 1_000 and page.smallest.max() < 2e-7
    for eps in (1e-8, 1e-7):
        expected = 2 * eps * page.density * page.n_pairs
        assert (page.smallest < eps).sum() == pytest.approx(expected, abs=4 * expected**0.5)


def test_the_mean_is_short_and_nearest_to_words_that_are_hardly_trained(page):
    found, latin, tokens = page.mean, page.latin, page.tok.tokens
    assert page.length == pytest.approx(0.1096, abs=1e-4)
    assert found.dots.mean() == pytest.approx(page.length**2)
    assert page.nearest[0] == tokens[latin[found.cosines[latin].argmax()]] == "endelle"
    assert tokens[latin[found.cosines[latin].argmin()]] == "star"
    for word in ("and", "the"):
        cosine = found.cosines[page.tok.vocab[word]]
        assert -0.1 < cosine < 0 and (found.cosines[latin] < cosine).mean() < 0.05


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
