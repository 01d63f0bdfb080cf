"""Results as a table: HTML on a page, Markdown in a notebook, aligned text in a terminal."""

import html
import re

from tutorial_lib.views import notebook

_CONTAINER = "pst-scrollable-table-container"  # the theme lets it scroll on a phone, also by keyboard
_NUMBER = re.compile(r"[-−+]?[\d.,]+ ?%?|")  # a number given as a text, or nothing
_SENTENCE = 40  # letters: a longer cell wraps


def table(values, columns, rows=(), *, caption, form=".2f", mark=()):
    """Numbers and words in rows and columns; displayed if it is a cell's last value.

    values: an (n, m) array or tensor, or n lists of m numbers and texts. columns: the m headings, or one more, the
    first above the names of the rows. rows: the n names of the rows, if they have any. caption: a sentence that says
    what it shows. form: the format of numbers with a fraction ("+.3f"), or a dict from a column's heading to its format
    ({"share": ".0%"}). mark: the cells that matter, as pairs of a row and a column, each by its name or counted from 0.
    Raises ValueError if these do not fit each other.

    >>> table([[1.12, 2.5], [2.83, 6]], ["length", "q·k"], ["k1", "k2"], caption="Two keys.", mark=[("k2", "q·k")])
    Two keys.
        length   q·k
    k1    1.12  2.50
    k2    2.83    *6
    """
    values = [[_plain(value) for value in _plain(row)] for row in _plain(values)]
    columns, rows = [str(name) for name in columns], [str(name) for name in rows]
    if not values or not columns:
        raise ValueError(f"values must have at least one row and one column, got {len(values)} and {len(columns)}")
    if rows and len(rows) != len(values):
        raise ValueError(f"rows must name the {len(values)} rows of values, got {len(rows)} names")
    corner = columns.pop(0) if rows and len(columns) == len(values[0]) + 1 else ""
    for number, row in enumerate(values):
        if len(row) != len(columns):
            raise ValueError(f"columns must match values: it names {len(columns)}, but row {number} has {len(row)}")
    forms = form if isinstance(form, dict) else {}
    unknown = set(forms) - set(columns)
    if unknown:
        raise ValueError(f"form must name columns of {columns}, got {sorted(unknown)}")
    fraction = ".2f" if isinstance(form, dict) else form
    cells = [[_written(value, forms.get(name), fraction) for value, name in zip(row, columns)] for row in values]
    numeric = [all(map(_is_numeric, column)) for column in zip(*values)]
    in_rows = [_place(row, rows, len(values), "row") for row, _ in mark]
    in_columns = [_place(column, columns, len(columns), "column") for _, column in mark]
    marked = set(zip(in_rows, in_columns))
    return Table(caption, corner, columns, rows, cells, numeric, marked)


class Table:
    """A table whose cells are already texts. numeric: for each column, whether it is right-aligned."""

    def __init__(self, caption, corner, columns, rows, cells, numeric, marked):
        self.caption, self.corner, self.columns, self.rows = caption, corner, columns, rows
        self.cells, self.numeric, self.marked = cells, numeric, marked

    def __repr__(self):
        lines, numeric = [self.columns], self.numeric
        for i, row in enumerate(self.cells):
            lines.append([f"*{cell}" if (i, j) in self.marked else cell for j, cell in enumerate(row)])
        if self.rows:
            lines = [[name, *line] for name, line in zip([self.corner, *self.rows], lines)]
            numeric = [False, *numeric]
        widths = [max(map(len, column)) for column in zip(*lines)]
        sides = [">" if right else "<" for right in numeric]
        texts = [self.caption]
        for line in lines:
            aligned = [f"{cell:{side}{width}}" for cell, side, width in zip(line, sides, widths)]
            texts.append("  ".join(aligned).rstrip())
        return "\n".join(texts)

    def _repr_html_(self):
        """Return HTML for the book's pages, which have the style; elsewhere None, and a notebook shows the Markdown."""
        if not notebook.is_static():
            return None
        kinds = [' class="number"' if right else "" for right in self.numeric]
        heads = [f'<th scope="col"{kind}>{html.escape(name)}</th>' for name, kind in zip(self.columns, kinds)]
        if self.rows:
            corner = html.escape(self.corner)
            heads.insert(0, f'<th scope="col">{corner}</th>' if corner else "<td></td>")
        lines = [f"<thead><tr>{''.join(heads)}</tr></thead>"]
        for i, row in enumerate(self.cells):
            texts = map(html.escape, row)
            texts = [f"<mark>{text}</mark>" if (i, j) in self.marked else text for j, text in enumerate(texts)]
            name = f'<th scope="row">{html.escape(self.rows[i])}</th>' if self.rows else ""
            wide = [' class="text"' if len(cell) > _SENTENCE else kind for cell, kind in zip(row, kinds)]
            cells = "".join(f"<td{kind}>{text}</td>" for text, kind in zip(texts, wide))
            lines.append(f"<tr>{name}{cells}</tr>")
        caption = f"<caption><span>{html.escape(self.caption)}</span></caption>"
        inside = f'<table class="result mathjax_ignore tex2jax_ignore">{caption}{"".join(lines)}</table>'
        return f'<div class="{_CONTAINER}">{inside}</div>'

    def _repr_markdown_(self):
        lines = [[_escape(name) for name in self.columns], ["--:" if right else ":--" for right in self.numeric]]
        for i, row in enumerate(self.cells):
            texts = map(_escape, row)
            lines.append([f"**{text}**" if (i, j) in self.marked else text for j, text in enumerate(texts)])
        if self.rows:
            names = [f"**{_escape(name)}**" for name in self.rows]
            lines = [[name, *line] for name, line in zip([_escape(self.corner), ":--", *names], lines)]
        return "\n".join([f"{_escape(self.caption)}\n", *(f"| {' | '.join(line)} |" for line in lines)])


def _plain(value):
    """Return a Python value from a NumPy or torch value."""
    return value.tolist() if hasattr(value, "tolist") else value


def _is_numeric(value):
    return not isinstance(value, str) or _NUMBER.fullmatch(value)


def _written(value, form, fraction) -> str:
    """Return a cell's text. form: of its column, if it has one; fraction: of all other numbers with a fraction."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    form = form or ("," if isinstance(value, int) else fraction)
    try:
        return format(value, form)
    except (TypeError, ValueError) as error:
        raise ValueError(f"form must be a format such as '.2f', ',' or '.0%', got {form!r} for {value!r}") from error


def _place(place, names, count, what) -> int:
    """Return a row or a column counted from 0, from its name or its number."""
    if place in names and names.count(place) == 1:
        return names.index(place)
    if isinstance(place, int) and 0 <= place < count:
        return place
    known = f"{', '.join(names)}, or 0 to {count - 1}" if names else f"0 to {count - 1}"
    raise ValueError(f"mark must name a {what} ({known}) whose name is unique, got {place!r}")


def _escape(text) -> str:
    """Return a text that Markdown leaves unchanged."""
    return re.sub(r"([\\`*_\[\]|$~#])", r"\\\1", html.escape(text, quote=False))
