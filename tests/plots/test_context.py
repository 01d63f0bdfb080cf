import numpy as np
import pytest

from tutorial_book import plots


def test_each_curve_and_the_baseline_are_drawn():
    ax = plots.context.cosines_by_layer({"love": [1.0, 0.9], "bear": [0.9, 0.5]}, baseline=[0.1, 0.2])
    drawn = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert drawn == {"love": [1.0, 0.9], "bear": [0.9, 0.5], "two different words": [0.1, 0.2]}
    assert len(plots.context.cosines_by_layer({"love": [1.0, 0.9]}).lines) == 1


def test_the_scatter_keeps_distances_of_points_in_a_plane():
    X = np.random.default_rng(0).normal(size=(6, 2))
    states = (X @ np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0][:2])[None]  # the plane, turned in 8-d
    axes = plots.context.senses(states, ["noun"] * 3 + ["verb"] * 3, panels=[0], titles=["a"])
    drawn = np.concatenate([np.column_stack(line.get_data()) for line in axes[0].lines])
    distance = lambda P: np.linalg.norm(P[:, None] - P[None], axis=-1)  # noqa: E731
    np.testing.assert_allclose(distance(drawn), distance(X), atol=1e-9)
    with pytest.raises(ValueError, match="states must be"):
        plots.context.senses(states, ["noun"], panels=[0], titles=["a"])


def test_sentences_stand_in_the_order_of_their_places():
    ax = plots.context.along_a_line([2.0, -1.0, 0.5], ["late", "early", "middle"], ["a", "b", "a"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["early", "middle", "late"]
    of_group = {line.get_label(): line.get_xydata().tolist() for line in ax.lines if line.get_label() in "ab"}
    assert of_group == {"a": [[0.5, 1], [2, 2]], "b": [[-1, 0]]}
