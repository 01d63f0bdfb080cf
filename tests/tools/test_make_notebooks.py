"""A chapter's notebook says the same as its page, in plain Markdown."""

import ast
import json
import re
from pathlib import Path

import pytest

for package in ("jupytext", "myst_nb", "pybtex"):
    pytest.importorskip(package)
make_notebooks = pytest.importorskip("make_notebooks")
build_book = pytest.importorskip("build_book")

BOOK = Path(build_book.ROOT) / "book"
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


@pytest.fixture
def cells(tmp_path):
    """A function from a chapter's Markdown to the notebook's cells."""

    def convert(text: str) -> list[dict]:
        (tmp_path / "book").mkdir(exist_ok=True)
        (tmp_path / "_config.yml").write_text(CONFIG)
        (tmp_path / "_toc.yml").write_text(TOC)
        (tmp_path / "book" / "references.bib").write_text(REFERENCES)
        (tmp_path / "book" / "index.md").write_text("# Preface\n")
        one = "# One\n\n$$ a $$ (eq-a)\n\n(sec-a)=\n## A section\n"
        (tmp_path / "book" / "one.md").write_text(f"{FRONT_MATTER}\n{one}")
        (tmp_path / "book" / "two.md").write_text(f"{FRONT_MATTER}\n# Two\n\n{text}\n")
        return json.loads(make_notebooks.notebook(make_notebooks.Book(tmp_path), "two"))["cells"]

    return convert


@pytest.fixture
def markdown(cells):
    """A function from a chapter's Markdown to the notebook's cells, as (kind, source)."""

    def convert(text: str) -> list[tuple[str, str]]:
        return [(cell["cell_type"], "".join(cell["source"])) for cell in cells(text)]

    return convert


def body(cells):
    """The Markdown that came of the text: without the title and what stands below it, without the references."""
    return cells[0][1].split("Change that one.)*\n", 1)[1].strip()


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
        (":::{guesses}\n:::\nText", "Text"),
        (":::{opening} Why *twelve*?\n:figure: fig-a\n\nSo.\n:::", "**Why *twelve*?**\n\nSo."),
        (
            ":::{outcomes}\n:mirrors: R 4\n\n- tell $x$.\n:::",
            "After this chapter you can\n\n- tell $x$.\n\nMirrors R 4.",
        ),
        (":::{guessed} a\n:::\nText", "Text"),
        (
            ":::{guess} a\nWhich $x$?\n\n- one\n- two\n\nBecause so.\n:::",
            "> **Guess first**\n>\n> Which $x$?\n>\n> - one\n> - two",
        ),
        (
            ":::{guess} a\n:unit: times\nHow many?\n\nBecause so.\n:::",
            "> **Guess first**\n>\n> How many?\n>\n> Your guess: ____ times\n>\n> Within 20% is right.",
        ),
        ("{reading-time}`one`", "5 minutes"),
        (":::{dropdown} Solution\nYes.\n:::", "<details><summary>Solution</summary>\n\nYes.\n\n</details>"),
        ("```python\n$$ {eq}`no` $$\n```", "```python\n$$ {eq}`no` $$\n```"),
        (
            ":::{list-table} Title\n:name: tab-a\n* - a\n  - b\n* - 1\n  - 2\n:::\n\n{numref}`tab-a`",
            '<a id="tab-a"></a>**Table 2.1.** Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[Table 2.1](#tab-a)',
        ),
    ],
)
def test_markdown_of_the_book_becomes_plain_markdown(markdown, before, after):
    assert body(markdown(before)) == after


def code(*lines: str) -> str:
    return "\n\n".join(f"```{{code-cell}} python3\n{line}\n```" for line in lines)


@pytest.mark.parametrize("inserted", ["x = 2", "print(x)"])
def test_an_inserted_cell_leaves_the_other_cells_their_ids(cells, inserted):
    """Also one that says the same as another: of equal cells the ids are the same as before, and one more."""
    before = [cell["id"] for cell in cells(code("x = 1", "print(x)", "x += 1", "print(x)"))]
    after = [cell["id"] for cell in cells(code("x = 1", inserted, "print(x)", "x += 1", "print(x)"))]
    assert len(set(after)) == len(after) == len(before) + 1
    assert len(set(after) - set(before)) == 1


def test_the_cell_with_the_answer_is_folded_and_followed_by_the_reason(tmp_path, markdown):
    guess = ":::{guess} a\n:unit:\nHow many?\n\nBecause $1 + 1 = 2$.\n:::\n"
    code = ["1 + 1", "answer('a', 1 + 1)"]
    cells = markdown(guess + "".join(f"\n```{{code-cell}} python3\n{cell}\n```\n" for cell in code))
    assert cells[2:] == [
        ("code", "1 + 1"),
        ("code", "#@title Compare with your guess\nanswer('a', 1 + 1)"),
        ("markdown", "<details><summary>Why</summary>\n\nBecause $1 + 1 = 2$.\n\n</details>"),
    ]
    whole = json.loads(make_notebooks.notebook(make_notebooks.Book(tmp_path), "two"))
    assert whole["cells"][3]["metadata"]["cellView"] == "form" and "cellView" not in whole["cells"][2]["metadata"]


def test_a_figure_keeps_its_number_its_caption_and_its_alternative_text(markdown):
    cells = markdown(f"See {{numref}}`fig-line`.\n{FIGURE}")
    assert body(cells) == "See [Fig. 2.1](#fig-line)."
    (_, code), (_, below) = cells[2:]
    assert code == "plot(1)"
    assert below.startswith('<a id="fig-line"></a>**Fig. 2.1.** One $x$.\n')
    assert below.endswith("<details><summary>This picture in words</summary>\n\nA line.\n\n</details>")


def test_what_is_cited_stands_in_full_at_the_end(markdown):
    assert markdown("{cite}`three2021,two2020`")[-1][1].split("\n") == [
        "## References",
        "",
        "- Ann A and Bob B. T. 2020. URL: [https://example.org/t](https://example.org/t).",
        "- Cy C, Di D, and Ed E. T. 2021.",
    ]


@pytest.mark.parametrize(
    "tag, code, output",
    [("hide-input", True, False), ("hide-output", False, True), ("hide-cell", True, True), ("other", False, False)],
)
def test_what_the_page_folds_is_folded_in_colab_and_in_jupyter(tag, code, output):
    metadata = make_notebooks.folded({tag})
    jupyter = metadata.get("jupyter", {})
    assert (metadata.get("cellView") == "form") == jupyter.get("source_hidden", False) == code
    assert metadata.get("collapsed", False) == jupyter.get("outputs_hidden", False) == output


@pytest.mark.parametrize("text", ["{glue}`x`", "```{glue}\nx\n```", ":::{glue} x\n:::"])
def test_an_unknown_role_or_directive_is_an_error(markdown, text):
    with pytest.raises(ValueError, match="glue"):
        markdown(text)


@pytest.fixture
def install(monkeypatch, tmp_path):
    """Runs the install cell of a notebook where some modules are here; returns what it handed to pip."""
    from IPython.core.inputtransformer2 import TransformerManager

    def run(library: str, here: set[str]) -> list[str]:
        cell, asked = make_notebooks.INSTALL.replace(make_notebooks.NO_ADDRESS, f'\nlibrary = "{library}"\n'), []

        class Shell:
            def run_line_magic(self, name, line):
                asked.append(f"{name} {line}")

        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if name in here else None)
        run.names = {"get_ipython": Shell}
        exec(TransformerManager().transform_cell(cell), run.names)
        return asked

    return run


@pytest.mark.parametrize("lacks, besides", [(set(), []), ({"apsw"}, ["apsw"]), ({"apsw", "umap"}, ["apsw umap-learn"])])
def test_the_install_cell_asks_pip_for_the_library_the_model_and_what_is_missing(install, lacks, besides):
    commands = [f"pip install --quiet --no-deps {{library}} {' '.join(make_notebooks.FILES)}"]
    commands += ["pip install --quiet {missing}"] * len(besides)
    assert install("git+https://example.org/us/book@1", {*make_notebooks.BESIDES} - lacks) == commands
    assert install.names["library"] == "git+https://example.org/us/book@1"
    assert install.names.get("missing", "") == " ".join(besides)


@pytest.mark.parametrize("library", ["", "git+https://example.org/us/book@1"])
def test_a_wheel_beside_the_notebook_comes_first(install, tmp_path, library):
    (tmp_path / "tutorial_lib-0.1.0-py3-none-any.whl").touch()
    install(library, here={*make_notebooks.BESIDES})
    assert install.names["library"] == "tutorial_lib-0.1.0-py3-none-any.whl"


def test_the_install_cell_does_nothing_where_the_library_is_and_says_so(install, capsys):
    assert install("", here={"tutorial_book"}) == []
    assert "nothing to install" in capsys.readouterr().out


def test_the_install_cell_says_what_to_do_where_it_has_no_address(install):
    with pytest.raises(RuntimeError, match="put beside it the file tutorial_lib"):
        install("", here=set())


@pytest.mark.long
def test_a_notebook_that_is_handed_out_has_the_address_and_its_links_lead_where_they_are_told():
    def link(page: str, runs: bool) -> str | None:
        return f"https://example.org/{page}" if runs else None

    files = make_notebooks.handed_out(build_book.ROOT, "git+https://example.org/us/book@1", link)
    assert {f"{name}.ipynb" for name in CHAPTERS} < set(files) and "1-tokenization.ipynb" in files
    for name, text in files.items():
        cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
        assert sum('library = "git+https://example.org/us/book@1"' in cell for cell in cells) == 1, name
        assert not re.search(r"\]\([\w-]+\.(ipynb|md)\)", text), name
    assert "[attention by hand](https://example.org/attention)" in files["heads.ipynb"]


CHAPTERS = [path.stem for path in make_notebooks.chapters(build_book.ROOT)]
PAGES = {path.stem for path in BOOK.glob("*.md")}


@pytest.fixture(scope="module")
def book():
    return make_notebooks.Book(build_book.ROOT)


@pytest.fixture(params=CHAPTERS)
def chapter(request, book):
    return request.param, json.loads(make_notebooks.notebook(book, request.param))


def prose(notebook: dict) -> str:
    """All Markdown of a notebook, without its pieces of code."""
    text = "\n\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    return re.sub(r"(`{3,}).*?\1|`[^`\n]+`", "", text, flags=re.S)


def words(notebook: dict) -> str:
    """The prose without its formulas."""
    return re.sub(r"\$\$.+?\$\$|(?<!\\)\$[^$]+\$", "", prose(notebook), flags=re.S)


def test_a_notebook_is_valid_and_has_no_outputs(chapter):
    import nbformat

    notebook = nbformat.from_dict(chapter[1])
    nbformat.validate(notebook)
    assert [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []


def test_a_notebook_has_the_chapters_cells_after_the_install_cell(chapter):
    """Read apart from the converter: by a pattern, from the chapter's text."""
    name, notebook = chapter
    text = (BOOK / f"{name}.md").read_text(encoding="utf-8")
    written = re.findall(r"^```\{code-cell\}[^\n]*\n(?:---\n.*?\n---\n|(?::[^\n]*\n)*)(.*?)^```$", text, re.M | re.S)
    install, *cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert "%pip install" in install
    cells = [cell.removeprefix("#@title Compare with your guess\n") for cell in cells]
    assert [cell.strip() for cell in cells] == [cell.strip() for cell in written]


def test_every_cell_but_the_first_is_python_without_magic(chapter):
    code = ["".join(cell["source"]) for cell in chapter[1]["cells"] if cell["cell_type"] == "code"]
    for cell in code[1:]:
        ast.parse(cell)


def test_no_markup_of_the_site_is_left(chapter):
    left = r":::|\{[a-z:]+\}|^\+\+\+|^\([\w-]+\)=|^%|\{\{|^:\w+:|\[\]\("
    assert re.findall(left, words(chapter[1]), re.M) == []


@pytest.fixture(scope="module")
def macros():
    return make_notebooks.Book(build_book.ROOT).macros


def test_every_macro_is_spelled_out(chapter, macros):
    assert macros and re.findall(rf"\\(?:{'|'.join(macros)})(?![A-Za-z])", prose(chapter[1])) == []


def test_links_lead_to_an_address_to_a_file_or_to_a_place_on_the_page(chapter):
    text = words(chapter[1])
    targets = re.findall(r"\]\(([^)]*)\)", text)
    files = {f"{name}.{'ipynb' if name in CHAPTERS else 'md'}" for name in PAGES}
    others = [link for link in targets if not re.fullmatch(r"https?://[^\s<>]+|#[\w-]+", link)]
    assert set(others) <= files
    places = set(re.findall(r'<a id="([^"]+)"></a>', text))
    assert {link[1:] for link in targets if link.startswith("#")} <= places
