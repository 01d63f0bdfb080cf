"""Anything may be handed in, and anything may come out of the sandbox: grading ends, and the neighbor has his marks."""

import contextlib
import copy
import json
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from unittest import mock

import nbformat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coursework import checks, feedback, files, grading, marking, messages, reports, results, sandbox, sources, words
from coursework.comparison import wrong
from coursework.submissions import read, released, sorted_out
from coursework.worker import plain
from tests.coursework.conftest import ASSIGNMENT, FULL, prepared, put_file, solved_notebook

SOLVED = nbformat.writes(solved_notebook(ASSIGNMENT))
EVERY = {name: (0, 1, "") for name in sources.points(ASSIGNMENT)}
NAMES = [*FULL, *released(ASSIGNMENT).marked, "attachments", "nbgrader", "image/png", "", "a.png"]


def bounded(examples):
    """So many examples, the same ones on every run."""
    how = {"derandomize": True, "deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
    return settings(max_examples=examples, **how)


CODE = ["def softmax(x):\n    return x", "x, softmax = 1", "# In words.", "raise NotImplementedError"]
ODD = ["x" * 70_000, "[" * 5_000, "$$ <b onclick=x>"]
TEXT = st.text(st.characters(), max_size=30) | st.sampled_from([*NAMES, *CODE, *ODD])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(TEXT, inside, max_size=4),
    max_leaves=8,
)


@st.composite
def changed(draw, value):
    """A JSON value where a few parts are replaced, deleted, doubled or shuffled."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 4))):
        node = value
        while keys := list(node) if isinstance(node, dict) else list(range(len(node))):
            key = draw(st.sampled_from(keys))
            if not isinstance(node[key], (dict, list)) or not draw(st.integers(0, 3)):
                break
            node = node[key]
        how = draw(st.sampled_from(["replace", "replace", "delete", "double", "shuffle"])) if keys else ""
        if how == "replace":
            node[key] = draw(JSON)
        elif how == "delete":
            del node[key]
        elif how == "double" and isinstance(node, list):
            node.insert(0, node[key])
        elif how and isinstance(node, list):
            draw(st.randoms(use_true_random=False)).shuffle(node)
    return value


NOTEBOOKS = changed(json.loads(SOLVED)).map(json.dumps)


@st.composite
def mutilated(draw, content):
    content = bytearray(content)
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(content)))
        if draw(st.booleans()):  # an archive's list of files is near the end
            place = max(0, len(content) - draw(st.integers(0, 120)))
        content[place : place + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
    return bytes(content[: draw(st.integers(0, len(content)))] if draw(st.integers(0, 4)) == 0 else content)


def shown(submission, stream=b""):
    """All that is made of a submission, where its sandbox says this."""

    def run(job, **how):
        calls, cells, last, done = messages.understood(bytearray(stream), job)
        return sandbox.Outcome(calls, cells, last, "done" if done else "crashed", len(stream))

    with mock.patch.object(sandbox, "run", run):
        marks = grading.grade(submission, prepared(checks.load, ASSIGNMENT, 1))
    assert set(marks.points) == set(FULL) and all(0 <= marks.points[name] <= FULL[name] for name in FULL)
    with tempfile.TemporaryDirectory() as folder:
        results.save(Path(folder), marks)
        marks = results.load(Path(folder), ASSIGNMENT, marks.student)
        assert len(marking.page(Path(folder), ASSIGNMENT)) < 3_000_000
    page, report = feedback.page(words.Score(marks, EVERY)), reports.report([marks], [])
    assert len(page) < 3_000_000 and len(report) < 50_000
    return marks


@bounded(60)
@given(NOTEBOOKS, st.sampled_from(["x.ipynb", "x.py", "x.txt"]))
def test_any_notebook_is_graded_or_refused(text, name):
    try:
        submission = read("eve", name, text.encode(), ASSIGNMENT)
    except ValueError as error:
        assert len(str(error)) < 200
        return
    shown(submission)


ODD_NAMES = [*"ADA x_1_2_ -rf =cmd() ｆｕｌｌ 日本".split(), "ada ", "new\nline", "@" * 78 + "..x", "日" * 70]
PARTS = st.binary(min_size=1, max_size=40).map(lambda name: name.replace(b"/", b"_").replace(b"\0", b"_"))
PLACES = st.lists(PARTS | st.sampled_from([*map(str.encode, ODD_NAMES), b"\xff"]), min_size=1, max_size=12)
ENDINGS = st.sampled_from([b"", b".ipynb", b".IPYNB.txt", b".zip", b".py", b"_1_2_x.ipynb"])


@bounded(60)
@given(st.lists(st.tuples(PLACES, ENDINGS, st.sampled_from(["file", "link", "pipe"])), max_size=6))
def test_any_folder_leaves_the_neighbor(places):
    with tempfile.TemporaryDirectory() as folder:
        put_file(Path(folder) / "ada" / f"{ASSIGNMENT}.ipynb", SOLVED)
        for parts, ending, kind in places:
            path = os.path.join(os.fsencode(folder), *parts) + ending
            with contextlib.suppress(OSError):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if kind == "link":
                    os.symlink(os.fsencode(folder), path)
                elif kind == "pipe":
                    os.mkfifo(path)
                else:
                    with open(path, "x") as file:
                        file.write(SOLVED)
        readable, unreadable = sorted_out(folder, ASSIGNMENT, {"4711": "ada"}, ("ada", "bob"))
    (ada,) = (one for one in readable if one.student == "ada")
    assert ada.file == f"ada/{ASSIGNMENT}.ipynb"
    assert ada.digest == read("ada", "x.ipynb", SOLVED.encode(), ASSIGNMENT).digest
    everyone = [one.student for one in [*readable, *unreadable]]
    assert len({name.casefold() for name in everyone}) == len(everyone)
    for name in everyone:
        assert name.isprintable() and 0 < len(name) <= 80 and len(name.encode()) <= files.MOST_NAME
        assert name[0] not in "=+-@. " and not set(name) & set("/\\ ")


def honest_records():
    calls = prepared(checks.load, ASSIGNMENT, 1)[1]
    lines = [{"start": "cell 0"}, {"cell": 0, "error": None, "missing": []}]
    for name in FULL:
        lines.append({"start": name})
        lines += [{"call": call["id"], "value": 0, "error": None} for call in calls if call["part"] == name]
    return lines


RECORDS = changed(honest_records()).map(lambda lines: "\n".join(map(json.dumps, lines)).encode())


@bounded(60)
@given(RECORDS | st.binary(max_size=300) | st.lists(JSON).map(lambda lines: "\n".join(map(json.dumps, lines)).encode()))
def test_any_stream_of_results_has_few_points(stream):
    marks = shown(read("eve", "x.ipynb", SOLVED.encode(), ASSIGNMENT), stream)
    assert sum(marks.points.values()) < sum(FULL.values())


@lru_cache
def some_calls():
    """The first call of each check, and what is right for it: arrays, texts, dictionaries, and what a judge reads."""
    by_checks = [prepared(checks.load, name, 1)[0] for name in (ASSIGNMENT, "1-tokenization", "5-project")]
    calls = [calls[0] for by_check in by_checks for calls in by_check.values()]
    return [(call, json.loads(json.dumps(plain(call.expected)))) for call in calls]


@bounded(150)
@given(st.data())
def test_any_value_is_right_or_wrong(data):
    call, right = data.draw(st.sampled_from(some_calls()))
    value = data.draw(JSON | changed([right]))
    reason = wrong(call, value[0] if isinstance(value, list) and value else value)
    assert reason is None or isinstance(reason, str) and len(reason) < 1000
