"""Files that students hand in: archives and folders are bounded, links are not followed, names stay whose they are."""

import io
import json
import os
import random
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from coursework import files, rosters
from tests.coursework.conftest import ASSIGNMENT, solved_notebook, with_code
from tests.coursework.test_rosters import PLATFORMS

NAME = f"{ASSIGNMENT}.ipynb"
SOLVED = solved_notebook(ASSIGNMENT)
WRONG = with_code(SOLVED, "softmax", "def softmax(x):\n    return x")


def softmax_of(submission):
    """ "right" or "wrong": which of the two notebooks above it is."""
    return "wrong" if "return x" in submission.answers["softmax"].splitlines()[1] else "right"


def zipped(content, method=zipfile.ZIP_DEFLATED):
    """The bytes of an archive. content: path -> notebook, text or bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, text in content.items():
            archive.writestr(name, text if isinstance(text, (str, bytes)) else json.dumps(text))
    return file.getvalue()


def patched(offset, value, content=None, method=zipfile.ZIP_DEFLATED):
    """An archive of one file, with a value written over what its list of files says."""
    archive = zipped({"eve.ipynb": SOLVED if content is None else content}, method)
    place = archive.rindex(b"PK\x01\x02") + offset
    return archive[:place] + value + archive[place + len(value) :]


def overlapping(count):
    """An archive whose list names the same 4 MB again and again."""
    archive = zipped({"eve.ipynb": bytes(4 << 20)})
    start, end = archive.rindex(b"PK\x01\x02"), archive.rindex(b"PK\x05\x06")
    listed = archive[start:end] * count
    return archive[:start] + listed + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(listed), start, 0)


BOMB = bytes(24 << 20)
SMALL = struct.pack("<L", 1000)  # what its list of files says of its size
# name -> (the archive, what is said of it, megabytes that its reader may take)
HOSTILE = {
    "a bomb": (lambda: zipped({"eve.ipynb": BOMB}), "larger than", 8),
    "a bomb of bzip2": (lambda: patched(24, SMALL, BOMB, zipfile.ZIP_BZIP2), "unusual way", 8),
    "a bomb that says it is small": (lambda: patched(24, SMALL, BOMB), "is broken: BadZipFile", 16),
    "zstandard": (lambda: patched(10, b"\x5d\x00"), "unusual way", 8),
    "encrypted": (lambda: patched(8, b"\x01\x00"), "unusual way", 8),
    "a later version of zip": (lambda: patched(6, b"\x63\x00"), "not graded", 8),
    "noise": (lambda: patched(-400, random.Random(0).randbytes(340)), "not graded", 8),
    "very many files": (lambda: zipped({f"{i:040}": "" for i in range(30_000)}), "lists too many files", 12),
    "so many that it is zip64": (lambda: zipped(dict.fromkeys(map(str, range(66_000)), "")), "lists too many", 12),
    "files that overlap": (lambda: overlapping(1_100), "nothing in it was opened", 8),
}  # fmt: skip


def test_files_too_large_to_open_close_no_archive(put, sort_out, monkeypatch):
    monkeypatch.setattr(files, "MOST_ARCHIVE", len(BOMB))
    put("all.zip", zipped({"bob_1_2_x.ipynb": SOLVED, "eve_3_4_x.ipynb": BOMB}))
    assert sort_out()["bob"].cells


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archive_is_told_and_bounded(name, put, sort_out):
    make, said, megabytes = HOSTILE[name]
    put("eve.zip", make())
    put(f"bob/{NAME}", SOLVED)
    tracemalloc.start()
    found = sort_out()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < megabytes << 20
    assert said in found["eve"].notes[0] and not found["eve"].cells
    assert found["bob"].answers and not found["bob"].notes


@pytest.mark.parametrize("place", ["eve/x.zip", "eve_1_2_x.zip", "all.zip"])
def test_a_students_archive_is_not_opened(place, put, sort_out):
    """In a student's folder, under Canvas's name, or in the archive of an LMS: nobody hands in under another's name."""
    names = (NAME, "bob_12_34_x.ipynb", f"bob/{ASSIGNMENT}/{NAME}", f"../bob/{NAME}")
    content = zipped(dict.fromkeys(names, WRONG))
    put(place, zipped({"eve_77_7_x.zip": content}) if place == "all.zip" else content)
    put(f"bob/{NAME}", SOLVED)
    found = sort_out()
    assert set(found) == {"bob", "eve"} and not found["eve"].cells
    assert "is an archive: unpack it, and hand in the .ipynb that is inside." in found["eve"].told[0]
    assert softmax_of(found["bob"]) == "right" and not found["bob"].notes


def test_archive_of_an_lms_holds_a_class(put, sort_out, tmp_path):
    """What is hidden in it, lies deep, or is nobody's, is not a second notebook; paths in it name no places."""
    content = {f"student{i}_{i}_7_{NAME}": SOLVED for i in range(40)}
    content |= {"kim_78_7_x.ipynb": "PK", "x.txt": "nobody's", f"eve/{NAME}": SOLVED}
    content |= {f"eve/.ipynb_checkpoints/{NAME}": "{}", f"__MACOSX/eve/._{NAME}": "x"}
    content |= {"eve/" + "/" * 3000 + "a.ipynb": "{}"}
    content |= dict.fromkeys(("../../outside/x.ipynb", "/etc/x.ipynb", "C:\\temp\\y.ipynb"), SOLVED)
    put("all.zip", zipped(content))
    before = set(tmp_path.rglob("*"))
    found = sort_out()
    assert len(found) == 45 and "is not a notebook" in found.pop("kim").notes[0]
    assert len(found.pop("eve").notes) == 1  # of the one with the slashes
    assert all(one.answers and not one.notes for one in found.values())
    assert not [name for name in found if set(name) & set("/\\:") or ".." in name]
    assert set(tmp_path.rglob("*")) == before


def test_only_regular_files_are_opened(put, monkeypatch, sort_out, tmp_path):
    """No links, pipes, deep files, and no folders that may not be opened; that costs no other file."""
    for path in ("ada", "bob", "closed", "kim/closed", "kim"):
        put(f"{path}/{NAME}", SOLVED)
    put(f"max/{'d/' * 900}x.txt", "")
    submitted, original = tmp_path / "submitted", os.scandir
    os.mkfifo(submitted / "ada" / "pipe.ipynb")
    os.mkfifo(submitted / "eve.ipynb")
    (submitted / "zoe").symlink_to(submitted / "bob")
    (submitted / "lee").mkdir()
    (submitted / "lee" / NAME).symlink_to(submitted / "bob" / NAME)

    def scandir(path):
        if os.path.basename(path) == "closed":
            raise PermissionError(13, "Permission denied", path)
        return original(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = sort_out()
    odd = {"ada": "ada/pipe.ipynb", "max": f"max/{'d/' * 9}d", "eve": "eve.ipynb", "zoe": "zoe", "lee": f"lee/{NAME}"}
    why = "is a link, or no regular file, or too deep in folders: it was not opened"
    expected = {name: f"{path}: not graded: {why}" for name, path in odd.items()}
    for name, path in {"closed": "closed", "kim": "kim/closed"}.items():
        expected[name] = f"{path}: not graded: could not be opened: Permission denied"
    assert {name: one.notes[0] for name, one in found.items() if one.notes} == expected
    assert {name for name, one in found.items() if one.cells} == {"ada", "bob", "kim"}


def test_a_flood_of_files_is_cut(put, sort_out, tmp_path):
    put(f"ada/{NAME}", SOLVED)
    put(f"eve/{NAME}", SOLVED)
    more = tmp_path / "submitted" / "eve" / "more"
    more.mkdir()
    for i in range(files.MOST_SEEN + 10):
        (more / f"{i}.txt").touch()
    for i in range(files.MOST_FILES + 5):
        put(f"kim/{i}.ipynb", "{}")
    put("all.zip", zipped({f"lee/{i}.ipynb": "{}" for i in range(files.MOST_FILES + 5)}))
    found = sort_out()
    assert not found["ada"].notes and found["eve"].answers
    assert "contains more than 2,000 files" in found["eve"].notes[0]
    for name in ("kim", "lee"):
        assert len(found[name].notes) == files.MOST_FILES + 1
        assert "25 files: only the first 20 were opened" in found[name].notes


BLACKBOARD = "Last Name\tFirst Name\tUsername\nLovelace\tAda\ta_1\nHopper\tGrace\t1\n"
CANVAS, MOODLE = (PLATFORMS[name][0] for name in ("Canvas", "Moodle"))


@pytest.mark.parametrize("text, path, student", [
    ("", f"Ada L/{ASSIGNMENT}/{NAME}", "Ada-L"), ("", "ada.ipynb", "ada"), ("", f"{'ё' * 80}/x", "ё" * 80),
    ("", "lovelaceada_4711_99_x.ipynb", "lovelaceada"), ("", "lovelaceada_LATE_4711_99_x.ipynb", "lovelaceada"),
    ("", "Ada Lovelace_815_assignsubmission_file_/x.ipynb", "Ada-Lovelace"),
    ("", "2-attention_ada_attempt_2026-11-03-10-15-00_2-attention.ipynb", "ada"),
    ("", "Home_work_1_ada_attempt_2026-11-03-10-15-00_x_bob_attempt_2026-11-03-10-15-00_4711_99_x.ipynb", "ada"),
    (BLACKBOARD, "2-attention_a_1_attempt_2026-11-03-10-15-00_x.pdf", "a_1"),
    (CANVAS, "lovelaceada_4711_99_x.ipynb", "ada@x.edu"), (CANVAS, "teststudent_LATE_4999_98_x.ipynb", "4999"),
    (CANVAS, "turingalan_4713_97_x.ipynb", "turingalan"), (CANVAS, "studenttest_5000_97_x.ipynb", "studenttest"),
    (MOODLE, "Ada Lovelace_815_assignsubmission_file_/x.ipynb", "ada@x.edu"),
    ("", ".Net Fan_815_assignsubmission_file_/x.ipynb", "Net-Fan"),
])  # fmt: skip
def test_each_layout_names_the_student(text, path, student, put, tmp_path):
    (tmp_path / "class.csv").write_text(text)
    roster = rosters.read_roster(tmp_path / "class.csv") if text else {}
    known = rosters.known(roster)
    for checkpoint in (".ipynb_checkpoints/x.ipynb", f"{path.rpartition('/')[0]}/.ipynb_checkpoints/x.ipynb"):
        put(checkpoint, "{}")
    put(path, "{}")
    ((name, (found,), _),) = files.find(tmp_path / "submitted", known, roster)
    assert (name, found.shown) == (student, path)


GRADESCOPE = Path(__file__).with_name("submission_metadata.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("top", ["", "assignment_4_export/"])
def test_gradescopes_folders_are_their_submitters(top, put, sort_out):
    """By the roster's ids; what a student puts into a folder of the same kind says nothing."""
    put(f"{top}submission_metadata.yml", GRADESCOPE)
    put(f"{top}submission_12345/{NAME}", SOLVED)
    put(f"{top}submission_12345/submission_metadata.yml", GRADESCOPE.replace("12345", "678"))
    put(f"{top}submission_678/{NAME}", WRONG)
    found = sort_out(roster=("99", "grace@x.edu", "eve@x.edu"))
    assert {student: softmax_of(one) for student, one in found.items()} == {"99": "right", "grace@x.edu": "wrong"}
    put(f"{top}submission_metadata.yml", GRADESCOPE.replace("Ada Lovelace", "eve@x.edu"))  # people choose their names
    assert set(sort_out(roster=("99", "grace@x.edu", "eve@x.edu"))) == {"99", "grace@x.edu"}
    put(f"{top}submission_metadata.yml", GRADESCOPE)
    assert set(sort_out()) == {"Ada-Lovelace", "Grace-Hopper"}
    put("all.zip", zipped(dict.fromkeys(["assignment_4_export/submission_metadata.yml", "x/submission_1/x"], "")))
    assert "is an export of Gradescope: unpack it here" in sort_out()["all"].notes[0]
    put("all.zip", zipped({"Bob_7_assignsubmission_file_/submission_metadata.yml": "", "kim_1_2_x.ipynb": SOLVED}))
    assert sort_out()["kim"].cells  # one student's file of that name refuses nobody's archive


ALIKE = [("a b", "a-b"), ("Ada", "ada"), ("Zoë L", "Zoe L"), ("x" * 90, "x" * 91)]
ALIKE += [tuple(f"Ada Lovelace_{number}_assignsubmission_file_" for number in (815, 816))]


@pytest.mark.parametrize("one, other", ALIKE)
def test_names_that_read_alike_stay_two_students(one, other, put, sort_out):
    put(f"{one}/{NAME}", SOLVED)
    put(f"{other}/{NAME}", WRONG)
    found = sort_out()
    assert sorted(map(softmax_of, found.values())) == ["right", "wrong"]
    assert all("reads like" in " ".join(each.notes) for each in found.values())


@pytest.mark.parametrize("newcomer", ["ADA", "ａｄａ", "ada ", "ada\u3164", "ada_99_1_x.ipynb"])
@pytest.mark.parametrize("roster", [(), ("ada", "bob")])
@pytest.mark.parametrize("later", [False, True])
def test_a_newcomer_displaces_nobody(newcomer, roster, later, put, sort_out):
    names = {}
    put(f"ada/{NAME}", SOLVED)
    if later:
        sort_out(roster=roster, names=names)
    put(newcomer if newcomer.endswith("ipynb") else f"{newcomer}/{NAME}", WRONG)
    found = sort_out(roster=roster, names=names)
    assert found["ada"].file == f"ada/{NAME}" and len(found) == 2
    (other,) = set(found) - {"ada"}
    assert f"another student: it is graded as {other}" in " ".join(found[other].notes)
    for one in found.values():
        assert any(f"ada/{NAME}" in note and found[other].file.split("/")[0] in note for note in one.notes)


@pytest.mark.parametrize("roster", [(), ("ada",)])
def test_a_name_stays_free_for_who_has_it(roster, put, sort_out):
    """Also in a week in which she hands in nothing."""
    names = {}
    ada = put(f"ada/{NAME}", SOLVED)
    sort_out(roster=roster, names=names)
    ada.unlink()
    ada.parent.rmdir()
    put(f"ADA/{NAME}", SOLVED)
    for known in (names, {}) if roster else (names,):
        (name,) = sort_out(roster=roster, names=known)
        assert name.startswith("ADA-")
    if not roster:
        put(f"kim/{NAME}", SOLVED)
        sort_out(names=names)
        put(f"KIM/{NAME}", SOLVED)
        assert "KIM" in sort_out(roster=("KIM",), names=names)  # the roster's come first


CLASS = {"known": {"4711": "ada", "4712": "bob", "ada-lovelace": "ada"}, "roster": ("ada", "bob", "kim", "lee")}
TWO_NUMBERS = "x_4711_1__4712_88_x"
BACKSLASH = "eve_11_1_x_4712_assignsubmission_file_\\2-attention-99.ipynb"
# What is tried -> (student -> the file that counts, None if none does; more files, or "archive: path in it").
TRIED = {
    "bob calls himself ada": ({"ada": "eve_4711_2_x.ipynb", "bob": "ada_4712_1_x.ipynb"}, []),
    "a stranger calls himself bob": ({"bob": "b_4712_1_x.ipynb", "bob-ea44b8e8": "bob_9999_3_x.ipynb"}, []),
    "bob uses another's number in his name": ({"ada": "eve_4711_2_x.ipynb", TWO_NUMBERS: f"{TWO_NUMBERS}.ipynb"}, []),
    "bob puts another's number behind a backslash": (
        {"ada": "all.zip: b_4711_2_x.ipynb", "eve": f"all.zip: {BACKSLASH}"}, []
    ),
    "somebody makes an archive": (
        {"bob": f"bob/{NAME}", "lee": f"class.zip: lee/{NAME}", "kim": None},
        [f"class.zip: kim/{NAME}", f"a.zip: bob/{NAME}", f"a.zip: kim/{NAME}"],
    ),
    "somebody makes an archive with a number": ({"ada": f"ada/{NAME}"}, ["a.zip: x_4711_9_x.ipynb"]),
    "the teacher adds a folder": ({"ada": "lovelaceada_4711_1_x.ipynb"}, [f"ada/{NAME}"]),
    "the teacher gives a folder her full name": (
        {"ada": "lovelaceada_4711_1_x.ipynb"}, [f"Ada LOVELACE/{NAME}", "Ada Lovelace.ipynb"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("tried", TRIED)
def test_each_file_is_its_students(tried, put, sort_out):
    right, more = TRIED[tried]
    paths = [*filter(None, right.values()), *more]
    for archive in {path.split(": ")[0] for path in paths}:
        inside = {path.split(": ")[1]: SOLVED for path in paths if path.startswith(f"{archive}: ")}
        put(archive, zipped(inside) if inside else SOLVED)
    found = sort_out(**CLASS)
    assert {student: one.file if one.cells else None for student, one in found.items()} == right
    for student, one in found.items():
        assert any("not in the roster" in note for note in one.notes) == (student not in CLASS["roster"])
