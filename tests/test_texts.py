"""Texts: what travels with the library can be read, trained on and traced to its source."""

import re
from collections import Counter

import pytest

from tutorial_lib.texts import load_texts, written

STORIES = load_texts("stories")


@pytest.mark.parametrize("name", ["stories", "documents"])
def test_every_line_is_one_clean_sentence(name):
    for line in load_texts(name):
        assert line == line.strip() and "\t" not in line and "  " not in line
        assert line[0].isupper()


def test_stories_are_plain_ascii_sentences_that_end():
    assert all(line.isascii() and line[-1] in ".?" for line in STORIES)
    assert len(STORIES) == len(set(STORIES)) >= 300
    assert 25_000 <= sum(map(len, STORIES)) <= 40_000


def test_stories_repeat_their_words_in_several_forms():
    words = Counter(re.findall(r"[a-z]+", " ".join(STORIES).lower()))
    for family in (
        ("open", "opens", "opened", "opening"),
        ("paint", "painted", "painter", "painting", "paintings"),
        ("wait", "waited", "waiting"),
        ("learn", "learned", "learning"),
        ("bear", "bears", "door", "doors", "machine", "machines"),
    ):
        assert all(words[word] >= 2 for word in family), family
    assert sum(count >= 2 for count in words.values()) >= 600


def test_documents_hold_the_sentences_that_the_chapters_use():
    sentences = load_texts("documents")
    for sentence in (
        "I love mathematics!",
        "Linear algebra is at the core of machine learning",
        "The artist painted the portrait",
        "Transformers are powerful models",
        "Then the bear waited for the door to open with a serendipitous smile.",
        "The mouse was gone. The cat sat useless.",
        "The mouse was gone. The computer sat useless.",
    ):
        assert sentence in sentences


def test_each_document_sentence_says_where_it_stands():
    lines = (written.FOLDER / "documents.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        assert line.startswith("#") or re.fullmatch(r"[RL] \d+(\.\d+)+\t.+", line), line


@pytest.mark.parametrize("name", ["novels", "", "../weights", None, 3, b"stories"])
def test_an_unknown_collection_is_refused_with_the_known_names(name):
    with pytest.raises(ValueError, match="name must be one of 'stories', 'documents', "):
        load_texts(name)


def test_homonyms_begin_alike_and_only_the_second_sentence_tells_the_senses_apart():
    homonyms = load_texts("homonyms")
    assert len(homonyms) >= 12
    for word, senses in homonyms.items():
        assert [len(texts) for texts in senses.values()] == [4, 4], word
        texts = sum(senses.values(), [])
        assert len({text.split(". ")[0] for text in texts}) == 1 and len(set(texts)) == 8
        assert all(re.findall(r"\w+", text.lower()).count(word) == 1 for text in texts)
    assert homonyms["mouse"]["animal"][0] == "The mouse was gone. The cat sat useless."
    assert homonyms["mouse"]["device"][0] == "The mouse was gone. The computer sat useless."
