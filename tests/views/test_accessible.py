"""The audit of pages finds what it must: in either theme, on either screen, and each thing once."""

from types import SimpleNamespace

import pytest

PAGE = """<div class="tl-view"><style>
  html[data-theme=dark] p {{ color: #fff }} html[data-theme=dark] p.late {{ color: #333 }}
  .wide {{ display: none }} @media (min-width: 900px) {{ .wide {{ display: block }} }}
</style>{}</div>"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<p>well</p>", []),
        ("<p style='color: #bbb; background: #fff'>pale</p>", ["light, 390", "dark, 390"]),
        ("<p class=late>pale in the dark</p>", ["dark, 390"]),
        ("<div class=wide><p class=late>pale in the dark, on a wide screen</p></div>", ["dark, 1280"]),
        ("<div class=wide><input></div>", ["light, 1280"]),
        ("<p style='width: 600px'>wide</p>", ["390 pixels: the page is"]),
    ],
)
def test_what_is_wrong_is_found_where_it_is(assert_accessible, body, found):
    view = SimpleNamespace(_repr_html_=lambda: PAGE.format(body))
    problems = []
    try:
        assert_accessible(view)
    except AssertionError as error:
        problems = [line.strip() for line in str(error).split("\nassert")[0].splitlines()]
    assert len(problems) == len(found) and all(map(str.startswith, problems, found)), problems
