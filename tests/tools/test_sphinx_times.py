"""The time to read is counted from what is read: words, cells and views, and not from markup."""

import pytest

pytest.importorskip("docutils")
sphinx_times = pytest.importorskip("sphinx_times")
WORDS = "word " * 200


def cell(code: str, tag: str = "") -> str:
    return f"\n```{{code-cell}} python3\n{f':tags: [{tag}]' if tag else ''}\n{code}\n```\n"


@pytest.mark.parametrize(
    "text, minutes",
    [
        (WORDS, 1),
        (f"---\nfile_format: {WORDS}\n---\n{WORDS}", 1),
        (WORDS + cell(WORDS) * 3, 2),
        (WORDS + cell(WORDS, "hide-input") * 3, 2),
        (WORDS + cell(WORDS, "hide-cell") * 3, 1),
        (cell("page.slide()") * 3, 7),
        (cell("x = views") * 3, 1),
        (f":::{{admonition}} {WORDS}\n:class: tip\n{WORDS}\n:::\n", 2),
        (f"```{{dropdown}} One\n{'word ' * 199}\n```\n\n{WORDS}", 2),
        (f"```python\n{WORDS}\n```\n{WORDS}", 1),
        (f"{'$a + b$ ' * 100} {'word ' * 99} $$ c\nd $$ (eq-one)", 1),
        ("{doc}`one` [two](three.md)\n" * 100, 1),
        (f"(sec-four)=\n% {WORDS}\n{WORDS}", 1),
    ],
)
def test_what_is_read_takes_time_and_markup_takes_none(text, minutes):
    assert sphinx_times.exact_minutes(text) == pytest.approx(minutes)


@pytest.mark.parametrize("minutes, told", [(0.1, "5 minutes"), (12.4, "10 minutes"), (12.6, "15 minutes")])
def test_it_is_told_in_steps_of_five_minutes(minutes, told):
    assert sphinx_times.reading_time("word " * round(200 * minutes)) == told
