"""The view of one layer's heads: its lines are the weights, for all selections."""

import base64

import numpy as np
import pytest
import torch

from tests.views.examples import random_weights
from tutorial_lib.bert import Bert, Config
from tutorial_lib.tokenization import Encoding
from tutorial_lib.views import head_view
from tutorial_lib.views.traces import Attention, pack

LINES = "view => [...document.querySelectorAll('.tl-lines path')].map(p => p.getAttribute('d'))"
OPACITY = "paths => paths.map(p => +p.getAttribute('stroke-opacity'))"


@pytest.fixture(scope="module")
def tiny():
    torch.manual_seed(0)
    return Bert(Config(vocab_size=50, d_model=12, n_layers=2, n_heads=3, d_ff=8, n_positions=16)).eval()


@pytest.fixture(scope="module")
def encoding():
    """A pair of texts."""
    tokens = ["[CLS]", "the", "bear", "[SEP]", "it", "[SEP]"]
    return Encoding([1, 5, 6, 2, 7, 2], tokens, [0] * 4 + [1] * 2, [1] * 6)


def strokes(tab):
    """How many lines each head has."""
    return [line.count("M") for line in tab.evaluate(LINES)]


def test_model_trace_and_weights_give_one_view(tiny, encoding):
    trace = tiny.trace(**encoding.inputs)
    weights = [trace[f"layer.{i}.attention.weights"] for i in range(2)]
    views = [head_view(source, encoding, layer=1, head=2) for source in (tiny, trace, weights)]
    assert views[0].data == views[1].data == views[2].data
    assert views[0].data["segments"] == [0, 0, 0, 0, 1, 1]
    assert "Layer 1, head 2. Strongest: " in views[0].say
    numbers = head_view(weights, encoding, layer=np.int64(1), head=torch.tensor(2))
    assert numbers.data == views[0].data


def test_padding_is_left_out(tiny):
    attention = Attention(tiny, Encoding([1, 8, 9, 2], ["[CLS]", "a", "cat", "[SEP]"], [0] * 4, [1] * 4).pad(6, 0, "-"))
    assert attention.tokens == ["[CLS]", "a", "cat", "[SEP]"]
    alone = tiny.trace([1, 8, 9, 2])["layer.1.attention.weights"][0]
    np.testing.assert_allclose(attention.weights[1], alone, atol=1e-6)
    assert attention.stacked("queries").shape == (2, 3, 4, 4)


@pytest.mark.parametrize("n, kind, levels", [(8, "2", 2**16 - 1), (80, "1", 2**8 - 1)])
def test_weights_travel_rounded_by_half_a_step(n, kind, levels):
    for sign, numbers in (("u", random_weights(4, 6, n, n)), ("i", np.random.default_rng(0).normal(size=(4, 6, n, n)))):
        packed = pack(numbers)
        assert packed["type"] == sign + kind
        whole = np.frombuffer(base64.b64decode(packed["data"]), "<" + packed["type"]).reshape(24, -1)
        error = np.abs(whole * np.array(packed["steps"])[:, None] - numbers.reshape(24, -1)).max()
        step = np.abs(numbers).max() / (levels if sign == "u" else levels // 2)
        assert error <= step / 2 * 1.0001


def test_weak_weights_are_not_drawn():
    view = head_view(np.array([[0.9, 0.1], [0.01, 0.99]]), ["a", "bear"])
    assert view.default.count(">bear<") == 2 and view.default.count("M0 ") == 3
    assert view.say == "Layer 0, head 0. Strongest: “bear” to “bear” (0.99), “a” to “a” (0.90), “a” to “bear” (0.10)."


def test_choices_change_the_lines(open_view):
    weights = np.zeros((2, 2, 3, 3))
    weights[0, 0], weights[0, 1] = np.eye(3), np.eye(3)[[1, 2, 0]]
    weights[1, 0], weights[1, 1] = np.eye(3)[[2, 0, 1]], [[0.5, 0.3, 0.2]] * 3
    tab = open_view(head_view(weights, Encoding([5, 6, 7], ["a", "b", "c"], [0, 0, 1], [1, 1, 1])))
    layer, head, segment = (tab.locator("select").nth(k) for k in range(3))
    assert tab.evaluate(LINES) == ["M0 0L1 0M0 1L1 1M0 2L1 2"]
    head.select_option("1")
    assert tab.evaluate(LINES) == ["M0 0L1 1M0 1L1 2M0 2L1 0"]
    layer.select_option("1")
    assert strokes(tab) == [3, 3, 3]
    tab.locator("[type=range]").fill("0.25")
    assert strokes(tab) == [3, 3]
    segment.select_option(label="A → B")
    assert tab.evaluate(LINES) == []
    segment.select_option(label="B → A")
    assert tab.evaluate(LINES) == ["M0 2L1 1", "M0 2L1 0"]
    segment.select_option(label="all")
    for pressed, lines, chosen in (("head 0", [3, 3, 3], "all"), ("head 1", [3], "0")):
        tab.get_by_role("button", name=pressed).click()
        assert strokes(tab) == lines and head.locator("option:checked").inner_text() == chosen
    tab.get_by_role("button", name="head 0").click()
    tab.locator(".tl-token").nth(0).click()
    assert tab.locator(".tl-say").inner_text() == "Layer 1: no head is chosen."


def test_tokens_answer_mouse_and_keyboard(open_view):
    weights = np.array([[[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.0, 0.0, 1.0]], np.eye(3)])
    tab = open_view(head_view(weights, ["the", "bear", "the"]))
    say, tokens, head = tab.locator(".tl-say"), tab.locator(".tl-token"), tab.locator("select").nth(1)
    tokens.nth(1).hover()
    bear = "Layer 0, head 0. “bear” attends most to “bear” (0.60), “the” #2 (0.30), “the” #0 (0.10)."
    assert say.inner_text() == bear
    tab.mouse.move(0, 0)
    assert say.inner_text() != bear
    tokens.nth(0).focus()
    for key in ("ArrowDown", "Enter", "ArrowRight"):
        tab.keyboard.press(key)
    assert say.inner_text() == bear  # kept
    head.select_option("1")
    assert say.inner_text().startswith("Layer 0, head 1. “bear” attends most to “bear” (1.00)")  # kept for other heads
    head.select_option("0")
    tokens.nth(4).focus()
    tab.keyboard.press("Escape")
    assert say.inner_text().startswith("Layer 0, head 0. “bear” gets most from “bear” (0.60), “the” #0 (0.20)")
    assert tab.evaluate(LINES) == ["M0 0L1 1", "M0 1L1 1"]
    head.select_option("2")  # all
    tokens.nth(1).hover()
    mean = "(0.80), “the” #2 (0.15), “the” #0 (0.05) on average; most in one head: head 1, “bear” (1.00)"
    assert mean in say.inner_text() and tab.locator("rect.tl-head").count() == 6


def test_token_may_be_pressed_at_first(open_view):
    view = head_view([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.0, 0.0, 1.0]], ["the", "bear", "the"], query=1)
    assert view.say == "Layer 0, head 0. “bear” attends most to “bear” (0.60), “the” #2 (0.30), “the” #0 (0.10)."
    assert view._repr_html_().count("M0 1L1") == 3 and "M0 0L1" not in view._repr_html_()
    token = open_view(view).locator(".tl-token").nth(1)
    for pressed in ("true", "false"):
        assert token.get_attribute("aria-pressed") == pressed
        token.click()


def test_several_heads_show_strong_weights_last(open_view):
    weights = np.array([[[[0.95, 0.05], [0.9, 0.1]], [[0.6, 0.4], [0.75, 0.25]]]])
    tab = open_view(head_view(weights, ["a", "b"]))
    tab.locator("select").nth(1).select_option("2")  # all
    opacity = tab.locator(".tl-lines path").evaluate_all(OPACITY)
    assert opacity == sorted(opacity) and sum(strokes(tab)) == 6
    assert "Weights of 0.20 or more" in tab.locator(".tl-say").inner_text()
    tab.locator(".tl-token").nth(0).hover()
    assert sum(strokes(tab)) == 4  # of one token, all
    tab.locator("select").nth(1).select_option("0")
    tab.locator("[type=range]").fill("0.2")
    tab.locator(".tl-token").nth(0).hover()
    assert tab.locator(".tl-number").all_text_contents() == [".95"]  # none below the limit


def test_two_texts_may_have_different_tokens(open_view):
    tab = open_view(head_view(random_weights(1, 2, 3, 5), list("abc"), keys=list("vwxyz")))
    assert tab.locator(".tl-token").count() == 8
    tab.locator(".tl-token").nth(7).hover()
    assert "“z” gets most from" in tab.locator(".tl-say").inner_text()
