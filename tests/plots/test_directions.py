import numpy as np
import pytest

from tutorial_book import plots
from tutorial_lib.geometry import plane_path, token_plane


def test_lengths_are_told_apart_by_whether_a_token_was_seen():
    left, right = plots.directions.row_lengths([1.0, 1.2, 2.9, 3.0], [40, 3, 0, 0])
    assert [text.get_text() for text in left.figure.legends[0].get_texts()] == ["seen", "unseen"]
    assert right.lines[0].get_xydata().tolist() == [[40.0, 1.0], [3.0, 1.2]]
    assert [text.get_text() for text in right.texts] == ["unseen"]
    _, alone = plots.directions.row_lengths([1.0, 1.2], [4, 5])
    assert not alone.texts  # no band where every token was seen
    with pytest.raises(ValueError, match=r"two lists of one length, got \(2,\) and \(3,\)"):
        plots.directions.row_lengths([1.0, 2.0], [1, 2, 3])


def test_the_embedded_token_stands_apart_from_all_others():
    scores = np.array([0.1, 1.4, -0.9, 0.8])
    one, other = plots.directions.peaks({"transpose": scores, "twice": 2 * scores}, 1, {3: "boat"})
    rest, own = one.collections
    assert sorted(segment[1][1] for segment in rest.get_segments()) == [-0.9, 0.1, 0.8]
    assert [segment[1].tolist() for segment in own.get_segments()] == [[1.0, 1.4]]
    assert [text.get_text() for text in other.texts] == ["boat", "2.80"] and other.get_title() == "twice"
    assert other.texts[0].xy == (3, 1.6)


def test_confidence_and_loss_stand_over_the_length_of_the_state():
    left, right = plots.directions.confidence([0.5, 1, 2], {"Mia": [0.4, 0.6, 0.9]}, [1.0, 0.7, 0.8])
    assert left.lines[0].get_xydata().tolist() == [[0.5, 0.4], [1, 0.6], [2, 0.9]]
    assert right.lines[0].get_ydata().tolist() == [1.0, 0.7, 0.8]
    assert all(set(ax.lines[-1].get_xdata()) == {1} and ax.get_xscale() == "log" for ax in (left, right))


def test_agreement_is_a_line_for_each_pair_of_measures():
    ax = plots.directions.agreement([0.1, 1], {"distance and dot product": [0.7, 0.96], "others": [0.8, 0.8]})
    assert [line.get_ydata().tolist() for line in ax.lines[:2]] == [[0.7, 0.96], [0.8, 0.8]]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0.1", "1"]


def test_the_lens_says_words_in_rows_and_layers_in_columns():
    ax = plots.directions.lens([["a", "b"], ["c", "d"]], [[0.2, 0.9], [0.5, 1.0]], ["x", "y"], ["0", "1"])
    assert {text.get_text(): text.get_position() for text in ax.texts} == {
        "a": (0, 0), "b": (0, 1), "c": (1, 0), "d": (1, 1)}  # fmt: skip
    assert ax.images[0].get_array().tolist() == [[0.2, 0.5], [0.9, 1.0]]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["x", "y"]
    with pytest.raises(ValueError, match=r"probabilities must be \(2, 3\), a row a layer, got \(2, 2\)"):
        plots.directions.lens([["a", "b"], ["c", "d"]], np.ones((2, 2)), ["x", "y", "z"], ["0", "1"])


def test_on_the_dotted_line_of_the_plane_both_tokens_have_one_score():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 8))
    found, states = token_plane(a, b), 5 * rng.standard_normal((3, 8))
    path = plane_path(found, states).coordinates
    ax = plots.directions.plane(found, {"one": path, "two": -path}, [" a", " b"], ["0", "1", "2"])
    first, second, same, one, two = ax.lines
    ends = [np.array(line.get_xydata()[1]) for line in (first, second, same)]
    assert np.allclose([end[0] * token[1] - end[1] * token[0] for end, token in zip(ends, found.tokens)], 0)
    assert np.diff(found.tokens @ ends[2]) == pytest.approx(0, abs=1e-9)
    assert np.allclose(one.get_xydata(), path) and np.allclose(two.get_xydata(), -path)
    assert [text.get_text() for text in ax.texts] == [" a", " b", "same score", "0", "1", "2"]


def test_a_bundle_map_draws_each_group_and_names_what_it_is_told():
    ax = plots.directions.bundle_map({"seen": [[0, 1], [1, 1]], "unseen": [[3, 0]]}, {"boat": [0, 1]})
    assert [line.get_xydata().tolist() for line in ax.lines] == [[[0, 1], [1, 1]], [[3, 0]], [[0, 0]]]
    assert [(text.get_text(), list(text.xy)) for text in ax.texts] == [("boat", [0, 1])]
