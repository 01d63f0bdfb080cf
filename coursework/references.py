"""The right answers, which are the solutions in the assignments' notebooks, and the usual mistakes in each.

`assignments/NAME/mistakes.txt` lists the mistakes as edits of the solutions. Students install files with the outcomes
of both, which `text` makes.
"""

import json
import linecache
from collections.abc import Callable
from functools import cache
from types import ModuleType

from coursework import sources
from coursework.mistakes import mistakes as read_mistakes
from tutorial_book.exercises.exercise import EXERCISES, Exercise, outcome, same
from tutorial_book.exercises.outcomes import FOLDER, Outcomes, written

# Module of exercises -> assignment: "attention" -> "2-attention".
HOMES = {name.partition("-")[2].replace("-", "_"): name for name in sources.names()}


@cache
def of(assignment: str, **constants) -> ModuleType:
    """Return a module with the right functions of an assignment: by its variant's rules, or with other constants."""
    name, constants = sources.split(assignment)[0], {**sources.constants(assignment), **constants}
    made, code, file = ModuleType(name), sources.solutions(name, constants), f"<solutions of {name}, {constants}>"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file  # for inspect.getsource
    vars(made).update(constants)
    exec(compile(code, file, "exec"), vars(made))
    return made


@cache
def mistakes(assignment: str, **constants) -> dict[str, dict[str, Callable]]:
    """Return function -> its usual mistakes, hint -> function, in the functions that `of` makes of the same."""
    made = of(assignment, **constants)
    path = sources.ASSIGNMENTS / made.__name__ / "mistakes.txt"
    parts = (part.partition("\n") for part in path.read_text(encoding="utf-8").split("\n== ")[1:])
    return {name: read_mistakes(getattr(made, name), sources.filled(table, vars(made))) for name, _, table in parts}


def by_other_rules(assignment: str, name: str) -> list[Callable]:
    """Return the right function by each other option of its rule: it answers another variant's question."""
    own = sources.constants(assignment).items()
    options = (one for names, one in sources.rules(sources.split(assignment)[0]).items() if name in names)
    return [getattr(of(assignment, **one), name) for one in next(options, []) if not one.items() <= own]


def asked(question: Callable, assignment: str, names: list[str], *given):
    """Return what a function gives for these values and right functions, which cannot be sent to another process."""
    return question(*given, *(getattr(of(assignment), name) for name in names))


def computed(exercise: Exercise, function: Callable, mistakes: dict[str, Callable]) -> Outcomes:
    made = {hint: [outcome(mistake, case) for case in exercise.cases] for hint, mistake in mistakes.items()}
    return Outcomes([outcome(function, case) for case in exercise.cases], made)


def text(home: str) -> str:
    """Return the file of an assignment's outcomes, by each rule, for students to install."""
    assignment, outcomes = HOMES[home], {}
    rules = sources.rules(assignment)
    for name, exercise in EXERCISES[home].items():
        place, options = next(((i, one) for i, (names, one) in enumerate(rules.items()) if name in names), (0, [{}]))
        pairs = ((getattr(of(assignment, **one), name), mistakes(assignment, **one)[name]) for one in options)
        outcomes[name] = place, [computed(exercise, *pair) for pair in pairs]
    return written(outcomes)


def out_of_step(fix: bool = False) -> list[str]:
    """Return the names of such files that differ from `text` in more than last digits; or write them again."""
    stale = []
    for path, current in ((FOLDER / f"{home}.json", text(home)) for home in HOMES):
        if not path.is_file() or not same(json.loads(path.read_text("utf-8")), json.loads(current), 1e-6):
            stale.append(path.name)
            if fix:
                path.write_text(current, encoding="utf-8")
    return [] if fix else stale
