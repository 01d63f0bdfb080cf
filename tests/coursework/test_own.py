"""Questions about one's own code: drawn from the name, asked when the function passes, right by what it gives."""

import json

import numpy as np
import pytest

grading = pytest.importorskip("coursework.grading")
from coursework import checks, sources, submissions, worker  # noqa: E402
from coursework.__main__ import main  # noqa: E402
from coursework.references.attention import attention  # noqa: E402
from tests.coursework.conftest import ASSIGNMENT, cell, with_code  # noqa: E402
from tests.coursework.test_marks import reference  # noqa: E402
from tutorial_book.exercises import ask, own  # noqa: E402

FULL = sources.points(ASSIGNMENT, marks=("check",))
ASKED = {"own-attention-hidden", "own-near-attention-hidden"}


def made(name, me, function=None):
    """What a function gives for somebody's question, as it comes out of the sandbox."""
    function = function or reference(own.QUESTIONS[name].function)
    return json.loads(json.dumps(worker.plain(function(*own.drawn(name, me)[0]))))


def right_for(name, me):
    return own.verdict(name, me, True, made(name, me), None)[1]


@pytest.mark.parametrize("assignment", checks.names())
def test_each_assignment_asks_two_questions_after_a_function_passes(assignment):
    points = sources.points(assignment)
    asked = own.asked(points)
    order = list(points)
    assert len(asked) == 2 and sum(points.values()) == 40
    for name, check in asked.items():
        assert points[check] == 1 and order.index(own.QUESTIONS[name].check) < order.index(check)


@pytest.mark.parametrize("name", own.QUESTIONS)
def test_a_question_is_the_same_for_a_name_and_differs_between_names(name):
    people = [f"student {number}" for number in range(40)]
    assert own.drawn(name, "Ada  lovelace ")[1] == own.drawn(name, "Ada Lovelace")[1]
    assert len({own.drawn(name, me)[1] for me in people}) > 30
    answers = [json.dumps(right_for(name, me)) for me in people]
    assert max(map(answers.count, answers)) < 0.7 * len(people)  # one answer for all is no answer


def test_the_mask_of_the_question_on_attention_decides_its_answer():
    """Who leaves it out is wrong: the key that it hides is the one that would weigh most."""
    for number in range(40):
        arguments = Q, K, V, mask = own.drawn("own-attention", f"student {number}")[0]
        answers = [own.QUESTIONS["own-attention"].answer(arguments, attention(Q, K, V, m)) for m in (mask, None)]
        assert answers[0] != answers[1] and not mask[-1, answers[1]]


@pytest.mark.parametrize("name", [name for name in own.QUESTIONS if name not in ("own-longest-match", "own-train-bpe")])
def test_what_a_function_gives_for_a_drawn_input_is_a_number(name):
    """No row of zeros is drawn: it has no cosine."""
    for number in range(300):
        answer = right_for(name, f"student {number}")
        assert np.isfinite(answer).all()


@pytest.mark.parametrize("name", own.QUESTIONS)
@pytest.mark.parametrize("me", ["Ada Lovelace", "bob", "Zoë ☃"])
def test_the_answer_of_ones_own_function_is_right_and_others_are_not(name, me):
    right = right_for(name, me)
    given = json.loads(json.dumps(worker.plain(right)))
    rounded = round(right, 3) if isinstance(right, float) else given
    assert own.verdict(name, me, True, made(name, me), rounded) == (None, right)
    for wrong in ([], "x", {"pairs": []}, 17.5, ["[UNK]"], None, [given], float("nan")):
        reason, _ = own.verdict(name, me, True, made(name, me), wrong)
        assert reason and (wrong is None) == ("there is no answer" in reason)
    assert "ME is empty" in own.verdict(name, "", True, made(name, ""), given)[0]
    assert "does not pass its check" in own.verdict(name, me, False, made(name, me), given)[0]
    assert own.verdict(name, me, True, None, given)[0] and own.verdict(name, me, True, "x", given)[0]


@pytest.mark.parametrize(
    "code, name",
    [
        ('ME = "Ada"', "Ada"), ("ME = 'O\"Neil'", 'O"Neil'), ('ME = ""  # your course\'s', ""), ("ME = me()", ""),
        ('ME = ""\nME = "Bob"', "Bob"), ('x = "ME"', ""), ('ME = "' + "x" * 300 + '"', ""),
    ],
)  # fmt: skip
def test_the_name_is_read_and_nothing_runs(code, name):
    assert own.name_in(code) == name


def test_a_question_is_asked_when_the_function_passes(capsys):
    ask("own-attention", attention, "")
    ask("own-attention", lambda Q, K, V, mask=None: (V, Q), "Ada")
    ask("own-attention", attention, "Ada")
    first, second, third = capsys.readouterr().out.split("\n", 2)
    assert "into ME first" in first and "passes its check" in second and own.drawn("own-attention", "Ada")[1] in third
    assert third.endswith("Write your answer into OWN_ATTENTION.\n")


def test_answers_are_graded_by_each_ones_own_function(solved, hand_in, grade):
    hand_in("ada", solved)
    hand_in("copier", with_code(solved, "me", 'ME = "Charles Babbage"'))
    hand_in("nobody", with_code(solved, "me", sources.student_notebook(ASSIGNMENT).cells[0].source[:0]))
    answers = {name: right_for(name, "Bob") for name in own.asked(FULL)}
    bob = with_code(solved, "me", 'ME = "Bob"')
    for name, right in answers.items():
        bob = with_code(bob, name, f"{own.variable(name)} = {right!r}")
    hand_in("bob", bob)
    zeros = "def attention(Q, K, V, mask=None):\n    return V[..., :1, :] + 0 * Q[..., :1], Q @ K.swapaxes(-1, -2)"
    hand_in("eve", with_code(solved, "attention", zeros))
    marks = grade()
    assert marks["ada"].points == marks["bob"].points == FULL and marks["bob"].own == answers
    lost = {name for name, points in marks["copier"].points.items() if points < FULL[name]}
    assert lost and lost <= ASKED and "is not what your" in marks["copier"].reasons[lost.pop()]
    lost = {name for name, points in marks["nobody"].points.items() if points < FULL[name]}
    assert lost == ASKED and "ME is empty" in marks["nobody"].reasons["own-attention-hidden"]
    assert marks["eve"].points["own-attention-hidden"] == 0 and marks["eve"].points["own-near-attention-hidden"] == 1
    assert "does not pass its check" in marks["eve"].reasons["own-attention-hidden"]


def test_two_with_one_name_are_told(graded, tmp_path):
    people = {"ada": "Ada Lovelace", "bob": "ada  LOVELACE", "eve": "Eve", "kim": "", "lee": ""}
    assert own.namesakes([grading.Marks(student, ASSIGNMENT, me=me) for student, me in people.items()]) == [
        "ada, bob have the same name in ME, so the same questions about their own code."
    ]
    assert "ada, bob have the same name in ME" in (graded / "results" / "report.md").read_text()  # both are solved


FORGED = """
import builtins
def attention(Q, K, V, mask=None):
    while Q.shape == (5, 3): pass
    return answer(Q, K, V, mask)
"""


def test_a_function_that_breaks_on_its_question_loses_that_alone(solved, hand_in, grade):
    source = cell(solved, "attention").source.replace("def attention(", "def answer(")
    hand_in("eve", with_code(solved, "attention", source + FORGED))
    marks = grade()["eve"]
    lost = {name for name, points in marks.points.items() if points < FULL[name]}
    assert lost == {"own-attention-hidden"} and "gave nothing" in marks.reasons["own-attention-hidden"]


def test_oral_questions_are_printed_for_each(tmp_path, capsys):
    asked = {name: right_for(name, "Ada") for name in own.asked(FULL)}
    code = {"attention": cell(sources.solved_notebook(ASSIGNMENT), "attention").source, "softmax": "def softmax(x"}
    for student, how in {"ada": {"me": "Ada", "own": asked, "answers": code}, "bob": {}}.items():
        marks = grading.Marks(student, ASSIGNMENT, points=dict(FULL), **how)
        grading.save(tmp_path / "marks" / ASSIGNMENT / f"{student}.json", marks)
    assert main(["oral", "--to", str(tmp_path), "--assignment", ASSIGNMENT]) == 0
    said = capsys.readouterr().out
    assert said.strip() == (tmp_path / f"oral-{ASSIGNMENT}.md").read_text(encoding="utf-8").strip()
    assert "## ada, drawn from the name Ada" in said and "## bob" not in said
    assert f"It gives {asked['own-attention']!r}: why" in said
    line = next(one for one in said.splitlines() if one.startswith("       ")).strip()
    assert line in code["attention"] and "3. What is this line of your attention for" in said


def test_no_name_moves_the_cursor_of_the_teachers_terminal(tmp_path, capsys):
    code = {"attention": "def attention(Q):\n    x = '\x1b[2J\u202e'"}
    marks = grading.Marks(
        "ada", ASSIGNMENT, points=dict(FULL), me="A\x1b[1A\x07da", own={"own-attention": 1}, answers=code
    )
    grading.save(tmp_path / "marks" / ASSIGNMENT / "ada.json", marks)
    assert main(["oral", "--to", str(tmp_path), "--assignment", ASSIGNMENT]) == 0
    said = capsys.readouterr().out
    assert "A?[1A?da" in said and "x = '?[2J?'" in said and said.replace("\n", "").isprintable()


def test_an_answer_beyond_all_numbers_costs_that_answer_alone(solved, hand_in, grade):
    """Python could not compare it, and nothing of the notebook was marked."""
    hand_in("ada", with_code(solved, "own-attention", "OWN_ATTENTION = 10**400"))
    hand_in("bob", with_code(solved, "softmax", "def softmax(x):\n    return [10**400]"))
    marks = grade()
    lost = {name for name, points in marks["ada"].points.items() if points < FULL[name]}
    assert lost == {"own-attention-hidden"} and marks["bob"].points["rotate-hidden"]


def test_the_name_is_an_answer_like_others():
    assert submissions._released(ASSIGNMENT).defined["me"] == {"ME": False}


@pytest.mark.parametrize("code", ["-" * 99_000 + "1", "lambda:" * 14_000 + "1", "(" * 99_000, "x='\x00'", "def f(): 1"])
def test_code_that_python_cannot_read_asks_of_no_line_and_stops_nobodys_questions(code):
    assert own._of_a_line("f", code, "Ada") == ""
