"""From submissions to marks: each one alone, several at a time, and never twice.

Every submission is run in the sandbox and judged by the checks on the same fresh inputs. Its marks are written to a
file of their own as soon as they are known, so that a grading that was stopped goes on where it was. One submission
that breaks something ends its own grading only. What breaks from outside, such as a machine without memory, is tried
once more alone, and is no mark if it breaks again.
"""

from __future__ import annotations

import ast
import fcntl
import hashlib
import importlib.metadata
import itertools
import json
import os
import platform
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from coursework import causes, checks, sandbox, sources, submissions

ROOT = Path(__file__).parents[1]
OURS = ("tutorial_lib", "tutorial_book")  # the packages, beside coursework
VERSION = 2  # of the files with marks
PACKAGES = ("jupytext", "nbformat", "numpy", "tokenizers", "torch", "transformers")  # that grading computes with


@dataclass
class Marks:
    """What one student gets for one assignment.

    points: check -> points given. reasons: check -> what was seen, as the student may read it. cases: check -> (case,
    right), where a check gives its points case by case. notes: for the teacher. told: sentences for the student's page.
    answers: solution or written cell -> what the student wrote. extra: (type, source) of the cells that the student
    added. pictures: cell -> file name -> (type, base64) of the pictures in an answer; an added cell is "added-0".
    ran, stops: what was seen when the code ran, for the teacher, and for the student too. key: what the marks depend on
    besides the notebook.
    """

    student: str
    assignment: str
    file: str = ""
    digest: str = ""
    points: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    cases: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    extra: list[tuple[str, str]] = field(default_factory=list)
    pictures: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    stops: list[str] = field(default_factory=list)
    fingerprint: str | None = None
    key: str = ""
    submitted: bool = True


def prepare(assignment, seed):
    """The calls of all checks on inputs drawn from the seed: (check -> its calls, the worker's calls, arrays)."""
    loaded = checks.load(assignment)
    wanted = sources.points(assignment, marks=("check",))
    if set(wanted) != set(loaded):
        odd = ", ".join(sorted(set(wanted) ^ set(loaded)))
        raise ValueError(f"assignment {assignment}: notebook.md and checks.py must have the same checks, but not {odd}")
    by_check, calls, arrays = {}, [], {}
    for name in wanted:
        rng = np.random.default_rng([seed, int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)])
        by_check[name] = list(loaded[name](rng))
        if not by_check[name]:
            raise ValueError(f"assignment {assignment}: the check {name} makes no call")
        if name in sources.by_case(assignment) and not all(call.case for call in by_check[name]):
            raise ValueError(f"assignment {assignment}: {name} gives points by case, but a call of it names no case")
        for i, call in enumerate(by_check[name]):
            arguments = None if call.arguments is None else [encode(value, arrays) for value in call.arguments]
            calls.append(
                {"id": f"{name}.{i}", "part": name, "name": call.name, "arguments": arguments, "most": call.most}
            )
    return by_check, calls, arrays


def prepare_all(assignments, seed):
    """Assignment -> what `prepare` gives for it."""
    return {name: prepare(name, seed) for name in assignments}


def prepare_apart(assignments, seed):
    """`prepare_all`, each in a process of its own: the memory of the models that checks compare with goes with it."""
    prepared = {}
    for name in assignments:
        checks.load(name)  # what comes back names functions of this
        with checks.process() as process:
            prepared[name] = process.submit(prepare, name, seed).result()
    return prepared


def encode(value, arrays):
    """An argument as the worker reads it; arrays are put aside under a name."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"pairs": [[key, encode(item, arrays)] for key, item in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [encode(item, arrays) for item in value]}
    if isinstance(value, list):
        return [encode(item, arrays) for item in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(value)}
    return value


class Lost(RuntimeError):
    """A run was ended from outside, by no doing of the student's that can be told: it says nothing about the work."""


def run(cells, calls, arrays, limits=sandbox.Limits(), keep=None, **how):
    """Run the cells and calls, and again without what ended a run, until every call has had its chance.

    keep: number of a cell -> the names whose value after that cell counts. All runs together have the time and the
    bytes of `limits`. Returns the call's id -> its record, and the `Code` with what happened. Raises `Lost` where a run
    was ended from outside.
    """
    keep = keep or {}
    records, code, pending, left = {}, causes.Code(cells, {}, {}, keep), list(calls), limits.output
    until = time.monotonic() + limits.all_runs
    while pending:
        if time.monotonic() > until or left <= 0:
            code.ended["all runs"] = "timeout" if left > 0 else "too much output"
            break
        leave_out = [i for i in range(len(cells)) if f"cell {i}" in code.ended]
        job = {"cells": cells, "calls": pending, "leave_out": leave_out, "keep": keep}
        outcome = sandbox.run(job, arrays, limits=replace(limits, output=left), **how)
        if outcome.ended == "killed":
            raise Lost("the sandbox was ended from outside, as where the machine has no memory left")
        left -= outcome.said
        records = {**outcome.calls, **records}
        code.ran = {**outcome.cells, **code.ran}
        if outcome.ended == "done":
            break
        remaining = [call for call in pending if call["part"] != outcome.last and call["id"] not in records]
        stuck = outcome.last in code.ended or not outcome.last  # nothing new that could be left out
        code.ended.setdefault(outcome.last or "the start", outcome.ended)
        if stuck:
            break
        pending = remaining if not outcome.last.startswith("cell ") else pending
    return records, code


def grade(submission, prepared, **how):
    """The marks of one submission, given what `prepare` drew for its assignment."""
    assignment = submission.assignment
    by_check, calls, arrays = prepared
    records, code = run(submission.cells, calls, arrays, keep=submission.keep, **how)
    marks = Marks(submission.student, assignment, submission.file, submission.digest)
    marks.answers, marks.extra = submission.answers, submission.extra
    marks.fingerprint = submissions.fingerprint(submission, assignment)
    failed = {}  # check -> the first call that is wrong in it, its record, and what is wrong
    for name, worth in sources.points(assignment, marks=("check",)).items():
        cases = {}
        for i, call in enumerate(by_check[name]):
            record = records.get(f"{name}.{i}")
            reason = _reason(name, call, record, code)
            cases[call.case] = cases.get(call.case, True) and reason is None
            if reason is not None:
                failed.setdefault(name, (call.name, record and record["error"], reason))
        share = sum(cases.values()) / len(cases)
        marks.points[name] = worth if share == 1 else 0
        if name in sources.by_case(assignment) and share < 1:
            marks.points[name] = int(2 * worth * share) / 2  # rounded down to half points
            marks.cases[name] = list(cases.items())
    wrong = {called for called, *_ in failed.values()}
    for name, (called, error, reason) in failed.items():
        told = causes.with_cascade(reason, called, error, wrong, code)
        more = causes.defined_again(called, code) + ("" if error else causes.cut_off(called, code))
        marks.reasons[name] = told + more
        if causes.is_slip(error):
            marks.ran.append(f"a slip may cost points in several questions: {' '.join(reason.split())}")
    marks.ran, marks.stops = [*dict.fromkeys(marks.ran)], causes.stops(code)
    marks.ran += [f"the code ended a run in the sandbox ({place}: {how})" for place, how in code.ended.items()]
    return _with_notes(marks, submission)


def _reason(name, call, record, code):
    """What is wrong with a call's record in a check, for the student; None where it is right."""
    if record is None:
        return causes.not_reached(call.name, name, code)
    if record["error"] is not None:
        given = None if call.arguments is None else len(call.arguments)
        return causes.stopped(call.name, record["error"], code, given)
    return checks.wrong(call, record["value"])


def _best(marks):
    """The best of the marks of a student's files, with the words of the other where it can hold none. It says so."""
    best, *others = sorted(marks, key=lambda one: -sum(one.points.values()))
    for other in others:
        points = f"{sum(best.points.values()):g} points", f"{sum(other.points.values()):g}"
        best.notes.append(f"two files: {best.file} counts ({points[0]}), {other.file} does not ({points[1]})")
        shown = [submissions.base(one.file) for one in (best, other)]
        shown = shown if shown[0] != shown[1] else [best.file, other.file]
        which = f"{shown[0]} counts, with {points[0]}, and {shown[1]} does not"
        best.told.append(f"Two files of yours were graded: {which}, with {points[1]}. (The words come on top.)")
        words = [name for name in submissions.unwritten(best) if name not in submissions.unwritten(other)]
        for name in words:
            best.answers[name], best.pictures[name] = other.answers[name], other.pictures.get(name, {})
        if words:
            best.told = [text for text in best.told if text != submissions.NO_WORDS]
            best.told.append(f"Written answers were taken from {shown[1]}.")
            best.notes.append(f"written answers out of {other.file}: {', '.join(words)}")
    return best


def _with_notes(marks, submission):
    """The marks with what is to be told of the file: that may change where the notebook and its marks do not."""
    marks.file, marks.told = submission.file, [*submission.told, *marks.stops]
    marks.notes = [*submission.notes, *marks.ran]
    marks.pictures = submission.pictures
    return marks


def seed_of(folder):
    """The seed of a grading: drawn when it starts, kept in its folder, so that all students get the same inputs."""
    path = Path(folder) / "seed.json"
    if path.is_file():
        return json.loads(path.read_text())["seed"]
    seed = secrets.randbits(63)
    write(path, json.dumps({"seed": seed}))
    return seed


def write(path, text):
    """Write a text, or one text after another, to a file beside and rename it, so that no half file is ever read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines([text] if isinstance(text, str) else text)
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


@contextmanager
def alone(results):
    """Keep a second grading out of a results folder, and clear away what one that was killed left half written."""
    results.mkdir(parents=True, exist_ok=True)
    lock = results / ".lock"
    with open(lock, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{results} is in use by another grading: wait for it, or choose another folder") from None
        for path in results.rglob(".*.tmp"):
            if path.is_file():
                path.unlink()
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
            with suppress(OSError):
                results.rmdir()  # where nothing was graded, nothing is left


def save(path, all_marks):
    """Write marks to a file, one after another: those of a whole class together would fill the memory."""
    items = (("," if number else "") + json.dumps(asdict(marks)) for number, marks in enumerate(all_marks))
    write(path, itertools.chain([f'{{"version": {VERSION}, "marks": ['], items, ["]}"]))


def load(path):
    """The marks in a file, or None where there are none that this version reads."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return [Marks(**marks) for marks in data["marks"]] if data["version"] == VERSION else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def grade_all(
    folder,
    results,
    assignment=None,
    roster=(),
    seed=None,
    workers=None,
    kind="bubblewrap",
    progress=iter,
    limits=sandbox.Limits(),
    known=None,
    prepared_by=prepare_all,
):
    """Grade every submission below a folder; marks go to RESULTS/marks/ASSIGNMENT/STUDENT.json once they are known.

    What is graded already, with the same notebook, checks and seed, is not graded again. progress: wraps the iterator
    over what gets done, to show it. known: number of an LMS -> student of the roster. prepared_by: `prepare_all`, or
    `prepare_apart`. Returns the marks of all, those of the roster who handed in nothing too.
    """
    sandbox.ready(kind)
    results = Path(results)
    seed = seed_of(results) if seed is None else seed
    names = results / "names.json"  # whose file is whose stays as it was, whoever hands in later
    kept = json.loads(names.read_text(encoding="utf-8")) if names.is_file() else {}
    waiting, unreadable = submissions.sorted_out(folder, assignment, known, roster, kept)
    write(names, json.dumps(kept))
    finished = [Marks(one.student, one.assignment, one.file, notes=one.notes, told=one.told) for one in unreadable]
    stop = threading.Event()
    prepared = prepared_by(sorted({submission.assignment for submission in waiting}), seed)
    keys = {name: key(name, seed, kind) for name in prepared}

    def graded(submission):
        path = results / "marks" / submission.assignment / f"{submission.student}.json"
        before, both = load(path), [submission, *filter(None, [submission.other])]
        if before and [(one.digest, one.key) for one in before] == [(one.digest, keys[one.assignment]) for one in both]:
            return _best([_with_notes(marks, one) for marks, one in zip(before, both, strict=True)])
        try:
            drawn = prepared[submission.assignment]
            marks = [grade(one, drawn, kind=kind, limits=limits, stop=stop) for one in both]
        except (sandbox.Stopped, sandbox.NoSandbox, Lost):
            raise
        except Exception as error:  # whatever one submission does to us, the others are graded
            if isinstance(error, OSError) and error.errno in submissions.OURS:
                raise
            return unmarked(submission, f"could not be graded: {type(error).__name__}: {str(error)[:200]}")
        for one in marks:
            one.key = keys[submission.assignment]
        save(path, marks)
        return _best(marks)

    lost = []
    with ThreadPoolExecutor(workers or _workers(limits)) as pool:  # the work is done in the sandboxes: threads will do
        try:
            waiting = {pool.submit(graded, submission): submission for submission in waiting}
            for future in progress(as_completed(waiting)):
                try:
                    finished.append(future.result())
                except Lost:
                    lost.append(waiting[future])
        except BaseException:
            stop.set()  # the sandboxes that run are ended
            pool.shutdown(cancel_futures=True)
            raise
    for submission in lost:
        try:
            finished.append(graded(submission))
        except Lost as error:
            finished.append(unmarked(submission, f"not marked: {error}, twice. Grade again when the machine is idle"))
    names = {assignment} if assignment else {marks.assignment for marks in finished if marks.assignment}
    there = {(marks.student, marks.assignment) for marks in finished}
    for name in names:
        finished += [
            Marks(student, name, notes=["no submission"], submitted=False)
            for student in roster
            if (student, name) not in there and (student, "") not in there
        ]
    finished.sort(key=lambda marks: (marks.assignment, marks.student))
    _note_copies(finished)
    return finished


def _workers(limits):
    """As many at a time as there are processors, and memory for each to use all that it may."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(os.cpu_count() or 1, memory // limits.memory))


def unmarked(submission, why):
    """Marks with no points at all, which is not the same as 0 points: a human has to look. They are never kept."""
    told = [*submission.told, "Your work could not be graded yet. Your teacher knows, and will see to it."]
    return Marks(submission.student, submission.assignment, submission.file, notes=[why, *submission.notes], told=told)


def key(assignment, seed, kind="bubblewrap", root=ROOT):
    """What marks depend on besides the notebook: the assignment, all code that grading may import, and the seed."""
    versions = {package: importlib.metadata.version(package) for package in PACKAGES}
    digest = hashlib.sha256(repr((seed, kind, platform.python_version(), versions)).encode())
    for file in key_files(assignment, root):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def key_files(assignment, root=ROOT):
    """The files that the marks of an assignment depend on: coursework's, its own two, and the rooms that these import.

    A room counts whole, with its data, and so does each room that any of its files imports, wherever in the file. That
    is more than one grading runs; what it never runs, such as figures, views and claims, is left out.
    """
    own = sorted((root / "coursework" / "assignments" / assignment).rglob("*"))
    waiting = [*(root / "coursework").glob("*"), *own, *(root / package / "__init__.py" for package in OURS)]
    files = set()
    while waiting:
        path = waiting.pop()
        if not path.is_file() or path in files or "__pycache__" in path.parts:
            continue
        files.add(path)
        if path.suffix == ".py":
            waiting += [file for room in _rooms(path, root) for file in (room.rglob("*") if room.is_dir() else [room])]
    return sorted(files)


def _rooms(path, root):
    """The rooms of the two packages that a file imports from: folders, and modules at a package's root."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for package, room, *_ in (name.split(".") for name in names if name.startswith(OURS) and "." in name):
            folder = root / package / room
            yield folder if folder.is_dir() else folder.with_suffix(".py")


def _note_copies(all_marks):
    """Note what several students have in common to the letter, layout and comments aside."""
    for assignment in {marks.assignment for marks in all_marks}:
        same = {}
        for marks in all_marks:
            if marks.assignment == assignment and marks.fingerprint:
                same.setdefault(marks.fingerprint, []).append(marks)
        for group in same.values():
            for marks in group:
                others = [other.student for other in group if other is not marks]
                if others:
                    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
                    marks.notes.append(f"identical code: {', '.join(others[:5])}{more}")
