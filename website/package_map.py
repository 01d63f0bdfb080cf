"""The map of both packages: their modules, in reading order, with what each one contains.

    python -m website map     writes the map into README.md

The order is `ROOMS` of each package, the description is the first line of the module's docstring; there is no other
list. The README's map, the library's page and the test of the imports read it here.
"""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

from website.project import ROOT

PACKAGES = ("tutorial_lib", "tutorial_book")
START, END = "<!-- the map: written by `python -m website map` -->\n", "<!-- end of the map -->"
WIDTH = 110


def first_line(file: Path) -> str:
    """Return the first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n")[0]


def rooms(root: Path, package: str) -> dict[str, tuple[str, ...]]:
    """Return a package's `ROOMS` without importing it: title -> names, each a module or a folder."""
    tree = ast.parse((root / package / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "ROOMS":
            return ast.literal_eval(node.value)
    raise ValueError(f"{package}/__init__.py must define ROOMS")


def entrance(root: Path, package: str, room: str) -> Path:
    """Return the file whose first line describes a module or folder."""
    folder = root / package / room
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def entries(root: Path, package: str) -> dict[str, list[tuple[str, str, str]]]:
    """Return, for each title, (module, the name of its file or folder, its description)."""
    listed = {}
    for title, names in rooms(root, package).items():
        files = [entrance(root, package, name) for name in names]
        shown = [f"{file.parent.name}/" if file.stem == "__init__" else file.name for file in files]
        listed[title] = list(zip(names, shown, map(first_line, files), strict=True))
    return listed


def the_map(root: Path = ROOT) -> str:
    """Return the map as text: a line or two for each module."""
    lines = []
    for package in PACKAGES:
        lines += _entry("", f"{package}/", first_line(root / package / "__init__.py"))
        for title, listed in entries(root, package).items():
            lines.append(f"  {title}")
            for _, shown, holds in listed:
                lines += _entry("    ", shown, holds)
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def _entry(indent: str, name: str, text: str) -> list[str]:
    head = f"{indent}{name:{24 - len(indent)}}"
    return textwrap.wrap(head + text, WIDTH, subsequent_indent=" " * 24, break_on_hyphens=False)


def with_map(readme: str, root: Path = ROOT) -> str:
    """Return the README with the current map. Raises ValueError if it has no place for it."""
    if START not in readme or END not in readme:
        raise ValueError(f"README.md must contain the lines {START.strip()!r} and {END!r}")
    pattern = re.escape(START) + ".*?" + re.escape(END)
    return re.sub(pattern, lambda _: f"{START}\n```text\n{the_map(root)}```\n\n{END}", readme, flags=re.S)


def main() -> int:
    """Write the map into the README."""
    path = ROOT / "README.md"
    path.write_text(with_map(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0

