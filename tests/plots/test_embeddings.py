import numpy as np
import pytest

from tutorial_book import plots

VOCABULARY = ["the", "bear", "cat"]


def test_the_product_that_is_drawn_is_the_look_up():
    E = np.array([[0.0, 0.1], [0.9, -0.8], [1.0, 0.5]])
    figure = plots.embeddings.one_hot_product([0, 1, 0], E, VOCABULARY, ["animal", "large"])
    O, table, X = ([float(t.get_text()) for t in ax.texts] for ax in figure.axes)
    assert O == [1, 0, 0, 0, 1, 0, 1, 0, 0]
    assert table == E.flatten().tolist()
    assert X == E[[0, 1, 0]].flatten().tolist()
    assert [t.get_text() for t in figure.axes[2].get_yticklabels()] == ["the", "bear", "the"]
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == VOCABULARY


def test_the_gradient_that_is_drawn_sums_the_rows_of_a_token():
    G = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 4.0]])
    figure = plots.embeddings.gradient_product([0, 1, 0], G, VOCABULARY, ["animal", "large"])
    shown = [float(t.get_text()) for t in figure.axes[2].texts]
    assert shown == [4, 6, 0.5, -1, 0, 0]


def test_a_look_up_shows_ids_and_the_rows_of_the_table():
    E = np.array([[0.0, 0.1], [0.9, -0.8], [1.0, 0.5]])
    left, right = plots.embeddings.look_up(["the", "bear", "the"], [2, 0, 2], E, 2).axes
    assert [t.get_text() for t in left.texts if t.get_text()] == ["the", "2", "bear", "0", "the", "2"]
    assert [float(t.get_text()) for t in right.texts] == E[[2, 0, 2]].flatten().tolist()


def test_words_stand_at_their_angles():
    ax = plots.embeddings.fan("love", {"hate": 0.5, "three": -0.25})
    shadows = [line.get_xdata()[0] for line in ax.lines]
    tops = [line.get_ydata()[0] for line in ax.lines]
    assert shadows == [0.5, -0.25] and np.allclose(np.hypot(shadows, tops), 1)
    assert "hate, 60°" in [t.get_text() for t in ax.texts]


def test_the_three_rows_add_up_and_two_places_are_compared(bert, tok):
    trace = bert.trace([tok.encode("The bear, the door.").ids])
    shown = [float(t.get_text()) for t in plots.embeddings.three_rows(trace, 2, 4).texts]
    rows = np.array(shown).reshape(5, 4)
    np.testing.assert_allclose(rows[:3].sum(0), rows[3], atol=0.02)
    titles = [ax.get_title() or ax.get_title(loc="left") for ax in plots.embeddings.two_places(trace, 1, 4).axes]
    assert titles[0] == "tokens: equal" and titles[2] == "+ segments: equal"
    assert all(": cosine 0." in title for title in (titles[1], titles[3], titles[4]))


@pytest.mark.parametrize("ids", [[3], [-1]])
def test_the_product_refuses_ids_without_a_row(ids):
    with pytest.raises(ValueError, match="rows of E"):
        plots.embeddings.one_hot_product(ids, np.zeros((3, 2)), VOCABULARY)


def test_the_sum_is_drawn_from_the_trace(bert, tok):
    encoding = tok.encode("The bear waited for the door.")
    trace = bert.trace([encoding.ids])
    axes = plots.embeddings.embedding_sum(trace, encoding.tokens, n_coordinates=8).axes[:5]
    drawn = [ax.images[0].get_array() for ax in axes]
    np.testing.assert_allclose(drawn[0] + drawn[1] + drawn[2], drawn[3], atol=1e-6)
    np.testing.assert_array_equal(drawn[4], trace["embeddings.output"][0, :, :8].detach().numpy())
    assert len({ax.images[0].get_clim() for ax in axes[:4]}) == 1  # one scale for what is added up
    with pytest.raises(ValueError, match="tokens must be those of the trace"):
        plots.embeddings.embedding_sum(trace, encoding.tokens[1:])


def test_named_pairs_stand_at_their_cosine():
    ax = plots.embeddings.random_cosines(np.linspace(-0.2, 0.2, 50), {"cat, dog": 0.42, "the, bear": -0.1})
    where = {t.get_text(): t.xy[0] for t in ax.texts}
    assert where == {"cat, dog 0.42: 0 closer": 0.42, "the, bear -0.10: 37 closer": -0.1}
    heights = [t.xy[1] for t in ax.texts]
    assert len(set(heights)) == len(heights)  # no two labels in one line
