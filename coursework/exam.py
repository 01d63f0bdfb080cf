"""The exam: calls on inputs that the course's seed decides, and one about each student's own code."""

import hashlib
import pickle
from typing import NamedTuple

import numpy as np

from coursework import checks, comparison, processes, references, sources
from tutorial_book.exercises import own_code

DRAWS = 200  # of the inputs of a check, until each usual mistake fails: one in two does, where it is hard
MOST_OWN = 20_000  # bytes of a value that a question about the student's own code is about


class Exam(NamedTuple):
    by_check: dict[str, list[checks.Call]]
    calls: list[dict]  # the same for the worker


def prepare(assignment, seed):
    """The exam with inputs drawn from a seed. Raises ValueError if notebook.md and checks.py do not fit."""
    loaded, wanted = checks.load(assignment), sources.points(assignment, marks=("check",))
    if wanted.keys() != loaded.keys():
        odd = ", ".join(sorted(wanted.keys() ^ loaded.keys()))
        raise ValueError(f"assignment {assignment}: notebook.md and checks.py must have the same checks, but not {odd}")
    exam = Exam({}, [])
    for name in wanted:
        exam.by_check[name] = calls = drawn(assignment, name, loaded[name], seed)
        for i, call in enumerate(calls):
            exam.calls.append(_for_the_worker(f"{name}.{i}", name, call.name, call.arguments, call.most))
    return exam


def prepare_apart(assignment, seed):
    """Run `prepare` in a separate process, which frees the memory of the models when it ends."""
    checks.load(assignment)  # what comes back names functions of this
    try:
        return processes.judged(prepare, assignment, seed)
    finally:
        processes.end_judges()


def of_student(submission, exam):
    """The calls, with that for the question about the student's own code, called by the question's name."""
    name = own_code.of(sources.points(submission.assignment))
    if not name:
        return exam.calls
    arguments, function = own_code.drawn(name, submission.me)[0], own_code.QUESTIONS[name].function
    return [*exam.calls, _for_the_worker(name, name, function, arguments, MOST_OWN)]


def drawn(assignment, name, check, seed):
    """The calls of a check; those of a hidden one are drawn until each usual mistake in a function fails in some."""
    number = int(hashlib.sha256(f"{assignment} {name}".encode()).hexdigest()[:8], 16)
    for draw in range(DRAWS):
        calls = list(check(np.random.default_rng([seed, number, draw])))
        unseen = unseen_mistake(assignment, calls) if name.endswith("-hidden") else None
        if unseen is None:
            return calls
    raise ValueError(f"assignment {assignment}: {name} takes this mistake for right in each of {DRAWS} draws: {unseen}")


def unseen_mistake(assignment, calls):
    """The hint of a usual mistake that all calls of its function take for right; None if each is seen."""
    for name, mistakes in references.mistakes(assignment).items():
        mine = [call for call in calls if call.name == name]
        for hint, mistake in mistakes.items() if mine else ():
            if not any(comparison.wrong(call, comparison.given_by(mistake, call)) for call in mine):
                return hint
    return None


def _for_the_worker(id, part, name, arguments, most):
    given = None if arguments is None else pickle.dumps(arguments)
    return {"id": id, "part": part, "name": name, "arguments": given, "most": most}
