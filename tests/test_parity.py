"""The comparison with transformers: the default model agrees, rounding passes, no mistake does."""

import copy
import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from tests.random_models import batch, random_model
from tutorial_lib.activations import KERNELS
from tutorial_lib.bert import Bert
from tutorial_lib.parity import UNITS, Difference, Parity, _catch, compare, difference, their_model
from tutorial_lib.weights.catalog import DEFAULT

# In a batch of two lengths, each text has two segments.
BATCH = {
    "ids": torch.tensor([[101, 1996, 4562, 102, 2293, 5597, 102], [101, 7592, 102, 2088, 102, 0, 0]]),
    "attention_mask": torch.tensor([[1] * 7, [1] * 5 + [0] * 2]),
    "token_type_ids": torch.tensor([[0] * 4 + [1] * 3, [0] * 3 + [1] * 2 + [0] * 2]),
}
ONE = torch.ones(1)
DTYPES = [torch.float32, torch.bfloat16, torch.float64]


@pytest.fixture
def small():
    """A small BERT of transformers, with its heads."""
    return random_model("bert", 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_default_model_agrees_at_every_stop(bert, dtype):
    ours = copy.deepcopy(bert).to(dtype)
    parity = compare(ours, their_model(DEFAULT, ours).to(dtype), BATCH).check()
    assert len(parity.stops) == 5 + 6 * 15 + 1  # embeddings, layers, pooler


@pytest.fixture
def sdpa_bert():
    try:
        return random_model("bert", 1, attention="sdpa")
    except ValueError:
        pytest.skip("this version of transformers has no BERT with sdpa attention")


@torch.no_grad()
def test_fused_attention_agrees_with_sdpa(sdpa_bert):
    ids, mask = batch(sdpa_bert, (0, 9), (0, 4)).values()
    ours = Bert.from_hf(sdpa_bert)(ids, mask, fused=True)
    assert difference(ours, sdpa_bert.bert(ids, mask).last_hidden_state).is_rounding


# rounding passes, a mistake does not


def linear_in_another_order(part, order):
    return lambda X: F.linear(X[..., order], part.weight[:, order], part.bias)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_in_another_order_are_rounding(hf_bert, dtype):
    theirs = copy.deepcopy(hf_bert).to(dtype)
    ours = Bert.from_hf(theirs)
    generator = torch.Generator().manual_seed(0)
    for part in ours.modules():
        if isinstance(part, torch.nn.Linear):
            order = torch.randperm(part.in_features, generator=generator)
            part.forward = linear_in_another_order(part, order)
    _, worst = compare(ours, theirs, {"ids": torch.arange(2000, 2160).reshape(4, 40)}).check().worst
    assert worst.units > 1  # another order does round in another way
    if dtype != torch.float64:
        assert worst.units < UNITS[dtype] / 4  # far from the limit, as on another processor


def set_all(parts, **attributes):
    for part in parts:
        for name, value in attributes.items():
            setattr(part, name, value)


def shorten(queries):  # a query that is too short is a score with too large a divisor
    queries.weight *= math.sqrt(32 / 33)
    queries.bias *= math.sqrt(32 / 33)


def transpose(weight):
    weight.copy_(weight.T.clone())


MISTAKES = {
    "eps": lambda bert: set_all([part for part in bert.modules() if isinstance(part, torch.nn.LayerNorm)], eps=1e-5),
    "gelu": lambda bert: set_all([layer.feed_forward for layer in bert.layer], activation=KERNELS["gelu_new"]),
    "divided by d_k + 1": lambda bert: shorten(bert.layer[0].attention.W_Q),
    "transposed": lambda bert: transpose(bert.layer[3].attention.W_O.weight),
    "keys without bias": lambda bert: bert.layer[3].attention.W_K.bias.zero_(),  # the softmax hides it
    "no bias at the end": lambda bert: bert.layer[5].feed_forward.W_2.bias.zero_(),
}
SMALL = {  # float32's rounding may hide such a one
    "eps of one layer": lambda bert: set_all([bert.layer[5].norm], eps=1e-5),
    "gelu of one layer": lambda bert: set_all([bert.layer[5].feed_forward], activation=KERNELS["gelu_new"]),
}
CASES = [(torch.float32, name) for name in MISTAKES]
CASES += [(torch.float64, name) for name in MISTAKES | SMALL]


@pytest.mark.parametrize("dtype, mistake", CASES)
@torch.no_grad()
def test_a_mistake_is_far_beyond_the_limit(hf_bert, dtype, mistake):
    theirs = copy.deepcopy(hf_bert).to(dtype)
    ours = Bert.from_hf(theirs)
    (MISTAKES | SMALL)[mistake](ours)
    parity = compare(ours, theirs, BATCH)
    with pytest.raises(AssertionError, match="stops differ by more than rounding"):
        parity.check()
    if dtype == torch.float32:
        assert parity.worst[1].units > 10 * UNITS[dtype]
    else:
        assert max(found.largest for found in parity.stops.values()) > 1e-6  # 10,000 times the limit


@pytest.mark.parametrize("stop", ["layer.2.attention.W_K.weight", "layer.0.norm.bias", "pooler.W.bias", "nsp.bias"])
@torch.no_grad()
def test_one_wrong_number_in_the_weights_is_found(stop):
    theirs = random_model("bert", 1, num_hidden_layers=3)
    ours = Bert.from_hf(theirs)
    ours.get_parameter(stop).view(-1)[0] += 0.1
    with pytest.raises(AssertionError, match="stops differ by more than rounding"):
        compare(ours, theirs, batch(theirs, (0, 9))).check()


# what a difference is


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1.0, 1.5, 2.0, 200.0, 255.0, 1e-3, 1e6])
def test_unit_is_the_spacing_at_the_largest_value(dtype, size):
    theirs = torch.tensor([1e-5, -size], dtype=dtype)
    ours = torch.stack([theirs[0], torch.nextafter(theirs[1], torch.tensor(-torch.inf, dtype=dtype))])
    assert difference(ours, theirs).units == difference(ours.flip(0), theirs.flip(0)).units == 1.0
    assert difference(theirs, theirs) == Difference(0.0, 0.0, dtype)


def test_limits_of_the_three_types():
    for dtype, most in UNITS.items():
        unit, one = torch.finfo(dtype).eps, torch.ones(1, dtype=dtype)
        assert difference(one + most * unit, one).is_rounding and not difference(one + 2 * most * unit, one).is_rounding
    one = torch.ones(1, dtype=torch.float64)
    assert difference(one + 0.9e-10, one).is_rounding and not difference(one + 1.1e-10, one).is_rounding


@pytest.mark.parametrize(
    "ours, theirs, units",
    [
        (torch.tensor([-torch.inf, 1.0]), torch.tensor([-torch.inf, 1.0]), 0),
        (torch.tensor([-torch.inf, 1.0]), torch.tensor([0.0, 1.0]), torch.inf),
        (np.array([-np.inf, 1.0]), torch.tensor([-torch.inf, 1.0]), 0),
        (torch.tensor([2.0**-24]), torch.zeros(1), 1),  # next to zeros a unit is the one just below 1
        (ONE.double() + 2**-23, ONE, 1),  # of two types the coarser counts
        (ONE + 2**-23, ONE.double(), 1),
    ],
)
def test_infinities_zeros_and_two_types_have_their_units(ours, theirs, units):
    assert difference(ours, theirs).units == units


# the table's text


def found(units):
    return Difference(units * 2.0**-23, units, torch.float32)


def test_not_a_number_counts_as_the_worst_difference():
    parity = Parity({"a": found(1.0), "layer.0.b": difference(torch.tensor([math.nan]), ONE), "layer.1.b": found(0.0)})
    assert parity.worst[0] == "layer.0.b" and parity.rows()[1][:2] == ("b", "layer 0")
    with pytest.raises(AssertionError, match="1 of 3 stops .*, first layer.0.b by nan"):
        parity.check()


def test_table_has_one_row_per_kind_of_stop():
    parity = Parity({"embeddings.sum": found(0.0), "layer.0.output": found(1.0), "layer.1.output": found(1e4)})
    assert str(parity).splitlines()[1:] == [
        "embeddings.sum                                 0.0e+00                       0.0",
        "output                    layer 1              1.2e-03                  10,000.0",
    ]


# a comparison's inputs, and what it leaves


def test_cache_is_not_taken_for_attention_weights():
    """transformers 4.40's GPT-2 returns its output, the keys and values, then the weights."""
    values, weights = {}, torch.rand(1, 2, 3, 3)
    cache = (torch.rand(1, 2, 3, 4), torch.rand(1, 2, 3, 4))
    _catch(values, "here", 0, "weights")(None, (), (torch.rand(1, 3, 8), cache, weights))
    assert values["here"] is weights


def test_a_model_without_attention_weights_is_rejected(sdpa_bert):
    try:
        parity = compare(Bert.from_hf(sdpa_bert), sdpa_bert, batch(sdpa_bert, (0, 9)))
    except ValueError as error:
        assert 'attn_implementation="eager"' in str(error)
    else:  # transformers 4 switches to eager attention automatically if weights are asked for
        parity.check()


@pytest.mark.parametrize("training", [True, False])
def test_comparing_leaves_the_transformers_model_as_it_was(small, training):
    small.train(training)
    inputs = batch(small, (0, 9))
    compare(Bert.from_hf(small), small, inputs).check()  # without dropout; transformers 5 now sets hooks of its own
    before = [len(module._forward_hooks) for module in small.modules()]
    compare(Bert.from_hf(small), small, inputs)
    assert [len(module._forward_hooks) for module in small.modules()] == before and small.training is training


def with_nsp(model):
    ours = Bert.from_hf(model)
    ours.nsp = torch.nn.Linear(ours.config.d_model, 2)
    return ours


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda m: difference(torch.ones(1).half(), ONE), "ours must be of type float32, float64 or bfloat16, got tor"),
        (lambda m: difference(object(), ONE), "ours must be an array of numbers, got <object"),
        (lambda m: difference(ONE, [1]), "theirs must be of type float32, float64 or bfloat16, got torch.int64"),
        (lambda m: difference(torch.ones(2, 1), ONE), r"must have the same shape, got \(2, 1\) and \(1,\)"),
        (lambda m: compare(m, Bert.from_hf(m), BATCH), "ours and hf_model must be .*, got BertForPreTraining and Bert"),
        (lambda m: compare(Bert.from_hf(m), m, None), "encodings must be an Encoding, .* got NoneType"),
        (lambda m: compare(Bert.from_hf(m), m, {}), "encodings must be an Encoding, or a dict with keys"),
        (lambda m: compare(Bert.from_hf(m), m, {"input_ids": [[1]]}), r"encodings must be .* got \['input_ids'\]"),
        (lambda m: compare(Bert.from_hf(m), m, {"ids": [[1]], "labels": [[1]]}), "encodings must be an Encoding"),
        (lambda m: compare(with_nsp(m.bert), m.bert, {"ids": [[1]]}), "hf_model has no nsp.logits"),
    ],
)
def test_incomparable_arrays_are_rejected(small, call, says):
    with pytest.raises((ValueError, TypeError), match=says):
        call(small)
