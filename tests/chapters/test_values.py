"""The pages' statements hold on this processor, and their numbers are right."""

import pytest

pins = pytest.importorskip("tests.chapters.pins")
values = pytest.importorskip("website.build.values")
PAGES = values.marked(pins.ROOT)
PINNED = pins.read()


@pytest.mark.parametrize("name", PAGES)
def test_page_says_what_its_run_gives(name, pages):
    _, problems, found = values.fill(name, pages)
    assert problems == []
    known = PINNED.get(name, {})
    new = [mark for mark in found if mark not in known]
    assert not new, f"not in the table of values: make pin writes {new}"
    gone = [mark for mark in known if mark not in found]
    assert not gone, f"in the table of values, and no longer on the page: make pin removes {gone}"
    wrong = {mark: (text, known[mark]) for mark, text in found.items() if not pins.is_near(text, known[mark])}
    assert not wrong, "if these are right, make pin writes them into the table"
