"""Slides and sheets in a browser: they are readable from the last row, and can be turned by keys and printed."""

import math
import re

import pytest

from tests import accessible
from tests.book.decks import NAMES, SITE, SMALL, built, shown, slides

pytestmark = built
WIDE = {"width": 1280, "height": 720}
OLD = {"width": 1024, "height": 768}  # an old projector

# Texts of less than 24 pixels, and parts that do not fit. A formula's own indices, and texts in a drawing, are smaller.
FAULTS = """() => {
  const slide = Reveal.getCurrentSlide(), found = [], view = slide.querySelector('.tl-view');
  const small = e => parseFloat(getComputedStyle(e).fontSize) < 23.99;
  for (const e of slide.querySelectorAll('*:not(aside.notes, aside.notes *, svg *, .tl-view *, mjx-container *)'))
    if ([...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && e.checkVisibility() && small(e))
      found.push('small: ' + e.outerHTML.slice(0, 90));
  const high = slide.scrollHeight - slide.clientHeight, wide = slide.scrollWidth - slide.clientWidth;
  if (high > 1) found.push('too high by ' + high);
  if (wide > 1) found.push('too wide by ' + wide);
  for (const e of slide.querySelectorAll('.formula .math, table, img')) {
    const box = e.getBoundingClientRect(), lost = box.right > innerWidth || e.matches('img') && box.height < 150;
    if (e.checkVisibility() && lost) found.push('lost: ' + e.outerHTML.slice(0, 90));
  }
  if (view) {
    const box = view.getBoundingClientRect(), room = view.closest('.stage > :first-child').getBoundingClientRect();
    const cut = box.bottom > room.bottom + 2 || box.right > room.right + 2 || box.top < room.top - 2;
    if (cut) found.push('the view is cut');
    if ([...view.querySelectorAll('.tl-picture')].some(e => e.scrollWidth > e.clientWidth + 1))
      found.push('the picture of the view is cut');
    if (!view.querySelector('.tl-picture').childElementCount) found.push('the view is empty');
  }
  return found.map(fault => Reveal.getState().indexh + 1 + ': ' + fault);
}"""
# The smallest letters of a slide's figure or view, in pixels of a screen of 720 lines; indices are smaller. And, for
# each figure, the letters of its layout and the largest letters among its layouts in the same space.
LETTERS = """() => {
  const slide = Reveal.getCurrentSlide(), sizes = [], layouts = [];
  const pixel = Math.min(innerWidth / 960, innerHeight / 720);
  for (const picture of slide.querySelectorAll('.stage > picture')) if (picture.clientHeight) {
    const image = picture.querySelector('img'), box = image.getBoundingClientRect();
    const scale = (file, room) => file.dataset.letters / pixel *
      Math.min(room.width / file.getAttribute('width'), room.height / file.getAttribute('height'));
    const own = picture.querySelector('source[media=all]') || image, room = picture.getBoundingClientRect();
    const all = [...picture.querySelectorAll('img, source')].map(file => Math.min(24, scale(file, room)));
    sizes.push(scale(own, box));
    layouts.push(Math.min(24, scale(own, room)) / Math.max(...all));
  }
  for (const part of slide.querySelectorAll('.tl-view :is(.tl-picture *, .tl-say):not(sub, sup, option)')) {
    const said = [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const drawn = part.ownerSVGElement && part.getScreenCTM();
    const scale = drawn ? Math.hypot(drawn.a, drawn.b) : part.currentCSSZoom;
    if (said && part.checkVisibility()) sizes.push(parseFloat(getComputedStyle(part).fontSize) * scale / pixel);
  }
  return [sizes.length ? Math.min(...sizes) : null, layouts];
}"""
# All slides, one after the other: the errors of each, its letters and the layouts of its figures.
WALK = f"""async () => {{
  const faults = {FAULTS}, letters = {LETTERS}, walked = [];
  for (let number = 0; number < Reveal.getTotalSlides(); number++) {{
    Reveal.slide(number);
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));  // a view takes its place a frame later
    walked.push([faults(), ...letters()]);
  }}
  return walked;
}}"""
# One slide of each kind: axe goes through everything on a page, including hidden parts.
ONLY = """numbers => {
  Reveal.getSlides().forEach((slide, number) => numbers.includes(number) || slide.remove());
  // What lies over or under a slide, and shows nothing, keeps axe from seeing the color below a text.
  const nothing = 'aside.notes, .backgrounds, .pause-overlay, .progress, .slide-number, .controls, .aria-status';
  document.querySelectorAll(nothing).forEach(part => part.remove());
}"""


def open_page(browser, address):
    """A page in a tab without a network, which records requests and complaints."""
    tab = browser.new_context(viewport=WIDE, offline=True).new_page()
    tab.complaints = []
    tab.asked = []
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    tab.on("console", lambda told: tab.complaints.append(told.text) if told.type in ("error", "warning") else None)
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.goto((SITE / address).as_uri(), wait_until="load")
    tab.wait_for_function("'ready' in document.documentElement.dataset")
    return tab


@pytest.fixture(scope="module")
def attention(browser):
    tab = open_page(browser, "slides/attention.html")
    yield tab
    assert tab.complaints == []
    tab.context.close()


def go(tab, what):
    """Go to the slide of the attention chapter that shows this; return its place."""
    place = shown("attention").index(what)
    tab.evaluate("number => Reveal.slide(number)", place)
    return place


def walk(tab, name):
    """Go through all slides. The smallest letters of each figure and view: (its name, its kind) -> their size."""
    walked = tab.evaluate(WALK)
    assert [fault for faults, *_ in walked for fault in faults] == [] == tab.complaints
    assert [what for what, (_, _, layouts) in zip(shown(name), walked) if min(layouts, default=1) < 0.999] == []
    seen = zip(shown(name), slides(name), walked, strict=True)
    return {(what, slide["class"][-1]): letters for what, slide, (_, letters, _) in seen if letters}


def pages_of(tab):
    """Return how many pages of A4 and of Letter it takes."""
    printed = (tab.pdf(format=paper, print_background=True) for paper in ("A4", "Letter"))
    return [len(re.findall(rb"/Type\s*/Page\b", pdf)) for pdf in printed]


def audit(tab, name):
    """The findings of axe on one slide of each kind, in both themes. It removes the others."""
    package = pytest.importorskip("axe_playwright_python")
    tab.add_script_tag(content=accessible.resources.files(package).joinpath("axe.min.js").read_text(encoding="utf-8"))
    kinds = {" ".join(slide["class"]): number for number, slide in enumerate(slides(name))}
    tab.evaluate(ONLY, list(kinds.values()))
    tab.evaluate(accessible.SHORT)
    for number in range(len(kinds)):
        tab.evaluate("number => Reveal.slide(number)", number)
        tab.evaluate("Reveal.nextFragment()")
        for theme in accessible.THEMES:
            tab.evaluate("theme => document.documentElement.dataset.theme === theme || turnTheme()", theme)
            yield from tab.evaluate(accessible.AUDIT, [["section.present"], accessible.RULES, theme])


def test_front_page_picture_is_on_planned_slides_only():
    assert [name for name in NAMES if f"fig-{name}-bank" in shown(name)] == []


in_browser = pytest.mark.parametrize(
    "name", ["attention", *(pytest.param(name, marks=pytest.mark.long) for name in NAMES if name != "attention")]
)


@in_browser
def test_slides_can_be_read_from_the_last_row(browser, name):
    """On a wide screen, on paper and on an old projector. Opening slides takes longest, so it is one visit."""
    tab = open_page(browser, f"slides/{name}.html")
    letters = walk(tab, name)
    for (what, kind), size in letters.items():
        least, why = SMALL.get(what, (23.99, "as large as text"))
        assert kind == "view" or least <= size and (what not in SMALL or size < 23.99), f"{what}: {why}"
    smallest, *others = sorted(size for (_, kind), size in letters.items() if kind == "view") or [16]
    assert smallest > 11 and min(others, default=16) > 15.3  # one view may have small letters, but not tiny ones
    tab.set_viewport_size(OLD)
    tab.wait_for_function("document.documentElement.matches('.measuring')")  # slides are fitted again
    tab.wait_for_function("!document.documentElement.matches('.measuring')")
    smallest, *others = sorted(walk(tab, name).values())
    assert smallest > 9 and min(others) > 12
    assert pages_of(tab) == [math.ceil(len(slides(name)) / 3)] * 2
    assert [url for url in tab.asked if not url.startswith(("file:", "data:", "blob:"))] == []
    problems = list(audit(tab, name))
    tab.context.close()
    assert list(dict.fromkeys(problems)) == []


@in_browser
def test_sheet_fills_one_page_and_is_for_everyone(browser, name):
    tab = open_page(browser, f"sheets/{name}.html")
    assert pages_of(tab) == [1, 1]
    content, sheet = (tab.locator(css).bounding_box() for css in (".sheet > div", ".sheet"))
    assert content["y"] + content["height"] <= sheet["y"] + sheet["height"]
    size = tab.locator(".sheet").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 9 * 4 / 3, "letters of less than 9 points"
    tab.set_viewport_size({"width": accessible.WIDTHS[0], "height": 900})
    tab.wait_for_function("document.documentElement.scrollWidth <= innerWidth")  # the paper shrinks a moment later
    tab.evaluate(accessible.SHORT)
    problems = list(accessible.audit(tab))
    tab.context.close()
    assert problems == []


def test_z_enlarges_a_picture_part_by_part(attention):
    go(attention, "fig-similarity")
    image = attention.locator("section.present .stage > picture.in-light img")
    assert image.evaluate("image => image.currentSrc").endswith("-slide.svg")
    whole = image.bounding_box()
    small = attention.evaluate(LETTERS)[0]
    places = set()
    for number in range(4):
        attention.keyboard.press("z")
        box = image.bounding_box()
        places.add((round(box["x"]), round(box["y"])))
        assert box["width"] == pytest.approx(2 * whole["width"]) and len(places) == number + 1
    assert attention.evaluate(LETTERS)[0] == pytest.approx(2 * small)
    assert not attention.locator("section.present figcaption").is_visible()
    attention.keyboard.press("z")
    assert image.bounding_box() == whole
    image.click(position={"x": whole["width"] - 9, "y": 9})
    assert image.bounding_box()["x"] < whole["x"] - 9
    attention.keyboard.press("ArrowRight")
    assert attention.locator(".zoomed").count() == 0


def test_poll_shows_its_answer_at_the_next_press(attention):
    place = go(attention, "growth")
    poll = attention.locator("section.present")
    border = "e => getComputedStyle(e).borderTopColor"
    right = poll.locator("[data-true]")
    wrong = poll.locator(".choices li:not([data-true])").first
    assert not poll.locator(".answer").is_visible() and right.evaluate(border) == wrong.evaluate(border)
    attention.keyboard.press("ArrowRight")
    assert poll.locator(".answer").is_visible() and right.evaluate(border) != wrong.evaluate(border)
    assert right.inner_text() == "4 times"  # the number of the plan that is nearest
    attention.keyboard.press("ArrowRight")
    assert attention.evaluate("Reveal.getState().indexh") == place + 1


def test_keys_do_what_the_first_slide_says(attention):
    attention.evaluate("Reveal.slide(0)")
    keys = attention.locator("section.present kbd").all_inner_texts()
    assert keys[:5] == ["→", "←", "S", "B", "Esc"]
    with attention.expect_popup() as popup:
        attention.keyboard.press("s")
    notes = popup.value
    assert "Before class." in notes.locator("main").inner_text()
    attention.bring_to_front()
    attention.keyboard.press("ArrowRight")
    assert "0–6. Where does a word look?" in notes.locator("main").inner_text()
    assert notes.locator("main a.now").first.inner_text() == "Fig. 3.1"
    assert notes.locator("main a[href^='../book/attention.html#view=gaze_view']").count() == 2
    notes.keyboard.press("ArrowLeft")
    assert attention.evaluate("Reveal.getState().indexh") == 0
    attention.keyboard.press("b")
    assert attention.evaluate("Reveal.isPaused()")
    attention.keyboard.press("b")
    attention.keyboard.press("Escape")
    assert attention.evaluate("Reveal.isOverview()")
    attention.keyboard.press("Escape")
    theme = "document.documentElement.dataset.theme"
    before = attention.evaluate(theme)
    attention.keyboard.press("d")
    assert {before, attention.evaluate(theme)} == {"light", "dark"}


def test_view_takes_a_sentence_and_keeps_its_keys(attention):
    go(attention, "fig-attention-gaze")
    slide = attention.locator("section.present")
    slide.locator(".tl-gaze button", has_text="waited").click()
    assert "waited" in slide.locator(".tl-say").inner_text()
    attention.keyboard.press("ArrowRight")  # to the next word, not to the next slide
    sentences = slide.locator(".try a")
    assert sentences.all_inner_texts() == ["The nurse opened the old door.", "The door opened the nurse."]
    sentences.last.click()
    assert slide.locator(".tl-live input").input_value() == "The door opened the nurse."
    slide.locator(".tl-gaze", has_text="nurse").wait_for()
    assert attention.complaints == [] and attention.evaluate("Reveal.getState().indexh") == 1
    attention.keyboard.press("PageDown")
    assert attention.evaluate("Reveal.getState().indexh") == 2
