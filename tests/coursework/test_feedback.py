"""What students get back, and the report that the teacher reads."""

from html import unescape

import pytest

from coursework import checks, feedback, gradebook, grading, sources
from tests.coursework.conftest import ASSIGNMENT

WRITTEN = "why-square-root"
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
POINTS = sources.points(ASSIGNMENT)


def page_of(points, comments=(), **how):
    """The page of a student with these points; None: not marked yet."""
    given = {name: (points.get(name, 0), most, dict(comments).get(name, "")) for name, most in POINTS.items()}
    marks = grading.Marks("ada", ASSIGNMENT, points=points, **how)
    return feedback.page(marks, given)


def shown(page):
    """The text of a page, without its tags."""
    body = page.split("<body>")[1]
    return unescape("".join(piece.split(">", 1)[-1] for piece in body.split("<")))


def test_feedback_shows_the_answers_as_text_and_no_hidden_check(course):
    page = (course / "feedback" / "bob" / f"{ASSIGNMENT}.html").read_text()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert "softmax stopped with ValueError" in page and "array(" not in page
    source = (checks.ASSIGNMENTS / ASSIGNMENT / "checks.py").read_text()
    assert not [line for line in source.splitlines() if len(line.strip()) > 25 and line.strip() in page]


def test_who_handed_in_what_cannot_be_read_has_a_page_that_says_so(course):
    page = (course / "feedback" / "eve" / f"{ASSIGNMENT}.html").read_text()
    assert "About your notebook" in page and "could not be graded" in page and "no points yet" in page
    assert not (course / "feedback" / "kim").exists()


def test_a_file_without_a_mark_has_a_page(tmp_path):
    feedback.write_pages(tmp_path, [grading.Marks("ada", ASSIGNMENT)], {})
    assert [path.name for path in (tmp_path / "feedback" / "ada").iterdir()] == [f"{ASSIGNMENT}.html"]
    assert "could not be graded yet" in (tmp_path / "feedback" / "ada" / f"{ASSIGNMENT}.html").read_text()


@pytest.mark.parametrize("assignment", checks.names())
def test_every_mark_belongs_to_a_question_that_students_know(assignment):
    found = feedback.questions(assignment)
    assert [name for one in found for name in one.parts] == list(sources.points(assignment))
    assert all(one.title.startswith("Question ") and "points" not in one.title for one in found)
    assert [name for one in found for name in one.rubrics] == list(sources.points(assignment, marks=("written",)))
    assert all(len(rubric) > 100 and "###" not in rubric for one in found for rubric in one.rubrics.values())


def test_a_page_names_questions_and_not_cells():
    text = shown(page_of({name: most for name, most in POINTS.items() if name != "softmax-hidden"}))
    assert "Question 1: softmax" in text and "A hidden check: 0 of" in text
    assert not [name for name in POINTS if "-" in name and name in text]
    assert text.count("check") == 1  # what is right needs no line


def test_a_reason_shows_code_as_code_and_is_told_once():
    why = "softmax stopped with NameError, in line 3 of the cell:\n    x = <b>\nGrading has NumPy alone."
    page = page_of({}, reasons={"softmax-public": why, "softmax-hidden": why})
    assert "<pre>x = &lt;b&gt;</pre><p>Grading has NumPy alone.</p>" in page
    assert page.count("stopped with NameError") == 1 and page.count("The reason is the same.") == 1


def test_points_by_case_say_which_cases():
    cases = {"attention-hidden": [("without a mask", True), ("with a <mask>", False)]}
    page = page_of({"attention-hidden": 2.5}, cases=cases, reasons={"attention-hidden": "attention gave 3 wrong"})
    text = shown(page)
    assert f"2.5 of {POINTS['attention-hidden']}" in text
    assert "without a mask: right" in text and "with a <mask>: not right" in text


def test_the_rubric_is_shown_once_an_answer_is_marked():
    waiting, marked = page_of({WRITTEN: None}), page_of({WRITTEN: 3}, {WRITTEN: "And <the> gradient?"})
    assert "not marked yet" in waiting and "your teacher still reads" in waiting and "How it is marked" not in waiting
    assert "How it is marked" in marked and "variance" in marked and "3 of 4" in marked
    assert "Your teacher: And &lt;the&gt; gradient?" in marked


def test_what_is_told_stands_first_and_pictures_are_shown():
    page = page_of(
        {}, told=["Cells are <missing>."], answers={WRITTEN: "See"}, pictures={WRITTEN: {"x.png": ("image/png", DOT)}}
    )
    assert page.index("Cells are &lt;missing&gt;.") < page.index("Question 1")
    assert f'<pre>See</pre><img src="data:image/png;base64,{DOT}" alt="x.png">' in page


def test_a_page_does_not_grow_without_end():
    long = "x" * 10**6
    few = page_of({})
    names = list(POINTS)
    page = page_of(
        {},
        {names[0]: long},
        told=[long] * 1_000,
        reasons=dict.fromkeys(names, long),
        answers={WRITTEN: long, "softmax": long},
        cases={names[0]: [(long, False)] * 1_000},
    )
    assert len(page) - len(few) < 250_000


@pytest.mark.parametrize("scheme, width", [("light", 390), ("dark", 390), ("light", 1200)])
def test_a_page_fits_its_screen_and_loads_nothing(browser, tmp_path, scheme, width):
    answers = {"softmax": "y = " + "very_long_name" * 30, WRITTEN: "<img src='http://evil.example/x'>" + "w" * 300}
    told = ["Your file " + "a" * 200 + ".ipynb could not be read."]
    path = tmp_path / "page.html"
    path.write_text(page_of({WRITTEN: 3}, told=told, answers=answers, reasons={"softmax-public": "a" * 500}))
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width and requests == [path.as_uri()]
    page.close()


def test_the_report_lists_what_needs_a_human(course):
    report = (course / "report.md").read_text()
    assert "## eve" in report and "not graded" in report and f"No submission, {ASSIGNMENT}: kim." in report
    assert "## ada" not in report


def test_the_report_says_first_what_is_worst():
    noted = [
        grading.Marks("absent", ASSIGNMENT, notes=["no submission"], submitted=False),
        grading.Marks("copied", ASSIGNMENT, points=POINTS, notes=["identical code: x"]),
        grading.Marks("told", ASSIGNMENT, points=POINTS, told=["Cells are missing."]),
        grading.Marks("ada-51ce9e86", ASSIGNMENT, points=POINTS, notes=["ADA/x reads like ada, another student"]),
        grading.Marks("lost", ASSIGNMENT, notes=["could not be graded"]),
    ]
    report = feedback.report(noted, {}, ("All memory is bounded.",))
    order = [line.split(",")[0][3:] for line in report.splitlines() if line.startswith("## ")]
    assert order == ["lost", "ada-51ce9e86", "told", "copied"]
    assert "\n\nAll memory is bounded.\n\nNo submission, 2-attention: absent.\n\n## " in report
    assert "told: Cells are missing." in report


@pytest.mark.parametrize(
    "note",
    ["\\[x](javascript:alert(1))", "<b>", "`a`", "# x", "https://x.org", "$\\href{a}{b}$", "&lt;b&gt;", "![a](b)"],
)
def test_a_note_of_the_report_is_text_and_nothing_else(note):
    from coursework import shown as rendering

    report = feedback.report([grading.Marks("ada", ASSIGNMENT, notes=[f"file {note}", note])], {})
    line = report.split(f"file {note[:0]}")[1].splitlines()[0]
    html = rendering.MarkdownWithMath(rendering.IPythonRenderer(escape=False)).render(f"{line}\n\n{line}\n")
    assert "<a" not in html and "<img" not in html and "<b>" not in html and "$" not in line and "<code>" not in html
    assert unescape(html).count(note) == 2


def test_the_report_of_nothing_is_short():
    assert "Nothing odd was seen." in feedback.report([], {})


def test_a_submission_without_marks_needs_a_human():
    assert gradebook.status(grading.Marks("ada", ASSIGNMENT), {}) == "needs a human"
