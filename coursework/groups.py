"""Who works together: one of a group hands in for all."""

from dataclasses import replace

from coursework.lateness import Late


def members(roster):
    """Student -> group, of a roster with a column "group"."""
    named = {student.id: dict(student.row).get("group", "").strip() for student in roster.values()}
    return {student: group for student, group in named.items() if group}


def shared(all_marks, given, late, members):
    """(marks, scores, late, sentences): who handed in nothing has what the one of the group has who did."""
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
