"""The picture of the front page: a word's way through the layers, and what switches make of it."""

import re

import pytest

from tests.views.examples import HOSTILE
from tutorial_book.page.which import TORN, bank_floor, which_view

TOKENS = ["[CLS]", "the", "bank", "held", "mos", "##ses", ".", "[SEP]"]
BEFORE = "The dashed line is the way it took before."


def path(end, z=0):
    """A word's way in hundredths, x, z, x, z, ...: from 0 straight to its end."""
    return [number for depth in range(7) for number in (round(end * depth / 6), z)]


def answer(text, end, sense=1):
    """A stored sentence whose word ends there; hiding "mosses" takes it to the other side, "held" does little."""
    others = [[1], [3], [4, 5], [6]]
    return {
        "text": text, "tokens": TOKENS, "at": 2, "sense": sense, "path": path(end), "others": others,
        "hidden": [path(-end if 4 in pieces else end) for pieces in others],
        "muted": [end] * 5 + [end - 30] + [end] * 66,
        "muted_paths": [path(end - 30 * (i == 5))[2 * (i // 12) + 2 :] for i in range(72)], "words": [1, 3, 4, 5],
        "edges": [[0, 0, -40, 0]] + [[0] * 4] * 5, "heard": [path(0), path(end - 10), *[path(end)] * 5],
        "orders": [[0, 3, 4, 5, 6, 1, 2, 7]], "shuffled": [path(end - 20)],
    }  # fmt: skip


def word(names=("river bank", "money bank"), texts=("The bank held mosses.", "The bank was torn.")):
    ends = [(i % 2, -90 + i if i % 2 == 0 else 90 + i) for i in range(8)]
    uses = [{"text": f"use {i}", "sense": sense, "path": path(end, 10 * i)} for i, (sense, end) in enumerate(ends)]
    examples = [answer(texts[0], 80), answer(texts[1], 10, None), answer("Fooled bank.", -70)]
    return {"senses": list(names), "uses": uses, "examples": examples}


@pytest.fixture(scope="module")
def view():
    pytest.importorskip("py_mini_racer")
    return which_view({"bank": word(), "bat": word(("the animal", "the club"))}, "bank")


@pytest.fixture
def tab(view, open_view):
    return open_view(view, reduced_motion="reduce")


def says(tab):
    return [tab.locator(f"[data-part={part}]").inner_text() for part in ("verdict", "why")]


def bare(html):
    return re.sub(' style="[^"]*"', "", html)


def press(tab, name):
    tab.get_by_role("button", name=name, exact=True).click()


def test_first_state_needs_no_script(view, open_view):
    tab = open_view(view, javascript=False)
    assert says(tab)[0] == "Money bank. Decided at the first look, in layer 1."
    assert tab.locator("svg polyline.which-trail").count() == 1 and tab.locator("[data-part=list] li").count() == 9


def test_hiding_a_piece_hides_its_word(tab):
    press(tab, "Hide “mos”")
    assert says(tab) == ["River bank.", f"Without “mos” and “ses”, it flips to the river bank. {BEFORE}"]
    assert tab.evaluate("document.activeElement.dataset.key") == "hide4"
    assert tab.locator("polyline.which-before").count() == 1
    press(tab, "Show “ses”")
    assert says(tab)[0] == "Money bank. Decided at the first look, in layer 1."
    assert not tab.locator("polyline.which-before").count()


@pytest.mark.parametrize(
    "name, why",
    [
        ("Hide “mosses”", "Without “mos” and “ses”, it flips to the river bank."),
        ("Mute the brightest head", "With head 5 of layer 1 muted, it is still the money bank."),
        ("Stop listening after layer 1", "If it stops listening after layer 1, it is still the money bank."),
        ("Never listen", "If it never listens, it can no longer tell."),
        ("Shuffle the words", "With its words shuffled, it is still the money bank."),
    ],
)
def test_each_switch_has_its_stored_answer(tab, name, why):
    press(tab, name)
    assert says(tab)[1] == f"{why} {BEFORE}"
    assert tab.get_by_role("button", name=name, exact=True).get_attribute("aria-pressed") == "true"
    press(tab, "Put it all back")
    assert says(tab)[0] == "Money bank. Decided at the first look, in layer 1."
    assert says(tab)[1] == "What tipped it: “mosses”. Press a word to hide it, and see."


def test_verdicts_say_torn_and_fooled(tab):
    press(tab, "The bank was torn.")
    assert says(tab) == ["It cannot tell.", "“mosses” pulls to the money bank, but not far enough."]
    press(tab, "Fooled bank.")
    assert says(tab)[1].startswith("Fooled. You know that it is the money bank. The machine went by the company")
    kinds = tab.locator("[data-part=examples] i").all_inner_texts()
    assert [kind.lower() for kind in kinds] == ["clear", "torn", "fooled"]


def test_another_word_has_its_own_map(tab):
    press(tab, "bat")
    assert says(tab)[0] == "The club. Decided at the first look, in layer 1."
    assert tab.locator("text.which-name").all_text_contents() == ["The animal", "The club"]


def test_floors_are_reached_by_keyboard(tab):
    slider = tab.get_by_role("slider")
    slider.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "layer 5" and says(tab)[0] == "…"
    for _ in range(5):
        slider.press("ArrowLeft")
    assert "knows only itself" in says(tab)[1]
    lamp = tab.locator(".which-lamp").first
    lamp.focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown", "Enter"):
        tab.keyboard.press(key)
    assert tab.evaluate("document.activeElement.dataset.head") == "7"
    assert tab.locator('[data-head="7"]').first.get_attribute("aria-pressed") == "true"
    tab.locator('[data-head="7"]').first.press("ArrowUp")
    tab.keyboard.press("ArrowUp")
    both = "[document.activeElement, document.querySelector('[data-head=\"7\"]')]"
    now, before = tab.evaluate(f"{both}.map(lamp => lamp.getBBox().x)")
    assert now == before  # one column, from layer to layer


def test_a_link_opens_with_the_senders_answer(view, tab, tabs):
    press(tab, "bat")
    press(tab, "Never listen")
    link = tab.get_by_role("link", name="Link to this answer").get_attribute("href")
    opened = tabs.open(tab.url + link, reduced_motion="reduce")
    assert says(opened) == says(tab) and says(opened)[1].startswith("If it never listens, it can no longer tell")
    way = ".".join(map(str, range(0, -140, -10)))
    assert "text=The+bank+held+mosses." in link
    own = f"#view=which&word=bank&text=A bank!&tokens=[CLS] a bank ! [SEP]&path={way}"
    carried = tabs.open(tab.url + own, reduced_motion="reduce")
    assert says(carried)[0] == "River bank." and "came with the link" in carried.inner_text("body")


def test_without_the_model_own_sentences_say_so(tab):
    tab.get_by_label("Your own sentence").fill("My bank is closed.")
    press(tab, "Ask")
    assert "needs the model, which comes with the book's site" in tab.inner_text("body")
    tab.get_by_label("Your own sentence").fill("No such word.")
    press(tab, "Ask")
    assert "This picture knows “bank”, “bat”, only in this form." in tab.inner_text("body")


def test_texts_are_shown_and_never_run(open_view):
    for text in HOSTILE:
        hostile = word((text, text), (text, text))
        tab = open_view(which_view({"bank": hostile}, "bank"))
        assert text in tab.locator("[data-part=examples] button").first.inner_text()


def test_the_picture_is_accessible(view, assert_accessible):
    assert_accessible(view)


def test_words_and_word_must_fit():
    with pytest.raises(ValueError, match="word must be one of bank"):
        which_view({"bank": word()}, "bat")
    with pytest.raises(TypeError, match="words must be a dictionary"):
        which_view(["bank"], "bank")


def test_a_chapter_opens_one_floor(open_view):
    pytest.importorskip("py_mini_racer")
    floor = {"at": 1, "switches": ["hide"], "panels": ["machine"]}
    view = which_view({"bank": word()}, "bank", floor)
    before, tab = open_view(view, javascript=False), open_view(view, reduced_motion="reduce")
    for one in (before, tab):
        assert says(one) == ["…", "Layer 1: the first look around. The word hears its neighbors."]
        assert one.locator("[data-part=switches] button").all_inner_texts() == ["Hide “mosses”"]
        assert not one.locator("[data-part=map], [data-part=list], form").count()
    assert bare(before.locator("[data-part=machine]").inner_html()) == bare(
        tab.locator("[data-part=machine]").inner_html()
    )
    press(tab, "Hide “mosses”")
    assert says(tab)[0] == "River bank."
    assert tab.get_by_role("slider").get_attribute("aria-valuetext") == "after layer 6"


def test_bank_floor_shows_what_is_asked():
    with pytest.raises(ValueError, match="switches must be one of hide"):
        bank_floor(1, ["hear"])
    with pytest.raises(ValueError, match="at must be from 0 to 6"):
        bank_floor(7)
    found = bank_floor(2, ["hide"], ["map"])
    assert found.data["floor"] == {"at": 2, "switches": ["hide"], "panels": ["map"]}
    assert [one["text"] for one in found.data["words"]["bank"]["examples"]] == [TORN]
    assert len(found._repr_html_()) < 130_000
