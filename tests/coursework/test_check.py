"""The page "Check my notebook" says what the grader says: of each damaged notebook, of honest ones, of any bytes."""

import copy
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coursework import files, sources, submissions, words
from tests.coursework import damaged
from tests.coursework.test_fuzz import NOTEBOOKS, SOLVED, bounded, mutilated

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "book" / "_static" / "check" / "notebook.js"
READ = """async () => {
    const bytes = async file => new Uint8Array(await file.arrayBuffer());
    window.contents = await Promise.all([...document.querySelector('input').files].map(bytes));
}"""
CHECK = "all => all.map(([file, assignment], number) => checkNotebook(contents[number], file, assignment))"

# (name, weight, row of the table, sentence)
SENTENCES = [line.split("\t") for line in submissions.SENTENCES.read_text(encoding="utf-8").splitlines()[1:]]
OF = {f"{assignment}.ipynb": assignment for assignment in sources.names()}
ALL = {
    name: (file, content, OF.get(file, damaged.ASSIGNMENT), expected)
    for name, file, content, expected in damaged.everything()
}


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """page((file, content, assignment), ...): what the page finds in these notebooks. No site is needed."""
    from website.directives import coursework

    tab, folder = browser.new_page(), tmp_path_factory.mktemp("notebooks")
    tab.set_content("<input type=file multiple>")
    tab.add_script_tag(content=f"CHECK_RULES = {json.dumps(coursework.rules())};")
    tab.add_script_tag(path=SCRIPT)

    def check(*notebooks):
        paths = [folder / str(number) for number in range(len(notebooks))]
        for path, (_, content, *_) in zip(paths, notebooks):
            path.write_bytes(content)
        tab.set_input_files("input", paths)  # a browser reads 17 MB in no time, but not as arguments of a script
        tab.evaluate(READ)
        return tab.evaluate(CHECK, [[file, of] for file, _, of, *_ in notebooks])

    check.tab = tab
    yield check
    tab.close()


def agrees(seen, file, content, assignment):
    """The page found what the grader tells and which answers it takes for blank. Returns what the grader tells."""
    on_page = [one["told"] for one in seen["problems"] if not one["page"]]
    try:
        if len(content) > files.MOST_BYTES:
            raise ValueError(files.LARGE)
        submission = submissions.read("ada", file, content, assignment)
    except ValueError as error:
        assert on_page == [submissions._told(file, str(error))]
        assert [one["weight"] for one in seen["problems"]] == ["stops"]
        return on_page
    assert on_page == submission.told
    blank = {name: words.blank(submission, name) for name in submissions.released(assignment).answers}
    assert {one["name"]: not one["written"] for one in seen["answers"]} == blank
    return on_page


@pytest.fixture(scope="module")
def seen(page):
    return dict(zip(ALL, page(*ALL.values()), strict=True))


@pytest.mark.parametrize("name", ALL)
def test_the_page_says_what_the_grader_says(name, seen):
    *notebook, expected = ALL[name]
    told = agrees(seen[name], *notebook)
    if isinstance(expected, str):
        assert expected.strip(".") in told[0]
    else:
        assert {(one["name"], one["cell"] or None) for one in seen[name]["problems"]} == expected


def test_each_sentence_has_a_notebook_that_brings_it(seen):
    """But those that are a part of others."""
    brought = {one["name"] for found in seen.values() for one in found["problems"]}
    assert {name for name, *_ in SENTENCES} - {"refused", "again"} - brought == {"called"}


def test_sentences_belong_to_rows_of_the_assignments_page():
    text = (ROOT / "book" / "assignments.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.M))
    assert len(rows) == 10 and {row for _, _, row, _ in SENTENCES} <= rows
    assert {weight for _, weight, _, _ in SENTENCES} == {"stops", "costs", "fine"}


@pytest.mark.parametrize("file, problems", [("2-attention (1).ipynb", ["called"]), ("3-bert-layer.ipynb", [])])
def test_a_name_of_another_assignment_is_told(file, problems, page):
    (found,) = page((file, damaged.written(damaged.ran(damaged.solved("3-bert-layer"))), ""))
    assert [one["name"] for one in found["problems"]] == problems
    assert found["assignment"] == "3-bert-layer"


@pytest.mark.parametrize("variant", ["1-tokenization-2027", "2-attention-2027"])
def test_page_accepts_a_variants_notebook(variant, page):
    content = damaged.written(damaged.ran(damaged.solved(variant)))
    (found,) = page((f"{variant}.ipynb", content, ""))
    assert not found["problems"] and all(answer["written"] for answer in found["answers"])
    assert not submissions.read("ada", f"{variant}.ipynb", content, variant).notes


@pytest.mark.parametrize("assignment", sources.names())
def test_an_assignment_is_known_without_being_named(assignment, page):
    notebook = damaged.ran(damaged.solved(assignment))
    damaged.without_names(notebook)
    fewer = copy.deepcopy(notebook)
    del fewer.cells[next(i for i, one in enumerate(fewer.cells) if one.source.startswith("def "))]
    found = page(*(("x.ipynb", damaged.written(one), "") for one in (notebook, fewer)))
    names = [problem["name"] for problem in found[0]["problems"]]
    full, less = (sum(answer["written"] for answer in one["answers"]) for one in found)
    assert [one["assignment"] for one in found] == [assignment] * 2
    assert names == ["nameless"] and less == full - 1


@pytest.mark.long
def test_each_limit_is_the_graders(page):
    """If one is twice as large, the page says something else of some notebook."""
    page(*ALL.values())
    run = f"JSON.stringify(({CHECK})({json.dumps([[file, of] for file, _, of, _ in ALL.values()])}))"
    usual = page.tab.evaluate(run)
    for name in page.tab.evaluate("Object.keys(CHECK_RULES.limits)"):
        page.tab.evaluate("name => { CHECK_RULES.limits[name] *= 2; }", name)
        assert page.tab.evaluate(run) != usual, name
        page.tab.evaluate("name => { CHECK_RULES.limits[name] /= 2; }", name)
    assert page.tab.evaluate(run) == usual


@pytest.mark.long
def test_any_notebook_and_any_bytes_are_read_alike(page):
    made = []
    contents = NOTEBOOKS.map(str.encode) | mutilated(SOLVED.encode())

    @bounded(400)
    @given(contents, st.sampled_from(["x.ipynb", "x.txt"]))
    def collect(content, file):
        made.append((file, content, damaged.ASSIGNMENT))

    collect()
    for one, found in zip(made, page(*made), strict=True):
        agrees(found, *one)
