"""The softmax explorer and the dot product explorer: what the page shows is what the library computes."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tutorial_lib.attention import softmax
from tutorial_lib.views import dot_product_explorer, softmax_explorer

SCORES, LABELS = [2.5, 3.0, 4.5, -1.0], ["one", "two", "three", "four"]
HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "a & b", '"quoted"']
WEIGHTS = "root => [...root.querySelectorAll('td[data-value]')].map(c => Number(c.dataset.value))"
MEASURES = """root => Object.fromEntries([...root.querySelectorAll('td[data-name]')]
  .map(c => [c.dataset.name, c.dataset.value === 'null' ? null : Number(c.dataset.value)]))"""


def type_number(tab, box, text):
    box.click()
    tab.keyboard.press("Control+A")
    tab.keyboard.type(text) if text else tab.keyboard.press("Delete")


def set_temperature(root, exponent):
    root.get_by_label("temperature T").evaluate(
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }", exponent
    )


def log_of(text):
    """The logarithm of a power as it is written, such as 2.72 or 4.07·10⁸."""
    digits, _, raised = text.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")).partition("·10")
    return math.log(float(digits)) + int(raised or 0) * math.log(10)


def assert_weights(root, scores, temperature=1.0):
    weights = softmax(torch.tensor(scores, dtype=torch.float64), temperature=temperature)
    np.testing.assert_allclose(root.evaluate(WEIGHTS), weights, atol=1e-9)
    entropy = torch.special.entr(weights).sum().item()
    assert float(root.get_attribute("data-entropy")) == pytest.approx(entropy, abs=1e-9)
    widths = root.locator("rect").evaluate_all("bars => bars.map(bar => Number(bar.getAttribute('width')))")
    np.testing.assert_allclose(widths, 100 * weights.numpy(), atol=0.006)
    logits = torch.tensor([*scores, 0.0], dtype=torch.float64) / temperature
    logits[-1] = logits[:-1].logsumexp(0)  # the sum's own
    powers = root.locator(":is(tbody, tfoot) td:nth-child(3)")
    assert [log_of(text) for text in powers.all_inner_texts()] == pytest.approx(logits.tolist(), abs=0.006)
    assert f"({weights.max():.2f}). Entropy {entropy:.2f} nats" in root.locator(".tl-say").inner_text()


def test_softmax_and_entropy_equal_the_library_at_any_temperature(open_view):
    root = open_view(softmax_explorer(SCORES, LABELS)).locator(".tl-view")
    assert_weights(root, SCORES)
    for exponent in (-1, -0.5, 0.3, 1):
        set_temperature(root, exponent)
        assert_weights(root, SCORES, 10**exponent)


def test_the_temperature_moves_by_keyboard(open_view):
    root = open_view(softmax_explorer(SCORES, LABELS)).locator(".tl-view")
    root.get_by_label("temperature T").press("ArrowRight")
    assert_weights(root, SCORES, 10**0.01)


def test_adding_one_to_all_scores_changes_no_weight(open_view):
    root = open_view(softmax_explorer(SCORES, LABELS)).locator(".tl-view")
    before = root.evaluate(WEIGHTS)
    root.get_by_role("button", name="Add 1 to all scores").press("Enter")
    assert [root.get_by_label(f"score of {label}").input_value() for label in LABELS] == ["3.5", "4.0", "5.5", "0.0"]
    np.testing.assert_allclose(root.evaluate(WEIGHTS), before, atol=1e-12)
    assert "no weight changed" in root.locator(".tl-say").inner_text()


def test_scores_are_edited_refused_and_reset(open_view):
    tab = open_view(softmax_explorer(SCORES, LABELS))
    root = tab.locator(".tl-view")
    box = root.get_by_label("score of four")
    type_number(tab, box, "6.25")
    assert_weights(root, [*SCORES[:3], 6.25])
    tab.keyboard.press("Enter")
    for bad in ("", "abc", "1e999", "1001"):
        type_number(tab, box, bad)
        assert_weights(root, [*SCORES[:3], 6.25])
        assert "6.25 stays" in root.get_by_role("alert").inner_text()
    set_temperature(root, 1)
    root.get_by_role("button", name="Reset").click()
    assert_weights(root, SCORES)
    assert box.input_value() == "-1.0" and root.get_by_role("alert").text_content() == ""


def test_scores_stop_where_fields_end(open_view):
    root = open_view(softmax_explorer([999.5, 0.0], ["a", "b"])).locator(".tl-view")
    root.get_by_role("button", name="Add 1 to all scores").click()
    assert "The scores end at 1000." in root.locator(".tl-say").inner_text()
    assert_weights(root, [999.5, 0.0])


def test_without_javascript_softmax_shows_its_first_state(open_view):
    drawn = open_view(softmax_explorer(SCORES, LABELS), javascript=False).locator(".tl-view")
    live = open_view(softmax_explorer(SCORES, LABELS)).locator(".tl-view")
    assert drawn.get_by_role("row", name="three 4.5 90.0 0.").count() == 1
    assert drawn.locator(".tl-say").inner_text() == live.locator(".tl-say").inner_text()


def measured(a, b):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    lengths = np.linalg.norm(a), np.linalg.norm(b)
    cosine = a @ b / lengths[0] / lengths[1] if all(lengths) else None
    return {
        "length of a": lengths[0],
        "length of b": lengths[1],
        "angle": None if cosine is None else math.degrees(math.atan2(abs(a[0] * b[1] - a[1] * b[0]), a @ b)),
        "cosine": cosine,
        "dot product": a @ b,
        "projection of b on a": a @ b / lengths[0] if lengths[0] else None,
    }


def assert_measures(root, a, b):
    assert root.evaluate(MEASURES) == pytest.approx(measured(a, b), abs=1e-6)


def test_a_tip_moves_by_arrow_keys(open_view):
    root = open_view(dot_product_explorer((2, 1), (1, 2))).locator(".tl-view")
    assert_measures(root, (2, 1), (1, 2))
    tip = root.get_by_role("button", name="tip of b")
    tip.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowLeft"):
        tip.press(key)
    assert_measures(root, (2, 1), (0.7, 2.1))
    assert tip.get_attribute("aria-label") == "tip of b at 0.7, 2.1"
    assert root.get_by_label("b, coordinate 1").input_value() == "0.7"


def test_a_tip_is_dragged_and_stays_in_the_plane(open_view):
    tab = open_view(dot_product_explorer((2, 1), (1, 2)))
    root = tab.locator(".tl-view")
    box = root.locator("svg").bounding_box()
    start = root.get_by_role("button", name="tip of a").bounding_box()
    tab.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 2 / 6, box["y"] + box["height"] * 5 / 6, steps=4)
    assert_measures(root, (-1, -2), (1, 2))
    tab.mouse.move(box["x"] + 2 * box["width"], box["y"] + box["height"] / 2, steps=4)
    tab.mouse.up()
    assert_measures(root, (3, 0), (1, 2))
    assert root.locator(".tl-drop").get_attribute("x2") == "200"  # b's shadow ends at 1 on the line of a
    tab.mouse.move(box["x"], box["y"])
    assert_measures(root, (3, 0), (1, 2))


def test_a_tip_in_the_corner_is_seen_whole(open_view):
    tab = open_view(dot_product_explorer((3, 3), (-3, -3)), width=390)
    view = tab.locator(".tl-picture").bounding_box()
    for name in "ab":
        tip = tab.get_by_role("button", name=f"tip of {name}").bounding_box()
        assert view["x"] <= tip["x"] and tip["x"] + tip["width"] <= view["x"] + view["width"]
        assert view["y"] <= tip["y"] and tip["y"] + tip["height"] <= view["y"] + view["height"]
    assert tab.locator(".tl-plane").evaluate("plane => getComputedStyle(plane).overflow") == "visible"


def test_the_shadow_of_b_lies_on_the_line_of_a(open_view):
    for javascript in (True, False):
        root = open_view(dot_product_explorer((2, 1), (1, 2)), javascript=javascript).locator(".tl-view")
        for line in (".tl-shadow", ".tl-drop"):  # both end at 4/5 of a, (1.6, 0.8), where 1 is 50 wide
            foot = [float(root.locator(line).get_attribute(name)) for name in ("x2", "y2")]
            assert foot == pytest.approx([150 + 1.6 * 50, 150 - 0.8 * 50])


@pytest.mark.parametrize("b, says", [((-1, 2), "perpendicular"), ((-2, 1), "negative"), ((0, 0), "no direction")])
def test_numbers_are_typed_and_the_sign_is_explained(open_view, b, says):
    tab = open_view(dot_product_explorer((2, 1), (1, 2)))
    root = tab.locator(".tl-view")
    for j in (0, 1):
        type_number(tab, root.get_by_label(f"b, coordinate {j + 1}"), str(b[j]))
    assert_measures(root, (2, 1), b)
    assert says in root.locator(".tl-say").inner_text()
    drawn = open_view(dot_product_explorer((2, 1), b), javascript=False).locator(".tl-view")
    assert drawn.locator(".tl-say").inner_text() == root.locator(".tl-say").inner_text()
    assert drawn.locator("td").all_inner_texts() == root.locator("td").all_inner_texts()
    type_number(tab, root.get_by_label("a, coordinate 1"), "3.5")
    assert "a number from −3 to 3. 2.0 stays" in root.get_by_role("alert").inner_text()
    assert_measures(root, (2, 1), b)


def test_they_are_accessible_and_fit_a_phone(assert_accessible):
    assert_accessible(softmax_explorer(SCORES, HOSTILE))
    assert_accessible(dot_product_explorer())


def test_hostile_labels_are_shown_not_run(open_view):
    root = open_view(softmax_explorer(SCORES, HOSTILE)).locator(".tl-view")
    assert root.locator("tbody th").all_inner_texts() == HOSTILE
    assert root.locator("img").count() == 0
    assert f"score of {HOSTILE[0]}" == root.locator("input.tl-number").first.get_attribute("aria-label")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: softmax_explorer([], []), "labels must hold at least one text"),
        (lambda: softmax_explorer([1.0], [1]), r"labels\[0\] must be a str"),
        (lambda: softmax_explorer([1.0], ["a", "b"]), "one number for each of the 2 labels"),
        (lambda: softmax_explorer([float("nan")], ["a"]), "scores must be finite"),
        (lambda: dot_product_explorer((1, 2, 3)), "a must be two numbers from -3 to 3"),
        (lambda: dot_product_explorer((1, 2), (0, 3.5)), "b must be two numbers"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_the_same_output_twice_keeps_its_messages_apart(open_view):
    view = softmax_explorer([1.0, 2.0], ["a", "b"])
    output = view._repr_html_()
    tab = open_view(SimpleNamespace(_repr_html_=lambda: output), SimpleNamespace(_repr_html_=lambda: output))
    for number in (0, 1):
        field = tab.locator(".tl-view").nth(number).locator("input.tl-number").first
        field.fill(f"wrong {number}")
        message = tab.locator(f"[id='{field.get_attribute('aria-describedby')}']").inner_text()
        assert f"“wrong {number}” is not a number" in message
