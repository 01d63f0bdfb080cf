SELECT submitted_assignment.student_id, base_cell.name, grade.manual_score, comment.manual_comment
FROM submitted_notebook
JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
JOIN assignment ON assignment.id = submitted_assignment.assignment_id
JOIN base_cell ON base_cell.notebook_id = submitted_notebook.notebook_id
LEFT JOIN grade ON grade.cell_id = base_cell.id AND grade.notebook_id = submitted_notebook.id
LEFT JOIN comment ON comment.cell_id = base_cell.id AND comment.notebook_id = submitted_notebook.id
WHERE assignment.name = ?
