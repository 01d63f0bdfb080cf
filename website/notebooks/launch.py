"""A chapter's notebook, to open elsewhere or to download, and the repository's address.

The folder `notebooks` of the site contains every notebook and the library's wheel, so a reader with both needs no
repository. The buttons for Colab and Binder, and those that lead to the repository, appear only if it is on GitHub.
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
    """Tell the theme the repository's address: git knows it, so a fork has no file to edit."""
    if origin := on_github(ROOT):
        buttons = {"use_repository_button": True, "use_edit_page_button": True}
        config.html_theme_options.update(repository_url=origin.address, **buttons)
        config.repository_address = origin.address


def link(text: str, url: str, tooltip: str, icon: str) -> dict[str, str]:
    return {"type": "link", "text": text, "url": url, "tooltip": tooltip, "icon": icon}


def add_buttons(app, pagename, templatename, context, doctree) -> None:
    """Add to the theme's buttons on a chapter's page: its notebook in Colab, in Binder and as a file."""
    notebook, folder = f"{Path(pagename).name}.ipynb", context["pathto"](FOLDER, 1)
    if Path(pagename).parent.name != "book" or not (Path(app.outdir) / FOLDER / notebook).exists():
        return
    (download,) = [button for button in context["header_buttons"] if button.get("label") == "download-buttons"]
    download["buttons"][:0] = [
        link(".ipynb", f"{folder}/{notebook}", "The notebook, which you can run and change", "fas fa-code"),
        link(".whl", f"{folder}/{app.library_wheel}", "The library, to install next to the notebook", "fas fa-cube"),
    ]
    if origin := on_github(ROOT):
        elsewhere = [
            link("Colab", origin.colab(notebook), "Open in Colab", "_static/images/logo_colab.png"),
            link("Binder", origin.binder(notebook), "Open in Binder", "_static/images/logo_binder.svg"),
        ]
        group = {"type": "group", "tooltip": "Run this page", "icon": "fas fa-rocket", "label": "launch-buttons"}
        context["header_buttons"].insert(0, group | {"buttons": elsewhere})


def write_notebooks(app) -> None:
    """Write the notebooks and the wheel, before the pages that link to them."""
    if app.builder.name != "html":
        return
    origin, folder = on_github(ROOT), Path(app.outdir) / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    library = origin.library if origin else ""
    # A notebook of the site finds the others in the same folder, and text pages on the site.
    texts = handed_out(ROOT, library, lambda page, runs: f"{page}.ipynb" if runs else f"../book/{page}.html")
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    app.library_wheel = wheel.name


def setup(app):
    app.add_config_value("repository_address", "", "env")  # a different address: all pages are made again
    app.connect("config-inited", set_repository)
    app.connect("builder-inited", write_notebooks)
    app.connect("html-page-context", add_buttons, priority=502)  # after the theme has made its own
