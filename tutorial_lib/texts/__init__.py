"""Where texts come from: collections that travel with the library, and published ones that are fetched when asked for.

The built-in ones were written for this book (CC BY 4.0), and each file in ``data`` says more about itself:

- "stories": sentences on everyday subjects, whose words come back in many forms: to train a tokenizer on.
- "documents": the sentences that the two documents use in their examples.
- "encyclopedia", "posts": short texts of two kinds, knowledge and moods.
- "sentence-pairs": pairs that differ in one contrast, such as doctor and nurse (L 4.4.2).
- "synonyms": groups of sentences that mean the same, and two groups of nonsense (L 4.4.1).
- "homonyms": words with two meanings, in texts that begin alike and mean different things (L 4.3).
- "words": nouns, verbs and adjectives.
- "queries": questions, and the texts of "encyclopedia" and "posts" that answer them.
"""

from tutorial_lib.texts import written

_WRITTEN = {
    "stories": lambda: written.collection("stories"),
    "documents": lambda: written.collection("documents"),
    "encyclopedia": lambda: written.collection("encyclopedia"),
    "posts": lambda: written.collection("posts"),
    "sentence-pairs": written.sentence_pairs,
    "synonyms": written.synonyms,
    "homonyms": written.homonyms,
    "words": written.words,
    "queries": written.queries,
}
NAMES = (*_WRITTEN,)


def load_texts(name, folder=None):
    """The texts of a collection, in order.

    Args:
        name: the collection's name.

    Returns:
        A list of strings for the collections of texts. "sentence-pairs" is a dictionary of contrast -> pairs, "synonyms"
        of group -> sentences, "homonyms" of word -> sense -> texts, "words" of word class -> words, "queries" of
        question -> the texts that answer it.

    Raises:
        ValueError: if there is no collection of this name.

    >>> load_texts("stories")[1]
    'She painted a portrait of an old sailor who had crossed the sea more often than he could count.'
    >>> load_texts("sentence-pairs")["doctor-nurse"][0]
    ('The doctor is waiting at the bus stop.', 'The nurse is waiting at the bus stop.')
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(map(repr, NAMES))}, got {name!r}")
    return _WRITTEN[name]()
