"""Labels by hand, for the roles of heads (R 10, L Fig. 8): sentences with marked words, and maps with their pattern.

The sentences are `Story` objects like the generated ones, so `pairs` and `word_of` work on both. The stories are many
and narrow, these are few and wide: both are needed to say what a head does.
"""

import re
from dataclasses import replace
from typing import NamedTuple

from tutorial_lib.arguments import check_has, check_text, one_of
from tutorial_lib.texts.generated import Story, Word
from tutorial_lib.texts.written import groups

SETS = ("first", "second")
LINKS = {"subject": "VS", "object": "VO", "determiner": "ND", "antecedent": "PA"}  # relation: (dependent, head)
_WORD = re.compile(r"(\w+)(?:/([SVODNPA]+))?|[^\w\s]")
_LETTERS = re.compile(r"/[SVODNPA]+")


def marked(which: str) -> list[Story]:
    """Return the sentences of the set "first" or "second", each a one-sentence `Story` with one pair per relation.

    Look at the first set as often as you want; test what you found there on the second. Only punctuation has a part of
    speech. Raises ValueError for another name.

    >>> story = marked("first")[0]
    >>> story.text
    'The old baker slowly opened the heavy wooden door when he heard the bell.'
    >>> [(story.words[i].text, story.words[j].text) for i, j in story.pairs("antecedent")]
    [('he', 'baker')]
    """
    return [read(line) for line in groups("roles")[one_of("which", which, SETS)]]


def read(line: str) -> Story:
    """Parse a sentence whose words carry their letters after a slash, as ``data/roles.txt`` explains.

    Raises ValueError if a letter occurs twice, or without its partner.

    >>> read("Bears/S like/V honey/O.").pairs("object")
    [(2, 1)]
    """
    check_text("line", line)
    text = _LETTERS.sub("", line)
    words = []
    at = {}  # letter -> number of its word
    for match in _WORD.finditer(line):
        start = len(_LETTERS.sub("", line[: match.start()]))
        words.append(Word(match[1] or match[0], "" if match[1] else "punctuation", start=start))
        for letter in match[2] or "":
            if letter in at:
                raise ValueError(f"line must have each letter once, got {letter} twice in {line!r}")
            at[letter] = len(words) - 1
    for relation, (of, which) in LINKS.items():
        if of in at and which in at:
            setattr(words[at[of]], relation, at[which])
        elif which in at or (of in at and of != "V"):
            raise ValueError(f"line must have both {of} and {which} or neither, got only one in {line!r}")
    return Story(words, [text], text)


def sentences_of(story: Story) -> list[Story]:
    """Return the sentences of a story as separate stories, without relations between sentences.

    >>> from tutorial_lib.texts.generated import stories
    >>> [one.text for one in sentences_of(stories(1)[0])][:2]
    ['Grandpa and Tom were the best friends.', 'Tom had a puzzle.']
    """
    check_has("story", story, "a Story", "sentences")
    sentences = []
    at = 0
    for text in story.sentences:
        start = story.text.index(text, at)
        at = start + len(text)
        number = {i: k for k, i in enumerate(i for i, word in enumerate(story.words) if start <= word.start < at)}
        words = []
        for word in (story.words[i] for i in number):
            links = {relation: number.get(getattr(word, relation)) for relation in LINKS}
            words.append(replace(word, start=word.start - start, **links))
        sentences.append(Story(words, [text], text))
    return sentences


class LabeledMap(NamedTuple):
    """An attention map of the default model and its pattern, labeled by eye.

    text, pair: the input, pair None for one text. sure: whether the labeler was. half: "first", on which the rule was
    tuned, or "second".
    """

    text: str
    pair: str | None
    layer: int
    head: int
    pattern: str
    sure: bool
    half: str


def labeled_maps() -> list[LabeledMap]:
    """Return the maps of ``data/attention-maps.txt``, in the order in which they were labeled.

    >>> len(labeled_maps()) >= 60, labeled_maps()[0].half
    (True, 'first')
    """
    sections = groups("attention-maps")
    texts = [(first, second or None) for first, _, second in (line.partition(" | ") for line in sections["texts"])]
    maps = []
    for half in SETS:
        for line in sections[half]:
            number, layer, head, pattern = line.split(" ", 3)
            name = pattern.rstrip("?")
            maps.append(LabeledMap(*texts[int(number)], int(layer), int(head), name, name == pattern, half))
    return maps
