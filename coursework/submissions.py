"""What students handed in, read without trusting a byte of it: which code will run, and who wrote what.

The answers and the cells that were added run, and what was given runs as it was given.
"""

import ast
import hashlib
import json
import os
import re
import symtable
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from coursework import pictures, processes, sources
from coursework.files import find, of_an_lms
from coursework.marks import HandedIn
from tutorial_book.exercises import own_code

MOST_TEXT = 100_000  # characters that a student writes: the rest neither runs nor is shown
MOST_ADDED = 50  # cells that a student added and that run and are shown: no code runs that the teacher does not see
MOST_START = 1_000  # bytes of a file that show what it is
MOST_ME = 2_000  # characters of the cell with the student's name
A_FEW_WORDS = 60  # characters: a heading has fewer, an answer in the wrong place has more
ANSWER = re.compile(rf".{{{A_FEW_WORDS}}}.|attachment:", re.S)  # in an added cell: words, or a picture of them
VARIANT = re.compile(r', "(\w{1,20})"\);?\s*$')  # at the end of a check: the variant whose rules it uses
INSTALL = "#@title Install the book's library"  # the first cell of a released notebook; grading needs none of it
RIGHT_ONE = "If it is the right one, tell your teacher"
HERE = Path(__file__).parent
SENTENCES = HERE / "sentences.tsv"  # for students; the page "Check my notebook" has them too
TOLD = {line.split("\t")[0]: line.split("\t")[3] for line in SENTENCES.read_text(encoding="utf-8").splitlines()}
# Names that no answer needs, and characters without ink or that turn text: code looks other than it is.
SUSPICIOUS = re.compile("|".join((HERE / "suspicious.txt").read_text(encoding="utf-8").splitlines()))
# What is handed in in place of a notebook, by the name or the start of the file, and which sentence says what to do.
KINDS = [line.split("\t") for line in (HERE / "kinds.tsv").read_text(encoding="utf-8").splitlines()]


@dataclass
class Submission(HandedIn):
    cells: list[str] = field(default_factory=list)  # the code that will run
    keep: dict[int, list[str]] = field(default_factory=dict)  # a cell's number -> names with a value that is graded


def sorted_out(folder, assignment, known=None, roster=(), names=None):
    """The submissions that `files.find` finds, one for each student; and what cannot be graded, a student each."""
    for name in (*sources.names(), assignment):
        released(name)  # once, and not in each process that reads files
    found = find(folder, known, roster, names)
    files = [(student, one) for student, theirs, _ in found for one in theirs]
    chosen, left = {}, {student: [] for student, *_ in found}
    used, now = dict.fromkeys(left, 0), sum(os.times()[2:4])  # seconds of the processor that reading took

    def read_one(student, file, content, problem):
        if used[student] > processes.SECONDS or processes.TOO_MUCH in [reason for _, reason in left[student]]:
            problem = "was not read, because another file of the same student took too long"
        if problem:
            raise ValueError(problem)
        return read(student, file, content, assignment)

    contents = ((student, one.shown, *processes.attempted(one.read)) for student, one in files)
    for (student, one), (submission, problem) in zip(files, processes.each(read_one, contents), strict=True):
        start, now = now, sum(os.times()[2:4])
        used[student] += now - start
        if problem:
            left[student].append((one.shown, problem))
            continue
        before = chosen.setdefault(student, submission)
        if before is not submission:
            reason = beaten(submission, before)
            chosen[student], other = (before, submission) if reason else (submission, before)
            reason = f"{reason or beaten(before, submission)}, {base(chosen[student].file)}. {RIGHT_ONE}"
            left[student].append((other.file, reason))
        for one in pictures.too_many(list(chosen.values())):
            one.told.append("Your pictures are not shown: all submissions together have too many.")
    refused = {student: Submission(student, assignment, theirs[0].shown) for student, theirs, _ in found}
    for student, file, reason in ((student, *one) for student, files in left.items() for one in files):
        submission = chosen.get(student, refused[student])
        another = f"Another file of yours, {base(file)}, was not graded: it {reason}."
        submission.notes.append(f"{file}: not graded: {reason}")
        submission.told.append(another if student in chosen else _told(file, reason))
    for student, _, notes in found:
        chosen.get(student, refused[student]).notes.extend(notes)
    return list(chosen.values()), [one for student, one in refused.items() if student not in chosen]


def _told(file, reason):
    """Return the message about a file that cannot be graded, with a remedy if the reason does not name one."""
    advice = "" if ": " in reason and not reason.startswith("is broken") else f" {TOLD['again']}"
    start = TOLD["refused"].format(what="folder" if file.endswith("/") else "file", file=base(file), reason=reason)
    return f"{start}{'' if reason.endswith('?') else '.'}{advice}"


def base(file):
    """A file's own name, for the student: what is around it is the LMS's or the teacher's."""
    return re.split(r"[/\\]|: ", file.rstrip("/"))[-1]


def beaten(one, other):
    """Return why another file of the same student counts in place of this one; "" if this one counts."""
    given = released(one.assignment).texts
    more, fewer = (sum(_even(text) not in given for text in each.answers.values()) for each in (other, one))
    if more > fewer:
        return "has fewer answers than the one that counts"
    return "" if more < fewer or age(one) > age(other) else "is not newer, by its name, than the one that counts"


def age(handed_in):
    """Return numbers that are larger for a newer file: the LMS's number in its name, and that of a copy."""
    name = base(handed_in.file)[:300]
    own = re.split(r"\.ipynb", name.replace(handed_in.assignment, ""), flags=re.I)[0]  # it may end with 2027
    named, copied = of_an_lms(name), re.search(r"(\d+)\)?$", own)
    return int(named["handed_in"].replace("-", "")) if named else 0, int(copied[1]) if copied else 0


@dataclass(frozen=True)
class Release:
    marked: dict  # name -> cell
    texts: set[str]  # of all cells, and none
    roles: dict[str, str]  # name -> `sources.kind`
    defined: dict[str, dict[str, bool]]  # solution -> {name that it is to define: whether it is a function's}

    def of(self, *roles):
        return [name for name, role in self.roles.items() if role in roles]

    answers = property(lambda self: self.of("solution", "written"))


@dataclass(eq=False)
class Piece:
    name: str | None  # as in the release; None for what the student added
    kind: str
    text: str
    pictures: dict
    own: bool  # the student wrote in it
    defines: set[str]
    keep: list[str] = field(default_factory=list)  # what it defines and is graded as it is after this cell


@lru_cache
def released(assignment):
    cells, kinds = sources.student_notebook(assignment).cells, map(sources.kind, sources.source(assignment).cells)
    roles = {sources.grade_id(cell): kind for cell, kind in zip(cells, kinds, strict=True) if kind}
    marked = {sources.grade_id(cell): cell for cell in cells if sources.grade_id(cell)}
    defined = {name: _bound(marked[name].source) for name, role in roles.items() if role == "solution"}
    return Release(marked, {"", *(_even(cell.source) for cell in cells)}, roles, defined)


def _even(text):
    """A text without what editors change: spaces at the ends of lines, empty lines around it."""
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def _bound(code):
    """Name -> whether it is a function's, of those that our own cell binds."""
    names = symtable.symtable(code, "", "exec").get_symbols()
    return {one.get_name(): one.is_namespace() for one in names if one.is_assigned() or one.is_imported()}


def read(student, file, content, assignment):
    """Read a submission and tell the student about anything odd; raise ValueError if it is not of this assignment."""
    cells, release = _parsed(content, file), released(assignment)
    fits = _check_assignment(cells, release, assignment)
    submission = Submission(student, assignment, file, hashlib.sha256(content).hexdigest())
    pieces = _pieces(cells, release)
    if not fits and not any(piece.defines for piece in pieces):
        raise ValueError(TOLD["foreign"])
    _cut(submission, pieces)
    mine = _counting(submission, pieces, release)
    added = [piece for piece in pieces if piece.name is None]
    if len(added) > MOST_ADDED:
        _say(submission, "many-added", count=len(added), most=MOST_ADDED)
    count = {*mine.values(), *added[:MOST_ADDED]}
    pieces = [piece for piece in pieces if piece in count]
    answers = _answers(submission, pieces, mine, release)
    held = {piece for same in answers.values() for piece in same}
    extra = [piece for piece in pieces if piece.name is None and piece not in held]
    _note_blank(submission, answers, extra, release)
    _keep_code(submission, pieces, held, release)
    _keep_texts(submission, answers, extra)
    submission.me = own_code.name_in(submission.answers.get("me", "")[:MOST_ME]) or student
    if reaching := next(filter(None, (SUSPICIOUS.search(_read_by_python(text)) for text in submission.cells)), None):
        submission.notes.append(f"suspected tampering: the code names {ascii(reaching[0])}")
    return submission


def _read_by_python(text):
    """A text whose wide letters are letters, one by one: a run of accents as a whole takes the square of its length."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFKC", letter) for letter in text)


def _check_assignment(cells, release, assignment):
    """Refuse a notebook of another assignment or variant; whether it is one of this by the names of its cells."""
    ids = set(map(sources.grade_id, cells))
    counts = {name: len(ids & set(released(name).answers)) for name in sources.names()}
    fitting = [name for name in counts if 0 < counts[name] == max(counts.values())]
    checks = {name: release.marked[name].source for name in release.of("check")}
    pairs = [(_source(cell), checks[sources.grade_id(cell)]) for cell in cells if sources.grade_id(cell) in checks]
    named = {"".join(VARIANT.findall(text)) for text, ours in pairs if VARIANT.search(text) or VARIANT.search(ours)}
    assigned, variant = sources.split(assignment)
    other = fitting[:1] if assigned not in fitting else [assigned, *named] if named and variant not in named else []
    if other:
        raise ValueError(TOLD["another"].format(which="-".join(filter(None, other)), assignment=assignment))
    return bool(fitting)


def _say(submission, sentence, /, **words):
    """Tell the student, and so the teacher, the sentence of this name with these words in it."""
    submission.told.append(TOLD[sentence].format(**words))


def _pieces(cells, release):
    """The cells of a notebook that are no mere text of the assignment's."""
    pieces = []
    for cell in cells:
        name, kind, text = sources.grade_id(cell), cell.get("cell_type"), _source(cell)
        if kind not in ("code", "markdown", "raw"):
            continue
        name = name if name in release.marked else None
        shown, text = ({}, text) if kind == "code" else pictures.attached(cell, text)
        if name is None and (_even(text) in release.texts or text.startswith(INSTALL)):
            continue
        own = name is None or _even(text) != _even(release.marked[name].source)
        names = release.defined.get(name, {})
        code = names or name is None and kind == "code"
        defines = _defines(text, names, release) if own and code else set()
        pieces.append(Piece(name, "code" if kind == "code" else "markdown", text, shown, own, defines))
    return pieces


def _cut(submission, pieces):
    """Cut off text beyond the limit, added cells first. Text that the student did not write does not count."""
    own = sorted((piece for piece in pieces if piece.own), key=lambda piece: piece.name is None)
    if sum(len(piece.text) for piece in own) > MOST_TEXT:
        _say(submission, "long", most=f"{MOST_TEXT:,}")
    left = MOST_TEXT
    for piece in own:
        piece.text = piece.text[:left]
        left -= len(piece.text)


def _defines(text, own, release):
    """The names asked for that a text defines at its top level. A value for a function is a try, outside its `own`."""
    starts = re.findall(r"^def +(\w+)|^(\w[\w, ]*)=(?!=)", text, re.M)
    functions = {function for function, _ in starts}
    assigned = {word for _, left in starts for word in re.findall(r"\w+", left)}
    asked = [pair for names in release.defined.values() for pair in names.items()]
    return {name for name, function in asked if name in functions or name in assigned and (name in own or not function)}


def _counting(submission, pieces, release):
    """Name -> the piece that counts. The last changed copy of an answer counts; the rest was added."""
    mine = {}
    for name in dict.fromkeys(piece.name for piece in pieces if piece.name):
        same = [piece for piece in pieces if piece.name == name]
        own, answer = [piece for piece in same if piece.own], name in release.answers
        mine[name] = own[-1] if own and answer else same[0]
        if answer and len(same) > 1:
            _say(submission, "copies", name=name, times="twice" if len(same) == 2 else f"{len(same)} times")
            for piece in own[:-1]:
                piece.name, piece.defines = None, set()
        if not answer and own:
            _say(submission, "changed", name=name)
    return mine


def _answers(submission, pieces, mine, release):
    """Answer -> the pieces that hold it: its own cell, and where that lacks one of its names, the last that has it."""
    answers = {}
    if not mine:
        _say(submission, "nameless")
    for answer in release.answers:
        own, others = mine.get(answer), []
        for name in release.defined.get(answer, ()):
            there = [piece for piece in pieces if name in piece.defines]
            if own in there and len(there) > 1:
                _say(submission, "twice", name=name)
            elif there and own not in there:
                others.append(there[-1])
            if there:
                (own if own in there else there[-1]).keep.append(name)
        if others and mine:
            _say(submission, "elsewhere", name=answer)
        answers[answer] = [own, *others] if own and (own.own or not others) else others
    return {name: held for name, held in answers.items() if held}


def _note_blank(submission, answers, extra, release):
    """Say which answers are missing or blank, and where there are words that only a human can read."""
    elsewhere = any(piece.kind == "markdown" and ANSWER.search(piece.text) for piece in extra)
    nameless = TOLD["nameless"] in submission.told
    wanted = release.defined if nameless and elsewhere else release.answers  # the words have no separate cell
    if lost := ", ".join(name for name in release.answers if name in wanted and name not in answers):
        _say(submission, "missing", names=lost)
    own = [piece for pieces in answers.values() for piece in pieces if piece.own]
    if not own and not any(piece.kind == "code" for piece in extra):
        _say(submission, "blank")
    written = {piece.name for piece in own}
    empty = ", ".join(name for name in release.of("written") if name not in written)
    if empty and elsewhere:
        submission.notes.append(f"{empty}: the words are in other cells. Read them on the marking page")
        if not nameless:
            _say(submission, "words", names=empty)


def _imports(line):
    """Return whether a line of a cell is a complete import, which may stay in a given cell."""
    try:
        return line.startswith(("import ", "from ")) and len(ast.parse(line).body) == 1
    except (SyntaxError, ValueError):
        return False


def _keep_code(submission, pieces, held, release):
    """The code that runs: what was given, as it was given; the answers; and what was added."""
    given, solutions, there = release.of("given"), release.of("solution"), {piece.name for piece in pieces}
    lost = [Piece(name, "code", "", {}, False, set()) for name in given if name not in there]
    for piece in [*lost, *pieces]:
        if piece.name in given:
            source = release.marked[piece.name].source
            lines = map(str.rstrip, piece.text.split("\n"))
            added = [line for line in lines if line not in source.split("\n") and _imports(line)]
            piece.text, piece.keep = "\n".join([*added, source]), [*_bound(source)]
        elif not (piece in held and piece.name in solutions or piece.name is None and piece.kind == "code"):
            continue
        if piece.keep:
            submission.keep[len(submission.cells)] = piece.keep
        submission.cells.append(piece.text)


def _keep_texts(submission, answers, extra):
    for name, pieces in answers.items():
        between = "\n\n# in another cell:\n" if pieces[0].kind == "code" else "\n\n"
        submission.answers[name] = between.join(dict.fromkeys(piece.text for piece in pieces))
    submission.extra = [(piece.kind, piece.text) for piece in extra]
    for where, pieces in [*answers.items(), *((f"added-{i}", [piece]) for i, piece in enumerate(extra))]:
        before = [picture for same in submission.pictures.values() for picture in same.values()]
        kept, lost = pictures.kept([named for piece in pieces for named in piece.pictures.items()], before)
        if kept:
            submission.pictures[where] = kept
        if lost:
            _say(submission, "pictures", count=lost, where=where, pixels=f"{pictures.MOST_PIXELS:,}")


def _parsed(content, file):
    """The cells of the notebook in these bytes, each a dictionary."""
    looked_at = {"name": file, "start": content[:MOST_START].decode("latin-1")}
    for where, pattern, sentence in KINDS:
        if re.search(pattern, looked_at[where], re.I):
            raise ValueError(TOLD[sentence])
    if not content.strip():
        raise ValueError(TOLD["empty"])
    text = content.decode("utf-8-sig", "replace")
    try:
        notebook = json.loads(text)
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(TOLD["encoding"]) from None
    except (ValueError, RecursionError):
        text = text.lstrip()
        link = "link" if len(text) < 1_000 and "://" in text else ""
        known = {"{": "cut-off", "<": link or "web-page"}
        raise ValueError(TOLD[known.get(text[:1], link or "no-notebook")]) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError(TOLD["no-cells"])
    return [cell for cell in notebook["cells"] if isinstance(cell, dict)]


def _source(cell):
    return pictures.text_in(cell.get("source")).replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
