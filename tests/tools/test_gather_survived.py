"""The file of what survived is what the program writes."""

import json

import pytest

gather = pytest.importorskip("gather_survived")


def test_it_stores_the_date_the_versions_and_two_numbers_for_each_finding(monkeypatch, tmp_path):
    kept = json.loads(gather.FILE.read_text(encoding="utf-8"))
    assert list(kept) == ["date", "versions", "rows"] == list(gather.measured_with()) + ["rows"]
    monkeypatch.setattr(gather, "gathered", lambda page_of: {"one": [0.5, 0.25]})
    gather.main(tmp_path / "survived.json")
    assert json.loads((tmp_path / "survived.json").read_text())["rows"] == {"one": [0.5, 0.25]}
    assert list(kept["rows"]) == [row.name for row in gather.ROWS]
