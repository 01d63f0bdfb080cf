"""A guess that comes back is a card that needs no page: question, choices, what is true and why, in plain text."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("myst_nb")
sphinx_again = pytest.importorskip("sphinx_again")
directives = pytest.importorskip("directives")
values = pytest.importorskip("values")

TOOLS = Path(sphinx_again.__file__).parent
BOOK = TOOLS.parent / "book"
CONF = """
extensions = ["myst_nb", "sphinx_guess", "sphinx_again"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "off"
html_theme = "basic"
exclude_patterns = ["out", "jupyter_execute"]
"""
CHOICE = r""":::{guess} key
:again:
"Two" keys, $d_k = 4$. Which wins?

- `k1`
- $2\,k_2$

Because it is *longer*.
:::
"""
NUMBER = r""":::{guess} growth
:unit: %
:within: 5
:again: From $d_k$ to $2\,d_k$, "how" much?
Here?

Because so.
:::
"""
ORDER = """:::{guess} near
:order: from near to far
:again:
Who is near?

- car
- cat
- dog

Because so.
:::
"""
ALONE = ":::{guess} alone\nWhich wins?\n\n- one\n- two\n\nBecause so.\n:::\n"
ANSWERS = {"key": r"2\,k_2", "growth": 4.02, "near": ["cat", "dog", "car"], "alone": "one"}
PAGES = {
    "all": "".join([CHOICE, NUMBER, ORDER, ALONE]),
    "wrong-below": CHOICE.replace("Which", "Which in the table below"),
    "wrong-choice": CHOICE.replace("`k1`", "this one"),
    "wrong-reason": CHOICE.replace("longer", "longer here"),
    "wrong-formula": CHOICE.replace("d_k = 4", r"\frac{1}{2}"),
    "wrong-words": NUMBER.replace("$2\\,d_k$", r"$\sum_k d_k$"),
    "wrong-link": CHOICE.replace("*longer*", "longer ([](all.ipynb))"),
}
COMPLAINTS = {
    "wrong-below": '"below" needs',
    "wrong-choice": '"this" needs',
    "wrong-reason": '"here" needs',
    "wrong-formula": r"\frac{1}{2} cannot be read: say it in words",
    "wrong-words": r"\sum_k d_k cannot be read: say it in words",
    "wrong-link": "a link in it has no words of its own",
}


def cell(kind, source, **more):
    return dict(cell_type=kind, metadata={}, source=source, **more)


def answer(name):
    """What a cell shows whose last line is answer(name, value)."""
    text = f'<p data-guess="{name}" data-answer="{html.escape(json.dumps(ANSWERS[name]))}">The answer</p>'
    output = {"output_type": "display_data", "data": {"text/html": text, "text/plain": ""}, "metadata": {}}
    return cell("code", "answer()", outputs=[output], execution_count=1)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of a small site, and what its build complained of."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "conf.py").write_text(f"import sys\nsys.path.insert(0, {str(TOOLS)!r})\n{CONF}")
    (folder / "index.md").write_text("# Book\n\n```{toctree}\n" + "\n".join(PAGES) + "\n```\n")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
    for page, text in PAGES.items():
        names = re.findall(r"\{guess\} (\w+)", text)
        cells = [cell("markdown", f"# Title of *{page}*\n\n{text}"), *map(answer, names)]
        notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
        (folder / f"{page}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-w", folder / "log", folder, folder / "out"]
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    return folder / "out", (folder / "log").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def cards(built):
    script = (built[0] / "_static" / "cards.js").read_text(encoding="utf-8")
    return json.loads(re.fullmatch(r"BOOK_CARDS = (.*);\n", script)[1])


def test_a_marked_guess_is_a_card_and_another_is_none(built, cards):
    assert [card["name"] for card in cards] == ["key", "growth", "near"]
    assert {card["page"] for card in cards} == {"all"} and {card["title"] for card in cards} == {"Title of all"}
    page = (built[0] / "all.html").read_text(encoding="utf-8")
    assert page.count("data-again") == 3


def test_a_card_holds_question_choices_answer_and_reason_in_plain_text(cards):
    key, growth, near = cards
    assert key["question"] == "“Two” keys, d_k = 4. Which wins?" and key["because"] == "Because it is longer."
    assert key["items"] == ["k1", "2 k_2"] and key["truth"] == key["told"] == "2 k_2"
    assert growth["told"] == "4.02%" and growth["truth"] == 4.02
    assert growth["given"] == {"unit": "%", "units": "5"} and growth["hint"] == "Within 5 is right."
    assert near["items"] == ["car", "cat", "dog"] and near["truth"] == ["cat", "dog", "car"]
    assert near["told"] == "cat, dog, car" and near["hint"] == "In order, from near to far."


def test_the_question_may_be_put_in_words_that_need_no_page(built, cards):
    assert cards[1]["question"] == "From d_k to 2 d_k, “how” much?"
    assert "Here?" in (built[0] / "all.html").read_text(encoding="utf-8")  # and the page asks as it did


@pytest.mark.parametrize("page", COMPLAINTS)
def test_what_cannot_be_asked_without_its_page_is_a_warning_with_its_place(built, page):
    told = [line for line in built[1] if f"/{page}.ipynb:" in line]
    name = "growth" if page == "wrong-words" else "key"
    assert len(told) == 1 and f"WARNING: guess {name}: it is asked again" in told[0] and COMPLAINTS[page] in told[0]


NEED = [
    "Which stands in the table below?",
    "What does the figure show?",
    "Which of them is in the next section?",
    "What is it here?",
    "What do we get now?",
    "How large is this angle?",
    "The real table has 30,522 rows. Why?",
    "Why does R 6.1 say 4?",
    "It grows. By how much?",
    "The other six are longer. Than what?",
]
DO_NOT = [
    "Which of these pairs is nearest?",
    "What is the table of token embeddings?",
    "A picture of what does PCA draw?",
    "Which book has the title of this book?",
    "What is larger than a 1?",
    "The mean of the others: is it 0?",
]


@pytest.mark.parametrize("question", NEED)
def test_words_that_need_the_page_are_found(question):
    assert sphinx_again.points_at_page(question)


@pytest.mark.parametrize("question", DO_NOT)
def test_words_that_do_not_need_the_page_may_stay(question):
    assert sphinx_again.points_at_page(question) is None


def marked():
    """Every guess of the chapters that is asked again: where it stands, its question and all else on its card."""
    for path in sorted(BOOK.glob("*.md")):
        for head, lines in directives.blocks(values.blank(path.read_text(encoding="utf-8"))):
            options, body = directives.split_directive(lines) if (head or "").startswith("{guess}") else ({}, [])
            if "again" in options:
                text = sphinx_again.in_other_words("\n".join(body))
                question, *others = re.split(r"\n+(?:- |(?=Because ))", text.strip())
                question = sphinx_again.in_other_words(options["again"]) or question
                yield pytest.param(" ".join(question.split()), others, id=f"{path.stem}-{head.split()[-1]}")


@pytest.mark.parametrize("question, others", list(marked()))
def test_each_guess_that_comes_back_can_be_read_without_its_page(question, others):
    assert sphinx_again.points_at_page(question, *others) is None
    assert "?" in question or "order" in question.lower(), "a card asks"
    assert len(question.split()) <= 50, "six seconds"
    text = re.sub(r"\[(CLS|SEP)\]", "", " ".join([question, *others]))
    assert not re.search(r"[\\${}\[\]]", text), "a formula or a link is left"


def test_the_chapters_have_enough_of_them_and_no_two_ask_the_same():
    questions = [param.values[0] for param in marked()]
    assert len(questions) >= 40 and len(set(questions)) == len(questions)
