"""The HTML of every page, without a browser: what it loads, links to and says about itself."""

import re
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class Page(HTMLParser):
    """One parsed page: its elements with their attributes, its anchors and its visible text."""

    def __init__(self, path: Path):
        super().__init__()
        self.elements, self.anchors, self.text, self.title = [], set(), [], ""
        self.open = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        self.anchors.update(value for key in ("id", "name") if (value := attributes.get(key)))
        if tag not in ("img", "input", "link", "meta", "br", "hr", "source", "wbr"):
            self.open.append((tag, attributes.get("class") or ""))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "title":
            self.title += data
        unread, formulas = ("script", "style", "pre", "code"), {"math", "later"}  # "later": in the notes of a slide
        if not any(tag in unread or formulas & set(css.split()) for tag, css in self.open):
            self.text.append(data)

    def values(self, tag, attribute):
        found = [attributes.get(attribute) for name, attributes in self.elements if name == tag]
        return [value for value in found if value]


@cache
def parsed(path: Path) -> Page:
    return Page(path)


def test_page_loads_only_files_of_the_site(page):
    urls = [url for tag, attribute in LOADING.items() for url in parsed(page).values(tag, attribute)]
    assert [url for url in urls if re.match(r"(https?:)?//", url)] == []
    files = [unquote(urlsplit(url).path) for url in urls if not url.startswith("data:")]
    assert [name for name in files if name and not (page.parent / name).exists()] == []


def test_images_say_in_words_what_they_show(page):
    images = [attributes for tag, attributes in parsed(page).elements if tag == "img"]
    told = {attributes.get("src") for attributes in images if " " in (attributes.get("alt") or "")}
    for attributes in images:
        alt = attributes.get("alt")
        source = attributes.get("src") or ""
        again = alt == "" and source in told  # at a chapter's head
        of_the_theme = re.search(r"_static/images/logo_\w+\.svg", source)  # beside its button's text
        in_words = " " in (alt or "").strip() and not re.search(r"\.(png|svg|jpe?g)$", alt)
        assert again or alt is not None and (in_words or of_the_theme), f"not an alt text: {alt!r} of {source}"


def test_no_formula_or_directive_is_left_raw(page):
    text = "".join(parsed(page).text)
    formulas, directives = r"\$[^$\n]{1,80}\$|\\\(|\\\[|\\begin\{", r"^:::.*|\{(?:cite|doc|eq|numref|ref)[:}].*"
    assert re.findall(f"{formulas}|{directives}", text, re.M) == []


def resolves(page: Path, url: str) -> bool:
    parts = urlsplit(url)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if parts.scheme or parts.netloc:
        return True
    if target.is_file() and parts.fragment.startswith("view="):  # a text for a view of that page
        return f'data-view="{parse_qs(parts.fragment)["view"][0]}-' in target.read_text(encoding="utf-8")
    plain = not parts.fragment or target.suffix != ".html"
    return target.is_file() and (plain or unquote(parts.fragment) in parsed(target).anchors)


def test_links_inside_the_site_resolve(page):
    assert [url for url in parsed(page).values("a", "href") if not resolves(page, url)] == []


def test_page_has_one_main_heading_and_single_ids(page):
    elements = parsed(page).elements
    in_print_view = 1 if "jb-print-docs-body" in parsed(page).anchors else 0
    assert sum(tag == "h1" for tag, _ in elements) - in_print_view == 1
    ids = Counter(attributes["id"] for _, attributes in elements if attributes.get("id"))
    assert [name for name, times in ids.items() if times > 1] == []


def test_page_describes_itself_to_other_programs(page):
    assert parsed(page).title.strip()
    if page.name != "404.html":  # nobody shares the page for wrong addresses
        tags = {tag.get("property"): tag.get("content") for name, tag in parsed(page).elements if name == "meta"}
        assert tags["og:title"] and tags["og:description"] and "<" not in tags["og:title"]
        assert (page.parent / tags["og:image"]).resolve().stat().st_size < 100_000


@pytest.mark.parametrize(
    "name, card, ask",
    [("index", "index", "How does a machine"), ("attention", "attention", "Who decides where a word looks?"),
     ("which", "which", "How does a model know"), ("glossary", "index", "How does a machine")],
)  # fmt: skip
def test_card_of_a_page_shows_its_question(site, name, card, ask):
    elements = parsed(site / "book" / f"{name}.html").elements
    tags = {tag.get("property"): tag.get("content") for kind, tag in elements if kind == "meta"}
    assert tags["og:image"] == f"../_static/cards/{card}.png" and tags["og:image:alt"].startswith(ask)


@pytest.mark.parametrize("name, scripts", [("index", False), ("attention", True)])
def test_only_pages_with_formulas_load_mathjax(site, name, scripts):
    found = [url for url in parsed(site / "book" / f"{name}.html").values("script", "src") if "mathjax" in url]
    assert bool(found) == scripts
