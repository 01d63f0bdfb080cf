import numpy as np

from tutorial_lib import plots


def test_opposites_have_a_panel_for_each_cleaning_and_a_band_for_each_interval():
    curves = {"synonyms": ([0.5, 0.6], [0.4, 0.5], [0.6, 0.7]), "random": [0.1, 0.0]}
    left, right = plots.questions.opposites_by_layer({"as they are": curves, "mean removed": curves})
    assert (left.get_title(), right.get_title()) == ("as they are", "mean removed")
    assert left.lines[1].get_ydata().tolist() == [0.5, 0.6] and left.lines[2].get_ydata().tolist() == [0.1, 0.0]
    [band] = left.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.4, 0.7)


def test_dimensions_are_drawn_at_their_windows():
    ax = plots.questions.dimension_by_window({"walk": [1.5, 2.5]}, [3, 9])
    assert ax.lines[0].get_xydata().tolist() == [[3, 1.5], [9, 2.5]] and ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["3", "9"]


def test_kinds_of_tokens_are_drawn_where_they_are_and_large_kinds_are_sampled():
    points = np.random.default_rng(0).normal(size=(1000, 2))
    few, many = plots.questions.token_kinds(points, {"few": [3, 5], "many": range(1000)}, at_most=50)
    assert np.allclose(few.collections[0].get_offsets(), points[[3, 5]])
    drawn = np.asarray(many.collections[0].get_offsets())
    assert len(drawn) == 50 and (drawn[:, None] == points).all(-1).any(1).all()
    assert many.get_title() == "many (1,000)" and few.images[0].get_array().max() > 0


def test_the_shade_has_the_points_orientation():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    [ax] = plots.questions.token_kinds(points, {"first": [0]})
    shade = ax.images[0].get_array()  # rows are y from below, columns x
    assert shade[0, -1] > shade[-1, 0] > 0 == shade[-1, -1] and ax.images[0].origin == "lower"


def test_rounding_is_drawn_layer_by_layer():
    ax = plots.questions.rounding_by_layer({"int8": [1.0, 0.9], "int4": [0.5, -0.2]})
    assert ax.lines[1].get_xydata().tolist() == [[0, 0.5], [1, -0.2]] and ax.get_ylim()[0] <= -0.2
