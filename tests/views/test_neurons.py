"""The neuron view: its numbers are the library's, its bars the vectors, in Python and in the browser."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tutorial_lib.attention import attention, causal_mask
from tutorial_lib.views import neuron_view
from tutorial_lib.views.neurons import HALF, bars, number

HOSTILE = ["<img src=x onerror=alert(1)>", "</script>", "a & b", "d"]
CELLS = """() => [...document.querySelectorAll('.tl-neurons tbody tr:not(.tl-detail)')].map(
  row => [...row.cells].map(cell => cell.textContent))"""
SWITCH_HEAD = """() => {
  const select = document.querySelectorAll('.tl-controls select')[1], times = [];
  for (let i = 0; i < 20; i++) {
    select.value = (i + 3) % 12;
    const start = performance.now();
    select.dispatchEvent(new Event('change'));
    document.querySelector('.tl-neurons').getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""


def made_up_trace(n_layers, n_heads, n, d_k, mask=None, m=None):
    """What a model's trace holds, of random queries and keys, computed by the library."""
    torch.manual_seed(0)
    trace = {}
    for i in range(n_layers):
        Q, K = torch.randn(1, n_heads, n, d_k), torch.randn(1, n_heads, m or n, d_k)
        _, weights = attention(Q, K, K, mask)
        named = {"queries": Q, "keys": K, "weights": weights, "scores": Q @ K.mT / d_k**0.5}
        trace |= {f"layer.{i}.attention.{name}": value for name, value in named.items()}
    return trace


def as_number(text):
    return float(text.replace("−", "-"))


def test_the_browser_computes_the_librarys_numbers(open_view):
    trace = made_up_trace(2, 3, 10, 8)
    tab = open_view(neuron_view(trace, list("abcdefghij"), layer=1, head=2, query=4))
    cells = tab.evaluate(CELLS)
    assert [row[0] for row in cells] == list("abcdefghij")
    scores, weights = (trace[f"layer.1.attention.{name}"][0, 2, 4].numpy() for name in ("scores", "weights"))
    np.testing.assert_allclose([as_number(row[4]) for row in cells], scores, atol=0.0051)
    np.testing.assert_allclose([as_number(row[3]) for row in cells], scores * 8**0.5, atol=0.0056)
    np.testing.assert_allclose([as_number(row[5]) for row in cells], weights, atol=0.00051)
    tab.locator("select").nth(0).select_option("0")
    tab.locator("select").nth(1).select_option("1")
    tab.locator("select").nth(2).select_option("9")
    weights = trace["layer.0.attention.weights"][0, 1, 9].numpy()
    np.testing.assert_allclose([as_number(row[5]) for row in tab.evaluate(CELLS)], weights, atol=0.00051)


def test_the_script_says_what_stands_there_without_it(open_view):
    view = neuron_view(made_up_trace(1, 2, 20, 4), [f"t{i}" for i in range(20)], head=1, query=3)
    without, alive = (open_view(view, javascript=on) for on in (False, True))
    for selector in (".tl-say", ".tl-neurons caption", ".tl-neurons thead", ".tl-neurons tbody"):
        texts = [re.sub(r"Counts most.*?\.\n|\s", "", tab.locator(selector).inner_text()) for tab in (without, alive)]
        assert texts[0] == texts[1] != ""
    paths = "view => [...document.querySelectorAll('.tl-neurons path')].map(p => p.getAttribute('d'))"
    assert len(alive.evaluate(CELLS)) == 16 and without.locator("tbody tr").count() == 16
    alive_paths = alive.evaluate(paths)
    assert len(alive_paths) == 2 * (1 + 2 * 16)
    assert re.findall(r' d="([^"]+)"', view.default) == alive_paths


def test_the_error_that_rounding_makes_is_told():
    exact = neuron_view(made_up_trace(1, 1, 4, 4), list("abcd"))
    assert "rounded" not in exact.say and exact.data["error"] < 5e-4
    rough = neuron_view(made_up_trace(6, 12, 64, 32), ["t"] * 64)
    assert rough.data["Q"]["type"] == "i1" and 5e-4 < rough.data["error"] < 0.02
    assert f"no weight is off by more than {rough.data['error']:.4f}" in rough.say


def test_masked_keys_have_no_weight(open_view):
    trace = made_up_trace(1, 2, 5, 4, mask=causal_mask(5))
    view = neuron_view(trace, list("abcde"), query=2)
    assert view.data["error"] < 5e-4
    cells = open_view(view).evaluate(CELLS)
    assert [row[5] for row in cells][3:] == ["0.000", "0.000"]
    np.testing.assert_allclose(
        [float(row[5]) for row in cells], trace["layer.0.attention.weights"][0, 0, 2], atol=0.00051
    )


def test_bars_are_the_numbers():
    up, down = re.findall(r' d="M0 20([^"]*)V20z"', bars(np.array([2.0, -1.0, 0.0]), 2.0))
    assert [HALF - int(y) for y in re.findall(r"V(\d+)h1", up)] == [20, 0, 0]
    assert [HALF - int(y) for y in re.findall(r"V(\d+)h1", down)] == [0, -10, 0]


def test_numbers_are_short():
    assert [number(x) for x in (0.0, -9.876, 1234.56)] == ["0.00", "−9.88", "1234.6"]


@pytest.mark.timed
def test_a_trace_of_64_tokens_weighs_less_than_450_kb_and_redraws_in_50_ms(open_view, assert_faster, opening_time):
    view = neuron_view(made_up_trace(6, 12, 64, 32), [f"token{i}" for i in range(64)])
    assert len(view._repr_html_().encode()) < 450_000
    tab = open_view(view)
    assert_faster(1000, lambda: opening_time(view))
    tab.locator("select").nth(3).select_option("0")  # all 64 keys
    assert len(tab.evaluate(CELLS)) == 64
    assert_faster(50, lambda: tab.evaluate(SWITCH_HEAD))


def test_a_key_opens_and_a_bar_tells_its_numbers(open_view):
    trace = {"layer.0.attention.queries": np.array([[1.0, -2.0]]), "layer.0.attention.keys": np.array([[0.5, 3.0]])}
    tab = open_view(neuron_view(trace | {"layer.0.attention.weights": np.ones((1, 1))}, ["bear"]))
    assert tab.evaluate(CELLS) == [["bear", "", "", "−5.50", "−3.89", "1.000"]]
    assert not tab.locator(".tl-detail").is_visible()
    tab.get_by_role("button", name="bear").press("Enter")
    expected = "Counts most in q · k = −5.50: coordinate 1: −2.00 × 3.00 = −6.00; coordinate 0: 1.00 × 0.50 = 0.50."
    assert tab.locator(".tl-detail").inner_text().strip() == expected
    tab.mouse.move(0, 0)
    box = tab.locator("thead svg").bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 5)
    assert tab.locator(".tl-say").inner_text() == "Coordinate 0 of q: 1.00."
    box = tab.locator("tbody svg").nth(1).bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 5)
    assert tab.locator(".tl-say").inner_text() == "Coordinate 1, key “bear”: −2.00 × 3.00 = −6.00."


def test_cross_attention_has_other_keys(open_view):
    trace = made_up_trace(1, 2, 3, 4, m=5)
    tab = open_view(neuron_view(trace, list("abc"), keys=list("vwxyz")))
    assert [row[0] for row in tab.evaluate(CELLS)] == list("vwxyz")


def test_padding_has_no_rows():
    tokens = SimpleNamespace(tokens=["a", "b", "[PAD]"], token_type_ids=[0, 0, 0], attention_mask=[1, 1, 0])
    mask = torch.tensor([True, True, False])
    view = neuron_view(made_up_trace(1, 2, 3, 4, mask=mask), tokens)
    assert view.default.count("<tr>") == 1 + 2 and "[PAD]" not in view.default and view.data["error"] < 5e-4


@pytest.mark.parametrize(
    "change, message",
    [
        ({"query": 4}, "query must be from 0 to 3, got 4"),
        ({"head": 1}, "head must be"),
        ({"layer": -1}, "layer must be"),
    ],
)
def test_bad_places_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        neuron_view(made_up_trace(1, 1, 4, 4), list("abcd"), **change)


def test_weights_alone_are_not_enough():
    with pytest.raises(ValueError, match="layer.0.attention.queries, got weights alone"):
        neuron_view(np.eye(2), ["a", "b"])


def test_hostile_tokens_are_shown_and_several_views_fit_on_a_page(open_view):
    view = neuron_view(made_up_trace(1, 1, 4, 4), HOSTILE)
    assert "<img" not in view._repr_html_() and view._repr_html_().count("</script>") == 2
    tab = open_view(view, view)
    tab.locator("select").nth(2).select_option("1")
    assert "“</script>” gives most weight" in tab.locator(".tl-say").nth(0).inner_text()
    assert "“<img src=x onerror=alert(1)>” gives" in tab.locator(".tl-say").nth(1).inner_text()
    assert tab.locator("img").count() == 0


def test_the_neuron_view_is_for_everyone(assert_accessible):
    assert_accessible(neuron_view(made_up_trace(2, 12, 20, 32), ["[CLS]", "incomprehensibility"] * 10))
