"""What the chapter "Many heads, masks, two texts" tells about the default model and about its formulas."""

import numpy as np
import pytest
import torch

from tutorial_lib.attention import MultiHeadAttention, attention, causal_mask, softmax
from tutorial_lib.texts import load_texts

BEAR = "Then the bear waited for the door to open with a serendipitous smile."


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


@pytest.fixture
def trace(bert, tok):
    return bert.trace(tok.encode(BEAR).ids)


def test_more_heads_cost_no_parameters_and_bert_large_has_4_198_400_in_each_attention():
    count = {h: sum(p.numel() for p in MultiHeadAttention(1024, h).parameters()) for h in (1, 8, 16)}
    assert set(count.values()) == {4_198_400} == {4 * (1024**2 + 1024)}


def test_head_2_of_layer_0_looks_at_the_token_before_and_no_head_of_the_last_layers_does(bert, tok):
    before = []
    for text in load_texts("stories")[:20]:  # as on the page
        steps = bert.trace(tok.encode(text).ids)
        A = torch.stack([steps[f"layer.{i}.attention.weights"][0] for i in range(6)])  # (6, 12, n, n)
        before.append(A.diagonal(-1, -2, -1)[..., :-1].mean(-1))
    before = torch.stack(before).mean(0)  # (6, 12)
    assert before[0, 2] > 0.99 and before[4:].max() < 0.15


def test_the_example_by_hand_comes_out_without_the_library(page, prose):
    W_Q, W_K, W_V, W_O = (np.array(page.made_up[f"W_{letter}"]) for letter in "QKVO")
    X = np.array([[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    one = np.exp(4 / 2**0.5)
    assert f"{4 / 2**0.5:.2f}, and $e^{{2.83}} = {one:.1f}$" in prose
    assert f"$16.9 / (16.9 + 1 + 1) = {one / (one + 2):.2f}$" in prose
    outputs, updates = [], []
    for head, looked_at in ((slice(0, 2), 0), (slice(2, 4), 2)):
        powers = np.exp((X @ W_Q[:, head])[1] @ (X @ W_K[:, head]).T / 2**0.5)
        assert powers.argmax() == looked_at  # "the", then "waited"
        outputs.append(powers / powers.sum() @ (X @ W_V[:, head]))
        updates.append(outputs[-1] @ W_O[head])
    np.testing.assert_allclose(np.concatenate(outputs), [0.89, 0.05, 0.05, 1.84], atol=0.006)
    np.testing.assert_allclose(updates, [[0.89, 0.05, 0, 0.95], [0, 0.05, 1.84, -1.84]], atol=0.006)
    np.testing.assert_allclose(sum(updates), page.output_tiny[1], atol=1e-5)
    np.testing.assert_allclose(X[1] + sum(updates), [0.89, 1.11, 1.84, 0.11], atol=0.006)


def test_head_2_pushes_bear_a_little_and_the_twelve_updates_stand_nearly_at_right_angles(bert, tok, trace, prose):
    at, X = tok.encode(BEAR).tokens.index("bear"), trace["embeddings.output"]
    updates = bert.layer[0].attention.head_updates(X)[0, :, at]
    lengths = updates.norm(dim=-1)
    assert f"of length {lengths[2]:.1f}, on a vector of length {X[0, at].norm():.1f}" in prose
    assert trace["layer.0.attention.weights"][0, 2, at, at - 1] > 0.995
    assert f"end to end have length {lengths.sum():.1f}, added they have length {updates.sum(0).norm():.1f}" in prose
    assert updates.sum(0).norm() < lengths.sum() / 3
    assert updates.sum(0).norm() == pytest.approx(lengths.square().sum().sqrt().item(), rel=0.05)  # right angles
    cosines = torch.nn.functional.cosine_similarity(updates[:, None], updates[None], dim=-1)
    assert f"the largest {cosines.fill_diagonal_(-1).max():.2f}".replace("0.", ".") in prose
    assert f"the least minus {-cosines.fill_diagonal_(1).min():.2f}".replace("0.", ".") in prose
    assert (cosines.fill_diagonal_(0).abs() < 0.2).sum() == 144 - 4  # all pairs but two


def test_head_8_of_layer_1_looks_most_at_the_token_after(page):
    assert page.after.argmax() == 12 + 8 and page.after.max() == pytest.approx(0.69, abs=0.005)
    assert page.before[5].max() < 0.15 > page.after[5].max()
    assert sum(page.even) / len(page.even) == pytest.approx(0.05, abs=0.005)


def test_a_key_bias_changes_nothing_and_stayed_near_0_in_training(bert, trace):
    mha, X = bert.layer[0].attention, trace["embeddings.output"]
    assert mha.W_K.bias.norm() < 0.02 < 5 < mha.W_Q.bias.norm()
    Q, K, V = (mha.split(W(X)) for W in (mha.W_Q, mha.W_K, mha.W_V))
    shifted = attention(Q, K + torch.randn(12, 1, 32), V)[1]
    torch.testing.assert_close(shifted, attention(Q, K, V)[1], atol=1e-5, rtol=0)


def test_one_masked_pass_holds_the_outputs_of_all_prefixes():
    mha, X = MultiHeadAttention(8, 2), torch.randn(4, 8)
    one_pass, _ = mha(X, mask=causal_mask(4))
    for n in range(1, 5):
        torch.testing.assert_close(mha(X[:n])[0][-1], one_pass[n - 1])


def test_without_a_mask_a_quarter_of_a_short_texts_attention_goes_to_padding(bert, tok):
    ids = tok.batch(["Bears are hairy.", BEAR]).ids
    n, steps = len(tok.encode("Bears are hairy.").ids), bert.trace(ids)
    share = [steps[f"layer.{i}.attention.weights"][0, :, :n, n:].sum(-1).mean() for i in range(6)]
    assert torch.stack(share).mean() == pytest.approx(0.26, abs=0.02)


def test_an_empty_row_divides_0_by_0_and_attention_refuses_it():
    row = torch.full((3,), -torch.inf)
    assert torch.softmax(row, -1).isnan().all()
    with pytest.raises(ValueError, match="score above -inf"):
        softmax(row)
    with pytest.raises(ValueError, match="attend to nothing"):
        attention(torch.ones(1, 2), torch.ones(3, 2), torch.ones(3, 2), torch.zeros(1, 3, dtype=torch.bool))


def test_from_18_to_36_percent_of_a_padded_texts_rows_lie_on_padding_without_a_mask(page, prose):
    rows = page.average["without a mask"][:, page.n :].sum(1)
    assert f"from {100 * rows.min():.0f} to {100 * rows.max():.0f} percent of a row" in prose
    assert (page.average["with the mask"][:, page.n :] == 0).all()
