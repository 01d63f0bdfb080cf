import matplotlib.pyplot as plt
import numpy as np

from tutorial_book import plots


def test_a_box_stands_for_each_number_and_none_where_there_is_none():
    _, ax = plt.subplots()
    plots.cells.cells(ax, np.array([[0.5, np.nan], [-1.0, 2.0]]), "W", names=["a", "b"], followed=1)
    assert [text.get_text() for text in ax.texts] == [".50", "−1", "2"]
    *boxes, framed = ax.patches
    assert len(boxes) == 3 and framed.get_height() == 1 and framed.get_y() == 0.5
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"] and ax.get_title() == "W"
