"""Checks that the chapter on probing (row 7) cannot do: words and forms that are not on its list."""

from tutorial_book.experiments.probing import token_vectors, train_probe


def test_probe_classifies_new_words_and_forms(page, bert, tok):
    probe = train_probe(page.X, page.y)
    new = {"adjective": "horrific unidentified", "noun": "kits quartet", "verb": "describes replaces"}
    for k, name in enumerate(page.words.classes):
        assert (probe.probabilities(token_vectors(new[name].split(), bert, tok)).argmax(1) == k).all()
