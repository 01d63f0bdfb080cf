"""Write coursework/term.json, the reports of which the page for teachers shows lines.

    python -m coursework.example_class

They are those of a class of thirteen that does not exist: ten hand in the tests' honest answers to assignment 2, six of
these with a mistake put in; one copies the published solution, one sends half a file, one nothing. It is graded by the
real commands, in the sandbox, in a folder for the while. A test grades three of them again.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import json
import os
import tempfile
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
ASSIGNMENT, SEED = "2-attention", 1
TARGET = ROOT / "coursework" / "term.json"
STYLES = ROOT / "tests" / "coursework" / f"honest-{ASSIGNMENT}.txt"
STUDENTS = "ada bob cem eva fay gil ida jon kim noa".split()
ALL = [*STUDENTS, "hal", "lea", "max"]
LATE = {"fay", "kim"}
MISTAKES = {  # student -> question -> the text that is changed in the honest answer, or the whole of another
    "bob": {
        "softmax": "def softmax(x):\n    e = np.exp(x - x.max(axis=0))\n    return e / e.sum(axis=0)",
        "attention": "def attention(Q, K, V, mask=None):\n    w = softmax(Q @ K.swapaxes(-1, -2))\n    return w @ V, w",
        "causal-mask": "def causal_mask(n):\n    return np.tri(n, k=-1, dtype=bool)",
    },
    "eva": {"causal-mask": "def causal_mask(n):\n    return np.tri(n, k=-1, dtype=bool)"},
    "ida": {"causal-mask": "def causal_mask(n):\n    return np.tril(np.ones((n, n)), -1) > 0"},
    "jon": {"sinusoidal": "def sinusoidal(n, d_model):\n    raise NotImplementedError"},
    "cem": {"rotate": "def rotate(X, positions):\n    return X"},
    "noa": {"shift-matrix": "def shift_matrix(k, d_model):\n    return np.eye(d_model)"},
}
FILES = ["report.md", "grades.csv", "stats.csv"]


def answers_in(style: str) -> dict[str, str]:
    """Question -> code of an honest answer. Helpers stand before the first function that is asked for."""
    from coursework import similarity

    names = {question.replace("-", "_"): question for question in similarity.questions(ASSIGNMENT)}
    body = ast.parse(style).body
    helpers = [ast.unparse(one) for one in body if getattr(one, "name", "") not in names]
    answers = {names[one.name]: ast.unparse(one) for one in body if getattr(one, "name", "") in names}
    first = next(iter(names.values()))
    return answers | {first: "\n\n".join([*helpers, answers[first]])}


def renamed(code: str) -> str:
    """The code with other names for all arguments and variables."""
    tree = ast.parse(code)
    mine = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)} - {"axis"}
    mine |= {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for one in ast.walk(tree):
        for field in ("id", "arg"):
            if getattr(one, field, None) in mine:
                setattr(one, field, f"my_{getattr(one, field)}")
    return ast.unparse(tree)


def notebooks() -> dict[str, str]:
    """Student -> the text of the file that was handed in."""
    from coursework import similarity, sources
    from tutorial_book.exercises import own_code

    styles = STYLES.read_text(encoding="utf-8").split("\n### ")[1:]
    honest = [answers_in(style.partition("\n")[2]) for style in styles]
    solved = sources.solved_notebook(ASSIGNMENT)
    published = {name(cell): cell.source for cell in solved.cells if name(cell) in similarity.questions(ASSIGNMENT)}
    written = {student: code | MISTAKES.get(student, {}) for student, code in zip(STUDENTS, honest)}
    copied = {question: renamed(code) for question, code in published.items()}
    written |= {"max": copied | {"sinusoidal": honest[11]["sinusoidal"]}, "hal": honest[10]}
    files = {}
    for student, answers in written.items():
        notebook = copy.deepcopy(solved)
        given = [cell.source for cell in notebook.cells if name(cell).startswith("given-")]
        names: dict = {}
        exec("\n".join([*given, *answers.values()]), names)
        asked = {own_code.variable(one): drawn(names, one, student) for one in own_code.QUESTIONS if "attention" in one}
        for cell in notebook.cells:
            variable = own_code.variable(name(cell))
            if variable in asked:
                cell.source = f"{variable} = {asked[variable]!r}"
            cell.source = f'ME = "{student}"' if name(cell) == "me" else answers.get(name(cell), cell.source)
        files[student] = nbformat.writes(notebook)
    return files | {"hal": files["hal"][: len(files["hal"]) // 2]}


def name(cell) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def drawn(names: dict, question: str, student: str):
    """What a student's own function gives to the student's question; None where it gives nothing."""
    from tutorial_book.exercises import own_code

    one, arguments = own_code.QUESTIONS[question], own_code.drawn(question, student)[0]
    with contextlib.suppress(Exception):
        return one.answer(arguments, names[one.function](*copy.deepcopy(arguments)))


def reports(students: list[str]) -> dict[str, str]:
    """Report -> its text, where these students' files are graded by the commands that the page names."""
    from coursework.__main__ import main

    said, here = {}, os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        week, results = Path(folder, "week5"), Path(folder, "grading")
        week.mkdir()
        for student, text in notebooks().items():
            number = 100 + ALL.index(student)
            late = "LATE_" * (student in LATE)
            if student in students:
                Path(week, f"{student}_{late}{number}_{number + 400}_{ASSIGNMENT}.ipynb").write_text(text, "utf-8")
        Path(folder, "class.csv").write_text("student\n" + "\n".join(students) + "\n", encoding="utf-8")
        to = ["--assignment", ASSIGNMENT, "--to", str(results)]
        more = ["--roster", str(Path(folder, "class.csv")), "--late", "10%/day,3", "--seed", str(SEED)]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            status = main(["grade", str(week), *to, *more])
        if status:
            raise RuntimeError(f"grading ended with {status}")
        said |= {file: Path(results, file).read_text(encoding="utf-8") for file in FILES}
        for command in ("compare", "oral"):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                main([command, *to])
            said[command] = out.getvalue()
        os.chdir(here)
        return {report: text.replace(f"{folder}/", "") for report, text in said.items()}


def stored() -> dict[str, str]:
    """Report -> its text, as the last run wrote it."""
    return json.loads(TARGET.read_text(encoding="utf-8"))


if __name__ == "__main__":
    TARGET.write_text(json.dumps(reports(ALL), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
