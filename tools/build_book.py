"""Build the site: run the chapters that changed, several at once, then let Jupyter Book make the pages.

    python tools/build_book.py

A chapter runs again when its code cells change, their metadata included. Every chapter runs again when tutorial_lib
changes, or Python, or a package that numbers and pictures come from. The outputs lie in _build/.jupyter_cache, where
Sphinx finds them.
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
from datetime import datetime, timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONED = ["ipykernel", "matplotlib", "numpy", "scikit-learn", "torch", "transformers", "umap-learn"]
CELL_SECONDS = 300

say = partial(print, flush=True)


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
    from tutorial_lib import weights

    key = hashlib.sha256(platform.python_version().encode())
    key.update(f"models: {sorted(weights.available())}\n".encode())  # a page shows more where a model has come
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
    """What lets two runs of a chapter print the same, and chapters that run side by side share the processor."""
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    return {
        # A page uses the models that are here. HF_HUB_OFFLINE=0 make book lets it fetch others: 440 MB and more.
        "HF_HUB_OFFLINE": os.environ.get("HF_HUB_OFFLINE", "1"),
        "MKL_NUM_THREADS": threads,
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": "0",  # matplotlib writes the date into SVG files
        "TOKENIZERS_PARALLELISM": "false",
        "TUTORIAL_LIB_STATIC": "1",  # a page has no kernel: views.try_it shows its default answer
        # Texts are not downloaded either: an empty place, unless you name a folder that has them.
        "TUTORIAL_LIB_TEXTS": os.environ.get("TUTORIAL_LIB_TEXTS", "../_build/texts"),
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


def take_times(notebook) -> list[float]:
    """The seconds that each code cell ran. They leave the notebook, for the cache compares its metadata too."""
    seconds = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            times = cell.metadata.pop("execution", {})
            begin, end = times.get("iopub.status.busy"), times.get("iopub.status.idle")
            ran = datetime.fromisoformat(end) - datetime.fromisoformat(begin) if begin and end else timedelta()
            seconds.append(ran.total_seconds())
    return seconds


def is_cached(cache, notebook) -> bool:
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


async def run_and_cache(cache, path: Path, notebook, environment: dict[str, str]) -> str | None:
    """Run one chapter and keep its outputs, saying so. Returns what to tell about a failure."""
    from jupyter_cache.base import CacheBundleIn
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    seconds = 0.0
    if any(cell.cell_type == "code" for cell in notebook.cells):
        say(f"  {path.stem}: running")
        try:
            seconds = await run_chapter(path, notebook, environment)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            say(f"  {path.stem}: FAILED")
            return re.sub(r"\x1b\[[\d;]*m", "", f"{path.name}: {error}")
        cells = take_times(notebook)
        longest = max(range(len(cells)), key=cells.__getitem__)
        say(f"  {path.stem}: {seconds:.1f} s, of which cell {longest + 1} of {len(cells)}: {cells[longest]:.1f} s")
    bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": seconds})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    return None


async def run_chapters(root: Path, paths: list[Path], jobs: int = 2) -> list[str]:
    """Run the chapters that the cache does not hold, `jobs` at a time. Returns the failures, ready to print."""
    cache, environment, turn = open_cache(root), kernel_environment(jobs), asyncio.Semaphore(jobs)

    async def one(path: Path) -> str | None:
        notebook = read_chapter(path)
        if is_cached(cache, notebook):
            return None
        async with turn:
            return await run_and_cache(cache, path, notebook, environment)

    return [failure for failure in await asyncio.gather(*map(one, paths)) if failure]


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
    say(f"Chapters: {', '.join(path.stem for path in paths) or 'none'}")
    failures = asyncio.run(run_chapters(root, paths))
    for failure in failures:
        say(f"\n{failure}", file=sys.stderr)
    if failures:
        return 1
    say(f"  all outputs at hand after {time.perf_counter() - start:.1f} s; making the pages")
    if code := build_pages(root):
        return code
    say(f"The book: _build/html/index.html ({time.perf_counter() - start:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
