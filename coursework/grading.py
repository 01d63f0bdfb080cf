"""From submissions to marks: each one alone, several at a time, and never twice.

Every submission is run in the sandbox and judged by the checks on the same fresh inputs. Its marks are written to a
file of their own as soon as they are known, so that a grading that was stopped goes on where it was. One submission
that breaks something ends its own grading only.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import tutorial_lib.coursework
from coursework import checks, sandbox, sources, submissions

VERSION = 2  # of the files with marks


@dataclass
class Marks:
    """What one student gets for one assignment.

    points: check -> points given. reasons: check -> what was seen, as the student may read it. cases: check -> (case,
    right), where a check gives its points case by case. notes: for the teacher. told: sentences for the student's page.
    answers: solution or written cell -> what the student wrote. extra: (type, source) of the cells that the student
    added. pictures: cell -> file name -> (type, base64) of the pictures in an answer; an added cell is "added-0".
    key: what the marks depend on besides the notebook.
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
        for i, call in enumerate(by_check[name]):
            arguments = None if call.arguments is None else [encode(value, arrays) for value in call.arguments]
            calls.append({"id": f"{name}.{i}", "part": name, "name": call.name, "arguments": arguments})
    return by_check, calls, arrays


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


def run(cells, calls, arrays, limits=sandbox.Limits(), **how):
    """Run the cells and calls, and again without what ended a run, until every call has had its chance or time is up.

    Returns the call's id -> its record, and the cells and checks that ended a run.
    """
    records, culprits, leave_out, pending = {}, [], [], list(calls)
    until = time.monotonic() + limits.all_runs
    while pending and time.monotonic() < until:
        job = {"cells": cells, "calls": pending, "leave_out": leave_out}
        outcome = sandbox.run(job, arrays, limits=limits, **how)
        asked = {call["id"] for call in pending}
        for record in outcome.records:
            if isinstance(record.get("call"), str) and record["call"] in asked:
                records.setdefault(record["call"], record)
        if outcome.ended == "done":
            break
        last = next((r["start"] for r in reversed(outcome.records) if isinstance(r.get("start"), str)), "cell 0")
        number = next((i for i in range(len(cells)) if last == f"cell {i}"), None)
        remaining = [call for call in pending if call["part"] != last and call["id"] not in records]
        if number is not None and number not in leave_out:
            leave_out.append(number)
        elif len(remaining) < len(pending):
            pending = remaining
        else:  # nothing that could have started: the student's code wrote this
            culprits.append(f"a place that is none: {outcome.ended}")
            break
        culprits.append(f"{last}: {outcome.ended}")
    return records, culprits


def grade(submission, prepared, **how):
    """The marks of one submission, given what `prepare` drew for its assignment."""
    assignment = submission.assignment
    by_check, calls, arrays = prepared
    records, culprits = run(submission.cells, calls, arrays, **how)
    marks = Marks(submission.student, assignment, submission.file, submission.digest, notes=list(submission.notes))
    marks.answers, marks.extra, marks.pictures = submission.answers, submission.extra, submission.pictures
    marks.told = list(submission.told)
    marks.fingerprint = submissions.fingerprint(submission, assignment)
    for name, worth in sources.points(assignment, marks=("check",)).items():
        reasons = (checks.wrong(call, records.get(f"{name}.{i}")) for i, call in enumerate(by_check[name]))
        reason = next((reason for reason in reasons if reason), None)
        marks.points[name] = 0 if reason else worth
        if reason:
            marks.reasons[name] = reason
    marks.notes += [f"the code ended a run in the sandbox ({culprit})" for culprit in culprits]
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
    """Write a file beside and rename it, so that no half file is ever read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", errors="backslashreplace")
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def save(path, all_marks):
    """Write marks to a file."""
    write(path, json.dumps({"version": VERSION, "marks": [asdict(marks) for marks in all_marks]}, indent=1))


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
):
    """Grade every submission below a folder; marks go to RESULTS/marks/ASSIGNMENT/STUDENT.json once they are known.

    What is graded already, with the same notebook, checks and seed, is not graded again. progress: wraps the iterator
    over what gets done, to show it. known: number of an LMS -> student of the roster. Returns the marks of all, those
    of the roster who handed in nothing too.
    """
    sandbox.ready(kind)
    results = Path(results)
    seed = seed_of(results) if seed is None else seed
    waiting, unreadable = submissions.sorted_out(folder, assignment, known, roster)
    finished = [Marks(one.student, one.assignment, one.file, notes=one.notes, told=one.told) for one in unreadable]
    stop = threading.Event()
    prepared = {name: prepare(name, seed) for name in sorted({submission.assignment for submission in waiting})}
    keys = {name: key(name, seed) for name in prepared}

    def graded(submission):
        path = results / "marks" / submission.assignment / f"{submission.student}.json"
        known = load(path)
        if known and (known[0].digest, known[0].key) == (submission.digest, keys[submission.assignment]):
            return known[0]
        try:
            marks = grade(submission, prepared[submission.assignment], kind=kind, limits=limits, stop=stop)
        except (sandbox.Stopped, sandbox.NoSandbox):
            raise
        except Exception as error:  # whatever one submission does to us, the others are graded
            if isinstance(error, OSError) and error.errno in submissions.OURS:
                raise
            note = f"could not be graded: {type(error).__name__}: {str(error)[:200]}"
            marks = Marks(submission.student, submission.assignment, submission.file, notes=[*submission.notes, note])
        marks.key = keys[submission.assignment]
        save(path, [marks])
        return marks

    with ThreadPoolExecutor(workers or _workers(limits)) as pool:  # the work is done in the sandboxes: threads will do
        try:
            for future in progress(as_completed([pool.submit(graded, submission) for submission in waiting])):
                finished.append(future.result())
        except BaseException:
            stop.set()  # the sandboxes that run are ended
            pool.shutdown(cancel_futures=True)
            raise
    names = {assignment} if assignment else {marks.assignment for marks in finished if marks.assignment}
    there = {(marks.student, marks.assignment) for marks in finished}
    for name in names:
        finished += [
            Marks(student, name, notes=["no submission"], submitted=False)
            for student in roster
            if (student, name) not in there and (student, "") not in there
        ]
    _note_copies(finished)
    return sorted(finished, key=lambda marks: (marks.assignment, marks.student))


def _workers(limits):
    """As many at a time as there are processors, and memory for each to use all that it may."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(os.cpu_count() or 1, memory // limits.memory))


def key(assignment, seed):
    """What marks depend on besides the notebook: the assignment's two files, the right answers, this program, the seed."""
    folders = (checks.ASSIGNMENTS / assignment, Path(__file__).parent, Path(tutorial_lib.coursework.__file__).parent)
    files = [file for folder in folders for pattern in ("*.md", "*.py") for file in sorted(folder.glob(pattern))]
    digest = hashlib.sha256(str(seed).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


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
                    marks.notes.append(f"identical code: {', '.join(others)}")
