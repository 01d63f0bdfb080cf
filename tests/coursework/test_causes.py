"""The feedback names the cause in the student's own code, and tells a cascade once."""

import itertools
import time

import pytest

from coursework import causes, sources
from tests.coursework.conftest import ASSIGNMENT, cell, with_code

FULL = sources.points(ASSIGNMENT, marks=("check",))


def solution(name):
    return cell(sources.solved_notebook(ASSIGNMENT), name).source


# cell -> code, check -> what its reason must hold
CODE = {
    "an import that nothing needs": ({"softmax": "import torch\n" + solution("softmax")}, {}),
    "an import that is needed": (
        {"softmax": "from scipy.special import softmax as s\ndef softmax(x):\n    return s(x, axis=-1)"},
        {"softmax-hidden": ["uses s", "line 1 of the cell with softmax:\n    from scipy", "NumPy alone"]},
    ),
    "code of the book": (
        {"softmax": "from tutorial_lib.attention import softmax"},
        {"softmax-hidden": ["softmax is not there", "Code of the book does not count as an answer"]},
    ),
    "an import that is needed above a function": (
        {"softmax": "import torch\nsoftmax = torch.nn.Softmax()"},
        {"softmax-hidden": ["its cell stopped with NameError, in line 2", "NumPy alone"]},
    ),
    "input": ({"softmax": "def softmax(x):\n    return input()"}, {"softmax-hidden": ["take input() out"]}),
    "an import inside": (
        {"softmax": "def softmax(x):\n    import scipy\n    return x"},
        {"softmax-hidden": ["ModuleNotFoundError, in line 2", "softmax:\n    import scipy\n", "NumPy alone"]},
    ),
    "no Python": (
        {"softmax": "def softmax(x):\n    return np.exp(x"},
        {
            "softmax-hidden": ["its cell stopped with SyntaxError ('(' was never closed), in line 2"],
            "attention-hidden": ["attention uses softmax, which is wrong too: start there."],
        },
    ),
    "another name": (
        {"softmax": "def soft_max(x):\n    return x"},
        {
            "softmax-hidden": ["softmax is defined in no cell of yours, but soft_max is"],
            "attention-hidden": ["attention uses softmax, which is wrong too: start there."],
        },
    ),
    "a name that is not there": (
        {"softmax": "def softmax(x):\n    return helper(x)"},
        {"softmax-hidden": ["softmax uses helper, which is defined in no cell", "line 2", "return helper(x)"]},
    ),
    "a longer name": (
        {"softmax": "def my_softmax(x):\n    return x"},
        {"softmax-hidden": ["softmax is defined in no cell of yours, but my_softmax is"]},
    ),
    "a name that stands for something else": (
        {"softmax": "softmax = [1, 2]"},
        {"softmax-hidden": ["softmax is no function when it is called"]},
    ),
    "a line at the margin": (
        {"softmax": "def softmax(x):\n    e = np.exp(x)\nreturn e"},
        {"softmax-hidden": ["does it end with return", "Its cell stopped with SyntaxError, in line 3"]},
    ),
    "a list as a key": (
        {"softmax": "def softmax(x):\n    return {[1]: x}"},
        {"softmax-hidden": ["softmax stopped with TypeError, in line 2", "make a tuple of it"]},
    ),
    "a cell that stops": (
        {"softmax": "1 / 0\nsoftmax = np.exp"},
        {"softmax-hidden": ["its cell stopped with ZeroDivisionError", "line 1", "1 / 0"]},
    ),
    "a line that fails": (
        {"softmax": "def softmax(x):\n    e = np.exp(x)\n    return e / e.sum(axis=7)"},
        {"softmax-hidden": ["softmax stopped with", "Error", "line 3", "e / e.sum(axis=7)"]},
    ),
    "not written": (
        {"softmax": "def softmax(x):\n    raise NotImplementedError"},
        {"softmax-hidden": ["softmax is not written yet"], "attention-hidden": ["attention needs softmax, which"]},
    ),
    "the line that students get": (
        {"softmax": "def softmax(x):\n    raise NotImplementedError\n    return np.exp(x)"},
        {"softmax-hidden": ["stops at the line that says", "raise NotImplementedError\nTake that line out."]},
    ),
    "a cell that was deleted": (
        {"softmax": ""},
        {"softmax-hidden": ["softmax is defined in no cell of yours"]},
    ),
    "an import that another needs": (
        {"softmax": "from scipy.special import softmax as s\ndef softmax(x):\n    return s(x, axis=-1)"},
        {"attention-hidden": ["attention uses softmax, which is wrong too: start there."]},
    ),
    "wrong numbers": (
        {"softmax": "def softmax(x):\n    return x"},
        {"softmax-hidden": ["wrong numbers"], "attention-hidden": ["attention uses softmax, which is wrong too"]},
    ),
    "too slow": (
        {"softmax": "def softmax(x):\n    while True:\n        x = x + 1"},
        {"softmax-hidden": ["took too long", "in line"], "attention-hidden": ["attention"]},
    ),
    "another signature": (
        {"softmax": "def softmax(x, axis):\n    return x"},
        {"softmax-hidden": ["cannot be called as in the question, in line 1", "asks for axis. Give it"]},
    ),
    "a mask that is left out": (
        {"attention": "def attention(Q, K, V):\n    return softmax(Q @ K.swapaxes(-1, -2)) @ V"},
        {"attention-hidden": ["attention gave one thing: 2 are asked for"]},
    ),
    "nothing back": ({"softmax": "def softmax(x):\n    print(x)"}, {"softmax-hidden": ["nothing: does it end"]}),
    "a text": ({"softmax": "def softmax(x):\n    return 'x'"}, {"softmax-hidden": ["gave a text: another kind"]}),
    "a generator": ({"softmax": "def softmax(x):\n    yield x"}, {"softmax-hidden": ["a generator, whose values"]}),
    "a set": ({"softmax": "def softmax(x):\n    return {1}"}, {"softmax-hidden": ["a set, which has no order"]}),
    "few digits": (
        {"softmax": solution("softmax").replace("powers =", "x = np.asarray(x, dtype=np.float32)\n    powers =", 1)},
        {"softmax-hidden": ["close: is it float32"]},
    ),
    "one number": (
        {"causal-mask": "def causal_mask(n):\n    m = np.tril(np.ones((n, n)))\n    m[0, 0] = 0\n    return m"},
        {"causal-mask-hidden": ["causal_mask gave 1 wrong number of"]},
    ),
    "far too much": (
        {"softmax": "def softmax(x):\n    return np.zeros(100_000)"},
        {"softmax-hidden": ["far more than was asked for"]},
    ),
    "the end of Python": (
        {"softmax": "import os\ndef softmax(x):\n    os._exit(0)"},
        {"softmax-public": ["softmax ended the run"], "attention-public": ["attention ended the run"],
         "attention-hidden": ["attention was not called"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CODE)
def test_the_cause_is_told(name, solved, hand_in, grade):
    code, expected = CODE[name]
    for where, source in code.items():
        solved = with_code(solved, where, source)
    hand_in("ada", solved)
    marks = grade()["ada"]
    if not expected:
        assert marks.points == FULL and not marks.reasons
    for check, texts in expected.items():
        assert [text for text in texts if text not in marks.reasons[check]] == [], marks.reasons[check]


def test_a_message_or_a_class_tells_no_input(solved, hand_in, grade):
    leaks = (
        "raise ValueError(x.tobytes().hex())",
        "raise type('X' + x.tobytes().hex(), (Exception,), {})",
        "raise NameError('no', name='x' + x.tobytes().hex()[:50])",
        "raise ImportError('no', name='x' + x.tobytes().hex()[:50])",
    )
    for number, leak in enumerate(leaks):
        hand_in(f"eve-{number}", with_code(solved, "softmax", f"def softmax(x):\n    {leak}"))
    shown = [line for marks in grade().values() for line in marks.reasons["softmax-hidden"].splitlines()]
    assert shown and not [line for line in shown if "0000" in line or len(line) > 120]


def test_functions_that_a_function_uses_are_found_in_all_cells():
    code = causes.Code(["def f(x):\n    return g(x)", "%magic\ndef g(x):\n    return h(x) + len(x)", "h = abs"], {}, {})
    assert code.roots("f", {"f", "g", "h"}) == ["h"] and code.defining("h") == 2 and code.function_at(1, 3) == "g"
    assert causes.with_cascade("f gave a wrong number", "f", None, {"f", "g"}, code).endswith(
        "which is wrong too: start there."
    )
    above = causes.Code(["def f(x):\n    x @ x\n    return k(x)\ndef k(x):\n    return g(x)\ndef g(x): pass"], {}, {})
    stopped = {"type": "ValueError", "cell": 0, "line": 2, "name": None}
    assert causes.with_cascade("f stopped", "f", stopped, {"f", "g"}, above) == "f stopped"  # g was not called yet
    assert "start there" in causes.with_cascade("f stopped", "f", {**stopped, "line": 3}, {"f", "g"}, above)
    error = {"type": "ValueError", "cell": 1, "line": 3, "name": None}
    assert (
        causes.with_cascade("f stopped", "f", error, {"f", "g"}, code) == "f uses g, which is wrong too: start there."
    )
    assert causes.with_cascade("f stopped", "f", {**error, "cell": 0, "line": 2}, {"f", "g"}, code).startswith(
        "f stopped\n"
    )


@pytest.mark.timed
def test_code_of_any_size_is_looked_at_in_bounded_time():
    spaces = "(\n" + " " * 19_000 + "\n"
    began = time.process_time()
    causes.Code([spaces] * 10, {}, {}).cells  # noqa: B018
    assert time.process_time() - began < 1
    for source in ("1" + "+1" * 10**6, "(" * 10**5, "%x\n" * 10**5, "def f(:\n" * 10**4, "x = 1\n" * 3_000, "\x00"):
        assert causes.Code([source], {}, {}).roots("f", {"g"}) == []


@pytest.mark.timed
def test_names_of_any_number_are_compared_in_bounded_time():
    names = ["".join(letters) for letters in itertools.product("ab", repeat=11)]
    code = causes.Code(["\n".join(f"def {name}(): pass" for name in names[:800]) + f"\n{'ab' * 5}"], {}, {})
    began = time.process_time()
    error = {"type": "NameError", "name": "ab" * 5, "cell": 0, "line": 801}
    assert all("is defined in no cell" in causes.stopped("f", error, code) for _ in range(100))
    assert time.process_time() - began < 5
