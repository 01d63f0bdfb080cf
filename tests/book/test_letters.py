"""Each letter of the formulas has one meaning: pages use letters as book/letters.tsv says."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

formulas = pytest.importorskip("website.directives.formulas")
letters = pytest.importorskip("website.directives.letters")
markdown = pytest.importorskip("website.directives.markdown")
values = pytest.importorskip("website.build.values")
TOC = yaml.safe_load((letters.ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [Path(file).name for file in [TOC["root"], *(c["file"] for part in TOC["parts"] for c in part["chapters"])]]
ROWS = letters.rows()
KNOWN = {letter for row in ROWS for letter in row.letters}
NUMBERED = re.compile(r"\$\$((?:(?!\$\$).)+)\$\$ \((eq-[\w-]+)\)", re.S)
# The code's names for letters, if they differ from the formula's.
OTHER_NAMES = {"h": "n_heads", "L": "n_layers", "u": "U", "t": "id", r"\mathcal{V}": "vocab", r"\ell": "loss",
               "G, g": "G", "b_K, b_V, b_O, b": "b", r"\varepsilon": "eps", "": "C"}  # fmt: skip
THEIRS = "What the documents print"  # in this box, letters are those of the documents
CODE = re.compile(r"(`+).+?\1", re.S)
WORDS = re.compile(r"\\(?:text|mathrm|operatorname|begin|end)\{[^}]*\}")
GREEK = """alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi
varphi chi psi omega ell Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""".split()
SYMBOL = re.compile(rf"\\(?:{'|'.join(GREEK)})(?![A-Za-z])|\\(?:mathcal|bar|hat)\{{\w\}}|\\[A-Za-z]+|[A-Za-z]")


def formulas_of(text: str):
    """Yield the formulas of a page, as LaTeX: in its text, boxes and captions, not in code or in THEIRS."""
    for head, lines in markdown.blocks(text):
        body = "\n".join(lines)
        if head is None:
            yield from (inner or display for display, inner in letters.FORMULA.findall(CODE.sub("", body)))
        elif (match := markdown.DIRECTIVE.match(head)) and match["name"] == "math":
            yield "\n".join([match["argument"], *markdown.split_directive(lines)[1]])
        elif match and match["argument"] != THEIRS:
            if match["name"] == "code-cell":
                body = body.split("---\n")[1] if lines[0] == "---" else ""  # its metadata
            yield from formulas_of(f"{match['argument']}\n{body}")


def symbols(formula: str, known: set[str]) -> set[str]:
    """Return the letters of a formula. Those of `known`, such as W_Q, count as one letter each.

    >>> sorted(symbols(r"\\softmax(q_i W_Q^\\top) + \\text{mask}", {"W_Q"}))
    ['W_Q', 'i', 'q']
    """
    found = set()
    for letter in sorted((letter for letter in known if len(letter) > 1), key=len, reverse=True):
        exact = re.compile(rf"(?<![A-Za-z\\]){re.escape(letter)}(?![A-Za-z])")
        if r"\text" not in letter:
            formula = WORDS.sub(" ", formula)
        if exact.search(formula):
            found.add(letter)
            formula = exact.sub(" ", formula)
    left = SYMBOL.findall(WORDS.sub(" ", formula))
    plain = {letter for letter in left if len(letter) == 1 or letter.lstrip("\\") in GREEK or "{" in letter}
    return found | plain


def pages_of(row) -> list[str]:
    """The pages on which the letters of a row have its meaning."""
    named = PAGES if row.chapters == "all" else row.chapters.split()
    return PAGES[PAGES.index(row.chapters[:-1]) :] if row.chapters.endswith("+") else named


@cache
def used(text: str) -> dict[str, str]:
    """The letters of a page, each with a formula that has it."""
    return {letter: formula for formula in formulas_of(text) for letter in symbols(formula, KNOWN)}


def source(page: str) -> str:
    return values.text_of(letters.ROOT, f"book/{page}.md")


@cache
def code(page: str) -> str:
    return "\n".join(cell["code"] for cell in values.CELL.finditer(source(page)))


def assigned(page: str) -> set[str]:
    """Return the names that the cells of a page assign."""
    nodes = ast.walk(ast.parse(code(page)))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


@pytest.mark.parametrize("name", PAGES)
def test_each_letter_of_a_page_has_one_meaning(name):
    here = [letter for row in ROWS if name in pages_of(row) for letter in row.letters]
    assert {letter: formula for letter, formula in used(source(name)).items() if here.count(letter) != 1} == {}
    if 0 < PAGES.index(name) < PAGES.index("seeing"):  # where letters are learned, the same in code
        known = {letter for row in ROWS if name in pages_of(row) for letter in row.code.split(", ")}
        assert {letter for letter in assigned(name) if re.fullmatch("[A-Z](_[A-Z])?", letter)} <= known


def test_letter_has_one_meaning_but_for_two():
    every = [letter for row in ROWS for letter in row.letters]
    assert sorted({letter for letter in every if every.count(letter) > 1}) == [r"\mu", "k"]


def test_numbered_formula_explains_its_letters_by_texts_of_its_own():
    texts = [(letters.ROOT / f"book/{page}.md").read_text(encoding="utf-8") for page in PAGES]
    numbered = {label: formula for text in texts for formula, label in NUMBERED.findall(text)}
    glosses = formulas.glosses()
    assert glosses.keys() <= numbered.keys()
    for label, formula in numbered.items():
        own = glosses.get(label, {})
        assert symbols(formula, {*own}) == own.keys(), f"book/formulas.tsv has other letters than {label}"
        drawn = set(map(int, re.findall(r"\\class\{sym-(\d+)\}", formulas.marked(formula, [*own]))))
        assert drawn == set(range(len(own))), f"{label} does not show all its letters"
        assert not {*own.values()} & {row.meaning for row in ROWS if row.chapters == "all"}


def test_each_row_is_used_and_written_in_code():
    library = " ".join(path.read_text(encoding="utf-8") for path in (letters.ROOT / "tutorial_lib").glob("*.py"))
    in_library = {"", *re.findall(r"\w+", library)}
    words = {page: set(re.findall(r"\w+", code(page))) for page in PAGES}
    on = {page: used(source(page)).keys() | assigned(page) for page in PAGES}
    for row in ROWS:
        pages = PAGES if row.chapters == "all" else [name.rstrip("+") for name in row.chapters.split()]
        names = row.code.split(", ")
        assert any(on[page] & {*row.letters, *names} for page in pages), f"no page of {pages} has {row.meaning}"
        as_code = ", ".join(re.sub(r"\\text|[\\{}]", "", letter) for letter in row.letters)
        assert row.code in ("", OTHER_NAMES.get(", ".join(row.letters), as_code))
        assert {*names} <= in_library.union(*(words[page] for page in pages_of(row)))


def test_letters_are_found_wherever_a_formula_is():
    page = r"""An unknown $\zeta$, and `$N$`, \$5 and \$6, $\text{Nothing}_{\operatorname{new}}$.
$$ \sum_i \xi_i $$ (eq-z)

```{math}
:label: eq-z
\eta = W_Q^i + d_{\text{model}}
```
:::{guess} name
Because $D$.
:::
```{code-cell} python3
---
mystnb: {figure: {caption: One $B$.}}
---
plot('$F$')
```
:::{dropdown} What the documents print
$H$
:::"""
    assert used(page).keys() == {r"\zeta", r"\xi", "i", r"\eta", "W_Q", r"d_{\text{model}}", "D", "B"}


def test_front_page_lists_only_letters_of_all_chapters():
    whole = letters.table().split("\n")[2:]
    short = letters.table(everywhere=True).split("\n")[2:]
    assert len(whole) == len(ROWS) and len(short) == sum(row.chapters == "all" for row in ROWS)
    assert "| $d_{\\text{model}}$ | `d_model` | how many numbers stand for one token |" in whole
    assert "| *d*<sub>model</sub> | `d_model` | how many numbers stand for one token |" in short
    assert not any(mark in line for line in short for mark in "$\\{}")
