"""What a mark depends on besides the notebook: if it changes, what was graded is graded again."""

import hashlib
import importlib.metadata
import platform

from coursework.results import ROOT

OURS = ("coursework", "tutorial_lib", "tutorial_book/exercises")  # with their data: that is more than one grading runs
OTHERS = ("jupytext", "nbformat", "numpy", "tokenizers", "torch", "transformers")  # that grading computes with


def key(assignment, seed, root=ROOT):
    """The digest of the assignment, all code and data that grading may read, versions, and the seed."""
    versions = {package: importlib.metadata.version(package) for package in OTHERS}
    digest = hashlib.sha256(repr((assignment, seed, platform.python_version(), versions)).encode())
    for file in key_files(root):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def key_files(root=ROOT):
    """The files that marks depend on."""
    files = (path for folder in OURS for path in (root / folder).rglob("*") if path.is_file())
    return sorted(path for path in files if "__pycache__" not in path.parts)
