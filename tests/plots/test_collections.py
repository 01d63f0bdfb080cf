from tutorial_lib import plots


def test_a_quantity_by_layer_is_one_curve_for_each_collection():
    curves, bands = {"a": [0.1, 0.2, 0.3], "b": [1, 2, 3]}, {"a": ([0, 0, 0], [1, 1, 1])}
    ax = plots.collections.curves_by_layer(curves, "average", bands=bands)
    assert [line.get_label() for line in ax.lines] == ["a", "b"]
    assert ax.lines[1].get_ydata().tolist() == [1, 2, 3]
    assert len(ax.collections) == 1 and ax.get_ylabel() == "average"
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
