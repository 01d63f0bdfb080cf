"""Results of a class by question, case and mistake, for a teacher who decides what to teach again."""

from html import escape
from statistics import mean, median

from coursework import feedback, pages, sources, words
from coursework.results import write

HEADINGS = ["assignment", "question", "kind", "what", "students", "of", "mean", "max_score"]
KINDS = ("mistake", "case failed")  # of lines, besides those of questions
FEW = 0.6  # of a question's points: what has less on average is named first


def rows(assignment, scores):
    """Lines of stats.csv: a question's mean, who has all or none of it, cases failed, mistakes recognized."""
    marked, found = [one for one in scores if one.cells], []
    for question in feedback.questions(assignment):
        most = sum(sources.points(assignment)[name] for name in question.parts)
        read = [[one.cells.get(name, [None])[0] for name in question.parts] for one in marked]
        given = {one.cells[name][::2] for one in marked for name in question.rubrics if name in one.cells}
        waits = {points for points, comment in given if comment != words.NO_ANSWER} == {None}  # a blank one is a 0
        known = [sum(points) for points in read if None not in points and not waits]
        of, average = [assignment, question.title], round(mean(known), 2) if known else ""
        found.append([*of, "question", "all points", sum(one >= most for one in known), len(known), average, most])
        found.append([*of, "question", "no points", known.count(0), len(known), "", ""])
        cases, mistakes = {}, {}
        for marks in (one.marks for one in marked):
            for name in question.parts:
                for case, right in marks.cases.get(name, []):
                    cases.setdefault(case, set()).update([] if right else [marks.student])
                if name in marks.hints:
                    mistakes.setdefault(marks.hints[name], set()).add(marks.student)
        for kind, seen in (("case failed", cases), ("mistake", mistakes)):
            for what in sorted(filter(seen.get, seen), key=lambda what: -len(seen[what])):  # then the check's own order
                found.append([*of, kind, what, len(seen[what]), len(marked), "", ""])
    return found


def page(assignment, lines, totals, automatic):
    """The class page of an assignment. totals: of those who are fully marked. automatic: the points of code, of all."""
    questions = [line for line in lines if line[2:4] == ["question", "all points"]]
    none = {line[1]: line[4] for line in lines if line[2:4] == ["question", "no points"]}
    mistakes, cases = ([[line[1], line[4], line[3]] for line in lines if line[2] == kind] for kind in KINDS)
    table = [[line[1], line[6], line[7], _share(line), line[4], none[line[1]], line[5]] for line in questions]
    headings = ["question", "mean", "of", "percent", "all points", "no points", "students"]
    weak = sorted((line for line in questions if line[6] != "" and line[6] < FEW * line[7]), key=_share)
    code = sum(sources.points(assignment, marks=("check",)).values())
    said = f"Code: {_spread(automatic, code)}. " if automatic else ""
    if totals:
        said += f"With written answers, fully marked: {_spread(totals, sum(line[7] for line in questions))}. "
    elif automatic:
        said += "Written answers that you have not marked yet are left out. "
    body = [f"<p>{said}Deductions for late days are not included.</p><h2>What to teach again</h2>"]
    for line in weak:
        usual = [f"“{escape(hint)}” ({count})" for question, count, hint in mistakes if question == line[1]][:3]
        share = f"<strong>{escape(line[1])}</strong> ({_share(line)}% of its points on average)"
        body.append(f"<p>{share} {'; '.join(usual)}</p>")
    body += [] if weak else [f"<p>No question has less than {100 * FEW:g}% of its points on average.</p>"]
    body += ["<h2>Questions</h2>", pages.table(headings, table, [line in weak for line in questions])]
    body += ["<h2>Mistakes that were recognized</h2>", pages.table(["question", "students", "hint"], mistakes)]
    body += ["<h2>Cases that failed</h2>", pages.table(["question", "students", "case"], cases)]
    return pages.page_of_tables(f"The class: {sources.title(assignment)}", "\n".join(body))


def _spread(points, most):
    return f"{len(points)} submissions, mean {mean(points):.1f} and median {median(points):g} of {most:g} points"


def _share(line):
    return "" if line[6] == "" else round(100 * line[6] / line[7])


def write_class(results, assignment, scores):
    """Write RESULTS/class-ASSIGNMENT.html. Return lines for stats.csv."""
    lines = rows(assignment, scores)
    waits = any(line[3] == "all points" and line[6] == "" for line in lines)  # a question, for its first mark
    totals = [one.total for one in scores if one.total is not None and not waits]
    automatic = [one.marks.total for one in scores if one.marks.points]
    write(results / f"class-{assignment}.html", page(assignment, lines, totals, automatic))
    return lines
