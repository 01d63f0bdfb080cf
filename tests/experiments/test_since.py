"""Small decoders that differ in one part: their common and different parts, and the source of the stored numbers."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments import since, stored
from tutorial_book.experiments.since import KINDS, Still, by_distance, new_model, pair_scores
from tutorial_lib import bert, llama

pytestmark = pytest.mark.usefixtures("one_thread")
IDS = torch.randint(since.VOCABULARY, (3, since.N_TOKENS), generator=torch.Generator().manual_seed(0))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["Llama's shape", "learned positions"])
def test_stored_numbers_come_out_again(kind):
    """On another processor the last digits of sums differ, and training makes that more: near, not equal."""
    values = since.follow(kind, 0)
    kept = stored("since")["kinds"][kind]["as it is"][0]
    assert values["as it is"][:4] == pytest.approx(kept[:4], abs=0.1)


@pytest.mark.parametrize("kind, parts", KINDS.items(), ids=KINDS)
def test_each_kind_has_the_parts_that_it_names(kind, parts):
    model = new_model(kind, 0)
    assert isinstance(model.norm, llama.RMSNorm) == parts.rms
    for layer in model.layer:
        assert isinstance(layer.attention_norm, llama.RMSNorm) == isinstance(layer.norm, llama.RMSNorm) == parts.rms
        assert isinstance(layer.feed_forward, bert.FeedForward) == (not parts.gated)
        assert layer.attention.W_K.out_features == parts.n_kv_heads * since.D_K
        assert (layer.attention.W_Q.bias is not None) == parts.biases
    assert isinstance(model.config.rope, Still) == (parts.positions != "rotary")
    table = getattr(model.embeddings, "table", None)
    assert (table is not None) == (parts.positions in ("learned", "sinusoidal"))
    if table is not None:
        assert table.requires_grad == (parts.positions == "learned")
        assert table.detach().norm(dim=1).mean().item() == pytest.approx(1, rel=0.1)  # as long as a token
    assert model.unembedding.weight is model.embeddings.tokens.weight


@pytest.mark.parametrize("positions", since.POSITIONS)
def test_only_positions_tell_the_order_of_tokens(positions):
    """One layer: with no positions, its output at the last position is that of a bag of tokens."""
    moved = IDS[:, [*range(since.N_TOKENS - 3, -1, -1), since.N_TOKENS - 2, since.N_TOKENS - 1]]
    model = since.Decoder(since.Parts(positions), since.VOCABULARY)
    model.layer = model.layer[:1]
    with torch.no_grad():
        apart = (model(IDS)[0] - model(moved)[0])[:, -1].abs().max()
    assert (apart < 1e-4) == (positions == "none")


def test_measuring_leaves_the_model_as_it_was():
    model = new_model("Llama's shape", 0)
    config, before = model.config, model(IDS)[0]
    assert list(since.lengths(model, IDS[:, :33])) == ["as it is", "window", "closer"]
    losses = {since.without(model, IDS, 0, what) for what in ("turning", "meaning")}
    assert len(losses | {np.mean(since.by_place(model, IDS[:, :49]))}) == 3
    assert model.config is config and model.window is None and torch.equal(model(IDS)[0], before)
    with pytest.raises(ValueError, match="what must be one of turning, meaning"):
        since.without(model, IDS, 0, "all")


def test_pairs_add_up_to_the_scores():
    model = since.Decoder(since.Parts(n_kv_heads=2), since.VOCABULARY)
    trace = model.trace(IDS)
    seen = torch.ones(since.N_TOKENS, since.N_TOKENS).tril().bool()
    for layer in range(since.N_LAYERS):
        whole = pair_scores(trace, layer, model.config.rope.frequencies(since.D_K)).sum(0)
        scores = trace[f"layer.{layer}.attention.scores"]
        torch.testing.assert_close(whole[..., seen], scores[..., seen], atol=1e-4, rtol=1e-4)


def test_distance_tells_nothing_of_noise():
    n = 64
    place = torch.arange(float(n))
    by_place = torch.cos(place[:, None] - place).expand(2, 50, n, n)
    noise = torch.randn(2, 50, n, n, generator=torch.Generator().manual_seed(0))
    of_queries = 100 * torch.randn(2, 50, n, 1, generator=torch.Generator().manual_seed(1))  # no softmax sees it
    variance, share = by_distance(by_place + of_queries)
    assert share.min() > 0.999 and variance.mean() == pytest.approx(1 / 2, abs=0.02)
    assert by_distance(noise)[1].max() < 0.01
    assert by_distance(by_place + noise)[1].mean() == pytest.approx(1 / 3, abs=0.05)  # variances 1/2 and 1
