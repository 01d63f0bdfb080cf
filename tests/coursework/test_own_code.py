"""Questions about one's own code: drawn from the name, asked when the function passes, right by what it gives."""

import json

import numpy as np
import pytest

pytest.importorskip("coursework.grading")
from coursework import checks, references, results, sources, submissions, worker  # noqa: E402
from coursework.__main__ import main  # noqa: E402
from coursework.marks import Marks  # noqa: E402
from coursework.references.attention import attention  # noqa: E402
from tests.coursework.batch import graded as graded_together  # noqa: E402
from tests.coursework.batch import with_cells  # noqa: E402
from tests.coursework.conftest import ASSIGNMENT, cell  # noqa: E402
from tutorial_book.exercises import ask, own_code  # noqa: E402

FULL = sources.points(ASSIGNMENT, marks=("check",))
ATTENTION = cell(sources.solved_notebook(ASSIGNMENT), "attention").source


def reference(name):
    """The right function of this name."""
    return next(vars(one)[name] for one in map(references.module, references.homes()) if hasattr(one, name))


def made(name, me):
    """What the right function gives for somebody's question, as it comes out of the sandbox."""
    function = reference(own_code.QUESTIONS[name].function)
    return json.loads(json.dumps(worker.plain(function(*own_code.drawn(name, me)[0]))))


def right_for(name, me):
    return own_code.verdict(name, me, True, made(name, me), None)[1]


@pytest.mark.parametrize("assignment", checks.names())
def test_two_questions_come_after_their_functions(assignment):
    points = sources.points(assignment)
    asked = own_code.asked(points)
    order = list(points)
    assert len(asked) == 2
    for name, check in asked.items():
        assert points[check] == 1 and order.index(own_code.QUESTIONS[name].check) < order.index(check)


@pytest.mark.parametrize("name", own_code.QUESTIONS)
def test_questions_and_answers_differ_between_names(name):
    people = [f"student {number}" for number in range(40)]
    assert own_code.drawn(name, "Ada  lovelace ")[1] == own_code.drawn(name, "Ada Lovelace")[1]
    assert len({own_code.drawn(name, me)[1] for me in people}) > 30
    answers = [right_for(name, me) for me in people]
    texts = [json.dumps(answer) for answer in answers]
    assert max(map(texts.count, texts)) < 0.7 * len(people)  # one answer for all is no answer
    if name not in ("own-longest-match", "own-train-bpe"):  # a row of zeros would have no cosine
        assert all(np.isfinite(answer).all() for answer in answers)


def test_the_mask_decides_the_answer_on_attention():
    """Who leaves it out is wrong: the key that it hides is the one that would weigh most."""
    for number in range(40):
        arguments = Q, K, V, mask = own_code.drawn("own-attention", f"student {number}")[0]
        answers = [own_code.QUESTIONS["own-attention"].answer(arguments, attention(Q, K, V, m)) for m in (mask, None)]
        assert answers[0] != answers[1] and not mask[-1, answers[1]]


def test_the_sizes_of_the_heads_all_differ():
    """Who mixes up two axes gets another shape."""
    for number in range(40):
        (X, n_heads), _ = own_code.drawn("own-split-heads", f"student {number}")
        assert len({len(X), n_heads, X.shape[1] // n_heads}) == 3


@pytest.mark.parametrize("name", own_code.QUESTIONS)
@pytest.mark.parametrize("me", ["Ada Lovelace", "Zoë ☃"])
def test_only_the_students_own_answer_is_right(name, me):
    gave, right = made(name, me), right_for(name, me)
    given = json.loads(json.dumps(worker.plain(right)))
    rounded = round(right, 3) if isinstance(right, float) else given
    assert own_code.verdict(name, me, True, gave, rounded) == (None, right)
    for wrong in ([], "x", {"pairs": []}, 17.5, ["[UNK]"], None, [given], float("nan")):
        reason, _ = own_code.verdict(name, me, True, gave, wrong)
        assert reason and (wrong is None) == ("there is no answer" in reason)
    assert "ME is empty" in own_code.verdict(name, "", True, made(name, ""), given)[0]
    assert "does not pass its check" in own_code.verdict(name, me, False, gave, given)[0]
    assert own_code.verdict(name, me, True, None, given)[0] and own_code.verdict(name, me, True, "x", given)[0]


@pytest.mark.parametrize(
    "code, name",
    [
        ('ME = "Ada"', "Ada"), ("ME = 'O\"Neil'", 'O"Neil'), ('ME = ""  # your course\'s', ""), ("ME = me()", ""),
        ('ME = ""\nME = "Bob"', "Bob"), ('x = "ME"', ""), ('ME = "' + "x" * 300 + '"', ""),
    ],
)  # fmt: skip
def test_the_name_is_read_and_nothing_runs(code, name):
    assert own_code.name_in(code) == name


@pytest.mark.parametrize(
    "function, me, said",
    [
        (attention, " ", "Write your name into ME first: the question is drawn from it."),
        (lambda Q, K, V, mask=None: (V, Q), "Ada", "This question comes when your attention passes its check."),
        (attention, "Ada", f"{own_code.drawn('own-attention', 'Ada')[1]}\nWrite your answer into OWN_ATTENTION."),
    ],
    ids=["no name", "wrong", "right"],
)
def test_a_question_is_asked_when_the_function_passes(function, me, said, capsys):
    ask("own-attention", function, me)
    assert capsys.readouterr().out == f"{said}\n"


# --- graded ----------------------------------------------------------------------------------------------------------

ANSWERS = {name: right_for(name, "Bob") for name in own_code.asked(FULL)}
CODE = {  # who -> cell -> code
    "ada": {},
    "bob": {"me": 'ME = "Bob"', **{name: f"{own_code.variable(name)} = {right!r}" for name, right in ANSWERS.items()}},
    "copier": {"me": 'ME = "Charles Babbage"'},
    "nobody": {"me": ""},
    "wrong function": {
        "attention": "def attention(Q, K, V, mask=None):\n"
        "    return V[..., :1, :] + 0 * Q[..., :1], Q @ K.swapaxes(-1, -2)"
    },
    "stops on its question": {  # an endless loop for the question's inputs alone
        "attention": f"{ATTENTION.replace('def attention(', 'def answer(')}\n"
        "def attention(Q, K, V, mask=None):\n    while Q.shape == (5, 3): pass\n    return answer(Q, K, V, mask)\n"
    },
    "beyond all numbers": {"own-attention": "OWN_ATTENTION = 10**400"},  # Python cannot compare it with a float
    "beyond all numbers in a list": {"softmax": "def softmax(x):\n    return [10**400]"},
}
OWN, NEAR = "own-attention-hidden", "own-near-attention-hidden"


@pytest.fixture(scope="module")
def marks(tmp_path_factory, bubblewrap):
    solved = sources.solved_notebook(ASSIGNMENT)
    notebooks = {who: with_cells(solved, code) for who, code in CODE.items()}
    return graded_together(tmp_path_factory.mktemp("own"), ASSIGNMENT, notebooks)


def test_answers_are_right_by_each_ones_own_function(marks):
    assert marks["ada"].points == marks["bob"].points == FULL and marks["bob"].own == ANSWERS


@pytest.mark.parametrize(
    "who, lost, reason",
    [
        ("copier", {OWN, NEAR}, "is not what your"),
        ("nobody", {OWN, NEAR}, "ME is empty"),
        ("stops on its question", {OWN}, "gave nothing"),
        ("beyond all numbers", {OWN}, "is not what your"),
    ],
)
def test_wrong_own_answer_costs_only_its_own_points(who, lost, reason, marks):
    points, reasons = marks[who].points, marks[who].reasons
    without = {name for name, given in points.items() if given < FULL[name]}
    assert without and without <= lost and all(reason in reasons[name] for name in without)


def test_a_question_counts_once_its_function_passes(marks):
    assert marks["wrong function"].points[OWN] == 0 and marks["wrong function"].points[NEAR] == 1
    assert "does not pass its check" in marks["wrong function"].reasons[OWN]
    assert marks["beyond all numbers in a list"].points["rotate-hidden"]


def test_two_with_one_name_are_told(graded):
    people = {"ada": "Ada Lovelace", "bob": "ada  LOVELACE", "eve": "Eve", "kim": "", "lee": ""}
    assert own_code.namesakes([Marks(student, ASSIGNMENT, me=me) for student, me in people.items()]) == [
        "ada, bob have the same name in ME, so the same questions about their own code."
    ]
    assert "ada, bob have the same name in ME" in (graded / "results" / "report.md").read_text()  # both are solved


# --- asked in person -------------------------------------------------------------------------------------------------


def test_oral_questions_are_printed_for_each(tmp_path, capsys):
    asked = {name: right_for(name, "Ada") for name in own_code.asked(FULL)}
    code = {"attention": ATTENTION, "softmax": "def softmax(x"}
    hostile = {"attention": "def attention(Q):\n    x = '\x1b[2J\u202e'"}  # moves a terminal's cursor
    eve = {"me": "E\x1b[1A\x07ve", "own": {"own-attention": 1}, "answers": hostile}
    for student, how in {"ada": {"me": "Ada", "own": asked, "answers": code}, "bob": {}, "eve": eve}.items():
        marks = Marks(student, ASSIGNMENT, points=dict(FULL), **how)
        results.save(tmp_path, marks)
    assert main(["oral", "--to", str(tmp_path), "--assignment", ASSIGNMENT]) == 0
    said = capsys.readouterr().out
    assert said.strip() == (tmp_path / f"oral-{ASSIGNMENT}.md").read_text(encoding="utf-8").strip()
    assert "## ada, drawn from the name Ada" in said and "## bob" not in said
    assert f"It gives {asked['own-attention']!r}: why" in said
    line = next(one for one in said.splitlines() if one.startswith("       ")).strip()
    assert line in ATTENTION and "3. What is this line of your attention for" in said
    assert "E?[1A?ve" in said and "x = '?[2J?'" in said and said.replace("\n", "").isprintable()


def test_the_name_is_an_answer_like_others():
    assert submissions._released(ASSIGNMENT).defined["me"] == {"ME": False}


@pytest.mark.parametrize("code", ["-" * 99_000 + "1", "lambda:" * 14_000 + "1", "(" * 99_000, "x='\x00'", "def f(): 1"])
def test_unreadable_code_gets_no_question_about_a_line(code):
    assert own_code._of_a_line("f", code, "Ada") == ""
