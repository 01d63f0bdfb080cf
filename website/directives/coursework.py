"""The coursework on the pages: `assignments` lists it, `likeness` says how similar answers are.

`check` is for the page where students look at a notebook before they hand it in:

    :::{check}
    Readers without JavaScript see this text.
    :::

Its script, book/_static/check/, reads a notebook as the grader does, and by the grader's own rules: limits, sentences,
and the cells of the assignments are written beside it from coursework/. A test compares what both say.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from website.directives.markdown import table
from website.origin import Origin, on_github
from website.project import ROOT

READ = {"assignments": "assignments/*/notebook.md", "likeness": "likeness.tsv"}  # by these directives
SCRIPTS = ["rules.js", "notebook.js", "page.js"]
PICTURES = ["MOST_PICTURE", "MOST_PICTURES", "MOST_IN_CELL", "MOST_PIXELS", "MOST_SCANS"]


def assignments(origin: Origin | None) -> list[str]:
    """The assignments as lines of a Markdown table: title, time, points, and the notebook here and in Colab."""
    from coursework import sources

    rows = []
    for name in sources.names():
        title = sources.title(name).removeprefix("Assignment ")
        time = re.search(r"\*\*Time:\*\* ([^.,;]+)", sources.source(name).cells[0].source)[1]
        notebook = f'<a href="../notebooks/{name}.ipynb" download>{name}.ipynb</a>'  # of launch.py
        colab = [f"[open {name[0]}]({origin.colab(f'{name}.ipynb')})"] if origin else []
        rows.append([title, time, str(sum(sources.points(name).values())), notebook, *colab])
    return table(["Assignment", "Time", "Points", "Notebook", *(["In Colab"] if origin else [])], rows)


def likeness() -> list[str]:
    """Return how similar the tests' honest answers and copies are, as lines of a Markdown table."""
    from coursework import similarity

    head = ["Assignment", "Honest answers", "Two of them, at most", "A whole copy, at least"]
    head += ["With one function rewritten, at least", "Stands out from"]
    measured = [line.split("\t") for line in similarity.MEASURED]
    return table(head, [[name[0], *numbers, f"{similarity.told_from(name)[0]:.2f}"] for name, *numbers in measured])


class Table(SphinxDirective):
    def run(self):
        lines = assignments(on_github(ROOT)) if self.name == "assignments" else likeness()
        for path in (ROOT / "coursework").glob(READ[self.name]):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes("\n".join(lines))


def rules() -> dict:
    """Return the rules by which the grader reads a notebook, as plain values."""
    from coursework import files, pictures, sources, submissions

    with submissions.SENTENCES.open(encoding="utf-8") as file:
        told = {line.pop("name"): line for line in csv.DictReader(file, dialect="excel-tab", quoting=csv.QUOTE_NONE)}
    return {
        "limits": {
            "MOST_BYTES": files.MOST_BYTES,
            "MOST_TEXT": submissions.MOST_TEXT,
            "MOST_ADDED": submissions.MOST_ADDED,
            **{name: getattr(pictures, name) for name in PICTURES},
        },
        "told": {**told, "large": {"weight": "stops", "row": "Outputs", "told": files.LARGE}},
        "kinds": submissions.KINDS,
        "most_start": submissions.MOST_START,
        "inline": pictures.INLINE.pattern,
        "frames": sorted(pictures.FRAMES),
        "segments": sorted(pictures.SEGMENTS),
        "install": submissions.INSTALL,
        "variant": submissions.VARIANT.pattern,
        "few_words": submissions.A_FEW_WORDS,
        "assignments": {name: assignment(name) for name in sources.names()},
    }


def assignment(name: str) -> dict:
    """What students got, and how its questions are called."""
    from coursework import sources, submissions

    release = submissions.released(name)
    cells, heading = {}, ""
    for cell in sources.student_notebook(name).cells:
        id_ = cell.metadata.get("nbgrader", {}).get("grade_id")
        heading = re.findall(r"^## (.+?)(?: \([^()]*points?\))?$", cell.source, re.M)[-1:] or heading
        if id_:
            cells[id_] = {"role": release.roles[id_], "source": cell.source, "question": "".join(heading)}
    return {
        "title": sources.title(name),
        "marked": cells,
        "texts": sorted(release.texts),
        "defined": release.defined,
    }


class Check(SphinxDirective):
    has_content = True

    def run(self):
        read = ["submissions.py", "files.py", "pictures.py", "sources.py", "sentences.tsv", "kinds.tsv"]
        for path in [*(ROOT / "coursework" / name for name in read), *(ROOT / "coursework").rglob("notebook.md")]:
            self.env.note_dependency(str(path))
        self.env.metadata[self.env.docname]["check"] = "yes"
        place = nodes.container(classes=["check"])
        self.state.nested_parse(self.content, self.content_offset, place)
        return [place]


def add_scripts(app, pagename, templatename, context, doctree) -> None:
    """The scripts of the page, on this page alone."""
    if "check" not in app.env.metadata.get(pagename, {}):
        return
    target = Path(app.outdir, "_static", "check", SCRIPTS[0])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"CHECK_RULES = {json.dumps(rules(), ensure_ascii=False)};\n", encoding="utf-8")
    app.add_css_file("check/check.css")
    for name in SCRIPTS:
        app.add_js_file(f"check/{name}", defer="defer")


def setup(app):
    app.add_directive("assignments", Table)
    app.add_directive("likeness", Table)
    app.add_directive("check", Check)
    app.connect("html-page-context", add_scripts)
