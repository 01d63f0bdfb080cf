"""The page "Check my notebook" says what the grader says: of each damaged notebook, of honest ones, of any bytes."""

import base64
import json
import sys
from pathlib import Path

import pytest

sources = pytest.importorskip("coursework.sources")
from coursework import files, gradebook, submissions  # noqa: E402
from tests.book.conftest import browser  # noqa: E402, F401
from tests.coursework import damaged  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "book" / "_static" / "check"
CHECK = """all => all.map(([file, content, assignment]) =>
    checkNotebook(Uint8Array.from(atob(content), sign => sign.charCodeAt(0)), file, assignment))"""
ALL = list(damaged.everything())


@pytest.fixture(scope="module")
def page(browser):  # noqa: F811
    """page(file, content, assignment), ...: what the page finds in these notebooks. No site is needed."""
    sys.path.insert(0, str(ROOT / "tools"))
    import sphinx_check

    tab = browser.new_page()
    tab.add_script_tag(content=f"CHECK_RULES = {json.dumps(sphinx_check.rules())};")
    for name in ("python.js", "notebook.js"):
        tab.add_script_tag(path=SCRIPTS / name)

    def check(*notebooks):
        given = [[file, base64.b64encode(content).decode(), of] for file, content, of in notebooks]
        return tab.evaluate(CHECK, given)

    yield check
    tab.close()


def graded(file, content, assignment):
    """(what the grader tells the student, the answers that it takes for blank)."""
    try:
        if len(content) > files.MOST_BYTES:
            raise ValueError(files.LARGE)
        submission = submissions.read("ada", file, content, assignment)
    except ValueError as error:
        return [submissions._told(file, str(error))], None
    answers = submissions._released(assignment).answers
    return submission.told, {name: gradebook.blank(submission, name) for name in answers}


def assignment_of(file):
    return file[:-6] if file[:-6] in sources.names() else damaged.ASSIGNMENT


@pytest.fixture(scope="module")
def compared(page):
    """Name -> (what the grader tells, what the page found, what was expected)."""
    found = page(*((file, content, assignment_of(file)) for _, file, content, _ in ALL))
    return {
        name: (graded(file, content, assignment_of(file)), seen, expected)
        for (name, file, content, expected), seen in zip(ALL, found, strict=True)
    }


@pytest.mark.parametrize("name", [name for name, *_ in ALL])
def test_the_page_says_what_the_grader_says(name, compared):
    (told, blank), seen, expected = compared[name]
    assert [one["told"] for one in seen["problems"] if not one["page"]] == told
    if blank is None:
        assert [one["weight"] for one in seen["problems"]] == ["stops"]
    else:
        assert {one["name"]: not one["written"] for one in seen["answers"]} == blank
    if isinstance(expected, str):
        assert expected.strip(".") in told[0]
    else:
        assert {(one["name"], one["cell"] or None) for one in seen["problems"]} == expected
