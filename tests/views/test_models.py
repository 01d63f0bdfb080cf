"""The view of all heads: the small pictures hold the weights, and one opens at a click or a key."""

import base64
import re
import struct
import zlib

import numpy as np
import pytest

from tutorial_lib.views import model_view
from tutorial_lib.views.models import GAP, SIDE, png, sheet

HOSTILE = ["<img src=x onerror=alert(1)>", "</script>", "a & b"]
PIXELS = """() => [...document.querySelectorAll('.tl-grid canvas')].map(c =>
  [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].filter((_, i) => i % 4 === 3))"""


def random_weights(*shape, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(shape[-1], 0.3), shape[:-1])


def read_png(url):
    """The strengths, 0 to 15, of an image that `png` made: an independent reader for this one kind of file."""
    content = base64.b64decode(url.split(",")[1])
    width, height = struct.unpack(">II", content[16:24])
    data = re.search(rb"IDAT(.*)....\0\0\0\0IEND", content, re.DOTALL)[1]
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, -1)[:, 1:]
    return np.stack([rows >> 4, rows & 15], axis=-1).reshape(height, -1)[:, :width]


def test_the_image_without_a_script_holds_the_weights():
    weights = random_weights(5, 7)
    np.testing.assert_array_equal(read_png(png(weights))[:, :7], np.rint(np.sqrt(weights) * 15))


@pytest.mark.parametrize("n, m", [(3, 3), (24, 24), (64, 64), (30, 7)])
def test_each_head_fills_its_square(n, m):
    weights = random_weights(2, 3, n, m)
    square = sheet(weights)[SIDE + GAP : 2 * SIDE + GAP, :SIDE]  # layer 1, head 0
    assert square.shape == (SIDE, SIDE) and square.max() == weights[1, 0].max()
    np.testing.assert_allclose(square[0, 0], weights[1, 0, : max(1, n // SIDE), : max(1, m // SIDE)].max())
    if n < SIDE:
        np.testing.assert_array_equal(np.unique(square), np.unique(weights[1, 0]))


def test_a_trace_of_64_tokens_weighs_less_than_450_kb():
    for concentration in (0.05, 0.5, 50):
        weights = np.random.default_rng(0).dirichlet(np.full(64, concentration), (6, 12, 64))
        assert len(model_view(weights, ["token##"] * 64)._repr_html_().encode()) < 450_000


def test_a_head_must_be_chosen():
    with pytest.raises(ValueError, match="head must be from 0 to 0, got None"):
        model_view(np.eye(2), ["a", "b"], head=None)


def test_each_thumbnail_shows_its_head(open_view):
    weights = random_weights(2, 3, 4, 4)
    pixels = np.array(open_view(model_view(weights, list("abcd"))).evaluate(PIXELS))
    np.testing.assert_allclose(pixels, 255 * np.sqrt(weights.reshape(6, 16)), atol=1)


@pytest.mark.timed
def test_it_opens_within_a_second(open_view, assert_faster, opening_time):
    view = model_view(random_weights(6, 12, 64, 64), ["token"] * 64)
    assert open_view(view).locator(".tl-grid button").count() == 72
    assert_faster(1000, lambda: opening_time(view))


def test_arrow_keys_move_and_enter_opens(open_view):
    tab = open_view(model_view(random_weights(2, 3, 4, 4), list("abcd")))
    tab.get_by_role("button", name="layer 0, head 0").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "Enter"):
        tab.keyboard.press(key)
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')") == "layer 1, head 1"
    assert tab.locator(".tl-grid [aria-pressed=true]").get_attribute("aria-label") == "layer 1, head 1"
    assert tab.locator(".tl-say").inner_text().startswith("Layer 1, head 1. Strongest: ")
    assert tab.locator(".tl-grid [tabindex='0']").count() == 1


def test_hostile_tokens_are_shown_and_several_views_fit_on_a_page(open_view):
    tab = open_view(*[model_view(random_weights(1, 2, 3, 3), HOSTILE)] * 2)
    tab.locator(".tl-view").nth(0).get_by_role("button", name="layer 0, head 1").click()
    tab.locator(".tl-view").nth(0).locator(".tl-token").nth(0).click()
    assert "<img src=x onerror=alert(1)>" in tab.locator(".tl-say").nth(0).inner_text()
    assert tab.locator(".tl-say").nth(1).inner_text().startswith("Layer 0, head 0")
    assert tab.locator("img").count() == 0


def test_without_a_script_the_grid_is_there(open_view):
    tab = open_view(model_view(random_weights(2, 3, 4, 4), list("abcd")), javascript=False)
    assert tab.locator("svg image").is_visible() and "one head" in tab.locator(".tl-say").inner_text()


def test_the_model_view_is_for_everyone(assert_accessible):
    assert_accessible(model_view(random_weights(6, 12, 9, 9), list("abcdefghi")))
