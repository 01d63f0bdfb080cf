"""Notebooks as students hand them in, damaged and honest: the grader and the page "Check my notebook" read the same.

DAMAGED: name -> (file name, function that gives its bytes, its problems). A problem is a name of coursework/told.tsv,
and the cell that it is about; those that the page alone sees, in saved outputs, are there too. HONEST: none has any.
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

ASSIGNMENT = "2-attention"
NAME = f"{ASSIGNMENT}.ipynb"
WRITTEN = "why-square-root"
EMPTY = "def softmax(x):\n    return 0"
SOLUTIONS = submissions._released(ASSIGNMENT).of("solution")
WORDS = "A dot product's variance is $d_k$.\nSo it grows, and the softmax of large numbers is nearly hard."
LATIN = '{"cells": [], "metadata": {}}'

# What is no notebook: (file name, content, what the student is told).
REFUSED = [
    ("x.html", "<!DOCTYPE html><p>def softmax", "is not a notebook but a web page: hand in the .ipynb"),
    ("x.ipynb", "<!DOCTYPE html><p>def softmax", "is not a notebook but a web page"),
    ("x.ipynb", "", "is empty"),
    ("x.ipynb", " \n\t", "is empty"),
    ("x.pdf", b"%PDF-1.7\n\xd0\xd4", "is not a notebook but a PDF: hand in the .ipynb"),
    ("x.ipynb", b"%PDF-1.7\n\xd0\xd4", "is not a notebook."),
    ("x.ipynb", "My notebook: https://colab.research.google.com/x\n", "holds only a link, and no notebook"),
    ("x.ipynb", codecs.BOM_UTF8 + b' {"cells": [{"source": "https://', "is cut off: download it again"),
    ("x.ipynb", "def softmax", "is not a notebook."),
    ("x.ipynb", "[]", "is not a notebook: it has no cells"),
    ("x.ipynb", "null", "is not a notebook: it has no cells"),
    ("x.ipynb", '{"cells": {}}', "is not a notebook: it has no cells"),
    ("x.py", "print('hello')", "is a script, which has lost your words: hand in the notebook (.ipynb)"),
    ("x.ipynb", LATIN.encode("utf-16"), "is not a notebook."),
    ("x.ipynb", LATIN, "holds none of the assignment's functions: is it the right file?"),
    ("x.zip", b"PK\x03\x04", "is an archive: unpack it"),
    ("x.rar", b"Rar!\x1a\x07", "is an archive: unpack it"),
    ("x.ipynb", b"PK\x03\x04 word/document.xml", "is not a notebook."),
    ("2-attention.ipynb.txt", LATIN, "is not called .ipynb: if it is your notebook, rename it"),
    ("2-attention.json", LATIN, "is not called .ipynb"),
    ("2-attention", LATIN, "is not called .ipynb"),
    ("x.docx", b"PK\x03\x04", "is a text document, not a notebook: hand in the .ipynb"),
    ("x.ipynb", '{"cells": [\n<<<<<<< HEAD\n', "is cut off: download it again"),
    ("x.ipynb", '{"cells": [], "x": NaN, "y": "\\\\\\"NaN' + "9" * 5_000 + '"}', "holds none of"),
    ("x.ipynb", b" " * (files.MOST_BYTES + 1), "is larger than 5 MB: choose Edit > Clear Outputs of All Cells"),
    ("x.ipynb", '{"cells": [' + "7," * 1_000 + "7]}", "holds none of the assignment's functions"),
    ("x.ipynb", '{"cells": [], "x": [' + "[]," * 300_000 + "7]}", "holds none of the assignment's functions"),
    ("x.ipynb", '{"cells": ' + "[" * 150 + "]" * 150 + "}", "holds none of the assignment's functions"),
    ("x.ipynb", "[" * 100_000, "is not a notebook."),
    ("x.ipynb", '{"cells": [], "x": NaN, "y": -Infinity}', "holds none of the assignment's functions"),
    ("x.ipynb", '{"cells": [], "x": nan}', "is cut off: download it again"),
    ("x.ipynb", '{"cells": [], "x": -NaN}', "is cut off: download it again"),
    ("x.ipynb", '{"cells": [], "x": ' + "9" * 4_300 + "}", "holds none of the assignment's functions"),
    ("x.ipynb", '{"cells": [], "x": -' + "9" * 4_301 + "}", "is cut off: download it again"),
    ("x.ipynb", '{"cells": [], "x": 0.' + "9" * 5_000 + "}", "holds none of the assignment's functions"),
    ("x.ipynb", '{"cells": [], "x": 1e' + "9" * 5_000 + "}", "holds none of the assignment's functions"),
    ("x.ipynb", '{"cells": {}, "cells": []}', "holds none of the assignment's functions"),
    ("x.ipynb", '{"cells": [], "cells": {}}', "is not a notebook: it has no cells"),
    ("x.ipynb", '{"__proto__": {"cells": []}}', "is not a notebook: it has no cells"),
    ("x.ipynb", codecs.BOM_UTF8 * 2 + LATIN.encode(), "is not a notebook."),
    ("x.ipynb", '{"cells": ["a\tb"]}', "is cut off: download it again"),
    ("x.ipynb", '{"cells": [],}', "is cut off: download it again"),
    ("x.ipynb", '\u00a0{"cells": []}', "is cut off: download it again"),
]


solved_once, blank_once = functools.cache(sources.solved_notebook), functools.cache(sources.student_notebook)


def solved(assignment=ASSIGNMENT):
    return copy.deepcopy(solved_once(assignment))


def blank(assignment=ASSIGNMENT):
    return copy.deepcopy(blank_once(assignment))


def cell(notebook, name):
    """The cell of a notebook that has this nbgrader name."""
    return next(one for one in notebook.cells if one.metadata.get("nbgrader", {}).get("grade_id") == name)


def place(notebook, name):
    return notebook.cells.index(cell(notebook, name))


def ran(notebook):
    """As after Restart and run all: code cells are counted from 1 on."""
    for number, one in enumerate((one for one in notebook.cells if one.cell_type == "code"), 1):
        one.execution_count = number
    return notebook


def written(notebook):
    return json.dumps(notebook).encode()  # nbformat would mend what is damaged


def png(width, height, more=100):
    """The beginning of a PNG that says that it is so large."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">LL", width, height)
    return base64.b64encode(head + bytes(more)).decode()


def jpeg(width, height, scans=1, segments=b"\xff\xe0\0\4ab"):
    """A JPEG of this size with so many scans, behind segments of another kind."""
    frame = b"\xff\xc2\0\x11\x08" + struct.pack(">HH", height, width) + bytes(10)
    return base64.b64encode(b"\xff\xd8" + segments + frame + b"\xff\xda\0\2" * scans).decode()


DAMAGED, HONEST = {}, {}


def damaged(file=NAME, **problems):
    """Keep a function that spoils a solved notebook, under its name. What it gives back takes the notebook's place."""

    def keep(spoil):
        def make():
            notebook = ran(solved())
            notebook = spoil(notebook) or notebook
            return notebook if isinstance(notebook, bytes) else written(notebook)

        kept = HONEST if not problems else DAMAGED
        pairs = ((name.replace("_", "-"), about) for name, cells in problems.items() for about in cells or [None])
        kept[spoil.__name__] = file, make, set(pairs)
        return spoil

    return keep


# --- honest ones ----------------------------------------------------------------------------------------------------


@damaged()
def solved_and_run(notebook):
    pass


@damaged()
def saved_by_colab(notebook):
    notebook.metadata["colab"] = {"provenance": []}
    for number, one in enumerate(notebook.cells):
        one.metadata["id"] = f"{number:x}"
        one.source = one.source.splitlines(keepends=True)


@damaged()
def saved_on_windows(notebook):
    for one in notebook.cells:
        one.source = "\r\n".join(line + "  " for line in one.source.split("\n"))
    return codecs.BOM_UTF8 + written(notebook)


@damaged()
def with_tries_of_its_own(notebook):
    tries = [
        "y = softmax(np.ones(3))",
        "def f(x):\n    softmax = x",
        "softmax == softmax",
        "x, softmax = 1, 2",
        "%time 1",
    ]
    notebook.cells += [new_code_cell(text) for text in tries]
    notebook.cells += [new_markdown_cell("## My own tries")]
    ran(notebook)


@damaged()
def with_pictures(notebook):
    inline = f"\n\nLook: ![a](data:image/png;base64,{png(300, 200)}) ![b](data:image/svg+xml;base64,AAAA)"
    cell(notebook, WRITTEN).source += inline
    cell(notebook, WRITTEN)["attachments"] = {"a.jpg": {"image/jpeg": [jpeg(10, 10), "\n"]}}


@damaged()
def with_the_install_cell(notebook):
    notebook.cells.insert(1, new_code_cell(f"{submissions.INSTALL}: run this\n%pip install x"))
    ran(notebook)


@damaged()
def with_odd_characters(notebook):
    cell(notebook, WRITTEN).source += "\n\n\ud800 \U0001f600 \x00 \u2028 <img src=x onerror=alert(1)>"
    notebook.metadata["__proto__"] = {"x": float("nan")}


@damaged()
def with_words_that_do_not_run(notebook):
    notebook.cells.append(new_code_cell("# only a comment"))


@damaged()
def with_a_long_output(notebook):
    cell(notebook, "softmax-public").outputs = [new_output("stream", text="1, " * 200_000 + "9" * 5_000)]


@damaged()
def with_much_code_in_greek(notebook):
    notebook.cells.append(new_code_cell("# \u03b1\n" + "x = 1\n" * 9_000, execution_count=99))


@damaged(words=[WRITTEN])
def words_at_the_top(notebook):
    cell(notebook, WRITTEN).source = cell(blank(), WRITTEN).source
    notebook.cells.insert(1, new_markdown_cell("**Answer 8.** " + WORDS + " Divide by its root, and it does not."))


@damaged(words=[WRITTEN])
def words_below_their_question_in_one_cell(notebook):
    number = place(notebook, WRITTEN)
    notebook.cells[number - 1].source += f"\n\n{WORDS}"
    notebook.cells[number].source = cell(blank(), WRITTEN).source


# --- never saved, never run, out of order ---------------------------------------------------------------------------


@damaged(blank=None, never_ran=None)
def never_saved(notebook):
    return blank()


@damaged(not_written=["softmax"])
def one_answer_is_missing(notebook):
    cell(notebook, "softmax").source = cell(blank(), "softmax").source


@damaged(not_written=[WRITTEN])
def an_answer_that_was_emptied(notebook):
    cell(notebook, WRITTEN).source = " \n"


@damaged(not_written=[WRITTEN])
def a_few_words_at_the_top(notebook):
    cell(notebook, WRITTEN).source = cell(blank(), WRITTEN).source
    notebook.cells.insert(1, new_markdown_cell("By Ada."))


@damaged(never_ran=None)
def never_run(notebook):
    for one in notebook.cells:
        one.pop("execution_count", None)


@damaged(not_run=["attention"])
def one_cell_was_not_run(notebook):
    cell(notebook, "attention").execution_count = None


@damaged(out_of_order=["softmax"])
def run_out_of_order(notebook):
    cell(notebook, "softmax").execution_count = 99


@damaged(stopped=["attention"])
def a_cell_that_stopped(notebook):
    error = new_output("error", ename="<b>NameError</b>", evalue="x", traceback=["x"])
    cell(notebook, "attention").outputs = [error]


@damaged(red=["softmax-public"])
def a_check_that_is_red(notebook):
    text = "✓ one row\n✗ each row of a matrix: the value at [0, 0] is 1\n"
    cell(notebook, "softmax-public").outputs = [new_output("stream", text=text)]


@damaged(never_ran=None)
def odd_outputs_and_counts(notebook):
    for number, one in enumerate(notebook.cells):
        if one.cell_type == "code":
            one.execution_count, one["outputs"] = "1", [7, {"text": {"a": 1}}, None][number % 3 :]


# --- another place --------------------------------------------------------------------------------------------------


def moved(name, by, assignment=ASSIGNMENT):
    """The solved notebook, where an answer stands in a new cell, `by` cells below its own."""
    notebook = solved(assignment)
    own = cell(notebook, name)
    new = new_markdown_cell if own.cell_type == "markdown" else new_code_cell
    notebook.cells.insert(place(notebook, name) + by, new(own.source))
    own.source = cell(blank(assignment), name).source
    return notebook


@damaged(elsewhere=["softmax"])
def an_answer_in_a_cell_below(notebook):
    return ran(moved("softmax", 1))


@damaged(elsewhere=["softmax"])
def an_answer_in_a_cell_above(notebook):
    return ran(moved("softmax", 0))


@damaged(words=[WRITTEN])
def words_in_a_cell_below(notebook):
    return ran(moved(WRITTEN, 1))


@damaged(elsewhere=["attention"])
def two_functions_in_one_cell(notebook):
    cell(notebook, "softmax").source += "\n\n" + cell(notebook, "attention").source
    cell(notebook, "attention").source = cell(blank(), "attention").source


@damaged(not_written=[WRITTEN])
def words_in_a_code_cell(notebook):
    cell(notebook, WRITTEN).source = cell(blank(), WRITTEN).source
    notebook.cells.append(new_code_cell(WORDS, execution_count=99))


@damaged(not_written=[WRITTEN])
def words_in_comments(notebook):
    cell(notebook, WRITTEN).source = cell(blank(), WRITTEN).source
    notebook.cells.append(new_code_cell("# It grows\n# with d."))


@damaged()
def words_that_go_on_below(notebook):
    notebook.cells += [new_markdown_cell("The rest."), new_code_cell(WORDS, execution_count=99)]


@damaged(twice=["softmax"])
def a_function_that_is_defined_again(notebook):
    notebook.cells.append(new_code_cell(EMPTY, execution_count=99))


@damaged(twice=["softmax"])
def a_function_that_is_defined_again_in_another_answer(notebook):
    cell(notebook, "attention").source += f"\n\n{EMPTY}"


@damaged(twice=["softmax"])
def a_stub_in_its_own_cell(notebook):
    own = cell(notebook, "softmax")
    notebook.cells.append(new_code_cell(own.source, execution_count=99))
    own.source = "def softmax(x):\n    pass"


@damaged(twice=["softmax"])
def a_function_that_is_assigned_and_defined_again(notebook):
    cell(notebook, "softmax").source = "softmax = lambda x: x"
    notebook.cells.append(new_code_cell(EMPTY, execution_count=99))


@damaged(file="5-project.ipynb", elsewhere=["collection"])
def variables_in_a_cell_below(notebook):
    return ran(moved("collection", 1, "5-project"))


@damaged(changed=["softmax-public"])
def a_check_that_was_changed(notebook):
    cell(notebook, "softmax-public").source += "\nhidden = 1"


@damaged(changed=["softmax-public"])
def an_answer_in_a_check(notebook):
    cell(notebook, "softmax-public").source += f"\n{EMPTY}"


@damaged(changed=["given-6f11581d"])
def a_given_cell_that_was_changed(notebook):
    next(one for one in notebook.cells if one.source == "import numpy as np").source += "\nimport math"


# --- missing, doubled, renamed --------------------------------------------------------------------------------------


@damaged(missing=["softmax"])
def a_cell_that_was_deleted(notebook):
    notebook.cells.remove(cell(notebook, "softmax"))


@damaged(missing_given=None)
def a_check_that_was_deleted(notebook):
    notebook.cells.remove(cell(notebook, "attention-public"))


@damaged(missing_given=None)
def given_cells_that_were_deleted(notebook):
    notebook.cells = [one for one in notebook.cells if one.source != "import numpy as np"]


@damaged(copies=["softmax"])
def a_cell_that_is_there_twice(notebook):
    own = cell(notebook, "softmax")
    notebook.cells.insert(place(notebook, "softmax"), nbformat.from_dict({**copy.deepcopy(own), "source": EMPTY}))
    ran(notebook)


@damaged(copies=[WRITTEN])
def a_written_cell_that_is_there_four_times(notebook):
    own = cell(notebook, WRITTEN)
    for text in ("First.", cell(blank(), WRITTEN).source, "Last."):
        notebook.cells.append(nbformat.from_dict({**copy.deepcopy(own), "source": text}))


@damaged(elsewhere=SOLUTIONS, missing=[WRITTEN], words=[WRITTEN])
def all_names_are_lost(notebook):
    notebook.metadata = {}
    for one in notebook.cells:
        one.metadata = {}


@damaged(elsewhere=["softmax", "attention"], missing_given=None)
def names_of_odd_types(notebook):
    cell(notebook, "softmax").metadata["nbgrader"]["grade_id"] = ["softmax"]
    cell(notebook, "attention").metadata["nbgrader"] = "attention"
    cell(notebook, "softmax-public").metadata = None
    notebook.cells[0], notebook.cells[2].source = 7, [7, "x = 1"]


@damaged(missing=["causal-mask"])
def cells_of_odd_kinds(notebook):
    cell(notebook, "attention").cell_type, cell(notebook, "causal-mask").cell_type = "raw", 7


@damaged(encoding=None)
def another_encoding(notebook):
    return written(notebook).replace(b"dot", b"d\xe9t\xed\xa0\x80\xf0\x9f\xe2\x82")


# --- another assignment, too large ----------------------------------------------------------------------------------


@damaged(another=None)
def another_assignment(notebook):
    return solved("1-tokenization")


@damaged(another=None)
def another_assignment_without_its_name(notebook):
    notebook = solved("3-bert-layer")
    notebook.metadata = {}
    return notebook


@damaged(foreign=None)
def something_else(notebook):
    return nbformat.v4.new_notebook(cells=[new_code_cell("x = 1")])


@damaged(many_added=None)
def very_many_cells(notebook):
    notebook.cells += [new_code_cell(f"x = {i}") for i in range(submissions.MOST_ADDED + 6)]
    ran(notebook)


@damaged(long=None)
def far_too_much_code(notebook):
    notebook.cells += [new_code_cell(text * 30_000) for text in ("x = 1\n", "y = 2\n")]
    ran(notebook)


@damaged()
def much_code_with_a_smile(notebook):
    notebook.cells.append(new_code_cell("# \U0001f600\n" + "x = 1\n" * 9_000, execution_count=99))


@damaged(pictures=[WRITTEN])
def a_picture_of_another_type(notebook):
    cell(notebook, WRITTEN)["attachments"] = {"a.svg": {"image/svg+xml": png(20, 10)}, "b": 7}


@damaged(pictures=[WRITTEN])
def pictures_that_are_none(notebook):
    odd = ["x" * 40, png(20, 10)[:-1], png(0, 10), png(20_000, 20_000), [7, None], png(20, 10) + "A" * 1_500_000]
    cell(notebook, WRITTEN)["attachments"] = {f"{i}.png": {"image/png": data} for i, data in enumerate(odd)}


@damaged(pictures=[WRITTEN])
def photos_that_are_none(notebook):
    odd = [png(20, 10), jpeg(8_000, 8_000), jpeg(10, 10, scans=200), jpeg(10, 10, segments=b"\xff\xe0\0\0" * 9_000)]
    cell(notebook, WRITTEN)["attachments"] = {f"{i}.jpg": {"image/jpeg": data} for i, data in enumerate(odd)}


@damaged(pictures=[WRITTEN])
def a_picture_that_is_too_large(notebook):
    cell(notebook, WRITTEN)["attachments"] = {"a.png": {"image/png": png(20, 10, 1_200_000)}}


@damaged(pictures=[WRITTEN])
def pictures_that_are_too_large_together(notebook):
    cell(notebook, WRITTEN)["attachments"] = {f"{i}.png": {"image/png": png(20, 10, 900_000)} for i in range(4)}


@damaged(pictures=[WRITTEN])
def six_pictures_in_a_cell(notebook):
    cell(notebook, WRITTEN)["attachments"] = {f"{i}.png": {"image/png": png(20, 10)} for i in range(6)}


@damaged(pictures=None)
def too_many_pixels(notebook):
    many = {f"{i}.png": {"image/png": png(2_880, 1_800)} for i in range(4)}
    notebook.cells[1:1] = [new_markdown_cell("x", attachments=many)]


def everything():
    """(name, file, content, problems) of all of them; what is refused has what is told in the place of problems."""
    for number, (file, content, told) in enumerate(REFUSED):
        yield f"refused-{number}", file, content.encode() if isinstance(content, str) else content, told
    for name, (file, make, problems) in [*DAMAGED.items(), *HONEST.items()]:
        yield name, file, make(), problems
    for assignment in sources.names():
        yield f"solved {assignment}", f"{assignment}.ipynb", written(ran(solved(assignment))), set()
