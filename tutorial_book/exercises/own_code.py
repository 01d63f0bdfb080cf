"""Questions about a student's own code, for a talk of five minutes: drawn for each student, and without points.

    ask("own-attention", attention, ME)

prints, once `attention` passes its check, a question about its result for an input that is drawn from the name in ME.
Grading calls the student's own function with that input, so that the teacher has the answer on the sheet.
"""

from __future__ import annotations

import ast
import hashlib
import io
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from tutorial_book.exercises.exercise import EXERCISES, code_of

WHY = "Why, and which line of your code makes it so?"
MOST_VALUE = 300  # characters of a value that is printed
MOST_PARSED = 20_000  # characters of an answer that is parsed for a question about one of its lines


@dataclass(frozen=True)
class Question:
    """A question about one function. draw(rng): its arguments, and the question in words.

    answer(arguments, value): the right answer if the function returned this value.
    """

    function: str
    draw: Callable[[np.random.Generator], tuple[tuple, str]]
    answer: Callable[[tuple, Any], Any]

    @property
    def check(self):
        """The check that the function must pass before this is asked."""
        return f"{self.function.replace('_', '-')}-public"


QUESTIONS: dict[str, Question] = {}


def _about(function, answer=lambda arguments, value: value):
    """Register the decorated function, which draws the inputs of a question about a student's function."""

    def keep(draw):
        QUESTIONS[f"own-{function.replace('_', '-')}"] = Question(function, draw, answer)
        return draw

    return keep


# --- assignment 1 ---------------------------------------------------------------------------------------------------


def _letters(rng, count):
    return "".join(rng.choice([*"aeiklmnorst"], size=count))


@_about("longest_match")
def _a_piece_left_out(rng):
    parts = [_letters(rng, int(rng.integers(2, 4))) for _ in range(3)]
    word, left_out = "".join(parts), f"##{parts[int(rng.integers(1, 3))]}"
    vocab = {parts[0], *(f"##{part}" for part in parts[1:]), *word, *(f"##{letter}" for letter in word)}
    text = f"Take the vocabulary {code_of(vocab)}, and suppose that only {left_out!r} were missing from it.\n"
    return (word, vocab - {left_out}), f"{text}Which pieces would your longest_match give for {word!r}? (a list)"


# --- assignment 2 ---------------------------------------------------------------------------------------------------


def _rounded(rng, *shape):
    return rng.choice([-1, 1], size=shape) * rng.integers(1, 25, size=shape) / 10  # no 0: a row of zeros has no cosine


@_about("attention", lambda arguments, value: int(np.argmax(_array(value[1])[-1])))
def _the_key_that_weighs_most(rng):
    Q, K, V = _rounded(rng, 5, 3), _rounded(rng, 5, 3), _rounded(rng, 5, 2)
    mask = np.arange(5) != np.argmax(K @ Q[-1])  # without the mask, another key is right
    text = "To which key, counted from 0, does the last query give the most weight in your attention,\nwith "
    text = f"{text}Q = {code_of(Q)},\nK = {code_of(K)},\nany V, such as V = K, and a mask whose rows are "
    return (Q, K, V, np.tile(mask, (5, 1))), f"{text}all {code_of(mask.tolist())}? (a whole number)"


# --- assignment 3 ---------------------------------------------------------------------------------------------------


@_about("split_heads", lambda arguments, value: np.argwhere(_array(value) == 0)[0].tolist())
def _where_a_number_goes(rng):
    n_heads, d_k, n = (int(size) for size in rng.permutation([2, 3, 4]))
    X = np.ones((n, n_heads * d_k))
    row, column = int(rng.integers(n)), int(rng.integers(1, n_heads * d_k))
    X[row, column] = 0
    text = f"X has the shape {X.shape}. Where is X[{row}, {column}] in your split_heads(X, {n_heads})?\n"
    return (X, n_heads), f"{text}(a list [head, token, column], each counted from 0)"


# --- assignment 4 ---------------------------------------------------------------------------------------------------


@_about("contrast_cosine")
def _a_pair_fewer(rng):
    first_a, second_a, first_b, second_b = (_rounded(rng, 3, 2) for _ in range(4))
    text = f"With first_a = {code_of(first_a)},\nsecond_a = {code_of(second_a)},\nfirst_b = {code_of(first_b)}\n"
    text = f"{text}and second_b = {code_of(second_b)}: what does your contrast_cosine give, with three decimals,\n"
    return (first_a[:-1], second_a[:-1], first_b, second_b), f"{text}without the last pair of contrast a?"


# --- assignment 5 ---------------------------------------------------------------------------------------------------


@_about("neighbor_purity")
def _a_text_changes_sides(rng):
    X, labels, changed = _rounded(rng, 8, 3), rng.permutation([*"aaaabbbb"]).tolist(), int(rng.integers(8))
    said = f"With X = {code_of(X)}\nand the labels {labels}: if vector {changed}, counted from 0, "
    labels = [("b" if label == "a" else "a") if i == changed else label for i, label in enumerate(labels)]
    return (X, labels), f"{said}had the other label,\nwhat would your neighbor_purity give, with three decimals?"


# --- asked, and answered --------------------------------------------------------------------------------------------


def of(checks):
    """Return the question of an assignment with these checks, or None."""
    return next((name for name, question in QUESTIONS.items() if question.check in checks), None)


def drawn(name, me):
    """Return (arguments, question in words), drawn for a student with this name."""
    digest = hashlib.sha256(f"{name} {' '.join(me.casefold().split())}".encode("utf-8", "surrogatepass")).hexdigest()
    return QUESTIONS[name].draw(np.random.default_rng(int(digest[:16], 16)))


def ask(name, function, me, variant="") -> None:
    """Print the question about a student's function, once it passes its check in a course's variant."""
    if name not in QUESTIONS:  # of a notebook that was handed out before
        print("This question is no longer asked.")
    elif not isinstance(me, str) or not me.strip():
        print("Assign your name to ME first: the question is drawn from it.")
    elif not _passes(QUESTIONS[name].function, function, variant):
        print(f"This question comes once your {QUESTIONS[name].function} passes its check.")
    else:
        print(f"{drawn(name, me)[1]}\n{WHY}")


def _passes(name, function, variant):
    exercise = next(names[name] for names in EXERCISES.values() if name in names).of(variant)
    with redirect_stdout(io.StringIO()):
        return callable(function) and not any(exercise.problem(function, case) for case in exercise.cases)


def name_in(code):
    """Return the name that a cell assigns to ME; empty if it is not written there. The code does not run."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    known = {}
    for one in body:
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
        text = _text(one.value, known) if targets and one.value else None
        text = text and text[:MOST_VALUE]  # names of names could double without end
        known |= {target.id: text for target in targets if isinstance(target, ast.Name)}
    return " ".join((known.get("ME") or "").split())[:200]


def _text(node, known):
    """Return the text of an expression made of texts and of names of texts; None if it is anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.FormattedValue) and node.conversion < 0 and node.format_spec is None:
        return _text(node.value, known)
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) else []
    parts = [_text(part, known) for part in (node.values if isinstance(node, ast.JoinedStr) else sides)]
    return "".join(parts) if parts and None not in parts else None


def answer_of(name, me, made):
    """Return the right answer for a student whose function returned this value, as JSON; None if it is unusable."""
    try:
        return None if made is None else QUESTIONS[name].answer(drawn(name, me)[0], _plain(made))
    except (ValueError, TypeError, IndexError, KeyError):
        return None


def _plain(value):
    """Return the sandbox's result, with arrays as lists."""
    if isinstance(value, dict) and "shape" in value:
        return value["values"]
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _array(value):
    return np.array(value, dtype=float)


def questions(marks):
    """Return the questions to ask a student with these marks: the function's result, and the purpose of a line."""
    said = []
    for name, right in marks.own.items():
        given = repr(right)[:MOST_VALUE]
        said.append(f"{drawn(name, marks.me)[1]}\nIt gives {given}. {WHY}")
        said += [_of_a_line(QUESTIONS[name].function, code, marks.me) for code in marks.answers.values()]
    return list(filter(None, said))


def _of_a_line(function, code, me):
    """Return a question about a line of a function, drawn from the lines that do something; empty if there is none."""
    try:
        body = [one for one in ast.parse(code[:MOST_PARSED]).body if getattr(one, "name", "") == function]
        inside = [one for one in ast.walk(body[0]) if isinstance(one, (ast.Assign, ast.AugAssign, ast.For, ast.If))]
        number = inside[sum(map(ord, me)) % len(inside)].lineno
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError, ZeroDivisionError):  # nested too deep
        return ""
    line = code.split("\n")[number - 1].strip()[:200]
    return f"What is this line of your {function} for, and what would the function return without it?\n    {line}"
