"""The address of this copy of the book, from git's remote `origin`. So a fork edits no file.

The published notebooks are on their own branch, with this address in them (.github/workflows/book.yml).
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
    """Return git's answer; an empty string if it has none, or without git."""
    try:
        return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        return ""


def public_address(remote: str, root: Path) -> str:
    """Return a remote's public form: for a browser, for pip, and without a password.

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
    elif short := re.fullmatch(r"(?:[^/@]+@)?([^/:]+):(.+)", remote):  # git's ssh form: git@host:us/book
        host, path = short[1], short[2].lstrip("/")
    else:
        return (root / remote).resolve().as_uri()
    scheme = parts.scheme if parts.scheme == "http" else "https"
    return f"{scheme}://{host}/{path.rstrip('/').removesuffix('.git')}"


@dataclass(frozen=True)
class Origin:
    address: str
    commit: str  # the last one that changed the library, so that notebooks stay unchanged until the next

    @classmethod
    def of(cls, root: Path) -> Origin | None:
        """Return the origin of a working tree; None if it has none, or lies inside another project's repository."""
        remote = git(root, "config", "remote.origin.url")
        if not remote or git(root, "rev-parse", "--show-prefix"):
            return None
        return cls(public_address(remote, root), git(root, "log", "-1", "--format=%H", "--", *LIBRARY))

    @property
    def on_github(self) -> bool:
        return self.address.startswith(GITHUB)

    @property
    def library(self) -> str:
        """Return the source from which pip installs the library."""
        return f"git+{self.address}@{self.commit}"

    def colab(self, notebook: str) -> str:
        repository = self.address.removeprefix(GITHUB)
        return f"https://colab.research.google.com/github/{repository}/blob/{BRANCH}/{notebook}"

    def binder(self, notebook: str) -> str:
        """Return Binder's link; Binder builds the branch's environment.yml, which installs the library."""
        repository = self.address.removeprefix(GITHUB)
        return f"https://mybinder.org/v2/gh/{repository}/{BRANCH}?{urlencode({'urlpath': f'lab/tree/{notebook}'})}"

    def jupyterhub(self, notebook: str) -> str:
        """Return a link for nbgitpuller, which copies the notebooks to a student's server and keeps their changes."""
        folder = self.address.rsplit("/", 1)[-1].removesuffix(".git")
        query = {"repo": self.address, "branch": BRANCH, "urlpath": f"lab/tree/{folder}/{notebook}"}
        return f"https://HUB/hub/user-redirect/git-pull?{urlencode(query)}"

    def link(self, page: str, runs: bool) -> str | None:
        """Return the target of a published notebook's link to another page, if there is one."""
        if self.on_github:
            return self.colab(f"{page}.ipynb") if runs else f"{self.address}/blob/HEAD/book/{page}.md"
        return f"{page}.ipynb" if runs else None


def on_github(root: Path) -> Origin | None:
    """Return the origin if it is on GitHub. A page offers Colab only then, because Colab opens notebooks from there."""
    origin = Origin.of(root)
    return origin if origin and origin.on_github else None
