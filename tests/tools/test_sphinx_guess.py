"""A guess gets its answer from a cell; a box whose answer cannot be true stops the build, by file, line and name."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("myst_nb")
nodes = pytest.importorskip("docutils.nodes")
BeautifulSoup = pytest.importorskip("bs4").BeautifulSoup
sphinx_guess = pytest.importorskip("sphinx_guess")
sphinx_proof = pytest.importorskip("sphinx_proof")

TOOLS = Path(sphinx_guess.__file__).parent
CONF = """
extensions = ["myst_nb", "sphinx_finding", "sphinx_guess", "sphinx_opening", "sphinx_proof", "sphinx_lab"]
extensions += ["sphinx_times"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "off"
html_theme = "basic"
exclude_patterns = ["out", "jupyter_execute"]
"""
CHOICE = ':::{guess} key\n"Two" keys compete.\n\nWhich wins?\n\n- `k1`\n- $k_2$\n\nBecause it is *longer*.\n:::\n'
NUMBER = ":::{guess} growth\n:unit: times\nHow much?\n\nBecause so.\n:::\n"
ORDER = ":::{guess} near\n:order: from near to far\nHow?\n\n- car\n- cat\n- kitten\n\nBecause so.\n:::\n"


def output(name, value):
    """What a cell of a notebook shows whose last line is answer(name, value)."""
    text = f'<p data-guess="{name}" data-answer="{html.escape(json.dumps(value))}">The answer</p>'
    return {"output_type": "display_data", "data": {"text/html": text, "text/plain": "The answer"}, "metadata": {}}


def other():
    return {"output_type": "stream", "name": "stdout", "text": "a number\n"}


PAGES = {
    "choice": [
        "## Section $x$\n\n" + CHOICE,
        [other()],
        "Text.",
        [output("key", "k_2")],
        [other()],
        ":::{guesses}\n:::",
    ],
    "shared": [CHOICE + "\n" + NUMBER, [other()], [output("key", "k1"), output("growth", 4.02)], [other()]],
    "no-output": [CHOICE, [], "Text.", [other()], [output("key", "k1")]],
    "order": [ORDER, [output("near", ["cat", "kitten", "car"])]],
    "marker": [CHOICE, [output("key", "k1")], ":::{finding} It is.\n:::\n\nMore.\n\n:::{guessed} key\n:::\n\nFree."],
    "finding": [":::{finding} It is $x$.\nMore.\n:::"],
    "finding-told": [CHOICE, [output("key", "k1")], ":::{finding} It is $x$.\n:::\n\nFree."],
    "opening": [
        ":::{opening} Why *two*?\n:figure: fig-a\n\nThey differ.\n:::\n\n"
        ":::{outcomes}\n:mirrors: R 4\n\n- tell one;\n- draw $x$.\n\n*Measured here:* two lines.\n:::\n\nText.",
        ":::{figure} a.svg\n:name: fig-a\n:alt: Two lines.\nLines.\n:::",
    ],
    "opening-cell": [":::{opening} Why?\nSo.\n:::", [other()], ":::{outcomes}\n- tell one.\n:::\n\nText.", [other()]],
    "opening-none": [":::{opening} Why?\n:figure: fig-b\n\nSo.\n:::"],
    "lab": [
        "## Thing\n\n### Chance?\n\n:::{lab}\nA *hundred* walks.\n:::\n\nNo.\n\n"
        ":::{finding} It is none.\n:::\n\n### After\n\nOn.",
        "## Exercises\n\nTry.\n\n**1. One.** Do *it*.\n\nMore.\n\n(there)=\n**2. Two.** Think. **Hard.**\n\n"
        "## End\n\nNo.",
    ],
    "proof": ["## Thing\n\nIt is so (R 6.1, eq. 18). Not (R 2 says).\n\n## Proof\n\n### Claims\n\nAll (L 2)."],
}
WITHIN = {
    "": ("share", "20"),
    ":within: 5 %\n": ("share", "5"),
    ":within: a factor of 2\n": ("factor", "2"),
    ":within: 0\n": ("units", "0"),
}
for number, line in enumerate(WITHIN):
    PAGES[f"within-{number}"] = [NUMBER.replace(":unit: times\n", f":unit: times\n{line}"), [output("growth", 4)]]
WRONG = [
    ([CHOICE], 'guess key: no cell below it answers it: answer("key", value) as a cell\'s last line'),
    (
        [[output("key", "k1")]],
        "guess key: a cell has its answer, but the page has no guess of this name (it has: none)",
    ),
    (
        [CHOICE, [output("kee", "k1")]],
        "guess kee: a cell has its answer, but the page has no guess of this name (it has: key)",
    ),
    ([[output("key", "k1")], CHOICE], "guess key: its answer stands above the question"),
    ([CHOICE, [output("key", "k3")]], "guess key: the answer must be one of k1, k_2, but the cell says k3"),
    ([CHOICE, [output("key", "k1")], [output("key", "k1")]], "guess key: a cell answers it, and an earlier cell did"),
    ([CHOICE + "\n" + CHOICE, [output("key", "k1")]], "guess key: another guess of this page has the same name"),
    ([NUMBER, [output("growth", "four")]], "guess growth: the answer must be a number, but the cell says 'four'"),
    (
        [ORDER, [output("near", ["cat", "car"])]],
        "guess near: the answer must be an order of car, cat, kitten, but the cell says cat, car",
    ),
    ([ORDER, [output("near", ["car", "cat", "kitten"])]], "guess near: the items already stand in the true order"),
    ([ORDER, [output("near", 3)]], "guess near: the answer must be an order of"),
    (
        [CHOICE.replace("Because", "For"), ""],
        'guess key: the last paragraph must say why what is true is true, and begin with "Because"',
    ),
    ([CHOICE.replace("- $k_2$\n", "")], "guess key: it needs a list of two choices or more, or a :unit:"),
    ([CHOICE.replace("$k_2$", "`k1`")], "guess key: an item stands twice in the list: k1, k1"),
    ([CHOICE.replace("{guess} key", "{guess} Key")], "guess Key: the name must be small letters, digits and hyphens"),
    ([CHOICE.replace('"Two"', ':within: 3\n"Two"')], "guess key: only a number (:unit:) is right within something"),
    (
        [NUMBER.replace("How", ":within: nearly\nHow")],
        'guess growth: within must be "20%", "a factor of 2" or "3", got "nearly"',
    ),
    ([CHOICE.replace('"Two"', ':drawn: fig-a y\n"Two"')], "guess key: only a number (:unit:) is drawn into a figure"),
    (
        [NUMBER.replace("How", ":drawn: fig-a z\nHow")],
        'guess growth: drawn must be "fig-growth y" or "fig-growth y 2 0.01", got "fig-a z"',
    ),
    (
        [NUMBER.replace("How", ":drawn: fig-a y\nHow"), [output("growth", 4)]],
        "guess growth: drawn: the page has no figure fig-a that a cell drew",
    ),
    (
        [
            NUMBER.replace("How", ":drawn: fig-a y\nHow"),
            ":::{figure} a.svg\n:name: fig-a\nIt.\n:::",
            [output("growth", 4)],
        ],
        "guess growth: drawn: fig-a: the drawing has no panel 1, it has 0",
    ),
    (
        [NUMBER.replace("Because", "- one\n- two\n\nBecause")],
        "guess growth: a number (:unit:) has neither a list nor an order",
    ),
    ([":::{guesses}\n:::"], "guesses: this page has no guess to count"),
    ([CHOICE, "### Below", [output("key", "k1")]], "guess key: a heading stands between it and its answer"),
    (
        [CHOICE, ":::{guessed} key\n:::", [output("key", "k1")]],
        "guess key: the line that ends it stands above its answer",
    ),
    (
        ["## So\n\nIt is 4.0 times as large.\n\n" + NUMBER, [output("growth", 4.02)]],
        "guess growth: its answer stands open before it is made: It is 4.0 times as large.",
    ),
    ([":::{guessed} key\n:::"], "guess key: guessed: the page has no such guess above this line"),
    ([":::{outcomes}\nText.\n:::"], "outcomes: it begins with a list of what one can do afterwards"),
    (["Text.", ":::{lab}\nA walk.\n:::"], "lab: it must stand directly below a heading"),
    (["## So\n\n:::{lab}\nA walk.\n\nTwo.\n:::"], "lab: one paragraph says what is looked into"),
    (["{reading-time}`nowhere`"], "reading-time: there is no page nowhere beside this one"),
]
PAGES |= {f"wrong-{number}": pieces for number, (pieces, _) in enumerate(WRONG)}


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """All pages, built at once: a function from a page's name to its HTML and to what the build complained of."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    (folder / "conf.py").write_text(f"import sys\nsys.path.insert(0, {str(TOOLS)!r})\n{CONF}")
    toc = "# Book\n\n```{toctree}\n" + "\n".join(PAGES) + "\n```\n"
    for name, pieces in {"index": [toc], **{name: ["# Title", *pieces] for name, pieces in PAGES.items()}}.items():
        cells = [
            dict(cell_type="markdown", metadata={}, source=piece) if isinstance(piece, str)
            else dict(cell_type="code", metadata={}, source="answer()", outputs=piece, execution_count=1)
            for piece in pieces
        ]  # fmt: skip
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
        notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
        (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-w", folder / "log", folder, folder / "out"]
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    log = (folder / "log").read_text(encoding="utf-8").splitlines()

    def page(name):
        text = (folder / "out" / f"{name}.html").read_text(encoding="utf-8")
        return BeautifulSoup(text, "html.parser"), [line for line in log if f"/{name}.ipynb:" in line]

    return page


def test_a_page_asks_hides_all_up_to_the_answer_and_says_what_a_cell_computed(book):
    page, told = book("choice")
    assert told == []
    box = page.select_one("#guess-key")
    assert json.loads(box["data-truth"]) == "k_2" and box["data-kind"] == "choice"
    assert [item["data-item"] for item in box.select(".guess-items li")] == ["k1", "k_2"]
    assert box.select_one("details:not([open]) .guess-truth").text.strip() == r"\(k_2\)"
    assert box.select_one("details .guess-because").text == "Because it is longer."
    assert box.select_one(".guess-question p").text == "“Two” keys compete."  # each quotation mark the right way round
    opened = page.select_one(".guess-block > #guess-key + .guess-opened")
    assert len(opened.select(".cell")) == 2 and [p.text for p in opened.select("p")] == ["Text."]
    assert len(page.select(".cell")) == 3
    assert "The answer" not in [text.text for text in page.select(".cell p")]
    (line,) = page.select(".guess-tally li")
    assert line.a["href"] == "#guess-key" and "Section" in line.text and line["data-guess"] == "key"


def test_a_guess_may_wait_for_another(book):
    page, told = book("shared")
    assert told == []
    inner = page.select_one("#guess-key + .guess-opened .guess-block #guess-growth + .guess-opened")
    assert len(inner.select(".cell")) == 2 and len(page.select(".guess-block")) == 2
    assert page.select_one("#guess-growth .guess-truth").text.strip() == "4.02 times"


def test_what_a_guess_hides_ends_with_its_answer_the_finding_below_or_a_marker(book):
    hidden = {}
    for name in ("no-output", "marker", "finding-told"):
        page, told = book(name)
        assert told == []
        hidden[name] = [p.text for p in page.select(".guess-opened p")]
        assert (name == "no-output") == ("Free." not in [p.text for p in page.select("section > p")])
    assert hidden == {"no-output": ["Text."], "marker": ["It is.", "More."], "finding-told": [r"It is \(x\)."]}
    assert page.select_one(".guess-opens").text.strip() == "Opens 1 finding."
    assert book("no-output")[0].select_one(".guess-opens").text.strip() == "Opens the answer."


def test_an_order_shows_the_items_in_the_true_order(book):
    page, told = book("order")
    assert told == []
    assert [item.text.strip() for item in page.select("#guess-near .guess-truth li")] == ["cat", "kitten", "car"]
    assert "from near to far" in page.select_one("#guess-near .guess-hint").text


@pytest.mark.parametrize("number", range(len(WITHIN)))
def test_a_number_is_right_within_what_its_box_says(book, number):
    page, told = book(f"within-{number}")
    name, value = list(WITHIN.values())[number]
    assert told == [] and page.select_one("#guess-growth")[f"data-{name}"] == value


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_box_that_cannot_be_true_is_a_warning_with_its_place(book, number):
    """The book is built with warnings as errors."""
    _, told = book(f"wrong-{number}")
    place = rf".*/wrong-{number}\.ipynb:\d+: WARNING: {re.escape(WRONG[number][1])}"
    assert [line for line in told if re.match(place, line)], told


def test_a_finding_stands_apart_with_its_sentence_first(book):
    page, told = book("finding")
    assert told == []
    box = page.select_one("div.finding[role=note][aria-label=Finding]")
    assert box.select_one("p strong").text == r"It is \(x\)." and [p.text for p in box.select("p")][1:] == ["More."]


def test_a_chapter_opens_with_a_question_a_figure_across_the_page_and_what_one_can_do_afterwards(book):
    page, told = book("opening")
    assert told == []
    hero = page.select_one("h1 + .hero")
    (picture,) = page.select("figure img")  # moved up, with its caption, from where it stood
    assert picture["alt"] == "Two lines." and picture.find_parent(class_="hero") is hero
    assert hero.select_one(".thing figcaption").text.strip().startswith("Lines.")
    assert [part["class"][-1] for part in hero.select(":scope > *")] == ["ask", "thing", "lead", "outcomes"]
    assert hero.select_one(".ask").decode_contents() == "Why <em>two</em>?"
    line, measured = hero.select(".outcomes p")
    assert line.text == r"5 min Afterwards you can tell one · draw \(x\). Mirrors R 4." and measured.text.startswith(
        "Measured"
    )
    assert line.a["href"] == "#claims" and [p.text for p in page.select("section > p")] == ["Text."]
    _, told = book("opening-none")
    assert any("WARNING: opening: this page has no figure fig-b" in line for line in told)


def test_what_a_cell_shows_between_question_and_outcomes_is_the_chapters_thing(book):
    page, told = book("opening-cell")
    assert told == []
    parts = page.select(".hero > *")
    assert [part["class"][0] for part in parts] == ["ask", "cell", "lead", "outcomes"]
    assert len(page.select(".cell")) == 2


def test_a_lab_folds_its_section_below_its_heading_and_nothing_else(book):
    page, told = book("lab")
    assert told == []
    fold = page.select_one("#chance > h3 + details.lab:not([open])")
    assert fold.summary.text.strip() == "LabA hundred walks. Opens 1 finding." and fold.summary.em.text == "hundred"
    assert "No." in fold.text and "On." not in fold.text and fold.select_one(".finding")


def test_each_exercise_folds_to_its_title(book):
    page, _ = book("lab")
    first, second = page.select("#exercises > details.exercise:not([open])")
    assert first.summary.text.strip() == "1. One." and first.text.split() == ["1.", "One.", "Do", "it.", "More."]
    assert second.select_one("#there").text.strip() == "Think. Hard."
    assert page.select_one("#exercises > p").text == "Try."


def test_the_front_page_names_the_same_documents():
    text = (TOOLS.parent / "book" / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \*\*([A-Z])\*\* \| (.*) \|$", text, re.M)
    assert [letter for letter, _ in rows] == list(sphinx_proof.DOCUMENTS)
    for letter, row in rows:
        title = sphinx_proof.DOCUMENTS[letter].split(", ", 1)[-1].removeprefix("a summary of ")
        assert title in row.replace("*", ""), letter


def test_a_source_is_a_mark_and_the_proof_is_a_fold(book):
    page, told = book("proof")
    assert told == []
    paragraph = page.select_one("#thing p")
    assert paragraph.text == "It is soR 6.1, eq. 18. Not (R 2 says)."  # the mark stands in the margin
    mark = paragraph.select_one("a.src")
    assert mark["href"] == "#claims" and mark.text == "R 6.1, eq. 18"
    assert mark["title"] == "R: Rezaei, Mathematics of Transformers: A Tutorial"
    fold = page.select_one("#proof > h2 + details.proof:not([open])")
    luisto = "L: Luisto, a master's thesis on the structure of BERT's embedding spaces"
    assert fold.select_one("summary + .documents").text == f"{luisto}; {mark['title']}."
    assert fold.summary and fold.select_one("#claims h3") and "R 4" not in fold.text
