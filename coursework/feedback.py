"""The pages that students get back: plain HTML, with no hidden check in it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import groupby

from coursework import files, pages, sources, submissions, words
from coursework.results import write, write_archive

MOST_NOTES = 30  # of one submission, in the report and on the page
MOST_TEXT = 2_000  # characters of a reason, or of what else is said to a student


@dataclass(frozen=True)
class Question:
    title: str
    parts: dict[str, str]  # check or written cell -> what it is, for a student
    answers: list[str]  # solution or written cells
    rubrics: dict[str, str]  # written cell -> how it is marked, in Markdown


@lru_cache
def questions(assignment):
    """The questions of an assignment, by the headings of its source: students do not know the names of its cells."""
    found = []
    for cell in sources.source(assignment).cells:
        mark = sources.kind(cell)
        heading = re.search(r"^## (.+?)(?: \(\d+ points?\))?$", cell.source, re.M)
        if cell.cell_type == "markdown" and heading or not found:
            above = [] if not found or found[-1].parts else found[-1].answers  # ME belongs to no question: show it too
            found.append(Question(heading[1] if heading else sources.title(assignment), {}, [*above], {}))
        one = found[-1]
        if mark in ("solution", "written"):
            one.answers.append(cell.metadata[mark])
        if mark == "written":
            one.parts[cell.metadata.written] = "In words"
            marked = rf"\*\*Rubric\.\*\*|{sources.END}"
            one.rubrics[cell.metadata.written] = re.split(marked, cell.source + sources.END)[1]
        if mark == "check":
            what = "The notebook's check, on new inputs" if cell.source.strip() else "A hidden check"
            one.parts[cell.metadata.check] = what if what not in one.parts.values() else "Another hidden check"
    return [question for question in found if question.parts]


def page(score):
    """Return the feedback page of one student. score: a `words.Score`."""
    marks, given, late, known = score.marks, score.cells, score.late, score.known
    total = f"{sum(known):g} of {sum(most for _, most, _ in given.values()):g} points" if given else "no points yet"
    if len(known) < len(given):
        total += " so far; your teacher has yet to mark the written answers"
    if late.days and late.rule and known:
        days = "1 day" if late.days == 1 else f"{late.days} days"
        total += f". Handed in {days} late: {late.points(sum(known)):g} points count"
    told = "".join(f"<li>{_text(text)}</li>" for text in marks.told[:MOST_NOTES])
    if not given and not told:
        told = "<li>It could not be graded yet. Your teacher knows.</li>"
    seen = set()
    title, who = sources.title(marks.assignment), pages.apart(marks.student)
    body = [f"<main>\n<h1>{escape(title)}</h1>\n<p><strong>{escape(who)}</strong>: {escape(total)}</p>"]
    several = len(set(marks.reasons.values())) > 1 and submissions.TOLD["blank"] not in marks.told
    body += ["<p>Start with the first wrong function; later ones may use it.</p>"] if several else []
    body += [f'<div class="told"><h2>About your notebook</h2><ul>{told}</ul></div>'] if told else []
    body += [_question(one, marks, given, seen) for one in (questions(marks.assignment) if given else [])]
    if score.oral.points is not None:
        comment = _comment(score.oral.comment)
        body.append(_section(score.oral.points, words.MOST_ORAL, "Five minutes about your code", comment))
    added = [pages.as_typed(text, marks.pictures.get(f"added-{i}", {})) for i, (_, text) in enumerate(marks.extra)]
    body += [_folded("Cells that you added", "".join(added))] if added else []
    return pages.page(f"{title}: {who}", "\n".join([*body, "</main>"]))


def _question(question, marks, given, seen):
    """A question as HTML. seen: the reasons on the page so far, because each appears once."""
    there = {name: given[name] for name in question.parts if name in given}
    lines, folded = [], []
    for name, (points, most, comment) in there.items():
        if name in question.rubrics and points is not None and comment != words.NO_ANSWER:
            folded.append(_folded("How it is marked", pages.markdown(question.rubrics[name])))
        if points == most and not comment:
            continue
        reason, cases = marks.reasons.get(name, ""), marks.cases.get(name, [])
        text = _text("The reason is the same as above." if reason in seen else reason)
        seen |= {reason} - {""}
        said = [f"{escape(label[:100])}: {'right' if right else 'wrong'}" for label, right in cases[:MOST_NOTES]]
        text += f"<p>{'<br>'.join(said)}</p>" if said else ""
        lines.append(f"<li>{question.parts[name]}: {_points(points, most)}{text}{_comment(comment)}</li>")
    known = [points for points, *_ in there.values() if points is not None]
    answered = [name for name in question.answers if name in marks.answers]
    own = [pages.as_typed(marks.answers[one], marks.pictures.get(one, {})) for one in answered]
    folded += [_folded("What you handed in", "".join(own))] if own else []
    listed = f"<ul>{''.join(lines)}</ul>" if lines else ""
    most = sum(most for _, most, _ in there.values())
    return _section(sum(known) if known else None, most, question.title, listed + "".join(folded))


def _section(points, most, title, html):
    heading = f'<h2><span class="points">{_points(points, most)}</span>{escape(title)}</h2>'
    return f"<section>{heading}{html}</section>"


def _comment(comment):
    said_by = "" if comment == words.NO_ANSWER else "Your teacher: "
    return _text(f"{said_by}{comment}") if comment else ""


def _points(points, most):
    return "not marked yet" if points is None else f"{points:g} of {most:g}"


def _folded(title, html):
    return f"<details><summary>{title}</summary>{html}</details>"


def _text(text):
    """Plain text as HTML; lines of code follow four spaces."""
    blocks = groupby(text[:MOST_TEXT].splitlines(), key=lambda line: line.startswith("    "))
    html = [(code, escape("\n".join(line[4 * code :] for line in lines))) for code, lines in blocks]
    return "".join(f"<pre>{block}</pre>" if code else f"<p>{block}</p>" for code, block in html if block.strip())


def write_pages(results, assignment, scores):
    """Write a page for all who handed in, and a zip of them by the LMS's names. Return whose page it cannot know."""
    names, by_hand = set(), []

    def written():
        for marks, text in ((one.marks, page(one)) for one in scores if one.marks.submitted):
            own = f"{marks.student}/{assignment}.html"
            write(results / "feedback" / own, text)
            name = returned(marks) if returned(marks) not in names else own
            by_hand.extend([marks.student] * (name == own))
            names.add(name)
            yield name, text

    write_archive(results / f"feedback-{assignment}.zip", written())
    return by_hand if len(by_hand) < len(names) else []


def returned(marks):
    """The name in the archive: Canvas and Moodle know by it whose page it is."""
    parts = marks.file.split(": ")[-1].split("/")
    known = files.MOODLE.fullmatch(parts[0]) if len(parts) > 1 else files.of_an_lms(parts[0])
    if known and "\\" not in known[0]:
        return f"{known[0]}{'/' * (len(parts) > 1)}{marks.assignment}.html"
    return f"{files.student_name(marks.student)}/{marks.assignment}.html"
