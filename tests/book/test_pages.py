"""What holds for the HTML of every page, without a browser."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

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
        hidden = any(tag in ("script", "style", "pre", "code") or "math" in css.split() for tag, css in self.open)
        if not hidden:
            self.text.append(data)

    def values(self, tag, attribute):
        return [attributes[attribute] for name, attributes in self.elements if name == tag and attributes.get(attribute)]


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
    for tag, attributes in parsed(page).elements:
        if tag == "img":
            alt = attributes.get("alt")
            assert alt is not None, f"no alt text: {attributes}"
            decorative = alt == "" and "logo" in (attributes.get("class") or attributes.get("src") or "")
            in_words = " " in alt.strip() and not re.search(r"\.(png|svg|jpe?g)$|^[0-9a-f]{32,}", alt)
            of_the_theme = re.search(r"logo|Colab|Repository", alt + (attributes.get("src") or ""))
            assert in_words or decorative or of_the_theme, f"not an alt text: {alt!r} of {attributes.get('src')}"


def test_no_formula_or_directive_is_left_raw(page):
    text = "".join(parsed(page).text)
    assert re.findall(r"\$[^$\n]{1,80}\$|\\\(|\\\[|\\begin\{|^:::.*|\{(?:cite|eq|numref|doc|ref)[:}].*", text, re.M) == []


def test_links_and_fragments_inside_the_site_resolve(page):
    broken = []
    for url in parsed(page).values("a", "href"):
        parts = urlsplit(url)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        is_page = target.suffix == ".html"
        if not target.is_file() or (parts.fragment and is_page and unquote(parts.fragment) not in parsed(target).anchors):
            broken.append(url)
    assert broken == []


def test_a_page_says_its_title_and_has_one_main_heading(page):
    assert parsed(page).title.strip()
    headings = [tag for tag, attributes in parsed(page).elements if tag == "h1"]
    in_print_view = 1 if "jb-print-docs-body" in parsed(page).anchors else 0
    assert len(headings) - in_print_view == 1


def test_an_id_stands_once(page):
    ids = [a["id"] for _, a in parsed(page).elements if a.get("id")]
    assert sorted({name for name in ids if ids.count(name) > 1}) == []
