"""The commands of a teacher: `python -m coursework assignments`, `grade`, `feedback`."""

from __future__ import annotations

import argparse
import sys
import zipfile
from pathlib import Path

from coursework import checks, sandbox, sources

ROOT = Path(__file__).parent.parent
NOTEBOOKS = Path(__file__).with_name("notebooks")


def assignments(folder, check=False):
    """Write the students' notebooks, and in _build/assignments a zip of each. 1 where check finds one out of step."""
    import nbformat

    sys.path.insert(0, str(ROOT / "tools"))
    from make_notebooks import Book

    from coursework.grading import write

    out_of_step, install = [], Book(ROOT).install
    for name in checks.names():
        text = nbformat.writes(sources.student_notebook(name, install)) + "\n"
        path = folder / f"{name}.ipynb"
        if check:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                out_of_step.append(path.name)
            continue
        write(path, text)
        archive = ROOT / "_build" / "assignments" / f"{name}.zip"
        archive.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(zipfile.ZipInfo(f"{name}.ipynb", (2026, 1, 1, 0, 0, 0)), text)
        print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}   {archive.relative_to(ROOT)}")
    if out_of_step:
        print(f"out of step with their sources: {', '.join(out_of_step)}; run: make assignments")
    return 1 if out_of_step else 0


def grade(submissions, results, assignment, roster, seed, workers, kind):
    """Grade a folder of submissions; see `coursework.grading`. Returns 0 once all that can be graded is."""
    from tqdm import tqdm

    from coursework import gradebook, grading
    from coursework.grading import write

    students = gradebook.read_roster(roster) if roster else {}

    def progress(futures):
        return tqdm(futures, desc="grading", unit=" notebooks", disable=not sys.stderr.isatty())

    try:
        how = {"known": gradebook.numbers(students), "progress": progress, "prepared_by": grading.prepare_apart}
        with grading.alone(results):
            marks = grading.grade_all(submissions, results, assignment, tuple(students), seed, workers, kind, **how)
            gradebook.record(results, marks, students)
            grading.save(results / "all.json", marks)
            write(results / "about.txt", sandbox.bound(kind, sandbox.Limits()) + "\n")
            publish(results, marks, students)
    except KeyboardInterrupt:
        print(f"Stopped. What was graded is kept in {results}: give the same command to go on.", file=sys.stderr)
        return 130
    return 0


def publish(results, marks, students):
    """Scores out of the gradebook into CSV files, feedback pages and the report."""
    from coursework import feedback, gradebook
    from coursework.grading import write

    given = gradebook.scores(results, marks)
    gradebook.export(results, marks, students, given)
    feedback.write_pages(results, marks, given)
    about = (results / "about.txt").read_text(encoding="utf-8").splitlines()
    write(results / "report.md", feedback.report(marks, given, about))
    handed_in = [one for one in marks if one.submitted]
    noted = sum(bool(one.notes) for one in handed_in)
    print(f"{len(handed_in)} submissions in {results}: grades.csv, canvas.csv, feedback/, gradebook.db")
    if noted:
        print(f"{noted} {'needs' if noted == 1 else 'need'} a human: {results / 'report.md'}")
    else:
        print("Nothing odd was seen.")


def again(results, roster):
    """After the written questions are marked in formgrader: CSV files and feedback pages once more."""
    from coursework import gradebook, grading

    marks = grading.load(results / "all.json")
    if marks is None:
        raise ValueError(f"{results} holds no marks: run `python -m coursework grade` first")
    publish(results, marks, gradebook.read_roster(roster) if roster else {})
    return 0


def main(arguments=None):
    """Run a command; a mistake of the user's ends with one sentence and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m coursework", description="Assignments and their grading.")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("assignments", help="write the students' notebooks and a zip of each")
    one.add_argument("--to", type=Path, default=NOTEBOOKS, metavar="FOLDER")
    one.add_argument("--check", action="store_true", help="write nothing; exit with 1 where a notebook is out of step")
    one = commands.add_parser("grade", help="grade a folder of submissions")
    one.add_argument("submissions", type=Path, metavar="SUBMISSIONS_FOLDER")
    one.add_argument("--to", type=Path, default=Path("grading"), metavar="FOLDER", help="results (default: grading)")
    one.add_argument("--assignment", choices=checks.names(), help="default: what each notebook says it is")
    one.add_argument("--roster", type=Path, metavar="CSV", help="the class: who handed in nothing is listed too")
    one.add_argument("--seed", type=int, help="of the fresh inputs (default: drawn once and kept with the results)")
    one.add_argument("--workers", type=int, help="submissions at a time (default: one a processor)")
    one.add_argument("--sandbox", choices=sandbox.KINDS, default="bubblewrap")
    one = commands.add_parser("feedback", help="after marking in formgrader: CSV files and feedback pages again")
    one.add_argument("--to", type=Path, default=Path("grading"), metavar="FOLDER")
    one.add_argument("--roster", type=Path, metavar="CSV")
    given = parser.parse_args(arguments)
    try:
        if given.command == "assignments":
            return assignments(given.to, given.check)
        if given.command == "feedback":
            return again(given.to, given.roster)
        how = (given.assignment, given.roster, given.seed, given.workers, given.sandbox)
        return grade(given.submissions, given.to, *how)
    except (ValueError, sandbox.NoSandbox, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error}. What was graded is kept: mend this and give the same command to go on.", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
