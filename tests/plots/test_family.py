import numpy as np
import pytest

from tutorial_book import plots

COUNTS = {"table of tokens": 23_000_000, "positions, segments": 400_000, "attention": 28_000_000, "rest": 600_000}


def test_a_bar_has_its_parts_side_by_side_and_its_sum_at_the_end():
    ax = plots.family.parts({"whole": COUNTS, "half": {"attention": 14_000_000}})
    first = [bar for bar in ax.patches if bar.get_y() < 0]
    assert np.allclose([bar.get_width() for bar in first], [23, 0.4, 28, 0, 0.6])
    assert np.allclose([bar.get_x() for bar in first], [0, 23, 23.4, 51.4, 51.4])
    assert [text.get_text() for text in ax.texts] == ["52.0", "14.0"]
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == list(plots.family.PARTS)
    assert plots.family.parts({"whole": COUNTS}, limit=80).get_xlim() == (0, 80)


def test_a_part_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="parts must be some of table of tokens.*, got heads"):
        plots.family.parts({"one": {"heads": 3}})


def test_each_way_to_learn_is_a_line_from_its_first_step():
    ax = plots.family.learning({"text": [[0, 3.0], [8, 2.0]], "teacher's": [[0, 3.0], [8, 1.8]]}, {"teacher": 1.5})
    assert ax.lines[1].get_xdata().tolist() == [0, 8] and ax.lines[1].get_ydata().tolist() == [3.0, 1.8]
    assert set(ax.lines[2].get_ydata()) == {1.5} and ax.get_yscale() == "log"
    assert ax.lines[0].get_color() != ax.lines[1].get_color()
