"""What the chapter on corpora past one machine tells, pinned: sums that merge, sums that fail, TwoNN, the plan."""

import json

import numpy as np
import pytest

from tutorial_book.experiments import speed
from tutorial_book.experiments.cost import plan
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


def test_means_4_apart_make_a_variance_of_1_one_of_5(page):
    assert sum(page.halves, Cloud(2)).covariance[0, 0] == pytest.approx(5)


def test_the_average_cosine_follows_from_the_sum_of_unit_vectors(X):
    U = X / np.linalg.norm(X.astype(float), axis=1, keepdims=True)
    n = len(U)
    assert (np.square(U.sum(0)).sum() - n) / (n * n - n) == pytest.approx(geometry.average_cosine(X), abs=1e-6)


def test_squares_in_float32_lose_two_digits_for_each_digit_of_the_mean_and_clouds_none(page):
    wrong = page.wrong
    assert max(page.right) < 1e-6 and wrong[0] < 1e-5 and 1e-5 < wrong[2] < 0.1 and wrong[4] > 0.5


def test_means_are_small_in_the_default_model(page):
    assert page.loudest.max() == pytest.approx(2.4, abs=0.1)


def test_asking_250_vectors_gives_the_dimension_and_a_cloud_of_250_about_twice_of_it(page):
    dimension = page.dimension
    assert dimension == pytest.approx(7.5, abs=0.2)
    for n, times in ((250, 2.1), (1_000, 1.4)):
        asked, thinned = page.tried[n].T
        assert np.abs(asked / dimension - 1).max() < 3 / (0.9 * n) ** 0.5
        assert thinned.mean() / dimension == pytest.approx(times, abs=0.2)


def test_two_workers_read_more_than_one_but_not_twice_as_much_and_are_done_after_one_with_two_threads():
    runs = {(run["workers"], run["threads"]): run for run in speed.scaling()["runs"]}
    one, two, threads = (runs[each] for each in ((1, 1), (2, 1), (1, 2)))
    assert 1 < np.median(two["texts_per_second"]) / np.median(one["texts_per_second"]) < 2
    assert np.median(two["texts_per_second"]) > np.median(threads["texts_per_second"])
    assert np.median(two["seconds"]) > np.median(threads["seconds"])


def test_a_decoder_of_7_billion_weights_fits_no_machine_of_23_gib_and_its_clouds_take_4_4_gb(page):
    big = page.plans["7 B decoder"]
    assert big.weights / 4 == pytest.approx(6.6e9, rel=0.01)
    assert big.sums == pytest.approx(4.43e9, rel=0.01) == 8 * 33 * 4_096**2
    assert 4 * ROWS * 33 * 4_096 == pytest.approx(2.2e9, rel=0.01)  # vectors that wait
    assert big.weights + big.sums > 2**30 * speed.scaling()["machine"]["memory_GiB"]
    assert big.sums / page.plans["MiniLM"].weights == pytest.approx(50, abs=2)


def test_the_small_model_takes_hours_or_days_and_the_large_one_months_or_years(page):
    days = {name: each.seconds / 86_400 for name, each in page.plans.items()}
    assert days["MiniLM"] < 14 and days["7 B decoder"] > 60
    small, big = (plan(1, 126, 1.0, *shape).seconds for shape in ((384, 6), (4_096, 32, 16_512)))
    assert big / small == pytest.approx(600, rel=0.1)
    assert 1 < 600 / (days["7 B decoder"] / days["MiniLM"]) < 6  # wide layers are no slower for each multiplication


@pytest.mark.parametrize("text", ["{}", '{"date": "2026-01-01"}'])
def test_a_damaged_file_is_told(text, tmp_path, monkeypatch):
    monkeypatch.setattr(speed, "SCALING", tmp_path / "scaling.json")
    speed.SCALING.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="tools/measure_scaling.py"):
        speed.scaling()


def test_what_is_stored_says_where_it_comes_from_and_holds_what_the_page_shows(page):
    found = speed.scaling()
    assert {(run["workers"], run["threads"]) for run in found["runs"]} >= {(1, 1), (2, 1), (1, 2)}
    assert {layer["name"] for layer in found["layers"]} == set(page.models) and found["model"] == "all-MiniLM-L6-v2"
    assert len(found["machine"]["load"]) == 1 + len(found["runs"][0]["seconds"]) and "/" not in json.dumps(found)


# --- Exercises -----------------------------------------------------------------------------------------------------


def test_exercise_1_one_by_one(page):
    assert page.one_by_one == pytest.approx(page.x.var(), rel=1e-6)


def test_exercise_3_a_chunk_must_take_a_hundred_times_as_long_as_its_clouds(page):
    assert 100 * page.sending == pytest.approx(443, abs=1)
    assert 10 < page.worth_sending < 99 and 10_000 < 1_000 * page.worth_sending < 99_000
