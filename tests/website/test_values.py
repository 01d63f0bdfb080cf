"""A page writes its own numbers: they are found, formatted and checked, and an author's mistake is reported."""

import pytest

from tests.chapters import pins
from website.build import values
from website.build.namespace import pack

CODE = """\
import math
from fractions import Fraction
from xml import dom
recall = {"PCA": 0.7245, "t-SNE": 0.926}
rows = [1, 2]
def double(x):
    return 2 * x
"""
CELLS = f"""\
# One

```{{code-cell}} python3
{CODE}```

TEXT

```{{code-cell}} python3
---
mystnb:
  figure:
    caption: "Recall is {{v}}`recall["PCA"]:.2f`: less."
---
rows = [3]
print("{{v}}`this is code`")
```
"""


@pytest.fixture
def book(tmp_path):
    """Call it with the text of a chapter, and of its plan, for a book with the values of a run."""

    def made(text, plan="# Plan"):
        (tmp_path / "book" / "teach").mkdir(parents=True, exist_ok=True)
        (tmp_path / "book" / "one.md").write_text(CELLS.replace("TEXT", text))
        (tmp_path / "book" / "teach" / "one.md").write_text(plan)
        exec(f"{CODE}rows = [3]\n", namespace := {"__name__": "one"})
        (tmp_path / "one.names").write_bytes(pack(namespace))
        return values.Pages(tmp_path, {"one": tmp_path / "one.names"})

    return made


def body(text: str) -> str:
    return text.split("```\n\n")[1].split("\n\n```")[0]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("has {v}`recall['PCA']:%`.", "has 72 %."),
        ("{v}`double(recall['PCA'])`", "1.45"),
        ("{v}`[*recall][0:2]:and`", "PCA and t-SNE"),
        ("$\\log x = {v}`math.log(10):.2f`$", "$\\log x = 2.30$"),
        ("{v}`-np.ones(1)[0]:.1f`", "−1.0"),
        ("{v}`Fraction(1, 4).denominator:Word`", "Four"),
        ("{v}`dom.__name__`", "xml.dom"),
        ("{v}`pages.one.recall['t-SNE']`", "0.926"),
        ("% let: low, high = recall.values()\n\n{v}`low:share`", "\n\nseven tenths"),
        ("% let: low = min(recall.values())\n% let: twice = 2 * low\n{v}`twice:.1f`", "\n\n1.4"),
        ("A.\n% holds: recall['PCA'] <\n%    recall['t-SNE']\n\nB.", "A.\n\n\n\nB."),
        ("{v}`recall['PCA']:%~`\n% holds~: 1 > 2", f"72 %\n{values.NOT_SO}"),  # a measured time is not tested
    ],
)
def test_value_replaces_its_mark(book, text, expected):
    filled, problems, _ = values.fill("book/one", book(text))
    assert (body(filled), problems) == (expected, [])


def test_captions_are_filled_and_code_is_not(book, tmp_path):
    filled = values.fill("book/one", book(""))[0]
    assert 'caption: "Recall is 0.72: less."' in filled and "{v}`this is code`" in filled
    blank = values.blank((tmp_path / "book" / "one.md").read_text())
    assert 'caption: "Recall is .: less."' in blank and "{v}`this is code`" in blank


def test_plan_has_the_values_of_its_chapter(book):
    pages = book("% let: best = max(recall.values())", "% let: worst = 1 - best\n{v}`best:%` {v}`worst:%`")
    assert values.fill("book/teach/one", pages)[0] == "\n93 % 7 %"


@pytest.mark.parametrize(
    "text, message",
    [
        ("{v}`recal['PCA']`", "no cell of one has recal: recall?"),
        ("{v}`rows[0]`", "the cells at lines 4 and 21 both bind rows, and only the last is kept"),
        ("{v}`1 +`", "invalid syntax"),
        ("% let: recall = 2\n{v}`recall`", "recall has two meanings"),
        ("% let: a = 1\n% let: a = 2\n{v}`a`", "a has two meanings"),
        ("% let: a = nothing", "no cell of one has nothing"),
        ("% holds: nothing > 1", "no cell of one has nothing"),
        ("It falls. % holds: 1 > 2", "% holds: 1 > 2 is not valid here"),
        ("%let: a = 1", "%let: a = 1 is not valid here"),
        ("{v}``len(recall)``", "{v} is not valid here"),
    ],
)
def test_mistake_is_found_before_the_chapter_runs(book, tmp_path, text, message):
    book(text)
    problems = [str(problem) for problem in values.mistakes(tmp_path, "book/one")]
    line = 13 + text.count("\n")
    assert [one for one in problems if message in one and one.startswith(f"book/one.md:{line}: ")], problems


@pytest.mark.parametrize(
    "text, message",
    [
        ("{v}`recall['UMAP']`", "'UMAP'"),
        ("{v}`math.inf`", "value must be a finite number or a str, got inf"),
        ("{v}`recall`", "must be a finite number or a str, got"),
        ("{v}`1 < 2`", "value must be a finite number or a str, got True"),
        ("{v}`1.5:word`", "value must be a whole number, got 1.5"),
        ("{v}`1:nonsense`", "Invalid format specifier"),
        ("{v}`'a' + chr(34)`", "has a character that is not allowed in a text"),
        ("{v}`pages.two.rows`", "two"),
    ],
)
def test_expression_that_fails_is_reported_with_its_line(book, text, message):
    (problem,) = values.fill("book/one", book(text))[1]
    assert problem.line == 13 and message in problem.text and not problem.false


def test_caption_with_a_value_must_be_quoted(book, tmp_path):
    book("")
    page = tmp_path / "book" / "one.md"
    page.write_text(page.read_text().replace('"Recall is', "Recall is").replace(': less."', ""))
    (problem,) = values.mistakes(tmp_path, "book/one")
    assert "put the whole caption into quotes" in problem.text


def test_false_statement_is_marked_on_the_page(book):
    text, (problem,), _ = values.fill("book/one", book("It falls.\n% holds: recall['PCA'] > 1"))
    assert body(text) == f"It falls.\n{values.NOT_SO}" and problem.false and "recall['PCA'] > 1" in problem.text


def test_pages_are_filled_again_only_when_something_changed(book, tmp_path, monkeypatch):
    runs = book("{v}`recall['PCA']:%`", "{v}`recall['PCA']:%`").runs
    assert values.fill_all(tmp_path, runs) == []
    assert body(values.text_of(tmp_path, "book/one.md")) == values.text_of(tmp_path, "book/teach/one.md") == "72 %"
    filled = []
    monkeypatch.setattr(values, "fill", lambda page, pages, fill=values.fill: filled.append(page) or fill(page, pages))
    assert values.fill_all(tmp_path, runs) == [] == filled
    book("{v}`recall['PCA']:.1%`\n% holds: 1 > 2", "{v}`recall['PCA']:%`")
    for _ in range(2):
        (problem,) = values.fill_all(tmp_path, runs)
        assert problem.false and filled == ["book/one", "book/teach/one"]


def test_numbers_are_pinned_and_times_are_not(book):
    *_, pinned = values.fill("book/one", book("{v}`recall['PCA']:share` {v}`len(recall):word` {v}`recall['PCA']:%~`"))
    assert pinned == {"recall['PCA']:share": "0.725", "len(recall):word": "2", 'recall["PCA"]:.2f': "0.72"}


@pytest.mark.parametrize(
    "text, known, expected",
    [
        ("−0.31", ["−0.30"], True),
        ("0.30", ["−0.30"], False),
        ("1,501", ["1,499"], False),
        ("head 5 has 0.40", ["head 3 has 0.40"], False),
        ("0.40", ["0.59", "0.60", "0.60"], False),
    ],
)
def test_pinned_value_may_differ_as_between_processors(text, known, expected):
    assert pins.is_near(text, known) == expected
