"""What the chapter on positions tells about the default model."""

import math

import numpy as np
import torch


def test_the_learned_table_is_hugging_faces_bit_for_bit(bert, hf_bert):
    assert torch.equal(bert.embeddings.positions.weight, hf_bert.embeddings.position_embeddings.weight)


@torch.no_grad()
def test_without_positions_a_trained_bert_only_permutes(chapter, bert):
    page = chapter(bert=bert)
    ids, order = page.ids, page.order
    assert torch.allclose(page.run(ids[order], False), page.run(ids, False)[order], atol=1e-5)
    assert (page.run(ids[order], True) - page.run(ids, True)[order]).abs().max() > 1
    assert torch.allclose(page.run(ids, True), bert(ids[None])[0], atol=1e-5)


def test_the_default_table_breaks_at_127_and_not_at_384(bert):
    P = bert.embeddings.positions.weight.detach().double()
    neighbors = torch.cosine_similarity(P[:-1], P[1:])
    assert sorted(neighbors.argsort()[:4].tolist()) == [0, 126, 127, 510]
    assert (neighbors[380:388] > 0.8).all()
    U = torch.nn.functional.normalize(P[384:], dim=1)
    pairs = (U @ U.T)[~torch.eye(128, dtype=bool)]
    assert pairs.std() > 4 / math.sqrt(384)  # random vectors: about 1 / sqrt(384), and an average of 0
    assert pairs.mean() > 0.2


def test_with_100_in_place_of_10000_the_longest_wavelength_is_short_and_neighbors_stay_most_alike():
    w = 2 * math.pi * 100 ** (torch.arange(0, 64, 2, dtype=torch.float64) / 64)
    k = torch.arange(1, 2000, dtype=torch.float64)[:, None]
    distance = (2 - 2 * torch.cos(2 * math.pi * k / w)).sum(1)
    assert 500 < w[-1] < 600 and math.isclose(w[-1], 2 * math.pi * 100 ** (62 / 64))
    assert distance.argmin() == 0


def test_the_decoder_remembers_a_name_at_any_distance_and_no_lstm_at_all(page, prose):
    kinds = page.memory["kinds"]
    gains = {kind: np.array(one["gains"]) for kind, one in kinds.items()}  # (seeds, bins, 3)
    assert gains["decoder"][..., 1].min() > 0.5
    for kind in set(kinds) - {"decoder"}:
        assert np.abs(gains[kind][..., 0]).max() < 0.05, kind
        assert min(kinds[kind]["loss"]) > max(kinds["decoder"]["loss"])
    ahead = np.array(page.memory["difference"])
    assert ahead[:, 1].min() > 0.8
    assert f"by {ahead[:, 0].min():.1f} to {ahead[:, 0].max():.1f} nats" in prose
    assert max(kinds["LSTM, four times as long"]["loss"]) < min(kinds["LSTM"]["loss"])
    assert kinds["LSTM, four times as long"]["steps"] == 4_000 and min(page.memory["cases"]) > 50


def test_half_of_the_hands_need_the_positions_that_the_guess_tells(prose):
    median = np.median(2 * math.pi * 10_000 ** (np.arange(256) * 2 / 512))
    told = int(prose.split("Half of the 256 hands need more than ")[1].split()[0])
    assert abs(told / median - 1) < 0.03


def test_without_positions_each_word_has_one_vector_in_both_orders_and_with_them_nearly_one(page):
    without, with_them = (page.models[f"{word} positions"] for word in ("without", "with"))
    assert torch.allclose(without[2], torch.ones(5), atol=1e-5) and torch.allclose(without[0][0], without[0][3])
    assert 0.945 < with_them[2].min() and with_them[2].max() < 0.995
    assert not torch.allclose(with_them[0][0], with_them[0][3], atol=0.05)


def test_the_fastest_hand_is_back_at_44_and_710_and_a_slower_one_is_not():
    for pos in (44, 710):
        turns = torch.tensor([pos / (2 * math.pi * 10**i) for i in range(4)], dtype=torch.float64)
        off = (turns - turns.round()).abs()
        assert off[0] < 0.005 and off[1] > 0.1
