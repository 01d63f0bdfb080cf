"""A corpus: the same texts from each kind of file, chunk by chunk; errors in a file are reported at once."""

import csv
import gzip
import io
import json
import os
import random

import pytest

from tutorial_lib.measure import corpus
from tutorial_lib.measure.corpus import Corpus

TEXTS = ["The bear sleeps.", "", "  \t", "Näin on, 熊!", " two  spaces ", "a\u2028b", "a\x0bb\x85c", "the end"]


def written(folder, kind, texts, **more):
    path = folder / f"texts.{kind}"  # the name says nothing
    if kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table({"text": texts}), path, **more)
    else:
        data = "".join(text + "\n" for text in texts).encode()
        path.write_bytes(gzip.compress(data) if kind == "gz" else data)
    return path


@pytest.mark.parametrize("kind", ["txt", "gz", "parquet"])
@pytest.mark.parametrize("chunk", [1, 3, 8, 100])
def test_chunks_read_alone_or_together_give_the_texts(kind, chunk, tmp_path):
    path = written(tmp_path, kind, TEXTS, **({"row_group_size": 2} if kind == "parquet" else {}))
    found = Corpus(path, chunk)
    expected = [[text for text in TEXTS[i : i + chunk] if text.strip()] for i in range(0, len(TEXTS), chunk)]
    assert list(found.chunks()) == list(enumerate(expected)) and len(found) == len(expected)
    assert [next(found.chunks(i)) for i in range(len(found))] == list(enumerate(expected))
    assert (found.n_lines, found.n_texts) == (8, 6) and list(found.chunks(len(found))) == []


def test_line_ends_and_byte_order_mark_are_removed(tmp_path):
    path = tmp_path / "windows.txt"
    path.write_bytes("\ufeffA bear.\r\nA mouse.\r\n\r\n\ufeffThe end".encode())
    assert list(Corpus(path).chunks()) == [(0, ["A bear.", "A mouse.", "\ufeffThe end"])]


def test_many_parts_of_gzip_are_one_file(tmp_path):
    path = tmp_path / "parts"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\nthree\n"))
    assert list(Corpus(path, 2).chunks()) == [(0, ["one", "two"]), (1, ["three"])]


@pytest.mark.parametrize("kind", ["txt", "gz"])
def test_error_names_the_line_that_is_not_utf8(kind, tmp_path):
    path, data = tmp_path / kind, b"good\n" * 2999 + b"caf\xe9\n" + b"good\n"
    path.write_bytes(gzip.compress(data) if kind == "gz" else data)
    with pytest.raises(ValueError, match="line 3000: must be text in UTF-8, got byte 0xe9"):
        Corpus(path)


def test_damaged_file_is_rejected(tmp_path):
    lines = [f"{random.random()}" for _ in range(1000)]
    cut = written(tmp_path, "gz", lines)
    cut.write_bytes(cut.read_bytes()[:-2000])
    with pytest.raises(ValueError, match="is damaged after line [1-9]"):
        Corpus(cut)
    broken = written(tmp_path, "parquet", lines)
    broken.write_bytes(b"PAR1" + bytes(1000))
    with pytest.raises((ValueError, OSError), match="texts.parquet|Parquet"):
        Corpus(broken)


def test_missing_or_empty_corpus_is_rejected(tmp_path):
    with pytest.raises(FileNotFoundError, match="path must be a file with one text per line, and .*nowhere.txt"):
        Corpus(tmp_path / "nowhere.txt")
    with pytest.raises(FileNotFoundError, match="path must be a file with one text per line"):
        Corpus(tmp_path)
    for data, n in ((b"", 0), (b"\n \n\n", 3)):
        (tmp_path / "empty").write_bytes(data)
        with pytest.raises(ValueError, match=f"must contain at least one text, got {n} empty lines"):
            Corpus(tmp_path / "empty")
    with pytest.raises(ValueError, match="chunk must be a number of lines, 1 or more, got 0"):
        Corpus(written(tmp_path, "txt", TEXTS), 0)


def test_overlong_line_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "LONGEST", 100)
    path = written(tmp_path, "txt", ["short", "x" * 99])
    assert Corpus(path).n_texts == 2
    path = written(tmp_path, "txt", ["short", "x" * 100])
    with pytest.raises(ValueError, match="line 2: a text must have at most 100 bytes"):
        Corpus(path)


def test_file_that_changes_meanwhile_is_rejected(tmp_path):
    path = written(tmp_path, "txt", TEXTS)
    chunks = Corpus(path, 2).chunks()
    next(chunks)
    os.utime(path, (1, 1))
    with pytest.raises(ValueError, match="changed while it was read"):
        next(chunks)


def test_of_parquet_the_column_of_texts_is_found(tmp_path):
    pyarrow, path = pytest.importorskip("pyarrow"), tmp_path / "table"
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({"id": [1, 2], "body": ["one", None]}), path)
    assert list(Corpus(path).chunks()) == [(0, ["one"])]
    write_table(pyarrow.table({"title": ["no"], "text": ["yes"]}), path)
    assert list(Corpus(path).chunks()) == [(0, ["yes"])]
    write_table(pyarrow.table({"title": ["no"], "body": ["neither"]}), path)
    assert list(Corpus(path, column="body").chunks()) == [(0, ["neither"])]
    with pytest.raises(ValueError, match='must have a column "text" or only one of strings. Set column: title'):
        Corpus(path)


def table(kind, texts, mark=","):
    """The texts as a file of this kind, with a number and another string."""
    rows = [{"id": i, "title": f"title {i}", "text": text} for i, text in enumerate(texts)]
    if kind == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, ["id", "title", "text"], delimiter=mark)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["a.jsonl", "a.NDJSON", "a.json.gz", "a.dump", "a.csv", "a.tsv.gz"])
def test_tables_give_texts_from_any_chunk(name, mark, tmp_path):
    kind = "csv" if "sv" in name else "jsonl"
    texts = [*TEXTS, "two\nlines, and \"quotes\";\tas\r\nwell"]
    data = table(kind, texts, mark).encode("utf-8-sig")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    for chunk in (1, 3, 100):
        found = Corpus(tmp_path / name, chunk)
        expected = [[text for text in texts[i : i + chunk] if text.strip()] for i in range(0, len(texts), chunk)]
        assert list(found.chunks()) == list(enumerate(expected)) and found.column == "text"
        assert [next(found.chunks(i)) for i in range(len(found))] == list(enumerate(expected))
    assert next(Corpus(tmp_path / name, column="title").chunks())[1][:2] == ["title 0", "title 1"]


@pytest.mark.parametrize(
    "name, data, column, message",
    [
        ("a.txt", "a bear", "text", "column must be None for plain text"),
        ("a.jsonl", '{"text": "a"}\n{"text": 3}\n', None, "line 2: 'text' must be a string, got 3"),
        ("a.jsonl", '{"text": "a"}\n{"body": "b"}\n', None, "line 2: 'text' must be a string, got the keys body"),
        ("a.jsonl", '{"text": "a"}\n\n{"text": "a"\n', None, "line 3: must be one JSON object per line"),
        ("a.jsonl", '["a"]\n', None, "line 1: must be one JSON object per line, got "),
        ("a.jsonl", '{"a": "a", "b": "b"}\n', None, 'must have a column "text"'),
        ("a.jsonl", '\n{"a": "a"}\n', "b", "column must be in .* .a., got 'b'"),
        ("a.csv", "text,n\na,1\nb\n", None, "line 3: must have 2 columns, got 1"),
        ("a.csv", 'text,n\n"a\nb",1\n"c"d,1\n', None, "line 4: must be a row of CSV"),
        ("a.csv", "a,a\n1,2\n", "a", "must have only one column 'a', got several"),
        ("a.csv", "", None, 'must have a column "text"'),
        ("a.csv", "text\n", None, "must contain at least one text, got 0 empty lines"),
    ],
)
def test_wrong_row_is_named(name, data, column, message, tmp_path):
    (tmp_path / name).write_text(data)
    with pytest.raises(ValueError, match=message):
        Corpus(tmp_path / name, column=column)


def test_null_and_empty_lines_are_empty_texts(tmp_path):
    (tmp_path / "a.jsonl").write_text('\n{"text": null, "id": "x"}\n{"text": "a"}\n')
    (tmp_path / "a.csv").write_text("n,text\n1,\n\n2,a\n")
    assert Corpus(tmp_path / "a.jsonl").n_lines == Corpus(tmp_path / "a.csv").n_lines == 3
    assert Corpus(tmp_path / "a.jsonl").n_texts == Corpus(tmp_path / "a.csv").n_texts == 1


def test_a_text_longer_than_csvs_limit_is_read(tmp_path):
    (tmp_path / "a.csv").write_text("text\n" + "a " * 100_000 + "\n")
    before = csv.field_size_limit()
    assert len(next(Corpus(tmp_path / "a.csv").chunks())[1][0]) == 200_000 and csv.field_size_limit() == before


def test_parquet_column_must_hold_strings(tmp_path):
    pyarrow, path = pytest.importorskip("pyarrow"), tmp_path / "table"
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({"n": [1], "body": ["one"]}), path)
    for column, message in (("n", "column must be a column of strings .body., got 'n'"), ("x", "got 'x'")):
        with pytest.raises(ValueError, match=message):
            Corpus(path, column=column)
