"""Build the site: run the chapters that changed, several at once, then let Jupyter Book make the pages.

    python tools/build_book.py

A chapter runs again when its code cells change. Every chapter runs again when tutorial_lib changes, or Python, or a
package that the pages' numbers and pictures come from. The outputs lie in _build/.jupyter_cache, where Sphinx finds them.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONED = ["ipykernel", "matplotlib", "numpy", "scikit-learn", "torch", "transformers", "umap-learn"]
CELL_SECONDS = 300


def chapters(root: Path) -> list[Path]:
    """The table of contents' pages that are notebooks, in the book's order."""
    import yaml
    from myst_nb.core.read import is_myst_markdown_notebook

    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    names = [entry["file"] for part in toc["parts"] for entry in part["chapters"]]
    paths = [root / f"{name}.md" for name in [toc["root"], *names]]
    return [path for path in paths if is_myst_markdown_notebook(path.read_text(encoding="utf-8"))]


def library_key(root: Path) -> str:
    """A hash of everything besides its own cells that a chapter's output depends on."""
    key = hashlib.sha256(platform.python_version().encode())
    for name in VERSIONED:
        key.update(f"{name}=={version(name)}\n".encode())
    for path in sorted((root / "tutorial_lib").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            key.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return key.hexdigest()


def open_cache(root: Path):
    """The cache of executed chapters, emptied first when the library is not the one that it was filled with."""
    from jupyter_cache import get_cache

    folder = root / "_build" / ".jupyter_cache"
    stamp, key = folder / "library_key", library_key(root)
    if folder.exists() and not (stamp.exists() and stamp.read_text() == key):
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stamp.write_text(key)
    return get_cache(folder)


def read_chapter(path: Path):
    """A chapter's notebook, as Sphinx will read it when it looks it up in the cache."""
    from myst_nb.core.read import read_myst_markdown_notebook
    from myst_parser.config.main import MdParserConfig

    return read_myst_markdown_notebook(path.read_text(encoding="utf-8"), MdParserConfig(), path=str(path))


def kernel_environment(jobs: int) -> dict[str, str]:
    """What makes two runs of a chapter print the same, and keeps chapters that run side by side out of each other's way."""
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    return {
        "MKL_NUM_THREADS": threads,
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": "0",  # matplotlib writes the date into SVG files
        "TOKENIZERS_PARALLELISM": "false",
        "TQDM_DISABLE": "1",  # a page cannot show a moving bar
    }


async def run_chapter(path: Path, notebook, environment: dict[str, str]) -> float:
    """Run all cells in place, in a kernel of their own; return the seconds that it took."""
    from nbclient import NotebookClient
    from traitlets.config import Config

    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as private:  # sockets in files: no network port, not even a local one
        kernel = {"transport": "ipc", "connection_file": f"{private}/kernel.json"}
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            resources={"metadata": {"path": str(path.parent)}},
            config=Config(KernelManager=kernel),
        )
        await client.async_execute(env=os.environ | environment)
    return time.perf_counter() - start


def slowest_cell(notebook) -> tuple[int, float]:
    """Number (from 1) and seconds of the code cell that ran longest."""
    from datetime import datetime

    seconds = [0.0]
    for cell in notebook.cells:
        if cell.cell_type == "code" and "execution" in cell.metadata:
            times = cell.metadata.execution
            begin, end = (times.get(f"iopub.status.{state}") for state in ("busy", "idle"))
            if begin and end:
                seconds.append((datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds())
    longest = max(range(len(seconds)), key=seconds.__getitem__)
    return longest, seconds[longest]


async def run_chapters(root: Path, paths: list[Path], jobs: int = 2) -> list[str]:
    """Run the chapters that the cache does not hold, `jobs` at a time. Returns the failures, ready to print."""
    from jupyter_cache.base import CacheBundleIn
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    cache, environment, failures = open_cache(root), kernel_environment(jobs), []
    turn = asyncio.Semaphore(jobs)

    async def one(path: Path) -> None:
        notebook = read_chapter(path)
        try:
            cache.match_cache_notebook(notebook)
            return
        except KeyError:
            pass
        seconds = 0.0
        if any(cell.cell_type == "code" for cell in notebook.cells):
            async with turn:
                print(f"  {path.stem}: running", flush=True)
                try:
                    seconds = await run_chapter(path, notebook, environment)
                except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
                    print(f"  {path.stem}: FAILED", flush=True)
                    failures.append(f"{path.relative_to(root)}: {error}")
                    return
            number, longest = slowest_cell(notebook)
            print(f"  {path.stem}: {seconds:.1f} s (longest: code cell {number}, {longest:.1f} s)", flush=True)
        bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": seconds})
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)

    await asyncio.gather(*map(one, paths))
    return failures


def build_pages(root: Path) -> int:
    """Let Jupyter Book make the site from the cached chapters; a warning is an error. Returns the exit code."""
    log = root / "_build" / "sphinx.log"
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", "-W", "-n", "--keep-going", "--all", root]
    with log.open("w", encoding="utf-8") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, cwd=root).returncode
    if code:
        lines = log.read_text(encoding="utf-8").splitlines()
        told = [line for line in lines if re.search(r"WARNING|ERROR|CRITICAL|[Ee]xception", line)]
        print("\n".join(told or lines[-40:]), f"(the whole log: {log.relative_to(root)})", sep="\n", file=sys.stderr)
    return code


def main(root: Path = ROOT) -> int:
    start = time.perf_counter()
    paths = chapters(root)
    print(f"Chapters: {', '.join(path.stem for path in paths) or 'none'}", flush=True)
    failures = asyncio.run(run_chapters(root, paths))
    for failure in failures:
        print(f"\n{failure}", file=sys.stderr)
    if failures:
        return 1
    print(f"  all outputs at hand after {time.perf_counter() - start:.1f} s; making the pages", flush=True)
    if code := build_pages(root):
        return code
    print(f"The book: _build/html/index.html ({time.perf_counter() - start:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
