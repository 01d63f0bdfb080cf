import math
import re

import numpy as np
import pytest
import torch

from tutorial_book import plots
from tutorial_book.plots.bert import SUBLAYERS
from tutorial_lib.bert import Bert, Config

SHAPE = dict(vocab_size=50, d_model=12, n_layers=2, n_heads=3, d_ff=24, n_positions=10)


@pytest.fixture(scope="module")
def bert():
    torch.manual_seed(0)
    return Bert(Config(**SHAPE), mlm=True, nsp=True).eval()


@pytest.fixture(scope="module")
def trace(bert):
    return bert.trace([[1, 2, 3, 4, 5]])


def texts(drawn):
    axes = getattr(drawn, "axes", None)
    axes = axes if isinstance(axes, list) else [drawn]
    return [text.get_text().replace("\n", "  ") for ax in axes for text in ax.texts]


@pytest.mark.parametrize("i", [0, 1])
def test_the_diagram_shows_every_stop_of_its_layer_with_its_shape(trace, i):
    drawn = texts(plots.bert.layer_diagram(trace, i))
    stops = [name for name in trace if name.startswith(f"layer.{i}.")]
    assert len(stops) == 15
    for name in stops:
        assert f"{name.rpartition('.')[2]}  {tuple(trace[name].shape)}" in drawn
    assert f"{'embeddings' if i == 0 else 'layer.0'}.output  (1, 5, 12)" in drawn
    assert drawn[-1] == ("to layer 1" if i == 0 else "the model's output")


def test_the_diagram_shows_nothing_that_is_not_in_the_trace(trace):
    shapes = [re.search(r"(\w+)  (\(.*\))$", text) for text in texts(plots.bert.layer_diagram(trace))]
    found = sorted(match.groups() for match in shapes if match)
    stops = [name for name in trace if name.startswith("layer.0.") or name == "embeddings.output"]
    assert found == sorted((name.rpartition(".")[2], str(tuple(trace[name].shape))) for name in stops)


def test_norms_are_the_lengths_of_the_vectors(trace):
    ax = plots.bert.norms_by_sublayer(trace, 2)
    lines = {line.get_label(): line.get_ydata() for line in ax.lines}
    stops = ["embeddings.output"] + [f"layer.{i}.{name}" for i in range(2) for name in SUBLAYERS]
    lengths = torch.stack([trace[stop][0] for stop in stops]).square().sum(-1).sqrt().numpy()
    assert np.allclose(lines["[CLS]"], lengths[:, 0])
    assert np.allclose(lines["other tokens: mean, and range"], lengths[:, 1:].mean(1))
    assert np.allclose(lines[r"$\sqrt{d_{model}}$"], math.sqrt(12))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["emb.", "layer 0", "layer 1"]


def test_coordinates_are_drawn_as_they_are_and_the_largest_is_named():
    left, right = plots.bert.largest_coordinates({"a": torch.tensor([0.5, -3.0, 1.0]), "b": [1.0, 2.0]})
    assert [segment[1][1] for segment in left.collections[0].get_segments()] == [0.5, -3.0, 1.0]
    assert texts(left) == ["coordinate 1:  -3.0"] and texts(right) == ["coordinate 1:  2.0"]
    assert (left.get_title(loc="left") or left.get_title()) == "a"


def test_the_diagram_marks_the_largest_number_that_feed_forward_writes(trace):
    written = trace["layer.0.feed_forward"][0]
    token, coordinate = divmod(int(written.abs().argmax()), 12)
    marks = [text for text in texts(plots.bert.layer_diagram(trace)) if text.startswith("token ")]
    shown = [trace[f"layer.0.{name}"][0, token, coordinate] for name in ("feed_forward", "feed_forward_sum", "output")]
    assert marks == [f"token {token}, coordinate  {coordinate}: {value:.1f}" for value in shown]


def test_each_triangle_has_the_lengths_of_the_vectors():
    figure = plots.bert.triangles([[3.0, 0.0], [0.0, 2.0]], [[0.0, 4.0], [0.0, 1.0]], ["a", "b"])
    first, second = figure.axes
    assert [t for t in texts(first) if t] == ["3.0", "4.0", "5.0"]
    assert [t for t in texts(second) if t] == ["2.0", "1.0", "3.0"]
    assert [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes] == ["a, turned by 53°", "b, turned by 0°"]


def test_four_numbers_are_normalized_as_layer_norm_does():
    x = torch.tensor([1.0, 2.0, 3.0, 6.0])
    *_, last = plots.bert.normalizing(x).axes
    heights = [bar.get_height() for bar in last.patches]
    assert np.allclose(heights, torch.nn.functional.layer_norm(x, (4,), eps=0.0))
    assert last.get_xlabel() == "length 2.00"


def test_lines_of_lengths_run_through_the_stops():
    stops = {"a": torch.tensor([[3.0, 4.0], [0.0, 1.0]]), "b": torch.tensor([[0.0, 2.0], [6.0, 8.0]])}
    ax = plots.bert.lengths_through_norm(stops, ["x", "y"], ["y"])
    assert [list(line.get_ydata()) for line in ax.lines] == [[5, 2], [1, 10]]
    assert texts(ax) == ["y"]


def test_a_neuron_is_drawn_with_its_product():
    figure = plots.bert.one_neuron([2.0, 0.0], [0.1, 3.0, -0.2], ["[CLS]", "bear"], 1, 7)
    left, right = figure.axes
    assert [bar.get_width() for bar in left.patches] == [2, 0]
    assert [segment[1][1] for segment in right.collections[0].get_segments()] == [0.1, 3.0, -0.2]
    assert texts(right) == ["coordinate 1: 3.000", "no other beyond 0.20", "2.00 × 3.000  = 6.0"]


def test_a_norm_stands_behind_the_addition_or_before_the_attention():
    post, pre = plots.bert.where_norms_stand().axes
    assert [t for t in texts(post) if t] == ["$X$", "Attention", "+", "LN"]
    assert [t for t in texts(pre) if t] == ["$X$", "LN", "Attention", "+"]


def test_heads_show_their_answers():
    tokens = ["[CLS]", "a", "b", "[MASK]", ".", "[SEP]", "c"]
    left, right = plots.bert.heads_on_top(tokens, 0.75, 3, [("x", 0.5), ("y", 0.25)], (12, 1_050)).axes
    assert {"[CLS]", "pooler", "12 numbers", "NSP head", "2 scores", "75%", "25%"} <= set(texts(left))
    assert {"[MASK]", "MLM head", "1,050 scores", "x", "50%", "y", "25%"} <= set(texts(right))


def test_a_training_input_shows_what_is_seen_and_what_must_be_named():
    figure = plots.bert.training_input(["a", "b", "c"], ["[MASK]", "b", "d"], [True, False, True], [0, 0, 1])
    first, second = ([t for t in texts(ax) if t][3:] for ax in figure.axes)
    assert first == ["a", "a", "[MASK]", "b", "b"] and second == ["c", "c", "d"]


def test_a_square_for_each_token():
    ax = plots.bert.thousand_tokens({"not chosen": 850, "hidden": 120, "replaced": 15, "kept": 15})
    assert len(ax.patches) == 1000
    assert [t.get_text() for t in ax.get_legend().get_texts()][0] == "850 not chosen"


def test_the_activations_are_those_of_the_library():
    figure = plots.bert.activations([-1.0, -2.0, -3.0, 1.0])
    assert "75% below 0:  nearly silenced" in texts(figure.axes[1])
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    for name, function in {"ReLU": torch.relu, "GELU": torch.nn.functional.gelu}.items():
        x = torch.as_tensor(lines[name].get_xdata())
        assert np.allclose(lines[name].get_ydata(), function(x), atol=1e-6)


def test_components_account_for_every_parameter(bert):
    counts = plots.bert.parameters_by_component(bert.parameter_table())
    assert sum(counts.values()) == sum(p.numel() for p in bert.parameters())
    assert counts == {
        "token embeddings": 50 * 12,
        "position embeddings": 10 * 12,
        "segment embeddings": 2 * 12,
        "heads": (12 * 12 + 12 + 2 * 12 + 50) + (2 * 12 + 2),
        "normalizations": 5 * 2 * 12,
        "attention": 2 * 4 * (12 * 12 + 12),
        "feed forward": 2 * (12 * 24 + 24 + 24 * 12 + 12),
        "pooler": 12 * 12 + 12,
    }


def test_the_components_of_bert_base_cased_are_those_that_torchinfo_prints():
    with torch.device("meta"):
        counts = plots.bert.parameters_by_component(Bert(Config(vocab_size=28_996)).parameter_table())
    assert counts["token embeddings"] == 22_268_928
    assert counts["position embeddings"] == 393_216
    assert counts["attention"] + counts["feed forward"] + counts["normalizations"] - 1_536 == 12 * 7_087_872
    assert counts["pooler"] == 590_592
    assert sum(counts.values()) == 108_310_272


def test_parameter_bars_show_shares_that_add_up_to_100_percent(bert):
    counts = plots.bert.parameters_by_component(bert.parameter_table())
    ax = plots.bert.parameter_bars({"small": counts, "again": counts})
    widths = [bar.get_width() for bar in ax.patches]
    assert sum(widths) == pytest.approx(200)
    total = sum(counts.values())
    shown = [100 * counts[part] / total for part in ("token embeddings", "attention", "feed forward")]
    assert widths[:3] == pytest.approx(shown)
    assert [text.get_text() for text in ax.texts if "," in text.get_text()] == ["small, 0.0M", "again, 0.0M"]


def test_a_parameter_of_no_known_component_is_an_error():
    with pytest.raises(ValueError, match="gate.weight"):
        plots.bert.parameters_by_component([("gate.weight", (1,), 1)])
