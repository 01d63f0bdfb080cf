"""Who copied is told, and no two who did not: honest answers in twelve styles, and copies made of each of them.

The honest ones are right, and were written for these tests by one hand; a class will have others. The copies are those
that a student makes in minutes: as it is, with other names, with lines exchanged, with one function of seven rewritten,
and all of that at once.
"""

import ast
import csv
import random
import re
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from coursework import compare, grading, pages, sources
from coursework.__main__ import main
from coursework.references import HERE as REFERENCES
from tests.book.conftest import browser  # noqa: F401
from tests.coursework.conftest import ASSIGNMENT
from tutorial_book.exercises import attention, bert_layer

HERE = Path(__file__).parent
ASKED = {name: name.replace("-", "_") for name in compare.questions(ASSIGNMENT)}
OURS = (compare.PUBLISHED, compare.BOOK)


def split(code):
    """(question -> its function, [what else there is]) of a student's code."""
    body = ast.parse(code).body
    named = {getattr(one, "name", ""): one for one in body}
    own = {question: ast.unparse(named[name]) for question, name in ASKED.items()}
    return own, [ast.unparse(one) for one in body if getattr(one, "name", "") not in ASKED.values()]


def blocks(assignment=ASSIGNMENT):
    text = (HERE / f"honest-{assignment}.txt").read_text(encoding="utf-8")
    return dict(block.split("\n", 1) for block in text.split("\n### ")[1:])


HONEST = {style: split(code) for style, code in blocks().items()}


def published():
    cells = {c.metadata.get("nbgrader", {}).get("grade_id"): c for c in sources.solved_notebook(ASSIGNMENT).cells}
    return {question: cells[question].source for question in ASKED}, []


# --- copies ---------------------------------------------------------------------------------------------------------


def _code(answers, extra):
    return ast.parse("\n".join([*answers.values(), *extra]))


def _stored(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _read(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def renamed(answers, extra, rng):
    """Other names for all that the code binds; docstrings and comments are lost, and numbers changed."""
    tree = _code(answers, extra)
    nodes = list(ast.walk(tree))
    bound = _stored(tree) | {one.arg for one in nodes if isinstance(one, ast.arg)}
    bound |= {one.name for one in nodes if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    bound -= {*ASKED.values(), "__init__", "np", "x", "mask"}
    other = {name: f"{rng.choice('abcdefg')}{number}_{rng.randrange(99)}" for number, name in enumerate(sorted(bound))}
    for one in nodes:
        for field in ("id", "arg", "name", "attr"):
            name = getattr(one, field, None)
            if name in other:
                setattr(one, field, other[name])
        if isinstance(one, ast.Constant) and isinstance(one.value, float):
            one.value += 1
    return split(ast.unparse(tree))


def reordered(answers, extra, rng):
    """Assignments next to each other that do not need each other exchanged."""
    tree = _code(answers, extra)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for _ in range(30 if isinstance(body, list) and len(body) > 1 else 0):
            place = rng.randrange(len(body) - 1)
            one, other = body[place : place + 2]
            simple = isinstance(one, ast.Assign) and isinstance(other, ast.Assign)
            if simple and not (_stored(one) & (_read(other) | _stored(other)) or _stored(other) & _read(one)):
                body[place : place + 2] = other, one
    return split(ast.unparse(tree))


def one_rewritten(answers, extra, rng):
    """One function of the copier's own: an honest one, of who is left out of the class."""
    question = rng.choice(list(ASKED))
    own, more = HONEST[lender(answers)]
    return {**answers, question: own[question]}, [*extra, *more]


def lender(answers):
    """The honest style that a copier of these answers has a function of."""
    styles = [style for style, code in HONEST.items() if code[0] != answers]
    return styles[sum(map(len, answers.values())) % len(styles)]


def padded(answers, extra, rng):
    """Code around the copy that does nothing, twice as long."""
    dead = "\n    spare = sorted([len(str(k)) ** 2 for k in range(9) if k % 4])\n    other = spare[::2] or {1: spare}\n"
    return {name: re.sub(r"(?m)^(def .*:)$", rf"\1{dead}", code) for name, code in answers.items()}, extra


def all_at_once(answers, extra, rng):
    return reordered(*renamed(*one_rewritten(answers, extra, rng), rng), rng)


WAYS = {"as it is": lambda answers, extra, rng: (answers, extra), "renamed": renamed, "reordered": reordered}
WAYS |= {"one function rewritten": one_rewritten, "padded": padded, "all at once": all_at_once}


def pairs_of(people):
    """{one, other} -> likeness."""
    rows, unread = compare.compared(people, ASSIGNMENT)
    assert not unread
    return {frozenset((one, other)): likeness for likeness, one, other, _ in rows}


@pytest.fixture(scope="module")
def honest():
    return pairs_of(HONEST)


def test_the_honest_answers_are_right(capsys):
    for style, code in blocks().items():
        names = {"np": np}
        exec(compile(code, style, "exec"), names)
        for name in ASKED.values():
            assert getattr(attention, name.upper()).check(names[name]), (style, capsys.readouterr().out)


def test_no_two_honest_answers_are_told_nor_one_with_ours(honest):
    assert len(honest) == len(list(combinations([*HONEST, *OURS], 2))) - 1  # ours with ours is no news
    highest = sorted(honest.values())
    assert highest[-1] < 0.34  # as the book's page for teachers says


def test_nor_are_those_of_an_assignment_whose_formulas_leave_little_choice():
    """Assignment 3, in six styles, in a class and two by two. What is usual, as the report says it, is the highest."""
    cells = sources.student_notebook("3-bert-layer").cells
    starters = {c.metadata.get("nbgrader", {}).get("grade_id"): c.source for c in cells}
    asked = {name: defined(starters[name]) for name in compare.questions("3-bert-layer")}
    people = {}
    for style, code in blocks("3-bert-layer").items():
        names = {}
        given = [text for name, text in starters.items() if str(name).startswith("given-")]
        exec("\n".join([*given, code]), names)
        checked = [name.upper() for mine in asked.values() for name in mine if hasattr(bert_layer, name.upper())]
        assert len(checked) == 8 and all(getattr(bert_layer, name).check(names[name.lower()]) for name in checked)
        body = ast.parse(code).body
        own = {q: "\n".join(ast.unparse(one) for one in body if one.name in mine) for q, mine in asked.items()}
        people[style] = own, [code]
    classes = [people, *({one: people[one], other: people[other]} for one, other in combinations(people, 2))]
    highest = [compare.compared(some, "3-bert-layer")[0][0][0] for some in classes]
    assert round(max(highest), 2) <= compare.USUAL + 0.1 < compare.TOLD and round(highest[0], 2) == compare.USUAL
    copier = {**people, "eve": (people["step by step with names"][0], [])}
    (told,) = [row for row in compare.compared(copier, "3-bert-layer")[0] if row[0] >= compare.TOLD]
    assert set(told[1:3]) == {"eve", "step by step with names"}


def defined(text):
    return {one.name for one in ast.parse(text).body}


def test_in_a_pair_alone_the_honest_are_not_told_either():
    """In a class of two, nothing is rare."""
    for pair in combinations(HONEST, 2):
        people = {style: HONEST[style] for style in pair}
        assert max(pairs_of(people).values()) < compare.TOLD, pair


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("source", [compare.PUBLISHED, *HONEST])
def test_a_copy_is_told_and_nobody_else(way, source):
    """In a class of the honest ones; several copiers at once do not hide each other."""
    rng = random.Random(f"{way} {source}")
    whole = published() if source == compare.PUBLISHED else HONEST[source]
    copies = {f"copier {number}": WAYS[way](*whole, rng) for number in range(3)}
    others = {style: code for style, code in HONEST.items() if style != lender(whole[0])}
    likeness = pairs_of({**others, **copies})
    for copier in copies:
        assert likeness[frozenset((copier, source))] >= compare.TOLD + 0.05
    for pair, number in likeness.items():
        involved = pair & {source, *copies}
        assert number < compare.TOLD or len(involved) == 2 or pair & set(OURS) and source in OURS, (pair, number)


def test_a_copy_of_the_books_own_functions_is_told():
    tree = ast.parse((REFERENCES / "attention.py").read_text(encoding="utf-8"))
    book = [one for one in tree.body if getattr(one, "name", "") in ASKED.values()]
    likeness = pairs_of({**HONEST, "eve": split("\n".join(map(ast.unparse, book)))})
    assert likeness[frozenset(("eve", compare.BOOK))] > 0.95


def test_short_answers_that_must_be_alike_tell_nobody():
    """Two who answered question 3 alone, with the only line that everybody writes, have nothing else to compare."""
    line = {"causal-mask": "def causal_mask(n):\n    return np.tril(np.ones((n, n), dtype=bool))"}
    likeness = pairs_of({**HONEST, "ada": (line, []), "bob": (line, [])})
    assert likeness[frozenset(("ada", "bob"))] < compare.TOLD / 2


def test_the_notebook_as_handed_out_is_like_nobody():
    cells = {c.metadata.get("nbgrader", {}).get("grade_id"): c for c in sources.student_notebook(ASSIGNMENT).cells}
    blank = {question: cells[question].source for question in ASKED}
    likeness = pairs_of({"ada": (blank, []), "bob": (blank, [])})
    assert set(likeness.values()) == {0}


@pytest.mark.parametrize(
    "one, other",
    [
        ("y = np.exp(x - x.max())", "largest = np.exp(table - table.max())"),
        ("def f(a: int) -> int:\n    'What it does.'\n    return a * g(a) + 1", "def f(b):\n    return 7 + g(b) * b"),
        ("a = p(x, y, k=1, m=2)", "b = p(u, v, m=3, k=4)  # of two"),
        ("a = x.sum(axis=-1)\nb = y.max(axis=0)", "s = t.max(axis=1)\nr = q.sum(axis=-2)"),
        ("from math import sqrt\ny = sqrt(x) + sqrt(z)", "import math as m\ny = m.sqrt(x) + m.sqrt(z)"),
        ("sum = x.mean() / x.std()", "a = b.mean() / b.std()"),
        ("%time y = np.exp(x - x.max())", "y = np.exp(x - x.max())"),
        (
            "if a.any():\n    b = a.sum() / n\n    c = a.max() / n",
            "if q.any():\n    s = q.max() / n\n    r = q.sum() / n",
        ),
    ],
)
def test_what_a_copier_changes_in_a_minute_changes_nothing(one, other):
    assert compare.trees(one) == compare.trees(other) != []


@pytest.mark.parametrize(
    "one, other",
    [
        ("y = x.max(axis=1)", "y = x.min(axis=1)"),
        ("y = np.exp(x) - np.log(x)", "y = np.log(x) - np.exp(x)"),
        ("y = len(x) / 2 + 1", "y = sum(x) / 2 + 1"),
        ("y = softmax(x) @ z", "y = attention(x) @ z"),
    ],
)
def test_what_code_does_stays(one, other):
    known = compare.functions(ASSIGNMENT)
    assert compare.trees(one, {}, known) != compare.trees(other, {}, known)


def test_a_helper_in_another_cell_belongs_to_the_answer_that_uses_it():
    code = "    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)"
    whole = compare.trees(f"def softmax(x):\n{code}", {}, {"softmax"})
    helpers = compare.by_name(["x = 1 +", f"def mine(x):\n{code}"])
    moved = compare.trees("def softmax(x):\n    return mine(x)", helpers, {"softmax"})
    assert set(whole) <= set(moved)
    assert not set(whole) & set(compare.trees("def softmax(x):\n    return mine(x)", {}, {"softmax"}))


@pytest.mark.parametrize(
    "text",
    ["x = " + "(" * 5_000, "x = " + "-" * 20_000 + "1", "x = [" + "[]," * 20_000 + "]", "a" + ".b" * 9_000, "\0"],
)
def test_whatever_was_handed_in_the_comparison_ends(text):
    began = time.monotonic()
    rows, unread = compare.compared({**HONEST, "eve": ({"softmax": text}, [text])}, ASSIGNMENT)
    assert time.monotonic() - began < 10 and len(rows) >= len(list(combinations([*HONEST, *OURS], 2))) - 1
    assert all(one.startswith("eve") for one in unread)


def test_code_that_is_no_python_is_named(tmp_path):
    rows, unread = compare.compared({"eve": ({"softmax": "def softmax(x) return"}, [])}, ASSIGNMENT)
    assert unread == ["eve: no Python, so not compared: 1: softmax"] and len(rows) == 2


# --- what the teacher gets ------------------------------------------------------------------------------------------


def given_marks(results, people):
    for student, (answers, extra) in people.items():
        marks = grading.Marks(student, ASSIGNMENT, answers=answers, extra=[("code", text) for text in extra])
        grading.save(results / "marks" / ASSIGNMENT / f"{student}.json", marks)


def test_the_command_writes_a_page_and_a_table(tmp_path, capsys):
    style = next(iter(HONEST))
    people = {"ada": HONEST[style], "=bob<b>": all_at_once(*HONEST[style], random.Random(0))}
    people |= {f"s{number}": code for number, code in enumerate(list(HONEST.values())[1:])}
    given_marks(tmp_path, people)
    assert main(["compare", "--to", str(tmp_path), "--assignment", ASSIGNMENT]) == 0
    said = capsys.readouterr().out
    assert "1 pairs at" not in said and "1 pair at 0.6 or above" in said and "ada" in said
    page = (tmp_path / f"likeness-{ASSIGNMENT}.html").read_text(encoding="utf-8")
    assert "<strong>1 of them is at 0.6 or above</strong>" in page and page.count("<tr class=mark>") == 1
    assert "=bob&lt;b&gt;" in page and "<b>" not in page and "http" not in page and "src=" not in page
    lines = list(csv.reader((tmp_path / f"likeness-{ASSIGNMENT}.csv").read_text(encoding="utf-8").splitlines()))
    assert lines[0][:4] == ["all code", "one", "other", "1: softmax"] and {*lines[1][1:3]} == {"ada", "'=bob<b>"}
    assert len(lines) - 1 == len(list(combinations([*people, *OURS], 2))) - 1


def test_without_marks_it_says_so(tmp_path, capsys):
    assert main(["compare", "--to", str(tmp_path), "--assignment", ASSIGNMENT]) == 2
    assert "run `python -m coursework grade` first" in capsys.readouterr().err


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 390)])
def test_the_table_sorts_and_stays_on_its_screen(browser, tmp_path, scheme, width):  # noqa: F811
    path = tmp_path / "page.html"
    rows = [[0.5, "kim", 10, ""], [0.25, "ada", 9, 1.0], [0.75, "bob", 100, 0.5]]
    path.write_text(pages.page("T", pages.table(["all code", "one", "number", "8: a long question"], rows, [True])))
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())

    def pressed(heading):
        page.click(f"button:text-is('{heading}')")
        return page.eval_on_selector_all("tbody tr td:nth-child(2)", "all => all.map(one => one.textContent)")

    assert pressed("all code") == ["bob", "kim", "ada"] and pressed("all code") == ["ada", "kim", "bob"]
    assert pressed("one") == ["ada", "bob", "kim"] and pressed("number") == ["bob", "kim", "ada"]
    assert pressed("8: a long question") == ["ada", "bob", "kim"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width and requests == [path.as_uri()]
    page.close()
