"""What the chapter "Many heads, masks, two texts" tells about the default model and about its formulas."""

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


def test_the_updates_of_bear_cancel_in_part(bert, tok, trace):
    at = tok.encode(BEAR).tokens.index("bear")
    updates = bert.layer[0].attention.head_updates(trace["embeddings.output"])[0, :, at]
    lengths = updates.norm(dim=-1)
    assert 3 < lengths.max() / lengths.min() < 5
    assert updates.sum(0).norm() < lengths.sum() / 3
    cosines = torch.nn.functional.cosine_similarity(updates[:, None], updates[None], dim=-1)
    assert cosines.min() < -0.2 and cosines[~torch.eye(12, dtype=torch.bool)].max() > 0.2


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
    assert softmax(torch.full((3,), -torch.inf)).isnan().all()
    with pytest.raises(ValueError, match="attend to nothing"):
        attention(torch.ones(1, 2), torch.ones(3, 2), torch.ones(3, 2), torch.zeros(1, 3, dtype=torch.bool))
