"""A corpus: the same texts from each kind of file, chunk by chunk; what is wrong with a file is told at once."""

import gzip
import os
import random

import pytest

from tutorial_lib.measure import corpus
from tutorial_lib.measure.corpus import Corpus

TEXTS = ["The bear sleeps.", "", "  \t", "Näin on, 熊!", " two  spaces ", "a\u2028b", "a\x0bb\x85c", "the end"]


def written(folder, kind, texts, **more):
    path = folder / f"texts.{kind}"  # the name tells nothing
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
    with pytest.raises(ValueError, match="must be text in UTF-8, got byte 0xe9 in line 3000"):
        Corpus(path)


def test_damaged_file_is_refused(tmp_path):
    lines = [f"{random.random()}" for _ in range(1000)]
    cut = written(tmp_path, "gz", lines)
    cut.write_bytes(cut.read_bytes()[:-2000])
    with pytest.raises(ValueError, match="is damaged behind line [1-9]"):
        Corpus(cut)
    broken = written(tmp_path, "parquet", lines)
    broken.write_bytes(b"PAR1" + bytes(1000))
    with pytest.raises((ValueError, OSError), match="texts.parquet|Parquet"):
        Corpus(broken)


def test_missing_or_empty_corpus_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file .*nowhere.txt: give one with a text in each line"):
        Corpus(tmp_path / "nowhere.txt")
    with pytest.raises(FileNotFoundError, match="no file"):
        Corpus(tmp_path)
    for data, n in ((b"", 0), (b"\n \n\n", 3)):
        (tmp_path / "empty").write_bytes(data)
        with pytest.raises(ValueError, match=f"must hold a text, got {n} empty lines"):
            Corpus(tmp_path / "empty")
    with pytest.raises(ValueError, match="chunk must be a number of lines, 1 or more, got 0"):
        Corpus(written(tmp_path, "txt", TEXTS), 0)


def test_overlong_line_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "LONGEST", 100)
    path = written(tmp_path, "txt", ["short", "x" * 99])
    assert Corpus(path).n_texts == 2
    path = written(tmp_path, "txt", ["short", "x" * 100])
    with pytest.raises(ValueError, match="a text in each line, got one of more than 100 bytes"):
        Corpus(path)


def test_file_that_changes_meanwhile_is_refused(tmp_path):
    path = written(tmp_path, "txt", TEXTS)
    chunks = Corpus(path, 2).chunks()
    next(chunks)
    os.utime(path, (1, 1))
    with pytest.raises(ValueError, match="has changed while it was read"):
        next(chunks)


def test_of_parquet_the_column_of_texts_is_found(tmp_path):
    pyarrow, path = pytest.importorskip("pyarrow"), tmp_path / "table"
    from pyarrow.parquet import write_table

    write_table(pyarrow.table({"id": [1, 2], "body": ["one", None]}), path)
    assert list(Corpus(path).chunks()) == [(0, ["one"])]
    write_table(pyarrow.table({"title": ["no"], "text": ["yes"]}), path)
    assert list(Corpus(path).chunks()) == [(0, ["yes"])]
    write_table(pyarrow.table({"title": ["no"], "body": ["neither"]}), path)
    with pytest.raises(ValueError, match='must have a column "text", or one alone of strings, got title, body'):
        Corpus(path)
