"""A chapter's notebook says the same as its page, in plain Markdown."""

import json

import pytest

for package in ("jupytext", "myst_nb", "pybtex"):
    pytest.importorskip(package)
make_notebooks = pytest.importorskip("make_notebooks")

CONFIG = """\
repository: {url: https://example.org/us/book, branch: main}
bibtex_bibfiles: [book/references.bib]
sphinx: {config: {mathjax3_config: {tex: {macros: {R: '\\mathbb{R}'}}}}}
"""
TOC = "root: book/index\nparts:\n- numbered: 1\n  chapters: [{file: book/one}, {file: book/two}]\n"
REFERENCES = """@misc{two2020, author = {A, Ann and B, Bob}, title = {T}, year = {2020}, url = {https://example.org/t}}
@misc{three2021, author = {C, Cy and D, Di and E, Ed}, title = {T}, year = {2021}}
"""
FRONT_MATTER = "---\nfile_format: mystnb\nkernelspec: {name: python3, display_name: Python 3}\n---\n"
FIGURE = """
```{code-cell} python3
---
tags: [hide-input]
mystnb:
  image:
    alt: A line.
  figure:
    caption: One $x$.
    name: fig-line
---
plot(1)
```
"""


@pytest.fixture
def markdown(tmp_path):
    """A function from a chapter's Markdown to the notebook's cells, as (kind, source)."""

    def convert(text: str) -> list[tuple[str, str]]:
        (tmp_path / "book").mkdir()
        (tmp_path / "_config.yml").write_text(CONFIG)
        (tmp_path / "_toc.yml").write_text(TOC)
        (tmp_path / "book" / "references.bib").write_text(REFERENCES)
        (tmp_path / "book" / "index.md").write_text("# Preface\n")
        (tmp_path / "book" / "one.md").write_text("# One\n\n$$ a $$ (eq-a)\n\n(sec-a)=\n## A section\n")
        (tmp_path / "book" / "two.md").write_text(f"{FRONT_MATTER}\n# Two\n\n{text}\n")
        cells = json.loads(make_notebooks.notebook(make_notebooks.Book(tmp_path), "two"))["cells"]
        return [(cell["cell_type"], "".join(cell["source"])) for cell in cells]

    return convert


def body(cells):
    return cells[2][1].removeprefix("# Two").strip()


@pytest.mark.parametrize(
    "before, after",
    [
        ("{cite:t}`two2020`", "[A and B (2020)](https://example.org/t)"),
        ("{cite:p}`two2020,three2021`", "([A and B, 2020](https://example.org/t); C et al., 2021)"),
        ("{eq}`eq-a`", "(1.1)"),
        ("{ref}`sec-a`", "A section"),
        ("{ref}`there <sec-a>`", "there"),
        ("{doc}`one`", "[One](https://example.org/us/book/blob/main/book/one.ipynb)"),
        ("[there](one.md#sec-a)", "[there](https://example.org/us/book/blob/main/book/one.ipynb#sec-a)"),
        ("$x \\in \\R^n$ and `$\\R$`", "$x \\in \\mathbb{R}^n$ and `$\\R$`"),
        ("$$\nx \\in \\R\n$$ (eq-b)", "$$\nx \\in \\mathbb{R} \\tag{2.1}\n$$"),
        (":::{admonition} Guess\n:class: tip\nWhat?\n:::", "> **Guess**\n>\n> What?"),
        ("```{note}\nText {eq}`eq-a`\n```", "> **Note**\n>\n> Text (1.1)"),
        (":::{dropdown} Solution\nYes.\n:::", "<details><summary>Solution</summary>\n\nYes.\n\n</details>"),
        ("```python\n$$ {eq}`no` $$\n```", "```python\n$$ {eq}`no` $$\n```"),
        (
            ":::{list-table} Title\n:name: tab-a\n* - a\n  - b\n* - 1\n  - 2\n:::\n\n{numref}`tab-a`",
            '<a id="tab-a"></a>**Table 2.1.** Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nTable 2.1',
        ),
    ],
)
def test_markdown_of_the_book_becomes_plain_markdown(markdown, before, after):
    assert body(markdown(before)) == after


def test_a_figure_keeps_its_number_and_its_caption(markdown):
    cells = markdown(f"See {{numref}}`fig-line`.\n{FIGURE}")
    assert body(cells) == "See Fig. 2.1."
    assert cells[3:] == [("code", "plot(1)"), ("markdown", '<a id="fig-line"></a>**Fig. 2.1.** One $x$.')]


def test_the_first_code_cell_installs_only_what_is_missing(markdown):
    kind, source = markdown("Text")[1]
    assert kind == "code" and "--no-deps" in source and "git+https://example.org/us/book@main" in source


def test_an_unknown_role_is_an_error(markdown):
    with pytest.raises(ValueError, match="glue"):
        markdown("{glue}`x`")


def test_the_notebooks_are_in_step_with_the_chapters():
    if not list((make_notebooks.ROOT / "book").glob("*.ipynb")):
        pytest.skip("no notebooks yet: `make notebooks` writes them")
    assert make_notebooks.main(["--check"]) == 0
