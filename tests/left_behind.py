"""What a test must not leave behind: variables, signal handlers, limits, threads of torch, folders, our files."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MADE = ("_build", ".git", ".venv", ".hypothesis", ".pytest_cache", ".ruff_cache", "__pycache__")
# Variables that pytest and the libraries set for themselves, once.
THEIRS = ("PYTEST_CURRENT_TEST", "KMP_", "TORCHINDUCTOR_", "TQDM_", "COLUMNS", "LINES")
SIGNALS = [number for number in ("SIGINT", "SIGTERM", "SIGALRM", "SIGCHLD", "SIGPIPE") if hasattr(signal, number)]
LIMITS = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_STACK")

written: list[str] = []  # our files that this process opened to write


def watch() -> None:
    """From now on, note each file of the project that this process opens to write.

    Ctrl-C is heard, as anywhere: what a script starts in the background ignores it, until a library listens to it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def hook(event, arguments):
        if event == "open" and isinstance(arguments[0], (str, bytes)) and _writes(arguments[1], arguments[2]):
            path = Path(os.path.abspath(os.fsdecode(arguments[0])))
            if path.is_relative_to(ROOT) and not set(path.relative_to(ROOT).parts) & set(MADE):
                written.append(str(path.relative_to(ROOT)))

    sys.addaudithook(hook)


def _writes(mode, flags) -> bool:
    if isinstance(mode, str):
        return bool(set(mode) & set("wax+"))
    return bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def state() -> dict:
    """All that other code of this process would notice: name -> value."""
    values = {f"variable {name}": value for name, value in os.environ.items() if not name.startswith(THEIRS)}
    if threading.current_thread() is threading.main_thread():
        values |= {f"handler of {name}": signal.getsignal(getattr(signal, name)) for name in SIGNALS}
    try:
        import resource
    except ImportError:  # Windows
        pass
    else:
        values |= {f"limit {name}": resource.getrlimit(getattr(resource, name)) for name in LIMITS}
    values["folder"] = os.getcwd()
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        values["threads of torch"] = torch.get_num_threads()
        values["gradients"] = torch.is_grad_enabled()
        values["default type"] = torch.get_default_dtype()
    return values


def changes(before: dict, after: dict) -> list[str]:
    """Return the differences, in words, without values first seen later, because torch was imported meanwhile."""
    late = {"threads of torch", "gradients", "default type"} - before.keys()
    names = sorted(name for name in before.keys() | after.keys() - late if before.get(name) != after.get(name))
    return [f"{name}: {before.get(name, 'not there')!r:.80} -> {after.get(name, 'not there')!r:.80}" for name in names]
