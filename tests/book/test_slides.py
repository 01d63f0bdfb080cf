"""Slides and sheets: they show what their chapter has, in an order that spoils nothing, and can be read from afar."""

import math
import re
import shutil
from functools import cache

import pytest

from tests import accessible

built_page = pytest.importorskip("built_page")
classroom = pytest.importorskip("classroom")
slide_order = pytest.importorskip("slide_order")
sphinx_speaks = pytest.importorskip("sphinx_speaks")

ROOT = classroom.ROOT
SITE = ROOT / "_build" / "html"
NAMES = classroom.names(ROOT)

pytestmark = pytest.mark.skipif(not (SITE / "slides").exists(), reason="the site is not built: run `make book` first")
chapters = pytest.mark.parametrize("name", NAMES)
in_browser = pytest.mark.parametrize(
    "name", ["attention", *(pytest.param(name, marks=pytest.mark.long) for name in NAMES if name != "attention")]
)


@cache
def page(folder, name):
    return built_page.soup(SITE / folder / f"{name}.html")


@cache
def slides(name):
    return page("slides", name).select(".slides > section")


@cache
def chapter(name):
    return built_page.read_chapter(SITE, name)


def chapter_page(name):
    return chapter(name).head.parent


@cache
def plan(name):
    return built_page.read_plan(SITE, ROOT, name)


def link(slide):
    """The anchor in the chapter that a slide's own number leads to."""
    found = slide.select_one("figcaption a[href], .formula > a[href]")
    return found and found["href"].partition("#")[2]


def question(element):
    return built_page.words(element.select_one(".guess-question"))


def names_on(name):
    """What each slide shows, by the name that the chapter has for it; "" for what is no part of it."""
    guesses = {question(item.element): item.name for item in chapter(name).items if item.kind == "guess"}
    for slide in slides(name):
        css = slide["class"]
        if "poll" in css:
            yield guesses[question(slide)]
        elif "finding" in css:
            yield built_page.words(slide.select_one(".says > p"))
        else:
            yield link(slide) or ""


def lesson_of(name):
    """The places of the slides whose notes are a step of the plan."""
    steps = {f"{step.minutes}. {step.title}" for step in plan(name).steps}
    notes = [slide.select_one("aside > h3") for slide in slides(name)]
    return [place for place, title in enumerate(notes) if title and built_page.words(title) in steps]


@chapters
def test_every_slide_has_its_notes(name):
    assert all(len(built_page.words(slide.select_one("aside.notes"))) > 10 for slide in slides(name))


@chapters
def test_what_the_chapter_shows_is_on_a_slide(name):
    shown = list(names_on(name))
    assert [item.name for item in chapter(name).items if not item.folded and item.name not in shown] == []


@chapters
def test_nothing_answers_a_guess_before_it_is_asked(name):
    shown = list(names_on(name))
    for item in chapter(name).items:
        if item.name in shown and item.guess:
            assert shown.index(item.guess) < shown.index(item.name), f"{item.name} stands before {item.guess}"


@chapters
def test_a_formula_or_finding_that_no_step_names_stands_behind_the_guesses_of_its_part(name):
    shown, items = list(names_on(name)), {item.name: item for item in chapter(name).items}
    lesson = [(items[shown[place]], place) for place in lesson_of(name) if shown[place] in items]
    polls = [(item.part, place) for item, place in lesson if item.kind == "guess"]
    for item, place in lesson:
        along = "The plan does not" in slides(name)[place].select_one("aside").get_text()
        if along and item.kind in ("formula", "finding") and not item.guess:
            assert all(poll < place for part, poll in polls if part == item.part), f"{item.name} may answer a guess"


@pytest.mark.parametrize("formula", ["eq-dot", "eq-cosine"])
def test_what_gives_a_guess_away_waits_for_the_hands(formula):
    shown = list(names_on("attention"))
    assert shown.index("higher-score") < shown.index(f"equation-{formula}") < shown.index("fig-similarity")


@chapters
def test_the_homework_ends_the_lesson(name):
    assert built_page.words(slides(name)[lesson_of(name)[-1] + 1].h2) == "Homework"


@chapters
def test_a_finding_comes_after_something_of_what_it_speaks_of(name):
    shown, items = list(names_on(name)), chapter(name).items
    parts = {item.name: item.part for item in items}
    for finding in (item for item in items if item.kind == "finding" and item.name in shown):
        before = shown[: shown.index(finding.name)]
        assert finding.part in {parts.get(other) for other in before}, finding.name


@chapters
def test_the_lesson_is_the_plan_step_by_step(name):
    shown, at = list(names_on(name)), 0
    for step in plan(name).steps:
        minutes = f"{step.minutes}. {step.title}"
        of_step = [i for i, slide in enumerate(slides(name)) if minutes in built_page.words(slide.select_one("aside"))]
        assert of_step and of_step == list(range(at + 1, of_step[-1] + 1)), f"{minutes} is not in its turn"
        at = of_step[-1]
        there = shown[: at + 1]
        named = [target for kind, target in step.shows if kind != "quote"]
        assert [target for target in named if target not in there] == []


def test_what_the_class_computes_at_the_board_is_not_on_the_screen_before():
    board, figure = slides("attention")[2:4]
    assert built_page.words(board.select_one(".ask")) == "At the board" and link(figure) == "fig-one-row"
    assert built_page.words(board.select_one("aside.notes")).startswith("6–18. One row, on the board")
    assert board.select_one("aside.notes table"), "the board picture is not in the notes"


@chapters
def test_what_is_right_is_marked_once_and_is_the_answer_of_the_chapter(name):
    kinds = {question(item.element): item.element for item in chapter(name).items if item.kind == "guess"}
    for slide in (slide for slide in slides(name) if "poll" in slide["class"]):
        guess, marked = kinds[question(slide)], slide.select(".choices [data-true]")
        answer = slide.select_one(".answer.fragment")
        assert built_page.words(answer.select_one(".guess-truth")) == built_page.words(guess.select_one(".guess-truth"))
        assert built_page.words(answer.select_one(".guess-because")).startswith("Because ")
        if guess["data-kind"] == "choice":
            assert [built_page.words(one) for one in marked] == [built_page.words(guess.select_one(".guess-truth"))]
        else:
            assert len(marked) == (guess["data-kind"] == "number" and bool(slide.select(".choices")))


def test_of_the_numbers_that_the_plan_offers_the_nearest_is_marked():
    marked = [built_page.words(line) for slide in slides("attention") for line in slide.select("[data-true]")]
    assert sorted(marked) == ["0.09, 0.24, 0.67", "10 heads", "4 times", "k2"]


@chapters
def test_a_sheet_has_the_formulas_of_the_chapter_with_their_letters(name):
    sheet, formulas = page("sheets", name), chapter_page(name).select("div.math:has(> .eqno)")
    known = {letter: row.meaning for letter, row in sphinx_speaks.known(name).items()}
    assert len(sheet.select(".formula")) == len(formulas)
    for line, formula in zip(sheet.select(".formula"), formulas, strict=True):
        number, written = formula.select_one(".eqno").get_text(), formula.get_text()
        assert line.a["href"] == f"../book/{name}.html#{formula['id']}" and line.a.get_text() + "#" == number
        assert line.select_one(".math").get_text() == written.replace(number, "", 1)
        for term, meaning in zip(line.select("dt"), line.select("dd"), strict=True):
            told = re.sub(r"\\\((.*?)\\\)", r"$\1$", built_page.words(meaning))
            for letter in re.findall(r"\\\((.*?)\\\)", term.get_text()):
                assert known[letter] == told


@chapters
def test_a_sheet_has_the_findings_of_the_chapter(name):
    pages = page("sheets", name), chapter_page(name)
    sheet, chapter = ([built_page.words(finding) for finding in page.select(".finding")] for page in pages)
    assert sheet == chapter and sheet


def test_they_are_made_again_when_a_page_changed_and_only_then(tmp_path):
    for page in ("book/bert.html", "book/teach/bert.html"):
        target = tmp_path / "_build" / "html" / page
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SITE / page, target)
    (tmp_path / "_build" / "html" / "_images").symlink_to(SITE / "_images")
    (tmp_path / "book" / "teach").mkdir(parents=True)
    shutil.copyfile(ROOT / "book" / "teach" / "bert.md", tmp_path / "book" / "teach" / "bert.md")
    assert [classroom.make(tmp_path), classroom.make(tmp_path)] == [1, 0]
    page = tmp_path / "_build" / "html" / "book" / "bert.html"
    page.write_text(page.read_text(encoding="utf-8").replace("Because ", "Because indeed ", 1), encoding="utf-8")
    assert [classroom.make(tmp_path), classroom.make(tmp_path)] == [1, 0]
    assert "Because indeed" in (tmp_path / "_build" / "html" / "slides" / "bert.html").read_text(encoding="utf-8")
    (tmp_path / "_build" / "html" / "sheets" / "bert.html").unlink()
    assert [classroom.make(tmp_path), classroom.make(tmp_path)] == [1, 0]


# In a browser.

WIDE, OLD = {"width": 1280, "height": 720}, {"width": 1024, "height": 768}

# Texts of less than 24 pixels, and what does not fit. A formula's own indices, and what a drawing says, are smaller.
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


# The smallest letters of a slide's figure or view, in pixels of a screen of 720 lines; indices are smaller.
LETTERS = """() => {
  const slide = Reveal.getCurrentSlide(), sizes = [], pixel = Math.min(innerWidth / 960, innerHeight / 720);
  for (const image of slide.querySelectorAll('.stage > picture img')) if (image.checkVisibility()) {
    const box = image.getBoundingClientRect();
    const file = image.parentElement.querySelector('source[media=all]') || image;
    const scale = Math.min(box.width / file.getAttribute('width'), box.height / file.getAttribute('height'));
    sizes.push(scale * file.dataset.letters);
  }
  for (const part of slide.querySelectorAll('.tl-view :is(.tl-picture *, .tl-say):not(sub, sup, option)')) {
    const said = [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const drawn = part.ownerSVGElement && part.getScreenCTM();
    const scale = drawn ? Math.hypot(drawn.a, drawn.b) : part.currentCSSZoom;
    if (said && part.checkVisibility()) sizes.push(parseFloat(getComputedStyle(part).fontSize) * scale);
  }
  return sizes.length ? Math.min(...sizes) / pixel : null;
}"""

# The layout that a figure shows, and its letters beside the largest that any of its layouts would have in that room.
LAYOUT = """() => {
  const pixel = Math.min(innerWidth / 960, innerHeight / 720);
  return [...Reveal.getCurrentSlide().querySelectorAll('.stage > picture')].filter(e => e.clientHeight).map(picture => {
    const letters = file => Math.min(24 * pixel, file.dataset.letters * Math.min(
      picture.clientWidth / file.getAttribute('width'), picture.clientHeight / file.getAttribute('height')));
    const shown = picture.querySelector('source[media=all]') || picture.querySelector('img');
    const all = [...picture.querySelectorAll('img, source')].map(letters);
    return [picture.querySelector('img').currentSrc, letters(shown) / Math.max(...all)];
  });
}"""
# All slides, one after the other: what is wrong with each, its letters and the layouts of its figures.
WALK = f"""async () => {{
  const faults = {FAULTS}, letters = {LETTERS}, layouts = {LAYOUT}, walked = [];
  for (let number = 0; number < Reveal.getTotalSlides(); number++) {{
    Reveal.slide(number);
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));  // a view takes its place a frame later
    walked.push({{faults: faults(), letters: letters(), layouts: layouts()}});
  }}
  return walked;
}}"""
# Fulfilled when the slides have been fitted once more.
FITTED = """() => {
  const root = document.documentElement, measures = () => root.classList.contains('measuring');
  const until = condition => new Promise(done => {
    const look = () => condition() && done(watch.disconnect()), watch = new MutationObserver(look);
    watch.observe(root, {attributeFilter: ['class']});
  });
  window.fitted = until(measures).then(() => until(() => !measures()));
}"""


class Tabs(dict):
    """Chapters whose slides are open, in tabs without a network, which note what they ask for and complain of."""

    def __init__(self, browser):
        self.browser = browser

    def __missing__(self, name):
        self[name] = tab = self.browser.new_context(viewport=WIDE, offline=True).new_page()
        tab.complaints, tab.asked, tab.walked = [], [], {}
        tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.on("console", lambda told: tab.complaints.append(told.text) if told.type in ("error", "warning") else None)
        tab.on("request", lambda request: tab.asked.append(request.url))
        open_page(tab, f"slides/{name}.html")
        return tab

    def close(self, name):
        self.pop(name).context.close()


def open_page(tab, address):
    tab.goto((SITE / address).as_uri(), wait_until="load")
    tab.wait_for_function("'ready' in document.documentElement.dataset")


def show(tab, size):
    """Its first slide, on a screen of this size. To fit slides to another one takes as long as to open them."""
    tab.bring_to_front()
    if tab.viewport_size != size:
        tab.evaluate(FITTED)
        tab.set_viewport_size(size)
        tab.evaluate("fitted")
    tab.evaluate("Reveal.slide(0)")
    return tab


def walk(tab):
    """What was seen of each slide on the screen as it is. It is walked through once."""
    width = tab.viewport_size["width"]
    tab.walked[width] = tab.walked.get(width) or tab.evaluate(WALK)
    return tab.walked[width]


@pytest.fixture(scope="module")
def tabs(browser):
    tabs = Tabs(browser)
    yield tabs
    for name in list(tabs):
        tabs.close(name)


@pytest.fixture
def opened(tabs, name):
    return show(tabs[name], WIDE)


def faults(walked):
    return [fault for slide in walked for fault in slide["faults"]]


@in_browser
def test_slides_can_be_read_from_the_last_row(opened, name):
    assert faults(walk(opened)) == [] and opened.complaints == []
    assert [url for url in opened.asked if not url.startswith(("file:", "data:", "blob:"))] == []


# Figures whose letters are smaller than 24 pixels: why, and how small they may be. Z shows a quarter of each.
SMALL = {
    "fig-bert-layer": (12, "twenty matrices, each with its name and its shape"),
    "fig-bert-neuron": (19, "twenty tokens below each other"),
    "fig-bert-training": (22, "three columns of tokens, twice, each with a heading"),
    "fig-context-cloud": (15, "twenty-eight sentences below each other"),
    "fig-decoders-layers": (21, "the names of parts, each in its box"),
    "fig-decoders-pass": (19, "sentences that stand upright in bands"),
    "fig-embeddings-sum": (16, "twenty tokens below each other, two scales of colors"),
    "fig-embeddings-two-the": (22, "ten names below each other, and five headings"),
    "fig-heads-split": (21, "what each arrow does, between seven rows"),
    "fig-learning-attention": (17, "twenty tokens below each other, and beside each other"),
    "fig-learning-kinds": (19, "curves that end close to each other, each with its name"),
    "fig-meaning-cosines": (21, "fifteen names below each other, and a legend in two rows"),
    "fig-seeing-quality": (22, "five headings beside each other, one a long word"),
}


def letters_of(walked, name, kind):
    """The smallest letters of each figure or view: its name -> their size."""
    seen = zip(names_on(name), slides(name), walked, strict=True)
    return {what: now["letters"] for what, slide, now in seen if kind in slide["class"] and now["letters"]}


@in_browser
def test_the_letters_of_a_figure_are_read_from_the_last_row(opened, name):
    sizes = letters_of(walk(opened), name, "figure")
    assert {what: size for what, size in sizes.items() if what not in SMALL and size < 23.99} == {}
    for what in sizes.keys() & SMALL:
        least, why = SMALL[what]
        assert least < sizes[what] < 23.99, f"{what}: {why}"


def test_what_may_have_small_letters_is_on_a_slide():
    assert SMALL.keys() <= {what for name in NAMES for what in names_on(name)}


@in_browser
def test_one_view_of_a_deck_may_have_small_letters_and_none_tiny_ones(opened, name):
    smallest, *others = sorted(letters_of(walk(opened), name, "view").values()) or [16]
    assert smallest > 11 and min(others, default=16) > 15.3


@chapters
def test_a_figure_has_a_layout_for_slides_in_both_themes_that_no_page_loads(name):
    for picture in page("slides", name).select(".stage > picture.drawing"):
        (own,) = picture.select("source[srcset*='-slide']")
        assert ("-dark" in own["srcset"]) == ("in-dark" in picture["class"]) and float(own["data-letters"]) >= 8
        assert (SITE / "slides" / own["srcset"]).is_file()
    assert page("slides", name).select_one("picture.drawing") and not chapter_page(name).select("[srcset*='-slide']")


@pytest.mark.parametrize("name", ["attention"])
def test_a_figure_has_the_layout_for_slides(opened, name):
    shown = list(names_on(name))
    source = "document.querySelector('.present .stage > picture.in-light img').currentSrc"
    for figure in ("fig-one-row", "fig-similarity"):
        opened.evaluate("number => Reveal.slide(number)", shown.index(figure))
        assert opened.evaluate(source).endswith("-slide.svg")


@pytest.mark.parametrize("name", ["attention"])
def test_z_enlarges_a_quarter_of_a_picture_after_the_other(opened, name):
    opened.evaluate("number => Reveal.slide(number)", list(names_on(name)).index("fig-similarity"))
    image = opened.locator("section.present .stage > picture.in-light img")
    whole, small, places = image.bounding_box(), opened.evaluate(LETTERS), []
    for _ in range(4):
        opened.keyboard.press("z")
        box = image.bounding_box()
        places.append((round(box["x"]), round(box["y"])))
        assert box["width"] == pytest.approx(2 * whole["width"]) and len(set(places)) == len(places)
    assert opened.evaluate(LETTERS) == pytest.approx(2 * small)
    assert not opened.locator("section.present figcaption").is_visible()
    opened.keyboard.press("z")
    assert image.bounding_box() == whole
    image.click(position={"x": whole["width"] - 9, "y": 9})
    assert image.bounding_box()["x"] < whole["x"] - 9
    opened.keyboard.press("ArrowRight")
    assert opened.locator(".zoomed").count() == 0


@pytest.mark.parametrize("name", ["attention"])
def test_a_poll_hides_its_answer_until_the_next_press(opened, name):
    shown = list(names_on(name))
    opened.evaluate("number => Reveal.slide(number)", shown.index("growth"))
    poll = opened.locator("section.present")
    border = "e => getComputedStyle(e).borderTopColor"
    right, wrong = poll.locator("[data-true]"), poll.locator(".choices li:not([data-true])").first
    assert not poll.locator(".answer").is_visible() and right.evaluate(border) == wrong.evaluate(border)
    opened.keyboard.press("ArrowRight")
    assert poll.locator(".answer").is_visible() and right.evaluate(border) != wrong.evaluate(border)
    assert "Because the variance grows" in poll.inner_text() and right.inner_text() == "4 times"
    opened.keyboard.press("ArrowRight")
    assert opened.evaluate("Reveal.getState().indexh") == shown.index("growth") + 1


@pytest.mark.parametrize("name", ["attention"])
def test_the_keys_of_the_first_slide_do_what_it_says(opened, name):
    assert [key.inner_text() for key in opened.locator("section.present kbd").all()][:5] == ["→", "←", "S", "B", "Esc"]
    with opened.expect_popup() as popup:
        opened.keyboard.press("s")
    notes = popup.value
    assert "Before class." in notes.locator("main").inner_text()
    opened.bring_to_front()
    opened.keyboard.press("ArrowRight")
    assert "0–6. Where does a word look?" in notes.locator("main").inner_text()
    assert notes.locator("main a.now").first.inner_text() == "Fig. 3.1"
    assert notes.locator("main a[href^='../book/attention.html#view=gaze_view']").count() == 2
    notes.keyboard.press("ArrowLeft")
    assert opened.evaluate("Reveal.getState().indexh") == 0
    opened.keyboard.press("b")
    assert opened.evaluate("Reveal.isPaused()")
    opened.keyboard.press("b")
    opened.keyboard.press("Escape")
    assert opened.evaluate("Reveal.isOverview()")
    opened.keyboard.press("Escape")
    theme = "document.documentElement.dataset.theme"
    before = opened.evaluate(theme)
    opened.keyboard.press("d")
    assert {before, opened.evaluate(theme)} == {"light", "dark"}


@pytest.mark.parametrize("name", ["attention"])
def test_a_view_of_a_slide_works_and_keeps_its_keys(opened, name):
    opened.evaluate("number => Reveal.slide(number)", list(names_on(name)).index("fig-attention-gaze"))
    word = opened.locator("section.present .tl-gaze button", has_text="waited")
    word.click()
    assert "waited" in opened.locator("section.present .tl-say").inner_text()
    opened.keyboard.press("ArrowRight")  # to the next word, not to the next slide
    assert opened.evaluate("Reveal.getState().indexh") == 1
    opened.keyboard.press("PageDown")
    assert opened.evaluate("Reveal.getState().indexh") == 2


@pytest.mark.parametrize("name", ["attention"])
def test_a_sentence_of_the_plan_fills_the_view_of_the_slide(opened, name):
    opened.evaluate("number => Reveal.slide(number)", list(names_on(name)).index("fig-attention-gaze"))
    sentences = opened.locator("section.present .try a")
    assert sentences.all_inner_texts() == ["The nurse opened the old door.", "The door opened the nurse."]
    sentences.last.click()
    assert opened.locator("section.present .tl-live input").input_value() == "The door opened the nurse."
    opened.locator("section.present .tl-gaze", has_text="nurse").wait_for()
    assert opened.complaints == []


def pages_of(tab, paper):
    return len(re.findall(rb"/Type\s*/Page\b", tab.pdf(format=paper, print_background=True)))


@in_browser
def test_the_handout_has_three_slides_a_page(opened, name):
    count = math.ceil(len(slides(name)) / 3)
    assert [pages_of(opened, paper) for paper in ("A4", "Letter")] == [count, count]


@in_browser
def test_a_sheet_fills_one_page_of_either_paper_and_is_for_everyone(browser, name):
    tab = browser.new_page()
    open_page(tab, f"sheets/{name}.html")
    assert [pages_of(tab, paper) for paper in ("A4", "Letter")] == [1, 1]
    content, sheet = (tab.locator(css).bounding_box() for css in (".sheet > div", ".sheet"))
    assert content["y"] + content["height"] <= sheet["y"] + sheet["height"]
    size = tab.locator(".sheet").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 9 * 4 / 3, "letters of less than 9 points"
    tab.set_viewport_size({"width": accessible.WIDTHS[0], "height": 900})
    tab.wait_for_function("document.documentElement.scrollWidth <= innerWidth")  # the paper shrinks a moment later
    tab.evaluate(accessible.SHORT)
    assert list(accessible.audit(tab)) == []
    tab.close()


@in_browser
def test_slides_fit_on_an_old_projector(tabs, name):
    walked = walk(show(tabs[name], OLD))
    layouts = [layout for slide in walked for layout in slide["layouts"]]
    assert faults(walked) == [] and layouts and [[file, share] for file, share in layouts if share < 0.999] == []
    smallest, *others = sorted(size for kind in ("figure", "view") for size in letters_of(walked, name, kind).values())
    assert smallest > 9 and min(others) > 12


# One slide of each kind: axe goes through all that a page has, also through what is not shown.
ONLY = """numbers => {
  Reveal.getSlides().forEach((slide, number) => numbers.includes(number) || slide.remove());
  // What lies over or under a slide, and shows nothing, keeps axe from seeing the color below a text.
  const nothing = 'aside.notes, .backgrounds, .pause-overlay, .progress, .slide-number, .controls, .aria-status';
  document.querySelectorAll(nothing).forEach(part => part.remove());
}"""


def audit(tab):
    """What axe finds on the slide that is shown, in both themes, at the projector's size."""
    if not tab.evaluate("'axe' in window"):
        package = pytest.importorskip("axe_playwright_python")
        source = accessible.resources.files(package).joinpath("axe.min.js").read_text(encoding="utf-8")
        tab.add_script_tag(content=source)
    for theme in accessible.THEMES:
        tab.evaluate("theme => document.documentElement.dataset.theme === theme || turnTheme()", theme)
        yield from tab.evaluate(accessible.AUDIT, [["section.present"], accessible.RULES, theme])


@in_browser
def test_axe_finds_nothing_on_slides(tabs, name):
    opened, kinds = tabs[name], {" ".join(slide["class"]): number for number, slide in enumerate(slides(name))}
    opened.evaluate(ONLY, list(kinds.values()))
    opened.evaluate(accessible.SHORT)
    problems = []
    for number in range(len(kinds)):
        opened.evaluate("number => Reveal.slide(number)", number)
        opened.evaluate("Reveal.nextFragment()")
        problems += audit(opened)
    assert list(dict.fromkeys(problems)) == []
    tabs.close(name)  # most of its slides are gone
