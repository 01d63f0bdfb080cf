"""A variant for each course: other rules in some questions, and nothing that is right by one is right by another."""

import functools
import itertools
import sys
from collections import Counter
from types import SimpleNamespace

import nbformat
import pytest

from coursework import checks, comparison, exam, references, runs, sources, submissions
from coursework.__main__ import main
from tests.coursework.conftest import cell, solved_notebook
from tutorial_book.exercises.exercise import EXERCISES
from tutorial_book.exercises.outcomes import drawn

HOMES = {assignment: home for home, assignment in references.HOMES.items() if sources.rules(assignment)}
YEARS = ["", "2027", "2028"]
FUNCTIONS = {assignment: {*itertools.chain(*sources.rules(assignment))} for assignment in HOMES}
each_varied = pytest.mark.parametrize("assignment", HOMES)
each_year = pytest.mark.parametrize("variant", YEARS)


def named(assignment, variant):
    return f"{assignment}-{variant}" if variant else assignment


@each_varied
@each_year
def test_answers_of_one_variant_fail_in_another(assignment, variant):
    """And the student learns that they follow the rule of another notebook."""
    right = references.of(named(assignment, variant))
    for other in map(functools.partial(named, assignment), YEARS):
        hidden = {name: draw for name, draw in checks.load(other).items() if name.endswith("-hidden")}
        by_check = {name: exam.drawn(other, name, draw, 1) for name, draw in hidden.items()}
        calls = {f"{name}.{i}": call for name, calls in by_check.items() for i, call in enumerate(calls)}
        made = {id: comparison.given_by(getattr(right, call.name), call) for id, call in calls.items()}
        records = {id: {"value": value, "error": None} for id, value in made.items()}
        work = runs.Work(submissions.Submission("ada", other), exam.Exam(by_check, []), records, None)
        verdicts = comparison.compare(work).verdicts.values()
        hints = {verdict.call.name: verdict.hint for verdict in verdicts if verdict.call}
        differs = other != named(assignment, variant)  # sometimes by so much as a usual mistake does
        assert hints.keys() == (FUNCTIONS[assignment] if differs else set()) and all(hints.values())
        assert (comparison.ANOTHER_RULE in hints.values()) == differs


@each_varied
def test_two_years_in_a_row_share_no_rule(assignment):
    rules = [(place, len(options)) for place, options in enumerate(sources.rules(assignment).values())]
    assert all(count >= place + 3 for place, count in rules)
    for year in range(2020, 2060):
        for place, count in rules:
            assert 0 < drawn(str(year), place, count) < count  # 0 is the published one
            assert drawn(str(year), place, count) != drawn(str(year + 1), place, count)
    chosen = Counter(tuple(drawn(f"course{n}", *rule) for rule in rules) for n in range(200))
    assert len(chosen) > 10  # all of its rules at once are seldom those of another course


@each_varied
@each_year
def test_solutions_pass_only_their_own_variants_checks(assignment, variant, capsys):
    names = {}
    for one in solved_notebook(named(assignment, variant)).cells:
        if one.cell_type == "code" and "from tutorial_lib" not in one.source:
            exec(one.source, names)
    said = capsys.readouterr().out
    assert "✗" not in said and said.count("All ") == len(EXERCISES[HOMES[assignment]])
    for name in FUNCTIONS[assignment]:
        exercise = EXERCISES[HOMES[assignment]][name]
        assert exercise.check(names[name], variant) and not exercise.check(names[name], "2027" * (variant != "2027"))


def test_each_variant_has_a_title_of_its_own():
    """Also where a variant has no rules of its own: its title is the heading of a column in a gradebook."""
    assert sources.title("2-attention-2027") == f"{sources.title('2-attention')}, 2027"
    assert sources.title("3-bert-layer-b") == f"{sources.title('3-bert-layer')}, b"


@each_varied
@each_year
def test_notebook_states_the_rules_of_its_variant(assignment, variant):
    notebook = solved_notebook(named(assignment, variant))
    made = references.of(named(assignment, variant))
    texts = "\n".join(one.source for one in notebook.cells if one.cell_type == "markdown")
    code = "\n".join(one.source for one in notebook.cells if one.cell_type == "code")
    assert "«" not in texts + code
    for rule in sources.rules(assignment).values():
        for constant in rule[0]:
            value = getattr(made, constant)
            assert (value if isinstance(value, str) else str(round(value))) in texts or constant == "POWER"
    assert f', "{variant}")' in code if variant else ', "2' not in code


def test_a_teacher_makes_a_variant_with_one_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(references, "out_of_step", lambda fix: [])
    monkeypatch.setitem(sys.modules, "website.notebooks.convert", SimpleNamespace(INSTALL="pass"))
    assert main(["assignments", "--to", str(tmp_path / "to"), "--variant", "20 27"]) == 2
    assert "lowercase letters and digits" in capsys.readouterr().err
    assert main(["assignments", "--to", str(tmp_path / "to"), "--variant", "2027"]) == 0
    made = sorted(path.name for path in (tmp_path / "to").iterdir())
    assert made == [f"{name}-2027.{kind}" for name in HOMES for kind in ("ipynb", "zip")]
    made = nbformat.read(tmp_path / "to" / "2-attention-2027.ipynb", as_version=4)
    assert made.metadata.coursework.assignment == "2-attention-2027"
    assert cell(made, "rotate-public").source.endswith('check_rotate(rotate, "2027");')
    with pytest.raises(SystemExit):
        main(["grade", str(tmp_path), "--assignment", "6-essay-2027"])
    assert "must be one such as" in capsys.readouterr().err
