"""Run a submission in the sandbox, and again without what stopped it, until each call has an answer or a reason."""

from dataclasses import dataclass, field, replace

from coursework import causes, comparison, exam, sandbox, submissions

A_START = 0.3  # seconds that each run counts on top of the student's own, so that many short runs are not a way out


@dataclass
class Work:
    """A submission on its way to its marks: the record that each stage fills in and hands on."""

    submission: submissions.Submission
    exam: exam.Exam
    records: dict[str, dict]  # id of a call -> {"value", "error"}
    code: causes.Code
    verdicts: dict[str, comparison.Verdict] = field(default_factory=dict)  # of each check


class Lost(sandbox.Interrupted):
    """A run was ended from outside, and nothing shows that the student caused it: it says nothing about the work."""


def run(cells, calls, limits=sandbox.Limits(), keep=None, **how):
    """Return (records, `Code`) of the cells and calls; they run again without what ended a run, all within `limits`."""
    records, code, pending = {}, causes.Code(cells, {}, {}, keep or {}), list(calls)
    while pending:
        if limits.seconds < sandbox.LATE or limits.output <= 0:
            code.ended["all runs"] = "timeout" if limits.output > 0 else "too much output"
            break
        leave_out = [i for i in range(len(cells)) if f"cell {i}" in code.ended]
        job = {"cells": cells, "calls": pending, "leave_out": leave_out, "keep": code.keep}
        outcome = sandbox.run(job, limits=limits, **how)
        if outcome.ended == "killed":
            raise Lost("the sandbox was ended from outside, as happens when the machine runs out of memory")
        limits = replace(limits, seconds=limits.seconds - outcome.took - A_START, output=limits.output - outcome.said)
        records = {**outcome.calls, **records}
        code.ran = {**outcome.cells, **code.ran}
        if outcome.ended == "done":
            break
        if outcome.ended == "timeout" and limits.seconds < sandbox.LATE:
            continue  # what ran when the time was over is not what took it
        stuck = outcome.last in code.ended or not outcome.last  # nothing new that could be left out
        code.ended.setdefault(outcome.last or "the start", outcome.ended)
        if stuck:
            break
        if not outcome.last.startswith("cell "):
            remaining = [call for call in pending if call["id"] not in records]
            ending = [call["name"] for call in remaining if call["part"] == outcome.last][:1]
            pending = [call for call in remaining if call["part"] != outcome.last and call["name"] not in ending]
    return records, code
