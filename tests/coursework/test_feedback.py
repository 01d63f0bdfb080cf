"""Students' pages, the teacher's report, and how pages fit on a screen."""

import re
from html import unescape

import pytest
from markdown_it import MarkdownIt

from coursework import feedback, pages, reports, sources, stats, words
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, WRITTEN

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
POINTS = sources.points(ASSIGNMENT)


def page_of(points, comments=(), **how):
    """The page of a student with these points; None: not marked yet."""
    given = {name: (points.get(name, 0), most, dict(comments).get(name, "")) for name, most in POINTS.items()}
    return feedback.page(words.Score(Marks("ada", ASSIGNMENT, points=points, **how), given))


def text_of(page):
    body = page.split("<body>")[1]
    return unescape("".join(piece.split(">", 1)[-1] for piece in body.split("<")))


def test_pages_hold_text_and_no_hidden_check(course):
    bob, eve = ((course / "feedback" / name / f"{ASSIGNMENT}.html").read_text() for name in ("bob", "eve"))
    assert "<script>" not in bob and "&lt;script&gt;" in bob
    assert "softmax stopped with ValueError" in bob and "array(" not in bob
    source = (sources.ASSIGNMENTS / ASSIGNMENT / "checks.py").read_text()
    assert not [line for line in source.splitlines() if len(line.strip()) > 25 and line.strip() in bob]
    assert "About your notebook" in eve and "could not be graded" in eve and "no points yet" in eve
    assert not (course / "feedback" / "kim").exists()
    report = (course / "report.md").read_text()
    assert "## eve" in report and "not graded" in report and f"No submission, {ASSIGNMENT}: kim (Kim Lee)." in report
    assert "## ada" not in report


@pytest.mark.parametrize("assignment", sources.names())
def test_every_mark_belongs_to_a_known_question(assignment):
    found = feedback.questions(assignment)
    assert [name for one in found for name in one.parts] == list(sources.points(assignment))
    assert all(one.title.startswith("Question ") and "points" not in one.title for one in found)
    assert [name for one in found for name in one.rubrics] == list(sources.points(assignment, marks=("written",)))
    for rubric in (rubric for one in found for rubric in one.rubrics.values()):
        html = pages.markdown(rubric)
        assert html.startswith("<p>") and len(html) > 100 and not re.search(r"[$\\]|\*\*|###", html)


def test_a_page_names_questions_and_not_cells():
    text = text_of(page_of({name: most for name, most in POINTS.items() if name != "softmax-hidden"}))
    assert "Question 1: softmax" in text and "A hidden check: 0 of" in text
    assert not [name for name in POINTS if "-" in name and name in text]
    assert text.count("check") == 1  # what is right needs no line


def test_reasons_and_cases_stand_as_text():
    why = "softmax stopped with NameError, in line 3 of the cell:\n    x = <b>\nGrading has NumPy alone."
    page = page_of(
        {"attention-hidden": 2.5},
        told=["Cells are <missing>."],
        reasons={"softmax-public": why, "softmax-hidden": why, "attention-hidden": "attention returned 3 wrong"},
        cases={"attention-hidden": [("without a mask", True), ("with a <mask>", False)]},
        answers={"me": "ME = '<me>'", WRITTEN: "See"},
        pictures={WRITTEN: {"x.png": ("image/png", DOT)}},
    )
    assert "<pre>x = &lt;b&gt;</pre><p>Grading has NumPy alone.</p>" in page and "ME = &#x27;&lt;me&gt;" in page
    assert page.count("stopped with NameError") == 1 and page.count("The reason is the same as above.") == 1
    assert page.index("Cells are &lt;missing&gt;.") < page.index("Question 1")
    assert f'<pre dir="auto">See</pre><img src="data:image/png;base64,{DOT}" alt="x.png">' in page
    text = text_of(page)
    assert f"2.5 of {POINTS['attention-hidden']}" in text
    assert "without a mask: right" in text and "with a <mask>: wrong" in text


def test_the_rubric_is_shown_with_the_mark():
    waiting, marked = page_of({WRITTEN: None}), page_of({WRITTEN: 3}, {WRITTEN: "And <the> gradient?"})
    assert "not marked yet" in waiting and "has yet to mark" in waiting and "How it is marked" not in waiting
    assert "How it is marked" in marked and "variance" in marked and "3 of 4" in marked
    assert "Your teacher: And &lt;the&gt; gradient?" in marked


def test_a_page_does_not_grow_without_end():
    long, first = "x" * 10**6, next(iter(POINTS))
    answers, cases = {WRITTEN: long, "softmax": long}, {first: [(long, False)] * 1_000}
    reasons = dict.fromkeys(POINTS, long)
    page = page_of({}, {first: long}, told=[long] * 1_000, reasons=reasons, answers=answers, cases=cases)
    assert len(page) - len(page_of({})) < 250_000


def test_the_report_says_first_what_is_worst():
    noted = [
        Marks("absent", ASSIGNMENT, notes=["no submission"], submitted=False),
        Marks("copied", ASSIGNMENT, points=POINTS, notes=["identical code: x"]),
        Marks("told", ASSIGNMENT, points=POINTS, told=["Cells are missing."]),
        Marks("ada-51ce9e86", ASSIGNMENT, points=POINTS, notes=["ADA/x reads like ada, another student"]),
        Marks("lost", ASSIGNMENT, notes=["could not be graded"]),
    ]
    report = reports.report(noted, [], ("All memory is bounded.",))
    order = [line.split(",")[0][3:] for line in report.splitlines() if line.startswith("## ")]
    assert order == ["lost", "ada-51ce9e86", "told", "copied"]
    assert "\n\nAll memory is bounded.\n\nNo submission, 2-attention: absent.\n\n## " in report
    assert "to the student: Cells are missing." in report and "Nothing unusual was found." in reports.report([], [])
    assert words.Score(noted[-1]).status == "needs your attention"


@pytest.mark.parametrize("note", [
    "\\[x](javascript:alert(1))", "<b>", "`a`", "# x", "https://x.org", "$\\href{a}{b}$", "&lt;b&gt;", "![a](b)",
])  # fmt: skip
def test_a_note_of_the_report_is_text(note):
    report = reports.report([Marks("ada", ASSIGNMENT, notes=[f"file {note}", note])], [])
    line = report.split("- file ")[1].splitlines()[0]
    html = MarkdownIt("gfm-like", {"linkify": False}).render(f"{line}\n\n{line}\n")
    assert "<a" not in html and "<img" not in html and "<b>" not in html and "$" not in line and "<code>" not in html
    assert unescape(html).count(note) == 2
    for name in ("आरव.शर्मा", "สมชาย ใจดี", "علی\u200cرضا", "क्\u200dष"):  # of any script, as it is written
        assert f"- file: {name}\n" in reports.report([Marks("ada", ASSIGNMENT, name, notes=[note])], [])


def long_feedback():
    answers = {"softmax": "y = " + "very_long_name" * 30, WRITTEN: "<img src='http://evil.example/x'>" + "w" * 300}
    told = ["Your file " + "a" * 200 + ".ipynb could not be read."]
    return page_of({WRITTEN: 3}, told=told, answers=answers, reasons={"softmax-public": "a" * 500})


def class_page():
    marks = Marks("ada", ASSIGNMENT, points=POINTS, hints={"softmax-hidden": "take <axis=-1> " * 9})
    score = words.Score(marks, {name: (0, most, "") for name, most in POINTS.items()})
    return stats.page(ASSIGNMENT, stats.rows(ASSIGNMENT, [score]), [0], [0])


def table():
    rows = [[0.5, "kim", 10, ""], [0.25, "ada", 9, 1.0], [0.75, "bob", 100, 0.5]]
    return pages.page_of_tables("T", pages.table(["all code", "one", "number", "8: a long question"], rows, [True]))


@pytest.fixture
def opened(browser, tmp_path):
    """opened(page, **how): the page in a browser, with the addresses that it asks for."""

    def show(html, **how):
        path, requests = tmp_path / "page.html", []
        path.write_text(html)
        page = browser.new_page(**how)
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page, requests

    return show


@pytest.mark.parametrize("make", [long_feedback, class_page, table])
def test_a_page_fits_its_screen_and_loads_nothing(make, opened):
    for scheme, width in (("light", 390), ("dark", 390), ("light", 1200)):
        page, requests = opened(make(), viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width and requests == [page.url]
        page.close()


def test_a_table_sorts_by_the_pressed_heading(opened):
    page, _ = opened(table())

    def pressed(heading):
        page.click(f"button:text-is('{heading}')")
        return page.eval_on_selector_all("tbody tr td:nth-child(2)", "all => all.map(one => one.textContent)")

    assert pressed("all code") == ["bob", "kim", "ada"] and pressed("all code") == ["ada", "kim", "bob"]
    assert pressed("one") == ["ada", "bob", "kim"] and pressed("number") == ["bob", "kim", "ada"]
    assert pressed("8: a long question") == ["ada", "bob", "kim"]
    page.close()
