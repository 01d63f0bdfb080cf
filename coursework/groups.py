"""Who works together: one of a group hands in for all."""

from dataclasses import replace

from coursework import results
from coursework.lateness import Late
from coursework.rosters import read_roster

COLUMNS = ("group", "Group", "group_name")


def read_groups(path):
    """Student -> group, out of a CSV file with a column group beside that of students."""
    found = {}
    for student in read_roster(path).values():
        named = [text.strip() for column, text in student.row if column in COLUMNS and text.strip()]
        found |= {student.id: group for group in named[:1]}
    if not found:
        raise ValueError(f"{path} must have a column with one of {', '.join(COLUMNS)}")
    return found


def groups(where, new=None):
    """Student -> group, as the results folder keeps it. new: what it is from now on."""
    if new is not None:
        results.keep(where, "groups", new)
    return results.kept(where, "groups")


def shared(all_marks, given, late, members):
    """(marks, scores, late, sentences): who handed in nothing has what the one of the group has who did.

    Where two of a group did, each has the own mark, and the others have none until a teacher decides.
    """
    by_group, about = {}, []
    for marks in all_marks:
        if marks.points and marks.student in members:
            by_group.setdefault(members[marks.student], []).append(marks)
    for group, theirs in sorted(by_group.items()):
        if len(theirs) > 1:
            names = " and ".join(one.student for one in theirs)
            said = "handed in; each has the own mark, and no one else of the group has one."
            about.append(f"Group {group}: {names} {said}")
    found, given, late = [], dict(given), dict(late)
    for marks in all_marks:
        theirs = by_group.get(members.get(marks.student), [])
        if not marks.submitted and len(theirs) == 1:
            (one,) = theirs
            given[marks.student, marks.assignment] = given.get((one.student, one.assignment), {})
            late[marks.student] = late.get(one.student, Late())
            marks = replace(one, student=marks.student)
        found.append(marks)
    return found, given, late, about


def without_covered(all_marks, members):
    """The marks without those of who handed in nothing while another of the group did."""
    handed_in = {members[one.student] for one in all_marks if one.points and one.student in members}
    return [one for one in all_marks if one.submitted or members.get(one.student) not in handed_in]
