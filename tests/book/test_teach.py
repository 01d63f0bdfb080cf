"""Each page for the teacher is held against its chapter: what it names, quotes and counts stands there."""

import re
from pathlib import Path

import pytest
import yaml

directives = pytest.importorskip("directives")
sphinx_teach = pytest.importorskip("sphinx_teach")
values = pytest.importorskip("values")
ROOT = Path(directives.__file__).resolve().parents[1]
BOOK = ROOT / "book"
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
NUMBERED = [part for part in PARTS if part.get("numbered")]
CORE = [Path(one["file"]).name for part in NUMBERED if "Lab" not in part["caption"] for one in part["chapters"]]
PAGES = sorted(path.stem for path in (BOOK / "teach").glob("*.md"))

HEADINGS = ["Fifty minutes", "Three questions to discuss", "On the board", "Homework"]
STEP = re.compile(r"^### (\d+)–(\d+)\. \S", re.M)
QUESTION = re.compile(r"^\*\*\d\. .*?\?\*\*\n\n- \*They will say:\* .*?\n- \*What that uncovers:\* ", re.M | re.S)
NUMBER = re.compile(r"(?<![\w.,])\d*[\d,.]*\d(?![\w])")
# What holds numbers of its own: times, exercises, assignments, links, what hands may choose, texts typed into a view.
COUNTS = re.compile(
    r"^### \d+–\d+\. |^\*\*\d\. |^\d\. |minutes? \d+|[Ee]xercises? \d+(?:(?:, \d+)*,? (?:and|or) \d+)?|[Aa]ssignment \d"
    r"|^Offer .*?\.(?=\s)|\{live\}`[^`]*`|\{numref\}`[^`]*`|\]\([^)]*\)",
    re.M,
)


def plain(text):
    """Words alone: without marks, and with one space between them."""
    return " ".join(re.sub(r"[*`]|^> ?", "", text, flags=re.M).split())


def numbers(text):
    """The numbers of a text, .80 as 0.80."""
    found = (number.strip(".,") for number in NUMBER.findall(re.sub(r"−", "-", text)))
    return {number if number[0].isdigit() else f"0{number}" for number in found} | {
        f"0.{digits}" for digits in re.findall(r"(?<![\d.])\.(\d+)", text)
    }


def kinds(chapter):
    """The views of a chapter by the names that a link has for them."""
    made = {"story_view": "story"}
    for path in (ROOT / "tutorial_book" / "page" / "live").glob("*.py"):
        for function in re.split(r"^def ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
            if kind := re.search(r'(?:asking|View)\(\s*"(\w+)"', function):
                made[re.match(r"\w+", function)[0]] = kind[1]
    shown = re.findall(r"^(?:views|live)\.(\w+)\(", chapter, re.M)
    return {made.get(name, name) for name in shown}


def faults(name, page, sources):
    """What a page for the teacher says that its chapter does not. sources: chapter -> its text."""
    chapter, found = sources[name], []

    def hold(is_so, fault):
        found.extend([] if is_so else [fault])

    title = re.search(r"^# (.+)$", chapter, re.M)[1]
    hold(page.startswith(f"# Teach: {title}\n\nFor the chapter [](../{name}.md)."), "its title or its first words")
    hold(re.findall(r"^## (.+)$", page, re.M) == HEADINGS, "its parts")
    steps = [(int(start), int(end)) for start, end in STEP.findall(page)]
    ends = [0, *(end for _, end in steps)]
    hold([start for start, _ in steps] == ends[:-1] and ends[-1] == 50, "the minutes do not add up to 50")
    hold(all(start < end for start, end in steps), "a step of no minutes")
    hold(len(QUESTION.findall(page)) == 3, "three questions, each with what they will say and what that uncovers")
    hold(":::{objectives}\n:::" in page, "no objectives")
    for label in re.findall(r"\{numref\}`([^`]+)`", page):
        hold(re.search(rf"^ *:?name: {re.escape(label)}$", chapter, re.M), f"no figure {label}")
    for label in re.findall(r"\{eq\}`([^`]+)`", page):
        hold(f"$$ ({label})\n" in chapter, f"no formula {label}")
    known = {argument for argument, _, _ in sphinx_teach.bodies(chapter, "guess")}
    asked = [argument for argument, _, _ in sphinx_teach.bodies(page, "hands")]
    hold(asked and len(asked) == len(set(asked)), "no show of hands, or one twice")
    found += [f"no guess {guess}" for guess in asked if guess not in known]
    for quote in re.findall(r"(?:^> .*\n)+", page, re.M):
        hold(plain(quote) in plain(chapter), f"not a sentence of the chapter: {plain(quote)}")
    typed = re.sub(r"\{live\}`[^`]*`", "", page)
    for quote in re.findall(r'"([^"\n]+)"', typed):
        hold(quote.count(" ") < 2 or plain(quote).rstrip(".,") in plain(chapter), f"not in the chapter: {quote}")
    stated = numbers(COUNTS.sub("", values.blank((BOOK / "teach" / f"{name}.md").read_text(encoding="utf-8"))))
    found += [f"a number that the chapter does not have: {one}" for one in sorted(stated - numbers(chapter))]
    for text in re.findall(r"\{live\}`([^`]*)`", page):
        kind = text.partition(": ")[0]
        hold(kind in kinds(chapter), f"no view {kind}, only {', '.join(sorted(kinds(chapter)))}")
    exercises = re.findall(r"^\*\*(\d+)\. ", chapter.partition("\n## Exercises")[2], re.M)
    for listed in re.findall(r"[Ee]xercises? (\d+(?:(?:, \d+)*,? (?:and|or) \d+)?)", page):
        found += [f"no exercise {number}" for number in re.findall(r"\d+", listed) if number not in exercises]
    for section, other in re.findall(r"section \*([^*]+)\*(?: of \[\]\(\.\./([\w-]+)\.md\))?", page):
        headings = re.findall(r"^#{2,} (.+)$", sources[other or name], re.M)
        hold(section in headings, f"no section {section}")
    for number in re.findall(r"[Aa]ssignment (\d)", page):
        (notebook,) = (ROOT / "coursework" / "assignments").glob(f"{number}-*/notebook.md")
        before = re.search(r"\*\*Before you start:\*\*.*", notebook.read_text(encoding="utf-8"))[0]
        hold(title in before, f"assignment {number} does not need this chapter")
    return found


def sources():
    return {path.stem: values.text_of(ROOT, path) for path in BOOK.glob("*.md")}


def plan(name):
    return values.text_of(ROOT, f"book/teach/{name}.md")


@pytest.mark.parametrize("name", PAGES)
def test_a_plan_says_nothing_that_its_chapter_does_not(name):
    assert faults(name, plan(name), sources()) == []


def test_every_plan_belongs_to_a_core_chapter_and_stands_in_the_table_of_contents():
    coursework = [one for part in PARTS for one in part["chapters"] if one["file"] == "book/teaching"]
    listed = [Path(one["file"]).name for one in coursework[0]["sections"]]
    assert listed == CORE
    assert PAGES == sorted(CORE)


@pytest.mark.parametrize("title", ["A term of twelve weeks", "Three days"])
def test_a_calendar_has_every_plan_once_and_in_the_order_of_the_book(title):
    calendar = (BOOK / "teaching.md").read_text(encoding="utf-8").partition(f"### {title}\n")[2].partition("\n#")[0]
    rows = [line.split("|")[2:-1] for line in calendar.splitlines() if re.match(r"\| \d", line)]
    cells = [cell for row in rows for cell in row] if len(rows) == 12 else [cell for day in zip(*rows) for cell in day]
    assert [name for cell in cells for name in re.findall(r"\(teach/([\w-]+)\.md\)", cell)] == CORE


# What drifts in the chapter, and what in the page.
CHAPTER = [
    ("name: fig-one-row", "name: fig-a-row", "no figure fig-one-row"),
    ("$$ (eq-dot)", "$$ (eq-product)", "no formula eq-dot"),
    ("{guess} growth", "{guess} growing", "no guess growth"),
    ("**9. Spot", "**10. Spot", "no exercise 9"),
    ("A key can win by its direction", "A key wins by its direction", "not a sentence of the chapter"),
    ("The artist quickly painted", "The artist slowly painted", "not in the chapter: The artist quickly"),
    ("103", "104", "a number that the chapter does not have: 103"),
    ("# Attention by hand", "# Attention", "its title"),
    ("### One head, four sentences", "### One head", "no section One head, four sentences"),
    ("views.gaze_view(", "views.look_view(", "no view gaze_view"),
]
PAGE = [
    ("### 6–18. ", "### 6–17. ", "the minutes"),
    ("### 47–50. ", "### 47–52. ", "the minutes"),
    ("Assignment 2", "Assignment 4", "assignment 4"),
    ("*What that uncovers:*", "*And:*", "three questions"),
    ("## Homework", "## For home", "its parts"),
]


@pytest.mark.parametrize("there, instead, fault", CHAPTER)
def test_a_chapter_that_changes_is_seen(there, instead, fault):
    changed = sources()
    assert there in changed["attention"]
    changed["attention"] = changed["attention"].replace(there, instead)
    assert any(fault in one for one in faults("attention", plan("attention"), changed))


@pytest.mark.parametrize("there, instead, fault", PAGE)
def test_a_page_that_does_not_keep_its_form_is_seen(there, instead, fault):
    page = plan("attention")
    assert there in page
    assert any(fault in one for one in faults("attention", page.replace(there, instead, 1), sources()))
