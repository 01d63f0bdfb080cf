"""Files that students handed in: where they lie, whose they are, and how to read them with bounded memory.

A folder of submissions may hold a folder for each student (nbgrader's STUDENT/ASSIGNMENT/FILE.ipynb, Moodle's, or
STUDENT/FILE.ipynb), notebooks (STUDENT.ipynb, or Canvas's STUDENT_123_456_FILE.ipynb), and the zip archives of an LMS,
which hold those. Nothing is unpacked to disk, and no path in an archive means anything but a student's name. An archive
that a student handed in is a file like any other: it is not a notebook.
"""

import hashlib
import io
import os
import re
import unicodedata
import zipfile
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice, permutations
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from coursework.processes import OURS, attempted

MOST_BYTES = 20 << 20  # of a notebook: an assignment with its figures has under one, but outputs may be long
MOST_NAME = 160  # bytes of a student's name in a file's name
MOST_FILES = 20  # notebooks of one student
MOST_SEEN = 2_000  # files and folders of one student that are looked at
MOST_DEPTH = 10  # folders in folders
MOST_LIST = 2 << 20  # bytes of the list of files in an archive: some 100 per file
MOST_ARCHIVE = 4 << 30  # bytes that all notebooks of an archive may have: 200 students with 20 MB each
PIECE = 1 << 16
LARGE = f"is larger than {MOST_BYTES >> 20} MB: choose Edit > Clear Outputs of All Cells, save it, and hand it in again"
HIDDEN = re.compile(r"\.(?![^_].*_assignsubmission_)|__MACOSX$")  # names of what nobody handed in; Moodle has .Net Fan
ENCRYPTED = 1  # a flag of a file in an archive
# Letters and marks without ink: a name with one looks like the name without it.
UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0]")
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the readers of the others return far more than they are asked


def student_name(text):
    """A student's name or number as a file may be called: letters and digits of any script, and . _ - @ +, at most 80.

    >>> student_name("Zoë O'Neil"), student_name("李明")
    ('Zoë-O-Neil', '李明')
    """
    composed = unicodedata.normalize("NFC", UNSEEN.sub("", text[:300]))  # macOS writes an accent as a second character
    letters = (one if unicodedata.category(one)[0] in "LMN" or one in "._@+" else "-" for one in composed)
    name = re.sub("-+", "-", "".join(letters))
    name = name.encode()[:MOST_NAME].decode(errors="ignore")  # a file's name has at most 255 bytes
    name = name.lstrip("-.@+")[:80].rstrip("-.")  # not hidden, no way to another folder, no formula for a spreadsheet
    return name or "unnamed-" + _digest(text)


def folded(name):
    """A name without what tells apart only at a second look: capitals, accents, wide letters."""
    plain = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold()


def plain(name):
    """A full name as a folder may have it, whatever its capitals, accents and signs."""
    return folded(student_name(name))


class Owner(NamedTuple):
    """Whom a file belongs to, as its path says: a name, and the number that an LMS gives to people of the same name."""

    name: str
    number: str = ""


@dataclass
class Found:
    """A file that was handed in: how the teacher is shown it, and what reads it or says why not.

    beside: it matters only where its student has no notebook. archive: what says whose it is; anybody may have made it.
    """

    shown: str
    read: Callable[[], bytes]
    beside: bool = False
    archive: str = ""


def find(folder, known=None, roster=(), names=None):
    """(student, each `Found`, notes) of those who handed in something below a folder.

    known: an LMS's number, or `plain` full name -> the student's name in the roster. roster: the names of the class.
    names: who was called what in earlier gradings; those of this one are added.
    """
    folder, known, roster = Path(folder), known or {}, set(roster)
    if not folder.is_dir():
        raise ValueError(f"the submissions must be a folder, got {folder}")
    by_owner, found, submitters = {}, [], _submitters(folder, roster)
    for where, path, reason in _walk(folder):
        shown, notebook = _shown("/".join(where)), _is_notebook(where[-1])
        where = where[1:] if len(where) > 1 and submitters.get(where[0], where) is None else where
        owner = submitters.get(where[0]) or _owner(where, known, roster)
        alone = len(where) == 1 and not of_an_lms(where[0]) and student_name(owner.name) not in roster
        if reason:
            items = [(owner, Found(shown, partial(_refuse, reason), reason == EMPTY))]
        elif alone and where[0].lower().endswith(".zip"):
            items = _in_archive(path, shown, owner, known, roster)
        else:  # a single file that is not a notebook is the teacher's
            items = [(owner, Found(shown, partial(_read, path), not notebook))] if notebook or not alone else []
        for owner, one in items:
            by_owner.setdefault(owner, []).append(one)
    students = _students(by_owner, known, roster, {} if names is None else names)
    by_student = {}
    for owner, files in by_owner.items():
        student, notes = students[owner]
        theirs, said = by_student.setdefault(student, ([], []))
        theirs += files
        said += notes
    for student, (files, notes) in by_student.items():
        files = [one for one in files if not one.beside] or files
        if len({one.archive for one in files}) > 1:  # the maker of an archive takes nobody's place by it
            for one in files:
                one.read = partial(_refuse, ANYBODYS) if one.archive else one.read
        if len(files) > MOST_FILES:
            notes.append(f"{len(files)} files: only the first {MOST_FILES} were opened")
        found.append((student, files[:MOST_FILES], notes))
    return found


def _walk(folder):
    """(parts, path, None) of each file below a folder, or (parts, None, why not); a flood hides nothing above it."""
    waiting, seen = deque([()]), Counter()
    while waiting:
        where = waiting.popleft()
        try:
            with os.scandir(folder.joinpath(*where)) as entries:
                seen_here = islice(entries, MOST_SEEN + 1 if where else None)
                inside = [entry for entry in seen_here if not HIDDEN.match(entry.name)]
        except OSError as error:
            if error.errno in OURS or not where:
                raise
            yield where, None, f"could not be opened: {error.strerror}"
            continue
        if where and not inside:
            yield (*where, ""), None, EMPTY
        for entry in sorted(inside, key=lambda entry: entry.name):
            path = (*where, entry.name)
            seen[path[0]] += 1
            if seen[path[0]] == MOST_SEEN + 1:
                yield (path[0], ""), None, f"contains more than {MOST_SEEN:,} files: the others were not looked at"
            elif seen[path[0]] > MOST_SEEN:
                continue
            elif entry.is_file(follow_symlinks=False):
                yield path, entry.path, None
            elif entry.is_dir(follow_symlinks=False) and len(path) <= MOST_DEPTH:
                waiting.append(path)
            else:
                yield path, None, "is a link, or no regular file, or too deep in folders: it was not opened"


EMPTY = "is a folder without a file"
ANYBODYS = "is in an archive that anybody may have made, and the student has another file: it was not opened"
CANVAS = re.compile(r"(?P<name>.+?)(?:_LATE)?_(?P<number>\d+)_(?P<handed_in>\d{1,18})_", re.S)
BLACKBOARD = re.compile(r"[^_]*_(?P<name>.+?)_attempt_(?P<handed_in>\d{4}(?:-\d\d){5})_(?P<number>)", re.S)
GRADESCOPE = "submission_metadata.yml"  # whose the folders are that Gradescope calls submission_12345
EXPORTED = re.compile(rf"(?:assignment_\d+_export/)?{re.escape(GRADESCOPE)}")
MOODLE = re.compile(r"(.+)_(\d+)_assignsubmission_(?:file|onlinetext)_?", re.S)


def of_an_lms(file):
    """The match of Canvas's or Blackboard's own part of a file's name: what a student may write comes after it."""
    found = filter(None, (pattern.match(file) for pattern in (CANVAS, BLACKBOARD)))
    return min(found, key=lambda match: match.end(), default=None)


def _submitters(folder, roster):
    """Folder -> `Owner`, the first who handed in, by the file that Gradescope exports; its own folder has none."""
    found = {}
    for path in (folder / GRADESCOPE, *folder.glob(f"assignment_[0-9]*_export/{GRADESCOPE}")):
        if path.is_file() and not path.is_symlink():
            with open(path, "rb") as file:
                text = file.read(MOST_LIST).decode("utf-8", "replace")
            found |= {path.parent.name: None} if path.parent != folder else {}
            for entry in re.split(r"^(?=submission_\d+:)", text, flags=re.M)[1:]:
                first = re.split("^ *- ", entry, flags=re.M)[1:2]
                lines = [line for text in first for line in text.splitlines()[:3]]  # name, number, address
                said = [line.partition(": ")[2].strip().strip("'\"") for line in lines]
                sure = [one for one in said[::-1] if student_name(one) in roster]  # the name last: people choose theirs
                name = [*sure, *said, ""][0]
                found[entry.partition(":")[0]] = Owner(name or entry.partition(":")[0])
    return found


def _owner(where, known, roster):
    """The owner of a path below the submissions' folder.

    A file's name with the numbers of two people in it belongs to neither: students choose the names of their files.
    """
    if len(where) > 1:
        moodle = MOODLE.fullmatch(where[0])
        return Owner(*moodle.groups()) if moodle else Owner(known.get(plain(where[0]), where[0]))
    named = of_an_lms(where[0])
    if named and named.re is BLACKBOARD:  # assignments and people may have a _ in their names
        words = named["name"].split("_")
        names = ["_".join(words[place:]) for place in range(len(words))]
        return Owner(next((name for name in names if student_name(name) in roster), names[-1]))
    if named and len(known.keys() & set(re.findall(r"_(\d+)(?=_\d+_)", where[0]))) < 2:
        return Owner(named["name"], named["number"])
    name = re.split(r"\.ipynb", where[0], flags=re.I)[0] if _is_notebook(where[0]) else where[0].rpartition(".")[0]
    return Owner(known.get(plain(name), name or where[0]))


def _is_notebook(file):
    return ".ipynb" in file.lower()  # .ipynb.txt too: browsers and Windows add an ending, and the student learns that


def _shown(path):
    """A path in one line, not too long. The ": " behind an archive's name is the only one: nobody can forge it."""
    path = "".join(one if one.isprintable() else "-" for one in path.replace(": ", ":"))
    return path if len(path) <= 300 else f"{path[:150]}...{path[-150:]}"


def _students(files, known, roster, names):
    """Owner -> (student, notes). Different owners get different names, even if only capitals differ.

    A name of the roster goes to the owner with that student's number or exactly that name. Any other goes to the
    owner who had it before, else to one whose name needs no change. Later owners get another name, and both are noted.
    """
    read = {owner: known.get(owner.number) or student_name(owner.name) for owner in files}
    numbered = any(map(str.isdigit, known))
    mine = {one for one in files if one.number in known or read[one] in roster and not (one.number and numbered)}

    def order(owner):
        sure = owner.number not in known, owner not in mine, "\n".join(owner) not in names
        return *sure, owner.name != read[owner], not owner.name.islower(), len(owner.number), owner.number, owner.name

    kept, ours = {folded(name): who for who, name in names.items()}, {folded(name) for name in roster}
    found, taken, alike = {}, set(), {}
    for owner in sorted(files, key=order):
        key, tries = "\n".join(owner), 0
        sure = owner in mine and (owner.number in known or owner.name == read[owner] and not owner.number)
        name = wanted = read[owner] if owner in mine else names.get(key, read[owner])
        free = ours - taken if owner in mine else set()
        while not sure and folded(name) not in free:
            if folded(name) not in taken | ours and kept.get(folded(name), key) == key:
                break
            name, tries = f"{wanted[:60]}-{_digest(f'{key} {tries}')}", tries + 1
        taken.add(folded(name))
        names[key] = name
        notes = [] if name in roster or not roster else [f"not in the roster: {name}"]
        if tries:
            notes.append(f"{files[owner][0].shown} reads like {wanted}, another student: it is graded as {name}")
        found[owner] = name, notes
        alike.setdefault(folded(read[owner]), []).append(owner)
    for owner, other in (pair for group in alike.values() for pair in permutations(group[: MOST_FILES + 1], 2)):
        if found[other][0] != found[owner][0]:
            like = f"{files[other][0].shown} reads like {files[owner][0].shown}"
            found[owner][1].append(f"{like}: it is graded as {found[other][0]}")
    return found


def _digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


class _Bounded(io.BufferedReader):
    """A file that gives no more bytes at a time than the list of files in an archive may have."""

    def read(self, size=-1):
        if size is not None and size > MOST_LIST:
            raise ValueError("lists too many files: it was not opened")
        return super().read(size)

    def __del__(self):
        self.close()


def _read(path):
    if os.path.getsize(path) > MOST_BYTES:
        raise ValueError(LARGE)
    return Path(path).read_bytes()


def _refuse(reason):
    raise ValueError(reason)


@lru_cache(maxsize=2)
def _archive(path, time):
    """An archive, opened: its list of files is read, and nothing else. time: when it was written."""
    return zipfile.ZipFile(_Bounded(open(path, "rb", buffering=0)))


def _in_archive(path, shown, owner, known, roster):
    """Return (owner, Found) of each file in an LMS's archive, whose names name students; or of the archive itself."""
    time = os.stat(path).st_mtime_ns
    items, reason = attempted(_listed, path, time)
    if reason:
        return [(owner, Found(shown, partial(_refuse, reason), archive=shown))]
    found = []
    for of, item in items:
        read, name = partial(_read_member, path, time, item), f"{shown}: {_shown(item.filename)}"
        found.append((_owner(of, known, roster), Found(name, read, not _is_notebook(of[-1]), shown)))
    return found


def _listed(path, time):
    """(the parts of its path, item) of each file in an archive that may be somebody's."""
    items = [(_parts(item), item) for item in _archive(path, time).infolist() if not item.is_dir()]
    if any(EXPORTED.fullmatch("/".join(of)) for of, _ in items):
        raise ValueError("is an export of Gradescope: unpack it here, and grade again")
    items = [(of, item) for of, item in items if of[1:] or of and (_is_notebook(of[0]) or of_an_lms(of[0]))]
    opened = (item.file_size for of, item in items if _is_notebook(of[-1]) and item.file_size <= MOST_BYTES)
    if sum(opened) > MOST_ARCHIVE:  # one student's large files, which stay closed, close nobody else's
        raise ValueError(f"contains more than {MOST_ARCHIVE >> 30} GB: nothing in it was opened")
    return items


def _parts(item):
    """The parts of a path in an archive that name something; none where it is hidden."""
    parts = PurePosixPath(item.filename).parts  # a backslash is none: a student may have it in a file's name
    parts = tuple(part[:255] for part in parts if part not in ("/", "..", "."))
    return () if any(map(HIDDEN.match, parts)) else parts


def _read_member(path, time, item):
    if item.compress_type not in METHODS or item.flag_bits & ENCRYPTED:
        raise ValueError("is encrypted, or compressed in an unusual way: it was not opened")
    if item.file_size > MOST_BYTES:
        raise ValueError(LARGE)
    with _archive(path, time).open(item) as file:  # ends where the size says, whatever else is packed
        return b"".join(iter(lambda: file.read(PIECE), b""))
