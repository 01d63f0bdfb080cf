"""Where this copy of the book lives, as git knows it: the address of its remote `origin`. So a fork edits no file.

The notebooks that are published lie on a branch of their own, with this address in them (.github/workflows/book.yml).
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

BRANCH = "notebooks"
LIBRARY = ["pyproject.toml", "tutorial_lib", "tutorial_book"]
GITHUB = "https://github.com/"


def git(root: Path, *arguments: str) -> str:
    """What git answers; nothing where it has no answer, or where there is no git."""
    try:
        return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        return ""


def public_address(remote: str, root: Path) -> str:
    """A remote as everybody can use it: in a browser, for pip, and without the password that may stand in it.

    >>> public_address("git@github.com:us/book.git", Path())
    'https://github.com/us/book'
    >>> public_address("https://me:secret@github.com/us/book", Path())
    'https://github.com/us/book'
    >>> public_address("/srv/book.git", Path())
    'file:///srv/book.git'
    """
    parts = urlsplit(remote)
    if parts.scheme == "file":
        return remote
    if parts.hostname:
        port = f":{parts.port}" if parts.port and parts.scheme != "ssh" else ""
        host, path = parts.hostname + port, parts.path.lstrip("/")
    elif short := re.fullmatch(r"(?:[^/@]+@)?([^/:]+):(.+)", remote):  # as git writes ssh: git@host:us/book
        host, path = short[1], short[2].lstrip("/")
    else:
        return (root / remote).resolve().as_uri()
    scheme = parts.scheme if parts.scheme == "http" else "https"
    return f"{scheme}://{host}/{path.rstrip('/').removesuffix('.git')}"


@dataclass(frozen=True)
class Origin:
    address: str
    commit: str  # the last one that changed the library: notebooks stay as they are while it does

    @classmethod
    def of(cls, root: Path) -> Origin | None:
        """The origin of a working tree; None where it has none, or lies inside a repository of something else."""
        remote = git(root, "config", "remote.origin.url")
        if not remote or git(root, "rev-parse", "--show-prefix"):
            return None
        return cls(public_address(remote, root), git(root, "log", "-1", "--format=%H", "--", *LIBRARY))

    @property
    def on_github(self) -> bool:
        return self.address.startswith(GITHUB)

    @property
    def library(self) -> str:
        """What pip installs the library from."""
        return f"git+{self.address}@{self.commit}"

    def colab(self, notebook: str) -> str:
        repository = self.address.removeprefix(GITHUB)
        return f"https://colab.research.google.com/github/{repository}/blob/{BRANCH}/{notebook}"

    def binder(self, notebook: str) -> str:
        """Binder makes the branch's environment.yml, which installs the library."""
        repository = self.address.removeprefix(GITHUB)
        return f"https://mybinder.org/v2/gh/{repository}/{BRANCH}?{urlencode({'urlpath': f'lab/tree/{notebook}'})}"

    def jupyterhub(self, notebook: str) -> str:
        """A link for nbgitpuller: it fetches the notebooks to a student's server, and keeps what the student wrote."""
        folder = self.address.rsplit("/", 1)[-1].removesuffix(".git")
        query = {"repo": self.address, "branch": BRANCH, "urlpath": f"lab/tree/{folder}/{notebook}"}
        return f"https://HUB/hub/user-redirect/git-pull?{urlencode(query)}"

    def link(self, page: str, runs: bool) -> str | None:
        """Where a published notebook's link to another page leads, if there is such a place."""
        if self.on_github:
            return self.colab(f"{page}.ipynb") if runs else f"{self.address}/blob/HEAD/book/{page}.md"
        return f"{page}.ipynb" if runs else None


def on_github(root: Path) -> Origin | None:
    """The origin where it lies on GitHub: only there Colab opens a notebook, and only then a page offers it."""
    origin = Origin.of(root)
    return origin if origin and origin.on_github else None
