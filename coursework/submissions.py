"""What students handed in: found, read and looked at, without trusting a byte of it.

A folder of submissions may hold a folder for each student (nbgrader's STUDENT/ASSIGNMENT/FILE.ipynb, Moodle's folders,
or STUDENT/FILE.ipynb), files (STUDENT.ipynb, or Canvas's STUDENT_123_456_FILE.ipynb), and zip archives of an LMS that
hold those. Nothing is unpacked to disk: notebooks are read out of the archive, and no path in it means anything but a
student's name; in an archive that a student handed in, not even that.
"""

from __future__ import annotations

import ast
import errno
import hashlib
import json
import os
import re
import stat
import zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from coursework import sources

MOST_BYTES = 5 << 20  # of a notebook: an assignment with its figures has under one
MOST_CELLS = 1_000
MOST_FILES = 20  # in an archive that one student handed in
MOST_ANSWER = 50_000  # characters of an answer that are shown to people
OURS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE)  # no student's doing: grading stops


@dataclass
class Submission:
    """One student's notebook for one assignment.

    cells: the sources of the code that will run, in order. answers: solution or written cell -> what the student wrote.
    extra: (type, source) of the cells that the student added. pictures: cell -> file name -> (type, base64) of the
    pictures in an answer; an added cell is "added-0". notes: what a human should look at, apart from the marks. told:
    sentences for the student's page.
    """

    student: str
    assignment: str
    file: str
    digest: str = ""
    cells: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    extra: list[tuple[str, str]] = field(default_factory=list)
    pictures: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


def student_name(text):
    """A student's name or number as it may stand in a file name: letters, digits, and . _ - @ +, at most 80.

    >>> student_name("Ada Lovelace")
    'Ada-Lovelace'
    """
    name = re.sub(r"[^\w.@+-]+", "-", text, flags=re.ASCII).strip("-.")[:80]
    name = name.lstrip("@+")  # a spreadsheet would take such a name for a formula
    return name or "unnamed-" + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]


@dataclass(frozen=True)
class Owner:
    """Whom a file belongs to, as its path says: a name, and the number that an LMS gives to people of the same name."""

    name: str
    number: str = ""


def sorted_out(folder, assignment=None, known=None, roster=()):
    """The submissions below a folder, one for each student and assignment; and what cannot be read, a student each.

    assignment: what all of them are for; by default each notebook tells. known: number of an LMS -> the student's name
    in the roster. roster: the names of the class. Those that cannot be read have notes and what the student is told.
    """
    chosen, unreadable = {}, {}
    for student, file, reader, notes in find(folder, known):
        try:
            content = reader()
            name = assignment or assignment_of(content)
            if name is None:
                raise ValueError("belongs to no assignment: neither its metadata nor its functions tell")
            submission = read(student, file, content, name)
        except Exception as error:  # bytes that nobody of us wrote may break any reader
            if isinstance(error, OSError) and error.errno in OURS:
                raise
            unreadable.setdefault(student, []).append((file, f"not readable: {error}"))
            continue
        submission.notes += notes
        other = chosen.setdefault((student, name), submission)
        if other is not submission:
            kept, left = sorted((other, submission), key=_first)
            note = f"two notebooks: {kept.file} was graded, {left.file} was not"
            kept.notes = [*kept.notes, *(old for old in left.notes if old.startswith("two notebooks"))][:20] + [note]
            chosen[student, name] = kept
    known_students = {student for student, _ in chosen}
    for (student, _), submission in chosen.items():
        submission.notes += [f"another file, {file}, {why}" for file, why in unreadable.get(student, [])[:20]]
    left = [
        Submission(student, assignment or "", "", notes=[f"{file}: {why}" for file, why in files[:20]])
        for student, files in unreadable.items()
        if student not in known_students
    ]
    return list(chosen.values()), left


def _first(submission):
    """The order in which one of a student's notebooks is chosen: outside of an archive, with the name it came with."""
    return ": " in submission.file, f"{submission.assignment}.ipynb" not in submission.file, submission.file


def find(folder, known=None):
    """(student, file as shown to the teacher, how to read it, notes) of every notebook below a folder, in order.

    known: number of an LMS -> the student's name in the roster. Symbolic links are not followed, and what is no regular
    file is not opened; both come back with a reason for a reader, and so does a student's file that is no notebook,
    where the student has no other.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"the submissions must be a folder, got {folder}")
    found, others = [], []
    for path in sorted(folder.rglob("*"), key=os.fsencode):
        where = path.relative_to(folder).parts
        if any(part.startswith(".") or part == "__MACOSX" for part in where) or _through_link(folder, path):
            continue
        mode, shown = path.lstat().st_mode, "/".join(where)
        if path.suffix.lower() == ".ipynb" and not stat.S_ISREG(mode):
            found.append((_owner(where), shown, _refusal("is a link, not a file: it was not opened")))
        elif path.suffix.lower() == ".ipynb":
            found.append((_owner(where), shown, _reader(path)))
        elif path.suffix.lower() == ".zip" and stat.S_ISREG(mode):
            found += _in_archive(path, where)
        elif stat.S_ISREG(mode) and (len(where) > 1 or CANVAS.match(where[0])):
            others.append((_owner(where), shown, _refusal("is no notebook: it was not opened")))
    there = {owner for owner, *_ in found}
    found += [item for item in others if item[0] not in there]
    students = _students({owner for owner, *_ in found}, known or {})
    return [(*students[owner][:1], file, read, students[owner][1]) for owner, file, read in found]


def _students(owners, known):
    """Owner -> (student, notes). Who differs stays apart, also where files called a and A are the same file."""
    found, taken = {}, set()

    def order(owner):
        return owner.number not in known, student_name(owner.name) != owner.name, owner.name, owner.number

    for owner in sorted(owners, key=order):
        name, notes, tries = known.get(owner.number) or student_name(owner.name), [], 0
        plain = name
        while name.casefold() in taken:
            about = f"{owner.name} {owner.number} {tries}".encode("utf-8", "surrogateescape")
            name, tries = f"{plain[:60]}-{hashlib.sha256(about).hexdigest()[:8]}", tries + 1
            notes = [f"another student's name reads {plain} too: this one is graded as {name}"]
        taken.add(name.casefold())
        found[owner] = name, notes
    return found


def _through_link(folder, path):
    return any(parent.is_symlink() for parent in path.parents if parent != folder and folder in parent.parents)


CANVAS = re.compile(r"(.+?)(?:_LATE)?_(\d+)_\d+_", re.S)
MOODLE = re.compile(r"(.+)_(\d+)_assignsubmission_(?:file|onlinetext)_?", re.S)


def _owner(where):
    """The owner of a path below the submissions' folder."""
    if len(where) > 1:
        moodle = MOODLE.fullmatch(where[0])
        return Owner(*moodle.groups()) if moodle else Owner(where[0])
    canvas = CANVAS.match(where[0])
    return Owner(*canvas.groups()) if canvas else Owner(where[0].rpartition(".")[0] or where[0])


def _reader(path):
    def read():
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"is larger than {MOST_BYTES >> 20} MB: it was not opened")
        return path.read_bytes()

    return read


def _refusal(reason):
    def read():
        raise ValueError(reason)

    return read


def _in_archive(path, where):
    """The notebooks in a zip archive. The names in an LMS's archive name students; a student's own names nobody."""
    own = _owner(where) if len(where) > 1 or CANVAS.match(where[0]) else None
    shown = "/".join(where)
    try:
        if own and path.stat().st_size > 4 * MOST_BYTES:
            raise ValueError("is too large")
        with zipfile.ZipFile(path) as archive:
            items = [(_parts(item), item) for item in archive.infolist() if not item.is_dir()]
    except Exception:  # an archive that somebody made up may break its reader in any way
        return [(own or _owner(where), shown, _refusal("is not a readable zip archive, or larger than 20 MB"))]
    items = [(parts, item) for parts, item in items if parts and "__MACOSX" not in parts and parts[-1][:1] != "."]
    notebooks = [(parts, item) for parts, item in items if parts[-1].lower().endswith(".ipynb")]
    if own and (not notebooks or len(notebooks) > MOST_FILES):
        return [(own, shown, _refusal(f"holds {len(notebooks)} notebooks: none was opened"))]
    found = [
        (own or _owner(parts), f"{shown}: {item.filename!r}", _from_archive(path, item)) for parts, item in notebooks
    ]
    there = {owner for owner, *_ in found}
    for parts, item in items:
        if (len(parts) > 1 or CANVAS.match(parts[0])) and not own and _owner(parts) not in there:
            found.append((_owner(parts), f"{shown}: {item.filename!r}", _refusal("is no notebook: it was not opened")))
    return found


def _parts(item):
    """The parts of a path in an archive that name something."""
    path = PurePosixPath(item.filename.replace("\\", "/"))
    return tuple(part for part in path.parts if part not in ("/", "..", "."))


def _from_archive(path, item):
    def read():
        if item.file_size > MOST_BYTES:
            raise ValueError(f"is larger than {MOST_BYTES >> 20} MB: it was not opened")
        with zipfile.ZipFile(path) as archive, archive.open(item) as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError("is larger than it says: it was not read to its end")
        return content

    return read


def assignment_of(content):
    """The assignment of a notebook, by its metadata, else by its cells' names or functions; None where none tells."""
    notebook = _parsed(content)
    about = notebook.get("metadata", {})
    named = about.get("coursework", {}).get("assignment") if isinstance(about.get("coursework"), dict) else None
    if named in sources.names():
        return named
    ids = {_grade_id(cell) for cell in _cells(notebook)} - {None}
    text = "\n".join(_source(cell) for cell in _cells(notebook))
    for name in sources.names():
        functions = re.findall(r"^def (\w+)", "\n".join(_starters(name).values()), re.M)
        if ids & set(_starters(name)) or functions and all(f"def {function}" in text for function in functions):
            return name
    return None


def read(student, file, content, assignment):
    """A submission out of a notebook's bytes: the code that will run, the answers, and what looks odd.

    Raises ValueError, with what is wrong, where the bytes are no notebook.
    """
    cells = _cells(_parsed(content))
    submission = Submission(student, assignment, file, hashlib.sha256(content).hexdigest())
    released = {
        cell.metadata.nbgrader.grade_id: cell
        for cell in sources.student_notebook(assignment).cells
        if "nbgrader" in cell.metadata
    }
    texts = {cell.source.strip() for cell in sources.student_notebook(assignment).cells} | {""}
    seen = set()
    for cell in cells:
        name, text = _grade_id(cell), _source(cell)
        original = released.get(name)
        if original is None:
            if cell.get("cell_type") == "code":
                submission.cells.append(text)  # the student's own, or one that lost its metadata
            if cell.get("cell_type") in ("code", "markdown") and text.strip() not in texts:
                submission.extra.append((cell["cell_type"], text))
            continue
        data = original.metadata.nbgrader
        if name in seen:
            submission.notes.append(f"duplicate cell: {name}; the first one counts")
            continue
        seen.add(name)
        if cell["metadata"]["nbgrader"].get("points") != data.get("points"):
            submission.notes.append(f"changed points: {name}; the assignment's own count")
        if data.locked and text.strip() != original.source.strip():
            submission.notes.append(f"changed cell: {name}; the assignment's own counts")
        if data.solution:
            submission.answers[name] = text
            if len(text) > MOST_ANSWER:
                submission.notes.append(f"long answer: {name} has {len(text)} characters; its beginning is shown")
        if data.locked and not data.grade:
            submission.cells.append(original.source)
        elif data.solution and original.cell_type == "code":
            submission.cells.append(text)
    _look(submission, released, seen)
    return submission


def _look(submission, released, seen):
    """Note what a human should see: lost metadata and cells, and code that reaches for what is not its business."""
    missing = [name for name in released if name not in seen]
    if not seen:
        submission.notes.append("stripped metadata: no cell is known by its name; functions were found by theirs")
        given = [
            cell.source
            for cell in released.values()
            if cell.metadata.nbgrader.locked and not cell.metadata.nbgrader.grade
        ]
        submission.cells[:0] = given
    elif missing:
        submission.notes.append(f"missing cells: {', '.join(missing)}")
    for text in submission.cells:
        found = SUSPICIOUS.search(text)
        if found:
            submission.notes.append(f"suspected tampering: the code names {ascii(found.group(0))}")
            break


SUSPICIOUS = re.compile(
    r"\b(?:ctypes|subprocess|socket|os\.kill|os\._exit|os\.fork|os\.write|os\.environ|gradebook|gc\.get_objects)\b"
    r"|\b(?:inspect\.stack|_getframe|currentframe|sys\.modules|sys\.argv|__builtins__|__array__|__eq__|py_object)\b"
    r"|\b(?:pickle|unittest\.mock)\b|[\"'](?:/proc|/etc|/job|/site|/dev/)"
    "|[\u202a-\u202e\u2066-\u2069]"  # these turn the direction of text, so that code looks other than it is
)


def fingerprint(submission, assignment):
    """What stays of the code when names of students, comments and layout go: equal for copies. None for blank work."""
    starters = _starters(assignment)
    own = [
        text for name, text in submission.answers.items() if name in starters and text.strip() != starters[name].strip()
    ]
    try:
        if sum(map(len, own)) > MOST_ANSWER:
            raise ValueError("too long for a tree")
        code = "\n".join(ast.dump(ast.parse(text)) for text in own)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        code = re.sub(r"\s+", "", "".join(own))
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest() if code else None


def _starters(assignment):
    """Solution cell -> the code that students get."""
    cells = sources.student_notebook(assignment).cells
    marked = [cell for cell in cells if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")]
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in marked}


def _parsed(content):
    try:
        notebook = json.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise ValueError("is not a notebook: it is not JSON") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("is not a notebook: it has no cells")
    if len(notebook["cells"]) > MOST_CELLS:
        raise ValueError(f"has more than {MOST_CELLS} cells")
    if not isinstance(notebook.get("metadata"), dict):
        notebook["metadata"] = {}
    return notebook


def _cells(notebook):
    return [cell for cell in notebook["cells"] if isinstance(cell, dict)]


def _source(cell):
    text = cell.get("source", "")
    text = "".join(part for part in text if isinstance(part, str)) if isinstance(text, list) else text
    return text.replace("\x00", "") if isinstance(text, str) else ""


def _grade_id(cell):
    about = cell.get("metadata")
    data = about.get("nbgrader") if isinstance(about, dict) else None
    name = data.get("grade_id") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None
