from tutorial_book import plots

ROWS = [
    {"name": "forward", "peer": "transformers", "ratio": 0.9, "low": 0.8, "high": 1.0, "limit": 1.0},
    {"name": "words", "peer": "Rust", "ratio": 4.0, "low": 3.0, "high": 6.0, "limit": None},
]


def test_a_ratio_stands_between_its_quartiles_and_beside_its_limit_if_it_has_one():
    ax = plots.speed.ratios(ROWS)
    one, quartiles, ratio, limit, open_quartiles, open_ratio = ax.lines
    assert set(one.get_xdata()) == {1} and quartiles.get_xdata().tolist() == [0.8, 1.0]
    assert ratio.get_xdata().tolist() == [0.9] and limit.get_xdata().tolist() == [1.0]
    assert open_quartiles.get_xdata().tolist() == [3.0, 6.0] and open_ratio.get_markerfacecolor() == "white"
    assert ratio.get_markerfacecolor() != "white" and ax.get_xscale() == "log"


def test_comparisons_stand_from_top_to_bottom_and_all_of_them_fit():
    ax = plots.speed.ratios(ROWS)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["forward\n/ transformers", "words\n/ Rust"]
    bottom, top = ax.get_ylim()
    left, right = ax.get_xlim()
    assert bottom > 1 > 0 > top and left < 0.8 and right > 6
    assert "1" in [label.get_text() for label in ax.get_xticklabels()]


def test_earlier_runs_are_drawn_on_the_lines_of_what_is_still_compared():
    earlier = [[ROWS[1] | {"ratio": 0.02}], [ROWS[0] | {"ratio": 1.3}, ROWS[0] | {"peer": "one that has gone"}]]
    ax = plots.speed.ratios(ROWS, earlier)
    (dots,) = [line for line in ax.lines if line.get_gid() == "earlier"]
    assert dots.get_xydata().tolist() == [[0.02, 1], [1.3, 0]]
    assert ax.get_xlim()[0] < 0.02 and "0.01" in [label.get_text() for label in ax.get_xticklabels()]
