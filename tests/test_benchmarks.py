"""The harness of the benchmarks: what a ratio is, what passes, what is written, and how a run ends."""

import importlib.util
import json
import re
import time
from pathlib import Path

import harness
import pytest

from tutorial_book.experiments import speed

BENCHMARKS = Path(harness.__file__).parent


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(harness, "FOLDER", tmp_path / "bench")
    return tmp_path / "bench"


@pytest.fixture(scope="module")
def main():
    spec = importlib.util.spec_from_file_location("benchmarks_main", BENCHMARKS / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pairs_alternate_and_the_first_does_not_count():
    order = []
    found = harness.alternate(lambda: order.append("ours"), lambda: order.append("peer"), seconds=0, least=3)
    assert len(found) == 3 and order == ["ours", "peer", "ours", "peer", "peer", "ours", "ours", "peer"]


def test_each_time_is_the_time_of_its_side():
    found = harness.alternate(lambda: time.sleep(0.02), lambda: None, seconds=0, least=4)
    assert all(ours > 0.019 > peer for ours, peer in found)


def test_the_ratio_is_the_median_of_the_pairs_and_not_of_the_times():
    found = harness.summary([(1, 1), (10, 20), (100, 300)])
    assert (found["ratio"], found["ours_s"], found["theirs_s"]) == (0.5, 10, 20)
    assert found["low"] == pytest.approx(5 / 12) and found["high"] == 0.75


@pytest.mark.parametrize("ratio, limit, passed", [(2, 2, True), (2, 1.9, False), (2, None, None)])
def test_a_judged_ratio_passes_up_to_its_limit_and_another_is_reported(ratio, limit, passed, folder, capsys):
    bench = harness.Bench("some")
    row = bench.add("name", "peer", 5 * [(ratio, 1)], limit)
    assert row["passed"] is passed and bench.finish() == (passed is False)
    assert {True: "pass", False: "FAIL", None: "reported"}[passed] in capsys.readouterr().out
    assert json.loads((folder / "some.json").read_text(encoding="utf-8"))["comparisons"] == [row]


@pytest.mark.parametrize("value, passed", [(1, True), (3, False), (float("nan"), False)])
def test_a_judged_number_passes_up_to_the_most_it_may_be_and_nan_does_not(value, passed, folder):
    bench = harness.Bench("some")
    bench.report("difference", value, "", most=2)
    assert bench.finish() == (not passed)
    assert json.loads((folder / "some.json").read_text(encoding="utf-8"))["values"][0]["passed"] is passed


def test_every_benchmark_is_run_and_knows_the_name_of_its_file(main):
    files = {file.stem: file.read_text(encoding="utf-8") for file in BENCHMARKS.glob("*.py")}
    others = ("harness", "__main__", "conftest", "test_slowdown")
    subjects = {name: text for name, text in files.items() if name not in others}
    assert set(subjects) == set(main.SUBJECTS)
    assert {name: re.findall(r'Bench\("(\w+)"\)', text) for name, text in subjects.items()} == {
        name: [name] for name in subjects
    }


def run(version, ratio):
    machine = {"processor": "one", "cores": 2, "memory_GiB": 8, "threads": 2, "load": 0.5}
    row = {"name": "a", "peer": "b", "ratio": ratio, "low": ratio, "high": ratio, "limit": None, "passed": None}
    return {"subject": "some", "date": "2026-11-23", "machine": machine, "versions": {"tutorial_lib": version},
            "comparisons": [row], "values": []}  # fmt: skip


def test_a_run_takes_the_place_of_its_own_kind_and_follows_the_others(main, tmp_path, monkeypatch):
    monkeypatch.setattr(speed, "FILE", tmp_path / "speed.json")
    for version, ratio in (("1", 0.123456), ("2", 0.5), ("2", 0.25)):
        main.keep([run(version, ratio)])
    stored = speed.stored()
    assert [speed.which(each)[0] for each in stored] == ["1", "2"]
    assert [each["comparisons"][0]["ratio"] for each in stored] == [0.1235, 0.25]
    assert stored[0]["comparisons"][0]["subject"] == "some" and stored[0]["load"] == 0.5
