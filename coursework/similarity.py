"""Find similar code, question by question: a reason to look, never a verdict.

A program is the set of its structures: the head of each line and each expression in it, as trees without names, values,
comments, docstrings and types. So different names, numbers or orders of lines hide nothing. Code of the released
notebook does not count, and rare structures count most. No submission runs: a process of a few seconds parses it.
"""

import ast
import builtins
import contextlib
import html
import math
import re
import sys
from itertools import combinations
from pathlib import Path

import numpy as np

from coursework import feedback, pages, processes, results, sources, tables, worker

TOLD, ABOVE = 0.6, 0.15  # similarity of two answer sets that is reported; at least so far above the usual one
ALIKE, MANY = 0.9, 3  # similarity in one question that makes two functions alike; so many of them are reported
MEASURED = Path(__file__).with_name("likeness.tsv").read_text(encoding="utf-8").splitlines()[1:]  # a test measures it
USUAL = {name: float(highest) for name, _, highest, *_ in (line.split("\t") for line in MEASURED)}
FLOOR = 0.5  # of the published solution: with less code, two are alike because there is nothing to tell
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # of a statement: lists of others
UNSEEN = ("ctx", "annotation", "returns", "type_params", "decorator_list")
CODE, PARTS = (ast.FunctionDef, ast.ClassDef, ast.Lambda), (ast.Attribute, ast.Subscript)
STATEMENTS, SILENT = (ast.stmt, ast.excepthandler, ast.match_case), (ast.Import, ast.ImportFrom, ast.Pass)
NAMED = (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)  # these bind their `name`
EITHER_WAY = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr)
MODULE = ast.Name("module", ast.Load())
SMALLEST = 4  # parts of a tree: `np.exp(x)` says nothing
RUN, FEWEST_RUNS, WORDS_TOLD = 5, 12, 0.5  # words in a row; fewer of them say little; the share that is reported
FUNCTION = re.compile(r"\b(?:return|lambda)\b")  # in a text that is code
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
    return [node for text in texts for one in statements(text) for node in ast.walk(one)]


def trees(text, known=frozenset(), helpers=None):
    """The structures, as digests, of the code in a text and of the helpers that it uses.

    known: names that mean the same for everybody. helpers: name -> what other cells of the same student's define.
    """
    body, used, helpers = list(statements(text)), set(known), helpers or {}  # another question's answer is no helper
    for one in body:  # grows: a helper may use another
        names = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)} & helpers.keys() - used
        used |= names
        body += dict.fromkeys(new for name in sorted(names) for new in helpers[name] if new not in body)
    return _Reader([node for one in body for node in ast.walk(one)], known).found


def by_name(texts):
    """Name -> the statements in other cells that make it with code: a function, also below `if`, or `np.name = f`."""
    made = {}
    for one in (one for text in texts for one in statements(text)):
        nodes = [one] if isinstance(one, CODE) else [*ast.walk(one)]
        if any(isinstance(node, CODE) or isinstance(node, PARTS) and isinstance(node.ctx, ast.Store) for node in nodes):
            for name in bound_in(nodes) | {node.id for node in nodes if isinstance(node, ast.Name)}:
                made.setdefault(name, []).append(one)
    return made


def bound_in(nodes):
    names = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    names |= {node.name for node in nodes if isinstance(node, NAMED) and node.name}
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    return names | {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}


class _Reader:
    """The trees in the statements among these nodes: of each one's head, in no order, and of each expression in it.

    known: names that stay as they are, besides Python's own. A digest is the same in processes that fork from this one.
    """

    def __init__(self, nodes, known):
        self.kept = (set(dir(builtins)) | known) - (bound_in(nodes) - known)
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        self.imported = {alias.asname or alias.name: alias.name for node in imports for alias in node.names}
        members = [one for node in nodes if isinstance(node, ast.ClassDef) for one in node.body]
        inside = [part for one in members for part in ([one] if hasattr(one, "name") else ast.walk(one))]
        stored = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
        arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
        self.own = {"attr": bound_in(inside) | {node.attr for node in stored}, "arg": arguments}
        self.found = set()
        for node in nodes:
            document = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if isinstance(node, STATEMENTS) and not isinstance(node, SILENT) and not document:
                self.tree(node)
            for one in getattr(node, "decorator_list", ()):  # apart from the `def`: `@cache` changes nothing else
                self.tree(one)

    def tree(self, node):
        """(digest, number of parts) of a tree, which is taken in with all the trees in it."""
        label, parts = self._form(node)
        read = [self.tree(part) for part in parts]
        below = [digest for digest, _ in read]
        if isinstance(node, ast.BinOp) and isinstance(node.op, EITHER_WAY):
            below.sort()
        elif isinstance(node, ast.Call):
            below[1 + len(node.args) :] = sorted(below[1 + len(node.args) :])  # keywords
        digest, size = hash((label, *below)), 1 + sum(size for _, size in read)
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
        fields = [one for one in ast.iter_fields(node) if one[0] not in UNSEEN]
        values = [value for name, value in fields if not (name in BLOCKS and isinstance(value, list))]
        parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
        return " ".join([type(node).__name__, *named]), [part for part in parts if isinstance(part, ast.AST)]


def code_of(assignment, solved=False):
    """Cell -> its code, of the notebook as it is handed out, or solved."""
    cells = enumerate(sources.student_notebook(assignment, solved=solved).cells)
    return {sources.grade_id(cell) or number: cell.source for number, cell in cells if cell.cell_type == "code"}


def functions(assignment):
    return set(by_name(code_of(assignment).values()))


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
            found[question] = None if statements(text, None) is None else trees(text, known, helpers)
        read = {node.id for node in own if isinstance(node, ast.Name)} - names
        odd += [f"{question} uses {name[:40]}, which no cell defines" for name in sorted(read)[:3]]
        if own and not any(isinstance(node, ast.FunctionDef) for node in own):
            odd.append(f"{question} has no def")
    odd += [f"a text holds code: {one[:40]!r}" for one in texts if FUNCTION.search(one) and statements(one)][:3]
    return found, runs(texts), odd


def runs(texts):
    """The runs of words in texts, as digests."""
    said = [re.findall(r"\w+", text.casefold()) for text in texts]
    return {hash(" ".join(words[i : i + RUN])) for words in said for i in range(len(words) - RUN + 1)}


def ours(assignment):
    """Return the structures of the notebook; and question -> those of the published solution, and of the book's own."""
    known, released, solved = functions(assignment), code_of(assignment), code_of(assignment, solved=True)
    texts = [path.read_text(encoding="utf-8") for name in BOOKS for path in sorted((results.ROOT / name).rglob("*.py"))]
    book = [one for text in texts if any(f"\ndef {name}(" in text for name in known) for one in ast.parse(text).body]
    codes = {PUBLISHED: {}, BOOK: {}}
    for name in questions(assignment):
        mine = [one for one in book if isinstance(one, ast.FunctionDef) and one.name in by_name([released[name]])]
        codes[PUBLISHED][name] = trees(solved[name], known)
        codes[BOOK][name] = trees("\n".join(map(ast.unparse, mine)), known)
    return {tree for text in released.values() for tree in trees(text, known)}, codes


def told_from(assignment):
    """Return (the least similarity that is reported, the highest one among the tests' honest answers and ours)."""
    usual = USUAL.get(sources.split(assignment)[0], 0)
    return max(TOLD, round(usual + ABOVE, 2)), usual


def questions(assignment):
    """Solution cell -> the number and name of its question, of those that ask for functions."""
    numbered = {name: one.title for one in feedback.questions(assignment) for name in one.answers}
    code = code_of(assignment)
    return {name: title.removeprefix("Question ") for name, title in numbered.items() if "def " in code.get(name, "")}


def likeness(people, asked):
    """Return question -> a matrix of similarities, 0 to 1, nan if one has no answer. And None -> all together.

    people: for each, question -> structures; the first is the published solution. Similarity is the share of the
    smaller set, so code around a copy does not hide it.
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
    asked, known, about = questions(assignment), functions(assignment), []
    given, people = ours(assignment)
    given_words = runs(cell.source for cell in sources.student_notebook(assignment).cells)
    solved = sources.student_notebook(assignment, solved=True).cells
    said = [runs(cell.source for cell in solved if cell.cell_type == "markdown") - given_words, set()]
    always = known, bound_in(nodes_of(*code_of(assignment).values()))
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
    sets = [{name: (found or set()) - given for name, found in one.items()} for one in people.values()]
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
    for *_, one, other, _ in rows:
        both = group.get(one, {one}) | group.get(other, {other})
        group |= dict.fromkeys(both, both)
    return sorted({frozenset(both) for both in group.values()}, key=lambda both: (-len(both), sorted(both)))


def alike(rows):
    """Return for each row how many questions are alike, not counting any in which a quarter of all pairs are."""
    near = np.array([[number >= ALIKE for number in each.values()] for *_, each in rows], dtype=bool, ndmin=2)
    return (near & (near.mean(axis=0) < 0.25)).sum(axis=1).tolist()


def answers_in(where, assignment, folders=()):
    """Return student -> what `compared` takes, of all variants in RESULTS and other folders, whose names it adds."""
    written, asked, found = sources.points(assignment, marks=("written",)), questions(assignment), {}
    original = sources.split(assignment)[0]
    for folder in (where, *folders):
        variants = [name for name in results.assignments_in(folder) if sources.split(name)[0] == original]
        if not variants:
            raise ValueError(f"{folder} has no marks of {original}: run `python -m coursework grade` first")
        for name, one in ((name, one) for name in variants for one in results.marks_in(folder, name) if one.answers):
            words = [one.answers[cell] for cell in written if cell in one.answers]
            words += [text for kind, text in one.extra if kind == "markdown"]
            code = [text for cell, text in one.answers.items() if cell not in asked]  # the cell of ME, too
            code += [text for kind, text in one.extra if kind == "code"]
            place = f" ({folder}, {name})" if (folder, name) != (where, assignment) else ""
            found[one.student + place] = one.answers, code, words
    return found


def write(where, assignment, folders=()):
    """Compare all answers, those in other folders too, and write a page and a CSV file. Return the groups."""
    answers, asked = answers_in(where, assignment, folders), questions(assignment)
    (least, usual), (rows, about) = told_from(assignment), compared(answers, assignment)
    counted = [(count, *row) for count, row in zip(alike(rows), rows)]
    told = [row for row in counted if row[0] >= MANY or row[1] >= least or row[2] >= WORDS_TOLD]
    rows = told + [row for row in counted if row[0] < MANY and row[1] < least and row[2] < WORDS_TOLD]
    headings = ["functions alike", "all code", "words", "one", "other", *asked.values()]
    numbers = [["" if math.isnan(n) else round(n, 2) for n in (*row[:3], *row[5].values())] for row in rows]
    lines = [[*mine[:3], *row[3:5], *mine[3:]] for mine, row in zip(numbers, rows)]
    path = Path(where) / f"similarity-{assignment}"
    results.write(path.with_suffix(".csv"), tables.csv_text([headings, *lines]))
    found = groups(told)
    most = [map(max, zip(*(row[:3] for row in told if {*row[3:5]} <= people))) for people in found]
    listed = [[len(people), *three, ", ".join(map(pages.apart, sorted(people)))] for people, three in zip(found, most)]
    middle = np.median([row[1] for row in rows] or [0])
    body = [
        f"<p>{len(answers)} submissions, the published solution and the book's functions. Half of all {len(rows):,} "
        f"pairs are below {middle:.2f} in all code. <strong>Groups to look at: {len(found)}, linked by pairs with at "
        f"least {MANY} functions alike, {least} in all code, or {WORDS_TOLD} in words.</strong></p>",
        pages.table(["people", "most functions alike", "most in code", "most in words", "who"], listed),
        f"<p>In our tests, no two honest answers to it are above {usual} in all code.</p>" * bool(usual),
        MEANING,
        *(f"<p>{html.escape(text)}.</p>" for text in about[:MOST_ROWS]),
        f"<p>The {MOST_ROWS} most similar pairs; all are in {path.name}.csv.</p>" * (len(rows) > MOST_ROWS),
        pages.table(headings, lines[:MOST_ROWS], [True] * len(told[:MOST_ROWS])),
    ]
    title = f"Similarity: {sources.title(assignment)}"
    results.write(path.with_suffix(".html"), pages.page_of_tables(title, "\n".join(body)))
    return found
