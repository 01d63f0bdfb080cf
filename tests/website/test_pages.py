"""The authors' text becomes the page that they mean, or a warning that says where it cannot be true.

Guesses, openings, labs, proofs, guesses that are asked again, teachers' pages: one small site has them all, built once.
"""

import html
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from website.directives import teach
from website.project import ROOT

CONF = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from website.directives import teach
teach.FromChapter.source = lambda self: Path({source!r}).read_text()  # chapters are notebooks with outputs here
extensions = ["myst_nb"] + ["website.directives." + name for name in
    ("nodes", "guess", "again", "opening", "folds", "letters", "times", "teach")]
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "off"
html_theme = "basic"
exclude_patterns = ["out", "jupyter_execute"]
"""
CHOICE = ':::{guess} key\n"Two" keys compete.\n\nWhich wins?\n\n- `k1`\n- $k_2$\n\nBecause it is *longer*.\n:::\n'
NUMBER = ":::{guess} growth\n:unit: times\nHow much?\n\nBecause so.\n:::\n"
ORDER = ":::{guess} near\n:order: from near to far\nHow?\n\n- car\n- cat\n- kitten\n\nBecause so.\n:::\n"
# Guesses that are asked again without their page.
LATER = CHOICE.replace(":::{guess} key", ":::{guess} key\n:again:").replace("$k_2$", "$2\\,k_2$")
LATER = LATER.replace("keys compete.\n\n", "keys, $d_k = 4$. ")
LATER_NUMBER = (
    ':::{guess} growth\n:unit: %\n:within: 5\n:again: From $d_k$ to $2\\,d_k$, "how" much?\nHere?\n\nBecause so.\n:::\n'
)
LATER_ORDER = ORDER.replace(":order:", ":again:\n:order:").replace("How?", "Who is near?")


def output(name, value):
    """The output of a cell of a notebook whose last line is answer(name, value)."""
    text = f'<p data-guess="{name}" data-answer="{html.escape(json.dumps(value))}">The answer</p>'
    return {"output_type": "display_data", "data": {"text/html": text, "text/plain": "The answer"}, "metadata": {}}


K1, K2, GROWTH = output("key", "k1"), output("key", "k_2"), output("growth", 4.02)
NEAR, FAR = output("near", ["cat", "kitten", "car"]), output("key", r"2\,k_2")
OTHER = {"output_type": "stream", "name": "stdout", "text": "a number\n"}
OUTCOMES = ":::{outcomes}\n:mirrors: R 4\n\n- tell one;\n- draw $x$.\n\n*Measured here:* two lines.\n:::\n\nText."

# Page -> its pieces: Markdown, or the outputs of a cell.
PAGES = {
    "choice": ["## Section $x$\n\n" + CHOICE, [OTHER], "Text.", [K2], [OTHER], ":::{guesses}\n:::"],
    "shared": [":::{guesses}\n:::\n\n" + CHOICE + "\n" + NUMBER, [OTHER], [K1, GROWTH], [OTHER]],
    "no-output": [CHOICE, [], "Text.", [OTHER], [K1]],
    "order": [ORDER, [NEAR]],
    "marker": [CHOICE, [K1], ":::{finding} It is.\n:::\n\nMore.\n\n:::{guessed} key\n:::\n\nFree."],
    "finding": [":::{finding} It is $x$.\nMore.\n:::"],
    "finding-told": [CHOICE, [K1], ":::{finding} It is $x$.\n:::\n\nFree."],
    "opening": [
        f":::{{opening}} Why *two*?\n:figure: fig-a\n\nThey differ.\n:::\n\n{OUTCOMES}",
        ":::{figure} a.svg\n:name: fig-a\n:alt: Two lines.\nLines.\n:::",
    ],
    "opening-cell": [":::{opening} Why?\nSo.\n:::", [OTHER], ":::{outcomes}\n- tell one.\n:::\n\nText.", [OTHER]],
    "lab": [
        "## Thing\n\n### Chance?\n\n:::{lab}\nA *hundred* walks.\n:::\n\nNo.\n\n"
        ":::{finding} It is none.\n:::\n\n### After\n\nOn.",
        "## Exercises\n\nTry.\n\n**1. One.** Do *it*.\n\nMore.\n\n(there)=\n**2. Two.** Think. **Hard.**\n\n"
        "## End\n\nNo.",
    ],
    "proof": ["## Thing\n\nIt is so (R 6.1, eq. 18). Not (R 2 says).\n\n## Proof\n\n### Claims\n\nAll (L 2)."],
    "again": [LATER, [FAR], LATER_NUMBER, [GROWTH], LATER_ORDER, [NEAR]],
    "keys": [
        f":::{{opening}} Which key wins?\nTwo keys.\n:::\n\n{OUTCOMES}",
        *(CHOICE, [K2], ORDER, [NEAR], NUMBER, [GROWTH]),
    ],
}
WITHIN = {
    "": ("share", "20"),
    ":within: 5 %\n": ("share", "5"),
    ":within: a factor of 2\n": ("factor", "2"),
    ":within: 0\n": ("units", "0"),
}
for option, (name, value) in WITHIN.items():
    PAGES[f"within-{name}-{value}"] = [NUMBER.replace("How", f"{option}How"), [output("growth", 4)]]


def with_option(option):
    return NUMBER.replace("How", f"{option}\nHow")


ALONE, PLAIN = "it is asked again without its page,", "it is asked again in plain text, which cannot show"
WRONG = [
    ([CHOICE], 'guess key: no cell below it answers it. Add answer("key", value) as a cell\'s last line'),
    ([[K1]], "guess key: a cell has its answer, but the page has no guess of this name, only none"),
    ([CHOICE, [output("kee", "k1")]], "guess kee: a cell has its answer, but the page has no guess of this name"),
    ([[K1], CHOICE], "guess key: its answer comes before the question"),
    ([CHOICE, [output("key", "k3")]], "guess key: the answer must be one of k1, k_2, but the cell gives k3"),
    ([CHOICE, [K1], [K1]], "guess key: two cells answer it"),
    ([CHOICE + "\n" + CHOICE, [K1]], "guess key: another guess of this page has the same name"),
    ([NUMBER, [output("growth", "four")]], "guess growth: the answer must be a number, but the cell gives 'four'"),
    ([ORDER, [output("near", ["cat", "car"])]], "guess near: the answer must be an order of car, cat, kitten, but"),
    ([ORDER, [output("near", ["car", "cat", "kitten"])]], "guess near: the items are already in the true order"),
    ([ORDER, [output("near", 3)]], "guess near: the answer must be an order of"),
    ([CHOICE.replace("Because", "For")], "guess key: the last paragraph must give the reason"),
    ([CHOICE.replace("- $k_2$\n", "")], "guess key: it needs a list of at least two choices, or a :unit:"),
    ([CHOICE.replace("$k_2$", "`k1`")], "guess key: the items of the list must differ, got k1, k1"),
    ([CHOICE.replace("{guess} key", "{guess} Key")], "guess Key: the name must be lower-case letters, digits"),
    ([CHOICE.replace('"Two"', ':within: 3\n"Two"')], "guess key: only a number (:unit:) is right within something"),
    ([CHOICE.replace('"Two"', ':drawn: fig-a y\n"Two"')], "guess key: only a number (:unit:) is drawn into a figure"),
    ([with_option(":within: nearly")], 'guess growth: within must be "20%", "a factor of 2" or "3", got "nearly"'),
    ([with_option(":drawn: fig-a z")], 'guess growth: drawn must be "fig-growth y" or "fig-growth y 2 0.01", got'),
    ([with_option(":drawn: fig-a y"), [GROWTH]], "guess growth: drawn: no cell of the page draws a figure fig-a"),
    (
        [with_option(":drawn: fig-a y"), ":::{figure} a.svg\n:name: fig-a\nIt.\n:::", [GROWTH]],
        "guess growth: drawn: fig-a: the drawing has no panel 1, only 0",
    ),
    ([with_option("- one\n- two\n")], "guess growth: it must begin with a question, followed by"),
    ([NUMBER.replace("Because", "- 1\n- 2\n\nBecause")], "guess growth: a number (:unit:) must not have a list"),
    ([":::{guesses}\n:::"], "guesses: this page has no guess to count"),
    ([CHOICE, "### Below", [K1]], "guess key: there is a heading between it and its answer"),
    ([CHOICE, ":::{guessed} key\n:::", [K1]], "guess key: the line that ends it comes before its answer"),
    (["## So\n\nIt is 4.0 times as large.\n\n" + NUMBER, [GROWTH]], "guess growth: its answer is visible before"),
    ([":::{guessed} key\n:::"], "guess key: guessed: the page has no such guess above this line"),
    ([":::{outcomes}\nText.\n:::"], "outcomes: it must begin with a list of what readers can do"),
    ([":::{opening} Why?\n:figure: fig-b\n\nSo.\n:::"], "opening: this page has no figure fig-b"),
    (["Text.", ":::{lab}\nA walk.\n:::"], "lab: it must come directly below a heading"),
    (["## So\n\n:::{lab}\nA walk.\n\nTwo.\n:::"], "lab: one paragraph must say what"),
    ([":::{letters} everwhere\n:::"], "letters: its argument must be everywhere, or none, got everwhere"),
    (["{reading-time}`nowhere`"], "reading-time: there is no page nowhere in this folder"),
    ([LATER.replace("d_k = 4", r"\frac{1}{2}"), [FAR]], rf"guess key: {PLAIN} \frac{{1}}{{2}}. Write it"),
    ([LATER_NUMBER.replace("$2\\,d", r"$\sum_k d"), [GROWTH]], rf"guess growth: {PLAIN} \sum_k d_k. Write it"),
    ([LATER.replace("*longer*", "longer ([](again.ipynb))"), [FAR]], f"guess key: {ALONE} so each link must have"),
]  # fmt: skip
REZAEI = "R: Rezaei, Mathematics of Transformers: A Tutorial"
LUISTO = "L: Luisto, a master's thesis on the structure of BERT's embedding spaces"
PAGES |= {f"wrong-{number}": pieces for number, (pieces, _) in enumerate(WRONG)}
PLAN = """# Teach: Keys

:::{objectives}
:::

:::{hands} key
Most say k1.
:::

:::{hands} near
They know.
:::

:::{hands} growth
:offer: 2, 4
Few say 2.
:::

:::{hands} far
Nobody knows.
:::

See {live}`gaze_view: A door & a bear.` and {live}`context: One. | Two?`
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """All pages, built at once: the folder, and the build's complaints."""
    folder = tmp_path_factory.mktemp("book")
    source = folder / "keys.source"
    source.write_text("\n".join(piece for piece in PAGES["keys"] if isinstance(piece, str)))
    (folder / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    (folder / "conf.py").write_text(CONF.format(root=str(ROOT), source=str(source)))
    (folder / "teach").mkdir()
    (folder / "teach" / "keys.md").write_text(PLAN)
    toc = "# Book\n\n```{toctree}\n" + "\n".join([*PAGES, "teach/keys"]) + "\n```\n"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
    titled = {name: [f"# Title *{name}*", *pieces] for name, pieces in PAGES.items()}
    for name, pieces in (titled | {"index": [toc]}).items():
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": piece} if isinstance(piece, str)
            else {"cell_type": "code", "metadata": {}, "source": "answer()", "outputs": piece, "execution_count": 1}
            for piece in pieces
        ]  # fmt: skip
        notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
        (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-w", folder / "log", folder, folder / "out"]
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    return folder / "out", (folder / "log").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def page(site):
    """Call it with the name of a page, of which the build must not have complained, for its parsed HTML."""

    def parsed(name):
        assert [line for line in site[1] if f"/{name}.ipynb:" in line] == []
        return BeautifulSoup((site[0] / f"{name}.html").read_text(encoding="utf-8"), "html.parser")

    return parsed


def texts(parts) -> list[str]:
    return [part.get_text().strip() for part in parts]


def test_page_lists_its_guesses_by_section(page):
    counted = {name: page(name).select_one(".guess-tally") for name in ("choice", "shared")}
    heads = {name: texts(tally("p")) for name, tally in counted.items()}
    assert heads == {
        "choice": ["One question to guess at, by section:"],
        "shared": ["2 questions to guess at, by section:"],
    }
    assert [link["href"] for link in counted["shared"]("a")] == ["#guess-key", "#guess-growth"]
    assert texts(counted["choice"]("li")) == [r"Section \(x\)"]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_mistake_is_a_warning_with_its_place(site, number):
    """The book is built with warnings as errors."""
    place = rf".*/wrong-{number}\.ipynb:\d+: WARNING: {re.escape(WRONG[number][1])}"
    told = [line for line in site[1] if f"/wrong-{number}.ipynb" in line]
    assert [line for line in told if re.match(place, line)], told


# Page, selector, and its texts, or how many there are.
SHOWN = [
    ("choice", "#guess-key[data-kind=choice] .guess-items li[data-item]", ["k1", r"\(k_2\)"]),
    ("choice", "#guess-key .guess-question p", ["“Two” keys compete.", "Which wins?"]),  # quotation marks turn right
    ("choice", "#guess-key details:not([open]) .guess-truth", [r"\(k_2\)"]),
    ("choice", "#guess-key details:not([open]) .guess-because", ["Because it is longer."]),
    ("choice", ".guess-block > #guess-key + .guess-opened p", ["Text."]),
    ("choice", ".guess-block > #guess-key + .guess-opened .cell", 2),
    ("choice", ".cell", 3),
    ("choice", ".cell p", []),  # the answer is in its box alone
    ("choice", ".guess-tally li[data-guess=key] a[href='#guess-key']", [r"Section \(x\)"]),
    ("shared", ".guess-block", 2),
    ("shared", "#guess-key + .guess-opened .guess-block #guess-growth .guess-truth", ["4.02 times"]),
    ("shared", "#guess-key + .guess-opened .guess-block #guess-growth + .guess-opened .cell", 2),
    ("no-output", ".guess-opened p", ["Text."]),
    ("no-output", ".guess-opens", ["Opens the answer."]),
    ("marker", ".guess-opened p", ["It is.", "More."]),
    ("marker", ".guess-opens", ["Opens 1 finding."]),
    ("marker", "section > p", ["Free."]),
    ("finding-told", ".guess-opened p", [r"It is \(x\)."]),
    ("finding-told", "section > p", ["Free."]),
    ("order", "#guess-near[data-kind=order] .guess-truth li", ["cat", "kitten", "car"]),
    ("order", "#guess-near .guess-hint", ["In order, from near to far."]),
    ("finding", "div.finding[role=note][aria-label=Finding] p", [r"It is \(x\).", "More."]),
    ("finding", "div.finding p:first-child > strong", [r"It is \(x\)."]),
    ("opening", "h1 + .hero > .ask:nth-child(1)", ["Why two?"]),
    ("opening", ".hero > .ask > em", ["two"]),
    ("opening", ".hero > .thing:nth-child(2) figure img[alt='Two lines.']", 1),  # moved up from its own place
    ("opening", "figure img", 1),
    ("opening", ".hero > .lead:nth-child(3)", ["They differ."]),
    ("opening", ".outcomes > :first-child p", ["After this chapter you can", "tell one;", r"draw \(x\)."]),
    ("opening", ".outcomes > :last-child p", ["5 min Mirrors R 4.", "Measured here: two lines."]),
    ("opening", ".outcomes:last-child p:first-child > a[href='#claims']", ["Mirrors R 4."]),
    ("opening", "section > p", ["Text."]),
    ("opening-cell", ".hero > .ask + .cell + .lead:last-child", 1),
    ("opening-cell", ".cell", 2),
    ("lab", "#chance > h3 + details.lab:not([open]) > summary", ["LabA hundred walks. Opens 1 finding."]),
    ("lab", "#chance > details.lab > summary em", ["hundred"]),
    ("lab", "#chance > details.lab > p, #chance .finding p", ["No.", "It is none."]),
    ("lab", "#after > p", ["On."]),
    ("lab", "#exercises > p", ["Try."]),
    ("lab", "#exercises > details.exercise:not([open]) > summary", ["1. One.", "2. Two."]),
    ("lab", "#exercises > details.exercise p", ["1. One.", "Do it.", "More.", "2. Two.", "Think. Hard."]),
    ("lab", "#exercises #there", ["Think. Hard."]),
    ("proof", "#thing p", ["It is soR 6.1, eq. 18. Not (R 2 says)."]),  # the mark is in the margin
    ("proof", f"#thing p > a.src[href='#claims'][title='{REZAEI}']", ["R 6.1, eq. 18"]),
    ("proof", "#proof > h2 + details.proof:not([open]) > summary + .documents", [f"{LUISTO}; {REZAEI}."]),
    ("proof", "#proof > details.proof #claims > h3", ["Claims¶"]),
    ("again", "[data-again]", 3),
    ("again", "#guess-growth .guess-question p", ["Here?"]),  # the page asks as it did
    ("teach/keys", "section > ul li", ["tell one;", r"draw \(x\)."]),
    ("teach/keys", ".hands .hands-title", ["A show of hands"] * 3),
    ("teach/keys", ".hands ol li", ["cat", "kitten", "car"]),
    ("teach/keys", ".hands [id]", 0),  # the chapter's page has the guess's own anchor
    ("teach/keys", "a[href='../../slides/keys.html']", ["slides"]),
    ("teach/keys", "a[href='../../sheets/keys.html']", ["one page"]),
    ("teach/keys", "a[href='../keys.html#view=gaze_view&text=A+door+%26+a+bear.']", ["A door & a bear."]),
    ("teach/keys", "a[href='../keys.html#view=context&text=One.&text2=Two%3F']", ["One. / Two?"]),
    ("keys", ".outcomes a[href='teach/keys.html']", ["Teach it"]),
    ("keys", ".outcomes a[href='../slides/keys.html']", ["Slides"]),
    ("keys", ".outcomes a[href='../sheets/keys.html']", ["On one page"]),
]
HANDS = [  # what a show of hands says, line by line
    ["Two", "Which wins?", "k1", "k_2", "Most say k1.", "The answer: ", "k_2", "Because it is longer."],
    ["How?", "car", "cat", "kitten", "from near to far", "They know.", "The answer: ", "cat", "Because so."],
    ["How much?", "___ times", "Offer 2, 4.", "Few say 2.", "The answer: 4.02 times.", "Because so."],
]


@pytest.mark.parametrize("name, where, expected", SHOWN)
def test_page_shows_what_its_author_means(page, name, where, expected):
    found = page(name).select(where)
    assert (len(found) if isinstance(expected, int) else texts(found)) == expected


def test_show_of_hands_asks_then_tells(page):
    for box, parts in zip(page("teach/keys").select(".hands"), HANDS, strict=True):
        assert re.search(".*".join(map(re.escape, parts)), box.get_text(), re.S), box


@pytest.mark.parametrize("name, value", WITHIN.values())
def test_number_is_right_within_what_its_box_says(page, name, value):
    assert page(f"within-{name}-{value}").select_one("#guess-growth")[f"data-{name}"] == value


def test_guess_that_comes_back_is_a_card(site):
    script = (site[0] / "_static" / "cards.js").read_text(encoding="utf-8")
    assert json.loads(re.fullmatch(r"BOOK_CARDS = (.*);\n", script)[1]) == [  # and no other guess is one
        {
            "page": "again", "title": "Title again", "name": "key", "kind": "choice", "items": ["k1", "2 k_2"],
            "question": "“Two” keys, d_k = 4. Which wins?", "because": "Because it is longer.",
            "truth": "2 k_2", "told": "2 k_2", "hint": "", "given": {},
        },
        {
            "page": "again", "title": "Title again", "name": "growth", "kind": "number", "items": [],
            "question": "From d_k to 2 d_k, “how” much?", "because": "Because so.",
            "truth": 4.02, "told": "4.02%", "hint": "Within 5 is right.", "given": {"unit": "%", "units": "5"},
        },
        {
            "page": "again", "title": "Title again", "name": "near", "kind": "order", "items": ["car", "cat", "kitten"],
            "question": "Who is near?", "because": "Because so.", "truth": ["cat", "kitten", "car"],
            "told": "cat, kitten, car", "hint": "In order, from near to far.", "given": {},
        },
    ]  # fmt: skip


def test_show_of_hands_needs_a_guess(site):
    (told,) = [line for line in site[1] if "keys.md" in line]
    assert "keys.md:19: WARNING: hands: keys has no guess far" in told


def test_plan_is_made_again_when_its_chapter_is():
    env = SimpleNamespace(found_docs={"book/heads", "book/bert", "book/teach/heads", "book/teach/bert", "index"})
    assert teach.outdated(None, env, set(), {"book/heads", "index"}, set()) == ["book/teach/heads"]
