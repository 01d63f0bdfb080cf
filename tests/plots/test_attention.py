import numpy as np
import pytest
import torch

from tutorial_book import plots
from tutorial_book.experiments import attention as toy
from tutorial_lib.attention import attention, scores, softmax


@pytest.fixture
def example():
    Q, K, V = toy.X @ toy.W_Q, toy.X @ toy.W_K, toy.X @ toy.W_V
    return Q, K, V, *attention(Q, K, V)


def numbers(ax):
    """The numbers written into a heatmap's cells, and the matrix that colors them."""
    matrix = np.asarray(ax.images[0].get_array())
    return np.array([float(text.get_text()) for text in ax.texts]).reshape(matrix.shape), matrix


def labels(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_similarity_maps_place_each_key_at_its_coordinates():
    keys = {"a": [1.0, 2.0], "b": [-1.0, 0.5]}
    values = {"a: 4", "a: 0.8"}, {"b: −1.5", "b: −0.6"}
    for ax in plots.attention.similarity_maps([2.0, 1.0], keys):
        said = [text.get_text() for text in ax.texts if text.get_text()]
        assert all(len(both & set(said)) == 1 for both in values)
        tips = {text.get_text().split(":")[0]: text.xy for text in ax.texts if text.get_text()}
        assert {name: list(tips[name]) for name in keys} == keys and list(tips["q"]) == [2.0, 1.0]


def test_similarity_maps_live_in_the_plane():
    with pytest.raises(ValueError, match="2 coordinates"):
        plots.attention.similarity_maps([1.0, 2.0, 3.0], {})


def said(ax):
    return [text.get_text() for text in ax.texts]


def test_one_row_goes_from_the_keys_to_the_terms_of_the_output(example):
    Q, K, V, output, A = example
    axes = plots.attention.one_row(Q[3], K, V, toy.TOKENS, "painted")
    columns = K, (K @ Q[3])[:, None], scores(Q, K)[3][:, None], scores(Q, K)[3].exp()[:, None], A[3][:, None], V
    for ax, matrix in zip(axes, (*columns, A[3][:, None] * V), strict=True):
        assert said(ax) == [plots.cells.short(value) for value in matrix.flatten().tolist()]
    assert said(axes[0].figure.axes[-1]) == [plots.cells.short(value) for value in output[3].tolist()]
    assert {text.get_color() for text in axes[0].texts} == {"black"}  # which turns white where the tint turns dark


def test_softmax_is_drawn_in_three_steps_and_in_several_cases():
    z = torch.tensor([1.0, 2.0, 3.0])
    drawn = [[bar.get_height() for bar in ax.patches] for ax in plots.attention.softmax_steps(z)]
    for heights, expected in zip(drawn, (z, z.exp(), softmax(z)), strict=True):
        assert np.allclose(heights, expected)
    for ax, case in zip(plots.attention.softmax_cases([z, z + 100, z * 10]), (z, z, z * 10), strict=True):
        assert np.allclose([bar.get_height() for bar in ax.patches], softmax(case), atol=1e-6)


def test_one_query_shows_its_weights_from_the_largest_down():
    axes = plots.attention.one_query(
        {"plain": {4: [0.1, 0.9], 8: [0.6, 0.4]}, "scaled": {4: [0.5, 0.5], 8: [0.3, 0.7]}}
    )
    assert [ax.get_title() for ax in axes][1:3] == ["plain, $d_k = 8$", "scaled, $d_k = 4$"]
    assert [[bar.get_height() for bar in ax.patches] for ax in axes] == [[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.7, 0.3]]


def test_terms_add_up_in_their_last_row(example):
    _, _, V, output, A = example
    weights, values, products = plots.attention.terms(toy.TOKENS, A[3], V)
    assert said(weights)[-1] == "1" and len(said(values)) == 28
    assert said(products)[-4:] == [plots.cells.short(value) for value in output[3].tolist()]


def test_winners_are_bars_with_their_numbers():
    ax = plots.attention.winners([5, 0, 1], ["[CLS]", "a", "b"], 6)
    assert [bar.get_width() for bar in ax.patches] == [5, 0, 1] and said(ax) == ["5", "0", "1"]


def test_weight_and_effect_stand_beside_the_lengths_of_the_values():
    left, right = plots.attention.weight_and_effect([0.5, 0.6], [0.1, 0.2], [0.3, 0.4])
    assert [line.get_ydata().tolist() for line in left.lines] == [[0.5, 0.6], [0.1, 0.2]]
    assert [bar.get_height() for bar in right.patches] == [0.3, 0.4]


def test_variances_show_the_measurement_over_the_theory():
    ax = plots.attention.variances([1, 16], plain=[1.1, 15.0], scaled=[1.1, 0.9])
    theory, plain, one, scaled = (line.get_ydata().tolist() for line in ax.lines)
    assert theory == [1, 16] and plain == [1.1, 15.0] and one == [1, 1] and scaled == [1.1, 0.9]


def test_saturation_marks_what_even_weights_would_give():
    left, right = plots.attention.saturation([4, 64], {"plain": [0.4, 0.8]}, {"plain": [2.0, 0.5]}, uniform=20)
    assert left.lines[0].get_ydata().tolist() == [0.4, 0.8] and right.lines[0].get_ydata().tolist() == [2.0, 0.5]
    assert left.lines[1].get_ydata()[0] == 1 / 20 and right.lines[1].get_ydata()[0] == pytest.approx(np.log(20))


def test_gradient_norms_mark_the_given_spreads():
    ax = plots.attention.gradient_norms([1, 2], mean=[0.3, 0.2], median=[0.3, 0.1], marks={"here": 8})
    assert ax.lines[1].get_ydata().tolist() == [0.3, 0.1]
    assert ax.lines[2].get_xdata()[0] == 8 and ax.texts[0].get_text() == "here"


def test_temperatures_draw_the_softmax_at_each_temperature():
    z = scores(toy.X @ toy.W_Q, toy.X @ toy.W_K)[3]
    axes = plots.attention.temperatures(toy.TOKENS, {T: softmax(z, temperature=T) for T in (0.5, 2)})
    for ax, T in zip(axes, (0.5, 2)):
        assert np.allclose([bar.get_height() for bar in ax.patches], torch.softmax(z / T, -1))
        assert ax.get_ylabel() == f"T = {T:g}"


def test_products_write_every_number_of_each_product(example):
    Q, K, V, *_ = example
    axes = plots.attention.products(toy.X, {"Q": toy.W_Q, "K": toy.W_K, "V": toy.W_V}, toy.TOKENS)
    for row, W, product in zip(axes, (toy.W_Q, toy.W_K, toy.W_V), (Q, K, V)):
        for ax, expected in zip(row, (toy.X, W, product)):
            written, drawn = numbers(ax)
            assert np.allclose(written, expected, atol=1e-9) and np.allclose(drawn, expected)  # R's are exact decimals
        assert labels(row[0].yaxis) == toy.TOKENS


def test_attention_steps_write_the_four_matrices(example):
    Q, K, V, output, weights = example
    axes = plots.attention.attention_steps(Q @ K.T, scores(Q, K), weights, output, toy.TOKENS)
    for ax, expected in zip(axes.flat, (Q @ K.T, scores(Q, K), weights, output)):
        written, drawn = numbers(ax)
        assert np.allclose(written, expected, atol=0.00501) and np.allclose(drawn, expected)
        assert labels(ax.yaxis) == toy.TOKENS
    assert labels(axes[1, 0].xaxis) == toy.TOKENS


def test_matrices_with_their_numbers_need_no_color_bar(example):
    axes = plots.attention.products(toy.X, {"Q": toy.W_Q}, toy.TOKENS)
    assert len(axes[0, 0].figure.axes) == 3


def test_named_points_join_pairs_with_their_distance():
    ax = plots.attention.named_points([[0, 0], [3, 4], [9, 9]], ["a", "b", "c"], pairs=[(0, 1)], shares=[0.5, 0.25])
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["a", "b", "c", "5.00"] and "50%" in ax.get_xlabel() and "25%" in ax.get_ylabel()
    assert ax.collections[0].get_offsets().tolist() == [[0, 0], [3, 4], [9, 9]]


def test_printed_and_computed_stand_side_by_side():
    ax = plots.attention.printed_and_computed(["a", "b"], [0.4, 0.6], [0.5, 0.5], "weight")
    assert [bar.get_height() for bar in ax.patches] == [0.4, 0.6, 0.5, 0.5]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["printed", "computed"]


def test_rankings_sort_the_keys_and_name_the_queries(example):
    Q, K, *_ = example
    order = K.norm(dim=1).argsort(descending=True)
    ax = plots.attention.rankings(Q @ K.T, toy.TOKENS, order)
    assert labels(ax.xaxis) == [toy.TOKENS[i] for i in order]
    for line, token, row in zip(ax.lines, toy.TOKENS, Q @ K.T):
        assert line.get_label() == token and np.allclose(line.get_ydata(), row[order])
        assert (np.diff(line.get_ydata()) < 0).all()
