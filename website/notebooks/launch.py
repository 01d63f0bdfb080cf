"""A chapter's notebook, to open elsewhere or to take along, and the repository's address.

The folder `notebooks` of the site holds every notebook and, beside them, the library's wheel: whoever has both needs no
repository. The buttons for Colab and Binder, and those that lead to the repository, are there where it lies on GitHub.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from website.notebooks.convert import handed_out
from website.origin import on_github
from website.project import ROOT

FOLDER = "notebooks"


def set_repository(app, config) -> None:
    """Tell the theme where the repository is: git knows, so no file has to be edited in a fork."""
    if origin := on_github(ROOT):
        buttons = {"use_repository_button": True, "use_edit_page_button": True}
        config.html_theme_options.update(repository_url=origin.address, **buttons)
        config.repository_address = origin.address


def link(text: str, url: str, tooltip: str, icon: str) -> dict[str, str]:
    return {"type": "link", "text": text, "url": url, "tooltip": tooltip, "icon": icon}


def add_buttons(app, pagename, templatename, context, doctree) -> None:
    """What a chapter's page offers besides the theme's buttons: its notebook in Colab, in Binder and as a file."""
    notebook, folder = f"{Path(pagename).name}.ipynb", context["pathto"](FOLDER, 1)
    if Path(pagename).parent.name != "book" or not (Path(app.outdir) / FOLDER / notebook).exists():
        return
    (download,) = [button for button in context["header_buttons"] if button.get("label") == "download-buttons"]
    download["buttons"][:0] = [
        link(".ipynb", f"{folder}/{notebook}", "The notebook, to run and to change", "fas fa-code"),
        link(".whl", f"{folder}/{app.library_wheel}", "The library, for a notebook beside it", "fas fa-cube"),
    ]
    if origin := on_github(ROOT):
        elsewhere = [
            link("Colab", origin.colab(notebook), "Open in Colab", "_static/images/logo_colab.png"),
            link("Binder", origin.binder(notebook), "Open in Binder", "_static/images/logo_binder.svg"),
        ]
        group = {"type": "group", "tooltip": "Run this page", "icon": "fas fa-rocket", "label": "launch-buttons"}
        context["header_buttons"].insert(0, group | {"buttons": elsewhere})


def write_notebooks(app) -> None:
    """Write the notebooks and the wheel, before the pages that lead to them."""
    if app.builder.name != "html":
        return
    origin, folder = on_github(ROOT), Path(app.outdir) / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    library = origin.library if origin else ""
    # A notebook of the site finds the others beside it, and what cannot be run among the pages.
    texts = handed_out(ROOT, library, lambda page, runs: f"{page}.ipynb" if runs else f"../book/{page}.html")
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    app.library_wheel = wheel.name


def setup(app):
    app.add_config_value("repository_address", "", "env")  # another one: all pages are made again
    app.connect("config-inited", set_repository)
    app.connect("builder-inited", write_notebooks)
    app.connect("html-page-context", add_buttons, priority=502)  # after the theme has made its own
