"""English sentences with their Spanish translations, by a grammar that records which word comes from which.

The task needs attention. Spanish puts adjectives after the noun, the nearest first ("the old red house", "la casa roja
vieja"), and "yesterday" in front, which shifts all the rest. Articles and adjectives take the noun's gender, which
English does not show. The English past does not distinguish singular and plural ("the girl painted", "the girls
painted": "pintó", "pintaron"). The words are in ``data/translations.txt``. Source: L 3.2.7, where one such pair
represents the task of 2017.
"""

import random
from typing import NamedTuple

from tutorial_lib.arguments import check_seed, whole_number
from tutorial_lib.texts.written import groups

PAD, START, STOP = 0, 1, 2  # ids of signs that are not words
_SPECIAL = ("[PAD]", "[START]", "[STOP]")

_WORDS = {name: dict(row.split(maxsplit=1) for row in rows) for name, rows in groups("translations").items()}
_ARTICLES = _WORDS["articles"]
_VERBS = _WORDS["verbs"]
_TIMES = _WORDS["times"]
_OF_PEOPLE = (_WORDS["of people, first"], _WORDS["of people, second"])
_OF_THINGS = (_WORDS["of things, first"], _WORDS["of things, second"])


class Translation(NamedTuple):
    """A sentence in two languages. aligned: for each target word, the position of its source word."""

    source: list[str]
    target: list[str]
    aligned: list[int]


def translations(n: int, seed: int = 0) -> list[Translation]:
    """Return n random sentences with their translations, always the same for the same seed. None occurs twice.

    A shorter list is the beginning of a longer one, so train on the first part, and test on the sentences after it.
    Raises ValueError if n is not a number from 0 to 1,000,000.

    >>> pair = translations(1, seed=7822)[0]
    >>> " ".join(pair.source), " ".join(pair.target)
    ('my queens painted our old red house', 'mis reinas pintaron nuestra casa roja vieja')
    >>> pair.aligned
    [0, 1, 2, 3, 6, 5, 4]
    """
    seed = check_seed("seed", seed)
    n = whole_number("n", n, 0, "a number of sentences, 0 to 1,000,000", 1_000_000)
    rng = random.Random(seed)
    pairs = {}
    while len(pairs) < n:
        pair = _sentence(rng)
        pairs[tuple(pair.source)] = pair
    return list(pairs.values())


def vocabulary() -> dict[str, int]:
    """Return every word of both languages, and the three signs in front, with its id.

    >>> vocabulary()["[START]"], vocabulary()["[STOP]"]
    (1, 2)
    """
    words = {word for pair in _every_word() for side in pair for word in side.split()}
    return {word: number for number, word in enumerate([*_SPECIAL, *sorted(words)])}


def _sentence(rng):
    source, target, aligned = _noun_phrase(rng, _WORDS["people"], _OF_PEOPLE)
    many = source[-1].endswith("s")
    verb = rng.choice(sorted(_VERBS))
    target.append(_VERBS[verb].split()[many])
    aligned.append(len(source))
    source.append(verb)
    more_source, more_target, more_aligned = _noun_phrase(rng, _WORDS["things"], _OF_THINGS)
    target += more_target
    aligned += [len(source) + place for place in more_aligned]
    source += more_source
    if rng.random() < 0.5:
        time = rng.choice(sorted(_TIMES))
        target.insert(0, _TIMES[time])
        aligned.insert(0, len(source))
        source.append(time)
    return Translation(source, target, aligned)


def _noun_phrase(rng, nouns, kinds):
    """Return a noun phrase: in Spanish the article, the noun, then the adjectives from the nearest to the farthest."""
    noun = rng.choice(sorted(nouns))
    many = rng.random() < 0.5
    spanish, gender = nouns[noun].split()
    feminine = gender == "f"
    article = rng.choice(["the", "my", "our", *(("these", "some") if many else ("this", "a"))])
    adjectives = [(rng.choice(sorted(kind)), kind) for kind in kinds if rng.random() < 0.5]
    source = [article, *(english for english, _ in adjectives), noun + "s" * many]
    if article == "a" and source[1][0] in "aeiou":
        source[0] = "an"
    forms = _ARTICLES[article].split()
    one = forms[feminine + 2 * many] if len(forms) == 4 else forms[feminine]
    target = [one, _plural(spanish) if many else spanish]
    target += [_agree(spanish_of[english], feminine, many) for english, spanish_of in reversed(adjectives)]
    return source, target, [0, *range(len(source) - 1, 0, -1)]


def _agree(adjective, feminine, many):
    if feminine and adjective.endswith("o"):
        adjective = adjective[:-1] + "a"
    return _plural(adjective) if many else adjective


def _plural(word):
    """Return the plural: -s after a vowel, -es after a consonant: "casas", "árboles"."""
    return word + ("s" if word[-1] in "aeiouáéíóú" else "es")


def _every_word():
    """Return (English forms, Spanish forms) of each entry."""
    for nouns in (_WORDS["people"], _WORDS["things"]):
        for noun, spanish in nouns.items():
            word = spanish.split()[0]
            yield f"{noun} {noun}s", f"{word} {_plural(word)}"
    for adjectives in (*_OF_PEOPLE, *_OF_THINGS):
        for english, spanish in adjectives.items():
            yield english, " ".join(_agree(spanish, feminine, many) for feminine in (0, 1) for many in (0, 1))
    yield from _TIMES.items()
    yield from _ARTICLES.items()
    yield from _VERBS.items()
