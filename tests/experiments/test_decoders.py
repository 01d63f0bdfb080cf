"""Stories by a rule: which ones count as right, and which as varied."""

from tutorial_book.experiments.decoders import groups, judged, of_grammar


def test_groups_of_five_overlap():
    assert groups([1, 2, 3, 4, 5, 6]) == [(1, 2, 3, 4, 5), (2, 3, 4, 5, 6)]


def test_repeated_stories_are_half_as_varied(book_bpe):
    told = of_grammar(book_bpe, seed=5, n=3)
    right, varied = judged(told, book_bpe)
    again, repeated = judged(told + told, book_bpe)
    assert right == again == 1 and repeated == varied / 2


def test_reversed_words_are_no_right_sentence(book_bpe):
    (story,) = of_grammar(book_bpe, seed=5, n=1)
    right, _ = judged([story[:-1][::-1]], book_bpe)
    assert right < 0.5
