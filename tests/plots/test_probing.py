import numpy as np

from tutorial_book import plots


def test_a_learning_curve_is_the_mean_and_the_band_the_range_of_the_seeds():
    ax = plots.probing.learning_curves({"vectors": ([10, 20], [[0.4, 0.6], [0.8, 1.0]])}, chance=1 / 3)
    assert np.allclose(ax.lines[0].get_ydata(), [50, 90]) and ax.lines[0].get_xdata().tolist() == [10, 20]
    band = ax.collections[0].get_paths()[0].vertices
    assert np.allclose([band[:, 1].min(), band[:, 1].max()], [40, 100])
    assert np.allclose(ax.lines[1].get_ydata(), 100 / 3)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "20"]


def test_a_class_keeps_its_color_in_every_plane():
    points = np.arange(12.0).reshape(6, 2)
    axes = plots.probing.probe_planes({"a": points, "b": -points}, [0, 1, 2, 0, 1, 2], ["adjective", "noun", "verb"])
    for ax, sign in zip(axes, (1, -1), strict=True):
        assert [c.get_label() for c in ax.collections] == ["adjective", "noun", "verb"]
        assert np.allclose(ax.collections[1].get_offsets(), sign * points[[1, 4]])
    assert np.array_equal(axes[0].collections[2].get_facecolor(), axes[1].collections[2].get_facecolor())


def test_bars_show_the_mean_and_lines_the_range():
    ax = plots.probing.word_probabilities({"bear": ([0.7, 0.3], [0.6, 0.1], [0.9, 0.4])}, ["noun", "verb"])
    assert [bar.get_width() for bar in ax.patches] == [0.7, 0.3]
    errors = [container.lines[2][0] for container in ax.containers if hasattr(container, "lines")]
    lines = [error.get_segments()[0][:, 0] for error in errors]
    assert np.allclose(lines, [[0.6, 0.9], [0.1, 0.4]])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["bear"]
