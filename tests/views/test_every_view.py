"""Properties of every view: it is readable without a script, by everyone, on any screen, and runs no text."""

import sys
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pytest
import torch

from tests.page.test_which import word
from tests.views.conftest import Tabs
from tests.views.examples import HOSTILE, assert_drawn, helix, made_up_trace, random_weights
from tutorial_book.experiments import attention as toy
from tutorial_book.experiments.uses import Index
from tutorial_book.page import search_view, slide
from tutorial_book.page.turning import turning_view
from tutorial_book.page.which import which_view
from tutorial_lib import load, views
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.tokenization.wordpiece import SPECIAL

IMAGE, CLOSING = HOSTILE[:2]
OUTPUTS = ":is([data-matrix=weights], [data-matrix=output]) td"
CALCULATOR = (toy.TOKENS, toy.X, toy.W_Q, toy.W_K, toy.W_V)
WORDS = ["[CLS]", "the", "incomprehensibility", "##s", "熊熊熊熊熊熊熊熊", "!", "[SEP]"]
LONG = "x" * 100 + " antidisestablishmentarianism" + "熊" * 90
# They have the same parts as another one, and an audit of many parts takes long.
VARIANTS = ("perpendicular", "opposite", "no direction", "one query", "several heads", "one of many", "rare characters",
            "empty text")  # fmt: skip
# Of each part its outline, the ends of its line and its text.
LOOK = """(root, parts) => [...root.querySelectorAll(parts)].filter(e => !e.closest('.tl-detail')).map(e =>
  [...['d', 'x2', 'y2', 'aria-pressed'].map(name => e.getAttribute(name) ?? ''), e.textContent].join(' '))"""

CHANGE = """control => {
  control.localName === 'select' ? control.selectedIndex = +!control.selectedIndex : control.value = control.max;
  control.dispatchEvent(new Event(control.localName === 'select' ? 'change' : 'input', {bubbles: true}));
}"""


def line(k):
    plt.subplots(figsize=(4, 3))[1].plot([0, k])


SMALL, LARGE = random_weights(2, 3, 7, 7), random_weights(2, 80, 40, 40)
NAMES = [f"a long label {i}" for i in range(60)]
INDEX = Index([f"text {i}" for i in range(9)], random_weights(9, 8))
LEGEND, TOKENIZED = ".tl-say, .tl-legend", ".tl-say, .tl-words li, .tl-tries li"
LINES, CELLS = ".tl-say, .tl-lines path", ".tl-say, caption, thead th, thead td, tbody th, tbody td, path"
# Name -> how a view is made, and the parts that look the same with controls and without.
VIEWS = {
    "blueprint": (lambda tok: views.blueprint(), ".tl-say"),
    "calculator": (lambda tok: views.attention_calculator(*CALCULATOR), f".tl-say, {OUTPUTS}"),
    "softmax": (lambda tok: views.softmax_explorer([2.5, 3.0, 4.5, -1.0], HOSTILE), ".tl-say, td:nth-child(n + 3)"),
    "dot product": (lambda tok: views.dot_product_explorer((2, 1), (1, 2)), ".tl-say, td, .tl-shadow, .tl-drop"),
    "perpendicular": (lambda tok: views.dot_product_explorer((2, 1), (-1, 2)), ".tl-say, td"),
    "opposite": (lambda tok: views.dot_product_explorer((2, 1), (-2, 1)), ".tl-say, td"),
    "no direction": (lambda tok: views.dot_product_explorer((2, 1), (0, 0)), ".tl-say, td"),
    "gaze": (lambda tok: views.gaze_view(SMALL, WORDS, query=3), ".tl-say, .tl-gaze li, .tl-gaze button"),
    "one head": (lambda tok: views.head_view(SMALL, WORDS, layer=1, head=2), LINES),
    "one query": (lambda tok: views.head_view(SMALL, WORDS, layer=1, head=2, query=3), f"{LINES}, .tl-number"),
    "one of many": (lambda tok: views.head_view(LARGE, ["t"] * 40, layer=1, head=2), LINES),
    "several heads": (lambda tok: views.head_view(SMALL, WORDS, head=None), ".tl-lines path"),
    "all heads": (lambda tok: views.model_view(random_weights(6, 12, 7, 7), WORDS), None),
    "neurons": (lambda tok: views.neuron_view(made_up_trace(1, 2, 20, 4), NAMES[:20], head=1, query=3), CELLS),
    "waves": (lambda tok: views.sinusoid_explorer(), ".tl-say, .tl-clocks td, .tl-sine, .tl-cosine"),
    "groups": (lambda tok: views.point_cloud(helix(60), NAMES, groups=["one", "other"] * 30, path=True), LEGEND),
    "colors": (lambda tok: views.point_cloud(helix(60), colors=range(60)), LEGEND),
    "tokenizer": (lambda tok: views.tokenizer_explorer(tok, "The bear, serendipitous!"), TOKENIZED),
    "long word": (lambda tok: views.tokenizer_explorer(tok, LONG), TOKENIZED),
    "rare characters": (lambda tok: views.tokenizer_explorer(tok, "bear\ue123 日本 ☃☃x [MASK][MASK]"), TOKENIZED),
    "empty text": (lambda tok: views.tokenizer_explorer(tok, ""), ".tl-say"),
    "story": (lambda tok: views.story_view(*load("book-gpt", "cpu"), "Mia had a kite."),
              ".tl-told, .tl-next td, .tl-say"),
    "search": (lambda tok: search_view(INDEX, ["Why?", "How?"], random_weights(2, 8), [["text 3"], []]),
               ".tl-say, .tl-asked, .tl-hits li"),
    "slide": (lambda tok: slide(line, k=[1, 2, 3], alt="A line to {value}.", start=2), ".tl-say"),
    "training": (lambda tok: views.training_view(), ".tl-say, svg path, svg text"),
    "turning": (lambda tok: turning_view(*torch.randn(2, 8)), ".tl-say, b, .tl-pair line, .tl-distance path"),
    "which": (lambda tok: which_view({"bank": word()}, "bank"), ".which-map, .which-machine, [data-part=list]"),
}  # fmt: skip
OF_THEIR_OWN = ("blueprint", "all heads", "slide")  # their script draws something else, or nothing


@pytest.fixture(scope="module")
def shown(tok):
    return {name: make(tok) for name, (make, _) in VIEWS.items()}


@pytest.fixture(scope="module")
def visits(shown, browser, tmp_path_factory):
    """Two tabs with all views: without scripts and with them."""
    tabs = Tabs(browser, [], tmp_path_factory.mktemp("views"))
    yield [tabs.open_view(*shown.values(), javascript=javascript) for javascript in (False, True)]
    tabs.close()


@pytest.mark.parametrize("name", VIEWS)
def test_first_picture_is_what_the_script_draws(name, shown, visits):
    """In V8 without a document, and in the browser; with controls its parts look the same."""
    before, after = (tab.locator(".tl-view").nth(list(VIEWS).index(name)) for tab in visits)
    if name not in OF_THEIR_OWN:
        assert_drawn(visits[1], shown[name])
    parts = VIEWS[name][1]
    drawn, alive = (root.evaluate(LOOK, parts or "none") for root in (before, after))
    assert drawn == alive
    assert drawn or not parts


def test_without_mini_racer_a_sentence_takes_the_place(monkeypatch, open_view):
    """Until the script runs. A view with a given picture needs no engine."""
    monkeypatch.setitem(sys.modules, "py_mini_racer", None)
    view = views.softmax_explorer([1.0, 3.0], ["a", "b"])
    tab = open_view(view, views.blueprint(), javascript=False)
    assert "that they give: this picture is drawn by a script." in tab.locator(".tl-picture").first.inner_text()
    assert tab.locator(".tl-blueprint").count() == 1
    picture = open_view(view).locator(".tl-picture")
    assert picture.locator("table").count() == 1 and "script" not in picture.inner_text()


def test_views_are_accessible_on_any_screen(assert_accessible, shown):
    """Names for a screen reader, contrast in both themes, and no view wider than a phone."""
    assert_accessible(*[view for name, view in shown.items() if name not in VARIANTS])


def test_hostile_texts_are_shown_not_run(open_view):
    """In each view: menus, legends, tables and sentences have the text as it is, and nothing asks for an image."""
    A, text, square = random_weights(1, 2, 4, 4), CLOSING + IMAGE, torch.eye(4)
    answers = search_view(Index(HOSTILE, random_weights(4, 8)), [IMAGE], random_weights(1, 8), [[IMAGE]])
    cases = [
        (views.attention_calculator(HOSTILE, *[square] * 4), "[data-matrix=weights] tbody th", HOSTILE),
        (views.softmax_explorer([1, 2, 3, 4], HOSTILE), "tbody th", HOSTILE),
        (views.gaze_view(A, HOSTILE), ".tl-gaze button", HOSTILE),
        (views.head_view(A, HOSTILE, query=0), ".tl-say", [IMAGE]),
        (views.model_view(A, HOSTILE, 0, 0), ".tl-say", ["Layer 0"]),
        (views.neuron_view(made_up_trace(1, 1, 4, 4), HOSTILE), ".tl-say", [IMAGE]),
        (views.point_cloud(helix(4), HOSTILE, HOSTILE, axes=HOSTILE[:3], label=IMAGE), ".tl-legend span", HOSTILE),
        (views.point_cloud(helix(4), colors=range(4), color_name=IMAGE), ".tl-legend", [IMAGE]),
        (views.tokenizer_explorer(WordPiece([*SPECIAL, IMAGE]), text), ".tl-typed", [text]),
        (answers, ".tl-asked", [IMAGE]),
        (slide(lambda k: line(len(k)), k=HOSTILE[:2], alt=HOSTILE[2:]), "output", [IMAGE]),
    ]
    outputs = [view._repr_html_() for view, *_ in cases]
    assert all(output.count("</script>") == 2 and "<img src=x" not in output for output in outputs)
    tab = open_view(*[view for view, *_ in cases])
    for root, (view, where, texts) in zip(tab.locator(".tl-view").all(), cases, strict=True):
        found = root.locator(where).all_text_contents()
        assert len(found) == len(texts), (view, found)
        assert all(text in shown for text, shown in zip(texts, found, strict=True)), (view, found)
    assert tab.locator("img:not(.tl-frame img)").count() == 0


def test_same_output_twice_makes_two_views(open_view, shown):
    """A notebook may insert an output again; changes of the first copy leave the second unchanged."""
    names = ["calculator", "softmax", "one head", "neurons", "waves", "search", "turning"]
    outputs = [shown[name]._repr_html_() for name in names]
    tab = open_view(*[SimpleNamespace(_repr_html_=lambda html=html: html) for html in outputs for _ in "12"])
    for i, name in enumerate(names):
        first, second = (tab.locator(".tl-view").nth(2 * i + copy) for copy in (0, 1))
        before = first.inner_text()
        first.locator(".tl-controls :is(select, input[type=range])").last.evaluate(CHANGE)
        assert first.inner_text() != before == second.inner_text(), name
    for copy in (2, 3):  # of softmax: a screen reader hears each copy's own message
        field = tab.locator(".tl-view").nth(copy).locator("input.tl-number").first
        field.fill(f"wrong {copy}")
        message = tab.locator(f"[id='{field.get_attribute('aria-describedby')}']").inner_text()
        assert f"“wrong {copy}” is not a number" in message


def test_large_examples_travel_small(tok):
    attention = [random_weights(6, 12, 64, 64, concentration=spread) for spread in (0.05, 0.5, 50)]
    tokens = ["token##"] * 64
    for view, most in (
        *((view(weights, tokens), 450_000) for weights in attention for view in (views.head_view, views.model_view)),
        (views.neuron_view(made_up_trace(6, 12, 64, 32), tokens), 450_000),
        (views.point_cloud(helix(512), path=True), 60_000),
        (views.point_cloud(helix(5000), groups=[str(i % 6) for i in range(5000)]), 250_000),
        (views.tokenizer_explorer(tok), 175_000),
    ):
        assert len(view._repr_html_().encode()) < most, view
