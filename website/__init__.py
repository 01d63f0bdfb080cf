"""The site: everything that turns book/ into pages, notebooks, slides and a PDF.

`python -m website` lists the commands.

    build/       runs the chapters, stores their outputs, and fills the text with their values
    directives/  the directives and everything else that Sphinx adds to a page: one module for each
    notebooks/   a notebook of each chapter, offered on its page for Colab and Binder
    slides/      slides and sheets of the chapters that have a teacher's page
    book.py      all of it in order, for `make book`

As a Sphinx extension, this package is one entry in _config.yml.
"""

from importlib import import_module

# If two handle one event with the same priority, the first in this order runs first.
EXTENSIONS = [
    "directives.nodes", "directives.again", "directives.api", "directives.cards", "directives.coursework",
    "directives.chapters", "directives.figures", "directives.guess", "notebooks.launch", "directives.letters",
    "directives.live", "directives.opening", "directives.folds", "directives.search", "directives.theme",
    "directives.formulas", "directives.teach", "directives.terms", "directives.times", "build.values",
    "directives.way",
]  # fmt: skip


def setup(app) -> dict:
    """Set up all extensions."""
    for name in EXTENSIONS:
        import_module(f"website.{name}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
