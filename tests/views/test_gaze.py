"""A sentence that looks at itself: what a word does that is pointed at."""

import numpy as np

from tutorial_lib.views import gaze_view

TOKENS = ["[CLS]", "a", "ser", "##end", "<b>"]
A = np.random.default_rng(0).dirichlet(np.full(5, 0.3), 5)


def said(i):
    j = int(A[i].argmax())
    shown = [token.replace("##", "-") for token in TOKENS]
    return f"“{shown[i]}” looks most at “{shown[j]}”: {f'{A[i, j]:.2f}'.removeprefix('0')} of its weight."


def test_token_that_looks_furthest_comes_first():
    others = A - np.diag(np.diag(A))
    assert gaze_view(A, TOKENS).say == said(others.max(1).argmax())


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
    assert tab.locator(".tl-gaze path").count() == sum(A[3, j] >= 0.02 for j in (0, 1, 2, 4))


def test_long_text_scrolls_by_itself(open_view):
    n = 60
    tab = open_view(gaze_view(np.full((n, n), 1 / n), ["elephants"] * n), width=800)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 800
    assert tab.locator(".tl-picture").evaluate("box => box.scrollWidth > box.clientWidth")
