"""Whose code is like whose, question by question: a reason to look, never a verdict.

A program is the set of its structures: the head of each line and each expression in it, as trees in which all names are
one, all constants are one, and comments, docstrings and types are not there. So other names, other
numbers or another order of lines hide nothing. Code of the notebook as it is handed out does not count, and the rarer a
structure is in the class, the more it counts. Nothing that was handed in runs: it is parsed in a process that ends
after seconds.
"""

import ast
import builtins
import contextlib
import hashlib
import html
import math
import re
import sys
from itertools import combinations
from pathlib import Path
from types import MappingProxyType

import numpy as np

from coursework import feedback, pages, processes, results, sources, tables, worker

TOLD, ABOVE = 0.6, 0.15  # similarity of two answer sets that is reported; at least so far above the usual one
MEASURED = Path(__file__).with_name("likeness.tsv").read_text(encoding="utf-8").splitlines()[1:]  # a test measures it
USUAL = {name: float(highest) for name, _, highest, *_ in (line.split("\t") for line in MEASURED)}
FLOOR = 0.5  # of the published solution: with less code, two are alike because there is nothing to tell
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # of a statement: lists of others
UNSEEN = ("ctx", "annotation", "returns", "type_params", "decorator_list")
EITHER_WAY = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr)
MODULE = ast.Name("module", ast.Load())
SMALLEST = 4  # parts of a tree: `np.exp(x)` says nothing
MOST_TREES = 30_000  # of an answer: the published ones have up to 80, and all that a student may write has fewer
RUN, FEWEST_RUNS, WORDS_TOLD = 5, 12, 0.5  # words in a row; fewer of them say little; the share that is reported
LONG_TEXT = 40  # characters of a text in code that is compared, too
DEEP = 10_000  # calls in calls: a sum of a thousand terms, which the sandbox runs, is a tree as deep
MOST_ROWS = 300  # of the page; the CSV file has all
MEANING = Path(__file__).with_name("likeness.html").read_text(encoding="utf-8")
PUBLISHED, BOOK = "(published solution)", "(the book's own)"
BOOKS = ("tutorial_lib", "tutorial_book")


def statements(text, unread=()):
    """The statements of a cell, without what only a notebook understands; `unread` where it is no Python."""
    try:
        return worker.parsed(text, "a cell")
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last: nested too deep for Python's parser
        return unread


def nodes_of(*texts):
    """The nodes of the code in texts."""
    return [node for text in texts for one in statements(text) for node in ast.walk(one)]


def trees(text, helpers=MappingProxyType({}), known=()):
    """The structures, as digests, of the code in a text and of the helpers that it uses.

    helpers: name -> what other cells of the same student's define. known: names that mean the same for everybody.
    """
    body, used = list(statements(text)), set(known)  # another question's answer is no helper
    for one in body:  # grows: a helper may use another
        names = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)} & helpers.keys() - used
        used |= names
        body += [helpers[name] for name in sorted(names)]
    reader = _Reader(body, set(known))
    for one in body:
        reader.statement(one)
    return sorted(reader.found)[:MOST_TREES]  # digests: the same ones are left out of the same code


def by_name(texts):
    """Name -> the function or class of that name in other cells."""
    defined = (one for text in texts for one in statements(text) if isinstance(one, (ast.FunctionDef, ast.ClassDef)))
    return {one.name: one for one in defined}


def bound_in(nodes):
    """The names that code binds, in whatever way."""
    names = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    names |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    return names | {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}


class _Reader:
    """The trees in statements, as digests. known: names that stay as they are, besides Python's own."""

    def __init__(self, body, known):
        nodes = [node for one in body for node in ast.walk(one)]
        arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
        stored = [node for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store)]
        bound = arguments | {node.id for node in stored if isinstance(node, ast.Name)}
        self.kept = (set(dir(builtins)) | known) - (bound - known)
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        self.imported = {alias.asname or alias.name: alias.name for node in imports for alias in node.names}
        members = [one for node in nodes if isinstance(node, ast.ClassDef) for one in node.body]
        members = [one for part in members for one in ([part] if hasattr(part, "name") else ast.walk(part))]
        attributes = {getattr(one, "name", getattr(one, "id", None)) for one in members}
        attributes |= {node.attr for node in stored if isinstance(node, ast.Attribute)}
        self.own = {"attr": attributes, "arg": arguments}
        self.found = set()

    def statement(self, node):
        """Take in a statement: its head as one tree, then the statements in its blocks, in no order."""
        documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if documents or isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)):
            return
        self.tree(node)
        for part in (part for name in BLOCKS for part in _listed(node, name)):
            self.statement(part)

    def tree(self, node):
        """(digest, number of parts) of a tree, which is taken in with all the trees in it."""
        label, parts = self._form(node)
        read = [self.tree(part) for part in parts]
        below = [digest for digest, _ in read]
        if isinstance(node, ast.BinOp) and isinstance(node.op, EITHER_WAY):
            below.sort()
        elif isinstance(node, ast.Call):
            below[1 + len(node.args) :] = sorted(below[1 + len(node.args) :])  # keywords
        digest = hashlib.blake2b(" ".join([label, *below]).encode("utf-8", "replace"), digest_size=8).hexdigest()
        size = 1 + sum(size for _, size in read)
        if size >= SMALLEST:
            self.found.add(digest)
        return digest, size

    def _form(self, node):
        """A node's label, and the nodes below it that count."""
        if isinstance(node, ast.Constant) or isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return "constant", []
        if isinstance(node, ast.Name) and node.id in self.imported:
            return f"Attribute {self.imported[node.id]}", [MODULE]
        if isinstance(node, (ast.Name, ast.arg)):
            return getattr(node, "id", "") if getattr(node, "id", "") in self.kept else "name", []
        if isinstance(node, ast.AnnAssign):
            return "Assign", [part for part in (node.target, node.value) if part]
        named = [getattr(node, name) for name in self.own if getattr(node, name, None) not in {None, *self.own[name]}]
        values = [value for name, value in ast.iter_fields(node) if name not in UNSEEN and not _listed(node, name)]
        listed = [part for name in node._fields if name not in (*BLOCKS, *UNSEEN) for part in _listed(node, name)]
        return " ".join([type(node).__name__, *named]), [part for part in values + listed if isinstance(part, ast.AST)]


def _listed(node, name):
    value = getattr(node, name, None)
    return value if isinstance(value, list) else []


def functions(assignment):
    """The names of the functions that an assignment asks for."""
    starters = [cell.source for cell in sources.student_notebook(assignment).cells if cell.cell_type == "code"]
    return set(by_name(starters))


def of(answers, extra, words, known, offered):
    """(question -> the structures of its answer, None if it is no Python; runs of words; what hides code).

    offered: the names that the notebook has from the start. For a separate process.
    """
    sys.setrecursionlimit(DEEP)
    found, helpers, odd = {}, by_name(extra), []
    nodes = nodes_of(*answers.values(), *extra)
    names = bound_in(nodes) | set(dir(builtins)) | known | offered
    held = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    texts = [*words, *(text for text in held if len(text) > LONG_TEXT)]
    for question, text in answers.items():
        own, found[question] = nodes_of(text), None
        with contextlib.suppress(RecursionError):
            found[question] = None if statements(text, None) is None else trees(text, helpers, known)
        read = {node.id for node in own if isinstance(node, ast.Name)} - names
        odd += [f"{question} uses {name[:40]}, which no cell defines" for name in sorted(read)[:3]]
        if own and not any(isinstance(node, ast.FunctionDef) for node in own):
            odd.append(f"{question} has no def")
    odd += [f"a text holds code: {one[:40]!r}" for one in texts if "return" in one and statements(one)][:3]
    return found, runs(texts), odd


def runs(texts):
    """The runs of words in texts, as digests."""
    found = set()
    for text in texts:
        words = re.findall(r"\w+", text.casefold())
        found |= {" ".join(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}
    return {hashlib.blake2b(run.encode("utf-8", "replace"), digest_size=8).hexdigest() for run in found}


def ours(assignment):
    """Return question -> the structures of the notebook, of the published solution, and of the book's functions."""
    known, codes, given = functions(assignment), {PUBLISHED: {}, BOOK: {}}, set()
    texts = [path.read_text(encoding="utf-8") for name in BOOKS for path in sorted((results.ROOT / name).rglob("*.py"))]
    book = [one for text in texts if any(f"\ndef {name}(" in text for name in known) for one in ast.parse(text).body]
    solved = sources.solved_notebook(assignment).cells
    for cell, released in zip(solved, sources.student_notebook(assignment).cells, strict=True):
        if cell.cell_type != "code":
            continue
        given |= set(trees(released.source, {}, known))
        name = sources.grade_id(cell)
        if name in questions(assignment):
            asked = {one.name for one in ast.parse(released.source).body if isinstance(one, ast.FunctionDef)}
            codes[PUBLISHED][name] = trees(cell.source, {}, known)
            mine = [ast.unparse(one) for one in book if isinstance(one, ast.FunctionDef) and one.name in asked]
            codes[BOOK][name] = trees("\n".join(mine), {}, known)
    return given, codes


def told_from(assignment):
    """Return (the least similarity that is reported, the highest one among the tests' honest answers and ours)."""
    usual = USUAL.get(sources.split(assignment)[0], 0)
    return max(TOLD, round(usual + ABOVE, 2)), usual


def questions(assignment):
    """Solution cell -> the number and name of its question, of those that ask for functions."""
    numbered = {name: one.title for one in feedback.questions(assignment) for name in one.answers}
    cells = [one for one in sources.student_notebook(assignment).cells if one.cell_type == "code"]
    code = {sources.grade_id(one) for one in cells if "def " in one.source}
    return {name: title.removeprefix("Question ") for name, title in numbered.items() if name in code}


def likeness(people, asked):
    """Return question -> a matrix of similarities, 0 to 1, nan if one has no answer. And None -> all together.

    people: for each, question -> structures; the first is the published solution. The share is of the structures of the
    one who has fewer: what somebody adds around a copy does not hide it.
    """
    together, sizes, found = np.zeros((len(people),) * 2), np.zeros(len(people)), {}
    for question in asked:
        holders = {}
        for number, one in enumerate(people):
            for tree in one.get(question) or ():
                holders.setdefault(tree, []).append(number)
        shared, size = np.zeros_like(together), np.zeros_like(sizes)
        for who in holders.values():
            weight = math.log(1 + len(people) / len(who))
            size[who] += weight
            if len(who) > 1:
                shared[np.ix_(who, who)] += weight
        least = np.minimum.outer(size, size)
        found[question] = np.divide(shared, least, out=np.full_like(shared, np.nan), where=least > 0)
        together, sizes = together + shared, sizes + size
    found[None] = together / np.maximum(np.minimum.outer(sizes, sizes), max(FLOOR * sizes[0], 1e-9))
    return found


def compared(answers, assignment):
    """Return (rows, about): (similarity, that of words, one, other, question -> similarity), the largest first.

    answers: student -> (cell -> text, texts of added cells, words). about: sentences on what hides code.
    """
    asked, known = questions(assignment), functions(assignment)
    given, people = ours(assignment)
    handed_out, solved = sources.student_notebook(assignment).cells, sources.solved_notebook(assignment).cells
    given_words = runs(cell.source for cell in handed_out)
    said = [runs(cell.source for cell in solved if cell.cell_type == "markdown") - given_words, set()]
    code, about = [cell.source for cell in handed_out if cell.cell_type == "code"], []
    always = known, bound_in(nodes_of(*code))
    texts = [({one: own[one] for one in asked if one in own}, *more, *always) for own, *more in answers.values()]
    for student, (made, problem) in zip(answers, processes.each(of, texts), strict=True):
        if problem:
            about.append(f"{student} was not compared: {problem.partition(':')[0]}")
            continue
        people[student], words, odd = made
        said.append(words - given_words)
        unread = [asked[name] for name, one in people[student].items() if one is None]
        about += [f"{student}: no Python, or nested too deep, so not compared: {', '.join(unread)}"] if unread else []
        about += [f"{student}: {one}" for one in odd]
    sets = [{name: set(found or ()) - given for name, found in one.items()} for one in people.values()]
    matrices = likeness(sets, asked)
    said = [{"words": runs if len(runs) >= FEWEST_RUNS else set()} for runs in said]
    words = np.nan_to_num(likeness(said, ["words"])["words"])
    names, rows = list(people), []
    for i, j in list(combinations(range(len(sets)), 2))[1:]:  # without our two
        each = {name: float(matrices[name][i, j]) for name in asked}
        rows.append((float(matrices[None][i, j]), float(words[i, j]), names[j], names[i], each))
    return sorted(rows, key=lambda row: (-row[0], -row[1])), about


def groups(rows):
    """Sets of people who are linked by pairs, the largest first: twenty copies are one thing to look at."""
    group = {}
    for _, _, one, other, _ in rows:
        both = group.get(one, {one}) | group.get(other, {other})
        group |= dict.fromkeys(both, both)
    return sorted({frozenset(both) for both in group.values()}, key=lambda both: (-len(both), sorted(both)))


def write(where, assignment):
    """Compare all of an assignment, and write a page and a CSV file into RESULTS. Return the groups."""
    written, answers = sources.points(assignment, marks=("written",)), {}
    for one in (one for one in results.marks_in(where, assignment) if one.answers):
        words = [one.answers[name] for name in written if name in one.answers]
        words += [text for kind, text in one.extra if kind == "markdown"]
        answers[one.student] = one.answers, [text for kind, text in one.extra if kind == "code"], words
    rows, about = compared(answers, assignment)
    headings = ["all code", "words", "one", "other", *questions(assignment).values()]
    lines = [[_rounded(code), round(words, 2), *two, *map(_rounded, each.values())] for code, words, *two, each in rows]
    path = Path(where) / f"likeness-{assignment}"
    results.write(path.with_suffix(".csv"), tables.csv_text([headings, *lines]))
    least, usual = told_from(assignment)
    told = [row for row in rows if row[0] >= least or row[1] >= WORDS_TOLD]
    found = groups(told)
    listed = []
    for people in found:
        most = map(max, zip(*(row[:2] for row in told if {*row[2:4]} <= people)))
        listed.append([len(people), *most, ", ".join(map(pages.apart, sorted(people)))])
    count = "1 group" if len(found) == 1 else f"{len(found)} groups"
    middle = float(np.median([row[0] for row in rows])) if rows else 0
    body = [
        f"<p>{len(answers)} submissions, the published solution and the book's own functions. <strong>Look at {count}, "
        f"linked by pairs of at least {least} in all code or {WORDS_TOLD} in words.</strong> Half of all {len(rows):,} "
        f"pairs are below {middle:.2f}.</p>",
        pages.table(["people", "most in code", "most in words", "who"], listed),
        f"<p>Of the tests' honest answers to this assignment, and ours, no two are above {usual}.</p>" * bool(usual),
        MEANING,
        *(f"<p>{html.escape(text)}.</p>" for text in about[:MOST_ROWS]),
        f"<p>The {MOST_ROWS} most alike; the others are in {path.name}.csv.</p>" * (len(rows) > MOST_ROWS),
        pages.table(headings, lines[:MOST_ROWS], [row in told for row in rows[:MOST_ROWS]]),
    ]
    page = pages.page_of_tables(f"Likeness: {sources.title(assignment)}", "\n".join(body))
    results.write(path.with_suffix(".html"), page)
    return found


def _rounded(number):
    return "" if math.isnan(number) else round(number, 2)
