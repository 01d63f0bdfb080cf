"""The figures of the chapter on two collections draw what they are given."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from tutorial_lib import plots
from tutorial_lib.geometry import Distributions, distributions


@pytest.fixture(autouse=True)
def no_windows():
    matplotlib.use("Agg")
    yield
    plt.close("all")


def test_four_distributions_have_an_outline_for_each_collection():
    rng = np.random.default_rng(0)
    measured = {name: distributions(rng.normal(size=(30, 5)) + i) for i, name in enumerate(("a", "b"))}
    measured["one of each"] = Distributions(np.array([]), *measured["a"][1:])
    axes = plots.four_distributions(measured)
    assert [ax.get_xlabel() for ax in axes] == ["length", "distance of a pair", "dot product", "cosine"]
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


def test_a_quantity_by_layer_is_one_curve_for_each_collection():
    ax = plots.by_layer({"a": [0.1, 0.2, 0.3], "b": [1, 2, 3]}, "average", bands={"a": ([0, 0, 0], [1, 1, 1])})
    assert [line.get_label() for line in ax.lines] == ["a", "b"]
    assert ax.lines[1].get_ydata().tolist() == [1, 2, 3]
    assert len(ax.collections) == 1 and ax.get_ylabel() == "average"
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()
