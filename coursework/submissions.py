"""What students handed in, read and looked at without trusting a byte of it: which code will run, and who wrote what.

Honest slips cost nothing where the work is there: an answer in a cell that was added, lost metadata, another ending of
the file. Each is told to the teacher and to the student. What is no notebook is answered with what to do.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import math
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from coursework import apart, sources
from coursework.files import CANVAS, CHECKPOINTS, MOST_BYTES, MOST_FILES, OURS, find, student_name

__all__ = ["MOST_BYTES", "MOST_FILES", "OURS", "Submission", "find", "read", "sorted_out", "student_name"]

MOST_CELLS = 1_000
MOST_ANSWER = 50_000  # characters of an answer that are shown to people
MOST_STUB = 2_000  # characters of a cell in which functions that do nothing are looked for
MOST_DEPTH = 100  # of lists and dictionaries in each other: an honest notebook has some 15
MOST_PARTS = 500_000  # commas and brackets of a notebook: as objects in memory each takes some 100 bytes
MOST_CODE = MOST_TEXT = 200_000  # bytes in memory that a submission's code, and its texts for people, may take
MOST_ADDED = 50  # cells that a student added and that run and are shown: no code runs that the teacher does not see
MOST_PICTURE, MOST_PICTURES, MOST_IN_CELL = 1 << 20, 3 << 20, 5  # bytes of one, bytes of a submission's, how many
MOST_PIXELS = 16_000_000  # of a submission's pictures together: a browser takes four bytes for each
MOST_SCANS = 100  # of a JPEG: each goes through the whole picture
FRAMES = (0xC0, 0xC1, 0xC2)  # the kinds of JPEG that browsers show
MOST_OF_ALL = 60 << 20  # bytes of the pictures of all submissions: all are in memory at once
INLINE = re.compile(r"\(data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+={0,2})\)")  # Colab's pictures
INSTALL = "#@title Install the book's library"  # the first cell of a released notebook; grading needs none of it
RIGHT_ONE = "If it is the right one, tell your teacher."
SENTENCES = Path(__file__).with_name("told.tsv")  # for students; the page "Check my notebook" says them in the browser
TOLD = {line.split("\t")[0]: line.split("\t")[3] for line in SENTENCES.read_text(encoding="utf-8").splitlines()}


@dataclass
class Submission:
    """One student's notebook for one assignment.

    cells: the sources of the code that will run, in order. keep: number of a cell -> the names whose value after that
    cell is graded, whatever the others make of them. answers: solution or written cell -> what the student wrote.
    extra: (type, source) of the cells that the student added. pictures: cell -> file name -> (type, base64) of the
    pictures in an answer; an added cell is "added-0". notes: what a human should look at, apart from the marks. told:
    sentences for the student's page. fingerprint: what stays of the code when comments and layout go: equal for copies.
    """

    student: str
    assignment: str
    file: str
    digest: str = ""
    cells: list[str] = field(default_factory=list)
    keep: dict[int, list[str]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    extra: list[tuple[str, str]] = field(default_factory=list)
    pictures: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    fingerprint: str | None = None


def sorted_out(folder, assignment, known=None, roster=(), names=None):
    """The submissions of an assignment below a folder, one for each student; and what cannot be graded, a student each.

    known: number of an LMS -> the student's name in the roster. roster: the names of the class. names: who was called
    what in earlier gradings; this one's are added. Those that cannot be graded have notes and what the student is told.
    """
    chosen, left, refused, about = {}, {}, {}, {}
    for name in sources.names():
        _released(name)  # once, and not in each process that reads a file
    for student, file, reader, notes in find(folder, known, roster, names):
        about[student] = list(dict.fromkeys([*about.get(student, []), *notes]))
        others = refused.setdefault(student, [])
        try:
            if apart.TOO_MUCH in [reason for _, reason in others]:
                raise ValueError("was not read, since another file of the same student took too long")
            submission = apart.call(read, student, file, reader(), assignment)
        except Exception as error:  # bytes that nobody of us wrote may break any reader of an archive
            if isinstance(error, OSError) and error.errno in OURS:
                raise
            others.append((file, _reason(error)))
            continue
        best, *more = sorted([submission, *filter(None, [chosen.get(student)])], key=_rank)
        chosen[student] = best
        left[student] = [*left.get(student, []), *(one.file for one in more)]
        _within_memory(list(chosen.values()))
    for student, submission in chosen.items():
        for file in left[student]:
            which = f"{base(file)}, was not graded, but {base(submission.file)}"
            _say(submission, f"another file, {file}, was not graded", f"Another file of yours, {which}. {RIGHT_ONE}")
        for file, reason in refused[student]:
            told = f"Another file of yours, {base(file)}, was not graded: it {reason}."
            _say(submission, f"another file, {file}, not graded: {reason}", told)
        submission.notes += about[student]
    return list(chosen.values()), [
        Submission(
            student,
            assignment,
            files[0][0],
            notes=[*(f"{file}: not graded: {reason}" for file, reason in files), *about[student]],
            told=[_told(file, reason) for file, reason in files],
        )
        for student, files in refused.items()
        if student not in chosen
    ]


def _reason(error):
    if isinstance(error, OSError):
        return f"could not be opened: {error.strerror}"  # without the path on the teacher's machine
    return str(error)[:300] if type(error) is ValueError else f"is broken: {type(error).__name__}"


def _told(file, reason):
    """What a student is told of a file that cannot be graded: how to mend it, where the reason does not say so."""
    advice = "" if ": " in reason and not reason.startswith("is broken") else f" {TOLD['again']}"
    what = "folder" if file.endswith("/") else "file"
    start = TOLD["refused"].format(what=what, file=base(file), reason=reason)
    return f"{start}{'' if reason.endswith('?') else '.'}{advice}"


def base(file):
    """A file's own name, for the student: what is around it is the LMS's or the teacher's."""
    return re.split(r"[/\\]|: ", file.rstrip("/"))[-1]


def _rank(submission):
    """The one with most answers comes first; then the newer one by its name, and one outside of an archive."""
    newest = [-number for number in age(submission.file)]
    return -_written(submission), newest, ": " in submission.file, submission.file


def age(file):
    """What is newer by its name is larger: the LMS's number of what was handed in, and the number of a copy.

    >>> age("lovelaceada_4711_99_2-attention.ipynb") < age("lovelaceada_4711_101_2-attention-1.ipynb")
    True
    >>> age("ada/2-attention (1).ipynb")
    (0, 1)
    """
    name = base(file)[:300]
    number, copied = CANVAS.match(name), re.search(r"(\d+)\)?$", re.split(r"\.ipynb", name, flags=re.I)[0])
    return int(number["handed_in"]) if number else 0, int(copied[1]) if copied else 0


def _written(submission):
    """How many of the answers are not as they were handed out."""
    marked = _released(submission.assignment).marked
    return sum(_even(text) != _even(marked[name].source) for name, text in submission.answers.items())


# --- a notebook -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Release:
    """What students got. marked: name -> cell. names: text of a cell -> its name, "" where it has none that tells.

    questions: text -> the written cell that follows it, or None. defined: solution -> {name that it is to define: the
    function that students get, "" for a variable}.
    """

    marked: dict
    names: dict[str, str]
    questions: dict[str, str | None]
    defined: dict[str, dict[str, str]]

    def role(self, name):
        return _role(self.marked[name])

    def of(self, *roles):
        """The names of the cells with these roles: given, check, solution, written."""
        return [name for name in self.marked if self.role(name) in roles]

    @property
    def answers(self):
        return self.of("solution", "written")


@dataclass(eq=False)
class Piece:
    """A cell of a notebook. name: as in the release; "" for its texts, None for what the student added.

    own: whether the student wrote in it. defines: the names of solutions that its code defines, and not as they were
    handed out. question: the written
    cell whose question stands before, if any.
    """

    name: str | None
    kind: str
    text: str
    cell: dict
    own: bool
    defines: set[str]
    question: str | None


@lru_cache
def _released(assignment):
    cells = sources.student_notebook(assignment).cells
    marked = {cell.metadata.nbgrader.grade_id: cell for cell in cells if "nbgrader" in cell.metadata}
    names, questions = {}, {}
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        written = name and _role(cell) == "written"  # they all read the same
        names[_even(cell.source)] = "" if written else name
        if not name:
            follows = after is not None and "nbgrader" in after.metadata and _role(after) == "written"
            questions[_even(cell.source)] = after.metadata.nbgrader.grade_id if follows else None
    defined = {name: _defined(cell.source) for name, cell in marked.items() if _role(cell) == "solution"}
    return Release(marked, {**names, "": ""}, questions, defined)


def _role(cell):
    data = cell.metadata.nbgrader
    if data.locked:
        return "check" if data.grade else "given"
    return "written" if data.grade else "solution"


def _even(text):
    """A text without what editors change: spaces at the ends of lines, empty lines around it.

    One that is longer than any cell of a release is like none of them.
    """
    if len(text) > MOST_CODE:
        return text
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def _assignments(notebook):
    """The assignments that a notebook may be: by its metadata, else by its cells' names or functions."""
    about = notebook["metadata"].get("coursework")
    named = about.get("assignment") if isinstance(about, dict) else None
    if named in sources.names():
        yield named
    ids = {_grade_id(cell) for cell in _cells(notebook)} - {None}
    text = "\n".join(_source(cell) for cell in _cells(notebook))
    for name in sources.names():
        release = _released(name)
        starters = "\n".join(release.marked[solution].source for solution in release.of("solution"))
        functions = re.findall(r"^def (\w+)", starters, re.M)
        if ids & set(release.of("solution")) or functions and all(f"def {function}" in text for function in functions):
            yield name


def read(student, file, content, assignment):
    """A submission out of a notebook's bytes: the code that will run, the answers, and what looks odd.

    Raises ValueError, with what is wrong, where the bytes are not a notebook, or of another assignment.
    """
    notebook, slips = _parsed(content, file)
    fitting = list(_assignments(notebook))
    if fitting and assignment not in fitting:
        raise ValueError(TOLD["another"].format(which=fitting[0], assignment=assignment))
    release = _released(assignment)
    submission = Submission(student, assignment, file, hashlib.sha256(content).hexdigest())
    if CHECKPOINTS in file:
        told = TOLD["checkpoint"].format(again=TOLD["again"])
        _say(submission, f"a copy out of {CHECKPOINTS}, nothing else", told)
    for note, told in slips:
        _say(submission, note, told)
    pieces = _pieces(notebook, release)
    stripped = not any(_grade_id(piece.cell) in release.marked for piece in pieces)
    if stripped:
        note = "stripped metadata: no cell is known by its name; functions were found by theirs"
        _say(submission, note, TOLD["stripped"])
    mine = _counting(submission, pieces, stripped, release)
    found = _elsewhere(submission, pieces, mine, stripped, release)
    if not fitting and not found and not mine:
        raise ValueError(TOLD["foreign"])
    used = {piece for same in found.values() for piece in same}
    added = [piece for piece in pieces if piece.name is None and piece not in used]
    code = any(piece.kind == "code" for piece in added)
    if not found and not code and not any(_own(name, mine) for name in release.answers):
        _say(submission, "as it was handed out: nothing was written", TOLD["blank"])
    if len(added) > MOST_ADDED:
        note = f"{len(added)} added cells: only the first {MOST_ADDED} were run and are shown"
        _say(submission, note, TOLD["many-added"].format(count=len(added), most=MOST_ADDED))
    graded = _graded(submission, pieces, mine, release)
    shown = {*used, *added[:MOST_ADDED]}
    _keep_code(submission, [one for one in pieces if _runs(one, mine, found, shown, release)], mine, release, graded)
    texts = {name: found.get(name) or mine[name] for name in release.answers if name in found or name in mine}
    _keep_texts(submission, texts, added[:MOST_ADDED])
    _look(submission)
    submission.fingerprint = _fingerprint(submission, release)
    return submission


def _say(submission, note, told):
    submission.notes.append(note)
    submission.told.append(told)


def _pieces(notebook, release):
    """The cells of a notebook that are not empty, each with its place in the release."""
    ids = {_grade_id(cell) for cell in _cells(notebook)}
    wanted = {name: starter for names in release.defined.values() for name, starter in names.items()}
    pieces, question, left = [], None, MOST_ANSWER
    for cell in _cells(notebook):
        name, kind, text = _grade_id(cell), cell.get("cell_type"), _source(cell)
        cell, text = (cell, _without_indent(text)) if kind == "code" else _attached(cell, text)
        if text.startswith(INSTALL) or kind not in ("code", "markdown", "raw"):
            continue
        if name not in release.marked:
            name = release.names.get(_even(text))
            name = "" if name and name in ids else name  # a copy: the cell itself is there
        if name == "":
            question = release.questions.get(_even(text), question)
        elif name is not None:
            question = name if release.role(name) == "written" else None
        elif kind != "code":  # a question that the student wrote below
            for start, after in release.questions.items():
                if after and _even(text).startswith(start):
                    question, text = after, _even(text)[len(start) :].strip()
        code = kind == "code"
        if code and name is None and question and len(text) <= left:  # words in a code cell
            code, left = not _is_prose(text), left - len(text)
        own = name is None or name != "" and _even(text) != _even(release.marked[name].source)
        answers = code and own and (name is None or release.role(name) == "solution")
        defines = _defines(text, wanted, release.defined.get(name, {})) if answers else set()
        pieces.append(Piece(name, "code" if code else "markdown", text, cell, own, defines, question))
    return pieces


def _without_indent(code):
    """Code without the indent of its first line, which IPython takes off all lines."""
    indent = re.match(r"\n*([ \t]*)", code)[1]
    return "\n".join(line.removeprefix(indent) for line in code.split("\n")) if indent else code


def _is_prose(text):
    """Whether the text of a code cell is words: no Python, or nothing but comments and strings."""
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return not re.search(r"^[%!]", text, re.M)  # what only a notebook understands
    except (ValueError, RecursionError, MemoryError):
        return False
    return all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in body)


def _attached(cell, text):
    """A cell whose pictures stand in its text, where Colab puts them, as one to which they are attached."""
    attached = cell.get("attachments")
    attached = dict(attached) if isinstance(attached, dict) else {}

    def attach(picture):
        name = f"picture-{len(attached) + 1}"
        attached[name] = {picture[1]: picture[2]}
        return f"(attachment:{name})"

    text = INLINE.sub(attach, text)
    return {**cell, "attachments": attached}, text


def _own(name, mine):
    """The pieces of this name that the student wrote in."""
    return [piece for piece in mine.get(name, []) if piece.own]


def _counting(submission, pieces, stripped, release):
    """Name -> the pieces that count: all its copies that the student wrote in, in order; else the first one."""
    mine = {}
    for name, original in release.marked.items():
        same = [piece for piece in pieces if piece.name == name]
        if same:
            mine[name] = [piece for piece in same if piece.own] or same[:1]
        named = [piece.cell["metadata"]["nbgrader"] for piece in same if _grade_id(piece.cell) == name]
        if len(named) > 1:
            written = release.role(name) == "written"
            what = "all that was written in them counts" if written else "the last one that was written in counts"
            times = "twice" if len(named) == 2 else f"{len(named)} times"
            submission.notes.append(f"duplicate cell: {name}; {what}")
            if name in release.answers:
                submission.told.append(TOLD["copies-all" if written else "copies-last"].format(name=name, times=times))
        if named and named[0].get("points") != original.metadata.nbgrader.get("points"):
            submission.notes.append(f"changed points: {name}; the assignment's own count")
        if name not in release.answers and _own(name, mine):
            _say(submission, f"changed cell: {name}; it was used as it was given", TOLD["changed"].format(name=name))
    missing = [name for name in release.marked if name not in mine]
    if missing and not stripped:
        submission.notes.append(f"missing cells: {', '.join(missing)}")
    return mine


def _elsewhere(submission, pieces, mine, stripped, release):
    """Name -> the pieces that hold the answer, where the cell that is for it holds none of it, or not all."""
    found = {}
    for name in release.answers:
        own = _own(name, mine)
        others = _others(name, own, pieces, release)
        if not others:
            continue
        found[name] = [piece for piece in pieces if piece in own or piece in others]
        if own and release.role(name) == "written":
            _say(submission, f"answer goes on in another cell: {name}", TOLD["goes-on"].format(name=name))
        elif own:
            _say(submission, f"answer goes on in another cell: {name}", TOLD["part-elsewhere"].format(name=name))
        elif not stripped:
            _say(submission, f"answer in another cell: {name}", TOLD["elsewhere"].format(name=name))
    lost = [name for name in release.answers if name not in mine and name not in found]
    if lost and not stripped:
        submission.told.append(TOLD["missing"].format(names=", ".join(lost)))
    return found


def _others(name, own, pieces, release):
    """The pieces beside its own cell that hold an answer: words below the question, or code that defines its names."""
    if release.role(name) == "written":
        words = [one for one in pieces if one.name is None and one.kind == "markdown" and one.question == name]
        return [one for one in words if not (own and one.text.startswith("#"))]  # a heading begins something else
    wanted = [defined for defined in release.defined[name] if not any(defined in one.defines for one in own)]
    by_name = [[one for one in pieces if defined in one.defines] for defined in wanted]
    return [defining[-1] for defining in by_name if defining] if own or all(by_name) else []


def _graded(submission, pieces, mine, release):
    """Name -> the piece whose definition is graded: its own cell, of copies the last; else the last with its `def`."""
    graded = {}
    for solution in release.of("solution"):
        own = _own(solution, mine)
        for name in release.defined[solution]:
            there = [one for one in pieces if name in one.defines]
            inside = [one for one in there if one in own]
            if there:
                graded[name] = [*there, *inside][-1]
            if inside and len(there) > len(inside):
                note = f"{name} is defined again in another cell: the one in the question's cell counts"
                _say(submission, note, TOLD["twice"].format(name=name))
    return graded


def _defined(starter):
    """The names that a starter defines, with its functions as they are: {"softmax": "def softmax(x): ..."}."""
    names = {}
    for statement in ast.parse(starter).body:
        if isinstance(statement, ast.FunctionDef):
            names[statement.name] = ast.get_source_segment(starter, statement)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        names |= {node.id: "" for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    return names


def _bound(given):
    """The names that a given cell binds: what it defines and what it imports."""
    imports = [part for part in ast.parse(given).body if isinstance(part, (ast.Import, ast.ImportFrom))]
    aliases = [alias for part in imports for alias in part.names]
    return [*_defined(given), *((alias.asname or alias.name).partition(".")[0] for alias in aliases)]


def _defines(text, wanted, mine):
    """Those of the wanted names that a text defines at its top level. It may be no Python.

    mine: the names of the question whose cell this is. In another cell, a value that is assigned to the name of a
    function is a try of that function and no answer.
    """
    starts = re.finditer(r"^(?:def +(\w+)|(\w[\w, ]*)=(?!=))", text, re.M)
    found = [(word, start[1]) for start in starts for word in re.findall(r"\w+", start[1] or start[2])]
    times = Counter(name for name, function in found if function or name in mine or not wanted.get(name))
    stubs, even = _stubs(text), _even(text)
    given = {name: even.count(_even(wanted[name])) if wanted[name] else 0 for name in times if name in wanted}
    return {name for name in given if times[name] > max(given[name], stubs[name])}


def _stubs(text):
    """Name -> how many functions of that name, at the top level of a text, do nothing."""
    try:
        body = ast.parse(text).body if len(text) <= MOST_STUB else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        body = []
    return Counter(one.name for one in body if isinstance(one, ast.FunctionDef) and all(map(_is_nothing, one.body)))


def _is_nothing(statement):
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, ast.Pass)


# --- what is kept of it, within bounds ------------------------------------------------------------------------------


def _runs(piece, mine, found, shown, release):
    """Whether a piece stands for code that runs: given cells, cells of answers that stand nowhere else, added ones."""
    if piece.name is None:
        return piece.kind == "code" and piece in shown
    if piece.name == "" or release.role(piece.name) not in ("given", "solution"):
        return False
    return piece in mine[piece.name] and (piece.name not in found or piece in shown)


def _keep_code(submission, pieces, mine, release, graded):
    """The code that runs. What was given runs as it was given, whatever the student made of it."""
    given, left = release.of("given"), MOST_CODE

    def give(name):
        """A cell as it was given. A try at the end may use its names for something else: their values here count."""
        submission.keep[len(submission.cells)] = _bound(release.marked[name].source)
        submission.cells.append(release.marked[name].source)

    for name in given:
        if name not in mine:
            give(name)
    for piece in pieces:
        if piece.name in given:
            give(piece.name)
            continue
        left -= sys.getsizeof(piece.text)
        if left < 0:
            note = f"too much code: from a cell of {len(piece.text)} characters on it was not run"
            _say(submission, note, TOLD["much-code"])
            break
        names = [name for name, of in graded.items() if of is piece]
        submission.keep |= {len(submission.cells): names} if names else {}
        submission.cells.append(piece.text)


def _keep_texts(submission, answers, extra):
    """The texts and pictures that people are shown."""
    left = MOST_TEXT
    for name, pieces in answers.items():
        between = "\n\n# in another cell:\n" if pieces[0].kind == "code" else "\n\n"
        text = between.join(dict.fromkeys(piece.text for piece in pieces))
        most = min(MOST_ANSWER, max(left, 0) * len(text) // sys.getsizeof(text))
        if len(text) > most:
            submission.notes.append(f"long answer: {name} has {len(text)} characters; its beginning is shown")
            text = f"{text[: max(most - 100, 0)]}\n\n... {len(text) - most + 100} more characters stand in the notebook"
        left -= sys.getsizeof(text)
        submission.answers[name] = text
        _keep_pictures(submission, name, pieces)
    for piece in extra:
        left -= sys.getsizeof(piece.text)
        if left < 0:
            submission.notes.append(f"{len(extra)} added cells: the first {len(submission.extra)} are shown")
            break
        _keep_pictures(submission, f"added-{len(submission.extra)}", [piece])
        submission.extra.append((piece.kind, piece.text))


def _keep_pictures(submission, where, pieces):
    """The pictures that were attached to a cell, each of a type that is known and no larger than it may be."""
    kept, lost = {}, 0
    there = [picture for pictures in submission.pictures.values() for picture in pictures.values()]
    left, pixels = MOST_PICTURES - _size(there), MOST_PIXELS - sum(_pixels(*picture) for picture in there)
    for piece in pieces:
        attached = piece.cell.get("attachments")
        for name, types in attached.items() if isinstance(attached, dict) else ():
            mime = next((mime for mime in ("image/png", "image/jpeg") if isinstance(types, dict) and mime in types), "")
            data = "".join(_text(types[mime]).split()) if mime else ""
            size = len(data) * 3 // 4
            fits = len(kept) < MOST_IN_CELL and size <= min(MOST_PICTURE, left)
            area = _pixels(mime, data) if fits and name.isprintable() and len(name) <= 200 else 0
            if 0 < area <= pixels:
                kept[name] = (mime, data)
                left, pixels = left - size, pixels - area
            else:
                lost += 1
    if kept:
        submission.pictures[where] = kept
    if lost:
        told = TOLD["pictures"].format(count=lost, where=where, pixels=f"{MOST_PIXELS:,}")
        _say(submission, f"{lost} pictures in {where} are not shown", told)


def _pixels(mime, data):
    """How many pixels a picture in base64 says that it has, which is what it takes to show it; 0 where it is none."""
    if len(data) % 4 or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", data):
        return 0
    content = base64.b64decode(data)
    if mime == "image/png":
        head = re.match(rb"\x89PNG\r\n\x1a\n\0\0\0\rIHDR(....)(....)", content, re.S)
    else:
        head = _frame(content)
    return math.prod(int.from_bytes(side, "big") for side in head.groups()) if head else 0


def _frame(content):
    """Height and width as they stand in a JPEG's frame; None where there is none, or it would take long to show."""
    if not content.startswith(b"\xff\xd8") or content.count(b"\xff\xda") > MOST_SCANS:
        return None
    place = 2
    while content[place : place + 1] == b"\xff":  # a segment: its kind, its length, what is in it
        if content[place + 1] in FRAMES:
            return re.compile(rb".{5}(..)(..)", re.S).match(content, place)
        place += 2 + int.from_bytes(content[place + 2 : place + 4], "big")
    return None


def _size(pictures):
    return sum(len(data) * 3 // 4 for _, data in pictures)


def _within_memory(all_submissions):
    """Take the pictures of whoever has most, until those of all fit."""
    sizes = {id(one): sum(_size(same.values()) for same in one.pictures.values()) for one in all_submissions}
    for one in sorted(all_submissions, key=lambda one: sizes[id(one)], reverse=True):
        if sum(sizes.values()) <= MOST_OF_ALL:
            break
        sizes[id(one)], one.pictures = 0, {}
        _say(one, "pictures are not shown: all submissions have too many", "Your pictures are not shown: too many.")


def _look(submission):
    """Note code that reaches for what is not its business."""
    found = next(filter(None, map(SUSPICIOUS.search, submission.cells)), None)
    if found:
        submission.notes.append(f"suspected tampering: the code names {ascii(found.group(0))}")


SUSPICIOUS = re.compile(
    r"\b(?:ctypes|subprocess|socket|os\.kill|os\._exit|os\.fork|os\.write|os\.environ|gradebook|gc\.get_objects)\b"
    r"|\b(?:inspect\.stack|_getframe|currentframe|sys\.modules|sys\.argv|__builtins__|__array__|__eq__|py_object)\b"
    r"|\b(?:pickle|unittest\.mock)\b|[\"'](?:/proc|/etc|/job|/site|/dev/)"
    "|[\u202a-\u202e\u2066-\u2069]"  # these turn the direction of text, so that code looks other than it is
)


def _fingerprint(submission, release):
    """What stays of the answers' code when comments and layout go; None for blank work."""
    texts = {name: submission.answers[name] for name in release.of("solution") if name in submission.answers}
    own = [text for name, text in texts.items() if _even(text) != _even(release.marked[name].source)]
    try:
        if sum(map(len, own)) > MOST_ANSWER:
            raise ValueError("too long for a tree")
        code = "\n".join(ast.dump(ast.parse(text)) for text in own)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        code = re.sub(r"\s+", "", "".join(own))
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest() if code else None


# --- bytes ----------------------------------------------------------------------------------------------------------


OTHERS = {  # what is handed in as a notebook, by its ending, and which sentence says what to do about it
    r"\.(docx?|odt|rtf|pages)$": "document",
    r"\.(tar|tgz|7z|rar|gz)$": "archive",
    r"\.py$": "script",
}
ARCHIVES = (b"PK\x03\x04", b"Rar!", b"7z\xbc\xaf", b"\x1f\x8b", b"BZh", b"\xfd7zXZ")


def _parsed(content, file=".ipynb"):
    """(the notebook in these bytes, (note, told) of what is odd about them). Its metadata is a dictionary."""
    slips = []
    if not content.strip():
        raise ValueError(TOLD["empty"])
    for pattern, name in OTHERS.items():
        if re.search(pattern, file, re.I):
            raise ValueError(TOLD[name])
    if content.startswith(ARCHIVES):
        raise ValueError(TOLD["archive"])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("utf-8-sig", "replace")
        slips.append(("encoding: some characters could not be read", TOLD["encoding"]))
    if _parts(text) > MOST_PARTS and _parts(_without_strings(text)) > MOST_PARTS or _depth(text) > MOST_DEPTH:
        raise ValueError(TOLD["parts"])
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(_instead(text.lstrip())) from None
    if isinstance(notebook, dict) and "worksheets" in notebook:
        raise ValueError(TOLD["old"].format(again=TOLD["again"]))
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError(TOLD["no-cells"])
    if len(notebook["cells"]) > MOST_CELLS:
        raise ValueError(TOLD["many-cells"].format(most=MOST_CELLS))
    if not isinstance(notebook.get("metadata"), dict):
        notebook["metadata"] = {}
    if not file.lower().endswith(".ipynb"):
        slips.append((f"not called .ipynb: {file}", TOLD["name"].format(file=base(file))))
    return notebook, slips


def _parts(text):
    return sum(map(text.count, ",[{"))


def _depth(text):
    """How deep lists and dictionaries lie in each other: no parser of JSON goes as deep as another."""
    signs = re.findall(r"[\[\]{}]", _without_strings(text))
    return max(accumulate(1 if sign in "[{" else -1 for sign in signs), default=0)


def _without_strings(text):
    return re.sub('"[^"]*"', "", text.replace(r"\\", "").replace(r"\"", ""))


def _instead(text):
    """What a text is that was handed in as a notebook and is none."""
    if re.search(r"^<{7} ", text, re.M) and re.search(r"^={7}$", text, re.M):
        return TOLD["conflict"]
    if text.startswith("{"):
        return TOLD["cut-off"]
    if text.startswith("%PDF"):
        return TOLD["pdf"]
    if len(text) < 1_000 and "://" in text:
        return TOLD["link"]
    return TOLD["web-page" if text.startswith("<") else "no-notebook"]


def _cells(notebook):
    return [cell for cell in notebook["cells"] if isinstance(cell, dict)]


def _source(cell):
    return _text(cell.get("source")).replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def _text(value):
    """A text of a notebook, which may be a list of its lines; empty where it is neither."""
    value = "".join(part for part in value if isinstance(part, str)) if isinstance(value, list) else value
    return value if isinstance(value, str) else ""


def _grade_id(cell):
    about = cell.get("metadata")
    data = about.get("nbgrader") if isinstance(about, dict) else None
    name = data.get("grade_id") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None
