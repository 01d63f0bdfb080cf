"""What the teacher gives: points and comments for the written answers, in one CSV file for each assignment.

    student,question,points,comment,answer
    ada,why-square-root,3.5,And the gradient?,81fc0e7dbb10
    ada,oral,4,,

The marking page writes RESULTS/words-ASSIGNMENT.csv, and a teacher may edit it. It never has points of code. A comment
may be about any question. "oral": the five minutes. answer: a digest of the marked answer, which shows later changes.
"""

import hashlib
import re
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from coursework import files, lateness, results, rosters, sources, tables
from coursework.lateness import Late
from coursework.marks import Marks
from coursework.submissions import ANSWER, released

HEADINGS = ["student", "question", "points", "comment", "answer"]
NO_ANSWER = "Nothing was written here."
ORAL, MOST_ORAL = "oral", 4
MOST_COMMENT = 5_000  # characters
OLD = Path(__file__).with_name("gradebook.sql").read_text(encoding="utf-8")  # the query for nbgrader's gradebook


@dataclass(frozen=True)
class Word:
    """Points, None if there are none yet, and a comment. answer: the digest of the answer that was marked."""

    points: float | None = None
    comment: str = ""
    answer: str = ""


def path_of(where, assignment):
    return where / f"words-{assignment}.csv"


def read(where, assignment):
    """(student, question) -> `Word`. Raises ValueError if the file has a line that cannot be right."""
    path = path_of(where, assignment)
    if not path.is_file():
        return {}
    headings, rows = tables.read(path)
    if missing := ", ".join(heading for heading in HEADINGS[:4] if heading not in headings):
        raise ValueError(f"{path} must have the columns {', '.join(HEADINGS)}; {missing} is missing")
    handed_in = {path.stem for path in where.glob(f"marks/{assignment}/*.json")}
    found, known = {}, handed_in | rosters.kept(where, assignment).keys()
    for number, row in enumerate(rows, 2):
        texts = [tables.unquoted(row.get(name) or "") for name in HEADINGS]
        student, question, points, _, answer = (text.strip() for text in texts)
        student = files.student_name(student)
        try:
            if known and student not in known:
                raise ValueError(f"{student} is not in the roster and has handed in nothing")
            if (student, question) in found:
                raise ValueError(f"{student} and {question} already have a line")
            word = Word(checked(assignment, question, points), texts[3][:MOST_COMMENT], answer)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        found[student, question] = word
    return found


def checked(assignment, question, points):
    """The points for a question out of a text, None for an empty one. Raises ValueError if they cannot be right."""
    worth = {**sources.points(assignment), ORAL: MOST_ORAL}
    if question not in worth:
        raise ValueError(f"{question!r} is not a question of {assignment}")
    if points and question in sources.points(assignment, marks=("check",)):
        raise ValueError(f"the points of {question} come from grading: leave them empty")
    number = re.fullmatch(r"\d{1,9}(?:[.,]\d{0,9})?|[.,]\d{1,9}", points)
    given = float(number[0].replace(",", ".")) if number else None
    if points and not (number and given <= worth[question]):
        raise ValueError(f"the points of {question} must be a number from 0 to {worth[question]}, got {points!r}")
    return given


def give(where, assignment, given):
    """Replace these lines, {(student, question): Word}; all others stay, also those that were edited meanwhile."""
    found = {**read(where, assignment), **given}
    lines = [[*key, found[key].points, found[key].comment, found[key].answer] for key in sorted(found)]
    results.write(path_of(where, assignment), tables.csv_text([HEADINGS, *lines]))  # no points are an empty cell


@dataclass
class Score:
    marks: Marks
    cells: dict[str, tuple] = field(default_factory=dict)  # cell -> (points or None, out of how many, comment)
    late: Late = Late()
    oral: Word = Word()  # for the five minutes

    @property
    def known(self):
        return [points for points, *_ in self.cells.values() if points is not None]

    @property
    def status(self):
        if not self.marks.submitted:
            return "no submission"
        if not self.cells:
            return "needs your attention"
        return "graded" if len(self.known) == len(self.cells) else "written questions to mark"

    @property
    def total(self):
        """All points, before the deduction for late days; None if some are not known yet."""
        return sum(self.known) if self.status == "graded" else None


def scores(where, assignment, all_marks):
    given, late = read(where, assignment), lateness.late(where, assignment)
    oral = [given.get((one.student, ORAL), Word()) for one in all_marks]
    return [Score(one, _cells(one, given), late.get(one.student, Late()), word) for one, word in zip(all_marks, oral)]


def _cells(marks, given):
    found, checks = {}, sources.points(marks.assignment, marks=("check",))
    for name, most in sources.points(marks.assignment).items() if marks.points else ():
        word = given.get((marks.student, name), Word())
        if name in marks.points:
            found[name] = marks.points[name], most, word.comment
        elif name not in checks:
            empty = word.points is None and blank(marks, name)
            found[name] = 0 if empty else word.points, most, word.comment or NO_ANSWER * empty
    return found


def blank(marks, name):
    """Whether the student left the cell as it was given, or removed it, and wrote no text of any length elsewhere."""
    elsewhere = any(cell_type == "markdown" and ANSWER.search(text) for cell_type, text in marks.extra)
    return not elsewhere and untouched(marks, name)


def untouched(marks, name):
    given = released(marks.assignment).marked[name].source
    return marks.answers.get(name, given).strip() in ("", given.strip())


def changed(word, marks, name):
    return word.answer not in ("", digest(marks, name))


def digest(marks, name):
    """What stands for an answer in the file: another answer, or another picture in it, has another digest."""
    answer = marks.answers.get(name, ""), marks.pictures.get(name, {}), marks.extra
    return hashlib.sha256(repr(answer).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def convert(where, assignment):
    """Take over points and comments for words from an earlier version's gradebook.db, once. Sentences on what was."""
    path = Path(where) / "gradebook.db"
    if path_of(where, assignment).exists() or not path.is_file():
        return []
    with sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True) as book:
        lines = book.execute(OLD, [assignment]).fetchall()
    written = sources.points(assignment, marks=("written",))
    given = [line for line in lines if line[1] in written and (line[2] is not None or line[3])]
    by_hand = [f"{student}, {name}: {score:g}" for student, name, score, _ in lines if score and name not in written]
    if given:
        give(where, assignment, {(*who,): Word(score, comment or "") for *who, score, comment in given})
    taken = [f"{len(given)} points and comments were taken over from {path} into {path_of(where, assignment).name}."]
    lost = [f"Points for code that were given by hand in {path.name} do not count any more: {'; '.join(by_hand)}."]
    return taken * bool(given) + lost * bool(by_hand)
