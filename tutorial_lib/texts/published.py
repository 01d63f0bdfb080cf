"""Collections published by others: downloaded from their publishers on request, and turned into plain texts.

None of them is part of this book, and each has its own license; see the docstrings. Their addresses are in
``data/published.txt``.
"""

import json
import re
import tarfile
from pathlib import Path

from tutorial_lib.arguments import check_text
from tutorial_lib.texts.fetch import Source, fetch
from tutorial_lib.texts.written import groups

SOURCES = {
    name: tuple(Source(file, url, sha256) for file, sha256, url in map(str.split, rows))
    for name, rows in groups("published").items()
}
_WORD_CLASSES = {"noun": "index.noun", "verb": "index.verb", "adjective": "index.adj"}
_BEFORE = ("(", "[", "“", "$", "£", "€")  # no space after these
_AFTER = (".", ",", ";", ":", "!", "?", ")", "]", "”", "%", "°", "′", "″")  # no space before these
_LEAST_WORDS = 10  # shorter lines are items of lists


def wikipedia(folder: Path | None) -> list[str]:
    """Return paragraphs of Wikipedia articles: validation and test texts of WikiText-2 (CC BY-SA), without headings.

    WikiText-2 has `<unk>` in place of every word that is rare in its training text. That mark is left out here: it is
    not a word of any vocabulary, and no other collection has it, so vectors would reflect the mark and not the text. A
    sentence may therefore lack a name or a part of a number. Lines of fewer than ten words, the items of lists, are
    left out as well.
    """
    paths = fetch("wikipedia", SOURCES["wikipedia"], folder)
    lines = [line.strip() for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    paragraphs = [plain(line) for line in lines if not (line.startswith("= ") and line.endswith(" ="))]
    return [paragraph for paragraph in paragraphs if len(paragraph.split()) >= _LEAST_WORDS]


def tweets(folder: Path | None) -> list[str]:
    r"""Return the 3,257 tweets that L uses: the training texts of TweetEval's task "emotion" (Barbieri et al., 2020).

    They are unchanged, except for the space at their end: a user's name is `@user`, an ampersand `&amp;`, a new line
    the two characters `\n`. They are real, and some are offensive.
    """
    (path,) = fetch("tweets", SOURCES["tweets"], folder)
    return [line.strip() for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def luisto_pairs(folder: Path | None) -> dict[str, list[tuple[str, str]]]:
    """Return contrast -> the sentence pairs of L 4.4.2 as their author published them (MIT), in both directions.

    Some pairs differ in more than the contrast, for instance in a full stop; they are left unchanged.
    """
    (path,) = fetch("luisto-pairs", SOURCES["luisto-pairs"], folder)
    pairs = json.loads(path.read_text(encoding="utf-8"))
    return {contrast: [tuple(pair) for pair in both] for contrast, both in pairs.items()}


def wordnet(folder: Path | None) -> dict[str, list[str]]:
    """Return word class -> the words that WordNet 3.1 (Princeton University, WordNet License) has only in this class.

    Single words in lower case; the order is the dictionary's. The folder may contain the archive, or the index files of
    any edition of WordNet 3, as Linux distributions unpack them; those have no checksum.
    """
    every = {name: _lemmas(content) for name, content in _wordnet_index(folder).items()}
    if not all(every.values()):
        raise ValueError(f"folder {folder} must contain index files of WordNet, got files without words")
    others = {name: set().union(*(every[other] for other in every if other != name)) for name in every}
    return {name: [word for word in words if word not in others[name]] for name, words in every.items()}


def plain(line: str) -> str:
    """Return a line of WikiText-2 as it would be printed: no marks, and no spaces around punctuation.

    >>> plain('The <unk> claws , 0 @.@ 5 m long , are " red @-@ tipped " ( the female \\'s too , <unk> ) .')
    'The claws, 0.5 m long, are "red-tipped" (the female\\'s too).'
    """
    check_text("line", line)
    text = re.sub(r"( @[-,.]@ )?<unk>( @[-,.]@ )?", " ", line)
    text = re.sub(r" ?@([-,.])@ ?", r"\1", text)  # red @-@ tipped, 10 @,@ 000, 3 @.@ 5
    text = " ".join(text.split())
    for nothing in ("( )", '" "', "' '", "( , )", "( ; )"):  # if the line was only an unknown word
        text = text.replace(nothing, "")
    text = re.sub(r"[,;] (?=[,;.)])", "", " ".join(text.split()))
    return re.sub(r"(\d) – (?=\d)", r"\1–", _joined(text.split()))


def _joined(tokens):
    """Join words and punctuation marks as they are printed. A lone ' after an s belongs to that word."""
    text = ""
    glue = True  # whether the next one follows without a space
    opened = set()
    for token in tokens:
        opens = token in ('"', "'") and token not in opened and not (token == "'" and text.endswith("s"))
        closes = token in ('"', "'") and not opens
        if opens:
            opened.add(token)
        elif closes:
            opened.discard(token)
        if not (glue or closes or token in _AFTER or re.match("'[a-z]", token)):
            text += " "
        text += token
        glue = opens or token in _BEFORE
    return text


def _wordnet_index(folder):
    """Return word class -> content of its index file."""
    for place in () if folder is None else (folder, folder / "dict"):
        if all((place / file).is_file() for file in _WORD_CLASSES.values()):
            return {name: (place / file).read_text(encoding="utf-8") for name, file in _WORD_CLASSES.items()}
    (path,) = fetch("wordnet", SOURCES["wordnet"], folder)
    with tarfile.open(path) as archive:
        files = {name: archive.extractfile(f"dict/{file}") for name, file in _WORD_CLASSES.items()}
        return {name: file.read().decode("utf-8") for name, file in files.items()}


def _lemmas(content):
    """Return the single words of an index file; the license at its head is indented."""
    lemmas = [line.split(" ", 1)[0] for line in content.splitlines() if line and not line.startswith(" ")]
    return [lemma for lemma in lemmas if re.fullmatch("[a-z]+", lemma)]
