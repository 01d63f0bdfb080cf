"""What is read out of notebooks: honest slips cost nothing, and what runs is what the teacher sees.

The messages about each damaged notebook are compared with the page "Check my notebook" in test_check.py.
"""

import json
import os
import re
import time

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from coursework import pictures, processes, submissions
from tests.coursework.conftest import ASSIGNMENT, WRITTEN, cell, solved_notebook, with_code
from tests.coursework.damaged import EMPTY, NAME, REFUSED, blank, everything, png, written

SOLVED = solved_notebook(ASSIGNMENT)
GIVEN = {name: cell(SOLVED, name).source for name in submissions.released(ASSIGNMENT).answers}
CODE = [text for name, text in GIVEN.items() if name != WRITTEN]
UNTOUCHED = {one.source for one in blank().cells}
DAMAGED = {name: content for name, file, content, _ in everything() if file == NAME and not name.startswith("refused")}
HONEST = [name for name, file, _, problems in everything() if file == NAME and not problems]


def read(content, assignment=ASSIGNMENT, file=NAME):
    """A submission out of a notebook, a text or bytes."""
    content = written(content) if isinstance(content, dict) else content
    return submissions.read("ada", file, content.encode() if isinstance(content, str) else content, assignment)


def names_of(told):
    known = {name: re.sub(r"\\{\w+\\}", ".+", re.escape(text)) for name, text in submissions.TOLD.items()}
    return [next(name for name, pattern in known.items() if re.fullmatch(pattern, text)) for text in told]


def is_full(submission):
    """Whether all answers of the solved notebook were found, and its functions run."""
    return submission.answers == GIVEN and set(CODE) <= set(submission.cells)


# Damaged notebook -> (the sentences for the student, the answers that are not those of the solved notebook: a part of
# each, or None if there is none, how many cells count as added).
SLIPS = {
    "never saved": (["blank"], dict.fromkeys(GIVEN, ""), 0),
    "one answer is missing": ([], {"softmax": "NotImplementedError"}, 0),
    "an answer was emptied": ([], {WRITTEN: " \n"}, 0),
    **dict.fromkeys(["never run", "odd outputs and counts", "a check was deleted"], ([], {}, 0)),
    "a given cell was deleted": ([], {}, 0),
    **dict.fromkeys(["an answer in a cell below", "an answer in a cell above"], (["elsewhere"], {}, 0)),
    **dict.fromkeys(["words in a cell below", "words at the top"], (["words"], {WRITTEN: ""}, 1)),
    "words that go on below": ([], {}, 2),
    "words in a code cell": ([], {WRITTEN: ""}, 1),
    "two functions in one cell": (["elsewhere"], {"softmax": "def attention", "attention": "def softmax"}, 0),
    "defined again": (["twice"], {}, 1),
    "defined again in another answer": (["twice"], {"attention": EMPTY}, 0),
    "a stub in its own cell": (["twice"], {"softmax": "pass"}, 1),
    **dict.fromkeys(["a check was changed", "a given cell was changed"], (["changed"], {}, 0)),
    "a cell was deleted": (["missing"], {"softmax": None}, 0),
    "a cell is there twice": (["copies"], {}, 1),
    "a copy below is wrong": (["copies"], {"softmax": EMPTY}, 1),
    "a written cell is there four times": (["copies"], {WRITTEN: "Last."}, 2),
    "all names are lost": (["nameless"], {WRITTEN: None}, 1),
    "very many cells": (["many-added"], {}, submissions.MOST_ADDED),
}  # fmt: skip


@pytest.mark.parametrize("name", dict.fromkeys([*SLIPS, *HONEST]))
def test_a_slip_costs_no_other_answer(name):
    ada = read(DAMAGED[name])
    told, others, n_added = SLIPS.get(name, ([], {}, len(ada.extra)))
    assert names_of(ada.told) == told and len(ada.extra) == n_added
    elsewhere = f"{WRITTEN}: the words are in other cells. Read them on the marking page"
    assert ada.notes == [elsewhere] * bool({"words", "nameless"} & {*told})
    for answer, text in GIVEN.items():
        if answer not in others:
            assert ada.answers[answer].split()[: len(text.split())] == text.split(), answer
        elif others[answer] is None:
            assert answer not in ada.answers
        else:
            assert others[answer] in ada.answers[answer]


@pytest.mark.parametrize("name", DAMAGED)
def test_what_runs_is_given_or_shown(name):
    """And it is no more than a bound: no code runs that the teacher does not see."""
    try:
        ada = read(DAMAGED[name])
    except ValueError:
        return
    seen = "\n".join([*ada.answers.values(), *(text for _, text in ada.extra)])
    own = [text for text in ada.cells if text not in UNTOUCHED and not text.endswith("\nimport numpy as np")]
    assert all(text in seen for text in own) and sum(map(len, own)) <= submissions.MOST_TEXT
    assert ada.cells[0].endswith("import numpy as np") or name == "names of odd types"
    assert not [text for text in ada.cells if "pip install" in text or "\r" in text]


def test_an_import_in_a_given_cell_counts(solved):
    """Above what was given, which has the last word; nothing else that was written there runs."""
    given = next(one for one in solved.cells if one.source == "import numpy as np")
    given.source = "import math\nimport numpy as np\nfrom math import exp as np\nx = 1\nimport (\nimport os; x = 2"
    ada = read(solved)
    assert ada.cells[0] == "import math\nfrom math import exp as np\nimport numpy as np" and ada.keep[0] == ["np"]
    assert names_of(ada.told) == ["changed"]


@pytest.mark.parametrize("name, content, why", REFUSED)
def test_what_cannot_be_read_is_told(name, content, why, put, sort_out):
    put(f"ada/{name}", content)
    ada = sort_out()["ada"]
    assert why.strip(".") in ada.notes[0] and f"Your file {name} could not be graded, because it {why}" in ada.told[0]
    assert not ada.cells


def test_a_folder_without_a_file_is_told(solved, put, sort_out, tmp_path):
    for name in ("ada.l", "Bob_7_assignsubmission_onlinetext_", f"eve/{ASSIGNMENT}", ".git"):
        (tmp_path / "submitted" / name).mkdir(parents=True)
    put(f"Bob_7_assignsubmission_file_/{NAME}", solved)
    put(f"kim/.ipynb_checkpoints/{ASSIGNMENT}-checkpoint.ipynb", solved)
    found = sort_out()
    assert set(found) == {"ada.l", "Bob", "eve", "kim"} and is_full(found["Bob"]) and not found["Bob"].notes
    assert found["ada.l"].notes == ["ada.l/: not graded: is a folder without a file"]
    for name in ("ada.l", "kim"):
        assert f"Your folder {name} could not be graded, because it is a folder without a file." in found[name].told[0]


def test_the_value_after_its_own_cell_is_kept(solved):
    solved.cells.insert(1, new_code_cell(EMPTY))
    solved.cells.append(new_code_cell(EMPTY))
    ada = read(solved)
    assert "softmax" in ada.keep[ada.cells.index(GIVEN["softmax"])]
    assert not any("softmax" in ada.keep.get(i, ()) for i, text in enumerate(ada.cells) if text == EMPTY)


def test_the_fullest_and_newest_file_counts(solved, put, sort_out):
    begun = with_code(blank(), "softmax", GIVEN["softmax"])
    for file, content in ((NAME, blank()), ("v9.ipynb", begun), ("more.ipynb", "{")):
        put(f"ada/{file}", content)
    for number in (1, 2):
        put(f"ada/{ASSIGNMENT} ({number}).ipynb", solved)
    put(f"ada/{ASSIGNMENT} (9).ipynb", begun)
    put(f"ada/{ASSIGNMENT} (3).png", b"\x89PNG")
    ada = sort_out()["ada"]
    assert ada.file == f"ada/{ASSIGNMENT} (2).ipynb" and is_full(ada)
    for file, reason in (("9", "has fewer answers than"), ("1", "is not newer, by its name, than")):
        assert f"({file}).ipynb, was not graded: it {reason} the one that counts, {ASSIGNMENT} (" in str(ada.told)
    assert "more.ipynb, was not graded: it is cut off" in str(ada.told) and "more.ipynb: not graded" in str(ada.notes)
    assert len(ada.told) == 5
    files = ["2-attention-2027.ipynb", "2-attention-2027 (1).ipynb"]  # a variant's; Blackboard's
    files += [f"2-attention_ada_attempt_2026-{day}-10-15-00_x.ipynb" for day in ("11-03", "12-01")]
    ages = [submissions.age(submissions.Submission("ada", "2-attention-2027", file)) for file in files]
    assert ages == sorted(set(ages)) and ages[0] == (0, 0)


REACHING = ["exec(x)", "\uff45xec(x)", "import builtins", "import ctypes", "open('/etc/passwd')", "x.__eq__"]
REACHING += ["# \u202e", "\u3164 = 1", "# \U000e0061", "import marshal", "f.__code__ = x", "f.__annotations__"]


@pytest.mark.parametrize("attack", REACHING)
def test_code_that_reaches_out_is_noted(attack, solved):
    cell(solved, "softmax").source += f"\n{attack}"
    assert read(solved).notes[-1].startswith("suspected tampering: the code names ")


def test_a_run_of_accents_is_read_in_time(solved, sort_out, put):
    cell(solved, "softmax").source += "\n# \uff45" + "\u0301\u0323" * 49_000
    put("ada.ipynb", solved)
    assert sort_out()["ada"].cells  # its time is limited


READ = submissions.read


def hostile_read(student, file, content, assignment):
    """A reader that some files hold up."""
    while b"<slow>" in content or b"<long>" in content and time.process_time() < 0.6:
        pass
    if b"<large>" in content:
        return bytes(2 << 30)
    if b"<ended>" in content:
        os._exit(3)
    return READ(student, file, content, assignment)


@pytest.mark.parametrize("how", ["slow", "large", "ended", "long"])
def test_a_hostile_file_costs_the_neighbors_nothing(how, solved, put, sort_out, monkeypatch):
    """Those that are read with it in one process, before and after it, are read as without it."""
    monkeypatch.setattr(submissions, "read", hostile_read)
    monkeypatch.setattr(processes, "SECONDS", 1)
    for i in range(9):
        put(f"s{i}/{NAME}", with_code(solved, "softmax", f"def softmax(x):\n    return {i}"))
    put("s4/2.ipynb", "{")
    before = sort_out()
    for i in range(5):
        put(f"s4-too/{i}.ipynb", json.dumps({"cells": [], "metadata": {"x": f"<{how}>"}}))
    found = sort_out()
    told = found.pop("s4-too").told
    assert how == "long" or "takes too much time or memory to read: clear all outputs" in told[0]
    assert "another file of the same student took too long" in told[2 if how == "long" else 1]
    assert found == before and all("def softmax" in one.answers["softmax"] for one in found.values())


def test_a_killed_reader_is_no_students_fault():
    ((_, problem),) = processes.each(lambda: os.kill(os.getpid(), 9), [()])
    assert "no fault of the student: grade again" in problem


PNG = png(20, 10)


def test_pictures_of_answers_and_added_cells_are_kept(solved):
    """Those in the text itself take none of its room."""
    large = png(300, 200, 120_000)
    inline = f"Look: ![a](data:image/png;base64,{large}) and ![b](data:image/svg+xml;base64,AAAA)"
    cell(solved, WRITTEN).source = inline
    cell(solved, WRITTEN)["attachments"] = {"a.png": {"image/png": PNG}}
    added = [new_markdown_cell("x"), new_markdown_cell("y", attachments={"b.png": {"image/png": [PNG]}})]
    solved.cells = [*added, *solved.cells]
    ada = read(solved)
    assert ada.answers[WRITTEN] == "Look: ![a](attachment:picture-2) and ![b](data:image/svg+xml;base64,AAAA)"
    pngs = {"a.png": ("image/png", PNG), "picture-2": ("image/png", large)}
    assert ada.pictures == {WRITTEN: pngs, "added-1": {"b.png": ("image/png", PNG)}}
    assert not ada.told
    cell(solved, WRITTEN)["attachments"]["\u202e.png"] = {"image/png": PNG}
    assert read(solved).told[0].startswith(f"1 of your pictures in {WRITTEN} cannot be shown")


# Damaged notebook -> how many pictures of its answer are kept.
PICTURES = {
    "pictures": 2, "a picture of another type": 0, "pictures that are none": 0, "photos that are none": 0,
    "a picture that is too large": 0, "pictures that are too large together": 3,
    "six pictures in a cell": pictures.MOST_IN_CELL,
}  # fmt: skip


@pytest.mark.parametrize("name", PICTURES)
def test_only_real_pictures_of_bounded_size_are_kept(name):
    ada = read(DAMAGED[name])
    assert len(ada.pictures.get(WRITTEN, {})) == PICTURES[name]
    assert (names_of(ada.told) == ["pictures"]) == (name != "pictures")


def test_who_has_most_pictures_loses_them(solved, put, sort_out, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_OF_ALL", 500)
    for student, count in (("eve", 5), ("ada", 1)):
        cell(solved, WRITTEN)["attachments"] = {f"{i}.png": {"image/png": PNG} for i in range(count)}
        put(f"{student}/{NAME}", solved)
    found = sort_out()
    assert found["ada"].pictures and not found["eve"].pictures and "too many" in found["eve"].told[-1]
