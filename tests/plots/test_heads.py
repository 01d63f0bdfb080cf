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


def test_the_mask_shows_in_each_row_the_prefix_and_what_to_predict():
    words = ["Karhut", "ovat", "karvaisia", "."]
    ax = plots.heads.training_mask(training_pairs(words))
    cells = {tuple(map(float, t.get_position())): t.get_text() for t in ax.texts}
    mask = causal_mask(4)
    for i in range(4):
        row = [cells[j, i] for j in range(4)]
        assert [text != r"$-\infty$" for text in row] == mask[i].tolist()
        assert row[1 : i + 1] == words[:i]
    assert [t.get_text() for t in ax.texts if t.get_text() in words][-4:] == words
    with pytest.raises(ValueError, match="all prefixes"):
        plots.heads.training_mask(training_pairs(words)[1:])


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
