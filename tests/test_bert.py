import dataclasses

import pytest
import torch
from torch.nn import functional as F

from tutorial_lib.bert import ACTIVATIONS, KERNELS, Bert, Config, gelu, layer_norm

TINY = Config(vocab_size=50, d_model=8, n_layers=2, n_heads=2, d_ff=16, n_positions=10)


@pytest.fixture
def bert():
    torch.manual_seed(0)
    return Bert(TINY, mlm=True, nsp=True).eval()


# the formulas and torch's kernels


def test_layer_norm_is_torchs_up_to_rounding():
    torch.manual_seed(0)
    x, gamma, beta = torch.randn(4, 16).double() * 50, torch.randn(16).double(), torch.randn(16).double()
    assert torch.allclose(layer_norm(x, gamma, beta, 1e-12), F.layer_norm(x, (16,), gamma, beta, 1e-12), atol=1e-12)


def test_layer_norm_keeps_a_constant_vector_finite():
    assert torch.equal(layer_norm(torch.full((3,), 7.0), torch.ones(3), torch.zeros(3), 1e-12), torch.zeros(3))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_each_activation_is_its_kernel_up_to_rounding(name):
    x = torch.linspace(-8, 8, 1001, dtype=torch.float64)
    assert torch.allclose(ACTIVATIONS[name](x), KERNELS[name](x), atol=1e-14)


def test_gelu_is_x_times_the_normal_distribution_function():
    x = torch.linspace(-4, 4, 81, dtype=torch.float64)
    assert torch.allclose(gelu(x), x * torch.distributions.Normal(0.0, 1.0).cdf(x))


# the model


def test_the_fused_path_gives_the_same_output(bert):
    mask = [[1, 1, 1, 1], [1, 1, 0, 0]]
    ids = [[1, 2, 3, 4], [5, 6, 0, 0]]
    assert torch.allclose(bert(ids, mask, fused=True), bert(ids, mask), atol=1e-6)


def test_padding_changes_nothing_for_the_real_tokens(bert):
    alone = bert([5, 6, 7])
    padded = bert([[5, 6, 7, 0, 0], [1, 2, 3, 4, 5]], [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    assert torch.allclose(padded[0, :3], alone[0], atol=1e-6)


def test_without_positions_the_layers_are_permutation_equivariant(bert):
    X, order = torch.randn(1, 6, 8), torch.randperm(6)
    for layer in bert.layer:
        assert torch.allclose(layer(X[:, order]), layer(X)[:, order], atol=1e-6)


def test_a_trace_holds_every_value_that_its_docstring_lists(bert):
    trace = bert.trace([[1, 2, 3], [4, 5, 6]])
    layer = {
        **{f"attention.{name}": (2, 2, 3, 4) for name in ("queries", "keys", "values", "heads")},
        **{f"attention.{name}": (2, 2, 3, 3) for name in ("scores", "weights")},
        **dict.fromkeys(("attention.concat", "attention.output", "attention_sum", "attention_norm"), (2, 3, 8)),
        **dict.fromkeys(("hidden", "activation"), (2, 3, 16)),
        **dict.fromkeys(("feed_forward", "feed_forward_sum", "output"), (2, 3, 8)),
    }
    expected = {f"layer.{i}.{name}": shape for i in range(2) for name, shape in layer.items()}
    expected |= {f"embeddings.{name}": (2, 3, 8) for name in ("tokens", "segments", "sum", "output")}
    expected |= {"embeddings.positions": (3, 8), "pooler.output": (2, 8)}
    expected |= {"mlm.logits": (2, 3, 50), "nsp.logits": (2, 2)}
    assert {name: tuple(value.shape) for name, value in trace.items()} == expected
    for name in trace:
        assert name.rsplit(".", 1)[1] in Bert.trace.__doc__


def test_tracing_does_not_change_the_output_and_keeps_no_gradient(bert):
    trace = bert.trace([1, 2, 3])
    assert torch.equal(trace["layer.1.output"], bert([1, 2, 3])) and not trace["layer.1.output"].requires_grad


def test_the_parts_that_are_not_there_are_none():
    bare = Bert(TINY, pooler=False)
    assert bare.pooler is None and bare.mlm is None and bare.nsp is None
    assert "pooler.output" not in bare.trace([1])


def test_the_parameter_table_counts_each_parameter_once(bert):
    d, d_ff, vocab = 8, 16, 50
    layer = 4 * (d * d + d) + (d * d_ff + d_ff) + (d_ff * d + d) + 2 * 2 * d
    heads = (d * d + d) + (d * d + d + 2 * d + vocab) + (2 * d + 2)  # pooler, MLM (its decoder is tied), NSP
    assert sum(count for _, _, count in bert.parameter_table()) == (vocab + 10 + 2) * d + 2 * d + 2 * layer + heads


def test_ids_may_be_a_list_a_tensor_or_one_text(bert):
    assert torch.equal(bert([1, 2]), bert(torch.tensor([[1, 2]], dtype=torch.int32)))


def test_the_defaults_are_one_segment_and_no_padding(bert):
    assert torch.equal(bert([[1, 2]]), bert([[1, 2]], attention_mask=[[1, 1]], token_type_ids=[[0, 0]]))
    assert not torch.allclose(bert([[1, 2]]), bert([[1, 2]], token_type_ids=[[0, 1]]))


# bad input


@pytest.mark.parametrize(
    "inputs, error, message",
    [
        (dict(ids=[[1, 50]]), ValueError, r"ids must lie in 0\.\.49 \(the vocabulary\), got 50"),
        (dict(ids=[[1, -1]]), ValueError, r"ids must lie in 0\.\.49 .* got -1"),
        (dict(ids=[[1.0, 2.0]]), TypeError, "ids must be whole numbers, got torch.float32"),
        (dict(ids=[]), ValueError, "at least one of each"),
        (dict(ids=torch.zeros(1, 1, 1, dtype=torch.long)), ValueError, r"got \(1, 1, 1\)"),
        (dict(ids=[[1] * 11]), ValueError, "ids has 11 tokens, but this model has positions for 10"),
        (dict(ids=[[1, 2]], attention_mask=[[1]]), ValueError, r"must have one number a token, shape \(1, 2\)"),
        (dict(ids=[[1, 2]], attention_mask=[[1, 2]]), ValueError, r"attention_mask must hold only 1 \(a token\)"),
        (dict(ids=[[1, 2]], attention_mask=[[0, 0]]), ValueError, "marks every token of some text as padding"),
        (dict(ids=[[1, 2]], token_type_ids=[[0, 2]]), ValueError, r"token_type_ids must lie in 0\.\.1 \(the segments"),
        (dict(ids=[[1, 2]], token_type_ids=[0]), ValueError, "token_type_ids must have one number a token"),
    ],
)
def test_bad_input_is_refused_by_name(bert, inputs, error, message):
    with pytest.raises(error, match=message):
        bert(**inputs)


def test_a_boolean_attention_mask_is_as_good_as_ones_and_zeros(bert):
    ids, mask = [[1, 2, 3]], torch.tensor([[1, 1, 0]])
    assert torch.equal(bert(ids, mask.bool()), bert(ids, mask))


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(n_heads=3), "d_model must be a multiple of n_heads, got d_model=8 and n_heads=3"),
        (dict(activation="tanh"), "activation must be one of gelu, gelu_new, relu, got 'tanh'"),
    ],
)
def test_a_bad_configuration_is_refused_by_name(change, message):
    with pytest.raises(ValueError, match=message):
        Bert(dataclasses.replace(TINY, **change))
