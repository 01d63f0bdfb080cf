"""Statements of the chapter on the cloud of token vectors (rows 31 to 33) that its page cannot check."""

import numpy as np

from tutorial_book.claims import token_vectors as table
from tutorial_lib.geometry import average_cosine, distributions


def test_untrained_tokens_are_short_and_parallel(page, bert):
    T = bert.embeddings.tokens.weight.detach().numpy()
    unused = [i for i, token in enumerate(page.tok.tokens) if token.startswith("[unused")]
    assert np.quantile(page.norms[unused], 0.99) < 0.5 < np.median(page.norms) / 2
    assert average_cosine(T[unused]) > 0.8


def test_cosines_of_positions_spread_more_than_of_tokens(page, bert):
    T = bert.embeddings.tokens.weight.detach().numpy()
    tokens, positions = (distributions(X, 20_000, seed=1).cosines for X in (T, page.P))
    assert tokens.std() < 0.12 < 0.2 < positions.std()


def test_table_3_fits_one_mean_until_changed(monkeypatch):
    low, high = table.common_length()
    assert 0.49 < low < high < 0.51 and table.distances_fit()
    for token, length in (("Keyboards", 0.38 / (0.60 * 1.28)), ("and", 0.17 / (0.37 * 0.92))):
        assert table.mean_lengths()[token][0] < length < table.mean_lengths()[token][1]
    changed = dict(table.TO_MEAN, and_=(1.20, 0.37, 0.27, -0.37, -0.27, 0.92))
    monkeypatch.setattr(table, "TO_MEAN", changed)
    assert table.common_length()[0] > table.common_length()[1]
    monkeypatch.setattr(table, "TO_MEAN", {**table.TO_MEAN, "and_": (1.40, 0.0, 0.0, 0.0, 0.0, 1.22)})
    assert not table.distances_fit()


def test_cosines_of_table_2_are_float32_steps():
    steps = np.array(list(table.ORTHOGONAL.values())) * 1e-9 / 2.0**-29
    np.testing.assert_allclose(steps, np.rint(steps), atol=5e-5)
