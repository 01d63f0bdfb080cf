"""What students hand in: archives and folders are bounded, names stay whose they are, honest slips cost nothing."""

import copy
import json
import os
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from coursework import apart, files, gradebook, pictures, sources, submissions
from tests.coursework.conftest import ASSIGNMENT, cell, with_code
from tests.coursework.damaged import EMPTY, NAME, REFUSED, WORDS, WRITTEN, jpeg, moved, png


@pytest.fixture
def put(tmp_path):
    """put(path, content): a file below the folder of submissions. A notebook is written as JSON."""

    def write(path, content):
        path = tmp_path / "submitted" / path
        path.parent.mkdir(parents=True, exist_ok=True)
        content = content if isinstance(content, (str, bytes)) else nbformat.writes(content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def sort_out(tmp_path):
    """sort_out(): student -> submission, of those that can be read and of those that cannot."""

    def run(assignment=ASSIGNMENT, **how):
        readable, unreadable = submissions.sorted_out(tmp_path / "submitted", assignment, **how)
        assert len({one.student for one in [*readable, *unreadable]}) == len(readable) + len(unreadable)
        return {one.student: one for one in [*unreadable, *readable]}

    return run


@contextmanager
def at_most(megabytes):
    """What happens inside takes no more memory than this."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes << 20
    finally:
        tracemalloc.stop()


# --- archives -------------------------------------------------------------------------------------------------------


def zipped(path, content, method=zipfile.ZIP_DEFLATED):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in content.items():
            archive.writestr(name, text if isinstance(text, (str, bytes)) else nbformat.writes(text))
    return path


def patched(path, offset, value):
    """Write a value into the list of files of an archive that has one file."""
    content = bytearray(path.read_bytes())
    place = content.rindex(b"PK\x01\x02") + offset
    content[place : place + len(value)] = value
    path.write_bytes(content)


BOMB = bytes(60 << 20)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_of_another_method_is_not_opened(method, tmp_path, sort_out):
    path = zipped(tmp_path / "submitted" / "all.zip", {"eve.ipynb": BOMB}, method)
    patched(path, 24, struct.pack("<L", 1000))  # the size that it says
    with at_most(8):
        eve = sort_out()["eve"]
    assert "unusual way" in eve.notes[0] and path.stat().st_size < 20_000


@pytest.mark.parametrize("offset, value", [(10, b"\x5d\x00"), (8, b"\x01\x00"), (8, b"\x41\x00")])
def test_zstandard_and_encrypted_files_are_not_opened(offset, value, solved, tmp_path, sort_out):
    patched(zipped(tmp_path / "submitted" / "all.zip", {"eve.ipynb": solved}), offset, value)
    assert "unusual way" in sort_out()["eve"].notes[0]


@pytest.mark.parametrize("said", [1000, 4 << 20])
def test_deflate_that_says_a_false_size_ends_there(said, tmp_path, sort_out):
    patched(zipped(tmp_path / "submitted" / "all.zip", {"eve.ipynb": BOMB}), 24, struct.pack("<L", said))
    with at_most(16):
        assert "is broken: BadZipFile" in sort_out()["eve"].notes[0]


def list_of_files(count, zip64=False, name=b""):
    """An archive that is nothing but a list of files; name: of all of them."""
    listed = (b"PK\x01\x02" + bytes(24) + struct.pack("<H", len(name)) + bytes(16) + name) * count
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(listed), 0, 0)
    if zip64:
        where = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(listed), 1)
        end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
        end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, len(listed), 0) + where + end
    return listed + end


@pytest.mark.parametrize("zip64", [False, True])
def test_an_archive_of_very_many_files_is_not_listed(zip64, put, sort_out):
    put("all.zip", list_of_files(100_000, zip64))
    with at_most(12):
        (one,) = sort_out().values()
    assert "lists too many files" in one.notes[0]


def test_files_that_overlap_in_an_archive_count_each(tmp_path, sort_out, monkeypatch):
    monkeypatch.setattr(files, "MOST_ARCHIVE", 20 << 20)
    path = zipped(tmp_path / "submitted" / "all.zip", {"eve.ipynb": bytes(4 << 20)})
    content = path.read_bytes()
    start, end = content.rindex(b"PK\x01\x02"), content.rindex(b"PK\x05\x06")
    listed = content[start:end] * 10
    path.write_bytes(
        content[:start] + listed + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 10, 10, len(listed), start, 0)
    )
    with at_most(8):
        assert "nothing in it was opened" in sort_out()["all"].notes[0]


@pytest.mark.parametrize("place", ["eve/x.zip", "eve_1_2_x.zip", "all.zip"])
def test_an_archive_that_a_student_hands_in_is_told_and_not_opened(place, solved, tmp_path, put, sort_out):
    """In its folder, under Canvas's name, or in the archive of an LMS."""
    content = zipped(tmp_path / "x.zip", {NAME: solved, "bob_1_2_x.ipynb": solved}).read_bytes()
    if place == "all.zip":
        zipped(tmp_path / "submitted" / place, {"eve_77_7_x.zip": content})
    else:
        put(place, content)
    found = sort_out()
    assert set(found) == {"eve"} and not found["eve"].cells
    assert "is an archive: unpack it, and hand in the .ipynb that is in it." in found["eve"].told[0]


def test_a_class_in_one_archive(solved, tmp_path, sort_out):
    content = {f"student{i}_{i}_7_{NAME}": solved for i in range(40)}
    zipped(tmp_path / "submitted" / "all.zip", {**content, "kim_78_7_x.ipynb": "PK", "x.txt": "nobody's"})
    found = sort_out()
    assert len(found) == 41
    assert all(one.answers and not one.notes for name, one in found.items() if name != "kim")
    assert "is not a notebook" in found["kim"].notes[0]


def test_what_lies_deep_or_is_hidden_in_an_archive_is_no_second_notebook(solved, tmp_path, sort_out):
    content = {
        f"eve/{NAME}": solved,
        f"eve/.ipynb_checkpoints/{NAME}": "{}",
        f"__MACOSX/eve/._{NAME}": "x",
        "eve/" + "/" * 3000 + "a.ipynb": "{}",
    }
    zipped(tmp_path / "submitted" / "all.zip", content)
    assert len(sort_out()["eve"].notes) == 1  # the one with the slashes


# --- folders --------------------------------------------------------------------------------------------------------


def test_a_thousand_folders_in_each_other(solved, put, tmp_path, sort_out):
    put(f"ada/{NAME}", solved)
    deep = "".join("/d" * i + " " for i in range(1, 1001)).split()
    eve = put("eve/x.txt", "").parent
    for path in deep:
        os.mkdir(f"{eve}{path}")
    try:
        found = sort_out()
    finally:
        for path in reversed(deep):
            os.rmdir(f"{eve}{path}")
    assert not found["ada"].notes and "too deep" in found["eve"].notes[0]


def test_a_folder_that_may_not_be_opened(solved, put, monkeypatch, sort_out):
    (
        put(f"ada/{NAME}", solved),
        put(f"eve/{NAME}", solved),
        put(f"kim/closed/{NAME}", solved),
        put(f"kim/{NAME}", solved),
    )
    original = os.scandir

    def scandir(path):
        if os.path.basename(path) in ("eve", "closed"):
            raise PermissionError(13, "Permission denied", path)
        return original(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = sort_out()
    assert not found["ada"].notes
    assert found["eve"].notes == ["eve: not graded: could not be opened: Permission denied"]
    assert "kim/closed, not graded" in found["kim"].notes[0] and found["kim"].answers


@pytest.mark.skipif(os.getuid() == 0, reason="root may open everything")
def test_a_folder_without_permission(solved, put, sort_out):
    put(f"eve/{NAME}", solved).parent.chmod(0)
    assert "Permission denied" in sort_out()["eve"].notes[0]


def test_what_is_no_regular_file_is_not_opened(solved, put, sort_out, tmp_path):
    put(f"ada/{NAME}", solved)
    os.mkfifo(tmp_path / "submitted" / "ada" / "pipe.ipynb")
    os.mkfifo(tmp_path / "submitted" / "eve.ipynb")
    os.symlink(tmp_path, tmp_path / "submitted" / "kim")
    found = sort_out()
    assert "ada/pipe.ipynb, not graded: is not a regular file" in found["ada"].notes[0]
    assert "is not a regular file" in found["eve"].notes[0] and "is a link" in found["kim"].notes[0]


def test_names_that_are_no_utf8(solved, tmp_path, sort_out):
    folder = os.fsencode(tmp_path / "submitted") + b"/b\xff"
    os.makedirs(folder)
    with open(folder + b"/\xfe.ipynb", "w") as file:
        file.write(nbformat.writes(solved))
    (one,) = sort_out().values()
    assert one.student.isascii() and one.file.isprintable() and one.answers


def test_a_flood_of_files_is_cut(solved, put, sort_out, tmp_path):
    put(f"ada/{NAME}", solved), put(f"eve/{NAME}", solved)
    (tmp_path / "submitted" / "eve" / "more").mkdir()
    for i in range(files.MOST_SEEN + 10):
        (tmp_path / "submitted" / "eve" / "more" / f"{i}.txt").touch()
    found = sort_out()
    assert not found["ada"].notes and "holds more than 2,000 files" in found["eve"].notes[0] and found["eve"].answers


def test_a_flood_of_notebooks_is_cut(put, sort_out):
    for i in range(files.MOST_FILES + 5):
        put(f"eve/{i}.ipynb", "{}")
    notes = sort_out()["eve"].notes
    assert len(notes) == files.MOST_FILES + 1 and "25 files: only the first 20 were opened" in notes


# --- whose work is whose ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newcomer", ["ADA", "ａｄａ", "ada ", "ada_99_1_x.ipynb"])
@pytest.mark.parametrize("roster", [(), ("ada", "bob")])
@pytest.mark.parametrize("later", [False, True])
def test_a_newcomer_displaces_nobody(newcomer, roster, later, solved, put, sort_out):
    names = {}
    put(f"ada/{NAME}", solved)
    if later:
        sort_out(roster=roster, names=names)
    put(newcomer if newcomer.endswith("ipynb") else f"{newcomer}/{NAME}", with_code(solved, "softmax", EMPTY))
    found = sort_out(roster=roster, names=names)
    assert found["ada"].file == f"ada/{NAME}" and len(found) == 2
    (other,) = set(found) - {"ada"}
    for one in found.values():
        assert any(f"ada/{NAME}" in note and found[other].file.split("/")[0] in note for note in one.notes)


def test_who_came_first_keeps_the_name_without_a_roster(solved, put, sort_out, tmp_path):
    names = {}
    put(f"ADA/{NAME}", solved)
    assert set(sort_out(names=names)) == {"ADA"}
    put(f"ada/{NAME}", solved)
    names = json.loads(json.dumps(names))
    found = sort_out(names=names)
    assert found["ADA"].file == f"ADA/{NAME}" and len({name.casefold() for name in found}) == 2
    assert set(sort_out(names=names, roster=("ada",))) >= {"ada"}  # the roster's come first
    (tmp_path / "submitted" / "ADA" / NAME).unlink()
    assert "ADA" not in sort_out(names=names)


@pytest.mark.parametrize("roster", [(), ("ada",)])
def test_a_name_stays_free_for_who_has_it_while_she_hands_in_nothing(roster, solved, put, sort_out, tmp_path):
    names = {}
    ada = put(f"ada/{NAME}", solved)
    sort_out(roster=roster, names=names)
    ada.unlink(), ada.parent.rmdir()
    put(f"ADA/{NAME}", solved)
    for known in (names, {}) if roster else (names,):
        (name,) = sort_out(roster=roster, names=known)
        assert name.startswith("ADA-")


def test_a_name_of_the_roster_is_for_its_number(solved, put, sort_out):
    known, roster = {"4711": "ada", "4712": "bob"}, ("ada", "bob")
    put("ada_4712_1_x.ipynb", solved)  # bob calls himself ada
    put("eve_4711_2_x.ipynb", solved)
    put("bob_9999_3_x.ipynb", solved)  # a stranger
    found = sort_out(known=known, roster=roster)
    assert found["ada"].file == "eve_4711_2_x.ipynb" and found["bob"].file == "ada_4712_1_x.ipynb" and len(found) == 3
    put("x_4711_1__4712_88_x.ipynb", solved)  # bob calls himself x_4711_1_
    found = sort_out(known=known, roster=roster)
    assert found["ada"].file == "eve_4711_2_x.ipynb" and "two files" not in str(found["ada"].notes)
    assert any("not in the roster" in note for note in found["x_4711_1__4712_88_x"].notes)


def test_what_a_teacher_adds_in_a_folder_is_the_students(solved, put, sort_out):
    put("lovelaceada_4711_1_x.ipynb", solved)
    put(f"ada/{NAME}", solved)
    found = sort_out(known={"4711": "ada"}, roster=("ada",))
    assert set(found) == {"ada"} and "2-attention.ipynb, was not graded: it is older" in found["ada"].told[0]


def test_a_composed_letter_is_a_composed_letter():
    assert files.student_name("Zoe\u0308 L") == files.student_name("Zo\u00eb L")


# --- honest slips ---------------------------------------------------------------------------------------------------


def full(submission, solved):
    """Whether all answers of the solved notebook were found, and its functions run."""
    code = "\n".join(submission.cells)
    given = {name: cell(solved, name).source for name in submissions._released(ASSIGNMENT).answers}
    functions = [text for name, text in given.items() if name != WRITTEN]
    shown = {name: text.replace("\n", " ") for name, text in submission.answers.items()}
    return all(text in code for text in functions) and shown == {k: v.replace("\n", " ") for k, v in given.items()}


def test_characters_of_no_encoding_are_told(solved, put, sort_out):
    put(f"ada/{NAME}", nbformat.writes(solved).encode().replace(b"dot", b"d\xe9t"))
    ada = sort_out()["ada"]
    assert not ada.cells and "unusual encoding, and some characters are lost: open it in Jupyter" in ada.told[0]


def test_line_ends_of_windows_change_no_cell(solved, put, sort_out):
    for one in solved.cells:
        one.source = "\r\n".join(line + "  " for line in one.source.split("\n"))
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert not ada.notes and not ada.told and not ada.extra and "\r" not in "".join(ada.cells)


@pytest.mark.parametrize("name", [f"{NAME}.txt", f"{NAME}.json", "2-attention.json", "2-attention.txt", "2-attention"])
def test_another_ending_is_told_with_what_to_do(name, solved, put, sort_out):
    put(f"ada/{name}", solved), put(f"eve/{NAME}", solved), put(f"eve/{NAME[:-6]} (1).png", b"\x89PNG")
    found = sort_out()
    assert not found["ada"].cells and "is not called .ipynb: if it is your notebook, rename it" in found["ada"].told[0]
    assert full(found["eve"], solved) and not found["eve"].notes


def test_a_copy_with_a_number(solved, put, sort_out):
    put(f"ada/{ASSIGNMENT} (1).ipynb", solved)
    assert full(sort_out()["ada"], solved)


@pytest.mark.parametrize("name, content, why", REFUSED)
def test_what_cannot_be_read_is_told(name, content, why, put, sort_out):
    put(f"ada/{name}", content)
    ada = sort_out()["ada"]
    assert why.strip(".") in ada.notes[0] and f"Your file {name} could not be graded: it {why}" in ada.told[0]


def test_a_notebook_of_another_assignment(put, sort_out):
    put(f"ada/{NAME}", sources.solved_notebook("1-tokenization"))
    ada = sort_out()["ada"]
    assert "is the assignment 1-tokenization, and 2-attention was asked for: hand in that" in ada.told[0]
    assert not ada.cells


def test_a_notebook_of_something_else_is_told(put, sort_out):
    put("ada/x.ipynb", nbformat.v4.new_notebook(cells=[new_code_cell("x = 1")]))
    ada = sort_out(ASSIGNMENT)["ada"]
    assert ada.told == [
        "Your file x.ipynb could not be graded: it holds none of the assignment's functions: is it the right file?"
    ]


def test_a_copy_of_jupyters_own_is_no_submission(solved, put, sort_out):
    put(f"ada/.ipynb_checkpoints/{ASSIGNMENT}-checkpoint.ipynb", solved)
    assert "ada could not be graded: it is a folder without a file." in sort_out()["ada"].told[0]


def test_a_folder_without_a_file_is_told(solved, put, sort_out, tmp_path):
    for name in ("ada.l", "Bob_7_assignsubmission_onlinetext_", "eve/2-attention", ".git"):
        (tmp_path / "submitted" / name).mkdir(parents=True)
    put(f"Bob_7_assignsubmission_file_/{NAME}", solved)
    found = sort_out()
    assert set(found) == {"ada.l", "Bob", "eve"} and full(found["Bob"], solved) and not found["Bob"].notes
    assert found["ada.l"].notes == ["ada.l/: not graded: is a folder without a file"]
    assert "Your folder ada.l could not be graded: it is a folder without a file." in found["ada.l"].told[0]


def test_an_answer_that_was_emptied_is_blank(solved, put, sort_out):
    cell(solved, WRITTEN).source = " \n"
    put(f"ada/{NAME}", solved)
    assert gradebook.blank(sort_out()["ada"], WRITTEN)


def test_a_notebook_that_was_not_saved(put, sort_out):
    put(f"ada/{NAME}", sources.student_notebook(ASSIGNMENT))
    ada = sort_out()["ada"]
    assert "save it, hand it in again, and tell your teacher" in ada.told[0] and "as it was handed out" in ada.notes[0]


def test_a_notebook_that_never_ran_is_fine(solved, put, sort_out):
    put(f"ada/{NAME}", with_code(sources.student_notebook(ASSIGNMENT), "softmax", cell(solved, "softmax").source))
    assert not sort_out()["ada"].told


@pytest.mark.parametrize("by", [0, 1, 3])
def test_an_answer_in_a_new_cell(by, solved, put, sort_out):
    put(f"ada/{NAME}", moved("softmax", by))
    ada = sort_out()["ada"]
    assert full(ada, solved) and not ada.extra and "NotImplementedError" not in "".join(ada.cells)
    assert ada.notes == ["answer in another cell: softmax"] and "counts" in ada.told[0]


@pytest.mark.parametrize("by", [0, 1])
def test_words_in_a_new_cell_are_for_a_human(by, solved, put, sort_out):
    put(f"ada/{NAME}", moved(WRITTEN, by))
    ada = sort_out()["ada"]
    assert ada.extra == [("markdown", cell(solved, WRITTEN).source)] and not gradebook.blank(ada, WRITTEN)
    assert ada.notes == [f"no words in {WRITTEN}, but in cells that were added"]
    assert "your teacher is told to read them" in ada.told[0]


def test_two_functions_in_one_cell(solved, put, sort_out):
    blank = cell(sources.student_notebook(ASSIGNMENT), "attention").source
    both = cell(solved, "softmax").source + "\n\n" + cell(solved, "attention").source
    put(f"ada/{NAME}", with_code(with_code(solved, "softmax", both), "attention", blank))
    ada = sort_out()["ada"]
    assert ada.answers["attention"] == both and blank not in ada.cells and len(ada.told) == 1


def test_variables_in_a_new_cell(put, sort_out):
    solved, blank = sources.solved_notebook("5-project"), sources.student_notebook("5-project")
    own = cell(solved, "collection")
    solved.cells.insert(solved.cells.index(own) + 1, new_code_cell(own.source))
    own.source = cell(blank, "collection").source
    put("ada/x.ipynb", solved)
    ada = sort_out("5-project")["ada"]
    assert own.source not in ada.cells and len(ada.answers["collection"]) > 100


def test_given_cells_that_were_deleted_run(solved, put, sort_out):
    solved.cells = [one for one in solved.cells if one.source != "import numpy as np"]
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert ada.cells[0] == "import numpy as np" and not ada.notes


def test_stripped_metadata(solved, put, sort_out):
    """Functions are found by their names; words are for a human."""
    stripped = copy.deepcopy(solved)
    for one in stripped.cells:
        one.metadata = {}
    stripped.metadata = {}
    put("ada/x.ipynb", stripped)
    ada = sort_out()["ada"]
    assert ada.extra == [("markdown", cell(solved, WRITTEN).source)]
    assert set(ada.answers) == set(submissions._released(ASSIGNMENT).of("solution"))
    assert all(cell(solved, name).source in ada.cells for name in ada.answers)
    assert f"missing cells: {WRITTEN}" in ada.notes and "read them" in ada.told[-1]


def test_of_two_cells_the_one_that_was_written_in_counts(solved, put, sort_out):
    twice = copy.deepcopy(solved)
    place = twice.cells.index(cell(twice, "softmax"))
    twice.cells.insert(place, cell(sources.student_notebook(ASSIGNMENT), "softmax"))
    put(f"ada/{NAME}", json.dumps(twice))
    ada = sort_out()["ada"]
    assert full(ada, solved) and "duplicate cell: softmax" in ada.notes[0] and "twice" in ada.told[0]


@pytest.mark.parametrize("by", [-9, 0, 1, 9])
def test_of_two_copies_of_a_cell_the_last_one_counts(by, solved, put, sort_out):
    own = cell(solved, "softmax")
    copied = {**copy.deepcopy(own), "source": EMPTY}
    place = max(solved.cells.index(own) + by, 0)
    solved.cells.insert(place + (by > 0), nbformat.from_dict(copied))
    put(f"ada/{NAME}", json.dumps(solved))
    ada = sort_out()["ada"]
    first, last = (own.source, EMPTY) if by > 0 else (EMPTY, own.source)
    assert [text for text in ada.cells if "def softmax" in text] == [first, last]
    assert ada.answers["softmax"] == last and ada.extra == [("code", first)]
    assert len(ada.told) == 1 and "You have the cell softmax twice: the last one that was written in is" in ada.told[0]
    assert ada.notes == ["duplicate cell: softmax; the last one that was written in counts"]


def test_of_copies_of_a_written_cell_the_last_one_counts_and_the_others_are_shown(solved, put, sort_out):
    own = cell(solved, WRITTEN)
    for text in ("First.", cell(sources.student_notebook(ASSIGNMENT), WRITTEN).source, "Last."):
        solved.cells.append(nbformat.from_dict({**copy.deepcopy(own), "source": text}))
    solved.cells.remove(own)
    put(f"ada/{NAME}", json.dumps(solved))
    ada = sort_out()["ada"]
    assert ada.answers[WRITTEN] == "Last." and ada.extra == [("markdown", "First.")]
    assert f"You have the cell {WRITTEN} 3 times" in ada.told[0]


@pytest.mark.parametrize("where", ["above", "below", "attention"])
def test_a_function_that_is_defined_again(where, solved, put, sort_out):
    own = cell(solved, "softmax")
    again = new_code_cell(EMPTY) if where in ("above", "below") else cell(solved, where)
    if where in ("above", "below"):
        solved.cells.insert(1 if where == "above" else solved.cells.index(own) + 9, again)
    else:
        again.source += f"\n\n{EMPTY}"
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert "softmax" in ada.keep[ada.cells.index(own.source)] and ada.answers["softmax"] == own.source
    assert "softmax is defined again in another cell of yours: the one in the question's cell was graded." in str(
        ada.told
    )
    assert "softmax is defined again in another cell: the one in the question's cell counts" in ada.notes


TRIES = ["y = softmax(np.ones(3))", "def f(x):\n    softmax = x", "softmax == softmax", "x, softmax = 1, 2"]


@pytest.mark.parametrize("text", TRIES)
def test_a_function_that_is_used_is_not_defined_again(text, solved, put, sort_out):
    solved.cells.append(new_code_cell(text))
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert not ada.told and ada.extra == [("code", text)] and ada.answers["softmax"] == cell(solved, "softmax").source


@pytest.mark.parametrize("text", ["x = 1", "%pip install x", "softmax(np.ones(3))"])
def test_code_below_a_written_question_is_code(text, solved, put, sort_out):
    solved.cells.append(new_code_cell(text))
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert ada.extra == [("code", text)] and text in ada.cells and not ada.told


def test_what_stands_below_an_answer_is_shown_as_added(solved, put, sort_out):
    solved.cells += [new_markdown_cell("The rest."), new_code_cell(WORDS)]
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert ada.answers[WRITTEN] == cell(solved, WRITTEN).source
    assert ada.extra == [("markdown", "The rest."), ("code", WORDS)] and not ada.notes


def test_a_cell_that_was_deleted_is_told(solved, put, sort_out):
    solved.cells.remove(cell(solved, "softmax"))
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert "missing in your notebook: softmax." in ada.told[0] and "notebook as it was handed out" in ada.told[0]


def test_what_stands_in_the_questions_cell_is_graded_and_another_try_is_told(solved, put, sort_out):
    source = cell(solved, "softmax").source
    cell(solved, "softmax").source = "def softmax(x):\n    pass"
    solved.cells.append(new_code_cell(source))
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert source not in ada.answers["softmax"] and "If the other is right, move it there" in ada.told[0]


def test_text_elsewhere_may_be_the_answer_that_is_missing(solved, put, sort_out):
    cell(solved, WRITTEN).source = cell(sources.student_notebook(ASSIGNMENT), WRITTEN).source
    put(f"ada/{NAME}", solved)
    assert gradebook.blank(sort_out()["ada"], WRITTEN)
    solved.cells.insert(
        1, new_markdown_cell("**Answer 8.** The variance of a dot product of d numbers is d, so divide by its root.")
    )
    put(f"ada/{NAME}", solved)
    assert not gradebook.blank(sort_out()["ada"], WRITTEN)


def test_what_begins_with_a_heading_below_an_answer_is_something_else(solved, put, sort_out):
    solved.cells.append(new_markdown_cell("## My own tries"))
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert not ada.told and ada.answers[WRITTEN] == cell(solved, WRITTEN).source


def test_a_file_beside_that_cannot_be_read_is_told(solved, put, sort_out):
    put(f"ada/{NAME}", solved), put("ada/more.ipynb", "{")
    ada = sort_out()["ada"]
    assert "more.ipynb, was not graded: it is cut off" in ada.told[0] and "more.ipynb, not graded" in ada.notes[0]


def test_the_install_cell_of_a_released_notebook_does_not_run(put, sort_out):
    put("ada/x.ipynb", sources.student_notebook(ASSIGNMENT, f"{submissions.INSTALL}: run this\n%pip install x"))
    ada = sort_out()["ada"]
    assert not any("pip" in text for text in ada.cells) and not ada.extra and "as it was handed out" in ada.told[0]


# --- pictures -------------------------------------------------------------------------------------------------------


PNG = png(20, 10)


def test_pictures_in_the_text_itself_take_none_of_its_room(solved, put, sort_out):
    large = png(300, 200, 120_000)
    cell(solved, WRITTEN).source = f"Look: ![a](data:image/png;base64,{large}) and ![b](data:image/svg+xml;base64,AAAA)"
    put("ada/2-attention.ipynb", solved)
    ada = sort_out()["ada"]
    assert ada.answers[WRITTEN] == "Look: ![a](attachment:picture-1) and ![b](data:image/svg+xml;base64,AAAA)"
    assert ada.pictures == {WRITTEN: {"picture-1": ("image/png", large)}} and not ada.notes


def test_pictures_of_answers_and_added_cells(solved, put, sort_out):
    cell(solved, WRITTEN)["attachments"] = {"a.png": {"image/png": PNG}}
    added = [new_markdown_cell("x"), new_markdown_cell("y", attachments={"b.png": {"image/png": [PNG]}})]
    solved.cells = [*added, *solved.cells]
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert ada.pictures == {WRITTEN: {"a.png": ("image/png", PNG)}, "added-1": {"b.png": ("image/png", PNG)}}
    assert not ada.notes


@pytest.mark.parametrize(
    "attached",
    [
        7,
        {"a": 7},
        {"a.svg": {"image/svg+xml": PNG}},
        {"a.gif": {"image/gif": PNG}},
        {"a.jpg": {"image/jpeg": PNG}},
        {"a.png": {"image/png": png(20_000, 20_000)}},
        {"a.png": {"image/png": png(0, 10)}},
        {"a.jpg": {"image/jpeg": jpeg(8_000, 8_000)}},
        {"a.jpg": {"image/jpeg": jpeg(10, 10, scans=200)}},
        {"a.jpg": {"image/jpeg": jpeg(10, 10, segments=b"\xff\xe0\0\0" * 150_000 + b"x")}},
        {"a.png": {"image/png": "x" * 40}},
        {"a.png": {"image/png": PNG[:-1]}},
        {"a.png": {"image/png": [7, None]}},
        {"a.png": {"image/png": PNG + "A" * (files.MOST_BYTES // 3)}},
        {"\u202e.png": {"image/png": PNG}},
    ],
)
def test_what_is_no_picture_is_not_kept(attached, solved, put, sort_out):
    cell(solved, WRITTEN)["attachments"] = attached
    put(f"ada/{NAME}", json.dumps(solved))
    ada = sort_out()["ada"]
    assert not ada.pictures and (attached == 7 or "not shown" in ada.notes[0] and "at most 1 MB" in ada.told[0])


def test_pictures_are_bounded_by_the_size_in_their_headers_all_together(solved, put, sort_out):
    cell(solved, WRITTEN)["attachments"] = {"a.jpg": {"image/jpeg": jpeg(1_000, 900)}}
    many = {f"{i}.png": {"image/png": png(2_880, 1_800)} for i in range(3)}
    inside = new_markdown_cell("y ![](data:image/png;base64," + png(2_880, 1_800) + ")")
    solved.cells[1:1] = [new_markdown_cell("x", attachments=many), inside]
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert list(ada.pictures[WRITTEN]) == ["a.jpg"] and list(ada.pictures["added-0"]) == ["0.png", "1.png"]
    assert "added-1" not in ada.pictures and "2 pictures" not in ada.notes[0] and len(ada.notes) == 2


def test_there_are_only_so_many_pictures(solved, put, sort_out, monkeypatch):
    cell(solved, WRITTEN)["attachments"] = {f"{i}.png": {"image/png": PNG} for i in range(7)}
    put(f"eve/{NAME}", solved)
    cell(solved, WRITTEN)["attachments"] = {"0.png": {"image/png": PNG}}
    put(f"ada/{NAME}", solved)
    assert len(sort_out()["eve"].pictures[WRITTEN]) == pictures.MOST_IN_CELL
    monkeypatch.setattr(pictures, "MOST_OF_ALL", 500)
    found = sort_out()  # who has most loses them
    assert found["ada"].pictures and not found["eve"].pictures and "too many" in found["eve"].told[-1]


def test_what_is_far_too_much_is_cut_off_behind_the_answers(solved, put, sort_out):
    solved.cells[1:1] = [new_code_cell("x = 1\n" * 30_000), new_code_cell("y = 2\n" * 30_000)]
    put(f"eve/{NAME}", solved)
    eve = sort_out()["eve"]
    assert sum(map(len, eve.cells)) < 101_000 and full(eve, solved)
    assert "only the first 100000 were run" in eve.notes[0] and "only the first 100,000 characters" in eve.told[0]
    assert [text for kind, text in eve.extra] == [text for text in eve.cells if "x = 1\n" in text or not text]


# --- what may not take long -----------------------------------------------------------------------------------------

SLOW = {
    "names": "def softmax\n" * 64_000,
    "names that are assigned": "softmax = softmax = attention\n" * 64_000,
    "an indent": " " * 4_800_000 + "x = 1",
    "an indent and lines": " " * 5_000 + "\n" + (" " * 4_999 + "\n") * 800,
    "copies": sources.student_notebook(ASSIGNMENT).cells[-1].source * 3_000,
}


@pytest.mark.timed
@pytest.mark.parametrize("name", SLOW)
def test_reading_takes_a_time_that_grows_as_the_text_does(name, solved):
    solved.cells.append(new_code_cell(SLOW[name]))
    content = json.dumps(solved).encode()
    began = time.process_time()
    ada = submissions.read("ada", NAME, content, ASSIGNMENT)
    assert time.process_time() - began < 2 and full(ada, solved)


def endless(student, file, content, assignment):
    if b"<slow>" in content:
        while True:
            pass
    if b"<large>" in content:
        return bytes(2 << 30)
    if b"<ended>" in content:
        os._exit(3)
    return READ(student, file, content, assignment)


READ = submissions.read


def hostile(how):
    return json.dumps({"cells": [], "metadata": {"x": f"<{how}>"}})


@pytest.mark.parametrize("how", ["slow", "large", "ended"])
def test_a_file_that_holds_up_its_reader_is_told_and_costs_the_neighbors_nothing(
    how, solved, put, sort_out, monkeypatch
):
    monkeypatch.setattr(submissions, "read", endless)
    monkeypatch.setattr(apart, "SECONDS", 1)
    for i in range(20):
        put(f"eve/{i:02}.ipynb", hostile(how))
    put(f"ada/{NAME}", solved), put(f"zoe/{NAME}", solved)
    found = sort_out()
    assert full(found["ada"], solved) and full(found["zoe"], solved)
    assert "takes too much time or memory to read: clear all outputs" in found["eve"].told[0]
    assert "another file of the same student took too long" in found["eve"].told[1]


@pytest.mark.parametrize("how", ["slow", "large", "ended"])
def test_one_hostile_file_of_those_that_are_read_together_changes_nothing_of_the_others(
    how, solved, put, sort_out, monkeypatch
):
    monkeypatch.setattr(submissions, "read", endless)
    monkeypatch.setattr(apart, "SECONDS", 1)
    for i in range(apart.TOGETHER - 1):
        put(f"s{i}/{NAME}", with_code(solved, "softmax", f"def softmax(x):\n    return {i}"))
    put("s4/2.ipynb", "{")
    before = sort_out()
    put(f"s4-too/{NAME}", hostile(how))
    found = sort_out()
    assert "takes too much time or memory to read" in found.pop("s4-too").told[0]
    assert found == before and all("def softmax" in one.answers["softmax"] for one in found.values())


def test_one_process_reads_several_files(solved, put, sort_out, monkeypatch):
    def read(student, *arguments):
        return replace(READ(student, *arguments), notes=[os.getpid()])

    monkeypatch.setattr(submissions, "read", read)
    for i in range(2 * apart.TOGETHER):
        put(f"s{i}/{NAME}", solved)
    by = Counter(one.notes[0] for one in sort_out().values())
    assert set(by.values()) == {apart.TOGETHER} and os.getpid() not in by


def test_a_reader_that_is_killed_from_outside_is_no_fault_of_the_students():
    ((_, problem),) = apart.each(lambda: os.kill(os.getpid(), 9), [()])
    assert "no doing of the student's: grade again" in problem


# --- what runs is what the teacher sees -----------------------------------------------------------------------------


def test_a_given_cell_is_restored_and_told(solved, put, sort_out):
    given = next(one for one in solved.cells if one.source == "import numpy as np")
    given.source += "\nimport math"
    cell(solved, "softmax-public").source += "\nhidden = 1"
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    assert ada.cells[0] == "import numpy as np" and not any("math" in text for text in ada.cells)
    assert not any("hidden" in text for text in ada.cells)
    assert "changed cell" in ada.notes[0] and "used as it was given" in ada.notes[0]
    assert "what you wrote in it did not run" in ada.told[0] and "softmax-public" in ada.told[1]


def test_added_cells_run_as_far_as_they_are_shown(solved, put, sort_out):
    solved.cells += [new_code_cell(f"x = {i}") for i in range(submissions.MOST_ADDED + 6)]
    put(f"ada/{NAME}", solved)
    ada = sort_out()["ada"]
    last = submissions.MOST_ADDED - 1
    assert f"x = {last}" in ada.cells and f"x = {last + 1}" not in ada.cells
    assert ada.extra[-1] == ("code", f"x = {last}") and full(ada, solved)
    assert "56 added cells: only the first 50 were run and are shown" in ada.notes[0] and "56 cells" in ada.told[0]


def test_of_two_files_the_one_with_more_in_it_counts_else_the_newer_and_it_is_told(solved, put, sort_out):
    put(f"ada/{NAME}", sources.student_notebook(ASSIGNMENT))
    put(f"ada/{ASSIGNMENT} (1).ipynb", solved), put(f"ada/{ASSIGNMENT} (2).ipynb", solved)
    ada = sort_out()["ada"]
    assert ada.file == f"ada/{ASSIGNMENT} (2).ipynb"
    assert f"Another file of yours, {NAME}, was not graded: it is older than another of yours" in str(ada.told)
    assert len(ada.told) == 2


# --- memory ---------------------------------------------------------------------------------------------------------

HOSTILE = r"""
import json, re, sys
from pathlib import Path
from coursework import submissions

readable, unreadable = submissions.sorted_out(Path(sys.argv[1]), "2-attention")
status = Path("/proc/self/status").read_text()  # getrusage counts what the process that started this one had
print(json.dumps([len(readable), len(unreadable), int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024]))
"""


@pytest.mark.long
def test_hostile_notebooks_fit_into_memory(solved, tmp_path):
    room = files.MOST_BYTES - 200_000
    smile, odd = "\U0001f600", [[[]], {"a": {}}]
    cells = [{"cell_type": "code", "source": smile + "x = 1\n" * 10_000, "metadata": {}} for _ in range(70)]
    many = [{"cell_type": "markdown", "source": f"{smile}{i}" + "x" * 4_000, "metadata": {}} for i in range(900)]
    picture = {f"{i}.png": {"image/png": PNG + "AAAA" * 200_000} for i in range(4)}
    shapes = [
        json.dumps({"cells": [], "metadata": odd * 30})[:-1].replace("]}", "]")
        + ', "x": ['
        + "[]," * (room // 3)
        + "0]}",
        json.dumps({"cells": solved.cells, "metadata": {"x": odd * (room // 30)}}),
        json.dumps({"cells": solved.cells + cells, "metadata": {}}, ensure_ascii=False),
        json.dumps({"cells": solved.cells + many, "metadata": {}}, ensure_ascii=False),
        json.dumps({"cells": [*solved.cells, {**new_markdown_cell("x"), "attachments": picture}], "metadata": {}}),
        json.dumps({"cells": [*solved.cells, new_code_cell('",' * (room // 3))], "metadata": {}}),
    ]
    (tmp_path / "submitted").mkdir()
    for i, text in enumerate(shapes):
        (tmp_path / f"{i}.ipynb").write_text(text, encoding="utf-8")
        assert (tmp_path / f"{i}.ipynb").stat().st_size <= files.MOST_BYTES
    for i in range(40):
        os.link(tmp_path / f"{i % len(shapes)}.ipynb", tmp_path / "submitted" / f"eve{i}.ipynb")
    run = [sys.executable, "-c", HOSTILE, tmp_path / "submitted"]
    readable, unreadable, most = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)
    assert (readable, unreadable) == (33, 7) and most < 300


def test_a_roster_names_the_students_of_an_lms(solved, put, sort_out, tmp_path):
    (tmp_path / "class.csv").write_text('Student,ID,SIS Login ID\n"Lovelace, Ada",4711,al1815\n')
    roster = gradebook.read_roster(tmp_path / "class.csv")
    put("lovelaceada_4711_99_x.ipynb", solved)
    assert set(sort_out(known=gradebook.numbers(roster), roster=tuple(roster))) == {"al1815"}
