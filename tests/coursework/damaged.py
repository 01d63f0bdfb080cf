"""Notebooks as students hand them in, damaged and honest: the grader and the page "Check my notebook" read the same.

CASES: name, problems, and edits that make it of the solved notebook, as it is after Restart and run all. A problem is a
name of coursework/sentences.tsv, and the cells that it is about; those that the page alone sees, in saved outputs, are
there too. An honest notebook has none.
"""

from __future__ import annotations

import base64
import codecs
import copy
import functools
import json
import struct

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from coursework import files, sources, submissions
from tests.coursework.conftest import ASSIGNMENT, WRITTEN, cell, solved_notebook

NAME = f"{ASSIGNMENT}.ipynb"
EMPTY = "def softmax(x):\n    return 0"
WORDS = "A dot product's variance is $d_k$.\nSo it grows, and the softmax of large numbers is nearly hard."
LATIN = '{"cells": [], "metadata": {}}'

# What is no notebook: (file name, content, the message to the student).
REFUSED = [
    ("x.html", "<!DOCTYPE html><p>def softmax", "is not a notebook but a web page: hand in the .ipynb"),
    ("x.ipynb", "<!DOCTYPE html><p>def softmax", "is not a notebook but a web page"),
    ("x.pdf", b"%PDF-1.7\n\xd0\xd4", "is not a notebook but a PDF: hand in the .ipynb"),
    ("x.ipynb", "My notebook: https://colab.research.google.com/x\n", "contains only a link, and no notebook"),
    ("x.py", "print('hello')", "is a script, without your written answers: hand in the notebook (.ipynb)"),
    ("x.zip", b"PK\x03\x04", "is an archive: unpack it"),
    ("x.rar", b"Rar!\x1a\x07", "is an archive: unpack it"),
    ("2-attention.ipynb.txt", LATIN, "has a name that does not end in .ipynb: if it is your notebook, rename it"),
    ("2-attention.json", LATIN, "has a name that does not end in .ipynb"),
    ("2-attention", LATIN, "has a name that does not end in .ipynb"),
    ("x.docx", b"PK\x03\x04", "is a text document, not a notebook: hand in the .ipynb"),
    ("x.ipynb", b" " * (files.MOST_BYTES + 1), "is larger than 20 MB: choose Edit > Clear Outputs of All Cells"),
    ("x.ipynb", LATIN, "contains none of the assignment's functions: is it the right file?"),
]
MORE = {
    "is empty": ["", " \n\t"],
    "is not a notebook.": ["def softmax", LATIN.encode("utf-16"), "[" * 100_000, codecs.BOM_UTF8 * 2 + LATIN.encode()],
    "is not a notebook but a PDF": [b"%PDF-1.7\n\xd0\xd4"],
    "is not a notebook but a picture": [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"\0\0\0\x18ftypheic"],
    "is a text document, not a notebook": [b"PK\x03\x04 word/x", b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml"],
    "is an archive": [b"PK\x03\x04 2-attention.ipynb", b"\x1f\x8b\x08"],
    "is not a notebook: it has no cells": [
        "[]", "null", '{"cells": {}}', '{"cells": [], "cells": {}}', '{"__proto__": {"cells": []}}',
    ],
    "is cut off: download it again": [
        codecs.BOM_UTF8 + b' {"cells": [{"source": "https://', '{"cells": [\n<<<<<<< HEAD\n', '{"cells": [], "x": nan}',
        '{"cells": [], "x": -NaN}', '{"cells": [], "x": -' + "9" * 4_301 + "}", '{"cells": ["a\tb"]}', '{"cells": [],}',
        '\u00a0{"cells": []}',
    ],
    "contains none of the assignment's functions": [
        '{"cells": [], "x": NaN, "y": "\\\\\\"NaN' + "9" * 5_000 + '"}', '{"cells": [], "x": NaN, "y": -Infinity}',
        '{"cells": [' + "7," * 1_000 + "7]}", '{"cells": [], "x": [' + "[]," * 300_000 + "7]}",
        '{"cells": ' + "[" * 150 + "]" * 150 + "}", '{"cells": [], "x": ' + "9" * 4_300 + "}",
        '{"cells": [], "x": 0.' + "9" * 5_000 + "}", '{"cells": [], "x": 1e' + "9" * 5_000 + "}",
        '{"cells": {}, "cells": []}',
    ],
}  # fmt: skip
REFUSED += [("x.ipynb", content, told) for told, contents in MORE.items() for content in contents]

solved_once, blank_once = functools.cache(solved_notebook), functools.cache(sources.student_notebook)


def solved(assignment=ASSIGNMENT):
    return copy.deepcopy(solved_once(assignment))


def blank(assignment=ASSIGNMENT):
    return copy.deepcopy(blank_once(assignment))


def place(notebook, name):
    return notebook.cells.index(cell(notebook, name))


def ran(notebook):
    """As after Restart and run all: code cells are counted, starting at 1."""
    for number, one in enumerate((one for one in notebook.cells if one.cell_type == "code"), 1):
        one.execution_count = number
    return notebook


def written(notebook):
    return json.dumps(notebook).encode()  # nbformat would repair damaged ones


def png(width, height, more=100):
    """The beginning of a PNG that says that it is so large."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">LL", width, height)
    return base64.b64encode(head + bytes(more)).decode()


def jpeg(width, height, scans=1, segments=b"\xff\xe0\0\4ab"):
    """A JPEG of this size with this many scans, behind segments of another kind."""
    frame = b"\xff\xc2\0\x11\x08" + struct.pack(">HH", height, width) + bytes(10)
    return base64.b64encode(b"\xff\xd8" + segments + frame + b"\xff\xda\0\2" * scans).decode()


def update(name, **fields):
    return lambda notebook: cell(notebook, name).update(fields)


def put(name, source):
    return update(name, source=source)


def append(name, more):
    return lambda notebook: cell(notebook, name).update(source=cell(notebook, name).source + more)


def empty(name):
    return put(name, cell(blank(), name).source)


def add(*cells, at=None):
    def edit(notebook):
        where = len(notebook.cells) if at is None else at
        notebook.cells[where:where] = copy.deepcopy(list(cells))

    return edit


def remove(name):
    return lambda notebook: notebook.cells.remove(cell(notebook, name))


def copied(name, *sources, above=False):
    def edit(notebook):
        where = place(notebook, name) if above else len(notebook.cells)
        own = cell(notebook, name)
        notebook.cells[where:where] = [nbformat.from_dict({**copy.deepcopy(own), "source": one}) for one in sources]

    return edit


def moved(name, by, assignment=ASSIGNMENT):
    """The solved notebook, where an answer stands in a new cell, `by` cells below its own."""
    notebook = solved(assignment)
    own = cell(notebook, name)
    new = new_markdown_cell if own.cell_type == "markdown" else new_code_cell
    notebook.cells.insert(place(notebook, name) + by, new(own.source))
    own.source = cell(blank(assignment), name).source
    return notebook


def code(text):
    return new_code_cell(text, execution_count=99)


def pictures(kind, *data):
    return update(WRITTEN, attachments={f"{i}.{kind}": {f"image/{kind}": one} for i, one in enumerate(data)})


def metadata(**new):
    return lambda notebook: notebook.update(metadata=new)


def saved_by_colab(notebook):
    notebook.metadata["colab"] = {"provenance": []}
    for number, one in enumerate(notebook.cells):
        one.metadata["id"] = f"{number:x}"
        one.source = one.source.splitlines(keepends=True)


def saved_on_windows(notebook):
    for one in notebook.cells:
        one.source = "\r\n".join(line + "  " for line in one.source.split("\n"))
    return codecs.BOM_UTF8 + written(notebook)


def with_odd_outputs_and_counts(notebook):
    for number, one in enumerate(notebook.cells):
        if one.cell_type == "code":
            one.execution_count, one["outputs"] = "1", [7, {"text": {"a": 1}}, None][number % 3 :]


def without_names(notebook):
    notebook.metadata = {}
    for one in notebook.cells:
        one.metadata = {}


def with_names_of_odd_types(notebook):
    cell(notebook, "softmax").metadata["nbgrader"]["grade_id"] = ["softmax"]
    cell(notebook, "attention").metadata["nbgrader"] = "attention"
    cell(notebook, "softmax-public").metadata = None
    notebook.cells[0], notebook.cells[2].source = 7, [7, "x = 1"]


def words_below_their_question(notebook):
    notebook.cells[place(notebook, WRITTEN) - 1].source += f"\n\n{WORDS}"


SOFTMAX, ATTENTION = cell(solved(), "softmax").source, cell(solved(), "attention").source
STUB, RELEASED = "def softmax(x):\n    pass", cell(blank(), WRITTEN).source
ODD_KIND = update("causal-mask", cell_type=7)
STOPPED = new_output("error", ename="<b>NameError</b>", evalue="x", traceback=["x"])
RED = new_output("stream", text="✓ one row\n✗ each row of a matrix: the value at [0, 0] is 1\n")
LONG = new_output("stream", text="1, " * 200_000 + "9" * 5_000)
TRIES = ["y = softmax(np.ones(3))", "def f(x):\n    softmax = x", "softmax == softmax", "x, softmax = 1, 2", "%time 1"]
INLINE = f"\n\nLook: ![a](data:image/png;base64,{png(300, 200)}) ![b](data:image/svg+xml;base64,AAAA)"
ODD_CHARACTERS = "\n\n\ud800 \U0001f600 \x00 \u2028 <img src=x onerror=alert(1)>"
AT_THE_TOP = new_markdown_cell("**Answer 8.** " + WORDS + " Divide by its root, and it does not.")
NO_TEXT = b"d\xe9t\xed\xa0\x80\xf0\x9f\xe2\x82"
NO_PNG = ["x" * 40, png(20, 10)[:-1], png(0, 10), png(20_000, 20_000), [7, None], png(20, 10) + "A" * 1_500_000]
NO_PNG += [png(20, 10, 102) + "AAAACGFjVEw="]  # it moves
NO_JPEG = [png(20, 10), jpeg(8_000, 8_000), jpeg(10, 10, scans=200), jpeg(10, 10, segments=b"\xff\xe0\0\0" * 9_000)]
NO_JPEG += [jpeg(10, 10, segments=b"\xff\xd0\0\2")]  # this kind has no length: a browser goes on at once
SVG = {"a.svg": {"image/svg+xml": png(20, 10)}, "b": 7}
PIXELS = {f"{i}.png": {"image/png": png(2_880, 1_800)} for i in range(4)}
MANY = [new_code_cell(f"x = {i}") for i in range(submissions.MOST_ADDED + 6)]

CASES = [
    ("solved and run", ""),
    ("saved by Colab", "", saved_by_colab),
    ("saved on Windows", "", saved_on_windows),
    ("tries of its own", "", add(*map(new_code_cell, TRIES), new_markdown_cell("## My own tries")), ran),
    ("pictures", "", append(WRITTEN, INLINE), pictures("jpeg", [jpeg(10, 10), "\n"])),
    ("the install cell", "", add(new_code_cell(f"{submissions.INSTALL}: run this\n%pip install x"), at=1), ran),
    ("odd characters", "", append(WRITTEN, ODD_CHARACTERS), metadata(__proto__={"x": float("nan")})),
    ("only a comment", "", add(new_code_cell("# only a comment"))),
    ("a long output", "", update("softmax-public", outputs=[LONG])),
    ("much code in Greek", "", add(code("# \u03b1\n" + "x = 1\n" * 9_000))),
    ("much code with a smile", "", add(code("# \U0001f600\n" + "x = 1\n" * 9_000))),
    ("words that go on below", "", add(new_markdown_cell("The rest."), code(WORDS))),
    ("never saved", "blank; never-ran", lambda _: blank()),
    ("one answer is missing", "not-written: softmax", empty("softmax")),
    ("an answer was emptied", f"not-written: {WRITTEN}", put(WRITTEN, " \n")),
    ("a few words at the top", f"not-written: {WRITTEN}", empty(WRITTEN), add(new_markdown_cell("By Ada."), at=1)),
    ("never run", "never-ran", lambda notebook: [one.pop("execution_count", None) for one in notebook.cells] and None),
    ("one cell was not run", "not-run: attention", update("attention", execution_count=None)),
    ("run out of order", "out-of-order: softmax", update("softmax", execution_count=99)),
    ("a cell that stopped", "stopped: attention", update("attention", outputs=[STOPPED])),
    ("a check that is red", "red: softmax-public", update("softmax-public", outputs=[RED])),
    ("odd outputs and counts", "never-ran", with_odd_outputs_and_counts),
    ("words at the top", f"words: {WRITTEN}", empty(WRITTEN), add(AT_THE_TOP, at=1)),
    ("words below their question", f"words: {WRITTEN}", words_below_their_question, empty(WRITTEN)),
    ("an answer in a cell below", "elsewhere: softmax", lambda _: moved("softmax", 1), ran),
    ("an answer in a cell above", "elsewhere: softmax", lambda _: moved("softmax", 0), ran),
    ("a photo in a cell below", f"words: {WRITTEN}", empty(WRITTEN), add(new_markdown_cell("![](attachment:a.png)"))),
    ("words in a cell below", f"words: {WRITTEN}", lambda _: moved(WRITTEN, 1), ran),
    ("two functions in one cell", "elsewhere: attention", append("softmax", f"\n\n{ATTENTION}"), empty("attention")),
    ("words in a code cell", f"not-written: {WRITTEN}", empty(WRITTEN), add(code(WORDS))),
    ("words in comments", f"not-written: {WRITTEN}", empty(WRITTEN), add(new_code_cell("# It grows\n# with d."))),
    ("defined again", "twice: softmax", add(code(EMPTY))),
    ("defined again in another answer", "twice: softmax", append("attention", f"\n\n{EMPTY}")),
    ("a stub in its own cell", "twice: softmax", add(code(SOFTMAX)), put("softmax", STUB)),
    ("assigned and defined again", "twice: softmax", put("softmax", "softmax = lambda x: x"), add(code(EMPTY))),
    ("a check was changed", "changed: softmax-public", append("softmax-public", "\nhidden = 1")),
    ("an answer in a check", "changed: softmax-public", append("softmax-public", f"\n{EMPTY}")),
    ("a given cell was changed", "changed: given-6f11581d", append("given-6f11581d", "\nimport math")),
    ("a cell was deleted", "missing: softmax", remove("softmax")),
    ("a check was deleted", "missing-given", remove("attention-public")),
    ("a given cell was deleted", "missing-given", remove("given-6f11581d")),
    ("a cell is there twice", "copies: softmax", copied("softmax", EMPTY, above=True), ran),
    ("a copy below is wrong", "copies: softmax", copied("softmax", EMPTY), ran),
    ("a written cell is there four times", f"copies: {WRITTEN}", copied(WRITTEN, "First.", RELEASED, "Last.")),
    ("all names are lost", "nameless", without_names),
    ("names of odd types", "elsewhere: softmax attention; missing-given", with_names_of_odd_types),
    ("a cell of an odd kind", "missing: causal-mask", update("attention", cell_type="raw"), ODD_KIND),
    ("another encoding", "encoding", lambda notebook: written(notebook).replace(b"dot", NO_TEXT)),
    ("another assignment", "another", lambda _: solved("1-tokenization")),
    ("another assignment without its name", "another", lambda _: solved("3-bert-layer"), metadata()),
    ("something else", "foreign", lambda _: nbformat.v4.new_notebook(cells=[new_code_cell("x = 1")])),
    ("very many cells", "many-added", add(*MANY), ran),
    ("far too much code", "long", add(new_code_cell("x = 1\n" * 30_000), new_code_cell("y = 2\n" * 30_000)), ran),
    ("a picture of another type", f"pictures: {WRITTEN}", update(WRITTEN, attachments=SVG)),
    ("pictures that are none", f"pictures: {WRITTEN}", pictures("png", *NO_PNG)),
    ("photos that are none", f"pictures: {WRITTEN}", pictures("jpeg", *NO_JPEG)),
    ("a picture that is too large", f"pictures: {WRITTEN}", pictures("png", png(20, 10, 1_200_000))),
    ("pictures that are too large together", f"pictures: {WRITTEN}", pictures("png", *[png(20, 10, 900_000)] * 4)),
    ("six pictures in a cell", f"pictures: {WRITTEN}", pictures("png", *[png(20, 10)] * 6)),
    ("too many pixels", "pictures", add(new_markdown_cell("x", attachments=PIXELS), at=1)),
]  # fmt: skip


def problems_in(text):
    """{(problem, cell)} of "elsewhere: softmax attention; missing-given"."""
    parts = (part.partition(":")[::2] for part in text.split("; ") if part)
    return {(name, about) for name, cells in parts for about in cells.split() or [None]}


def everything():
    """(name, file, content, problems) of all of them; what is refused has what is told in the place of problems."""
    for number, (file, content, told) in enumerate(REFUSED):
        yield f"refused-{number}", file, content.encode() if isinstance(content, str) else content, told
    for name, problems, *edits in CASES:
        notebook = ran(solved())
        for edit in edits:
            notebook = edit(notebook) or notebook
        yield name, NAME, notebook if isinstance(notebook, bytes) else written(notebook), problems_in(problems)
    for assignment in sources.names():
        yield f"solved {assignment}", f"{assignment}.ipynb", written(ran(solved(assignment))), set()
    below = written(ran(moved("collection", 1, "5-project")))
    yield "variables in a cell below", "5-project.ipynb", below, {("elsewhere", "collection")}
