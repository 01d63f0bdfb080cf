import numpy as np
import pytest

from tutorial_book import plots


def test_the_pair_is_marked_at_its_place_and_height():
    scores = np.array([1.0, 0.2, 0.5, 1.0, 0.1])
    ax = plots.limits.around_the_curve([0, 72, 144, 216, 288], scores, (0, 3))
    dots, marked, level = ax.lines
    assert dots.get_ydata().tolist() == scores.tolist()
    assert marked.get_xydata().tolist() == [[0, 1], [216, 1]] and level.get_ydata()[0] == 1
    assert [text.get_text() for text in ax.texts] == ["text i", "text j"]


def test_the_most_texts_stand_beside_the_law_and_what_exists():
    ax = plots.limits.most_texts(
        [2, 3, 4, 5], {"seed 0": [3, 4, 9, 13], "seed 1": [3, 4, 8, 14]}, ("law", [3, 5, 8, 14]), 46
    )
    named = {line.get_label(): line for line in ax.lines}
    assert named["seed 1"].get_xydata().tolist() == [[2, 3], [3, 4], [4, 8], [5, 14]]
    assert named["law"].get_ydata().tolist() == [3, 5, 8, 14] and ax.get_yscale() == "log"
    assert named["what exists"].get_xydata()[:2].tolist() == [[2, 3], [3, 4]]
    assert {text.get_text() for text in ax.texts} == {"every number of texts", "46 texts"}


def test_likes_are_drawn_with_bands_and_chance():
    ax = plots.limits.by_likes({"one": ([1, 0.5], [1, 0.4], [1, 0.6]), "two": ([1, 1], [1, 1], [1, 1])}, [1, 10], 0.04)
    assert ax.lines[0].get_xydata().tolist() == [[1, 1], [10, 0.5]] and len(ax.collections) == 2
    assert ax.lines[2].get_ydata()[0] == pytest.approx(0.04) and ax.get_xscale() == "log"


def test_weights_are_drawn_from_0_to_1():
    ax = plots.limits.by_weight({"profiles": [0.1, 0.9], "questions": [0.7, 0.5]}, [0, 0.1])
    assert ax.lines[1].get_xydata().tolist() == [[0, 0.7], [0.1, 0.5]] and ax.get_ylim() == (0, 1.04)
