"""The text of the chapters: it teaches the subject, and an exercise that prints numbers explains them."""

import re
from pathlib import Path

import pytest
import yaml

markdown = pytest.importorskip("website.directives.markdown")
values = pytest.importorskip("website.build.values")
ROOT = Path(markdown.__file__).resolve().parents[2]
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
CHAPTERS = [Path(chapter["file"]).name for part in PARTS if part.get("numbered") for chapter in part["chapters"]]

# Sources, formulas, code, and whatever is in parentheses.
ASIDE = re.compile(r"\{cite[:\w]*\}`[^`]*`|\$\$.+?\$\$|\$[^$]+\$|`[^`]*`|\((?:[^()]|\([^()]*\))*\)", re.S)
SPEAKS = re.compile(r"\b[RLN]\b|\bA(?:’s|'s| \d)|\bdocuments?\b|\bthesis\b|\bprint(?:s|ed)\b")


def paragraphs(text):
    """The paragraphs that a reader sees: of the text, of findings and guesses; not of folded boxes or code."""
    for head, lines in markdown.blocks(text):
        body = "\n".join(lines)
        name = re.match(r"\{([\w:-]+)\} *(.*)", head or "")
        if head is None:
            yield from filter(str.strip, re.split(r"\n\s*\n|\n(?=[-*] |\d+\. )", body))
        elif name and name[1] in ("finding", "guess", "note", "opening", "outcomes"):
            yield from paragraphs(f"{name[2]}\n{body}")


@pytest.fixture(params=CHAPTERS)
def chapter(request):
    return values.text_of(ROOT, f"book/{request.param}.md")


def test_text_teaches_and_hardly_mentions_the_documents(chapter, request):
    found = [(len(re.findall(r"\w+", one)), one) for one in paragraphs(chapter.split("\n---\n", 1)[1])]
    about = sum(words for words, one in found if SPEAKS.search(ASIDE.sub("", one)))
    first = request.node.callspec.params["chapter"] in CHAPTERS[:6]
    assert about / sum(words for words, _ in found) < (0.12 if first else 0.20)


def test_first_lines_name_the_model_that_is_measured(chapter):
    first = re.search(r"^:::\{outcomes\}\n.*?^:::$", chapter, re.M | re.S)[0]
    assert re.search(r"^\*(Measured|Trained|Run|Worked) here:\* ", first, re.M), first


def test_exercises_that_print_numbers_explain_them(chapter):
    """In a separate box, or in one for several exercises."""
    text = chapter.partition("\n## Exercises\n")[2]
    exercises = re.split(r"^\*\*(\d+)\. (?=[^*]+\*\* )", text.partition("\n## ")[0], flags=re.M)[1:]
    shared = " ".join(re.findall(r"\{dropdown\} Solutions of (.*)", text))
    run = [n for n, one in zip(exercises[::2], exercises[1::2]) if "{code-cell}" in one and "{dropdown}" not in one]
    assert [number for number in run if not re.search(rf"\b{number}\b", shared)] == []
