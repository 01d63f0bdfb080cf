"""Collect the values of each finding from the chapters' last runs, and store them: experiments/stored/survived.json.

    python -m tutorial_book measure survived         seconds, if the chapters have run

The page *What survived* shows these numbers; a test compares them with the runs.
"""

from __future__ import annotations

from tutorial_book.experiments.survived import gathered


def values_of(chapter: str):
    """Return the values of a chapter's current run, which is made if there is none."""
    from website.build.runs import values_of  # the site runs chapters; only this program needs it

    return values_of(chapter)


def record(*, page_of=values_of) -> dict:
    """Return name of a finding -> its found value, and its control's."""
    return {"survived": {"rows": gathered(page_of)}}
