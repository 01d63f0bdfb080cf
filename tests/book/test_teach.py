"""Each teacher's page agrees with its chapter: everything that it names, quotes and counts is in the chapter.

The build checks the guesses that it names, and test_pages.py the texts that it types into views.
"""

import re
from pathlib import Path

import pytest
import yaml

markdown = pytest.importorskip("website.directives.markdown")
values = pytest.importorskip("website.build.values")
ROOT = Path(markdown.__file__).resolve().parents[2]
BOOK = ROOT / "book"
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
NUMBERED = [part for part in PARTS if part.get("numbered")]
CORE = [Path(one["file"]).name for part in NUMBERED if "Lab" not in part["caption"] for one in part["chapters"]]

HEADINGS = ["Fifty minutes", "Three questions to discuss", "On the board", "Homework"]
STEP = re.compile(r"^### (\d+)–(\d+)\. \S", re.M)
QUESTION = re.compile(r"^\*\*\d\. .*?\?\*\*\n\n- \*They will say:\* .*?\n- \*What that uncovers:\* ", re.M | re.S)
NUMBER = re.compile(r"(?<![\w.,])\d*[\d,.]*\d(?![\w])")
EXERCISES = r"[Ee]xercises? (\d+(?:(?:, \d+)*,? (?:and|or) \d+)?)"
# Texts with their own numbers: times, exercises, assignments, links, choices for hands, texts typed into a view.
COUNTS = re.compile(
    rf"^### \d+–\d+\. |^\*\*\d\. |^\d\. |minutes? \d+|{EXERCISES}|[Aa]ssignment \d"
    r"|^:offer: .*|\{live\}`[^`]*`|\{numref\}`[^`]*`|\]\([^)]*\)",
    re.M,
)


def source(name):
    return values.text_of(ROOT, f"book/{name}.md")


def plain(text):
    """Only words: without marks, and with one space between them."""
    return " ".join(re.sub(r"[*`]|^> ?", "", text, flags=re.M).split())


def numbers(text):
    """The numbers of a text, .80 as 0.80."""
    found = (number.strip(".,") for number in NUMBER.findall(text.replace("−", "-")))
    short = re.findall(r"(?<![\d.])\.(\d+)", text)
    return {number if number[0].isdigit() else f"0{number}" for number in found} | {f"0.{digits}" for digits in short}


@pytest.fixture(params=CORE)
def name(request):
    return request.param


def test_plan_fills_fifty_minutes_in_four_parts(name):
    page = source(f"teach/{name}")
    title = re.search(r"^# (.+)$", source(name), re.M)[1]
    assert page.startswith(f"# Teach: {title}\n\nFor the chapter [](../{name}.md).")
    assert re.findall(r"^## (.+)$", page, re.M) == HEADINGS and ":::{objectives}\n:::" in page
    starts, ends = zip(*((int(start), int(end)) for start, end in STEP.findall(page)))
    assert starts == (0, *ends[:-1]) and ends[-1] == 50 and sorted({0, *ends}) == [0, *ends]
    assert len(QUESTION.findall(page)) == 3
    asked = [argument for argument, _, _ in markdown.bodies(page, "hands")]
    assert asked and len(asked) == len(set(asked))


def test_plan_says_nothing_that_its_chapter_does_not(name):
    page = source(f"teach/{name}")
    chapter = source(name)
    said = plain(chapter)
    assert {*re.findall(r"\{numref\}`([^`]+)`", page)} <= {*re.findall(r"^ *:?name: (.+)$", chapter, re.M)}
    assert {*re.findall(r"\{eq\}`([^`]+)`", page)} <= {*re.findall(r"\$\$ \(([\w-]+)\)\n", chapter)}
    assert [quote for quote in re.findall(r"(?:^> .*\n)+", page, re.M) if plain(quote) not in said] == []
    quotes = (plain(quote).rstrip(".,") for quote in re.findall(r'"([^"\n]+)"', re.sub(r"\{live\}`[^`]*`", "", page)))
    assert [quote for quote in quotes if quote.count(" ") > 1 and quote not in said] == []
    typed = values.blank((BOOK / "teach" / f"{name}.md").read_text(encoding="utf-8"))
    assert numbers(COUNTS.sub("", typed)) - numbers(chapter) == set()
    exercises = {*re.findall(r"^\*\*(\d+)\. ", chapter.partition("\n## Exercises")[2], re.M)}
    assert {*re.findall(r"\d+", " ".join(re.findall(EXERCISES, page)))} <= exercises
    for section, other in re.findall(r"section \*([^*]+)\*(?: of \[\]\(\.\./([\w-]+)\.md\))?", page):
        assert section in re.findall(r"^#{2,} (.+)$", source(other or name), re.M)
    for number in re.findall(r"[Aa]ssignment (\d)", page):
        (notebook,) = (ROOT / "coursework" / "assignments").glob(f"{number}-*/notebook.md")
        before = re.search(r"\*\*Before you start:\*\*.*", notebook.read_text(encoding="utf-8"))[0]
        assert re.search(r"^# (.+)$", chapter, re.M)[1] in before, f"assignment {number} does not need this chapter"


def test_each_core_chapter_has_a_plan():
    (teaching,) = (one for part in PARTS for one in part["chapters"] if one["file"] == "book/teaching")
    assert [Path(one["file"]).name for one in teaching["sections"]] == CORE
    assert sorted(path.stem for path in (BOOK / "teach").glob("*.md")) == sorted(CORE)


@pytest.mark.parametrize("title", ["A term of twelve weeks", "Three days"])
def test_calendar_has_every_plan_once_in_order(title):
    calendar = (BOOK / "teaching.md").read_text(encoding="utf-8").partition(f"### {title}\n")[2].partition("\n#")[0]
    rows = [line.split("|")[2:-1] for line in calendar.splitlines() if re.match(r"\| \d", line)]
    by_time = rows if len(rows) == 12 else zip(*rows)  # a row is a week, or an hour of all three days
    assert [name for time in by_time for name in re.findall(r"\(teach/([\w-]+)\.md\)", "|".join(time))] == CORE
