"""The softmax explorer and the dot product explorer: what the page shows is what the library computes."""

import math

import numpy as np
import pytest
import torch

from tests.views.examples import slide_to, type_number
from tutorial_lib.attention import softmax
from tutorial_lib.views import dot_product_explorer, softmax_explorer

SCORES, LABELS = [2.5, 3.0, 4.5, -1.0], ["one", "two", "three", "four"]
WEIGHTS = "root => [...root.querySelectorAll('td[data-value]')].map(c => Number(c.dataset.value))"
MEASURES = """root => Object.fromEntries([...root.querySelectorAll('td[data-name]')]
  .map(c => [c.dataset.name, c.dataset.value === 'null' ? null : Number(c.dataset.value)]))"""


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
    logits = torch.tensor(scores, dtype=torch.float64) / temperature
    powers = root.locator(":is(tbody, tfoot) td:nth-child(3)")  # and their sum
    expected = [*logits.tolist(), logits.logsumexp(0).item()]
    assert [log_of(text) for text in powers.all_inner_texts()] == pytest.approx(expected, abs=0.006)
    assert f"({weights.max():.2f}). Entropy {entropy:.2f} nats" in root.locator(".tl-say").inner_text()


def test_softmax_and_entropy_equal_the_library(open_view):
    tab = open_view(softmax_explorer(SCORES, LABELS))
    root = tab.locator(".tl-view")
    assert root.get_by_role("row", name="three").count() == 1
    assert_weights(root, SCORES)
    root.get_by_label("temperature T").press("ArrowRight")
    assert_weights(root, SCORES, 10**0.01)
    for exponent in (-1, -0.5, 0.3, 1):
        slide_to(root, "temperature T", exponent)
        assert_weights(root, SCORES, 10**exponent)
    box = root.get_by_label("score of four")
    type_number(tab, box, "6.25")
    tab.keyboard.press("Enter")
    assert_weights(root, [*SCORES[:3], 6.25], 10)
    for bad in ("", "abc", "1e999", "1001"):
        type_number(tab, box, bad)
        assert_weights(root, [*SCORES[:3], 6.25], 10)
        assert "6.25 stays" in root.get_by_role("alert").inner_text()
    root.get_by_role("button", name="Reset").click()
    assert_weights(root, SCORES)
    assert box.input_value() == "-1.0" and root.get_by_role("alert").text_content() == ""


def test_adding_one_to_all_scores_changes_nothing(open_view):
    tab = open_view(softmax_explorer(SCORES, LABELS), softmax_explorer([999.5, 0.0], ["a", "b"]))
    root, last = tab.locator(".tl-view").all()
    before = root.evaluate(WEIGHTS)
    root.get_by_role("button", name="Add 1 to all scores").press("Enter")
    assert [root.get_by_label(f"score of {label}").input_value() for label in LABELS] == ["3.5", "4.0", "5.5", "0.0"]
    np.testing.assert_allclose(root.evaluate(WEIGHTS), before, atol=1e-12)
    assert "no weight changed" in root.locator(".tl-say").inner_text()
    last.get_by_role("button", name="Add 1 to all scores").click()
    assert "No score can be above 1000." in last.locator(".tl-say").inner_text()
    assert_weights(last, [999.5, 0.0])


def measured(a, b):
    (lengths, dot), cross = (np.hypot(*np.transpose([a, b])), np.dot(a, b)), a[0] * b[1] - a[1] * b[0]
    return {
        "length of a": lengths[0],
        "length of b": lengths[1],
        "angle": math.degrees(math.atan2(abs(cross), dot)) if all(lengths) else None,
        "cosine": dot / lengths.prod() if all(lengths) else None,
        "dot product": dot,
        "projection of b on a": dot / lengths[0] if lengths[0] else None,
    }


def assert_measures(root, a, b):
    assert root.evaluate(MEASURES) == pytest.approx(measured(a, b), abs=1e-6)


def test_tips_move_by_keys_mouse_and_numbers(open_view):
    tab = open_view(dot_product_explorer((2, 1), (1, 2)))
    root = tab.locator(".tl-view")
    assert_measures(root, (2, 1), (1, 2))
    foot = [float(root.locator(".tl-shadow").get_attribute(name)) for name in ("x2", "y2")]
    assert foot == pytest.approx([150 + 1.6 * 50, 150 - 0.8 * 50])  # 4/5 of a, where 1 is 50 wide
    tip = root.get_by_role("button", name="tip of b")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowLeft"):
        tip.press(key)
    assert_measures(root, (2, 1), (0.7, 2.1))
    assert tip.get_attribute("aria-label") == "tip of b at 0.7, 2.1"
    box = root.locator("svg").bounding_box()
    root.get_by_role("button", name="tip of a").hover()
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 2 / 6, box["y"] + box["height"] * 5 / 6, steps=4)
    assert_measures(root, (-1, -2), (0.7, 2.1))
    tab.mouse.move(box["x"] + 2 * box["width"], box["y"] + box["height"] / 2, steps=4)
    tab.mouse.up()
    tab.mouse.move(box["x"], box["y"])
    assert_measures(root, (3, 0), (0.7, 2.1))  # it stays in the plane
    for b, says in (((-1, 2), "negative"), ((0, 2), "perpendicular"), ((0, 0), "no direction")):
        for j in (0, 1):
            type_number(tab, root.get_by_label(f"b, coordinate {j + 1}"), str(b[j]))
        assert_measures(root, (3, 0), b)
        assert says in root.locator(".tl-say").inner_text()
    type_number(tab, root.get_by_label("a, coordinate 1"), "3.5")
    assert "a number from −3 to 3. 3.0 stays" in root.get_by_role("alert").inner_text()
    assert_measures(root, (3, 0), (0, 0))


def test_tips_in_corners_are_seen_whole(open_view):
    tab = open_view(dot_product_explorer((3, 3), (-3, -3)), width=390)
    view = tab.locator(".tl-picture").bounding_box()
    for name in "ab":
        tip = tab.get_by_role("button", name=f"tip of {name}").bounding_box()
        for at, size in (("x", "width"), ("y", "height")):
            assert view[at] <= tip[at] and tip[at] + tip[size] <= view[at] + view[size]
    assert tab.locator(".tl-plane").evaluate("plane => getComputedStyle(plane).overflow") == "visible"
