"""The audit of pages finds what it must, in either theme and on either screen: all pages rely on it."""

from types import SimpleNamespace

import pytest

PAGE = """<div class="tl-view"><style>
  html[data-theme=dark] p { color: #fff } html[data-theme=dark] p.late { color: #333 }
  .wide { display: none } @media (min-width: 900px) { .wide { display: block } }
</style><p>well</p><p style='color: #bbb; background: #fff'>pale</p><p class=late>pale in the dark</p>
<div class=wide><b><p class=late>pale in the dark, on a wide screen</p></b></div>
<div class=wide><input></div><p style='width: 600px'>wide</p></div>"""
FOUND = ["390 pixels: the page is", "dark, 1280", "dark, 390", "dark, 390", "light, 1280", "light, 390"]


def test_audit_finds_each_fault_once(assert_accessible):
    with pytest.raises(AssertionError) as error:
        assert_accessible(SimpleNamespace(_repr_html_=lambda: PAGE))
    problems = sorted(line.strip() for line in str(error.value).split("\nassert")[0].splitlines())
    assert len(problems) == len(FOUND) and all(map(str.startswith, problems, FOUND)), problems
