import numpy as np
import pytest

from tutorial_book import plots
from tutorial_book.plots.gates import FILLS, LETTERS
from tutorial_lib.geometry import GATES, gate_example, gate_scores


def test_maps_are_drawn_as_they_are_with_their_titles():
    maps = {gate: gate_example(gate, 8) for gate in GATES}
    axes = plots.gates.gate_maps(maps)
    assert [ax.get_title() for ax in axes] == list(GATES)
    for ax, A in zip(axes, maps.values(), strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), A)


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


def test_strips_have_a_dot_for_each_head_chance_as_a_band_and_the_best():
    shares = np.array([[0.1, 0.2, 0.3], [0.2, 0.2, 0.1]])
    [ax] = plots.gates.variance_strips({"queries": shares}, [[0.08, 0.09], [0.12, 0.11]], [0.5, 0.55])
    dots = [line.get_ydata() for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_array_equal(dots, shares)
    assert ax.lines[2].get_ydata().tolist() == [0.5, 0.55]
    bands = [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in ax.patches]
    np.testing.assert_allclose(bands, [(0.08, 0.12), (0.09, 0.11)])
    assert ax.get_ylim()[1] > 0.55
