"""The views that ask the model in the page: for the reader's text each shows the same as Python's measurement.

All are on one page, so that the models are loaded once.
"""

import re
from urllib.parse import urlencode

import pytest

from tests.accessible import audit
from tests.views.conftest import turn
from tests.views.examples import HOSTILE, alike, ask, assert_drawn, write_pages
from tutorial_book.experiments.uses import Index
from tutorial_book.page import live as views
from tutorial_book.page import search_view
from tutorial_book.page.live.asking import JS, words_of
from tutorial_book.page.live.limits import list_view
from tutorial_book.page.live.senses import sense_view
from tutorial_lib import load
from tutorial_lib.geometry.gates import gate_of, gate_scores
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed
from tutorial_lib.views import base, engine, still
from tutorial_lib.views.traces import Attention

NAMES = ("all-MiniLM-L6-v2", "book-bert", "book-gpt")
SENTENCE, OTHER = "The bear opened the door with a smile.", "Serendipitous dogs chased the tired cats."
POSTS = load_texts("posts")[:30]
PAIRS = {name: pairs[:5] for name, pairs in load_texts("sentence-pairs").items()}
MICE = ("The mouse ate cheese. A cat saw the mouse.", "The mouse has a cable. Click with the mouse!", "ladder")
BANKS = ("My bank sold it. The Bank is closed? Ask a bank.", "We sat on the bank. Reeds grow at the bank.", "school")


@pytest.fixture(scope="module")
def models():
    return {name: load(name, "cpu") for name in NAMES}


# kind of view -> how it is made from models and texts; the texts of the example, and those that are typed
MAKE = {
    "context": lambda m, *texts: views.word_view(*m[NAMES[0]], *texts),
    "positions": lambda m, *texts: views.order_view(*m[NAMES[0]], *texts),
    "evolution": lambda m, *texts: views.path_view(*m[NAMES[0]], *texts),
    "length": lambda m, text: views.length_view(*m[NAMES[0]], text),
    "mask": lambda m, text: views.mask_view(*m["book-bert"], text),
    "gates": lambda m, text: views.census_view(*m[NAMES[0]], text, census(m)),
    "list": lambda m, *texts: list_view(m[NAMES[0]][0], *texts),
    "senses": lambda m, *texts: sense_view(*m[NAMES[0]], *texts),
    "pair": lambda m, *texts: views.pair_view(m[NAMES[0]][0], POSTS, *texts),
    "difference": lambda m, *texts: views.difference_view(m[NAMES[0]][0], PAIRS, *texts),
    "offset": lambda m, *texts: views.offset_view(*m[NAMES[0]], *texts),
    "silence": lambda m, text: views.silence_view(*m[NAMES[0]], text),
    "lens": lambda m, text: views.lens_view(*m["book-gpt"], text),
    "neighbors": lambda m, text: views.neighbor_view(*m[NAMES[0]], [text]),
    "average": lambda m, text: views.average_view(*m[NAMES[0]], POSTS, text),
}
TEXTS = {
    "context": [("I saw a bear.", "We bear it."), ("Serendipity on a bank & shore.", "A bank of Serendipity.")],
    "positions": [("The cat saw the dog", "The dog saw the cat"), ("dogs bite old men", "old men bite dogs")],
    "evolution": [("A mouse ran.", "The mouse clicks."), ("The spring was dry.", "The spring of the watch broke.")],
    "length": [(SENTENCE,), (OTHER,)],
    "mask": [("Mia lost her [MASK].",), ("The [MASK] saw Zanzibar and was [MASK].",)],
    "gates": [(SENTENCE,), (OTHER,)],
    "list": [("Who likes owls?", "Ada likes bees, owls and elks."), ("snow", "Cats; deep snow, and rain: ice.")],
    "senses": [MICE, BANKS],
    "pair": [("The cat sleeps.", "A kitten is asleep."), ("It rains.", "The market fell.")],
    "difference": [("The doctor left.", "The nurse left."), ("She is a pilot.", "He is a pilot.")],
    "offset": [("Helen never opened the door.", "helen", "opened"), (OTHER, "serendipitous", "cats")],
    "silence": [(SENTENCE,), (OTHER,)],
    "lens": [("Mia had a",), ("Tom saw a big dog. He",)],
    "neighbors": [("cat",), ("snow",)],
    "average": [(SENTENCE,), (OTHER,)],
}  # fmt: skip


def census(models):
    model, tokenizer = models[NAMES[0]]
    return gate_of(gate_scores(Attention(model, tokenizer.encode(SENTENCE)).weights))


@pytest.fixture(scope="module")
def site(tmp_path_factory, models):
    """A folder as from `make book`, with one page that has each kind of view, the search last."""
    folder = tmp_path_factory.mktemp("live")
    for name in NAMES:
        engine.write_model(folder, name, *models[name], load_texts("documents") if name == NAMES[0] else ())
    views = [make(models, *TEXTS[kind][0]) for kind, make in MAKE.items()] + [searching(models[NAMES[0]][0])]
    others = [make(models, *TEXTS[kind][1]) for kind, make in MAKE.items()]
    pages = {"views": views, "others": others}
    write_pages(folder, {name: "".join(view._repr_html_() for view in all) for name, all in pages.items()})
    return folder


def searching(model):
    texts = load_texts("documents")
    vectors = embed(texts, model)
    return search_view(Index(texts, vectors), texts[:1], vectors[:1], k=3, model=model)


@pytest.fixture(scope="module")
def tab(live_tabs, site):
    tab = live_tabs(f"{site.as_uri()}/views.html")
    tab.wait_for_function(f"document.querySelectorAll('.tl-live').length === {len(MAKE) + 1}")
    assert list(audit(tab, [".tl-view"], turn=turn)) == []
    return tab


@pytest.fixture(scope="module")
def measured(live_tabs, site):
    """The same views of the other texts, as Python measured them."""
    return live_tabs(f"{site.as_uri()}/others.html")


@pytest.fixture
def view(tab):
    """Call it with a kind to get its view."""
    return lambda kind: tab.locator(".tl-view").nth([*MAKE, "search"].index(kind))


# What may differ by more than rounding should: shares and lengths, counts near a border, thousandths, probabilities.
LOOSE = {"gates": (0.2, 3), "pair": (0.02, 40), "silence": (0.15, 2), "lens": (0.1, 0.05), "offset": (0.1, 2)}
# Rounding may swap neighbors of one cosine, and change a head's gate or its pattern near a border.
SWAPPED = {"neighbors": 6, "gates": 8, "lens": 2}
CURVES = ("context", "evolution", "length", "list", "senses", "pair", "lens", "average")
TEXTS_OF = """root => [...root.querySelector('.tl-picture').querySelectorAll('text, th, td, li, p.tl-unit')]
  .map(e => e.textContent)"""
LINES = """root => [...root.querySelectorAll('path[class^=tl-curve], path.tl-hill, path.tl-mark')]
  .map(path => path.getAttribute('d'))"""


@pytest.mark.parametrize("kind", MAKE)
def test_view_of_own_text_equals_pythons(kind, view, tab, measured, models):
    """The example, computed in the page, has the lines that there were before. Then of the reader's text: the menu,
    and of its first and last choice the sentence and each text in the chart."""
    assert_drawn(tab, MAKE[kind](models, *TEXTS[kind][0]))
    root, other = view(kind), measured.locator(".tl-view").nth(list(MAKE).index(kind))
    before = root.evaluate(LINES)
    assert bool(before) == (kind in CURVES)
    ask(root, *TEXTS[kind][0])
    for now, then in zip(root.evaluate(LINES), before, strict=True):
        assert alike(now, then, 0, 4)  # units of 440 across
    ask(root, *TEXTS[kind][1])
    loose = LOOSE.get(kind, ())
    menu, expected_menu = (one.locator(".tl-controls option").all_inner_texts() for one in (root, other))
    assert menu == expected_menu
    for place in {0, max(0, len(menu) - 1)}:
        for one in (root, other):
            if menu:
                one.locator(".tl-controls select").select_option(str(place))
        assert alike(*(one.locator(".tl-say").inner_text() for one in (root, other)), *loose)
        texts, expected = (one.evaluate(TEXTS_OF) for one in (root, other))
        off = [pair for pair in zip(texts, expected, strict=True) if not alike(*pair, *loose)]
        assert texts and len(off) <= SWAPPED.get(kind, 0), off


@pytest.mark.parametrize("kind", [*MAKE, "search"])
def test_link_arrives_answered(kind, tab, view):
    root, texts = view(kind), TEXTS.get(kind, [["Where do bears sleep?"]])[0]
    names = [f"text{i}" if i > 1 else "text" for i in range(1, len(texts) + 1)]
    named = "search_view" if kind == "search" else kind
    tab.goto(tab.url.split("#")[0] + "#" + urlencode([("view", named), *zip(names, texts)]))
    root.locator(f'.tl-live a[href$="{urlencode(list(zip(names, texts)))}"]').wait_for()
    assert [box.input_value() for box in root.locator(".tl-live input[type=text]").all()] == list(texts)


def test_views_are_accessible_after_the_press(tab, view):
    for kind in ("context", "search"):
        ask(view(kind), *TEXTS.get(kind, [["Why?"]])[0])
    assert list(audit(tab, [".tl-view"], turn=turn)) == []


def test_search_reads_the_book_and_own_files(tab, view, models, tmp_path):
    (model, _), root, texts = models[NAMES[0]], view("search"), load_texts("documents")
    question, hits = "Where do bears live?", root.locator(".tl-hits li")
    ask(root, question)
    expected = Index(texts, embed(texts, model)).search(embed([question], model)[0], 3)
    assert [hit.split("\n")[-1] for hit in hits.all_inner_texts()][:2] == [text for text, _ in expected][:2]

    def drop(name, text):
        (tmp_path / name).write_text(text)
        root.locator("input[type=file]").set_input_files(tmp_path / name)

    drop("notes.txt", f"The soup is hot. {HOSTILE[0]}\n\nA grizzly slept in its den all winter.\n\nStocks fell.")
    tab.get_by_text("3 passages. Now ask.").wait_for()
    root.get_by_label("Your question").fill("Which animal hibernates?")
    tab.get_by_text("in notes.txt:").wait_for()
    assert "grizzly" in hits.first.inner_text() and root.locator("img").count() == 0
    drop("long.txt", "\n\n".join(["a bear"] * 450))
    tab.get_by_text("400 passages of 450, the first ones").wait_for()
    root.get_by_role("button", name="Search the book’s texts again").click()
    root.get_by_label("Your question").fill("Where do bears live")
    tab.get_by_text(f"{len(texts)} texts compared").wait_for()
    drop("empty.txt", " ")
    tab.get_by_text("There is no text in empty.txt.").wait_for()


def test_pressing_a_neighbor_asks_for_its_own(tab, view):
    root = view("neighbors")
    ask(root, "snow")
    first = root.locator(".tl-bars button").first
    word = first.inner_text()
    first.click()
    tab.get_by_text(f"nearest to that of “{word}”").wait_for()
    assert root.get_by_label("A word").input_value() == word
    root.get_by_label("A word").fill("serendipity")
    tab.get_by_text("the vocabulary cuts this into").wait_for()


@pytest.mark.parametrize(
    "kind, texts, page, python",
    [
        ("context", ["one two", "three four"], "share no word", "one and other"),
        ("context", ["...", "a bear"], "at least one word", "at least one word"),
        ("evolution", ["one two", "three four"], "share no word", "one and other"),
        ("positions", ["one two", "three four"], "share no word", "one and other"),
        ("length", [" "], "Type something first", "at least one word"),
        ("mask", ["no gap"], "Write [MASK]", "text must have a"),
        ("difference", ["Same", "same"], "Both sentences are the same", "one and other"),
        ("offset", ["a bear", "bear", "door"], "is no word of the sentence", "partner"),
        ("offset", ["a bear", "bear", "bear"], "two", "must differ"),
        ("neighbors", ["serendipity"], "cuts this into 4: ser", "asked"),
        ("neighbors", ["cats and dogs"], "A row belongs to one token", "asked"),
        ("neighbors", ["bear " * 200], "cuts this into 126.", "asked"),
        ("average", ["bear."], "two words or more", "two words"),
        ("list", ["Who likes tea?", "Ada likes owls and bees."], "must list “tea”", "must list “tea”"),
        ("list", ["tea", "Ada likes tea."], "something else", "something else"),
        ("list", ["...", "Ada likes tea."], "something else", "something else"),
    ],
)
def test_unusable_text_keeps_the_picture(kind, texts, page, python, view, models):
    """The page says why, and Python refuses the same."""
    root = view(kind)
    before = root.locator(".tl-picture").inner_text()
    for box, text in zip(root.locator(".tl-live input[type=text]").all(), texts, strict=True):
        box.fill(text)
    root.get_by_role("button", name="Show", exact=True).click()
    root.locator(".tl-live").get_by_text(page).wait_for()
    assert root.locator(".tl-picture").inner_text() == before
    assert all(root.get_by_role("status").inner_text().count(text) < 2 for text in texts if len(text) > 3)
    with pytest.raises(ValueError, match=python):
        MAKE[kind](models, *texts)


def test_order_is_lost_without_positions(models):
    view = views.order_view(*models[NAMES[0]], "The cat chased the dog", "The dog chased the cat")
    without, with_them = (dict(rows) for _, rows in view.data["found"])
    assert min(without.values()) > 0.99999 > 0.97 > min(with_them.values())


def test_words_are_made_of_pieces():
    assert words_of(["[CLS]", "a", "b", "##c", "##d", ".", "[SEP]"]) == [("a", [1]), ("bcd", [2, 3, 4])]
    assert words_of(["[", "a", "]", "-"]) == [("a", [1])]


@pytest.mark.parametrize("low, high", [(0, 1), (-0.3, 1), (7.1, 220.4), (0, 0.01)])
def test_ticks_are_few_and_inside(low, high):
    script = "\n".join((folder / f"{name}.js").read_text() for folder, name in ((base.JS, "common"), (JS, "chart")))
    script += "function draw(view) { view.picture.append(...drawn(view.data)); }"
    chart = {"kind": "lines", "curves": [["a", [low, high]]], "axis": "x", "unit": "y"}
    html, _ = still.drawn(script, base.to_json(chart))
    found = [float(text.replace("−", "-")) for text in re.findall(r'text-anchor="end">([^<]+)<', html)]
    assert 3 <= len(found) <= 8 and low - 1e-9 <= found[0] and found[-1] <= high + 1e-9
