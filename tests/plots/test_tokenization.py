import numpy as np
import pytest
from matplotlib.colors import to_hex

from tutorial_book import plots
from tutorial_book.plots.tokenization import FOUND, LOST, PAIR
from tutorial_lib.tokenization import BPE, anatomy, byte_characters, characters, words

SENTENCE = "The bear waited with a serendipitous smile."


def boxes(ax):
    """(line, first column, last column) of each colored box."""
    return [(round(p.get_y() + 0.32), round(p.get_x()), round(p.get_x() + p.get_width())) for p in ax.patches]


def said(ax):
    return [text.get_text() for text in ax.texts]


def test_a_cleaned_text_stands_above_its_words_and_what_changed_is_marked():
    ax = plots.tokenization.cleaned({"Né, a": ["n", "e", " , ", " ", "a"]})
    assert said(ax)[:2] == ["text", "words"] and said(ax)[2:7] == ["N", "é", ",", "␣", "a"]
    assert [text for text in said(ax)[7:] if text] == ["n", "e", ",", "a"]
    marked = [box.get_x() for box in ax.patches if to_hex(box.get_facecolor()) == LOST.lower()]
    assert np.round(marked).tolist() == [0, 1]
    drawn = [(round(box.get_x()), round(box.get_width())) for box in ax.patches if box.get_y() > 0.5]
    assert drawn == [(0, 2), (2, 1), (4, 1)]


def test_a_search_has_a_line_for_each_look_into_the_vocabulary(tok):
    pieces = tok.pieces("unreadable")
    ax = plots.tokenization.longest_match("unreadable", pieces, tok.vocab)
    verdicts = [text for text in said(ax) if len(text) > 2]
    looks, start = [], 0
    for piece in pieces:  # every longer candidate is missing
        end = start + len(piece.removeprefix("##"))
        longer = [("##" if start else "") + "unreadable"[start:stop] for stop in range(10, end, -1)]
        assert not any(candidate in tok.vocab for candidate in longer)
        looks += ["not in the vocabulary"] * len(longer) + [f"found: {piece}, id {tok.vocab[piece]}"]
        start = end
    assert verdicts == looks and len(looks) == 16


def test_words_stand_beside_their_pieces_and_what_is_unknown_is_orange(tok):
    axes = plots.tokenization.word_pieces({"xqq": tok.tokenize("xqq"), "🐻": tok.tokenize("🐻")}, tok.vocab)
    assert said(axes[0])[:3] == ["xqq", "x", str(tok.vocab["x"])] and said(axes[0])[3::2] == ["##q", "##q"]
    assert [to_hex(box.get_facecolor()) for box in axes[1].patches] == [LOST.lower()] and len(axes[1].artists) == 1


def test_a_tape_has_a_box_for_each_byte():
    [ax] = plots.tokenization.byte_tape(["€"], byte_characters())
    assert said(ax)[::2] == ["€", "â", "Ĥ", "¬"] and said(ax)[1::2] == [str(b) for b in "€".encode()]


def test_a_word_that_grows_marks_what_was_glued_last():
    ax = plots.tokenization.growing("abc", {0: ["a", "b", "c"], 5: ["a", "bc"], 9: ["abc"]})
    new = [(box.get_y() > 1.5, box.get_width()) for box in ax.patches if to_hex(box.get_facecolor()) == FOUND.lower()]
    assert new == [(False, 2), (True, 3)]


def test_a_round_trip_marks_what_does_not_come_back():
    ax = plots.tokenization.round_trip({"e-m É": {"W": "e - m e", "B": "e-m É"}}, {"W": 0, "B": 1}, total=1)
    width = 2 + len("e - m e")
    marked = sorted(round(box.get_x()) for box in ax.patches)
    assert marked == [4, width + 1, width + 3, width + 6]
    assert {"1 sentences", "0 come back", "1 come back"} <= set(said(ax))


def test_prices_are_counted_out_in_squares():
    axes = plots.tokenization.prices({"a": (85, 3.2, [False] * 41), "b": (40, 8.9, [True] + [False] * 39)})
    area = [round(sum(box.get_width() * box.get_height() for box in ax.patches)) for ax in axes]
    assert area == [85, 9, 41, 40, 81, 41]  # the last: 40 words and the orange square on one of them
    assert axes[5].get_title() == "2.5%\nunknown words"


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
    named = [(text.get_text(), text.xy) for text in ax.texts]
    assert named == [("BPE", (300, 40)), ("WordPiece", (300, 32)), ("words", (1200, 16))]


def test_blocks_add_up_to_the_anatomy_of_the_vocabulary(tok):
    """Share times width, summed over the bins, is the number of tokens of each kind."""
    ax = plots.tokenization.vocabulary_blocks({"BERT": tok.tokens})[0]
    [legend] = ax.figure.legends
    assert [text.get_text() for text in legend.get_texts()][1:] == ["one character", "word", "continuation"]
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
    assert len(ax.patches) == 2 * width and len(ax.texts) == 4 * 2 * width
    for number, cell in enumerate(ax.patches):
        row, column = divmod(number, width)
        lists = batch.tokens, batch.ids, batch.token_type_ids, batch.attention_mask
        assert said(ax)[4 * number : 4 * number + 4] == [str(part[row][column]) for part in lists]
        assert bool(cell.get_hatch()) == (batch.attention_mask[row][column] == 0)
        if batch.attention_mask[row][column]:
            assert to_hex(cell.get_facecolor()) == PAIR[batch.token_type_ids[row][column]].lower()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["segment 0", "segment 1", "padding: mask 0"]


def test_the_legend_names_no_segment_that_is_not_there(tok):
    legend = plots.tokenization.batch_grid(tok.batch(["What?", "Why not?"])).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["segment 0", "padding: mask 0"]
