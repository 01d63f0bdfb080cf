"""All families: equal to transformers at every trace point; padding, cache and fused kernel change nothing.

The transformer of 2017 is in `test_encoder_decoder.py`; DistilBERT, RoBERTa and ALBERT, which are `Bert` with other
numbers, are in `weights/test_names.py`. That the comparison would find a mistake is in `test_parity.py`.
"""

import re
from dataclasses import replace

import pytest
import torch
import transformers
from torch.nn import functional as F

from tests.random_models import DECODERS, OURS, batch, random_config, random_model
from tutorial_lib import activations, bert, encoder_decoder, gpt, llama, load, modernbert
from tutorial_lib.generation import generate
from tutorial_lib.parity import compare, difference
from tutorial_lib.positions import Rope
from tutorial_lib.tokenization import BPE
from tutorial_lib.training.save import spelled

SIZES = dict(vocab_size=60, d_model=16, n_layers=2, n_heads=4, d_ff=24, n_positions=12)
SMALL = {
    "bert": bert.Bert(bert.Config(**SIZES), mlm=True, nsp=True),
    "gpt": gpt.GPT(gpt.Config(**SIZES)),
    "llama": llama.Llama(llama.Config(**SIZES, n_kv_heads=2, d_k=6)),
    "modernbert": modernbert.ModernBert(modernbert.Config(**SIZES, window=2), mlm=True),
    "encoder_decoder": encoder_decoder.EncoderDecoder(encoder_decoder.Config(**SIZES)),
}


def ours_in_float64(kind, seed, **fixed):
    return OURS[kind].from_hf(random_model(kind, seed, **fixed)).double().requires_grad_(False)


def scores_of(model, *arguments, **options):
    """The model's output, without the cache of a decoder."""
    output = model(*arguments, **options)
    return output[0] if isinstance(output, tuple) else output


CASES = [(seed, torch.float64) for seed in range(10)]  # where the limit is strictest
CASES += [(seed, dtype) for seed in range(3) for dtype in (torch.float32, torch.bfloat16)]


@pytest.mark.parametrize("seed, dtype", CASES)
@pytest.mark.parametrize("kind", OURS)
def test_every_stop_equals_transformers(kind, seed, dtype):
    """With padding and segments, with rotary positions beyond the trained ones."""
    theirs = random_model(kind, seed).to(dtype)
    n = 40 if kind in ("llama", "modernbert") else theirs.config.max_position_embeddings
    inputs = batch(theirs, (0, n), (0, n // 3), (n // 2, n), seed=seed)
    if kind == "bert":
        inputs["token_type_ids"] = inputs["ids"] % theirs.config.type_vocab_size
    compare(OURS[kind].from_hf(theirs), theirs, inputs).check()


@pytest.mark.parametrize("kind", OURS)
def test_random_models_differ_in_every_number(kind):
    """Otherwise the comparison would say nothing about a number that is always the same."""
    same = {"bert": {"pad_id", "d_embedding", "n_different"}, "gpt2": {"offset", "norm_first"}}
    same |= {"opt": {"offset", "eps"}}
    configs = [vars(OURS[kind].config_class.from_hf(random_config(kind, seed).to_dict())) for seed in range(10)]
    assert {name for name in configs[0] if len({config[name] for config in configs}) == 1} == same.get(kind, set())


def documented(model, **lengths):
    """The values of one layer that the docstring of `trace` lists, with the shapes that it gives: {name: shape}."""
    sizes = {"n_kv_heads": None, "d_k": model.config.d_model // model.config.n_heads} | vars(model.config) | lengths
    stops = {}
    text = model.trace.__doc__.partition(">>>")[0]
    for names, shape in re.findall(r"([a-z][\w.]*(?:, [._]\w+)*) +\(([^()`]*)\)", text):
        first, *others = names.split(", ")
        for name in (first, *(first[: first.rindex(other[0])] + other for other in others)):
            stops[name] = eval(f"({shape},)", sizes)
    stops.pop("positions", None)  # a remark on embeddings.positions
    return stops


@pytest.mark.parametrize("kind", SMALL)
def test_trace_has_the_stops_that_its_docstring_lists(kind):
    model = SMALL[kind]
    inputs = batch(model, (0, 5), (2, 5))
    lengths = {"B": 2, "n": 5}
    if kind == "encoder_decoder":
        ids, mask = inputs.values()
        inputs = {"source_ids": ids, "target_ids": ids[:, :3], "source_mask": mask}
        lengths = {"B": 2, "m": 5, "n": 3}
    trace = model.trace(**inputs)
    found = {name: tuple(value.shape) for name, value in trace.items() if ".1." not in name}
    listed = documented(model, **lengths)
    assert listed.items() <= found.items() and len(listed) > 15
    assert kind == "encoder_decoder" or listed == found  # there the docstring refers to GPT's
    last = {"bert": "layer.1.output", "modernbert": "norm"}.get(kind, "logits")
    assert torch.equal(trace[last], scores_of(model, **inputs)) and not trace[last].requires_grad


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", OURS)
def test_padding_and_fused_attention_change_nothing(kind, seed):
    """Padding on the right, and on the left if positions are counted from the first token, or are relative."""
    model = ours_in_float64(kind, seed)
    inputs = batch(model, (0, 14), (0, 9), (0, 1) if kind == "bert" else (8, 14), seed=seed)
    together = scores_of(model, **inputs)
    fused = scores_of(model, **inputs, fused=True)
    for ids, real, row, fused_row in zip(inputs["ids"], inputs["attention_mask"].bool(), together, fused, strict=True):
        alone = scores_of(model, ids[real])[0]
        # ModernBERT's angles are float32, and differ at another position.
        tolerance = 1e-4 if kind == "modernbert" and not real[0] else 1e-12
        torch.testing.assert_close(row[real], alone, rtol=0, atol=tolerance)
        torch.testing.assert_close(fused_row[real], row[real], rtol=0, atol=1e-12)
    torch.testing.assert_close(scores_of(model, ids, fused=True), scores_of(model, ids), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", DECODERS)
def test_cache_changes_nothing_at_any_split(kind, seed):
    """Also up to the last position, and for a text that begins only after the split."""
    n = 12
    model = ours_in_float64(kind, seed, max_position_embeddings=n)
    ids, mask = batch(model, (0, n), (4, n), (n - 3, n), seed=seed).values()
    for given in (None, mask):
        whole, kept = model(ids, attention_mask=given)
        for split in range(1, n):
            first, cache = model(ids[:, :split], attention_mask=None if given is None else given[:, :split])
            before = [(K.clone(), V.clone()) for K, V in cache]
            second, cache_2 = model(ids[:, split:], cache, given)
            torch.testing.assert_close(torch.cat([first, second], 1), whole, rtol=0, atol=1e-10)
            torch.testing.assert_close(cache_2, kept, rtol=0, atol=1e-10)
            torch.testing.assert_close(cache, before, rtol=0, atol=0)  # arguments are not written to


@pytest.mark.parametrize("kind", DECODERS)
def test_no_token_sees_a_later_one(kind):
    model = ours_in_float64(kind, 1)
    ids = batch(model, (0, 10))["ids"]
    changed = ids.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % 50
    before, after = scores_of(model, ids), scores_of(model, changed)
    assert torch.equal(before[:, :6], after[:, :6]) and not torch.allclose(before[:, 6:], after[:, 6:])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", DECODERS)
def test_generation_is_transformers_token_for_token(kind, seed):
    """Prompts of unequal lengths, together and alone, with and without the cache."""
    theirs = random_model(kind, seed)
    ids, mask = batch(theirs, (0, 6), (1, 6), (5, 6), seed=seed).values()
    prompts = [row[real.bool()].tolist() for row, real in zip(ids, mask, strict=True)]
    theirs.generation_config.eos_token_id = None
    told = dict(attention_mask=mask, max_new_tokens=9, do_sample=False, pad_token_id=1, eos_token_id=None)
    expected = theirs.generate(ids, **told)[:, 6:].tolist()
    ours = OURS[kind].from_hf(theirs)
    assert generate(ours, prompts, 9) == expected == generate(ours, prompts, 9, cache=False)
    assert [generate(ours, prompt, 9) for prompt in prompts] == expected


GAMMA, BETA, *X = torch.randn(9, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 4
X = torch.stack(X)
FORMULAS = {
    "layer_norm": (lambda x: bert.layer_norm(x, GAMMA, BETA, 0.1), lambda x: F.layer_norm(x, (16,), GAMMA, BETA, 0.1)),
    "rms_norm": (lambda x: llama.rms_norm(x, GAMMA, 0.1), lambda x: F.rms_norm(x, (16,), GAMMA, 0.1)),
    "silu": (activations.silu, F.silu),
    **{name: (formula, activations.KERNELS[name]) for name, formula in activations.ACTIVATIONS.items()},
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_torchs_kernels(name):
    formula, kernel = FORMULAS[name]
    torch.testing.assert_close(formula(X), kernel(X), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ["layer_norm", "rms_norm", "silu"])
def test_half_precision_formulas_round_those_of_float32(name, dtype):
    x = torch.tensor([[300, 400, -500, 10, -12, -3, 0, 0.5] * 2, [1305, -1305] * 8]).to(dtype)
    formula, _ = FORMULAS[name]
    found = formula(x)
    gap = (found.double() - formula(x.double())).abs()
    assert (gap <= 2 * torch.finfo(dtype).eps * found.abs().double() + 1e-6).all()


def test_a_llama_in_float16_survives_a_large_activation():
    model = llama.Llama(llama.Config(**SIZES)).eval()
    model.embeddings.tokens.weight.data[5, 0] = 1305
    wanted = model([[5, 6]])[0]
    assert (model.half()([[5, 6]])[0] - wanted).abs().max() < 0.01 * wanted.abs().max()


def test_silu_does_not_overflow():
    assert activations.silu(torch.tensor([-1000.0, 1000.0])).tolist() == [0, 1000]


# what a model takes


def test_ids_and_masks_may_be_lists_or_tensors():
    model = SMALL["bert"]
    assert torch.equal(model([1, 2]), model(torch.tensor([[1, 2]], dtype=torch.int32)))
    mask = torch.tensor([[1, 0]])
    assert torch.equal(model([1, 2], mask.bool()), model([1, 2], mask))


def test_encodings_of_other_libraries_are_read(bert, hf_bert, default_folder):
    theirs = transformers.AutoTokenizer.from_pretrained(default_folder)
    texts = ["a bear", "the bear sat on the bank"]
    encoding = theirs(texts, ["so", "it ran"], return_tensors="pt", padding=True)
    wanted = hf_bert(**encoding).last_hidden_state
    real = encoding["attention_mask"].bool()
    for found in (bert(encoding), bert(**encoding), bert(dict(encoding)), bert.trace(**encoding)["layer.5.output"]):
        assert difference(found[real].detach(), wanted[real].detach()).is_rounding
    one = theirs.backend_tokenizer.encode(texts[0])
    assert torch.equal(bert(one), bert([one.ids]))
    assert torch.equal(SMALL["gpt"](input_ids=[[5, 6]])[0], SMALL["gpt"]([[5, 6]])[0])
    with pytest.raises(ValueError, match="only add attention_mask and token_type_ids, got input_ids, position_ids"):
        bert({"input_ids": [[5]], "position_ids": [[0]]})
    with pytest.raises(TypeError, match="ids must be given once"):
        bert([[5]], input_ids=[[5]])


def test_defaults_are_one_segment_and_no_padding():
    model = SMALL["bert"]
    assert torch.equal(model([[1, 2]]), model([[1, 2]], attention_mask=[[1, 1]], token_type_ids=[[0, 0]]))
    assert not torch.allclose(model([[1, 2]]), model([[1, 2]], token_type_ids=[[0, 1]]))


@pytest.mark.parametrize("kind", ["bert", "gpt", "llama", "modernbert"])
def test_without_layers_embeddings_go_straight_on(kind):
    model = type(SMALL[kind])(replace(SMALL[kind].config, n_layers=0)).eval()
    stops = model.trace([[5, 6, 7]])
    state = stops["embeddings.output"]
    expected = {"bert": lambda: state, "modernbert": lambda: model.norm(state)}
    scores = expected.get(kind, lambda: model.unembedding(model.norm(state)))()
    torch.testing.assert_close(scores_of(model, [[5, 6, 7]]), scores)


def test_parts_that_are_not_there_are_none():
    bare = bert.Bert(bert.Config(**SIZES), pooler=False)
    assert bare.pooler is None and bare.mlm is None and bare.nsp is None
    assert "pooler.output" not in bare.trace([1])


# from files


HEADS = {"gpt2": "lm_head.weight", "opt": "lm_head.weight", "llama": "lm_head.weight", "modernbert": "decoder.weight"}
OLDER = {"gpt2": ["h.0.attn.bias", "h.0.attn.masked_bias"], "llama": ["layers.0.self_attn.rotary_emb.inv_freq"]}


@pytest.mark.parametrize("prefix", [True, False], ids=["prefix", "bare"])
@pytest.mark.parametrize("kind", HEADS)
def test_spellings_of_the_hub_load(kind, prefix):
    """With and without the prefix of the body, with extra entries of older files, without the tied head."""
    theirs = random_model(kind, 3, tie_word_embeddings=True)
    body = theirs.base_model_prefix + "."
    state = {name: tensor for name, tensor in theirs.state_dict().items() if name != HEADS[kind]}
    state |= {body + name: torch.ones(2) for name in OLDER.get(kind, [])}
    if not prefix:
        state = {name.removeprefix(body): tensor for name, tensor in state.items()}
    ours = OURS[kind].from_checkpoint(theirs.config.to_dict(), state)
    compare(ours, theirs, batch(theirs, (0, 9))).check()
    head = ours.mlm.decoder if kind == "modernbert" else ours.unembedding
    assert head.weight is ours.embeddings.tokens.weight


def test_an_untied_model_without_its_head_is_rejected():
    theirs = random_model("gpt2", 3, tie_word_embeddings=False)
    state = {name: tensor for name, tensor in theirs.state_dict().items() if name != "lm_head.weight"}
    with pytest.raises(ValueError, match="checkpoint must have unembedding weights"):
        gpt.GPT.from_checkpoint(theirs.config.to_dict(), state)


def test_matrices_that_widen_are_read_by_columns():
    """The speed compared with transformers depends on it: `benchmarks/generation.py`."""
    model = OURS["gpt2"].from_hf(random_model("gpt2", 1))
    matrices = [part.weight for part in model.modules() if isinstance(part, torch.nn.Linear)]
    assert all(W.T.is_contiguous() == (len(W) >= len(W.T)) for W in matrices)


@pytest.mark.parametrize("kind", ["llama", "modernbert"])
def test_a_folder_gives_model_and_tokenizer(kind, tmp_path):
    bpe = BPE.train(["the bear and the bee"], 259)
    bpe.save(tmp_path)
    theirs = random_model(kind, 5, vocab_size=len(bpe))
    theirs.save_pretrained(tmp_path)
    ours, tok = load(tmp_path, device="cpu")
    assert type(ours) is OURS[kind] and ours.source == str(tmp_path)
    compare(ours, theirs, tok("the bear")).check()


@pytest.mark.parametrize("kind, norm_first", [("gpt", True), ("gpt", False), ("llama", True)])
def test_a_new_decoder_hardly_prefers_any_token(kind, norm_first):
    model = SMALL[kind] if norm_first else gpt.GPT(gpt.Config(**SIZES, norm_first=False))
    assert scores_of(model, torch.arange(10)).std() < 0.5


def test_last_matrices_of_a_new_gpt_are_small():
    """The sum over 2 n_layers sublayers stays as large as one of them: GPT-2's initialization."""
    model = gpt.GPT(gpt.Config(vocab_size=10, d_model=64, n_layers=8, n_heads=4, d_ff=128, n_positions=8))
    for layer in model.layer:
        for W, std in (
            (layer.attention.W_O, 0.005), (layer.feed_forward.W_2, 0.005),
            (layer.attention.W_Q, 0.02), (layer.feed_forward.W_1, 0.02),
        ):  # fmt: skip
            assert 0.9 * std < W.weight.std() < 1.1 * std


def test_llama_reads_settings_of_transformers_4_and_5():
    old = {"model_type": "llama", "rope_theta": 5e5, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
           "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}  # fmt: skip
    new = {"model_type": "llama", "rope_parameters": old["rope_scaling"] | {"rope_theta": 5e5}}
    linear = {"model_type": "llama", "rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 2}}
    assert llama.Config.from_hf(old) == llama.Config.from_hf(new) == llama.Config(rope=Rope(5e5, 8.0, 1.0, 4.0, 8192))
    assert llama.Config.from_hf(linear) == llama.Config(rope=Rope(1e4, 2.0))


def test_modernbert_reads_settings_of_transformers_4_and_5():
    read = modernbert.Config.from_hf
    shape = {"model_type": "modernbert", "num_hidden_layers": 4, "local_attention": 10}
    old = shape | {"global_attn_every_n_layers": 3, "global_rope_theta": 5e5, "local_rope_theta": 3e4}
    kinds = ["full_attention", "sliding_attention", "sliding_attention", "full_attention"]
    rope = {"full_attention": {"rope_type": "default", "rope_theta": 5e5},
            "sliding_attention": {"rope_type": "linear", "rope_theta": 3e4, "factor": 2.0}}  # fmt: skip
    expected = modernbert.Config(n_layers=4, window=5, rope=Rope(5e5), local_rope=Rope(3e4))
    assert read(old) == expected
    assert vars(read(shape | {"layer_types": kinds, "rope_parameters": rope})) == vars(expected) | {
        "local_rope": Rope(3e4, 2.0)
    }
    assert read(old | {"local_rope_theta": None}).local_rope == Rope(5e5)  # as transformers 4 has it


@pytest.mark.parametrize("kind", ["Model", "ForSequenceClassification"])
def test_modernberts_body_loads_without_the_head(kind):
    config = random_model("modernbert", 2).config
    theirs = getattr(transformers, f"ModernBert{kind}")._from_config(config, attn_implementation="eager").eval()
    ours = modernbert.ModernBert.from_hf(theirs)
    assert ours.mlm is None
    compare(ours, theirs, batch(theirs, (0, 20))).check()


# rejected arguments, by name


@pytest.mark.parametrize("kind", ["bert", "gpt", "llama", "modernbert"])
def test_inputs_that_do_not_fit_are_rejected(kind):
    with pytest.raises(ValueError, match=r"ids must be in 0\.\.59 \(the vocabulary\), got 60"):
        SMALL[kind]([[60]])
    with pytest.raises(ValueError, match=r"attention_mask must have one number per token, shape \(1, 2\)"):
        SMALL[kind]([[1, 2]], attention_mask=[[1]])


@pytest.mark.parametrize(
    "kind, call, says",
    [
        ("bert", lambda m: m([[1] * 13]), "ids has 13 tokens, but the model supports at most 12"),
        ("bert", lambda m: m([[1, 2]], [[0, 0]]), "attention_mask marks a whole text as padding"),
        ("bert", lambda m: m([[1, 2]], None, [[0, 2]]), r"token_type_ids must be in 0\.\.1 \(the segments"),
        ("bert", lambda m: m([[1, 2]], None, [0]), "token_type_ids must have one number per token"),
        (
            "bert",
            lambda m: bert.Config(activation="tanh"),
            "activation must be one of gelu, gelu_new, relu",
        ),
        ("gpt", lambda m: m([[1]], m([[1] * 12])[1]), "ids has 13 tokens, but the model supports at most 12"),
        ("gpt", lambda m: m([[1]], m([[1]])[1], [[1]]), r"attention_mask must have .* shape \(1, 2\)"),
        ("gpt", lambda m: gpt.Config(activation="swish"), "activation must be one of gelu, gelu_new, relu"),
        ("llama", lambda m: m([[1]], cache=[1]), "cache must be what an earlier call returned"),
        ("llama", lambda m: llama.Config(eps=1e9), "eps must be a number from 0 to 1, got 1000000000.0"),
        ("llama", lambda m: llama.Config(eps=-1.0), "eps must be a number from 0 to 1, got -1.0"),
        ("llama", lambda m: llama.Config(n_heads=0), "n_heads must be a whole number, 1 or more, got 0"),
        ("llama", lambda m: llama.Config(tied=1), "tied must be True or False, got 1"),
        ("llama", lambda m: llama.Config(d_model=2, n_heads=3), "d_k must be an even number"),
        ("llama", lambda m: llama.Config(rope=3.1), "rope must be a positions.Rope, got float"),
        ("llama", lambda m: llama.Llama(None), "config must be a llama.Config"),
        ("modernbert", lambda m: m([[1, 2]], [[0, 0]]), "attention_mask marks a whole text as padding"),
        ("modernbert", lambda m: modernbert.Config(window=-1), "window must be a whole number, 0 or more, got -1"),
        ("modernbert", lambda m: modernbert.Config(global_every=0), "global_every must be a whole number, 1 or more"),
        ("modernbert", lambda m: modernbert.Config(local_rope=3), "local_rope must be a positions.Rope, got int"),
        ("modernbert", lambda m: modernbert.ModernBert(None), "config must be a modernbert.Config"),
        ("encoder_decoder", spelled, "model must be a Bert, GPT, Llama or ModernBert, got EncoderDecoder"),
    ],
)
def test_calls_that_do_not_fit_are_rejected(kind, call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call(SMALL[kind])


@pytest.mark.parametrize(
    "kind, settings, says",
    [
        ("gpt2", {"model_type": "bert"}, "model_type must be one of gpt2, opt, got 'bert'"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx must be False"),
        ("opt", {"hidden_size": 1024, "word_embed_proj_dim": 512}, "word_embed_proj_dim must be hidden_size, 1024"),
        ("llama", {"rope_scaling": {"rope_type": "yarn", "factor": 2.0}}, "rope_type must be default, linear or lla"),
        ("llama", {"rope_parameters": {"rope_type": "longrope"}}, "rope_type must be default, linear or llama3"),
        ("llama", {"rope_parameters": {"rope_type": "linear"}}, "rope_scaling must have 'factor', which linear needs"),
        ("llama", {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "have 'low_freq_factor', which llama3"),
        ("llama", {"num_key_value_heads": 5}, "n_heads must be a multiple of n_kv_heads, 5, got 32"),
        ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor must be 1, got 0.5"),
        ("llama", {"hidden_act": "relu6"}, "activation must be one of gelu, gelu_new, relu, silu, got 'relu6'"),
        ("modernbert", {"rope_parameters": {"sliding_attention": {"rope_type": "yarn"}}}, "rope_type must be default"),
        ("modernbert", {"num_hidden_layers": 1, "layer_types": ["sliding_attention"]}, "layer_types must be global fr"),
        ("modernbert", {"layer_types": ["full_attention"]}, "layer_types must be global from the first"),
        ("modernbert", {"local_attention": None}, "local_attention must be a number of tokens, got None"),
        ("modernbert", {"decoder_bias": False}, "decoder_bias must be True, got False"),
        ("modernbert", {"num_attention_heads": 5}, "d_model must be a multiple of n_heads, 5, got 768"),
        ("modernbert", {"num_attention_heads": 256}, "d_model / n_heads must be an even number"),
    ],
)
def test_configurations_that_are_not_computed_are_rejected(kind, settings, says):
    with pytest.raises(ValueError, match=says):
        OURS[kind].config_class.from_hf({"model_type": kind} | settings)
