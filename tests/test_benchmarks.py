"""The harness of the benchmarks: the definition of a ratio, which ones pass, the output, and how a run ends."""

import importlib.util
import json
import re
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
    seconds = {"ours": 2, "peer": 3}
    found = harness.alternate(
        lambda: order.append("ours"),
        lambda: order.append("peer"),
        seconds=0,
        least=3,
        clock=lambda: sum(seconds[side] for side in order),
    )
    assert order == ["ours", "peer", "ours", "peer", "peer", "ours", "ours", "peer"]
    assert found == [(2, 3), (2, 3), (2, 3)]


def test_ratio_is_the_median_of_the_pairs():
    found = harness.summary([(1, 1), (10, 20), (100, 300)])
    assert (found["ratio"], found["ours_s"], found["theirs_s"]) == (0.5, 10, 20)
    assert found["low"] == pytest.approx(5 / 12) and found["high"] == 0.75


@pytest.mark.parametrize("ratio, limit, passed", [(2, 2, True), (2, 1.9, False), (2, None, None)])
def test_a_judged_ratio_passes_up_to_its_limit(ratio, limit, passed, folder, capsys):
    bench = harness.Bench("some")
    row = bench.add("name", "peer", 5 * [(ratio, 1)], limit)
    assert row["passed"] is passed and bench.finish() == (passed is False)
    assert {True: "pass", False: "FAIL", None: "reported"}[passed] in capsys.readouterr().out
    assert json.loads((folder / "some.json").read_text(encoding="utf-8"))["comparisons"] == [row]


@pytest.mark.parametrize("value, passed", [(1, True), (3, False), (float("nan"), False)])
def test_a_judged_number_passes_up_to_its_limit(value, passed, folder):
    bench = harness.Bench("some")
    bench.report("difference", value, "", most=2)
    assert bench.finish() == (not passed) and bench.found["values"][0]["passed"] is passed


def test_every_benchmark_is_run_under_its_name(main):
    files = {file.stem: file.read_text(encoding="utf-8") for file in BENCHMARKS.glob("*.py")}
    subjects = files.keys() - {"harness", "__main__", "conftest", "test_slowdown"}
    assert subjects == set(main.SUBJECTS)
    assert all(re.findall(r'Bench\("(\w+)"\)', files[name]) == [name] for name in subjects)


def test_a_run_replaces_one_of_its_kind(main, tmp_path, monkeypatch):
    monkeypatch.setattr(main, "FILE", tmp_path / "speed.json")
    machine = {"processor": "one", "cores": 2, "memory_GiB": 8, "threads": 2, "load": 0.5}
    for version, ratio in (("1", 0.123456), ("2", 0.5), ("2", 0.25)):
        row = {"name": "a", "peer": "b", "ratio": ratio, "low": ratio, "high": ratio, "limit": None, "passed": None}
        main.keep([{"subject": "some", "date": "2026-11-23", "machine": machine, "versions": {"tutorial_lib": version},
                    "comparisons": [row], "values": []}])  # fmt: skip
    stored = main.read_json(tmp_path / "speed.json")["runs"]
    assert [speed.which(each)[0] for each in stored] == ["1", "2"]
    assert [each["comparisons"][0]["ratio"] for each in stored] == [0.1235, 0.25]
    assert stored[0]["comparisons"][0]["subject"] == "some" and stored[0]["load"] == 0.5
