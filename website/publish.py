"""The files that the workflow publishes, made from the built site and the PDF:

    python -m website publish        (after `make pdf`; `make publish` does all)

    _build/publish/transformers-from-scratch   the site, with the PDF and a zip of itself
    _build/publish/notebooks                   the files of the branch `notebooks`, with their repository's address
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from website.directives.markdown import table
from website.notebooks.convert import handed_out
from website.origin import BRANCH, Origin
from website.project import ROOT, say, template

NAME = "transformers-from-scratch"
FOOTER = "Code: MIT.</p>"  # the end of the footer of _config.yml
OFFER = """
<p>Take it along: <a href="{up}{name}.pdf">PDF</a>, <a href="{up}{name}.zip">this site as a zip</a>.</p>"""
CARD = re.compile(r'(property="og:image" content=")(?:\.\./)*(_static/)')
README = Path(__file__).parent / "notebooks" / "published.md"


def pages_address(origin: Origin) -> str | None:
    """Return the address at which GitHub Pages shows the site.

    >>> pages_address(Origin("https://github.com/Us/book", ""))
    'https://us.github.io/book'
    >>> pages_address(Origin("https://github.com/us/us.github.io", ""))
    'https://us.github.io'
    """
    if not origin.on_github:
        return None
    owner, repository = origin.address.rsplit("/", 2)[1:]
    host = f"{owner.lower()}.github.io"
    return f"https://{host}" if repository.lower() == host else f"https://{host}/{repository}"


def publish_site(root: Path, origin: Origin) -> Path:
    """Copy the built site, add links to the PDF and the zip to its pages, and give pictures their full address."""
    site, address = root / "_build" / "publish" / NAME, pages_address(origin)
    shutil.copytree(root / "_build" / "html", site)
    shutil.copy(root / "_build" / f"{NAME}.pdf", site)
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        offer = OFFER.format(up=up, name=NAME)
        text = page.read_text(encoding="utf-8").replace(FOOTER, FOOTER + offer)
        page.write_text(CARD.sub(rf"\g<1>{address}/\g<2>", text) if address else text, encoding="utf-8")
    archive = shutil.make_archive(str(site), "zip", site.parent, NAME)
    shutil.move(archive, site)
    return site


def publish_notebooks(root: Path, origin: Origin) -> Path:
    """Return the notebooks with the repository's address, and a page that lists them."""
    folder = root / "_build" / "publish" / BRANCH
    folder.mkdir(parents=True)
    files = handed_out(root, origin.library, origin.link)
    head, rows = ["Notebook", "Colab", "Binder"] if origin.on_github else ["Notebook"], []
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
        opens = [f"[open]({origin.colab(name)})", f"[open]({origin.binder(name)})"]
        rows.append([f"[{name}]({name})", *opens][: len(head)])
    links = "\n".join(map(origin.jupyterhub, files))
    listed = "\n".join(table(head, rows))
    text = template(README, address=origin.address, commit=origin.commit[:7], table=listed, links=links)
    (folder / "README.md").write_text(text, encoding="utf-8")
    for name in ("LICENSE", "LICENSE-TEXT"):
        shutil.copy(root / name, folder)
    environment = (root / "environment.yml").read_text(encoding="utf-8")  # for Binder
    (folder / "environment.yml").write_text(environment.replace("--editable .", origin.library), encoding="utf-8")
    return folder


def main(root: Path = ROOT) -> int:
    """Make both folders. Returns the exit code."""
    origin = Origin.of(root)
    if origin is None:
        say("Published notebooks need the repository's address: git remote add origin ADDRESS", file=sys.stderr)
        return 1
    shutil.rmtree(root / "_build" / "publish", ignore_errors=True)
    for folder in (publish_notebooks(root, origin), publish_site(root, origin)):
        say(f"Ready to be published, for {origin.address}: {folder.relative_to(root)}")
    return 0

