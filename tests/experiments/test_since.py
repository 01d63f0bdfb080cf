"""Small decoders that differ in one part: what is equal in them, what differs, and whose the stored numbers are."""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch

from tutorial_book.experiments import since
from tutorial_book.experiments.since import KINDS, Still, by_distance, new_model, pair_scores, stored
from tutorial_lib import bert, llama
from tutorial_lib.positions import Rope

pytestmark = pytest.mark.usefixtures("one_thread")
IDS = torch.randint(since.VOCABULARY, (3, since.N_TOKENS), generator=torch.Generator().manual_seed(0))


def test_all_kinds_have_as_many_parameters_up_to_half_a_percent():
    counts = {kind: since.n_parameters(new_model(kind, 0)) for kind in KINDS}
    assert counts == stored()["parameters"]
    least, most = min(counts.values()), max(counts.values())
    assert most / least < 1.005


def test_the_stored_numbers_carry_the_settings_of_today():
    kept = stored()
    settings = dict(kept["settings"])
    assert settings.pop("training") == asdict(since.SETTINGS)
    assert settings == {name: getattr(since, name) for name in settings} and len(settings) == 10
    assert list(kept["kinds"]) == list(KINDS)


def test_all_that_was_measured_is_stored_for_each_seed():
    n_seeds, n = len(since.SEEDS), since.N_LONG // since.N_PLACES
    for kind, values in stored()["kinds"].items():
        for way in ("as it is", "window", *["closer"] * (KINDS[kind].positions == "rotary")):
            assert values[way].shape == (n_seeds, n) and np.isfinite(values[way]).all()
    heads = stored()["kinds"]["Llama's shape"]["heads"]
    assert heads["distance"].shape == (n_seeds, since.N_LAYERS * since.N_HEADS, since.D_K // 2)
    np.testing.assert_allclose(heads["size"].sum(-1), 1, atol=0.001)


def test_within_the_window_a_window_changes_nothing():
    for kind, values in stored()["kinds"].items():
        inside = since.N_TOKENS // since.N_PLACES
        assert np.abs(values["window"] - values["as it is"])[:, :inside].max() < 0.001, kind
        assert np.abs(values["window"] - values["as it is"])[:, inside:].max() > 0.001, kind


@pytest.mark.long
@pytest.mark.parametrize("kind", ["Llama's shape", "learned positions"])
def test_the_stored_numbers_come_out_again(kind):
    """On another processor the last digits of sums differ, and training makes that more: near, not equal."""
    values = since.follow(kind, 0)
    assert values["as it is"][:4] == pytest.approx(stored()["kinds"][kind]["as it is"][0, :4], abs=0.1)


def test_each_kind_has_the_parts_that_it_names():
    for kind, parts in KINDS.items():
        model = new_model(kind, 0)
        assert isinstance(model.norm, llama.RMSNorm) == parts.rms
        for layer in model.layer:
            assert isinstance(layer.attention_norm, llama.RMSNorm) == isinstance(layer.norm, llama.RMSNorm) == parts.rms
            assert isinstance(layer.feed_forward, bert.FeedForward) == (not parts.gated)
            assert layer.attention.W_K.out_features == parts.n_kv_heads * since.D_K
        assert isinstance(model.config.rope, Still) == (parts.positions != "rotary")
        assert hasattr(model.embeddings, "table") == (parts.positions in ("learned", "sinusoidal"))
        assert model.unembedding.weight is model.embeddings.tokens.weight


def test_only_with_positions_does_the_order_before_the_last_two_tokens_matter():
    """One layer: with no positions, its output at the last place is that of a bag of tokens."""
    moved = IDS[:, [*range(since.N_TOKENS - 3, -1, -1), since.N_TOKENS - 2, since.N_TOKENS - 1]]
    for positions in since.POSITIONS:
        model = since.Decoder(since.Parts(positions), since.VOCABULARY)
        model.layer = model.layer[:1]
        with torch.no_grad():
            apart = (model(IDS)[0] - model(moved)[0])[:, -1].abs().max()
        assert (apart < 1e-4) == (positions == "none"), positions


def test_a_sinusoidal_table_does_not_learn_and_a_learned_one_does():
    assert new_model("learned positions", 0).embeddings.table.requires_grad
    fixed = since.Decoder(since.Parts("sinusoidal"), since.VOCABULARY).embeddings.table
    assert not fixed.requires_grad
    learned = new_model("learned positions", 0).embeddings.table
    assert fixed.norm(dim=1).mean() == pytest.approx(learned.norm(dim=1).mean().item(), rel=0.1)  # as long


def test_the_window_hides_what_is_too_far():
    model = since.Decoder(since.Parts("none"), since.VOCABULARY)
    model.window = 5
    weights = model.trace(IDS[:1])["layer.0.attention.weights"][0]
    far = torch.ones(since.N_TOKENS, since.N_TOKENS).tril(-5).bool()
    assert (weights[:, far] == 0).all() and (weights[:, 10, 6:11] > 0).all()


def test_lengths_leave_the_model_as_it_was():
    model = new_model("Llama's shape", 0)
    config = model.config
    found = since.lengths(model, IDS[:, :33])
    assert model.config is config and model.window is None and list(found) == ["as it is", "window", "closer"]


def test_the_pairs_add_up_to_the_scores():
    model = since.Decoder(since.Parts(n_kv_heads=2), since.VOCABULARY)
    trace = model.trace(IDS)
    for layer in range(since.N_LAYERS):
        whole = pair_scores(trace, layer, model.config.rope.frequencies(since.D_K)).sum(0)
        seen = torch.ones(since.N_TOKENS, since.N_TOKENS).tril().bool()
        torch.testing.assert_close(
            whole[..., seen], trace[f"layer.{layer}.attention.scores"][..., seen], atol=1e-4, rtol=1e-4
        )


def test_distance_tells_all_of_a_distance_and_nothing_of_noise():
    n = 64
    place = torch.arange(float(n))
    by_place = torch.cos(place[:, None] - place).expand(2, 50, n, n)
    noise = torch.randn(2, 50, n, n, generator=torch.Generator().manual_seed(0))
    of_queries = 100 * torch.randn(2, 50, n, 1, generator=torch.Generator().manual_seed(1))  # no softmax sees it
    assert by_distance(by_place + of_queries)[1].min() > 0.999
    assert by_distance(noise)[1].max() < 0.01
    assert by_distance(by_place + noise)[1].mean() == pytest.approx(1 / 3, abs=0.05)  # variances 1/2 and 1


def test_without_a_pair_the_model_is_put_back():
    model = new_model("Llama's shape", 0)
    before = model(IDS)[0]
    for what in ("turning", "meaning"):
        since.without(model, IDS, 0, what)
    assert torch.equal(model(IDS)[0], before)
    with pytest.raises(ValueError, match="what must be one of turning, meaning"):
        since.without(model, IDS, 0, "all")


def test_a_pair_that_stands_still_does_not_turn():
    assert Still([0, 2]).frequencies(8)[[0, 2]].tolist() == [0, 0]
    assert torch.equal(Still([0, 2]).frequencies(8)[[1, 3]], Rope().frequencies(8)[[1, 3]])


def test_a_damaged_file_is_told_of(monkeypatch, tmp_path):
    file = tmp_path / "numbers.json"
    file.write_text(json.dumps({"date": ""}), encoding="utf-8")
    monkeypatch.setattr(since, "FILE", file)
    with pytest.raises(ValueError, match="lacks kinds, parameters, settings, versions: write it again with tools/meas"):
        stored()
