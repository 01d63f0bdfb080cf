"""Statements of the chapter on corpora past one machine that its page cannot check: other cuts, stored results."""

import json

import numpy as np
import pytest

from tutorial_book.experiments import stored
from tutorial_lib import geometry
from tutorial_lib.geometry import Cloud
from tutorial_lib.measure import ROWS
from tutorial_lib.texts import load_texts
from tutorial_lib.vectors import embed

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def X():
    """The page's vectors: all tokens of the notes, layer 5."""
    return np.concatenate(embed(load_texts("encyclopedia"), layers=5, pooling="tokens", device="cpu"))


@pytest.mark.parametrize("cut", [1, 2307, 4600])
def test_two_parts_merged_are_the_whole(X, cut):
    both = Cloud(384).add(X[:cut]) + Cloud(384).add(X[cut:])
    whole = np.cov(X.T.astype(float))
    assert np.abs(both.covariance - whole).max() < 1e-6 * np.abs(whole).max()
    for measure in (geometry.anisotropy, geometry.average_cosine):
        assert measure(both) == pytest.approx(measure(X), abs=1e-6)


def test_seven_billion_weights_have_sums_of_4_gb(page):
    assert page.big.weights / 4 == pytest.approx(6.6e9, rel=0.01)
    assert page.big.sums == pytest.approx(4.43e9, rel=0.01) == 8 * 33 * 4_096**2
    assert 4 * ROWS * 33 * 4_096 == pytest.approx(2.2e9, rel=0.01)  # vectors that wait


def test_stored_run_names_its_machine_model_and_layers(page):
    found = stored("scaling")
    assert [(run["workers"], run["threads"]) for run in found["runs"]] == [(1, 1), (2, 1), (1, 2)]
    assert {layer["name"] for layer in found["layers"]} == set(page.models) and found["model"] == "all-MiniLM-L6-v2"
    assert len(found["machine"]["load"]) == 1 + len(found["runs"][0]["seconds"]) and "/" not in json.dumps(found)
