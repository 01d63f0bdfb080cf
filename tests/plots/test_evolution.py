import matplotlib.pyplot as plt
import numpy as np
import pytest

from tutorial_book import plots
from tutorial_book.page import layouts
from tutorial_lib.geometry import pca, steps


@pytest.fixture
def paths():
    return np.random.default_rng(0).standard_normal((5, 3, 8))


def test_paths_are_drawn_in_their_own_principal_components_from_an_open_circle(paths):
    first, second = plots.evolution.layer_paths({"all": paths, "one": paths[:, :1]}, columns=2)
    picture = pca(paths.reshape(-1, 8))
    expected = picture.coordinates.reshape(5, 3, 2)
    lines = [line for line in first.lines if len(line.get_xdata()) == 5]
    assert len(lines) == 3
    for j, line in enumerate(lines):
        assert np.allclose(line.get_xydata(), expected[:, j])
    starts = [line for line in first.lines if line.get_markerfacecolor() == "white"]
    assert np.allclose([line.get_xydata()[0] for line in starts], expected[0])
    assert first.get_title() == f"all ({100 * picture.shares.sum():.0f} %)"
    assert np.allclose(second.lines[0].get_xydata(), pca(paths[:, 0]).coordinates)


def test_the_last_step_is_an_arrow_and_a_name_is_written_once(paths):
    ax = plots.evolution.last_jump(paths, ["the", "mouse", "the"], together=["the"])
    expected = pca(paths.reshape(-1, 8)).coordinates.reshape(5, 3, 2)
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["the", "mouse"]
    arrows = [text for text in ax.texts if not text.get_text()]
    assert np.allclose([arrow.xy for arrow in arrows], expected[-1])
    assert np.allclose([arrow.get_position() for arrow in arrows], expected[-2])
    lines = [line.get_color() for line in ax.lines if len(line.get_xdata()) == 4]
    assert lines[0] == lines[2] != lines[1]


def test_a_name_without_letters_stands_in_quotation_marks(paths):
    ax = plots.evolution.last_jump(paths, ["the", ".", "[SEP]"])
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["the", "“.”", "[SEP]"]


def test_labels_of_paths_that_end_at_one_place_do_not_overlap():
    ax = plots.evolution.last_jump(np.arange(3.0)[:, None, None] * np.ones((3, 4, 2)), list("abcd"))
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


@pytest.mark.parametrize("lay_out", [layouts.for_slide, layouts.narrow])
def test_labels_of_paths_that_end_close_to_each_other_do_not_touch_in_larger_letters(lay_out):
    with plt.rc_context():
        plots.use_style()
        paths = np.array([[[-3, -1], [-3, 1]], [[-1.5, -0.5], [-1.5, 0.5]], [[0, 0], [0, 0.13]]])
        ax = plots.evolution.last_jump(paths, ["the", "[SEP]"])
        lay_out(ax.figure)
        ax.figure.canvas.draw()
    low, high = [text.get_window_extent() for text in ax.texts if text.get_text()]
    assert low.y1 + 2 <= high.y0


def test_a_step_stands_at_the_layer_that_makes_it_and_cls_stands_out(paths):
    measured = steps(paths)
    lengths, cosines, norms = plots.evolution.step_curves(measured, ["[CLS]", "a", "b"])
    assert lengths.lines[1].get_xdata().tolist() == [1, 2, 3, 4]
    assert norms.lines[0].get_xdata().tolist() == [0, 1, 2, 3, 4]
    assert np.allclose(cosines.lines[2].get_ydata(), measured.cosines[:, 2])
    assert lengths.lines[0].get_color() != lengths.lines[1].get_color() == lengths.lines[2].get_color()
    assert [text.get_text() for text in lengths.figure.legends[0].get_texts()] == ["[CLS]", "other tokens"]


def test_curves_by_layer_have_a_band_and_a_level():
    curves = {"mouse": ([2.0, 3.0], [1.0, 2.0], [3.0, 4.0]), "[CLS]": [1.0, 1.5]}
    ax = plots.evolution.parting_curves(curves, "ratio", 1, first=1)
    assert ax.lines[0].get_xdata().tolist() == [1, 2] and ax.lines[1].get_ydata().tolist() == [1.0, 1.5]
    assert len(ax.collections) == 1 and set(ax.lines[2].get_ydata()) == {1}


def test_paths_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"paths must have shape \(n_layers \+ 1, n, d\), got \(5, 8\)"):
        plots.evolution.layer_paths({"one": np.ones((5, 8))})
