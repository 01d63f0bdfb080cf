"""From submissions to marks: each one alone, several at a time, and never twice.

If something outside breaks a run, such as a lack of memory, the run is tried again alone. A mark changes if a file
comes that counts more, if the teacher says so, or if the assignment or this program changes; the report says so.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

from tqdm import tqdm

from coursework import comparison, exam, files, marks, processes, results, rosters, runs, sandbox
from coursework.submissions import RIGHT_ONE, base, beaten, sorted_out

NOT_YET = "Your work could not be graded yet. Your teacher knows, and will look into it."


def grade(submission, asked, **how):
    """The marks of one submission, which runs, is compared and is marked. asked: the exam; how: as for `runs.run`."""
    ran = runs.run(submission.cells, exam.of_student(submission, asked), keep=submission.keep, **how)
    return marks.mark(comparison.compare(runs.Work(submission, asked, *ran)))


def grade_all(folder, where, assignment, students=None, seed=None, again=None, limits=sandbox.Limits()):
    """Grade every submission of an assignment below a folder; marks go to WHERE/marks/ASSIGNMENT/STUDENT.json.

    students: name -> `rosters.Student`. again: whose new submission counts in any case; (): everybody's. Returns what
    `results.marks_in` does. Before, ask `results.check_apart` and `sandbox.ready`.
    """
    seed = results.seed_of(where) if seed is None else seed
    students, kept = students or {}, where / "names.json"  # whose file is whose stays as it was
    names = results.kept(kept, lambda found: {owner: files.student_name(name) for owner, name in found.items()})
    known = rosters.known(students)
    readable, refused = sorted_out(folder, assignment, known, students, names)
    owners = {submission.student for submission in (*readable, *refused)}
    if not owners and assignment not in results.assignments_in(where):
        raise ValueError(f"{folder} contains no submission")
    if students and len(owners) > 1 and not owners & students.keys():
        asks = "Is it for another class or assignment, or in a language other than English?"
        raise ValueError(f"none of the {len(owners)} students who handed in a file is in the roster. {asks}")
    others = [one.notes[0].rpartition(":")[0] for one in refused if f"{assignment} was asked for" in one.notes[0]]
    if others and not readable and assignment not in results.assignments_in(where):
        raise ValueError(f"no file belongs to {assignment}. {others[0]}. Check the name and its variant")
    named = {known.get(files.plain(name), files.student_name(name)) for name in again or ()}
    if unknown := named - owners:
        raise ValueError(f"--again names {', '.join(sorted(unknown))}: no file has that login or full name")
    results.keep(kept, names)
    asked, key = exam.prepare_apart(assignment, seed), results.key(assignment, seed)
    batch = Batch(where, asked, key, owners if again is not None and not named else named, limits)
    batch.grade(readable)
    processes.end_judges()
    for submission in refused:
        results.save(where, _unchanged(batch.before(submission), submission, submission.notes, submission.told))
    return results.marks_in(where, assignment, students)


class Batch:
    """The submissions of an assignment that are graded together. key: what their marks depend on."""

    def __init__(self, where, asked, key, again, limits):
        self.where, self.asked, self.key, self.again, self.limits = where, asked, key, again, limits
        self.stop = threading.Event()  # the sandboxes that run are ended

    def grade(self, waiting):
        """Grade and keep them all; those that were lost are tried again, one by one."""
        lost = []
        with ThreadPoolExecutor(_workers(self.limits)) as pool:  # the sandboxes do the work: threads will do
            try:
                futures = {pool.submit(self.mark, submission): submission for submission in waiting}
                for future in tqdm(as_completed(futures), "grading", len(futures), unit=" notebooks", disable=None):
                    try:
                        future.result()
                    except runs.Lost:
                        lost.append(futures[future])
            except BaseException:
                self.stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        for submission in lost:
            try:
                self.mark(submission)
            except runs.Lost as error:
                why = f"not marked: {error}, twice. Grade again when the machine is idle"
                results.save(self.where, self.not_yet(submission, why))

    def mark(self, submission):
        """Grade one submission and keep its marks at once: an interruption costs only what is still running."""
        results.save(self.where, self.marks_of(submission))

    def before(self, submission):
        found = results.load(self.where, submission.assignment, submission.student)
        return found if found and found.points else None

    def not_yet(self, submission, why):
        """Return the marks to keep for a submission that needs the teacher's attention."""
        return _unchanged(self.before(submission), submission, [why, *submission.notes], [*submission.told, NOT_YET])

    def marks_of(self, submission):
        """The marks of a student: those from before if nothing changed or another file counts, else new ones."""
        before = self.before(submission)
        same = before and before.digest == submission.digest
        if same and before.key == self.key:
            return marks.noted(before, submission)
        stays = before and not same and submission.student not in self.again and beaten(submission, before)
        if stays:
            remedy = f"To grade it instead, use --again {submission.student}"
            note = f"another file, {submission.file}, was not graded: it {stays}, {before.file}. {remedy}"
            told = f"Your file {base(submission.file)} was not graded: it {stays}, {base(before.file)}"
            return _unchanged(before, submission, [note], [f"{told}, which you handed in earlier. {RIGHT_ONE}."])
        try:
            new = grade(submission, self.asked, limits=self.limits, stop=self.stop)
        except sandbox.Interrupted:
            raise
        except Exception as error:  # whatever one submission does to us, the others are graded
            if isinstance(error, OSError) and error.errno in files.OURS:
                raise
            return self.not_yet(submission, f"could not be graded: {type(error).__name__}: {str(error)[:200]}")
        new.key = self.key
        if before:
            change = f"graded again: {new.file} ({new.total:g} points) replaced {before.file} ({before.total:g} points)"
            if same:
                why = "because the assignment, this program, its versions or the seed changed"
                change = f"graded again {why}: {new.total:g} points, {before.total:g} before"
            new.changes = [*before.changes, *([change] if not same or new.total != before.total else [])]
        return marks.noted(new, submission)


def _unchanged(before, submission, notes, told):
    """Return the mark from before, with notes on this file; or no points at all, which differs from 0 points."""
    one = before or marks.Marks(submission.student, submission.assignment, submission.file)
    one.notes, one.told = (list(dict.fromkeys(said)) for said in ([*one.notes, *notes], [*one.told, *told]))
    return one


def _workers(limits):
    """One for each processor, but no more than fit in memory if each uses its full limit."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(os.cpu_count() or 1, memory // limits.memory))
