"""Assignments and their grading: what a teacher sets to a class.

    python -m coursework assignments                 the students' notebooks, and a zip of each for an LMS
    python -m coursework grade SUBMISSIONS_FOLDER    marks, tables, feedback, and a report

An assignment is a folder in `assignments/`: `notebook.md` is its text with solutions, `mistakes.txt` lists the usual
mistakes with their hints, and `checks.py` gives the marks. Each file that a student hands in is read (`submissions`),
run (`runs`, in the `sandbox`), compared (`comparison`), marked (`marks`) and reported (`reports`); `grading` does this
for a class. A student's code runs in the sandbox alone, with nothing but Python, NumPy and the inputs of the checks. It
returns plain values, and this side compares them.
"""
