"""The page on which a teacher marks the written answers: each question with all answers, its rubric, and keys to press.

It is served to this machine only, at an address with a secret, and writes the CSV file of `words`. Nothing that a
student wrote is rendered: an answer is shown as it was typed.
"""

import json
import secrets
import threading
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from coursework import feedback, pages, results, rosters, sources, words
from tutorial_book.exercises import own_code

SCRIPT = Path(__file__).with_name("marking.js").read_text(encoding="utf-8")
MOST_BODY = 50_000  # bytes that the page sends for one answer
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"


def page(where, assignment):
    all_marks = [marks for marks in results.marks_in(where, assignment) if marks.points]
    given, worth = words.read(where, assignment), sources.points(assignment)
    body = [f"<h1>{escape(sources.title(assignment))}</h1>"]
    asked = [(one.title, *rubric) for one in feedback.questions(assignment) for rubric in one.rubrics.items()]
    for title, name, rubric in asked:
        blank = [marks.student for marks in all_marks if words.blank(marks, name)]
        answers = [_answer(marks, name, worth[name], given) for marks in all_marks if marks.student not in blank]
        empty = f"{words.NO_ANSWER} 0 points: {', '.join(map(pages.apart, blank))}." if blank else ""
        body.append(_question(title, rubric, answers, empty))
    texts = [(marks, "\n\n".join(own_code.questions(marks))) for marks in _talked_to(where, assignment)]
    minutes = [_article(one, words.ORAL, words.MOST_ORAL, given, pages.as_typed(text)) for one, text in texts if text]
    rubric = f"Up to {words.MOST_ORAL} points, in a separate column. Ask why, and which line makes it so."
    body.append(_question("Five minutes with each student, about their own code", rubric, minutes, ""))
    return pages.page(f"Mark: {sources.title(assignment)}", f"{''.join(body)}\n<script>\n{SCRIPT}</script>")


def sheet(where, assignment):
    """The questions about each student's own code as a page to print."""
    asked = {marks.student: own_code.questions(marks) for marks in _talked_to(where, assignment)}
    said = {student: pages.as_typed("\n".join(texts)) for student, texts in asked.items() if texts}
    students = rosters.kept(where, assignment).values()
    names = {one.id: f"{one.id}: {one.first_name} {one.last_name}".strip(": ") for one in students}
    parts = [f"<h2>{escape(names.get(student, student))}</h2>{text}" for student, text in said.items()]
    title = f"{sources.title(assignment)}: five minutes with each student"
    return pages.page(title, f"<h1>{escape(title)}</h1>{''.join(parts)}")


def _talked_to(where, assignment):
    """The marks of all whose work is here: partners in a group have those of the one who handed in."""
    students = rosters.kept(where, assignment)
    scores = [words.Score(one) for one in results.marks_in(where, assignment, students)]
    return [one.marks for one in rosters.shared(scores, students)[0] if one.marks.submitted]


def _question(title, rubric, answers, empty):
    """The unmarked answers come first."""
    articles = "".join(text for _, text in sorted(answers, key=lambda answer: answer[0]))
    head = f'<h2>{escape(title)}</h2><div class="rubric">{pages.markdown(rubric)}</div>'
    return f'<section class="mark">{head}{articles}<p>{escape(empty)}</p></section>'


def _answer(marks, name, most, given):
    """(whether it is marked, its HTML)."""
    text = pages.as_typed(marks.answers.get(name, ""), marks.pictures.get(name, {}))
    if added := "\n".join(text for kind, text in marks.extra if kind == "markdown"):
        shown = {at + name: one for at, same in marks.pictures.items() if "added-" in at for name, one in same.items()}
        state = " open" if words.untouched(marks, name) else ""  # an answer can only be there
        text += f"<details{state}><summary>Texts in other cells</summary>{pages.as_typed(added, shown)}</details>"
    return _article(marks, name, most, given, text, words.digest(marks, name))


def _article(marks, name, most, given, text, answer=""):
    student, word = marks.student, given.get((marks.student, name), words.Word())
    points = "" if word.points is None else f"{word.points:g}"
    changed = points and words.changed(word, marks, name)
    said = '<p class="changed">This answer has changed since you marked it.</p>' if changed else ""
    return bool(points and not changed), (
        f'<article tabindex="-1" data-student="{escape(student)}" data-question="{name}" data-answer="{answer}">'
        f"<h3>{escape(student)}</h3><div>{said}{text}</div><p>"
        f'<label>Points out of {most} <input type="number" min="0" max="{most}" step="0.5" value="{points}"></label> '
        f'<label>Comment <textarea rows="1" maxlength="{words.MOST_COMMENT}">{escape(word.comment)}</textarea></label> '
        f"<output></output></p></article>"
    )


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, where, assignment):
        super().__init__(("127.0.0.1", 0), _Handler)  # at any port that is free
        self.where, self.assignment, self.writing = where, assignment, threading.Lock()
        self.path = f"/{secrets.token_urlsafe(24)}/"
        self.host = f"127.0.0.1:{self.server_port}"
        self.address = f"http://{self.host}{self.path}"


class _Handler(BaseHTTPRequestHandler):
    timeout = 60  # seconds that a connection may say nothing

    def do_GET(self):
        if self._known():
            self._answer(HTTPStatus.OK, page(self.server.where, self.server.assignment), "text/html")

    def do_POST(self):
        """{"student", "question", "points", "comment", "answer"}: texts, kept as one line of the CSV file."""
        if not self._known():
            return
        try:
            size = int(self.headers["Content-Length"])
            if not 0 <= size <= MOST_BODY:
                raise ValueError("too long")
            sent = json.loads(self.rfile.read(size))
            student, question, points, comment, answer = (str(sent[name]) for name in words.HEADINGS)
            known = {marks.student for marks in _talked_to(self.server.where, self.server.assignment)}
            if student not in known:
                raise ValueError(f"{student!r} has handed in nothing")
            points = words.checked(self.server.assignment, question, points)
            word = words.Word(points, comment[: words.MOST_COMMENT], answer)
            with self.server.writing:
                words.give(self.server.where, self.server.assignment, {(student, question): word})
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, str(error))
        except OSError as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"not saved: {error.strerror}")
        else:
            self._answer(HTTPStatus.OK, "saved")

    def _known(self):
        """Whether the request names the secret and this machine; else it is answered with nothing."""
        known = self.path == self.server.path and self.headers["Host"] == self.server.host
        if not known:
            self._answer(HTTPStatus.NOT_FOUND, "")
        return known

    def _answer(self, status, text, kind="text/plain"):
        content = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(content))}
        headers |= {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
        for name, value in {**headers, "X-Content-Type-Options": "nosniff"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing: the teacher's terminal has the address, and each line would push it away."""
