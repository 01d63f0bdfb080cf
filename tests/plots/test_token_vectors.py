import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.geometry import Distributions, distributions, to_mean


def test_four_distributions_have_an_outline_for_each_collection():
    rng = np.random.default_rng(0)
    measured = {name: distributions(rng.normal(size=(30, 5)) + i) for i, name in enumerate(("a", "b"))}
    measured["one of each"] = Distributions(np.array([]), *measured["a"][1:])
    axes = plots.token_vectors.four_distributions(measured)
    assert [ax.get_xlabel() for ax in axes] == ["norm", "distance of a pair", "dot product", "cosine"]
    assert [len(ax.patches) for ax in axes] == [2, 3, 3, 3]  # pairs between two collections have no length
    legend = axes[0].figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == list(measured)
    for ax, measure in zip(axes, Distributions._fields):
        for patch, name in zip(ax.patches, measured):
            x, y = patch.get_path().vertices.T
            values = getattr(measured[name], measure)
            assert x.min() <= values.min() and x.max() >= values.max()
            width = np.diff(np.unique(x)).mean()
            heights = y[1:-1:2]
            assert (heights * width).sum() == pytest.approx(1, rel=0.02)


def test_variance_curves_mark_where_the_share_is_reached():
    ax = plots.token_vectors.variance_curves({"a": [0.5, 0.3, 0.15, 0.05], "b": [0.95, 0.05]}, share=0.9)
    curve, dot, other, at_once, _ = ax.lines
    np.testing.assert_allclose(curve.get_ydata(), [50, 80, 95, 100])
    assert dot.get_xdata().tolist() == [3] and at_once.get_xdata().tolist() == [1]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a: 3 for 90 %", "b: 1 for 90 %"]


def test_norms_along_ids_are_medians_of_neighbors_of_one_kind():
    norms = np.concatenate([np.full(40, 2.0), np.arange(10)])
    ax = plots.token_vectors.norms_along_ids(norms, ["a"] * 40 + ["b"] * 10, window=20)
    first, second = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert first.get_xdata().tolist() == [9.5, 29.5] and first.get_ydata().tolist() == [2, 2]
    assert second.get_ydata().tolist() == [4.5]


def test_tails_stand_for_all_pairs():
    ax = plots.token_vectors.cosine_tails(np.zeros(10) + 0.005, (-0.3, 0.9), d_model=100, n_pairs=5000)
    assert ax.patches[0].get_data().values.max() == 5000 and ax.patches[0].get_data().values.sum() == 5000
    normal = ax.lines[0].get_ydata()
    assert np.nansum(normal) == pytest.approx(5000, rel=0.01)
    assert [line.get_xdata()[0] for line in ax.lines[1:]] == [-0.3, 0.9]
    assert [text.get_text() for text in ax.texts] == ["most\nopposed\n−0.30", "most\nsimilar\n0.90"]


def test_mean_histograms_show_each_column_and_the_marked_tokens():
    found = to_mean(np.random.default_rng(0).normal(size=(200, 5)) + 1)
    axes = plots.token_vectors.mean_histograms(found, {"x": 3, "y": 7}, bins=10)
    for ax, field in zip(axes, ("distances", "cosines", "dots", "norms")):
        values = getattr(found, field)
        assert sum(patch.get_height() for patch in ax.patches) == 200
        assert ax.lines[0].get_xdata()[0] == pytest.approx(values.mean())
        assert [float(line.get_xdata()[0]) for line in ax.lines[1:]] == pytest.approx([values[3], values[7]])
