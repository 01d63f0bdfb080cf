"""Llama's shape equals transformers' at every stop and token for token; the cache and padding change nothing."""

import json
import math
import random

import pytest
import torch
from packaging.version import Version
from torch.nn import functional as F

from tutorial_lib import load
from tutorial_lib.attention import causal_mask
from tutorial_lib.generation import generate
from tutorial_lib.gpt import GPT
from tutorial_lib.llama import Config, Llama, rms_norm, silu
from tutorial_lib.parity import compare, difference
from tutorial_lib.positions import Rope
from tutorial_lib.tokenization import BPE
from tutorial_lib.training.save import spelled
from tutorial_lib.vectors.layers import layer_states
from tutorial_lib.weights.names import shape_of

transformers = pytest.importorskip("transformers")
OLD = Version(transformers.__version__) < Version("4.43")  # which has no "llama3"
SCALINGS = (
    None,
    {"type": "linear", "factor": 4.0},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
     "original_max_position_embeddings": 16},
)  # fmt: skip


def some_llama(seed):
    """A Llama of transformers with random shape and weights; 0 to 8: each sharing of keys with each scaling."""
    choose = random.Random(seed).choice
    n_heads = choose([2, 4, 6])
    scaling = SCALINGS[seed // 3 % 3]
    if OLD and scaling and "rope_type" in scaling:
        pytest.skip("transformers before 4.43 has no llama3")
    config = transformers.LlamaConfig(
        vocab_size=choose([50, 131]), hidden_size=n_heads * choose([4, 10, 16]), num_hidden_layers=choose([1, 2, 3]),
        num_attention_heads=n_heads, num_key_value_heads=(1, n_heads // 2, n_heads)[seed % 3],
        intermediate_size=choose([20, 64]), hidden_act=choose(["silu", "gelu"]), max_position_embeddings=24,
        rms_norm_eps=choose([1e-6, 1e-3]), tie_word_embeddings=choose([True, False]), rope_scaling=scaling,
        rope_theta=choose([100.0, 10_000.0, 500_000.0]), attention_bias=choose([True, False]),
        bos_token_id=0, eos_token_id=0, pad_token_id=1, attn_implementation="eager",
        **{} if OLD else dict(mlp_bias=choose([True, False]), head_dim=choose([None, 6])),
    )  # fmt: skip
    torch.manual_seed(seed)
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():  # biases and norms start as 0 and 1, where a mix-up would not show
            parameter += 0.2 * torch.randn(parameter.shape)
    return model


def some_ids(model, n, texts=2, seed=0):
    return torch.randint(2, model.config.vocab_size, (texts, n), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("seed", range(10))
def test_every_stop_equals_transformers_also_beyond_the_trained_positions(seed, dtype):
    theirs = some_llama(seed).to(dtype)
    ours = Llama.from_hf(theirs)
    stops = compare(ours, theirs, {"ids": some_ids(theirs, 40)}).check().stops
    assert len([name for name in stops if name.startswith("layer.0.")]) == 18 and "logits" in stops
    assert {name for name in stops if name.startswith("layer.")} | {"embeddings.output", "norm", "logits"} == set(stops)


@pytest.mark.parametrize("seed", range(10))
def test_generation_is_transformers_token_for_token(seed):
    """Prompts of unequal lengths, from within the trained positions to beyond them."""
    theirs = some_llama(seed)
    theirs.generation_config.eos_token_id = None
    prompts = [some_ids(theirs, n, texts=1, seed=n)[0].tolist() for n in (7, 2, 18)]
    ids = torch.tensor([[1] * (18 - len(prompt)) + prompt for prompt in prompts])
    mask = torch.tensor([[0] * (18 - len(prompt)) + [1] * len(prompt) for prompt in prompts])
    told = dict(attention_mask=mask, max_new_tokens=12, do_sample=False, pad_token_id=1, eos_token_id=None)
    expected = theirs.generate(ids, **told)[:, 18:].tolist()
    ours = Llama.from_hf(theirs)
    assert generate(ours, prompts, 12) == expected == generate(ours, prompts, 12, cache=False)
    assert [generate(ours, prompt, 12) for prompt in prompts] == expected


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("seed", range(3))
def test_padding_on_either_side_changes_nothing(seed, side):
    theirs = some_llama(seed).double()
    ours = Llama.from_hf(theirs)
    texts = [some_ids(theirs, n, texts=1, seed=n)[0] for n in (9, 4, 1)]
    ids = torch.full((3, 9), 7)
    mask = torch.zeros(3, 9, dtype=torch.long)
    for row, text in enumerate(texts):
        at = slice(9 - len(text), 9) if side == "left" else slice(len(text))
        ids[row, at] = text
        mask[row, at] = 1
    logits, _ = ours(ids, attention_mask=mask)
    places = (mask.cumsum(1) - 1).clamp(min=0)
    with torch.no_grad():
        hf_logits = theirs.float()(ids, attention_mask=mask, position_ids=places).logits
    for row, text in enumerate(texts):
        real = logits[row, mask[row].bool()]
        assert torch.allclose(real, ours(text)[0][0], atol=1e-12)
        assert difference(real.detach().float(), hf_logits[row, mask[row].bool()]).is_rounding


@pytest.mark.parametrize("seed", range(3))
def test_the_cache_changes_nothing_at_any_split(seed):
    ours = Llama.from_hf(some_llama(seed)).double()
    ids = some_ids(ours, 12)
    mask = torch.ones(2, 12, dtype=torch.long)
    mask[1, :5] = 0
    for given in (None, mask):
        whole, kept = ours(ids, attention_mask=given)
        for split in range(1, 12):
            before = None if given is None else given[:, :split]
            first, cache = ours(ids[:, :split], attention_mask=before)
            as_they_were = [K.clone() for K, _ in cache]
            second, cache_2 = ours(ids[:, split:], cache, given)
            assert torch.allclose(torch.cat([first, second], 1), whole, atol=1e-12)
            for (K, V), (K_2, V_2) in zip(kept, cache_2, strict=True):
                assert torch.allclose(K, K_2, atol=1e-12) and torch.allclose(V, V_2, atol=1e-12)
            assert all(torch.equal(K, old) for (K, _), old in zip(cache, as_they_were, strict=True))


def test_the_cache_holds_the_shared_heads_alone():
    sizes = {}
    for n_kv_heads in (1, 2, 4):
        llama = Llama(Config(60, d_model=16, n_layers=2, n_heads=4, n_kv_heads=n_kv_heads, d_ff=16))
        _, cache = llama(some_ids(llama, 5))
        sizes[n_kv_heads] = sum(K.numel() + V.numel() for K, V in cache)
    assert sizes == {1: sizes[4] // 4, 2: sizes[4] // 2, 4: sizes[4]}


def test_where_a_text_stands_is_all_the_same():
    """Learned positions know where; these know how far apart alone."""
    ours = Llama.from_hf(some_llama(2)).double()
    X = ours.embeddings(some_ids(ours, 8))
    outputs = []
    for start in (0, 50):
        places = torch.arange(start, start + 8)
        angles = places.double()[:, None] * ours.config.rope.frequencies(ours.config.d_k).double()
        outputs.append(ours.layer[0](X, angles, mask=causal_mask(8))[0])
    assert torch.allclose(*outputs, atol=1e-10)
    assert (outputs[0] - ours.layer[0](X, 2 * angles, mask=causal_mask(8))[0]).abs().max() > 1e-3  # distances count


def test_no_token_sees_a_later_one_and_fused_attention_is_the_same():
    ours = Llama.from_hf(some_llama(1)).double()
    ids = some_ids(ours, 10)
    changed = ids.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % 50
    assert torch.equal(ours(ids)[0][:, :6], ours(changed)[0][:, :6])
    assert not torch.allclose(ours(ids)[0][:, 6:], ours(changed)[0][:, 6:])
    assert torch.allclose(ours(ids, fused=True)[0], ours(ids)[0], atol=1e-12)


def test_the_formulas_are_torchs():
    x, gamma = torch.randn(2, 5, 8).double(), torch.randn(8).double()
    torch.testing.assert_close(rms_norm(x, gamma, 1e-6), F.rms_norm(x, (8,), gamma, 1e-6))
    torch.testing.assert_close(silu(x), F.silu(x))
    assert silu(torch.tensor([-1000.0, 1000.0])).tolist() == [0, 1000]


# from files

SHAPE = dict(vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=4, intermediate_size=8)


def test_a_config_says_the_same_in_transformers_4_and_5():
    old = {"model_type": "llama", "rope_theta": 5e5, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
           "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}  # fmt: skip
    new = {"model_type": "llama", "rope_parameters": old["rope_scaling"] | {"rope_theta": 5e5}}
    assert Config.from_hf(old) == Config.from_hf(new)
    assert Config.from_hf(old).rope == Rope(5e5, 8.0, 1.0, 4.0, 8192)
    linear = {"model_type": "llama", "rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 2}}
    assert Config.from_hf(linear).rope == Rope(1e4, 2.0)
    assert Config.from_hf({"model_type": "llama"}) == Config()


def test_the_defaults_are_transformers():
    assert Config(**shape_of({"model_type": "llama"}, "Llama") | {"rope": Rope()}) == Config()


@pytest.mark.parametrize("prefix", ["", "model."])
def test_the_hubs_spellings_load(prefix):
    """With and without the prefix of the body, with the frequencies of older files, without the tied head."""
    theirs = some_llama(4)
    theirs.config.tie_word_embeddings = True
    state = {name.removeprefix("model."): tensor for name, tensor in theirs.model.state_dict().items()}
    state = {prefix + name: tensor for name, tensor in state.items()}
    state[f"{prefix}layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(2)
    ours = Llama.from_checkpoint(theirs.config.to_dict(), state)
    theirs.lm_head.weight = theirs.model.embed_tokens.weight
    ids = some_ids(theirs, 9)
    assert difference(ours(ids)[0].detach(), theirs(ids).logits.detach()).is_rounding
    assert ours.unembedding.weight is ours.embeddings.tokens.weight


def test_a_folder_gives_model_and_tokenizer(tmp_path):
    theirs = some_llama(3)
    bpe = BPE.train(["the bear and the bee"], 259)
    bpe.save(tmp_path)
    config = type(theirs.config)(**theirs.config.to_dict() | {"vocab_size": len(bpe)})
    config._attn_implementation = "eager"
    theirs = transformers.LlamaForCausalLM(config).eval()
    theirs.save_pretrained(tmp_path)
    ours, tok = load(tmp_path, device="cpu")
    assert type(ours) is Llama and ours.source == str(tmp_path)
    compare(ours, theirs, tok("the bear")).check()
    settings = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert Config.from_hf(settings) == ours.config


def test_what_takes_a_gpt_takes_a_llama_or_says_why_not():
    llama = Llama(Config(60, d_model=16, n_layers=2, n_heads=4, d_ff=16))
    assert isinstance(llama, GPT)
    assert list(layer_states(llama, [[5, 6]])) == ["0", "1", "2", "norm"]
    with pytest.raises(ValueError, match="model must be a decoder of GPT-2's kind"):
        spelled(llama)


def test_a_new_model_hardly_prefers_any_token():
    llama = Llama(Config(60, d_model=32, n_layers=2, n_heads=4, n_kv_heads=2, d_ff=64))
    assert llama(torch.arange(10)[None])[0].std() < 0.5


@pytest.mark.parametrize(
    "settings, says",
    [
        ({"rope_scaling": {"rope_type": "yarn", "factor": 2.0}}, "rope_type must be default, linear or llama3.*'yarn'"),
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "rope_type must be default, linear or llama3"),
        ({"rope_parameters": {"rope_type": "longrope"}}, "rope_type must be default, linear or llama3"),
        ({"rope_parameters": {"rope_type": "linear"}}, "rope_scaling must have 'factor', as linear needs it"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "must have 'low_freq_factor', as llama3 needs it"),
        ({"rope_scaling": {"rope_type": "linear", "factor": 0.0}}, "factor must be a positive number, got 0.0"),
        ({"num_attention_heads": 0}, "n_heads must be a whole number from 1 on, got 0"),
        ({"num_key_value_heads": 0}, "n_kv_heads must be a whole number from 1 on, got 0"),
        ({"partial_rotary_factor": 0.5}, "partial_rotary_factor must be 1, got 0.5"),
        ({"num_key_value_heads": 5}, "n_heads must be a multiple of n_kv_heads, 5, got 32"),
        ({"head_dim": 5}, "d_k must be an even number.*got 5"),
        ({"hidden_act": "relu6"}, "activation must be one of gelu, gelu_new, relu, silu, got 'relu6'"),
        ({"model_type": "mistral"}, "model_type must be one of llama, got 'mistral'"),
    ],
)
def test_what_is_not_computed_is_refused_by_its_name(settings, says):
    with pytest.raises(ValueError, match=says):
        Config.from_hf({"model_type": "llama"} | settings)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda m: m([[60]]), r"ids must lie in 0\.\.59 \(the vocabulary\), got 60"),
        (lambda m: m([[1, 2]], attention_mask=[[1]]), "attention_mask must have one number a token"),
        (lambda m: m([[1]], cache=[1]), "cache must be what an earlier call returned"),
        (lambda m: Config(eps=-1.0), "eps must be a number, 0 or more, got -1.0"),
        (lambda m: Config(n_heads=0), "n_heads must be a whole number from 1 on, got 0"),
        (lambda m: Config(tied=1), "tied must be True or False, got 1"),
        (lambda m: Config(d_model=2, n_heads=3), "d_k must be an even number"),
    ],
)
def test_bad_input_is_told(call, says):
    torch.manual_seed(0)
    llama = Llama(Config(60, d_model=16, n_layers=1, n_heads=4, d_ff=8))
    with pytest.raises(ValueError, match=says):
        call(llama)
    with pytest.raises(TypeError, match="rope must be a positions.Rope, got float"):
        Config(rope=math.pi)
    with pytest.raises(TypeError, match="config must be a llama.Config"):
        Llama(None)
