"""A thread without noise is a curve; what is shuffled has the same words; vectors are those that the models give."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.dimension import (
    isoscore,
    last_vectors,
    pieces,
    reorder,
    shuffled,
    thread,
    untrained,
)  # fmt: skip
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


def test_a_thread_without_noise_winds_outward_evenly():
    X = thread(4000, noise=0, turns=3)
    radius = np.linalg.norm(X, axis=1)
    turned = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi)
    np.testing.assert_allclose((radius - turned) % 1 % 0.999999, 0, atol=1e-5)  # a turn further is 1 further out
    assert radius.max() == pytest.approx(3, abs=0.01)
    inner = np.mean(radius < 1.5)
    assert inner == pytest.approx(0.25, abs=0.03)  # a quarter of the length


def test_a_shuffled_text_has_the_same_words_in_another_order():
    assert sorted(shuffled(TALES)[0].split()) == sorted(TALES[0].replace(".", " .").replace(",", " ,").split())
    assert shuffled(TALES)[0].split() != TALES[0].split() and shuffled(TALES) == shuffled(TALES) != shuffled(TALES, 1)


def test_an_untrained_model_has_the_shape_and_nothing_else(pair):
    model, _ = pair
    before = {name: p.clone() for name, p in model.named_parameters()}
    fresh = dict(untrained(model, seed=1).named_parameters())
    for name, p in model.named_parameters():
        assert torch.equal(p, before[name]) and fresh[name].shape == p.shape
        if p.ndim > 1:
            assert fresh[name].std().item() == pytest.approx(0.02, rel=0.1) and not torch.equal(fresh[name], p)
        else:
            assert (fresh[name] == float(not name.endswith("bias"))).all()
    again, other = (dict(untrained(model, seed).named_parameters()) for seed in (1, 2))
    name = max(fresh, key=lambda name: fresh[name].numel())
    assert torch.equal(again[name], fresh[name]) and not torch.equal(other[name], fresh[name])


def test_pieces_are_the_first_tokens_or_end_where_they_are_told_to(pair):
    _, tok = pair
    first = pieces(TALES, tok, 20)
    whole = [tok.encode(text).ids for text in TALES]
    whole = [ids[1:-1] if len(tok.encode("").ids) else ids for ids in whole]
    assert {tuple(row) for row in first.tolist()} == {tuple(ids[:20]) for ids in whole}
    ended = pieces(TALES, tok, 20, end=".")
    assert ended.shape == (12, 20) and {tok.tokens[i] for i in ended[:, -1]} == {"."}
    joined = {tuple(ids[i : i + 20]) for ids in whole for i in range(len(ids))}
    assert {tuple(row) for row in ended.tolist()} <= joined
    assert len(pieces(TALES * 2, tok, 20)) == 12 and len(pieces(["No."], tok, 20)) == 0


def test_the_last_token_stays_where_it_is():
    ids = np.arange(60).reshape(3, 20)
    mixed = reorder(ids, seed=1)
    assert (mixed[:, -1] == ids[:, -1]).all() and (np.sort(mixed) == ids).all()
    orders = [tuple(row - row.min()) for row in mixed]
    assert len(set(orders)) == 3 and (mixed != reorder(ids, seed=2)).any()


def test_the_vectors_are_those_of_the_last_token_read_alone(pair):
    model, tok = pair
    ids = pieces(TALES, tok, 20, end=".")
    states = last_vectors(model, tok, ids)
    assert states.shape == (model.config.n_layers + 1, 12, model.config.d_model)
    text = tok.decode(ids[3].tolist()).strip()
    if tok.encode("").ids:
        alone = token_vectors([text], model, tok)
        assert alone.tokens[-1] == "." and len(alone.tokens) == 20
        np.testing.assert_allclose(states[:, 3], alone.vectors[:, -1], atol=1e-5)
    else:
        start = tok.encode("<|endoftext|>").ids
        stops = model.trace([start + ids[3].tolist()])
        np.testing.assert_allclose(states[-1, 3], stops["layer.3.output"][0, -1].detach(), atol=1e-5)
        np.testing.assert_allclose(states[0, 3], stops["embeddings.output"][0, -1].detach(), atol=1e-5)


def test_isoscore_is_the_participation_ratio_scaled_to_0_and_1():
    rng = np.random.default_rng(0)
    for shape in ((500, 7), (5, 40), (2000, 2)):
        X = rng.normal(size=shape) * rng.random(shape[1])
        assert isoscore(X) == pytest.approx((participation_ratio(X) - 1) / (shape[1] - 1), rel=1e-9)
    assert isoscore([[1, 2, 3], [2, 4, 6], [0, 0, 0]]) == pytest.approx(0, abs=1e-9)
    assert isoscore(np.vstack([np.eye(4), -np.eye(4)])) == pytest.approx(1)
