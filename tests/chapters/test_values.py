"""What the pages say in words holds on this processor, and what they say in numbers is what it should be."""

import pytest

build_book = pytest.importorskip("build_book")
pin_values = pytest.importorskip("pin_values")
values = pytest.importorskip("values")
PAGES = values.marked(build_book.ROOT)
PINNED = pin_values.read()


@pytest.mark.parametrize("name", PAGES)
def test_page_says_what_its_run_gives(name, pages):
    _, problems, found = values.fill(name, pages)
    assert problems == []
    known = PINNED.get(name, {})
    new = [mark for mark in found if mark not in known]
    assert not new, f"not in the table of values: make pin writes {new}"
    gone = [mark for mark in known if mark not in found]
    assert not gone, f"in the table of values, and no longer on the page: make pin removes {gone}"
    wrong = {mark: (text, known[mark]) for mark, text in found.items() if not pin_values.is_near(text, known[mark])}
    assert not wrong, "if these are right, make pin writes them into the table"
