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
import warnings  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402

from coursework import lateness, references, results, sandbox, sources  # noqa: E402
from tutorial_lib import atomic  # noqa: E402

ROOT = Path(ROOT)
a_path = partial(Path, HERE)  # a user's path, as it is from the folder that the command was given in
NOTEBOOKS, ARCHIVES = Path(__file__).with_name("notebooks"), ROOT / "_build" / "assignments"


def assignments(given):
    """Write the students' notebooks, or those of a variant, and a zip of each."""
    import nbformat

    from website.notebooks.convert import INSTALL

    references.out_of_step(fix=True)
    for name in sources.varied(given.variant) if given.variant else sources.names():
        text = nbformat.writes(sources.student_notebook(name, INSTALL)) + "\n"
        results.write(given.to / f"{name}.ipynb", text)
        archive = (ARCHIVES if given.to == NOTEBOOKS else given.to) / f"{name}.zip"
        results.write_archive(archive, [(f"{name}.ipynb", text)])
        print(f"{given.to / name}.ipynb   {archive}")


def grade(given):
    """Grade a folder of submissions."""
    from coursework import grading, reports, rosters

    students = rosters.read_roster(given.roster) if given.roster else rosters.kept(given.to, given.assignment)
    rosters.check_same_class(given.to, given.assignment, students)
    if given.late:
        lateness.checked(given.late)
    try:
        results.check_apart(given.submissions, given.to)
        sandbox.ready()
        with results.alone(given.to):
            how = given.assignment, students, given.seed, given.again
            marks = grading.grade_all(given.submissions, given.to, *how)
            reports.write(given, marks, students)
    except KeyboardInterrupt:
        print(f"Stopped. What was graded is kept in {given.to}: give the command again to continue.", file=sys.stderr)
        return 130


def mark(given):
    """Open a page on which you mark the written answers, after grading; then do what `feedback` does."""
    from coursework import marking, words

    for line in words.convert(given.to, given.assignment):
        print(line)
    words.read(given.to, given.assignment)  # stops at a wrong line before the page opens
    with marking.Server(given.to, given.assignment) as server:
        print(f"Open {server.address} in a browser here. Ctrl-C ends it and writes the feedback.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    feedback(given)


def feedback(given):
    """Write the CSV files and feedback pages again, with your marks."""
    from coursework import reports

    with results.alone(given.to):
        about, _ = reports.publish(given.to)
    for line in about:
        print(line)


def compare(given):
    """List similar code, after grading: a page and a table for you to look at."""
    from coursework import similarity

    groups = similarity.write(given.to, given.assignment, given.also)
    for people in groups[:20]:
        print(", ".join(sorted(people)))
    print(f"Groups to look at: {len(groups)}. {given.to / f'similarity-{given.assignment}.html'}, .csv for all pairs")


def oral(given):
    """Write questions about each student's own code, after grading: print them, and ask them in five minutes."""
    from coursework import marking

    path = given.to / f"oral-{given.assignment}.html"
    results.write(path, marking.sheet(given.to, given.assignment))
    print(f"{path}: print it. Enter the results on the page that `mark` shows.")


def _parser():
    parser = argparse.ArgumentParser(prog="python -m coursework", description="Make assignments, and grade them.")
    commands, made = parser.add_subparsers(required=True), {}
    for run in (assignments, grade, mark, feedback, compare, oral):
        one = made[run] = commands.add_parser(run.__name__, help=run.__doc__)
        one.set_defaults(run=run, needs_marks=run not in (assignments, grade))
        default = NOTEBOOKS if run is assignments else a_path("grading")
        one.add_argument("--to", type=a_path, default=default, metavar="FOLDER", help="default: %(default)s")
        if run not in (assignments, feedback):
            one.add_argument("--assignment", type=sources.known, required=True, help="2-attention, or a variant's name")
    made[compare].add_argument("--also", nargs="+", type=a_path, default=[], metavar="FOLDER", help="other results")
    made[assignments].add_argument("--variant", default="", metavar="NAME", help="draw the rules from this name: 2027")
    one = made[grade]
    one.add_argument("submissions", type=a_path, metavar="SUBMISSIONS_FOLDER")
    one.add_argument("--roster", type=a_path, metavar="CSV", help="the class list: the report names absent students")
    word = "replace the marked submissions of these students, or of all students, by those in the folder"
    one.add_argument("--again", nargs="*", metavar="STUDENT", help=word)
    rule = "10%%/day deducts a tenth of the points reached for each day late; 10%%/day,3 also deducts all after 3 days"
    one.add_argument("--late", metavar="RULE", help=rule)
    one.add_argument("--seed", type=int, help="seed of the fresh inputs (default: the course's, in course.json)")
    return parser


def main(arguments=None):
    """Run a command; a mistake of the user's ends with one sentence and exit code 2."""
    sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may know no letter but ASCII's
    warnings.simplefilter("ignore")  # of what students wrote: a terminal takes some letters for commands
    given = _parser().parse_args(arguments)
    try:
        there, asked = results.assignments_in(given.to), vars(given).get("assignment")
        if given.needs_marks and not (there and asked in {None, *there}):
            of = asked or "any assignment"
            raise ValueError(f"{given.to} has no marks of {of}: run `python -m coursework grade` first")
        return given.run(given) or 0
    except (ValueError, sandbox.NoSandbox, FileNotFoundError, atomic.Busy) as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{error}. What was graded is kept: fix this, and give the command again to continue.", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
