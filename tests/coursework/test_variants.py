"""A variant for each course: other rules in some questions, and nothing that is right by one is right by another."""

import copy
import json
import sys
from collections import Counter
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

sources = pytest.importorskip("coursework.sources")
from coursework import checks, grading, references, worker  # noqa: E402
from coursework.__main__ import main  # noqa: E402
from coursework.references import attention, tokenization  # noqa: E402
from tests.coursework.conftest import QUICK, cell, with_code  # noqa: E402
from tests.coursework.test_attacks import CODE, REST  # noqa: E402
from tutorial_book.exercises.exercise import EXERCISES  # noqa: E402
from tutorial_book.exercises.outcomes import drawn  # noqa: E402

HOMES = {"1-tokenization": "tokenization", "2-attention": "attention"}
VARIED = [*HOMES]
YEARS = ["", "2027", "2028"]
FUNCTIONS = {
    "1-tokenization": {"words", "longest_match", "train_bpe"},
    "2-attention": {"near_attention", "sinusoidal", "shift_matrix", "rotate"},
}
PAIRS = [(name, one, other) for name in VARIED for one in YEARS for other in YEARS if one != other]


def named(assignment, variant):
    return f"{assignment}-{variant}" if variant else assignment


def failed(assignment, functions, seed=1):
    """The hidden checks of an assignment that a module of functions does not pass."""
    lost = set()
    for name, draw in checks.load(assignment).items():
        if name.endswith("-hidden"):
            calls = grading._drawn(assignment, name, draw, seed)
            made = [grading._given_by(getattr(functions, call.name), call) for call in calls]
            lost |= {call.name for call, value in zip(calls, made) if checks.wrong(call, value)}
    return lost


@pytest.mark.parametrize("assignment, one, other", PAIRS)
def test_the_answers_of_one_variant_fail_the_hidden_checks_of_another(assignment, one, other):
    right = references.module(HOMES[assignment], one)
    assert not failed(named(assignment, one), right)
    assert failed(named(assignment, other), right) == FUNCTIONS[assignment]


@pytest.mark.parametrize("home", ["tokenization", "attention"])
def test_two_years_in_a_row_share_no_rule_and_none_has_a_published_one(home):
    rules = [(place, len(options)) for place, options in enumerate(references._rules(home).values())]
    assert all(count >= place + 3 for place, count in rules)
    for year in range(2020, 2060):
        for place, count in rules:
            assert 0 < drawn(str(year), place, count) < count
            assert drawn(str(year), place, count) != drawn(str(year + 1), place, count)
    chosen = Counter(tuple(drawn(f"course{n}", *rule) for rule in rules) for n in range(200))
    assert len(chosen) > 10  # all of its rules at once are seldom those of another course


@pytest.mark.parametrize("assignment", VARIED)
@pytest.mark.parametrize("variant", YEARS)
def test_a_variants_solutions_pass_its_checks_and_no_others(assignment, variant, capsys):
    names = {}
    for one in sources.solved_notebook(named(assignment, variant)).cells:
        if one.cell_type == "code" and "from tutorial_lib" not in one.source:
            exec(one.source, names)
    said = capsys.readouterr().out
    assert "✗" not in said and said.count("All ") == len(EXERCISES[HOMES[assignment]])
    for name in FUNCTIONS[assignment]:
        exercise = EXERCISES[HOMES[assignment]][name]
        assert exercise.check(names[name], variant) and not exercise.check(names[name], "2027" * (variant != "2027"))


@pytest.mark.parametrize("assignment", VARIED)
@pytest.mark.parametrize("variant", [f"course{n}" for n in range(6)])
def test_the_mistakes_of_a_variant_get_their_own_hints(assignment, variant, capsys):
    home = HOMES[assignment]
    for name in FUNCTIONS[assignment]:
        for hint, mistake in references.mistakes(f"{assignment}-{variant}")[name].items():
            assert not EXERCISES[home][name].check(mistake, variant)
            assert hint in capsys.readouterr().out, (name, hint)


@pytest.mark.parametrize("assignment", VARIED)
def test_text_and_solution_of_a_notebook_say_its_rules(assignment):
    for variant in YEARS:
        notebook = sources.solved_notebook(named(assignment, variant))
        made = references.module(HOMES[assignment], variant)
        texts = "\n".join(one.source for one in notebook.cells if one.cell_type == "markdown")
        code = "\n".join(one.source for one in notebook.cells if one.cell_type == "code")
        assert "«" not in texts + code
        for rule in references._rules(HOMES[assignment]).values():
            for constant in rule[0]:
                value = getattr(made, constant)
                assert (value if isinstance(value, str) else str(round(value))) in texts or constant == "POWER"
        assert f', "{variant}")' in code if variant else ', "2' not in code


def test_a_teacher_makes_a_variant_with_one_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("coursework.__main__.ROOT", tmp_path)
    monkeypatch.setitem(sys.modules, "make_notebooks", SimpleNamespace(INSTALL="pass"))
    assert main(["assignments", "--to", str(tmp_path / "to"), "--variant", "20 27"]) == 2
    assert "small letters and digits" in capsys.readouterr().err
    assert main(["assignments", "--to", str(tmp_path / "to"), "--variant", "2027"]) == 0
    assert sorted(path.stem for path in (tmp_path / "to").iterdir()) == [f"{name}-2027" for name in VARIED]
    made = nbformat.read(tmp_path / "to" / "2-attention-2027.ipynb", as_version=4)
    assert made.metadata.coursework.assignment == "2-attention-2027"
    assert cell(made, "rotate-public").source.endswith('check_rotate(rotate, "2027");')
    with pytest.raises(SystemExit):
        main(["grade", str(tmp_path), "--assignment", "6-essay-2027"])
    assert "must be one such as" in capsys.readouterr().err


def test_a_notebook_of_another_variant_is_named_and_left(tmp_path, bubblewrap):
    for student, variant in (("ada", "2027"), ("bob", "2028"), ("eve", "")):
        path = tmp_path / "in" / student / "2-attention.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(sources.solved_notebook(named("2-attention", variant)), path)
    marks = grading.grade_all(tmp_path / "in", tmp_path / "out", "2-attention-2027", seed=1)
    points = {one.student: sum(one.points.values()) for one in marks}
    assert points == {"ada": 36, "bob": 0, "eve": 0}
    told = {one.student: " ".join(one.told) for one in marks}
    assert "the assignment 2-attention-2028, and" in told["bob"] and "the assignment 2-attention, and" in told["eve"]
    assert grading.assignments_in(tmp_path / "out") == ["2-attention-2027"]


# --- what a page of the book shows -----------------------------------------------------------------------------------


def librarys():
    """The functions of the book's library that answer a question of assignments 1 and 2, in the notebook's form."""
    import torch

    from tutorial_lib import positions
    from tutorial_lib import tokenization as tokens

    def train_bpe(counts, n_merges):
        letters = sorted({letter for word in counts for letter in word})
        return tokens.learn_merges(Counter(counts), letters, n_merges, tokens.bpe_score, str.__add__)[1]

    def longest_match(word, vocab):
        return tokens.WordPiece(["[PAD]", "[CLS]", "[SEP]", *sorted(vocab)]).tokenize(word)

    def rotate(X, places):
        halves = np.concatenate([X[..., 0::2], X[..., 1::2]], axis=-1)
        turned = positions.rotary(torch.tensor(halves), positions.Rope().angles(torch.tensor(places), X.shape[-1]))
        return np.stack(np.split(turned.numpy(), 2, axis=-1), axis=-1).reshape(X.shape)

    return {
        "words": lambda text: [word.lower() for word in tokens.words(text)],
        "longest_match": lambda word, vocab: tokens.WordPiece(["[PAD]", "[CLS]", "[SEP]", *sorted(vocab)]).tokenize(
            word
        ),
        "train_bpe": train_bpe,
        "sinusoidal": lambda n, d: positions.sinusoidal(n, d).numpy(),
        "shift_matrix": lambda k, d: positions.shift_matrix(k, d).numpy(),
        "rotate": rotate,
        "near_attention": lambda Q, K, V, slopes, mask=None: attention.attention(Q, K, V, mask),
        "match_from_right": tokenization.longest_match,
        "pack": lambda batch, length, pad_id=0: tokenization.pad(batch, pad_id),
    }


@pytest.mark.parametrize("assignment", VARIED)
def test_most_points_for_code_are_for_what_no_page_shows(assignment):
    shown, new = librarys(), set()
    for name, draw in checks.load(assignment).items():
        for call in grading._drawn(assignment, name, draw, 0) if name.endswith("-hidden") else ():
            try:
                value = json.loads(json.dumps(worker.plain(shown[call.name](*call.arguments))))
            except KeyError:
                continue
            if checks.wrong(call, value):
                new.add(call.name.replace("_", "-"))
    points = sources.points(assignment, marks=("check",))
    worth = sum(points[name] for name in points if name.rpartition("-")[0].removeprefix("own-") in new)
    assert worth >= 0.6 * sum(points.values())
    first = sources.source(assignment).cells[0].source.replace("\n", " ")
    assert f"no page of the book has: {worth} of the {sum(points.values())} points for code" in first


# --- attacks on a course with a variant -------------------------------------------------------------------------------


def renamed(notebook, old, new):
    """Every check's text names another variant."""
    for one in notebook.cells:
        if one.metadata.get("nbgrader", {}).get("grade"):
            one.source = one.source.replace(f', "{old}")', f', "{new}")' if new else ")")
    return notebook


def without_checks(notebook):
    notebook.cells = [one for one in notebook.cells if not one.metadata.get("nbgrader", {}).get("grade")]
    return notebook


def both_named(notebook):
    softmax = cell(notebook, "softmax-public")
    softmax.source = softmax.source.rstrip().removesuffix(");") + ', "2027");'
    return notebook


def other_ids(notebook):
    """The questions whose rules differ have no names that anybody knows."""
    for one in notebook.cells:
        data = one.metadata.get("nbgrader", {})
        if data.get("grade_id", "").startswith(("rotate", "shift", "sinus", "near")):
            data["grade_id"] += "-2028"
    return renamed(notebook, "2028", "2027")


def other_metadata(notebook):
    notebook.metadata["coursework"] = {"assignment": "2-attention-2028", "variant": "2028"}
    notebook.metadata["celltoolbar"] = "2028"
    return notebook


OTHER_YEAR = {  # name -> what is done to a notebook that is solved by 2028's rules
    "renamed checks": lambda notebook: renamed(notebook, "2028", "2027"),
    "no checks": without_checks,
    "both variants named": both_named,
    "other names of cells": other_ids,
}


@pytest.fixture(scope="module")
def attacked(tmp_path_factory, bubblewrap):
    """Who -> marks of 2-attention-2027: other years' answers in many guises, and attacks in two of the questions."""
    folder, name = tmp_path_factory.mktemp("variant"), "2-attention-2027"
    right, other = sources.solved_notebook(name), sources.solved_notebook("2-attention-2028")
    answers = {one.metadata.nbgrader.grade_id: one.source for one in other.cells if "nbgrader" in one.metadata}
    honest = copy.deepcopy(right)
    for one in honest.cells:
        data = one.metadata.get("nbgrader", {})
        if data.get("solution") and not data["grade"]:
            one.source = answers[data["grade_id"]]
    handed_in = {"honest": right, "other rules": honest, "published": sources.solved_notebook("2-attention")}
    handed_in |= {who: change(copy.deepcopy(other)) for who, change in OTHER_YEAR.items()}
    handed_in["other metadata"] = other_metadata(copy.deepcopy(right))
    for attack in ATTACKS:
        handed_in[attack] = with_code(right, "softmax", CODE[attack][0])
        handed_in[f"rotate: {attack}"] = with_code(right, "rotate", CODE[attack][0].replace("softmax", "rotate"))
    students = {f"s{number:02}": who for number, who in enumerate(handed_in)}
    for student, who in students.items():
        (folder / "in" / student).mkdir(parents=True)
        nbformat.write(handed_in[who], folder / "in" / student / "x.ipynb")
    marks = grading.grade_all(folder / "in", folder / "out", name, seed=1, limits=QUICK)
    return {students[one.student]: one for one in marks}


ATTACKS = ["patched numpy", "an array that equals everything", "a mock", "calls the reference", "forged results"]
RULED = ("near-attention", "sinusoidal", "shift-matrix", "rotate")


@pytest.mark.parametrize("who", OTHER_YEAR)
def test_another_years_answers_get_what_they_are_worth_in_whatever_guise(attacked, who):
    by_other_rules, marks = attacked["other rules"].points, attacked[who].points
    points = sources.points("2-attention-2027", marks=("check",))
    assert sum(marks.values()) <= sum(by_other_rules.values())
    assert all(
        marks[name] <= by_other_rules[name] < points[name]
        for name in points
        if name.startswith(RULED) and "hidden" in name
    )
    assert attacked["honest"].points == attacked["other metadata"].points == points and not attacked["published"].points


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_wins_nothing_in_a_variant(attacked, attack):
    points = sources.points("2-attention-2027", marks=("check",))
    assert not any(worth for name, worth in attacked[f"rotate: {attack}"].points.items() if name.startswith("rotate"))
    by_softmax = {name: worth for name, worth in attacked[attack].points.items() if worth}
    assert by_softmax == {name: worth for name, worth in points.items() if name in REST}
