"""The texts that come with the library: each collection is a plain file in ``data``, and this module reads them.

A file contains one text per line. A line that begins with ``#`` is a comment; the part before a tab says where the text
belongs; ``[name]`` opens a group; ``{a|b}`` is a slot for one of several words.
"""

import itertools
import random
import re
from pathlib import Path

from tutorial_lib.arguments import check_text

FOLDER = Path(__file__).parent / "data"
N_NONSENSE = 27  # as many as a group of sentences with three slots of three words


def lines(name: str) -> list[str]:
    """Return the lines of a file that are neither empty nor a comment."""
    content = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in content if line and not line.startswith("#")]


def collection(name: str) -> list[str]:
    """Return the texts of a file, without the part before the tab."""
    return [line.rpartition("\t")[2] for line in lines(name)]


def groups(name: str) -> dict[str, list[str]]:
    """Return the texts of a file with groups: group -> its texts."""
    texts = {}
    for text in collection(name):
        if text.startswith("["):
            group = texts[text.strip("[]")] = []
        else:
            group.append(text)
    return texts


def fill(text: str) -> list[str]:
    """Return every sentence that a text with slots describes, all combinations.

    >>> fill("{Hi|Hello}, {you|all}!")
    ['Hi, you!', 'Hi, all!', 'Hello, you!', 'Hello, all!']
    """
    check_text("text", text)
    parts = re.split(r"\{([^}]*)\}", text)  # plain, slot, plain, slot, ..., plain
    choices = [part.split("|") if k % 2 else [part] for k, part in enumerate(parts)]
    return ["".join(words) for words in itertools.product(*choices)]


def sentence_pairs() -> dict[str, list[tuple[str, str]]]:
    """Return contrast -> pairs of sentences that differ only in the contrast words."""
    return {contrast: [tuple(fill(text)) for text in texts] for contrast, texts in groups("sentence-pairs").items()}


def words() -> dict[str, list[str]]:
    """Return word class -> its words."""
    return {name: " ".join(texts).split() for name, texts in groups("words").items()}


def synonyms() -> dict[str, list[str]]:
    """Return group -> sentences with the same meaning; then two groups of nonsense of the same length."""
    sentences = {group: sum(map(fill, texts), []) for group, texts in groups("synonyms").items()}
    lengths = [len(sentence) for group in sentences.values() for sentence in group]
    sentences["random characters"] = _nonsense(lengths, _random_character)
    sentences["random words"] = _nonsense(lengths, _random_word)
    return sentences


def homonyms() -> dict[str, dict[str, list[str]]]:
    """Return word -> sense -> texts. Their first sentence leaves the sense open, their second one decides it."""
    words = {}
    for line in lines("homonyms"):
        if line.startswith("["):
            senses = words[line.strip("[]")] = {}
        else:
            sense, _, text = line.partition("\t")
            senses.setdefault(sense, []).append(text)
    return words


def paraphrases() -> list[tuple[str, str, str]]:
    """Return triples: a sentence, the same in other words, and a different one that keeps most of the words."""
    texts = collection("paraphrases")
    return list(zip(texts[::3], texts[1::3], texts[2::3], strict=True))


def queries() -> dict[str, list[str]]:
    """Return question -> the texts of "encyclopedia" and "posts" that answer it.

    The file identifies a text by its opening words. Raises ValueError if no text, or more than one, begins like that.
    """
    texts = collection("encyclopedia") + collection("posts")
    answers_to = {}
    for line in lines("queries"):
        if not line.startswith(" "):
            answers = answers_to[line] = []
            continue
        matches = [text for text in texts if text.startswith(line.strip())]
        if len(matches) != 1:
            raise ValueError(f"queries.txt must have the opening words of exactly one text, got {line.strip()!r}")
        answers += matches
    return answers_to


def _nonsense(lengths, draw):
    """Return sentences of random pieces, each about as long as a sentence drawn from the lengths."""
    rng = random.Random(0)
    pieces = draw(rng)
    sentences = []
    for length in rng.sample(lengths, N_NONSENSE):
        sentence = ""
        while len(sentence) < length:
            piece = next(pieces)
            if piece != " " or sentence[-1:] not in ("", " "):  # one space at a time
                sentence += piece
        sentences.append(sentence.strip().capitalize() + ".")
    return sentences


def _random_character(rng):
    """Return random letters, with a space about as often as in English."""
    while True:
        yield rng.choice("abcdefghijklmnopqrstuvwxyz" + 5 * " ")


def _random_word(rng):
    """Return words of the collection "words", each followed by a space."""
    every = sum(words().values(), [])
    while True:
        yield rng.choice(every) + " "
