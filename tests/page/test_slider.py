"""Figures behind a range input: what is drawn, what travels, what the reader gets."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tutorial_book.page import slide

ALT = "A line that rises to {value}."
# The image as the reader sees it.
PIXELS = """async root => {
  const image = [...root.querySelectorAll('img')].find(i => i.checkVisibility());
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const pen = canvas.getContext('2d');
  pen.drawImage(image, 0, 0);
  return canvas.toDataURL();
}"""


def line(k):
    plt.subplots(figsize=(2, 1.5))[1].plot([0, k])


def noise(k):
    """So many shapes that pixels take less room."""
    plt.subplots(figsize=(2, 1))[1].scatter(*np.random.default_rng(int(k)).random((2, 3000)))


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    plt.close("all")
    yield
    assert plt.get_fignums() == []


@pytest.mark.parametrize("fn, kind", [(line, "svg+xml"), (noise, "png")])
def test_frames_travel_once_in_the_smaller_format(fn, kind):
    view = slide(lambda k: fn(min(k, 3)), k=[1, 2, 3, 4], alt=ALT, start=2)
    images = [image for image in view.data["images"] if image]
    assert len(set(images)) == 2 and all(image.startswith(f"data:image/{kind};base64,") for image in images)
    assert view.default.count(f"data:image/{kind};base64,") == 1
    assert view.data["frames"] == [1, 0, 2, 2]
    html = view._repr_html_()
    assert all(html.count(image) == 1 for image in images)


def test_only_new_figures_are_closed():
    def fails(k):
        line(k)
        raise RuntimeError("no ink")

    mine = plt.figure()
    assert slide(line, k=[1, 2], alt=ALT).data == slide(line, k=[1, 2], alt=ALT).data
    with pytest.raises(RuntimeError, match="no ink"):
        slide(fails, k=[1], alt=ALT)
    assert plt.get_fignums() == [mine.number]
    plt.close(mine)


def test_keyboard_goes_through_the_figures(open_view):
    """In print, and without a script, the first one is shown."""
    view = slide(line, k=[1, 2, 3], alt=ALT, start=2)
    static = open_view(view, javascript=False).locator(".tl-view")
    assert static.get_by_role("img").get_attribute("alt") == "A line that rises to 2."
    tab = open_view(view)
    root = tab.locator(".tl-view")
    control, image = root.get_by_role("slider", name="k"), root.get_by_role("img")
    seen = set()
    for key, value in (("Home", "1"), ("ArrowRight", "2"), ("ArrowRight", "3")):
        control.press(key)
        assert control.get_attribute("aria-valuetext") == root.locator("output").inner_text() == value
        said = f"A line that rises to {value}."
        assert image.get_attribute("alt") == root.locator(".tl-say").inner_text() == said
        assert root.locator("figcaption:visible").count() == 0
        seen.add(root.evaluate(PIXELS))
    assert len(seen) == 3
    tab.emulate_media(media="print")
    assert image.get_attribute("alt") == "A line that rises to 2."
    assert root.locator("figcaption:visible").inner_text() == "k = 2"
    assert "3" not in root.inner_text()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"k": None}, "k must be a list of values, got None"),
        ({"k": "12"}, "k must be a list of values, got '12'"),
        ({"k": []}, "k must have from 1 to 60 values, got 0"),
        ({"k": range(61)}, "k must have from 1 to 60 values, got 61"),
        ({"j": [1]}, "values must be one named list"),
        ({"alt": ""}, "alt must have {value} in it"),
        ({"alt": "A line."}, "alt must have {value} in it"),
        ({"alt": "{value} {k}"}, "alt must have {value} in it"),
        ({"alt": None}, "alt must be a text with {value} in it, or one text for each of the 2"),
        ({"alt": ["one"]}, "alt must be a text with {value} in it, or one text for each of the 2"),
        ({"alt": ["one", " "]}, "alt must be"),
        ({"alt": ["one", "one"]}, "alt must differ for each value of k, got 'one'"),
        ({"alt": "{value:.0f}", "k": [1.1, 1.2]}, "alt must differ for each value of k, got '1'"),
        ({"start": 3}, "start must be one of the values of k"),
    ],
)
def test_bad_arguments_are_named_before_drawing(change, message):
    def never(k):
        pytest.fail("it was drawn")

    with pytest.raises((TypeError, ValueError), match=message):
        slide(never, **{"k": [1, 2], "alt": ALT} | change)


@pytest.mark.parametrize(
    "fn, message",
    [
        (3, "fn must be a function that draws a figure, got int"),
        (lambda k: None, "fn must draw one new figure for each value, got 0 for k=1"),
        (lambda k: (line(k), line(k)), "got 2 for k=1"),
    ],
)
def test_function_must_draw_one_figure(fn, message):
    with pytest.raises((TypeError, ValueError), match=message):
        slide(fn, k=[1], alt=ALT)
