"""The page "Check my notebook": a file is chosen or dropped, and what was found is told; nothing leaves the page.

What it finds is compared with the grader in tests/coursework/test_check.py.
"""

import pytest

sources = pytest.importorskip("coursework.sources")
from tests.accessible import ALONE, RULES, audit  # noqa: E402
from tests.book.conftest import bare_pages  # noqa: E402
from tests.coursework import damaged  # noqa: E402

HOSTILE = "<img src=x onerror='window.broken = true'>"
DROP = """([name, text, count, times = 1]) => {
    const data = new DataTransfer();
    for (let number = 0; number < count; number++) data.items.add(new File([text.repeat(times)], name));
    document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


class Student:
    """A browser without a network, on the page."""

    def __init__(self, browser, site, bare):
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
        if bare:
            bare_pages(self.context)
        self.page = (site / "book" / "check.html").as_uri()
        self.tab = self.context.new_page()
        self.errors, self.requests = [], []
        self.tab.on("pageerror", lambda error: self.errors.append(error.stack))
        self.tab.on("request", lambda request: self.requests.append(request.url))

    def open(self):
        self.tab.goto(self.page, wait_until="load")
        self.errors.clear()
        self.requests.clear()

    def choose(self, content, file=damaged.NAME):
        given = {"name": file, "mimeType": "application/json", "buffer": content}
        self.tab.set_input_files(".check input", files=[given])
        return self.done()

    def done(self):
        self.tab.wait_for_function("!/^(Reading .*)?$/.test(document.querySelector('.check-said').textContent)")
        return self.tab.inner_text(".check-said")

    def heads(self):
        return self.tab.locator(".check-result h2").all_inner_texts()

    def items(self, weight):
        return self.tab.locator(f".check-{weight} li").all_inner_texts()


@pytest.fixture(scope="module")
def shared(browser):
    students = {}

    def of(site, bare):
        students[bare] = students.get(bare) or Student(browser, site, bare)
        return students[bare]

    yield of
    for student in students.values():
        student.context.close()


@pytest.fixture
def student(request, shared, site):
    """The page has nothing but what checks, or the theme's styles and scripts, too: where a test is marked `whole`."""
    student = shared(site, bare=not hasattr(request, "param"))
    student.open()
    yield student
    assert student.errors == student.requests == []


whole = pytest.mark.parametrize("student", ["whole"], indirect=True)


def several():
    """A notebook with something of each weight, and hostile texts."""
    notebook = damaged.ran(damaged.solved())
    notebook.cells.remove(damaged.cell(notebook, "rotate"))
    error = {"output_type": "error", "ename": HOSTILE, "evalue": HOSTILE, "traceback": [HOSTILE]}
    damaged.cell(notebook, "softmax").outputs = [error]
    notebook.cells.append(damaged.new_markdown_cell(f"The rest. {HOSTILE}"))
    return damaged.written(notebook)


@whole
def test_a_good_notebook(student):
    said = student.choose(damaged.written(damaged.ran(damaged.solved())))
    assert said.startswith("2-attention.ipynb can be graded, as assignment 2") and "11 of 11 answers" in said
    assert said.endswith("nothing was seen that costs points.") and student.heads() == ["Fine"]
    assert "All its code ran, in order." in "".join(student.items("fine"))


def test_what_costs_points_comes_before_what_is_fine_with_its_question_and_cell(student):
    said = student.choose(several(), f"{HOSTILE}.ipynb")
    assert said.startswith(HOSTILE) and "10 of 11 answers, and 2 things may cost points." in said
    assert student.heads() == ["May cost points", "Fine"]
    missing, stopped = student.items("costs")
    assert missing.startswith("Question 7") and "rotate. Were they deleted?" in missing and "hand in: Place" in missing
    assert stopped.startswith("Question 1: softmax, cell 6\n") and f"stopped with {HOSTILE} when" in stopped
    assert student.tab.evaluate("window.broken === undefined && !document.querySelector('.check img')")


def test_what_stops_the_grading_stands_alone(student):
    assert student.choose(b"{", "x.ipynb") == "x.ipynb cannot be graded."
    assert student.heads() == ["Stops the grading"] and "it is cut off: download it again." in student.items("stops")[0]


def test_a_file_that_is_too_large_is_refused_without_being_read_whole(student):
    student.tab.evaluate("window.most = 0")
    student.tab.evaluate("""() => {
        const read = Blob.prototype.arrayBuffer;
        Blob.prototype.arrayBuffer = function () { window.most = this.size; return read.call(this); };
    }""")
    student.tab.evaluate(DROP, [damaged.NAME, " ", 1, 40 << 20])
    assert student.done() == "2-attention.ipynb cannot be graded."
    assert "it is larger than 5 MB: choose Edit > Clear Outputs" in student.items("stops")[0]
    assert student.tab.evaluate("window.most === CHECK_RULES.limits.MOST_BYTES + 1")


def test_the_assignment_can_be_said_before_and_after(student):
    student.choose(damaged.written(damaged.ran(damaged.solved())))
    which = student.tab.get_by_label("You hand it in as")
    which.select_option("1-tokenization")
    assert student.done() == "2-attention.ipynb cannot be graded."
    assert "is the assignment 2-attention, and 1-tokenization was asked for" in student.items("stops")[0]
    which.select_option("")
    assert "11 of 11 answers" in student.done()


def test_a_file_is_dropped_anywhere_and_one_at_a_time(student):
    text = damaged.written(damaged.ran(damaged.solved())).decode()
    student.tab.evaluate(DROP, [damaged.NAME, text, 2])
    assert student.done() == "These are 2 files: drop one at a time." and student.heads() == []
    student.tab.evaluate(DROP, [damaged.NAME, text, 1])
    student.tab.wait_for_selector(".check-fine")
    assert "11 of 11 answers" in student.done()


def test_what_cannot_be_opened_is_told(student):
    student.tab.evaluate("() => { Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException('x')); }")
    assert "could not be opened. Is it a folder?" in student.choose(b"{}", "my folder")


@whole
def test_the_box_is_reached_and_seen_by_keyboard_and_the_sentence_is_read_out(student):
    box = student.tab.get_by_label("Choose your notebook")
    box.focus()
    assert student.tab.evaluate("getComputedStyle(document.querySelector('.check-drop')).outlineStyle") == "solid"
    choosers = []
    student.tab.on("filechooser", lambda chooser: choosers.append(chooser))
    for waited in range(100):  # a browser that is busy may lose a key, so it is pressed again
        if not choosers and waited % 20 == 0:
            student.tab.keyboard.press("Enter")
        student.tab.wait_for_timeout(0 if choosers else 100)
    choosers[0].set_files({"name": "x.ipynb", "mimeType": "application/json", "buffer": b"{"})
    student.done()
    assert student.tab.get_by_role("status").inner_text() == "x.ipynb cannot be graded."
    assert student.tab.locator(".check [role=status]").count() == 1


def test_no_other_page_loads_its_scripts(site):
    pages = {
        path.stem for path in (site / "book").glob("*.html") if "check/rules.js" in path.read_text(encoding="utf-8")
    }
    assert pages == {"check"}


def test_without_javascript_the_page_says_what_to_do(browser, site):
    context = browser.new_context(java_script_enabled=False, offline=True)
    tab = context.new_page()
    tab.goto((site / "book" / "check.html").as_uri())
    text = tab.locator(".check").inner_text()
    assert "needs JavaScript" in text and tab.locator(".check a").get_attribute("href").endswith("#before-you-hand-in")
    context.close()


@whole
def test_it_is_for_everyone_in_both_themes_and_on_a_phone(student):
    problems = []
    student.tab.evaluate(ALONE, ".check")
    for content in (several(), b"{"):
        student.choose(content)
        problems += audit(student.tab, [".check"], [*RULES, "best-practice"])
    assert not problems, "\n".join(problems)
