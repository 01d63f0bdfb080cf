"""Texts: collections shipped with the library, stories from a grammar, and published collections that are downloaded.

Included, and written for this book (CC BY 4.0); each file in ``data`` says more about itself:

- "stories": sentences on everyday subjects, whose words come back in many forms: to train a tokenizer on.
- "documents": the sentences that the two documents use in their examples.
- "encyclopedia", "posts": short texts of two kinds, knowledge and moods.
- "sentence-pairs": pairs that differ in one contrast, such as doctor and nurse (L 4.4.2).
- "synonyms": groups of sentences with the same meaning, and two groups of nonsense (L 4.4.1).
- "homonyms": words with two meanings, in texts that begin in the same way and mean different things (L 4.3).
- "paraphrases": a sentence, the same in other words, and a different statement in the same words.
- "words": nouns, verbs and adjectives (L 3.2.3).
- "queries": questions, and the texts of "encyclopedia" and "posts" that answer them.

Made by a grammar, as many as you want: `texts.generated.stories(n, seed)`, small stories with labels, and
`texts.checked.check`, which says whether a text is such a story, and why not; `texts.translations`, pairs of sentences
in English and Spanish. With labels by hand: `texts.marked`, sentences whose verb, subject, object, determiner and
pronoun are marked, and attention maps with their pattern.

Published by others, under their licenses: "wikipedia", "tweets", "luisto-pairs" and "wordnet".
"""

import os
from functools import partial

from tutorial_lib.arguments import one_of
from tutorial_lib.texts import written
from tutorial_lib.texts.fetch import TextsNotAvailable, stand_in

__all__ = ["NAMES", "TextsNotAvailable", "load_texts"]

_PLAIN = ("stories", "documents", "encyclopedia", "posts")
_WRITTEN = {name: partial(written.collection, name) for name in _PLAIN} | {
    "sentence-pairs": written.sentence_pairs,
    "synonyms": written.synonyms,
    "homonyms": written.homonyms,
    "paraphrases": written.paraphrases,
    "words": written.words,
    "queries": written.queries,
}
_PUBLISHED = ("wikipedia", "tweets", "luisto-pairs", "wordnet")
NAMES = (*_WRITTEN, *_PUBLISHED)


def load_texts(name: str, folder: str | os.PathLike | None = None) -> list | dict[str, list | dict]:
    """Return the texts of a collection, in order.

    The published collections are downloaded once, with a progress bar, into the user's cache folder. Each file has a
    known SHA-256, and a file that does not match is never used.

    name: one of ``NAMES``. folder: a folder with the published files, in place of the network. None uses the folder in
    the environment variable TUTORIAL_LIB_TEXTS, if it is set. The built-in collections need neither.

    Returns a list of strings ("paraphrases": of triples), or a dictionary: "sentence-pairs" and "luisto-pairs" contrast
    -> pairs of sentences, "synonyms" group -> sentences, "homonyms" word -> sense -> texts, "words" and "wordnet" word
    class -> words, "queries" question -> texts. Raises ValueError if there is no collection of this name,
    TextsNotAvailable if folder or network do not deliver a file: what was tried and what to do. Source: L 3.2.3, L 4.4.

    >>> load_texts("stories")[1]
    'She painted a portrait of an old sailor who had crossed the sea more often than he could count.'
    >>> load_texts("sentence-pairs")["doctor-nurse"][0]
    ('The doctor is waiting at the bus stop.', 'The nurse is waiting at the bus stop.')
    """
    one_of("name", name, NAMES)
    place = stand_in(folder)
    if name in _WRITTEN:
        return _WRITTEN[name]()
    from tutorial_lib.texts import published  # only here: most chapters do not need it

    return getattr(published, name.replace("-", "_"))(place)
