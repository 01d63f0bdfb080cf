"""The front page answers a reader's own sentence as Python does, and says what it cannot answer."""

import re

import numpy as np
import pytest

from tutorial_book.experiments import which

OWN = {  # sentences that the page does not have, with a typing error, words in pieces and capital letters among them
    "bank": ["I deposted my wages at the bank.", "Beavers gnawed the bank.", "Two BANKS? No, my BANK is shut!"],
    "bat": ["My uncle carved a bat from ash wood."],
}
HALF, STRIP_TOP = 600 / 2, 66  # of the drawing: its middle, and the highest floor
SECONDS = 60_000  # for the model to load and answer, on a busy machine


@pytest.fixture(scope="module")
def tab(browser, site):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce", offline=True)
    tab = context.new_page()
    tab.goto((site / "book" / "index.html").as_uri())
    yield tab
    context.close()


@pytest.fixture(scope="module")
def uses(bert, tok):
    def of(word):
        stored = which.words()[word].pick("stored")
        return which.rounded_uses(bert, tok, word, *([use.text for use in stored if use.sense == k] for k in (0, 1)))

    return {word: of(word) for word in OWN}


def ask(tab, text):
    tab.get_by_label("Your own sentence").fill(text)
    tab.get_by_role("button", name="Ask", exact=True).click()


def place(tab):
    """x after the last layer, read off the drawing: the word's dot is drawn at x and, slanting, at z."""
    dot = tab.locator("[data-part=way] .which-me")
    across, down = (float(dot.get_attribute(name)) for name in ("cx", "cy"))
    return (across - HALF - 14 * (STRIP_TOP - down) / 13) / ((HALF - 34) / 2)


def path_of_link(tab):
    link = tab.get_by_role("link", name="Link to this answer").get_attribute("href")
    return np.array(re.search(r"path=([-\d.]+)", link)[1].split("."), int).reshape(-1, 2)[:, 0] / 100


def after(tab, button):
    button.first.click()
    found = place(tab)
    tab.get_by_role("button", name="Put it all back").click()
    return found


def test_size_of_the_model_is_told_before_it_loads(tab):
    tab.get_by_label("Your own sentence").focus()
    assert tab.locator(".which-note").first.inner_text() == "Your own sentence loads the model once: 32 MB."


@pytest.mark.usefixtures("one_thread_for_a_file")
@pytest.mark.parametrize("word, text", [(word, text) for word, texts in OWN.items() for text in texts])
def test_own_sentence_is_answered_as_by_python(tab, uses, word, text):
    ask(tab, text)
    head = tab.get_by_role("button", name="Mute the brightest head")
    tab.locator(f"[data-part=list] .which-yours:has-text('{text}')").wait_for(timeout=SECONDS)
    head.wait_for(timeout=SECONDS)
    heard, muted, (others, hidden) = (getattr(uses[word], name)(text) for name in ("heard", "muted", "hidden"))
    assert abs(path_of_link(tab) - heard[-1, :, 0]).max() < 0.05
    brightest = int(head.get_attribute("data-head"))
    wanted = {"Never listen": heard[0, -1, 0], "Mute the brightest head": muted[brightest, -1, 0]}
    stop = tab.get_by_role("button", name=re.compile("Stop listening"))
    if stop.count():
        wanted[stop.inner_text()] = heard[int(stop.get_attribute("data-after")), -1, 0]
    for pieces, path in zip(others, hidden, strict=True):
        button = tab.locator(f'[data-part=sentence] [data-hide="{pieces[0]}"]')
        wanted[button.get_attribute("aria-label")] = path[-1, 0]
    for name, x in wanted.items():
        assert abs(after(tab, tab.get_by_role("button", name=name, exact=True)) - np.clip(x, -2, 2)) < 0.06, name


@pytest.mark.parametrize(
    "text, says",
    [
        ("", "Type something first."),
        ("No such word here.", "This picture knows “"),
        ("The banks were closed.", "This picture knows “"),
        ("<b>Nothing</b>", "This picture knows “"),
        ("A bank and a bank.", "“bank” occurs twice: this is the first."),
        ("A bank " + "and so on " * 100, "at most 300 letters; this one has 1,006."),
    ],
)
def test_front_page_explains_how_it_treats_odd_texts(tab, text, says):
    ask(tab, text)
    tab.locator(f".which-note:has-text('{says}')").first.wait_for(timeout=SECONDS)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1280
