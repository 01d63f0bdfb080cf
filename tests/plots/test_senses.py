"""Two trees beside each other show which edges both have; a panel has a curve for each probe."""

from matplotlib.colors import to_hex
from matplotlib.patches import Arc

from tutorial_book import plots

WORDS = ["The", "bear", "likes", "honey"]
TRUE, DRAWN = {(0, 1), (1, 2), (2, 3)}, {(0, 1), (1, 2), (1, 3)}


def test_an_arc_joins_two_words_at_the_left_for_the_tree_at_the_right_for_the_probe():
    ax = plots.senses.two_trees(WORDS, TRUE, DRAWN)
    arcs = [patch for patch in ax.patches if isinstance(patch, Arc)]
    for edges, side in ((TRUE, arcs[:3]), (DRAWN, arcs[3:])):
        assert [arc.center[1] for arc in side] == [(i + j) / 2 for i, j in sorted(edges)]
    assert all(arc.center[0] < 0 for arc in arcs[:3]) and all(arc.center[0] > 0 for arc in arcs[3:])
    assert [text.get_text() for text in ax.texts] == [*WORDS, "the tree", "the probe"]


def test_what_both_have_is_blue_and_a_wrong_edge_orange_and_dashed():
    arcs = plots.senses.two_trees(WORDS, TRUE, DRAWN).patches
    blue, orange, gray = plots.COLORS[0], plots.COLORS[1], plots.base.ROLES["the rest"]
    colors = [to_hex(arc.get_edgecolor()).upper() for arc in arcs]
    assert colors == [blue, blue, gray, blue, blue, orange]
    assert [arc.get_linestyle() for arc in arcs] == ["-"] * 5 + ["--"]


def test_a_panel_has_a_curve_for_each_probe_and_a_dotted_line_for_what_needs_no_vectors():
    curves = {"trained": ([0.8, 0.9], [0.7, 0.8], [0.9, 1.0]), "shuffled": [0.7, 0.6]}
    axes = plots.senses.by_probe({"a": curves, "b": curves}, {"a": {"chain": 0.5}, "b": {"chain": 0.6, "lot": 0.3}})
    assert [ax.get_title() for ax in axes] == ["a", "b"]
    assert [list(line.get_ydata()) for line in axes[0].lines[:2]] == [[0.8, 0.9], [0.7, 0.6]]
    assert [line.get_label() for line in axes[1].lines] == ["trained", "shuffled", "chain", "lot"]
    assert [line.get_ydata()[0] for line in axes[1].lines[2:]] == [0.6, 0.3]
