"""The feedback names the cause in the student's own code, tells a cascade once, and takes no point for it twice."""

import re
import time
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell

from coursework import causes
from tests.coursework.conftest import ASSIGNMENT, FULL, batch, cell, solved_notebook, with_cells

RIGHT = cell(solved_notebook(ASSIGNMENT), "softmax").source
TEXT = Path(__file__).with_name("causes.txt").read_text(encoding="utf-8").replace("RIGHT\n", f"{RIGHT}\n")


def cases():
    """Name -> (cell, [code, cell that another one stands above, its code, ...], [(check or what, piece of it)])."""
    for where, name, text in re.findall(r"^### (.+?): (.+)\n((?:(?!###).*\n?)+)", TEXT, re.M):
        code = re.sub(r"^> .*\n?", "", text, flags=re.M).strip()
        yield name, (where, re.split(r"\n--- (.+)\n", code), re.findall(r"^> (.+?): (.+)", text, re.M))


CASES = dict(cases())
LEAKS = [
    "raise ValueError(x.tobytes().hex())", "raise type('X' + x.tobytes().hex(), (Exception,), {})",
    "raise NameError('no', name='x' + x.tobytes().hex()[:50])",
    "raise ImportError('no', name='x' + x.tobytes().hex()[:50])",
    "kinds = ['x0000', 'y0000']\n    raise NameError('no', name=kinds[x.size % 2])",
]  # fmt: skip


@pytest.fixture(scope="module")
def attention_marks(tmp_path_factory, bubblewrap):
    solved = solved_notebook(ASSIGNMENT)
    notebooks = {name: with_cells(solved, {where: code[0]}) for name, (where, code, _) in CASES.items()}
    for name, (_, code, _) in CASES.items():
        cells = notebooks[name].cells
        for above, more in zip(code[1::2], code[2::2], strict=True):
            where = len(cells) if above == "below" else cells.index(cell(notebooks[name], above))
            cells.insert(where, new_code_cell(more))
    notebooks |= {leak: with_cells(solved, {"softmax": f"def softmax(x):\n    {leak}"}) for leak in LEAKS}
    return batch(tmp_path_factory.mktemp("causes"), ASSIGNMENT, notebooks)


@pytest.mark.parametrize("name", CASES)
def test_the_cause_is_told(name, attention_marks):
    """And honest ways of working cost nothing: nothing is told of them, but where it says so."""
    marks, (*_, expected) = attention_marks[name], CASES[name]
    less = {check for check, points in marks.points.items() if points < FULL[check]}
    for about, piece in expected:
        if about == "lost":
            assert less == {check for check in FULL if check.startswith(tuple(piece.split()))}
        else:
            assert piece in (" ".join(marks.told) if about == "told" else marks.reasons[about])
    if not {about for about, _ in expected} - {"told"}:
        assert not less and not marks.reasons and bool(marks.told) == bool(expected)


def test_only_a_mistake_that_was_made_has_its_hint(attention_marks):
    assert set(attention_marks["a usual mistake"].hints) >= {"causal-mask-hidden"}
    assert "softmax-hidden" not in attention_marks["wrong numbers"].hints


@pytest.mark.parametrize("leak", LEAKS)
def test_a_message_or_a_class_tells_no_input(leak, attention_marks):
    said = attention_marks[leak].reasons["softmax-hidden"].splitlines()
    assert said and not [line for line in said if "0000" in line or len(line) > 120]


HUGE = {
    "spaces": ("(\n" + " " * 19_000 + "\n") * 10_000,
    "brackets": "(" * 20_000_000,
    "names": "f " * 10_000_000, "imports": "import f\n" * 2_000_000, "functions": "def f" * 4_000_000,
}  # fmt: skip


@pytest.mark.timed
@pytest.mark.parametrize("name", HUGE)
def test_code_of_any_size_is_looked_at_in_time(name):
    """20 MB and more: a hundred times what a submission may hold."""
    error = {"type": "NameError", "name": "f", "cell": 0, "line": 1}
    code = causes.Code([HUGE[name]], {0: {"error": error, "missing": [{"line": 1, "module": "f"}]}}, {})
    began = time.process_time()
    assert causes.stopped("f", error, code)
    assert time.process_time() - began < 8
