"""Copies are reported, and no two honest answers: six to twelve styles, written by one hand, and copies of each."""

import ast
import copy
import csv
import functools
import random
import re
from itertools import combinations
from pathlib import Path

import pytest

from coursework import checks, comparison, exam, processes, results, similarity, sources
from coursework.__main__ import main
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, blocks
from tutorial_book.exercises.project import collection_problem

OURS = (similarity.PUBLISHED, similarity.BOOK)
SETS = [path.stem.removeprefix("honest-") for path in sorted(Path(__file__).parent.glob("honest-*.txt"))]
SLOWLY = [pytest.param(name, marks=[pytest.mark.long] * (name != ASSIGNMENT)) for name in SETS]  # most of a minute


def _names(node, how):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, how)}


def binds(statement):
    return similarity.bound_in([statement] if hasattr(statement, "name") else [*ast.walk(statement)])


released = functools.cache(similarity.code_of)


@functools.cache
def asked(assignment):
    """Question -> the names that its cell must bind."""
    code = {question: released(assignment)[question] for question in similarity.questions(assignment)}
    return {question: set().union(*map(binds, ast.parse(text).body)) for question, text in code.items()}


def split(code, assignment=ASSIGNMENT):
    """(question -> the code of its cell, with the constants above it; [helpers and classes]) of a student's code."""
    questions = asked(assignment) | {None: {"TEXTS", "LABELS"}}
    own, extra, above = {question: [] for question in questions}, [], []
    for one in ast.parse(code).body:
        question = next((question for question, names in questions.items() if names & binds(one)), "")
        if question != "":
            own[question] += [*above, ast.unparse(one)]
            above = []
        elif isinstance(one, (ast.Assign, ast.AugAssign)):
            above.append(ast.unparse(one))
        else:
            extra.append(ast.unparse(one))
    return {question: "\n".join(own[question]) for question in asked(assignment)}, extra + above


ALL = {name: {style: split(code, name) for style, code in blocks(f"honest-{name}.txt").items()} for name in SETS}
HONEST = ALL[ASSIGNMENT]


def renamed(assignment, answers, extra, rng):
    """Other names for all that the code binds; docstrings and comments are lost, and numbers changed."""
    tree = ast.parse("\n".join([*answers.values(), *extra]))
    nodes = list(ast.walk(tree))
    arguments = {one.arg for one in nodes if isinstance(one, ast.arg)}
    own = {one.name for one in nodes if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    members = [binds(one) for node in nodes if isinstance(node, ast.ClassDef) for one in node.body]
    stored = {one.attr for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)}
    kept = {"__init__", "np"}.union(*asked(assignment).values())
    bound = (_names(tree, ast.Store) | arguments | own | stored) - kept
    other = {name: f"{rng.choice('abcdefg')}{number}_{rng.randrange(99)}" for number, name in enumerate(sorted(bound))}
    which = {"id": bound, "name": bound, "attr": stored.union(*members)}  # an array's method stays
    for one in nodes:
        for field in ("id", "arg", "name", "attr"):
            name = getattr(one, field, None)
            if name in which.get(field, arguments) and name in other:
                setattr(one, field, other[name])
        if isinstance(one, ast.Constant) and isinstance(one.value, float):
            one.value += 1
    return split(ast.unparse(tree), assignment)


def reordered(assignment, answers, extra, rng):
    """Assignments next to each other that do not need each other exchanged."""
    tree = ast.parse("\n".join([*answers.values(), *extra]))
    names = functools.cache(_names)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for _ in range(30 if isinstance(body, list) and len(body) > 1 else 0):
            place = rng.randrange(len(body) - 1)
            one, other = body[place : place + 2]
            simple = isinstance(one, ast.Assign) and isinstance(other, ast.Assign)
            needed = names(one, ast.Store) & names(other, (ast.Load, ast.Store))
            if simple and not needed | names(other, ast.Store) & names(one, ast.Load):
                body[place : place + 2] = other, one
    return split(ast.unparse(tree), assignment)


def one_rewritten(assignment, answers, extra, rng):
    """The copier's own function: an honest one, whose author is left out of the class."""
    question = rng.choice(list(asked(assignment)))
    own, more = ALL[assignment][lender(assignment, answers)]
    return {**answers, question: own[question]}, [*extra, *more]


def lender(assignment, answers):
    """The honest style that a copier of these answers has a function of."""
    styles = [style for style, code in ALL[assignment].items() if code[0] != answers]
    return styles[sum(map(len, answers.values())) % len(styles)]


def padded(assignment, answers, extra, rng):
    """Code around the copy that does nothing, twice as long."""
    dead = "\n    spare = sorted([len(str(k)) ** 2 for k in range(9) if k % 4])\n    other = spare[::2] or {1: spare}\n"
    return {name: re.sub(r"(?m)^(def .*:)$", rf"\1{dead}", code) for name, code in answers.items()}, extra


def all_at_once(assignment, answers, extra, rng):
    for way in (one_rewritten, renamed, reordered):
        answers, extra = way(assignment, answers, extra, rng)
    return answers, extra


WAYS = {"as it is": lambda assignment, answers, extra, rng: (answers, extra)}
WAYS |= {"renamed": renamed, "reordered": reordered, "one function rewritten": one_rewritten}
WAYS |= {"padded": padded, "all at once": all_at_once}

READ = {name: functools.cache(getattr(similarity, name)) for name in ("ours", "questions", "functions")}


@functools.cache
def read_once(assignment, answers, extra):
    return similarity.of(dict(answers), extra, [], READ["functions"](assignment), {"np", "math"})


def pairs_of(people, assignment=ASSIGNMENT):
    """{one, other} -> likeness, of code that was read here already or is read here and now; few functions are alike."""
    with pytest.MonkeyPatch.context() as patch:
        for name, function in READ.items():
            patch.setattr(similarity, name, lambda of, function=function: copy.deepcopy(function(of)))
        read = [(read_once(assignment, (*one[0].items(),), (*one[1],)), None) for one in people.values()]
        patch.setattr(processes, "each", lambda *_: read)
        rows, unread = similarity.compared(people, assignment)
    assert not [one for one in unread if "UNKNOWN" not in one]  # a function that was lent without its constant
    honest = [n for n, row in zip(similarity.alike(rows), rows) if not any("copier" in name for name in row[2:4])]
    assert max(honest) < similarity.MANY
    return {frozenset((one, other)): likeness for likeness, _, one, other, _ in rows}


LEFT = {"collection-public", "report-public"}  # these call nothing
LEFT |= {"attention-bert", "bert-layer-bert", "shape-bert", "bias-bert"}  # seconds: run by hand, all were right


@pytest.mark.parametrize("assignment", SLOWLY)
def test_the_honest_answers_are_right(assignment):
    """By the checks that give the marks, the hidden ones too."""
    draws = {name: draw for name, draw in checks.load(assignment).items() if name not in LEFT}
    calls = [call for name, draw in draws.items() for call in exam.drawn(assignment, name, draw, 1)]
    given = [text for name, text in released(assignment).items() if str(name).startswith("given-")]
    for style, code in blocks(f"honest-{assignment}.txt").items():
        names = {}
        exec(compile("\n".join([*given, code]), style, "exec"), names)
        for call in calls:
            assert comparison.wrong(call, comparison.given_by(names[call.name], call)) is None, (style, call.name)
        if assignment == "5-project":
            assert collection_problem(names["TEXTS"], names["LABELS"]) is None


@pytest.mark.parametrize("assignment", SETS)
def test_no_two_honest_answers_are_told(assignment):
    """Nor one with ours; nor in a class of two, if nothing is rare."""
    people, (least, usual) = ALL[assignment], similarity.told_from(assignment)
    found = pairs_of(people, assignment)
    assert len(found) == len(list(combinations([*people, *OURS], 2))) - 1  # without ours with ours
    assert round(max(found.values()), 2) == usual < least - 0.14
    for one, other in combinations(people, 2):
        assert max(pairs_of({one: people[one], other: people[other]}, assignment).values()) < usual + 0.02 < least


def copies_of(source, way, assignment):
    """Return (the similarity of three copiers to their source, the other pairs in the class's table)."""
    people, rng = ALL[assignment], random.Random(f"{way} {source}")
    code = similarity.code_of(assignment, solved=True)
    ours = {question: code[question] for question in asked(assignment)}, []
    whole = ours if source == similarity.PUBLISHED else people[source]
    copies = {f"copier {number}": WAYS[way](assignment, *whole, rng) for number in range(3)}
    others = {style: code for style, code in people.items() if style != lender(assignment, whole[0])}
    likeness = pairs_of({**others, **copies}, assignment)
    involved = {source, *copies, *(OURS if source in OURS else ())}
    told = [pair for pair, number in likeness.items() if number >= similarity.told_from(assignment)[0]]
    return [likeness[frozenset((one, source))] for one in copies], [pair for pair in told if not pair <= involved]


REWRITTEN = {"one function rewritten", "all at once"}
THREE = "5-project"  # functions: who rewrote one of them rewrote a third, and is not told


@pytest.mark.parametrize("assignment", SLOWLY)
def test_copies_are_told_and_nobody_else(assignment):
    """Of each of the honest ones, and of the published solution. The lowest numbers are those of the teachers' page."""
    lowest = {True: 1.0, False: 1.0}
    least, _ = similarity.told_from(assignment)
    for source in [similarity.PUBLISHED, *ALL[assignment]]:
        for way in WAYS:
            likeness, others = copies_of(source, way, assignment)
            assert min(likeness) >= least + 0.05 or assignment == THREE and way in REWRITTEN, (source, way, likeness)
            assert not others, (source, way)
            lowest[way in REWRITTEN] = min(lowest[way in REWRITTEN], *likeness)
    measured = {name: row for name, *row in (line.split("\t") for line in similarity.MEASURED)}
    assert measured[assignment][0] == str(len(ALL[assignment]))
    assert measured[assignment][2:] == [f"{lowest[False]:.2f}", f"{lowest[True]:.2f}"]


def test_a_copy_of_the_book_is_told():
    texts = [(results.ROOT / "tutorial_lib" / name).read_text("utf-8") for name in ("attention.py", "positions.py")]
    names = set().union(*asked(ASSIGNMENT).values())
    book = [one for text in texts for one in ast.parse(text).body if binds(one) & names]
    rows, _ = similarity.compared({"eve": (*split("\n".join(map(ast.unparse, book))), [])}, ASSIGNMENT)
    assert [likeness > 0.95 for likeness, _, _, other, _ in rows if other == similarity.BOOK] == [True]


@pytest.mark.parametrize("answers, most", [
    ({"causal-mask": "def causal_mask(n):\n    return np.tril(np.ones((n, n), dtype=bool))"}, similarity.TOLD / 2),
    ({question: released(ASSIGNMENT)[question] for question in asked(ASSIGNMENT)}, 0.01),
], ids=["one line that all write", "the notebook as handed out"])  # fmt: skip
def test_what_must_be_alike_tells_nobody(answers, most):
    likeness = pairs_of({**HONEST, "ada": (answers, []), "bob": (answers, [])})
    assert likeness[frozenset(("ada", "bob"))] < most


@pytest.mark.parametrize("one, other, same", [(*pair, True) for pair in [
    ("y = np.exp(x - x.max())", "largest = np.exp(table - table.max())"),
    ("def f(a: int) -> int:\n    'What it does.'\n    return a * g(a) + 1", "def f(b):\n    return 7 + g(b) * b"),
    ("a = p(x, y, k=1, m=2)", "b = p(u, v, m=3, k=4)  # of two"),
    ("a = x.sum(axis=-1)\nb = y.max(axis=0)", "s = t.max(axis=1)\nr = q.sum(axis=-2)"),
    ("from math import sqrt\ny = sqrt(x) + sqrt(z)", "import math as m\ny = m.sqrt(x) + m.sqrt(z)"),
    ("sum = x.mean() / x.std()", "a = b.mean() / b.std()"),
    ("class Row:\n    size = 3\n    def add(self, ids):\n        self.m = ids + self.size\nRow().add(ids=x + 1)",
     "class A:\n    n = 5\n    def put(self, more):\n        self.o = more + self.n\nA().put(more=y + 2)"),
    ("%time y = np.exp(x - x.max())", "y = np.exp(x - x.max())"),
    ("if a.any():\n    b = a.sum() / n\n    c = a.max() / n", "if q.any():\n    s = q.max() / n\n    r = q.sum() / n"),
]] + [
    ("y = x.max(axis=1)", "y = x.min(axis=1)", False),
    ("y = np.exp(x) - np.log(x)", "y = np.log(x) - np.exp(x)", False),
    ("y = len(x) / 2 + 1", "y = sum(x) / 2 + 1", False), ("y = softmax(x) @ z", "y = attention(x) @ z", False),
])  # fmt: skip
def test_quick_changes_hide_no_copy_and_the_meaning_counts(one, other, same):
    known = READ["functions"](ASSIGNMENT)
    assert (similarity.trees(one, known) == similarity.trees(other, known)) == same and similarity.trees(one)


@pytest.mark.parametrize("made", ["def mine(x):\n{}", "if x:\n  def mine(x):\n  {}", "def f(x):\n{}\nnp.mine = f"])
def test_a_helper_belongs_to_the_answer_using_it(made):
    code = "    e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)"
    whole = similarity.trees(f"def softmax(x):\n{code}", {"softmax"})
    helpers = similarity.by_name(["x = 1 +", made.format(code), "z = lambda: mine"])
    moved = similarity.trees(f"def softmax(x):\n    return {'np.' * ('np.mine' in made)}mine(x)", {"softmax"}, helpers)
    assert whole <= moved
    assert not whole & similarity.trees("def softmax(x):\n    return mine(x)", {"softmax"})


HOSTILE = ["x = " + "(" * 5_000, "x = " + "-" * 20_000 + "1", "x = [" + "[]," * 20_000 + "]", "a" + ".b" * 9_000, "\0"]


def test_whatever_was_handed_in_the_comparison_ends():
    """Each text is read in a separate process that is bounded; the others are compared as without it."""
    ada, bob = list(HONEST)[:2]
    hostile = {f"eve {number}": ({"softmax": text}, [text], []) for number, text in enumerate(HOSTILE)}
    hostile["eve"] = {"softmax": "def softmax(x) return"}, [], ["word " * 20_000]
    two = {one: (*HONEST[one], []) for one in (ada, bob)}
    rows, about = similarity.compared({ada: two[ada], **hostile, bob: two[bob]}, ASSIGNMENT)
    assert "eve: no Python, or nested too deep, so not compared: 1: softmax" in about
    assert all(one.startswith("eve") for one in about)
    usual, _ = similarity.compared(two, ASSIGNMENT)
    pairs = [{frozenset(row[2:4]) for row in some} for some in (rows, usual)]
    assert pairs[1] <= pairs[0]
    same = pairs_of({one: HONEST[one] for one in (ada, bob)})
    assert {frozenset(row[2:4]): row[0] for row in usual} == pytest.approx(same)
    long = "def softmax(x):\n    return " + "+".join(["x"] * 1_000)  # a deep tree
    assert similarity.of({"softmax": long}, ["x = " + "-" * 90_000 + "1"], [], set(), {"x"})[0]["softmax"]


WORDS = (
    "The components are independent, so the variance of the dot product grows with the number of its terms, and the "
)
WORDS += "softmax of such large scores puts nearly all weight on one key, where its gradient is close to nothing."
HIDDEN = {  # what hides code -> what the teacher is told of it
    'e = exec\ne("def softmax(x): return x / x.sum()  # and a text that is long enough")': "a text holds code",
    "t = 'softmax = lambda x: x / x.sum()  # and a text that is long enough'": "a text holds code",
    "softmax = lambda x: x": "softmax has no def",
    "def softmax(x):\n    return secret(x)": "softmax uses secret, which no cell defines",
    f"def softmax(x):\n    return {'n' * 50_000}": f"softmax uses {'n' * 40}, which no cell defines",
}


def test_words_are_compared_by_runs():
    """Of written answers and of texts in code; what the notebook says does not count."""
    moved = f"First of all: {WORDS.upper()} That is why."
    given = [cell.source for cell in sources.student_notebook(ASSIGNMENT).cells if cell.cell_type == "markdown"]
    people = {
        "ada": ({}, [], [WORDS]),
        "bob": ({}, [], [moved]),
        "kim": ({"me": f"x = {WORDS!r}"}, [f"x = {WORDS!r}"], []),
    }
    people |= {"lee": ({}, [], given), "max": ({}, [], given), "one": ({}, [], ["Because it is so."])}
    rows, _ = similarity.compared(people, ASSIGNMENT)
    told = {frozenset(row[2:4]) for row in rows if row[1] >= similarity.WORDS_TOLD}
    assert told == {frozenset(pair) for pair in (("ada", "bob"), ("ada", "kim"), ("bob", "kim"))}


def test_code_that_hides_is_told():
    people = {f"eve {number}": ({"softmax": code}, [], []) for number, code in enumerate(HIDDEN)}
    _, about = similarity.compared(people, ASSIGNMENT)
    assert all([one for one in about if one.startswith(f"eve {i}: {said}")] for i, said in enumerate(HIDDEN.values()))
    caught = "def softmax(x):\n    try:\n        return x\n    except ValueError as e:\n        raise e"
    assert not similarity.of({"softmax": caught}, [], [], set(), set())[2]


def test_code_in_a_decorator_counts():
    code = "lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum()"
    plain = similarity.trees(f"softmax = {code}")
    assert len(plain - similarity.trees(f"@(lambda f: {code})\ndef softmax(x):\n    return x")) <= 1
    assert similarity.trees("@cache\ndef f(x):\n    return x + 1") == similarity.trees("def f(x):\n    return x + 1")


def keep(where, people, assignment=ASSIGNMENT):
    for student, (answers, extra) in people.items():
        results.save(where, Marks(student, assignment, answers=answers, extra=[("code", text) for text in extra]))


def test_a_copy_of_three_functions_comes_first(tmp_path, capsys):
    """In another section, too, which has another variant; a function that many write alike does not count."""
    source, own, *others = HONEST.values()
    some = {question: source[0][question] for question in ("softmax", "attention", "rotate")}
    mask = {"causal-mask": source[0]["causal-mask"]}
    people = {f"s{number}": ({**code, **mask}, extra) for number, (code, extra) in enumerate(others)}
    keep(tmp_path / "a", {"ada": source, **people})
    keep(tmp_path / "b", {"ada": ({**own[0], **some, **mask}, own[1])}, f"{ASSIGNMENT}-2027")
    command = ["compare", "--to", str(tmp_path / "a"), "--assignment", ASSIGNMENT, "--also", str(tmp_path / "b")]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith(f"ada, ada ({tmp_path / 'b'}, {ASSIGNMENT}-2027)\nGroups to look at: 1.")
    first, second = list(csv.DictReader((tmp_path / f"a/similarity-{ASSIGNMENT}.csv").open(encoding="utf-8")))[:2]
    assert first["functions alike"] == "3" and {first["one"][:4], first["other"][:4]} == {"ada", "ada "}
    assert float(first["all code"]) < similarity.TOLD and int(second["functions alike"]) < 3
    assert main([*command, str(tmp_path)]) == 2 and "has no marks of 2-attention:" in capsys.readouterr().err


def test_the_command_writes_a_page_and_a_table(tmp_path, capsys):
    style = next(iter(HONEST))
    people = {"ada": HONEST[style], "=bob<b>": all_at_once(ASSIGNMENT, *HONEST[style], random.Random(0))}
    people |= {f"s{number}": code for number, code in enumerate(list(HONEST.values())[1:])}
    keep(tmp_path, people)
    assert main(["compare", "--to", str(tmp_path), "--assignment", ASSIGNMENT]) == 0
    assert capsys.readouterr().out.startswith("=bob<b>, ada\nGroups to look at: 1. ")
    page = (tmp_path / f"similarity-{ASSIGNMENT}.html").read_text(encoding="utf-8")
    assert "are above 0.28 in all code." in page and "104 pairs are below 0.06 in all code." in page
    assert "Groups to look at: 1, linked by pairs with at least 3 " in page and page.count("<tr class=mark>") == 1
    assert "\u2068=bob&lt;b&gt;\u2069, \u2068ada\u2069</td>" in page
    assert "<b>" not in page and "http" not in page and "src=" not in page
    lines = list(csv.reader((tmp_path / f"similarity-{ASSIGNMENT}.csv").read_text(encoding="utf-8").splitlines()))
    assert lines[0][:6] == ["functions alike", "all code", "words", "one", "other", "1: softmax"]
    assert {*lines[1][3:5]} == {"ada", "'=bob<b>"}
    assert len(lines) - 1 == len(list(combinations([*people, *OURS], 2))) - 1
    rows = [(1, 0, *pair, {}) for pair in [*combinations("abcdef", 2), "xy", "yz"]]
    assert similarity.groups(rows) == [frozenset("abcdef"), frozenset("xyz")]
