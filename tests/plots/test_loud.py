"""What is drawn is what was given: the largest part is named, intervals and nulls stand where they lie."""

import numpy as np

from tutorial_book import plots


def test_the_largest_part_is_named_and_they_add_up_in_the_title():
    ax = plots.loud.parts([0.01, -0.02, 0.3, 0.02], limits=(-0.1, 0.4))
    heights = [segment[1, 1] for segment in ax.collections[0].get_segments()]
    np.testing.assert_allclose(heights, [0.01, -0.02, 0.3, 0.02])
    assert [text.get_text() for text in ax.texts] == ["coordinate 2: 0.300"]
    assert ax.get_title() == "together 0.31" and ax.get_ylim() == (-0.1, 0.4)


def test_each_model_has_a_panel_with_the_same_three_curves():
    curves = {"cosine": [0.2, 0.6], "length": [0.1, 0.2], "distance": [0.0, 0.1]}
    axes = plots.loud.loudest_shares({"one": curves, "another": curves, "third": curves})
    assert [ax.get_title() for ax in axes] == ["one", "another", "third"]
    assert [line.get_ydata().tolist() for line in axes[2].lines] == list(curves.values())
    assert len({line.get_linestyle() for line in axes[0].lines}) == 3


def test_an_interval_has_a_color_where_it_leaves_0_out_and_the_null_is_gray():
    better, worse, neither = (0.1, 0.05, 0.15, -9.0, 0.0), (-0.1, -0.2, -0.05, 0, 0), (0.0, -0.1, 0.1, 0, 0)
    [ax] = plots.loud.changes({"questions": {"a": better, "b": worse, "c": neither}})
    null, interval, dot = ax.lines[1:4]
    ends = [list(line.get_xdata()) for line in (null, interval, dot)]
    assert ends == [[-9.0, 0.0], [0.05, 0.15], [0.1]]
    left, right = ax.get_xlim()
    assert -0.3 < left < -0.2 and 0.15 < right < 0.25  # the intervals fill the panel, however far a null reaches
    assert [line.get_color() for line in ax.lines[2::3]] == [plots.COLORS[1], plots.COLORS[0], "black"]


def test_strangers_are_gray_and_what_is_left_out_is_dashed():
    labels = ["words", "words, without", "strangers", "strangers, without"]
    axes = plots.loud.with_strangers({"self": {label: [0.1, 0.2] for label in labels}})
    blue, gray = plots.COLORS[0], plots.base.ROLES["the rest"]
    assert [line.get_color() for line in axes[0].lines] == [blue, blue, gray, gray]
    assert [line.get_linestyle() for line in axes[0].lines] == ["-", "--", "-", "--"]
