"""Decoders equal transformers' at every stop, from whatever checkpoint; the cache and padding change nothing."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.gpt import GPT, Config
from tutorial_lib.parity import compare, difference

SMALL = Config(vocab_size=60, d_model=24, n_layers=2, n_heads=3, d_ff=40, n_positions=12)


def some_ids(model, n, texts=2, seed=0):
    return torch.randint(model.config.vocab_size, (texts, n), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_every_stop_equals_transformers(hugging_face, kind, seed, dtype):
    theirs = hugging_face(kind, seed).to(dtype)
    found = compare(GPT.from_hf(theirs), theirs, {"ids": some_ids(theirs, 16)}).check()
    # all stops but those of embeddings, norm and logits, in each layer
    assert len([name for name in found.stops if name.startswith("layer.0.")]) >= 13 and "logits" in found.stops


@pytest.mark.parametrize("kind", ["gpt2", "opt"])
@pytest.mark.parametrize("prefix", ["", "own"])
def test_the_hubs_spellings_load(hugging_face, kind, prefix):
    """With and without the prefix of the body, with what older checkpoints carry besides, without the tied head."""
    theirs = hugging_face(kind, 3)
    state = {name: tensor for name, tensor in theirs.state_dict().items()}
    if theirs.config.tie_word_embeddings:
        state.pop("lm_head.weight")
    old = {"gpt2": "transformer.", "opt": "model."}[kind]
    state = {name.removeprefix(old) if not prefix else name: tensor for name, tensor in state.items()}
    if kind == "gpt2":
        body = old if prefix else ""
        n = theirs.config.n_positions
        state[f"{body}h.0.attn.bias"] = torch.ones(1, 1, n, n).tril()
        state[f"{body}h.0.attn.masked_bias"] = torch.tensor(-1e4)
    ours = GPT.from_checkpoint(theirs.config.to_dict(), state)
    ids = some_ids(theirs, 9)
    assert difference(ours(ids)[0].detach(), theirs(ids).logits.detach()).is_rounding


def test_gpt2s_matrices_are_transposed_and_side_by_side(hugging_face):
    theirs = hugging_face("gpt2", 1)
    ours, d = GPT.from_hf(theirs), theirs.config.n_embd
    joined = theirs.transformer.h[0].attn.c_attn.weight  # (d_model, 3 d_model)
    assert torch.equal(ours.layer[0].attention.W_K.weight, joined[:, d : 2 * d].T)
    assert torch.equal(ours.layer[0].feed_forward.W_1.weight, theirs.transformer.h[0].mlp.c_fc.weight.T)


def test_what_widens_is_read_by_columns(hugging_face):
    """The speed beside transformers rests on it: `benchmarks/generation.py`."""
    matrices = [m.weight for m in GPT.from_hf(hugging_face("gpt2", 1)).modules() if isinstance(m, torch.nn.Linear)]
    assert {W.T.is_contiguous() for W in matrices if len(W) >= len(W.T)} == {True}
    assert {W.is_contiguous() for W in matrices if len(W) < len(W.T)} == {True}


@pytest.fixture(scope="module")
def gpt():
    torch.manual_seed(0)
    return GPT(SMALL).double().eval()


@pytest.mark.parametrize("split", range(1, 12))
def test_the_cache_changes_nothing(gpt, split):
    ids = torch.randint(60, (2, 12), generator=torch.Generator().manual_seed(split))
    whole, kept = gpt(ids)
    first, cache = gpt(ids[:, :split])
    before = [(K.clone(), V.clone()) for K, V in cache]
    second, cache_2 = gpt(ids[:, split:], cache)
    assert torch.allclose(torch.cat([first, second], 1), whole, atol=1e-12)
    for (K, V), (K_2, V_2), (K_1, V_1), (K_b, V_b) in zip(kept, cache_2, cache, before, strict=True):
        assert torch.allclose(K, K_2, atol=1e-12) and torch.allclose(V, V_2, atol=1e-12)
        assert torch.equal(K_1, K_b) and torch.equal(V_1, V_b)  # what was handed in is not written to


@given(st.lists(st.integers(1, 8), min_size=2, max_size=4), st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_padding_on_the_left_changes_nothing(gpt, lengths, seed):
    rng = torch.Generator().manual_seed(seed)
    texts = [torch.randint(60, (n,), generator=rng) for n in lengths]
    longest = max(lengths)
    ids = torch.stack([torch.cat([torch.full((longest - len(text),), 7), text]) for text in texts])
    mask = torch.stack([torch.tensor([0] * (longest - n) + [1] * n) for n in lengths])
    logits, cache = gpt(ids, attention_mask=mask)
    more, _ = gpt(torch.full((len(texts), 1), 3), cache, torch.cat([mask, torch.ones(len(texts), 1)], 1))
    for row, text in enumerate(texts):
        alone, kept = gpt(text)
        assert torch.allclose(logits[row, longest - len(text) :], alone[0], atol=1e-12)
        assert torch.allclose(more[row], gpt([[3]], kept)[0][0], atol=1e-12)


@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_padded_on_the_left_the_cache_changes_nothing_at_any_split(hugging_face, kind):
    """Up to the last position, with weights far from those of a new model; as one text alone has it."""
    ours = GPT.from_hf(hugging_face(kind, 4)).double()
    n = ours.config.n_positions
    texts = [some_ids(ours, length, texts=1, seed=length)[0] for length in (n, n - 3, 5)]
    ids = torch.stack([torch.cat([torch.full((n - len(text),), 7), text]) for text in texts])
    mask = torch.stack([torch.tensor([0] * (n - len(text)) + [1] * len(text)) for text in texts])
    whole, _ = ours(ids, attention_mask=mask)
    for row, text in enumerate(texts):
        assert torch.allclose(whole[row, n - len(text) :], ours(text)[0][0], atol=1e-10)
    for split in range(1, n):
        _, cache = ours(ids[:, :split], attention_mask=mask[:, :split])
        after, _ = ours(ids[:, split:], cache, mask)
        real = mask[:, split:].bool()
        assert torch.allclose(after[real], whole[:, split:][real], atol=1e-10)


def test_no_token_sees_a_later_one(gpt):
    ids = some_ids(gpt, 10)
    changed = ids.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % 60
    assert torch.equal(gpt(ids)[0][:, :6], gpt(changed)[0][:, :6])
    assert not torch.allclose(gpt(ids)[0][:, 6:], gpt(changed)[0][:, 6:])


def test_fused_attention_is_the_same(gpt):
    ids = some_ids(gpt, 10)
    assert torch.allclose(gpt(ids, fused=True)[0], gpt(ids)[0], atol=1e-12)


@pytest.mark.parametrize("norm_first, std", [(True, 0.5), (False, 0.5)])
def test_a_new_model_hardly_prefers_any_token(norm_first, std):
    config = Config(vocab_size=60, d_model=32, n_layers=2, n_heads=2, d_ff=64, n_positions=12, norm_first=norm_first)
    logits, _ = GPT(config)(torch.arange(10)[None])
    assert logits.std() < std


def test_more_tokens_than_positions_are_refused(gpt):
    _, cache = gpt(torch.zeros(1, 12, dtype=torch.long))
    with pytest.raises(ValueError, match="13 tokens, but the model has positions for 12"):
        gpt([[1]], cache)
    with pytest.raises(ValueError, match="13 tokens"):
        gpt(torch.zeros(1, 13, dtype=torch.long))


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda g: g([[60]]), r"ids must lie in 0\.\.59 \(the vocabulary\), got 60"),
        (lambda g: g([[]]), "at least one of each"),
        (lambda g: g([[1, 2]], attention_mask=[[1]]), r"attention_mask must have one number a token, .*\(1, 2\)"),
        (lambda g: Config.from_hf({"model_type": "bert"}), "model_type must be one of gpt2, opt, got 'bert'"),
        (lambda g: Config.from_hf({"model_type": "gpt2", "scale_attn_by_inverse_layer_idx": True}), "scale_attn_by"),
        (
            lambda g: Config.from_hf({"model_type": "opt", "hidden_size": 1024, "word_embed_proj_dim": 512}),
            "word_embed_proj_dim must be hidden_size, 1024, got 512",
        ),
        (lambda g: Config(activation="swish"), "activation must be one of gelu, gelu_new, relu"),
    ],
)
def test_bad_input_is_told(gpt, call, says):
    with pytest.raises(ValueError, match=says):
        call(gpt)
