"""Answers as students write them: what their own check tells, and whether the checks of the grading give points."""

import functools
import math
import re
from pathlib import Path

import numpy as np
import pytest

from coursework import checks, comparison, references, sources
from tests.coursework.test_exercises import EXERCISES, attention, in_a_cell
from tutorial_book.exercises import exercise as exercises

TEXT = Path(__file__).with_name("answers.txt").read_text(encoding="utf-8")
ANSWERS = re.findall(r"^### (\w+): (.*)\n((?:(?!###).*\n?)+)", TEXT, re.M)
BY_NAME = {exercise.name: exercise for exercise in EXERCISES}


@functools.cache
def calls_of(kind):
    """Function -> what the public or the hidden checks of the grading ask it, on inputs of three seeds."""
    found = {}
    for assignment in sources.names():
        for check, draw in checks.load(assignment).items():
            calls = [call for seed in range(3) for call in draw(np.random.default_rng(seed))] if kind in check else []
            for call in calls:
                found.setdefault(call.name, []).append(call)
    return found


def passes(function, name):
    calls = calls_of("hidden")[name]
    return all(comparison.wrong(call, comparison.given_by(function, call)) is None for call in calls)


@pytest.mark.parametrize("name, told, source", ANSWERS, ids=[f"{name}: {told[:40]}" for name, told, _ in ANSWERS])
def test_an_answer_is_told_and_graded_rightly(name, told, source, capsys, monkeypatch):
    endless = told == "still running after"
    if endless:
        monkeypatch.setattr(exercises, "SECONDS", 0.3)
    known = {"math": math, **vars(attention), **vars(references.of(references.HOMES[BY_NAME[name].home]))}
    student = in_a_cell(source, name, **known)
    right_here = BY_NAME[name].check(student)
    said = capsys.readouterr().out
    assert right_here == (told == "right"), said
    assert told in said or told in ("right", "-")
    assert ("which it uses" in said) == ("which it uses" in told)
    if told == "-" or "which it uses" in told:
        assert "Hint" not in said
    if not endless and told not in ("changes its inputs", "stopped with SystemExit"):  # grading copies, or stops them
        assert passes(student, name) == right_here


@pytest.mark.parametrize("check", [name for name in checks.load("1-tokenization") if not name.endswith("-bert")])
def test_no_constant_is_right_for_every_call(check):
    for seed in range(10):
        expected = [repr(call.expected) for call in checks.load("1-tokenization")[check](np.random.default_rng(seed))]
        assert len(expected) == 1 or len(set(expected)) > 1
