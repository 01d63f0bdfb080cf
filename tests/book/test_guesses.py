"""Guesses in a browser: by keyboard and by mouse, kept over a reload, compared with the answer, forgotten at a button.

The attention chapter has all three kinds: choices, numbers and an order.
"""

import json

import pytest

from tests.accessible import RULES, audit

CHOICE, NUMBER, ORDER = "#guess-higher-score", "#guess-growth", "#guess-ranking-of-painted"
FOLDED_CODE = "details.hide.above-input:not(:has(.cell_output))"
PARTS = [".guess", ".guess-tally", ".finding", "table.result", ".switch"]
# axe walks through all of a page whatever it is to look at: what neither is a part nor holds one goes.
OTHERS_AWAY = """parts => {
  for (const e of document.querySelectorAll('article .cell, article pre, article .math, nav, aside'))
    if (!e.closest(parts) && !e.querySelector(parts)) e.remove();
}"""


@pytest.fixture
def context(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    context.route("**/mathjax/**", lambda route: route.abort())  # formulas take long, and nothing here looks at one
    yield context
    context.close()


@pytest.fixture
def chapter(context, site):
    """The attention chapter in a browser that has stored nothing yet."""
    tab = context.new_page()
    tab.complaints = []
    tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
    tab.goto((site / "book" / "attention.html").as_uri(), wait_until="load")
    tab.evaluate("document.querySelectorAll('.lab').forEach(fold => { fold.open = true; })")
    yield tab
    assert tab.complaints == []


def truth(tab, guess):
    return json.loads(tab.locator(guess).get_attribute("data-truth"))


def opened(tab, guess):
    """Whether what waits for a guess can be seen."""
    return tab.locator(f".guess-block:has(> {guess}) > .guess-opened").is_visible()


def choose(tab, right=True):
    for button in tab.locator(f"{CHOICE} input").all():
        if (button.get_attribute("value") == truth(tab, CHOICE)) == right:
            button.check()
            break
    tab.locator(f"{CHOICE} .guess-commit").click()


def test_what_answers_a_guess_stays_hidden_until_it_is_made(chapter):
    assert not opened(chapter, CHOICE) and not chapter.locator("#fig-similarity").is_visible()
    assert not chapter.locator(f"{CHOICE} .guess-because").is_visible()
    assert chapter.locator(f"{CHOICE} .guess-opens").inner_text() == "Opens 1 figure, 1 table and 1 finding."
    choose(chapter)
    assert opened(chapter, CHOICE) and chapter.locator("#fig-similarity").is_visible() and not opened(chapter, NUMBER)


@pytest.mark.parametrize("right", [True, False])
def test_the_box_says_how_it_went_marks_both_answers_and_says_why(chapter, right):
    choose(chapter, right)
    answer = truth(chapter, CHOICE)
    other = {"k1": "k2", "k2": "k1"}[answer]
    verdict = chapter.locator(f"{CHOICE} .guess-verdict").inner_text()
    assert verdict == (f"Right: {answer}." if right else f"You said {other}. It is {answer}.")
    marks = chapter.locator(f"{CHOICE} .guess-items li").evaluate_all("items => items.map(i => i.innerText.trim())")
    says = {answer: "your guess, and what it is" if right else "what it is", other: "" if right else "your guess"}
    assert [" ".join(mark.split()) for mark in marks] == [f"{key} {says[key]}".strip() for key in ("k1", "k2")]
    assert chapter.locator(f"{CHOICE} .guess-because").inner_text().startswith("Because ")


def test_it_works_by_keyboard_alone_and_says_so_to_a_screen_reader(chapter):
    chapter.locator(f"{CHOICE} input").first.focus()
    chapter.keyboard.press("ArrowDown")
    chapter.keyboard.press("Tab")
    chapter.keyboard.press("Enter")
    said = chapter.locator(f"{CHOICE} [role=status]").inner_text()
    assert said.startswith("You guessed ") and truth(chapter, CHOICE) in said
    group = chapter.get_by_role("group", name="Which one gets the higher score?")
    assert group.count() == 1
    assert chapter.evaluate("document.activeElement.textContent") == "Forget this guess"


def test_without_a_guess_it_asks_for_one(chapter):
    chapter.locator(f"{CHOICE} .guess-commit").click()
    assert chapter.locator(f"{CHOICE} [role=status]").inner_text() == "Choose one of the answers first."
    chapter.get_by_label("Your guess:").first.fill("many")
    chapter.keyboard.press("Enter")
    assert "Write a number" in chapter.locator(f"{NUMBER} [role=status]").inner_text()
    assert not opened(chapter, CHOICE) and not opened(chapter, NUMBER)


@pytest.mark.parametrize(
    "guess, right, wrong",
    [
        (NUMBER, (1, 1.19, 0.81), (1.21, 0.79, -1)),
        ("#guess-heads-on-the-nouns", (1, 1.9, 0.51), (2.1, 0.49, 0, -1)),  # within a factor of 2
        ("#guess-the-other-six", (1,), (1.01, 0.99)),  # exactly
    ],
)
def test_a_number_is_right_within_what_its_box_says(chapter, guess, right, wrong):
    chapter.locator(f"{ORDER} button", has_text="Show me").click()
    for factor in (*right, *wrong):
        chapter.locator(f"{guess} input").fill(f"{truth(chapter, guess) * factor:,.6f}")
        chapter.keyboard.press("Enter")
        state = chapter.locator(guess).get_attribute("data-state")
        assert state == ("right" if factor in right else "wrong"), factor
        chapter.locator(f"{guess} .guess-commit").click()  # forgets it
    chapter.locator(f"{NUMBER} button", has_text="Show me").click()
    assert chapter.locator(f"{NUMBER} .guess-verdict").inner_text().endswith(" times.")


def test_a_number_is_drawn_beside_the_answer_and_what_counts_as_right(chapter):
    chapter.locator(f"{ORDER} button", has_text="Show me").click()
    for factor in (0.01, 0.5, 1, 2, 100):
        chapter.locator(f"{NUMBER} input").fill(f"{truth(chapter, NUMBER) * factor:.6f}")
        chapter.keyboard.press("Enter")
        line = chapter.locator(f"{NUMBER} .guess-line")
        yours = float(line.locator("circle").get_attribute("cx"))
        answer = float(line.locator("path.guess-true").get_attribute("d").split()[0][1:])
        left = float(line.locator("rect").get_attribute("x"))
        right = left + float(line.locator("rect").get_attribute("width"))
        assert 12 <= yours <= 468 and left < answer < right
        assert (yours > answer) == (factor > 1) and (left <= yours <= right) == (factor == 1)
        chapter.locator(f"{NUMBER} .guess-commit").click()  # forgets it
        assert line.count() == 0
    chapter.locator(f"{NUMBER} button", has_text="Show me").click()
    assert chapter.locator(f"{NUMBER} .guess-line").count() == 0  # nobody guessed


IMAGE = """figure => [...figure.querySelectorAll(".drawing img")].find(image => image.checkVisibility())"""
# A page that was just resized loads the picture of its layout a moment later.
LOADED = f"figure => (image => image.complete && !image.currentSrc.includes('-phone'))(({IMAGE})(figure))"
BOXES = f"""figure => [figure.querySelector(".guess-wide"), ({IMAGE})(figure)].map(
    each => each.getBoundingClientRect().toJSON())"""  # in one look


def test_a_number_is_drawn_into_the_figure_whose_axis_counts_it(context, site):
    """The cosine of "cat" and "dog", among those of other pairs."""
    tab, box = context.new_page(), "#guess-cat-and-dog"
    tab.goto((site / "book" / "embeddings.html").as_uri(), wait_until="load")
    assert box in tab.locator(".guess[data-drawn]").evaluate_all("boxes => boxes.map(box => '#' + box.id)")
    figure = tab.locator("#" + json.loads(tab.locator(box).get_attribute("data-drawn"))["figure"])
    places = []
    for guess in (0, 0.5, 0.9, 30):
        tab.locator(f"{box} input").fill(str(guess))
        tab.keyboard.press("Enter")
        assert tab.locator(f"{box} .guess-where").inner_text().startswith("Your guess is the dashed line in Fig. ")
        for width, shown, other in ((390, ".guess-phone", ".guess-wide"), (1280, ".guess-wide", ".guess-phone")):
            tab.set_viewport_size({"width": width, "height": 900})
            assert figure.locator(shown).is_visible() and not figure.locator(other).is_visible()
        tab.wait_for_function(LOADED, arg=figure.element_handle())
        line, picture = figure.evaluate(BOXES)
        assert picture["y"] < line["y"] < line["y"] + line["height"] < picture["y"] + picture["height"]
        places.append((line["x"] - picture["x"]) / picture["width"])
        assert ("off this end" in figure.locator(".guess-wide").inner_text()) == (guess == 30)
        tab.locator(f"{box} .guess-commit").click()  # forgets it
        assert figure.locator(".guess-drawn").count() == 0
    zero, half, most, beyond = places
    assert (most - zero) / (half - zero) == pytest.approx(0.9 / 0.5, rel=0.01) and most < beyond < 1


def test_items_are_brought_into_order_by_keys_and_by_buttons(chapter):
    def order():
        return chapter.locator(f"{ORDER} .guess-items li").evaluate_all("items => items.map(i => i.dataset.item)")

    first = order()
    up = chapter.get_by_role("button", name=f"Move up: {first[2]}")
    up.focus()
    chapter.keyboard.press("ArrowUp")
    assert order() == [first[0], first[2], first[1]]
    assert f"{first[2]}: now 2 of 3." == chapter.locator(f"{ORDER} [role=status]").inner_text()
    assert chapter.evaluate("document.activeElement.getAttribute('aria-label')") == f"Move up: {first[2]}"
    up.click()
    up.click()
    assert order() == [first[2], first[0], first[1]] == truth(chapter, ORDER)
    chapter.locator(f"{ORDER} .guess-commit").click()
    assert chapter.locator(ORDER).get_attribute("data-state") == "right"
    assert up.is_disabled()


def test_asking_to_see_is_no_guess(chapter):
    chapter.locator(f"{CHOICE} button", has_text="Show me").click()
    assert opened(chapter, CHOICE) and chapter.locator(CHOICE).get_attribute("data-state") == "seen"
    assert chapter.locator(f"{CHOICE} .guess-verdict").inner_text() == f"It is {truth(chapter, CHOICE)}."
    assert chapter.locator(f"{CHOICE} [data-yours]").count() == 0
    assert "You guessed 0 of " in chapter.locator(".guess-count").inner_text()


def test_an_order_stands_beside_the_true_one(chapter):
    chapter.locator(f"{ORDER} .guess-commit").click()
    yours, answer = chapter.locator(f"{ORDER} .guess-side").all()
    a, b = yours.bounding_box(), answer.bounding_box()
    assert a["y"] == b["y"] and a["x"] + a["width"] <= b["x"]
    assert answer.locator("li").all_inner_texts() == truth(chapter, ORDER)
    misplaced = yours.locator("li.guess-misplaced").all_inner_texts()
    assert misplaced and chapter.locator(f"{ORDER} .guess-verdict").inner_text() == "Not quite."


def test_a_switch_reads_without_guesses_and_the_next_page_remembers(chapter, site):
    switch = chapter.get_by_role("button", name="Read without guesses")
    assert switch.get_attribute("aria-pressed") == "false"
    switch.click()
    assert opened(chapter, CHOICE) and chapter.locator(".guess:visible, .guess-tally:visible").count() == 0
    chapter.goto((site / "book" / "heads.html").as_uri(), wait_until="load")
    chapter.evaluate("document.querySelectorAll('.lab').forEach(fold => { fold.open = true; })")
    assert chapter.locator(".guess-opened:visible").count() == chapter.locator(".guess").count() > 2
    chapter.get_by_role("button", name="Read without guesses").click()
    assert chapter.locator(".guess-opened:visible").count() == 0


def test_a_link_leads_into_what_a_guess_hides(chapter):
    chapter.goto(chapter.url + "#fig-similarity")
    chapter.wait_for_function("document.querySelector('#fig-similarity').checkVisibility()")
    assert chapter.locator(CHOICE).get_attribute("data-state") == "open"  # no guess was made


def test_the_chapter_ends_with_a_tally_that_says_what_to_read_again(chapter):
    many = chapter.locator(".guess").count()
    choose(chapter, right=False)
    chapter.locator(f"{NUMBER} input").fill(str(truth(chapter, NUMBER)))
    chapter.keyboard.press("Enter")
    assert chapter.locator(".guess-count").inner_text() == f"You guessed 2 of {many}, 1 of them right."
    again = chapter.locator(".guess-tally li[data-state=wrong]")
    assert "similarity" in again.inner_text() and again.inner_text().endswith("read again")
    again.locator("a").click()
    assert chapter.url.endswith(CHOICE)


def test_guesses_survive_a_reload_and_die_with_the_button(chapter):
    choose(chapter, right=False)
    chapter.reload(wait_until="load")
    assert chapter.locator(CHOICE).get_attribute("data-state") == "wrong" and opened(chapter, CHOICE)
    chapter.evaluate("localStorage.setItem('guess:heads/other', '{\"guess\": \"a\"}')")
    chapter.locator(".guess-tally button", has_text="this chapter").click()
    assert chapter.locator(CHOICE).get_attribute("data-state") == "open" and not opened(chapter, CHOICE)
    kept = "Object.keys(localStorage).filter(key => key.startsWith('guess:'))"
    assert chapter.evaluate(kept) == ["guess:heads/other"]
    chapter.locator(".guess-tally button", has_text="all").click()
    assert chapter.evaluate(kept) == []
    chapter.reload(wait_until="load")
    assert chapter.locator(f"{CHOICE} input:checked").count() == 0


def test_a_guess_that_no_longer_fits_the_question_is_none(chapter):
    chapter.evaluate("localStorage.setItem('guess:attention/higher-score', '{\"guess\": \"k9\"}')")
    chapter.reload(wait_until="load")
    assert chapter.locator(CHOICE).get_attribute("data-state") == "seen"


def test_without_storage_guesses_work_and_last_as_long_as_the_page(context, site):
    context.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('none'); }});")
    tab = context.new_page()
    tab.goto((site / "book" / "attention.html").as_uri(), wait_until="load")
    choose(tab)
    assert tab.locator(CHOICE).get_attribute("data-state") == "right" and opened(tab, CHOICE)


def test_without_javascript_there_are_the_question_and_the_answer_in_a_fold(browser, site):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((site / "book" / "attention.html").as_uri())
    assert tab.locator(f"{CHOICE} li").count() == 2 and tab.locator(f"{CHOICE} button").count() == 0
    tab.locator(f"{CHOICE} summary").click()
    assert tab.locator(f"{CHOICE} .guess-truth").is_visible() and opened(tab, CHOICE)
    assert tab.locator(".guess-tally a").count() == tab.locator(".guess").count()
    context.close()


def test_on_paper_the_answers_show_and_the_buttons_do_not(chapter):
    chapter.emulate_media(media="print")
    assert chapter.locator(f"{CHOICE} .guess-because").is_visible() and opened(chapter, CHOICE)
    assert chapter.locator(".guess button:visible, .guess-tally button:visible, .switch:visible").count() == 0
    chapter.emulate_media(media="screen")
    assert not opened(chapter, CHOICE)


def test_the_open_boxes_are_for_everyone(chapter):
    """test_browser.py looks at the boxes as they are met; here they have been answered, rightly and wrongly."""
    choose(chapter, right=False)
    for guess in (ORDER, NUMBER):
        chapter.locator(f"{guess} .guess-commit").click()
    chapter.locator("#guess-heads-on-the-nouns button", has_text="Show me").click()
    chapter.add_style_tag(content="* { transition: none !important; animation: none !important; }")
    chapter.evaluate(OTHERS_AWAY, ", ".join(PARTS))
    problems = list(audit(chapter, PARTS, [*RULES, "best-practice"]))
    assert not problems, "\n".join(problems)


def test_code_is_a_mark_until_a_switch_opens_it_and_the_next_page_remembers(chapter, site):
    def shown():
        return chapter.locator(".cell_input:visible").count()

    lessons = shown()
    assert 0 < lessons < 30 and chapter.locator(f"{FOLDED_CODE}[open]").count() == 0
    silent = chapter.locator(".cell.tag_hide-input:not(:has(> .cell_output))")
    assert silent.count() and not silent.first.is_visible()  # imports
    chapter.get_by_role("button", name="Coding mode").click()
    assert shown() > lessons + 10 and silent.first.is_visible()
    assert chapter.locator(f"{FOLDED_CODE}:not([open])").count() == 0
    assert chapter.locator("details.hide.above-input[open]:has(.cell_output)").count() == 0  # solutions
    chapter.goto((site / "book" / "heads.html").as_uri(), wait_until="load")
    assert chapter.locator(f"{FOLDED_CODE}:not([open])").count() == 0
    chapter.get_by_role("button", name="Coding mode").click()
    assert chapter.locator(f"{FOLDED_CODE}[open]").count() == 0


def test_a_page_without_code_and_guesses_has_no_switch(chapter, site):
    chapter.goto((site / "book" / "glossary.html").as_uri(), wait_until="load")
    assert chapter.locator(".switch").count() == 0


def test_the_proof_is_folded_and_a_link_opens_it(chapter):
    fold = chapter.locator("details.proof")
    assert fold.count() == 1 and not fold.locator("#claims h3").is_visible()
    chapter.locator(".outcomes a", has_text="Mirrors").click()
    assert fold.locator("#claims h3").is_visible()


def test_a_table_of_results_scrolls_inside_itself_on_a_phone(chapter):
    chapter.set_viewport_size({"width": 390, "height": 900})
    assert chapter.locator("table.result").count() > 5
    assert chapter.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = chapter.locator("div:has(> table.result)")
    assert any(boxes.evaluate_all("boxes => boxes.map(box => box.scrollWidth > box.clientWidth)"))
