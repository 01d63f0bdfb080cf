import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.geometry import clock_hands


@pytest.fixture(scope="module")
def hands():
    angle = 2 * np.pi * np.arange(200)[:, None] / [10.0, 50.0]
    return clock_hands(np.hstack([np.cos(angle), np.sin(angle)]), n_components=4)


def test_maps_show_every_position_once_and_the_marked_ones_apart():
    points = np.random.default_rng(0).normal(size=(30, 2))
    maps = {"all": points, "some": points[:20]}
    first, second = plots.position_vectors.position_maps(maps, first=1, marked=range(21, 31))
    plain, marked = (line.get_xydata() for line in first.lines)
    assert np.array_equal(plain, points[:20]) and np.array_equal(marked, points[20:])  # row 20 is position 21
    assert len(second.lines) == 1 and second.get_title() == "some"


def test_planes_draw_the_points_of_each_hand_and_name_its_period(hands):
    axes = plots.position_vectors.turning_planes(hands, first=128)
    assert [ax.get_title() for ax in axes] == ["once in 10.0", "once in 50.0"]
    dots = axes[1].collections[0]
    assert np.allclose(dots.get_offsets(), hands[1].points)
    assert dots.get_array().min() == 128 and dots.get_array().max() == 327


def test_less_than_a_round_is_named_so():
    angle = 2 * np.pi * np.arange(60)[:, None] / 100.0
    [ax] = plots.position_vectors.turning_planes(clock_hands(np.hstack([np.cos(angle), np.sin(angle)]), n_components=2))
    assert ax.get_title() == "0.6 of a turn"


def test_local_periods_of_even_hands_are_1_and_positions_are_counted_from_the_first(hands):
    ax = plots.position_vectors.local_periods(hands, first=128)
    assert [line.get_label() for line in ax.lines] == ["period 10.0", "period 50.0"]
    for line in ax.lines:
        assert np.allclose(line.get_ydata(), 1, atol=1e-3)
        assert 128 < line.get_xdata().min() and line.get_xdata().max() < 328


def test_a_hand_that_slows_down_has_a_rising_local_period():
    angle = np.cumsum(2 * np.pi / np.linspace(10, 20, 400))
    hand = clock_hands(np.stack([np.cos(angle), np.sin(angle)], axis=1), n_components=2)
    values = plots.position_vectors.local_periods(hand).lines[0].get_ydata()
    assert values[0] < 0.8 < 1.2 < values[-1] and (np.diff(values) > 0).all()


def test_noise_has_no_local_periods():
    noise = np.random.default_rng(0).normal(size=(100, 6))
    assert not plots.position_vectors.local_periods(clock_hands(noise, n_components=4)).lines


def test_cosines_are_drawn_against_the_distance():
    ax = plots.position_vectors.cosines_by_distance({"measured": [1.0, 0.5, 0.2], "predicted": [1.0, 0.4, 0.1]})
    assert ax.lines[1].get_xydata().tolist() == [[0, 1.0], [1, 0.4], [2, 0.1]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["measured", "predicted"]


def test_loops_are_lines_from_birth_to_death_and_the_longest_is_heavy_and_named():
    loops = np.array([[1.0, 3.0], [2.0, 2.5], [0.5, 0.75]])
    ax = plots.position_vectors.loop_bars({"many": loops, "one": loops[:1]})
    thin, heavy, none, alone = ax.collections
    ends = [[line[0, 0], line[1, 0]] for line in thin.get_segments()]
    assert ends == [[0.5, 0.75], [2.0, 2.5]]  # by birth
    assert [line[:, 0].tolist() for line in heavy.get_segments()] == [[1.0, 3.0]] and len(none.get_segments()) == 0
    assert heavy.get_linewidth() > 4 * thin.get_linewidth()
    assert [line[0, 1] for line in alone.get_segments()] == [1]
    assert [text.get_text() for text in ax.texts] == ["1.00 to 3.00"] * 2
    assert [label.get_text() for label in ax.get_yticklabels()] == ["many", "one"] and ax.yaxis_inverted()
