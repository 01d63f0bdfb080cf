"""A corpus on disk, one text per line, in chunks that can be read one by one: no file is ever fully in memory."""

import csv
import gzip
import json
import os
import zlib
from collections.abc import Iterator

from tutorial_lib.arguments import check_path, check_text, needed, whole_number
from tutorial_lib.weights import sha256

LONGEST = 10_000_000  # bytes in a line: a longer one is probably a file without line ends
# File extension -> how the file is read. Other names are plain text.
KINDS = {".jsonl": "JSONL", ".ndjson": "JSONL", ".json": "JSONL", ".csv": "CSV", ".tsv": "CSV", ".parquet": "Parquet"}


class Corpus:
    """A file of texts, cut into chunks of a fixed number of lines; the last one may be shorter.

    path: plain text, JSONL or CSV in UTF-8, or one of them in gzip, or Parquet, which needs pyarrow. One text per line
    or row. The extension decides (.jsonl, .csv, .tsv); Parquet, gzip and JSON objects are also recognized by their
    first bytes. column: the name of the column, or key, that contains the texts; None takes "text", or the only one of
    strings. Plain text has none. A line ends with \\n or \\r\\n. Empty texts and those of only white space are lines,
    but not texts.

    It is read once to check it: n_lines, n_texts, column, sha256 (of the file), and starts, where each chunk begins (in
    bytes, or rows). len(corpus) is the number of chunks. Raises FileNotFoundError if there is no such file; ValueError
    that names the line if it is damaged, not UTF-8, longer than 10 MB or without a text; ModuleNotFoundError if Parquet
    lacks pyarrow.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "texts.txt").write_text("A bear.\\nTwo bears.\\n\\nA mouse.\\n")
    ...     corpus = Corpus(f"{folder}/texts.txt", chunk=2)
    ...     corpus.n_lines, corpus.n_texts, list(corpus.chunks())
    (4, 3, [(0, ['A bear.', 'Two bears.']), (1, ['A mouse.'])])
    """

    def __init__(self, path: str | os.PathLike, chunk: int = 1000, column: str | None = None):
        self.path = check_path("path", path)
        self.column = None if column is None else check_text("column", column)
        self.chunk = whole_number("chunk", chunk, 1, "a number of lines, 1 or more")
        if not self.path.is_file():
            raise FileNotFoundError(f"path must be a file with one text per line, and {self.path} does not exist")
        with open(self.path, "rb") as file:
            first = file.read(4)
        self._open = gzip.open if first[:2] == b"\x1f\x8b" else open
        self._seen = self._stat()
        self._chosen = False
        self.n_lines = 0
        self.n_texts = 0
        self.starts = []
        at = 0
        try:
            kind = "Parquet" if first == b"PAR1" else self._kind()
            if kind == "lines" and column is not None:
                raise ValueError(f"column must be None for plain text, and {self.path} is not .jsonl, .csv or .tsv")
            self._read = {"lines": self._lines, "JSONL": self._objects, "CSV": self._table, "Parquet": self._rows}[kind]
            for text, end in self._read(0):
                if self.n_lines % self.chunk == 0:
                    self.starts.append(at)
                self.n_lines += 1
                self.n_texts += bool(text.strip())
                at = end
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{self.path} is damaged after line {self.n_lines} ({error}). Get it again") from error
        if kind == "lines" and self.n_lines == 1 and "\r" in text:
            raise ValueError(f"{self.path} must have line ends \\n, got only \\r. Convert it with tr '\\r' '\\n'")
        if not self.n_texts:
            raise ValueError(f"{self.path} must contain at least one text, got {self.n_lines} empty lines")
        self.sha256 = sha256(self.path)

    def __len__(self):
        return len(self.starts)

    def chunks(self, first: int = 0) -> Iterator[tuple[int, list[str]]]:
        """Yield each chunk's number and texts, starting at `first`. Raises ValueError if the file has changed."""
        number = first
        texts = []
        n = 0
        for text, _ in self._read(self.starts[first]) if first < len(self) else ():
            n += 1
            if text.strip():
                texts.append(text)
            if n == self.chunk:
                yield number, self._checked(texts)
                number += 1
                texts = []
                n = 0
        if n:
            yield number, self._checked(texts)

    def _checked(self, texts):
        if self._stat() != self._seen:
            raise ValueError(f"{self.path} changed while it was read. Start again with a file that does not change")
        return texts

    def _stat(self):
        stat = self.path.stat()
        return stat.st_size, stat.st_mtime_ns

    def _kind(self):
        """Return how the file is read: by its name, or because its first line is a JSON object."""
        name = self.path.with_suffix("") if self.path.suffix == ".gz" else self.path
        if name.suffix.lower() in KINDS:
            return KINDS[name.suffix.lower()]
        with self._open(self.path, "rb") as file:
            line = file.readline(LONGEST).lstrip(b"\xef\xbb\xbf \t")
        try:
            return "JSONL" if line.startswith(b"{") and json.loads(line) else "lines"
        except ValueError:
            return "lines"

    def _wrong(self, line, what):
        return ValueError(f"{self.path}, line {line}: {what}")

    def _choose(self, columns, strings):
        """Find the column of texts: the one asked for, "text", or the only one of strings."""
        got = ", ".join(map(str, columns))[:200]
        if self.column is not None and self.column not in columns:
            raise ValueError(f"column must be in {self.path} ({got}), got {self.column!r}")
        self.column = self.column or ("text" if "text" in strings else strings[0] if len(strings) == 1 else None)
        self._chosen = True
        if self.column is None:
            raise ValueError(f'{self.path} must have a column "text" or only one of strings. Set column: {got}')
        if list(columns).count(self.column) > 1:
            raise ValueError(f"{self.path} must have only one column {self.column!r}, got several")

    def _decoded(self, file, at):
        """Yield each line from a byte on, and the byte after it; for gzip, bytes count after decompression."""
        file.seek(at)
        for number, line in enumerate(iter(lambda: file.readline(LONGEST + 1), b""), 1):
            if len(line) > LONGEST:
                raise self._wrong(number, f"a text must have at most {LONGEST} bytes. Check the line ends")
            at += len(line)
            try:
                text = line.decode("utf-8-sig" if at == len(line) else "utf-8")  # a byte order mark may come first
            except UnicodeDecodeError as error:
                raise self._wrong(number, f"must be text in UTF-8, got byte 0x{line[error.start]:02x}") from error
            yield text, at

    def _lines(self, at):
        """Yield each line as a text."""
        with self._open(self.path, "rb") as file:
            for line, end in self._decoded(file, at):
                yield line.removesuffix("\n").removesuffix("\r"), end

    def _objects(self, at):
        """Yield the text in the JSON object of each line; null and empty lines are empty texts."""
        with self._open(self.path, "rb") as file:
            for number, (line, end) in enumerate(self._decoded(file, at), 1):
                if not line.strip():
                    yield "", end
                    continue
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise self._wrong(number, f"must be one JSON object per line ({error})") from error
                if not isinstance(row, dict):
                    raise self._wrong(number, f"must be one JSON object per line, got {line.strip():.60}")
                if not self._chosen:
                    self._choose(row, [name for name, value in row.items() if value is None or isinstance(value, str)])
                text = row.get(self.column, 0)
                if not (text is None or isinstance(text, str)):
                    got = f"{text!r:.60}" if self.column in row else f"the keys {', '.join(row)[:200]}"
                    raise self._wrong(number, f"{self.column!r} must be a string, got {got}")
                yield text or "", end

    def _table(self, at):
        """Yield the text of each row of a CSV file whose first row names the columns. Quoted texts may span lines."""
        behind = 0

        def lines(first):
            nonlocal behind
            for line, end in self._decoded(file, first):
                behind = end
                yield line

        before = csv.field_size_limit(LONGEST)
        number = 0
        try:
            with self._open(self.path, "rb") as file:
                mark = max(",;\t", key=next(lines(0), "").count)
                reader = csv.reader(lines(0), delimiter=mark, strict=True)
                columns = [name.strip() for name in next(reader, [])]
                number = reader.line_num
                if not self._chosen:
                    self._choose(columns, columns)
                place = columns.index(self.column)
                if at:
                    reader = csv.reader(lines(at), delimiter=mark, strict=True)
                for row in reader:
                    number = reader.line_num
                    if row and len(row) != len(columns):
                        raise self._wrong(number, f"must have {len(columns)} columns, got {len(row)}")
                    yield row[place] if row else "", behind
        except csv.Error as error:
            raise self._wrong(number + 1, f"must be a row of CSV ({error})") from error
        finally:
            csv.field_size_limit(before)

    def _rows(self, at):
        """Yield each row of a Parquet file from a row on, and the number of the next; null becomes empty."""
        with needed("pyarrow", "Parquet"):
            from pyarrow import ArrowException, types
            from pyarrow.parquet import ParquetFile
        try:
            with ParquetFile(self.path) as file:
                fields = [(field.name, field.type) for field in file.schema_arrow]
                strings = [name for name, kind in fields if types.is_string(kind) or types.is_large_string(kind)]
                if self.column in file.schema_arrow.names and self.column not in strings:
                    raise ValueError(f"column must be a column of strings ({', '.join(strings)}), got {self.column!r}")
                if not self._chosen:
                    self._choose(file.schema_arrow.names, strings)
                sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
                group = 0  # row groups before the wanted one are not read
                skip = at
                while group < len(sizes) and skip >= sizes[group]:
                    skip -= sizes[group]
                    group += 1
                for batch in file.iter_batches(self.chunk, range(group, file.num_row_groups), columns=[self.column]):
                    rows = batch.column(0)[skip:].to_pylist()
                    skip = max(0, skip - len(batch))
                    for row in rows:
                        at += 1
                        yield row or "", at
        except ArrowException as error:
            raise ValueError(f"{self.path} is damaged ({error}). Get it again") from error
