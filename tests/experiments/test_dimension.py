"""A curve without noise is a curve; shuffled texts keep their words; vectors are the models' own."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.dimension import isoscore, last_vectors, pieces, reorder, shuffled, thread, untrained
from tutorial_book.experiments.loud import token_vectors
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import participation_ratio
from tutorial_lib.gpt import GPT
from tutorial_lib.texts.generated import stories
from tutorial_lib.tokenization import BPE, WordPiece

TALES = [story.text for story in stories(12, seed=5)]


@pytest.fixture(scope="module", params=["book-gpt", "book-bert"])
def pair(request):
    family, tokens = (GPT, BPE) if request.param == "book-gpt" else (Bert, WordPiece)
    return family.from_pretrained(request.param, device="cpu"), tokens.from_pretrained(request.param)


def test_thread_without_noise_winds_outward_evenly():
    X = thread(4000, noise=0, turns=3)
    radius = np.linalg.norm(X, axis=1)
    turned = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi)
    np.testing.assert_allclose((radius - turned) % 1 % 0.999999, 0, atol=1e-5)  # a turn further is 1 further out
    assert radius.max() == pytest.approx(3, abs=0.01)
    assert np.mean(radius < 1.5) == pytest.approx(0.25, abs=0.03)  # a quarter of the length
    moved = thread(4000, noise=0.5, turns=3) - X
    assert moved.std() == pytest.approx(0.5, rel=0.03) and abs(moved.mean()) < 0.02


def test_untrained_model_keeps_the_shape_alone(pair):
    model, _ = pair
    fresh, again, other = (dict(untrained(model, seed).named_parameters()) for seed in (1, 1, 2))
    for name, p in model.named_parameters():
        assert fresh[name].shape == p.shape and torch.equal(fresh[name], again[name])
        if p.ndim > 1:
            assert fresh[name].std().item() == pytest.approx(0.02, rel=0.1) and not torch.equal(fresh[name], p)
            assert not torch.equal(fresh[name], other[name])
        else:
            assert (fresh[name] == float(not name.endswith("bias"))).all()


def test_pieces_begin_or_end_where_told(pair):
    _, tok = pair
    whole = [tok.encode(text).ids for text in TALES]
    whole = [ids[1:-1] if tok.encode("").ids else ids for ids in whole]
    assert {tuple(row) for row in pieces(TALES, tok, 20).tolist()} == {tuple(ids[:20]) for ids in whole}
    ended = pieces(TALES, tok, 20, end=".")
    assert ended.shape == (12, 20) and {tok.tokens[i] for i in ended[:, -1]} == {"."}
    assert {tuple(row) for row in ended.tolist()} <= {tuple(ids[i : i + 20]) for ids in whole for i in range(len(ids))}
    assert len(pieces(TALES * 2, tok, 20)) == 12 and len(pieces(["No."], tok, 20)) == 0


def test_order_by_lot_keeps_the_words():
    ids = np.arange(60).reshape(3, 20)
    mixed = reorder(ids, seed=1)
    assert (mixed[:, -1] == ids[:, -1]).all() and (np.sort(mixed) == ids).all()  # the last one stays
    assert len({tuple(row - row.min()) for row in mixed}) == 3 and (mixed != reorder(ids, seed=2)).any()
    assert sorted(shuffled(TALES)[0].split()) == sorted(TALES[0].replace(".", " .").replace(",", " ,").split())
    assert shuffled(TALES)[0].split() != TALES[0].split() and shuffled(TALES) == shuffled(TALES) != shuffled(TALES, 1)


def test_last_vectors_are_those_of_a_text_alone(pair):
    model, tok = pair
    ids = pieces(TALES, tok, 20, end=".")
    states = last_vectors(model, tok, ids)
    assert states.shape == (model.config.n_layers + 1, 12, model.config.d_model)
    alone = token_vectors([tok.decode(ids[3].tolist())], model, tok)
    assert alone.tokens[-1] == "." and len(alone.tokens) == 20
    np.testing.assert_allclose(states[:, 3], alone.vectors[:, -1], atol=1e-5)


def test_isoscore_is_a_scaled_participation_ratio():
    rng = np.random.default_rng(0)
    for shape in ((500, 7), (5, 40), (2000, 2)):
        X = rng.normal(size=shape) * rng.random(shape[1])
        assert isoscore(X) == pytest.approx((participation_ratio(X) - 1) / (shape[1] - 1), rel=1e-9)
    assert isoscore([[1, 2, 3], [2, 4, 6], [0, 0, 0]]) == pytest.approx(0, abs=1e-9)
    assert isoscore(np.vstack([np.eye(4), -np.eye(4)])) == pytest.approx(1)
