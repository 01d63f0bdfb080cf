"""Every figure as its doctest draws it, the arguments that figures reject, and drawings of the library's results."""

import doctest
import re
from unittest.mock import Mock

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from tests.plots.held import alike, missing, modules, outside, said
from tutorial_book import plots
from tutorial_book.page import layouts
from tutorial_lib import bert, encoder_decoder, gpt
from tutorial_lib.training.pretraining import training_pairs

# These draw numbers derived from the given ones; test_known_answers.py knows some.
COMPUTED = """
    decoders.masked directions.row_lengths evolution.last_jump evolution.layer_paths heads.padding_looks
    learning.heads_beside_chance positions.position_breaks positions.similarity_curves
    scale.days seeing.group_gaps seeing.hubs shape.ratio_lines since.by_place token_vectors.cosine_tails
    token_vectors.norms_along_ids tokenization.prices virus.reliability evolution.step_curves
""".split()
# Their arguments are names of fields, or words that they spell, cut or need not show.
REWORDED = """
    charts.bars charts.letters charts.outlines charts.stacked decoders.one_pass embeddings.embedding_sum
    evolution.step_curves scale.rates speed.ratios token_vectors.words_in_place tokenization.cleaned
    tokenization.longest_match tokenization.round_trip tokenization.token_cuts tokenization.vocabulary_blocks
""".split()
# These write outside their axes, or show a part.
BEYOND = """
    loud.changes architectures.stacks attention.weight_and_effect cost.seconds dimension.seen_from evolution.last_jump
    gates.variance_strips heads.split_by_hand decoders.training_mask shape.ratio_lines token_vectors.cosine_tails
    tokenization.cleaned tokenization.growing
""".split()
FINDER = doctest.DocTestFinder(exclude_empty=True)
DOCTESTS = [(module, test) for module in modules() for test in FINDER.find(module) if test.examples]


@pytest.mark.parametrize("module, test", DOCTESTS, ids=[test.name.partition("plots.")[2] for _, test in DOCTESTS])
def test_figures_show_what_they_are_given(module, test):
    name = test.name.partition("plots.")[2]
    function = name.partition(".")[2]
    draw = Mock(wraps=getattr(module, function))
    scope = vars(module) | {function: draw}
    for example in test.examples:
        exec(compile(example.source, name, "single"), scope)
    if plt.get_fignums():
        words, numbers = missing([draw.call_args.args, *draw.call_args.kwargs.values()], plt.gcf())
        assert name in REWORDED or words == []
        assert name in COMPUTED or numbers == []
        for ax in plt.gcf().axes:
            assert name in BEYOND or outside(ax) == []
            assert alike(ax) == []


REFUSED = [
    (lambda: plots.heatmap([1.0, 2.0]), r"matrix must have 2 axes \(rows, columns\), got shape \(2,\)"),
    (lambda: plots.heatmap([[1.0, 2.0]], columns=["a"]), "columns must contain one label for each .* 2 columns, got 1"),
    (lambda: plots.attention.similarity_maps([1.0, 2.0, 3.0], {}), "2 coordinates"),
    (lambda: plots.bert.parameters_by_component([("gate.weight", (1,), 1)]), "gate.weight"),
    (lambda: plots.decoders.steps(["a", "b"], 0), "n_prompt must be between 1 and the 2 tokens"),
    (lambda: plots.embeddings.one_hot_product([3], np.zeros((3, 2)), ["a", "b", "c"]), "rows of E"),
    (lambda: plots.charts.letters([["half"]], {"open": ("0.9", "O")}), "each one of open, got shape"),
    (lambda: plots.charts.groups({"x": [[0, 1]]}, ["a", "b"]), r"must be \(2, 2\), a point for each label"),
    (lambda: plots.heads.split_diagram(7, 10, 4), "multiple of n_heads"),
    (lambda: plots.positions.encodings({"P": [1.0, 2.0, 3.0]}), r"must have 2 axes .*, got shape \(3,\)"),
    (lambda: plots.positions.similarity_curves(np.eye(30), [30], 5), "must lie within the 30 positions of P"),
    (lambda: plots.tokenization.token_cuts("a bear", {"wrong": ["a", "cat"]}), "'cat' is not in the rest"),
    (lambda: plots.tokenization.vocabulary_blocks({"tiny": ["a", "b"]}), "at least n_bins = 48"),
]


@pytest.mark.parametrize("draw, says", REFUSED, ids=[draw.__code__.co_names[-1] for draw, _ in REFUSED])
def test_mismatched_arguments_are_rejected(draw, says):
    with pytest.raises(ValueError, match=says):
        draw()


def test_stacks_are_those_of_the_classes():
    configs = [encoder_decoder.Config(), encoder_decoder.Config(), bert.Config(), gpt.Config()]
    for ax, config in zip(plots.architectures.stacks(), configs, strict=True):
        assert f"{config.n_layers} times" in said(ax)
        assert any(text.lower().startswith(config.activation.split("_")[0]) for text in said(ax))
        assert ("+, LayerNorm" in said(ax)) != getattr(config, "norm_first", False)


@pytest.fixture(scope="module")
def small_bert():
    torch.manual_seed(0)
    return bert.Bert(bert.Config(50, 12, n_layers=2, n_heads=3, d_ff=24, n_positions=10), mlm=True, nsp=True).eval()


@pytest.mark.parametrize("i, before, below", [(0, "embeddings", "to layer 1"), (1, "layer.0", "the model's output")])
def test_a_layer_has_every_stop_with_its_shape(small_bert, i, before, below):
    trace = small_bert.trace([[1, 2, 3, 4, 5]])
    drawn = [text for ax in plots.bert.layer_diagram(trace, i).axes for text in said(ax)]
    found = sorted(match.groups() for text in drawn if (match := re.search(r"(\w+)\n(\(.*\))$", text)))
    stops = [name for name in trace if name.startswith(f"layer.{i}.")]
    shapes = [(name.rpartition(".")[2], str(tuple(trace[name].shape))) for name in (*stops, f"{before}.output")]
    assert found == sorted(shapes) and len(stops) == 15 and drawn[-1] == below
    token, place = divmod(int(trace[f"layer.{i}.feed_forward"][0].abs().argmax()), 12)
    largest = [trace[f"layer.{i}.{name}"][0, token, place] for name in ("feed_forward", "feed_forward_sum", "output")]
    marks = [f"token {token}, coordinate\n{place}: {value:.1f}" for value in largest]
    assert [text for text in drawn if text.startswith("token ")] == marks


def test_components_account_for_every_parameter(small_bert):
    counts = plots.bert.parameters_by_component(small_bert.parameter_table())
    heads = 12 * 12 + 12 + 2 * 12 + 50 + 2 * 12 + 2
    attention, feed_forward = 2 * 4 * (12 * 12 + 12), 2 * (12 * 24 + 24 + 24 * 12 + 12)
    assert [*counts.values()] == [600, 120, 24, heads, 5 * 2 * 12, attention, feed_forward, 12 * 12 + 12]
    assert sum(counts.values()) == sum(parameter.numel() for parameter in small_bert.parameters())


CLOSE = np.array([[[-3, -1], [-3, 1]], [[-1.5, -0.5], [-1.5, 0.5]], [[0, 0], [0, 0.13]]])
TOKENS = ["[CLS]", "a", "b", "[MASK]", ".", "[SEP]", "c"]
PAIRS = training_pairs(["Karhut", "ovat", "karvaisia", "."])
CROWDED = [
    (lambda: plots.evolution.last_jump(CLOSE, ["the", "[SEP]"]), layouts.narrow),
    (lambda: plots.evolution.last_jump(CLOSE, ["the", "[SEP]"]), layouts.for_slide),
    (lambda: plots.bert.heads_on_top(TOKENS, 0.6, 3, [("x", 0.5)], (128, 1_210)), layouts.for_slide),
    (lambda: plots.decoders.training_mask(PAIRS, np.eye(4)), layouts.for_slide),
    (lambda: plots.decoders.layers_side_by_side(), layouts.for_slide),
]


@pytest.mark.parametrize("draw, lay_out", CROWDED, ids=[draw.__code__.co_names[2] for draw, _ in CROWDED])
def test_words_touch_neither_words_nor_their_boxes(draw, lay_out):
    with plt.rc_context():
        plots.use_style()
        draw()
        figure = lay_out(plt.gcf()) or plt.gcf()
        figure.canvas.draw()
    for ax in figure.axes:
        words = [text.get_window_extent() for text in ax.texts if text.get_text()]
        for i, word in enumerate(words):
            assert not any(word.padded(2).overlaps(other) for other in words[:i])
            for box in (patch.get_window_extent() for patch in ax.patches):
                if box.contains(*word.get_points().mean(axis=0)) and box.height > word.height:
                    assert min(word.x0 - box.x0, box.x1 - word.x1) > 3 * figure.dpi / 72  # points
