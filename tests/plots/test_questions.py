import numpy as np

from tutorial_book import plots


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


def test_a_kind_of_tokens_is_an_ellipse_that_holds_most_of_it():
    points = np.random.default_rng(0).normal(size=(1000, 2)) @ [[3, 1], [0, 0.5]]
    ax = plots.questions.token_kinds(points, {"few": [3, 5, 8], "all": range(1000)})
    few, every = ax.patches
    assert np.allclose(few.center, points[[3, 5, 8]].mean(axis=0))
    inside = every.contains_points(ax.transData.transform(points))
    assert 0.82 < inside.mean() < 0.91  # two deviations in the plane: 86 %
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["few", "all"]


def test_rounding_is_drawn_as_a_turn_layer_by_layer():
    ax = plots.questions.rounding_by_layer({"int8": [0.75, 0.5], "int4": [0.5, -0.25]})
    assert ax.lines[1].get_xydata().tolist() == [[0, 0.5], [1, 1.25]] and ax.get_yscale() == "log"


def test_pruned_models_have_a_panel_each_with_the_level_of_nothing_known():
    curves = {"the smallest": ([1, 2], [1, 1], [1, 3]), "by lot": ([1, 4], [1, 3], [1, 5])}
    left, right = plots.questions.pruned({"loss": (curves, 5.0), "same": (curves, 0.1)}, [0, 0.5])
    assert left.lines[1].get_xydata().tolist() == [[0, 1], [50, 4]] and len(left.collections) == 2
    assert (left.lines[-1].get_ydata()[0], right.lines[-1].get_ydata()[0]) == (5.0, 0.1)


def test_token_kinds_name_the_components_that_they_show():
    ax = plots.questions.token_kinds([[0, 0], [4, 0], [2, 1]], {"all": [0, 1, 2]}, components=(3, 4), reach=5)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim()) == ("PC 3", "PC 4", (-5, 5))
