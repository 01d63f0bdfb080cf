"""The class as learning platforms list it: read, or refused with the way to save it; and who is in which variant."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from coursework import exports, grading, lateness, reports, results, rosters
from coursework.__main__ import main
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, FULL, blocks, rows, solved_notebook

PLATFORMS = {}  # name -> (the file, (id, last name, first name) of the first student)
for head, text in blocks("platforms.txt").items():
    platform, *right = map(str.strip, head.split("|"))
    PLATFORMS[platform] = text, tuple(right)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_usual_platforms_are_read(platform, encoding, tmp_path):
    text, right = PLATFORMS[platform]
    (tmp_path / "class.csv").write_bytes(text.encode(encoding))
    first = next(iter(rosters.read_roster(tmp_path / "class.csv").values()))
    assert (first.id, first.last_name, first.first_name) == right
    rosters.keep(tmp_path, ASSIGNMENT, {first.id: first})
    assert rosters.kept(tmp_path, ASSIGNMENT) == {first.id: first}


REFUSED = {
    "cp1252": ("student,last_name\nada,Möller\n".encode("cp1252"), "line 2 is not. In Excel: Save as, CSV UTF-8"),
    "a workbook": (b"PK\x03\x04 xl/workbook.xml", "is a workbook and must be a CSV file. In Excel: Save as, CSV UTF-8"),
    "half a letter": (b"\xff\xfes\x00t", "must be UTF-8"), "nothing": (b"", "got nothing. Export it in English"),
    "German": ("Vollständiger Name;E-Mail\nAda;a@x\n".encode(), "got Vollständiger Name, E-Mail. Export"),
    "no headings": (b"ada\nbob\n", 'name the column that matches the files "student"'),
    "names twice": (b"student\nada\nada\nbob\nbob\n", "names ada, bob twice"),
    "a quote too many": (b'student,l\nada,"A\nbob,B\n', "cannot be read at line 3: unexpected end of data. Is one"),
    "a very long cell": (b"student,l\nada," + b"A" * 200_000, "cannot be read at line 2: field larger than"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_others_are_refused_with_a_remedy(what, tmp_path):
    data, said = REFUSED[what]
    (tmp_path / "class.csv").write_bytes(data)
    with pytest.raises(ValueError, match="class.csv ") as error:
        rosters.read_roster(tmp_path / "class.csv")
    assert said in str(error.value)


@pytest.fixture
def refused(tmp_path, capsys, monkeypatch):
    """refused(assignment, ...): what the command says when it refuses to grade; then it has written no marks."""
    monkeypatch.setattr(grading.sandbox, "ready", lambda: None)

    def run(assignment, roster=""):
        folder, where, path = (str(tmp_path / name) for name in ("submitted", "out", "class.csv"))
        Path(path).write_text(roster)
        how = ["--to", where, "--assignment", assignment, *(["--roster", path] if roster else [])]
        assert main(["grade", folder, *how]) == 2
        assert not results.assignments_in(tmp_path / "out") and not list(tmp_path.glob("out/*.csv"))
        return capsys.readouterr().err

    return run


def test_the_list_of_another_assignment_is_refused(put, refused):
    """Moodle's numbers are others in each assignment, and in German the names are under another heading."""
    for number, name in ((815, "Ada Lovelace"), (816, "Bob B")):
        put(f"{name}_{number}_assignsubmission_file_/x.ipynb", solved_notebook(ASSIGNMENT))
    list_of = "Identifier,Full name,Email address,Status\nParticipant 1,Ada Lovelace,a@x,\nParticipant 2,Bob B,b@x,\n"
    assert "none of the 2 students who handed in a file is in the roster" in refused(ASSIGNMENT, list_of)


def test_the_list_of_another_section_is_refused(put, tmp_path, refused):
    """It would take the place of the first section's list, and of its names and numbers in the gradebook."""
    put("eve.ipynb", solved_notebook(ASSIGNMENT))
    rosters.keep(tmp_path / "out", ASSIGNMENT, {name: rosters.Student(name) for name in ("ada", "bob")})
    said = refused(ASSIGNMENT, "student\neve\n")
    assert "names none of the 2 students" in said and "--to, or another variant's name, such as 2-attention-b" in said
    rosters.check_same_class(tmp_path / "out", ASSIGNMENT, {"bob": rosters.Student("bob")})
    rosters.check_same_class(tmp_path / "out", f"{ASSIGNMENT}-b", {"eve": rosters.Student("eve")})


def test_an_empty_folder_and_a_mistyped_variant_are_refused(put, refused, tmp_path):
    (tmp_path / "submitted").mkdir()
    assert "submitted contains no submission" in refused(ASSIGNMENT)
    put("ada.ipynb", solved_notebook("2-attention-2027"))
    put("bob.ipynb", "{")
    said = "no file belongs to 2-attention-207. ada.ipynb: not graded: is assignment 2-attention-2027, but"
    assert said in refused("2-attention-207")


def test_most_files_of_another_assignment_are_told(capsys):
    """One notebook without names of cells can belong to any assignment, so the command may be wrong all the same."""
    others = [Marks(name, ASSIGNMENT, file=name, notes=["is 2-b, but 2-a was asked for"]) for name in ("ada", "bob")]
    mine = [Marks(name, ASSIGNMENT, file=name, points=dict(FULL)) for name in ("eve", "kim")]
    assert not reports.of_another("2-a", others + mine) and not capsys.readouterr().out
    said = "2 of 3 students handed in another assignment or variant. Is 2-a right?"
    assert reports.of_another("2-a", others + mine[:1]) == [said] and said in capsys.readouterr().out


def noted(tmp_path, digest, **row):
    """The days late of ada, after a grading with this file and row of the roster."""
    marks = [Marks("ada", ASSIGNMENT, "Ada_8_assignsubmission_file_/x", digest, points=dict(FULL))]
    students = {"ada": rosters.Student("ada", row=tuple(row.items()))}
    lateness.note_late(tmp_path, ASSIGNMENT, marks, students, "10%/day")
    return lateness.late(tmp_path, ASSIGNMENT)["ada"].days


def test_lateness_belongs_to_the_file_that_counts(tmp_path):
    """A later file that does not count makes the one that does no later; an extension makes it less late."""
    assert noted(tmp_path, "first", Status="Submitted for grading") == 0
    assert noted(tmp_path, "first", Status="Submitted for grading - 3 days late") == 0
    assert noted(tmp_path, "second", Status="Submitted for grading - 3 days late") == 3
    for no_file in ("Reopened", "No submission", "Nothing submitted for this attempt"):
        assert noted(tmp_path, "second", Status=no_file) == 3
    assert noted(tmp_path, "second", Status="Submitted for grading") == 0
    for said in ("2", "2.0", "2,0"):  # the teacher's own word, as a list and as spreadsheets write it
        assert noted(tmp_path, said, days_late=said) == 2


@pytest.mark.parametrize("days", ["1.5", "1,5", "-1", "two", "3 days", "²"])
def test_days_late_are_a_whole_number(days, tmp_path):
    with pytest.raises(ValueError, match="days_late of ada in the roster must be a whole number, got"):
        noted(tmp_path, "first", days_late=days)


STATUS = dict(line.split("\t") for line in Path(__file__).with_name("status.tsv").read_text("utf-8").splitlines())


@pytest.mark.parametrize("status", STATUS)
def test_durations_are_read_whole_or_rejected(status):
    if STATUS[status]:
        assert lateness._days(status, "ada") == int(STATUS[status])
    else:
        with pytest.raises(ValueError, match="the roster's Status of ada is not understood"):
            lateness._days(status, "ada")


def test_a_student_of_one_variant_lacks_nothing_in_the_other(tmp_path):
    one, other = "2-attention-2027", "2-attention-2028"
    for student, assignment, points in (("ada", one, FULL), ("bob", other, FULL), ("bob", one, {}), ("ada", other, {})):
        results.save(tmp_path, Marks(student, assignment, points=dict(points)))
    both = ["ada", "bob", "kim"]
    assert [marks.student for marks in results.marks_in(tmp_path, one, both)] == ["ada", "kim"]
    assert [marks.student for marks in results.marks_in(tmp_path, other, both)] == ["bob", "kim"]
    (tmp_path / "marks" / one / "lee.json").write_text("damaged")
    kim = {"kim": rosters.Student("kim", "Lee", "Kim")}
    reports.write(SimpleNamespace(to=tmp_path, assignment=one, late=None), results.marks_in(tmp_path, one, kim), kim)
    report = (tmp_path / "report.md").read_text()
    assert "Graded only in another variant: bob. Two sections need two folders" in report
    assert "No submission, 2-attention-2027: kim (Kim Lee)." in report and "Not in the roster: ada. If" in report
    for path in (f"{one}/NAME.json", "VARIANT"):  # how to remove what should not be there
        assert f"delete {tmp_path}/marks/{path} and" in report
    (tmp_path / "marks" / one / "ada.json").unlink()
    shutil.rmtree(tmp_path / "marks" / other)
    assert main(["feedback", "--to", str(tmp_path)]) == 0
    assert "ada" not in (text := (tmp_path / "grades.csv").read_text()) and other not in text and "kim" in text


def test_a_full_name_is_one_students():
    people = {"ada": "Lovelace, Ada", "kim": "Lee, Kim", "kim2": "Lee, Kim", "bob": "Kim, Ada", "ada-kim": "X, Zoë"}
    students = {id: rosters.Student(id, *name.split(", ")) for id, name in people.items()}
    right = {"ada-lovelace": "ada", "lovelace-ada": "ada", "kim-ada": "bob", "zoe-x": "ada-kim", "x-zoe": "ada-kim"}
    assert rosters.known(students) == right  # ada-kim is another's id


def test_canvas_gets_its_numbers_whichever_list_came_last():
    lists = [{"ada": rosters.Student("ada", row=row)} for row in ((("ID", "4711"),), (("Username", "ada"),))]
    assert exports._canvas({}, dict(enumerate(lists)), [])[-1][1] == "4711"


def test_names_and_ids_are_those_of_the_roster(tmp_path):
    (tmp_path / "class.csv").write_text('student,Group\n李明,\n"Müller, Jörg",A\n', encoding="utf-8")
    rosters.keep(tmp_path, ASSIGNMENT, rosters.read_roster(tmp_path / "class.csv"))
    assert [dict(one.row)["group"] for one in rosters.kept(tmp_path, ASSIGNMENT).values()] == ["", "A"]
    for student in ("李明", "Müller-Jörg"):
        results.save(tmp_path, Marks(student, ASSIGNMENT, points=dict.fromkeys(FULL, 0)))
    assert main(["feedback", "--to", str(tmp_path)]) == 0
    lines = rows(tmp_path / "grades.csv")
    assert set(lines) == {"李明", "Müller, Jörg"} and lines["李明"]["automatic"] == "0"
    assert all((tmp_path / "feedback" / one / f"{ASSIGNMENT}.html").is_file() for one in ("李明", "Müller-Jörg"))
