"""One letter, one meaning, in all chapters: what book/letters.tsv says of them is what the formulas use."""

import ast
import re
from pathlib import Path

import pytest
import yaml

letters = pytest.importorskip("letters")
values = pytest.importorskip("values")
TOC = yaml.safe_load((letters.ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [Path(file).name for file in [TOC["root"], *(c["file"] for part in TOC["parts"] for c in part["chapters"])]]
ROWS = letters.rows()
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?:---\n.*?^---\n)?(?::[^\n]*\n)*(.*?)^```$", re.M | re.S)
KNOWN = {letter for row in ROWS for letter in row.letters}


def covers(row, page: str) -> bool:
    """Whether a letter may stand on this page with the meaning of this row."""
    if row.chapters.endswith("+"):
        return PAGES.index(page) >= PAGES.index(row.chapters[:-1])
    return row.chapters == "all" or page in row.chapters.split()


def used(text: str) -> dict[str, str]:
    """The letters of a page, each with the first formula that has it."""
    found = {}
    for formula in letters.formulas(text):
        for letter in letters.symbols(formula, KNOWN):
            found.setdefault(letter, " ".join(formula.split()))
    return found


def wrong(page: str, text: str) -> dict[str, str]:
    """The letters of a page that have no meaning there, or two."""
    meanings = {letter: [row for row in ROWS if letter in row.letters and covers(row, page)] for letter in used(text)}
    return {letter: used(text)[letter] for letter, rows in meanings.items() if len(rows) != 1}


def source(page: str) -> str:
    return values.text_of(letters.ROOT, f"book/{Path(page).name}.md")


@pytest.mark.parametrize("name", PAGES)
def test_each_letter_of_a_page_has_one_meaning_there(name):
    assert wrong(name, source(name)) == {}, "letter: formula. What does it mean? See book/letters.tsv"


def test_a_letter_has_one_meaning_but_for_two():
    every = [letter for row in ROWS for letter in row.letters]
    assert sorted({letter for letter in every if every.count(letter) > 1}) == [r"\mu", "k"]


def code(page: str) -> set[str]:
    """What the cells of a page assign."""
    trees = [ast.parse(cell) for cell in CELL.findall(source(page))]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


@pytest.mark.parametrize("name", PAGES[1 : PAGES.index("seeing")])
def test_where_letters_are_learned_a_capital_one_in_code_means_what_it_means_in_formulas(name):
    named = {letter for row in ROWS if covers(row, name) for letter in row.code.split(", ")}
    assert {letter for letter in code(name) if re.fullmatch("[A-Z](_[A-Z])?", letter)} <= named


def test_each_row_is_used_from_its_chapter_on():
    on = {page: used(source(page)).keys() | code(page) for page in PAGES}
    for row in ROWS:
        pages = {"all": PAGES}.get(row.chapters) or [name.rstrip("+") for name in row.chapters.split()]
        assert set(pages) <= set(PAGES), row
        letters_of = {*row.letters, *row.code.split(", ")}
        assert any(letters_of & on[page] for page in pages), f"no page of {pages} has {row.meaning}"


# Where code does not write a letter as the formula does, this is what it writes.
OTHER_NAMES = {"h": "n_heads", "L": "n_layers", "u": "U", "t": "id", r"\mathcal{V}": "vocab", r"\ell": "loss",
               "G, g": "G", "b_K, b_V, b_O, b": "b", r"\varepsilon": "eps", "": "C"}  # fmt: skip
LIBRARY = "\n".join(path.read_text(encoding="utf-8") for path in (letters.ROOT / "tutorial_lib").glob("*.py"))


def as_code(letter: str) -> str:
    """A letter as code writes it: d_{\\text{model}} is d_model."""
    return re.sub(r"\\text|[\\{}]", "", letter)


@pytest.mark.parametrize("row", [row for row in ROWS if row.code], ids=lambda row: f"{row.code} {row.chapters}")
def test_the_name_in_code_is_the_letter_s_and_is_used(row):
    theirs = OTHER_NAMES.get(", ".join(row.letters), ", ".join(map(as_code, row.letters)))
    assert row.code == theirs
    pages = [page for page in PAGES if covers(row, page)]
    cells = "\n".join([LIBRARY, *(cell for page in pages for cell in CELL.findall(source(page)))])
    assert [name for name in row.code.split(", ") if not re.search(rf"(?<!\w){name}(?!\w)", cells)] == []


@pytest.mark.parametrize(
    "text, expected",
    [
        (r"An unknown $\zeta$.", [r"\zeta"]),
        (r"$$ \sum_i \zeta_i $$ (eq-z)", [r"\zeta"]),
        ("```{math}\n:label: eq-z\n\\zeta = 1\n```", [r"\zeta"]),
        (":::{guess} name\nHow large is $N$?\n\nBecause $D$.\n:::", ["D", "N"]),
        ("```{code-cell} python3\n---\nmystnb:\n  figure:\n    caption: One $N$.\n---\nplot('$D$')\n```", ["N"]),
        (":::{dropdown} What the documents print\n$N$\n:::", []),
        (r"`$N$`, \$5 and \$6, $\text{Nothing}_{\operatorname{new}}$, $W_Q^i$, $d_{\text{model}}$", []),
    ],
)
def test_a_letter_without_a_meaning_is_found_wherever_it_stands(text, expected):
    assert sorted(wrong("bert", text)) == expected


def test_a_letter_before_its_chapter_is_found():
    assert wrong("attention", r"$\gamma$") and not wrong("bert", r"$\gamma$")


def test_the_table_has_all_rows_or_those_that_all_chapters_share():
    whole, short = letters.table().split("\n")[2:], letters.table(everywhere=True).split("\n")[2:]
    shared = [row for row in ROWS if row.chapters == "all"]
    assert len(whole) == len(ROWS) and len(short) == len(shared)
    assert "| $d_{\\text{model}}$ | `d_model` | how many numbers stand for one token |" in whole
    assert "| *d*<sub>model</sub> | `d_model` | how many numbers stand for one token |" in short
    assert short[-1].startswith("| *W*<sub>Q</sub>, *W*<sub>K</sub>,")
    assert not any(mark in line for line in short for mark in "$\\{}")
