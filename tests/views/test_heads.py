"""The views of heads: what they tell without JavaScript, and what they do in a browser."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tutorial_lib.bert import Bert, Config
from tutorial_lib.views import head_view
from tutorial_lib.views.traces import Attention, pack

HOSTILE = ["<img src=x onerror=alert(1)>", "</script>", "a & b", '"quoted"']
LINES = "view => [...document.querySelectorAll('.tl-lines path')].map(p => p.getAttribute('d'))"
SWITCH_HEAD = """() => {
  const select = document.querySelectorAll('.tl-controls select')[1], times = [];
  for (let i = 0; i < 20; i++) {
    select.value = (i + 3) % 12;
    const start = performance.now();
    select.dispatchEvent(new Event('change'));
    document.body.getBoundingClientRect();
    document.querySelector('.tl-lines').getBBox();
    times.push(performance.now() - start);
  }
  return times;
}"""


def random_weights(*shape, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(shape[-1], 0.3), shape[:-1])


@pytest.fixture(scope="module")
def bert():
    torch.manual_seed(0)
    return Bert(Config(vocab_size=50, d_model=12, n_layers=2, n_heads=3, d_ff=8, n_positions=16)).eval()


@pytest.fixture(scope="module")
def encoding():
    """A batch of a pair of texts and a shorter text with two tokens of padding."""
    rows = {
        "tokens": [["[CLS]", "the", "bear", "[SEP]", "it", "[SEP]"], ["[CLS]", "a", "cat", "[SEP]", "[PAD]", "[PAD]"]],
        "ids": [[1, 5, 6, 2, 7, 2], [1, 8, 9, 2, 0, 0]],
        "attention_mask": [[1] * 6, [1] * 4 + [0] * 2],
        "token_type_ids": [[0] * 4 + [1] * 2, [0] * 6],
    }
    inputs = {name: rows[name] for name in ("ids", "attention_mask", "token_type_ids")}
    return SimpleNamespace(**rows, inputs=inputs)


def unpack(packed, n_heads):
    """What the script makes of packed numbers, in Python: one row for each head."""
    import base64

    whole = np.frombuffer(base64.b64decode(packed["data"]), "<" + packed["type"]).reshape(len(packed["steps"]), -1)
    return whole * np.array(packed["steps"])[:, None]


def test_a_model_its_trace_and_its_weights_give_the_same_view(bert, encoding):
    trace = bert.trace(**encoding.inputs)
    weights = [trace[f"layer.{i}.attention.weights"] for i in range(2)]
    views = [head_view(source, encoding, layer=1, head=2) for source in (bert, trace, weights)]
    assert views[0].data == views[1].data == views[2].data
    assert views[0].data["segments"] == [0, 0, 0, 0, 1, 1]
    assert "Layer 1, head 2. Strongest: " in views[0].say


def test_padding_is_left_out(bert, encoding):
    attention = Attention(bert, encoding, text=1)
    assert attention.tokens == ["[CLS]", "a", "cat", "[SEP]"]
    alone = bert.trace([1, 8, 9, 2])["layer.1.attention.weights"][0]
    np.testing.assert_allclose(attention.weights[1], alone, atol=1e-6)
    assert attention.stacked("queries").shape == (2, 3, 4, 4)


@pytest.mark.parametrize("n, bound", [(8, 1 / 131_070), (80, 1 / 510)])
def test_weights_travel_rounded_by_at_most_half_a_step(n, bound):
    weights = random_weights(4, 6, n, n)
    error = np.abs(unpack(pack(weights), 6) - weights.reshape(24, -1))
    assert error.max() <= bound * weights.max() * 1.0001
    signed = np.random.default_rng(0).normal(size=(4, 6, n, n))
    error = np.abs(unpack(pack(signed), 6) - signed.reshape(24, -1))
    assert error.max() <= (1 / 65_534 if n == 8 else 1 / 254) * np.abs(signed).max() * 1.0001


def test_the_default_picture_has_each_token_and_the_strongest_lines():
    view = head_view(np.array([[0.9, 0.1], [0.01, 0.99]]), ["a", "bear"])
    assert view.default.count(">bear<") == 2
    assert view.default.count("M0 ") == 3  # a weight of 0.01 is no line
    assert view.say == "Layer 0, head 0. Strongest: “bear” to “bear” (0.99), “a” to “a” (0.90), “a” to “bear” (0.10)."


def test_hostile_tokens_are_escaped():
    text = head_view(np.eye(4), HOSTILE)._repr_html_()
    assert "<img" not in text and text.count("</script>") == 2


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.eye(2), ["a"]), r"source must have weights \(..., 1, 1\) for these tokens"),
        ((np.eye(2), "ab"), "tokens must be an Encoding or a list of str"),
        ((np.eye(2) * 7, ["a", "b"]), "source must have weights from 0 to 1, got 0 to 7"),
        ((np.eye(2), ["a", "b"], 1), "layer must be from 0 to 0, got 1"),
        ((np.eye(2), ["a", "b"], 0, 3), "head must be from 0 to 0, got 3"),
        ((np.eye(2), ["a", "b"], 0, 0, [0, 2]), "segments must be 2 numbers"),
        ((np.full((2, 2), np.nan), ["a", "b"]), "finite"),
        (({"x": 1}, ["a", "b"]), "layer.0.attention.weights, got one with x"),
        ((np.eye(2), ["a", "b"], 0, 0, None, None, -1), "text must be"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        head_view(*arguments)


def test_a_model_needs_an_encoding(bert):
    with pytest.raises(TypeError, match="tokens must be an Encoding"):
        head_view(bert, ["a", "b"])


def test_a_trace_of_64_tokens_weighs_less_than_450_kb():
    for concentration in (0.05, 0.5, 50):
        weights = np.random.default_rng(0).dirichlet(np.full(64, concentration), (6, 12, 64))
        assert len(head_view(weights, ["token##"] * 64)._repr_html_().encode()) < 450_000


@pytest.mark.parametrize("n_heads, n", [(3, 9), (80, 40)])
def test_the_script_draws_the_lines_that_stand_there_without_it(open_view, n_heads, n):
    view = head_view(random_weights(2, n_heads, n, n), [f"t{i}" for i in range(n)], layer=1, head=2)
    assert view.data["weights"]["type"] == ("u2" if n == 9 else "u1")
    tabs = [open_view(view, javascript=on) for on in (False, True)]
    assert tabs[1].evaluate(LINES) == tabs[0].evaluate(LINES) != []
    assert tabs[1].locator(".tl-say").inner_text() == tabs[0].locator(".tl-say").inner_text() == view.say


@pytest.mark.timed
def test_a_head_is_switched_in_less_than_50_ms(open_view, assert_faster):
    tab = open_view(head_view(random_weights(6, 12, 64, 64), [f"t{i}" for i in range(64)]))
    assert_faster(50, lambda: tab.evaluate(SWITCH_HEAD))


def test_choices_change_the_lines(open_view):
    weights = np.zeros((2, 2, 3, 3))
    weights[0, 0], weights[0, 1] = np.eye(3), np.eye(3)[[1, 2, 0]]
    weights[1, 0], weights[1, 1] = np.eye(3)[[2, 0, 1]], [[0.5, 0.3, 0.2]] * 3
    tab = open_view(head_view(weights, ["a", "b", "c"], segments=[0, 0, 1]))
    assert tab.evaluate(LINES) == ["M0 0L1 0M0 1L1 1M0 2L1 2"]
    tab.locator("select").nth(1).select_option("1")
    assert tab.evaluate(LINES) == ["M0 0L1 1M0 1L1 2M0 2L1 0"]
    tab.locator("select").nth(0).select_option("1")
    assert [line.count("M") for line in tab.evaluate(LINES)] == [3, 3, 3]
    tab.locator("[type=range]").fill("0.25")
    assert [line.count("M") for line in tab.evaluate(LINES)] == [3, 3]
    tab.locator("select").nth(2).select_option(label="A → B")
    assert tab.evaluate(LINES) == []
    tab.locator("select").nth(2).select_option(label="B → A")
    assert tab.evaluate(LINES) == ["M0 2L1 1", "M0 2L1 0"]
    tab.locator("select").nth(2).select_option(label="all")
    tab.get_by_role("button", name="head 0").click()
    assert [line.count("M") for line in tab.evaluate(LINES)] == [3, 3, 3]
    assert tab.locator("select").nth(1).locator("option:checked").inner_text() == "all"
    tab.get_by_role("button", name="head 1").click()
    assert [line.count("M") for line in tab.evaluate(LINES)] == [3]
    assert tab.locator("select").nth(1).locator("option:checked").inner_text() == "0"


def test_a_token_is_pointed_at_and_kept_by_mouse_and_keyboard(open_view):
    weights = np.array([[[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.0, 0.0, 1.0]], np.eye(3)])
    tab = open_view(head_view(weights, ["the", "bear", "the"]))
    say = tab.locator(".tl-say")
    tab.locator(".tl-token").nth(1).hover()
    expected = "Layer 0, head 0. “bear” attends most to “bear” (0.60), “the” #2 (0.30), “the” #0 (0.10)."
    assert say.inner_text() == expected
    tab.mouse.move(0, 0)
    assert say.inner_text() != expected
    tab.locator(".tl-token").nth(0).focus()
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    tab.keyboard.press("ArrowRight")
    assert say.inner_text() == expected  # kept
    tab.locator("select").nth(1).select_option("1")
    assert say.inner_text().startswith("Layer 0, head 1. “bear” attends most to “bear” (1.00)")  # kept for other heads
    tab.locator("select").nth(1).select_option("0")
    tab.locator(".tl-token").nth(4).focus()
    tab.keyboard.press("Escape")
    assert say.inner_text().startswith("Layer 0, head 0. “bear” gets most from “bear” (0.60), “the” #0 (0.20)")
    assert tab.evaluate(LINES) == ["M0 0L1 1", "M0 1L1 1"]
    tab.locator("select").nth(1).select_option("2")  # all
    tab.locator(".tl-token").nth(1).hover()
    assert (
        "(0.80), “the” #2 (0.15), “the” #0 (0.05) on average; most in one head: head 1, “bear” (1.00)"
        in say.inner_text()
    )
    assert tab.locator("rect.tl-head").count() == 6


def test_a_token_may_be_pressed_at_first(open_view):
    weights = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.0, 0.0, 1.0]])
    view = head_view(weights, ["the", "bear", "the"], query=1)
    assert view.say == "Layer 0, head 0. “bear” attends most to “bear” (0.60), “the” #2 (0.30), “the” #0 (0.10)."
    assert view._repr_html_().count("M0 1L1") == 3 and "M0 0L1" not in view._repr_html_()
    tab = open_view(view)
    assert tab.locator(".tl-say").inner_text() == view.say
    assert tab.locator(".tl-token").nth(1).get_attribute("aria-pressed") == "true"
    tab.locator(".tl-token").nth(1).click()
    assert tab.locator(".tl-token").nth(1).get_attribute("aria-pressed") == "false"
    with pytest.raises(ValueError, match="query"):
        head_view(weights, ["the", "bear", "the"], query=3)


def test_of_several_heads_only_what_is_strong_is_drawn_and_the_strongest_last(open_view):
    weights = np.array([[[[0.95, 0.05], [0.9, 0.1]], [[0.6, 0.4], [0.75, 0.25]]]])
    tab = open_view(head_view(weights, ["a", "b"]))
    tab.locator("select").nth(1).select_option("2")  # all
    opacity = tab.locator(".tl-lines path").evaluate_all("paths => paths.map(p => +p.getAttribute('stroke-opacity'))")
    assert opacity == sorted(opacity) and sum(line.count("M") for line in tab.evaluate(LINES)) == 6
    assert "weights from 0.20 on" in tab.locator(".tl-say").inner_text()
    tab.locator(".tl-token").nth(0).hover()
    assert sum(line.count("M") for line in tab.evaluate(LINES)) == 4  # of one token, all


def test_a_weight_below_the_limit_is_not_written(open_view):
    tab = open_view(head_view(np.array([[0.9, 0.1], [0.5, 0.5]]), ["a", "b"]))
    tab.locator("[type=range]").fill("0.2")
    tab.locator(".tl-token").nth(0).hover()
    assert tab.locator(".tl-number").all_text_contents() == [".90"]


def test_with_no_head_chosen_a_token_can_still_be_pointed_at(open_view):
    tab = open_view(head_view(np.eye(2), ["a", "b"]), head_view(np.stack([np.eye(2)] * 2), ["a", "b"]))
    second = tab.locator(".tl-view").nth(1)
    second.get_by_role("button", name="head 0").click()
    second.locator(".tl-token").nth(0).click()
    assert second.locator(".tl-say").inner_text() == "Layer 0: no head is chosen."


def test_numbers_of_numpy_and_torch_choose_layer_and_head():
    view = head_view(np.stack([np.eye(2)] * 3)[None], ["a", "b"], layer=np.int64(0), head=torch.tensor(2))
    assert '"head":2' in view._repr_html_()
    for head in (True, 1.0, 3, -1, "0", torch.tensor(1.0)):
        with pytest.raises(ValueError, match="head must be from 0 to 0, got"):
            head_view(np.eye(2), ["a", "b"], head=head)


def test_two_texts_may_have_different_tokens(open_view):
    weights = random_weights(1, 2, 3, 5)
    tab = open_view(head_view(weights, list("abc"), keys=list("vwxyz")))
    assert tab.locator(".tl-token").count() == 8
    tab.locator(".tl-token").nth(7).hover()
    assert "“z” gets most from" in tab.locator(".tl-say").inner_text()


def test_hostile_tokens_are_shown_and_several_views_fit_on_a_page(open_view):
    tab = open_view(*[head_view(np.eye(4), HOSTILE)] * 2, head_view(np.eye(1), ["x"]))
    tab.locator(".tl-token").nth(0).click()
    assert "<img src=x onerror=alert(1)>" in tab.locator(".tl-say").nth(0).inner_text()
    assert tab.locator("img").count() == 0
    assert tab.locator(".tl-say").nth(1).inner_text() != tab.locator(".tl-say").nth(0).inner_text()


def test_the_head_view_is_for_everyone(assert_accessible):
    weights = random_weights(2, 12, 7, 7)
    assert_accessible(
        head_view(weights, ["[CLS]", "the", "incomprehensibility", "of", "熊熊熊熊熊熊熊熊", "!", "[SEP]"], head=None)
    )
