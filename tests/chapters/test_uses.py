"""Statements of the chapter on uses about search, features and bias, with other draws and another computation."""

import numpy as np
import pytest

from tutorial_lib.geometry import bootstrap_interval, cosine_matrix


def test_all_centered_coordinates_equal_centered_vectors(page):
    center = page.X.mean(0)
    _, of_centered = page.quality(cosine_matrix(page.Q - center, page.X - center))
    assert page.mrr_of[f"{page.kept[-1]}, centered"] == pytest.approx(of_centered.mean(), abs=0.01)


def test_search_finds_the_bear_on_hind_legs(page):
    first, second, *_ = page.of_bears
    assert "hind legs" in first[0] and "Sloth bears" in second[0]


def test_vectors_beat_words_in_other_draws(page):
    for task in ("field of a text", "mood of a post"):
        gain = page.judged[task, "vectors"] - page.judged[task, "words"]
        assert all(bootstrap_interval(np.mean, gain, seed=seed)[0] > 0.2 for seed in range(2))


def test_cls_turns_toward_its_own_text_only(page):
    own, of_others = page.toward[1].diagonal().mean(), page.toward[1][~np.eye(len(page.texts), dtype=bool)].mean()
    assert own > 0.4 and abs(of_others) < 0.1
