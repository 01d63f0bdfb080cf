"""The public checks, all of them alike: the right answer passes, and each usual mistake is told by its own hint."""

import copy
import functools
import linecache
import math
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from coursework import checks, references, worker
from coursework.references import attention, bert_layer, tokenization
from coursework.references.mistakes import Mistakes
from tutorial_book.exercises import exercise as exercises
from tutorial_book.exercises.attention import ATTENTION, SHIFT_MATRIX, SOFTMAX
from tutorial_book.exercises.bert_layer import GELU, MULTI_HEAD_ATTENTION, weights_of
from tutorial_book.exercises.exercise import Case, Exercise, difference, other_packages, same
from tutorial_book.exercises.tokenization import MERGE
from tutorial_lib.tokenization import words

EXERCISES = [exercise for home in references.homes() for exercise in exercises.EXERCISES[home].values()]
MISTAKES = [(exercise, hint) for exercise in EXERCISES for hint in exercise.outcomes.made]


def right(exercise):
    return getattr(references.module(exercise.home), exercise.name)


@pytest.mark.parametrize("home", references.homes())
def test_what_students_install_holds_todays_outcomes_and_no_answer(home):
    there = references.file(home).read_text(encoding="utf-8")
    assert references.same_outcomes(there, references.text(home)), "run make assignments"
    assert not references.same_outcomes(there.replace("1", "2"), references.text(home))
    for name in exercises.EXERCISES[home]:
        assert callable(getattr(references.module(home), name))
        assert not hasattr(sys.modules[f"tutorial_book.exercises.{home}"], name)


def test_what_students_install_imports_nothing_of_the_teachers(tmp_path):
    code = "import sys, tutorial_book.exercises; print([name for name in sys.modules if 'coursework' in name])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
    build = (Path(exercises.__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'packages = ["tutorial_lib", "tutorial_book"]' in build  # and not coursework


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_right_answer_passes(exercise, capsys):
    assert exercise.check(right(exercise)) is True
    assert f"All {len(exercise.cases)} checks" in capsys.readouterr().out


@pytest.mark.parametrize("exercise, hint", MISTAKES, ids=[f"{e.name}: {h[:40]}" for e, h in MISTAKES])
def test_each_mistake_is_told_by_its_own_hint(exercise, hint, capsys):
    assert exercise.check(references.mistakes_in(references.module(exercise.home))[exercise.name][hint]) is False
    assert hint in capsys.readouterr().out


def f(x):
    return x + 0 * x


@pytest.mark.parametrize(
    "table, problem",
    [
        ("twice\n    y -> 2 * x", "'twice': 'y' must stand once in f, got it 0 times"),
        ("twice\n    x -> 2 * x", "'twice': 'x' must stand once in f, got it 2 times"),
        ("twice\n    x + 0 -> 2 *\n    x + 0 -> x", "'x \\+ 0' must stand once in f, got it 0 times"),
        ("twice\n    2 * x", "an edit is `old -> new`, got '2 \\* x'"),
        ("twice", "a hint has no edit: 'twice'"),
        ("twice\n    -> 2 * x\ntwice\n    -> x + x", "a hint comes twice: 'twice'"),
    ],
)
def test_a_mistake_that_does_not_fit_the_right_answer_is_an_error(table, problem):
    with pytest.raises(ValueError, match=problem):
        dict(Mistakes(f, table))


def test_a_long_hint_goes_on_in_the_next_line_and_a_mistake_may_have_several_edits():
    mistakes = Mistakes(f, "twice\nand one more\n    x + 0 -> 2 *\n    * x -> x + 1\nnothing\n    ->")
    assert list(mistakes) == ["twice and one more", "nothing"]
    assert mistakes["twice and one more"](3) == 7 and mistakes["nothing"](3) is None


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
@pytest.mark.parametrize(
    "wrong",
    [lambda *a: None, lambda *a: "text", lambda *a: np.zeros((9, 9, 9)), lambda: 1, 7],
    ids=["nothing", "a text", "an array", "no arguments", "no function"],
)
def test_whatever_comes_there_is_a_sentence_and_no_exception(exercise, wrong, capsys):
    assert exercise.check(wrong) is False
    assert "✗" in capsys.readouterr().out


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_work_that_is_not_begun_is_no_error(exercise, capsys):
    def blank(*_):
        raise NotImplementedError

    assert exercise.check(blank) is False
    assert "not written any code yet" in capsys.readouterr().out


TODO = '    """What to write."""\n    raise NotImplementedError("write your code here")\n'


@pytest.mark.parametrize(
    "source, told",
    [
        (f"def softmax(x):\n{TODO}", "you have not written any code yet"),
        (f"def softmax(x):\n{TODO}    return np.exp(x)\n", "the line `raise NotImplementedError` is still there"),
        (f"def softmax(x):\n    powers = 1\n{TODO}", "the line `raise NotImplementedError` is still there"),
        (f"def softmax(x):\n    return e(x)\ndef e(x):\n{TODO}", "softmax: return e(x)\n    in e, line 5: raise Not"),
    ],
)
def test_a_function_that_is_not_begun_is_told_from_one_that_only_keeps_its_raise(source, told, capsys):
    assert SOFTMAX.check(in_a_cell(source, "softmax")) is False
    assert told in capsys.readouterr().out


def test_a_function_of_another_question_that_is_wrong_is_named(capsys):
    source = (
        "def split_heads(X, n):\n    print('seen')\n    return X.reshape(n, len(X), -1)\n"
        "def parts(X, w, n):\n    return [split_heads(X @ w[f'W_{p}'] + w[f'b_{p}'], n) for p in 'QKV']\n"
        "def multi_head_attention(X, w, n, mask=None):\n    heads = attention(*parts(X, w, n), mask)[0]\n"
        "    return heads.swapaxes(0, 1).reshape(X.shape) @ w['W_O'] + w['b_O']\n"
    )
    check = MULTI_HEAD_ATTENTION.check
    assert not check(in_a_cell(source, "multi_head_attention", attention=attention.attention))
    shown = capsys.readouterr().out
    assert "\n  split_heads, which it uses, is not right yet: start there.\n" in shown
    assert shown.count("seen") == 6  # three for each of two cases; what split_heads is tried with stays silent
    early = source.replace("    heads = ", "    X @ X\n    heads = ")  # it stops above what it would use
    assert not check(in_a_cell(early, "multi_head_attention", attention=attention.attention))
    assert "which it uses" not in capsys.readouterr().out
    right = source.replace("n, len(X), -1)", "len(X), n, -1).swapaxes(0, 1)").replace(" + w['b_O']", "")
    assert not check(in_a_cell(right, "multi_head_attention", attention=attention.attention))
    assert "which it uses" not in capsys.readouterr().out


def test_a_hint_is_left_out_where_another_function_is_wrong_first(capsys):
    source = (
        "def softmax(x):\n    e = np.exp(x - x.mean(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n"
        "def attention(Q, K, V, mask=None):\n    z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])\n"
        "    w = softmax(z if mask is None else np.where(mask, z, -np.inf))\n    return w @ V, w\n"
    )
    assert not ATTENTION.check(in_a_cell(source, "attention"))
    shown = capsys.readouterr().out
    assert "softmax, which it uses, is not right yet" in shown and "Hint" not in shown


@pytest.mark.parametrize(
    "source, told",
    [
        ("def softmax(x, axis):\n    return x", "cannot be called as in the question: softmax() missing 1 required"),
        ("def softmax(x):\n    return 'text'", "returns a string, 'text', expected numbers"),
        ("def softmax(x):\n    return {'a': 1}['b']", "stopped with KeyError: 'b'\n"),
    ],
)
def test_what_went_wrong_is_told_in_plain_words(source, told, capsys):
    assert not SOFTMAX.check(in_a_cell(source, "softmax"))
    assert told in capsys.readouterr().out


def test_a_list_is_no_tuple_where_another_question_needs_one(capsys):
    assert not MERGE.check(lambda symbols, pair: list(tokenization.merge(symbols, pair)))
    assert "once: give back a tuple, got ['b', 'ea', 'r']: another question needs it" in capsys.readouterr().out


def test_a_function_that_changes_its_inputs_is_told(capsys):
    def softmax(x):
        x -= x.max(axis=-1, keepdims=True)
        return attention.softmax(x)

    assert SOFTMAX.check(softmax) is False
    assert "changes its inputs" in capsys.readouterr().out
    x = SOFTMAX.cases[1].arguments[0].copy()
    SOFTMAX.check(softmax)
    assert (SOFTMAX.cases[1].arguments[0] == x).all()  # and the next check starts with clean ones


def test_the_first_wrong_part_is_named(capsys):
    ATTENTION.check(lambda Q, K, V, mask=None: (attention.attention(Q, K, V, mask)[0], 0 * K))
    assert "weights: the shape is" in capsys.readouterr().out
    ATTENTION.check(lambda Q, K, V, mask=None: attention.attention(Q, K, V, mask)[0])
    assert "give back 2 things, (output, weights)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "one, other, agree",
    [
        ([1, 2], [1, 2], True), ([1, 2], (1, 2), True), ([[1], [1, 2]], [[1], [1, 2]], True), ("a", "a", True),
        (["a"], ["b"], False), ("1", 1, False),
        ({"a": 1}, {"a": 1}, True), ({"a": 1}, {"b": 1}, False), (np.array([np.nan]), np.array([np.nan]), True),
        (1, "1", False),
        (True, 1, False), (None, None, True), (np.ones(2), np.ones(3), False),
        ([["a"], ["b", "c"]], [["a"], ["b", "c"]], True),
    ],
)  # fmt: skip
def test_same(one, other, agree):
    assert same(one, other, 1e-6) is agree


def test_a_difference_is_told_in_words():
    assert difference(np.ones((2, 3)), np.ones((3, 2)), 1e-6) == "the shape is (2, 3), expected (3, 2)"
    assert difference(["a"], ["b"], 0) == "got ['a'], expected ['b']"
    assert difference(None, 1.0, 0).startswith("your function gives back nothing")
    assert difference(0.5, -0.0, 0) == "the value is 0.5, expected 0"


def test_a_mistake_that_cannot_be_made_with_these_arguments_is_passed_over(capsys):
    exercise_of(1.0, never="1 / 0", twice="2 * x").check(lambda x: 2 * x)
    assert capsys.readouterr().out.startswith("✗ 1.0: the value is 2, expected 1. Hint: twice\n")


# --- what a red check shows ----------------------------------------------------------------------------------------


def in_a_cell(source, name, **names):
    """A function out of a cell of a notebook: IPython keeps the cell's lines where tracebacks find them."""
    file = f"<cell {id(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {"__name__": "__main__", "np": np, **names}
    exec(compile(source, file, "exec"), names)
    return names[name]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_a_red_check_shows_a_call_that_can_be_pasted(exercise):
    for case in exercise.cases:
        text = exercise.problem(lambda *a: {"wrong": 1}, case)
        code = text.split("To see it again:\n")[1].split("\n  got  ")[0]
        pasted = []
        exec(re.sub("^    ", "", code, flags=re.M), {"np": np, exercise.name: lambda *a, to=pasted: to.extend(a)})
        assert same(pasted, list(case.arguments), 0), code
        assert [type(one) for one in pasted] == [type(one) for one in case.arguments]
        kinds = [[getattr(a, "dtype", None) for a in some] for some in (pasted, case.arguments)]
        assert kinds[0] == kinds[1]


def test_an_exception_is_shown_with_the_students_own_line(capsys):
    source = "def scaled(x):\n    return x / np.linalg.inv(x)\n\ndef softmax(x):\n    return scaled(x)\n"
    SOFTMAX.check(in_a_cell(source, "softmax"))
    shown = capsys.readouterr().out
    assert "stopped with LinAlgError" in shown
    assert (
        "\n  Line 5 of the cell with softmax: return scaled(x)\n    in scaled, line 2: return x / np.linalg.inv(x)\n"
        in shown
    )
    assert "    softmax(np.array([0.0, 0.0]))\n" in shown


@pytest.mark.parametrize(
    "expression", ["sum(1 / y for y in [0])", "[1 / y for y in [0]]", "(lambda y: 1 / y)(0)", "{1 / y: y for y in [0]}"]
)
def test_the_line_of_a_comprehension_is_that_of_its_function(expression, capsys):
    source = f"def softmax(x):\n    return (\n        {expression}\n    )\n"
    SOFTMAX.check(in_a_cell(source, "softmax"))
    assert f"\n  Line 3 of the cell with softmax: {expression}\n  To" in capsys.readouterr().out


def test_a_name_of_numpy_is_told_where_it_is(capsys):
    SOFTMAX.check(in_a_cell("def softmax(x):\n    return exp(x)\n", "softmax"))
    assert "name 'exp' is not defined. Hint: did you mean np.exp?\n" in capsys.readouterr().out
    GELU.check(in_a_cell("def gelu(x):\n    return erf(x)\n", "gelu"))
    assert "Hint: did you mean math.erf?\n" in capsys.readouterr().out
    SOFTMAX.check(in_a_cell("def softmax(x):\n    return expo(x)\n", "softmax"))
    assert "Hint" not in capsys.readouterr().out


def test_no_minus_stands_before_a_zero(capsys):
    SHIFT_MATRIX.check(lambda k, d: -0.5 * attention.shift_matrix(k, d))
    assert "-0." in (shown := capsys.readouterr().out) and not re.search(r"-0\.?(?!\.?\d)", shown)


def test_what_came_stands_beside_what_is_right(capsys):
    SOFTMAX.check(lambda x: np.where(x == x.max(), 0.5, 0))
    assert "  got       [0. 0. 0.5]\n  expected  [0.09 0.2447 0.6652]\n" in capsys.readouterr().out


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
    shown = capsys.readouterr().out
    assert "✗ once: your function was still running after 0.3 seconds" in shown
    assert re.search("Line [23] of the cell with merge: (while s:|pass)\n", shown)


def test_the_user_may_still_interrupt():
    def merge(symbols, pair):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        MERGE.check(merge)


def test_code_that_leaves_python_does_not_leave_the_notebook(capsys):
    assert not MERGE.check(in_a_cell("def merge(s, pair):\n    raise SystemExit\n", "merge"))
    assert "stopped with SystemExit" in capsys.readouterr().out


def test_packages_that_grading_lacks_are_told_though_all_passes(capsys, monkeypatch):
    erf = np.frompyfunc(math.erf, 1, 1)  # SciPy's is a NumPy ufunc as well, which does not say where it comes from
    monkeypatch.setitem(sys.modules, "scipy.special", SimpleNamespace(**{erf.__name__: erf}))
    source = (
        "def phi(x):\n    return (1 + erf(x / math.sqrt(2)).astype(float)) / 2\ndef gelu(x):\n    return x * phi(x)\n"
    )
    assert GELU.check(in_a_cell(source, "gelu", erf=erf, math=math))
    assert "⚠ gelu uses scipy: the grading has Python and NumPy only" in capsys.readouterr().out


@pytest.mark.parametrize("source", ["merge = theirs", "def merge(*given):\n    return theirs(*given)"])
def test_code_of_the_book_is_told_that_it_will_not_count(source, capsys):
    assert MERGE.check(in_a_cell(source, "merge", theirs=tokenization.merge))
    assert "⚠ merge is code of the book, or uses it: it will not count" in capsys.readouterr().out


@pytest.mark.parametrize(
    "source, names, found",
    [
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
    ],
)
def test_other_packages(source, names, found):
    assert other_packages(in_a_cell(source, "f", **names)) == found


def exercise_of(*cases, **mistakes):
    """An exercise where x is right. mistakes: hint -> what comes back instead."""
    table = "\n".join(f"{hint}\n    -> {answer}" for hint, answer in mistakes.items())
    exercise = Exercise("f", tuple(Case(str(x), (x,)) for x in cases))
    exercise._outcomes = references.computed(exercise, f, Mistakes(f, table))
    return exercise


def told(exercise, student, capsys):
    exercise.check(student)
    return re.findall("Hint: (.*)", capsys.readouterr().out)


def test_a_hint_is_for_the_mistake_that_was_made(capsys):
    double = {"twice": "2 * x", "squared": "x * x"}
    assert told(exercise_of(2.0, 3.0, **double), lambda x: x * x, capsys) == ["squared"]  # both fit where x is 2
    assert told(exercise_of(2.0, 3.0, **double), lambda x: 4, capsys) == []  # and here neither goes on to fit
    assert told(exercise_of(1.0, 3.0, **double), lambda x: x + 3 * (x > 1), capsys) == []  # twice is wrong at once
    overflow = {"0 / 0": "x if x else np.nan"}
    assert told(exercise_of(0.0, 3.0, **overflow), lambda x: x if x else np.nan, capsys) == ["0 / 0"]
    assert told(exercise_of(0.0, 3.0, **overflow), lambda x: np.nan, capsys) == []  # any nan looks like another


def test_an_exception_gets_the_hint_of_what_raises_it_too(capsys):
    mistakes = {"the index": "[x][1]", "the key": "{}[x]", "no list": "x + []"}
    assert told(exercise_of(1.0, **mistakes), lambda x: (x, x)[2], capsys) == ["the index"]
    assert told(exercise_of(1.0, **mistakes), lambda x: {2: 3}[5], capsys) == ["the key"]
    assert told(exercise_of(1.0, **mistakes), lambda x: [] + x, capsys) == []  # the type alone says too little


def test_a_list_of_parts_is_as_good_as_a_tuple():
    assert ATTENTION.check(lambda *given: list(attention.attention(*given)))


# --- assignment 1 --------------------------------------------------------------------------------------------------

TOKENIZATION = exercises.EXERCISES["tokenization"]
WRONG = re.findall(
    r"^### (\w+): (.*)\n((?:(?!###).*\n?)+)", Path(__file__).with_name("wrong-1-tokenization.txt").read_text(), re.M
)


@functools.cache
def drawn(name):
    """What the checks of assignment 1 ask a function, with the inputs of three seeds: [(check, call), ...]."""
    by_check = {check: calls for check, calls in checks.load("1-tokenization").items() if check != "longest-match-bert"}
    asked = [(c, call) for c, calls in by_check.items() for s in range(3) for call in calls(np.random.default_rng(s))]
    return [(check, call) for check, call in asked if call.name == name]


def lost(name, student):
    """The checks of assignment 1 that a function does not pass."""
    failed = set()
    for check, call in drawn(name):
        if check not in failed:
            try:
                value = worker.plain(student(*copy.deepcopy(call.arguments)))
            except Exception:
                value = None
            if checks.wrong(call, value):
                failed.add(check)
    return failed


@pytest.mark.parametrize("name, hint, source", WRONG, ids=[f"{name}: {hint[:30]}" for name, hint, _ in WRONG])
def test_a_wrong_answer_is_told_how_and_none_passes_here_and_fails_there(name, hint, source, capsys, monkeypatch):
    monkeypatch.setattr(exercises, "SECONDS", 0.5)
    student = in_a_cell(source, name, count_pairs=tokenization.count_pairs, merge=tokenization.merge)
    assert TOKENIZATION[name].check(student) is False
    shown = capsys.readouterr().out
    hints = re.findall("Hint: (.*)", shown)
    assert hints == [hint] or (not hints and (hint == "-" or hint in shown))
    if (
        "still running" not in shown and "changes its inputs" not in shown
    ):  # those would hang, or are right but for that
        assert f"{name.replace('_', '-')}-hidden" in lost(name, student)


def test_nine_of_ten_wrong_answers_are_told_clearly():
    assert sum(hint != "-" for _, hint, _ in WRONG) > 0.9 * len(WRONG)


@pytest.mark.parametrize("exercise", TOKENIZATION.values(), ids=TOKENIZATION)
def test_each_usual_mistake_loses_hidden_points(exercise):
    assert not lost(exercise.name, right(exercise))
    hidden = f"{exercise.name.replace('_', '-')}-hidden"
    mistakes = references.mistakes("1-tokenization")[exercise.name]
    kept = [hint for hint, mistake in mistakes.items() if hidden not in lost(exercise.name, mistake)]
    assert not kept


@pytest.mark.parametrize("check", checks.load("1-tokenization"))
def test_inputs_of_two_seeds_have_nothing_in_common(check):
    drawn = [
        [repr(c.arguments) for c in checks.load("1-tokenization")[check](np.random.default_rng(n))] for n in (1, 2)
    ]
    assert not set(drawn[0]) & set(drawn[1])


@pytest.mark.parametrize("check", [name for name in checks.load("1-tokenization") if not name.endswith("-bert")])
def test_no_constant_is_right(check):
    for seed in range(100):
        right = [repr(call.expected) for call in checks.load("1-tokenization")[check](np.random.default_rng(seed))]
        assert len(right) == 1 or len(set(right)) > 1


def test_but_for_its_own_rules_assignment_1_has_the_chapters(monkeypatch):
    from tutorial_lib import tokenization as library

    for rule in ("DIGITS", "MOST", "LONGEST"):
        monkeypatch.setattr(tokenization, rule, 99)
    rng = np.random.default_rng(0)
    for text in ["x_1 é", *(tokenization.random_text(rng, "_.,!?'-(", "éüÄ") for _ in range(50))]:
        assert tokenization.words(text) == [word.lower() for word in library.words(text)]
    for most in (2, 4, 99):
        for _ in range(10):
            counts = tokenization.random_counts(rng, most=most)
            letters = sorted({letter for word in counts for letter in word})
            _, merges = library.learn_merges(Counter(counts), letters, 999, library.bpe_score, str.__add__)
            assert tokenization.train_bpe(counts, 999) == merges
    for _ in range(200):
        first, second = (list(range(n)) for n in rng.integers(0, 9, size=2))
        room = int(rng.integers(0, 16))
        _, segments = tokenization.encode_pair(first, second, room + 3)
        kept = library.truncated_lengths(len(first), len(second), room)
        assert (segments.count(0) - 2, segments.count(1) - 1) == kept


# --- the references against the library, which is held against Hugging Face's models -------------------------------


def test_but_for_its_own_rules_assignment_2_is_the_librarys(monkeypatch):
    torch = pytest.importorskip("torch")
    from tutorial_lib import attention as library
    from tutorial_lib import positions

    monkeypatch.setattr(attention, "BASE", 10_000.0)
    Q, K, V = (torch.randn(2, n, d, dtype=torch.float64) for n, d in ((3, 4), (5, 4), (5, 6)))
    mask = torch.rand(3, 5) < 0.7
    mask[:, 0] = True
    ours, theirs = attention.attention(Q.numpy(), K.numpy(), V.numpy(), mask.numpy()), library.attention(Q, K, V, mask)
    assert all(np.allclose(a, b) for a, b in zip(ours, theirs, strict=True))
    assert np.allclose(attention.softmax(Q.numpy()), torch.softmax(Q, -1))
    assert (attention.causal_mask(6) == library.causal_mask(6).numpy()).all()
    assert np.allclose(attention.sinusoidal(50, 16), positions.sinusoidal(50, 16), atol=1e-6)
    assert np.allclose(attention.shift_matrix(7, 16), positions.shift_matrix(7, 16), atol=1e-6)


def test_assignment_3_is_hugging_faces_layer(hf_bert):
    import torch

    from tutorial_lib.bert import Bert

    X = torch.randn(1, 9, 384)
    for layer in range(6):
        weights = weights_of(Bert.from_hf(hf_bert), layer)
        with torch.no_grad():
            right = hf_bert.encoder.layer[layer](X)
        right = right[0] if isinstance(right, tuple) else right
        assert np.allclose(bert_layer.bert_layer(X[0].numpy(), weights, 12), right.reshape(9, 384), atol=2e-5)
