"""The site: everything that turns book/ into pages, notebooks, slides and a PDF.

`python -m website` lists the commands.

    build/       runs the chapters, keeps what they gave, and fills the text with their values
    pages/       directives and what else Sphinx makes a page of: a module for each
    notebooks/   a notebook of each chapter, offered on its page for Colab and Binder
    slides/      slides and sheets of the chapters that have a page for their teacher
    book.py      all of it in a row, for `make book`

As an extension of Sphinx, this package is one entry in _config.yml.
"""

from importlib import import_module

# If two answer one event with one priority, the first in this order comes first.
EXTENSIONS = [
    "pages.nodes", "pages.again", "pages.api", "pages.cards", "pages.coursework", "pages.chapters", "pages.figures",
    "pages.guess", "notebooks.launch", "pages.letters", "pages.live", "pages.opening", "pages.folds", "pages.search",
    "pages.theme", "pages.formulas", "pages.teach", "pages.terms", "pages.times", "build.values", "pages.way",
]  # fmt: skip


def setup(app) -> dict:
    """Set up all extensions."""
    for name in EXTENSIONS:
        import_module(f"website.{name}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
