"""The view of all heads: the small pictures contain the weights, and one opens at a click or a key."""

import base64
import io

import numpy as np
import pytest
from matplotlib.image import imread

from tests.views.examples import random_weights
from tutorial_lib.views import model_view
from tutorial_lib.views.models import GAP, PINK, SIDE, png, sheet

PIXELS = """() => [...document.querySelectorAll('.tl-grid canvas')].map(c =>
  [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].filter((_, i) => i % 4 === 3))"""


def test_image_contains_the_weights():
    weights = random_weights(5, 7)
    pixels = imread(io.BytesIO(base64.b64decode(png(weights).split(",")[1])))  # (5, 7, 4), from 0 to 1
    np.testing.assert_array_equal(np.rint(pixels[..., 3] * 15), np.rint(np.sqrt(weights) * 15))
    np.testing.assert_array_equal(np.rint(pixels[..., :3] * 255), np.broadcast_to(PINK, (5, 7, 3)))


@pytest.mark.parametrize("n, m", [(3, 3), (24, 24), (64, 64), (30, 7)])
def test_each_head_fills_its_square(n, m):
    weights = random_weights(2, 3, n, m)
    square = sheet(weights)[SIDE + GAP : 2 * SIDE + GAP, :SIDE]  # layer 1, head 0
    assert square.shape == (SIDE, SIDE) and square.max() == weights[1, 0].max()
    np.testing.assert_allclose(square[0, 0], weights[1, 0, : max(1, n // SIDE), : max(1, m // SIDE)].max())
    if n < SIDE:
        np.testing.assert_array_equal(np.unique(square), np.unique(weights[1, 0]))


def test_thumbnails_show_heads_and_open_them(open_view):
    weights = random_weights(2, 3, 4, 4)
    view = model_view(weights, list("abcd"))
    static = open_view(view, javascript=False)
    assert static.locator("svg image").is_visible() and "one head" in static.locator(".tl-say").inner_text()
    tab = open_view(view, view)
    np.testing.assert_allclose(tab.evaluate(PIXELS)[:6], 255 * np.sqrt(weights.reshape(6, 16)), atol=1)
    first, second = tab.locator(".tl-view").all()
    first.get_by_role("button", name="layer 0, head 0").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "Enter"):
        tab.keyboard.press(key)
    pressed = first.locator(".tl-grid [aria-pressed=true]").get_attribute("aria-label")
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == pressed == "layer 1, head 1"
    assert first.locator(".tl-say").inner_text().startswith("Layer 1, head 1. Strongest: ")
    assert first.locator(".tl-grid [tabindex='0']").count() == 1
    first.get_by_role("button", name="layer 0, head 1").click()
    first.locator(".tl-token").nth(0).click()
    assert first.locator(".tl-say").inner_text().startswith("Layer 0, head 1. “a” attends most to")
    assert second.locator(".tl-say").inner_text().startswith("Layer 0, head 0")
