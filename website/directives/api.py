"""The directive `api-reference` lists the public names of both packages, with their docstrings.

A module shows its description and its names, and opens to their docstrings.

The source is read, not imported: nothing heavy loads, and the page shows exactly the text of the file.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from website import package_map
from website.directives.nodes import element

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def modules(package: Path, room: str) -> list[Path]:
    """Return the files of a package; modules whose name begins with an underscore are private."""
    folder = package / room
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    return [path for path in files if path.name == "__init__.py" or not path.name.startswith("_")]


def is_public(node: ast.AST) -> bool:
    return isinstance(node, DEFINITIONS) and not node.name.startswith("_") and ast.get_docstring(node) is not None


def signature(node: ast.AST) -> str:
    """Return the call of a function or class, as its definition writes it.

    >>> signature(ast.parse("def f(x: int, *, y=2) -> str: ...").body[0])
    'f(x: int, *, y=2) -> str'
    """
    if isinstance(node, ast.FunctionDef):
        result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        arguments = re.sub(r"^(?:self|cls)(?:, )?", "", ast.unparse(node.args))
        plain = any(isinstance(mark, ast.Name) and mark.id == "property" for mark in node.decorator_list)
        return node.name if plain else f"{node.name}({arguments}){result}"
    start = next((part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"), None)
    if start:
        return node.name + signature(start).removeprefix("__init__").removesuffix(" -> None")
    fields = [ast.unparse(part).replace(" = ", "=") for part in node.body if isinstance(part, ast.AnnAssign)]
    return f"{node.name}({', '.join(fields)})" if node.decorator_list and fields else node.name


def inline(text: str) -> list[nodes.Node]:
    """Return plain text as a node, with text in backticks as code."""
    pieces = re.split(r"(``?)(.+?)\1", " ".join(text.split()))
    plain = [nodes.Text(piece) for piece in pieces[::3]]
    code = [nodes.literal("", piece) for piece in pieces[2::3]]
    return [node for pair in zip(plain, [*code, None]) for node in pair if node]


def body(docstring: str) -> list[nodes.Element]:
    """Return a docstring as paragraphs, examples, and named lists such as "Raises:"."""
    out = []
    for block in re.split(r"\n\s*\n", docstring.strip()):
        lines = block.split("\n")
        if lines[0].lstrip().startswith(">>>"):
            if out and isinstance(out[-1], nodes.literal_block):
                code = f"{out.pop().astext()}\n\n{block}"
            else:
                code = block
            out.append(nodes.literal_block(code, code, language="pycon"))
        elif re.fullmatch(r"[A-Z]\w+:", lines[0]) and len(lines) > 1:
            indent = re.match(" *", lines[1])[0]
            entries = re.split(rf"^{indent}(?! )", "\n".join(lines[1:]), flags=re.M)[1:]
            items = [nodes.list_item("", nodes.paragraph("", "", *inline(entry))) for entry in entries]
            out += [nodes.paragraph("", "", nodes.strong("", lines[0])), nodes.bullet_list("", *items)]
        elif any(line.startswith("- ") for line in lines):
            text, *entries = re.split(r"^- ", block, flags=re.M)
            out += [nodes.paragraph("", "", *inline(text))] if text.strip() else []
            items = [nodes.list_item("", nodes.paragraph("", "", *inline(entry))) for entry in entries]
            out.append(nodes.bullet_list("", *items))
        elif all(line.startswith(" ") for line in lines):
            out.append(nodes.literal_block(block, block, language="text"))
        else:
            out.append(nodes.paragraph("", "", *inline(block)))
    return out


class ApiReference(SphinxDirective):
    """Return sections for the modules, with an entry for each public function, class and method."""

    def run(self):
        root = Path(self.env.srcdir)
        self.env.note_dependency(__file__)
        sections = []
        for package in package_map.PACKAGES:
            for title, rooms in package_map.rooms(root, package).items():
                section = nodes.section("", nodes.title("", title), ids=[nodes.make_id(f"api-{title}")])
                for path in [path for room in rooms for path in modules(root / package, room)]:
                    section += self.module(root, path)
                sections.append(section)
        return [*self.map(root), *sections]

    def map(self, root: Path) -> list[nodes.Element]:
        """Return the map of both packages: each module, its description, and a link to its section."""
        out = []
        for package in package_map.PACKAGES:
            holds = inline(package_map.first_line(root / package / "__init__.py"))
            out.append(nodes.paragraph("", "", nodes.strong("", package), nodes.Text(": "), *holds))
            rooms = [room for listed in package_map.entries(root, package).values() for room in listed]
            items = [nodes.list_item("", self.room(root, package, *room)) for room in rooms]
            out.append(nodes.bullet_list("", *items))
        return out

    def room(self, root: Path, package: str, name: str, shown: str, holds: str) -> nodes.paragraph:
        label = nodes.literal("", shown)
        if modules(root / package, name):
            label = nodes.reference("", "", label, refid=f"module-{package}.{name}", internal=True)
        return nodes.paragraph("", "", label, nodes.Text(": "), *inline(holds))

    def module(self, root: Path, path: Path) -> list[nodes.Element]:
        """Return the section of one module, or none if it has neither a docstring nor public names."""
        tree = ast.parse(path.read_text(encoding="utf-8"))
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        entries = [self.entry(root, path, name, node) for node in tree.body if is_public(node)]
        if path.name == "__init__.py" and not entries and not ast.get_docstring(tree):
            return []
        section = nodes.section("", nodes.title("", name), ids=[f"module-{name}"])
        section += body(ast.get_docstring(tree) or "")
        if entries:
            names = [nodes.literal("", node.name) for node in tree.body if is_public(node)]
            line = nodes.paragraph("", "", *[part for name in names for part in (name, nodes.Text(" "))])
            section.append(element("details", element("summary", line), *entries, classes=["names"]))
        return [section]

    def entry(self, root: Path, path: Path, parent: str, node: ast.AST) -> addnodes.desc:
        """Return the entry of a function or a class: its call, its place, its docstring, its public methods."""
        kind = "class" if isinstance(node, ast.ClassDef) else "method" if parent[-1] == ")" else "function"
        parent = parent.removesuffix("()")
        name = f"{parent}.{node.name}"
        call = signature(node)
        place = f"{path.relative_to(root).as_posix()}"
        repository = self.config.html_theme_options["repository_url"]  # empty if the library has no public address
        address = f"{repository}/blob/{self.config.html_theme_options['repository_branch']}/{place}#L{node.lineno}"
        line = addnodes.desc_signature("", "", ids=[name], module=parent, fullname=node.name)
        if kind == "class":
            line += addnodes.desc_annotation("", "class ")
        line += [addnodes.desc_name(node.name, node.name), nodes.Text(call.removeprefix(node.name))]
        self.env.domains["py"].note_object(name, kind, name, location=line)
        content = addnodes.desc_content("", *body(ast.get_docstring(node)))
        source = nodes.reference("", place, refuri=address, internal=False) if repository else nodes.Text(place)
        content.insert(0, nodes.paragraph("", "", source, classes=["source"]))
        if kind == "class":
            content += [self.entry(root, path, f"{name}()", part) for part in node.body if is_public(part)]
        return addnodes.desc("", line, content, domain="py", objtype=kind, classes=["py", kind])


def setup(app):
    app.add_directive("api-reference", ApiReference)
