"""Assignments and their grading: what a teacher sets to a class.

    python -m coursework assignments                 the students' notebooks, and a zip of each for an LMS
    python -m coursework grade SUBMISSIONS_FOLDER    marks, gradebook, feedback, and what needs a human

An assignment is a folder in `assignments/`: `notebook.md` is its text, with solutions; `checks.py` gives the marks. A
student's code runs in a sandbox (`sandbox`, `worker`) that holds nothing but Python, NumPy and the inputs of the
checks. It hands back plain values, and this side compares them (`checks`): no code of a student ever runs here.
"""
