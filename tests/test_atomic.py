"""Files are complete or absent, and two processes do not write to one folder."""

import os

import pytest

from tutorial_lib import atomic


def test_an_error_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "new" / "bear.txt"
    atomic.write_text(path, "The bear sleeps.\n")
    for error in (KeyboardInterrupt, OSError):
        with pytest.raises(error), atomic.beside(path) as part:
            part.write_text("The b")
            raise error
    with pytest.raises(UnicodeEncodeError):
        atomic.write_text(path, "\ud800")
    assert path.read_bytes() == b"The bear sleeps.\n" and os.listdir(path.parent) == ["bear.txt"]
    atomic.write_text(path, "\ud800", errors="backslashreplace")
    assert path.read_text() == "\\ud800"


def test_only_leftovers_of_a_kill_are_cleared(tmp_path):
    kept = ["a.json", "film.part", "part", "b.txt.x.part"]
    for name in [*kept, "a.json.4711.part", "deep.1.part"]:
        (tmp_path / name).write_text("")
    (tmp_path / "folder.1.part").mkdir()
    (tmp_path / "folder.1.part" / "c.txt.12.part").write_text("")
    atomic.clear_parts(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, "folder.1.part"])
    assert not os.listdir(tmp_path / "folder.1.part")


def test_a_folder_is_one_processs_at_a_time(tmp_path):
    pytest.importorskip("fcntl", reason="Windows has no such locks")
    folder = tmp_path / "results"
    with atomic.locked(folder, "in use"), pytest.raises(atomic.Busy, match="in use"):
        with atomic.locked(folder, "in use"):
            pass
    with atomic.locked(folder, "in use"):
        pass
    assert (folder / ".lock").exists()  # an open deleted lock would be another lock
