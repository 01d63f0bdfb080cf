"""The site: everything that turns book/ into pages, notebooks, slides and a PDF.

`python -m website` lists the commands.

    build/       runs the chapters, keeps what they gave, and fills the text with their values
    pages/       directives and what else Sphinx makes a page of: a module for each
    notebooks/   a notebook of each chapter, offered on its page for Colab and Binder
    slides/      slides and sheets of the chapters that have a page for their teacher
    book.py      all of it in a row, for `make book`

As an extension of Sphinx, this package is one entry in _config.yml.
"""


def setup(app) -> dict:
    """Set up all extensions. If two answer one event with one priority, the first in this order comes first."""
    from website.build import values
    from website.notebooks import launch
    from website.pages import (
        again,
        api,
        cards,
        chapters,
        coursework,
        figures,
        folds,
        formulas,
        guess,
        letters,
        live,
        nodes,
        opening,
        search,
        teach,
        terms,
        theme,
        times,
        way,
    )  # fmt: skip

    for extension in (
        nodes, again, api, cards, coursework, chapters, figures, guess, launch, letters, live, opening, folds, search,
        theme, formulas, teach, terms, times, values, way,
    ):  # fmt: skip
        extension.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
