"""Ours against Hugging Face's: the default model, and 24 configurations with random weights."""

import math
import random

import pytest
import torch
import transformers
from transformers import BertConfig, BertForPreTraining, BertModel

from tutorial_lib.bert import Bert
from tutorial_lib.parity import Parity, compare

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


# transformers 4 divides the scores by sqrt(d_k), transformers 5 and we multiply by 1 / sqrt(d_k). That last digit
# grows to 3e-5 where the default model's values reach 200, and a float32's last digit is worth 1.5e-5.
FLOAT32_TOL = 2e-5 if int(transformers.__version__.split(".")[0]) >= 5 else 5e-5

BERT_BASE = BertConfig(vocab_size=28_996)  # bert-base-cased's shape


@pytest.mark.parametrize("dtype, tol", [(torch.float32, FLOAT32_TOL), (torch.float64, 1e-10)])
def test_the_default_model_agrees_at_every_stop(hf_bert, default_folder, dtype, tol):
    ours = Bert.from_pretrained(device="cpu").to(dtype)
    theirs = BertModel.from_pretrained(default_folder, attn_implementation="eager").to(dtype).eval()
    parity = compare(ours, theirs, BATCH).check(tol)
    assert len(parity.stops) == 5 + 6 * 15 + 1  # embeddings, layers, pooler


@pytest.mark.parametrize("seed", range(23))
def test_random_configurations_agree_at_every_stop_with_their_heads(seed):
    torch.manual_seed(seed)
    config = random_config(seed)
    theirs = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
    for parameter in theirs.parameters():  # biases and norms start as 0 and 1, where a mix-up would not show
        torch.nn.init.normal_(parameter, std=0.2)
    batch = random_batch(config, seed)
    parity = compare(Bert.from_hf(theirs), theirs, batch).check(2e-5)
    assert {"mlm.logits", "nsp.logits", "pooler.output"} < set(parity.stops)
    compare(Bert.from_hf(theirs.double()), theirs, batch).check(1e-10)


def test_the_shape_of_bert_base_agrees_at_every_stop():
    torch.manual_seed(0)
    theirs = BertModel._from_config(BERT_BASE, attn_implementation="eager").eval()
    ours = Bert.from_hf(theirs)
    compare(ours, theirs, BATCH).check(2e-5)
    assert sum(count for _, _, count in ours.parameter_table()) == sum(p.numel() for p in theirs.parameters())


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
    assert torch.allclose(mine, their, atol=2e-5)


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
    with pytest.raises(AssertionError, match="stops differ by more than"):
        compare(ours, theirs, random_batch(config, 0)).check(2e-5)


def test_a_model_without_attention_weights_is_refused(hf_bert_sdpa):
    try:
        parity = compare(Bert.from_hf(hf_bert_sdpa), hf_bert_sdpa, BATCH)
    except ValueError as error:
        assert 'attn_implementation="eager"' in str(error)
    else:  # transformers 4 falls back to eager attention by itself when weights are asked for
        parity.check(2e-5)


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


def test_not_a_number_counts_as_the_worst_difference():
    parity = Parity({"a": 1.0, "layer.0.b": math.nan, "layer.1.b": 0.0})
    assert parity.worst[0] == "layer.0.b" and parity.rows()[1][:2] == ("b", "layer 0")
    with pytest.raises(AssertionError):
        parity.check(2.0)


def test_the_printed_table_has_one_row_for_each_kind_of_stop():
    parity = Parity({"embeddings.sum": 0.0, "layer.0.output": 1e-7, "layer.1.output": 3e-6})
    assert str(parity).splitlines()[1:] == [
        "embeddings.sum                        0.0e+00",
        "output                    layer 1     3.0e-06",
    ]


@pytest.mark.parametrize("encodings", [None, "x", {}, {"input_ids": [[1]]}, [[1]]])
def test_encodings_are_named_as_ours(hf_bert, encodings):
    with pytest.raises(TypeError, match="encodings must be an Encoding, or a dict with ids"):
        compare(Bert.from_hf(hf_bert), hf_bert, encodings)


def test_ours_comes_first(hf_bert):
    with pytest.raises(TypeError, match="ours and hf_model must be a Bert and .*, got BertModel and Bert"):
        compare(hf_bert, Bert.from_hf(hf_bert), BATCH)


@pytest.mark.parametrize("tol", [None, "x", -1, math.nan])
def test_a_tolerance_is_a_number(tol):
    with pytest.raises(ValueError, match="tol must be a number, 0 or more"):
        Parity({"embeddings.sum": 0.0}).check(tol)


def test_the_largest_difference_counts_not_the_average():
    config = random_config(0)
    theirs = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
    ours = Bert.from_hf(theirs)
    with torch.no_grad():
        ours.mlm.decoder.bias[3] += 0.5  # one score of many
    assert compare(ours, theirs, random_batch(config, 0)).stops["mlm.logits"] == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("training", [True, False])
def test_a_model_in_training_is_compared_without_dropout_and_trains_on(training):
    config = random_config(1)
    theirs = BertForPreTraining._from_config(config, attn_implementation="eager").train(training)
    compare(Bert.from_hf(theirs), theirs, random_batch(config, 1)).check(FLOAT32_TOL)
    assert theirs.training is training
