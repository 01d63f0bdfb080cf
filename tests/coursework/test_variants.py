"""A variant for each course: other rules in some questions, and nothing that is right by one is right by another."""

import functools
import itertools
import sys
from collections import Counter
from types import SimpleNamespace

import nbformat
import pytest

from coursework import comparison, references, sources
from coursework.__main__ import main
from tests.coursework.conftest import cell, solved_notebook
from tests.coursework.test_hints import verdicts
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
    for other in map(functools.partial(named, assignment), YEARS):
        found = verdicts(other, solved=named(assignment, variant), kinds="-hidden").values()
        hints = {verdict.call.name: verdict.hint for verdict in found if verdict.call}
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
def test_a_variants_notebook_states_its_rules_and_passes_only_its_checks(assignment, variant, capsys):
    notebook, made, names = solved_notebook(named(assignment, variant)), references.of(named(assignment, variant)), {}
    texts = "\n".join(one.source for one in notebook.cells if one.cell_type == "markdown")
    code = "\n".join(one.source for one in notebook.cells if one.cell_type == "code")
    assert "«" not in texts + code
    for constant in (constant for rule in sources.rules(assignment).values() for constant in rule[0]):
        value = getattr(made, constant)
        assert (value if isinstance(value, str) else str(round(value))) in texts or constant == "POWER"
    assert f', "{variant}")' in code if variant else ', "2' not in code
    for one in notebook.cells:
        if one.cell_type == "code" and "from tutorial_lib" not in one.source:
            exec(one.source, names)
    said = capsys.readouterr().out
    assert "✗" not in said and said.count("All ") == len(EXERCISES[HOMES[assignment]])
    for name in FUNCTIONS[assignment]:
        exercise = EXERCISES[HOMES[assignment]][name]
        assert exercise.check(names[name], variant) and not exercise.check(names[name], "2027" * (variant != "2027"))


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
    for name in ("2-attention-2027", "3-bert-layer-b"):  # with and without its own rules: it is a gradebook's heading
        original, variant = sources.split(name)
        assert sources.title(name) == f"{sources.title(original)}, {variant}"
    with pytest.raises(SystemExit):
        main(["grade", str(tmp_path), "--assignment", "6-essay-2027"])
    assert "must be one such as" in capsys.readouterr().err
