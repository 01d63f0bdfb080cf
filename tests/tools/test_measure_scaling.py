"""The recipe of the stored scaling writes what the library reads, and counts what was computed."""

import json

import pytest

measure_scaling = pytest.importorskip("measure_scaling")

from tutorial_book.experiments import speed  # noqa: E402
from tutorial_book.experiments.cost import operations  # noqa: E402


def test_no_hand_has_touched_what_is_stored():
    text = speed.SCALING.read_text(encoding="utf-8")
    assert measure_scaling.written(json.loads(text)) == text


def test_a_short_record_can_be_read(monkeypatch, tmp_path, real_folder):
    monkeypatch.setenv("TUTORIAL_LIB_TEXTS", str(real_folder))
    monkeypatch.setattr(measure_scaling, "DEFAULT", "book-bert")
    monkeypatch.setattr(measure_scaling.torch, "get_num_threads", lambda: 1)
    found = measure_scaling.record(8, chunk=2, rounds=2, workers=[1], widths={"small": (32, 64, 2)})
    file = tmp_path / "scaling.json"
    file.write_text(measure_scaling.written(found), encoding="utf-8")
    monkeypatch.setattr(speed, "SCALING", file)
    found = speed.scaling()
    [run], [layer] = found["runs"], found["layers"]
    assert len(run["texts_per_second"]) == len(run["seconds"]) == 2 and min(run["texts_per_second"]) > 0
    assert layer["d_model"] == 32 and layer["multiplications_per_second"] > 0
    read = found["corpus"]
    assert (read["texts"], read["texts_read"]) == (3558, 8) and read["bytes_read"] < read["bytes"]
    assert 1 < read["bytes_read"] / read["tokens_read"] < 6 and len(found["machine"]["load"]) == 3


def test_a_rate_is_the_work_over_the_median_time(monkeypatch):
    clock = iter([0.0, 9.0, 10.0, 11.0, 20.0, 22.0, 30.0, 37.0])  # rounds of 9 (warms up), 1, 2 and 7 seconds
    monkeypatch.setattr(measure_scaling.time, "perf_counter", lambda: next(clock))
    work = 32 * sum(operations(128, 8, 16)) + 4096 * 8**2
    assert measure_scaling.rate_of(8, 16, 2) == work / 2


def test_texts_a_second_count_once_all_workers_are_in_their_second_chunk(monkeypatch, tmp_path):
    ends = iter([0.0, 10.0, 10.1, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 20.0])  # start, eight chunks, the end

    def measure(corpus, model, folder, chunk, workers, tell):
        for _ in range(8):
            tell(None)
        return {"layers": {"0": {"n": 99}}}

    before = measure_scaling.torch.get_num_threads()
    monkeypatch.setattr(measure_scaling, "measure", measure)
    monkeypatch.setattr(measure_scaling.time, "perf_counter", lambda: next(ends))
    found = measure_scaling.timed("corpus", tmp_path, workers=2, threads=1, chunk=5)
    assert found == {"texts_per_second": 5.0, "seconds": 20.0, "tokens": 99}
    with pytest.raises(ValueError, match="3 workers need 12 chunks"):
        ends = iter([0.0] + [1.0] * 9)
        measure_scaling.timed("corpus", tmp_path, workers=3, threads=1, chunk=5)
    measure_scaling.torch.set_num_threads(before)
