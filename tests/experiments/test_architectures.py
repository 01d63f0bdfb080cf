"""Small translators by the place of LayerNorm, their start and the learning rate: the stored losses come out again."""

import json

import pytest

from tutorial_book.experiments import architectures
from tutorial_book.experiments.architectures import RATES, SEEDS, learned, stored

pytestmark = pytest.mark.usefixtures("one_thread")


def test_all_runs_are_stored():
    losses = stored()
    assert len(losses) == 4 and all(values.shape == (len(RATES), len(SEEDS)) for values in losses.values())


@pytest.mark.long
def test_a_stored_run_comes_out_again():
    assert learned("pre-norm", "with warmup", 0.003, seed=2) == pytest.approx(
        stored()["pre-norm with warmup"][RATES.index(0.003)][2], rel=0.02
    )


def test_a_file_without_a_kind_is_refused(monkeypatch, tmp_path):
    kept = json.loads(architectures.FILE.read_text())
    del kept["post-norm with warmup"]
    (tmp_path / "some.json").write_text(json.dumps(kept))
    monkeypatch.setattr(architectures, "FILE", tmp_path / "some.json")
    with pytest.raises(ValueError, match="lacks post-norm with warmup: write it again with python -m tutorial"):
        stored()
