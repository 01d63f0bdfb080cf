"""CSV files: read as spreadsheets and learning platforms save them, and written so that no cell computes."""

import codecs
import csv
import io
import re
from functools import partial
from itertools import zip_longest
from pathlib import Path

STARTS = "=+\\-@＝＋－＠"  # a cell that begins with one of these computes
FORMULA = re.compile(rf"(^|[;,|\t\r\n])([\s\"']*)(?=[{STARTS}])")
QUOTED = re.compile(rf"(^|[;,|\t\r\n])([\s\"']*)'(?=[{STARTS}])")
unquoted = partial(QUOTED.sub, r"\1\2")  # gives a text as it was before `csv_text` put a quote into it
REMEDY = "In Excel: Save as, CSV UTF-8. Elsewhere: export again as UTF-8"


def csv_text(lines):
    """Text of a CSV file. A text gets a quote where a spreadsheet, with whatever separator, would see a formula."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for line in lines:
        writer.writerow(FORMULA.sub(r"\1\2'", item) if isinstance(item, str) else item for item in line)
    return file.getvalue()


def read(path):
    """Return (headings, lines as dictionaries) of a CSV file. Raise ValueError if a guess could spoil names."""
    if not Path(path).is_file():
        raise ValueError(f"{path} must be a CSV file, and is {'a folder' if Path(path).is_dir() else 'not there'}")
    data = Path(path).read_bytes()
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise ValueError(f"{path} is a workbook and must be a CSV file. {REMEDY}")
    try:
        text = data.decode("utf-16" if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ValueError(f"{path} must be UTF-8, and line {line} is not. {REMEDY}") from None
    text = re.sub(r"^sep=.*\n", "", text, count=1, flags=re.I)  # Excel's own first line
    separator = max(",;\t", key=text.partition("\n")[0].count)  # the comma, if there is only one column
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        headings = [heading.strip() for heading in next(rows, [])]
        return headings, [dict(zip_longest(headings, row[: len(headings)], fillvalue="")) for row in rows if any(row)]
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read at line {rows.line_num}: {error}. Is one quote too many?") from None
