"""The data of a BERT for gates: maps, cone indices, subspaces, and slices that belong to a head or to none."""

import numpy as np
import pytest
import torch
from torch import nn

from tutorial_book.experiments.gates import cone_stages, head_parts, overlaps, read, sliced, subspaces
from tutorial_lib.bert import Bert, Config
from tutorial_lib.geometry import average_cosine, value_entropy


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    bert = Bert(Config(vocab_size=50, d_model=24, n_layers=2, n_heads=3, d_ff=32, n_positions=16)).eval()
    for parameter in bert.parameters():
        nn.init.normal_(parameter, std=0.4)
    return bert


@pytest.fixture(scope="module")
def reading(model):
    with torch.no_grad():
        return read(model, [[2, 7, 8, 9, 3], [2, 5, 3, 6]])


def test_reading_has_what_the_trace_has(model, reading):
    with torch.no_grad():
        steps = model.trace([2, 5, 3, 6])
    assert [A.shape for A in reading.maps] == [(2, 3, 5, 5), (2, 3, 4, 4)]
    assert np.array_equal(reading.maps[1][1], steps["layer.1.attention.weights"][0])
    assert np.array_equal(reading.vectors[1][0], steps["embeddings.output"][0])
    assert np.array_equal(reading.vectors[1][2], steps["layer.1.output"][0])
    assert np.array_equal(reading.heads[1][0], steps["layer.0.attention.concat"][0])
    each = [value_entropy(S) for S in steps["layer.1.attention.scores"][0]]
    assert reading.spread[1][1] == pytest.approx(np.mean(each))


def test_cones_follow_from_average_cosines(reading):
    X, heads = reading.vectors[0], reading.heads[0]
    stages, n = cone_stages(X, heads, 3), len(X[0])

    def by_cosine(rows):
        return (n + n * (n - 1) * average_cosine(rows)) ** 0.5

    assert stages.shape == (4, 2)
    assert stages[0] == pytest.approx([by_cosine(x) for x in X[:2]]) and stages[3][0] == pytest.approx(stages[0][1])
    assert stages[1][1] == pytest.approx(np.mean([by_cosine(heads[1][:, at : at + 8]) for at in (0, 8, 16)]))
    added = nn.LayerNorm(24)(torch.tensor(X[0] + heads[0])).detach()
    assert stages[2][0] == pytest.approx(by_cosine(added), rel=1e-5)


def test_rows_give_the_maps_and_columns_do_not(model, reading):
    for layer, X, maps in zip(model.layer, reading.vectors[0], reading.maps[0], strict=False):
        A, norms = sliced(layer.attention, X)
        assert np.allclose(A, maps, atol=1e-5)
        queries = layer.attention.W_Q(torch.tensor(X)).unflatten(-1, (3, 8)).norm(dim=-1).mean(0)
        assert norms == pytest.approx(queries.detach().numpy(), rel=1e-4)
        strange, _ = sliced(layer.attention, X, columns=True)
        assert strange.shape == maps.shape and np.allclose(strange.sum(-1), 1, atol=1e-5)
        assert np.abs(strange - maps).max() > 0.03
    weight = model.layer[0].attention.W_Q.weight
    assert torch.equal(head_parts(model.layer[0].attention.W_Q, 3, columns=True)[2], weight[:, 16:])


def test_subspaces_are_what_heads_read(model):
    U = subspaces(model)
    assert U.shape == (2, 3, 3, 24, 8)
    assert np.allclose(U[1, 2, 0].T @ U[1, 2, 0], np.eye(8), atol=1e-6)
    for side, name in enumerate(("W_Q", "W_K", "W_V")):
        W = getattr(model.layer[1].attention, name).weight[16:].detach().numpy()  # what head 2 reads
        assert np.allclose(W @ U[1, 2, side] @ U[1, 2, side].T, W, atol=1e-5)
    same = np.broadcast_to(U[:, :1, :1], (2, 3, 3, 24, 8))
    assert overlaps(same) == pytest.approx([1, 1, 1, 1])  # each head overlaps with itself fully
    assert 0.2 < overlaps(U)[3] < 0.5  # 8 of 24 by chance
