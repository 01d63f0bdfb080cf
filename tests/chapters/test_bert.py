"""What the chapter on BERT tells about the default model and about the documents, held against transformers."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel

from tutorial_book.plots.bert import parameters_by_component
from tutorial_lib.bert import Bert, Config, layer_norm

BEAR = "Then the bear waited for the door to open with a serendipitous smile."


# LayerNorm


@given(st.integers(2, 300), st.integers(0, 2**31 - 1), st.floats(0.01, 1e4), st.floats(-1e3, 1e3))
def test_a_normalized_vector_has_length_sqrt_d_and_no_coordinate_beyond_sqrt_d_minus_1(d, seed, scale, shift):
    x = torch.randn(d, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) * scale + shift
    z = layer_norm(x, torch.ones(d), torch.zeros(d), 0.0)
    assert z.norm().item() == pytest.approx(math.sqrt(d), rel=1e-6)
    assert z.abs().max() <= math.sqrt(d - 1) * (1 + 1e-6)


def test_the_bound_is_reached_where_one_coordinate_differs_from_all_others():
    x = torch.zeros(384, dtype=torch.float64)
    x[99] = 222.0
    assert layer_norm(x, torch.ones(384), torch.zeros(384), 0.0).max().item() == pytest.approx(math.sqrt(383))


# L 3.2.1: the residual connection


def test_adding_the_input_once_is_hugging_faces_layer_and_adding_it_twice_as_printed_is_not(hf_bert, tok):
    inputs = {"input_ids": torch.tensor([tok.encode(BEAR).ids])}
    with torch.no_grad():
        E, right = hf_bert(**inputs, output_hidden_states=True).hidden_states[:2]
        layer = hf_bert.encoder.layer[0]
        update = layer.attention.output.dense(layer.attention.self(E)[0])
        for times, agrees in ((1, True), (2, False)):
            A = layer.attention.output.LayerNorm(times * E + update)
            F = layer.output.dense(layer.intermediate(A))
            off = (layer.output.LayerNorm(A + F) - right).norm(dim=-1) / right.norm(dim=-1)
            assert (off.mean() < 1e-5) if agrees else (0.1 < off.mean() < 0.2)


# one coordinate, one neuron


def test_one_neuron_writes_the_largest_value_of_layer_0_into_coordinate_99_of_cls(page):
    assert (page.token, page.coordinate, page.loudest) == (0, 99, 856)
    assert page.wrote[856] > 190 and (page.wrote.sum() - page.wrote[856]).abs() < 1


def test_that_neuron_fires_at_place_0_whatever_token_stands_there_and_nowhere_else(bert, tok):
    cls, *rest = tok.encode(BEAR).ids
    for ids in ([cls, *rest], rest, [*rest[:5], cls, *rest[5:]]):
        fires = bert.trace(ids)["layer.0.activation"][0, :, 856]
        assert fires[0] > 20 and fires[1:].abs().max() < 0.01


def test_the_neuron_writes_into_one_coordinate_as_its_figure_says(page, prose, bert):
    row = bert.layer[0].feed_forward.W_2.weight[:, 856].detach().cpu()
    value, others = page.neurons[0, 856].item(), torch.cat([row[:99], row[100:]]).abs().max().item()
    assert f"{value:.2f} times {row[99]:.3f}, is {value * row[99]:.1f}" in prose
    assert f"no other beyond {others:.2f}" in prose
    assert page.neurons[1:, 856].abs().max() < 0.01


def test_the_triangles_are_those_that_are_told(page, prose, tok, bert):
    trace = bert.trace(tok.encode(BEAR).ids)
    x, u = trace["embeddings.output"][0].detach(), trace["layer.0.attention.output"][0].detach()
    angles = []
    for i, (start, middle) in {
        0: ("of length", "and an update of"),
        3: ("bear,", "and"),
        -1: ("[SEP],", "and"),
    }.items():
        angles.append(math.degrees(math.acos(torch.cosine_similarity(x[i], x[i] + u[i], dim=0))))
        assert f"{start} {x[i].norm():.1f} {middle} {u[i].norm():.1f}" in prose
        assert f"{(x[i] + u[i]).norm():.1f}, turned by {angles[-1]:.0f} degrees" in prose
    assert f"by {min(angles):.0f} to {max(angles):.0f} degrees" in prose


def test_the_lengths_around_layer_norm_are_those_that_are_told(page, bert, tok):
    after = bert.trace(tok.encode(BEAR).ids)["layer.0.attention_norm"][0].norm(dim=1)
    sums = page.attended.norm(dim=1)
    assert (round(sums.min().item()), round(sums.max().item())) == (8, 12)
    assert torch.allclose(page.lengths, torch.tensor(384.0).sqrt(), atol=1e-3)
    assert after.argmax() == 0 and round(after[0].item()) == 29
    assert 11.5 < after[1:].min() and after[1:].max() < 16


def test_three_of_four_numbers_before_the_activation_are_negative(bert, tok, prose):
    below = (bert.trace(tok.encode(BEAR).ids)["layer.0.hidden"] < 0).float().mean()
    assert (
        f"{100 * below:.0f} percent lie below 0, in a long slope down to -4, and {100 * (1 - below):.0f} percent"
        in prose
    )


def test_the_example_for_training_is_the_one_that_is_told(page):
    shown = zip(page.pair.tokens, page.seen_there, page.asked_there, strict=True)
    assert [(token, seen) for token, seen, asked in shown if asked] == [
        ("was", "[MASK]"),
        ("a", "a"),
        ("pictures", "flu"),
        ("it", "[MASK]"),
    ]


def test_what_book_bert_answers_in_the_figure(page, prose):
    follows, (grass, mud, field) = page.follows_there, page.likeliest[0].tolist()
    assert f"follows {100 * follows:.0f} percent, does not {100 * (1 - follows):.0f} percent" in prose
    assert f"grass {100 * grass:.0f} percent, mud {100 * mud:.0f}, field {100 * field:.0f}" in prose


def test_of_a_thousand_tokens_30_are_visible_and_asked_for_and_half_of_them_wrong(page):
    assert 1000 * page.visible == pytest.approx(880)
    assert 1000 * page.visible * page.asked == pytest.approx(30)
    assert 1000 * page.visible * page.false == pytest.approx(15)


def test_layer_norm_makes_nearly_the_same_of_what_came_in_as_of_the_shout(bert, tok, prose):
    trace = bert.trace(tok.encode(BEAR).ids)
    before, update, after = (
        trace[f"layer.0.{stop}"][0, 0].detach() for stop in ("attention_norm", "feed_forward", "feed_forward_sum")
    )
    assert f"stood at {before[99]:.2f}; {before[99]:.2f} + {update[99]:.2f} = {after[99]:.2f}." in prose
    ones, zeros = torch.ones(384, device=after.device), torch.zeros(384, device=after.device)
    assert f"makes {layer_norm(after, ones, zeros, 1e-12)[99]:.1f} of it, the most possible" in prose
    made, of_less = (bert.layer[0].norm(x)[99].item() for x in (after, before))
    assert f"make that {made:.1f}. Of {before[99]:.2f} alone they make {of_less:.1f}:" in prose


# [MASK]


def test_book_bert_knows_that_the_sick_lie_in_bed_and_not_that_they_are_there(page):
    tired, went_to, sad, lost, lay_in, was_in = map(dict, page.best)
    assert list(tired)[:2] == ["were", "are"]
    assert went_to["bed"] > 0.9
    assert next(iter(sad)) == "sad"
    assert list(lost)[:2] == ["it", "them"] and lost["them"] > 0.8 * lost["it"]
    assert lay_in["bed"] > 0.8
    assert next(iter(was_in)) == "them" and was_in.get("bed", 0) < 0.05


# formulas and kernels


def test_the_written_formulas_in_the_model_differ_from_the_kernels_by_rounding(page):
    _, gelu = page.worst["gelu"]
    _, gelu_new = page.worst["gelu_new"]
    assert gelu.is_rounding and 10 < gelu.units < 100  # some dozens, as the page says
    assert not gelu_new.is_rounding and gelu_new.units > 10_000


# parameters


def test_the_default_model_has_22_713_216_parameters(page):
    assert page.totals["all-MiniLM-L6-v2"] == 22_713_216


@given(
    st.builds(
        dict,
        vocab_size=st.integers(1, 50),
        hidden_size=st.sampled_from([4, 8, 12]),
        num_hidden_layers=st.integers(1, 3),
        num_attention_heads=st.sampled_from([1, 2, 4]),
        intermediate_size=st.integers(1, 20),
        max_position_embeddings=st.integers(1, 20),
        type_vocab_size=st.integers(1, 3),
    )
)
@settings(max_examples=25, deadline=None)
def test_the_components_of_any_bert_are_those_of_transformers_and_follow_the_formulas(shape):
    with torch.device("meta"):
        theirs = BertModel(BertConfig(**shape, pad_token_id=0))
        V, d, L, h, f, n, s = shape.values()
        ours = Bert(Config(V, d, L, h, f, n, s))
    counts = parameters_by_component(ours.parameter_table())
    assert sum(counts.values()) == theirs.num_parameters()
    assert counts == {
        "token embeddings": V * d,
        "position embeddings": n * d,
        "segment embeddings": s * d,
        "normalizations": (1 + 2 * L) * 2 * d,
        "attention": L * 4 * (d * d + d),
        "feed forward": L * (2 * d * f + f + d),
        "pooler": d * d + d,
    }


def test_distilbert_is_a_bert_of_6_layers_without_segments_and_pooler(page):
    with torch.device("meta"):
        theirs = DistilBertModel(DistilBertConfig()).num_parameters()
    assert page.distil == theirs == 66_362_880


def test_the_file_of_bert_base_cased_is_416_mib_with_its_two_heads():
    with torch.device("meta"):
        table = Bert(Config(vocab_size=28_996), mlm=True, nsp=True).parameter_table()
    assert round(4 * sum(count for _, _, count in table) / 2**20) == 416


@torch.no_grad()
def test_the_number_that_opens_the_chapter_is_larger_than_all_others_together(bert, tok, prose):
    trace = bert.trace(tok.encode("Then the bear waited for the door to open with a serendipitous smile.").ids)
    enters, middle, leaves = (
        trace[stop][0, 0].abs().cpu() for stop in ("embeddings.output", "layer.0.feed_forward_sum", "layer.0.output")
    )
    assert [int(row.argmax()) for row in (enters, middle, leaves)] == [99, 99, 99]
    rest = middle.sum() - middle[99]
    assert middle[99] > rest and enters.topk(2).values[1] < 1
    for number in (f"is {enters[99]:.1f} and no other", f"it is {middle[99]:.1f}, and all others together {rest:.0f}"):
        assert number in prose
    assert f"leaves the layer, it is {leaves[99]:.1f}" in prose
