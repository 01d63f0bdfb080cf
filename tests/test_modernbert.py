"""ModernBERT equals transformers' at every stop, with padding, within its windows and far beyond them."""

import random

import pytest
import torch

from tutorial_lib import load
from tutorial_lib.modernbert import Config, ModernBert, local_mask
from tutorial_lib.parity import compare, difference
from tutorial_lib.positions import Rope
from tutorial_lib.tokenization import BPE
from tutorial_lib.training.save import spelled
from tutorial_lib.weights.names import shape_of

transformers = pytest.importorskip("transformers")
if not hasattr(transformers, "ModernBertConfig"):
    pytest.skip("transformers before 4.48 has no ModernBERT", allow_module_level=True)
SMALL = Config(60, d_model=16, n_layers=4, n_heads=2, d_ff=12, window=2)


def some_modernbert(seed, head=True, **more):
    """A ModernBERT of transformers with random shape and weights; with its masked-language head, or bare."""
    choose = random.Random(seed).choice
    n_heads = choose([1, 2, 4])
    config = transformers.ModernBertConfig(**dict(
        vocab_size=choose([50, 131]), hidden_size=n_heads * choose([4, 10, 16]), num_hidden_layers=choose([2, 3, 5]),
        num_attention_heads=n_heads, intermediate_size=choose([7, 64]), hidden_activation=choose(["gelu", "silu"]),
        max_position_embeddings=32, local_attention=choose([2, 6, 8, 64]), norm_eps=choose([1e-5, 1e-3]),
        global_attn_every_n_layers=choose([1, 2, 3]), global_rope_theta=choose([1000.0, 160_000.0]),
        local_rope_theta=choose([100.0, 10_000.0]), norm_bias=choose([True, False]), mlp_bias=choose([True, False]),
        attention_bias=choose([True, False]), tie_word_embeddings=choose([True, False]), attn_implementation="eager",
        pad_token_id=0, bos_token_id=1, cls_token_id=1, eos_token_id=2, sep_token_id=2,
    ) | more)  # fmt: skip
    kinds = transformers.ModernBertModel, transformers.ModernBertForMaskedLM
    torch.manual_seed(seed)
    model = kinds[head]._from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        for parameter in model.parameters():  # biases and norms start as 0 and 1, where a mix-up would not show
            parameter += 0.2 * torch.randn(parameter.shape)
    return model


def some_batch(model, n=40, seed=0):
    """Three texts: one whole, one padded on its right so far that padding is out of sight, one padded on its left."""
    ids = torch.randint(3, model.config.vocab_size, (3, n), generator=torch.Generator().manual_seed(seed))
    mask = torch.ones(3, n, dtype=torch.long)
    mask[1, n // 3 :] = 0
    mask[2, : n // 2] = 0
    return {"ids": ids, "attention_mask": mask}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("seed", range(10))
def test_every_stop_equals_transformers(seed, dtype):
    for head in (True, False):
        theirs = some_modernbert(seed, head).to(dtype)
        ours = ModernBert.from_hf(theirs)
        stops = compare(ours, theirs, some_batch(theirs)).check().stops
        assert len([name for name in stops if name.startswith("layer.0.")]) == 18
        assert ("mlm.logits" in stops) == head and "norm" in stops
        compare(ours, theirs, {"ids": some_batch(theirs)["ids"]}).check()


def test_the_random_models_have_what_is_to_be_tested():
    configs = [ModernBert.from_hf(some_modernbert(seed)).config for seed in range(10)]
    assert min(c.window for c in configs) < 13 - 1 and {c.global_every for c in configs} == {1, 2, 3}
    assert {c.attention_bias for c in configs} == {c.norm_bias for c in configs} == {True, False}


def test_local_layers_see_their_window_and_global_ones_see_all():
    ours = ModernBert(SMALL)
    trace = ours.trace(torch.arange(12))
    i = torch.arange(12)
    near = (i[:, None] - i).abs() <= 2
    for layer, local in enumerate([False, True, True, False]):
        A = trace[f"layer.{layer}.attention.weights"][0, 0]
        assert torch.equal(A > 0, near if local else torch.ones_like(near))


def test_local_and_global_layers_turn_at_their_own_speed():
    ours = ModernBert(Config(60, d_model=16, n_layers=2, n_heads=2, d_ff=12, rope=Rope(9.0), local_rope=Rope(4.0)))
    trace = ours.trace([[5, 6, 7]])
    for layer, rope in enumerate([Rope(9.0), Rope(4.0)]):
        part = f"layer.{layer}.attention."
        K, turned = trace[part + "keys"][0, 0, 2], trace[part + "rotated_keys"][0, 0, 2]
        angle = torch.atan2(turned[4:], turned[:4]) - torch.atan2(K[4:], K[:4])
        expected = 2 * rope.frequencies(8)
        assert torch.allclose(torch.cos(angle - expected), torch.ones(4), atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_padding_and_its_side_change_nothing_and_fused_attention_is_the_same(seed):
    ours = ModernBert.from_hf(some_modernbert(seed)).double()
    batch = some_batch(ours, 24)
    X = ours(**batch)
    fused = ours(**batch, fused=True)
    for row, real in enumerate(batch["attention_mask"].bool()):
        alone = ours(batch["ids"][row, real])[0]
        assert (X[row, real] - alone).abs().max() < 1e-4  # the angles are float32, and another place has others
        assert torch.allclose(fused[row, real], X[row, real], atol=1e-12)
    assert torch.allclose(X[1, :8], ours(batch["ids"][1, :8])[0], atol=1e-12)  # in the same place they are the same


def test_padding_out_of_sight_looks_at_itself():
    real = torch.tensor([[True, True, False, False, False]])
    mask = local_mask(5, 1, real)[0, 0]
    assert mask.any(-1).all() and mask[4].tolist() == [False] * 4 + [True]
    assert not mask[:3, 2:].any()
    assert torch.equal(local_mask(5, 1, torch.ones(1, 5, dtype=torch.bool))[0, 0], local_mask(5, 1))


# from files


def test_a_config_says_the_same_in_transformers_4_and_5():
    old = {"model_type": "modernbert", "global_attn_every_n_layers": 3, "num_hidden_layers": 4, "local_attention": 10,
           "global_rope_theta": 5e5, "local_rope_theta": 3e4}  # fmt: skip
    kinds = ["full_attention", "sliding_attention", "sliding_attention", "full_attention"]
    rope = {"full_attention": {"rope_type": "default", "rope_theta": 5e5},
            "sliding_attention": {"rope_type": "linear", "rope_theta": 3e4, "factor": 2.0}}  # fmt: skip
    new = {"model_type": "modernbert", "num_hidden_layers": 4, "local_attention": 10, "layer_types": kinds,
           "rope_parameters": rope}  # fmt: skip
    c = Config.from_hf(old)
    assert c == Config(n_layers=4, window=5, rope=Rope(5e5), local_rope=Rope(3e4))
    assert Config.from_hf(new) == Config(n_layers=4, window=5, rope=Rope(5e5), local_rope=Rope(3e4, 2.0))
    assert Config.from_hf({"model_type": "modernbert"}) == Config()
    assert Config.from_hf(old | {"local_rope_theta": None}).local_rope == Rope(5e5)  # as transformers 4 has it


def test_positions_scaled_in_one_kind_of_layer_are_transformers():
    rope = {"full_attention": {"rope_type": "linear", "rope_theta": 1000.0, "factor": 3.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}}  # fmt: skip
    theirs = some_modernbert(3, global_attn_every_n_layers=2, rope_parameters=rope)
    if not hasattr(theirs.config, "layer_types"):
        pytest.skip("transformers 4 has no such setting")
    ours = ModernBert.from_hf(theirs)
    assert ours.config.rope == Rope(1000.0, 3.0) and ours.config.local_rope == Rope(100.0)
    compare(ours, theirs, some_batch(theirs)).check()


def test_the_defaults_are_transformers():
    ropes = dict(rope=Rope(160_000.0), local_rope=Rope())
    assert Config(**shape_of({"model_type": "modernbert"}, "ModernBert") | ropes) == Config()


def test_two_matrices_stand_in_one_and_the_first_goes_through_the_activation():
    theirs = some_modernbert(0, head=False)
    ours, d_ff, d = ModernBert.from_hf(theirs), theirs.config.intermediate_size, theirs.config.hidden_size
    assert torch.equal(ours.layer[1].feed_forward.W_gate.weight, theirs.layers[1].mlp.Wi.weight[:d_ff])
    assert torch.equal(ours.layer[1].feed_forward.W_1.weight, theirs.layers[1].mlp.Wi.weight[d_ff:])
    assert torch.equal(ours.layer[1].attention.W_K.weight, theirs.layers[1].attn.Wqkv.weight[d : 2 * d])


@pytest.mark.parametrize("tied", [True, False])
def test_the_head_is_tied_where_its_matrix_is_the_tables(tied):
    theirs = some_modernbert(1, tie_word_embeddings=tied)
    state = theirs.state_dict()
    if tied:
        del state["decoder.weight"]
    ours = ModernBert.from_checkpoint(theirs.config.to_dict(), state)
    assert (ours.mlm.decoder.weight is ours.embeddings.tokens.weight) == tied
    ids = some_batch(theirs)["ids"]
    assert difference(ours.trace(ids)["mlm.logits"], theirs(ids).logits.detach()).is_rounding


def test_a_classifier_gives_its_body():
    config = some_modernbert(2).config
    theirs = transformers.ModernBertForSequenceClassification._from_config(config, attn_implementation="eager").eval()
    ours = ModernBert.from_hf(theirs)
    ids = some_batch(theirs)["ids"]
    assert ours.mlm is None
    assert difference(ours(ids).detach(), theirs.model(ids).last_hidden_state.detach()).is_rounding


def test_a_folder_gives_model_and_tokenizer(tmp_path):
    bpe = BPE.train(["the bear and the bee"], 259)
    bpe.save(tmp_path)
    theirs = some_modernbert(5, vocab_size=len(bpe))
    theirs.save_pretrained(tmp_path)
    ours, tok = load(tmp_path, device="cpu")
    assert type(ours) is ModernBert and ours.source == str(tmp_path)
    compare(ours, theirs, tok(["the bear", "a bee and the bear"])).check()
    with pytest.raises(ValueError, match="model must be a decoder of GPT-2's kind"):
        spelled(ours)


@pytest.mark.parametrize(
    "settings, says",
    [
        ({"rope_parameters": {"sliding_attention": {"rope_type": "yarn"}}}, "rope_type must be default, linear or ll"),
        ({"num_hidden_layers": 3, "layer_types": ["sliding_attention"] * 3}, "layer_types must be global from the fi"),
        ({"layer_types": ["full_attention"]}, "layer_types must be global from the first"),
        ({"local_attention": None}, "local_attention must be a number of tokens, got None"),
        ({"decoder_bias": False}, "decoder_bias must be True, got False"),
        ({"num_attention_heads": 5}, "d_model must be a multiple of n_heads, 5, got 768"),
        ({"num_attention_heads": 256}, "d_model / n_heads must be an even number"),
        ({"hidden_activation": "tanh"}, "activation must be one of gelu, gelu_new, relu, silu, got 'tanh'"),
        ({"model_type": "bert"}, "model_type must be one of modernbert, got 'bert'"),
    ],
)
def test_what_is_not_computed_is_refused_by_its_name(settings, says):
    with pytest.raises(ValueError, match=says):
        Config.from_hf({"model_type": "modernbert"} | settings)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda m: m([[60]]), r"ids must lie in 0\.\.59 \(the vocabulary\), got 60"),
        (lambda m: m([[1, 2]], [[1]]), "attention_mask must have one number a token"),
        (lambda m: m([[1, 2]], [[0, 0]]), "attention_mask marks every token of some text as padding"),
        (lambda m: Config(window=-1), "window must be a whole number from 0 on, got -1"),
        (lambda m: Config(global_every=0), "global_every must be a whole number from 1 on, got 0"),
        (lambda m: Config(norm_bias=None), "norm_bias must be True or False, got None"),
    ],
)
def test_bad_input_is_told(call, says):
    bert = ModernBert(SMALL)
    with pytest.raises(ValueError, match=says):
        call(bert)
    with pytest.raises(TypeError, match="local_rope must be a positions.Rope, got int"):
        Config(local_rope=3)
    with pytest.raises(TypeError, match="config must be a modernbert.Config"):
        ModernBert(None)
