"""A Sphinx extension: what a page says to other programs, and the page for a wrong address.

The pages name their description and picture. Other hosts can use the picture's address only if `html: baseurl:` in
_config.yml says where the book is published; without it, the address is relative, and there is no og:url.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.osutil import relative_uri

CARD = "_static/card.png"
DESCRIPTION = "A book whose pages run: transformers from scratch, every number computed, every claim checked."
MOST_LETTERS = 200

# It must work at any depth below any root, so it brings its own style and finds the root by the chapters' folder.
LOST = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Not here - {project}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<style>
html {{ color-scheme: light dark; font: 1.1rem/1.6 system-ui, sans-serif; }}
body {{ background: light-dark(#fff, #121212); color: light-dark(#222, #ddd); margin: 3rem auto; max-width: 36rem;
  padding: 0 1rem; }}
a {{ color: light-dark(#0b5cad, #7ab8ff); }}
</style></head>
<body><main><h1>This page is not here</h1>
<p>Perhaps it was renamed, or the address has a slip. This is what there is:</p>
<ul>{links}</ul></main>
<script>
// A server shows this page for any address: links begin where the folder "book" lies, or this file.
(function () {{
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", function (event) {{
    document.documentElement.dataset.theme = event.matches ? "dark" : "light";
  }});
  if (location.protocol === "file:") return;
  var root = location.pathname, name = "/{repository}/";
  if (root.includes("/book/")) root = root.slice(0, root.indexOf("/book/") + 1);
  else root = root.startsWith(name) ? name : "/";
  document.querySelectorAll("a").forEach(function (link) {{ link.href = root + link.getAttribute("href"); }});
}})();
</script></body></html>
"""


def description(doctree: nodes.document | None) -> str:
    """The first paragraph of a page, cut at a word."""
    if doctree is None or (first := next(doctree.findall(nodes.paragraph), None)) is None:
        return DESCRIPTION
    text = " ".join(first.astext().split())
    return text if len(text) <= MOST_LETTERS else text[: text.rindex(" ", 0, MOST_LETTERS)] + " …"


def tag_page(app, pagename, templatename, context, doctree) -> None:
    """Add a page's description and its card to its head."""
    base = app.config.html_baseurl.rstrip("/")
    card = f"{base}/{CARD}" if base else relative_uri(app.builder.get_target_uri(pagename), CARD)
    title = re.sub(r"<[^>]*>", "", context.get("title", "")) or app.config.html_title
    tags = {
        "og:title": html.unescape(title),
        "og:description": description(doctree),
        "og:type": "article",
        "og:site_name": app.config.html_title,
        "og:image": card,
        "og:image:alt": "The book's title over the stripes of a sinusoidal position encoding.",
    }
    if base:
        tags["og:url"] = f"{base}/{app.builder.get_target_uri(pagename)}"
    lines = [f'<meta property="{name}" content="{html.escape(text)}" />' for name, text in tags.items()]
    lines += [f'<meta name="description" content="{html.escape(tags["og:description"])}" />']
    lines += ['<meta name="twitter:card" content="summary_large_image" />']
    context["metatags"] = context.get("metatags", "") + "\n".join(lines)


def draw_card(path: Path, title: str) -> None:
    """The picture that a link to the book shows: 1200 by 630 pixels."""
    import numpy as np
    from matplotlib.figure import Figure

    speeds = 1 / 10_000 ** (np.arange(64) / 64)
    stripes = np.sin(np.arange(180)[None, :] * speeds[:, None])  # (64 pairs, 180 positions)
    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="#10243a")
    axes = figure.add_axes([0, 0, 1, 0.52])
    axes.imshow(stripes, aspect="auto", cmap="cividis", interpolation="nearest")
    axes.set_axis_off()
    figure.text(0.06, 0.72, title, color="white", fontsize=46, weight="bold")
    figure.text(0.06, 0.6, "Every number computed. Every claim checked.", color="#cfd8e3", fontsize=24)
    figure.savefig(path, metadata={"Software": None})


def write_extras(app, exception) -> None:
    """The card and the page for wrong addresses, once the site is there."""
    if exception or app.builder.name != "html":
        return
    site = Path(app.outdir)
    draw_card(site / CARD, app.config.html_title)
    chapters = [app.config.root_doc, *app.env.toctree_includes.get(app.config.root_doc, [])]
    links = "".join(
        f'<li><a href="{app.builder.get_target_uri(name)}">{html.escape(app.env.titles[name].astext())}</a></li>'
        for name in chapters
    )
    repository = app.config.html_theme_options.get("repository_url", "").rpartition("/")[2]
    text = LOST.format(project=html.escape(app.config.html_title), links=links, repository=repository)
    (site / "404.html").write_text(text, encoding="utf-8")


def setup(app):
    app.connect("html-page-context", tag_page)
    app.connect("build-finished", write_extras)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
