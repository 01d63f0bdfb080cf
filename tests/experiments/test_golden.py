"""The golden trace: our models give it, a mistake does not, and its JSON alone is enough to compute it again."""

import json
import math
import re
from functools import partial

import numpy as np
import pytest
import torch
import transformers

from tutorial_book.experiments.golden import (
    FORMULAS,
    INPUTS,
    NAMES,
    TINY,
    compare_golden,
    golden,
    tiny,
    trace_of,
    write_golden,
)
from tutorial_lib.bert import KERNELS, Bert
from tutorial_lib.parity import compare
from tutorial_lib.weights.catalog import DEFAULT
from tutorial_lib.weights.names import their_checkpoint

ROUNDING = 1e-5  # the most that a right program in 32 bits may be off


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    write_golden(folder)
    return folder


@pytest.fixture(scope="module")
def file(folder):
    """The path of a tiny model's JSON, by name."""
    return lambda name: folder / f"{name}.json"


def model_of(name):
    return tiny(name) if name in TINY else Bert.from_pretrained(name, device="cpu")


@pytest.mark.parametrize("name", NAMES)
def test_our_models_give_every_stop(name, file):
    model = model_of(name)
    in_32_bits = compare_golden(file(name), partial(trace_of, model))
    in_64_bits = compare_golden(file(name), partial(trace_of, model.double()))
    texts = json.loads(file(name).read_text())["inputs"]
    assert len(in_64_bits) == sum(len(text["stops"]) for text in texts) and len(texts) == 2
    assert max(in_64_bits.values()) < 1e-12
    assert 0 < max(in_32_bits.values()) < ROUNDING


# A mistake is seen, and where it begins.


def other_eps(model):
    for part in model.modules():
        if isinstance(part, torch.nn.LayerNorm):
            part.eps = 1e-12 if part.eps > 1e-6 else 1e-5


def other_activation(model):
    for layer in model.layer:
        was_gelu = layer.feed_forward.activation is KERNELS["gelu"]
        layer.feed_forward.activation = KERNELS["gelu_new" if was_gelu else "gelu"]


@torch.no_grad()
def swapped_heads(model):
    """The two heads of the last layer change places, and what comes out of the layer stays the same."""
    attention = model.layer[-1].attention
    for linear in (attention.W_Q, attention.W_K, attention.W_V):
        for parameter in (linear.weight, linear.bias):
            parameter.copy_(parameter.roll(attention.d_k, 0))
    attention.W_O.weight.copy_(attention.W_O.weight.roll(attention.d_k, 1))


MISTAKES = [
    (other_eps, {"tiny-bert": "embeddings.output", "tiny-gpt": "layer.0.attention_norm"}),
    (other_activation, dict.fromkeys(TINY, "layer.0.activation")),
    (swapped_heads, dict.fromkeys(TINY, "layer.1.attention.queries")),
]


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("mistake, first", MISTAKES)
def test_a_mistake_is_seen_where_it_begins(mistake, first, name, file):
    model = tiny(name)
    mistake(model)
    shares = compare_golden(file(name), partial(trace_of, model))
    wrong = [stop for stop, share in shares.items() if share > 3 * ROUNDING]
    assert wrong[0] == f"input.0/{first[name]}"
    if mistake is swapped_heads:
        assert shares["input.1/layer.1.output"] < ROUNDING and wrong[-1].endswith("concat")


def test_what_is_missing_or_of_another_shape_is_named(file):
    def without(ids, segments):
        stops = trace_of(tiny("tiny-bert"), ids, segments)
        del stops["layer.1.attention.weights"]
        stops["layer.0.hidden"] = stops["layer.0.hidden"][None]
        return stops | {"own": 0}  # what only the other program has does not matter

    with pytest.raises(ValueError) as error:
        compare_golden(file("tiny-bert"), without)
    assert str(error.value) == "; ".join(
        f"input.{k}/{problem}"
        for k, n in enumerate((6, 8))
        for problem in (
            f"layer.0.hidden must have shape [{n}, 64], got [1, {n}, 64]",
            "layer.1.attention.weights is missing",
        )
    )


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1e9])
@pytest.mark.parametrize("stop, place", [("layer.0.attention.scores", (0, 0, 1)), ("logits", (0, 0))])
def test_what_is_no_number_counts_as_infinitely_far(stop, place, value, file):
    """A masked score must be -inf itself: a large negative number is another score."""

    def run(ids, segments):
        stops = trace_of(tiny("tiny-gpt"), ids, segments)
        stops[stop][place] = value
        return stops

    share = compare_golden(file("tiny-gpt"), run)[f"input.1/{stop}"]
    if stop == "logits":
        assert share > 1e9
    else:
        assert share == (np.inf if value != -np.inf else pytest.approx(0, abs=ROUNDING))


def test_two_runs_write_the_same_bytes(folder, tmp_path):
    write_golden(tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == sorted(f"{name}.{kind}" for name in NAMES for kind in ("json", "safetensors"))
    for name in files:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name
    assert sum((folder / name).stat().st_size for name in files) < 10e6


def test_the_weights_are_the_bits_of_a_generator_and_float32_holds_them_exactly():
    """The first of them as numbers: should any library draw others, the files of old would no longer be right."""
    model = tiny("tiny-bert")
    first = [model.embeddings.tokens.weight[0, :4] * 4096, model.embeddings.norm.weight[:4] * 512 - 512]
    bits = np.random.PCG64(1).random_raw(4)
    assert first[0].tolist() == [int(b) // 2**56 - 128 for b in bits] == [3, 115, -92, 114]
    assert first[1].tolist() == [104, 44, -99, 49]
    for name in TINY:
        weights = {key: W for key, W in golden(name).items() if key.startswith("weights/")}
        assert all((W == W.astype(np.float32)).all() for W in weights.values())
        assert all(W.std() > 0 for W in weights.values())  # a bias of 0, or a factor of 1, would hide a mistake


@pytest.mark.parametrize("name", TINY)
def test_both_files_of_a_tiny_model_hold_the_same_numbers(name, file):
    held, about = golden(name), json.loads(file(name).read_text())
    arrays = {key: X for key, X in held.items() if isinstance(X, np.ndarray)}
    assert set(about) - set(arrays) == {"name", "read", "kind", "config", "notation", "formulas", "inputs"}
    for key, X in arrays.items():
        assert np.array_equal(array_of(about[key]), X), key
    of_any_layer = {re.sub(r"layer\.\d+", "layer.i", stop) for text in about["inputs"] for stop in text["stops"]}
    assert set(about["formulas"]) == of_any_layer == set(FORMULAS[about["kind"]])


def test_the_default_models_file_says_where_its_weights_lie(file, hf_bert, tok):
    about = json.loads(file(DEFAULT).read_text())
    pair = about["inputs"][1]
    encoding = tok.encode("The bear sleeps.", "It is winter.")
    assert (pair["ids"], pair["segments"], pair["tokens"]) == (encoding.ids, encoding.token_type_ids, encoding.tokens)
    assert set(about["checkpoint"]["names"].values()) == set(hf_bert.state_dict()) - {"embeddings.position_ids"}
    assert about["checkpoint"]["names"]["layer.5.norm.bias"] == "encoder.layer.5.output.LayerNorm.bias"


def test_another_name_is_refused():
    with pytest.raises(ValueError, match="name must be one of tiny-bert, tiny-gpt, all-MiniLM-L6-v2, got 'tiny'"):
        golden("tiny")


@pytest.mark.parametrize("name, kind", [("tiny-bert", "bert"), ("tiny-gpt", "gpt2")])
def test_hugging_faces_model_with_the_same_weights_has_the_same_stops(name, kind):
    model = tiny(name).double()
    settings, state = their_checkpoint(model.config, dict(model.named_parameters()), kind)
    if kind == "bert":
        config = transformers.BertConfig(**settings)
        theirs = transformers.BertModel._from_config(config, attn_implementation="eager")
        state = {name.removeprefix("bert."): tensor for name, tensor in state.items()}
    else:
        config = transformers.GPT2Config(**settings)
        theirs = transformers.GPT2LMHeadModel._from_config(config, attn_implementation="eager")
        state["lm_head.weight"] = state["transformer.wte.weight"]
    theirs = theirs.double().eval()
    unknown = theirs.load_state_dict(state, strict=True)
    assert not unknown.missing_keys
    for text in INPUTS[name]:
        inputs = {"ids": [text["ids"]], "token_type_ids": [text["segments"] or [0] * len(text["ids"])]}
        parity = compare(model, theirs, inputs).check()
        assert len(parity.stops) == len(trace_of(model, **text))


# The file suffices: what follows knows only NumPy, and what tiny-bert.json says.


def array_of(numbers):
    """An array out of nested lists; null stands for minus infinity."""
    X = np.array(numbers, dtype=object)
    return np.where(X == None, -np.inf, X).astype(np.float64)  # noqa: E711


def all_stops(about, ids, segments):
    """What tiny-bert.json says in formulas, in NumPy."""
    W = {key.removeprefix("weights/"): np.array(about[key]) for key in about if key.startswith("weights/")}
    config, stops = about["config"], {}
    n, n_heads = len(ids), config["n_heads"]

    def linear(X, part):
        return X @ W[f"{part}.weight"].T + W[f"{part}.bias"]

    def norm(X, part):
        variance = X.var(-1, keepdims=True)
        X = (X - X.mean(-1, keepdims=True)) / np.sqrt(variance + config["eps"])
        return X * W[f"{part}.weight"] + W[f"{part}.bias"]

    def split(X):
        return X.reshape(n, n_heads, -1).swapaxes(0, 1)

    tokens = stops["embeddings.tokens"] = W["embeddings.tokens.weight"][ids]
    positions = stops["embeddings.positions"] = W["embeddings.positions.weight"][:n]
    rows = stops["embeddings.segments"] = W["embeddings.segments.weight"][segments]
    total = stops["embeddings.sum"] = tokens + positions + rows
    X = stops["embeddings.output"] = norm(total, "embeddings.norm")
    for i in range(config["n_layers"]):
        at = f"layer.{i}"
        Q = stops[f"{at}.attention.queries"] = split(linear(X, f"{at}.attention.W_Q"))
        K = stops[f"{at}.attention.keys"] = split(linear(X, f"{at}.attention.W_K"))
        V = stops[f"{at}.attention.values"] = split(linear(X, f"{at}.attention.W_V"))
        S = stops[f"{at}.attention.scores"] = Q @ K.swapaxes(1, 2) / math.sqrt(config["d_model"] // n_heads)
        A = stops[f"{at}.attention.weights"] = np.exp(S) / np.exp(S).sum(-1, keepdims=True)
        heads = stops[f"{at}.attention.heads"] = A @ V
        concat = stops[f"{at}.attention.concat"] = heads.swapaxes(0, 1).reshape(n, -1)
        update = stops[f"{at}.attention.output"] = linear(concat, f"{at}.attention.W_O")
        X = stops[f"{at}.attention_sum"] = X + update
        X = stops[f"{at}.attention_norm"] = norm(X, f"{at}.attention_norm")
        hidden = stops[f"{at}.hidden"] = linear(X, f"{at}.feed_forward.W_1")
        active = stops[f"{at}.activation"] = hidden * (1 + np.vectorize(math.erf)(hidden / math.sqrt(2))) / 2
        update = stops[f"{at}.feed_forward"] = linear(active, f"{at}.feed_forward.W_2")
        X = stops[f"{at}.feed_forward_sum"] = X + update
        X = stops[f"{at}.output"] = norm(X, f"{at}.norm")
    stops["pooler.output"] = np.tanh(linear(X[0], "pooler.W"))
    return stops


def test_numpy_and_the_json_of_tiny_bert_are_enough(file):
    about = json.loads(file("tiny-bert").read_text())
    for k, text in enumerate(about["inputs"]):
        stops = all_stops(about, text["ids"], text["segments"])
        assert list(stops) == list(text["stops"])
        for name, X in stops.items():
            expected = np.array(about[f"input.{k}/{name}"])
            assert list(X.shape) == text["stops"][name]
            assert np.abs(X - expected).max() < 1e-10, name
    assert max(compare_golden(file("tiny-bert"), partial(all_stops, about)).values()) < 1e-10
