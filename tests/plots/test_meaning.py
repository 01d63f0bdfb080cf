import numpy as np
import pytest

from tutorial_book import plots

POINTS = np.array([[0.0, 0.0], [1.0, 3.0], [4.0, 0.0], [6.0, 2.0]])
LABELS = ["x", "x", "y", "y"]


def test_each_group_is_drawn_where_its_points_are():
    ax = plots.meaning.sentence_groups(POINTS, LABELS, shares=[0.31, 0.123])
    assert [line.get_xydata().tolist() for line in ax.lines] == [POINTS[:2].tolist(), POINTS[2:].tolist()]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["x (2)", "y (2)"]
    assert ax.get_xlabel() == "PC 1 (31 % of the variance)" and ax.get_ylabel() == "PC 2 (12 % of the variance)"


def test_eight_groups_differ_in_color_and_in_marker():
    ax = plots.meaning.sentence_groups(np.arange(16.0).reshape(8, 2), list("abcdefgh"))
    assert len({line.get_color() for line in ax.lines}) == len({line.get_marker() for line in ax.lines}) == 8


def test_arrows_run_from_the_zero_vector_to_the_averages():
    ax = plots.meaning.difference_arrows(POINTS, LABELS, origin=[-1.0, 2.0])
    assert [list(arrow.xy) for arrow in ax.texts] == [[0.5, 1.5], [5.0, 1.0]]
    assert all(list(arrow.xyann) == [-1.0, 2.0] for arrow in ax.texts)
    assert ax.get_aspect() == 1  # angles in the plane are seen as they are


def test_curves_carry_their_intervals_and_count_layers_from_first():
    curves = {"cls": {"bias": ([-0.1, -0.5], [-0.2, -0.6], [0.0, -0.4])}, "mean": {"bias": ([1, 2], [0, 1], [2, 3])}}
    bands = {"cls": ([-0.1, -0.1], [0.1, 0.1]), "mean": ([0, 0], [1, 1])}
    left, right = plots.meaning.curves_by_layer(curves, "cosine", first=1, bands=bands, band_name="swaps")
    assert left.lines[0].get_xydata().tolist() == [[1, -0.1], [2, -0.5]]
    segments = [segment.tolist() for segment in left.collections[0].get_segments()]
    assert segments == [[[1, -0.2], [1, 0.0]], [[2, -0.6], [2, -0.4]]]
    assert left.get_ylabel() == "cosine" and (left.get_title(), right.get_title()) == ("cls", "mean")
    assert left.get_xlabel() == "layer" and list(left.get_xticks()) == [1, 2]


def test_the_histogram_holds_every_swap_and_marks_stand_at_their_cosine():
    null = np.random.default_rng(0).normal(size=300)
    ax = plots.meaning.swap_histogram(null, {"doctor to nurse": -2.0, "spoon to fork": 0.3}, "cosine")
    assert sum(patch.get_height() for patch in ax.patches) == 300
    assert [line.get_xdata()[0] for line in ax.lines] == [-2.0, 0.3]
    assert ax.get_xlabel() == "cosine" and ax.get_ylabel() == "swaps"


@pytest.mark.parametrize(
    ("points", "labels", "says"),
    [
        (POINTS, ["x"], "labels must be one for each of the 4 points, got 1"),
        (POINTS[:, :1], LABELS, r"points must have shape \(n, 2\), got \(4, 1\)"),
        (POINTS[:0], [], r"points must have shape \(n, 2\), got \(0, 2\)"),
    ],
)
def test_points_and_labels_must_fit(points, labels, says):
    with pytest.raises(ValueError, match=says):
        plots.meaning.sentence_groups(points, labels)


def test_two_sides_share_the_first_component():
    points = np.array([[0.0, 1, 2], [3, 4, 5], [6, 7, 8]])
    left, right = plots.meaning.two_sides(points, ["a", "b", "a"], [0.5, 0.3, 0.1])
    assert left.lines[0].get_xydata().tolist() == [[0, 1], [6, 7]]
    assert right.lines[0].get_xydata().tolist() == [[0, 2], [6, 8]]
    assert [text.get_text() for text in left.figure.legends[0].get_texts()] == ["a (2)", "b (1)"]


def test_group_panels_show_the_same_groups_in_every_panel():
    axes = plots.meaning.group_panels({"one": POINTS, "other": -POINTS}, LABELS)
    for ax, points in zip(axes, (POINTS, -POINTS)):
        assert [line.get_xydata().tolist() for line in ax.lines] == [points[:2].tolist(), points[2:].tolist()]
    assert len(axes[0].figure.legends) == 1


def test_each_pair_has_its_interval_and_a_mark_for_each_measurement():
    ax = plots.meaning.pair_cosines(["a, b", "c, d"], {"x": [0.5, 0.1], "y": [0.4, 0]}, [(0.3, 0.6), (0, 0.2)])
    marks = {line.get_label(): line.get_xdata().tolist() for line in ax.lines if line.get_label() in "xy"}
    assert marks == {"x": [0.5, 0.1], "y": [0.4, 0]}
    [spans] = ax.collections
    assert [segment[:, 0].tolist() for segment in spans.get_segments()] == [[0.3, 0.6], [0, 0.2]]
