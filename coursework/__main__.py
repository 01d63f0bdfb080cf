"""The commands of a teacher: `python -m coursework assignments`, `grade`, `mark`, `feedback`, `compare`, `oral`."""

import os
import sys

ROOT, HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__))), ""
if __name__ == "__main__" and os.getcwd() != ROOT:
    # A student's tqdm.py in the folder of submissions must not be ours, nor that of a process that we start.
    HERE = os.getcwd()
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != HERE]
    os.chdir(ROOT)

import argparse  # noqa: E402
import contextlib  # noqa: E402
import zipfile  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402

from coursework import checks, lateness, references, results, sandbox, sources  # noqa: E402
from tutorial_lib import atomic  # noqa: E402

ROOT = Path(ROOT)
NOTEBOOKS = Path(__file__).with_name("notebooks")


def assignments(given):
    """Write the students' notebooks, or those of a variant, a zip of each, and what students' checks compare with."""
    import nbformat

    from website.notebooks.convert import INSTALL

    references.out_of_step(mend=True)
    for name in references.varied(checks.names(), given.variant) if given.variant else checks.names():
        path, text = given.to / f"{name}.ipynb", nbformat.writes(sources.student_notebook(name, INSTALL)) + "\n"
        results.write(path, text)
        archive = ROOT / "_build" / "assignments" / f"{name}.zip"
        archive.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(zipfile.ZipInfo(f"{name}.ipynb", (2026, 1, 1, 0, 0, 0)), text)
        print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}   {archive.relative_to(ROOT)}")
    return 0


def grade(given):
    """Grade a folder of submissions; see `coursework.grading`. Returns 0 once all that can be graded is."""
    from tqdm import tqdm

    from coursework import grading, reports, rosters

    students = rosters.read_roster(given.roster) if given.roster else rosters.kept(given.to, given.assignment)
    if given.late:
        lateness.checked(given.late)

    def progress(futures):
        return tqdm(futures, desc="grading", unit=" notebooks", disable=not sys.stderr.isatty())

    settings = grading.Settings(given.seed, given.workers, again=given.again, progress=progress)
    try:
        results.check_apart(given.submissions, given.to)
        sandbox.ready()
        with results.alone(given.to):
            marks = grading.grade_all(given.submissions, given.to, given.assignment, students, settings)
            reports.write(given, marks, students)
    except KeyboardInterrupt:
        print(f"Stopped. What was graded is kept in {given.to}: give the same command to go on.", file=sys.stderr)
        return 130
    return 0


def mark(given):
    """Show the page on which the written answers are marked, until Ctrl-C; then as `feedback`."""
    from coursework import marking, words

    for line in words.convert(given.to, given.assignment):
        print(line)
    with marking.Server(given.to, given.assignment, given.port) as server:
        ends = "Ctrl-C ends it and writes the feedback."
        print(f"Open {server.address} in a browser on this machine. {ends}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return feedback(given)


def feedback(given):
    """After the words are marked: CSV files and feedback pages once more."""
    from coursework import reports

    about, _ = reports.publish(given.to)
    for line in about:
        print(line)
    return 0


def compare(given):
    """Whose code is like whose: two tables, for people to look at."""
    from coursework import similarity

    groups, _ = similarity.write(given.to, given.assignment)
    for people in groups[:20]:
        print(", ".join(sorted(people)))
    counted = "1 group" if len(groups) == 1 else f"{len(groups)} groups"
    print(f"{counted} to look at: {given.to / f'likeness-{given.assignment}.html'}, and .csv for all pairs")
    return 0


def oral(given):
    """Write a sheet of questions about each student's own code, to print and to ask in five minutes."""
    from coursework import marking

    path = given.to / f"oral-{given.assignment}.html"
    results.write(path, marking.sheet(given.to, given.assignment))
    print(f"{path}: print it. The results go into the page that `mark` shows.")
    return 0


LATER = {
    feedback: "CSV files and feedback pages again, with the teacher's marks",
    mark: "a page to mark the written answers on",
    compare: "whose code is like whose",
    oral: "questions about each student's own code, to print",
}


def _after_grading(command, given):
    """A command that needs marks: of the assignment that it names, or of any."""
    there, of = results.assignments_in(given.to), getattr(given, "assignment", "")
    if not there or of and of not in there:
        of = f" of {of}" if of else ""
        raise ValueError(f"{given.to} holds no marks{of}: run `python -m coursework grade` first")
    return command(given)


def a_path(text):
    """A path that the user gave, as it is from the folder that the command was given in."""
    return Path(HERE, text)


def _parser():
    parser = argparse.ArgumentParser(prog="python -m coursework", description="Assignments and their grading.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("assignments", help="write the students' notebooks and a zip of each")
    one.add_argument("--to", type=a_path, default=NOTEBOOKS, metavar="FOLDER")
    one.add_argument("--variant", default="", metavar="NAME", help="other rules in some questions, for a course: 2027")
    one.set_defaults(run=assignments)
    one = commands.add_parser("grade", help="grade a folder of submissions")
    one.add_argument("submissions", type=a_path, metavar="SUBMISSIONS_FOLDER")
    one.add_argument("--assignment", type=references.known, required=True, help="what they are for, with its variant")
    place = {"type": a_path, "default": a_path("grading"), "metavar": "FOLDER", "help": "results (default: grading)"}
    one.add_argument("--to", **place)
    one.add_argument("--roster", type=a_path, metavar="CSV", help="the class: who handed in nothing is listed too")
    word = "these students' submissions count, or all of the folder's, in place of those that have a mark"
    one.add_argument("--again", nargs="*", metavar="STUDENT", help=word)
    rule = "what a day late costs, such as 10%%/day or 10%%/day,3: a tenth of the points, and all after three days"
    one.add_argument("--late", metavar="RULE", help=rule)
    one.add_argument("--seed", type=int, help="of the fresh inputs (default: the course's, in course.json)")
    one.add_argument("--workers", type=int, help="submissions at a time (default: one a processor)")
    one.set_defaults(run=grade)
    for command, what in LATER.items():
        one = commands.add_parser(command.__name__, help=f"after grading: {what}")
        one.add_argument("--to", **place)
        one.set_defaults(run=partial(_after_grading, command))
        if command is not feedback:
            one.add_argument("--assignment", type=references.known, required=True)
        if command is mark:
            one.add_argument("--port", type=int, default=0, help="of the page (default: any that is free)")
    return parser


def main(arguments=None):
    """Run a command; a mistake of the user's ends with one sentence and exit code 2."""
    given = _parser().parse_args(arguments)
    try:
        return given.run(given)
    except (ValueError, sandbox.NoSandbox, FileNotFoundError, atomic.Busy) as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{error}. What was graded is kept: mend this and give the same command to go on.", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
