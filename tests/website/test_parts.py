"""The results of the Sphinx extensions: drawings in layouts and themes, terms, letters, signatures, times, the map."""

import ast
import re
from collections import Counter
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from bs4 import BeautifulSoup
from docutils import nodes

from tutorial_book import plots
from tutorial_book.page.layouts import with_layouts
from tutorial_book.plots.base import DARK, ON_DEEP_CELL, ON_PALE_CELL
from tutorial_lib import views
from tutorial_lib.views.base import View
from website.directives import api, cards, chapters, figures, formulas, live, search, terms, theme, times, way
from website.project import ROOT, numbered

# --- figures ---------------------------------------------------------------------------------------------------------


def drawing(width=7):
    figure, ax = plt.subplots(figsize=(width, 3))
    for place, color in enumerate(plots.COLORS):
        ax.plot([0, 1], [place, place], color=color)
    return with_layouts(figure)


@pytest.mark.parametrize(
    "width, slides, ends",
    [
        (7, False, ["", "-phone", "-dark", "-phone-dark"]),
        (3, False, ["", "-dark"]),
        (7, True, ["", "-phone", "-slide", "-dark", "-phone-dark", "-slide-dark"]),
    ],
)
def test_drawing_has_a_file_per_layout_and_theme(monkeypatch, width, slides, ends):
    if slides:
        monkeypatch.setenv("TUTORIAL_BOOK_SLIDES", "1")
    files = figures.layouts(drawing(width).rstrip())  # a cell's output may lose its last line end
    assert set(files) == set(ends)
    assert all(text.rstrip().endswith("</svg>") and "<!--" not in text[-20:] for text in files.values())
    assert not any("<!--phone" in text or "<!--slide" in text for text in files.values())
    light = [end for end in ends if "dark" not in end]
    assert len({figures.size(files[end]) for end in light}) == len(light)
    assert all(files[f"{end}-dark"] == figures.in_dark(files[end]) for end in light)
    for color in plots.COLORS:
        assert f"stroke: {color.lower()}" in files[""] and f"stroke: {color.lower()}" not in files["-dark"]
        assert f"stroke: {DARK[color].lower()}" in files["-dark"]


def test_matrix_keeps_its_ink_in_the_dark():
    ax = plots.heatmap([[0.0, 1.0]], digits=0, ax=plt.subplots(figsize=(7, 3))[1])
    files = figures.layouts(with_layouts(ax.figure))
    dark = files["-dark"]
    assert dark.count("<image ") == dark.count('<image filter="url(#turn)"') > 0 and dark.count('id="turn"') == 1
    for cell in (ON_PALE_CELL, ON_DEEP_CELL):
        assert f"fill: {cell.lower()}" in files[""] and f"fill: {cell.lower()}" in dark
    assert "fill: #ffffff" not in dark and f"fill: {DARK['#FFFFFF'].lower()}" in dark


def test_size_of_a_picture_is_in_css_pixels():
    svg = '<svg xmlns="x" width="72pt" height="36pt" viewBox="0 0 72 36">'
    assert figures.size(svg) == 'width="96" height="48"'


def panels(scale="linear", ticks=None, **options):
    """Two panels side by side, and the drawing in the layout that they are left in, the phone's."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), **options)
    for ax in axes:
        ax.plot([1, 10, 1000], [-0.5, 0.2, 0.3])
        ax.set_xscale(scale)
        if ticks:
            ax.set_xticks(*ticks)
    files = figures.drawings(with_layouts(figure))
    return axes, files["-phone"], files[""]


def place(ruler, value):
    """Return where the page's script puts a number, from the build's data."""
    scale = np.log if ruler["log"] else float
    (low, high), (start, end) = map(scale, ruler["values"]), ruler["places"]
    return start + (scale(value) - low) / (high - low) * (end - start)


@pytest.mark.parametrize("scale, values", [("linear", (0, 250, 999)), ("log", (2, 30, 999))])
def test_number_lies_where_matplotlib_puts_it(scale, values):
    axes, text, _ = panels(scale)
    for panel, ax in enumerate(axes, 1):
        ruler = figures.ruler(text, "x", panel)
        assert ruler["log"] == (scale == "log")
        low, high = ax.get_window_extent().intervalx
        for value in values:
            x = ax.transData.transform((value, 0))[0]
            share = (place(ruler, value) - ruler["along"][0]) / (ruler["along"][1] - ruler["along"][0])
            assert share == pytest.approx((x - low) / (high - low), abs=2e-3)


@pytest.mark.parametrize("layout", [1, 2])
def test_panel_lies_where_the_drawing_has_its_frame(layout):
    text = panels()[layout]
    size = [*map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups())]
    frames = re.findall(r'<g id="axes_\d">\s*<g id="patch_\d+">\s*<path d="([^"]*)"', text)
    for panel, frame in enumerate(frames, 1):
        corners = np.array(re.findall(r"[ML] ([\d.]+) ([\d.]+)", frame), float) / size
        for axis, places in zip("xy", corners.T, strict=True):
            found = figures.ruler(text, axis, panel)["along"]
            assert found == pytest.approx([places.min(), places.max()], abs=4e-3)


def test_panels_that_share_an_axis_share_its_numbers():
    *_, text = panels(sharey=True)
    first, second = (figures.ruler(text, "y", panel) for panel in (1, 2))
    assert first["values"] == second["values"] and first["places"] == second["places"]
    assert first["across"][1] < second["across"][0]
    top, bottom = (place(first, value) for value in (0.3, -0.5))
    assert first["along"][0] < top < bottom < first["along"][1]  # the page counts from above


def test_axis_without_numbers_counts_nothing():
    *_, text = panels(ticks=([1, 10], ["few", "many"]))
    with pytest.raises(ValueError, match="the x axis of panel 2 must be linear or logarithmic, got names"):
        figures.ruler(text, "x", 2)
    with pytest.raises(ValueError, match="the drawing has no panel 3, only 2"):
        figures.ruler(text, "x", 3)


@pytest.mark.parametrize("name", numbered())
def test_picture_of_a_chapter_stays_inside_its_frame(name):
    sign = ElementTree.fromstring(chapters.picture(name))
    shapes = list(sign)
    assert sign.get("aria-hidden") == "true" and 1 <= len(shapes) <= 120
    assert all("var(--" in shape.get("style") and "#" not in shape.get("style") for shape in shapes)
    for shape in shapes:
        x, y = (float(shape.get(key, shape.get("c" + key, 0))) for key in "xy")
        assert 0 <= x <= chapters.WIDTH and 0 <= y <= chapters.HEIGHT


# --- the page of the library -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source, call",
    [
        ("def f(x, *names, y=(1, 2)): ...", "f(x, *names, y=(1, 2))"),
        ("def f(self, x): ...", "f(x)"),
        ("def f(self): ...", "f()"),
        ("@property\ndef f(self): ...", "f"),
        ("class A:\n    def __init__(self, n: int) -> None: ...", "A(n: int)"),
        ("@dataclass\nclass A:\n    n: int = 3\n    name: str = ''", "A(n: int=3, name: str='')"),
        ("class A(ValueError): ...", "A"),
    ],
)
def test_signature_is_the_call(source, call):
    assert api.signature(ast.parse(source).body[0]) == call


def test_docstring_becomes_paragraphs_lists_and_examples():
    docstring = "Does `it`.\n\nRaises:\n    ValueError: if *x*\n        is negative.\n\n>>> f(1)\n1\n\n>>> f(2)\n2"
    text, title, entries, example = api.body(docstring)
    assert [node.astext() for node in text.findall(nodes.literal)] == ["it"]
    assert title.astext() == "Raises:" and entries.astext() == "ValueError: if *x* is negative."
    assert example["language"] == "pycon" and example.astext() == ">>> f(1)\n1\n\n>>> f(2)\n2"
    text, entries, after = api.body("There are:\n- `one`, on\n  two lines\n- two - or so\n\nNo list - a dash.")
    assert text.astext() == "There are:" and after.astext() == "No list - a dash."
    assert [entry.astext() for entry in entries] == ["one, on two lines", "two - or so"]
    [alone] = api.body("- one\n- two")
    assert len(alone) == 2 and isinstance(alone, nodes.bullet_list)


def test_private_modules_are_not_on_the_page():
    names = [path.name for path in api.modules(ROOT / "tutorial_lib", "tokenization")]
    assert names[0] == "__init__.py" and "wordpiece.py" in names
    assert api.modules(ROOT / "tutorial_lib", "__main__") == []


# --- letters and terms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "formula, expected",
    [
        (r"\sqrt{d_k}", r"\sqrt{\class{sym-2}{d_k}}"),
        (r"x_K + K_i", r"x_{\class{sym-1}{K}} + \class{sym-1}{K}_i"),
        (r"x^{Q} + x^K", r"x^{\class{sym-0}{Q}} + x^{\class{sym-1}{K}}"),
        (r"\bar{d} + \bar{Q}_1 - \ell", r"\bar{\class{sym-3}{d}} + \class{sym-4}{\bar{Q}_1} - \ell"),
        (r"\operatorname{QK}(Q)", r"\operatorname{QK}(\class{sym-0}{Q})"),
        (r"\text{Q and K}", r"\text{Q and K}"),
        (r"\begin{aligned} Q \end{aligned}", r"\begin{aligned} \class{sym-0}{Q} \end{aligned}"),
    ],
)
def test_letters_are_marked_and_words_are_not(formula, expected):
    assert formulas.marked(formula, ["Q", "K", "d_k", "d", r"\bar{Q}_1"]) == expected


TERMS = {
    "head": ("term-head", "Looks."),
    "attention head": ("term-attention-head", "Looks."),
    "BERT": ("term-BERT", "A model."),
    "[CLS]": ("term-CLS", "Stands first."),
}


@pytest.mark.parametrize(
    "text, links",
    [
        ("A head, and a head.", {"head": "head"}),
        ("Heads of BERT.", {"Heads": "head", "BERT": "BERT"}),
        ("Two attention heads; a head.", {"attention heads": "attention head"}),
        ("Go ahead, head-on.", {}),
        ("bert is a name.", {}),
        ("Then [CLS] stands first.", {"[CLS]": "[CLS]"}),
    ],
)
def test_first_use_of_a_term_becomes_a_link(text, links):
    paragraph = nodes.paragraph("", "", nodes.Text(text))
    terms.mark_text(paragraph.children[0], dict(TERMS), "glossary.html")
    found = {link.astext(): (link["refuri"], link["reftitle"]) for link in paragraph.findall(nodes.reference)}
    anchors = {shown: (f"glossary.html#{TERMS[term][0]}", TERMS[term][1]) for shown, term in links.items()}
    assert paragraph.astext() == text and found == anchors


# --- times, views, the map, the whole site ---------------------------------------------------------------------------

WORDS = "word " * 200


def cell(code: str, tag: str = "") -> str:
    return f"\n```{{code-cell}} python3\n{f':tags: [{tag}]' if tag else ''}\n{code}\n```\n"


@pytest.mark.parametrize(
    "text, minutes",
    [
        (WORDS, 1),
        (f"---\nfile_format: {WORDS}\n---\n{WORDS}", 1),
        (WORDS + cell(WORDS) * 3, 2),
        (WORDS + cell(WORDS, "hide-input") * 3, 2),
        (WORDS + cell(WORDS, "hide-cell") * 3, 1),
        (cell("page.slide()") * 3, 7),
        (cell("x = views") * 3, 1),
        (f":::{{admonition}} {WORDS}\n:class: tip\n{WORDS}\n:::\n", 2),
        (f"```{{dropdown}} One\n{'word ' * 199}\n```\n\n{WORDS}", 2),
        (f"```python\n{WORDS}\n```\n{WORDS}", 1),
        (f"{'$a + b$ ' * 100} {'word ' * 99} $$ c\nd $$ (eq-one)", 1),
        ("{doc}`one` [two](three.md)\n" * 100, 1),
        (f"(sec-four)=\n% {WORDS}\n{WORDS}", 1),
    ],
)
def test_words_take_reading_time_but_markup_does_not(text, minutes):
    assert times.exact_minutes(text) == pytest.approx(minutes)


@pytest.mark.parametrize("minutes, told", [(0.1, "5 minutes"), (12.4, "10 minutes"), (12.6, "15 minutes")])
def test_reading_time_has_steps_of_five_minutes(minutes, told):
    assert times.reading_time("word " * round(200 * minutes)) == told


def test_page_carries_each_file_of_its_views_once():
    shown = [
        views.softmax_explorer([1.0, 3.0], ["a", "b"]),
        views.dot_product_explorer(),
        views.softmax_explorer([1.0, 2.0], ["a", "b"]),
    ]
    page = "<p>text</p>".join(view._repr_html_() for view in shown)
    made = live.once(page)
    for suffix in (".js", ".css"):
        for text, name in live.files(suffix).items():
            assert made.count(text) <= 1, name
    assert made.count("var TL = {") == made.count("<style>") == made.count("<script>") == 1
    assert re.findall(r'data-view="([^"]+)-\d+"', made) == re.findall(r'data-view="([^"]+)-\d+"', page)
    assert made.count('<script type="application/json">') == 3 and made.count("<p>text</p>") == 2


def test_page_without_views_of_today_is_left_alone():
    old = View("softmax_explorer", {}, "an old one", picture=("", ""))
    old = old._repr_html_().replace("function draw", "function drew")
    for page in (old, "<p>No view.</p><script>var x;</script>"):
        assert live.once(page) == page


def test_scripts_that_share_a_page_share_no_name():
    texts = [path.read_text(encoding="utf-8") for folder in live.FOLDERS for path in folder.glob("*.js")]
    shared = [text for text in texts if not re.search(r"^function draw\(", text, re.M)]
    assert 8 < len(shared) < len(texts)
    top = re.compile(r"^(?:async )?(?:function\*?|const|let|var|class) (\w+)", re.M)
    assert [name for name, count in Counter(sum(map(top.findall, shared), [])).items() if count > 1] == []


def test_map_marks_the_part_of_its_page():
    page = BeautifulSoup(way.machine("book/roles", lambda docname: f"{docname}.html"), "html.parser")
    links = {link.text: link for link in page.select("a")}
    assert links["heads"]["href"] == "book/heads.html"
    assert [name for name, link in links.items() if link.get("aria-current") == "true"] == ["heads"]
    assert way.machine("book/teach/roles", str).count("aria-current") == 1
    assert way.machine("book/glossary", str) == "", "no map where no part is lit"
    pages = [page for *_, pages in way.PARTS for page in pages]
    assert len(set(pages)) == len(pages), "no page stands at two places"


def test_left_column_lists_the_sections_of_a_page():
    one, deep, two = '<a href="#one">One <em>x</em></a>', '<a href="#deep">Deep</a>', '<a href="#two">Two</a>'
    sections = f"<ul><li>{one}<ul><li>{deep}</li></ul></li><li>{two}</li></ul>"
    listed = way.on_page(f'<ul><li><a href="#">Title</a>{sections}</li></ul>')
    assert listed == f'<ul class="onpage"><li>{one}</li><li>{two}</li></ul>'
    assert way.on_page('<ul><li><a href="#">Title</a></li></ul>') == ""


def test_pages_below_are_listed_only_from_inside():
    toggle = '<summary><span class="toctree-toggle" role="presentation"><i class="fa"></i></span></summary>'
    item = f'<li><a href="#">{{0}}</a><details{{1}}>{toggle}<ul>\n<li>below {{0}}</li>\n</ul>\n</details></li>\n'
    page = "<ul>" + item.format("One", "") + item.format("Two", ' open="open"') + "</ul>"
    listed = BeautifulSoup(way.unfolded(page), "html.parser")
    assert listed.get_text().split() == ["One", "Two", "below", "Two"] and listed.select("details, summary") == []


def test_card_has_words_left_and_sign_right(tmp_path):
    cards.draw_card(tmp_path / "card.png", "A title", "Who wins?", chapters.picture("attention"))
    pixels = plt.imread(tmp_path / "card.png")
    inked = np.argwhere(pixels[..., :3].min(-1) < 0.9)
    assert pixels.shape[:2] == (630, 1200)
    sign, words = inked[inked[:, 1] > 640], inked[inked[:, 1] < 600]
    assert np.ptp(sign, axis=0).min() > 150 and np.ptp(words, axis=0).min() > 150
    assert np.abs((sign.min(0) + sign.max(0)) / 2 - [315, 900]).max() < 60  # in the middle of its own part


def test_search_reads_headings_sentences_and_short_formulas():
    formulas = [nodes.math("", formula) for formula in (r"\sqrt{d_k}", r"\frac{1}{2}")]
    text = nodes.paragraph("", "", nodes.Text("By  "), *formulas)
    inner = nodes.section("", nodes.title("", "Scaled"), text, nodes.literal_block("", "x = 1"), ids=["scaled"])
    link = nodes.reference("", "Heads", refuri="heads.html")
    meaning = nodes.definition("", nodes.paragraph("", "A part. See ", link))
    terms = [nodes.term("", name, ids=[f"term-{name}"]) for name in ("head", "heads")]
    page = nodes.section("", nodes.title("", "Page"), nodes.paragraph("", "Text."), inner, ids=["page"])
    page += nodes.definition_list("", nodes.definition_list_item("", *terms, meaning))
    assert search.parts_of(page, "book/page") == [
        ["", "", ""],
        ["page", "Page", "Text."],
        ["scaled", "Scaled", "By √d_k"],
        ["term-head", "head, heads", "A part. See Heads", "heads.html"],
    ]


SCRIPTS = """<script src="_static/searchtools.js"></script>
  <script src="../../_static/language_data.js"></script>
  <script src="searchindex.js"></script>
"""
MATHJAX = '<script defer src="../mathjax/tex-chtml.js?v=2"></script>\n<script>window.MathJax = {"a": {}}</script>\n'


@pytest.mark.parametrize(
    "page, mended",
    [
        (
            '<div id="pst-primary-sidebar" class="x">',
            '<div id="pst-primary-sidebar" role="complementary" aria-label="Book contents" class="x">',
        ),
        (
            '<div role="list"><div class="citation" id="id3" role="doc-biblioentry">',
            '<div role="list"><div class="citation" id="id3" role="listitem">',
        ),
        (SCRIPTS, ""),  # the search is the book's own
        (MATHJAX, ""),  # only a page with formulas loads what draws them
        (MATHJAX + '<span class="math notranslate">', MATHJAX + '<span class="math notranslate">'),
        (MATHJAX + r"<pre>\(x\)</pre>", MATHJAX + r"<pre>\(x\)</pre>"),
    ],
)
def test_page_of_the_theme_is_mended(page, mended):
    assert theme.mend(page) == theme.mend(mended) == mended
