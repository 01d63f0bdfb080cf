"""The text of the chapters: it teaches the subject, and an exercise that prints numbers says what they mean."""

import re
from pathlib import Path

import pytest
import yaml

directives = pytest.importorskip("directives")
values = pytest.importorskip("values")
BOOK = Path(directives.__file__).resolve().parents[1] / "book"
PARTS = yaml.safe_load((BOOK.parent / "_toc.yml").read_text(encoding="utf-8"))["parts"]
CHAPTERS = [Path(chapter["file"]).name for part in PARTS if part.get("numbered") for chapter in part["chapters"]]
FIRST, OTHERS = 0.12, 0.20  # of the words of the first six chapters, and of the others

# Sources, formulas, code, and what stands in parentheses.
ASIDE = re.compile(r"\{cite[:\w]*\}`[^`]*`|\$\$.+?\$\$|\$[^$]+\$|`[^`]*`|\((?:[^()]|\([^()]*\))*\)", re.S)
SPEAKS = re.compile(r"\b[RLN]\b|\bA(?:’s|'s| \d)|\bdocuments?\b|\bthesis\b|\bprint(?:s|ed)\b")


def paragraphs(text):
    """The paragraphs that a reader sees: of the text, of findings and guesses; not of folded boxes, nor of code."""
    for head, lines in directives.blocks(text):
        body = "\n".join(lines)
        name = re.match(r"\{([\w:-]+)\} *(.*)", head or "")
        if head is None:
            yield from filter(str.strip, re.split(r"\n\s*\n|\n(?=[-*] |\d+\. )", body))
        elif name and name[1] in ("finding", "guess", "note", "opening", "outcomes"):
            yield from paragraphs(f"{name[2]}\n{body}")


def share_about_documents(text):
    """How much of the words stands in paragraphs that speak of a document; a source in parentheses does not."""
    found = [(len(re.findall(r"\w+", one)), bool(SPEAKS.search(ASIDE.sub("", one)))) for one in paragraphs(text)]
    return sum(words for words, speaks in found if speaks) / sum(words for words, _ in found)


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_running_text_teaches_and_hardly_speaks_of_the_documents(name):
    text = values.text_of(BOOK.parent, f"book/{name}.md").split("\n---\n", 1)[1]
    assert share_about_documents(text) < (FIRST if name in CHAPTERS[:6] else OTHERS)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Four words here are.\n\nL has four words.", 0.5),
        ("A bear (R 6.1) sleeps {cite:p}`L`, and $R$.", 0),
        (":::{dropdown} What the documents print\nL errs.\n:::\nOne.", 0),
        (":::{finding} L errs.\n:::\nOne two.", 0.5),
        ("One:\n\n- R's matrix\n- two more words", 3 / 7),
    ],
)
def test_a_paragraph_speaks_of_a_document_unless_it_only_names_it_as_a_source(text, expected):
    assert share_about_documents(text) == pytest.approx(expected)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_page_says_in_its_first_lines_which_model_it_measures(name):
    text = values.text_of(BOOK.parent, f"book/{name}.md")
    first = re.search(r"^:::\{outcomes\}\n.*?^:::$", text, re.M | re.S)[0]
    assert re.search(r"^\*(Measured|Trained|Run|Worked) here:\* ", first, re.M), first


def unexplained(text):
    """The exercises that run code and have no words on what came out, in a box of their own or in one for several."""
    _, _, text = text.partition("\n## Exercises\n")
    exercises = re.split(r"^\*\*(\d+)\. (?=[^*]+\*\* )", text.partition("\n## ")[0], flags=re.M)[1:]
    shared = " ".join(re.findall(r"\{dropdown\} Solutions of (.*)", text))
    for number, exercise in zip(exercises[::2], exercises[1::2]):
        if "{code-cell}" in exercise and "{dropdown}" not in exercise and not re.search(rf"\b{number}\b", shared):
            yield number


@pytest.mark.parametrize("name", CHAPTERS)
def test_an_exercise_that_prints_numbers_explains_them(name):
    assert list(unexplained(values.text_of(BOOK.parent, f"book/{name}.md"))) == []


def test_an_exercise_without_an_explanation_is_found():
    cell, box = "\n```{code-cell} python3\n1\n```\n", "\n:::{dropdown} Solution\nOne.\n:::\n"
    three = f"\n## Exercises\n\n**1. A.** Do.{cell}\n**2. B.** Do.{cell}{box}\n**3. C.** Think.\n"
    assert list(unexplained(three)) == ["1"]
    assert list(unexplained(three + "\n:::{dropdown} Solutions of 1 and 3\nSo.\n:::\n")) == []
