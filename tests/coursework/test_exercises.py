"""The public checks, all of them alike: the right answer passes, and each usual mistake gets its own hint."""

import linecache
import math
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from coursework import references, sources
from coursework.mistakes import mistakes as read_mistakes
from tutorial_book.exercises import exercise as exercises
from tutorial_book.exercises import slips
from tutorial_book.exercises.attention import SHIFT_MATRIX, SOFTMAX
from tutorial_book.exercises.bert_layer import GELU
from tutorial_book.exercises.exercise import Case, Exercise, other_packages, same
from tutorial_book.exercises.geometry import AVERAGE_COSINE
from tutorial_book.exercises.tokenization import MERGE
from tutorial_lib.geometry import average_cosine
from tutorial_lib.tokenization import words

tokenization, attention, *_ = map(references.of, sources.names())
EXERCISES = [exercise for home in references.HOMES for exercise in exercises.EXERCISES[home].values()]
each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


def in_a_cell(source, name, **names):
    """A function out of a cell of a notebook: IPython keeps the cell's lines where tracebacks find them."""
    file = f"<cell {id(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {"np": np, **names, "__name__": "__main__"}
    exec(compile(source, file, "exec"), names)
    return names[name]


@pytest.mark.parametrize("home", references.HOMES)
def test_what_students_install_holds_no_answer(home):
    installed = sys.modules[f"tutorial_book.exercises.{home}"]
    assert not [name for name in exercises.EXERCISES[home] if hasattr(installed, name)]


def test_what_students_install_imports_no_coursework():
    code = "import sys, tutorial_book.exercises; print([name for name in sys.modules if 'coursework' in name])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
    build = (Path(exercises.__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'packages = ["tutorial_lib", "tutorial_book"]' in build


@each_exercise
def test_right_answer_passes_and_mistakes_get_hints(exercise, capsys):
    """By each of the rules that the question has in a course's variant."""
    assignment = references.HOMES[exercise.home]
    by_rule = {id(exercise.of(variant).outcomes): variant for variant in [*map("course{}".format, range(6)), ""]}
    assert len(by_rule) > 2 or not any(exercise.name in names for names in sources.rules(assignment))
    for variant in by_rule.values():
        named = f"{assignment}-{variant}" if variant else assignment
        assert exercise.check(getattr(references.of(named), exercise.name), variant) is True, "run: make assignments"
        assert f"All {len(exercise.cases)} checks" in capsys.readouterr().out
        for hint, mistake in references.mistakes(named)[exercise.name].items():
            assert exercise.check(mistake, variant) is False, "run: make assignments"
            assert f"Hint: {hint}" in capsys.readouterr().out, "run: make assignments"


@each_exercise
def test_whatever_is_given_is_told_in_a_sentence(exercise, capsys):
    for wrong in (lambda *a: None, lambda *a: "text", lambda *a: np.zeros((9, 9, 9)), lambda: 1, 7):
        assert exercise.check(wrong) is False
        assert "✗" in capsys.readouterr().out
    assert exercise.check(in_a_cell("def blank(*_):\n    raise NotImplementedError", "blank")) is False
    assert "not written any code yet" in capsys.readouterr().out


@each_exercise
def test_a_red_check_shows_a_call_to_paste(exercise):
    for case in exercise.cases:
        text = exercise.problem(lambda *a: {"wrong": 1}, case)
        code = text.split("To see it again:\n")[1].split("\n  got  ")[0]
        pasted = []
        exec(re.sub("^    ", "", code, flags=re.M), {"np": np, exercise.name: lambda *a, to=pasted: to.extend(a)})
        assert same(pasted, list(case.arguments), 0), code
        kinds = [[(type(one), getattr(one, "dtype", None)) for one in some] for some in (pasted, case.arguments)]
        assert kinds[0] == kinds[1]


SCALED = "def scaled(x):\n    return x / np.linalg.inv(x)\n\ndef softmax(x):\n    return scaled(x)\n"
LINES = "\n  Line 5 of the cell with softmax: return scaled(x)\n    in scaled, line 2: return x / np.linalg.inv(x)\n"
SCOPE = "def softmax(x):\n    return (\n        {}\n    )\n"
SCOPES = ["sum(1 / y for y in [0])", "[1 / y for y in [0]]", "(lambda y: 1 / y)(0)", "{1 / y: y for y in [0]}"]


@pytest.mark.parametrize(
    "source, lines",
    [(SCALED, LINES), *((SCOPE.format(one), f"\n  Line 3 of the cell with softmax: {one}\n  To") for one in SCOPES)],
)
def test_an_exception_is_shown_with_the_students_line(source, lines, capsys):
    assert not SOFTMAX.check(in_a_cell(source, "softmax"))
    said = capsys.readouterr().out
    assert lines in said and "    softmax(np.array([0.0, 0.0]))\n" in said


def test_no_minus_stands_before_a_zero(capsys):
    SHIFT_MATRIX.check(lambda k, d: -0.5 * attention.shift_matrix(k, d))
    assert "-0." in (said := capsys.readouterr().out) and not re.search(r"-0\.?(?!\.?\d)", said)


@pytest.mark.parametrize("alarm", [True, False])
def test_an_endless_loop_ends(alarm, capsys, monkeypatch):
    monkeypatch.setattr(exercises, "SECONDS", 0.3)
    handlers = signal.getsignal(signal.SIGALRM), signal.signal(signal.SIGINT, signal.default_int_handler)
    if not alarm:  # as on Windows
        monkeypatch.delattr(signal, "setitimer")
    try:
        assert not MERGE.check(in_a_cell("def merge(s, pair):\n    while s:\n        pass\n", "merge"))
    finally:
        assert handlers[0] is signal.getsignal(signal.SIGALRM)
        signal.signal(signal.SIGINT, handlers[1])
    said = capsys.readouterr().out
    assert "✗ once: your function was still running after 0.3 seconds" in said
    assert re.search("Line [23] of the cell with merge: (while s:|pass)\n", said)


def test_the_user_may_still_interrupt():
    with pytest.raises(KeyboardInterrupt):
        MERGE.check(in_a_cell("def merge(s, pair):\n    raise KeyboardInterrupt", "merge"))


def test_packages_that_grading_lacks_are_told(capsys, monkeypatch):
    erf = np.frompyfunc(math.erf, 1, 1)  # SciPy's is a NumPy ufunc as well, which does not say where it comes from
    monkeypatch.setitem(sys.modules, "scipy.special", SimpleNamespace(**{erf.__name__: erf}))
    source = "def phi(x):\n    return (1 + erf(x / 2**0.5).astype(float)) / 2\ndef gelu(x):\n    return x * phi(x)\n"
    assert GELU.check(in_a_cell(source, "gelu", erf=erf))
    assert "⚠ gelu uses scipy: grading has only Python and NumPy" in capsys.readouterr().out


@pytest.mark.parametrize("source", ["average = theirs", "def average(X):\n    return theirs(X)"])
def test_code_of_the_book_will_not_count(source, capsys):
    assert AVERAGE_COSINE.check(in_a_cell(source, "average", theirs=average_cosine))
    assert "⚠ average_cosine is code from the book, or uses it: it will not count" in capsys.readouterr().out


@pytest.mark.parametrize("source, names, found", [
    ("def f(x):\n    return np.exp(math.pi) + helper(x)\ndef helper(x):\n    return helper(x)", {"math": math}, []),
    ("def f(x):\n    from scipy.special import erf", {}, ["scipy"]),
    ("def f(x):\n    return [g(y) for y in x]\ndef g(y):\n    import torch.nn", {}, ["torch"]),
    ("def f(x):\n    return tok(x)", {"tok": words}, ["tutorial_lib"]),
    ("f = tok", {"tok": words}, ["tutorial_lib"]),
    ("def f(x):\n    return x.case", {"case": tokenization.words}, []),
    ("class A:\n    def go(self):\n        import torch\ndef f(x):\n    return A().go()", {}, ["torch"]),
    ("import functools\n@functools.cache\ndef f(x):\n    import torch", {}, ["torch"]),
    ("f = np.vectorize(math.erf)", {"math": math}, []),
    ("def f(x):\n    return k * erf(x)\nk, erf = 2, np.frompyfunc(math.erf, 1, 1)", {"math": math}, []),
])  # fmt: skip
def test_other_packages_are_found_in_all_helpers(source, names, found):
    assert other_packages(in_a_cell(source, "f", **names)) == found


@pytest.mark.parametrize("one, other, agree", [
    ([1, 2], [1, 2], True), ([1, 2], (1, 2), True), ([[1], [1, 2]], [[1], [1, 2]], True), ("a", "a", True),
    (["a"], ["b"], False), ("1", 1, False), (1, "1", False), (True, 1, False), (None, None, True),
    (["1"], [1], False), ([1], ["1"], False),
    ({"a": 1}, {"a": 1}, True), ({"a": 1}, {"b": 1}, False), (np.array([np.nan]), np.array([np.nan]), True),
    (np.ones(2), np.ones(3), False), ([["a"], ["b", "c"]], [["a"], ["b", "c"]], True),
])  # fmt: skip
def test_values_are_the_same_in_structure_and_number(one, other, agree):
    assert same(one, other, 1e-6) is agree


def f(x):
    return x + 0 * x


@pytest.mark.parametrize("table, problem", [
    ("twice\n    y -> 2 * x", "'twice': 'y' must occur once in f, got it 0 times"),
    ("twice\n    x -> 2 * x", "'twice': 'x' must occur once in f, got it 2 times"),
    ("twice\n    x + 0 -> 2 *\n    x + 0 -> x", "'x \\+ 0' must occur once in f, got it 0 times"),
    ("twice\n    2 * x", "an edit is `old -> new`, got '2 \\* x'"),
    ("twice", "a hint comes twice, or has no edit: 'twice'"),
    ("twice\n    -> 2 * x\ntwice\n    -> x + x", "a hint comes twice, or has no edit: 'twice'"),
])  # fmt: skip
def test_mistake_that_fits_no_answer_is_rejected(table, problem):
    with pytest.raises(ValueError, match=problem):
        read_mistakes(f, table)


DOUBLE = {"twice": "2 * x", "squared": "x * x"}
OVERFLOW = {"0 / 0": "x if x else np.nan"}
LIST = "can only concatenate (list|tuple)"
ERRORS = {"the index": "[x][1]", "the key": "{}[x]", "no list": "x + []"}


@pytest.mark.parametrize("cases, mistakes, student, hints", [
    ((2.0, 3.0), DOUBLE, lambda x: x * x, ["squared"]),  # both fit where x is 2
    ((2.0, 3.0), DOUBLE, lambda x: 4, []),  # and here neither goes on to fit
    ((1.0, 3.0), DOUBLE, lambda x: x + 3 * (x > 1), []),  # twice is wrong at once
    ((1.0,), {"never": "1 / 0", "twice": "2 * x"}, lambda x: 2 * x, ["twice"]),
    ((2.0, 3.0), {"half": "x / 2"}, lambda x: 1.0, []),  # 1 proves little
    ((0.0, 3.0), OVERFLOW, lambda x: x if x else np.nan, ["0 / 0"]),
    ((0.0, 3.0), OVERFLOW, lambda x: np.nan, []),  # any nan looks like another
    ((1.0,), ERRORS, lambda x: (x, x)[2], ["the index"]), ((1.0,), ERRORS, lambda x: {2: 3}[5], ["the key"]),
    ((1.0,), ERRORS, lambda x: [] + x, [slips.ERRORS[LIST]]),  # not "no list": the type alone says too little
    ((1.0,), {}, lambda x: expo(x), []),  # noqa: F821  (no name of NumPy, either)
])  # fmt: skip
def test_a_hint_is_for_the_mistake_made(cases, mistakes, student, hints, capsys):
    table = "\n".join(f"{hint}\n    -> {answer}" for hint, answer in mistakes.items())
    exercise = Exercise("f", tuple(Case(str(x), (x,)) for x in cases))
    exercise._outcomes = references.computed(exercise, f, read_mistakes(f, table))
    exercise.check(student)
    assert re.findall("Hint: (.*)", capsys.readouterr().out) == hints


INPUTS = {
    "GRID": [np.arange(6.0).reshape(2, 3), np.arange(20.0).reshape(4, 5) ** 2, np.ones((1, 4))],
    "TWO_GRIDS": [np.arange(6.0).reshape(2, 3), np.arange(20.0).reshape(4, 5) ** 2],
    "TEXTS": [["ab", "a", "c"], ["d", "d", "B", "e"], ["f"]],
    "PAIRS": [[[1, 2], [4, 3]], [[5, 6], [9, 7], [5, 5]]],
    "MATRICES": [np.eye(2) + 1, np.tri(3, 2)],
}
SLIPS = [line.split("\t") for line in Path(__file__).with_name("slips.tsv").read_text().splitlines()[1:]]


@pytest.mark.parametrize("right, cases, student, hint", SLIPS)
def test_a_general_slip_is_recognized(right, cases, student, hint, capsys):
    exercise = Exercise("g", tuple(Case(str(n), (case,)) for n, case in enumerate(INPUTS[cases])))
    exercise._outcomes = references.computed(exercise, lambda X: eval(right, {"X": X}), {})
    exercise.check(in_a_cell(f"def student(X):\n    r = {right}\n    return {student}", "student"))
    hints = re.findall("Hint: (.*)", capsys.readouterr().out)
    assert [one[: len(hint)] for one in hints] == [hint] * bool(hint)


LOOP = "def merge(s, pair):\n    i = 0\n    while i < len(s):\n        i += 0\n    return s"
KEPT = "def merge(s, pair, made=[]):\n    made += s\n    return tuple(made)"


@pytest.mark.parametrize("source, hint", [
    (LOOP, "`while i < len(s)` did not end, i = 0, s = ('b', 'e', 'a', 'r')"),
    (KEPT, "called again with the same values, your function gives another answer: a default such as"),
])  # fmt: skip
def test_a_hint_states_how_the_function_behaves(source, hint, monkeypatch):
    monkeypatch.setattr(exercises, "SECONDS", 0.3)
    found = [MERGE.problem(in_a_cell(source, "merge"), case) for case in MERGE.cases[:3]]
    assert f"Hint: {hint}" in str(found)
