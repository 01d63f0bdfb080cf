import numpy as np

from tutorial_book import plots
from tutorial_book.experiments.virus import calibration


def test_the_names_stand_in_the_middle_of_their_blocks():
    ax = plots.virus.lineage_distances(np.arange(36.0).reshape(6, 6), ["a", "b"])
    assert ax.get_xticks().tolist() == ax.get_yticks().tolist() == [1, 4]
    assert [line.get_xdata()[0] for line in ax.lines if line.get_xdata()[0] == line.get_xdata()[1]] == [2.5]
    assert ax.images[0].get_array().tolist() == np.arange(36.0).reshape(6, 6).tolist()


def test_curves_have_bands_a_level_and_a_legend_for_all_panels():
    curves = {"BERT": ([0.9, 0.5], [0.8, 0.4], [1.0, 0.6]), "linear": ([1, 0.9], [1, 0.8], [1, 1])}
    first, second = plots.virus.falling_curves({"old": curves, "new": curves}, [0, 5], "wrong bases (%)", chance=0.2)
    assert [np.asarray(line.get_ydata()).tolist() for line in first.lines] == [[0.2, 0.2], [0.9, 0.5], [1, 0.9]]
    assert first.lines[1].get_color() != first.lines[2].get_color() and len(second.collections) == 2
    assert first.lines[1].get_linestyle() != first.lines[2].get_linestyle()
    names = [text.get_text() for text in first.figure.legends[0].get_texts()]
    assert names == ["guessing", "BERT", "linear"]


def test_a_mark_is_as_large_as_its_bin():
    p = np.array([[0.95, 0.05]] * 3 + [[0.55, 0.45]])
    [ax] = plots.virus.reliability({"BERT": {"clean": calibration(p, [0, 0, 1, 0])}})
    [marks] = ax.collections
    assert np.allclose(marks.get_offsets(), [[0.55, 1], [0.95, 2 / 3]])
    small, large = marks.get_sizes()
    assert small < large


def test_what_defines_the_variant_stands_out_in_every_row():
    axes = plots.virus.along_genome({"drop": [0.0, 3, 1], "attention": [0.1, 0.2, 0.3]}, [1], k=6)
    assert [ax.get_ylabel() for ax in axes] == ["drop", "attention"]
    assert axes[0].lines[0].get_xydata().tolist() == [[6, 3]]
    gray, marked = axes[1].collections
    assert len(gray.get_segments()) == 2 and len(marked.get_segments()) == 1
