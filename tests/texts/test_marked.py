"""The sentences with marked words: balanced, two sets without a common sentence, and labels that match the marks."""

import re
from collections import Counter

import pytest

from tutorial_lib.geometry.heads import PATTERNS
from tutorial_lib.texts.generated import POSSESSIVE, SUBJECT, stories
from tutorial_lib.texts.grammar import OBJECT
from tutorial_lib.texts.marked import LINKS, SETS, labeled_maps, marked, read, sentences_of
from tutorial_lib.texts.written import groups

BOTH = {name: marked(name) for name in SETS}


@pytest.mark.parametrize("name", SETS)
def test_each_sentence_has_one_pair_of_each_relation(name):
    for story in BOTH[name]:
        assert [len(story.pairs(relation)) for relation in LINKS] == [1, 1, 1, 1], story.text


@pytest.mark.parametrize("name", SETS)
def test_words_and_pairs_match_the_marks(name):
    for story, line in zip(BOTH[name], groups("roles")[name], strict=True):
        assert "/" not in story.text and story.text[0].isupper() and story.text.endswith(".")
        for word in story.words:
            assert story.text.startswith(word.text, word.start)
        for relation, (of, which) in LINKS.items():
            said = [re.search(rf"(\w+)/[A-Z]*{letter}", line)[1] for letter in (of, which)]
            [(depends, on)] = story.pairs(relation)
            told = [story.words[i].text for i in ((depends, on) if relation == "antecedent" else (on, depends))]
            assert told == said


def test_sets_have_equal_size_and_share_no_sentence():
    first, second = ({story.text for story in BOTH[name]} for name in SETS)
    assert len(first) == len(second) == 60 and not first & second


@pytest.mark.parametrize("name", SETS)
def test_no_fixed_offset_finds_nearly_all(name):
    for relation in LINKS:
        offsets = Counter(on - depends for story in BOTH[name] for depends, on in story.pairs(relation))
        assert max(offsets.values()) <= 0.75 * len(BOTH[name]), relation


@pytest.mark.parametrize("name", SETS)
def test_antecedents_are_subjects_about_as_often_as_objects(name):
    subjects = sum(story.pairs("antecedent")[0][1] == story.pairs("subject")[0][0] for story in BOTH[name])
    assert abs(subjects - len(BOTH[name]) / 2) <= 3


@pytest.mark.parametrize("name", SETS)
def test_determiners_and_pronouns_are_some(name):
    for story in BOTH[name]:
        [(determiner, _)], [(pronoun, _)] = story.pairs("determiner"), story.pairs("antecedent")
        assert story.words[determiner].text.lower() in ("the", "a", "an")
        assert story.words[pronoun].text in {*SUBJECT, *OBJECT, *POSSESSIVE}


def test_tokens_find_their_words(tok):
    for story in BOTH["first"]:
        words = story.word_of(tok.encode(story.text).tokens)
        assert words[0] is words[-1] is None and sorted(set(words[1:-1])) == list(range(len(story.words)))


@pytest.mark.parametrize("line", ["A/S bear/S runs/V", "The bear/N sleeps", "He/P slept"])
def test_half_a_pair_is_rejected(line):
    with pytest.raises(ValueError, match="line must have"):
        read(line)


def test_another_set_is_rejected():
    with pytest.raises(ValueError, match="which must be one of first, second, got 'third'"):
        marked("third")


def test_labeled_maps_are_different_and_cover_both_halves():
    found = labeled_maps()
    assert len(found) == len({(m.text, m.layer, m.head) for m in found}) == 84
    halves = [{m.text for m in found if m.half == half} for half in SETS]
    assert [len(half) for half in halves] == [6, 6] and not halves[0] & halves[1]
    assert {m.pattern for m in found} <= set(PATTERNS) and 0 < sum(not m.sure for m in found) < 25
    assert all(0 <= m.layer < 6 and 0 <= m.head < 12 for m in found)


def test_sentences_of_a_story_keep_their_relations():
    for story in stories(30, seed=3):
        parts = sentences_of(story)
        assert [part.text for part in parts] == story.sentences
        assert [word.text for part in parts for word in part.words] == [word.text for word in story.words]
        for relation in LINKS:
            told = [(story.words[i].text, story.words[j].text) for i, j in story.pairs(relation)]
            kept = [(part.words[i].text, part.words[j].text) for part in parts for i, j in part.pairs(relation)]
            assert kept == told if relation != "antecedent" else len(kept) <= len(told)
