"""Figures follow the theme and the screen, and the directive `list-of-figures` lists them all.

A figure drawn by a cell is one SVG file, which contains its layouts for a phone and for a slide
(tutorial_book/page/layouts.py). The site gets all of them, each in the colors of the light and of the dark theme; the
page loads its own or the phone's, the slides choose from three.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator

from tutorial_book.plots.base import DARK
from website.directives.nodes import Mark, find_places
from website.project import pages

LAYOUT = re.compile(r"<!--(?P<name>phone|slide) (?P<packed>\S+)-->\s*")
AXES = re.compile(r"<!--axes (.*)-->\s*")
COLOR = re.compile(r"(?P<of>(?:fill|stroke|stop-color)(?:: |=\"))(?P<color>#[0-9a-f]{6})\b")
# The palest gray would become the paper's color, and its areas, hatching included, would be invisible.
IN_DARK = {light.lower(): dark.lower() for light, dark in DARK.items()} | {"#ececec": "#303030"}
# A matrix is an image: its lightness is inverted, its hues stay (each row: 1 - x, mirrored at gray).
TURN = (
    '<filter id="turn" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB"><feColorMatrix values="'
    '0.574 -1.43 -0.144 0 1 -0.426 -0.43 -0.144 0 1 -0.426 -1.43 0.856 0 1 0 0 0 1 0"/></filter>'
)
MOST_WIDTH = "(max-width: 600px)"  # of a phone


def in_dark(svg: str) -> str:
    """Return a drawing in the colors of the dark theme: paper and ink are swapped, grays are inverted.

    >>> in_dark('<svg width="9"><path style="fill: #ffffff; stroke: #444444"/><path d=""/></svg>')
    '<svg fill="#e8e8e8" width="9"><path style="fill: #121212; stroke: #bbbbbb"/><path d=""/></svg>'
    """

    def turn(match: re.Match) -> str:
        color, level = match["color"], int(match["color"][1:3], 16)
        gray = color[1:3] == color[3:5] == color[5:7] and 1 < level < 254
        return match["of"] + IN_DARK.get(color, "#" + f"{255 - level:02x}" * 3 if gray else color)

    dark = COLOR.sub(turn, svg).replace("<svg ", f'<svg fill="{IN_DARK["#000000"]}" ', 1)  # black is not written
    return dark.replace("<image ", '<image filter="url(#turn)" ').replace("<defs>", f"<defs>{TURN}", 1)


def drawings(svg: str) -> dict[str, str]:
    """Return the layouts of a drawing, with the notes on their axes: suffix of the file name -> text."""
    found = {"": LAYOUT.sub("", svg)}
    for layout in LAYOUT.finditer(svg):
        found[f"-{layout['name']}"] = zlib.decompress(base64.b64decode(layout["packed"])).decode()
    return found


def layouts(svg: str) -> dict[str, str]:
    """Return the files of a drawing: suffix of the name -> text."""
    files = {end: AXES.sub("", drawing) for end, drawing in drawings(svg).items()}
    return files | {f"{end}-dark": in_dark(drawing) for end, drawing in files.items()}


def size(svg: str) -> str:
    """Return the attributes that reserve its space before it is loaded."""
    width, height = re.search(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"', svg).groups()
    return f'width="{float(width) * 4 / 3:.0f}" height="{float(height) * 4 / 3:.0f}"'


def ruler(svg: str, axis: str, panel: int = 1) -> dict:
    """Return where a number lies on an axis ("x" or "y") of a drawing's panel, as recorded by `layouts.axes`.

    The `values` at the axis's two ends and their `places`, as shares of the drawing's width or height from its upper
    left corner; whether the axis is logarithmic; and the panel's range `along` and `across` the axis. Raises ValueError
    if the drawing has no such panel, or the axis is of another kind.
    """
    note = AXES.search(svg)
    panels = json.loads(note[1]) if note else []
    if not 1 <= panel <= len(panels):
        raise ValueError(f"the drawing has no panel {panel}, only {len(panels)}")
    along, across = (panels[panel - 1][name] for name in (axis, "y" if axis == "x" else "x"))
    if along["scale"] not in ("linear", "log"):
        raise ValueError(f"the {axis} axis of panel {panel} must be linear or logarithmic, got {along['scale']}")
    return {
        "values": along["values"],
        "places": along["places"],
        "log": along["scale"] == "log",
        "along": sorted(along["places"]),
        "across": sorted(across["places"]),
    }


def visit_image(translator: HTML5Translator, node: nodes.image) -> None:
    """Write a drawing of matplotlib as two pictures, one for each theme, each with a source for phones."""
    source = Path(translator.builder.srcdir, node["uri"])
    text = source.read_text(encoding="utf-8") if source.suffix == ".svg" and source.is_file() else ""
    if "<dc:title>Matplotlib" not in text:
        HTML5Translator.visit_image(translator, node)
        return
    name, files = Path(translator.builder.images[node["uri"]]).stem, layouts(text)
    target = Path(translator.builder.outdir, translator.builder.imagedir)
    target.mkdir(parents=True, exist_ok=True)
    folder = f"{translator.builder.imgpath}/{name}"
    for end, drawing in files.items():
        (target / f"{name}{end}.svg").write_text(drawing, encoding="utf-8")
    for theme, end in (("light", ""), ("dark", "-dark")):
        phone = f'<source media="{MOST_WIDTH}" srcset="{folder}-phone{end}.svg" {size(files["-phone"])}/>' if (
            "-phone" in files) else ""  # fmt: skip
        translator.body.append(
            f'<picture class="drawing in-{theme}">{phone}<img alt="{escape(node.get("alt", ""))}" '
            f'src="{folder}{end}.svg" {size(files[""])} loading="lazy"/></picture>'
        )


def depart_image(translator: HTML5Translator, node: nodes.image) -> None:
    if not node["uri"].endswith(".svg"):
        HTML5Translator.depart_image(translator, node)


def drop_carriers(app, exception) -> None:
    """Replace the files with several layouts that Sphinx copied: a page loads only the first layout."""
    for path in Path(app.outdir, "_images").glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        if LAYOUT.search(text) or AXES.search(text):
            path.write_text(AXES.sub("", LAYOUT.sub("", text)), encoding="utf-8")


def figures(app, page: str, from_page: str):
    """Yield the numbered figures of a page: (number, address, picture, caption as nodes for `from_page`).

    A view has no picture; its replacement says so.
    """
    numbers = app.env.toc_fignumbers.get(page, {}).get("figure", {})
    for figure in app.env.get_doctree(page).findall(nodes.figure):
        name = next((name for name in figure["ids"] if name in numbers), None)
        caption = next(figure.findall(nodes.caption), None)
        if name and caption is not None:
            app.env.resolve_references(caption, from_page, app.builder)
            address = f"{app.builder.get_relative_uri(from_page, page)}#{name}"
            picture = next(figure.findall(nodes.image), None)
            picture = nodes.paragraph("", "to try") if picture is None else picture.deepcopy()
            yield ".".join(map(str, numbers[name])), address, picture, caption.children


def fill(app, doctree: nodes.document, docname: str) -> None:
    """Put the list in place of the directive: one part for each page, one item for each figure."""
    for place in find_places(doctree, "list-of-figures"):
        app.env.domains["math"].data["has_equations"][docname] = True  # captions contain formulas: load MathJax
        parts = []
        for page in pages(Path(app.srcdir)):
            items = []
            for number, address, picture, caption in figures(app, page, docname):
                link = nodes.reference("", f"Fig. {number}", internal=True, refuri=address)
                small = nodes.container("", picture, classes=["thumbnail"])
                items.append(nodes.list_item("", small, nodes.paragraph("", "", link, nodes.Text(" "), *caption)))
            if items:
                listed = nodes.bullet_list("", *items, classes=["figure-list"])
                parts += [nodes.rubric("", app.env.titles[page].astext()), listed]
        place.replace_self(parts)


def setup(app):
    app.add_node(nodes.image, override=True, html=(visit_image, depart_image))
    app.connect("build-finished", drop_carriers)
    app.add_directive("list-of-figures", Mark)
    app.connect("doctree-resolved", fill)
