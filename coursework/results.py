"""The folder of results: a file with the marks of each student, what a course keeps beside them, and who may write.

A mark has a key, of all that it depends on besides the notebook: if that changes, what was graded is graded again.
"""

import hashlib
import importlib.metadata
import json
import platform
import secrets
import typing
import zipfile
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from coursework import sources
from coursework.marks import Marks
from tutorial_lib import atomic

ROOT = Path(__file__).parents[1]
COURSE = ROOT / "course.json"  # the seed of the course: all its gradings have the same inputs, in whatever folder
MADE = (2026, 1, 1, 0, 0, 0)  # the date of all files in an archive
VERSION = 5  # of the files with marks
# What marks depend on: folders with their data, which is more than one grading runs, and a file; and versions of these.
OURS = ("coursework", "tutorial_lib", "tutorial_book/exercises", "tutorial_book/__init__.py")
OTHERS = ("jupytext", "nbformat", "numpy", "tokenizers", "torch", "transformers")

write = partial(atomic.write_text, errors="backslashreplace")  # students write halves of characters


def write_archive(path, texts):
    """Write a zip archive of (name, text), in the same bytes whenever it is made."""
    with atomic.beside(path) as part, zipfile.ZipFile(part, "w") as archive:
        for name, text in texts:
            content = text.encode("utf-8", "backslashreplace")
            archive.writestr(zipfile.ZipInfo(name, MADE), content, zipfile.ZIP_DEFLATED)


def check_apart(submissions_folder, results):
    """Refuse a results folder inside the submissions, where it would be a student's, or the other way round."""
    one, other = Path(submissions_folder).resolve(), Path(results).resolve()
    if one == other or one in other.parents or other in one.parents:
        raise ValueError(f"{results} and {submissions_folder} must not be inside each other: choose another with --to")


@contextmanager
def alone(results):
    """Keep a second grading out of a results folder, and clear away what one that was killed left half written."""
    with atomic.locked(results, f"{results} is in use by another command: wait for it, or choose another folder"):
        atomic.clear_parts(results)
        yield


def kept(path, read):
    """What `read` makes of a JSON file of the course's, where it fails if that has another form; {} without a file."""
    try:
        return read(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: use an older copy of the file. {error!r:.100}") from None


def keep(path, value):
    write(path, json.dumps(value))


def seed_of(results):
    """The seed of the course: drawn once, kept in the project's folder, and with the results for another machine."""
    files = [COURSE, results / "seed.json"]
    seeds = {file: kept(file, lambda found: int(found["seed"])) for file in files if file.is_file()}
    if len(set(seeds.values())) > 1:
        places = " and ".join(map(str, seeds))
        raise ValueError(f"{places} contain two different seeds, so marks would differ: keep only the course's")
    seed = next(iter(seeds.values()), secrets.randbits(63))
    for file in set(files) - seeds.keys():
        keep(file, {"seed": seed})
    return seed


def save(results, marks):
    path = results / "marks" / marks.assignment / f"{marks.student}.json"
    keep(path, {"version": VERSION, "marks": asdict(marks)})


def load(results, assignment, student):
    """Return a student's marks, or None if there are none that this version reads."""
    try:
        data = json.loads((results / "marks" / assignment / f"{student}.json").read_text(encoding="utf-8"))
        return fitting(Marks, data["marks"]) if data["version"] == VERSION else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def fitting(form, values):
    """Return what a data class makes of values out of JSON. Raises TypeError if one of them has another type."""
    kinds = typing.get_type_hints(form)
    if not all(_fits(value, kinds[name]) for name, value in dict(values).items()):
        raise TypeError("a value of another type")
    return form(**values)


def _fits(value, kind):
    """Whether a value has a type such as dict[str, float]. A tuple may be a list, as in JSON."""
    origin, inner = typing.get_origin(kind) or kind, typing.get_args(kind)
    if origin is dict:
        return isinstance(value, dict) and all(_fits(one, inner[1]) for one in value.values())
    if origin in (list, tuple):
        inner = inner if origin is tuple and ... not in inner else inner[:1] * len(value)
        return isinstance(value, (list, tuple)) and len(value) == len(inner) and all(map(_fits, value, inner))
    return isinstance(value, (int, float) if kind is float else kind)


def assignments_in(results):
    return sorted({path.parent.name for path in results.glob("marks/*/*.json")})


def stored(results, assignment):
    """Student -> marks of an assignment, or None, for each file that a results folder has."""
    return {path.stem: load(results, assignment, path.stem) for path in results.glob(f"marks/{assignment}/*.json")}


def marks_in(results, assignment, roster=()):
    """The marks of an assignment, and of the roster's others "no submission", but who has points in another variant."""
    marks = {student: Marks(student, assignment, notes=["no submission"], submitted=False) for student in roster}
    marks |= {student: one for student, one in stored(results, assignment).items() if one}
    others = [name for name in assignments_in(results) if name != assignment]
    variants = [name for name in others if sources.split(name)[0] == sources.split(assignment)[0]]
    elsewhere = {student for name in variants for student, one in stored(results, name).items() if one and one.points}
    return [one for student, one in sorted(marks.items()) if one.points or student not in elsewhere]


def key(assignment, seed, root=ROOT):
    """The digest of the assignment, all code and data that grading may read, versions, and the seed."""
    versions = {package: importlib.metadata.version(package) for package in OTHERS}
    digest = hashlib.sha256(repr((assignment, seed, platform.python_version(), versions)).encode())
    for file in key_files(root):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def key_files(root=ROOT):
    paths = (path for one in OURS for path in (root / one, *(root / one).rglob("*")))
    return sorted(path for path in paths if path.is_file() and "__pycache__" not in path.parts)
