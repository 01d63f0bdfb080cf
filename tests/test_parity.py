"""Ours against Hugging Face's: the default model, and 24 configurations with random weights."""

import copy
import math
import random

import pytest
import torch
from torch.nn import functional as F
from transformers import BertConfig, BertForPreTraining, BertModel

from tutorial_lib.bert import KERNELS, Bert
from tutorial_lib.parity import UNITS, Difference, Parity, _catch, compare, difference

# In a batch of two lengths, each text has two segments.
BATCH = {
    "ids": torch.tensor([[101, 1996, 4562, 102, 2293, 5597, 102], [101, 7592, 102, 2088, 102, 0, 0]]),
    "attention_mask": torch.tensor([[1] * 7, [1] * 5 + [0] * 2]),
    "token_type_ids": torch.tensor([[0] * 4 + [1] * 3, [0] * 3 + [1] * 2 + [0] * 2]),
}


def random_batch(config, seed):
    generator = torch.Generator().manual_seed(seed)
    n = min(9, config.max_position_embeddings)
    mask = torch.ones(3, n, dtype=torch.long)
    mask[1, max(1, n - 4) :] = 0
    return {
        "ids": torch.randint(config.vocab_size, (3, n), generator=generator),
        "attention_mask": mask,
        "token_type_ids": torch.randint(config.type_vocab_size, (3, n), generator=generator),
    }


def random_config(seed):
    choose = random.Random(seed).choice
    n_heads, d_k = choose([1, 2, 3, 4, 12]), choose([1, 5, 8, 16, 32])
    return BertConfig(
        vocab_size=choose([11, 100, 1000]),
        hidden_size=n_heads * d_k,
        num_hidden_layers=choose([1, 2, 5]),
        num_attention_heads=n_heads,
        intermediate_size=choose([7, 64, 300]),
        hidden_act=choose(["gelu", "gelu_new", "relu"]),
        max_position_embeddings=choose([6, 40, 512]),
        type_vocab_size=choose([1, 2, 4]),
        layer_norm_eps=choose([1e-12, 1e-5]),
        initializer_range=choose([0.02, 0.2]),
    )


ONE = torch.ones(1)
BERT_BASE = BertConfig(vocab_size=28_996)  # bert-base-cased's shape


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_default_model_agrees_at_every_stop(default_folder, dtype):
    ours = Bert.from_pretrained(device="cpu").to(dtype)
    theirs = BertModel.from_pretrained(default_folder, attn_implementation="eager").to(dtype).eval()
    parity = compare(ours, theirs, BATCH).check()
    assert len(parity.stops) == 5 + 6 * 15 + 1  # embeddings, layers, pooler


@pytest.mark.parametrize("seed", range(23))
def test_random_configurations_agree_at_every_stop_with_their_heads(seed):
    torch.manual_seed(seed)
    config = random_config(seed)
    theirs = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
    for parameter in theirs.parameters():  # biases and norms start as 0 and 1, where a mix-up would not show
        torch.nn.init.normal_(parameter, std=0.2)
    batch = random_batch(config, seed)
    parity = compare(Bert.from_hf(theirs), theirs, batch).check()
    assert {"mlm.logits", "nsp.logits", "pooler.output"} < set(parity.stops)
    compare(Bert.from_hf(theirs.double()), theirs, batch).check()


def test_the_shape_of_bert_base_agrees_at_every_stop():
    torch.manual_seed(0)
    theirs = BertModel._from_config(BERT_BASE, attn_implementation="eager").eval()
    ours = Bert.from_hf(theirs)
    compare(ours, theirs, BATCH).check()
    assert sum(count for _, _, count in ours.parameter_table()) == sum(p.numel() for p in theirs.parameters())


# The rule: rounding passes, a mistake does not.

LONGER = {"ids": torch.arange(2000, 2160).reshape(4, 40)}


def linear_in_another_order(part, order):
    return lambda X: F.linear(X[..., order], part.weight[:, order], part.bias)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("batch", [BATCH, LONGER], ids=["short", "longer"])
def test_sums_in_another_order_are_rounding(hf_bert, batch, dtype):
    theirs = copy.deepcopy(hf_bert).to(dtype)
    ours = Bert.from_hf(theirs)
    generator = torch.Generator().manual_seed(0)
    for part in ours.modules():
        if isinstance(part, torch.nn.Linear):
            order = torch.randperm(part.in_features, generator=generator)
            part.forward = linear_in_another_order(part, order)
    _, worst = compare(ours, theirs, batch).check().worst
    assert worst.units > 1  # another order does round in another way
    if dtype != torch.float64:
        assert worst.units < UNITS[dtype] / 4  # far from the limit, as on another processor


def eps_of_1e_5(bert):
    for part in bert.modules():
        if isinstance(part, torch.nn.LayerNorm):
            part.eps = 1e-5


def gelu_by_tanh(bert):
    for layer in bert.layer:
        layer.feed_forward.activation = KERNELS["gelu_new"]


def scaled_by_d_k_plus_1(bert):
    for layer in bert.layer:  # a query that is too short is a score that is divided by too much
        layer.attention.W_Q.weight *= math.sqrt(32 / 33)
        layer.attention.W_Q.bias *= math.sqrt(32 / 33)


def transposed(bert):
    weight = bert.layer[3].attention.W_O.weight
    weight.copy_(weight.T.clone())


def keys_without_bias(bert):  # the softmax hides it: only keys and scores show it
    bert.layer[3].attention.W_K.bias.zero_()


def feed_forward_without_bias(bert):
    bert.layer[5].feed_forward.W_2.bias.zero_()


def eps_of_1e_5_in_one_layer(bert):
    bert.layer[5].norm.eps = 1e-5


def gelu_by_tanh_in_one_layer(bert):
    bert.layer[5].feed_forward.activation = KERNELS["gelu_new"]


MISTAKES = [eps_of_1e_5, gelu_by_tanh, scaled_by_d_k_plus_1, transposed, keys_without_bias, feed_forward_without_bias]
SMALL = [eps_of_1e_5_in_one_layer, gelu_by_tanh_in_one_layer]  # float32's rounding may hide such a one


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_far_beyond_the_limit(hf_bert, mistake):
    ours = Bert.from_hf(hf_bert)
    with torch.no_grad():
        mistake(ours)
    parity = compare(ours, hf_bert, BATCH)
    with pytest.raises(AssertionError, match="stops differ by more than rounding"):
        parity.check()
    assert parity.worst[1].units > 10 * UNITS[torch.float32]


@pytest.mark.parametrize("mistake", MISTAKES + SMALL)
def test_in_float64_a_small_mistake_is_found_too(hf_bert, mistake):
    theirs = copy.deepcopy(hf_bert).double()
    ours = Bert.from_hf(theirs)
    with torch.no_grad():
        mistake(ours)
    parity = compare(ours, theirs, BATCH)
    with pytest.raises(AssertionError, match="stops differ by more than rounding"):
        parity.check()
    assert max(found.largest for found in parity.stops.values()) > 1e-6  # 10,000 times the limit


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("size", [1.0, 1.5, 2.0, 200.0, 255.0, 1e-3, 1e6])
def test_a_unit_is_the_spacing_of_numbers_at_the_largest_value(dtype, size):
    theirs = torch.tensor([1e-5, -size], dtype=dtype)
    ours = torch.stack([theirs[0], torch.nextafter(theirs[1], torch.tensor(-torch.inf, dtype=dtype))])
    assert difference(ours, theirs).units == difference(ours.flip(0), theirs.flip(0)).units == 1.0
    assert difference(theirs, theirs) == Difference(0.0, 0.0, dtype)


def test_the_limits_of_the_three_types():
    for dtype, most in UNITS.items():
        unit, one = torch.finfo(dtype).eps, torch.ones(1, dtype=dtype)
        assert difference(one + most * unit, one).is_rounding and not difference(one + 2 * most * unit, one).is_rounding
    one = torch.ones(1, dtype=torch.float64)
    assert difference(one + 0.9e-10, one).is_rounding and not difference(one + 1.1e-10, one).is_rounding


def test_equal_infinities_agree_and_others_do_not():
    a = torch.tensor([-torch.inf, 1.0])
    assert difference(a, a).largest == 0 and not difference(a, torch.tensor([0.0, 1.0])).is_rounding
    assert difference(a.numpy(), a).is_rounding  # NumPy too


def test_beside_zeros_a_unit_is_that_just_below_1():
    assert difference(torch.tensor([2.0**-24]), torch.zeros(1)).units == 1.0


def test_of_two_types_the_coarser_counts():
    for pair in ((ONE.double() + 2**-23, ONE), (ONE + 2**-23, ONE.double())):
        assert difference(*pair) == Difference(2.0**-23, 1.0, torch.float32)


@pytest.mark.parametrize("array", [torch.ones(1).half(), torch.ones(1).long(), [1]])
def test_a_type_without_a_rule_is_refused(array):
    with pytest.raises(ValueError, match="ours must be of type float32, float64 or bfloat16, got torch"):
        difference(array, ONE)
    with pytest.raises(ValueError, match="theirs must be of type"):
        difference(ONE, array)


def test_shapes_must_be_equal():
    with pytest.raises(ValueError, match=r"one shape, got \(2, 1\) and \(1,\)"):
        difference(torch.ones(2, 1), ONE)


@pytest.fixture
def hf_bert_sdpa(default_folder):
    try:
        return BertModel.from_pretrained(default_folder, attn_implementation="sdpa").eval()
    except ValueError:
        pytest.skip("this version of transformers has no BERT with sdpa attention")


def test_the_fused_path_agrees_with_sdpa(hf_bert_sdpa):
    ours, theirs = Bert.from_pretrained(device="cpu"), hf_bert_sdpa
    with torch.no_grad():
        mine = ours(**BATCH, fused=True)
        their = theirs(BATCH["ids"], BATCH["attention_mask"], BATCH["token_type_ids"]).last_hidden_state
    assert difference(mine, their).is_rounding


@pytest.mark.parametrize(
    "stop", ["layer.2.attention.W_K.weight", "layer.0.norm.bias", "pooler.W.bias", "mlm.decoder.bias"]
)
def test_one_wrong_number_in_the_weights_is_found(stop):
    torch.manual_seed(0)
    config = BertConfig(vocab_size=300, hidden_size=8, num_hidden_layers=3, num_attention_heads=2, intermediate_size=9)
    theirs = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
    ours = Bert.from_hf(theirs)
    with torch.no_grad():
        ours.get_parameter(stop).view(-1)[0] += 0.1
    with pytest.raises(AssertionError, match="stops differ by more than rounding"):
        compare(ours, theirs, random_batch(config, 0)).check()


def test_a_cache_that_comes_before_the_weights_is_not_taken_for_them():
    """transformers 4.40's GPT-2 gives its output, the keys and values, then the weights."""
    values, weights = {}, torch.rand(1, 2, 3, 3)
    cache = (torch.rand(1, 2, 3, 4), torch.rand(1, 2, 3, 4))
    _catch(values, "here", 0, "weights")(None, (), (torch.rand(1, 3, 8), cache, weights))
    assert values["here"] is weights


def test_a_model_without_attention_weights_is_refused(hf_bert_sdpa):
    try:
        parity = compare(Bert.from_hf(hf_bert_sdpa), hf_bert_sdpa, BATCH)
    except ValueError as error:
        assert 'attn_implementation="eager"' in str(error)
    else:  # transformers 4 falls back to eager attention by itself when weights are asked for
        parity.check()


def test_comparing_leaves_the_transformers_model_as_it_was(hf_bert):
    ours = Bert.from_hf(hf_bert)
    compare(ours, hf_bert, BATCH)  # transformers 5 sets hooks of its own in its first run with attention weights
    before = [len(module._forward_hooks) for module in hf_bert.modules()]
    compare(ours, hf_bert, BATCH)
    assert [len(module._forward_hooks) for module in hf_bert.modules()] == before and not hf_bert.training


def test_a_part_that_they_lack_is_named(hf_bert):
    ours = Bert.from_hf(hf_bert)
    ours.nsp = torch.nn.Linear(384, 2)
    with pytest.raises(ValueError, match="the transformers model has no nsp.logits"):
        compare(ours, hf_bert, BATCH)


def found(units):
    return Difference(units * 2.0**-23, units, torch.float32)


def test_not_a_number_counts_as_the_worst_difference():
    parity = Parity({"a": found(1.0), "layer.0.b": difference(torch.tensor([math.nan]), ONE), "layer.1.b": found(0.0)})
    assert parity.worst[0] == "layer.0.b" and parity.rows()[1][:2] == ("b", "layer 0")
    with pytest.raises(AssertionError, match="1 of 3 stops .*, first layer.0.b by nan"):
        parity.check()


def test_the_printed_table_has_one_row_for_each_kind_of_stop():
    parity = Parity({"embeddings.sum": found(0.0), "layer.0.output": found(1.0), "layer.1.output": found(1e4)})
    assert str(parity).splitlines()[1:] == [
        "embeddings.sum                                 0.0e+00                       0.0",
        "output                    layer 1              1.2e-03                  10,000.0",
    ]


@pytest.mark.parametrize("encodings", [None, "x", {}, {"input_ids": [[1]]}, [[1]]])
def test_encodings_are_named_as_ours(hf_bert, encodings):
    with pytest.raises(TypeError, match="encodings must be an Encoding, or a dict with ids"):
        compare(Bert.from_hf(hf_bert), hf_bert, encodings)


def test_ours_comes_first(hf_bert):
    with pytest.raises(TypeError, match="ours and hf_model must be a model of ours and .*, got BertModel and Bert"):
        compare(hf_bert, Bert.from_hf(hf_bert), BATCH)


def test_the_largest_difference_counts_not_the_average():
    config = random_config(0)
    theirs = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
    ours = Bert.from_hf(theirs)
    with torch.no_grad():
        ours.mlm.decoder.bias[3] += 0.5  # one score of many
    assert compare(ours, theirs, random_batch(config, 0)).stops["mlm.logits"].largest == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("training", [True, False])
def test_a_model_in_training_is_compared_without_dropout_and_trains_on(training):
    config = random_config(1)
    theirs = BertForPreTraining._from_config(config, attn_implementation="eager").train(training)
    compare(Bert.from_hf(theirs), theirs, random_batch(config, 1)).check()
    assert theirs.training is training
