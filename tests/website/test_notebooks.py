"""A chapter's notebook says the same as its page, in plain Markdown."""

import json
from types import SimpleNamespace

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from website.notebooks.convert import BESIDES, FILES, INSTALL, NO_ADDRESS, Book, folded, notebook

CONFIG = """\
title: The book
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


def code(*lines: str) -> str:
    return "\n\n".join(f"```{{code-cell}} python3\n{line}\n```" for line in lines)


@pytest.fixture
def cells(tmp_path):
    """A function from a chapter's Markdown to its notebook's cells, each with its source as one text."""

    def convert(text: str) -> list[dict]:
        (tmp_path / "book").mkdir(exist_ok=True)
        files = {"_config.yml": CONFIG, "_toc.yml": TOC, "book/references.bib": REFERENCES}
        files |= {"book/index.md": "# Preface\n", "book/two.md": f"{FRONT_MATTER}\n# Two\n\n{text}\n"}
        files["book/one.md"] = f"{FRONT_MATTER}\n# One\n\n$$ a $$ (eq-a)\n\n(sec-a)=\n## A section\n"
        for name, content in files.items():
            (tmp_path / name).write_text(content)
        made = json.loads(notebook(Book(tmp_path), "two"))["cells"]
        return [cell | {"source": "".join(cell["source"])} for cell in made]

    return convert


@pytest.mark.parametrize(
    "before, after",
    [
        ("{cite:t}`two2020`", "[A and B (2020)](https://example.org/t)"),
        ("{cite:p}`two2020,three2021`", "([A and B, 2020](https://example.org/t); C et al., 2021)"),
        ("{eq}`eq-a`", "[(1.1)](one.ipynb)"),
        ("{ref}`sec-a`", "[A section](one.ipynb)"),
        ("{ref}`there <sec-a>`", "[there](one.ipynb)"),
        ("{doc}`one`", "[One](one.ipynb)"),
        ("[there](one.md#sec-a) and [](one.md)", "[there](one.ipynb) and [One](one.ipynb)"),
        ("[Preface](index.md)", "[Preface](index.md)"),
        ("$$ b $$ (eq-b)\n\n{eq}`eq-b`", "$$\nb \\tag{2.1}\n$$\n\n(2.1)"),
        ("{term}`head` and {term}`heads <head>`", "head and heads"),
        ("$x \\in \\R^n$ and `$\\R$`", "$x \\in \\mathbb{R}^n$ and `$\\R$`"),
        ("$$\nx \\in \\R\n$$ (eq-b)", "$$\nx \\in \\mathbb{R} \\tag{2.1}\n$$"),
        (":::{admonition} Guess\n:class: tip\nWhat?\n:::", "> **Guess**\n>\n> What?"),
        ("```{note}\nText\n```", "> **Note**\n>\n> Text"),
        (":::{note}\n$$\na\n$$\n$b\nc$\n:::", "> **Note**\n>\n> $$ a $$\n>\n> $b c$"),
        (":::{finding} It is $x$.\nMore.\n:::", "> **It is $x$.**\n>\n> More."),
        (":::{guesses}\n:::\n:::{guessed} a\n:::\nText", "Text"),
        (":::{opening} Why *twelve*?\n:figure: fig-a\n\nSo.\n:::", "**Why *twelve*?**\n\nSo."),
        (":::{outcomes}\n:mirrors: R 4\n\n- tell.\n:::", "After this chapter you can\n\n- tell.\n\nMirrors R 4."),
        (":::{guess} a\nWhich?\n\n- one\n\nBecause so.\n:::", "> **Guess first**\n>\n> Which?\n>\n> - one"),
        (
            ":::{guess} a\n:unit: times\nHow many?\n\nBecause so.\n:::",
            "> **Guess first**\n>\n> How many?\n>\n> Your guess: ____ times\n>\n> Within 20% is right.",
        ),
        ("{reading-time}`one`", "5 minutes"),
        (":::{dropdown} Solution\nYes.\n:::", "<details><summary>Solution</summary>\n\nYes.\n\n</details>"),
        (
            ":::{note} A title\n:class: dropdown\nYes.\n:::",
            "<details><summary>A title</summary>\n\nYes.\n\n</details>",
        ),
        ("```python\n$$ {eq}`no` $$\n```", "```python\n$$ {eq}`no` $$\n```"),
        (
            ":::{list-table} Title\n:name: tab-a\n* - a\n  - b\n* - 1\n  - 2\n:::\n\n{numref}`tab-a`",
            '<a id="tab-a"></a>**Table 2.1.** Title\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n[Table 2.1](#tab-a)',
        ),
    ],
)
def test_markdown_of_the_book_becomes_plain_markdown(cells, before, after):
    assert cells(before)[0]["source"].split("Edit that file.)*\n", 1)[1].strip() == after


@pytest.mark.parametrize("inserted", ["x = 2", "print(x)"])
def test_inserted_cell_leaves_the_others_their_ids(cells, inserted):
    """Also one with the same text as another: of equal cells the ids are the same as before, and one more."""
    before = [cell["id"] for cell in cells(code("x = 1", "print(x)", "x += 1", "print(x)"))]
    after = [cell["id"] for cell in cells(code("x = 1", inserted, "print(x)", "x += 1", "print(x)"))]
    assert len(set(after)) == len(after) == len(before) + 1
    assert len(set(after) - set(before)) == 1


def test_answer_is_folded_above_its_reason(cells):
    guess = ":::{guess} a\n:unit:\nHow many?\n\nBecause $1 + 1 = 2$.\n:::\n\n"
    computed, answer, why = cells(guess + code("1 + 1", "answer('a', 1 + 1)"))[2:]
    assert computed["source"] == "1 + 1" and "cellView" not in computed["metadata"]
    assert answer["source"] == "#@title Compare with your guess\nanswer('a', 1 + 1)"
    assert answer["metadata"]["cellView"] == "form"
    assert why["source"] == "<details><summary>Why</summary>\n\nBecause $1 + 1 = 2$.\n\n</details>"


def test_figure_keeps_number_caption_and_alternative_text(cells):
    about, _, drawn, below = cells(f"See {{numref}}`fig-line`.\n{FIGURE}")
    assert about["source"].endswith("See [Fig. 2.1](#fig-line).") and drawn["source"] == "plot(1)"
    assert below["source"].startswith('<a id="fig-line"></a>**Fig. 2.1.** One $x$.\n')
    assert below["source"].endswith("<details><summary>This picture in words</summary>\n\nA line.\n\n</details>")


def test_cited_works_are_at_the_end(cells):
    assert cells("{cite}`three2021,two2020`")[-1]["source"].split("\n") == [
        "## References",
        "",
        "- Ann A and Bob B. T. 2020. URL: [https://example.org/t](https://example.org/t).",
        "- Cy C, Di D, and Ed E. T. 2021.",
    ]


@pytest.mark.parametrize(
    "tag, code, output",
    [("hide-input", True, False), ("hide-output", False, True), ("hide-cell", True, True), ("other", False, False)],
)
def test_notebooks_fold_the_same_parts_as_pages(tag, code, output):
    metadata = folded({tag})
    jupyter = metadata.get("jupyter", {})
    assert (metadata.get("cellView") == "form") == jupyter.get("source_hidden", False) == code
    assert metadata.get("collapsed", False) == jupyter.get("outputs_hidden", False) == output


@pytest.mark.parametrize("text", ["{glue}`x`", ":::{glue} x\n:::"])
def test_unknown_role_or_directive_is_an_error(cells, text):
    with pytest.raises(ValueError, match="glue"):
        cells(text)


LIBRARY, WHEEL = "git+https://example.org/us/book@1", "tutorial_lib-0.1.0-py3-none-any.whl"
PIP = "pip install --quiet --no-deps {library} " + " ".join(FILES)
MISSING = "pip install --quiet {missing}"


@pytest.fixture
def install(monkeypatch, tmp_path):
    """Runs the install cell with some modules present: what it asked for, and the names that it then has."""

    def run(address: str, here: set[str]):
        cell, asked = INSTALL.replace(NO_ADDRESS, f'\nlibrary = "{address}"\n'), []
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if name in here else None)
        shell = SimpleNamespace(run_line_magic=lambda name, line: asked.append(f"{name} {line}"))
        exec(TransformerManager().transform_cell(cell), names := {"get_ipython": lambda: shell})
        return asked, names

    return run


@pytest.mark.parametrize(
    "address, lacks, library, asked",
    [
        (LIBRARY, set(), LIBRARY, [PIP]),
        (LIBRARY, {"apsw", "umap"}, LIBRARY, [PIP, MISSING]),
        (LIBRARY, set(), WHEEL, [PIP]),  # one that lies beside the notebook comes first
        ("", set(), WHEEL, [PIP]),
    ],
)
def test_install_cell_asks_pip_for_what_is_missing(install, tmp_path, address, lacks, library, asked):
    if library == WHEEL:
        (tmp_path / WHEEL).touch()
    found, names = install(address, set(BESIDES) - lacks)
    assert (found, names["library"]) == (asked, library)
    assert names["missing"].split() == [BESIDES[name] for name in sorted(lacks)]


def test_install_cell_says_why_it_installs_nothing(install, capsys):
    assert install("", {"tutorial_book"})[0] == [] and "already installed" in capsys.readouterr().out
    with pytest.raises(RuntimeError, match="download the file tutorial_lib"):
        install("", set())
