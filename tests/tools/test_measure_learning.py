"""The recipe of the stored shapes writes what the library reads."""

import json

import pytest

measure_learning = pytest.importorskip("measure_learning")

from record import as_json  # noqa: E402

from tutorial_book.experiments import shape_of_learning as dynamics  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_what_is_stored_is_what_is_written():
    text = dynamics.FILE.read_text(encoding="utf-8")
    assert as_json(json.loads(text)) == text  # no hand has touched it


@pytest.mark.long
def test_a_short_record_can_be_read(monkeypatch, tmp_path):
    found = measure_learning.record(("encoder, post-norm",), range(2), until=0)
    assert found["steps"] == [0] and "+" not in "".join(found["versions"].values())
    file = tmp_path / "numbers.json"
    file.write_text(as_json(found), encoding="utf-8")
    monkeypatch.setattr(dynamics, "FILE", file)
    values = dynamics.stored()["kinds"]["encoder, post-norm"]
    assert values["loss"].shape == (2, 1) and values["first norm"].shape == (2, 1, 5)
    assert values["one of each type"]["anisotropy"].shape == (2, 1, 5)
    assert (values["loss"] > 7).all()  # it knows nothing yet: log 1,210 = 7.1
