"""Questions about one's own code, for a talk of five minutes: drawn from the name, without points."""

import json

import numpy as np
import pytest

from coursework import checks, comparison, references, results, rosters, sources
from coursework.__main__ import main
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, FULL, batch, cell, solved_notebook, with_cells
from tutorial_book.exercises import ask, own_code

ATTENTION = cell(solved_notebook(ASSIGNMENT), "attention").source


def reference(name):
    return next(vars(one)[name] for one in map(references.of, sources.names()) if hasattr(one, name))


def right_for(name, me):
    """What the right function gives for somebody's question, as it comes out of the sandbox."""
    function, arguments = reference(own_code.QUESTIONS[name].function), own_code.drawn(name, me)[0]
    return own_code.answer_of(name, me, comparison.given_by(function, checks.call(name, *arguments)))


@pytest.mark.parametrize("assignment", sources.names())
def test_each_assignment_asks_one_question_without_points(assignment):
    points = sources.points(assignment)
    name = own_code.of(points)
    assert own_code.QUESTIONS[name].check in points and not [one for one in points if one.startswith("own-")]
    asking = [one.source for one in sources.student_notebook(assignment).cells if "import ask" in one.source]
    assert len(asking) == 1 and f'ask("{name}", {own_code.QUESTIONS[name].function}, ME' in asking[0]
    assert sum(points.values()) == 40


@pytest.mark.parametrize("name", own_code.QUESTIONS)
def test_questions_and_answers_differ_between_names(name):
    people = [f"student {number}" for number in range(40)]
    assert own_code.drawn(name, "Ada  lovelace ")[1] == own_code.drawn(name, "Ada Lovelace")[1]
    assert len({own_code.drawn(name, me)[1] for me in people}) > 30
    answers = [right_for(name, me) for me in people]
    texts = [json.dumps(answer) for answer in answers]
    assert max(map(texts.count, texts)) < 0.7 * len(people)  # one answer for all is no answer
    if name != "own-longest-match":  # a row of zeros would have no cosine
        assert all(np.isfinite(answer).all() for answer in answers)


NAMES = {
    'ME = "Ada"': "Ada", "ME = 'O\"Neil'": 'O"Neil', "ME = 'Conan O\\'Brien'": "Conan O'Brien", 'ME = ""  # yours': "",
    'ME: str = "Ada"': "Ada", 'ME = ("Ada")': "Ada", 'ME = """Ada"""': "Ada",
    'first = "Ada"\nME = f"{first} L"': "Ada L",
    'ME = "Ada" " " + "L"': "Ada L", 'ME = ""\nME = "Bob"': "Bob", 'x = ME = "Ada"': "Ada",
    "ME = me()": "", "ME = 7": "",
    'x = "ME"': "", 'ME = "Ada\\n L"': "Ada L", "ME = (": "", 'ME = f"{me!r}"': "", "ME" + " + ME" * 900: "",
    'ME = "' + "x" * 300 + '"': "x" * 200,
    'ME = "x"\n' + "ME = ME + ME\n" * 100: "x" * 200, "(" * 1_900: "", "ME = " + "-" * 1_900 + "1": "",
}  # fmt: skip


@pytest.mark.parametrize("code", NAMES, ids=lambda code: code[:30])
def test_the_name_is_read_and_nothing_runs(code):
    assert own_code.name_in(code) == NAMES[code]


@pytest.mark.parametrize("name, function, me, said", [
    ("own-attention", reference("attention"), " ", "Assign your name to ME first: the question is drawn from it."),
    ("own-attention", lambda *_: 1, "Ada", "This question comes once your attention passes its check."),
    ("own-attention", reference("attention"), "Ada", f"{own_code.drawn('own-attention', 'Ada')[1]}\n{own_code.WHY}"),
    ("own-train-bpe", None, "Ada", "This question is no longer asked."),
], ids=["no name", "wrong", "right", "of an old notebook"])  # fmt: skip
def test_a_question_is_asked_when_the_function_passes(name, function, me, said, capsys):
    ask(name, function, me)
    assert capsys.readouterr().out == f"{said}\n"


CODE = {  # who -> cell -> code
    "ada": {},
    "nobody": {"me": ""},
    "stops on its question": {  # an endless loop for the question's inputs alone
        "attention": f"{ATTENTION.replace('def attention(', 'def answer(')}\n"
        "def attention(Q, K, V, mask=None):\n    while Q.shape == (5, 3): pass\n    return answer(Q, K, V, mask)\n"
    },
    "beyond all numbers in a list": {"softmax": "def softmax(x):\n    return [10**400]"},
}


def test_what_the_function_gives_is_kept_without_points(tmp_path, bubblewrap):
    solved = solved_notebook(ASSIGNMENT)
    marks = batch(tmp_path, ASSIGNMENT, {who: with_cells(solved, code) for who, code in CODE.items()})
    assert marks["ada"].own == {"own-attention": right_for("own-attention", "Ada Lovelace")}
    nobody = marks["nobody"]
    assert nobody.points == FULL and nobody.me == nobody.student
    assert nobody.own == {"own-attention": right_for("own-attention", nobody.student)}
    assert marks["stops on its question"].own == {} and marks["beyond all numbers in a list"].points["rotate-hidden"]


def test_names_that_do_not_fit_are_told(graded):
    people = {"ada": "Ada Lovelace", "bob": "ada  LOVELACE", "eve": "Eve", "kim": "李明", "lee": "", "zoe": "Müller"}
    marks = [Marks(student, ASSIGNMENT, me=me) for student, me in people.items()]
    assert rosters.of_names(marks, {}) == ["ada, bob have the same name in ME."]
    students = {one: rosters.Student(one, "X", one) for one in people}
    students |= {"zoe": rosters.Student("zoe", "muller", "Zoë"), "kim": rosters.Student("kim", "李", "明")}
    marks[4].points = FULL
    empty, told, _ = rosters.of_names(marks, students)
    assert empty == "No name in ME: lee (lee X)."
    assert told == "bob (bob X): the name in ME is ada  LOVELACE, which does not match the roster."
    assert "ada (Ada Lovelace), bob (Bob =1+1) have the same" in (graded / "results" / "report.md").read_text()


def test_a_sheet_is_written_for_the_talk(tmp_path, capsys):
    hostile = {"attention": "def attention(Q):\n    x = '\x1b[2J\u202e'"}  # moves a terminal's cursor
    eve = {"me": "E\x1b[1A\x07ve", "own": {"own-attention": "<b>"}, "answers": hostile}
    own = {"own-attention": right_for("own-attention", "Ada")}
    code = {"attention": ATTENTION, "softmax": "def softmax(x"}
    for student, how in {"ada": {"me": "Ada", "own": own, "answers": code}, "bob": {}, "eve": eve}.items():
        results.save(tmp_path, Marks(student, ASSIGNMENT, points=dict(FULL), **how))
    rosters.keep(tmp_path, ASSIGNMENT, {"ada": rosters.Student("ada", "King", "Ada")})
    assert main(["oral", "--to", str(tmp_path), "--assignment", ASSIGNMENT]) == 0
    said, page = capsys.readouterr().out, (tmp_path / f"oral-{ASSIGNMENT}.html").read_text(encoding="utf-8")
    assert said.count("\n") == 1 and "<h2>ada: Ada King</h2>" in page and "<h2>bob" not in page and "<b>" not in page
    asked = own_code.questions(results.load(tmp_path, ASSIGNMENT, "ada"))
    assert f"It gives {own['own-attention']}. Why" in asked[0] and len(asked) == 2
    assert asked[1].splitlines()[1].strip() in ATTENTION and "What is this line of your attention for" in asked[1]


@pytest.mark.parametrize("code", ["-" * 99_000 + "1", "lambda:" * 14_000 + "1", "(" * 99_000, "x='\x00'", "def f(): 1"])
def test_unreadable_code_gets_no_question_about_a_line(code):
    assert own_code._of_a_line("f", code, "Ada") == ""
