"""Submissions that attack the grading: none gets more than its honest mark, changes another's, or stops the batch.

Each is in the cell of softmax: with a wrong one, a student loses that question and those that need it.
"""

import copy
import errno
import os
import threading

import nbformat
import pytest

from coursework import exports, feedback, marking, reports, results, sandbox, sources, words
from tests.coursework.conftest import ASSIGNMENT, FULL, WRITTEN, batch, below, blocks, cell, grade_again, with_code
from tests.coursework.damaged import solved

SOLVED = solved()
NEED = ("softmax", "attention", "near-attention")  # the questions that need a right softmax
REST = {name: worth for name, worth in FULL.items() if not name.startswith(NEED)}

GOOD = cell(SOLVED, "softmax").source + "\n"
WRONG = "def softmax(x):\n    return x\n"

HONEST = {"right": True, "wrong": False, "nothing": None}  # None: it destroys its own run
# name -> (code in place of the solution of softmax, whether softmax is honestly right in it)
CODE = {}
for heading, code in blocks("attacks.txt").items():
    name, softmax = heading.split(" | ")
    CODE[name] = code.replace("RIGHT\n", GOOD).replace("WRONG\n", WRONG), HONEST[softmax]
CODE["letters that read alike"] = GOOD.replace("def softmax", "def \uff53oftmax"), True
CODE["answers that are text for exec"] = f"exec(bytes({list(GOOD.encode())}))", True
CODE["a null byte"] = "def softmax(x):\n    return '\\x00\ud800'", False


def unseen_changes(notebook):
    """Another order, other points, and forged outputs: nothing of it is read."""
    notebook = copy.deepcopy(notebook)
    notebook.cells.reverse()
    for one in (one for one in notebook.cells if one.metadata.get("nbgrader", {}).get("grade")):
        one.metadata.nbgrader.points = 1000
    output = nbformat.v4.new_output("stream", name="stdout", text="40 of 40 points. All checks pass.")
    score = {"output_type": "display_data", "data": {"application/x-score": 1000}, "metadata": {}}
    for one in (one for one in notebook.cells if one.cell_type == "code"):
        one.outputs = [output, score]
    return notebook


def far_too_much():
    """A notebook with long and hostile texts."""
    notebook = copy.deepcopy(SOLVED)
    cell(notebook, WRITTEN).source = "\ud800\u202e" + "[" * 400_000 + "<script>" + "Z\u0301" * 100_000
    cell(notebook, "softmax").source += "\n# \u202e"
    notebook.cells[1:1] = [nbformat.v4.new_markdown_cell(f"{i} <img src=x>") for i in range(900)]
    notebook.metadata["bomb"] = {str(i): [[]] * 10 for i in range(10_000)}
    return notebook


@pytest.fixture(scope="module")
def graded(tmp_path_factory, bubblewrap):
    """What was handed in -> its marks. All is graded in one batch."""
    handed_in = {"neighbor before": SOLVED}
    handed_in |= {name: with_code(SOLVED, "softmax", code) for name, (code, _) in CODE.items()}
    handed_in |= {"tampered right": unseen_changes(SOLVED)}
    handed_in |= {"tampered wrong": unseen_changes(with_code(SOLVED, "softmax", WRONG))}
    handed_in |= {"far too much": far_too_much(), "neighbor behind": SOLVED}
    return batch(tmp_path_factory.mktemp("attacks"), ASSIGNMENT, handed_in)


def won(marks):
    return {check: worth for check, worth in marks.points.items() if worth}


@pytest.mark.parametrize("name", CODE)
def test_an_attack_gets_its_honest_mark(graded, name):
    points, right = graded[name].points, CODE[name][1]
    if right is None:  # it destroys its own run: it may lose everything, and wins nothing
        assert all(points[check] <= FULL[check] for check in FULL) and ("GB" in name or not points["softmax-hidden"])
    else:
        assert won(graded[name]) == (FULL if right else REST), graded[name].notes


def test_tampered_cells_change_no_mark(graded):
    assert won(graded["tampered right"]) == FULL and won(graded["tampered wrong"]) == REST
    assert not graded["tampered right"].told and not graded["tampered wrong"].told


def test_neighbors_get_their_own_marks(graded):
    """And what no comparison would see is noted: text that is executed."""
    for neighbor in ("neighbor before", "neighbor behind"):
        assert graded[neighbor].points == FULL and not graded[neighbor].notes
    assert "suspected tampering: the code names 'exec'" in graded["answers that are text for exec"].notes


def test_far_too_long_texts_are_shown_in_part(graded, tmp_path):
    marks = graded["far too much"]
    assert marks.points == FULL
    for what in ("only the first 100,000 characters", "tampering", "You added 900 cells"):
        assert what in " ".join([*marks.notes, *marks.told])
    results.save(tmp_path, marks)
    shown = marking.page(tmp_path, ASSIGNMENT)
    given = {name: (0, 1, "") for name in sources.points(ASSIGNMENT)}
    page, report = feedback.page(words.Score(marks, given)), reports.report([marks], [])
    assert max(len(shown), len(page)) < 400_000 and "<img" not in shown
    assert len(report) < 1_000 and report.isascii()


def test_a_stop_ends_what_runs(bubblewrap):
    before, stop = set(below(os.getpid())), threading.Event()
    threading.Timer(1, stop.set).start()
    job = {"cells": ["import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass"], "calls": []}
    with pytest.raises(sandbox.Interrupted):
        sandbox.run(job, limits=sandbox.Limits(seconds=100), stop=stop)
    assert set(below(os.getpid())) <= before


@pytest.mark.parametrize("where, name", [
    pytest.param(sandbox.pickle, "dump", marks=pytest.mark.long), (exports, "write")
])  # fmt: skip
def test_a_full_disk_loses_no_mark(where, name, solved, hand_in, tmp_path, monkeypatch, bubblewrap, capsys):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    hand_in("ada", solved)
    (tmp_path / "class.csv").write_text("student\nada\n")
    with monkeypatch.context() as patched:
        patched.setattr(where, name, full)
        assert grade_again(tmp_path, tmp_path / "results") == 2
    said = capsys.readouterr().err
    assert "No space left on" in said and "What was graded is kept" in said and said.count("\n") == 1
    assert bool(list((tmp_path / "results").rglob("ada.json"))) == (where is exports)
    assert grade_again(tmp_path, tmp_path / "results") == 0
