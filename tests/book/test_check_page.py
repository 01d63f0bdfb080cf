"""The page "Check my notebook": a student chooses or drops a file, the page reports on it, and nothing leaves the page.

tests/coursework/test_check.py compares its reports with the grader's reports.
"""

import pytest

pytest.importorskip("coursework.sources")
from tests.accessible import ALONE, RULES, audit  # noqa: E402
from tests.book.conftest import bare_pages  # noqa: E402
from tests.coursework import damaged  # noqa: E402

HOSTILE = "<img src=x onerror='window.broken = true'>"
CANNOT = "2-attention.ipynb cannot be graded."
DROP = """([name, text, count, times = 1]) => {
    const data = new DataTransfer();
    for (let number = 0; number < count; number++) data.items.add(new File([text.repeat(times)], name));
    document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
}"""
# Record how much of a file is read.
MOST = """() => {
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = function () { window.most = this.size; return read.call(this); };
}"""


@pytest.fixture(scope="module", params=[True], ids=["bare"])
def shared(browser, request):
    """A browser without a network. Bare: the page contains only the scripts that check."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    if request.param:
        bare_pages(context)
    yield context.new_page()
    context.close()


@pytest.fixture
def tab(shared, site):
    events = []
    shared.goto((site / "book" / "check.html").as_uri(), wait_until="load")
    shared.on("pageerror", lambda error: events.append(error.stack))
    shared.on("request", lambda request: events.append(request.url))
    yield shared
    assert events == []


def choose(tab, content, file=damaged.NAME):
    tab.set_input_files(".check input", files=[{"name": file, "mimeType": "application/json", "buffer": content}])
    return done(tab)


def done(tab):
    tab.wait_for_function("!/^(Reading .*)?$/.test(document.querySelector('.check-said').textContent)")
    return tab.inner_text(".check-said")


def found(tab):
    """The headings of the report, and the items below each."""
    heads = tab.locator(".check-result h2").all_inner_texts()
    lists = {"Stops the grading": "stops", "May cost points": "costs", "Fine": "fine"}
    return {head: tab.locator(f".check-{lists[head]} li").all_inner_texts() for head in heads}


def good():
    return damaged.written(damaged.ran(damaged.solved()))


def several():
    """A notebook with something of each weight, and hostile texts."""
    notebook = damaged.ran(damaged.solved())
    notebook.cells.remove(damaged.cell(notebook, "rotate"))
    error = {"output_type": "error", "ename": HOSTILE, "evalue": HOSTILE, "traceback": [HOSTILE]}
    damaged.cell(notebook, "softmax").outputs = [error]
    notebook.cells.append(damaged.new_markdown_cell(f"The rest. {HOSTILE}"))
    return damaged.written(notebook)


def test_lost_points_come_before_what_is_fine(tab):
    said = choose(tab, several(), f"{HOSTILE}.ipynb")
    assert said.startswith(HOSTILE) and "8 of 9 answers, and 2 things may cost points." in said
    assert list(found(tab)) == ["May cost points", "Fine"]
    missing, stopped = found(tab)["May cost points"]
    assert missing.startswith("Question 7") and "rotate" in missing
    assert stopped.startswith("Question 1: softmax, cell 6\n") and f"stopped with {HOSTILE} when" in stopped
    assert tab.evaluate("window.broken === undefined && !document.querySelector('.check img')")


def test_large_file_is_rejected_without_reading_it(tab):
    tab.evaluate(MOST)
    tab.evaluate(DROP, [damaged.NAME, " ", 1, 40 << 20])
    assert done(tab) == CANNOT and "it is larger than 20 MB" in found(tab)["Stops the grading"][0]
    assert tab.evaluate("window.most === CHECK_RULES.limits.MOST_BYTES + 1")


def test_student_drops_one_file_and_names_the_assignment(tab):
    tab.evaluate(DROP, [damaged.NAME, good().decode(), 2])
    assert done(tab) == "These are 2 files: drop one at a time." and found(tab) == {}
    tab.evaluate(DROP, [damaged.NAME, good().decode(), 1])
    tab.wait_for_selector(".check-fine")
    which = tab.get_by_label("You hand it in as")
    which.select_option("1-tokenization")
    assert done(tab) == CANNOT
    told = "is assignment 2-attention, but 1-tokenization was asked for"
    assert told in found(tab)["Stops the grading"][0]
    which.select_option("")
    assert "9 of 9 answers" in done(tab)


def test_file_that_cannot_be_opened_is_reported(tab):
    tab.evaluate("() => { Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException('x')); }")
    assert "could not be opened. Is it a folder?" in choose(tab, b"{}", "my folder")


def test_only_this_page_loads_the_scripts(site):
    pages = (site / "book").glob("*.html")
    assert {page.stem for page in pages if "check/rules.js" in page.read_text(encoding="utf-8")} == {"check"}


@pytest.mark.parametrize("shared", [False], indirect=True, ids=["whole"])
def test_page_works_by_keyboard_and_for_everyone(tab):
    tab.get_by_label("Choose your notebook").focus()
    assert tab.evaluate("getComputedStyle(document.querySelector('.check-drop')).outlineStyle") == "solid"
    choosers = []
    tab.on("filechooser", lambda chooser: choosers.append(chooser))
    for waited in range(100):  # a browser that is busy may lose a key, so it is pressed again
        if not choosers and waited % 20 == 0:
            tab.keyboard.press("Enter")
        tab.wait_for_timeout(0 if choosers else 100)
    choosers[0].set_files({"name": damaged.NAME, "mimeType": "application/json", "buffer": good()})
    said = done(tab)
    assert said.startswith("2-attention.ipynb can be graded, as assignment 2") and "9 of 9 answers" in said
    assert list(found(tab)) == ["Fine"] and "All its code ran, in order." in "".join(found(tab)["Fine"])
    assert tab.get_by_role("status").inner_text() == said and tab.locator(".check [role=status]").count() == 1
    tab.evaluate(ALONE, ".check")
    problems = []
    for content in (several(), b"{"):
        choose(tab, content)
        problems += audit(tab, [".check"], [*RULES, "best-practice"])
    assert not problems, "\n".join(problems)
    assert list(found(tab)) == ["Stops the grading"] and "it is cut off" in found(tab)["Stops the grading"][0]
