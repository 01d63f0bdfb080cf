"""A corpus on disk, one text a line, in chunks that can be read one by one: no file is ever held as a whole."""

import gzip
import os
import zlib
from pathlib import Path

from tutorial_lib.arguments import whole_number
from tutorial_lib.weights import sha256

LONGEST = 10_000_000  # bytes in a line: more is no text, but a file without line ends


class Corpus:
    """A file of texts, cut into chunks of so many lines; the last one may be shorter.

    path: plain text or gzip, in UTF-8, one text a line, or Parquet, one text a row, which takes pyarrow. The first
    bytes tell which, not the name. Of Parquet the column "text" is read, or the only one of strings. A line ends with
    \\n or \\r\\n. Empty lines, and those of white space alone, are lines, but no texts.

    It is read once to check it: n_lines, n_texts, sha256 (of the file), and starts, where each chunk begins (in bytes,
    or rows). len(corpus) is the number of chunks. Raises FileNotFoundError where there is no such file, ValueError
    where it is damaged, not UTF-8, has a line of more than 10 MB, or holds no text.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "texts.txt").write_text("A bear.\\nTwo bears.\\n\\nA mouse.\\n")
    ...     corpus = Corpus(Path(folder, "texts.txt"), chunk=2)
    ...     corpus.n_lines, corpus.n_texts, list(corpus.chunks())
    (4, 3, [(0, ['A bear.', 'Two bears.']), (1, ['A mouse.'])])
    """

    def __init__(self, path, chunk=1000):
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"path must be a file's name, got {path!r:.60}")
        self.path = Path(path).expanduser()
        self.chunk = whole_number("chunk", chunk, 1, "a number of lines, 1 or more")
        if not self.path.is_file():
            raise FileNotFoundError(f"no file {self.path}: give one with a text in each line")
        with open(self.path, "rb") as file:
            first = file.read(4)
        self._read = self._rows if first == b"PAR1" else self._lines
        self._open = gzip.open if first[:2] == b"\x1f\x8b" else open
        self._seen = self._stat()
        self.n_lines = 0
        self.n_texts = 0
        self.starts = []
        at = 0
        try:
            for text, end in self._read(0):
                if self.n_lines % self.chunk == 0:
                    self.starts.append(at)
                self.n_lines += 1
                self.n_texts += bool(text.strip())
                at = end
        except UnicodeDecodeError as error:
            byte = f"byte 0x{error.object[error.start]:02x} in line {self.n_lines + 1}"
            raise ValueError(f"{self.path} must be text in UTF-8, got {byte}") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{self.path} is damaged behind line {self.n_lines} ({error}): get it again") from error
        if self.n_lines == 1 and "\r" in text:
            raise ValueError(f"{self.path} must have lines that end with \\n, got \\r alone (tr '\\r' '\\n' helps)")
        if not self.n_texts:
            raise ValueError(f"{self.path} must hold a text, got {self.n_lines} empty lines")
        self.sha256 = sha256(self.path)

    def __len__(self):
        return len(self.starts)

    def chunks(self, first=0):
        """Each chunk's number and its texts, from the `first` on. ValueError where the file has changed meanwhile."""
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
            raise ValueError(f"{self.path} has changed while it was read: begin again with a file that stays")
        return texts

    def _stat(self):
        stat = self.path.stat()
        return stat.st_size, stat.st_mtime_ns

    def _lines(self, at):
        """Each line from a byte on, and the byte behind it; of gzip, the bytes are those that come out."""
        with self._open(self.path, "rb") as file:
            file.seek(at)
            for line in iter(lambda: file.readline(LONGEST + 1), b""):
                if len(line) > LONGEST:
                    raise ValueError(f"{self.path} must have a text in each line, got one of more than {LONGEST} bytes")
                at += len(line)
                text = line.decode("utf-8-sig" if at == len(line) else "utf-8")  # a mark of byte order may stand first
                yield text.removesuffix("\n").removesuffix("\r"), at

    def _rows(self, at):
        """Each row of a Parquet file from a row on, and the number of the next; what is null is empty."""
        from pyarrow import ArrowException, types
        from pyarrow.parquet import ParquetFile

        try:
            with ParquetFile(self.path) as file:
                fields = [(field.name, field.type) for field in file.schema_arrow]
                strings = [name for name, kind in fields if types.is_string(kind) or types.is_large_string(kind)]
                name = "text" if "text" in strings else strings[0] if len(strings) == 1 else None
                if name is None:
                    got = ", ".join(file.schema_arrow.names)
                    raise ValueError(f'{self.path} must have a column "text", or one alone of strings, got {got}')
                sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
                group = 0  # groups of rows before the one wanted are not read
                skip = at
                while group < len(sizes) and skip >= sizes[group]:
                    skip -= sizes[group]
                    group += 1
                for batch in file.iter_batches(self.chunk, range(group, file.num_row_groups), columns=[name]):
                    rows = batch.column(0)[skip:].to_pylist()
                    skip = max(0, skip - len(batch))
                    for row in rows:
                        at += 1
                        yield row or "", at
        except ArrowException as error:
            raise ValueError(f"{self.path} is damaged ({error}): get it again") from error
