"""Checks that the page on meaning cannot do: other draws, the documents' files, results known from elsewhere."""

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.stats import pearsonr

from tutorial_book.claims.meaning import TABLE_6, TABLE_7
from tutorial_book.experiments import meaning
from tutorial_lib.geometry import bootstrap_interval
from tutorial_lib.texts import TextsNotAvailable, load_texts


def test_the_pieces_are_the_groups(page):
    labels = page.groups[page.sense]
    for X in page.clouds.values():
        pieces = fcluster(linkage(X[page.sense].astype(float), "single"), 4, "maxclust")
        assert len(set(zip(pieces, labels, strict=True))) == 4 == len(set(pieces))


def test_other_subsets_and_shuffles_confirm_the_result(page):
    rng = np.random.default_rng(1)
    X, counts = (page.clouds[name][page.sense].astype(float) for name in ("last layer, cls", "word counts"))
    subsets = [page.four_fifths(rng) for _ in range(100)]
    beyond = [page.apart_as_four(X[subset]) - page.apart_as_four(counts[subset]) for subset in subsets]
    assert np.quantile(beyond, [0.025, 0.975]) == pytest.approx([0.62, 0.81], abs=0.1)
    along = (X - X.mean(axis=0)) @ np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2].T
    assert max(page.apart_as_four(rng.permuted(along, axis=0)) for _ in range(20)) < 1.3


@pytest.mark.parametrize("seed", [0, 1])
def test_paraphrases_surely_win_after_the_last_layer_only(page, seed):
    for wins in page.won.values():
        low, high = bootstrap_interval(lambda w: w.mean(axis=0), wins.T, seed=seed)
        assert low[6] > 0.6 and (high[1:3] < 0.5).all() and (low[1:6] < 0.5).all()
        assert bootstrap_interval(np.sum, wins[6] - wins[5], seed=seed)[0] > 0


def test_at_layer_0_cls_differences_are_zero(page):
    assert not page.differences(page.contrasts["doctor-nurse"][:3], "cls")[0].any()


def test_the_interval_of_a_correlation_is_fishers():
    for r, n in ((-0.242, 13), (0.78, 13), (0.82, 15)):
        x, y = np.linalg.qr(np.column_stack([np.ones(n), np.random.default_rng(0).normal(size=(n, 2))]))[0][:, 1:].T
        low, high = pearsonr(x, r * x + (1 - r**2) ** 0.5 * y).confidence_interval()
        assert meaning.correlation_interval(r, n) == pytest.approx((low, high), abs=1e-3)


def test_both_tables_have_the_six_contrasts():
    assert list(TABLE_7) == list(combinations(TABLE_6, 2))
    assert {name.lower() for name in TABLE_6} < set(load_texts("sentence-pairs"))


def test_the_page_describes_luistos_file():
    try:
        pairs = load_texts("luisto-pairs")
    except TextsNotAvailable as reason:
        pytest.skip(str(reason))
    assert [len(pairs[name.lower()]) for name in TABLE_6] == [10, 9, 13, 9, 9, 12]
    assert len(pairs) == 14 and len(pairs["green-brown"]) == 10
    for name, members in pairs.items():
        turned = "-".join(reversed(name.split("-")))
        assert [tuple(pair) for pair in pairs[turned]] == [tuple(reversed(pair)) for pair in members]
