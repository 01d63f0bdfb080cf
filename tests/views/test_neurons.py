"""The neuron view: its numbers are the library's, its bars the vectors."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.views.examples import made_up_trace
from tutorial_lib import llama
from tutorial_lib.attention import causal_mask
from tutorial_lib.views import neuron_view

CELLS = """() => [...document.querySelectorAll('.tl-neurons tbody tr:not(.tl-detail)')].map(
  row => [...row.cells].map(cell => cell.textContent))"""


def column(tab, place):
    return [float(row[place].replace("−", "-")) for row in tab.evaluate(CELLS)]


def test_browser_computes_the_librarys_numbers(open_view):
    trace = made_up_trace(2, 3, 10, 8)
    tab = open_view(neuron_view(trace, list("abcdefghij"), layer=1, head=2, query=4))
    assert [row[0] for row in tab.evaluate(CELLS)] == list("abcdefghij")
    scores, weights = (trace[f"layer.1.attention.{name}"][0, 2, 4].numpy() for name in ("scores", "weights"))
    np.testing.assert_allclose(column(tab, 3), scores * 8**0.5, atol=0.0056)
    np.testing.assert_allclose(column(tab, 4), scores, atol=0.0051)
    np.testing.assert_allclose(column(tab, 5), weights, atol=0.00051)
    for place, value in enumerate(("0", "1", "9")):
        tab.locator("select").nth(place).select_option(value)
    np.testing.assert_allclose(column(tab, 5), trace["layer.0.attention.weights"][0, 1, 9], atol=0.00051)


def test_sixteen_strongest_keys_are_shown_first(open_view):
    trace = made_up_trace(1, 2, 64, 4)
    tab = open_view(neuron_view(trace, [f"t{i}" for i in range(64)], head=1, query=3))
    strongest = trace["layer.0.attention.weights"][0, 1, 3].topk(16).indices.sort().values
    assert [row[0] for row in tab.evaluate(CELLS)] == [f"t{i}" for i in strongest]
    tab.locator("select").nth(3).select_option("0")  # all
    assert len(tab.evaluate(CELLS)) == 64


def test_error_by_rounding_is_stated():
    exact = neuron_view(made_up_trace(1, 1, 4, 4), list("abcd"))
    assert "rounded" not in exact.say and exact.data["error"] < 5e-4
    rough = neuron_view(made_up_trace(6, 12, 64, 32), ["t"] * 64)
    assert rough.data["Q"]["type"] == "i1" and 5e-4 < rough.data["error"] < 0.02
    assert f"no weight is off by more than {rough.data['error']:.4f}" in rough.say


def test_masked_keys_have_no_weight(open_view):
    trace = made_up_trace(1, 2, 5, 4, mask=causal_mask(5))
    view = neuron_view(trace, list("abcde"), query=2)
    assert view.data["error"] < 5e-4
    weights = column(open_view(view), 5)
    assert weights[3:] == [0, 0]
    np.testing.assert_allclose(weights, trace["layer.0.attention.weights"][0, 0, 2], atol=0.00051)


def test_bars_and_numbers_are_the_vectors():
    """Bars are 20 high at most, and a number has seven characters at most."""
    trace = {"layer.0.attention.queries": np.array([[2.0, -1.0, 0.0]]), "layer.0.attention.weights": np.ones((1, 1))}
    view = neuron_view(trace | {"layer.0.attention.keys": np.array([[0.5, 1.0, 2.0]])}, ["bear"])
    up, down = re.findall(r' d="M0 20([^"]*)V20z"', view.default)[:2]
    assert [20 - int(y) for y in re.findall(r"V(\d+)h1", up)] == [20, 0, 0]
    assert [20 - int(y) for y in re.findall(r"V(\d+)h1", down)] == [0, -10, 0]
    large = neuron_view(trace | {"layer.0.attention.keys": np.array([[-617.3, 0.0, 0.0]])}, ["bear"])
    assert "q · k is 0.00, scaled 0.00" in view.say and "q · k is −1234.6, scaled −712.8" in large.say


def test_key_opens_and_bar_tells_numbers(open_view):
    trace = {"layer.0.attention.queries": np.array([[1.0, -2.0]]), "layer.0.attention.keys": np.array([[0.5, 3.0]])}
    tab = open_view(neuron_view(trace | {"layer.0.attention.weights": np.ones((1, 1))}, ["bear"]))
    assert tab.evaluate(CELLS) == [["bear", "", "", "−5.50", "−3.89", "1.000"]]
    assert not tab.locator(".tl-detail").is_visible()
    tab.get_by_role("button", name="bear").press("Enter")
    expected = "Counts most in q · k = −5.50: coordinate 1: −2.00 × 3.00 = −6.00; coordinate 0: 1.00 × 0.50 = 0.50."
    assert tab.locator(".tl-detail").inner_text().strip() == expected
    for svg, share, said in (
        (tab.locator("thead svg"), 0.25, "Coordinate 0 of q: 1.00."),
        (tab.locator("tbody svg").nth(1), 0.75, "Coordinate 1, key “bear”: −2.00 × 3.00 = −6.00."),
    ):
        box = svg.bounding_box()
        tab.mouse.move(box["x"] + box["width"] * share, box["y"] + 5)
        assert tab.locator(".tl-say").inner_text() == said


def test_cross_attention_has_other_keys(open_view):
    tab = open_view(neuron_view(made_up_trace(1, 2, 3, 4, m=5), list("abc"), keys=list("vwxyz")))
    assert [row[0] for row in tab.evaluate(CELLS)] == list("vwxyz")


def test_padding_has_no_rows():
    tokens = SimpleNamespace(tokens=["a", "b", "[PAD]"], token_type_ids=[0, 0, 0], attention_mask=[1, 1, 0])
    mask = torch.tensor([True, True, False])
    view = neuron_view(made_up_trace(1, 2, 3, 4, mask=mask), tokens)
    assert view.default.count("<tr>") == 1 + 2 and "[PAD]" not in view.default and view.data["error"] < 5e-4


def test_rotary_positions_and_shared_keys_are_followed():
    for kinds in (dict(n_kv_heads=2), dict()):
        model = llama.Llama(llama.Config(vocab_size=60, d_model=16, n_layers=2, n_heads=4, d_ff=24, **kinds)).eval()
        view = neuron_view(model.trace([[5, 6, 7, 8]]), list("abcd"), layer=1, head=3, query=2)
        assert view.data["error"] < 5e-4


def test_weights_of_other_queries_are_rejected():
    trace = made_up_trace(1, 2, 5, 4)
    trace["layer.0.attention.keys"] = -3 * trace["layer.0.attention.keys"]
    with pytest.raises(ValueError, match="weights that follow from its queries and keys, got one that is off by"):
        neuron_view(trace, list("abcde"))
