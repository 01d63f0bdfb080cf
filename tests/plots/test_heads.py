import numpy as np
import pytest
import torch

from tutorial_book import plots
from tutorial_lib.attention import MultiHeadAttention, causal_mask
from tutorial_lib.training.pretraining import training_pairs


@pytest.fixture
def mha():
    torch.manual_seed(0)
    return MultiHeadAttention(d_model=8, n_heads=4)


@pytest.mark.parametrize(("n", "d_model", "n_heads"), [(7, 768, 12), (7, 384, 12), (3, 8, 2)])
def test_the_diagram_carries_the_shapes_of_a_real_run(n, d_model, n_heads):
    seen = {}
    mha = MultiHeadAttention(d_model, n_heads)
    mha(torch.zeros(n, d_model), keep=lambda name, value: seen.setdefault(name, tuple(value.shape)) and value)
    texts = [t.get_text() for t in plots.heads.split_diagram(n, d_model, n_heads).texts]
    assert sum(f"{n_heads} × {seen['queries'][1:]}" == t for t in texts) == 3  # Q, K, V
    assert any(t.endswith(f"{n_heads} × {seen['weights'][1:]}") for t in texts)
    assert any(t.endswith(f"{n_heads} × {seen['heads'][1:]}") for t in texts)
    assert sum(str(seen["concat"]) == t for t in texts) == 3  # X, concatenated, output


def test_the_diagram_has_one_color_for_each_head():
    patches = plots.heads.split_diagram(7, 24, 6).patches
    colors = {p.get_facecolor() for p in patches}
    assert len(colors) == 6 + 1  # and gray
    assert len(patches) == 2 + 6 * (3 + 2 + 1)  # X, output; Q, K, V, weights, heads, concatenated


def test_the_diagram_refuses_a_width_that_cannot_be_cut():
    with pytest.raises(ValueError, match="multiple of n_heads"):
        plots.heads.split_diagram(7, 10, 4)


def test_update_norms_are_the_lengths_of_the_updates(mha):
    updates = mha.head_updates(torch.randn(3, 8)).detach()
    ax = plots.heads.update_norms(updates, ["a", "b", "c"])
    for h in range(4):
        for i in range(3):
            assert ax.images[0].get_array()[h, i] == pytest.approx(updates[h, i].square().sum().sqrt().item(), rel=1e-5)
    with pytest.raises(ValueError, match="updates must be"):
        plots.heads.update_norms(updates, ["a", "b"])


@pytest.fixture
def small():
    """A small attention of two heads and three tokens: its input, module, and every stop on the way."""
    torch.manual_seed(0)
    mha, X, seen = MultiHeadAttention(4, 2), torch.randn(3, 4), {}
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        getattr(mha, name).bias.data.zero_()
    output, _ = mha(X, keep=lambda name, value: seen.setdefault(name, value.detach()))
    return X, mha, seen | {"output": output.detach()}


def written(ax):
    """The numbers in the cells of a small matrix, as text, row by row."""
    return [text.get_text() for text in ax.texts]


def shorts(matrix):
    return [plots.cells.short(value) for value in np.asarray(matrix.detach(), float).flat]


def test_the_mask_shows_in_each_row_the_prefix_and_what_to_predict_beside_the_weights():
    words = ["Karhut", "ovat", "karvaisia", "."]
    mask = causal_mask(4)
    weights = mask / mask.sum(1, keepdim=True)
    ax, right = plots.heads.training_mask(training_pairs(words), weights)
    shown = {tuple(map(float, t.get_position())): t.get_text() for t in ax.texts}
    for i in range(4):
        row = [shown[j, i] for j in range(4)]
        assert [text != r"$-\infty$" for text in row] == mask[i].tolist()
        assert row[1 : i + 1] == words[:i]
    assert [t.get_text() for t in ax.texts if t.get_text() in words][-4:] == words
    assert written(right) == [*shorts(weights), "its weights"]
    with pytest.raises(ValueError, match="all prefixes"):
        plots.heads.training_mask(training_pairs(words)[1:], weights)


def test_the_example_by_hand_writes_every_number_of_every_step(small):
    X, mha, seen = small
    maps = {letter: getattr(mha, f"W_{letter}").weight.T.detach() for letter in "QKV"}
    above, below = plots.heads.split_by_hand(X, maps, ["a", "b", "c"], followed=1)
    assert written(below[0]) == shorts(X)
    for up, down, W in zip(above[1:], below[1:], maps.values(), strict=True):
        assert written(up) == shorts(W) and written(down) == shorts(X @ W)
    for h, (products, weights, values, out) in enumerate(plots.heads.attend_by_hand(seen, ["a", "b", "c"], 1)):
        assert written(products) == shorts(seen["queries"][h] @ seen["keys"][h].T)
        assert written(weights) == shorts(seen["weights"][h])
        assert written(values) == shorts(seen["values"][h]) and written(out) == shorts(seen["heads"][h])
    W_O = mha.W_O.weight.T.detach()
    joined = plots.heads.join_by_hand(seen["concat"], W_O, seen["output"], ["a", "b", "c"], 1)
    assert [written(ax) for ax in joined] == [shorts(seen["concat"]), shorts(W_O), shorts(seen["output"])]
    axes = plots.heads.sum_by_hand(X[1], seen["heads"][:, 1], W_O, "b")
    updates = mha.head_updates(X)[:, 1]
    assert [written(ax) for ax in axes[:2, 2]] == [shorts(update) for update in updates]
    assert written(axes[2, 2]) == shorts(X[1] + seen["output"][1])


def test_one_update_goes_from_the_weights_to_the_sum():
    weights, value, update, vector = [0.1, 0.9], [1.0, -2.0], [0.5, 0.0, -1.0], [1.0, 2.0, 3.0]
    looks, takes, lifts, adds = plots.heads.one_update(weights, value, update, vector, ["a", "b"], "b", "a")
    assert [bar.get_height() for bar in looks.patches] == weights
    assert [bar.get_height() for bar in takes.patches] == value
    assert [segment[1, 1] for segment in lifts.collections[0].get_segments()] == update
    before, moved = (lines.get_segments() for lines in adds.collections)
    assert [segment[1, 1] for segment in before] == vector
    assert [tuple(segment[:, 1]) for segment in moved] == [(1, 1.5), (2, 2), (3, 2)]


def test_added_updates_are_shorter_than_their_lengths_together_and_their_cosines_stand_beside_it():
    left, right = plots.heads.added_up([[3.0, 0.0], [0.0, 4.0]], [0.0, 1.0], [0.0, 0.0], "b")
    widths = [bar.get_width() for bar in left.patches]
    assert widths == pytest.approx([3, 4, 5, 1, 34**0.5])
    cosines = np.ma.filled(right.images[0].get_array(), np.nan)
    assert np.isnan(np.diag(cosines)).all() and cosines[0, 1] == 0


def test_neighbors_write_only_the_weights_that_count():
    for ax in plots.heads.neighbors([[0.9, 0.1]], [[0.05, 0.2]]):
        assert len(ax.texts) == 1


def test_padding_looks_say_the_share_behind_the_last_token():
    weights = {"no mask": [[0.5, 0.25, 0.25], [0.4, 0.4, 0.2]], "mask": [[0.5, 0.5, 0], [0.1, 0.9, 0]]}
    figure = plots.heads.padding_looks(weights, ["a", "b", "[PAD]"], 2)
    assert [written(ax)[:2] for ax in figure.axes] == [["25%", "20%"], ["0%", "0%"]]


def test_cross_shapes_draw_a_square_for_each_number():
    ax = plots.heads.cross_shapes(5, 8, 4, 6)
    squares = 5 * 8 + 4 * 6 + 5 * 8 + 2 * 4 * 8 + 5 * 4  # Finnish, English, Q, K and V, weights
    squares += 2 * 5 * 8  # averages, output
    assert len(ax.patches) == squares
    assert "English\n(4, 6)" in written(ax) and "weights\n(5, 4)" in written(ax)


def test_cross_weights_are_written_into_their_cells():
    weights = torch.softmax(torch.randn(2, 3, 2), -1)
    figure = plots.heads.cross_weights(weights, ["a", "b", "c"], ["x", "y"])
    for h in range(2):
        written = [float(t.get_text()) for t in figure.axes[h].texts]
        np.testing.assert_allclose(written, weights[h].flatten(), atol=0.0051)


def test_only_one_of_the_two_arrows_on_the_map_ends_at_you():
    texts = [t for t in plots.heads.compass(you=(16, 18), friend=(15, 20)).texts if t.arrow_patch is not None]
    ends = [tuple(map(float, t.xy)) for t in texts]
    assert ends == [(18, 16), (22, 14)]  # east, north: you, and twice as far away
