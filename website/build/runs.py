"""Run the chapters that changed, several at once, and store their outputs.

A chapter runs again if its code cells or their tags change, or a file of the project that its own kernel read: a module
of the two packages, a text. Captions and alternative texts may change without a run. Every chapter runs again if Python
changes, if a model appears, or if a package that affects numbers and pictures has another version. The last few runs of
each chapter are kept in _build/runs, so going back to a branch costs nothing; the current one is in
_build/.jupyter_cache, where Sphinx finds it. Next to each run are the values that the chapter's names had at its end
(namespace.py). They are put into the text (values.py), and the chapter's test reads them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
import re
import tempfile
import time
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tutorial_lib.atomic import beside, write_text
from website.build import namespace, reads, values
from website.project import ROOT, pages, say

if TYPE_CHECKING:
    from jupyter_cache.base import JupyterCacheAbstract

# Variables that select another arithmetic, and so change the last digits.
ARITHMETIC = ["ATEN_CPU_CAPABILITY", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "NPY_DISABLE_CPU_FEATURES"]
ARITHMETIC += ["NUMBA_CPU_FEATURES", "NUMBA_CPU_NAME", "ONEDNN_MAX_CPU_ISA", "OPENBLAS_CORETYPE"]
VERSIONED = ["ipykernel", "matplotlib", "numpy", "scikit-learn", "scipy", "torch", "transformers", "umap-learn"]
CELL_SECONDS = 300  # a longer cell counts as hanging
MOST_SECONDS = 20  # the limit for a cell, on two idle cores
MOST_RUNS = 12  # runs of a chapter to keep, so that several arithmetics find theirs


def chapters(root: Path) -> list[Path]:
    """Return the pages in the table of contents that are notebooks, in the book's order."""
    from myst_nb.core.read import is_myst_markdown_notebook

    paths = [root / f"{name}.md" for name in pages(root)]
    return [path for path in paths if is_myst_markdown_notebook(path.read_text(encoding="utf-8"))]


def environment_key(root: Path, environment: dict[str, str]) -> str:
    """Return a hash of everything that all chapters depend on, besides the project's files."""
    from tutorial_lib import weights

    texts = root / "book" / environment["TUTORIAL_LIB_TEXTS"]
    parts = [
        platform.python_version(),
        f"models: {sorted(weights.available())}",  # a page shows more if a model has been downloaded
        *(f"{name}=={version(name)}" for name in VERSIONED),
        *(f"{name}={value}" for name, value in environment.items()),
        *(f"{path} {path.stat().st_size}" for path in sorted(texts.rglob("*"))),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def content_key(path: Path) -> str | None:
    """Return a hash of a file; None if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def read_chapter(path: Path, filled: str | None = None):
    """Return a chapter's notebook as Sphinx will read it once its text has its values; before that, without them."""
    from myst_nb.core.read import read_myst_markdown_notebook
    from myst_parser.config.main import MdParserConfig

    text = values.blank(path.read_text(encoding="utf-8")) if filled is None else filled
    return read_myst_markdown_notebook(text, MdParserConfig(), path=str(path))


def kernel_environment(jobs: int) -> dict[str, str]:
    """Yield settings under which two runs print the same, and chapters that run side by side share the processor."""
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    return {
        # A page uses the models on this machine. HF_HUB_OFFLINE=0 make book also downloads the others: 440 MB or more.
        "HF_HUB_OFFLINE": os.environ.get("HF_HUB_OFFLINE", "1"),
        "MKL_NUM_THREADS": threads,
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # whatever the calling process has set
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": "0",  # matplotlib writes the date into SVG files
        "TOKENIZERS_PARALLELISM": "false",
        "TUTORIAL_LIB_STATIC": "1",  # a page has no kernel: views.try_it shows its default answer
        # Texts are not downloaded either: this is an empty folder, unless you name a folder that has them.
        "TUTORIAL_LIB_TEXTS": os.environ.get("TUTORIAL_LIB_TEXTS", "../_build/texts"),
        "TQDM_DISABLE": "1",  # a page cannot show a moving bar
    } | {name: os.environ[name] for name in ARITHMETIC if name in os.environ}


class Ran(NamedTuple):
    """The result of a run besides the outputs, which are in its notebook."""

    seconds: float = 0.0
    files: list[Path] = []  # files that it read
    names: bytes = namespace.pack({})


async def run_chapter(path: Path, notebook, environment: dict[str, str], root: Path) -> Ran:
    """Run all cells in place, in their own kernel."""
    from traitlets.config import Config

    from website.build.kernels import Client

    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as private:  # sockets in files: no network port, not even a local one
        read, kept = Path(private, "read"), Path(private, "names")
        note = f"__import__('runpy').run_path({reads.__file__!r})['note']({str(read)!r}, {str(root)!r})"
        kernel = {"transport": "ipc", "connection_file": f"{private}/kernel.json"}
        client = Client(
            notebook,
            timeout=CELL_SECONDS,
            coalesce_streams=True,  # otherwise the place where a line of output ends depends on timing
            extra_arguments=[f"--IPKernelApp.exec_lines={note}"],
            resources={"metadata": {"path": str(path.parent)}},
            config=Config(KernelManager=kernel),
        )
        pack = f"__import__('runpy').run_path({namespace.__file__!r})['pack'](globals())"
        async with client.async_setup_kernel(env=os.environ | environment):
            await client.async_execute(cleanup_kc=False)
            seconds = time.perf_counter() - start
            files = sorted({Path(line) for line in read.read_text(encoding="utf-8").splitlines()})
            # Not a cell of the notebook. It waits until the kernel is idle and can be ended.
            options = {"silent": True, "store_history": False, "timeout": CELL_SECONDS}
            reply = await client.kc.execute_interactive(f"open({str(kept)!r}, 'wb').write({pack})", **options)
            if reply["content"]["status"] != "ok":
                raise RuntimeError("\n".join(reply["content"]["traceback"]))
        return Ran(seconds, files, kept.read_bytes())


def take_times(notebook) -> list[float]:
    """Return the seconds that each code cell ran, and remove them: the cache also compares the metadata."""
    seconds = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            times = cell.metadata.pop("execution", {})
            begin, end = times.get("iopub.status.busy"), times.get("iopub.status.idle")
            ran = datetime.fromisoformat(end) - datetime.fromisoformat(begin) if begin and end else timedelta()
            seconds.append(ran.total_seconds())
    return seconds


class Runs:
    """The results of a chapter's earlier runs, in files: its outputs, and what they depended on.

    Two files per run: RUN.json, and its chapter's names in RUN.names.
    """

    def __init__(self, root: Path, path: Path, cells: str, environment: str):
        self.root, self.cells, self.environment = root, cells, environment
        self.folder = root / "_build" / "runs" / path.stem

    def find(self) -> dict | None:
        """Return the run of these cells in this environment, if all its files are unchanged."""
        for file in self._newest_first():
            run = json.loads(file.read_text(encoding="utf-8"))
            if (run["cells"], run["environment"]) == (self.cells, self.environment):
                if all(content_key(self.root / name) == key for name, key in run["files"].items()):
                    if file.with_suffix(".names").exists():
                        return run | {"names": file.with_suffix(".names")}
        return None

    def keep(self, notebook, seconds: float, files: dict[str, str | None], names: bytes) -> dict:
        import nbformat

        run = {"cells": self.cells, "environment": self.environment, "files": files, "seconds": seconds}
        run["notebook"] = nbformat.writes(notebook)
        text = json.dumps(run)
        file = self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
        with beside(file.with_suffix(".names")) as part:  # first, so that a run that is found has its names
            part.write_bytes(names)
        write_text(file, text)
        for old in self._newest_first()[MOST_RUNS:]:
            old.unlink()
            old.with_suffix(".names").unlink(missing_ok=True)
        return run | {"names": file.with_suffix(".names")}

    def _newest_first(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True)


async def run_and_keep(runs: Runs, path: Path, notebook, environment: dict[str, str]) -> dict | str:
    """Run one chapter, store its outputs, and say so. Returns the run, or a message about the failure."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    ran = Ran()
    start = time.time_ns()
    if any(cell.cell_type == "code" for cell in notebook.cells):
        say(f"  {path.stem}: running")
        try:
            ran = await run_chapter(path, notebook, environment, runs.root)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            say(f"  {path.stem}: FAILED")
            return re.sub(r"\x1b\[[\d;]*m", "", f"{path.name}: {error}")
        cells = take_times(notebook)
        longest = max(range(len(cells)), key=cells.__getitem__)
        say(f"  {path.stem}: {ran.seconds:.1f} s, of which cell {longest + 1} of {len(cells)}: {cells[longest]:.1f} s")
        if cells[longest] > MOST_SECONDS:
            say(f"  {path.stem}: a cell should take no more than {MOST_SECONDS} seconds")
    keys = {os.path.relpath(file, runs.root): content_key(file) for file in ran.files}
    late = [name for name, key in keys.items() if key and (runs.root / name).stat().st_mtime_ns > start]
    if late:  # the kernel may have read the old file: no file has this key, so the chapter runs again next time
        say(f"  {path.stem}: {', '.join(late)} changed while it ran; it will run again")
        keys.update(dict.fromkeys(late, "changed"))
    return runs.keep(notebook, ran.seconds, keys, ran.names)


def outputs(root: Path) -> JupyterCacheAbstract:
    """Return the cache in which Sphinx finds the outputs of all chapters."""
    from jupyter_cache import get_cache

    return get_cache(root / "_build" / ".jupyter_cache")


async def current_runs(root: Path, paths: list[Path], jobs: int = 2) -> dict[str, dict | str]:
    """Return each chapter's current run, by its name, and the messages of failures.

    Missing runs are made, `jobs` at a time.
    """
    plain, cache, turn = kernel_environment(jobs), outputs(root), asyncio.Semaphore(jobs)
    environments = {False: plain, True: plain | {"TUTORIAL_BOOK_SLIDES": "1"}}  # figures have a layout for slides
    keys = {slides: environment_key(root, environment) for slides, environment in environments.items()}

    async def one(path: Path) -> dict | str:
        slides = (path.parent / "teach" / path.name).exists()  # the chapters that have a teacher's page
        notebook, environment = read_chapter(path), environments[slides]
        cells = cache.create_hashed_notebook(notebook, cell_metadata=("tags",))[1]
        runs = Runs(root, path, cells, keys[slides])
        if found := runs.find():
            return found
        async with turn:
            return await run_and_keep(runs, path, notebook, environment)

    found = await asyncio.gather(*map(one, paths))
    return {path.stem: run for path, run in zip(paths, found, strict=True)}


def values_of(chapter: str) -> namespace.Names:
    """Return the values of a chapter's current run, which is made if it is missing."""
    run = asyncio.run(current_runs(ROOT, [ROOT / "book" / f"{chapter}.md"]))[chapter]
    if isinstance(run, str):
        raise SystemExit(run)
    return namespace.Names(chapter, run["names"].read_bytes())


async def run_chapters(root: Path, paths: list[Path], jobs: int = 2) -> tuple[dict[str, str], list[str]]:
    """Run the chapters that changed, `jobs` at a time, and put all outputs where Sphinx finds them.

    Returns a hash of each page's inputs, to see whether it changed, and the failures, ready to print.
    """
    import nbformat
    from jupyter_cache.base import CacheBundleIn

    runs = await current_runs(root, paths, jobs)
    failures = [run for run in runs.values() if isinstance(run, str)]
    if failures:
        return {}, failures
    problems = values.fill_all(root, {name: run["names"] for name, run in runs.items()})
    for problem in problems:
        say(f"  {problem}") if problem.false else failures.append(str(problem))
    if failures:
        return {}, failures
    cache = outputs(root)
    texts = {page: values.text_of(root, f"{page}.md") for page in values.marked(root)}
    made = {page: hashlib.sha256(text.encode()).hexdigest() for page, text in texts.items()}
    for path in paths:
        run, page = runs[path.stem], path.relative_to(root).with_suffix("").as_posix()
        text = values.text_of(root, path)
        notebook = nbformat.reads(run["notebook"], as_version=4)
        give_metadata(notebook, read_chapter(path, text))
        bundle = CacheBundleIn(notebook, str(path), data={"execution_seconds": run["seconds"]})
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        made[page] = hashlib.sha256((run["notebook"] + text).encode()).hexdigest()
    return made, failures


def give_metadata(ran, read) -> None:
    """Give the cells that ran the captions and alternative texts that Sphinx will read."""
    code = ([cell for cell in notebook.cells if cell.cell_type == "code"] for notebook in (ran, read))
    for run, now in zip(*code, strict=True):
        run.metadata = now.metadata
