"""The audit of pages finds what it must, in either theme and on either screen: all pages rely on it."""

from types import SimpleNamespace

import pytest

PAGE = """<div class="tl-view"><style>
  html[data-theme=dark] p {{ color: #fff }} html[data-theme=dark] p.late {{ color: #333 }}
  .wide {{ display: none }} @media (min-width: 900px) {{ .wide {{ display: block }} }}
</style>{}</div>"""
PARTS = [
    ("<p>well</p>", []),
    ("<p style='color: #bbb; background: #fff'>pale</p>", ["light, 390", "dark, 390"]),
    ("<p class=late>pale in the dark</p>", ["dark, 390"]),
    ("<div class=wide><b><p class=late>pale in the dark, on a wide screen</p></b></div>", ["dark, 1280"]),
    ("<div class=wide><input></div>", ["light, 1280"]),
    ("<p style='width: 600px'>wide</p>", ["390 pixels: the page is"]),
]


def test_audit_finds_each_fault_once(assert_accessible):
    view = SimpleNamespace(_repr_html_=lambda: PAGE.format("".join(part for part, _ in PARTS)))
    with pytest.raises(AssertionError) as error:
        assert_accessible(view)
    problems = sorted(line.strip() for line in str(error.value).split("\nassert")[0].splitlines())
    expected = sorted(fault for _, faults in PARTS for fault in faults)
    assert len(problems) == len(expected) and all(map(str.startswith, problems, expected)), problems
