"""A sentence attending to itself: the effect of pointing at a word."""

import numpy as np
import pytest

from tutorial_lib.views import gaze_view

TOKENS = ["[CLS]", "a", "ser", "##end", "<b>"]
A = np.random.default_rng(0).dirichlet(np.full(5, 0.3), 5)


def said(i):
    j = int(A[i].argmax())
    shown = [token.replace("##", "-") for token in TOKENS]
    return f"“{shown[i]}” looks most at “{shown[j]}”: {f'{A[i, j]:.2f}'.removeprefix('0')} of its weight."


@pytest.mark.parametrize(
    "tokens, place",
    [
        (["[CLS]", "a", "bear", ".", "[SEP]"], 2),
        (["a", "ser", "##end", "##ip", "."], 0),
        (["[CLS]", "ser", "##end", ".", "[SEP]"], 1),  # no word is whole
        ([".", "-", "...", "1", "!"], 3),
        ([".", "-", "...", "?", "!"], 0),
    ],
)
def test_word_with_strongest_link_asks_first(tokens, place):
    weights = np.full((5, 5), 0.01)
    weights[2, 1] = 0.5  # "bear" to "a"
    weights[[0, 1, 2, 3, 4], [3, 3, 2, 4, 0]] = 0.9  # to marks, to itself
    shown = tokens[place].replace("##", "-")
    assert gaze_view(weights, tokens).say.startswith(f"“{shown}” looks")


def test_words_look_by_pointer_press_and_key(open_view):
    tab = open_view(gaze_view(A, TOKENS, query=0))
    words, say = tab.locator(".tl-gaze button"), tab.locator(".tl-say")
    words.nth(1).hover()
    assert say.inner_text() == said(1)
    words.nth(2).click()
    assert say.inner_text() == said(2)
    tab.keyboard.press("ArrowRight")
    assert say.inner_text() == said(3)
    assert words.evaluate_all("words => words.map(word => word.ariaPressed)") == ["false"] * 3 + ["true", "false"]
    seen = [A[3, j] for j in (0, 1, 2, 4) if A[3, j] >= 0.02]
    widths = tab.locator(".tl-gaze path").evaluate_all("paths => paths.map(path => +path.getAttribute('stroke-width'))")
    assert widths == pytest.approx([max(1, 14 * weight) for weight in seen], abs=0.06)


def test_long_text_wraps(open_view):
    n = 60
    tab = open_view(gaze_view(np.full((n, n), 1 / n), ["elephants"] * n), width=800)
    fits = "box => box.scrollWidth <= box.clientWidth"
    assert tab.locator(".tl-picture").evaluate(fits) and not tab.locator(".tl-gaze svg").is_visible()
    tab.set_viewport_size({"width": 9000, "height": 900})
    tab.locator(".tl-gaze svg").wait_for()
    assert tab.locator(".tl-picture").evaluate(fits)
