"""The page "Check my notebook" says what the grader says: of each damaged notebook, of honest ones, of any bytes."""

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell

sources = pytest.importorskip("coursework.sources")
from coursework import files, gradebook, submissions  # noqa: E402
from tests.book.conftest import browser  # noqa: E402, F401
from tests.coursework import damaged  # noqa: E402
from tests.coursework.test_fuzz import NOTEBOOKS, SOLVED, bounded, mutilated  # noqa: E402
from tests.coursework.test_submissions import SLOW  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "book" / "_static" / "check"
READ = """async () => {
    const bytes = async file => new Uint8Array(await file.arrayBuffer());
    window.contents = await Promise.all([...document.querySelector('input').files].map(bytes));
}"""
CHECK = "all => all.map(([file, assignment], number) => checkNotebook(contents[number], file, assignment))"
ALL = list(damaged.everything())


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):  # noqa: F811
    """page((file, content, assignment), ...): what the page finds in these notebooks. No site is needed."""
    sys.path.insert(0, str(ROOT / "tools"))
    import sphinx_check

    tab, folder = browser.new_page(), tmp_path_factory.mktemp("notebooks")
    tab.set_content("<input type=file multiple>")
    tab.add_script_tag(content=f"CHECK_RULES = {json.dumps(sphinx_check.rules())};")
    for name in ("notebook.js",):
        tab.add_script_tag(path=SCRIPTS / name)

    def check(*notebooks):
        paths = [folder / str(number) for number in range(len(notebooks))]
        for path, (_, content, _) in zip(paths, notebooks):
            path.write_bytes(content)
        tab.set_input_files("input", paths)  # a browser reads 17 MB in no time, but not as arguments of a script
        tab.evaluate(READ)
        return tab.evaluate(CHECK, [[file, of] for file, _, of in notebooks])

    check.tab = tab
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


def test_each_sentence_has_a_notebook_that_brings_it(compared):
    """But those that are a part of others."""
    seen = {one["name"] for _, found, _ in compared.values() for one in found["problems"]}
    with submissions.SENTENCES.open(encoding="utf-8") as file:
        names = {line.split("\t")[0] for line in file} - {"name", "refused", "again"}
    assert names - seen == {"called"} and len(damaged.DAMAGED) + len(damaged.REFUSED) >= 40


def test_each_sentence_is_of_a_row_of_before_you_hand_in():
    text = (ROOT / "book" / "assignments.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.M))
    with submissions.SENTENCES.open(encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file][1:]
    assert len(rows) == 10 and {row for _, _, row, _ in lines} <= rows
    assert {weight for _, weight, _, _ in lines} == {"stops", "costs", "fine"}


def test_a_file_with_the_name_of_another_assignment_is_told_where_nobody_says_which(page):
    content = damaged.written(damaged.ran(damaged.solved("3-bert-layer")))
    (seen,) = page(("2-attention (1).ipynb", content, ""))
    assert seen["assignment"] == "3-bert-layer" and [one["name"] for one in seen["problems"]] == ["called"]
    (seen,) = page(("3-bert-layer.ipynb", content, ""))
    assert not seen["problems"]


@pytest.mark.parametrize("variant", ["1-tokenization-2027", "2-attention-2027"])
def test_a_courses_variant_is_read_as_the_published_notebook(variant, page):
    content = damaged.written(damaged.ran(damaged.solved(variant)))
    (seen,) = page((f"{variant}.ipynb", content, ""))
    assert not seen["problems"] and all(answer["written"] for answer in seen["answers"])
    assert not submissions.read("ada", f"{variant}.ipynb", content, variant).notes
    with pytest.raises(ValueError, match="is the assignment 2-attention-2027, and 2-attention-2028 was asked"):
        submissions.read("ada", "x.ipynb", damaged.written(damaged.solved("2-attention-2027")), "2-attention-2028")


@pytest.mark.parametrize("assignment", sources.names())
def test_an_assignment_is_known_without_being_named(assignment, page):
    notebook = damaged.ran(damaged.solved(assignment))
    del notebook.metadata["coursework"]
    for one in notebook.cells:
        one.metadata.pop("nbgrader", None)
    (seen,) = page(("x.ipynb", damaged.written(notebook), ""))
    names = [one["name"] for one in seen["problems"]]
    assert seen["assignment"] == assignment and set(names) == {"elsewhere", "missing", "words"}
    del notebook.cells[next(i for i, one in enumerate(notebook.cells) if one.source.startswith("def "))]
    (seen,) = page(("x.ipynb", damaged.written(notebook), ""))
    fewer = [one["name"] for one in seen["problems"]]
    assert seen["assignment"] == assignment and fewer.count("elsewhere") == names.count("elsewhere") - 1


@pytest.mark.long
def test_each_limit_is_the_graders(page):
    """Where one is twice as large, the page says something else of some notebook."""
    page(*((file, content, assignment_of(file)) for _, file, content, _ in ALL))
    run = f"JSON.stringify(({CHECK})({json.dumps([[file, assignment_of(file)] for _, file, *_ in ALL])}))"
    usual = page.tab.evaluate(run)
    for name in page.tab.evaluate("Object.keys(CHECK_RULES.limits)"):
        page.tab.evaluate("name => { CHECK_RULES.limits[name] *= 2; }", name)
        assert page.tab.evaluate(run) != usual, name
        page.tab.evaluate("name => { CHECK_RULES.limits[name] /= 2; }", name)
    assert page.tab.evaluate(run) == usual


@pytest.mark.long
def test_any_notebook_and_any_bytes_are_read_alike(page):
    made = []

    @bounded(400)
    @given(NOTEBOOKS.map(str.encode) | mutilated(SOLVED.encode()), st.sampled_from(["x.ipynb", "x.txt"]))
    def collect(content, file):
        made.append((file, content, damaged.ASSIGNMENT))

    collect()
    for one, seen in zip(made, page(*made), strict=True):
        told, blank = graded(*one)
        assert [problem["told"] for problem in seen["problems"] if not problem["page"]] == told, one[1]
        assert blank is None or {answer["name"]: not answer["written"] for answer in seen["answers"]} == blank, one[1]


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_what_may_take_long_is_read_alike(name, page):
    notebook = damaged.solved()
    notebook.cells.append(new_code_cell(SLOW[name]))
    content = damaged.written(notebook)
    (seen,) = page((damaged.NAME, content, damaged.ASSIGNMENT))
    assert [one["told"] for one in seen["problems"] if not one["page"]] == graded(
        damaged.NAME, content, damaged.ASSIGNMENT
    )[0]
