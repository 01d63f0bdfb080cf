"""The project behind the site: its folder, its table of contents, and how programs report."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path
from typing import NamedTuple

import jinja2
import yaml

ROOT = Path(__file__).resolve().parents[1]
say = partial(print, flush=True)


class Part(NamedTuple):
    """A part of the table of contents. pages: their paths below the root, such as "book/heads"."""

    caption: str
    numbered: bool
    pages: list[str]


def parts(root: Path = ROOT) -> list[Part]:
    """Return the parts of the book, in its order."""
    listed = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    return [
        Part(part.get("caption", ""), bool(part.get("numbered")), [entry["file"] for entry in part["chapters"]])
        for part in listed
    ]


def pages(root: Path = ROOT) -> list[str]:
    """Return all pages of the book, in its order, starting with the front page."""
    front = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))["root"]
    return [front, *(page for part in parts(root) for page in part.pages)]


def numbered(root: Path = ROOT) -> list[str]:
    """Return the names of the numbered chapters, in the book's order."""
    return [page.rpartition("/")[2] for part in parts(root) if part.numbered for page in part.pages]


def package(name: str) -> Path:
    """Return the folder of an installed package, whose files a page needs, without running its code."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ModuleNotFoundError(f"The pages need the package {name.replace('_', '-')}: pip install '.[book]'")
    return Path(spec.origin).parent


def template(path: Path, **values: str) -> str:
    """Return a file with its `{{ name }}` replaced by values."""
    return jinja2.Template(path.read_text(encoding="utf-8"), keep_trailing_newline=True).render(values)
