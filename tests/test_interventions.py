"""Silenced, patched and changed values: the same as by hand, in encoders and decoders."""

import copy

import numpy as np
import pytest
import torch

from tests.random_models import spread
from tutorial_lib import bert as encoders
from tutorial_lib import encoder_decoder
from tutorial_lib import gpt as decoders
from tutorial_lib.trace import change, patch, silence

IDS, OTHERS = [[5, 6, 7, 8], [9, 9, 3, 1]], [[1, 2, 3, 4], [4, 3, 2, 1]]
SHAPE = dict(vocab_size=20, d_model=12, n_layers=3, n_heads=3, d_ff=24, n_positions=8)
NAME = "layer.1.output"


@pytest.fixture(params=["encoder", "decoder"])
def model(request):
    torch.manual_seed(0)
    made = encoders.Bert(encoders.Config(**SHAPE))
    if request.param == "decoder":
        made = decoders.GPT(decoders.Config(**SHAPE))
    return spread(made).double().requires_grad_(False)


def run(model, ids=IDS, **options):
    found = model(ids, **options)
    return found[0] if isinstance(found, tuple) else found


def test_silent_head_is_one_without_its_W_O(model):
    by_hand = copy.deepcopy(model)
    for layer, head in ((0, 1), (2, 0), (2, 2)):
        by_hand.layer[layer].attention.W_O.weight[:, 4 * head : 4 * head + 4] = 0
    found = run(model, keep=silence([(0, 1), (2, 0), (2, 2)]))
    torch.testing.assert_close(found, run(by_hand), rtol=1e-12, atol=1e-12)
    assert (found - run(model)).abs().max() > 0.1


def test_nothing_silenced_or_patched_from_itself_changes_nothing(model):
    assert torch.equal(run(model, keep=silence([])), run(model))
    assert torch.equal(run(model, keep=patch([(1, 0), (2, 1)], model.trace(IDS))), run(model))


def test_patch_changes_only_its_heads_and_places(model):
    own, other = model.trace(IDS), model.trace(OTHERS)
    name = "layer.1.attention.heads"
    found = model.trace(IDS, keep=patch([(1, 2)], other, tokens=slice(1, 3)))[name]
    expected = own[name].clone()
    expected[:, 2, 1:3] = other[name][:, 2, 1:3]
    assert torch.equal(found, expected)


@pytest.mark.parametrize("tokens", [[0, 3], [3], torch.tensor([0, 3]), torch.tensor([True, False, False, True]), 2])
@pytest.mark.parametrize("chosen", [[0, 2], [1], [2, 0, 1]])
def test_patch_changes_every_place_in_every_head(model, chosen, tokens):
    own, other = model.trace(IDS), model.trace(OTHERS)
    name = "layer.1.attention.heads"
    expected = own[name].clone()
    for head in chosen:
        expected[:, head, tokens] = other[name][:, head, tokens]
    keep = patch([(1, head) for head in chosen], other, tokens)
    assert torch.equal(model.trace(IDS, keep=keep)[name], expected)


def test_patch_of_means_spreads_over_texts(model):
    name = "layer.0.attention.heads"
    mean = model.trace(IDS)[name].mean((0, 2), keepdim=True)
    found = model.trace(IDS, keep=patch([(0, 0)], {name: mean}))[name]
    assert torch.equal(found[:, 0], mean.expand_as(found)[:, 0])


@pytest.mark.parametrize(
    "new, by_hand",
    [
        (lambda X: torch.ones_like(X), lambda X: torch.ones_like(X)),
        (0.5, lambda X: torch.full_like(X, 0.5)),
        (np.arange(12.0), lambda X: torch.arange(12.0).to(X).expand_as(X)),
        (lambda X: X + 3, lambda X: X + 3),
        (lambda X: X.flip(0), lambda X: X.flip(0)),
        (lambda X: X.mean(0, keepdim=True), lambda X: X.mean(0, keepdim=True).expand_as(X)),
    ],
    ids=["set", "a number", "an array", "add", "swap", "average"],
)
def test_change_is_what_a_hook_does(model, new, by_hand):
    def hook(module, inputs, output):
        return (by_hand(output[0]), output[1]) if isinstance(output, tuple) else by_hand(output)

    found = run(model, keep=change({NAME: new}))
    handle = model.layer[1].register_forward_hook(hook)
    assert torch.equal(found, run(model))
    handle.remove()
    assert not torch.equal(found, run(model))


def test_a_pattern_changes_every_stop_that_it_fits(model):
    seen = model.trace(IDS, keep=change({"layer.*.attention.output": lambda X: 0 * X, "layer.2.output": 7}))
    zero = [name for name, value in seen.items() if (value == 0).all()]
    outputs = [name for name in zero if name.endswith("attention.output")]
    assert outputs == [f"layer.{i}.attention.output" for i in range(3)]
    assert (seen["layer.2.output"] == 7).all()


def erase(X):
    X[..., 2, :] = 0
    return X


MAKERS = [(encoders, "Bert"), (decoders, "GPT"), (encoder_decoder, "EncoderDecoder")]


@pytest.mark.parametrize("module, name", MAKERS, ids=["encoder", "decoder", "encoder-decoder"])
def test_editing_in_place_leaves_weights_and_earlier_values(module, name):
    model = getattr(module, name)(module.Config(**SHAPE | {"n_heads": 2})).eval()
    inputs = (IDS, OTHERS) if name == "EncoderDecoder" else (IDS,)
    before = {name: tensor.clone() for name, tensor in [*model.named_parameters(), *model.named_buffers()]}
    clean = {name: value.clone() for name, value in model.trace(*inputs).items()}
    for i, (stop, value) in enumerate(clean.items()):
        if value.ndim > 2 or "positions" in stop:
            seen = model.trace(*inputs, keep=change({stop: erase}))
            assert (seen[stop][..., 2, :] == 0).all()
            assert all(torch.equal(seen[name], clean[name]) for name in list(clean)[:i]), stop
            model(*inputs, keep=change({stop: erase}))  # with gradients, too
    for value in model.trace(*inputs).values():  # nor does it to edit what a trace has kept
        value.zero_()
    now = dict([*model.named_parameters(), *model.named_buffers()])
    assert all(torch.equal(now[name], tensor) for name, tensor in before.items())


def test_inserted_value_is_not_altered(model):
    other = model.trace(OTHERS)[NAME]
    kept = other.clone()
    for put in (other, lambda X: other):
        seen = model.trace(IDS, keep=[change({NAME: put}), change({NAME: erase})])
        model.trace(IDS, keep=change({NAME: put}))[NAME].zero_()
        assert torch.equal(other, kept) and (seen[NAME][:, 2] == 0).all()


def test_gradients_flow_through_a_change(model):
    steps = torch.zeros(12, dtype=torch.float64, requires_grad=True)
    run(model, keep=change({NAME: lambda X: X + steps})).square().sum().backward()
    model.requires_grad_(True)
    seen = model.trace(IDS, gradients=True)
    last = seen.get("logits", seen["layer.2.output"])
    last.square().sum().backward()
    torch.testing.assert_close(seen[NAME].grad.sum((0, 1)), steps.grad)
    assert not model.trace(IDS)[NAME].requires_grad


def test_encoder_decoder_is_changed_by_the_same_names():
    model = encoder_decoder.EncoderDecoder(encoder_decoder.Config(**SHAPE | {"n_heads": 2}))
    even = change({"decoder.layer.*.cross_attention.weights": lambda A: A.mean(-1, keepdim=True)})
    A = model.trace(IDS, OTHERS, keep=even)["decoder.layer.2.cross_attention.weights"]
    assert (A == A[..., :1]).all()
    with pytest.raises(ValueError, match="got 'layer.0.output'. Similar names: "):
        model(IDS, OTHERS, keep=change({"layer.0.output": 0}))


def test_uncomputed_values_cannot_be_changed(model):
    other = change({"layer.0.attention.weights": lambda A: A.flip(-1)})
    assert not torch.equal(run(model, keep=other), run(model))
    with pytest.raises(ValueError, match=r"got 'layer\.0\.attention\.weights'"):
        run(model, keep=other, fused=True)


@pytest.mark.parametrize(
    "keep, says",
    [
        (lambda: silence([(3, 0)]), r"a value of this run, got 'layer\.3\.attention\.heads'. Similar names: layer\.2"),
        (lambda: silence([(1, 3)]), r"heads must be in 0\.\.2, got 3 in layer\.1"),
        (lambda: silence([(-1, 0)]), r"heads must be pairs \(layer, head\), each 0 or more, got -1"),
        (lambda: silence([3]), r"heads must be pairs \(layer, head\), each 0 or more, got 3"),
        (lambda: silence([(0, 1, 2)]), r"pairs \(layer, head\), each 0 or more, got \(0, 1, 2\)"),
        (lambda: silence([(0, 1.0)]), r"heads must be pairs .* got 1\.0"),
        (lambda: patch([(1, 0)], {}), r"other must contain 'layer\.1\.attention\.heads'"),
        (lambda: patch([(1, 0)], {"layer.1.attention.heads": torch.ones(2, 3, 5, 4)}), "equally many tokens"),
        (lambda: change({"layer.1.outputs": 0}), r"got 'layer\.1\.outputs'. Similar names: layer\.1\.output, "),
        (lambda: change({"layer.*.nothing": 0}), "got 'layer.*.nothing'"),
        (lambda: change({NAME: lambda X: X[:, :1, :3]}), r"the new value of layer\.1\.output must broadcast to shape"),
        (lambda: change({NAME: lambda X: None}), r"must broadcast to shape \(2, 4, 12\), got None"),
        (lambda: lambda name, value: None, "keep must return the value or its replacement, got None at"),
        (lambda: [change({NAME: 0}), change({"layer.9.output": 0})], "got 'layer.9.output'"),
        (lambda: [change({NAME: 0}), 3], "keep, must be a function of a name and a value, or several .* got int"),
        (lambda: change([NAME]), "stops must be a dict"),
    ],
)
def test_a_change_that_does_not_fit_is_rejected(model, keep, says):
    with pytest.raises((ValueError, TypeError), match=says):
        run(model, keep=keep())


def test_several_changes_act_one_after_the_other(model):
    double, add = change({NAME: lambda X: 2 * X}), change({NAME: lambda X: X + 1})
    both = run(model, keep=[double, add])
    assert torch.equal(both, run(model, keep=change({NAME: lambda X: 2 * X + 1})))
    assert not torch.equal(both, run(model, keep=[add, double]))
    assert torch.equal(model.trace(IDS, keep=[double, add])[NAME], 2 * model.trace(IDS)[NAME] + 1)


def test_a_trace_keeps_only_what_is_asked_for(model):
    whole = model.trace(IDS)
    some = model.trace(IDS, only="layer.*.output")
    assert list(some) == [f"layer.{i}.output" for i in range(3)]
    assert all(torch.equal(some[name], whole[name]) for name in some)
    assert list(model.trace(IDS, only=[NAME, "layer.0.hidden"])) == ["layer.0.hidden", NAME]
    with pytest.raises(ValueError, match="only must match a value of this run, got 'layer.1.outputs'. Similar names: "):
        model.trace(IDS, only="layer.1.outputs")
    with pytest.raises(TypeError, match="only must be a name or a pattern"):
        model.trace(IDS, only=3)


def test_a_trace_shows_its_names_and_shapes(model):
    trace = model.trace(IDS)
    lines = dict(line.split(maxsplit=1) for line in repr(trace).splitlines())
    assert lines == {name: str(tuple(value.shape)) for name, value in trace.items()}
    with pytest.raises(KeyError, match="no value is called 'layer.1.outputs'. Similar names: layer.1.output"):
        trace["layer.1.outputs"]
