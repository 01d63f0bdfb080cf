from tutorial_book import plots


def test_outlines_of_cosines_share_one_axis():
    panels = {"[CLS]": {"a": [0.5, 0.6], "b": [0.7]}, "mean": {"a": [-0.2, 0.1], "b": [0.0]}}
    axes = plots.collections.cosine_outlines(panels)
    assert [ax.get_title() for ax in axes] == ["[CLS]", "mean"]
    assert [text.get_text() for text in axes[0].figure.legends[0].get_texts()] == ["a", "b"]
    reach = [patch.get_xy()[:, 0] for ax in axes for patch in ax.patches]
    assert all((x.min(), x.max()) == (-0.2, 1) for x in reach)


def test_a_quantity_by_layer_is_one_curve_for_each_collection():
    curves, bands = {"a": [0.1, 0.2, 0.3], "b": [1, 2, 3]}, {"a": ([0, 0, 0], [1, 1, 1])}
    ax = plots.collections.curves_by_layer(curves, "average", bands=bands)
    assert [line.get_label() for line in ax.lines] == ["a", "b"]
    assert ax.lines[1].get_ydata().tolist() == [1, 2, 3]
    assert len(ax.collections) == 1 and ax.get_ylabel() == "average"
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()


def test_a_cloud_without_a_coordinate_keeps_its_color_and_has_another_line():
    names = ["[CLS]", "mean", "[CLS] without 99", "mean without 223"]
    lines = plots.collections.curves_by_layer({name: [0.1, 0.2] for name in names}, "average").lines
    colors, styles = [line.get_color() for line in lines], {line.get_linestyle() for line in lines}
    assert colors[:2] == colors[2:] and colors[0] == plots.base.ROLES["[CLS]"] != colors[1] and len(styles) == 4


def test_counted_histograms_have_area_1_and_each_measure_its_column():
    counted = {"edges": [0, 2], "counts": {"a": [1, 3], "b": [10, 10]}}
    kinds = ("norms", "distances", "dots", "cosines")
    cosines = {"edges": [-1, 1], "counts": {"a": [0, 1], "b": [1, 0], "one of each": [1, 1]}}
    axes = plots.collections.histogram_outlines({"[CLS]": dict.fromkeys(kinds, counted) | {"cosines": cosines}})
    assert axes.shape == (1, 4) and axes[0, 0].get_title() == "[CLS]"
    heights, edges, _ = axes[0, 0].patches[0].get_data()
    assert edges.tolist() == [0, 1, 2] and heights.tolist() == [0.25, 0.75]
    assert [len(ax.patches) for ax in axes[0]] == [2, 2, 2, 3]
    assert [text.get_text() for text in axes[0, 0].figure.legends[0].get_texts()] == ["a", "b", "one of each"]
    assert axes[0, 3].patches[2].get_data().edges[0] == -1
