"""The site takes only the part of MathJax that pages load, and its pages are mended."""

import pytest
import sphinx_site


def test_the_sidebar_becomes_a_landmark():
    assert 'role="complementary"' in sphinx_site.mend('<div id="pst-primary-sidebar" class="bd-sidebar">')


def test_a_bibliography_entry_is_an_item_of_its_list():
    before = '<div role="list"><div class="citation" id="id3" role="doc-biblioentry">'
    assert sphinx_site.mend(before) == '<div role="list"><div class="citation" id="id3" role="listitem">'


def test_only_the_page_of_the_search_loads_its_index():
    tags = '<script src="{0}_static/searchtools.js"></script>\n<script src="{0}searchindex.js"></script>\n'
    assert sphinx_site.mend(tags.format("../")) == "" and sphinx_site.mend(tags.format("")) == tags.format("")


@pytest.mark.parametrize("formula", ['<span class="math notranslate">', r"<pre>\(x\)</pre>", ""])
def test_a_page_without_formulas_loads_nothing_that_draws_them(formula):
    tags = '<script defer src="../mathjax/tex-chtml.js?v=2"></script>\n<script>window.MathJax = {"a": {}}</script>\n'
    assert sphinx_site.mend(tags + formula) == (tags + formula if formula else "")


def test_mending_twice_is_mending_once():
    page = '<div id="pst-primary-sidebar" class="x"><div class="citation" id="a" role="doc-biblioentry">'
    assert sphinx_site.mend(sphinx_site.mend(page)) == sphinx_site.mend(page)


def test_the_used_part_of_mathjax_is_copied_and_is_small(tmp_path):
    pytest.importorskip("sphinx-mathjax-offline")
    sphinx_site.copy_mathjax(tmp_path)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    sizes = {path.relative_to(tmp_path).as_posix(): path.stat().st_size for path in files}
    assert "mathjax/tex-chtml.js" in sizes
    assert any(name.endswith("MathJax_Main-Regular.woff") for name in sizes)
    assert sum(sizes.values()) < 2_500_000
