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
    assert {t.get_text(): t.xy[0] for t in ax.texts} == {"cat, dog 0.42": 0.42, "the, bear -0.10": -0.1}
    heights = [t.xy[1] for t in ax.texts]
    assert len(set(heights)) == len(heights)  # no two labels in one line
