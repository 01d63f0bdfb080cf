import numpy as np
import pytest

from tutorial_book import plots
from tutorial_book.plots.gates import FILLS, LETTERS
from tutorial_lib.geometry import GATES, gate_example, gate_scores


def test_maps_are_drawn_as_they_are_with_their_titles_and_tokens():
    maps = {gate: gate_example(gate, 8) for gate in GATES}
    axes = plots.gates.gate_maps(maps, list("abcdefgh"))
    assert [ax.get_title() for ax in axes] == list(GATES)
    for ax, A in zip(axes, maps.values(), strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), A)
        assert [tick.get_text() for tick in ax.get_yticklabels()] == list("abcdefgh")


def test_the_bars_are_the_scores_and_the_gate_s_own_stands_out():
    A = gate_example("forward", 9)
    left, right = plots.gates.map_with_scores(A, "one map")
    assert left.get_title() == "one map" and right.get_title() == "gate: forward"
    bars = {label.get_text(): bar for label, bar in zip(right.get_yticklabels(), right.patches, strict=True)}
    for gate, score in zip(GATES, gate_scores(A), strict=True):
        assert bars[gate].get_width() == pytest.approx(score)
        assert bars[gate].get_y() + 0.35 == pytest.approx(6 - GATES.index(gate))
    assert {gate for gate in GATES if bars[gate].get_facecolor() != bars["open"].get_facecolor()} == {"forward"}
    assert any(set(line.get_xdata()) == {0.5} for line in right.lines)


def test_each_gate_has_a_letter_and_a_color_of_its_own():
    assert list(LETTERS) == list(FILLS) == [*GATES, "mixed"]
    assert len(set(LETTERS.values())) == len(set(FILLS.values())) == 8


def test_the_census_has_a_letter_for_each_head_and_a_legend_of_what_is_there():
    ax = plots.gates.census([["open", "mixed", "open"], ["cluster", "closed", "open"]])
    places = {tuple(text.get_position()): text.get_text() for text in ax.texts}
    assert places == {(0, 0): "O", (1, 0): "·", (2, 0): "O", (0, 1): "K", (1, 1): "C", (2, 1): "O"}
    legend = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert legend == ["C: closed", "K: cluster", "O: open", "·: mixed"]
    assert all(text.get_text()[0] != "(" for text in ax.texts)
    doubted = plots.gates.census([["open", "closed"]], [[False, True]])
    assert [text.get_text() for text in doubted.texts] == ["(O)", "C"]
    with pytest.raises(ValueError, match="names must be gates or 'mixed'"):
        plots.gates.census([["half-open"]])


def test_curves_by_layer_have_bands_levels_and_one_legend():
    panels = {"a": {"x": ([1.0, 2.0], [0.5, 1.5], [1.5, 2.5]), "y": [0.0, 1.0]}, "b": {"y": [3.0, 2.0]}}
    first, second = plots.gates.layer_panels(panels, levels={"b": 2.5})
    assert first.lines[0].get_xdata().tolist() == [0, 1] and first.lines[1].get_ydata().tolist() == [0, 1]
    assert len(first.collections) == 1 and len(second.collections) == 0
    assert set(second.lines[-1].get_ydata()) == {2.5}
    assert [text.get_text() for text in first.figure.legends[0].get_texts()] == ["y", "x"]


def test_a_label_has_one_color_and_one_that_few_panels_have_takes_none_from_the_others():
    both = {"x": [1, 2], "y": [2, 1]}
    axes = plots.gates.layer_panels({"a": {"x": [1, 2], "only here": [2, 2], "y": [2, 1]}, "b": both})
    plain = plots.gates.layer_panels({"a": {"x": [1, 2], "y": [2, 1]}})
    colors = [{line.get_label(): line.get_color() for line in ax.lines} for ax in (*axes, *plain)]
    assert colors[1] == colors[2] and {**colors[0], **colors[1]} == colors[0] and len(set(colors[0].values())) == 3
    assert [text.get_text() for text in axes[0].figure.legends[0].get_texts()] == ["x", "y", "only here"]


def test_strips_have_a_dot_for_each_head_chance_as_a_band_and_the_best():
    shares = np.array([[0.1, 0.2, 0.3], [0.2, 0.2, 0.1]])
    [ax] = plots.gates.variance_strips({"queries": shares}, [[0.08, 0.09], [0.12, 0.11]], [0.5, 0.55])
    dots = [line.get_ydata() for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_array_equal(dots, shares)
    assert ax.lines[2].get_ydata().tolist() == [0.5, 0.55]
    bands = [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in ax.patches]
    np.testing.assert_allclose(bands, [(0.08, 0.12), (0.09, 0.11)])
    assert ax.get_ylim()[1] > 0.55
