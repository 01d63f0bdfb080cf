"""The pages become one file: its links lead inside it, its outline has the headings."""

import re

import pytest

make_pdf = pytest.importorskip("make_pdf")

TOC = "root: book/index\nparts:\n- chapters: [{file: book/one}, {file: book/api}]\n"
PAGE = """<html><head><title>{title}</title><script src="../_static/mathjax/x.js"></script>
<script src="../_static/guess.js?v=1"></script></head><body>
<nav>Not on paper</nav><article class="bd-article"><h1 id="top">{title}<a class="headerlink" href="#top">#</a></h1>
<details id="box"><summary>Folded</summary>Inside</details>
<h2>About <span class="math">\\(\\sqrt{{d_k}}\\)</span></h2>
<picture class="drawing in-light"><source srcset="../_images/a-phone.svg"/><img src="../_images/a.svg"/></picture>
<picture class="in-dark"><source srcset="../_images/a-phone-dark.svg"/><img src="../_images/a-dark.svg"/></picture>
<a href="one.html#top">one</a> <a href="#box">here</a> <a href="api.html#f">out</a> <a href="https://example.org">far</a>
</article></body></html>"""


@pytest.fixture
def book(tmp_path):
    """A built site of three pages, one of which is not printed."""
    (tmp_path / "_build" / "html" / "book").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(TOC)
    for name in ("index", "one", "api"):
        (tmp_path / "_build" / "html" / "book" / f"{name}.html").write_text(PAGE.format(title=f"The {name}"))
    return tmp_path


def test_links_lead_inside_the_file_or_to_another_host(book):
    page = make_pdf.one_page(book)
    addresses = set(re.findall(r'href="([^"]*)"', page))
    assert addresses == {"#book/one/top", "#book/index/box", "#book/one/box", "https://example.org"}
    assert all(f'id="{address[1:]}"' in page for address in addresses if address.startswith("#"))


def test_nothing_is_folded_and_what_is_not_for_paper_is_gone(book):
    page = make_pdf.one_page(book)
    assert page.count("<details") == page.count('open=""') == 2
    assert "guess.js" not in page, "it folds what waits for a guess"
    assert "Not on paper" not in page and "headerlink" not in page and "The api" not in page


def test_a_figure_is_printed_once_wide_and_light(book):
    page = make_pdf.one_page(book)
    assert page.count('src="html/_images/a.svg"') == 2 and "a-dark" not in page and "a-phone" not in page


def test_a_heading_is_plain_text_for_the_outline(book):
    assert "<h2>About √d_k</h2>" in make_pdf.one_page(book)


def test_without_a_browser_it_says_what_to_do(book, monkeypatch, capsys):
    monkeypatch.setattr(make_pdf, "find_browser", lambda: None)
    assert make_pdf.main(book) == 1
    assert "install" in capsys.readouterr().err


def test_the_file_has_pages_and_an_outline(book):
    pytest.importorskip("playwright")
    if make_pdf.find_browser() is None:
        pytest.skip(f"no browser: none of {', '.join(make_pdf.BROWSERS)} is installed")
    assert make_pdf.main(book) == 0
    content = (book / "_build" / "transformers-from-scratch.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b(?!s)", content)) == 2
    titles = re.findall(rb"/Title \((.*?)\)", content)
    assert {b"The index", b"The one"} <= set(titles)
    assert not list((book / "_build").glob("one-page*")) and not list((book / "_build").glob("*.part"))
