"""A whole term by a teacher's commands: five assignments, sixty students in two sections with a variant each.

The table of marks is made here, out of what each student was built to hand in; the grader is asked for none of it. What
it exports is read by what Canvas and Moodle document of their imports, and by nothing of the grader's.
"""

import contextlib
import copy
import csv
import io
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from pathlib import Path

import pytest

grading = pytest.importorskip("coursework.grading")
import nbformat  # noqa: E402
from nbgrader.api import MissingEntry  # noqa: E402

from coursework import gradebook, sandbox, sources  # noqa: E402
from coursework.__main__ import main  # noqa: E402
from tests.coursework.conftest import cell  # noqa: E402

STUDENTS = range(60)
SECTIONS = {"2027": STUDENTS[:30], "2028": STUDENTS[30:]}
LOST = {  # questions that nothing else of the assignment needs, by the names of their cells, with their numbers
    "1-tokenization": {"words": 1, "match-from-right": 3, "pad": 7, "pack": 8, "encode-pair": 9},
    "2-attention": {"causal-mask": 3, "sinusoidal": 5, "shift-matrix": 6, "rotate": 7},
    "3-bert-layer": {"grouped-query-attention": 5, "bert-layer": 7, "pre-norm-layer": 8},
    "4-geometry": {"anisotropy": 3, "two-nn": 4, "swap": 8},
    "5-project": {"neighbor-margin": 3, "report": 5},
}
CASES = {"anisotropy": 1, "two-nn": 1}  # points more, of the check of BERT's vectors, where each is one of three cases
CALLED = {"swap": "swap_p"}
RULES = dict(zip(LOST, ["", "10%/day", "20%/day,2", "12.5%/day", "5%/day,4"], strict=True))
MARKED_BETWEEN = ["1-tokenization", "4-geometry"]  # the words, before the second submissions came
VARIED = ["1-tokenization", "2-attention"]
CANVAS = ["1-tokenization", "2-attention", "3-bert-layer"]
WRONG = ["another assignment", "another variant", "cut off", "a document"]


@dataclass(frozen=True)
class HandedIn:
    """What one student hands in. what: "a notebook", one of WRONG, or "nothing". number: larger is newer.

    lost: the questions whose function stops. words: whether the written answers are there.
    """

    what: str = "a notebook"
    lost: tuple = ()
    words: bool = True
    days: int = 0
    number: int = 1
    copied: int = 0


@dataclass
class Plan:
    """A student's way through an assignment: what came first, what came later, and what counts in the end."""

    first: HandedIn
    second: HandedIn | None = None
    again: bool = False  # the teacher's word is that the second counts
    counts: HandedIn | None = None
    words: dict = field(default_factory=dict)  # written cell -> the teacher's points


def login(student):
    return f"s{student:02}@school.edu"


def number(student, of="canvas"):
    return (9000 if of == "canvas" else 700) + student


def names(student):
    """(last name, first name), some of them unusual."""
    odd = {3: ("O'Neil", 'Zoë "Z"'), 4: ("=SUM(A1)", "Kim"), 5: ("de la Cruz, Jr.", "Ana"), 6: ("Müller", "Jörg")}
    return odd.get(student, (f"Last{student:02}", f"First{student % 7}"))


def variant(student):
    return next(year for year, students in SECTIONS.items() if student in students)


def called(assignment, student):
    return f"{assignment}-{variant(student)}" if assignment in VARIED else assignment


@pytest.fixture(scope="module")
def plans():
    """(student, assignment) -> Plan, drawn once."""
    rng, made = random.Random(36), {}
    for assignment, questions in LOST.items():
        canvas = assignment in CANVAS
        most = 1 if assignment in VARIED else 5  # Canvas says that it is late, not by how much
        for student in STUDENTS:

            def drawn(**how):
                lost = tuple(question for question in questions if rng.random() < 0.3)
                late = rng.randint(1, most) if rng.random() < 0.25 else 0
                return HandedIn(**{"lost": lost, "words": rng.random() < 0.9, "days": late, **how})

            plan = Plan(drawn())
            fate = rng.random()
            if fate < 0.05:
                plan.first = HandedIn("nothing")
            elif fate < 0.2:
                plan.first = HandedIn(rng.choice(WRONG if assignment in VARIED else [WRONG[0], *WRONG[2:]]))
            if rng.random() < 0.2 and plan.first.what != "nothing":
                # The LMS's number grows with each file, and what Moodle has is newer only as a copy with a number.
                newer = {"number": 2} if canvas else {"copied": rng.choice([0, 1])}
                plan.second = drawn(days=plan.first.days, **newer) if rng.random() < 0.7 else HandedIn("cut off")
            had = plan.first.what == "a notebook"
            plan.counts = plan.first if had else None
            if plan.second and plan.second.what == "a notebook":
                counts = canvas or not had or plan.second.copied > plan.first.copied
                plan.again = not counts and rng.random() < 0.5
                plan.counts = plan.second if counts or plan.again else plan.first
            worth = sources.points(assignment, marks=("written",))
            plan.words = {name: rng.randint(0, 2 * most) / 2 for name, most in worth.items()}
            made[student, assignment] = plan
    return made


# --- the table, apart from the grader -------------------------------------------------------------------------------


def automatic_points(assignment, handed_in):
    checks = sources.points(assignment, marks=("check",))
    left = {name: worth for name, worth in checks.items() if name.rpartition("-")[0] not in handed_in.lost}
    return sum(left.values()) - sum(CASES.get(one, 0) for one in handed_in.lost)


def expected(plan, assignment):
    """(score, automatic, status) as the CSV files have them."""
    if plan.counts is None:
        return "", "", "no submission" if plan.first.what == "nothing" else "needs a human"
    automatic = automatic_points(assignment, plan.counts)
    marked = plan.first if assignment in MARKED_BETWEEN and plan.first.what == "a notebook" else plan.counts
    words = plan.counts.words or marked.words  # what the teacher gave stays
    total = Fraction(automatic) + (sum(map(Fraction, plan.words.values())) if words else 0)
    percent, _, most = RULES[assignment].replace("%/day", "").partition(",")
    if percent:
        share = max(Fraction(0), 1 - plan.counts.days * Fraction(percent) / 100)
        total = Fraction(0) if most and plan.counts.days > int(most) else Fraction(int(2 * total * share), 2)
    return f"{float(total):g}", str(automatic), "graded"


# --- what is handed in ----------------------------------------------------------------------------------------------


def content(assignment, student, handed_in):
    """The bytes of a file."""
    wrong = {"another assignment": "5-project" if assignment != "5-project" else "3-bert-layer"}
    wrong["another variant"] = f"{assignment}-{'2028' if variant(student) == '2027' else '2027'}"
    name = wrong.get(handed_in.what, called(assignment, student))
    notebook = copy.deepcopy(sources.solved_notebook(name))
    notebook.metadata["student"] = student, handed_in.number
    for question in handed_in.lost:
        function = CALLED.get(question, question.replace("-", "_"))
        stops = f"def {function}(*a, **k):\n    raise ValueError"
        cell(notebook, question).source = "REPORT = {}" if question == "report" else stops
    if not handed_in.words:
        blank = sources.student_notebook(name)
        for written in sources.points(name, marks=("written",)):
            cell(notebook, written).source = cell(blank, written).source
    text = nbformat.writes(notebook).encode()
    return {"cut off": text[: len(text) // 2], "a document": b"PK\x03\x04 words"}.get(handed_in.what, text)


def collected(folder, assignment, students, plans, second=False):
    """A zip as the LMS gives it: of each student the last thing that was handed in."""
    folder.mkdir()
    with zipfile.ZipFile(folder / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for student in students:
            plan = plans[student, assignment]
            one = plan.second if second and plan.second else plan.first
            if one.what == "nothing":
                continue
            file = f"{assignment}{f' ({one.copied})' if one.copied else ''}{'.docx' * (one.what == 'a document')}"
            file = file if one.what == "a document" else f"{file}.ipynb"
            plain = "".join(filter(str.isalnum, "".join(names(student)).lower()))
            late = "_LATE" * (one.days > 0 and assignment in VARIED)
            if assignment in CANVAS:
                newest = 100 * (1 + 60 * (one is plan.second) + student)
                path = f"{plain}{late}_{number(student)}_{newest}_{file}"
            else:
                path = f"{full_name(student)}_{number(student, 'moodle')}_assignsubmission_file_/{file}"
            archive.writestr(path, content(assignment, student, one))


def full_name(student):
    last, first = names(student)
    return f"{first} {last}".replace("/", "")


def roster(path, assignment, plans):
    """The LMS's list of the class: Canvas's gradebook or Moodle's grading worksheet."""
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file)
        if assignment in CANVAS:
            extra = ["days_late"] if assignment == "3-bert-layer" else []
            table.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *extra])
            table.writerow(["    Points Possible", *[""] * (4 + len(extra))])
        else:
            table.writerow(["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"])
        for student in STUDENTS:
            plan = plans[student, assignment]
            days = (plan.counts or plan.first).days
            if assignment in CANVAS:
                line = [", ".join(names(student)), number(student), f"sis{student}", login(student), variant(student)]
                table.writerow([*line, *([days] if extra else [])])
            else:
                status = "Submitted for grading" + (f" - {days - 1} days 3 hours late" if days else "")
                who = [f"Participant {number(student, 'moodle')}", full_name(student), login(student)]
                table.writerow([*who, "No submission" if plan.first.what == "nothing" else status, "", "40.00"])
    return path


# --- what comes back, read as the LMS reads it ------------------------------------------------------------------------


def lines_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def read_canvas(path):
    """(Canvas's ID, heading) -> score. Five columns that must be there; then assignments; a line of points possible."""
    head, possible, *lines = csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""))
    assert head[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    headings = head[5:]
    assert len(set(headings)) == len(headings)
    assert not [one for one in headings if one.endswith(")")]  # "(123)" at the end is Canvas's number of an assignment
    assert possible[0].strip() == "Points Possible" and possible[5:] == ["40"] * len(headings)
    scores = {}
    for line in lines:
        assert len(line) == len(head) and line[1].isdigit()
        for heading, score in zip(headings, line[5:], strict=True):
            assert score == "" or 0 <= float(score) <= 40
            scores[int(line[1]), heading] = score
    return scores


def read_moodle(path):
    """Email address -> score, the two columns that are mapped at Grades > Import > CSV file."""
    lines = lines_of(path)
    emails = Counter(line["email"] for line in lines)
    assert max(emails.values()) == 1  # Moodle takes the first, and says nothing
    return {line["email"]: line["score"] for line in lines}


def canvas_feedback(path):
    """Canvas's number -> page: of a file's name, cut at each _, the first number is whose it is, the second of what."""
    pages = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            user, attachment = [part for part in name.split("_") if part.isdigit()][:2]
            assert "/" not in name and int(user) not in pages and int(attachment) >= 100
            pages[int(user)] = archive.read(name).decode("utf-8")
    return pages


def moodle_feedback(path):
    """Moodle's number -> page: the path, cut at the first four _, is a name, the number, the plugin, and a file."""
    pages = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            _, participant, kind, plugin, file = name.split("_", 4)
            assert (kind, plugin) == ("assignsubmission", "file") and file.startswith("/") and file.count("/") == 1
            assert participant.isdigit() and int(participant) not in pages
            pages[int(participant)] = archive.read(name).decode("utf-8")
    return pages


# --- the term -------------------------------------------------------------------------------------------------------


@dataclass
class Teacher:
    """Gives the commands. place: where the work lies, with the results and the course's file."""

    place: object
    plans: dict
    patch: object

    def __post_init__(self):
        self.move(self.place)

    @property
    def results(self):
        return self.place / "results"

    def move(self, place):
        """Go on at another machine."""
        self.place = place
        self.patch.setattr(grading, "COURSE", place / "course.json")

    def command(self, assignment, year="", second=False):
        """The command that grades, and its folder of submissions, made as the LMS gives it."""
        folder = self.place / f"{assignment}{year}{second}"
        students = SECTIONS.get(year, STUDENTS)
        if not folder.exists():
            collected(folder, assignment, students, self.plans, second)
        how = ["--roster", str(roster(self.place / "class.csv", assignment, self.plans))]
        how += ["--late", RULES[assignment]] if RULES[assignment] and not second else []
        again = [login(student) for student in students if self.plans[student, assignment].again]
        how += ["--again", *again] if second and again else []
        name = f"{assignment}-{year}" if year else assignment
        return ["grade", str(folder), "--assignment", name, "--to", str(self.results), *how]

    def grade(self, *which, **how):
        assert main(self.command(*which, **how)) == 0

    def mark_words(self, assignment):
        """In formgrader: the points of each written answer that is there."""
        with gradebook.opened(self.results) as book:
            for student in STUDENTS:
                name = called(assignment, student)
                if grading.load(self.results / "marks" / name / f"{login(student)}.json") is None:
                    continue
                for written, points in self.plans[student, assignment].words.items():
                    try:
                        grade = book.find_grade(written, name, name, login(student))
                    except MissingEntry:
                        continue
                    if grade.needs_manual_grade:
                        grade.manual_score, grade.needs_manual_grade = points, False
            book.db.commit()


def killed_and_again(teacher, assignment, year):
    """The same command twice; the first is ended by kill -9 when some of the marks are there."""
    command = teacher.command(assignment, year)
    code = f"from pathlib import Path; from coursework import grading; grading.COURSE = Path({str(grading.COURSE)!r})\n"
    code += f"from coursework.__main__ import main; main({command!r})"
    process = subprocess.Popen([sys.executable, "-c", code], cwd=grading.ROOT, env=os.environ)
    marks, until = teacher.results / "marks" / f"{assignment}-{year}", time.monotonic() + 300
    while len(list(marks.glob("*.json"))) < 4 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL
    assert (
        4 <= len(list(marks.glob("*.json"))) < 25
        and not (teacher.results / f"feedback-{assignment}-{year}.zip").exists()
    )
    assert main(command) == 0


@pytest.fixture(scope="module")
def term(tmp_path_factory, bubblewrap, plans):
    """The teacher at the end of the term."""
    place = tmp_path_factory.mktemp("term")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("first", "second", "third"):
            (place / name).mkdir()
        teacher = Teacher(place / "first", plans, patch)
        for year in SECTIONS:
            teacher.grade("1-tokenization", year)
        teacher.mark_words("1-tokenization")
        teacher.grade("1-tokenization", "2028", second=True)
        killed_and_again(teacher, "2-attention", "2027")
        teacher.grade("2-attention", "2028")
        for year in SECTIONS:
            teacher.grade("2-attention", year, second=True)
        teacher.grade("1-tokenization", "2027", second=True)
        teacher.mark_words("2-attention")
        teacher.grade("3-bert-layer")
        # A new machine: the results and the course's file are copied, and the old ones are gone.
        shutil.copytree(teacher.results, place / "second" / "results")
        shutil.copy(grading.COURSE, place / "second" / "course.json")
        shutil.rmtree(place / "first")
        teacher.move(place / "second")
        runs = []
        original = sandbox.run
        patch.setattr(sandbox, "run", lambda *a, **k: [runs.append(1), original(*a, **k)][1])
        teacher.grade("3-bert-layer", second=True)
        anew = [plans[one, "3-bert-layer"].second for one in STUDENTS]
        assert len(runs) <= 1 + sum(one is not None for one in anew) < 30  # the try of the sandbox, and what is new
        teacher.grade("4-geometry")
        teacher.mark_words("4-geometry")
        teacher.grade("4-geometry", second=True)
        # And one more, with the results alone: the seed of the course lies with them.
        shutil.move(teacher.results, place / "third" / "results")
        teacher.move(place / "third")
        teacher.grade("5-project")
        assert grading.COURSE.exists()
        teacher.grade("5-project", second=True)
        for assignment in LOST:
            teacher.mark_words(assignment)
        patch.setattr(sandbox, "run", original)
        list_of_canvas = roster(teacher.place / "class.csv", "1-tokenization", plans)
        assert main(["feedback", "--to", str(teacher.results), "--roster", str(list_of_canvas)]) == 0
        yield teacher


pytestmark = pytest.mark.long


def test_the_plan_holds_what_a_term_has(plans):
    kinds = Counter(plan.first.what for plan in plans.values())
    assert len(plans) == 300 and min(kinds[one] for one in [*WRONG, "nothing"]) >= 3
    seconds = [plan for plan in plans.values() if plan.second]
    assert sum(plan.again for plan in seconds) >= 2 and sum(one.second.what == "cut off" for one in seconds) >= 5
    assert sum(plan.counts is plan.first and plan.second.what == "a notebook" for plan in seconds) >= 2
    assert sum(plan.counts is plan.second for plan in seconds) >= 15
    assert sum(bool(plan.counts and plan.counts.days) for plan in plans.values()) >= 40


@pytest.mark.parametrize("assignment", LOST)
def test_marks_are_those_of_the_table(term, plans, assignment):
    lines = {(line["assignment"], line["student_id"]): line for line in lines_of(term.results / "grades.csv")}
    for student in STUDENTS:
        plan, line = plans[student, assignment], lines[called(assignment, student), login(student)]
        assert (line["score"], line["automatic"], line["status"]) == expected(plan, assignment), (login(student), plan)
        if plan.counts:
            assert line["days_late"] == str(plan.counts.days), (login(student), plan)
        if assignment in VARIED:  # the other section's variant
            other = f"{assignment}-{'2028' if variant(student) == '2027' else '2027'}"
            assert lines[other, login(student)]["status"] == "no submission"
    assert {line["max_score"] for line in lines.values()} == {"40"}


def test_canvas_takes_its_file(term, plans):
    scores = read_canvas(term.results / "canvas.csv")
    for student in STUDENTS:
        for assignment in LOST:
            heading = sources.title(assignment) + (f", {variant(student)}" if assignment in VARIED else "")
            assert scores.pop((number(student), heading)) == expected(plans[student, assignment], assignment)[0]
    assert set(scores.values()) == {""}  # of the other section's variants


@pytest.mark.parametrize("assignment", ["4-geometry", "5-project"])
def test_moodle_takes_its_file(term, plans, assignment, tmp_path):
    listed = roster(tmp_path / "class.csv", assignment, plans)
    shutil.copytree(term.results, tmp_path / "results")
    assert main(["feedback", "--to", str(tmp_path / "results"), "--roster", str(listed)]) == 0
    scores = read_moodle(tmp_path / "results" / f"grades-{assignment}.csv")
    assert scores == {login(one): expected(plans[one, assignment], assignment)[0] for one in STUDENTS}


@pytest.mark.parametrize("assignment", LOST)
def test_the_lms_gives_each_page_to_its_student(term, plans, assignment):
    of = "canvas" if assignment in CANVAS else "moodle"
    read = canvas_feedback if of == "canvas" else moodle_feedback
    pages = {}
    for name in [f"{assignment}-{year}" for year in SECTIONS] if assignment in VARIED else [assignment]:
        pages |= read(term.results / f"feedback-{name}.zip")
    handed_in = {one for one in STUDENTS if plans[one, assignment].first.what != "nothing"}
    assert set(pages) == {number(one, of) for one in handed_in}
    for student in handed_in:
        page, (score, _, status) = pages[number(student, of)], expected(plans[student, assignment], assignment)
        assert f"<strong>{escape(login(student))}</strong>" in page
        days = plans[student, assignment].counts and plans[student, assignment].counts.days
        late = bool(days and RULES[assignment] and status == "graded")
        assert (" late: " in page) == late, login(student)
        if status == "graded":
            assert (f": {score} of these count" if late else f"{score} of 40 points") in page, login(student)


def test_statistics_count_the_class(term, plans):
    lines = lines_of(term.results / "stats.csv")
    for assignment, questions in LOST.items():
        for year, students in SECTIONS.items() if assignment in VARIED else [("", STUDENTS)]:
            name = f"{assignment}-{year}" if year else assignment
            counts = [plans[one, assignment].counts for one in students if plans[one, assignment].counts]
            mine = [line for line in lines if line["assignment"] == name and line["kind"] == "question"]
            whole = {line["question"]: line for line in mine if line["what"] == "all points"}
            none = {line["question"]: line for line in mine if line["what"] == "no points"}
            assert {line["of"] for line in whole.values()} == {str(len(counts))}
            lost = Counter(question for one in counts for question in one.lost)
            for question, place in questions.items():
                title = next(one for one in whole if re.match(rf"Question {place}\b", one))
                assert int(none[title]["students"]) == lost[question] == len(counts) - int(whole[title]["students"])


# --- memory ---------------------------------------------------------------------------------------------------------


def below(process):
    """A process and all that it started, as numbers."""
    children, found = {}, [process]
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            children.setdefault(int(status.read_text().rpartition(")")[2].split()[1]), []).append(int(status.parts[2]))
    for one in found:  # grows
        found += children.get(one, [])
    return found


def megabytes(process):
    """What a process has in memory; what it shares counts in parts."""
    with contextlib.suppress(OSError):
        return int(re.search(r"Pss: +(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text())[1]) / 1024
    return 0


def test_grading_and_all_that_it_starts_fit_into_memory(tmp_path, bubblewrap):
    for student in range(3):
        path = tmp_path / "in" / f"s{student}" / "x.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(sources.solved_notebook("2-attention"), path)
    command = ["grade", tmp_path / "in", "--assignment", "2-attention", "--to", tmp_path / "out", "--seed", "1"]
    process = subprocess.Popen([sys.executable, "-m", "coursework", *map(str, command)], cwd=grading.ROOT)
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(megabytes, below(process.pid))))
        time.sleep(0.05)
    assert process.returncode == 0 and 200 < most < 430
