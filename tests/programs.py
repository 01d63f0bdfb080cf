"""Programs that some tests need and a machine may lack: such a test is skipped, and the last lines of a run say so."""

import os
import shutil

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROGRAMS = {  # the commands that start it, Debian's packages, the tests that need it
    "Chromium": (CHROMIUM, "chromium", "pages in a browser"),
    "Firefox": (("firefox-esr",), "firefox-esr", "the live model in a second browser"),
    "Node": (("node",), "nodejs", "training in JavaScript"),
    "bubblewrap": (("bwrap",), "bubblewrap", "grading in a sandbox"),
    "clang with wasm-ld": (("wasm-ld",), "clang lld", "the live model's kernel, compiled again"),
}
CHROME_ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
MISSING = " is not installed"


def program(name: str) -> str:
    """The path of a program. Skips the test if the machine does not have it."""
    paths = [path for command in PROGRAMS[name][0] if (path := shutil.which(command))]
    if name == "Chromium" and os.path.exists(CHROME_ON_MACOS):
        paths.append(CHROME_ON_MACOS)
    if not paths:
        pytest.skip(name + MISSING)
    return paths[0]


def not_tested(reasons: list[str]) -> str:
    """Describe the tests that were skipped for these reasons, and how to install what they need.

    >>> not_tested(["Skipped: bubblewrap is not installed", "Skipped: no CUDA device here"])
    'Not tested: grading in a sandbox. To test it, install bubblewrap (on Debian: apt-get install bubblewrap).'
    """
    missing = [name for name in PROGRAMS if any(name + MISSING in reason for reason in reasons)]
    if not missing:
        return ""
    _, packages, subjects = zip(*(PROGRAMS[name] for name in missing))
    install = f"install {', '.join(missing)} (on Debian: apt-get install {' '.join(packages)})"
    return f"Not tested: {'; '.join(subjects)}. To test {'them' if len(missing) > 1 else 'it'}, {install}."
