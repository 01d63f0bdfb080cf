"""The left column: the map marks where the page stands, and the page's sections stand below its title."""

import pytest

pytest.importorskip("bs4")
sphinx_way = pytest.importorskip("sphinx_way")
BeautifulSoup = pytest.importorskip("bs4").BeautifulSoup


def test_the_map_leads_to_each_parts_chapter_and_marks_the_pages_own():
    page = BeautifulSoup(sphinx_way.machine("book/roles", lambda docname: f"{docname}.html"), "html.parser")
    links = {link.text: link for link in page.select("a")}
    assert links["heads"]["href"] == "book/heads.html" and links["heads"]["aria-current"] == "true"
    assert [name for name, link in links.items() if link.get("aria-current")] == ["heads"]
    assert sphinx_way.machine("book/glossary", str).count("aria-current") == 0


def test_no_page_stands_at_two_places():
    pages = [page for *_, pages in sphinx_way.PARTS for page in pages]
    assert len(set(pages)) == len(pages)


def test_the_sections_of_a_page_are_those_below_its_title():
    toc = (
        '<ul><li><a href="#">Title</a><ul><li><a href="#one">One <em>x</em></a>'
        '<ul><li><a href="#deep">Deep</a></li></ul></li><li><a href="#two">Two</a></li></ul></li></ul>'
    )
    sections = sphinx_way.on_page(toc)
    assert sections == (
        '<ul class="onpage"><li><a href="#one">One <em>x</em></a></li><li><a href="#two">Two</a></li></ul>'
    )
    assert sphinx_way.on_page('<ul><li><a href="#">Title</a></li></ul>') == ""


def test_pages_below_a_page_stand_in_the_list_only_for_who_is_among_them():
    toggle = '<summary><span class="toctree-toggle" role="presentation"><i class="fa"></i></span></summary>'
    page = (
        '<li class="has-children"><a href="{}.html">{}</a><details{}>'
        + toggle
        + "<ul>\n<li>{}</li>\n</ul>\n</details></li>"
    )
    shut, there = page.format("one", "One", "", "below one"), page.format("two", "Two", ' open="open"', "below two")
    listed = BeautifulSoup(sphinx_way.unfolded(f"<ul>{shut}{there}</ul>"), "html.parser")
    assert [item.get_text().split() for item in listed.select("ul > li > a, ul ul > li")] == [
        ["One"],
        ["Two"],
        ["below", "two"],
    ]
    assert listed.select("details, summary") == []
