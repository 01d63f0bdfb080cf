"""Checks that the chapter on learning cannot do: the generator's names, and an exercise with pencil and paper."""

import math

import pytest

from tutorial_lib.texts.generated import stories


def test_stories_have_32_names_and_list_friends_alphabetically():
    some = stories(2000)
    assert len({word.text for story in some for word in story.words if word.pos == "name"}) == 32
    friends = [story.words for story in some if "friends" in story.sentences[0] and story.words[1].text == "and"]
    assert len(friends) > 200 and all(words[0].text < words[2].text for words in friends)


def test_the_exercise_with_pencil_and_paper():
    loss = -(9 * math.log(0.9) + math.log(0.0001)) / 10
    assert loss == pytest.approx(1.016, abs=0.0005) and math.exp(loss) == pytest.approx(2.76, abs=0.005)
