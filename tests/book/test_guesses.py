"""Guesses in a browser: made by keyboard and by mouse, compared with the answer, kept over a reload, forgotten.

The attention chapter has all three kinds: choices, numbers and an order.
"""

import json

import pytest

from tests.accessible import RULES, audit

CHOICE = "#guess-higher-score"
NUMBER = "#guess-growth"
ORDER = "#guess-ranking-of-painted"
FOLDED_CODE = "details.hide.above-input:not(:has(.cell_output))"
PARTS = [".guess", ".guess-tally", ".finding", "table.result", ".switch"]
# axe goes through a whole page: elements that are not part of the test are removed.
OTHERS_AWAY = """parts => {
  for (const e of document.querySelectorAll('article .cell, article pre, article .math, nav, aside'))
    if (!e.closest(parts) && !e.querySelector(parts)) e.remove();
}"""
# As new: all guesses forgotten, by the last button of the page, and the lab open.
RESET = """() => {
  [...document.querySelectorAll('.guess-tally button')].at(-1).click();
  document.querySelectorAll('.lab').forEach(fold => { fold.open = true; });
  localStorage.clear();
}"""
# The position of a guess's line, and the picture that it is drawn into.
BOXES = """figure => ['.guess-wide', '.drawing img'].map(css => [...figure.querySelectorAll(css)]
    .find(each => each.checkVisibility()).getBoundingClientRect().toJSON())"""


@pytest.fixture(scope="module")
def shared(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    context.route("**/mathjax/**", lambda route: route.abort())  # formulas take long, and no test here looks at one
    tab = context.new_page()
    tab.complaints = []
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    yield tab
    context.close()


@pytest.fixture
def chapter(shared, site):
    """The attention chapter in a browser that has stored nothing. It is only opened again after a test leaves it."""
    address = (site / "book" / "attention.html").as_uri()
    if shared.url != address:
        shared.goto(address, wait_until="load")
    shared.evaluate(RESET)
    yield shared
    assert shared.complaints == []


def truth(tab, guess):
    return json.loads(tab.locator(guess).get_attribute("data-truth"))


def state(tab, guess):
    return tab.locator(guess).get_attribute("data-state")


def opened(tab, guess):
    """Return whether the reader sees the part that a guess hides."""
    return tab.locator(f".guess-block:has(> {guess}) > .guess-opened").is_visible()


def choose(tab, right=True):
    for button in tab.locator(f"{CHOICE} input").all():
        if (button.get_attribute("value") == truth(tab, CHOICE)) == right:
            button.check()
            break
    tab.locator(f"{CHOICE} .guess-commit").click()


def type_number(tab, number, guess=NUMBER):
    tab.locator(f"{guess} input").fill(f"{number:,.6f}")
    tab.keyboard.press("Enter")


def see(tab, guess):
    tab.locator(f"{guess} button", has_text="Show me").click()


def forget(tab, guess):
    tab.locator(f"{guess} .guess-commit").click()


def test_guess_hides_its_answer_but_not_on_paper(chapter):
    because = chapter.locator(f"{CHOICE} .guess-because")
    figure = chapter.locator("#fig-similarity")
    assert not opened(chapter, CHOICE) and not figure.is_visible() and not because.is_visible()
    assert chapter.locator(f"{CHOICE} .guess-opens").inner_text() == "Opens 1 figure and 1 finding."
    chapter.emulate_media(media="print")
    assert because.is_visible() and opened(chapter, CHOICE)
    assert chapter.locator(".guess button:visible, .guess-tally button:visible, .switch:visible").count() == 0
    chapter.emulate_media(media="screen")
    choose(chapter)
    assert opened(chapter, CHOICE) and figure.is_visible() and not opened(chapter, NUMBER)


@pytest.mark.parametrize("right", [True, False])
def test_box_compares_the_guess_with_the_answer(chapter, right):
    choose(chapter, right)
    answer = truth(chapter, CHOICE)
    other = {"k1": "k2", "k2": "k1"}[answer]
    verdict = chapter.locator(f"{CHOICE} .guess-verdict").inner_text()
    assert verdict == (f"Right: {answer}." if right else f"You said {other}. It is {answer}.")
    marks = chapter.locator(f"{CHOICE} .guess-items li").all_inner_texts()
    says = {answer: "your guess, and what it is" if right else "what it is", other: "" if right else "your guess"}
    assert [" ".join(mark.split()) for mark in marks] == [f"{key} {says[key]}".strip() for key in ("k1", "k2")]
    assert chapter.locator(f"{CHOICE} .guess-because").inner_text().startswith("Because ")


def test_guess_is_made_by_keyboard_and_read_out(chapter):
    status = chapter.locator(f"{CHOICE} [role=status]")
    chapter.locator(f"{CHOICE} .guess-commit").click()
    assert status.inner_text() == "Choose one of the answers first."
    chapter.locator(f"{NUMBER} input").fill("many")
    chapter.keyboard.press("Enter")
    assert "Write a number" in chapter.locator(f"{NUMBER} [role=status]").inner_text()
    assert not opened(chapter, CHOICE) and not opened(chapter, NUMBER)
    assert chapter.get_by_role("group", name="Which key gets the higher score?").count() == 1
    chapter.locator(f"{CHOICE} input").first.focus()
    for key in ("ArrowDown", "Tab", "Enter"):
        chapter.keyboard.press(key)
    assert status.inner_text().startswith("You guessed ") and truth(chapter, CHOICE) in status.inner_text()
    assert chapter.evaluate("document.activeElement.textContent") == "Forget this guess"


@pytest.mark.parametrize(
    "guess, right, wrong",
    [
        (NUMBER, (1, 1.19, 0.81), (1.21, 0.79, -1, 0.01, 100)),
        ("#guess-heads-on-the-nouns", (1, 1.9, 0.51), (2.1, 0.49, 0, -1)),  # within a factor of 2
    ],
)
def test_number_is_right_within_its_range(chapter, guess, right, wrong):
    """For the number, a line shows the guess, the answer and the range."""
    see(chapter, ORDER)
    line = chapter.locator(f"{guess} .guess-line")
    for factor in (*right, *wrong):
        type_number(chapter, truth(chapter, guess) * factor, guess)
        assert state(chapter, guess) == ("right" if factor in right else "wrong"), factor
        if guess == NUMBER:
            yours = float(line.locator("circle").get_attribute("cx"))
            answer = float(line.locator("path.guess-true").get_attribute("d").split()[0][1:])
            left = float(line.locator("rect").get_attribute("x"))
            end = left + float(line.locator("rect").get_attribute("width"))
            assert 12 <= yours <= 468 and left < answer < end
            assert (yours > answer) == (factor > 1) and (left <= yours <= end) == (factor in right)
        forget(chapter, guess)
    see(chapter, guess)
    assert line.count() == 0 and chapter.locator(f"{guess} .guess-verdict").inner_text().startswith("It is ")


def test_number_is_drawn_into_its_figure(shared, site):
    """The cosine of "cat" and "dog", among those of other pairs."""
    shared.goto((site / "book" / "embeddings.html").as_uri(), wait_until="load")
    box = shared.locator("#guess-cat-and-dog")
    figure = shared.locator("#" + json.loads(box.get_attribute("data-drawn"))["figure"])
    places = []
    wide = figure.locator(".guess-wide")
    phone = figure.locator(".guess-phone")
    for guess in (0, 0.5, 0.9, 30):
        type_number(shared, guess, "#guess-cat-and-dog")
        assert box.locator(".guess-where").inner_text().startswith("Your guess is the dashed line in Fig. ")
        assert wide.is_visible() and not phone.is_visible() and ("off this end" in wide.inner_text()) == (guess == 30)
        line, picture = figure.evaluate(BOXES)
        assert picture["y"] < line["y"] < line["y"] + line["height"] < picture["y"] + picture["height"]
        places.append((line["x"] - picture["x"]) / picture["width"])
        if guess < 30:
            forget(shared, "#guess-cat-and-dog")
            assert figure.locator(".guess-drawn").count() == 0
    shared.set_viewport_size({"width": 390, "height": 900})
    assert phone.is_visible() and not wide.is_visible()
    shared.set_viewport_size({"width": 1280, "height": 900})
    zero, half, most, beyond = places
    assert (most - zero) / (half - zero) == pytest.approx(0.9 / 0.5, rel=0.01) and most < beyond < 1


def test_items_are_ordered_by_keys_and_buttons(chapter):
    def order():
        return chapter.locator(f"{ORDER} .guess-items li").evaluate_all("items => items.map(i => i.dataset.item)")

    first, commit = order(), chapter.locator(f"{ORDER} .guess-commit")
    commit.click()
    assert chapter.locator(f"{ORDER} [role=status]").inner_text() == "Move at least one item first."
    assert state(chapter, ORDER) == "open"
    up = chapter.get_by_role("button", name=f"Move up: {first[2]}")
    up.click()
    commit.click()  # wrong
    yours, answer = chapter.locator(f"{ORDER} .guess-side").all()
    assert yours.bounding_box()["y"] == answer.bounding_box()["y"]
    assert yours.bounding_box()["x"] + yours.bounding_box()["width"] <= answer.bounding_box()["x"]
    assert answer.locator("li").all_inner_texts() == truth(chapter, ORDER)
    assert yours.locator("li.guess-misplaced").count() and state(chapter, ORDER) == "wrong"
    assert chapter.locator(f"{ORDER} .guess-verdict").inner_text() == "Not quite."
    forget(chapter, ORDER)
    commit.click()  # forgotten guesses do not count
    assert state(chapter, ORDER) == "open" and order() == first
    up.focus()
    chapter.keyboard.press("ArrowUp")
    assert order() == [first[0], first[2], first[1]]
    assert chapter.locator(f"{ORDER} [role=status]").inner_text() == f"{first[2]}: now 2 of 3."
    assert chapter.evaluate("document.activeElement.getAttribute('aria-label')") == f"Move up: {first[2]}"
    up.click()
    up.click()
    assert order() == [first[2], first[0], first[1]] == truth(chapter, ORDER)
    chapter.locator(f"{ORDER} .guess-commit").click()
    assert state(chapter, ORDER) == "right" and up.is_disabled()


def test_focus_stays_in_the_box_after_a_guess(chapter):
    """Enter in a field closes the field; the focus moves to the next button."""
    focused = "document.activeElement.closest('.guess')?.id + ' ' + document.activeElement.textContent"
    chapter.locator(f"{CHOICE} input").first.check()
    chapter.locator(f"{CHOICE} input").first.press("Enter")
    assert chapter.evaluate(focused) == f"{CHOICE[1:]} Forget this guess"
    type_number(chapter, 3)
    assert chapter.evaluate(focused) == f"{NUMBER[1:]} Forget this guess"
    see(chapter, ORDER)
    assert chapter.evaluate(focused) == f"{ORDER[1:]} Forget this guess"


def test_looking_up_is_not_a_guess(chapter):
    see(chapter, CHOICE)
    assert opened(chapter, CHOICE) and state(chapter, CHOICE) == "seen"
    assert chapter.locator(f"{CHOICE} .guess-verdict").inner_text() == f"It is {truth(chapter, CHOICE)}."
    assert chapter.locator(f"{CHOICE} [data-yours]").count() == 0
    assert "You guessed 0 of " in chapter.locator(".guess-count").inner_text()
    chapter.evaluate("localStorage.setItem('guess:attention/higher-score', '{\"guess\": \"k9\"}')")
    chapter.reload(wait_until="load")
    assert state(chapter, CHOICE) == "seen"  # the question no longer has this choice


def test_tally_keeps_guesses_until_a_button_forgets(chapter):
    many = chapter.locator(".guess").count()
    choose(chapter, right=False)
    type_number(chapter, truth(chapter, NUMBER))
    chapter.evaluate("localStorage.setItem('guess:heads/other', '{\"guess\": \"a\"}')")
    chapter.reload(wait_until="load")
    assert [state(chapter, guess) for guess in (CHOICE, NUMBER, ORDER)] == ["wrong", "right", "open"]
    assert chapter.locator(".guess-count").inner_text() == f"You guessed 2 of {many}, 1 of them right."
    again = chapter.locator(".guess-tally li[data-state=wrong]")
    assert "similarity" in again.inner_text() and again.inner_text().endswith("read again")
    again.locator("a").click()
    assert chapter.url.endswith(CHOICE)
    chapter.locator(".guess-tally button", has_text="this chapter").click()
    assert state(chapter, CHOICE) == "open" and not opened(chapter, CHOICE)
    assert chapter.locator(f"{CHOICE} input:checked").count() == 0
    kept = "Object.keys(localStorage).filter(key => key.startsWith('guess:'))"
    assert chapter.evaluate(kept) == ["guess:heads/other"]
    chapter.locator(".guess-tally button", has_text="all").click()
    assert chapter.evaluate(kept) == []


def test_links_open_what_is_hidden_or_folded(chapter):
    fold = chapter.locator("details.proof")
    assert fold.count() == 1 and not fold.locator("#claims h3").is_visible()
    chapter.locator(".outcomes a", has_text="Mirrors").click()
    assert fold.locator("#claims h3").is_visible()
    chapter.goto(chapter.url.partition("#")[0] + "#fig-similarity")
    chapter.wait_for_function("document.querySelector('#fig-similarity').checkVisibility()")
    assert state(chapter, CHOICE) == "open"  # no guess was made


def test_switches_are_remembered_on_the_next_page(chapter, site):
    guesses = chapter.get_by_role("button", name="Read without guesses")
    coding = chapter.get_by_role("button", name="Coding mode")
    code = chapter.locator(".cell_input:visible")
    lessons = code.count()
    imports = chapter.locator(".cell.tag_hide-input:not(:has(> .cell_output))").first
    assert 0 < lessons < 30 and not imports.is_visible() and chapter.locator(f"{FOLDED_CODE}[open]").count() == 0
    assert guesses.get_attribute("aria-pressed") == "false"
    guesses.click()
    coding.click()
    assert opened(chapter, CHOICE) and chapter.locator(".guess:visible, .guess-tally:visible").count() == 0
    assert code.count() > lessons + 10 and imports.is_visible()
    assert chapter.locator(f"{FOLDED_CODE}:not([open])").count() == 0
    assert chapter.locator("details.hide.above-input[open]:has(.cell_output)").count() == 0  # solutions
    chapter.goto((site / "book" / "heads.html").as_uri(), wait_until="load")
    chapter.evaluate("document.querySelectorAll('.lab').forEach(fold => { fold.open = true; })")
    hidden = chapter.locator(".guess-opened:visible")
    assert hidden.count() == chapter.locator(".guess").count() > 2
    assert chapter.locator(f"{FOLDED_CODE}:not([open])").count() == 0
    guesses.click()
    coding.click()
    assert hidden.count() == 0 and chapter.locator(f"{FOLDED_CODE}[open]").count() == 0
    chapter.goto((site / "book" / "glossary.html").as_uri(), wait_until="load")
    assert chapter.locator(".switch").count() == 0  # it has neither guesses nor code


def test_answered_boxes_are_for_everyone(chapter):
    """test_browser.py looks at boxes before a guess; here they have been answered, rightly and wrongly."""
    choose(chapter, right=False)
    for guess in (ORDER, NUMBER):
        chapter.locator(f"{guess} .guess-commit").click()
    see(chapter, "#guess-heads-on-the-nouns")
    positions = "boxes => boxes.map(box => getComputedStyle(box).position)"
    assert "absolute" not in chapter.locator(".finding, .guess").evaluate_all(positions)  # over the text
    chapter.set_viewport_size({"width": 390, "height": 900})
    assert chapter.locator("table.result").count() > 5
    assert chapter.evaluate("document.documentElement.scrollWidth") <= 390
    tables = chapter.locator("div:has(> table.result)")
    assert any(tables.evaluate_all("boxes => boxes.map(box => box.scrollWidth > box.clientWidth)"))
    chapter.add_style_tag(content="* { transition: none !important; animation: none !important; }")
    chapter.evaluate(OTHERS_AWAY, ", ".join(PARTS))
    problems = list(audit(chapter, PARTS, [*RULES, "best-practice"]))
    chapter.goto("about:blank")
    assert not problems, "\n".join(problems)
