"""Marks: the points, and for each point that is missing the cause in the student's own code."""

from dataclasses import dataclass, field, fields

from coursework import causes, sources
from tutorial_book.exercises import own_code


@dataclass
class HandedIn:
    """The fields that a submission and its marks share. Dictionaries are by solution or written cell."""

    student: str
    assignment: str
    file: str = ""
    digest: str = ""
    notes: list[str] = field(default_factory=list)  # for the teacher
    told: list[str] = field(default_factory=list)  # sentences for the student's page
    answers: dict[str, str] = field(default_factory=dict)  # what the student wrote
    extra: list[tuple[str, str]] = field(default_factory=list)  # (type, source) of cells that the student added
    pictures: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)  # file -> (type, base64); "added-0"
    me: str = ""  # the name that the question about the student's own code is drawn from


@dataclass
class Marks(HandedIn):
    """The marks of one student for one assignment. Dictionaries are by check."""

    points: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)  # what was seen, as the student may read it
    cases: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)  # (case, right)
    hints: dict[str, str] = field(default_factory=dict)  # of the usual mistake whose values came
    own: dict[str, object] = field(default_factory=dict)  # this question -> what is right
    ran: list[str] = field(default_factory=list)  # what was seen when the code ran, for the teacher
    changes: list[str] = field(default_factory=list)  # what the mark was before, and why it changed
    key: str = ""  # what the marks depend on besides the notebook
    submitted: bool = True

    @property
    def total(self):
        return sum(self.points.values())


def mark(work):
    submission, code = work.submission, work.code
    marks = Marks(**{one.name: getattr(submission, one.name) for one in fields(HandedIn)})
    worth, by_case = sources.points(marks.assignment), sources.by_case(marks.assignment)
    for check, verdict in work.verdicts.items():
        share = sum(verdict.cases.values()) / len(verdict.cases)
        marks.points[check] = worth[check] if share == 1 else 0
        if share == 1:
            continue
        if check in by_case:
            marks.points[check] = int(2 * worth[check] * share) / 2  # rounded down to half points
            marks.cases[check] = list(verdict.cases.items())
        marks.reasons[check] = verdict.reason or causes.without_a_value(verdict, check, code)
        if verdict.hint:
            marks.hints[check] = verdict.hint
            marks.reasons[check] += f"\nHint: {verdict.hint}."
    question = own_code.of(worth)
    right = own_code.answer_of(question, marks.me, (work.records.get(question) or {}).get("value"))
    marks.own = {} if right is None else {question: right}
    marks.ran = [f"the code ended a run in the sandbox ({place}: {how})" for place, how in code.ended.items()]
    return noted(marks, submission)


def noted(marks, submission):
    """Add the notes on the file to the marks: they may change if the notebook and its marks do not."""
    marks.file, marks.told = submission.file, submission.told
    marks.notes = [*marks.changes, *submission.notes, *marks.ran]
    marks.pictures = submission.pictures
    return marks
