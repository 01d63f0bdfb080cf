import numpy as np
import pytest
import torch

from tutorial_book import plots
from tutorial_lib.positions import shift_matrix, sinusoidal, wavelengths


@pytest.fixture
def table():
    torch.manual_seed(0)
    return torch.randn(30, 8, dtype=torch.float64)


def cosine(a, b):
    return float(a @ b) / (float(a @ a) * float(b @ b)) ** 0.5


def texts(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_the_rnn_has_a_step_for_each_word_and_attention_one():
    left, right = plots.positions.rnn_and_transformer(["the", "cat", "is", "black"])
    assert [t for t in texts(left) if "step" in t] == ["step 1", "step 2", "step 3", "step 4"]
    assert {t for t in texts(right) if "step" in t} == {"step 1"}
    arrows = [sum(text.arrow_patch is not None for text in ax.texts if hasattr(text, "arrow_patch"))
              for ax in (left, right)]
    assert arrows == [4 + 3, 4 * 4]  # up, and from state to state; from every word to every output
    assert {"the", "cat", "is", "black"} <= set(texts(left))


def test_a_diagram_of_no_words_is_refused():
    with pytest.raises(ValueError, match="words must hold at least one word"):
        plots.positions.rnn_and_transformer([])


def test_influences_write_an_exact_zero_as_0_and_a_small_number_not():
    [ax] = plots.positions.influences({"RNN": [[0.5, 0.0], [0.001, 0.9]]}, ["the", "cat"])
    assert texts(ax) == ["0.50", "0", "0.00", "0.90"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("input", "output", "RNN")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["the", "cat"]


def test_encodings_draw_the_table_and_the_cosines_of_its_rows(table):
    (values, cosines), (_, other) = plots.positions.encodings({"random": table, "sines": sinusoidal(30, 8)})
    assert np.allclose(values.images[0].get_array(), table)
    drawn = cosines.images[0].get_array()
    assert drawn.shape == (30, 30) and drawn[3, 7] == pytest.approx(cosine(table[3], table[7]))
    assert np.allclose(np.diagonal(other.images[0].get_array()), 1)
    assert values.get_title() == "random" and cosines.images[0].get_clim() == (-1, 1)


def test_sines_and_cosines_are_those_of_fewer_coordinates_and_more_cosines():
    values, cosines = plots.positions.sines_and_cosines(sinusoidal(128, 512))
    few = sinusoidal(64, 64)
    assert np.allclose(values.images[0].get_array(), np.hstack([few[:, 0::2], few[:, 1::2]]), atol=1e-6)
    assert cosines.images[0].get_array().shape == (128, 128) and values.images[0].get_clim() == (-1, 1)


def test_each_coordinate_is_drawn_at_its_wavelength():
    ax = plots.positions.coordinate_wavelengths({"ours": wavelengths(12)}, n=512)
    assert ax.lines[0].get_ydata().tolist() == wavelengths(12).tolist()
    assert set(ax.lines[1].get_ydata()) == {512} and texts(ax) == ["a text of 512 tokens"]
    assert "positions" in ax.get_ylabel()


def test_an_arc_runs_from_the_encoding_of_pos_to_the_shifted_one():
    PE, moved = sinusoidal(30, 8).double(), shift_matrix(5, 8)
    for i, ax in enumerate(plots.positions.shift_circles(5, wavelengths(8), starts=[2])):
        pair = slice(2 * i, 2 * i + 2)
        start, end = ax.lines[1].get_xydata()[0], ax.lines[2].get_xydata()[0]
        assert np.allclose(start, PE[2, pair], atol=1e-6) and np.allclose(end, (moved @ PE[2])[pair], atol=1e-6)
        arc = ax.lines[0].get_xydata()
        assert np.allclose(arc[[0, -1]], [start, end])


def test_position_breaks_draw_lengths_and_the_cosine_with_the_next(table):
    lengths, neighbors = plots.positions.position_breaks(table, marks=(10, 20))
    assert np.allclose(lengths.lines[0].get_ydata(), table.norm(dim=1))
    drawn = neighbors.lines[0].get_ydata()
    assert len(drawn) == 29 and drawn[4] == pytest.approx(cosine(table[4], table[5]))
    assert [line.get_xdata()[0] for line in neighbors.lines[1:]] == [10, 20] and texts(lengths) == [" 10", " 20"]


def test_the_histogram_counts_each_pair_once_and_no_position_with_itself():
    ax = plots.positions.cosine_histogram({"right angles": torch.eye(5)}, bins=4)
    heights = np.unique(ax.patches[0].get_xy()[:, 1])
    assert heights.tolist() == [0, 2]  # all pairs in one bin of width 0.5: none of the ones of the diagonal


def test_similarity_curves_are_rows_of_the_cosines_and_the_same_rows_shifted(table):
    left, right = plots.positions.similarity_curves(table, rows=range(1, 4), n=20, reference=sinusoidal(30, 8))
    assert len(left.lines) == 3 and len(right.lines) == 3 + 1
    row = left.lines[1].get_ydata()
    assert row[7] == pytest.approx(cosine(table[2], table[7])) and np.array_equal(row, right.lines[1].get_ydata())
    for line in right.lines:
        assert line.get_xdata()[line.get_ydata().argmax()] == 0  # a position is most like itself


@pytest.mark.parametrize("rows, n", [([30], 5), ([1], 31)])
def test_rows_beyond_the_table_are_refused(table, rows, n):
    with pytest.raises(ValueError, match="must lie within the 30 positions of P"):
        plots.positions.similarity_curves(table, rows=rows, n=n)


@pytest.mark.parametrize(
    "draw",
    [
        lambda P: plots.positions.encodings({"P": P}),
        lambda P: plots.positions.cosine_histogram({"P": P}),
        plots.positions.position_breaks,
        plots.positions.similarity_curves,
    ],
)
def test_a_table_without_two_axes_is_refused(draw):
    with pytest.raises(ValueError, match=r"must have 2 axes \(positions, coordinates\), got shape \(3,\)"):
        draw([1.0, 2.0, 3.0])


def test_two_runs_of_a_model_have_one_color_and_two_styles():
    band = ([2, 1], [1, 0], [3, 2])
    ax = plots.positions.memory(dict.fromkeys(["LSTM, 0", "LSTM, 1", "decoder, 0", "decoder, 1"], band), [1, 9])
    a, b, c, d = ax.lines[:4]
    assert a.get_color() == b.get_color() != c.get_color() == d.get_color()
    assert a.get_linestyle() == c.get_linestyle() != b.get_linestyle() == d.get_linestyle()


def test_moved_rows_carry_their_names_and_a_line_joins_each_to_itself():
    X, order = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]), [2, 0, 1]
    [ax] = plots.positions.moved_rows({"in": (X, X[order])}, order, ["a", "b", "c"])
    names = [text for text in texts(ax) if text.isalpha()]
    assert names == ["a", "b", "c", "c", "a", "b"]
    assert [text for text in texts(ax) if not text.isalpha()] == [f"{value:.1f}" for value in (*X.flat, *X[order].flat)]
    assert [line.get_ydata().tolist() for line in ax.lines] == [[2, 0], [0, 1], [1, 2]]


def test_two_orders_join_each_word_to_itself_and_each_word_once():
    words = ["the", "cat", "saw", "the", "dog"], ["the", "dog", "saw", "the", "cat"]
    vectors = np.arange(10).reshape(5, 2) / 10
    [ax] = plots.positions.two_orders({"all": (vectors, vectors, [1, 0.9, 0.8, 0.7, 0.6])}, words)
    joined = [tuple(line.get_xdata()) for line in ax.lines]
    assert joined == [(0, 0), (1, 4), (2, 2), (3, 3), (4, 1)]
    assert texts(ax)[-5:] == ["1.00", "0.90", "0.80", "0.70", "0.60"]
    assert [text for text in texts(ax) if text.isalpha()] == [word for pair in zip(*words) for word in pair]


def test_a_vector_sum_adds_up_in_what_it_writes(table):
    X, P = table[:3, :4], table[3:6, :4]
    axes = plots.positions.vector_sum(X, P, ["the", "cat", "the"])
    for ax, matrix in zip(axes, (X, P, X + P)):
        assert np.allclose([float(text.replace("−", "-")) for text in texts(ax)], matrix.flatten(), atol=0.000501)
    assert [label.get_fontweight() for label in axes[0].get_yticklabels()] == ["bold", "normal", "bold"]


def test_the_tip_of_a_clock_hand_is_the_encoding():
    positions = [0, 3, 44]
    ax = plots.positions.clock_faces(wavelengths(4), positions, alike=[44])
    for k, line in enumerate(ax.lines):
        i, pos = divmod(k, 3)
        (x, y), (tip_x, tip_y) = line.get_xydata()
        sine_and_cosine = (tip_x - x) / 0.42, (y - tip_y) / 0.42
        assert np.allclose(sine_and_cosine, sinusoidal(45, 4)[positions[pos], 2 * i : 2 * i + 2], atol=1e-5)
    filled = [face.get_facecolor()[3] > 0 for face in ax.patches]
    assert filled == [False, False, True, False, False, False]
