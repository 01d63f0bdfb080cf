"""Silenced and patched heads: the same as what one gets by hand, in encoders and decoders."""

import copy

import pytest
import torch

from tutorial_lib import bert as encoders
from tutorial_lib import gpt as decoders
from tutorial_lib.trace import patch, silence

IDS, OTHERS = [[5, 6, 7, 8], [9, 9, 3, 1]], [[1, 2, 3, 4], [4, 3, 2, 1]]
SHAPE = dict(vocab_size=20, d_model=12, n_layers=3, n_heads=3, d_ff=24, n_positions=8)


@pytest.fixture(params=["encoder", "decoder"])
def model(request):
    torch.manual_seed(0)
    made = encoders.Bert(encoders.Config(**SHAPE)) if request.param == "encoder" else decoders.GPT(
        decoders.Config(**SHAPE))  # fmt: skip
    with torch.no_grad():
        for parameter in made.parameters():
            parameter += 0.3 * torch.randn(parameter.shape)
    return made.double().eval().requires_grad_(False)


def run(model, ids, **options):
    found = model(ids, **options)
    return found[0] if isinstance(found, tuple) else found


def test_a_silent_head_is_one_whose_rows_of_W_O_are_0(model):
    by_hand = copy.deepcopy(model)
    for layer, head in ((0, 1), (2, 0), (2, 2)):
        by_hand.layer[layer].attention.W_O.weight[:, 4 * head : 4 * head + 4] = 0
    found = run(model, IDS, keep=silence([(0, 1), (2, 0), (2, 2)]))
    torch.testing.assert_close(found, run(by_hand, IDS), rtol=1e-12, atol=1e-12)
    assert (found - run(model, IDS)).abs().max() > 0.1


def test_nothing_silenced_changes_nothing(model):
    assert torch.equal(run(model, IDS, keep=silence([])), run(model, IDS))


def test_a_patch_from_the_same_text_changes_nothing_and_one_of_all_heads_of_a_layer_is_its_attention(model):
    own, other = model.trace(IDS), model.trace(OTHERS)
    assert torch.equal(run(model, IDS, keep=patch([(1, 0), (2, 1)], own)), run(model, IDS))
    seen = {}

    def look(name, value):
        seen[name] = patched(name, value)
        return seen[name]

    patched = patch([(1, 0), (1, 1), (1, 2)], other)
    run(model, IDS, keep=look)
    torch.testing.assert_close(seen["layer.1.attention.output"], other["layer.1.attention.output"])


def test_a_patch_changes_only_its_heads_and_its_places(model):
    other, seen = model.trace(OTHERS), {}
    own, keep = model.trace(IDS), patch([(1, 2)], other, tokens=slice(1, 3))
    run(model, IDS, keep=lambda name, value: seen.setdefault(name, keep(name, value)))
    name = "layer.1.attention.heads"
    expected = own[name].clone()
    expected[:, 2, 1:3] = other[name][:, 2, 1:3]
    assert torch.equal(seen[name], expected)


def test_a_patch_of_means_spreads_over_texts_and_tokens(model):
    name = "layer.0.attention.heads"
    mean = {name: model.trace(IDS)[name].mean((0, 2), keepdim=True)}
    found = run(model, IDS, keep=patch([(0, 0)], mean))
    assert (found - run(model, IDS)).abs().max() > 1e-3


def test_what_does_not_fit_is_refused_by_name(model):
    with pytest.raises(ValueError, match=r"heads must lie in 0\.\.2, got 3 in layer\.1"):
        run(model, IDS, keep=silence([(1, 3)]))
    with pytest.raises(ValueError, match="as many tokens"):
        run(model, IDS, keep=patch([(1, 1)], model.trace([[1, 2, 3], [3, 2, 1]])))
