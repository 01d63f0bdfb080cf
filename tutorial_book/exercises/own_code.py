"""Questions about a student's own code: drawn for each student, and answered by what that student's function gives.

    ask("own-attention", attention, ME)

asks, once `attention` passes its check, what it does with an input that is drawn from the name in ME. The grading calls
the student's own function with that input. What it gives there is also what a teacher asks about in person.
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from tutorial_book.exercises.exercise import EXERCISES, code_of, same

NEAR = 1e-3  # an answer with three decimals is right
WHY = "why, and which line of your code makes it so?"


@dataclass(frozen=True)
class Question:
    """A question about one function. draw(rng): its arguments, and the question in words.

    answer(arguments, value): what is right where the function gave this value.
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
    """Say that the decorated function draws the inputs of a question about a student's function."""

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
    text = f"Take the vocabulary {code_of(vocab)}, and suppose that {left_out!r} alone were missing from it.\n"
    return (word, vocab - {left_out}), f"{text}Which pieces would your longest_match give for {word!r}? (a list)"


@_about("train_bpe", lambda arguments, value: value[2])
def _the_third_merge(rng):
    syllables = [_letters(rng, 2) for _ in range(3)]
    words = {tuple("".join(rng.choice(syllables, size=3))): int(rng.integers(2, 9)) for _ in range(4)}
    return (words, 3), f"Which pair does your train_bpe merge third, with the counts {code_of(words)}? (a tuple)"


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


SLOPES = np.array([0, 0.1, 0.3, 1, 3, 50])


@_about("near_attention", lambda arguments, value: _first_to_look_at_itself(_array(value[1])))
def _the_slope_that_is_steep_enough(rng):
    Q, K = _rounded(rng, 4, 3), _rounded(rng, 4, 3)
    text = f"Which is the smallest of the slopes {code_of(SLOPES)} at which, in your near_attention,\nthe first "
    text = f"{text}query's largest weight is on its own key, with Q = {code_of(Q)},\nK = {code_of(K)},\nany V, such as "
    text = f"{text}V = K, and no mask? (Write the slope; Q, K and V are the same in all heads.)"
    heads = len(SLOPES), 1, 1
    return (np.tile(Q, heads), np.tile(K, heads), np.tile(_rounded(rng, 4, 2), heads), SLOPES), text


def _first_to_look_at_itself(weights):
    return float(SLOPES[np.argmax(weights[:, 0].argmax(axis=-1) == 0)])


# --- assignment 3 ---------------------------------------------------------------------------------------------------


@_about("layer_norm", lambda arguments, value: int(np.argmax(_array(value)[0])))
def _the_largest_coordinate(rng):
    X, gamma, beta = _rounded(rng, 1, 5), _rounded(rng, 5), _rounded(rng, 5)
    text = f"Which coordinate, counted from 0, is the largest in what your layer_norm makes of x = {code_of(X[0])},\n"
    return (X, gamma, beta), f"{text}with gamma = {code_of(gamma)} and beta = {code_of(beta)}? (a whole number)"


@_about("split_heads", lambda arguments, value: np.argwhere(_array(value) == 0)[0].tolist())
def _where_a_number_goes(rng):
    n_heads, d_k, n = (int(size) for size in rng.permutation([2, 3, 4]))
    X = np.ones((n, n_heads * d_k))
    row, column = int(rng.integers(n)), int(rng.integers(1, n_heads * d_k))
    X[row, column] = 0
    text = f"X has the shape {X.shape}. Where does X[{row}, {column}] stand in your split_heads(X, {n_heads})?\n"
    return (X, n_heads), f"{text}(a list [head, token, place], each counted from 0)"


# --- assignment 4 ---------------------------------------------------------------------------------------------------


@_about("without_loudest")
def _a_row_left_out(rng):
    X, row = _rounded(rng, 5, 3), int(rng.integers(5))
    text = f"What does your without_loudest give, with three decimals, for X = {code_of(X)}\n"
    return (np.delete(X, row, axis=0),), f"{text}without row {row}, counted from 0?"


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


@_about("purity_p")
def _a_permutation_fewer(rng):
    X, orders = _rounded(rng, 8, 3), [rng.permutation(8).tolist() for _ in range(8)]
    score = X[:, 0] + rng.normal(size=8)  # a little purer than chance: a p of 1 would be 1 without the first order, too
    labels = np.where(score > np.median(score), "a", "b").tolist()
    text = f"With X = {code_of(X)},\nthe labels {labels}\nand the permutations {orders}:\nwhat would your purity_p "
    return (X, labels, orders[1:]), f"{text}give, with three decimals, without the first permutation?"


# --- asked, and answered --------------------------------------------------------------------------------------------


def asked(checks):
    """Question -> its check, of those that an assignment with these checks asks."""
    return {name: f"{name}-hidden" for name in QUESTIONS if f"{name}-hidden" in checks}


def variable(name):
    """What a student's answer is called: OWN_ATTENTION of "own-attention"."""
    return name.upper().replace("-", "_")


def drawn(name, me):
    """(arguments, question in words) that are drawn for who has this name."""
    digest = hashlib.sha256(f"{name} {' '.join(me.casefold().split())}".encode("utf-8", "surrogatepass")).hexdigest()
    return QUESTIONS[name].draw(np.random.default_rng(int(digest[:16], 16)))


def ask(name, function, me, variant="") -> None:
    """Ask the question of this name about a student's function, once it passes its check in a course's variant."""
    if not isinstance(me, str) or not me.strip():
        print("Write your name into ME first: the question is drawn from it.")
    elif not _passes(QUESTIONS[name].function, function, variant):
        print(f"This question comes when your {QUESTIONS[name].function} passes its check.")
    else:
        print(f"{drawn(name, me)[1]}\nWrite your answer into {variable(name)}.")


def _passes(name, function, variant):
    exercise = next(names[name] for names in EXERCISES.values() if name in names).of(variant)
    with redirect_stdout(io.StringIO()):
        return callable(function) and not any(exercise.problem(function, case) for case in exercise.cases)


def namesakes(all_marks):
    """Sentences on students who wrote the same name into ME, and so were asked the same."""
    people = {}
    for marks in all_marks:
        people.setdefault(" ".join(marks.me.casefold().split()), []).append(marks.student)
    same = [students for name, students in people.items() if name and len(students) > 1]
    return [f"{', '.join(one)} have the same name in ME, so the same questions about their own code." for one in same]


def name_in(code):
    """The name that a student wrote into ME; empty where there is none. The code does not run."""
    names = re.findall(r"""^ME *= *(["'])((?:(?!\1).){1,200})\1""", code, re.M)
    return names[-1][1] if names else ""


def verdict(name, me, passes, made, given):
    """(what is wrong with an answer, in a sentence, or None; the answer that is right, or None where there is none).

    passes: whether the function passes its check. made, given: what it gave, and the student's answer, as values that
    JSON carries; None where there is none.
    """
    if not me:
        return "ME is empty: this question is drawn from your name", None
    function = QUESTIONS[name].function
    if not passes:
        return f"your {function} does not pass its check: this question counts once it does", None
    if made is None:
        return f"your {function} gave nothing for the input of this question", None
    try:
        right = QUESTIONS[name].answer(drawn(name, me)[0], _plain(made))
    except (ValueError, TypeError, IndexError, KeyError):
        return f"your {function} gave something else than it should", None
    if given is None:
        return f"there is no answer in {variable(name)}", right
    return None if same(_plain(given), right, NEAR) else f"{variable(name)} is not what your {function} gives", right


def _plain(value):
    """What came out of the sandbox, with arrays as lists."""
    if isinstance(value, dict) and "shape" in value:
        return value["values"]
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _array(value):
    return np.array(value, dtype=float)


# --- asked in person ------------------------------------------------------------------------------------------------


def oral(title, all_marks):
    """Questions of five minutes about each student's own code, with what that student's function gives, in Markdown."""
    lines = [f"# {title}: five minutes with each", ""]
    for marks in all_marks:
        said = [f"{drawn(name, marks.me)[1]}\n   It gives {right!r}: {WHY}" for name, right in marks.own.items()]
        functions = [QUESTIONS[name].function for name in marks.own]
        said += [_of_a_line(one, code, marks.me) for one in functions for code in marks.answers.values()]
        lines += [f"## {marks.student}, drawn from the name {marks.me}", ""] * bool(said)
        lines += [f"{number}. {one}\n" for number, one in enumerate(filter(None, said), 1)]
    return "\n".join(lines)


def _of_a_line(function, code, me):
    """A question about a line of a function, drawn from the lines that do something; empty where it is not there."""
    try:
        body = [one for one in ast.parse(code).body if getattr(one, "name", "") == function]
        inside = [one for one in ast.walk(body[0]) if isinstance(one, (ast.Assign, ast.AugAssign, ast.For, ast.If))]
        number = inside[sum(map(ord, me)) % len(inside)].lineno
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError, ZeroDivisionError):  # nested too deep
        return ""
    line = code.split("\n")[number - 1].strip()[:200]
    return f"What is this line of your {function} for, and what would come out without it?\n       {line}"
