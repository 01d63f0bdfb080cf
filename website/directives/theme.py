"""Make the site self-contained and accessible.

This adds the part of MathJax that the pages use, and fixes the theme's output in each page: a megabyte of icons drawn
by a script (the icon font is enough), the search of Sphinx, and attributes that disturb a screen reader.
"""

from __future__ import annotations

import os
import re
import shutil
from importlib.metadata import entry_points
from pathlib import Path

from pybtex.plugin import register_plugin

from website.project import package

MATHJAX_PARTS = ["tex-chtml.js", "output/chtml/fonts/woff-v2", "input/tex/extensions"]

# The theme's files that no page loads: 4 MB.
UNUSED = ["scripts/fontawesome.js*", "searchtools.js", "language_data.js", "**/*.map"]

# Changes of the theme's pages: (pattern, replacement).
MENDS = [
    # a megabyte that draws the icons again; the icon font is enough
    (r'<script[^>]*scripts/fontawesome\.js[^>]*></script>\s*', ""),
    # Sphinx's search: search.js is the book's own
    (r'<script src="(?:\.\./)*(?:_static/(?:searchtools|language_data)|searchindex)\.js[^>]*></script>\s*', ""),
    # a landmark, so that a screen reader finds the table of contents
    (r'<div id="pst-primary-sidebar"(?! role)', r'\g<0> role="complementary" aria-label="Book contents"'),
    # a name must contain the visible words (WCAG 2.5.3): "Toggle hidden content" hid "code"
    (r'<summary aria-label="Toggle hidden content">', "<summary>"),
    # the bibliography's entries: items of their list, not a role that browsers no longer support
    (r'(<div class="citation"[^>]*) role="doc-biblioentry"', r'\1 role="listitem"'),
]


# Sphinx adds MathJax to each page above one with formulas in the table of contents, too, so to the front page.
FORMULA = re.compile(r'class="math|\\\(')
MATHJAX = re.compile(r"<script[^>]*mathjax/tex-chtml\.js[^>]*></script>\s*|<script>window\.MathJax = .*?</script>\s*")


def copy_mathjax(static: Path) -> None:
    """Copy the used part of MathJax (2 of 24 MB) to `static`/mathjax, unless it is there."""
    source, target = package("sphinx-mathjax-offline") / "static" / "mathjax", static / "mathjax"
    for part in MATHJAX_PARTS:
        if (target / part).exists():
            continue
        (target / part).parent.mkdir(parents=True, exist_ok=True)
        if (source / part).is_dir():
            shutil.copytree(source / part, target / part)
        else:
            shutil.copyfile(source / part, target / part)


def mend(page: str) -> str:
    """Return a page's HTML with every entry of MENDS applied, and without MathJax if it has no formula.

    >>> mend('<script defer src="_static/scripts/fontawesome.js?digest=5"></script><p>Text</p>')
    '<p>Text</p>'
    """
    for pattern, replacement in MENDS:
        page = re.sub(pattern, replacement, page)
    return page if FORMULA.search(page) else MATHJAX.sub("", page)


def finish(app, exception) -> None:
    """After the build: copy MathJax, fix every page."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    copy_mathjax(site / "_static")
    for pattern in UNUSED:
        for leftover in (site / "_static").glob(pattern):
            leftover.unlink()
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        if (mended := mend(text)) != text:
            path.write_text(mended, encoding="utf-8")


def outdated(app, env, added, changed, removed) -> list[str]:
    """Return pages with unchanged source but changed outputs, as website/book.py says."""
    return os.environ.get("OUTDATED_PAGES", "").split()


def keep_plugins() -> None:
    """Let pybtex find directly what it needs for each citation: it would search all installed packages."""
    for kind in ("backends", "style.formatting", "style.labels", "style.names", "style.sorting"):
        for plugin in entry_points(group=f"pybtex.{kind}"):
            register_plugin(plugin.group, plugin.name, plugin.load(), force=True)


def setup(app):
    keep_plugins()
    app.connect("env-get-outdated", outdated)
    app.connect("build-finished", finish)
