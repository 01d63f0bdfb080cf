import numpy as np
import pytest

from tutorial_book import plots


def test_the_marked_token_is_bold_among_the_weights():
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    ax = plots.sinks.looked_at(weights, ["a", "b", "c"], 2)
    assert ax.images[0].get_array().data.tolist() == weights.tolist()
    assert [name.get_fontweight() for name in ax.get_xticklabels()] == ["normal", "normal", "bold"]


def test_curves_have_bands_over_the_layers():
    band = [0.1, 0.2], [0.0, 0.1], [0.2, 0.3]
    axes = plots.sinks.by_layers({"one": {"a": band, "b": band}, "two": {"a": band, "b": band}}, "lost")
    assert [ax.get_title() for ax in axes] == ["one", "two"]
    assert len(axes[1].lines) == len(axes[1].collections) == 2 and axes[0].get_ylabel() == "lost"


def test_words_are_joined_and_written_out_once():
    points = {"1 word": (0.1, 0.02, 0.01, 0.03), "2 words": (0.2, 0.05, 0.04, 0.06), "[CLS], key": (0.4, 0.3, 0.2, 0.4)}
    (ax,) = plots.sinks.worth({"posts": points})
    assert ax.lines[0].get_xydata().tolist() == [[0.1, 0.02], [0.2, 0.05]]
    assert [text.get_text() for text in ax.texts] == ["1", "2 words", "[CLS], key"]
    assert ax.texts[2].get_ha() == "right"  # at the right edge
    assert ax.lines[-1].get_xydata().tolist() == [[0.4, 0.3]]


def test_each_seed_is_a_dot_and_a_second_list_crosses():
    panels = {"weight": {"a": [[0.1, 0.3], [0.0, 0.2]], "b": [[0.2, 0.2], [0.1, 0.1]]},
              "peak": {"a": [5.0, 7.0], "b": [6.0, 6.0]}}  # fmt: skip
    weight, peak = plots.sinks.kinds(panels, ["a", "b"])
    dots, mean, crosses, _ = weight.lines[:4]
    assert dots.get_xdata().tolist() == [0.1, 0.3] and crosses.get_xdata().tolist() == [0.0, 0.2]
    assert (dots.get_marker(), crosses.get_marker()) == ("o", "x")
    assert np.mean(mean.get_xdata()) == pytest.approx(0.2)
    assert len(peak.lines) == 2 * 2 + 1 and peak.lines[0].get_xdata().tolist() == [5, 7]
    assert [text.get_text() for text in weight.get_yticklabels()] == ["a", "b"]
