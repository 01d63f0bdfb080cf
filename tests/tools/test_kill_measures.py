"""The tool that kills: what it would call wrong, it finds."""

import json

import kill_measures
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tutorial_lib import measure

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.mark.parametrize(
    "a, b, equal",
    [
        ({"x": [1.0, 2.0], "y": None}, {"x": [1.0, 2.0 + 1e-6], "y": None}, True),
        ({"x": [1.0, 2.0]}, {"x": [1.0, 2.0 + 1e-5]}, False),
        ({"x": 1.0}, {"y": 1.0}, False),
        ([[None, 0.5, 3]], [[None, 0.5, 3]], True),
        ([[None, 0.5, 3]], [[None, 0.5, 4]], False),
        ([[1, 2, 3]], [[1, 2, 3], [4, 5, 6]], False),
        (np.zeros(0), np.zeros(0), True),
        (np.zeros(2), np.zeros(3), False),
        ("a", "b", False),
        (1e-9, 2e-9, False),
    ],
)
def test_what_agrees_agrees_to_a_millionth(a, b, equal):
    assert bool(kill_measures.agree(a, b)) == equal


def test_a_wrong_file_is_found(tmp_path):
    settings = kill_measures.given(tmp_path, 12)
    wanted = kill_measures.expected(settings, tmp_path / "expected")
    folder = tmp_path / "folder"
    kill_measures.run(settings, folder, workers=1)
    assert kill_measures.check(folder, wanted) == 0
    (folder / "sums.safetensors.part").touch()
    assert kill_measures.check(folder, wanted) == 1
    save_file(wanted[1][1], folder / "chunk-000001.safetensors")
    kill_measures.check(folder, wanted)
    save_file(wanted[1][1], folder / "chunk-000000.safetensors")
    with pytest.raises(AssertionError, match="chunk-000000.safetensors is wrong"):
        kill_measures.check(folder, wanted)
    (folder / "chunk-000000.safetensors").unlink()
    sums = load_file(folder / measure.SUMS)
    save_file({**sums, "1.mean": sums["1.mean"] * (1 + 1e-5)}, folder / measure.SUMS)
    with pytest.raises(AssertionError, match="the sums are of no number of chunks"):
        kill_measures.check(folder, wanted)
    found = json.loads((folder / measure.MEASURES).read_text())
    found["layers"]["2"]["n"] += 1
    (folder / measure.MEASURES).write_text(json.dumps(found))
    with pytest.raises(AssertionError, match="measures.json is wrong"):
        kill_measures.check(folder, wanted)
