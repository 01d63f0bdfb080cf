import numpy as np

from tutorial_book import plots


def test_measured_seconds_stand_beside_the_fitted_terms_and_their_sum():
    lengths = [128, 256]
    axes = plots.cost.seconds(
        {"forward": (lengths, [1.0, 2.5]), "both": (lengths, [2.0, 5.0]), "third": (lengths, [1.0, 2.0])},
        {"forward": ([0.9, 1.8], [0.1, 0.4]), "both": ([1, 2], [1, 3]), "third": ([1, 2], [0, 0])},
    )
    assert [ax.get_title() for ax in axes] == ["forward", "both", "third"]
    matrices, pairs, both, dots = axes[0].lines
    assert matrices.get_ydata().tolist() == [0.9, 1.8] and pairs.get_ydata().tolist() == [0.1, 0.4]
    assert np.allclose(both.get_ydata(), [1.0, 2.2]) and dots.get_ydata().tolist() == [1.0, 2.5]
    assert dots.get_linestyle() == "None" and axes[0].get_xscale() == axes[0].get_yscale() == "log"


def test_shares_add_up_to_one_and_say_that_of_the_pairs():
    ax = plots.cost.shares(512, {"BERT-base": (9, 1), "other": (1, 3)})
    assert [text.get_text() for text in ax.texts] == ["10 %", "75 %"]
    assert [bar.get_width() for bar in ax.patches] == [0.1, 0.9, 0.75, 0.25]
    assert ax.get_title() == "512 tokens"


def test_losses_have_a_band_and_a_color_of_their_own():
    curves = {"window": ([1, 2], [0.5, 0.2], [0.4, 0.1], [0.6, 0.3]), "chance": ([1, 4], [1, 1], [1, 1], [1, 1])}
    ax = plots.cost.losses(curves, level=1)
    window, chance, level = ax.lines
    assert [window.get_label(), chance.get_label()] == ["window", "chance"] and set(level.get_ydata()) == {1}
    assert window.get_ydata().tolist() == [0.5, 0.2] and window.get_color() != chance.get_color()
    assert sorted(set(ax.collections[0].get_paths()[0].vertices[:, 1].round(9))) == [0.1, 0.3, 0.4, 0.6]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "4"] and ax.get_xscale() == "log"
