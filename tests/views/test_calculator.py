"""The attention calculator: what Python draws, and that the page computes what the library computes."""

import math

import pytest
import torch

from tutorial_book.experiments import attention as toy
from tutorial_lib.attention import attention, causal_mask, scores
from tutorial_lib.views import attention_calculator

HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a & b"]
MATRICES = """root => Object.fromEntries([...root.querySelectorAll('table')].map(t => [t.dataset.matrix,
  [...t.tBodies[0].rows].map(r => [...r.cells].slice(1).map(c => Number(c.dataset.value)))]))"""
TEXTS = """root => Object.fromEntries([...root.querySelectorAll('table')].map(t => [t.dataset.matrix,
  [...t.tBodies[0].rows].map(r => [...r.cells].slice(1).map(c => c.textContent))]))"""


def toy_calculator():
    return attention_calculator(toy.TOKENS, toy.X, toy.W_Q, toy.W_K, toy.W_V)


def toy_inputs():
    return {"X": toy.X.clone(), "W_Q": toy.W_Q.clone(), "W_K": toy.W_K.clone(), "W_V": toy.W_V.clone()}


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


def assert_shows(root, expected):
    page = shown(root)
    assert page.keys() == expected.keys()
    for name, M in expected.items():
        torch.testing.assert_close(page[name], M, rtol=0, atol=1e-6, msg=lambda text, name=name: f"{name}: {text}")


def field(root, label):
    return root.get_by_label(label, exact=True)


def type_number(tab, root, label, text):
    """As a reader does it: go to the field, select what stands there, type."""
    field(root, label).click()
    tab.keyboard.press("Control+A")
    tab.keyboard.type(text)


def test_python_draws_every_matrix_of_the_toy_example(open_view):
    root = open_view(toy_calculator(), javascript=False).locator(".tl-view")
    assert root.locator("table").count() == 11
    assert root.locator(".tl-say").inner_text() == "painted attends most to painted (0.55), then The (0.15)."
    assert root.get_by_role("row", name="painted 0.02 0.15 0.10 0.55 0.05 0.09 0.06").count() == 1


def test_the_page_starts_with_what_python_drew(open_view):
    tab = open_view(toy_calculator())
    root = tab.locator(".tl-view")
    assert_shows(root, steps(toy_inputs()))
    drawn = open_view(toy_calculator(), javascript=False).locator(".tl-view")
    written, recomputed = drawn.locator(".tl-picture").inner_text(), root.evaluate(TEXTS)
    for row in recomputed["weights"] + recomputed["output"]:
        assert "\t".join(row) in written
    assert root.locator(".tl-say").inner_text() == drawn.locator(".tl-say").inner_text()


def test_every_step_equals_the_library_after_typing_and_toggling(open_view):
    tab = open_view(toy_calculator())
    root, M = tab.locator(".tl-view"), toy_inputs()
    edits = [("X", "painted", 3, 1, "-0.25"), ("X", "[SEP]", 6, 3, "2e-1"), ("W_Q", "row 1", 0, 0, "−1.5"),
             ("W_K", "row 4", 3, 2, ".75"), ("W_V", "row 2", 1, 3, "+3")]  # fmt: skip
    for matrix, place, i, j, text in edits:
        type_number(tab, root, f"{matrix}, {place}, column {j + 1}", text)
        M[matrix][i, j] = float(text.replace("−", "-"))
        assert_shows(root, steps(M))
    root.get_by_label("causal mask").press("Space")
    assert_shows(root, steps(M, masked=True))
    root.get_by_label("divide by √d_k").press("Space")
    assert_shows(root, steps(M, scaled=False, masked=True))
    root.get_by_label("causal mask").press("Space")
    assert_shows(root, steps(M, scaled=False))
    root.get_by_role("button", name="Reset").press("Enter")
    assert_shows(root, steps(toy_inputs()))
    assert field(root, "W_Q, row 1, column 1").input_value() == "0.1"


def test_large_numbers_do_not_overflow(open_view):
    tab = open_view(toy_calculator())
    root, M = tab.locator(".tl-view"), toy_inputs()
    for matrix, place in (("X", "painted"), ("W_Q", "row 1"), ("W_K", "row 1"), ("W_V", "row 1")):
        type_number(tab, root, f"{matrix}, {place}, column 1", "1000000")
        M[matrix][3 if matrix == "X" else 0, 0] = 1e6
    page, expected = shown(root), steps(M)
    for name in ("scores", "weights", "output"):
        torch.testing.assert_close(page[name], expected[name], rtol=1e-12, atol=1e-6)
    assert "e+2" in root.locator("[data-matrix=scores] tr[aria-current] td").nth(3).inner_text()


@pytest.mark.parametrize("bad", ["", "abc", "1e999", "-", "0x10", "1,5", "NaN", "Infinity", "1000001", "<b>1</b>"])
def test_what_is_no_number_is_refused_and_the_last_good_one_stays(open_view, bad):
    tab = open_view(toy_calculator())
    root = tab.locator(".tl-view")
    label = "X, painted, column 1"
    type_number(tab, root, label, "0.5")
    tab.keyboard.press("Enter")
    tab.keyboard.press("Control+A")
    tab.keyboard.type(bad) if bad else tab.keyboard.press("Delete")
    assert field(root, label).get_attribute("aria-invalid") == "true"
    message = root.get_by_role("alert").inner_text()
    assert "0.5 stays" in message and label in message and bad in message
    good = toy_inputs()
    good["X"][3, 0] = 0.5
    assert_shows(root, steps(good))
    tab.keyboard.press("Tab")
    assert field(root, label).input_value() == "0.5"
    assert_shows(root, steps(good))
    assert field(root, label).get_attribute("aria-invalid") is None
    type_number(tab, root, label, "0.4")
    assert root.get_by_role("alert").text_content() == ""
    assert_shows(root, steps(toy_inputs()))


def test_arrow_keys_change_a_number_by_a_tenth(open_view):
    tab = open_view(toy_calculator())
    root, M = tab.locator(".tl-view"), toy_inputs()
    box = field(root, "W_V, row 1, column 1")
    for _ in range(4):
        box.press("ArrowDown")
    assert box.input_value() == "-0.1"
    M["W_V"][0, 0] = -0.1
    assert_shows(root, steps(M))


def test_the_chosen_query_is_marked_and_told(open_view):
    tab = open_view(toy_calculator())
    root = tab.locator(".tl-view")
    root.get_by_label("query").select_option("artist")
    marked = root.locator("tr[aria-current=true] th").all_inner_texts()
    assert marked == ["artist"] * 6  # X, Q, scores, scaled scores, weights, output
    _, A = attention(*(toy.X @ W for W in (toy.W_Q, toy.W_K, toy.W_V)))
    first, second = (f"{toy.TOKENS[j]} ({A[2, j]:.2f})" for j in A[2].topk(2).indices)
    told = f"artist attends most to {first}, then {second}."
    assert root.locator(".tl-say").inner_text() == told
    root.get_by_label("causal mask").check()
    root.get_by_label("query").select_option("[CLS]")
    assert root.locator(".tl-say").inner_text() == "[CLS] attends most to [CLS] (1.00)."


def test_hostile_tokens_are_shown_not_run(open_view):
    tab = open_view(attention_calculator(HOSTILE, torch.eye(3), torch.eye(3), torch.eye(3), torch.eye(3)))
    root = tab.locator(".tl-view")
    root.get_by_label("query").select_option(HOSTILE[0])
    assert root.locator("[data-matrix=weights] tbody th").all_inner_texts() == HOSTILE
    assert root.locator("img").count() == 0
    assert HOSTILE[0] in root.locator(".tl-say").inner_text()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"tokens": []}, "tokens must hold at least one text"),
        ({"tokens": [1, 2]}, r"tokens\[0\] must be a str"),
        ({"tokens": ["a"]}, "X must have one row for each of the 1 tokens"),
        ({"X": torch.zeros(2)}, "X must have rows and columns"),
        ({"W_Q": torch.full((2, 2), float("nan"))}, "W_Q must be finite"),
        ({"W_V": torch.full((2, 2), 1e7)}, "W_V must hold finite numbers"),
        ({"W_V": torch.zeros(3, 2)}, "W_V must have 2 rows"),
        ({"W_K": torch.zeros(2, 3)}, "W_Q and W_K must have the same shape"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    fits = {"tokens": ["a", "b"]} | {name: torch.eye(2) for name in ("X", "W_Q", "W_K", "W_V")}
    with pytest.raises((TypeError, ValueError), match=message):
        attention_calculator(**fits | change)


def test_queries_and_values_may_have_other_widths_than_the_tokens(open_view):
    torch.manual_seed(0)
    X, W_Q, W_K, W_V = torch.randn(3, 5).double(), *torch.randn(2, 5, 2).double(), torch.randn(5, 4).double()
    tab = open_view(attention_calculator(["a", "b", "c"], X, W_Q, W_K, W_V))
    assert_shows(tab.locator(".tl-view"), steps({"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}))


def test_it_is_accessible_and_fits_a_phone(assert_accessible):
    assert_accessible(toy_calculator())


def test_two_on_a_page_do_not_meet(open_view):
    tab = open_view(toy_calculator(), toy_calculator())
    first, second = tab.locator(".tl-view").all()
    type_number(tab, first, "X, painted, column 1", "2")
    assert shown(first)["X"][3, 0] == 2
    assert_shows(second, steps(toy_inputs()))


def test_it_can_be_walked_step_by_step_and_writes_a_number_out(open_view):
    view = attention_calculator(toy.TOKENS, toy.X, toy.W_Q, toy.W_K, toy.W_V, walk=True)
    root = open_view(view).locator(".tl-view")
    M, visible = steps(toy_inputs()), "boxes => boxes.filter(b => b.offsetWidth).map(b => b.dataset.matrix)"
    painted, the = toy.TOKENS.index("painted"), toy.TOKENS.index("The")
    expected = [
        (["X", "W_Q", "Q"], M["Q"][painted, 0]),
        (["X", "W_K", "K"], M["K"][the, 0]),
        (["X", "W_V", "V"], M["V"][the, 0]),
        (["Q", "K", "scores"], M["scores"][painted, the]),
        (["scores", "scaled"], M["scaled"][painted, the]),
        (["scaled", "weights"], M["weights"][painted, the]),
        (["V", "weights", "output"], M["output"][painted, 0]),
    ]
    for number, (matrices, result) in enumerate(expected, 1):
        assert root.get_by_label("step").input_value() == str(number)
        assert sorted(root.locator("table").evaluate_all(visible)) == sorted(matrices)
        line = root.locator(".tl-written").inner_text()
        assert f"= {result:.2f}" in line, line
        if matrices == ["scaled", "weights"]:
            powers = (M["scaled"][painted] - M["scaled"][painted].max()).exp().tolist()
            assert f"{' + '.join(f'{power:.2f}' for power in powers)} = {sum(powers):.2f}" in line
        root.get_by_role("button", name="Next step").click()
    assert root.get_by_label("step").input_value() == "1"
    root.get_by_label("step").select_option("0")
    assert root.locator("table:visible").count() == 11 and not root.locator(".tl-written").is_visible()
