"""The drawing of the whole transformer: every part tells what it does, and leads where a chapter is."""

from pathlib import Path

from tutorial_lib.views import blueprint
from tutorial_lib.views.architecture import DOES, PARTS

BOOK = Path(__file__).parents[2] / "book"


def test_every_part_is_told_and_used():
    assert {name for side in PARTS.values() for _, name in side} == set(DOES)


def test_links_lead_to_chapters():
    assert all((BOOK / f"{chapter}.md").exists() for _, chapter, _ in DOES.values() if chapter)


def test_what_is_pointed_at_is_told(open_view):
    tab = open_view(blueprint())
    before = tab.locator(".tl-say").inner_text()
    tab.locator(".tl-part", has_text="cross-attention").hover()
    assert tab.locator(".tl-say").inner_text().startswith("Cross-attention: lets each token of the output")
    tab.mouse.move(0, 0)
    assert tab.locator(".tl-say").inner_text() == before
    tab.keyboard.press("Tab")
    assert tab.locator(".tl-say").inner_text().startswith("Tokenizer: cuts")
    tab.keyboard.press("Tab")
    assert tab.locator(".tl-say").inner_text().startswith("Token embeddings: give")


def test_links_stand_without_a_script_and_go_in_a_notebook(open_view, browser, tmp_path):
    view = blueprint()
    linked = sum(bool(DOES[name][1]) for side in PARTS.values() for _, name in side)
    assert open_view(view, javascript=False).locator("svg a").count() == linked
    view.save(tmp_path / "alone.html")
    alone = browser.new_page()
    alone.goto((tmp_path / "alone.html").as_uri())
    assert alone.locator("svg a").count() == 0 and alone.locator(".tl-part").count() == len(sum(PARTS.values(), []))
    alone.close()


def test_letters_are_read_on_a_phone(open_view):
    tab = open_view(blueprint(), width=390)
    small = tab.evaluate(
        """() => [...document.querySelectorAll('.tl-blueprint text')].map(text => {
          const scale = text.ownerSVGElement.clientWidth / 360;
          return parseFloat(getComputedStyle(text).fontSize) * scale; })"""
    )
    assert min(small) > 9.5


def test_the_drawing_is_for_everyone(assert_accessible):
    assert_accessible(blueprint())
