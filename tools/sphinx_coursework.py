"""A Sphinx extension for the coursework: `assignments` lists it, `likeness` says how alike answers are.

And `reported` shows lines of a report that `make_term.py` stored:

    ```{reported} grades.csv
    assignment,
    2-attention,bob
    ```

Each line of the directive is how one of the report begins, in the order of the report; an empty one stays.
"""

from __future__ import annotations

import re
import sys

from build_book import ROOT
from docutils import nodes
from docutils.statemachine import StringList
from make_term import TARGET, stored
from origin import Origin, on_github
from sphinx.util.docutils import SphinxDirective


def table(origin: Origin | None) -> list[str]:
    """The assignments as lines of a Markdown table: title, time, points, and the notebook here and in Colab."""
    sys.path.insert(0, str(ROOT))  # coursework is no installed package
    from coursework import checks, sources

    columns = ["Assignment", "Time", "Points", "Notebook", *(["In Colab"] if origin else [])]
    rows = [columns, ["---"] * len(columns)]
    for name in checks.names():
        title = sources.title(name).removeprefix("Assignment ")
        time = re.search(r"\*\*Time:\*\* ([^.,;]+)", sources.source(name).cells[0].source)[1]
        notebook = f'<a href="../notebooks/{name}.ipynb" download>{name}.ipynb</a>'  # of sphinx_launch
        colab = [f"[open {name[0]}]({origin.colab(f'{name}.ipynb')})"] if origin else []
        rows.append([title, time, str(sum(sources.points(name).values())), notebook, *colab])
    return [f"| {' | '.join(row)} |" for row in rows]


def likeness() -> list[str]:
    """What the tests measured of honest answers and of copies, as lines of a Markdown table."""
    sys.path.insert(0, str(ROOT))
    from coursework import similarity as compare

    columns = ["Assignment", "Honest answers", "Two of them, at most", "A whole copy, at least"]
    rows = [[*columns, "With one function rewritten, at least", "Told from"]]
    rows.append(["---"] * len(rows[0]))
    for name, *numbers in (line.split("\t") for line in compare.MEASURED):
        rows.append([name[0], *numbers, f"{compare.told_from(name)[0]:.2f}"])
    return [f"| {' | '.join(row)} |" for row in rows]


class Assignments(SphinxDirective):
    read = "assignments/*/notebook.md"

    def lines(self):
        return table(on_github(ROOT))

    def run(self):
        container = nodes.container()
        self.state.nested_parse(StringList(self.lines()), self.content_offset, container)
        for path in (ROOT / "coursework").glob(self.read):
            self.env.note_dependency(str(path))
        return container.children


class Likeness(Assignments):
    read = "likeness.tsv"

    def lines(self):
        return likeness()


def reported(report: str, beginnings: list[str]) -> list[str]:
    """The lines of a stored report that begin so, one for each beginning. Raises ValueError where there is none."""
    lines, shown = iter(stored()[report].splitlines()), []
    for beginning in beginnings:
        line = next((line for line in lines if line.strip().startswith(beginning.strip())), None) if beginning else ""
        if line is None:
            raise ValueError(f"no line of {report} begins with {beginning!r}, below those that were shown")
        shown.append(line)
    return shown


class Reported(SphinxDirective):
    required_arguments, has_content = 1, True

    def run(self):
        self.env.note_dependency(str(TARGET))
        try:
            text = "\n".join(reported(self.arguments[0], list(self.content)))
        except (ValueError, KeyError) as error:
            raise self.error(str(error)) from None
        return [nodes.literal_block(text, text, language="text")]


def setup(app):
    app.add_directive("assignments", Assignments)
    app.add_directive("reported", Reported)
    app.add_directive("likeness", Likeness)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
