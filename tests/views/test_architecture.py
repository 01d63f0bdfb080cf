"""The drawing of the whole transformer: every part says what it does, and links to its chapter."""

from pathlib import Path

from tutorial_lib.views import blueprint
from tutorial_lib.views.architecture import DOES, PARTS

BOOK = Path(__file__).parents[2] / "book"


def test_parts_are_described_and_links_have_chapters():
    assert {name for side in PARTS.values() for _, name in side} == set(DOES)
    assert all((BOOK / f"{chapter}.md").exists() for _, chapter, _ in DOES.values() if chapter)


def test_parts_speak_by_pointer_and_key(open_view):
    tab = open_view(blueprint())
    say = tab.locator(".tl-say")
    before = say.inner_text()
    tab.locator(".tl-part", has_text="cross-attention").hover()
    assert say.inner_text().startswith("Cross-attention: lets each token of the output")
    tab.mouse.move(0, 0)
    assert say.inner_text() == before
    for part in ("Tokenizer: cuts", "Token embeddings: give"):
        tab.keyboard.press("Tab")
        assert say.inner_text().startswith(part)


def test_links_need_the_book_but_no_script(open_view, tabs, tmp_path):
    view = blueprint()
    linked = sum(bool(DOES[name][1]) for side in PARTS.values() for _, name in side)
    assert open_view(view, javascript=False).locator("svg a").count() == linked
    view.save(tmp_path / "alone.html")
    alone = tabs.open((tmp_path / "alone.html").as_uri())
    assert alone.locator("svg a").count() == 0 and alone.locator(".tl-part").count() == len(sum(PARTS.values(), []))


def test_letters_are_readable_on_a_phone(open_view):
    tab = open_view(blueprint(), width=390)
    small = tab.evaluate(
        """() => [...document.querySelectorAll('.tl-blueprint text')].map(text => {
          const scale = text.ownerSVGElement.clientWidth / 360;
          return parseFloat(getComputedStyle(text).fontSize) * scale; })"""
    )
    assert min(small) > 9.5
