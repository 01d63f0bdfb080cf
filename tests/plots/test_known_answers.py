"""Figures that compute, sort or mark what they draw, on inputs small enough to know the answer."""

from operator import attrgetter

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.plots.held import boxes, images, plain, said, xys, ys
from tutorial_book import plots
from tutorial_book.plots.base import COLORS, ROLES
from tutorial_lib.geometry import token_plane

BLUE, ORANGE, GRAY = *COLORS[:2], ROLES["the rest"]
HEADS = {"queries": [[[1], [2]]], "keys": [[[3], [5]]], "weights": [[[1, 0], [0.5, 0.5]]], "values": [[[5], [6]]],
         "heads": [[[5], [5.5]]]}  # fmt: skip
NORMS = ["embeddings.output", *(f"layer.0.{stop}" for stop in plots.bert.SUBLAYERS)]
RATIOS = [{"name": "a", "peer": "b", "ratio": 0.9, "low": 0.8, "high": 1.1, "limit": 1.2},
          {"name": "c", "peer": "d", "ratio": 4.0, "low": 3.0, "high": 6.0, "limit": None}]  # fmt: skip
STOPS = {"tokens": [[1, 1], [1, 1]], "positions": [[0.25, 0], [0, 0.5]], "segments": [[0, 0.5], [0, 0.5]],
         "sum": [[1.25, 1.5], [1, 2]], "output": [[1, 0], [0, 1]]}  # fmt: skip
TRACE = {f"embeddings.{stop}": np.array([rows]) for stop, rows in STOPS.items()}


def heights(ax):
    return [height for *_, height in boxes(ax)]


def across(ax):
    """Where each box begins, and how wide it is."""
    return [(x, width) for x, _, width, _ in boxes(ax)]


def radii(ax):
    return [ball.radius for ball in ax.patches]


def paint(ax):
    return [(line.get_color(), line.get_linestyle()) for line in ax.lines]


KNOWN = [  # a figure, its arguments, the part that is checked, and the answer
    ("architectures.looks", (np.ones((2, 2)), [[0.2], [1]], ["a", "b"], ["c", "a"], ["d"]), images,
     [[[[1, 9], [1, 1]]], [[[0.2], [1]]]]),
    ("attention.similarity_maps", ([2, 1], {"a": [1, 2], "b": [-1, 0.5]}), said,
     [["q", "a: 4", "b: −1.5"], ["q", "a: 0.8", "b: −0.6"]]),
    ("attention.softmax_steps", ([0.0, np.log(3), 0.0],), heights, [[0, np.log(3), 0], [1, 3, 1], [0.2, 0.6, 0.2]]),
    ("attention.softmax_cases", ([[0.0, np.log(3)], [99.0, 99 + np.log(3)]],), heights, [[0.25, 0.75]] * 2),
    ("bert.triangles", ([[3, 0]], [[0, 4]], ["a"]), said, [["3.0", "4.0", "5.0"]]),
    ("bert.triangles", ([[3, 0]], [[0, 4]], ["a"]), lambda ax: [text.get_position() for text in ax.texts[:3]],
     [[[0, 0], [3, 0], [0, 0]]]),
    ("bert.one_neuron", ([2.0, 0.0], [0.1, 3.0, -0.2], ["[CLS]", "bear"], 1, 7), said,
     [["2.00"], ["coordinate 1: 3.000", "no other beyond 0.20", "2.00 × 3.000\n= 6.0"]]),
    ("bert.normalizing", ([0.0, 4.0],), heights, [[0, 4], [-2, 2], [-1, 1]]),
    ("bert.lengths_through_norm", ({"a": [[3, 4]], "b": [[0, 2]]}, ["x"], ["x"]), ys, [[5, 2]]),
    ("bert.thousand_tokens", ({"hidden": 3, "kept": 2},), lambda ax: len(ax.patches), 5),
    ("bert.activations", ([-1.0, -2.0, -3.0, 1.0],), lambda ax: said(ax)[-1][:9], ["lowest: -", "25% above"]),
    ("charts.curves", ({"x": {"a": np.array([[1, 3], [3, 5]]), "a, bare": [1, 2], "chance": 4}},), ys,
     [[[2, 4], [1, 2], [4, 4]]]),
    ("charts.curves", ({"x": {"[CLS]": [1], "a": [2], "a, bare": [3], "b": [4]}},), paint,
     [[["#000000", "-"], [ORANGE, "--"], [ORANGE, ":"], [COLORS[2], "-."]]]),
    ("charts.intervals", ({"": ([2, 0, -1], [1, -1, -2], [3, 1, -1])}, ["a", "b", "c"]), lambda ax: paint(ax)[1::2],
     [[[ORANGE, "-"], ["0.45", "-"], [BLUE, "-"]]]),
    ("charts.intervals", ({"": np.array([[1, 4], [3, 4]])}, ["a", "b"]), lambda ax: xys(ax)[4::2],
     [[[[2, 0]], [[4, 1]]]]),
    ("charts.stacked", ({"a": {"b": 23, "c": 0.5}}, {"b": "query", "c": "key"}, "x"), across, [[0, 23], [23, 0.5]]),
    ("charts.outlines", ({"x": {"a": ([1, 3], [0, 1, 2])}},), lambda ax: ax.patches[0].get_data().values,
     [[0.25, 0.75]]),
    ("charts.groups", ({"x": [[0, 0], [1, 1]], "y": [[2, 2]]}, {"x": ["other", "a"], "y": ["a"]}), xys,
     [[[[1, 1]], [[0, 0]]], [[[2, 2]], []]]),
    ("charts.coordinates", ({"x": [0.5, -3.0, 1.0]}, [0, 2], "place", "y", {"x": {2: "two"}}), said, [["two"]]),
    ("cost.seconds", ({"a": ([8], [1.2])}, {"a": ([0.9], [0.4])}), ys, [[[0.9], [0.4], [1.3], [1.2]]]),
    ("decoders.steps", (["a", "b", "c", "d"], 2), lambda ax: "".join(said(ax)), ["ababcabcd", "abcd"]),
    ("decoders.reach", ([[0.5, 0], [0.1, 0.2]], ["a", "b"]), images, [[[0.5, 9], [0.1, 0.2]]]),
    ("dimension.seen_from", ([[0, 0], [1, 0], [0, 2]], 1, [(1, 0.9, 3)]), radii, [[2, 1], []]),
    ("directions.lens", ([["a", "b"]], [[0.2, 0.9]], ["x", "y"], ["0"]), images, [[[0.2], [0.9]]]),
    ("directions.plane", (token_plane([0.0, 2.0, 0.0], [3.0, 1.0, 0.0]), {"x": [[0, 0], [4, 1]]}, [" a", " b"], [0, 1]),
     lambda ax: [xy[1] / np.linalg.norm(xy[1]) * 10**0.5 for xy in xys(ax)[:3]], [[10**0.5, 0], [1, 3], [3, 1]]),
    ("embeddings.three_rows", (TRACE, 1, 2), lambda ax: said(ax)[1::2], ["1.00", "0.50", "0.50", "2.00", "1.00"]),
    ("embeddings.two_places", (TRACE, 0, 1), lambda ax: ax.get_title(loc="left") or ax.get_title(),
     ["tokens: equal", "+ positions: cosine 0.00", "+ segments: equal", "= sum: cosine 0.97",
      "LayerNorm: cosine 0.00"]),
    ("evolution.last_jump", (np.arange(12).reshape(3, 2, 2) ** 2, [".", "[SEP]"]), said, ["“.”", "[SEP]"]),
    ("evolution.layer_paths", ({"x": [[[-2, 0]], [[2, 0]]]},), lambda ax: abs(xys(ax)[0]), [[[2, 0], [2, 0]]]),
    ("gates.variance_strips", ({"x": [[0.1, 0.2]]}, [[0.08], [0.12]], [0.5]), boxes, [[[-0.35, 0.08, 0.7, 0.04]]]),
    ("heads.split_diagram", (3, 8, 2), lambda ax: [text for text in said(ax) if "×" in text],
     ["2 × (3, 4)", "2 × (3, 4)", "2 × (3, 4)", "weights\n2 × (3, 3)", "heads\n2 × (3, 4)"]),
    ("heads.attend_by_hand", (HEADS, ["a", "b"], 0), said,
     [["3", "5", "6", "10"], ["1", "0", ".50", ".50"], ["5", "6"], ["5", "5.50"]]),
    ("heads.join_by_hand", ([[1]], [[3]], [[4]], ["a"], 0), said, [["1"], ["3"], ["4"]]),
    ("heads.one_update", ([1.0], [2.0], [0.5], [3.0], ["a"], "a", "a"),
     lambda ax: [path.vertices for one in ax.collections for path in one.get_paths()],
     [[], [], [[[0, 0], [0, 0.5]]], [[[0, 0], [0, 3]], [[0, 3], [0, 3.5]]]]),
    ("heads.added_up", ([[3.0, 0.0], [3.0, 4.0]], [0.0, 1.0], [0.0, 0.0], "b"), lambda ax: [across(ax), images(ax)],
     [[[[0, 3], [3, 5], [0, 52**0.5], [0, 1], [0, 61**0.5]], []], [[], [[[9, 0.6], [0.6, 9]]]]]),
    ("heads.update_norms", ([[[3, 4]], [[0, 1]]], ["a"]), images, [[[5], [1]]]),
    ("learning.losses_by_kind", ([1, 2], {"new names": [4, 3.6], "verbs": [3, 0.7], "nouns": [3, 0.8]}), said,
     [["verbs, nouns:\n0.70 to 0.80", "new names: 3.60"]]),
    ("loud.changes", ({"x": {"a": (1, 0.5, 2, -9, 0), "b": (-1, -2, -1, 0, 0), "c": (0, -1, 1, 0, 0)}},),
     lambda ax: (ax.lines[0].get_xdata(), paint(ax)[1::2]), [[[0, 0], [[ORANGE, "-"], [BLUE, "-"], ["0.45", "-"]]]]),
    ("positions.position_breaks", ([[3.0, 4.0], [0.0, 2.0]], []), ys, [[[5, 2]], [[0.8]]]),
    ("positions.similarity_curves", ([[1, 0], [0.6, 0.8]], [1], 2), xys, [[[[0, 0.6], [1, 1]]], [[[-1, 0.6], [0, 1]]]]),
    ("positions.two_orders", ({"x": (np.eye(3), np.eye(3), [1, 1, 1])}, (["a", "b", "a"], ["b", "a", "a"])),
     lambda ax: [line.get_xdata() for line in ax.lines], [[[0, 1], [1, 0], [2, 2]]]),
    ("positions.clock_faces", ([4.0], [0, 1]), xys, [[[0, 0], [0, -0.42]], [[1, 0], [1.42, 0]]]),
    ("questions.token_kinds", ([[1, 0], [-1, 0], [0, 3], [0, -3]], {"all": range(4)}),
     lambda ax: [(one.center, one.width**2, one.height**2, abs(one.angle)) for one in ax.patches],
     [[[0, 0], 72, 8, 90]]),
    ("scale.merged", ([[0, 0], [2, 0], [1, 3]], [[8, 0], [6, 0], [7, 3]]),
     lambda ax: [one.center for one in ax.patches[:3]], [[1, 1], [7, 1], [4, 1]]),
    ("seeing.by_hand", ([[0, 0], [2, 1], [1, 2], [3, 3]],), lambda ax: [xy[0] for xy in xys(ax)[3::3]],
     [[[0, 0], [1.5, 1.5], [1.5, 1.5], [3, 3]], []]),
    ("shape.two_neighbors", ({"a": [[0, 0], [1, 0], [0, -1.5], [-4, 0.2], [3, 1.3]]}, {1: [2]}), radii, [[1.5, 1], []]),
    ("since.by_place", ({"x": {"a": [[1, 2], [3, 7]]}}, 16, 16), lambda ax: xys(ax)[0], [[[8, 2], [24, 4.5]]]),
    ("speed.ratios", (RATIOS, [[RATIOS[1] | {"ratio": 0.02}, RATIOS[0] | {"peer": "gone"}]]), lambda ax: xys(ax)[1:],
     [[[0.02, 1]], [[0.8, 0], [1.1, 0]], [[0.9, 0]], [[1.2, 0]], [[3, 1], [6, 1]], [[4, 1]]]),
    ("token_vectors.norms_along_ids", ([2] * 4 + [0, 1], ["a"] * 4 + ["b"] * 2, 2), lambda ax: xys(ax)[:2],
     [[[0.5, 2], [2.5, 2]], [[4.5, 0.5]]]),
    ("tokenization.vocabulary_blocks", ({"x": ["[PAD]", "a"]}, 2), heights, [[1, 0, 0, 1, 0, 0, 0, 0, 0, 0]]),
    ("tokenization.round_trip", ({"É m": {"W": "e m"}}, {"W": 0}, 1), across, [[5, 1], [0, 1]]),
]  # fmt: skip


@pytest.mark.parametrize("name, given, look, answer", KNOWN, ids=[name for name, *_ in KNOWN])
def test_figures_draw_known_answers(name, given, look, answer):
    drawn = attrgetter(name)(plots)(*given)
    axes = drawn.axes if isinstance(drawn, Figure) else np.ravel(np.array(drawn, dtype=object))
    found = look(drawn) if isinstance(drawn, Axes) else [look(ax) for ax in axes]
    assert plain(found) == plain(answer)


def test_times_have_a_suitable_unit():
    days = 365.25 * 1.96, 700, 1.0, 0.96, 0.5, 0.05, 1 / 1440, 40_000
    told = ["2 years", "700 days", "1 day", "0.96 days", "12 hours", "72 minutes", "1 minute", "110 years"]
    assert [plots.scale.told(one) for one in days] == told
