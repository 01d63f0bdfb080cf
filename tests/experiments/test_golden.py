"""The golden trace: our models reproduce it, and a mistake does not. In JavaScript: tests/views/test_training.py."""

import json
import re
from functools import partial

import numpy as np
import pytest
import torch

from tutorial_book.experiments.golden import (
    FORMULAS,
    NAMES,
    TINY,
    compare_golden,
    golden,
    learning_of,
    tiny,
    trace_of,
)
from tutorial_book.experiments.golden import write_golden as write
from tutorial_lib.bert import Bert
from tutorial_lib.weights.catalog import DEFAULT

ROUNDING = 1e-5  # the most that a right program in 32 bits may be off


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    write(folder)
    return folder


@pytest.fixture(scope="module")
def file(folder):
    """The path of a model's JSON, by name."""
    return lambda name: folder / f"{name}.json"


@pytest.mark.parametrize("name", NAMES)
def test_our_models_give_every_stop(name, file):
    model = tiny(name) if name in TINY else Bert.from_pretrained(name, device="cpu")
    in_32_bits = compare_golden(file(name), partial(trace_of, model))
    in_64_bits = compare_golden(file(name), partial(trace_of, model.double()))
    texts = json.loads(file(name).read_text())["inputs"]
    assert len(in_64_bits) == sum(len(text["stops"]) for text in texts) and len(texts) == 2
    assert max(in_64_bits.values()) < 1e-12
    assert 0 < max(in_32_bits.values()) < ROUNDING


@pytest.mark.parametrize("name", TINY)
def test_our_models_learn_as_golden_ones(name, file):
    for dtype, rounding in ((torch.float32, ROUNDING), (torch.float64, 1e-12)):
        model = tiny(name).to(dtype)
        shares = compare_golden(file(name), partial(trace_of, model), partial(learning_of, model))
        learning = {key: share for key, share in shares.items() if key.startswith("learning/")}
        weights = [share for key, share in learning.items() if "/after." in key]
        assert max(share for key, share in learning.items() if "/after." not in key) < rounding
        assert max(weights) < 10 * rounding and len(weights) > 30
        assert learning["learning/gradient.layer.1.attention.W_K.bias"] < rounding  # of the largest of all gradients


def test_wrong_gradient_is_seen_where_it_begins(file):
    """Backward from the last value: values after the mistake are right, values before it are not."""
    model = tiny("tiny-gpt")
    model.layer[1].feed_forward.register_full_backward_hook(lambda module, inner, outer: (1.01 * inner[0], None))
    shares = compare_golden(file("tiny-gpt"), partial(trace_of, model), partial(learning_of, model))
    wrong = [key for key, share in shares.items() if share > 3 * ROUNDING and "gradient.layer.1." in key]
    stops = [key for key in wrong if not key.endswith((".weight", ".bias"))]
    assert stops[-1] == "learning/gradient.layer.1.norm"
    assert max(share for key, share in shares.items() if key.startswith(("input", "learning/loss"))) < 3 * ROUNDING


@pytest.mark.parametrize("name, first", [("tiny-bert", "embeddings.output"), ("tiny-gpt", "layer.0.attention_norm")])
def test_another_eps_is_seen_where_it_begins(name, first, file):
    model = tiny(name)
    for part in model.modules():
        if isinstance(part, torch.nn.LayerNorm):
            part.eps = 1e-12 if part.eps > 1e-6 else 1e-5
    shares = compare_golden(file(name), partial(trace_of, model))
    wrong = [stop for stop, share in shares.items() if share > 3 * ROUNDING]
    assert wrong[0] == f"input.0/{first}"


def test_missing_and_misshapen_stops_are_named(file):
    def without(ids, segments):
        stops = trace_of(tiny("tiny-bert"), ids, segments)
        del stops["layer.1.attention.weights"]
        return stops | {"layer.0.hidden": stops["layer.0.hidden"][None], "own": 0}  # another program may have its own

    of_both = [f"input.{k}/layer.0.hidden must have shape [{n}, 64], got [1, {n}, 64]; input.{k}/layer.1.attention."
               "weights is missing" for k, n in enumerate((6, 8))]  # fmt: skip
    with pytest.raises(ValueError, match=re.escape("; ".join(of_both))):
        compare_golden(file("tiny-bert"), without)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1e9])
@pytest.mark.parametrize("stop, place", [("layer.0.attention.scores", (0, 0, 1)), ("logits", (0, 0))])
def test_no_number_counts_as_infinitely_far(stop, place, value, file):
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
    write(tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == sorted(f"{name}.{kind}" for name in NAMES for kind in ("json", "safetensors"))
    assert all((tmp_path / name).read_bytes() == (folder / name).read_bytes() for name in files)
    assert sum((folder / name).stat().st_size for name in files) < 10e6


def test_weights_are_bits_of_a_generator():
    """The first of them as numbers: if a library drew others, old files would become wrong."""
    model = tiny("tiny-bert")
    first = [model.embeddings.tokens.weight[0, :4] * 4096, model.embeddings.norm.weight[:4] * 512 - 512]
    assert first[0].tolist() == [int(b) // 2**56 - 128 for b in np.random.PCG64(1).random_raw(4)] == [3, 115, -92, 114]
    assert first[1].tolist() == [104, 44, -99, 49]
    for name in TINY:
        weights = {key: W for key, W in golden(name).items() if key.startswith("weights/")}
        assert all((W == W.astype(np.float32)).all() for W in weights.values())
        assert all(W.std() > 0 for W in weights.values())  # a bias of 0, or a factor of 1, would hide a mistake


def array_of(numbers):
    """An array out of nested lists; null stands for minus infinity."""
    X = np.array(numbers, dtype=object)
    return np.where(X == None, -np.inf, X).astype(np.float64)  # noqa: E711


@pytest.mark.parametrize("name", TINY)
def test_json_holds_what_the_arrays_hold(name, file):
    held, about = golden(name), json.loads(file(name).read_text())
    arrays = {key: X for key, X in held.items() if isinstance(X, np.ndarray) and not key.startswith("learning/")}
    words = {"name", "read", "kind", "config", "notation", "formulas", "inputs", "learning"}
    assert set(about) - set(arrays) == words and held["learning"] == about["learning"]
    assert all(np.array_equal(array_of(about[key]), X) for key, X in arrays.items())
    of_any_layer = {re.sub(r"layer\.\d+", "layer.i", stop) for text in about["inputs"] for stop in text["stops"]}
    assert set(about["formulas"]) == of_any_layer == set(FORMULAS[about["kind"]])


def test_default_models_file_names_its_checkpoint(file, hf_bert, tok):
    about = json.loads(file(DEFAULT).read_text())
    pair = about["inputs"][1]
    encoding = tok.encode("The bear sleeps.", "It is winter.")
    assert (pair["ids"], pair["segments"], pair["tokens"]) == (encoding.ids, encoding.token_type_ids, encoding.tokens)
    assert set(about["checkpoint"]["names"].values()) == set(hf_bert.state_dict()) - {"embeddings.position_ids"}
    assert about["checkpoint"]["names"]["layer.5.norm.bias"] == "encoder.layer.5.output.LayerNorm.bias"
