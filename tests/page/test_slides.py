"""Figures behind a range input: what is drawn, what travels, what the reader gets."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tutorial_book.page import slide

ALT = "A line that rises to {value}."
HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script>"
# The image as the reader sees it: a checksum of its pixels on a canvas.
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
    plt.subplots(figsize=(4, 3))[1].plot([0, k])


def noise(k):
    """So many shapes that pixels take less room."""
    rng = np.random.default_rng(int(k))
    plt.subplots(figsize=(3, 2))[1].scatter(*rng.random((2, 5000)))


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    plt.close("all")
    yield
    assert plt.get_fignums() == []


@pytest.mark.parametrize("fn, kind", [(line, "svg+xml"), (noise, "png")])
def test_frames_differ_and_travel_in_the_smaller_format(fn, kind):
    view = slide(fn, k=[1, 2, 3], alt=ALT, start=2)
    images = [image for image in view.data["images"] if image]
    assert len(set(images)) == 2 and all(image.startswith(f"data:image/{kind};base64,") for image in images)
    assert view.default.count(f"data:image/{kind};base64,") == 1
    assert view.data["frames"] == [1, 0, 2]


def test_no_image_travels_twice():
    view = slide(lambda k: line(min(k, 2)), k=[1, 2, 3, 4], alt=ALT, start=4)
    assert view.data["frames"] == [1, 0, 0, 0]
    html = view._repr_html_()
    assert all(html.count(image) == 1 for image in view.data["images"] if image)


def test_the_same_call_gives_the_same_frames():
    assert slide(line, k=[1, 2], alt=ALT).data == slide(line, k=[1, 2], alt=ALT).data


def test_a_figure_that_was_open_before_stays_open_and_the_new_ones_close():
    mine = plt.figure()
    slide(line, k=[1, 2], alt=ALT)
    assert plt.get_fignums() == [mine.number]
    plt.close(mine)


def test_nothing_is_left_open_when_drawing_fails():
    def fails(k):
        line(k)
        raise RuntimeError("no ink")

    with pytest.raises(RuntimeError, match="no ink"):
        slide(fails, k=[1], alt=ALT)


def test_the_keyboard_goes_through_the_figures(open_view):
    root = open_view(slide(line, k=[1, 2, 3], alt=ALT, start=2)).locator(".tl-view")
    control = root.get_by_role("slider", name="k")
    seen = {}
    for key, value in (("Home", "1"), ("ArrowRight", "2"), ("ArrowRight", "3")):
        control.press(key)
        told = f"A line that rises to {value}."
        assert control.get_attribute("aria-valuetext") == value
        assert root.get_by_role("img").all() and root.get_by_role("img").get_attribute("alt") == told
        assert root.locator(".tl-say").inner_text() == told
        assert root.locator("output").inner_text() == value and root.locator("figcaption:visible").count() == 0
        seen[root.evaluate(PIXELS)] = value
    assert list(seen.values()) == ["1", "2", "3"]


def test_without_javascript_and_in_print_the_start_is_shown(open_view):
    view = slide(line, k=[1, 2, 3], alt=ALT, start=2)
    static = open_view(view, javascript=False).locator(".tl-view")
    assert static.get_by_role("img").get_attribute("alt") == "A line that rises to 2."
    tab = open_view(view)
    root = tab.locator(".tl-view")
    root.get_by_role("slider").press("End")
    assert root.get_by_role("img").get_attribute("alt") == "A line that rises to 3."
    tab.emulate_media(media="print")
    assert root.get_by_role("img").get_attribute("alt") == "A line that rises to 2."
    assert root.locator("figcaption:visible").inner_text() == "k = 2"
    assert "3" not in root.inner_text()


def test_hostile_texts_are_shown_not_run(open_view):
    view = slide(lambda text: line(len(text)), text=[HOSTILE, "b"], alt=["<b>" + HOSTILE, '" onload="alert(3)'])
    root = open_view(view).locator(".tl-view")
    assert HOSTILE in root.locator("output").inner_text()
    root.get_by_role("slider").press("End")
    assert root.get_by_role("img").get_attribute("alt") == '" onload="alert(3)'


def test_it_is_accessible_and_fits_a_phone(assert_accessible):
    assert_accessible(slide(line, k=[1, 2], alt=ALT))


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"k": None}, TypeError, "k must be a list of values, got None"),
        ({"k": "12"}, TypeError, "k must be a list of values, got '12'"),
        ({"k": []}, ValueError, "k must have from 1 to 60 values, got 0"),
        ({"k": range(61)}, ValueError, "k must have from 1 to 60 values, got 61"),
        ({"j": [1]}, TypeError, "values must be one named list"),
        ({"alt": ""}, ValueError, "alt must have {value} in it"),
        ({"alt": "A line."}, ValueError, "alt must have {value} in it"),
        ({"alt": "{value} {k}"}, ValueError, "alt must have {value} in it"),
        ({"alt": None}, ValueError, "alt must be a text with {value} in it, or one text for each of the 2"),
        ({"alt": ["one"]}, ValueError, "alt must be a text with {value} in it, or one text for each of the 2"),
        ({"alt": ["one", " "]}, ValueError, "alt must be"),
        ({"alt": ["one", "one"]}, ValueError, "alt must tell the values of k apart, got 'one'"),
        ({"alt": "{value:.0f}", "k": [1.1, 1.2]}, ValueError, "alt must tell the values of k apart, got '1'"),
        ({"start": 3}, ValueError, "start must be one of the values of k"),
    ],
)
def test_bad_input_is_refused_before_anything_is_drawn(change, error, message):
    def never(k):
        pytest.fail("it was drawn")

    with pytest.raises(error, match=message):
        slide(never, **{"k": [1, 2], "alt": ALT} | change)


def test_what_draws_no_figure_or_several_is_refused():
    with pytest.raises(TypeError, match="fn must be a function that draws a figure, got int"):
        slide(3, k=[1], alt=ALT)
    with pytest.raises(ValueError, match="fn must draw one new figure for each value, got 0 for k=1"):
        slide(lambda k: None, k=[1], alt=ALT)
    with pytest.raises(ValueError, match="got 2 for k=1"):
        slide(lambda k: (line(k), line(k)), k=[1], alt=ALT)
