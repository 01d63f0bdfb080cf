"""Navigation: the left column shows where a page is and what it contains.

A page about one part of the machine has a small map of it above the list of chapters. The map marks that part, and each
part is a link to the chapter that builds it. The page's own sections are listed below its title, so that no second
column is needed. Pages below a page, such as a chapter's teacher's page, are listed only on these pages. The next
chapter's question is shown at a page's foot.
"""

from __future__ import annotations

import re
from html import escape

VECTORS = """context collections dimension directions evolution limits loud meaning seeing senses shape
shape-of-learning uses which"""
# Each part, its position and color, and the pages about it; the part is a link to the first one.
PARTS = [
    ("one vector per token", (36, 4, 168), "", VECTORS.split()),
    ("feed-forward", (36, 44, 168), "feed", ["bert"]),
    ("attention", (36, 86, 103), "attention", ["attention", "cost"]),
    ("heads", (143, 86, 61), "attention", ["heads", "roles", "gates", "sinks"]),
    ("embeddings", (20, 134, 106), "embed", ["embeddings", "token-vectors", "probing"]),
    ("positions", (132, 134, 106), "embed", ["positions", "position-vectors"]),
    ("text → tokens", (36, 170, 168), "", ["tokenization"]),
]
HERE = re.compile(
    r'(<li class="[^"]*\bcurrent\b[^"]*"><a class="current reference internal" href="#">.*?</a>)', re.DOTALL
)
# The theme's fold of the pages below an entry, behind a button without a name.
BELOW = re.compile(
    r'<details(?P<open> open="open")?><summary><span class="toctree-toggle".*?</summary>'
    r"(?P<pages><ul.*?</ul>)\s*</details>",
    re.DOTALL,
)


def machine(page: str, address) -> str:
    """Return the map with the page's part, or nothing if the page is about none or all of them."""
    subject, boxes = page.rpartition("/")[2], []  # book/heads, and its teacher's page, book/teach/heads
    if not any(subject in pages for *_, pages in PARTS):
        return ""
    for name, (x, y, width), color, pages in PARTS:
        here = ' aria-current="true"' if subject in pages else ""
        style = f' style="--part: var(--{color})"' if color else ""
        boxes.append(
            f'<a href="{escape(address("book/" + pages[0]))}"{here}{style}><rect x="{x}" y="{y}" width="{width}" '
            f'height="26" rx="3"/><text x="{x + width / 2}" y="{y + 17}">{escape(name)}</text></a>'
        )
    return (
        '<div class="map"><svg viewBox="0 0 240 200" role="group" aria-label="Where this page stands in the machine">'
        '<path class="flow" d="M120 196V30"/><rect class="frame" x="20" y="36" width="212" height="86" rx="6"/>'
        f'<text x="217" y="83">× 6</text>{"".join(boxes)}</svg></div>'
    )


def on_page(toc: str) -> str:
    """Return the page's sections from its table of contents, one level below the title."""
    from bs4 import BeautifulSoup

    sections = BeautifulSoup(toc, "html.parser").select("ul > li > ul > li > a")
    top = [link for link in sections if len(link.find_parents("ul")) == 2]
    lines = "".join(f'<li><a href="{escape(link["href"])}">{link.decode_contents()}</a></li>' for link in top)
    return f'<ul class="onpage">{lines}</ul>' if lines else ""


def unfolded(chapters: str) -> str:
    """Return the list of chapters, in which pages below a page appear only if the current page is it or one of them.

    >>> unfolded('<li>A<details><summary><span class="toctree-toggle"></span></summary><ul>B</ul></details></li>')
    '<li>A</li>'
    """
    return BELOW.sub(lambda match: match["pages"] if match["open"] else "", chapters)


def change(app, name, template, context, doctree) -> None:
    if "generate_toctree_html" not in context:
        return
    listed, address = context["generate_toctree_html"], context["pathto"]

    def chapters(*args, **options):
        """Return the map, and the list of chapters with the page's sections below its title."""
        html = unfolded(str(listed(*args, **options)))
        sections = on_page(context.get("toc") or "")
        html = HERE.sub(lambda match: match[0] + sections, html, count=1)
        return f'{machine(name, address)}<div class="chapters">{html}</div>'

    context["generate_toctree_html"] = chapters
    following = context.get("next")
    if following:
        page = next((docname for docname in app.env.found_docs if address(docname) == following["link"]), None)
        ask = app.env.metadata.get(page, {}).get("ask")
        if ask:
            context["next"] = {**following, "title": f"<small>{following['title']}</small> {escape(ask)}"}


def setup(app):
    app.connect("html-page-context", change, priority=900)  # after the theme's own functions exist
