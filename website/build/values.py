"""A page writes its own numbers: values computed by the chapter's cells go into its Markdown before Sphinx reads it.

    % let: probe, table = (uuas(right[layer]["stories"]) for layer in (middle, 0))
    On new stories the probe finds {v}`probe:%` of the edges; the table alone finds {v}`table:%`.
    % holds: table + 0.1 < probe

{v}`expression:format` becomes text, in prose, formulas, headings, titles and options of directives, captions and
alternative texts. `let` names a value for several of them. `holds` checks a statement in words: if it is false on this
machine, the page says so in its place, and a test fails. All three can use the values that the chapter's last run left
(namespace.py), the chapter's imports, `np`, `math`, `shown(value, format)`, and other chapters
(`pages.token_vectors.cosine`). A page of the folder `teach` uses the values of its chapter. A value that depends on a
measured time ends with `~`, {v}`seconds:.1f~` and `% holds~:`: it is neither pinned nor tested, because it differs on
each run.

The formats are in formats.py, and `python -m website values PAGE` shows a page with its values.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tutorial_lib.atomic import write_text
from website.build.formats import shown
from website.build.namespace import Names

FILLED = Path("_build", "filled")
CODE = ("website/build/*.py", "tutorial_*/**/*.py")  # the inputs of a value, besides page and run
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?P<header>---\n.*?^---\n|(?::[^\n]*\n)*)(?P<code>.*?)^```$", re.M | re.S)
MARK = re.compile(r"\{v\}`(?P<inline>[^`\n]+)`|^% (?P<kind>let|holds~?): (?P<code>.+(?:\n%  +.+)*)$", re.M)
UNQUOTED = re.compile(r" *[\w-]+: +[^\"'|> \n]")  # the YAML of a caption that is neither quoted nor a block
FORMAT = re.compile(r"(?P<code>.+?):(?P<spec>[,.\w+]*%?~?)", re.S)
NOT_SO = "*(This is not true on the computer that made this page.)*"


class Problem(NamedTuple):
    page: str
    line: int
    text: str
    false: bool = False  # a `holds` that is false here; all others are mistakes of the author

    def __str__(self) -> str:
        return f"{self.page}.md:{self.line}: {self.text}"


def bound(tree: ast.AST):
    """Yield the names that a cell binds at its top level. Statements that change a value (`|=`, `+=`) bind none."""
    inner = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.AugAssign)
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif not isinstance(node, inner):
            yield from bound(node)


def joined(code: str) -> str:
    return re.sub(r"\n% +", " ", code)


class Values:
    """The names that the text of a page may use: page is its path below the root, such as "book/teach/seeing"."""

    def __init__(self, page: str, pages: Pages):
        self.chapter, self.pages = Path(page).name, pages
        texts = [path.read_text(encoding="utf-8") for path in _sources(pages.root, page)]
        self.places, self.lets, self.known = {}, {}, {}
        self.imports = {"np": "import numpy as np", "math": "import math"}
        for match in CELL.finditer(texts[0]):
            tree = ast.parse(match["code"])
            for name in set(bound(tree)):
                self.places.setdefault(name, []).append(texts[0].count("\n", 0, match.start("code")) + 1)
            for node in ast.walk(tree):
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    self.imports |= {alias.asname or alias.name: ast.unparse(node) for alias in node.names}
        for match in (match for text in texts for match in MARK.finditer(text) if match["kind"] == "let"):
            for name in (code := joined(match["code"])).partition("=")[0].split(","):
                self.lets.setdefault(name.strip(), []).append(code)

    def look_up(self, name: str) -> Callable:
        """Return the source of a name's value, known before any cell runs. NameError if there is none, or two."""
        lines, lets = sorted(set(self.places.get(name, []))), self.lets.get(name, [])
        if len(lines) > 1:
            where = " and ".join(map(str, lines))
            raise NameError(f"the cells at lines {where} both bind {name}, and only the last is kept. Use two names")
        if len(lets) + len(lines) > 1:
            raise NameError(f"{name} has two meanings. Give each let a new name")
        if lines:
            return lambda: getattr(self.pages.names(self.chapter), name)
        if lets:
            return lambda: self.let(lets[0])[name]
        if name in self.imports:
            return lambda: imported(name, self.imports[name])
        if name in (own := {"pages": self.pages, "shown": shown} | vars(builtins)):
            return lambda: own[name]
        near = difflib.get_close_matches(name, [*self.places, *self.lets], 1)
        raise NameError(f"no cell of {self.chapter} has {name}" + (f": {near[0]}?" if near else ""))

    def find(self, name: str):
        if name not in self.known:
            self.known[name] = self.look_up(name)()
        return self.known[name]

    def let(self, code: str) -> dict:
        """Return the values of the names in a line, after checking that they all exist."""
        names, _, expression = code.partition("=")
        names, value = [name.strip() for name in names.split(",")], self.evaluate(expression)
        self.known |= {names[0]: value} if len(names) == 1 else dict(zip(names, value, strict=True))
        return self.known

    def used(self, code: str) -> set[str]:
        """Return the names that an expression takes from the page."""
        nodes = list(ast.walk(ast.parse(code.strip(), mode="eval")))
        own = {node.arg for node in nodes if isinstance(node, ast.arg)}
        own |= {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        return {node.id for node in nodes if isinstance(node, ast.Name)} - own

    def evaluate(self, code: str):
        return eval(code.strip(), {name: self.find(name) for name in sorted(self.used(code))})

    def inline(self, mark: str) -> tuple[str, str]:
        """Return the text of a mark, and its pinned value: a number even if the text has a word."""
        value, spec = self.evaluate(code_of(mark)), mark[len(code_of(mark)) + 1 :]
        text = shown(value, spec.removesuffix("~"))
        if re.search(r'[\n`"\\]', text):
            raise ValueError(f"{text!r} has a character that is not allowed in a text or a caption")
        return text, shown(value) if spec.lower() in ("word", "th", "share") else text


def imported(name: str, statement: str):
    exec(statement, space := {})
    return space[name]


class Pages:
    """The pages of a book, with the values of its chapters' current runs; `pages.token_vectors.cosine` in a text.

    runs: chapter -> the file with its values.
    """

    def __init__(self, root: Path, runs: dict[str, Path]):
        self.root, self.runs = root, runs
        self.values = cache(lambda page: Values(page, self))
        self.names = cache(self.names)

    def names(self, chapter: str) -> Names:
        try:
            return Names(chapter, self.runs[chapter].read_bytes())
        except KeyError:
            raise NameError(f"the chapter {chapter} has not run. Run make book") from None

    def __getattr__(self, chapter: str):
        values = self.values(f"book/{chapter.replace('_', '-')}")
        return type("Page", (), {"__getattr__": lambda _, name: values.find(name)})()


def code_of(mark: str) -> str:
    """Return the expression of a mark, without its format. (The last colon may belong to a slice.)

    >>> code_of("rows[1:]:and"), code_of("rows[1:]"), code_of("max(rows, key=lambda row: row)")
    ('rows[1:]', 'rows[1:]', 'max(rows, key=lambda row: row)')
    """
    match = FORMAT.fullmatch(mark)
    try:
        ast.parse((match["code"] if match else mark).strip(), mode="eval")
    except SyntaxError:
        return mark
    return match["code"] if match else mark


def _sources(root: Path, page: str) -> list[Path]:
    """Return a page's chapter, and the page itself if it is another."""
    paths = [root / "book" / f"{Path(page).name}.md", root / f"{page}.md"]
    return list(dict.fromkeys(path for path in paths if path.exists()))


def marks(text: str):
    """Yield the marks of a page outside the code of cells: line, match, whether it is in unquoted YAML."""
    cells = [(match.span("header"), match.span("code")) for match in CELL.finditer(text)]
    for match in MARK.finditer(text):
        at = match.start()
        if not any(start <= at < end for _, (start, end) in cells):
            line = text[text.rfind("\n", 0, at) + 1 : at]
            in_yaml = any(start <= at < end for (start, end), _ in cells)
            yield text.count("\n", 0, at) + 1, match, in_yaml and UNQUOTED.match(f"{line}{match[0]}")


def mistakes(root: Path, page: str) -> list[Problem]:
    """Return errors that are visible before the chapter runs: syntax, unknown names, names bound by several cells."""
    values, found, text = Values(page, Pages(root, {})), [], (root / f"{page}.md").read_text(encoding="utf-8")
    for line, match, unquoted in marks(text):
        code = code_of(match["inline"]) if match["inline"] else joined(match["code"])
        try:
            if unquoted:
                raise ValueError("put the whole caption into quotes, because a value might end it")
            for name in sorted(values.used(code.partition("=")[2] if match["kind"] == "let" else code)):
                values.look_up(name)
        except (NameError, SyntaxError, ValueError) as error:
            found.append(Problem(page, line, f"{match[0]}: {error}"))
    rest = CELL.sub(lambda cell: "\n" * cell[0].count("\n"), blank(text))
    for match in re.finditer(r"\{v\}|%\s*(?:let|holds?)\b.*", rest):
        line = rest.count("\n", 0, match.start()) + 1
        found.append(Problem(page, line, f"{match[0]} is not valid here. See CONTRIBUTING"))
    return found


def fill(page: str, pages: Pages) -> tuple[str, list[Problem], dict[str, str]]:
    """Return a page's Markdown with its values, line by line; the errors; and each mark's pinned value."""
    text, values = (pages.root / f"{page}.md").read_text(encoding="utf-8"), pages.values(page)
    pieces, end, problems, pinned = [], 0, [], {}
    for line, match, _ in marks(text):
        new, tail = "", "\n" * match[0].count("\n")
        try:
            if match["inline"]:
                new, number = values.inline(match["inline"])
                pinned |= {} if match["inline"].endswith("~") else {match["inline"]: number}
            elif match["kind"] == "let":
                values.find(joined(match["code"]).partition("=")[0].split(",")[0].strip())
            elif not values.evaluate(joined(match["code"])):
                new = NOT_SO
                if match["kind"] == "holds":
                    problems.append(Problem(page, line, f"this is false: {joined(match['code'])}", false=True))
        except Exception as error:  # any exception of the expression
            problems.append(Problem(page, line, f"{match[0]}: {error or type(error).__name__}"))
        pieces += [text[end : match.start()], new, tail]
        end = match.end()
    return "".join([*pieces, text[end:]]), problems, pinned


def needed(root: Path, page: str) -> set[str]:
    """Return the chapters whose values may occur on a page: its own, and those that it names."""
    texts = [path.read_text(encoding="utf-8") for path in _sources(root, page)]
    return {Path(page).name, *(name.replace("_", "-") for name in re.findall(r"\bpages\.(\w+)", "".join(texts)))}


def marked(root: Path) -> list[str]:
    """Return the pages of the book that have marks, by their paths below the root."""
    paths = (path for path in sorted((root / "book").rglob("*.md")) if MARK.search(path.read_text(encoding="utf-8")))
    return [path.relative_to(root).with_suffix("").as_posix() for path in paths]


def fill_all(root: Path, runs: dict[str, Path]) -> list[Problem]:
    """Write the pages that have marks into `FILLED`. A page stays as it is if neither its text nor its values changed.

    Next to them, made.json records each page's inputs and its errors.
    """
    record, problems, all_pages = root / FILLED / "made.json", [], Pages(root, runs)
    before, now = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}, {}
    code = b"".join(path.read_bytes() for pattern in CODE for path in sorted(root.glob(pattern)))
    for page in marked(root):
        texts = [path.read_text(encoding="utf-8") for path in _sources(root, page)]
        used = runs.values() if "pages." in "".join(texts) else [runs.get(Path(page).name)]
        key = hashlib.sha256(code + "".join([*texts, *map(str, used)]).encode()).hexdigest()
        if before.get(page, [""])[0] == key and (root / FILLED / f"{page}.md").exists():
            now[page] = before[page]
        else:
            text, found, _ = fill(page, all_pages)
            now[page] = [key if all(problem.false for problem in found) else "", found]
            write_text(root / FILLED / f"{page}.md", text)
        problems += [Problem(*problem) for problem in now[page][1]]
    write_text(record, json.dumps(now))
    return problems


def text_of(root: Path, source: str | Path) -> str:
    """Return a page's source as readers see it: filled by `make book` if it has marks."""
    path = root / source
    text = path.read_text(encoding="utf-8")
    if not MARK.search(text):
        return text
    filled = root / FILLED / path.relative_to(root)
    if not filled.exists():
        raise FileNotFoundError(f"{source} does not have its values yet. Run `make book` first")
    return filled.read_text(encoding="utf-8")


def setup(app):
    """Make Sphinx read the filled version of each page."""

    def read(app, docname: str, source: list[str]) -> None:
        if app.env.doc2path(docname).endswith(".md"):
            source[0] = text_of(Path(app.srcdir), f"{docname}.md")

    app.connect("source-read", read)


def blank(text: str) -> str:
    """Return a page's Markdown before its run: a dot for each value, because an expression is not valid YAML."""
    for _, match, _ in reversed(list(marks(text))):
        new = "." if match["inline"] else "\n" * match[0].count("\n")
        text = f"{text[: match.start()]}{new}{text[match.end() :]}"
    return text
