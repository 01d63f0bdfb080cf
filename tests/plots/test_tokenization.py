import pytest
from matplotlib.colors import to_hex

from tutorial_book import plots
from tutorial_book.plots.tokenization import PAIR
from tutorial_lib.tokenization import BPE, anatomy, characters, words

SENTENCE = "The bear waited with a serendipitous smile."


def boxes(ax):
    """(line, first column, last column) of each colored box."""
    return [(round(p.get_y() + 0.32), round(p.get_x()), round(p.get_x() + p.get_width())) for p in ax.patches]


def test_each_token_of_a_cut_covers_its_own_letters(tok):
    ways = {"characters": characters(SENTENCE), "BERT": tok.tokenize(SENTENCE), "words": words(SENTENCE)}
    ax = plots.tokenization.token_cuts(SENTENCE, ways)
    for line, tokens in enumerate(ways.values()):
        drawn = [SENTENCE[start:end].lower() for number, start, end in boxes(ax) if number == line]
        assert drawn == [token.removeprefix("##").lower() for token in tokens]
    assert "BERT: 12 tokens" in [text.get_text() for text in ax.texts]


def test_a_cut_shows_the_space_that_bpe_keeps():
    ax = plots.tokenization.token_cuts("a b", {"bytes": BPE.train([""], 257).tokenize("a b")})
    assert boxes(ax) == [(0, 0, 1), (0, 1, 2), (0, 2, 3)]


def test_equal_letters_in_a_row_have_a_box_each():
    assert boxes(plots.tokenization.token_cuts("bee", {"characters": list("bee")})) == [(0, 0, 1), (0, 1, 2), (0, 2, 3)]


def test_a_cut_refuses_tokens_that_are_not_in_the_text():
    with pytest.raises(ValueError, match="'cat' is not in the rest"):
        plots.tokenization.token_cuts("a bear", {"wrong": ["a", "cat"]})


def test_sizes_draw_the_curves_and_points_that_are_given():
    curves, points = {"BPE": ([300, 600], [40, 30]), "WordPiece": ([300, 500], [32, 28])}, {"words": (1200, 16)}
    ax = plots.tokenization.vocabulary_sizes(curves, points)
    drawn = [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in ax.lines[:2]]
    assert drawn == list(curves.values()) and ax.get_xscale() == "log"
    assert [(text.get_text(), text.xy) for text in ax.texts] == [("words", (1200, 16))]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(curves)


def test_blocks_add_up_to_the_anatomy_of_the_vocabulary(tok):
    """Share times width, summed over the bins, is the number of tokens of each kind."""
    ax = plots.tokenization.vocabulary_blocks({"BERT": tok.tokens})[0]
    areas = {bars.get_label(): sum(bar.get_height() * bar.get_width() for bar in bars) for bars in ax.containers}
    kinds = anatomy(tok.vocab).kinds
    kinds["special or unused"] = kinds.pop("special") + kinds.pop("unused")
    assert areas == pytest.approx(kinds, rel=0.01)  # bins are of nearly, not exactly, equal numbers of ids
    tops = [bar.get_y() + bar.get_height() for bar in ax.containers[-1]]
    assert tops == pytest.approx([1] * len(tops))


def test_blocks_refuse_a_vocabulary_smaller_than_the_bins():
    with pytest.raises(ValueError, match="at least n_bins = 48"):
        plots.tokenization.vocabulary_blocks({"tiny": ["a", "b"]})


def test_the_grid_shows_tokens_ids_segments_and_padding(tok):
    batch = tok.batch(["What is AI?", "I love mathematics!"], ["It is new.", "So?"])
    ax = plots.tokenization.batch_grid(batch)
    width = len(batch.ids[0])
    assert len(ax.patches) == len(ax.texts) == 2 * width
    for number, (cell, text) in enumerate(zip(ax.patches, ax.texts, strict=True)):
        row, column = divmod(number, width)
        assert text.get_text() == f"{batch.tokens[row][column]}\n{batch.ids[row][column]}"
        assert bool(cell.get_hatch()) == (batch.attention_mask[row][column] == 0)
        if batch.attention_mask[row][column]:
            assert to_hex(cell.get_facecolor()) == PAIR[batch.token_type_ids[row][column]].lower()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["segment 0", "segment 1", "padding: mask 0"]


def test_the_legend_names_no_segment_that_is_not_there(tok):
    legend = plots.tokenization.batch_grid(tok.batch(["What?", "Why not?"])).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["segment 0", "padding: mask 0"]
