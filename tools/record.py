"""What the measuring programs have in common: when and with what was measured, and numbers as JSON that is read."""

from __future__ import annotations

import json
import re
from datetime import date
from importlib.metadata import version

import tutorial_lib


def measured_with(*libraries: str) -> dict:
    """The date, and the versions that measured: the library's own and these."""
    versions = {name: version(name).partition("+")[0] for name in libraries}
    return {"date": date.today().isoformat(), "versions": {"tutorial_lib": tutorial_lib.__version__, **versions}}


def as_json(found: dict) -> str:
    """As JSON, with each list of numbers on one line."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    return re.sub(r"\[[-\d.,e\s\[\]]*\]", lambda numbers: re.sub(r"\s+", "", numbers[0]), text) + "\n"
