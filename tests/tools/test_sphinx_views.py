"""A page of the book carries each script and style sheet of its views once, and the views work as alone."""

import re
from collections import Counter

import sphinx_views

from tutorial_lib import views
from tutorial_lib.views.base import View

TOP = re.compile(r"^(?:async )?(?:function\*?|const|let|var|class) (\w+)", re.MULTILINE)


def page():
    """Three views, two of them alike, with text between."""
    shown = [
        views.softmax_explorer([1.0, 3.0], ["a", "b"]),
        views.dot_product_explorer(),
        views.softmax_explorer([1.0, 2.0], ["a", "b"]),
    ]
    return "<p>text</p>".join(view._repr_html_() for view in shown)


def test_each_script_and_each_style_sheet_is_there_once():
    made = sphinx_views.once(page())
    for suffix in (".js", ".css"):
        for text, name in sphinx_views.files(suffix).items():
            assert made.count(text) <= 1, name
    assert made.count("var TL = {") == made.count("<style>") == made.count("<script>") == 1
    assert len(made) < len(page()) * 0.6


def test_data_and_default_stay_where_they_were():
    made = sphinx_views.once(page())
    assert re.findall(r'data-view="([^"]+)-\d+"', made) == re.findall(r'data-view="([^"]+)-\d+"', page())
    assert made.count('<script type="application/json">') == 3
    assert made.count("<p>text</p>") == 2


def test_a_page_without_views_is_left_as_it_is():
    assert sphinx_views.once("<p>No view.</p><script>var x;</script>") == "<p>No view.</p><script>var x;</script>"


def test_a_view_of_other_scripts_keeps_its_own():
    old = View("softmax_explorer", {}, "", "an old one")._repr_html_().replace("function draw", "function drew")
    assert sphinx_views.once(old) == old


def test_parts_that_stand_side_by_side_have_names_of_their_own():
    texts = [path.read_text(encoding="utf-8") for folder in sphinx_views.FOLDERS for path in folder.glob("*.js")]
    shared = [text for text in texts if not re.search(r"^function draw\(", text, re.MULTILINE)]
    assert 8 < len(shared) < len(texts)
    names = Counter(name for text in shared for name in TOP.findall(text))
    assert [name for name, count in names.items() if count > 1] == []
