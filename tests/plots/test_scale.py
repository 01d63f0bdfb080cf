import numpy as np
import pytest

from tutorial_book import plots

RUNS = [
    {"workers": 1, "threads": 1, "texts_per_second": [9.0, 10.0, 14.0]},
    {"workers": 2, "threads": 1, "texts_per_second": [17.0, 19.0, 20.0]},
    {"workers": 1, "threads": 2, "texts_per_second": [12.0, 13.0, 15.0]},
]


def test_an_ellipse_has_the_variances_and_the_direction_of_its_points():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 400, 2)) * [3, 1] + [[[0, 0]], [[9, 9]]]
    ax = plots.scale.merged(first, second)
    ellipses = [patch for patch in ax.patches if hasattr(patch, "angle")]
    for ellipse, X in zip(ellipses, (first, second, np.concatenate([first, second])), strict=True):
        np.testing.assert_allclose(ellipse.center, X.mean(0))
        long, short = np.sqrt(np.linalg.eigvalsh(np.cov(X.T)))[::-1]
        assert (ellipse.width, ellipse.height) == pytest.approx((4 * long, 4 * short))
        along = np.array([np.cos(np.radians(ellipse.angle)), np.sin(np.radians(ellipse.angle))])
        assert (X @ along).std(ddof=1) == pytest.approx(long)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert left < first[:, 0].min() and right > second[:, 0].max() and low < -1 and high > 10


def test_errors_stand_at_their_means():
    ax = plots.scale.errors([1, 10], {"naive": [1e-7, 2.0], "shifted": [1e-8, 2e-8]})
    naive, shifted, one = ax.lines
    assert naive.get_ydata().tolist() == [1e-7, 2.0] and shifted.get_ydata().tolist() == [1e-8, 2e-8]
    assert set(one.get_ydata()) == {1} and ax.get_xscale() == ax.get_yscale() == "log"


def test_a_layer_without_large_coordinates_counts_as_it_is():
    layers = {"0": {"a": 1.0, "b": 3.0}, "1": {"a": 2.0, "b": 4.0, "rest": {"a": 0.5, "b": 0.1}}}
    axes = plots.scale.by_layer(layers, {"a": "A", "b": "B"})
    assert [[line.get_ydata().tolist() for line in ax.lines] for ax in axes] == [[[1, 2], [1, 0.5]], [[3, 4], [3, 0.1]]]
    assert [ax.get_title() for ax in axes] == ["A", "B"]


def test_rates_are_medians_from_the_lowest_to_the_highest_beside_so_many_times_one():
    ax = plots.scale.rates(RUNS)
    ideal, workers, threads = ax.lines
    assert ideal.get_ydata().tolist() == [0, 20] and workers.get_ydata().tolist() == [10, 19]
    assert threads.get_xdata().tolist() == [2] and threads.get_ydata().tolist() == [13]
    assert threads.get_markerfacecolor() == "white"
    spans = [path.vertices[:, 1].tolist() for lines in ax.collections for path in lines.get_paths()]
    assert spans == [[9, 14], [17, 20], [12, 15]]


def test_so_many_machines_take_one_part_of_the_days_and_the_axis_stays():
    seconds = {"a": 86_400.0, "b": 8_640_000.0}
    one, ten = plots.scale.days(1, seconds), plots.scale.days(10, seconds)
    assert one.lines[-1].get_xdata().tolist() == pytest.approx([1, 100])
    assert ten.lines[-1].get_xdata().tolist() == pytest.approx([0.1, 10])
    assert [label.get_text() for label in ten.get_xticklabels()] == ["hour", "day", "month", "year"]
    assert one.get_xlim() == ten.get_xlim() and one.get_title() == "1 machine"
    assert [label.get_text() for label in ten.get_yticklabels()] == ["a", "b"]


@pytest.mark.parametrize(
    "days, expected",
    [(365.25 * 1.96, "2 years"), (700, "700 days"), (1.0, "1 day"), (0.96, "0.96 days"), (0.5, "12 hours"),
     (0.05, "72 minutes"), (1 / 1440, "1 minute"), (40_000, "110 years")],
)  # fmt: skip
def test_a_time_is_told_in_the_unit_that_suits_it(days, expected):
    assert plots.scale.told(days) == expected
