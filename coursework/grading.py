"""From submissions to marks: each one alone, several at a time, and never twice.

Every submission is run in the sandbox and judged by the checks on the same fresh inputs. Its marks are written to a
file of their own as soon as they are known, so that a grading that was stopped goes on where it was. One submission
that breaks something ends its own grading only. What breaks from outside, such as a machine without memory, is tried
once more alone, and is no mark if it breaks again. A mark that was given changes by a submission that is newer by its
name, by the teacher's word, or with the assignment and this program; the report says so.
"""

from __future__ import annotations

import ast
import copy
import fcntl
import hashlib
import importlib.metadata
import json
import os
import platform
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from coursework import processes, causes, checks, references, sandbox, sources, submissions, worker
from tutorial_book.exercises import own_code

ROOT = Path(__file__).parents[1]
OURS = ("tutorial_lib", "tutorial_book")  # the packages, beside coursework
COURSE = ROOT / "course.json"  # the seed of the course: all its gradings have the same inputs, in whatever folder
DRAWS = 200  # of the inputs of a check, until each usual mistake fails: one in two does, where it is hard
MOST_OWN = 20_000  # bytes of a value that a question about the student's own code is about
A_START = 0.3  # seconds that each run counts beside those of the student's code: many short ones are no way out
VERSION = 4  # of the files with marks
PACKAGES = ("jupytext", "nbformat", "numpy", "tokenizers", "torch", "transformers")  # that grading computes with


@dataclass
class Marks:
    """What one student gets for one assignment.

    points: check -> points given. reasons: check -> what was seen, as the student may read it. cases: check -> (case,
    right), where a check gives its points case by case. hints: check -> that of the usual mistake whose values came.
    notes: for the teacher. told: sentences for the student's page.
    answers: solution or written cell -> what the student wrote. extra: (type, source) of the cells that the student
    added. pictures: cell -> file name -> (type, base64) of the pictures in an answer; an added cell is "added-0".
    me: the name that the questions about the student's own code are drawn from. own: such a question -> what is right.
    ran, stops: what was seen when the code ran, for the teacher, and for the student too. changes: what its mark was
    before, and why it changed. key: what the marks depend on besides the notebook.
    """

    student: str
    assignment: str
    file: str = ""
    digest: str = ""
    points: dict[str, float] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    cases: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    extra: list[tuple[str, str]] = field(default_factory=list)
    pictures: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    me: str = ""
    own: dict[str, object] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    stops: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    key: str = ""
    submitted: bool = True


def prepare(assignment, seed):
    """The calls of all checks on inputs drawn from the seed: (check -> its calls, the worker's calls, arrays)."""
    loaded = checks.load(assignment)
    wanted = set(sources.points(assignment, marks=("check",)))
    wanted -= set(own_code.asked(wanted).values())  # these are made for each student
    if wanted != set(loaded):
        odd = ", ".join(sorted(wanted ^ set(loaded)))
        raise ValueError(f"assignment {assignment}: notebook.md and checks.py must have the same checks, but not {odd}")
    by_check, calls, arrays = {}, [], {}
    for name in [name for name in sources.points(assignment) if name in wanted]:
        by_check[name] = _drawn(assignment, name, loaded[name], seed)
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


def _about_own(submission, arrays):
    """The calls for the questions about the student's own code, on inputs drawn from the name in the notebook."""
    me, calls = own_code.name_in(submission.answers.get("me", "")), []
    for name, check in own_code.asked(sources.points(submission.assignment)).items():
        arguments = [encode(value, arrays) for value in own_code.drawn(name, me)[0]]
        for called, given in ((own_code.QUESTIONS[name].function, arguments), (own_code.variable(name), None)):
            id = f"{check}.{called}"
            calls.append({"id": id, "part": check, "name": called, "arguments": given, "most": MOST_OWN})
    return me, calls


def _judge_own(marks, records):
    """Points for the questions about the student's own code whose function passes its own check."""
    worth = sources.points(marks.assignment)
    for name, check in own_code.asked(worth).items():
        called, passes = (own_code.QUESTIONS[name].function, own_code.variable(name)), marks.points[own_code.QUESTIONS[name].check]
        values = [(records.get(f"{check}.{one}") or {}).get("value") for one in called]
        reason, right = own_code.verdict(name, marks.me, passes, *values)
        marks.points[check] = worth[check] if reason is None else 0
        if reason:
            marks.reasons[check] = reason
        marks.own |= {} if right is None else {name: right}


def _drawn(assignment, name, check, seed):
    """The calls of a check; those of a hidden one are drawn until each usual mistake in a function fails in some."""
    number = int(hashlib.sha256(f"{assignment} {name}".encode()).hexdigest()[:8], 16)
    for draw in range(DRAWS):
        calls = list(check(np.random.default_rng([seed, number, draw])))
        unseen = _unseen(assignment, calls) if name.endswith("-hidden") else None
        if unseen is None:
            return calls
    raise ValueError(f"assignment {assignment}: {name} takes this mistake for right in each of {DRAWS} draws: {unseen}")


def _unseen(assignment, calls):
    """The hint of a usual mistake that all calls of its function take for right; None where each is seen."""
    for name, mistakes in references.mistakes(assignment).items():
        mine = [call for call in calls if call.name == name]
        for hint, mistake in mistakes.items() if mine else ():
            if not any(checks.wrong(call, _given_by(mistake, call)) for call in mine):
                return hint
    return None


def _recognized(assignment, name, called, calls, records):
    """The hint of the usual mistake that gives what a student's function gave to a check; "" where none does."""
    mine = [(call, records.get(f"{name}.{i}")) for i, call in enumerate(calls) if call.name == called]
    if not all(record and record["error"] is None for _, record in mine):
        return ""
    for hint, mistake in references.mistakes(assignment).get(called, {}).items():
        values = ((call, record["value"], _given_by(mistake, call)) for call, record in mine)
        if all(made is not None and checks.alike(call, made, value) for call, value, made in values):
            return hint
    return ""


def _given_by(function, call):
    """What a function of ours gives back, as if it came out of the sandbox; None where it stops."""
    try:
        with np.errstate(all="ignore"):
            return json.loads(json.dumps(worker.plain(function(*copy.deepcopy(call.arguments)))))
    except Exception:  # as it would stop there
        return None


def prepare_apart(assignment, seed):
    """`prepare`, in a process of its own: the memory of the models that checks compare with goes with it."""
    checks.load(assignment)  # what comes back names functions of this
    with checks.process() as process:
        return process.submit(prepare, assignment, seed).result()


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
    """Run the cells and calls, and again without the cell or function that ended a run, until the end is reached.

    keep: number of a cell -> the names whose value after that cell counts. All runs together have the time and the
    bytes of `limits`. Returns the call's id -> its record, and the `Code` with what happened. Raises `Lost` where a run
    was ended from outside.
    """
    keep = keep or {}
    records, code, pending = {}, causes.Code(cells, {}, {}, keep), list(calls)
    while pending:
        if limits.seconds < sandbox.LATE or limits.output <= 0:
            code.ended["all runs"] = "timeout" if limits.output > 0 else "too much output"
            break
        leave_out = [i for i in range(len(cells)) if f"cell {i}" in code.ended]
        job = {"cells": cells, "calls": pending, "leave_out": leave_out, "keep": keep}
        outcome = sandbox.run(job, arrays, limits=limits, **how)
        if outcome.ended == "killed":
            raise Lost("the sandbox was ended from outside, as where the machine has no memory left")
        spent = outcome.took + A_START
        limits = replace(limits, seconds=limits.seconds - spent, output=limits.output - outcome.said)
        records = {**outcome.calls, **records}
        code.ran = {**outcome.cells, **code.ran}
        if outcome.ended == "done":
            break
        if outcome.ended == "timeout" and limits.seconds < sandbox.LATE:
            continue  # what ran when the time was over is not what took it
        remaining = [call for call in pending if call["id"] not in records]
        ending = [call["name"] for call in remaining if call["part"] == outcome.last][:1]
        remaining = [call for call in remaining if call["part"] != outcome.last and call["name"] not in ending]
        stuck = outcome.last in code.ended or not outcome.last  # nothing new that could be left out
        code.ended.setdefault(outcome.last or "the start", outcome.ended)
        if stuck:
            break
        pending = remaining if not outcome.last.startswith("cell ") else pending
    return records, code


def grade(submission, prepared, **how):
    """The marks of one submission, given what `prepare` drew for its assignment."""
    assignment = submission.assignment
    by_check, calls, arrays = prepared[0], prepared[1], {**prepared[2]}
    me, about = _about_own(submission, arrays)
    records, code = run(submission.cells, [*calls, *about], arrays, keep=submission.keep, **how)
    marks = Marks(submission.student, assignment, submission.file, submission.digest, me=me)
    marks.answers, marks.extra = submission.answers, submission.extra
    failed = {}  # check -> the first call that is wrong in it, its record, and what is wrong
    for name, calls in by_check.items():
        cases, worth = {}, sources.points(assignment)[name]
        for i, call in enumerate(calls):
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
    _judge_own(marks, records)
    wrong = {called for called, *_ in failed.values()}
    for name, (called, error, reason) in failed.items():
        told = causes.with_cascade(reason, called, error, wrong, code)
        hint = _recognized(assignment, name, called, by_check[name], records) if told == reason and not error else ""
        if hint:
            marks.hints[name], told = hint, f"{told}\nHint: {hint}."
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


def _with_notes(marks, submission):
    """The marks with what is to be told of the file: that may change where the notebook and its marks do not."""
    marks.file, marks.told = submission.file, [*submission.told, *marks.stops]
    marks.notes = [*marks.changes, *submission.notes, *marks.ran]
    marks.pictures = submission.pictures
    return marks


def seed_of(results):
    """The seed of the course: drawn once, kept in the project's folder, and with the results for another machine."""
    files = [COURSE, Path(results) / "seed.json"]
    there = {str(file): json.loads(file.read_text())["seed"] for file in files if file.is_file()}
    if len(set(there.values())) > 1:
        places = " and ".join(there)
        raise ValueError(f"{places} hold two seeds, so that marks would differ: copy the course's over the other")
    seed = next(iter(there.values()), secrets.randbits(63))
    for file in files:
        if not file.is_file():
            write(file, json.dumps({"seed": seed}))
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
    with open(results / ".lock", "w") as file:  # it stays: who opened one that is gone would hold another lock
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{results} is in use by another grading: wait for it, or choose another folder") from None
        for path in results.rglob(".*.tmp"):
            if path.is_file():
                path.unlink()
        yield


def save(path, marks):
    """Write one student's marks to a file."""
    write(path, json.dumps({"version": VERSION, "marks": asdict(marks)}))


def load(path):
    """The marks in a file, or None where there are none that this version reads."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return Marks(**data["marks"]) if data["version"] == VERSION else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def assignments_in(results):
    """The assignments that a results folder has marks for."""
    return sorted({path.parent.name for path in (Path(results) / "marks").glob("*/*.json")})


def marks_in(results, assignment, roster=()):
    """The marks of an assignment that a results folder holds, and of those of the roster who handed in nothing."""
    found = [load(path) for path in sorted((Path(results) / "marks" / assignment).glob("*.json"))]
    found = [marks for marks in found if marks]
    absent = set(roster) - {marks.student for marks in found}
    found += [Marks(student, assignment, notes=["no submission"], submitted=False) for student in absent]
    return sorted(found, key=lambda marks: marks.student)


def apart_from(submissions_folder, results):
    """Refuse a results folder inside the submissions, where it would be a student's, or the other way round."""
    one, other = Path(submissions_folder).resolve(), Path(results).resolve()
    if one == other or one in other.parents or other in one.parents:
        raise ValueError(
            f"the results, {results}, must not lie in the folder of submissions, {submissions_folder}, nor these in "
            "the results: choose another folder with --to"
        )


def grade_all(
    folder,
    results,
    assignment,
    roster=(),
    seed=None,
    workers=None,
    kind="bubblewrap",
    progress=iter,
    limits=sandbox.Limits(),
    known=None,
    prepared_by=prepare,
    again=None,
):
    """Grade every submission of an assignment below a folder; marks go to RESULTS/marks/ASSIGNMENT/STUDENT.json.

    What is graded already, with the same notebook, checks and seed, is not graded again. progress: wraps the iterator
    over what gets done, to show it. known: number of an LMS -> student of the roster. prepared_by: `prepare`, or
    `prepare_apart`. again: the students whose new submission counts whatever its name is; none given, all. Returns the
    marks of all that RESULTS holds for the assignment, and of those of the roster who handed in nothing.
    """
    apart_from(folder, results)
    sandbox.ready(kind)
    results = Path(results)
    seed = seed_of(results) if seed is None else seed
    names = results / "names.json"  # whose file is whose stays as it was, whoever hands in later
    kept = json.loads(names.read_text(encoding="utf-8")) if names.is_file() else {}
    waiting, refused = submissions.sorted_out(folder, assignment, known, roster, kept)
    write(names, json.dumps(kept))
    stop = threading.Event()
    prepared = prepared_by(assignment, seed)
    today = key(assignment, seed, kind)

    def place(submission):
        return results / "marks" / assignment / f"{submission.student}.json"

    def graded(submission):
        before = load(place(submission))
        before = before if before and before.points else None
        same = before and before.digest == submission.digest
        if same and before.key == today:
            return _with_notes(before, submission)
        if before and not same and not _counts(submission, before, again):
            return _left(before, submission)
        try:
            marks = grade(submission, prepared, kind=kind, limits=limits, stop=stop)
        except (sandbox.Stopped, sandbox.NoSandbox, Lost):
            raise
        except Exception as error:  # whatever one submission does to us, the others are graded
            if isinstance(error, OSError) and error.errno in processes.OURS:
                raise
            return unmarked(submission, f"could not be graded: {type(error).__name__}: {str(error)[:200]}", before)
        marks.key = today
        if before:
            marks.changes = [*before.changes, *_change(before, marks)]
            marks = _with_notes(marks, submission)
        return marks

    lost = []
    with ThreadPoolExecutor(workers or _workers(limits)) as pool:  # the work is done in the sandboxes: threads will do
        try:
            waiting = {pool.submit(graded, submission): submission for submission in waiting}
            for future in progress(as_completed(waiting)):
                try:
                    save(place(waiting[future]), future.result())
                except Lost:
                    lost.append(waiting[future])
        except BaseException:
            stop.set()  # the sandboxes that run are ended
            pool.shutdown(cancel_futures=True)
            raise
    for submission in lost:
        try:
            marks = graded(submission)
        except Lost as error:
            why = f"not marked: {error}, twice. Grade again when the machine is idle"
            marks = unmarked(submission, why, load(place(submission)))
        save(place(submission), marks)
    checks.end_judges()
    for submission in refused:
        before = load(place(submission))
        marks = Marks(submission.student, assignment, submission.file, notes=submission.notes, told=submission.told)
        save(place(submission), _beside(before, submission) if before and before.points else marks)
    return marks_in(results, assignment, roster)


def _counts(submission, before, again):
    """Whether a submission takes the place of one that has a mark: by its name, or by the teacher's word."""
    named = again is not None and (not again or submission.student in again)
    return named or submissions.age(submission.file) > submissions.age(before.file)


def _left(before, submission):
    """The mark that stays, and what is told of a submission that does not take its place."""
    note = f"another file, {submission.file}, was left: the mark is that of {before.file}. To grade it instead, say"
    told = f"Your file {submissions.base(submission.file)} was not graded: your mark is that of"
    told = f"{told} {submissions.base(before.file)}, which you handed in before. {submissions.RIGHT_ONE}."
    return _beside(before, replace(submission, notes=[f"{note} --again {submission.student}"], told=[told]))


def _beside(before, submission):
    """The mark that stays, with what is told of another file."""
    before.notes = list(dict.fromkeys([*before.notes, *submission.notes]))
    before.told = list(dict.fromkeys([*before.told, *submission.told]))
    return before


def _change(before, marks):
    """What the report says of a mark that takes the place of another."""
    points = [f"{sum(one.points.values()):g}" for one in (before, marks)]
    if before.digest != marks.digest:
        return [f"graded anew: {marks.file} ({points[1]} points) took the place of {before.file} ({points[0]} points)"]
    why = "since the assignment, this program, its versions or the seed changed"
    return [f"graded anew {why}: {points[1]} points, before {points[0]}"] if points[0] != points[1] else []


def _workers(limits):
    """As many at a time as there are processors, and memory for each to use all that it may."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(os.cpu_count() or 1, memory // limits.memory))


def unmarked(submission, why, before=None):
    """Marks with no points at all, which is not the same as 0 points: a human has to look. A mark from before stays."""
    told = [*submission.told, "Your work could not be graded yet. Your teacher knows, and will see to it."]
    notes = [why, *submission.notes]
    if before and before.points:
        return _beside(before, replace(submission, notes=notes, told=told))
    return Marks(submission.student, submission.assignment, submission.file, notes=notes, told=told)


def key(assignment, seed, kind="bubblewrap", root=ROOT):
    """What marks depend on besides the notebook: the assignment, all code that grading may import, and the seed."""
    versions = {package: importlib.metadata.version(package) for package in PACKAGES}
    digest = hashlib.sha256(repr((assignment, seed, kind, platform.python_version(), versions)).encode())
    for file in key_files(assignment, root):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def key_files(assignment, root=ROOT):
    """The files that the marks of an assignment depend on: coursework's, its own two, and the rooms that these import.

    A room counts whole, with its data, and so does each room that any of its files imports, wherever in the file. That
    is more than one grading runs; what it never runs, such as figures, views and claims, is left out.
    """
    own = sorted((root / "coursework" / "assignments" / references.split(assignment)[0]).rglob("*"))
    waiting = [*(root / "coursework").glob("*"), *(root / "coursework" / "references").glob("*"), *own]
    waiting += [root / package / "__init__.py" for package in OURS]
    files = set()
    while waiting:
        path = waiting.pop()
        if not path.is_file() or path in files or "__pycache__" in path.parts:
            continue
        files.add(path)
        if path.suffix == ".py":
            rooms = _rooms(path.read_bytes(), root)
            waiting += [file for room in rooms for file in (room.rglob("*") if room.is_dir() else [room])]
    return sorted(files)


@cache
def _rooms(code, root):
    """The rooms of the two packages that a file's code imports from: folders, and modules at a package's root."""
    imports = [node for node in ast.walk(ast.parse(code)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    named = [(getattr(node, "module", None), alias.name) for node in imports for alias in node.names]
    parts = [".".join(filter(None, pair)).split(".") for pair in named]
    folders = [root / package / room[0] for package, *room in parts if package in OURS and room]
    return [folder if folder.is_dir() else folder.with_suffix(".py") for folder in folders]
