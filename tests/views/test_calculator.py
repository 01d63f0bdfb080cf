"""The attention calculator: its page computes the same as the library."""

import math

import pytest
import torch

from tests.views.examples import type_number
from tutorial_book.experiments import attention as toy
from tutorial_lib.attention import attention, causal_mask, scores
from tutorial_lib.views import attention_calculator

MATRICES = """root => Object.fromEntries([...root.querySelectorAll('table')].map(t => [t.dataset.matrix,
  [...t.tBodies[0].rows].map(r => [...r.cells].slice(1).map(c => Number(c.dataset.value)))]))"""
LABEL = "X, painted, column 1"


@pytest.fixture(scope="module")
def calculator():
    return attention_calculator(toy.TOKENS, toy.X, toy.W_Q, toy.W_K, toy.W_V)


def toy_inputs():
    return {name: getattr(toy, name).clone() for name in ("X", "W_Q", "W_K", "W_V")}


def steps(M, scaled=True, masked=False):
    """Every matrix that the calculator shows, by the library."""
    Q, K, V = M["X"] @ M["W_Q"], M["X"] @ M["W_K"], M["X"] @ M["W_V"]
    factor = 1 if scaled else math.sqrt(Q.shape[1])  # the library always divides, so multiply the queries first
    mask = causal_mask(len(Q)) if masked else torch.ones(len(Q), len(Q), dtype=torch.bool)
    output, A = attention(factor * Q, K, V, mask)
    logits = scores(factor * Q, K).masked_fill(~mask, -torch.inf)
    return M | {"Q": Q, "K": K, "V": V, "scores": Q @ K.T, "scaled": logits, "weights": A, "output": output}


def shown(root):
    return {name: torch.tensor(M, dtype=torch.float64) for name, M in root.evaluate(MATRICES).items()}


def assert_shows(root, expected, **more):
    page = shown(root)
    assert page.keys() == expected.keys()
    for name, M in expected.items():
        tolerance = {"rtol": 0, "atol": 1e-6} | more
        torch.testing.assert_close(page[name], M, **tolerance, msg=lambda text, name=name: f"{name}: {text}")


def edit(tab, root, label, text):
    type_number(tab, root.get_by_label(label, exact=True), text)


def test_first_picture_is_the_toy_example(open_view, calculator):
    root = open_view(calculator, javascript=False).locator(".tl-view")
    assert root.locator("table").count() == 11
    assert root.locator(".tl-say").inner_text() == "painted attends most to painted (0.55), then The (0.15)."
    assert root.get_by_role("row", name="painted 0.02 0.15 0.10 0.55 0.05 0.09 0.06").count() == 1


def test_every_step_equals_the_library(open_view, calculator):
    """At first, after each kind of number, with keys, with each choice, and after Reset; its neighbor stays."""
    tab = open_view(calculator, calculator)
    (root, other), M = tab.locator(".tl-view").all(), toy_inputs()
    assert_shows(root, steps(M))
    edits = [("X", "painted", 3, 1, "-0.25"), ("X", "[SEP]", 6, 3, "2e-1"), ("W_Q", "row 1", 0, 0, "−1.5"),
             ("W_K", "row 4", 3, 2, ".75"), ("W_V", "row 2", 1, 3, "+3")]  # fmt: skip
    for matrix, place, i, j, text in edits:
        edit(tab, root, f"{matrix}, {place}, column {j + 1}", text)
        M[matrix][i, j] = float(text.replace("−", "-"))
        assert_shows(root, steps(M))
    field = root.get_by_label("W_V, row 1, column 1")
    for _ in range(4):
        field.press("ArrowDown")
    assert field.input_value() == "-0.1"
    M["W_V"][0, 0] = -0.1
    for toggled, choices in (
        ("causal mask", {"masked": True}),
        ("divide by √d_k", {"scaled": False, "masked": True}),
        ("causal mask", {"scaled": False}),
    ):
        root.get_by_label(toggled).press("Space")
        assert_shows(root, steps(M, **choices))
    root.get_by_role("button", name="Reset").press("Enter")
    assert root.get_by_label("W_Q, row 1, column 1").input_value() == "0.1"
    for each in (root, other):
        assert_shows(each, steps(toy_inputs()))


def test_large_numbers_do_not_overflow(open_view, calculator):
    tab = open_view(calculator)
    root, M = tab.locator(".tl-view"), toy_inputs()
    for matrix, place in (("X", "painted"), ("W_Q", "row 1"), ("W_K", "row 1"), ("W_V", "row 1")):
        edit(tab, root, f"{matrix}, {place}, column 1", "1000000")
        M[matrix][3 if matrix == "X" else 0, 0] = 1e6
    assert_shows(root, steps(M), rtol=1e-12)
    assert "e+2" in root.locator("[data-matrix=scores] tr[aria-current] td").nth(3).inner_text()


def test_bad_numbers_keep_the_last_good_one(open_view, calculator):
    tab = open_view(calculator)
    root, good = tab.locator(".tl-view"), toy_inputs()
    field, good["X"][3, 0] = root.get_by_label(LABEL), 0.5
    for bad in ("", "abc", "1e999", "-", "0x10", "1,5", "NaN", "Infinity", "1000001", "<b>1</b>"):
        edit(tab, root, LABEL, "0.5")
        tab.keyboard.press("Enter")
        edit(tab, root, LABEL, bad)
        assert field.get_attribute("aria-invalid") == "true"
        message = root.get_by_role("alert").inner_text()
        assert "0.5 stays" in message and LABEL in message and bad in message
        assert_shows(root, steps(good))
        tab.keyboard.press("Tab")
        assert field.input_value() == "0.5" and field.get_attribute("aria-invalid") is None
        assert_shows(root, steps(good))
    edit(tab, root, LABEL, "0.4")
    assert root.get_by_role("alert").text_content() == ""
    assert_shows(root, steps(toy_inputs()))


def test_chosen_query_is_marked_and_described(open_view, calculator):
    root = open_view(calculator).locator(".tl-view")
    root.get_by_label("query").select_option("artist")
    marked = root.locator("tr[aria-current=true] th").all_inner_texts()
    assert marked == ["artist"] * 6  # X, Q, scores, scaled scores, weights, output
    A = steps(toy_inputs())["weights"]
    first, second = (f"{toy.TOKENS[j]} ({A[2, j]:.2f})" for j in A[2].topk(2).indices)
    assert root.locator(".tl-say").inner_text() == f"artist attends most to {first}, then {second}."
    root.get_by_label("causal mask").check()
    root.get_by_label("query").select_option("[CLS]")
    assert root.locator(".tl-say").inner_text() == "[CLS] attends most to [CLS] (1.00)."


def test_queries_and_values_may_be_narrower(open_view):
    shapes = {"X": (3, 5), "W_Q": (5, 2), "W_K": (5, 2), "W_V": (5, 4)}
    M = {name: torch.rand(shape, dtype=torch.float64) for name, shape in shapes.items()}
    assert_shows(open_view(attention_calculator(["a", "b", "c"], **M)).locator(".tl-view"), steps(M))


def test_walk_shows_one_written_step(open_view):
    view = attention_calculator(toy.TOKENS, toy.X, toy.W_Q, toy.W_K, toy.W_V, walk=True)
    root = open_view(view).locator(".tl-view")
    M, visible = steps(toy_inputs()), "boxes => boxes.filter(b => b.offsetWidth).map(b => b.dataset.matrix)"
    painted, the = toy.TOKENS.index("painted"), toy.TOKENS.index("The")
    powers = (M["scaled"][painted] - M["scaled"][painted].max()).exp().tolist()
    walk = [("Q W_Q X", "Q", painted, 0), ("K W_K X", "K", the, 0), ("V W_V X", "V", the, 0),
            ("K Q scores", "scores", painted, the), ("scaled scores", "scaled", painted, the),
            ("scaled weights", "weights", painted, the), ("V output weights", "output", painted, 0)]  # fmt: skip
    for number, (matrices, name, i, j) in enumerate(walk, 1):
        assert root.get_by_label("step").input_value() == str(number)
        assert sorted(root.locator("table").evaluate_all(visible)) == matrices.split()
        line = root.locator(".tl-written").inner_text()
        assert f"= {M[name][i, j]:.2f}" in line
        if name == "weights":
            assert f"{' + '.join(f'{power:.2f}' for power in powers)} = {sum(powers):.2f}" in line
        root.get_by_role("button", name="Next step").click()
    assert root.get_by_label("step").input_value() == "1"
    root.get_by_label("step").select_option("0")
    assert root.locator("table:visible").count() == 11 and not root.locator(".tl-written").is_visible()
