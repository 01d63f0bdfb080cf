"""What holds for the HTML of every page, without a browser."""

import re
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class Page(HTMLParser):
    """One page taken apart: its elements with their attributes, its anchors and its visible text."""

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


def test_a_page_loads_nothing_from_another_host(page):
    urls = [url for tag, attribute in LOADING.items() for url in parsed(page).values(tag, attribute)]
    assert [url for url in urls if re.match(r"(https?:)?//", url)] == []


def test_a_page_loads_only_files_that_are_there(page):
    urls = [url for tag, attribute in LOADING.items() for url in parsed(page).values(tag, attribute)]
    files = [unquote(urlsplit(url).path) for url in urls if not url.startswith("data:")]
    assert [name for name in files if name and not (page.parent / name).exists()] == []


def test_an_image_says_in_words_what_it_shows(page):
    images = [attributes for tag, attributes in parsed(page).elements if tag == "img"]
    told = {attributes.get("src") for attributes in images if " " in (attributes.get("alt") or "")}
    for attributes in images:
        if attributes.get("alt") != "" or attributes.get("src") not in told:  # at a chapter's head, shown once more
            alt = attributes.get("alt")
            assert alt is not None, f"no alt text: {attributes}"
            source = attributes.get("src") or ""
            in_words = " " in alt.strip() and not re.search(r"\.(png|svg|jpe?g)$", alt)
            of_the_theme = re.search(r"_static/images/logo_\w+\.svg", source)  # stands beside its button's text
            assert in_words or of_the_theme, f"not an alt text: {alt!r} of {source}"


def test_no_formula_or_directive_is_left_raw(page):
    text = "".join(parsed(page).text)
    formulas, directives = r"\$[^$\n]{1,80}\$|\\\(|\\\[|\\begin\{", r"^:::.*|\{(?:cite|doc|eq|numref|ref)[:}].*"
    assert re.findall(f"{formulas}|{directives}", text, re.M) == []


def test_links_and_fragments_inside_the_site_resolve(page):
    broken = []
    for url in parsed(page).values("a", "href"):
        parts = urlsplit(url)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.is_file():
            broken.append(url)
        elif parts.fragment.startswith("view="):  # a text for a view of that page: tools/sphinx_teach.py
            if f'data-view="{parse_qs(parts.fragment)["view"][0]}-' not in target.read_text(encoding="utf-8"):
                broken.append(url)
        elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in parsed(target).anchors:
            broken.append(url)
    assert broken == []


def test_a_page_says_its_title_and_has_one_main_heading(page):
    assert parsed(page).title.strip()
    headings = [tag for tag, attributes in parsed(page).elements if tag == "h1"]
    in_print_view = 1 if "jb-print-docs-body" in parsed(page).anchors else 0
    assert len(headings) - in_print_view == 1


def test_an_id_stands_once(page):
    ids = Counter(a["id"] for _, a in parsed(page).elements if a.get("id"))
    assert [name for name, times in ids.items() if times > 1] == []


def test_a_page_says_what_it_is_to_other_programs(page):
    if page.name == "404.html":
        pytest.skip("nobody passes the page for wrong addresses on")
    tags = {tag.get("property"): tag.get("content") for name, tag in parsed(page).elements if name == "meta"}
    assert tags["og:title"] and tags["og:description"] and "<" not in tags["og:title"]
    assert (page.parent / tags["og:image"]).resolve().stat().st_size < 100_000


def test_the_front_page_does_not_wait_for_what_draws_formulas():
    assert not [url for url in parsed(SITE / "book" / "index.html").values("script", "src") if "mathjax" in url]
    assert [url for url in parsed(SITE / "book" / "attention.html").values("script", "src") if "mathjax" in url]
