"""Descriptions of pages for other programs, and the page for a wrong address.

The pages name their description and picture: a chapter its question and its drawing, all others those of the front
page. Other hosts can use the picture's address only if `html: baseurl:` in _config.yml says where the book is
published; without it, the address is relative, and there is no og:url.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from textwrap import fill
from xml.etree import ElementTree

from docutils import nodes
from sphinx.util.osutil import relative_uri

from website.directives.chapters import HEIGHT, WIDTH, picture
from website.project import ROOT, template

CARDS = "_static/cards"
FRONT = "which"  # the drawing of the front page
DESCRIPTION = "A book whose pages run: transformers from scratch, with computed numbers and checked claims."
MOST_LETTERS = 200


def description(doctree: nodes.document | None) -> str:
    """Return the first paragraph of a page, cut at a word."""
    if doctree is None or (first := next(doctree.findall(nodes.paragraph), None)) is None:
        return DESCRIPTION
    text = " ".join(first.astext().split())
    return text if len(text) <= MOST_LETTERS else text[: text.rindex(" ", 0, MOST_LETTERS)] + " …"


def asks(app) -> dict[str, str]:
    """Return the pages that have a card, each with its question: the front page, and the chapters with a drawing."""
    root = app.config.root_doc
    named = {page: about["ask"] for page, about in app.env.metadata.items() if "ask" in about}
    return {page: ask for page, ask in named.items() if page == root or picture(page.rpartition("/")[2])}


def tag_page(app, pagename, templatename, context, doctree) -> None:
    """Add a page's description and its card to its head."""
    base = app.config.html_baseurl.rstrip("/")
    page = pagename if pagename in asks(app) else app.config.root_doc
    file = f"{CARDS}/{page.rpartition('/')[2]}.png"
    card = f"{base}/{file}" if base else relative_uri(app.builder.get_target_uri(pagename), file)
    title = re.sub(r"<[^>]*>", "", context.get("title", "")) or app.config.html_title
    tags = {
        "og:title": html.unescape(title),
        "og:description": description(doctree),
        "og:type": "article",
        "og:site_name": app.config.html_title,
        "og:image": card,
        "og:image:alt": f"{asks(app)[page]} Next to it is a drawing in colors.",
    }
    if base:
        tags["og:url"] = f"{base}/{app.builder.get_target_uri(pagename)}"
    lines = [f'<meta property="{name}" content="{html.escape(text)}" />' for name, text in tags.items()]
    lines += [f'<meta name="description" content="{html.escape(tags["og:description"])}" />']
    lines += ['<meta name="twitter:card" content="summary_large_image" />']
    context["metatags"] = context.get("metatags", "") + "\n".join(lines)


def colors() -> dict[str, str]:
    """Return the colors of the light theme by name, from book.css."""
    css = (ROOT / "book" / "_static" / "book.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--(\w+): (#[0-9a-f]+);", css[: css.index("data-theme")]))


def draw_sign(axes, sign: str) -> None:
    """Draw a chapter's picture of chapters.py, which has these five kinds of shapes, with matplotlib."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Circle, Ellipse, PathPatch, Rectangle
    from matplotlib.path import Path as Outline

    known, steps = colors(), {"M": [Outline.MOVETO], "L": [Outline.LINETO], "C": [Outline.CURVE4] * 3}

    def paint(text):
        if not (found := re.search(r"var\(--(\w+)\)(?: (\d+)%)?", text or "")):
            return "none"
        share = int(found[2] or 100) / 100
        return [share * one + 1 - share for one in to_rgb(known[found[1]])]

    axes.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0), aspect="equal")
    axes.set_axis_off()
    for shape in ElementTree.fromstring(sign):
        style = dict(pair.split(":", 1) for pair in shape.get("style").split(";"))
        at = {name: float(value) for name, value in shape.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
        looks = {"facecolor": paint(style["fill"]), "edgecolor": paint(style.get("stroke"))}
        looks["linewidth"] = 3 * float(style.get("stroke-width", 1))
        if "stroke-dasharray" in style:
            looks["linestyle"] = "--"
        if shape.tag == "rect":
            patch = Rectangle((at["x"], at["y"]), at["width"], at["height"], **looks)
        elif shape.tag == "circle":
            patch = Circle((at["cx"], at["cy"]), at["r"], **looks)
        elif shape.tag == "ellipse":
            turn = float(re.search(r"rotate\((-?[\d.]+)", shape.get("transform"))[1])
            patch = Ellipse((at["cx"], at["cy"]), 2 * at["rx"], 2 * at["ry"], angle=turn, **looks)
        elif shape.tag == "path":
            parts = re.findall(r"([MLC])([^MLC]*)", shape.get("d"))
            points = [list(map(float, numbers.replace(",", " ").split())) for _, numbers in parts]
            corners = [pair for numbers in points for pair in zip(numbers[::2], numbers[1::2], strict=True)]
            patch = PathPatch(Outline(corners, [step for kind, _ in parts for step in steps[kind]]), **looks)
        else:
            size = 2.2 * at["font-size"]
            axes.text(at["x"], at["y"], shape.text, fontsize=size, ha="center", color=looks["facecolor"])
            continue
        axes.add_patch(patch)


def draw_card(path: Path, title: str, ask: str, sign: str) -> None:
    """Draw the picture for links to a page: 1200 by 630 pixels, with its title, its question and its drawing."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="white")
    draw_sign(figure.add_axes([0.54, 0.12, 0.42, 0.76]), sign)
    soft, ink = (colors()[name] for name in ("soft", "ink"))
    figure.text(0.05, 0.86, title, fontsize=24, color=soft, va="top")
    figure.text(0.05, 0.72, fill(ask, 20), fontsize=34, weight="bold", color=ink, va="top", linespacing=1.25)
    figure.text(0.05, 0.08, "Transformers from scratch", fontsize=20, color=soft)
    figure.savefig(path, metadata={"Software": None})


def write_extras(app, exception) -> None:
    """Write the card and the page for wrong addresses, once the site exists."""
    if exception or app.builder.name != "html":
        return
    site = Path(app.outdir)
    (site / CARDS).mkdir(exist_ok=True)
    for page, ask in asks(app).items():
        name, title = page.rpartition("/")[2], app.env.titles[page].astext()
        draw_card(site / CARDS / f"{name}.png", title, ask, picture(name) or picture(FRONT))
    chapters = [app.config.root_doc, *app.env.toctree_includes.get(app.config.root_doc, [])]
    links = "".join(
        f'<li><a href="{app.builder.get_target_uri(name)}">{html.escape(app.env.titles[name].astext())}</a></li>'
        for name in chapters
    )
    repository = app.config.html_theme_options.get("repository_url", "").rpartition("/")[2]
    lost = template(Path(__file__).with_name("404.html"), project=html.escape(app.config.html_title), links=links,
                    repository=repository)  # fmt: skip
    (site / "404.html").write_text(lost, encoding="utf-8")


def setup(app):
    app.connect("html-page-context", tag_page)
    app.connect("build-finished", write_extras)
