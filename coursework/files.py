"""Files that students handed in: where they lie, whose they are, and how to read them with bounded memory.

A folder of submissions may hold a folder for each student (nbgrader's STUDENT/ASSIGNMENT/FILE.ipynb, Moodle's folders,
or STUDENT/FILE.ipynb), files (STUDENT.ipynb, or Canvas's STUDENT_123_456_FILE.ipynb), and zip archives of an LMS that
hold those. Nothing is unpacked to disk: notebooks are read out of the archive, and no path in it means anything but a
student's name; in an archive that a student handed in, not even that.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import unicodedata
import zipfile
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath

MOST_BYTES = 5 << 20  # of a notebook: an assignment with its figures has under one
MOST_FILES = 20  # notebooks of one student
MOST_SEEN = 2_000  # files and folders of one student that are looked at
MOST_DEPTH = 10  # folders in folders
MOST_LIST = 2 << 20, 250_000  # bytes of the list of files in an LMS's archive and in a student's: some 100 a file
MOST_LISTED = 25_000  # files in the archives of an LMS, all together
MOST_ARCHIVE = 4 << 30, 20 << 20  # bytes that all notebooks of such an archive may have: 800 students with 5 MB each
PIECE = 1 << 16
LARGE = f"is larger than {MOST_BYTES >> 20} MB: choose Edit > Clear Outputs of All Cells, save it, and hand it in again"
CHECKPOINTS = ".ipynb_checkpoints"
ENCRYPTED = 1  # a flag of a file in an archive
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the readers of the others give back far more than they are asked
OURS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE)  # no student's doing: grading stops


def student_name(text):
    """A student's name or number as it may stand in a file name: letters, digits, and . _ - @ +, at most 80.

    >>> student_name("Zoë Lovelace")
    'Zoe-Lovelace'
    """
    letters = (letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    name = re.sub(r"[^\w.@+-]+", "-", "".join(letters), flags=re.ASCII)
    name = name.lstrip("-.@+")[:80].rstrip("-.")  # not hidden, no way to another folder, no formula for a spreadsheet
    return name or "unnamed-" + _digest(text)


@dataclass(frozen=True)
class Owner:
    """Whom a file belongs to, as its path says: a name, and the number that an LMS gives to people of the same name."""

    name: str
    number: str = ""


@dataclass
class Found:
    """A file that may be a notebook: how the teacher is shown it, and what reads it or says why not.

    archive: the archive that lies alone and says whose file this is. Anybody may have made it.
    """

    shown: str
    read: Callable[[], bytes]
    notebook: bool = True  # as its name says
    checkpoint: bool = False  # what Jupyter keeps beside
    archive: str = ""


def find(folder, known=None, roster=(), names=None):
    """(student, file as shown to the teacher, how to read it, notes) of what students handed in below a folder.

    known: number of an LMS -> the student's name in the roster. roster: the names of the class. names: who was called
    what in earlier gradings; those of this one are added. Links are not followed and what is not a regular file is
    not opened: their readers say so. A file that is not called a notebook is given where its student has no other, and
    so is a copy of Jupyter's own, in .ipynb_checkpoints.
    """
    folder, known, roster = Path(folder), known or {}, set(roster)
    if not folder.is_dir():
        raise ValueError(f"the submissions must be a folder, got {folder}")
    opened, by_owner, found = lru_cache(maxsize=2)(_archive), {}, []
    archives, listed, seen = Counter(), 0, set()
    for where, entry, reason in _walk(folder):
        seen.add(where[0])
        owner, shown = _owner(where, known), _shown("/".join(where))
        loose = len(where) == 1 and not CANVAS.match(where[0]) and student_name(owner.name) not in roster
        source = entry and _source(entry.path)
        if reason:
            items = [(owner, Found(shown, _refusal(reason)))]
        elif where[-1].lower().endswith(".zip"):
            archives[owner, loose] += 1
            if not loose and archives[owner, loose] > MOST_FILES:
                continue
            items = _in_archive(opened, source, shown, owner, loose, known)
            listed += len(items) * loose
            if listed > MOST_LISTED:
                reason = "lists too many files, together with the other archives: it was not opened"
                items = [(owner, Found(shown, _refusal(reason)))]
            for _, one in items if loose else ():
                one.archive = shown
        elif _is_notebook(where) or not loose:  # what else lies beside is the teacher's
            items = [(owner, _found(shown, _reader(source), where))]
        else:
            continue
        for owner, one in items:
            by_owner.setdefault(owner, []).append(one)
    for name in sorted(set(_folders(folder)) - seen):
        by_owner.setdefault(
            _owner((name, ""), known), [Found(_shown(f"{name}/"), _refusal("is a folder without a file"))]
        )
    students = _students(by_owner, known, roster, {} if names is None else names)
    for owner, files in by_owner.items():
        student, notes = students[owner]
        files = [one for one in files if not one.checkpoint] or files
        if any(one.notebook for one in files):
            files = [one for one in files if one.notebook]
        if len({one.archive for one in files}) > 1:  # whoever made an archive takes nobody's place by it
            for one in files:
                one.read = _refusal(ANYBODYS) if one.archive else one.read
        if archives[owner, False] > MOST_FILES:
            notes.append(f"{archives[owner, False]} archives: only the first {MOST_FILES} were opened")
        if len(files) > MOST_FILES:
            notes.append(f"{len(files)} files: only the first {MOST_FILES} were opened")
        found += [(student, one.shown, one.read, notes) for one in files[:MOST_FILES]]
    return found


def _walk(folder):
    """(path as parts, entry, None) of each file below a folder, and (path, None, why) of what is not looked at.

    What lies higher comes first, so that a flood of files below hides nothing above it.
    """
    waiting, seen = deque([()]), Counter()
    while waiting:
        where = waiting.popleft()
        try:
            with os.scandir(folder.joinpath(*where)) as entries:
                inside = sorted(islice(entries, MOST_SEEN + 1 if where else None), key=lambda entry: entry.name)
        except OSError as error:
            if error.errno in OURS or not where:
                raise
            yield where, None, f"could not be opened: {error.strerror}"
            continue
        for entry in inside:
            path = (*where, entry.name)
            seen[path[0]] += 1
            hidden = entry.name.startswith(".") and not (where and entry.name == CHECKPOINTS)
            if seen[path[0]] > MOST_SEEN or hidden or entry.name == "__MACOSX":
                if seen[path[0]] == MOST_SEEN + 1:
                    top = path[:1] if len(path) == 1 else (path[0], "")
                    yield top, None, f"holds more than {MOST_SEEN:,} files: the others were not looked at"
            elif entry.is_symlink():
                yield path, None, "is a link: it was not opened"
            elif entry.is_dir(follow_symlinks=False):
                if len(path) > MOST_DEPTH:
                    yield path, None, "lies too deep in folders: it was not opened"
                else:
                    waiting.append(path)
            elif not entry.is_file(follow_symlinks=False):
                yield path, None, "is not a regular file: it was not opened"
            else:
                yield path, entry, None


def _folders(folder):
    """The names of the folders in a folder, but for hidden ones."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    return [name for name in names if not name.startswith(".") and name != "__MACOSX"]


ANYBODYS = "lies in an archive that anybody may have made, beside another file of the same student: it was not opened"
CANVAS = re.compile(r"(?P<name>.+?)(?:_LATE)?_(?P<number>\d+)_(?P<handed_in>\d{1,18})_", re.S)
MOODLE = re.compile(r"(.+)_(\d+)_assignsubmission_(?:file|onlinetext)_?", re.S)


def _owner(where, known):
    """The owner of a path below the submissions' folder.

    A file's name with the numbers of two people in it belongs to neither: students choose the names of their files.
    """
    if len(where) > 1:
        moodle = MOODLE.fullmatch(where[0])
        return Owner(*moodle.groups()) if moodle else Owner(where[0])
    canvas = CANVAS.match(where[0])
    if canvas and len(known.keys() & set(re.findall(r"_(\d+)(?=_\d+_)", where[0]))) < 2:
        return Owner(canvas["name"], canvas["number"])
    name = re.split(r"\.ipynb", where[0], flags=re.I)[0] if _is_notebook(where) else where[0].rpartition(".")[0]
    return Owner(name or where[0])


def _found(shown, read, where):
    return Found(shown, read, _is_notebook(where), CHECKPOINTS in where)


def _is_notebook(where):
    return ".ipynb" in where[-1].lower()  # .ipynb.txt too: browsers and Windows add an ending


def _shown(path):
    return path.encode("utf-8", "backslashreplace").decode()[:300]


def _students(files, known, roster, names):
    """Owner -> (student, notes). Who differs stays apart, also where files called a and A are the same file.

    A name of the roster goes to the owner with that student's number or exactly that name. Any other goes to who had it
    before, else to whose name needs no change. Whoever comes later gets another name, and both are noted.
    """

    def read(owner):
        return known.get(owner.number) or student_name(owner.name)

    def key(owner):
        return f"{owner.name}\n{owner.number}"

    def of_the_roster(owner):
        return owner.number in known or read(owner) in roster and not (owner.number and known)

    def order(owner):
        exact = (owner.number not in known, not of_the_roster(owner), key(owner) not in names)
        plain = (owner.name != read(owner), not owner.name.islower())
        return *exact, *plain, len(owner.number), owner.number, owner.name

    kept = {name.casefold(): who for who, name in names.items()}
    ours = {name.casefold() for name in roster}
    found, taken, alike = {}, set(), {}
    for owner in sorted(files, key=order):
        mine = of_the_roster(owner)
        sure = mine and (owner.number in known or owner.name == read(owner) and not owner.number)

        def free(name, owner=owner, mine=mine):
            like = name.casefold()
            return like not in taken and (mine or like not in ours and kept.get(like, key(owner)) == key(owner))

        name = wanted = read(owner) if mine else names.get(key(owner), read(owner))
        tries = 0
        while not sure and not free(name):
            name, tries = f"{wanted[:60]}-{_digest(f'{key(owner)} {tries}')}", tries + 1
        taken.add(name.casefold())
        names[key(owner)] = name
        notes = [] if name in roster or not roster else [f"not in the roster: {name}"]
        if tries:
            notes.append(f"{files[owner][0].shown} reads like {wanted}, another student: it is graded as {name}")
        found[owner] = name, notes
        alike.setdefault(read(owner).casefold(), []).append(owner)
    for group in alike.values():
        for owner in group:
            others = [other for other in group if found[other][0] != found[owner][0]]
            found[owner][1].extend(
                f"{files[other][0].shown} reads like {files[owner][0].shown}: it is graded as {found[other][0]}"
                for other in others[:MOST_FILES]
            )
    return found


def _digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


# --- reading, a piece at a time -------------------------------------------------------------------------------------


class _Bounded(io.BufferedReader):
    """A file that gives no more at a time than `most` bytes: so much may be the list of files in an archive."""

    def __init__(self, raw, most):
        super().__init__(raw)
        self.most = most

    def read(self, size=-1):
        if size is not None and size > self.most:
            raise ValueError("lists too many files: it was not opened")
        return super().read(size)

    def __del__(self):
        self.close()


def _source(path):
    return lambda: open(path, "rb", buffering=0)


def _reader(source):
    def read():
        with source() as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(LARGE)
        return content

    return read


def _refusal(reason):
    def read():
        raise ValueError(reason)

    return read


def _archive(source, own):
    """An archive, opened: its list of files is read, and nothing else."""
    return zipfile.ZipFile(_Bounded(source(), MOST_LIST[own]))


def _in_archive(opened, source, shown, owner, loose, known):
    """(owner, Found) of what is in a zip archive. Names in an LMS's name students; in a student's own, nobody."""
    try:
        items = [(_parts(item), item) for item in opened(source, not loose).infolist() if not item.is_dir()]
        items = [(parts, item) for parts, item in items if parts]
        items = [(parts, item) for parts, item in items if CHECKPOINTS not in parts] or items
        notebooks = [item for parts, item in items if _is_notebook(parts)]
        if not loose:  # what else lies beside is looked at only where there is no notebook
            named = [(parts, item) for parts, item in items if _is_notebook(parts)]
            items = named or items[: MOST_FILES + 1]
        if not loose and len(notebooks) > MOST_FILES:
            raise ValueError(f"holds {len(notebooks)} notebooks: none was opened")
        if not loose and not items:
            raise ValueError("holds no notebook")
        if sum(item.file_size for item in notebooks) > MOST_ARCHIVE[not loose]:
            raise ValueError(f"holds more than {MOST_ARCHIVE[not loose] >> 20} MB: nothing in it was opened")
    except Exception as error:  # an archive that somebody made up may break its reader in any way
        if isinstance(error, OSError) and error.errno in OURS:
            raise
        reason = str(error) if type(error) is ValueError else "is not a zip archive that can be read"
        return [(owner, Found(shown, _refusal(reason)))]
    found = []
    for parts, item in items:
        whose = _owner(parts, known) if loose else owner
        name = f"{shown}: {_shown(repr(item.filename)[1:-1])}"
        if loose and parts[-1].lower().endswith(".zip"):  # what a student handed in
            inner = _member(opened, source, False, item, MOST_ARCHIVE[True])
            found += _in_archive(opened, lambda inner=inner: io.BytesIO(inner()), name, whose, False, known)
        elif not loose or _is_notebook(parts) or len(parts) > 1 or CANVAS.match(parts[0]):
            found.append((whose, _found(name, _member(opened, source, not loose, item), parts)))
    return found


def _parts(item):
    """The parts of a path in an archive that name something; none where it is hidden."""
    path = PurePosixPath(item.filename.replace("\\", "/"))
    parts = tuple(part[:255] for part in path.parts if part not in ("/", "..", "."))
    hidden = (part.startswith(".") and part != CHECKPOINTS or part == "__MACOSX" for part in parts)
    return () if any(hidden) else parts


def _member(opened, source, own, item, most=MOST_BYTES):
    def read():
        if item.compress_type not in METHODS or item.flag_bits & ENCRYPTED:
            raise ValueError("is encrypted, or compressed in an unusual way: it was not opened")
        if item.file_size > most:
            raise ValueError(LARGE if most == MOST_BYTES else f"is larger than {most >> 20} MB: it was not opened")
        with opened(source, own).open(item) as file:  # ends where the size says, whatever else is packed
            return b"".join(iter(lambda: file.read(PIECE), b""))

    return read
