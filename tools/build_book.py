"""Build the site: run the chapters that changed, several at once, then let Jupyter Book make the pages that did.

    python tools/build_book.py

A chapter runs again when its code cells or their tags change, or a file of the project that its own kernel read: a
module of the two packages, a text. Captions and alternative texts may change without a run. Every chapter runs again
when Python changes, a model comes, or a package that numbers and pictures come from has another version. The last few
runs of each chapter are kept in _build/runs, so that going back to a branch costs nothing; the one that counts lies in
_build/.jupyter_cache, where Sphinx finds it.
Beside each run lie the values that the chapter's names had at its end (tools/names.py). They are put into the text
(tools/values.py), and the chapter's test looks at them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
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
from typing import TYPE_CHECKING, NamedTuple

import loaded
import names
import values
from origin import Origin

if TYPE_CHECKING:
    from jupyter_cache.base import JupyterCacheAbstract

ROOT = Path(__file__).resolve().parent.parent
# Variables that choose another arithmetic, so other last digits.
ARITHMETIC = ["ATEN_CPU_CAPABILITY", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "NPY_DISABLE_CPU_FEATURES"]
ARITHMETIC += ["NUMBA_CPU_FEATURES", "NUMBA_CPU_NAME", "ONEDNN_MAX_CPU_ISA", "OPENBLAS_CORETYPE"]
VERSIONED = ["ipykernel", "matplotlib", "numpy", "scikit-learn", "scipy", "torch", "transformers", "umap-learn"]
SOURCES = ["*", "book/**/*", "coursework/**/*", "tutorial_*/**/*"]  # what the site is made of, besides runs
CELL_SECONDS = 300  # a cell that takes longer hangs
MOST_SECONDS = 20  # a cell should take, on two quiet cores
MOST_RUNS = 12  # of a chapter that are kept, so that several arithmetics find theirs
FULL = 5_000_000  # bytes: a disk with no more is full
NO_ROOM = "The disk is full: make room, and type `make book` again. The chapters that have run are kept."

say = partial(print, flush=True)


def write(file: Path, data: bytes) -> None:
    """Whole or not at all, also where two processes write the same."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(f".{os.getpid()}")
    try:
        beside.write_bytes(data)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def chapters(root: Path) -> list[Path]:
    """The table of contents' pages that are notebooks, in the book's order."""
    import yaml
    from myst_nb.core.read import is_myst_markdown_notebook

    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    names = [entry["file"] for part in toc["parts"] for entry in part["chapters"]]
    paths = [root / f"{name}.md" for name in [toc["root"], *names]]
    return [path for path in paths if is_myst_markdown_notebook(path.read_text(encoding="utf-8"))]


def environment_key(root: Path, environment: dict[str, str]) -> str:
    """A hash of what all chapters depend on besides files of the project."""
    from tutorial_lib import weights

    texts = root / "book" / environment["TUTORIAL_LIB_TEXTS"]
    parts = [
        platform.python_version(),
        f"models: {sorted(weights.available())}",  # a page shows more where a model has come
        *(f"{name}=={version(name)}" for name in VERSIONED),
        *(f"{name}={value}" for name, value in environment.items()),
        *(f"{path} {path.stat().st_size}" for path in sorted(texts.rglob("*"))),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def content_key(path: Path) -> str | None:
    """A hash of a file; None where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def read_chapter(path: Path, filled: str | None = None):
    """A chapter's notebook, as Sphinx will read it once its text is filled with values; before that, without them."""
    from myst_nb.core.read import read_myst_markdown_notebook
    from myst_parser.config.main import MdParserConfig

    text = values.blank(path.read_text(encoding="utf-8")) if filled is None else filled
    return read_myst_markdown_notebook(text, MdParserConfig(), path=str(path))


def kernel_environment(jobs: int) -> dict[str, str]:
    """What lets two runs of a chapter print the same, and chapters that run side by side share the processor."""
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    return {
        # A page uses the models that are here. HF_HUB_OFFLINE=0 make book lets it fetch others: 440 MB and more.
        "HF_HUB_OFFLINE": os.environ.get("HF_HUB_OFFLINE", "1"),
        "MKL_NUM_THREADS": threads,
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # whatever it is for the process that asks for a run
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": "0",  # matplotlib writes the date into SVG files
        "TOKENIZERS_PARALLELISM": "false",
        "TUTORIAL_LIB_STATIC": "1",  # a page has no kernel: views.try_it shows its default answer
        # Texts are not downloaded either: an empty place, unless you name a folder that has them.
        "TUTORIAL_LIB_TEXTS": os.environ.get("TUTORIAL_LIB_TEXTS", "../_build/texts"),
        "TQDM_DISABLE": "1",  # a page cannot show a moving bar
    } | {name: os.environ[name] for name in ARITHMETIC if name in os.environ}


def has_slides(path: Path) -> bool:
    """Whether a chapter has a page for its teacher."""
    return (path.parent / "teach" / path.name).exists()


class Ran(NamedTuple):
    """What a run gave besides the outputs, which are in its notebook."""

    seconds: float = 0.0
    files: list[Path] = []  # that it read
    names: bytes = names.pack({})


async def run_chapter(path: Path, notebook, environment: dict[str, str], root: Path) -> Ran:
    """Run all cells in place, in a kernel of their own."""
    from kernel_copies import Client
    from traitlets.config import Config

    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as private:  # sockets in files: no network port, not even a local one
        read, kept = Path(private, "read"), Path(private, "names")
        note = f"__import__('runpy').run_path({loaded.__file__!r})['note']({str(read)!r}, {str(root)!r})"
        kernel = {"transport": "ipc", "connection_file": f"{private}/kernel.json"}
        client = Client(
            notebook,
            timeout=CELL_SECONDS,
            coalesce_streams=True,  # or where a line of output ends depends on the moment
            extra_arguments=[f"--IPKernelApp.exec_lines={note}"],
            resources={"metadata": {"path": str(path.parent)}},
            config=Config(KernelManager=kernel),
        )
        keep = f"open({str(kept)!r}, 'wb').write(__import__('runpy').run_path({names.__file__!r})['pack'](globals()))"
        async with client.async_setup_kernel(env=os.environ | environment):
            await client.async_execute(cleanup_kc=False)
            seconds = time.perf_counter() - start
            files = sorted({Path(line) for line in read.read_text(encoding="utf-8").splitlines()})
            # No cell of the notebook. It waits until the kernel is idle, which can then be ended.
            reply = await client.kc.execute_interactive(keep, silent=True, store_history=False, timeout=CELL_SECONDS)
            if reply["content"]["status"] != "ok":
                raise RuntimeError("\n".join(reply["content"]["traceback"]))
        return Ran(seconds, files, kept.read_bytes())


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


class Runs:
    """What earlier runs of a chapter gave, in files beside each other: its outputs, and what they depended on.

    Two files a run: RUN.json, and its chapter's names in RUN.names.
    """

    def __init__(self, root: Path, path: Path, cells: str, environment: str):
        self.root, self.cells, self.environment = root, cells, environment
        self.folder = root / "_build" / "runs" / path.stem

    def find(self) -> dict | None:
        """The run of these cells in this environment whose files all are as they were."""
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
        write(file.with_suffix(".names"), names)  # first: a run that is found has its names
        write(file, text.encode())
        for old in self._newest_first()[MOST_RUNS:]:
            old.unlink()
            old.with_suffix(".names").unlink(missing_ok=True)
        return run | {"names": file.with_suffix(".names")}

    def _newest_first(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"), key=lambda file: file.stat().st_mtime_ns, reverse=True)


async def run_and_keep(runs: Runs, path: Path, notebook, environment: dict[str, str]) -> dict | str:
    """Run one chapter and keep its outputs, saying so. Returns the run, or what to tell about a failure."""
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
    if late:  # what the kernel read may have been the old one: no file has this key, so the chapter runs next time
        say(f"  {path.stem}: {', '.join(late)} changed while it ran; it will run again")
        keys.update(dict.fromkeys(late, "changed"))
    return runs.keep(notebook, ran.seconds, keys, ran.names)


def outputs(root: Path) -> JupyterCacheAbstract:
    """Where Sphinx finds the outputs of all chapters."""
    from jupyter_cache import get_cache

    return get_cache(root / "_build" / ".jupyter_cache")


async def current_runs(root: Path, paths: list[Path], jobs: int = 2) -> list[dict | str]:
    """The run of each chapter as it is now, made where there is none, `jobs` at a time; what to tell of a failure."""
    plain, cache, turn = kernel_environment(jobs), outputs(root), asyncio.Semaphore(jobs)
    environments = {False: plain, True: plain | {"TUTORIAL_BOOK_SLIDES": "1"}}  # figures have a layout for them
    keys = {slides: environment_key(root, environment) for slides, environment in environments.items()}

    async def one(path: Path) -> dict | str:
        notebook, environment = read_chapter(path), environments[has_slides(path)]
        cells = cache.create_hashed_notebook(notebook, cell_metadata=("tags",))[1]
        runs = Runs(root, path, cells, keys[has_slides(path)])
        if found := runs.find():
            return found
        async with turn:
            return await run_and_keep(runs, path, notebook, environment)

    return await asyncio.gather(*map(one, paths))


async def run_chapters(root: Path, paths: list[Path], jobs: int = 2) -> tuple[dict[str, str], list[str]]:
    """Run the chapters that changed, `jobs` at a time, and put the outputs of all where Sphinx finds them.

    Returns what each page was made of, to tell whether it changed, and the failures, ready to print.
    """
    import nbformat
    from jupyter_cache.base import CacheBundleIn

    runs = dict(zip(paths, await current_runs(root, paths, jobs), strict=True))
    failures = [run for run in runs.values() if isinstance(run, str)]
    if failures:
        return {}, failures
    problems = values.fill_all(root, {path.stem: run["names"] for path, run in runs.items()})
    for problem in problems:
        say(f"  {problem}") if problem.false else failures.append(str(problem))
    if failures:
        return {}, failures
    cache = outputs(root)
    texts = {page: values.text_of(root, f"{page}.md") for page in values.marked(root)}
    made = {page: hashlib.sha256(text.encode()).hexdigest() for page, text in texts.items()}
    for path, run in runs.items():
        page = path.relative_to(root).with_suffix("").as_posix()
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


def site_key(root: Path) -> str:
    """A hash of what all pages depend on besides themselves: how they are made, the terms and sources they refer to."""
    names = ["_config.yml", "_toc.yml", "constraints.txt", "book/glossary.md", "book/references.bib"]
    files = [root / name for name in names]
    files += [path for folder in ("tools", "book/_static") for path in (root / folder).rglob("*")]
    return _joint_key(root, files)


def _joint_key(root: Path, files: list[Path]) -> str:
    sources = sorted(path for path in files if path.is_file() and "__pycache__" not in path.parts)
    text = "".join(f"{path.relative_to(root)} {content_key(path)}\n" for path in sources)
    return hashlib.sha256(text.encode()).hexdigest()


def build_pages(root: Path, made: dict[str, str]) -> int:
    """Let Jupyter Book make the pages that changed; a warning is an error. Returns the exit code.

    made: page -> what it was made of, besides its source, which Sphinx looks at. Where no source has changed either,
    nor the address and commit that notebooks carry, not even Sphinx runs.
    """
    record = root / "_build" / "pages.json"
    sources = f"{_joint_key(root, [path for name in SOURCES for path in root.glob(name)])} {Origin.of(root)}"
    now = {"": site_key(root), "book/api": _joint_key(root, [*root.glob("tutorial_*/**/*.py")]), **made}
    before = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    if before == now | {"sources": sources} and (root / "_build" / "html" / "index.html").exists():
        return 0
    record.unlink(missing_ok=True)  # warnings come once: after a build that failed, all pages are made again
    again = [page for page, key in now.items() if before.get(page) != key]
    every = ["--all"] if "" in again else []
    again.append("book/figures")  # lists what stands on all others
    log = root / "_build" / "sphinx.log"
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", "-W", "-n", "--keep-going", *every, root]
    environment = os.environ | {"OUTDATED_PAGES": " ".join(again)}
    with log.open("w", encoding="utf-8") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, cwd=root, env=environment).returncode
    if code:
        lines = log.read_text(encoding="utf-8").splitlines()
        told = [line for line in lines if re.search(r"WARNING|ERROR|CRITICAL|[Ee]xception", line)]
        print("\n".join(told or lines[-40:]), f"(the whole log: {log.relative_to(root)})", sep="\n", file=sys.stderr)
    else:
        write(record, json.dumps(now | {"sources": sources}).encode())
    return code


def build(root: Path) -> int:
    """Chapters, then pages. Returns the exit code."""
    start = time.perf_counter()
    paths = chapters(root)
    say(f"Chapters: {', '.join(path.stem for path in paths) or 'none'}")
    made, failures = {}, [str(mistake) for page in values.marked(root) for mistake in values.mistakes(root, page)]
    if not failures:  # what can be known before the chapters run is said before
        made, failures = asyncio.run(run_chapters(root, paths))
    for failure in failures:
        say(f"\n{failure}", file=sys.stderr)
    if failures:
        return 1
    say(f"  all outputs at hand after {time.perf_counter() - start:.1f} s; making the pages")
    if code := build_pages(root, made):
        return code
    import classroom  # it imports this file

    if count := classroom.make(root):
        say(f"  slides and sheets of {count} chapters")
    say(f"The book: _build/html/index.html ({time.perf_counter() - start:.1f} s)")
    return 0


def main(root: Path = ROOT) -> int:
    def full():
        return shutil.disk_usage(root).free <= FULL

    try:
        code = build(root)
    except Exception:  # a full disk has many names: a file's, SQLite's, a kernel's
        if not full():
            raise
        code = 1
    if code and full():
        say(NO_ROOM, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
